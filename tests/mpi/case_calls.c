/* SPDX-License-Identifier: BSD-2-Clause */
#include "case_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "reference.h"

/* ---- what ranks do not do ---- */

static const char *lacking_select(const scan_case *c, int ranks) {
  const int joins = c->by == SCAN_SELECT_FIRST || c->by == SCAN_SELECT_LAST || c->by == CASE_PAIR;
  const int by_first = c->by == SCAN_SELECT_FIRST || (c->by == CASE_PAIR && !c->keeps_last);
  if (c->by_plan) return "plans of compaction";
  if (ranks == 1 || !joins) return NULL;
  if (c->spec.rest != SCAN_REST_DROPPED) return "the rest of runs";
  if (c->spec.index_type) return "indices of runs";
  return c->in_place && by_first ? "the first of runs, in place" : NULL;
}

static const char *lacking_scan(const scan_case *c) {
  const scan_spec *s = &c->scan.spec;
  if (c->by == CASE_STREAM) return "streams";
  if (c->by == CASE_DIFFERENCE) return "differences";
  if (!scan_strategy_is_canonical(s->strategy)) return "strategies with an order of their own";
  if (c->by != CASE_ARRAY) return case_has_one_group(c) && c->n > case_group_items(c) ? "operators of one group" : NULL;
  if (c->by_plan) return "plans of arrays";
  if (s->strategy) return "strategies of arrays";
  return s->kind == SCAN_TOTAL || s->segments || s->flags & SCAN_CHECK_OVERFLOW ? "totals, segments, checks of arrays"
                                                                                : NULL;
}

static const char *lacking_sort(const scan_case *c) {
  if (c->by == CASE_HISTOGRAM) return "histograms";
  if (c->has_segments) return "sorts in segments";
  return c->sort.gives_scratch ? "scratch memory" : NULL;
}

const char *case_lacking(const scan_case *c, int ranks) {
  if (c->has_n_from) return "n in memory";
  if (c->plan_memory) return "plans in memory of the application's";
  if (*c->tune || c->threads) return "a context of its own";
  switch (case_family_of(c->by)) {
  case FAMILY_RUNS: return NULL;
  case FAMILY_SORTS: return lacking_sort(c);
  case FAMILY_SCANS: return lacking_scan(c);
  default: return lacking_select(c, ranks);
  }
}

/* ---- a redistributed input ---- */

/* Returns the input that is moved, of elements of *bytes bytes. */
static const case_part *moved_part(const scan_case *c, const scan_case *all, const case_part **from, uint64_t *bytes) {
  const int is_scan = case_family_of(c->by) == FAMILY_SCANS, is_select = case_family_of(c->by) == FAMILY_COMPACTION;
  *from = is_scan || is_select ? &all->in[0] : &all->marks;
  *bytes = is_scan                                 ? case_scan_sizes(c).input
           : is_select                             ? c->item_bytes[0]
           : case_family_of(c->by) == FAMILY_SORTS ? case_sort_item_bytes(c)
                                                   : scan_type_bytes(c->key_type);
  return is_scan || is_select ? &c->in[0] : &c->marks;
}

/* Overwrites an input, and gets it back from other ranks. Later, case_run_by compares it. */
static scan_status move_input(scan_ctx *ctx, const scan_case *c, const case_memory *m, case_ranks *of) {
  const scan_case *all = &of->whole->c;
  const case_part *from;
  uint64_t bytes, counts[CASE_CUTS_MOST_PARTS], first = 0;
  const case_part *to = moved_part(c, all, &from, &bytes);
  unsigned char *nothing = calloc((size_t)to->bytes + 1, 1);
  scan_status status = nothing ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
  case_cut(CASE_CUTS_RANDOM, of->piece->seed + 1, of->whole->ranks, of->whole->n, 0, counts);
  for (int r = 0; r < of->piece->rank; r++) first += counts[r];
  if (status == SCAN_SUCCESS && m->in.kind == SCAN_MEM_HOST)
    memset((char *)m->in.handle + m->in.offset_bytes + to->at, 0, (size_t)to->bytes);
  else if (status == SCAN_SUCCESS && to->bytes)
    status = scan_write(ctx, scan_offset(m->in, to->at), nothing, to->bytes);
  free(nothing);
  if (status != SCAN_SUCCESS) return status;
  return scan_mpi_redistribute(of->mpi, (uint32_t)bytes, counts[of->piece->rank],
                               scan_host(all->in_image + from->at + first * bytes), c->n, scan_offset(m->in, to->at),
                               NULL);
}

/* ---- the calls ---- */

typedef struct call_of {
  scan_ctx *ctx;
  case_functions *functions;
  scan_case *c;
  case_memory *m;
  case_ranks *ranks;
  scan_mpi *mpi;
} call_of;

static scan_status call_select(const call_of *k) {
  scan_select_spec spec;
  scan_select_args args;
  const scan_status status = case_select_args(k->ctx, k->functions, k->c, k->m, &spec, &args);
  if (status != SCAN_SUCCESS) return status;
  return scan_mpi_select(k->mpi, &spec, k->c->n, &args, &k->ranks->got[0], &k->ranks->got[1]);
}

static scan_status call_partition(const call_of *k) {
  scan_partition3_spec spec;
  scan_partition3_args args;
  const scan_status status = case_partition_args(k->ctx, k->functions, k->c, k->m, &spec, &args);
  return status == SCAN_SUCCESS ? scan_mpi_partition(k->mpi, &spec, k->c->n, &args, k->ranks->got) : status;
}

/* Encodes without lengths and starts are also unique keys. */
static scan_status call_unique(const call_of *k, const scan_run_length_args *args) {
  const scan_case *c = k->c;
  scan_mpi_part *part = k->ranks->got;
  scan_mpi_plan *plan = NULL;
  if (!c->by_plan) return scan_mpi_unique(k->mpi, c->key_type, c->n, args->keys, args->keys_out, args->capacity, part);
  scan_status status = scan_mpi_plan_create_unique(k->mpi, c->key_type, case_plan_n(c), &plan);
  for (int i = 0; i <= c->runs_again && status == SCAN_SUCCESS; i++)
    status = scan_mpi_plan_run_unique(plan, c->n, args->keys, args->keys_out, args->capacity, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_run_lengths(const call_of *k) {
  const scan_case *c = k->c;
  const scan_run_length_args args = case_run_length_args(c, k->m);
  scan_mpi_part *part = k->ranks->got;
  scan_mpi_plan *plan = NULL;
  if (c->has_keys && !c->has_count && !c->encode.length_type && !c->encode.start_type) return call_unique(k, &args);
  if (!c->by_plan) return scan_mpi_run_length_encode(k->mpi, &c->encode, c->n, &args, part);
  scan_status status = scan_mpi_plan_create_run_length(k->mpi, &c->encode, case_plan_n(c), &plan);
  for (int i = 0; i <= c->runs_again && status == SCAN_SUCCESS; i++)
    status = scan_mpi_plan_run_run_length(plan, c->n, &args, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_reduce(const call_of *k) {
  const scan_case *c = k->c;
  scan_spec spec;
  scan_reduce_by_key_args args;
  scan_mpi_plan *plan = NULL;
  scan_status status = case_reduce_args(k->ctx, k->functions, c, k->m, &spec, &args);
  if (status != SCAN_SUCCESS) return status;
  if (!c->by_plan) return scan_mpi_reduce_by_key(k->mpi, &spec, c->n, &args, k->ranks->got);
  status = scan_mpi_plan_create_reduce_by_key(k->mpi, &spec, case_plan_n(c), &plan);
  for (int i = 0; i <= c->runs_again && status == SCAN_SUCCESS; i++)
    status = scan_mpi_plan_run_reduce_by_key(plan, c->n, &args, k->ranks->got);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_sort(const call_of *k) {
  const scan_case *c = k->c;
  const scan_sort_args args = case_sort_args(c, k->m);
  const scan_mpi_distribution results = (scan_mpi_distribution)c->results;
  const uint64_t capacity = k->ranks->piece->capacity;
  scan_mpi_plan *plan = NULL;
  if (!c->by_plan) return scan_mpi_sort(k->mpi, &c->sort, results, c->n, capacity, &args, k->ranks->got);
  scan_status status = scan_mpi_plan_create_sort(k->mpi, &c->sort, results, case_plan_n(c), capacity, &plan);
  for (int i = 0; i <= c->runs_again && status == SCAN_SUCCESS; i++)
    status = scan_mpi_plan_run_sort(plan, c->n, &args, k->ranks->got);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_split(const call_of *k) {
  const scan_case *c = k->c;
  const scan_mpi_distribution results = (scan_mpi_distribution)c->results;
  const uint64_t capacity = k->ranks->piece->capacity;
  const scan_sort_args args = case_sort_args(c, k->m);
  case_split_calls calls;
  scan_mpi_plan *plan = NULL;
  scan_status status = case_split_args(k->ctx, k->functions, c, k->m, &args, &calls);
  if (status != SCAN_SUCCESS) return status;
  if (!c->by_plan) return scan_mpi_split(k->mpi, &calls.spec, results, c->n, capacity, &calls.args, k->ranks->got);
  status = scan_mpi_plan_create_split(k->mpi, &calls.spec, results, case_plan_n(c), capacity, &plan);
  for (int i = 0; i <= c->runs_again && status == SCAN_SUCCESS; i++)
    status = scan_mpi_plan_run_split(plan, c->n, &calls.args, k->ranks->got);
  scan_mpi_plan_destroy(plan);
  return status;
}

/* Records the lowest overflow in the order of the scan. */
static scan_status note_overflow(const call_of *k, scan_status status) {
  const uint64_t n = k->ranks->whole->c.n;
  uint64_t index = 0;
  if (status != SCAN_OVERFLOW) return status;
  status = scan_mpi_overflow_index(k->mpi, &index);
  if (case_scan_is_backward(k->c) && index < n) index = n - 1 - index;
  if (status == SCAN_SUCCESS && index < k->c->scan.reported) k->c->scan.reported = index;
  return status;
}

static scan_status call_scan(const call_of *k) {
  scan_case *c = k->c;
  scan_calls calls;
  scan_mpi_plan *plan = NULL;
  scan_status status = case_scan_calls(k->ctx, k->functions, c, k->m, &calls);
  const int gives_carry = k->ranks->piece->rank == 0 || k->ranks->piece->seed % 2;
  if (status == SCAN_SUCCESS && c->by_plan) status = scan_mpi_plan_create(k->mpi, &calls.spec, case_plan_n(c), &plan);
  for (uint32_t a = 0; a < c->outputs && status == SCAN_SUCCESS; a++) {
    scan_args args = case_scan_args(&calls, a);
    const uint64_t n = c->scan.run_n[a];
    if (!gives_carry) args.carry_in = SCAN_NO_MEM; /* rank 0's is taken */
    status = note_overflow(k, plan ? scan_mpi_plan_run_args(plan, n, &args)
                                   : scan_mpi_run_args(k->mpi, &calls.spec, n, &args));
  }
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_array(const call_of *k) {
  scan_calls calls;
  const scan_status status = case_scan_calls(k->ctx, k->functions, k->c, k->m, &calls);
  if (status != SCAN_SUCCESS) return status;
  const scan_args args = case_scan_args(&calls, 0);
  return scan_mpi_run_array(k->mpi, &calls.spec, &k->c->scan.array, args.in, args.out);
}

static scan_status call_one(const call_of *k) {
  switch (k->c->by) {
  case CASE_PARTITION3: return call_partition(k);
  case CASE_RUN_LENGTHS: return call_run_lengths(k);
  case CASE_REDUCE: return call_reduce(k);
  case CASE_ARRAY: return call_array(k);
  default: break;
  }
  if (case_family_of(k->c->by) == FAMILY_SCANS) return call_scan(k);
  if (case_family_of(k->c->by) == FAMILY_COMPACTION) return call_select(k);
  return k->c->is_split ? call_split(k) : call_sort(k);
}

scan_status case_call_ranks(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m, void *user) {
  case_ranks *ranks = user;
  const call_of k = { ctx, functions, c, m, ranks, ranks->mpi };
  scan_status status = ranks->whole->c.is_moved ? move_input(ctx, c, m, ranks) : SCAN_SUCCESS;
  c->scan.reported = UINT64_MAX;
  if (status == SCAN_SUCCESS) status = call_one(&k);
  if (status != SCAN_SUCCESS && *scan_mpi_last_error(k.mpi))
    snprintf(c->scan.words, sizeof c->scan.words, "%s", scan_mpi_last_error(k.mpi));
  return status;
}
