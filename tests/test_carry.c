/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans in pieces, the carry handed from one to the next, against a reference that seeds each piece: every strategy,
 * built-in operators and those from source, pieces of no element and of one, in place and not. */
#include "operators.h"
#include "reference.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 150000, PIECES = 24, PAD_BYTES = 64, POISON = 0xA5, SLOT_BYTES = 64 };

/* What is scanned: a built-in operator, or one from source. */
struct subject {
  scan_type type, input_type;
  scan_op_id op;
  const struct operator_case *source;
  scan_op *handle;
};

/* How the pieces are scanned. */
struct manner {
  const char *name;
  int planned; /* by plans, in and out of the carry in one place; else by scan_run, in two places by turns */
  int on_host; /* buffers and carries are host memory */
  int in_place;
  int has_init; /* the first piece begins with one */
  int empty_first;
};

static const struct manner manners[] = {
  { "planned", 1, 0, 0, 0, 0 },
  { "planned, in place, from init", 1, 0, 1, 1, 0 },
  { "planned, nothing first", 1, 0, 0, 0, 1 },
  { "run, in place", 0, 0, 1, 0, 0 },
  { "run, from init, nothing first", 0, 0, 0, 1, 1 },
  { "run over host memory", 0, 1, 0, 0, 0 },
  { "run over host memory, from init, nothing first", 0, 1, 1, 1, 1 },
};

static struct {
  struct rng rng;
  _Alignas(64) unsigned char in[MOST_ITEMS * 8];
  _Alignas(64) unsigned char aligned[MOST_ITEMS * 8];
  _Alignas(64) unsigned char piece[MOST_ITEMS * 8];
  unsigned char want[MOST_ITEMS * 8 + 2 * PAD_BYTES], got[MOST_ITEMS * 8 + 2 * PAD_BYTES];
} bench = { .rng = { 0xca221e5 } };

static size_t out_bytes(const struct subject *s) {
  return s->source ? s->source->source.value_bytes : reference_bytes(s->type);
}

static size_t in_bytes(const struct subject *s) {
  if (s->source || s->input_type == SCAN_TYPE_DEFAULT) return out_bytes(s);
  return reference_bytes(s->input_type);
}

static uint64_t most_items(const struct subject *s, scan_strategy strategy) {
  const uint64_t fit = sizeof bench.in / out_bytes(s);
  uint64_t items = fit < MOST_ITEMS ? fit : MOST_ITEMS;
  if (test_is_small() && items > 3000) items = 3000;
  if (test_info()->loop_limit && items > 20000) items = 20000;
  return strategy == SCAN_STRATEGY_SEQUENTIAL && items > 20000 ? 20000 : items;
}

static scan_spec spec_of(const struct subject *s, scan_kind kind, scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->op, kind);
  spec.input_type = s->input_type;
  spec.custom_op = s->handle;
  spec.strategy = strategy;
  return spec;
}

/* ---- the reference ---- */

/* Scans a piece from a seed (NULL: none was given) and gives what it leaves. */
static void expect_piece(const struct subject *s, scan_spec spec, const void *seed, uint64_t n, const void *in,
                         void *out, void *left) {
  const size_t bytes = out_bytes(s);
  memcpy(bench.aligned, in, n * in_bytes(s));
  if (s->source) {
    const struct reference_operator op = { bytes, s->source->source.host, 0, NULL };
    const int sequential = spec.strategy == SCAN_STRATEGY_SEQUENTIAL;
    const void *from = seed ? seed : spec.kind == SCAN_EXCLUSIVE ? s->source->source.identity : NULL;
    if (n == 0) memcpy(left, from ? from : s->source->source.identity, bytes);
    if (n == 0) return;
    reference_operator_scan(&op, sequential, spec.kind, from, n, bench.aligned, bench.piece);
    memcpy(out, bench.piece, n * bytes);
    reference_operator_scan(&op, sequential, SCAN_INCLUSIVE, from, n, bench.aligned, bench.piece);
    memcpy(left, bench.piece + (n - 1) * bytes, bytes); /* may be where the seed is */
    return;
  }
  const scan_kind kind = spec.kind;
  spec.has_init = seed != NULL;
  if (seed) memcpy(&spec.init, seed, bytes);
  if (n == 0) { /* the seed is the first output of an exclusive scan */
    unsigned char one[8] = { 0 };
    spec.kind = SCAN_EXCLUSIVE;
    reference_scan(&spec, 1, one, bench.piece);
    memcpy(left, bench.piece, bytes);
    if (!seed && kind == SCAN_INCLUSIVE && reference_is_float(s->type) && s->op == SCAN_ADD)
      ((unsigned char *)left)[bytes - 1] = 0x80; /* -0.0, the identity */
    return;
  }
  /* +0.0 is the seed of an exclusive sum only. */
  if (!seed && kind == SCAN_EXCLUSIVE && reference_is_float(s->type) && s->op == SCAN_ADD) {
    spec.has_init = 1;
    memset(&spec.init, 0, sizeof spec.init);
  }
  spec.kind = SCAN_INCLUSIVE;
  reference_scan(&spec, n, bench.aligned, bench.piece);
  memcpy(left, bench.piece + (n - 1) * bytes, bytes);
  spec.kind = kind;
  reference_scan(&spec, n, bench.aligned, bench.piece);
  memcpy(out, bench.piece, n * bytes);
}

/* ---- the pieces ---- */

static size_t cut(uint64_t n, int empty_first, uint64_t sizes[PIECES]) {
  size_t count = 0;
  uint64_t left = n;
  if (empty_first) sizes[count++] = 0;
  sizes[count++] = 1;
  left -= 1;
  for (; count < PIECES - 1; count++) {
    const uint64_t most[] = { 1, 5, 300, 5000, 70000 };
    uint64_t size = rng_below(&bench.rng, most[rng_below(&bench.rng, 5)] + 1);
    if (size > left) size = left;
    sizes[count] = size;
    left -= size;
  }
  sizes[count++] = left;
  return count;
}

static void fill(const struct subject *s, uint64_t n) {
  if (s->source)
    s->source->fill(&bench.rng, n, bench.in);
  else
    values_fill(&bench.rng, s->input_type ? s->input_type : s->type, s->op, n, n, bench.in);
}

/* Buffers on the device, or in host memory. */
struct buffers {
  scan_mem in, out, carry[2];
  unsigned char *host_out, *host_carry;
};

static void buffers_open(struct buffers *b, const struct manner *m, size_t in_size, size_t out_size) {
  scan_ctx *ctx = test_ctx();
  unsigned char slots[4 * SLOT_BYTES];
  memset(slots, POISON, sizeof slots);
  memset(bench.got, POISON, out_size + 2 * PAD_BYTES);
  if (m->in_place) memcpy(bench.got + PAD_BYTES, bench.in, in_size);
  if (m->on_host) {
    b->host_out = reference_alloc(out_size + 2 * PAD_BYTES);
    b->host_carry = reference_alloc(sizeof slots);
    memcpy(b->host_out, bench.got, out_size + 2 * PAD_BYTES);
    memcpy(b->host_carry, slots, sizeof slots);
    b->out = scan_host(b->host_out);
    b->carry[0] = scan_host(b->host_carry);
    b->in = scan_host(bench.in);
  } else {
    test_ok(ctx, scan_alloc(ctx, out_size + 2 * PAD_BYTES, &b->out), "scan_alloc");
    test_ok(ctx, scan_alloc(ctx, sizeof slots, &b->carry[0]), "scan_alloc");
    test_ok(ctx, scan_alloc(ctx, in_size, &b->in), "scan_alloc");
    test_ok(ctx, scan_write(ctx, b->out, bench.got, out_size + 2 * PAD_BYTES), "scan_write");
    test_ok(ctx, scan_write(ctx, b->carry[0], slots, sizeof slots), "scan_write");
    test_ok(ctx, scan_write(ctx, b->in, bench.in, in_size), "scan_write");
  }
  b->carry[1] = scan_offset(b->carry[0], 2 * SLOT_BYTES);
}

static void buffers_close(struct buffers *b, const struct manner *m, size_t out_size, unsigned char *slots) {
  scan_ctx *ctx = test_ctx();
  if (m->on_host) {
    memcpy(bench.got, b->host_out, out_size + 2 * PAD_BYTES);
    memcpy(slots, b->host_carry, 4 * SLOT_BYTES);
    free(b->host_out);
    free(b->host_carry);
    return;
  }
  test_ok(ctx, scan_read(ctx, b->out, bench.got, out_size + 2 * PAD_BYTES), "scan_read");
  test_ok(ctx, scan_read(ctx, b->carry[0], slots, 4 * SLOT_BYTES), "scan_read");
  test_ok(ctx, scan_free(ctx, b->out), "scan_free");
  test_ok(ctx, scan_free(ctx, b->carry[0]), "scan_free");
  test_ok(ctx, scan_free(ctx, b->in), "scan_free");
}

/* ---- one array in pieces ---- */

struct chain {
  const struct subject *subject;
  const struct manner *manner;
  scan_kind kind;
  scan_strategy strategy;
};

static void fail_chain(const struct chain *c, const char *why) {
  const struct subject *s = c->subject;
  test_fail("%s%s%s %s, strategy %s, %s, %s: %s", s->source ? s->source->name : scan_type_name(s->type),
            s->input_type ? " from " : "", s->input_type ? scan_type_name(s->input_type) : "",
            s->source ? "from source" : scan_op_name(s->op), scan_strategy_name(c->strategy),
            c->kind == SCAN_INCLUSIVE ? "inclusive" : "exclusive", c->manner->name, why);
}

/* The specs of the first piece and of the others. */
static scan_spec piece_spec(const struct chain *c, int first, const void *init) {
  scan_spec spec = spec_of(c->subject, c->kind, c->strategy);
  if (first && c->manner->has_init) {
    spec.has_init = 1;
    if (c->subject->source)
      spec.init_bytes = init;
    else
      memcpy(&spec.init, init, out_bytes(c->subject));
  }
  return spec;
}

static int last_slot(const struct chain *c, size_t pieces) { return c->manner->planned ? 0 : (int)((pieces - 1) % 2); }

static void scan_pieces(const struct chain *c, const struct buffers *b, const void *init, uint64_t n, size_t count,
                        const uint64_t *sizes) {
  scan_ctx *ctx = test_ctx();
  const struct manner *m = c->manner;
  scan_plan *plans[2] = { NULL, NULL };
  uint64_t at = 0;
  for (int k = 0; k < 2 && m->planned; k++) {
    const scan_spec spec = piece_spec(c, k == 0, init);
    if (scan_plan_create(ctx, &spec, n, &plans[k]) != SCAN_SUCCESS) fail_chain(c, scan_last_error(ctx));
  }
  for (size_t k = 0; k < count; at += sizes[k++]) {
    const scan_mem to = scan_offset(b->out, PAD_BYTES + at * out_bytes(c->subject));
    const scan_mem from = m->in_place ? to : scan_offset(b->in, at * in_bytes(c->subject));
    const scan_spec spec = piece_spec(c, k == 0, init);
    scan_args args = SCAN_ARGS_INIT(from, to);
    args.carry_out = b->carry[m->planned ? 0 : k % 2];
    if (k > 0) args.carry_in = b->carry[m->planned ? 0 : (k + 1) % 2];
    const scan_status status =
        m->planned ? scan_plan_run_args(plans[k > 0], sizes[k], &args) : scan_run_args(ctx, &spec, sizes[k], &args);
    if (status != SCAN_SUCCESS) fail_chain(c, scan_last_error(ctx));
  }
  for (int k = 0; k < 2; k++) scan_plan_destroy(plans[k]);
}

static void check_slots(const struct chain *c, size_t pieces, const unsigned char *slots, const void *left) {
  const size_t bytes = out_bytes(c->subject);
  const unsigned char *slot = slots + (size_t)last_slot(c, pieces) * 2 * SLOT_BYTES;
  if (memcmp(slot, left, bytes) != 0) fail_chain(c, "what the last piece leaves is wrong");
  for (size_t i = bytes; i < 2 * SLOT_BYTES; i++)
    if (slot[i] != POISON) fail_chain(c, "bytes behind carry_out were written");
}

static void run_chain(const struct chain *c) {
  const struct subject *s = c->subject;
  const uint64_t n = most_items(s, c->strategy);
  const size_t out_item = out_bytes(s), out_size = n * out_item;
  uint64_t sizes[PIECES], at = 0;
  unsigned char seed[SLOT_BYTES] __attribute__((aligned(64))), init[SLOT_BYTES] __attribute__((aligned(64)));
  unsigned char slots[4 * SLOT_BYTES];
  struct buffers b;
  const size_t count = cut(n, c->manner->empty_first, sizes);
  fill(s, n);
  if (s->source) {
    if (s->source->init)
      s->source->init(&bench.rng, init);
    else
      s->source->fill(&bench.rng, 1, init);
  } else {
    const scan_value value = values_init(&bench.rng, s->type, s->op);
    memcpy(init, &value, sizeof value);
  }
  memset(bench.want, POISON, out_size + 2 * PAD_BYTES);
  memcpy(seed, init, sizeof seed);
  for (size_t k = 0; k < count; at += sizes[k++]) {
    const void *from = k > 0 || c->manner->has_init ? seed : NULL;
    expect_piece(s, spec_of(s, c->kind, c->strategy), from, sizes[k], bench.in + at * in_bytes(s),
                 bench.want + PAD_BYTES + at * out_item, seed);
  }
  buffers_open(&b, c->manner, n * in_bytes(s), out_size);
  scan_pieces(c, &b, init, n, count, sizes);
  buffers_close(&b, c->manner, out_size, slots);
  size_t same = 0;
  while (same < out_size + 2 * PAD_BYTES && bench.got[same] == bench.want[same]) same++;
  if (same < out_size + 2 * PAD_BYTES) {
    char why[TEST_TEXT];
    size_t piece = 0;
    for (at = 0; piece < count && PAD_BYTES + (at + sizes[piece]) * out_item <= same; piece++) at += sizes[piece];
    snprintf(why, sizeof why, "byte %zu is wrong, in piece %zu of %llu elements, at element %zu of it", same, piece,
             (unsigned long long)(piece < count ? sizes[piece] : 0), (same - PAD_BYTES) / out_item - (size_t)at);
    fail_chain(c, why);
  }
  check_slots(c, count, slots, seed);
  if (!s->source && !reference_is_float(s->type)) { /* and they are those of the whole */
    scan_spec spec = spec_of(s, c->kind, c->strategy);
    spec.has_init = (uint32_t)c->manner->has_init;
    memcpy(&spec.init, init, sizeof spec.init);
    reference_scan(&spec, n, bench.in, bench.piece);
    if (memcmp(bench.got + PAD_BYTES, bench.piece, out_size) != 0) fail_chain(c, "the whole is another");
  }
  test_ran();
}

/* ---- tests ---- */

static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO,     SCAN_STRATEGY_SEQUENTIAL,
                                            SCAN_STRATEGY_BLOCK,    SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                            SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED,
                                            SCAN_STRATEGY_THREADS };

static int has_strategy(const struct subject *s, scan_strategy strategy) {
  scan_plan *plan = NULL;
  const scan_spec spec = spec_of(s, SCAN_INCLUSIVE, strategy);
  const scan_status status = scan_plan_create(test_ctx(), &spec, most_items(s, strategy), &plan);
  scan_plan_destroy(plan);
  if (status != SCAN_SUCCESS && status != SCAN_UNSUPPORTED) test_ok(test_ctx(), status, "scan_plan_create");
  return status == SCAN_SUCCESS;
}

/* Every strategy (or AUTO alone) and manner; in place only where an element stays as large. */
static void run_subject(const struct subject *s, int all) {
  for (size_t k = 0; k < (all ? sizeof strategies / sizeof strategies[0] : 1); k++) {
    if (!test_takes_strategy(strategies[k]) || !has_strategy(s, strategies[k])) continue;
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        const struct chain c = { s, &manners[i], (scan_kind)kind, strategies[k] };
        if (!manners[i].in_place || in_bytes(s) == out_bytes(s)) run_chain(&c);
      }
  }
}

static void test_built_in(void **state) {
  static const struct subject subjects[] = {
    { SCAN_F32, SCAN_TYPE_DEFAULT, SCAN_ADD, NULL, NULL }, { SCAN_I64, SCAN_I32, SCAN_ADD, NULL, NULL },
    { SCAN_U8, SCAN_TYPE_DEFAULT, SCAN_ADD, NULL, NULL },  { SCAN_I16, SCAN_TYPE_DEFAULT, SCAN_MAX, NULL, NULL },
    { SCAN_F64, SCAN_F32, SCAN_ADD, NULL, NULL },          { SCAN_I32, SCAN_TYPE_DEFAULT, SCAN_MIN, NULL, NULL },
    { SCAN_F64, SCAN_TYPE_DEFAULT, SCAN_MUL, NULL, NULL }, { SCAN_U32, SCAN_TYPE_DEFAULT, SCAN_XOR, NULL, NULL },
  };
  (void)state;
  for (size_t i = 0; i < sizeof subjects / sizeof subjects[0] && (i < 2 || !test_is_small()); i++)
    if (test_has_type(subjects[i].type)) /* OpenCL takes a processor a second for each kernel */
      run_subject(&subjects[i], i < 2 || test_info()->backend == SCAN_BACKEND_HOST || !test_info()->is_cpu);
}

/* Without an identity, something must be given where the seed shows. */
static int can_begin(const struct subject *s, const struct manner *m, scan_kind kind) {
  return s->source->source.identity != NULL || m->has_init || (kind == SCAN_INCLUSIVE && !m->empty_first);
}

static int is_wanted(const char *name) {
  const char *names = getenv("SCANRT_TEST_OPERATORS");
  return names == NULL || !*names || strstr(names, name) != NULL;
}

/* An operator of each size on AUTO and, where compiling takes no time, on all strategies. */
static void test_from_source(void **state) {
  scan_ctx *ctx = test_ctx();
  (void)state;
  for (size_t i = 0; i < OPERATOR_CASES; i++) {
    struct subject s = { .source = &operator_cases[i] };
    if (!is_wanted(s.source->name) || (test_is_small() && strcmp(s.source->name, "link") != 0)) continue;
    const scan_status status = scan_op_create(ctx, &s.source->source, &s.handle);
    if (status == SCAN_UNSUPPORTED) {
      test_skipped("operator %s: %s", s.source->name, scan_last_error(ctx));
      continue;
    }
    test_ok(ctx, status, "scan_op_create");
    const int all = test_info()->backend == SCAN_BACKEND_HOST || strcmp(s.source->name, "link") == 0;
    for (size_t k = 0; k < (all ? sizeof strategies / sizeof strategies[0] : 1); k++) {
      if (!test_takes_strategy(strategies[k]) || !has_strategy(&s, strategies[k])) continue;
      for (size_t m = 0; m < sizeof manners / sizeof manners[0]; m++)
        for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++)
          if (can_begin(&s, &manners[m], (scan_kind)kind))
            run_chain(&(struct chain){ &s, &manners[m], (scan_kind)kind, strategies[k] });
    }
    scan_op_destroy(s.handle);
  }
}

/* ---- refusals ---- */

static scan_mem slots;

static void check_refused(const char *name, const scan_spec *spec, uint64_t n, const scan_args *args,
                          const char *words) {
  if (scan_run_args(test_ctx(), spec, n, args) != SCAN_INVALID_ARGUMENT) test_fail("%s was not refused", name);
  if (!strstr(scan_last_error(test_ctx()), words))
    test_fail("%s: \"%s\" does not say \"%s\"", name, scan_last_error(test_ctx()), words);
}

static void test_refusals(void **state) {
  const scan_spec good = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_ctx *ctx = test_ctx();
  scan_mem in, out;
  unsigned char before[512], after[512];
  (void)state;
  memset(before, POISON, sizeof before);
  test_ok(ctx, scan_alloc(ctx, 512, &in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 512, &out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 512, &slots), "scan_alloc");
  test_ok(ctx, scan_write(ctx, in, before, 512), "scan_write");
  test_ok(ctx, scan_write(ctx, out, before, 512), "scan_write");
  test_ok(ctx, scan_write(ctx, slots, before, 512), "scan_write");
  scan_spec spec = good;
  scan_args args = SCAN_ARGS_INIT(in, out);
  args.carry_in = slots;
  spec.has_init = 1;
  check_refused("init and carry_in", &spec, 9, &args, "spec->has_init and args->carry_in");
  spec = good;
  args = (scan_args)SCAN_ARGS_INIT(in, out);
  args.carry_in = scan_offset(slots, 510);
  check_refused("carry_in past its end", &spec, 9, &args, "args->carry_in is too small: 4 bytes needed, 2 there");
  args.carry_in = scan_offset(slots, 2);
  check_refused("carry_in misaligned", &spec, 9, &args, "args->carry_in is not aligned to 4 bytes");
  spec = good;
  args = (scan_args)SCAN_ARGS_INIT(in, out);
  args.carry_out = scan_offset(slots, 512);
  check_refused("carry_out past its end", &spec, 9, &args, "args->carry_out is too small: 4 bytes needed, 0 there");
  args.carry_out = scan_offset(slots, 1);
  check_refused("carry_out misaligned", &spec, 9, &args, "args->carry_out is not aligned to 4 bytes");
  args.carry_out = scan_offset(in, 8 * 4);
  check_refused("carry_out in in", &spec, 9, &args, "args->carry_out lies within in or out");
  args.carry_out = scan_offset(out, 8 * 4);
  check_refused("carry_out in out", &spec, 9, &args, "args->carry_out lies within in or out");
  args.carry_out = scan_host(NULL);
  check_refused("carry_out at NULL", &spec, 9, &args, "args->carry_out is host memory at NULL");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE);
  args.carry_in = slots;
  args.carry_out = scan_offset(slots, 8);
  test_ok(ctx, scan_run_args(ctx, &spec, 0, &args), "scan_run over nothing"); /* apart, in one memory */
  test_ok(ctx, scan_read(ctx, out, after, 512), "scan_read");
  assert_memory_equal(after, before, 512);
  spec = good;
  args = (scan_args)SCAN_ARGS_INIT(in, out);
  args.carry_in = scan_offset(out, 8 * 4); /* what an earlier piece left: read before it is overwritten */
  test_ok(ctx, scan_run_args(ctx, &spec, 9, &args), "scan_run with a carry from out");
  test_ok(ctx, scan_read(ctx, out, after, 4), "scan_read");
  assert_memory_equal(after, before, 4);
  test_ok(ctx, scan_free(ctx, in), "scan_free");
  test_ok(ctx, scan_free(ctx, out), "scan_free");
  test_ok(ctx, scan_free(ctx, slots), "scan_free");
}

/* A plan asks for its carries anew each time: memory that has gone is told. */
static void test_freed_carry(void **state) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_ctx *ctx = test_ctx();
  scan_plan *plan = NULL;
  scan_mem in;
  (void)state;
  test_ok(ctx, scan_alloc(ctx, 512, &in), "scan_alloc");
  scan_args args = SCAN_ARGS_INIT(in, in);
  test_ok(ctx, scan_alloc(ctx, 64, &args.carry_out), "scan_alloc");
  test_ok(ctx, scan_plan_create(ctx, &spec, 100, &plan), "scan_plan_create");
  test_ok(ctx, scan_free(ctx, args.carry_out), "scan_free");
  for (uint64_t n = 0; n < 3; n++) {
    assert_int_equal(scan_plan_run_args(plan, n, &args), SCAN_INVALID_ARGUMENT);
    if (!strstr(scan_last_error(ctx), "args->carry_out is memory of another context, or was freed"))
      test_fail("\"%s\"", scan_last_error(ctx));
  }
  scan_plan_destroy(plan);
  test_ok(ctx, scan_free(ctx, in), "scan_free");
}

static void test_gallery_refuses(void **state) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_ctx *ctx = test_ctx();
  (void)state;
  static int32_t some[100];
  int32_t left;
  scan_args args = SCAN_ARGS_INIT(scan_host(some), scan_host(some));
  args.carry_out = scan_host(&left);
  spec.strategy = SCAN_STRATEGY_BLELLOCH;
  assert_int_equal(scan_run_args(ctx, &spec, 100, &args), SCAN_UNSUPPORTED);
  const char *words = test_info()->backend == SCAN_BACKEND_HOST ? "work-groups" : "it has no carry_in and carry_out";
  if (!strstr(scan_last_error(ctx), words)) test_fail("\"%s\"", scan_last_error(ctx));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_built_in),
    cmocka_unit_test(test_from_source),
    cmocka_unit_test_setup(test_refusals, test_count_setup),
    cmocka_unit_test_setup(test_freed_carry, test_count_setup),
    cmocka_unit_test_setup(test_gallery_refuses, test_count_setup),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("carry", tests, NULL, NULL));
}
