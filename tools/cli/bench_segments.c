/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_segments.c @brief Makes the segments of `scanrt bench --segments`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 0x5e9, EMPTY_SEGMENTS = 1 << 20 };

static const char DEFAULT_LENGTH[] = "64";

static const char *const names[BENCH_KINDS] = { [SCAN_SEGMENTS_FLAGS] = "flags",
                                                [SCAN_SEGMENTS_BITS] = "bits",
                                                [SCAN_SEGMENTS_KEYS] = "keys",
                                                [SCAN_SEGMENTS_OFFSETS] = "offsets" };

const char *bench_segments_name(scan_segments kind) { return names[kind]; }

/* ---- options ---- */

int bench_segments_parse(const char *command, const char *text, uint32_t *kinds) {
  for (int kind = SCAN_SEGMENTS_FLAGS; kind < BENCH_KINDS; kind++)
    if (!strcmp(text, names[kind])) {
      *kinds |= 1u << kind;
      return CLI_OK;
    }
  return cli_usage(command, "unknown segments '%s': use one of flags bits keys offsets", text);
}

int bench_length_parse(const char *command, const char *text, bench_length *length) {
  *length = (bench_length){ .empty = strcmp(text, "all+empty") ? 0 : EMPTY_SEGMENTS };
  if (strlen(text) >= sizeof length->name) return cli_usage(command, "--segment-length '%s' is out of range", text);
  memcpy(length->name, text, strlen(text) + 1);
  if (length->empty || !strcmp(text, "all")) return CLI_OK;
  int rc = cli_parse_count(command, "--segment-length", text, &length->average);
  if (rc == CLI_OK && length->average == 0)
    return cli_usage(command, "--segment-length is an average of at least 1, all, or all+empty");
  return rc;
}

int bench_add_length(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->length_count == BENCH_MAX_LENGTHS)
    return cli_usage(command, "more than %d --segment-length", BENCH_MAX_LENGTHS);
  return bench_length_parse(command, text, &r->lengths[r->length_count++]);
}

/** Checks the options of marks. */
static int check_marks(const char *command, bench_request *r) {
  const uint32_t keys = 1u << SCAN_SEGMENTS_KEYS;
  if (r->segment_key_type != SCAN_TYPE_DEFAULT && !(r->segments & keys))
    return cli_usage(command, "--key-type needs --segments keys");
  if (r->segment_key_type == SCAN_TYPE_DEFAULT) r->segment_key_type = SCAN_I32;
  if (r->segment_key_type > SCAN_U64)
    return cli_usage(command, "--key-type is an integer type: keys are numbers of segments");
  if (r->mark_offset && (!r->segments || r->segments & ~(keys | 1u << SCAN_SEGMENTS_FLAGS)))
    return cli_usage(command, "--mark-offset needs --segments keys or flags alone");
  return CLI_OK;
}

int bench_check_segments(const char *command, bench_request *r) {
  if (!r->segments && r->length_count) return cli_usage(command, "--segment-length needs --segments");
  if (check_marks(command, r) != CLI_OK) return CLI_USAGE;
  if (!r->segments) return CLI_OK;
  if (r->ndim || r->backward) return cli_usage(command, "--segments has no --shape, --axis or --backward");
  if (!r->length_count) (void)bench_length_parse(command, DEFAULT_LENGTH, &r->lengths[r->length_count++]);
  for (size_t i = 0; i < r->length_count; i++)
    if (r->lengths[i].empty && r->segments != 1u << SCAN_SEGMENTS_OFFSETS)
      return cli_usage(command, "--segment-length all+empty needs --segments offsets alone: only they tell of empty "
                                "segments");
  return CLI_OK;
}

/* ---- marks ---- */

/** Begins a segment at an element with a probability of 1 in `average`, so that lengths are geometric. @return the
 * number of segments */
static uint64_t place_segments(uint64_t average, uint64_t n, uint8_t *segment_flags) {
  const uint64_t least = average ? UINT64_MAX / average : 0;
  uint64_t segments = 0;
  for (uint64_t i = 0; i < n; i++) {
    segment_flags[i] = i == 0 || (average && data_bits(SEED, i) <= least);
    segments += segment_flags[i];
  }
  return segments;
}

static void encode_bits(const uint8_t *segment_flags, uint64_t n, uint32_t *words) {
  for (uint64_t i = 0; i < n; i++) words[i / 32] |= (uint32_t)segment_flags[i] << i % 32;
}

/** Writes the number of the segment as each key: its low bits, where keys are short. */
static void encode_keys(const uint8_t *segment_flags, uint64_t n, uint64_t key_bytes, void *keys) {
  uint64_t number = 0;
  for (uint64_t i = 0; i < n; i++) {
    number += segment_flags[i];
    switch (key_bytes) {
    case 1: ((uint8_t *)keys)[i] = (uint8_t)number; break;
    case 2: ((uint16_t *)keys)[i] = (uint16_t)number; break;
    case 4: ((uint32_t *)keys)[i] = (uint32_t)number; break;
    default: ((uint64_t *)keys)[i] = number;
    }
  }
}

static void put_offset(scan_type type, void *offsets, uint64_t at, uint64_t value) {
  if (type == SCAN_U32)
    ((uint32_t *)offsets)[at] = (uint32_t)value;
  else
    ((uint64_t *)offsets)[at] = value;
}

/** Writes offsets. Half of the empty segments come first, the others last. */
static void encode_offsets(const uint8_t *segment_flags, uint64_t n, uint64_t empty, bench_marks *marks) {
  const scan_type type = marks->key_type;
  uint64_t at = 0;
  while (at < empty / 2) put_offset(type, marks->encoded, at++, 0);
  for (uint64_t i = 0; i < n; i++)
    if (segment_flags[i]) put_offset(type, marks->encoded, at++, i);
  while (at <= marks->segments) put_offset(type, marks->encoded, at++, n);
}

static void marks_encode(uint64_t n, uint64_t empty, bench_marks *marks) {
  switch (marks->kind) {
  case SCAN_SEGMENTS_FLAGS: memcpy(marks->encoded, marks->segment_flags, (size_t)n); break;
  case SCAN_SEGMENTS_BITS: encode_bits(marks->segment_flags, n, marks->encoded); break;
  case SCAN_SEGMENTS_KEYS:
    encode_keys(marks->segment_flags, n, scan_type_bytes(marks->key_type), marks->encoded);
    break;
  default: encode_offsets(marks->segment_flags, n, empty, marks); break;
  }
}

/** Sets bytes, types and counts of the marks. */
static void shape(scan_segments kind, scan_type key_type, uint64_t n, bench_marks *marks) {
  marks->kind = kind;
  marks->count = n;
  if (kind == SCAN_SEGMENTS_FLAGS) marks->bytes = n;
  if (kind == SCAN_SEGMENTS_BITS) marks->bytes = (n + 31) / 32 * 4;
  if (kind == SCAN_SEGMENTS_KEYS) {
    marks->key_type = key_type;
    marks->bytes = n * scan_type_bytes(key_type);
  }
  if (kind == SCAN_SEGMENTS_OFFSETS) {
    marks->key_type = n <= UINT32_MAX ? SCAN_U32 : SCAN_U64;
    marks->count = marks->segments;
    marks->bytes = (marks->segments + 1) * scan_type_bytes(marks->key_type);
  }
}

int bench_marks_make(scan_segments kind, scan_type key_type, const bench_length *length, uint64_t n,
                     bench_marks *marks) {
  *marks = (bench_marks){ .segment_flags = malloc((size_t)n) };
  if (!marks->segment_flags) return cli_fail("no memory for the segments of n = %" PRIu64, n);
  marks->segments = place_segments(length->average, n, marks->segment_flags) + length->empty;
  shape(kind, key_type, n, marks);
  marks->encoded = calloc(1, (size_t)marks->bytes);
  if (!marks->encoded) return cli_fail("no memory for the segments of n = %" PRIu64, n);
  marks_encode(n, length->empty, marks);
  return CLI_OK;
}

void bench_marks_clear(bench_marks *marks) {
  free(marks->encoded);
  free(marks->segment_flags);
  *marks = (bench_marks){ 0 };
}
