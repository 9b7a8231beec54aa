/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests splits over the ranks against one context with all elements: by bits of keys, and by a bucket function.
 * $SCANRT_TEST_CASES is the number of cases, $SCANRT_TEST_SEED chooses them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_sort.h>

#include "group.h"

enum { POISON = 0xa5, MOST_N = 5000, MOST_BUCKETS = SCAN_SPLIT_MOST_BUCKETS, COLUMNS = 1 + SCAN_SPLIT_MOST_ARRAYS };

SCAN_OP_TEXT(
    cell_text, typedef struct split_grid { uint32_t step; } split_grid;
    static inline uint32_t cell(uint32_t x, uint64_t index, split_grid g) {
      (void)index;
      return x / g.step;
    });
SCAN_BUCKET_PARAMS_HOST(cell_host, uint32_t, split_grid, cell);

typedef struct split_case {
  scan_split_spec spec;
  split_grid grid;
  scan_mpi_distribution distribution;
  uint64_t n, counts[GROUP_MOST_RANKS], bytes[COLUMNS];
  uint32_t columns, buckets;
  int on_device, by_plan;
} split_case;

/* ---- cases ---- */

static void draw_bits(struct rng *rng, split_case *c) {
  static const scan_type types[] = { SCAN_U8, SCAN_I16, SCAN_U32, SCAN_F32, SCAN_I64, SCAN_F64 };
  const scan_type type = types[rng_below(rng, 6)];
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(type), first = (uint32_t)rng_below(rng, bits);
  const uint32_t most = bits - first < SCAN_SPLIT_MOST_BITS ? bits - first : SCAN_SPLIT_MOST_BITS;
  const uint32_t count = 1 + (uint32_t)rng_below(rng, most), is_default = rng_below(rng, 3) == 0;
  c->spec = (scan_split_spec)SCAN_SPLIT_SPEC_INIT(type, first, is_default ? 0 : first + count);
  c->spec.descending = (uint32_t)rng_below(rng, 2);
  c->buckets = 1u << (is_default ? most : count);
  c->bytes[0] = scan_type_bytes(type);
}

static void draw_function(struct rng *rng, split_case *c, scan_op *cell_op) {
  c->buckets = rng_below(rng, 3) == 0 ? 1 + (uint32_t)rng_below(rng, 3) : 1 + (uint32_t)rng_below(rng, MOST_BUCKETS);
  c->spec = (scan_split_spec)SCAN_SPLIT_BUCKETS_INIT(cell_op, c->buckets);
  c->grid.step = 1 + (uint32_t)rng_below(rng, UINT32_MAX / MOST_BUCKETS * 2);
  c->bytes[0] = sizeof(uint32_t);
}

static void draw(const group *g, struct rng *rng, scan_op *cell_op, split_case *c) {
  const uint64_t kind = rng_below(rng, 3);
  *c = (split_case){ .distribution = (scan_mpi_distribution)rng_below(rng, 3), .columns = 1 };
  if (rng_below(rng, 2))
    draw_bits(rng, c);
  else
    draw_function(rng, c, cell_op);
  if (kind == 1) {
    c->spec.index_type = rng_below(rng, 2) ? SCAN_U32 : SCAN_U64;
    c->bytes[1] = scan_type_bytes(c->spec.index_type);
    c->columns = 2;
  }
  if (kind == 2) {
    c->spec.arrays = 1 + (uint32_t)rng_below(rng, SCAN_SPLIT_MOST_ARRAYS - 1);
    for (uint32_t a = 0; a < c->spec.arrays; a++)
      c->bytes[1 + a] = c->spec.element_bytes[a] = 1 + (uint32_t)rng_below(rng, 9);
    c->columns = 1 + c->spec.arrays;
  }
  c->spec.drops_keys = kind > 0 && (rng_below(rng, 2) || (kind == 1 && c->spec.bucket != NULL));
  c->n = rng_below(rng, 5) == 0 ? rng_below(rng, 20) : rng_below(rng, MOST_N);
  c->on_device = (int)rng_below(rng, 2);
  c->by_plan = (int)rng_below(rng, 2);
  group_split(g->ranks, rng, c->n, 0, c->counts);
}

static const char *text_of(const split_case *c) {
  static char text[200];
  snprintf(
      text, sizeof text,
      "%s%s, n %llu, bits %u to %u%s, %u buckets, %u arrays, index %d, drops %u, distribution %d, device %d, plan %d",
      c->spec.bucket ? "a function" : "", c->spec.bucket ? "" : scan_type_name(c->spec.key_type),
      (unsigned long long)c->n, c->spec.first_bit, c->spec.end_bit, c->spec.descending ? " descending" : "", c->buckets,
      c->spec.arrays, (int)c->spec.index_type, c->spec.drops_keys, (int)c->distribution, c->on_device, c->by_plan);
  return text;
}

/* ---- a case ---- */

/* The columns of all ranks, what one context makes of them, and this rank's results. */
typedef struct split_memory {
  unsigned char *all[COLUMNS], *want[COLUMNS], *got[COLUMNS];
  uint64_t want_offsets[MOST_BUCKETS + 1], got_offsets[MOST_BUCKETS + 1];
} split_memory;

static scan_split_args args_of(const split_case *c, const scan_mem *in, const scan_mem *out, scan_mem offsets) {
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(in[0], c->spec.drops_keys ? SCAN_NO_MEM : out[0], offsets);
  for (uint32_t k = 1; k < c->columns; k++) {
    if (c->spec.arrays) args.in[k - 1] = in[k];
    args.out[k - 1] = out[k];
  }
  if (c->spec.bucket != NULL) args.params = &c->grid;
  return args;
}

static void split_alone(group *g, const split_case *c, split_memory *m) {
  scan_mem in[COLUMNS], out[COLUMNS];
  for (uint32_t k = 0; k < c->columns; k++) {
    in[k] = scan_host(m->all[k]);
    out[k] = scan_host(m->want[k]);
  }
  const scan_split_args args = args_of(c, in, out, scan_host(m->want_offsets));
  group_check(g, scan_split(g->ctx, &c->spec, c->n, &args) == SCAN_SUCCESS, "%s, one context: %s", text_of(c),
              scan_last_error(g->ctx));
}

static scan_status split_over_ranks(group *g, const split_case *c, const scan_split_args *args, scan_mpi_part *part) {
  const uint64_t n = c->counts[g->rank];
  scan_mpi_plan *plan = NULL;
  if (!c->by_plan) return scan_mpi_split(g->mpi, &c->spec, c->distribution, n, MOST_N, args, part);
  scan_status status = scan_mpi_plan_create_split(g->mpi, &c->spec, c->distribution, n, MOST_N, &plan);
  for (int i = 0; status == SCAN_SUCCESS && i < 2; i++) status = scan_mpi_plan_run_split(plan, n, args, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

/* Checks that a rank's part begins at the place that its distribution has, or, by keys, where a bucket does. */
static void check_part(group *g, const split_case *c, const split_memory *m, scan_mpi_part part) {
  uint64_t due = 0;
  const uint64_t ranks = (uint64_t)g->ranks, rank = (uint64_t)g->rank;
  for (int r = 0; r < g->rank; r++) due += c->counts[r];
  if (c->distribution != SCAN_MPI_AS_GIVEN) due = c->n / ranks * rank + (rank < c->n % ranks ? rank : c->n % ranks);
  if (c->distribution == SCAN_MPI_BY_KEY) {
    uint32_t b = 0;
    while (b < c->buckets && m->want_offsets[b] != part.offset) b++;
    due = m->want_offsets[b];
  }
  group_check(g, part.offset == due && part.total == c->n && part.offset + part.count <= c->n,
              "%s: %llu at %llu of %llu, due at %llu", text_of(c), (unsigned long long)part.count,
              (unsigned long long)part.offset, (unsigned long long)part.total, (unsigned long long)due);
}

static void run_case(group *g, const split_case *c, split_memory *m) {
  uint64_t first = 0;
  const uint64_t n = c->counts[g->rank];
  scan_mem in[COLUMNS], out[COLUMNS];
  scan_mpi_part part = { 0 };
  for (int r = 0; r < g->rank; r++) first += c->counts[r];
  for (uint32_t k = 0; k < c->columns; k++) {
    in[k] = group_give(g, m->all[k] + first * c->bytes[k], n * c->bytes[k], c->on_device);
    out[k] = group_give(g, m->got[k], MOST_N * c->bytes[k], c->on_device);
  }
  const scan_mem offsets = group_give(g, m->got_offsets, sizeof m->got_offsets, c->on_device);
  const scan_split_args args = args_of(c, in, out, offsets);
  const scan_status status = split_over_ranks(g, c, &args, &part);
  for (uint32_t k = 0; k < c->columns; k++) {
    group_read_back(g, in[k], m->all[k] + first * c->bytes[k], n * c->bytes[k]);
    group_read_back(g, out[k], m->got[k], MOST_N * c->bytes[k]);
  }
  group_read_back(g, offsets, m->got_offsets, sizeof m->got_offsets);
  if (!group_check(g, status == SCAN_SUCCESS, "%s: %s", text_of(c), scan_mpi_last_error(g->mpi))) return;
  check_part(g, c, m, part);
  for (uint32_t k = c->spec.drops_keys ? 1 : 0; k < c->columns; k++) {
    const uint64_t bytes = part.count * c->bytes[k];
    group_check(g, memcmp(m->got[k], m->want[k] + part.offset * c->bytes[k], bytes) == 0, "%s: column %u", text_of(c),
                k);
    group_check(g, part.count == MOST_N || m->got[k][bytes] == POISON, "%s: column %u past its end", text_of(c), k);
  }
  group_check(g, memcmp(m->got_offsets, m->want_offsets, (c->buckets + 1) * sizeof(uint64_t)) == 0, "%s: offsets",
              text_of(c));
}

static void test_case(group *g, uint64_t seed, scan_op *cell_op) {
  struct rng rng = { seed };
  split_case c;
  static split_memory m;
  draw(g, &rng, cell_op, &c);
  const uint64_t few = 1 + rng_below(&rng, 255);
  for (uint32_t k = 0; k < c.columns; k++) {
    m.all[k] = group_allocate(MOST_N * c.bytes[k]);
    m.want[k] = group_allocate(MOST_N * c.bytes[k]);
    m.got[k] = group_allocate(MOST_N * c.bytes[k]);
    memset(m.got[k], POISON, MOST_N * c.bytes[k]);
    for (uint64_t i = 0; i < c.n * c.bytes[k]; i++) m.all[k][i] = (unsigned char)(rng_next(&rng) % (few + 1));
  }
  split_alone(g, &c, &m);
  run_case(g, &c, &m);
  for (uint32_t k = 0; k < c.columns; k++) {
    free(m.all[k]);
    free(m.want[k]);
    free(m.got[k]);
  }
}

/* A rank that lacks an argument, or has another number of buckets. */
static void test_refusals(group *g, scan_op *cell_op, int who) {
  static uint32_t in[100], out[100];
  const int is_it = g->rank == who;
  uint64_t offsets[MOST_BUCKETS + 1];
  const split_grid grid = { 5 };
  group_set set = { .g = g, .mpi = g->mpi };
  scan_split_spec bits = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, is_it ? 9 : 8);
  scan_split_spec buckets = SCAN_SPLIT_BUCKETS_INIT(cell_op, is_it ? 0 : 7);
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(scan_host(in), scan_host(out), scan_host(offsets));
  scan_status status = scan_mpi_split(g->mpi, &bits, SCAN_MPI_EVEN, 100, 100, &args, NULL);
  group_check_words(&set, "9 bits", status, SCAN_INVALID_ARGUMENT, who, 0, "keys are split by up to 8 bits");
  status = scan_mpi_split(g->mpi, &buckets, SCAN_MPI_EVEN, 100, 100, &args, NULL);
  group_check_words(&set, "no buckets", status, SCAN_INVALID_ARGUMENT, who, 0, "spec->buckets is 0");
  buckets.buckets = 7;
  args.params = is_it ? NULL : &grid;
  status = scan_mpi_split(g->mpi, &buckets, SCAN_MPI_EVEN, 100, 100, &args, NULL);
  group_check_words(&set, "no parameters", status, SCAN_INVALID_ARGUMENT, who, 0, "args->params is NULL");
  args.params = &grid;
  if (is_it) args.offsets = SCAN_NO_MEM;
  status = scan_mpi_split(g->mpi, &buckets, SCAN_MPI_EVEN, 100, 100, &args, NULL);
  group_check_words(&set, "no offsets", status, SCAN_INVALID_ARGUMENT, who, 0, "args->offsets is no memory");
  group_check_works(g, g->mpi, "refused splits");
}

int main(int argc, char **argv) {
  group g;
  scan_op *cell_op = NULL;
  group_open(&g, &argc, &argv);
  const char *cases = getenv("SCANRT_TEST_CASES"), *seed = getenv("SCANRT_TEST_SEED");
  scan_bucket_source source = SCAN_BUCKET_PARAMS_INIT(cell_text, uint32_t, cell, split_grid);
  source.host = cell_host;
  group_check(&g, scan_bucket_create(g.ctx, &source, &cell_op) == SCAN_SUCCESS, "%s", scan_last_error(g.ctx));
  const uint64_t base = seed != NULL ? strtoull(seed, NULL, 0) * 1000003 : 0;
  for (uint64_t i = 0; i < (cases != NULL ? strtoull(cases, NULL, 0) : 50); i++) test_case(&g, base + i, cell_op);
  for (int who = 0; who < g.ranks; who++) test_refusals(&g, cell_op, who);
  scan_op_destroy(cell_op);
  return group_close(&g, "mpi split");
}
