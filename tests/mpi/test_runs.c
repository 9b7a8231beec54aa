/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests run-length encoding, reduction by key and unique keys over the ranks, by calls and by plans, against one
 * context with all elements. $SCANRT_TEST_CASES is the number of cases of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_runs.h>

#include "group.h"
#include "operators.h"

enum { POISON = 0xa5, MOST_N = 30000, LARGE_N = (1 << 20) + 3000, MOST_BYTES = 16 };

/* Keys of all ranks, in runs, and their distribution. */
typedef struct run_case {
  scan_type key_type;
  uint64_t n, first, counts[GROUP_MOST_RANKS];
  uint64_t capacity; /* of this rank */
  uint32_t bytes;    /* of a key */
  int on_device;
  uint64_t max_n; /* of this rank's plan; 0: the call makes it */
} run_case;

static unsigned char *keys; /* LARGE_N keys of 8 bytes at most */

/* Fills keys with runs of which some are as long as several ranks' parts. Floats have NaNs and zeros of both signs. */
static void fill_keys(struct rng *rng, const run_case *c) {
  static const double doubles[] = { 0.0, -0.0, 1.0, -1.0, 2.5 };
  const uint64_t length = 1 + rng_below(rng, rng_below(rng, 3) ? 40 : c->n + 1);
  uint64_t key = rng_next(rng) % 5;
  for (uint64_t i = 0; i < c->n; i++) {
    if (rng_below(rng, length) == 0) key = rng_next(rng) % 5;
    const int is_nan = rng_below(rng, 200) == 0;
    if (c->key_type == SCAN_F64) {
      const uint64_t nan = UINT64_C(0x7ff8000000000001);
      memcpy(keys + i * 8, is_nan ? (const void *)&nan : &doubles[key], 8);
    } else if (c->key_type == SCAN_BF16) {
      const uint16_t halves[] = { 0, 0x8000, 0x3f80, 0xbf80, 0x4020 };
      memcpy(keys + i * 2, &halves[key], 2);
    } else {
      memcpy(keys + i * c->bytes, &key, c->bytes); /* little-endian */
    }
  }
}

static run_case draw(group *g, struct rng *rng, int is_large) {
  static const scan_type types[] = { SCAN_U8, SCAN_I16, SCAN_U32, SCAN_I64, SCAN_F64, SCAN_BF16 };
  run_case c = { .key_type = types[rng_below(rng, 6)], .on_device = (int)rng_below(rng, 2) };
  c.bytes = (uint32_t)scan_type_bytes(c.key_type);
  c.n = is_large ? LARGE_N : rng_below(rng, 4) == 0 ? rng_below(rng, 20) : rng_below(rng, MOST_N);
  fill_keys(rng, &c);
  group_split(g->ranks, rng, c.n, 0, c.counts);
  for (int r = 0; r < g->rank; r++) c.first += c.counts[r];
  const uint64_t room = rng_below(rng, 3) == 0 ? rng_below(rng, 10) : c.n;
  c.capacity = rng_below(rng, 3) == 0 ? 0 : 1 + room;
  c.max_n = rng_below(rng, 2) ? c.counts[g->rank] + rng_below(rng, 100) + 1 : 0;
  return c;
}

/* An output: of one context, and of this rank. */
typedef struct run_output {
  const char *name;
  uint32_t bytes;
  unsigned char *want, *got;
  scan_mem mem;
} run_output;

static run_output open_output(group *g, const run_case *c, const char *name, uint32_t bytes) {
  run_output o = { name, bytes, group_allocate(c->n * bytes), group_allocate((c->n + 1) * bytes), SCAN_NO_MEM };
  memset(o.got, POISON, (c->n + 1) * bytes);
  o.mem = group_give(g, o.got, (c->n + 1) * bytes, c->on_device);
  return o;
}

/* Compares this rank's runs with those of one context, as far as there is room. */
static void close_output(group *g, const run_case *c, run_output *o, scan_mpi_part part) {
  const uint64_t n = c->counts[g->rank], most = c->capacity == 0 || c->capacity > n ? n : c->capacity;
  const uint64_t count = part.count < most ? part.count : most;
  group_read_back(g, o->mem, o->got, (c->n + 1) * o->bytes);
  group_check(g, memcmp(o->got, o->want + part.offset * o->bytes, count * o->bytes) == 0,
              "%s of %s keys: %llu of %llu runs at %llu differ", o->name, scan_type_name(c->key_type),
              (unsigned long long)count, (unsigned long long)part.count, (unsigned long long)part.offset);
  group_check(g, o->got[most * o->bytes] == POISON, "%s: written past its end", o->name);
  free(o->want);
  free(o->got);
}

/* Checks that the ranks' runs follow one another. */
static void check_part(group *g, const char *name, scan_mpi_part part, uint64_t count, uint64_t total) {
  uint64_t counts[GROUP_MOST_RANKS], before = 0;
  group_collect(g, part.count, counts);
  for (int r = 0; r < g->rank; r++) before += counts[r];
  group_check(g, part.count == count && part.offset == before && part.total == total,
              "%s: %llu (count %llu) at %llu of %llu; %llu of %llu are due", name, (unsigned long long)part.count,
              (unsigned long long)count, (unsigned long long)part.offset, (unsigned long long)part.total,
              (unsigned long long)before, (unsigned long long)total);
}

/* ---- encoding ---- */

/* Encodes by the call, or twice by a plan: half of the keys of each rank, then all. */
static scan_status encode(group *g, const run_case *c, const scan_run_length_spec *spec,
                          const scan_run_length_args *args, scan_mpi_part *part) {
  const uint64_t n = c->counts[g->rank];
  scan_mpi_plan *plan = NULL;
  if (c->max_n == 0) return scan_mpi_run_length_encode(g->mpi, spec, n, args, part);
  scan_status status = scan_mpi_plan_create_run_length(g->mpi, spec, c->max_n, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_run_length(plan, n / 2, args, part);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_run_length(plan, n, args, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

static void test_encode(group *g, struct rng *rng) {
  static const scan_type types[] = { SCAN_TYPE_DEFAULT, SCAN_U32, SCAN_U64 };
  run_case c = draw(g, rng, 0);
  const uint64_t n = c.counts[g->rank];
  scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(c.key_type, types[rng_below(rng, 3)]);
  spec.start_type = types[rng_below(rng, 3)];
  run_output outs[3] = { open_output(g, &c, "keys", c.bytes),
                         { NULL, 0, NULL, NULL, SCAN_NO_MEM },
                         { NULL, 0, NULL, NULL, SCAN_NO_MEM } };
  uint64_t want = 0, count = 0;
  scan_mpi_part part = { 0 };
  if (spec.length_type) outs[1] = open_output(g, &c, "lengths", (uint32_t)scan_type_bytes(spec.length_type));
  if (spec.start_type) outs[2] = open_output(g, &c, "starts", (uint32_t)scan_type_bytes(spec.start_type));
  scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(keys), scan_host(outs[0].want), scan_host(outs[1].want), scan_host(&want));
  args.starts = scan_host(outs[2].want);
  if (!spec.length_type) args.lengths = SCAN_NO_MEM;
  if (!spec.start_type) args.starts = SCAN_NO_MEM;
  group_check(g, scan_run_length_encode(g->ctx, &spec, c.n, &args) == SCAN_SUCCESS, "one context: %s",
              scan_last_error(g->ctx));
  args.keys = group_give(g, keys + c.first * c.bytes, n * c.bytes, c.on_device);
  args.keys_out = outs[0].mem;
  args.lengths = outs[1].mem;
  args.starts = outs[2].mem;
  args.capacity = c.capacity;
  args.count = scan_host(&count);
  const scan_status status = encode(g, &c, &spec, &args, &part);
  group_check(g, status == SCAN_SUCCESS, "an encoding: %s", scan_mpi_last_error(g->mpi));
  group_read_back(g, args.keys, keys + c.first * c.bytes, 0);
  check_part(g, "an encoding", part, count, want);
  for (int k = 0; k < 3; k++)
    if (outs[k].name != NULL) close_output(g, &c, &outs[k], part);
}

/* ---- reduction ---- */

typedef struct reduction {
  const char *name;
  scan_type type, input;
  scan_op_id op;
} reduction;

static const reduction reductions[] = { { "sums of f32", SCAN_F32, SCAN_F32, SCAN_ADD },
                                        { "sums of f64 from f32", SCAN_F64, SCAN_F32, SCAN_ADD },
                                        { "sums of i64 from i32", SCAN_I64, SCAN_I32, SCAN_ADD },
                                        { "products of f64", SCAN_F64, SCAN_F64, SCAN_MUL },
                                        { "sums of f16", SCAN_F16, SCAN_F16, SCAN_ADD },
                                        { "maxima of i16", SCAN_I16, SCAN_I16, SCAN_MAX },
                                        { "affine maps", SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE } };

/* Reduces by the call, or twice by a plan, as encode does. */
static scan_status reduce(group *g, const run_case *c, const scan_spec *spec, const scan_reduce_by_key_args *args,
                          scan_mpi_part *part) {
  const uint64_t n = c->counts[g->rank];
  scan_mpi_plan *plan = NULL;
  if (c->max_n == 0) return scan_mpi_reduce_by_key(g->mpi, spec, n, args, part);
  scan_status status = scan_mpi_plan_create_reduce_by_key(g->mpi, spec, c->max_n, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_reduce_by_key(plan, n / 2, args, part);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_reduce_by_key(plan, n, args, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

static void test_reduce(group *g, struct rng *rng, int is_large, const source_structure *affine, scan_op *op) {
  run_case c = draw(g, rng, is_large);
  const reduction *r = &reductions[is_large ? 0 : rng_below(rng, sizeof reductions / sizeof reductions[0])];
  const int is_source = r->op == SCAN_OP_NONE;
  const uint64_t n = c.counts[g->rank], in_bytes = is_source ? affine->source.value_bytes : scan_type_bytes(r->input);
  const uint64_t out_bytes = is_source ? in_bytes : scan_type_bytes(r->type);
  scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(c.key_type, r->type, r->op);
  unsigned char *values = group_allocate(c.n * MOST_BYTES);
  run_output outs[2] = { open_output(g, &c, "keys", c.bytes), open_output(g, &c, r->name, (uint32_t)out_bytes) };
  uint64_t want = 0, count = 0;
  scan_mpi_part part = { 0 };
  spec.input_type = r->input == r->type ? SCAN_TYPE_DEFAULT : r->input;
  spec.custom_op = is_source ? op : NULL;
  if (is_source)
    operator_fill(affine, rng, c.n, values);
  else
    values_fill(rng, r->input, r->op, c.n, c.n, values);
  scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(
      scan_host(keys), scan_host(values), scan_host(outs[0].want), scan_host(outs[1].want), scan_host(&want));
  group_check(g, scan_reduce_by_key(g->ctx, &spec, c.n, &args) == SCAN_SUCCESS, "%s, one context: %s", r->name,
              scan_last_error(g->ctx));
  args.keys = group_give(g, keys + c.first * c.bytes, n * c.bytes, c.on_device);
  args.values = group_give(g, values + c.first * in_bytes, n * in_bytes, c.on_device);
  args.keys_out = outs[0].mem;
  args.values_out = outs[1].mem;
  args.capacity = c.capacity;
  args.count = scan_host(&count);
  const scan_status status = reduce(g, &c, &spec, &args, &part);
  group_check(g, status == SCAN_SUCCESS, "%s: %s", r->name, scan_mpi_last_error(g->mpi));
  group_read_back(g, args.keys, keys + c.first * c.bytes, 0);
  group_read_back(g, args.values, values, 0);
  check_part(g, r->name, part, count, want);
  for (int k = 0; k < 2; k++) close_output(g, &c, &outs[k], part);
  free(values);
}

/* Sums of i8 that overflow: the results are complete, and the index counts the values of all ranks. */
static void test_overflow(group *g) {
  enum { N = 100 };
  static int8_t values[N], sums[N];
  static uint8_t same[N], keys_out[N];
  scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U8, SCAN_I8, SCAN_ADD);
  const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(same), scan_host(values),
                                                                    scan_host(keys_out), scan_host(sums), SCAN_NO_MEM);
  uint64_t index = 0;
  scan_mpi_part part = { 0 };
  spec.flags = SCAN_CHECK_OVERFLOW;
  memset(values, 1, sizeof values);
  const scan_status status = scan_mpi_reduce_by_key(g->mpi, &spec, N, &args, &part);
  const int overflows = g->ranks > 1, is_last = g->rank + 1 == g->ranks;
  group_check(g,
              status == (overflows ? SCAN_OVERFLOW : SCAN_SUCCESS) && part.total == 1 &&
                  part.count == (uint64_t)is_last && (!is_last || sums[0] == (int8_t)(N * g->ranks)),
              "an overflow: %s, %llu runs, the sum %d", scan_status_name(status), (unsigned long long)part.total,
              sums[0]);
  if (overflows)
    group_check(g, scan_mpi_overflow_index(g->mpi, &index) == SCAN_SUCCESS && index == 127, "an overflow at %llu",
                (unsigned long long)index);
}

/* ---- unique keys ---- */

/* Finds unique keys by the call, or twice by a plan, as encode does. */
static scan_status find_unique(group *g, const run_case *c, scan_mem in, scan_mem out, scan_mpi_part *part) {
  const uint64_t n = c->counts[g->rank];
  scan_mpi_plan *plan = NULL;
  if (c->max_n == 0) return scan_mpi_unique(g->mpi, c->key_type, n, in, out, c->capacity, part);
  scan_status status = scan_mpi_plan_create_unique(g->mpi, c->key_type, c->max_n, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_unique(plan, n / 2, in, out, c->capacity, part);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_unique(plan, n, in, out, c->capacity, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

static void test_unique(group *g, struct rng *rng) {
  run_case c = draw(g, rng, 0);
  const uint64_t n = c.counts[g->rank];
  scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(c.key_type, SCAN_TYPE_DEFAULT);
  run_output out = open_output(g, &c, "unique keys", c.bytes);
  uint64_t want = 0;
  scan_mpi_part part = { 0 };
  const scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(keys), scan_host(out.want), SCAN_NO_MEM, scan_host(&want));
  group_check(g, scan_run_length_encode(g->ctx, &spec, c.n, &args) == SCAN_SUCCESS, "one context: %s",
              scan_last_error(g->ctx));
  const scan_mem in = group_give(g, keys + c.first * c.bytes, n * c.bytes, c.on_device);
  const scan_status status = find_unique(g, &c, in, out.mem, &part);
  group_check(g, status == SCAN_SUCCESS, "unique keys: %s", scan_mpi_last_error(g->mpi));
  group_read_back(g, in, keys, 0);
  check_part(g, "unique keys", part, part.count, want);
  close_output(g, &c, &out, part);
}

/* ---- refusals ---- */

static void test_refusals(group *g, int who) {
  enum { N = 100 };
  static uint32_t in[N], out[N], lengths[N];
  const int is_it = g->rank == who, reported = who == 0 && g->ranks > 1 ? 1 : who;
  uint64_t count = 0;
  group_set set = { .g = g, .mpi = g->mpi };
  for (uint32_t i = 0; i < N; i++) in[i] = (uint32_t)g->rank * N + i;
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(is_it ? SCAN_I32 : SCAN_U32, SCAN_U32);
  const scan_run_length_spec good = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
  scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(in), scan_host(out), scan_host(lengths), scan_host(&count));
  if (g->ranks > 1)
    group_check_words(&set, "other keys", scan_mpi_run_length_encode(g->mpi, &spec, N, &args, NULL),
                      SCAN_INVALID_ARGUMENT, reported, 0, "spec is another one than rank 0's");
  if (is_it) args.lengths = SCAN_NO_MEM; /* the rank finds this when all know where their runs begin */
  group_check_words(&set, "no lengths", scan_mpi_run_length_encode(g->mpi, &good, N, &args, NULL),
                    SCAN_INVALID_ARGUMENT, who, 0, "lengths");
  if (is_it) args.n_from = scan_host(&count);
  group_check_words(&set, "n_from", scan_mpi_run_length_encode(g->mpi, &good, N, &args, NULL), SCAN_UNSUPPORTED, who, 0,
                    "n_from");
  scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_U32, SCAN_ADD);
  scan_reduce_by_key_args sums =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(in), scan_host(in), scan_host(out), scan_host(lengths), scan_host(&count));
  if (is_it) sum.kind = SCAN_EXCLUSIVE;
  group_check_words(&set, "an exclusive reduction", scan_mpi_reduce_by_key(g->mpi, &sum, N, &sums, NULL),
                    SCAN_INVALID_ARGUMENT, who, 0, "spec is no reduction by key");
  sum.kind = SCAN_INCLUSIVE;
  if (is_it) sums.values = SCAN_NO_MEM;
  group_check_words(&set, "no values", scan_mpi_reduce_by_key(g->mpi, &sum, N, &sums, NULL), SCAN_INVALID_ARGUMENT, who,
                    0, "in is no memory");
  group_check_works(g, g->mpi, "refused runs");
}

/* Plans of fewer keys, and of another kind. */
static void test_plan_refusals(group *g, int who) {
  enum { N = 100 };
  static uint32_t in[N], out[N];
  const int is_it = g->rank == who;
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_TYPE_DEFAULT);
  const scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(scan_host(in), scan_host(out), SCAN_NO_MEM, SCAN_NO_MEM);
  const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_U32, SCAN_ADD);
  const scan_reduce_by_key_args sums =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(in), scan_host(in), scan_host(out), scan_host(out), SCAN_NO_MEM);
  scan_mpi_plan *plans[3] = { NULL };
  group_set set = { .g = g, .mpi = g->mpi };
  group_check_words(&set, "no place", scan_mpi_plan_create_run_length(g->mpi, &spec, N, is_it ? NULL : &plans[0]),
                    SCAN_INVALID_ARGUMENT, who, 0, "plan is NULL");
  const int are_made = scan_mpi_plan_create_run_length(g->mpi, &spec, is_it ? N - 1 : N, &plans[0]) == SCAN_SUCCESS &&
                       scan_mpi_plan_create_unique(g->mpi, SCAN_U32, is_it ? N - 1 : N, &plans[1]) == SCAN_SUCCESS &&
                       scan_mpi_plan_create_reduce_by_key(g->mpi, &sum, is_it ? N - 1 : N, &plans[2]) == SCAN_SUCCESS;
  group_check(g, are_made, "plans: %s", scan_mpi_last_error(g->mpi));
  group_check_words(&set, "many keys", scan_mpi_plan_run_run_length(plans[0], N, &args, NULL), SCAN_INVALID_ARGUMENT,
                    who, 0, "local_n is 100, but the plan was created for at most 99");
  group_check_words(&set, "many keys", scan_mpi_plan_run_unique(plans[1], N, scan_host(in), scan_host(out), 0, NULL),
                    SCAN_INVALID_ARGUMENT, who, 0, "local_n is 100");
  group_check_words(&set, "many elements", scan_mpi_plan_run_reduce_by_key(plans[2], N, &sums, NULL),
                    SCAN_INVALID_ARGUMENT, who, 0, "local_n is 100");
  group_check(g,
              scan_mpi_plan_run_run_length(plans[2], N, &args, NULL) == SCAN_INVALID_ARGUMENT &&
                  strstr(scan_mpi_last_error(g->mpi), "plan was made by scan_mpi_plan_create_reduce_by_key") != NULL,
              "a plan of another kind: %s", scan_mpi_last_error(g->mpi));
  for (int k = 0; k < 3; k++) scan_mpi_plan_destroy(plans[k]);
}

int main(int argc, char **argv) {
  group g;
  scan_op *op = NULL;
  group_open(&g, &argc, &argv);
  const char *text = getenv("SCANRT_TEST_CASES");
  const unsigned long cases = text != NULL ? strtoul(text, NULL, 0) : 20;
  const source_structure *affine = operator_named("affine");
  group_check(&g, scan_op_create(g.ctx, &affine->source, &op) == SCAN_SUCCESS, "%s", scan_last_error(g.ctx));
  keys = group_allocate((uint64_t)LARGE_N * 8);
  for (unsigned long i = 0; i < cases; i++) {
    struct rng rng = { i + 1 };
    test_encode(&g, &rng);
    test_reduce(&g, &rng, i % 25 == 24, affine, op);
    test_unique(&g, &rng);
  }
  test_overflow(&g);
  for (int who = 0; who < g.ranks; who++) {
    test_refusals(&g, who);
    test_plan_refusals(&g, who);
  }
  free(keys);
  scan_op_destroy(op);
  return group_close(&g, "mpi runs");
}
