/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_segments.h @brief Segments that `scanrt bench --segments` measures: how long, and how they are told. */
#ifndef SCANRT_CLI_BENCH_SEGMENTS_H
#define SCANRT_CLI_BENCH_SEGMENTS_H

#include <stdint.h>

#include <scanrt/scan.h>

enum { BENCH_KINDS = SCAN_SEGMENTS_OFFSETS + 1, BENCH_LENGTH_BYTES = 24 };

/** How long segments are. */
typedef struct bench_length {
  char name[BENCH_LENGTH_BYTES]; /**< "64", "all", "all+empty". */
  uint64_t average;              /**< Of random lengths; 0: one segment of all elements. */
  uint64_t empty;                /**< Empty segments beside it, of offsets only. */
} bench_length;

/** Segments of n elements, as the library is told. */
typedef struct bench_marks {
  uint8_t *heads; /**< A byte an element, 1 where a segment begins: what the reference takes. */
  void *told;     /**< Flags, bits, keys or offsets: `bytes` of them. */
  uint64_t bytes;
  uint64_t segments;  /**< How many, empty ones included. */
  scan_segments kind; /**< How they are told. */
  scan_type key_type; /**< As scan_spec.key_type. */
  uint64_t count;     /**< As scan_args.mark_count. */
} bench_marks;

/** Parse one option's value. @param[out] kinds bits by scan_segments. @return CLI_OK or CLI_USAGE */
int bench_segments_parse(const char *command, const char *text, uint32_t *kinds);
int bench_length_parse(const char *command, const char *text, bench_length *length);

/** "flags", "bits", "keys", "offsets". */
const char *bench_segments_name(scan_segments kind);

/** Makes segments, the same ones for the same length and n. @return CLI_OK, or CLI_FAILED when memory ran out; clear in
 *  both cases */
int bench_marks_make(scan_segments kind, const bench_length *length, uint64_t n, bench_marks *marks);
void bench_marks_clear(bench_marks *marks);

#endif
