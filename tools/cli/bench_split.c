/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_split.c @brief `scanrt bench --split`: plans of splits and histograms, and checks of their counts.
 * bench_sort.c has the rest. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"
#include "reference_sort.h"

#include <inttypes.h>
#include <string.h>

/* ---- bucket functions from source: the same bits of the key ---- */

SCAN_OP_TEXT(
    buckets_text,
    typedef struct bench_bits {
      uint32_t first;
      uint32_t mask;
    } bench_bits;
    static inline uint32_t bucket_u8(uint8_t x, uint64_t index, bench_bits b) {
      (void)index;
      return (uint32_t)x >> b.first & b.mask;
    } static inline uint32_t bucket_u16(uint16_t x, uint64_t index, bench_bits b) {
      (void)index;
      return (uint32_t)x >> b.first & b.mask;
    } static inline uint32_t bucket_u32(uint32_t x, uint64_t index, bench_bits b) {
      (void)index;
      return x >> b.first & b.mask;
    } static inline uint32_t bucket_u64(uint64_t x, uint64_t index, bench_bits b) {
      (void)index;
      return (uint32_t)(x >> b.first) & b.mask;
    });
SCAN_BUCKET_PARAMS_HOST(host_u8, uint8_t, bench_bits, bucket_u8);
SCAN_BUCKET_PARAMS_HOST(host_u16, uint16_t, bench_bits, bucket_u16);
SCAN_BUCKET_PARAMS_HOST(host_u32, uint32_t, bench_bits, bucket_u32);
SCAN_BUCKET_PARAMS_HOST(host_u64, uint64_t, bench_bits, bucket_u64);

#define SOURCE_OF(name, element)                                                                                       \
  source = (scan_bucket_source)SCAN_BUCKET_PARAMS_INIT(buckets_text, element, bucket_##name, bench_bits);              \
  source.host = host_##name

static scan_status create_bucket(sorting_state *bench) {
  scan_bucket_source source;
  switch (bench->sort.key_type) {
  case SCAN_U8: SOURCE_OF(u8, uint8_t); break;
  case SCAN_U16: SOURCE_OF(u16, uint16_t); break;
  case SCAN_U32: SOURCE_OF(u32, uint32_t); break;
  default: SOURCE_OF(u64, uint64_t); break; /* other types are refused earlier */
  }
  const double begun = cli_seconds();
  const scan_status status = scan_bucket_create(bench->base.ctx, &source, &bench->bucket);
  if (bench->base.cold) bench->base.cold->source = cli_seconds() - begun;
  return status;
}

static uint32_t buckets_of(const sorting_state *bench) { return 1u << (bench->sort.end_bit - bench->sort.first_bit); }

/* ---- plans ---- */

static scan_split_spec split_spec_of(const sorting_state *bench, scan_op *bucket) {
  const bench_sort_case *sort = &bench->sort;
  scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(sort->key_type, sort->first_bit, sort->end_bit);
  if (bucket) spec = (scan_split_spec)SCAN_SPLIT_BUCKETS_INIT(bucket, buckets_of(bench));
  spec.descending = sort->descending;
  if (sort->what == BENCH_SORT_ARGSORT) {
    spec.index_type = sort->value_bytes == 8 ? SCAN_U64 : SCAN_U32;
    spec.drops_keys = 1;
  } else if (sort->what == BENCH_SORT_PAIRS) {
    spec.arrays = 1;
    spec.element_bytes[0] = sort->value_bytes;
  }
  return spec;
}

static scan_status create_plan(sorting_state *bench, scan_op *bucket, int in_place, scan_plan **plan) {
  const bench_sort_case *sort = &bench->sort;
  scan_histogram_spec counted = SCAN_HISTOGRAM_SPEC_INIT(sort->key_type, sort->first_bit, sort->end_bit);
  if (sort->what == BENCH_SORT_HISTOGRAM) {
    if (bucket) counted = (scan_histogram_spec)SCAN_HISTOGRAM_BUCKETS_INIT(bucket, buckets_of(bench));
    counted.descending = sort->descending;
    return scan_plan_create_histogram(bench->base.ctx, &counted, bench->n, plan);
  }
  scan_split_spec spec = split_spec_of(bench, bucket);
  spec.in_place = (uint32_t)in_place;
  return scan_plan_create_split(bench->base.ctx, &spec, bench->n, plan);
}

int sorting_split_plans(sorting_state *bench) {
  const sorting_request *r = bench->request;
  const int moves = bench->sort.what == BENCH_SORT_KEYS || bench->sort.what == BENCH_SORT_PAIRS;
  scan_status status = SCAN_SUCCESS;
  if (r->by[SORTING_BY_BUCKETS]) status = create_bucket(bench);
  const double begun = cli_seconds();
  if (status == SCAN_SUCCESS && r->by[SORTING_BY_BITS]) status = create_plan(bench, NULL, 0, &bench->plan);
  if (status == SCAN_SUCCESS && bench->bucket) status = create_plan(bench, bench->bucket, 0, &bench->bucket_plan);
  if (bench->base.cold) bench->base.cold->plan = cli_seconds() - begun;
  if (status == SCAN_SUCCESS && r->base.also_in_place && moves)
    status = create_plan(bench, NULL, 1, &bench->placed_plan);
  return bench_forward(&bench->base, status);
}

/* ---- one call ---- */

static scan_split_args split_args_of(const sorting_state *bench) {
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(bench->in.mem, bench->out.mem, bench->counts.mem);
  if (bench->sort.what == BENCH_SORT_ARGSORT) args.keys_out = SCAN_NO_MEM;
  if (bench->sort.what != BENCH_SORT_KEYS) args.out[0] = scan_offset(bench->out.mem, bench->values_at);
  if (bench->sort.what == BENCH_SORT_PAIRS) args.in[0] = scan_offset(bench->in.mem, bench->values_at);
  return args;
}

static int run_plan(const sorting_state *bench, scan_plan *plan, const void *params) {
  scan_status status;
  if (bench->sort.what == BENCH_SORT_HISTOGRAM) {
    scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(bench->in.mem, bench->counts.mem);
    args.params = params;
    status = scan_plan_run_histogram(plan, bench->n, &args);
  } else {
    scan_split_args args = split_args_of(bench);
    args.params = params;
    status = scan_plan_run_split(plan, bench->n, &args);
  }
  return bench_forward(&bench->base, status);
}

static int start_by_bits(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  (void)pair;
  return run_plan(bench, bench->plan, NULL);
}

static int start_by_buckets(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  const bench_bits bits = { bench->sort.first_bit, buckets_of(bench) - 1 };
  (void)pair;
  return run_plan(bench, bench->bucket_plan, &bits);
}

static int start_in_place(bench_entry *s, uint64_t pair) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  scan_split_args args = split_args_of(bench);
  (void)pair;
  args.keys_in = args.keys_out;
  if (args.in[0].kind != SCAN_MEM_NONE) args.in[0] = args.out[0];
  const scan_status status = scan_plan_run_split(bench->placed_plan, bench->n, &args);
  return bench_forward(&bench->base, status);
}

/** Returns the bytes of one read of each key and one write of the outputs. */
static uint64_t bytes_of(const sorting_state *bench) {
  const uint64_t keys = bench->key_bytes, values = bench->sort.value_bytes;
  switch (bench->sort.what) {
  case BENCH_SORT_HISTOGRAM: return bench->n * keys;
  case BENCH_SORT_ARGSORT: return bench->n * (keys + values);
  default: return bench->n * 2 * (keys + values);
  }
}

void sorting_split_entries(sorting_state *bench) {
  static const char *const names[][3] = {
    { "scan_split", "scan_split, function", "scan_split in place" },
    { "scan_histogram", "scan_histogram, function", NULL },
  };
  const char *const *const name = names[bench->sort.what == BENCH_SORT_HISTOGRAM];
  bench->moved_bytes = bytes_of(bench);
  if (bench->plan) bench_add(&bench->base, BENCH_SCAN, start_by_bits, bench->moved_bytes, "%s", name[0]);
  if (bench->bucket_plan) bench_add(&bench->base, BENCH_SCAN, start_by_buckets, bench->moved_bytes, "%s", name[1]);
  if (bench->placed_plan && !bench->base.cold)
    bench_restored(bench_add(&bench->base, BENCH_SCAN, start_in_place, bench->moved_bytes, "%s", name[2]), &bench->in,
                   &bench->out);
}

/* ---- counts ---- */

void sorting_split_expect(sorting_state *bench) {
  memset(bench->want_counts, 0, sizeof bench->want_counts);
  for (uint64_t i = 0; i < bench->n; i++) {
    const uint64_t key = sorting_number(bench->input, bench->key_bytes, i);
    bench->want_counts[sorting_order(&bench->sort, reference_rank(bench->sort.key_type, key))]++;
  }
}

/** Checks the counts: for a split the begin of each bucket and the total; for a histogram the keys of each bucket. */
int sorting_split_check(sorting_state *bench, bench_entry *s) {
  uint64_t got[SORTING_COUNTS], sum = 0;
  const int is_split = bench->sort.what != BENCH_SORT_HISTOGRAM;
  const uint32_t buckets = buckets_of(bench);
  if (is_split && s->role != BENCH_SCAN) return CLI_OK;
  const scan_status status =
      scan_read(bench->base.ctx, bench->counts.mem, got, (buckets + (uint32_t)is_split) * sizeof *got);
  if (status != SCAN_SUCCESS) return bench_forward(&bench->base, status);
  for (uint32_t b = 0; b < buckets + (uint32_t)is_split; b++) {
    if (got[b] != (is_split ? sum : bench->want_counts[b]))
      return bench_wrong(s, "n = %" PRIu64 ", %s: bucket %" PRIu32 " is not as expected", bench->n,
                         sorting_shape_name(bench->shape), b);
    if (b < buckets) sum += bench->want_counts[b];
  }
  return CLI_OK;
}
