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

static scan_status create_bucket(sorting_lab *lab) {
  scan_bucket_source source;
  switch (lab->sort.key_type) {
  case SCAN_U8: SOURCE_OF(u8, uint8_t); break;
  case SCAN_U16: SOURCE_OF(u16, uint16_t); break;
  case SCAN_U32: SOURCE_OF(u32, uint32_t); break;
  default: SOURCE_OF(u64, uint64_t); break; /* other types are refused earlier */
  }
  const double begun = cli_seconds();
  const scan_status status = scan_bucket_create(lab->base.ctx, &source, &lab->bucket);
  if (lab->base.cold) lab->base.cold->source = cli_seconds() - begun;
  return status;
}

static uint32_t buckets_of(const sorting_lab *lab) { return 1u << (lab->sort.end_bit - lab->sort.first_bit); }

/* ---- plans ---- */

static scan_split_spec split_spec_of(const sorting_lab *lab, scan_op *bucket) {
  const bench_sort_case *sort = &lab->sort;
  scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(sort->key_type, sort->first_bit, sort->end_bit);
  if (bucket) spec = (scan_split_spec)SCAN_SPLIT_BUCKETS_INIT(bucket, buckets_of(lab));
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

static scan_status create_plan(sorting_lab *lab, scan_op *bucket, int in_place, scan_plan **plan) {
  const bench_sort_case *sort = &lab->sort;
  scan_histogram_spec counted = SCAN_HISTOGRAM_SPEC_INIT(sort->key_type, sort->first_bit, sort->end_bit);
  if (sort->what == BENCH_SORT_HISTOGRAM) {
    if (bucket) counted = (scan_histogram_spec)SCAN_HISTOGRAM_BUCKETS_INIT(bucket, buckets_of(lab));
    counted.descending = sort->descending;
    return scan_plan_create_histogram(lab->base.ctx, &counted, lab->n, plan);
  }
  scan_split_spec spec = split_spec_of(lab, bucket);
  spec.in_place = (uint32_t)in_place;
  return scan_plan_create_split(lab->base.ctx, &spec, lab->n, plan);
}

int sorting_split_plans(sorting_lab *lab) {
  const sorting_request *r = lab->request;
  const int moves = lab->sort.what == BENCH_SORT_KEYS || lab->sort.what == BENCH_SORT_PAIRS;
  scan_status status = SCAN_SUCCESS;
  if (r->by[SORTING_BY_BUCKETS]) status = create_bucket(lab);
  const double begun = cli_seconds();
  if (status == SCAN_SUCCESS && r->by[SORTING_BY_BITS]) status = create_plan(lab, NULL, 0, &lab->plan);
  if (status == SCAN_SUCCESS && lab->bucket) status = create_plan(lab, lab->bucket, 0, &lab->bucket_plan);
  if (lab->base.cold) lab->base.cold->plan = cli_seconds() - begun;
  if (status == SCAN_SUCCESS && r->base.also_in_place && moves) status = create_plan(lab, NULL, 1, &lab->placed_plan);
  return bench_forward(&lab->base, status);
}

/* ---- one call ---- */

static scan_split_args split_args_of(const sorting_lab *lab) {
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(lab->in.mem, lab->out.mem, lab->counts.mem);
  if (lab->sort.what == BENCH_SORT_ARGSORT) args.keys_out = SCAN_NO_MEM;
  if (lab->sort.what != BENCH_SORT_KEYS) args.out[0] = scan_offset(lab->out.mem, lab->values_at);
  if (lab->sort.what == BENCH_SORT_PAIRS) args.in[0] = scan_offset(lab->in.mem, lab->values_at);
  return args;
}

static int run_plan(const sorting_lab *lab, scan_plan *plan, const void *params) {
  scan_status status;
  if (lab->sort.what == BENCH_SORT_HISTOGRAM) {
    scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(lab->in.mem, lab->counts.mem);
    args.params = params;
    status = scan_plan_run_histogram(plan, lab->n, &args);
  } else {
    scan_split_args args = split_args_of(lab);
    args.params = params;
    status = scan_plan_run_split(plan, lab->n, &args);
  }
  return bench_forward(&lab->base, status);
}

static int start_by_bits(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  (void)pair;
  return run_plan(lab, lab->plan, NULL);
}

static int start_by_buckets(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  const bench_bits bits = { lab->sort.first_bit, buckets_of(lab) - 1 };
  (void)pair;
  return run_plan(lab, lab->bucket_plan, &bits);
}

static int start_in_place(bench_subject *s, uint64_t pair) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  scan_split_args args = split_args_of(lab);
  (void)pair;
  args.keys_in = args.keys_out;
  if (args.in[0].kind != SCAN_MEM_NONE) args.in[0] = args.out[0];
  const scan_status status = scan_plan_run_split(lab->placed_plan, lab->n, &args);
  return bench_forward(&lab->base, status);
}

/** Returns the bytes of one read of each key and one write of the outputs. */
static uint64_t bytes_of(const sorting_lab *lab) {
  const uint64_t keys = lab->key_bytes, values = lab->sort.value_bytes;
  switch (lab->sort.what) {
  case BENCH_SORT_HISTOGRAM: return lab->n * keys;
  case BENCH_SORT_ARGSORT: return lab->n * (keys + values);
  default: return lab->n * 2 * (keys + values);
  }
}

void sorting_split_subjects(sorting_lab *lab) {
  static const char *const names[][3] = {
    { "scan_split", "scan_split, function", "scan_split in place" },
    { "scan_histogram", "scan_histogram, function", NULL },
  };
  const char *const *const name = names[lab->sort.what == BENCH_SORT_HISTOGRAM];
  lab->moved_bytes = bytes_of(lab);
  if (lab->plan) bench_add(&lab->base, BENCH_SCAN, start_by_bits, lab->moved_bytes, "%s", name[0]);
  if (lab->bucket_plan) bench_add(&lab->base, BENCH_SCAN, start_by_buckets, lab->moved_bytes, "%s", name[1]);
  if (lab->placed_plan && !lab->base.cold)
    bench_restored(bench_add(&lab->base, BENCH_SCAN, start_in_place, lab->moved_bytes, "%s", name[2]), &lab->in,
                   &lab->out);
}

/* ---- counts ---- */

void sorting_split_expect(sorting_lab *lab) {
  memset(lab->want_counts, 0, sizeof lab->want_counts);
  for (uint64_t i = 0; i < lab->n; i++) {
    const uint64_t key = sorting_number(lab->input, lab->key_bytes, i);
    lab->want_counts[sorting_order(&lab->sort, reference_rank(lab->sort.key_type, key))]++;
  }
}

/** Checks the counts: for a split the begin of each bucket and the total; for a histogram the keys of each bucket. */
int sorting_split_check(sorting_lab *lab, bench_subject *s) {
  uint64_t got[SORTING_COUNTS], sum = 0;
  const int is_split = lab->sort.what != BENCH_SORT_HISTOGRAM;
  const uint32_t buckets = buckets_of(lab);
  if (is_split && s->role != BENCH_SCAN) return CLI_OK;
  const scan_status status =
      scan_read(lab->base.ctx, lab->counts.mem, got, (buckets + (uint32_t)is_split) * sizeof *got);
  if (status != SCAN_SUCCESS) return bench_forward(&lab->base, status);
  for (uint32_t b = 0; b < buckets + (uint32_t)is_split; b++) {
    if (got[b] != (is_split ? sum : lab->want_counts[b]))
      return bench_wrong(s, "n = %" PRIu64 ", %s: bucket %" PRIu32 " is not as expected", lab->n,
                         sorting_shape_name(lab->shape), b);
    if (b < buckets) sum += lab->want_counts[b];
  }
  return CLI_OK;
}
