/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_segments.h @brief Segments that `scanrt bench --segments` measures: their lengths and kinds of marks. */
#ifndef SCANRT_CLI_BENCH_SEGMENTS_H
#define SCANRT_CLI_BENCH_SEGMENTS_H

#include <stdint.h>

#include <scanrt/scan.h>

enum { BENCH_KINDS = SCAN_SEGMENTS_OFFSETS + 1, BENCH_LENGTH_BYTES = 24 };

/** Lengths of segments. */
typedef struct bench_length {
  char name[BENCH_LENGTH_BYTES]; /**< "64", "all", "all+empty". */
  uint64_t average;              /**< Average of random lengths; 0: one segment of all elements. */
  uint64_t empty;                /**< Number of additional empty segments, with offsets only. */
} bench_length;

/** Segments of n elements as the library takes them. */
typedef struct bench_marks {
  uint8_t *segment_flags; /**< For the reference: one byte an element, 1 where a segment begins. */
  void *encoded;          /**< Flags, bits, keys or offsets of `bytes` bytes. */
  uint64_t bytes;
  uint64_t segments;  /**< Number of segments, empty ones included. */
  scan_segments kind; /**< Kind of the marks. */
  scan_type key_type; /**< As scan_spec.key_type. */
  uint64_t count;     /**< As scan_args.mark_count. */
} bench_marks;

/** Parses an option's value. @param[out] kinds  bits by scan_segments. @return CLI_OK or CLI_USAGE */
int bench_segments_parse(const char *command, const char *text, uint32_t *kinds);
/** Parses the length of segments. @return CLI_OK or CLI_USAGE */
int bench_length_parse(const char *command, const char *text, bench_length *length);

/** Returns "flags", "bits", "keys" or "offsets". */
const char *bench_segments_name(scan_segments kind);

/** Makes segments; the same length and n give the same ones. @param key_type  of keys, an integer; @return CLI_OK, or
 * CLI_FAILED if memory ran out; call bench_marks_clear in both cases */
int bench_marks_make(scan_segments kind, scan_type key_type, const bench_length *length, uint64_t n,
                     bench_marks *marks);
void bench_marks_clear(bench_marks *marks);

#endif
