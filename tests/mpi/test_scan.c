/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests cases of scans (tools/cases) over the ranks. Each rank has a part of the elements, and its results have the
 * bits of the oracle. All ranks draw the same cases and the same parts.
 *
 * $SCANRT_TEST_CASES is the number of cases, $SCANRT_TEST_SEED and $SCANRT_TEST_FIRST choose them; $SCANRT_TEST_CASE, a
 * line of a case, runs only that one. With $SCANRT_TEST_CONTEXTS=1 each rank has one to three contexts in each case, of
 * the device, of the host and of $SCANRT_TEST_OTHER_DEVICE (default: the device). $SCANRT_TEST_GROUPS=0: no case has
 * more elements than a group. $SCANRT_TEST_TYPES and $SCANRT_TEST_OPERATORS: the only types and operators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_marks.h"
#include "group.h"
#include "reference.h"

enum { ROOM = 64, MOST_CONTEXTS = 3 };

/* ---- a case ---- */

typedef struct trial {
  scan_case c;
  char line[CASE_LINE_BYTES];
  scan_sizes sizes;
  int contexts[GROUP_MOST_RANKS];       /* of each rank */
  int all_contexts;                     /* of all ranks */
  uint64_t counts[GROUP_MOST_CONTEXTS]; /* elements of each context, in the order of the ranks */
  int on_device, several_calls;
  int marks_behind; /* 1, 2: offsets that name a context's first element are given to the context before;
                       2: also to one that has no elements */
} trial;

/* 1 if the variable is unset or empty, or its list contains the name. */
static int takes(const char *variable, const char *name) {
  const char *list = getenv(variable), *found = list;
  const size_t length = strlen(name);
  if (list == NULL || list[0] == '\0') return 1;
  while ((found = strstr(found, name)) != NULL) {
    const int begins = found == list || found[-1] == ',', ends = found[length] == ',' || found[length] == '\0';
    if (begins && ends) return 1;
    found += length;
  }
  return 0;
}

/* 1 if the case is a scan in one run. Removes options that scans over ranks lack. test_api.c has checks of overflow. */
static int suits(scan_case *c) {
  if (c->by != CASE_SCAN && c->by != CASE_SOURCE) return 0;
  c->outputs = 0;
  memset(c->scan.run_n, 0, sizeof c->scan.run_n);
  c->plan_n = c->n_said = 0;
  c->has_n_from = c->clamps = c->plan_memory = 0;
  c->runs_again = c->host_in = c->host_out = c->by_host = c->scan.device_carry = 0;
  c->shift = c->out_shift = 0;
  c->scan.spec.flags &= SCAN_BACKWARD;
  c->scan.spec.strategy = SCAN_STRATEGY_AUTO;
  if (c->scan.source.name) return takes("SCANRT_TEST_OPERATORS", c->scan.source.name);
  const scan_type input = c->scan.spec.input_type ? c->scan.spec.input_type : c->scan.spec.type;
  return takes("SCANRT_TEST_TYPES", scan_type_name(c->scan.spec.type)) &&
         takes("SCANRT_TEST_TYPES", scan_type_name(input));
}

/* Makes one case in ten as large as about one or two groups. Some operators cannot have more than a group. */
static void draw_n(struct rng *rng, trial *t, int has_groups) {
  const uint64_t items = case_group_items(&t->c);
  if (has_groups && rng_below(rng, 10) == 0) t->c.n = items * (1 + rng_below(rng, 2)) - 2 + rng_below(rng, 5);
  if (case_has_one_group(&t->c) && t->c.n > items) t->c.n = items;
}

/* Writes the case as a line and reads it again, so that the line describes it fully. @return 0, or -1 if the oracle
 * cannot compute it */
static int take_line(trial *t) {
  char words[CASE_WORDS_BYTES];
  case_to_line(&t->c, t->line);
  return case_from_line(t->line, &t->c, words) == 0 ? 0 : -1;
}

static void draw_parts(const group *g, struct rng *rng, trial *t, int most_contexts) {
  const uint64_t items = case_group_items(&t->c);
  t->on_device = rng_below(rng, 2) == 0;
  t->several_calls = rng_below(rng, 2) == 0;
  t->marks_behind = (int)rng_below(rng, 3);
  for (int r = 0; r < g->ranks; r++) {
    t->contexts[r] = most_contexts == 1 ? 1 : 1 + (int)rng_below(rng, (uint64_t)most_contexts);
    t->all_contexts += t->contexts[r];
  }
  group_split(t->all_contexts, rng, t->c.n, rng_below(rng, 3) ? items : items / 128, t->counts);
}

typedef struct part_marks {
  unsigned char *bytes;
  uint64_t count, size;
} part_marks;

static part_marks marks_of(const trial *t, uint64_t first, uint64_t n, int is_first) {
  const case_range range = { first, n, is_first, t->marks_behind };
  const uint64_t size = case_scan_mark_bytes(&t->c.scan.spec, n);
  if (t->c.scan.spec.segments == SCAN_SEGMENTS_NONE) return (part_marks){ NULL, 0, 0 };
  unsigned char *bytes = group_allocate(size);
  return (part_marks){ bytes, case_put_marks(&t->c, &range, bytes), size };
}

/* ---- the parts of this rank ---- */

typedef struct share {
  scan_ctx *ctx;
  scan_op *op;
  unsigned char *in, *out;
  _Alignas(16) unsigned char carry_in[SCAN_OP_MOST_BYTES], carry[SCAN_OP_MOST_BYTES];
  uint64_t first, n, out_bytes;
  part_marks marks;
} share;

typedef struct shares {
  share of[MOST_CONTEXTS];
  int count, before; /* before: contexts of the ranks before */
  scan_mpi *mpi;
} shares;

static void open_share(trial *t, share *s, uint64_t first, int place) {
  const scan_case *c = &t->c;
  s->first = first;
  s->n = t->counts[place];
  s->out_bytes = (c->scan.spec.kind == SCAN_TOTAL ? 1 : s->n) * t->sizes.output;
  s->in = group_allocate(s->n * t->sizes.input + ROOM);
  memcpy(s->in, c->in_image + c->in[0].at + first * t->sizes.input, s->n * t->sizes.input);
  s->out = group_allocate(s->out_bytes + ROOM);
  memset(s->out, CASE_POISON, s->out_bytes + ROOM);
  s->marks = marks_of(t, first, s->n, place == 0);
  if (case_scan_reads_carry(&c->scan)) memcpy(s->carry_in, c->got + case_scan_carry_in(&c->scan, 0), t->sizes.value);
}

/* Chooses the contexts of a case among the rank's, in an order that changes, and makes their operators and handle. */
static scan_status open_contexts(group *g, trial *t, scan_ctx *const *contexts, unsigned long number, shares *all) {
  scan_ctx *ctxs[MOST_CONTEXTS];
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < all->count && status == SCAN_SUCCESS; i++) {
    share *s = &all->of[i];
    s->ctx = ctxs[i] = contexts[contexts[1] != NULL ? (number + (unsigned long)(g->rank + i)) % MOST_CONTEXTS : 0];
    if (t->c.scan.source.name) status = source_operator_create(&t->c.scan.source, t->c.scan.spec.type, s->ctx, &s->op);
    group_check(g, status == SCAN_SUCCESS, "%s: %s", t->line, scan_last_error(s->ctx));
  }
  all->mpi = g->mpi;
  if (contexts[1] == NULL || status != SCAN_SUCCESS) return status;
  status = scan_mpi_create_contexts(ctxs, all->count, MPI_COMM_WORLD, &all->mpi);
  group_check(g, status == SCAN_SUCCESS, "%s: %s", t->line, scan_mpi_last_error(NULL));
  return status;
}

static void open_shares(const group *g, trial *t, shares *all) {
  uint64_t first = 0;
  int place = 0;
  all->count = t->contexts[g->rank];
  for (int r = 0; r < g->rank; r++) all->before += t->contexts[r];
  while (place < all->before) first += t->counts[place++];
  for (int i = 0; i < all->count; first += t->counts[place++]) open_share(t, &all->of[i++], first, place);
}

static void close_shares(const group *g, shares *all) {
  if (all->mpi != g->mpi) scan_mpi_destroy(all->mpi);
  for (int i = 0; i < all->count; i++) {
    share *s = &all->of[i];
    free(s->in);
    free(s->out);
    free(s->marks.bytes);
    scan_op_destroy(s->op);
  }
}

/* ---- the call ---- */

static scan_status call_one(const trial *t, const scan_spec *spec, const shares *all, const scan_args *args) {
  scan_mpi_plan *plan = NULL;
  if (!t->c.by_plan) return scan_mpi_run_args(all->mpi, spec, all->of[0].n, args);
  scan_status status = scan_mpi_plan_create(all->mpi, spec, all->of[0].n, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_args(plan, all->of[0].n, args);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_several(const trial *t, const scan_spec *spec, const shares *all, const scan_args *args) {
  scan_mpi_plan *plan = NULL;
  scan_op *ops[MOST_CONTEXTS];
  uint64_t counts[MOST_CONTEXTS];
  for (int i = 0; i < all->count; i++) {
    ops[i] = all->of[i].op;
    counts[i] = all->of[i].n;
  }
  scan_op **const given = t->c.scan.source.name ? ops : NULL;
  if (!t->c.by_plan) return scan_mpi_run_contexts(all->mpi, spec, given, counts, args);
  scan_status status = scan_mpi_plan_create_contexts(all->mpi, spec, given, counts, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_contexts(plan, counts, args);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call(const trial *t, const shares *all, const scan_args *args) {
  scan_spec spec = t->c.scan.spec;
  const int is_one = all->count == 1 && !t->several_calls;
  if (t->c.scan.source.name) {
    spec.type = spec.input_type = SCAN_TYPE_DEFAULT;
    spec.op = SCAN_OP_NONE;
    if (is_one) spec.custom_op = all->of[0].op;
    if (spec.has_init) spec.init_bytes = t->c.scan.init;
  }
  return is_one ? call_one(t, &spec, all, args) : call_several(t, &spec, all, args);
}

static scan_args give(group *g, const trial *t, share *s, int is_first) {
  const scan_mem in = group_give_to(g, s->ctx, s->in, s->n * t->sizes.input, t->on_device);
  scan_args args =
      SCAN_ARGS_INIT(in, t->c.in_place ? in : group_give_to(g, s->ctx, s->out, s->out_bytes + ROOM, t->on_device));
  if (t->c.scan.spec.segments != SCAN_SEGMENTS_NONE) {
    args.marks = group_give_to(g, s->ctx, s->marks.bytes, s->marks.size, t->on_device);
    args.mark_count = s->marks.count;
  }
  if (case_scan_reads_carry(&t->c.scan) && is_first) args.carry_in = scan_host(s->carry_in);
  if (case_scan_leaves_carry(&t->c.scan)) args.carry_out = scan_host(s->carry);
  return args;
}

static void take(group *g, const trial *t, share *s, const scan_args *args) {
  const uint64_t in_bytes = s->n * t->sizes.input;
  group_read_back_from(g, s->ctx, args->in, s->in, t->c.in_place ? in_bytes : 0);
  if (!t->c.in_place) group_read_back_from(g, s->ctx, args->out, s->out, s->out_bytes + ROOM);
  group_read_back_from(g, s->ctx, args->marks, s->marks.bytes, 0);
  if (t->c.in_place) memcpy(s->out, s->in, in_bytes);
}

/* ---- the results ---- */

/* Compares items; any two NaNs are equal. @return the first item that differs, or `items` */
static uint64_t first_difference(const trial *t, scan_type type, uint64_t items, uint64_t bytes, const void *a,
                                 const void *b) {
  if (!source_operator_fills(&t->c.scan.source)) return reference_mismatch(type, items, a, b);
  for (uint64_t i = 0; i < items; i++)
    if (memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) != 0) return i;
  return items;
}

static void compare(group *g, const trial *t, const share *s) {
  const scan_case *c = &t->c;
  const uint64_t items = s->out_bytes / t->sizes.output, skipped = c->scan.spec.kind == SCAN_TOTAL ? 0 : s->first;
  const unsigned char *want = c->want + c->out[0].at + skipped * t->sizes.output;
  const uint64_t at = first_difference(t, c->scan.spec.type, items, t->sizes.output, s->out, want);
  group_check(g, at == items, "%s: element %llu has other bits", t->line, (unsigned long long)(s->first + at));
  int is_whole = 1;
  for (uint64_t k = 0; k < ROOM && !c->in_place; k++) is_whole &= s->out[s->out_bytes + k] == CASE_POISON;
  group_check(g, is_whole, "%s: written past the output", t->line);
  if (!case_scan_leaves_carry(&c->scan)) return;
  const scan_type type = t->sizes.value != t->sizes.output ? SCAN_F32 : c->scan.spec.type;
  const int is_same =
      first_difference(t, type, 1, t->sizes.value, s->carry, c->want + case_scan_carry_out(&c->scan, 0)) == 1;
  group_check(g, is_same, "%s: another carry", t->line);
}

static void run_shares(group *g, const trial *t, shares *all) {
  scan_args args[MOST_CONTEXTS];
  for (int i = 0; i < all->count; i++) args[i] = give(g, t, &all->of[i], all->before + i == 0);
  const scan_status status = call(t, all, args);
  for (int i = 0; i < all->count; i++) take(g, t, &all->of[i], &args[i]);
  if (status == SCAN_UNSUPPORTED) return; /* unsupported over ranks: test_refusals.c */
  group_check(g, status == SCAN_SUCCESS, "%s: %s", t->line, scan_mpi_last_error(all->mpi));
  for (int i = 0; i < all->count && status == SCAN_SUCCESS; i++) compare(g, t, &all->of[i]);
}

static void run_trial(group *g, struct rng *rng, trial *t, scan_ctx *const *contexts, unsigned long number) {
  shares all = { .count = 0 };
  draw_parts(g, rng, t, contexts[1] != NULL ? MOST_CONTEXTS : 1);
  const int is_built = case_build(&t->c) == 0;
  group_check(g, is_built, "%s: no memory", t->line);
  if (is_built) {
    memset(t->c.got, CASE_POISON, t->c.out_bytes);
    case_scan_put_inputs(&t->c, t->c.got);
    open_shares(g, t, &all);
    if (open_contexts(g, t, contexts, number, &all) == SCAN_SUCCESS) run_shares(g, t, &all);
    close_shares(g, &all);
  }
  case_free(&t->c);
}

static unsigned long number_of(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text != NULL && text[0] != '\0' ? strtoul(text, NULL, 0) : otherwise;
}

/* 1 if case `number` is a scan that ranks support. */
static int draw(trial *t, struct rng *rng, uint64_t seed, uint64_t number, int has_groups) {
  const case_limits limits = { .seed = seed };
  *t = (trial){ .on_device = 0 };
  case_draw_number(&limits, FAMILY_SCANS, number, &t->c);
  if (!suits(&t->c) || take_line(t) != 0) return 0;
  t->sizes = case_scan_sizes(&t->c);
  draw_n(rng, t, has_groups);
  return take_line(t) == 0;
}

static void run_line(group *g, const char *line, scan_ctx *const *contexts) {
  trial t = { .on_device = 0 };
  char words[CASE_WORDS_BYTES] = "";
  struct rng rng = { number_of("SCANRT_TEST_SEED", 1) };
  if (!group_check(g, case_from_line(line, &t.c, words) == 0, "%s", words)) return;
  case_to_line(&t.c, t.line);
  t.sizes = case_scan_sizes(&t.c);
  run_trial(g, &rng, &t, contexts, 0);
}

static unsigned long run_drawn(group *g, scan_ctx *const *contexts) {
  const unsigned long cases = number_of("SCANRT_TEST_CASES", 100), seed = number_of("SCANRT_TEST_SEED", 1);
  const int has_groups = number_of("SCANRT_TEST_GROUPS", 1) != 0;
  unsigned long ran = 0;
  for (uint64_t i = number_of("SCANRT_TEST_FIRST", 0); ran < cases; i++) {
    trial t;
    struct rng rng = { seed * 1000003 + i };
    if (!draw(&t, &rng, seed, i, has_groups)) continue;
    run_trial(g, &rng, &t, contexts, (unsigned long)i);
    ran++;
  }
  return ran;
}

int main(int argc, char **argv) {
  group g;
  scan_ctx *contexts[MOST_CONTEXTS] = { NULL };
  const char *line = getenv("SCANRT_TEST_CASE");
  group_open(&g, &argc, &argv);
  contexts[0] = g.ctx;
  if (number_of("SCANRT_TEST_CONTEXTS", 0)) {
    contexts[1] = group_context(&g, "host");
    contexts[2] = group_context(&g, getenv("SCANRT_TEST_OTHER_DEVICE"));
  }
  if (line)
    run_line(&g, line, contexts);
  else if (g.rank == 0)
    printf("%lu cases\n", run_drawn(&g, contexts));
  else
    (void)run_drawn(&g, contexts);
  for (int i = 1; i < MOST_CONTEXTS; i++) scan_ctx_destroy(contexts[i]);
  return group_close(&g, "mpi scan");
}
