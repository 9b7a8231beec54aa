/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_request.c @brief Defaults of a request of `scanrt bench`, and how many combinations it has. */
#include "bench_options.h"

void bench_take_defaults(bench_request *r, scan_type type) {
  enum { DEFAULT_N = 1 << 24, DEFAULT_COLD_N = 1 << 20 };
  if (!r->type_count) r->types[r->type_count++] = type;
  if (!r->modes[BENCH_GRAPH] && !r->modes[BENCH_HOST]) r->modes[BENCH_EAGER] = 1;
  if (!r->size_count) r->sizes[r->size_count++] = r->cold ? DEFAULT_COLD_N : DEFAULT_N;
}

size_t bench_combinations(const bench_request *r) {
  size_t kinds = r->kinds[SCAN_INCLUSIVE] && r->kinds[SCAN_EXCLUSIVE] ? 2 : 1;
  size_t told = 1;
  for (int kind = SCAN_SEGMENTS_FLAGS; r->segments && kind < BENCH_KINDS; kind++) told += r->segments >> kind & 1;
  if (r->segments) told = (told - 1) * r->length_count;
  return r->devices.count * r->type_count * (r->op_count + r->source_count) * kinds * told * r->strategy_count;
}
