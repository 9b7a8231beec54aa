/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_sort.c @brief Sorts of `scanrt bench --mpi`. A key is a function of its index among those of all
 * ranks, and values are indices: so each rank checks its results alone, but for the cuts. */
#include "bench_mpi.h"
#include "data.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const bench_mpi_shape_names[BENCH_MPI_SHAPES] = { "random", "bits24", "equal" };

/* ---- keys ---- */

static uint32_t key_bytes(const bench_mpi_state *bench) { return (uint32_t)scan_type_bytes(bench->built_in.type); }

static uint32_t value_bytes(const bench_mpi_state *bench) {
  return bench->what == BENCH_SORT_KEYS ? 0 : bench->what == BENCH_SORT_PAIRS ? 4 : 8;
}

static uint64_t key_of(const bench_mpi_state *bench, uint64_t index) {
  const uint32_t unused = 64 - 8 * key_bytes(bench);
  if (bench->shape == BENCH_MPI_EQUAL) return 42;
  const uint64_t bits = data_bits(1, index);
  return bench->shape == BENCH_MPI_BITS24 && unused < 40 ? bits >> 40 : bits >> unused;
}

static uint64_t order_of(const bench_mpi_state *bench, uint64_t key) {
  return reference_rank(bench->built_in.type, key);
}

static int fill(bench_mpi_state *bench) {
  const uint32_t keys = key_bytes(bench), values = value_bytes(bench);
  uint64_t sum = 0;
  bench_mpi_divide(bench);
  const uint64_t n = bench->base.n;
  bench->item_bytes = bench->what == BENCH_SORT_ARGSORT ? values : keys + values;
  bench->values_at = (n * keys + 15) / 16 * 16;
  bench->bytes = bench->values_at + n * values + 16;
  bench->host = calloc((size_t)bench->bytes, 1);
  if (!bench->host) return cli_fail("no memory for %" PRIu64 " keys: give less --n", n);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t index = bench->first + i, key = key_of(bench, index);
    memcpy((char *)bench->host + i * keys, &key, keys);
    memcpy((char *)bench->host + bench->values_at + i * values, &index, values);
    sum += sorting_hash(values ? index : key);
  }
  bench->due_sum = sum;
  return CLI_OK;
}

/* ---- calls ---- */

static scan_sort_spec spec_of(const bench_mpi_state *bench) {
  const scan_type type = bench->built_in.type;
  if (bench->what == BENCH_SORT_ARGSORT) return (scan_sort_spec)SCAN_SORT_INDEX_INIT(type, SCAN_U64);
  if (bench->what == BENCH_SORT_PAIRS) return (scan_sort_spec)SCAN_SORT_PAIRS_INIT(type, 4);
  return (scan_sort_spec)SCAN_SORT_SPEC_INIT(type);
}

static scan_sort_args args_of(const bench_mpi_state *bench) {
  const int has_keys = bench->what != BENCH_SORT_ARGSORT;
  scan_sort_args args = SCAN_SORT_ARGS_INIT(bench->in, has_keys ? bench->out : SCAN_NO_MEM);
  if (bench->what == BENCH_SORT_PAIRS) args.in[0] = scan_offset(bench->in, bench->values_at);
  if (bench->what != BENCH_SORT_KEYS) args.out[0] = scan_offset(bench->out, bench->values_at);
  return args;
}

static scan_status plan(bench_mpi_state *bench) {
  const scan_sort_spec spec = spec_of(bench);
  return bench->ranks->mpi->plan_create_sort(bench->mpi, &spec, bench->base.n, &bench->plan);
}

static scan_status plan_alone(bench_mpi_state *bench, scan_plan **made) {
  const scan_sort_spec spec = spec_of(bench);
  return scan_plan_create_sort(bench->base.ctx, &spec, bench->base.n, made);
}

static scan_status run(bench_mpi_state *bench) {
  const scan_sort_args args = args_of(bench);
  return bench->ranks->mpi->plan_run_sort(bench->plan, bench->base.n, &args);
}

static scan_status run_alone(bench_mpi_state *bench, scan_plan *made) {
  const scan_sort_args args = args_of(bench);
  return scan_plan_run_sort(made, bench->base.n, &args);
}

/* ---- checks ---- */

/** The place of an element in the order. */
typedef struct mpi_place {
  uint64_t order, index;
} mpi_place;

/** The first and the last result of a rank, for the check of the cuts. */
typedef struct mpi_ends {
  uint64_t n, is_right;
  mpi_place first, last;
} mpi_ends;

/** Returns where result i belongs. @param[out] is_right  0 if its key is not the one of its index */
static mpi_place place_of(const bench_mpi_state *bench, uint64_t i, uint64_t *is_right) {
  const uint64_t index_mask = value_bytes(bench) == 4 ? UINT32_MAX : UINT64_MAX;
  mpi_place place = { 0, 0 };
  if (bench->what == BENCH_SORT_KEYS)
    return (mpi_place){ order_of(bench, bench_mpi_bits(bench->host, key_bytes(bench), i)), 0 };
  place.index = bench_mpi_bits((const char *)bench->host + bench->values_at, value_bytes(bench), i) & index_mask;
  const uint64_t key = key_of(bench, place.index);
  if (bench->what == BENCH_SORT_PAIRS && key != bench_mpi_bits(bench->host, key_bytes(bench), i)) *is_right = 0;
  place.order = order_of(bench, key);
  return place;
}

/** 1 if `b` may follow `a`: equal keys ascend by their indices. */
static int may_follow(const bench_mpi_state *bench, mpi_place a, mpi_place b) {
  if (a.order != b.order) return a.order < b.order;
  return bench->what == BENCH_SORT_KEYS || a.index < b.index;
}

static uint64_t hash_of(const bench_mpi_state *bench, uint64_t i, mpi_place place) {
  return sorting_hash(bench->what == BENCH_SORT_KEYS ? bench_mpi_bits(bench->host, key_bytes(bench), i) : place.index);
}

/** 1 if each rank's results are in order, and go on where those of the rank before end. */
static int is_in_order(const bench_mpi_state *bench, mpi_ends own) {
  const int count = bench->ranks->mpi->count(bench->some);
  mpi_ends *all = calloc((size_t)count, sizeof *all);
  const mpi_ends *before = NULL;
  int is_right = all != NULL;
  if (!all) exit(cli_fail("no memory for the ends of %d ranks", count)); /* MPI ends the others */
  bench->ranks->mpi->gather(bench->some, &own, (int)sizeof own, all);
  for (int r = 0; r < count; r++) {
    is_right &= all[r].is_right != 0;
    if (all[r].n == 0) continue;
    if (before) is_right &= may_follow(bench, before->last, all[r].first);
    before = &all[r];
  }
  free(all);
  return is_right;
}

static int is_right(const bench_mpi_state *bench) {
  mpi_ends own = { .n = bench->base.n, .is_right = 1 };
  uint64_t sum = 0;
  for (uint64_t i = 0; i < bench->base.n; i++) {
    const mpi_place place = place_of(bench, i, &own.is_right);
    if (i == 0) own.first = place;
    if (i > 0 && !may_follow(bench, own.last, place)) own.is_right = 0;
    own.last = place;
    sum += hash_of(bench, i, place);
  }
  const uint64_t due = ranks_sum(bench->ranks, bench->some, bench->due_sum);
  const uint64_t all = ranks_sum(bench->ranks, bench->some, sum);
  return is_in_order(bench, own) && due == all;
}

static const char *kind(const bench_mpi_state *bench) { return sorting_name(bench->what); }

static void title(const bench_mpi_state *bench, char *text, size_t bytes) {
  snprintf(text, bytes, "sorts (%s) of %s %s", sorting_name(bench->what), bench_mpi_shape_names[bench->shape],
           scan_type_name(bench->built_in.type));
}

const bench_mpi_job bench_mpi_sorts = { .fill = fill,
                                        .plan = plan,
                                        .plan_alone = plan_alone,
                                        .run = run,
                                        .run_alone = run_alone,
                                        .is_right = is_right,
                                        .kind = kind,
                                        .title = title };
