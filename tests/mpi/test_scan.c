/* SPDX-License-Identifier: BSD-2-Clause */
/* Random scans over the ranks, bit for bit against one context that scans all elements. $SCANRT_TEST_CASES says how
 * many; $SCANRT_TEST_SEED where they begin. With $SCANRT_TEST_CONTEXTS=1 each rank has one to three contexts in each
 * case, of the device, of the host and of $SCANRT_TEST_OTHER_DEVICE (default: the device). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "trial.h"

enum { ROOM = 64, MOST_CONTEXTS = 3, POISON = 0xa5 };

/* ---- one case ---- */

/* All elements, on rank 0; NULL elsewhere. */
typedef struct whole {
  unsigned char *in, *heads, *keys, *want, *got;
  _Alignas(16) unsigned char want_carry[TRIAL_VALUE];
} whole;

static whole make_whole(group *g, struct rng rng, const trial *t) {
  whole w = { .in = NULL };
  if (g->rank != 0) return w;
  const scan_type input = t->spec.input_type ? t->spec.input_type : t->spec.type;
  w.in = group_allocate(t->n * t->in_bytes);
  w.want = group_allocate((t->n + 1) * t->out_bytes);
  w.got = group_allocate((t->n + 1) * t->out_bytes);
  w.heads = group_allocate(t->n);
  w.keys = group_allocate(t->n * 8);
  trial_fill(&rng, t, input, t->n, w.in);
  trial_draw_heads(&rng, t, w.heads);
  if (t->spec.segments == SCAN_SEGMENTS_KEYS) trial_make_keys(&rng, t->spec.key_type, w.heads, t->n, w.keys);
  return w;
}

static void free_whole(whole *w) {
  free(w->in);
  free(w->want);
  free(w->got);
  free(w->heads);
  free(w->keys);
}

static void scan_whole(group *g, const trial *t, whole *w) {
  scan_args args = SCAN_ARGS_INIT(scan_host(w->in), scan_host(w->want));
  trial_marks m = { .bytes = NULL };
  if (t->spec.segments != SCAN_SEGMENTS_NONE) {
    m = trial_marks_of(t, w->heads, w->keys, t->n, 1, 0);
    args.marks = scan_host(m.bytes);
    args.mark_count = m.count;
  }
  if (t->has_carry) args.carry_in = scan_host(t->carry);
  if (t->wants_carry) args.carry_out = scan_host(w->want_carry);
  scan_spec spec = t->spec;
  scan_op *op = NULL;
  scan_status status = t->source != NULL ? scan_op_create(g->ctx, &t->source->source, &op) : SCAN_SUCCESS;
  spec.custom_op = op;
  if (status == SCAN_SUCCESS) status = scan_run_args(g->ctx, &spec, t->n, &args);
  group_check(g, status == SCAN_SUCCESS, "one device: %s", scan_last_error(g->ctx));
  scan_op_destroy(op);
  free(m.bytes);
}

/* What a context of this rank gives and gets. */
typedef struct share {
  scan_ctx *ctx;
  scan_op *op;
  unsigned char *in, *out, *heads, *keys;
  _Alignas(16) unsigned char carry[TRIAL_VALUE];
  uint64_t n, out_items;
  trial_marks marks;
} share;

/* This rank's contexts in a case. */
typedef struct shares {
  share of[MOST_CONTEXTS];
  int count, first; /* first: the place of the first among the contexts of all ranks */
  scan_mpi *mpi;
} shares;

static scan_status call_one(const trial *t, const shares *all, const scan_args *args) {
  scan_mpi_plan *plan = NULL;
  scan_spec spec = t->spec;
  spec.custom_op = all->of[0].op;
  if (!t->by_plan) return scan_mpi_run_args(all->mpi, &spec, all->of[0].n, args);
  scan_status status = scan_mpi_plan_create(all->mpi, &spec, all->of[0].n, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_args(plan, all->of[0].n, args);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_status call_several(const trial *t, const shares *all, const scan_args *args) {
  scan_mpi_plan *plan = NULL;
  scan_op *ops[MOST_CONTEXTS];
  uint64_t counts[MOST_CONTEXTS];
  for (int i = 0; i < all->count; i++) {
    ops[i] = all->of[i].op;
    counts[i] = all->of[i].n;
  }
  scan_op **const given = t->source != NULL ? ops : NULL;
  if (!t->by_plan) return scan_mpi_run_contexts(all->mpi, &t->spec, given, counts, args);
  scan_status status = scan_mpi_plan_create_contexts(all->mpi, &t->spec, given, counts, &plan);
  if (status == SCAN_SUCCESS) status = scan_mpi_plan_run_contexts(plan, counts, args);
  scan_mpi_plan_destroy(plan);
  return status;
}

static scan_args give(group *g, const trial *t, share *s, int is_first) {
  const uint64_t in_size = s->n * t->in_bytes, out_size = s->out_items * t->out_bytes + ROOM;
  const scan_mem in = group_give_to(g, s->ctx, s->in, in_size, t->on_device);
  scan_args args = SCAN_ARGS_INIT(in, t->in_place ? in : group_give_to(g, s->ctx, s->out, out_size, t->on_device));
  if (t->spec.segments != SCAN_SEGMENTS_NONE) {
    args.marks = group_give_to(g, s->ctx, s->marks.bytes, s->marks.size, t->on_device);
    args.mark_count = s->marks.count;
  }
  if (t->has_carry && is_first) args.carry_in = scan_host(t->carry);
  if (t->wants_carry) args.carry_out = scan_host(s->carry);
  return args;
}

static void take(group *g, const trial *t, share *s, const scan_args *args) {
  const uint64_t in_size = s->n * t->in_bytes, out_size = s->out_items * t->out_bytes + ROOM;
  group_take_from(g, s->ctx, args->in, s->in, t->in_place ? in_size : 0);
  if (!t->in_place) group_take_from(g, s->ctx, args->out, s->out, out_size);
  group_take_from(g, s->ctx, args->marks, s->marks.bytes, 0);
  if (t->in_place) memcpy(s->out, s->in, in_size);
}

static void run_shares(group *g, const trial *t, shares *all, const char *text) {
  scan_args args[MOST_CONTEXTS];
  for (int i = 0; i < all->count; i++) args[i] = give(g, t, &all->of[i], all->first + i == 0);
  const scan_status status = all->count == 1 && t->fill % 2 == 0 ? call_one(t, all, args) : call_several(t, all, args);
  group_check(g, status == SCAN_SUCCESS, "%s: %s", text, scan_mpi_last_error(all->mpi));
  for (int i = 0; i < all->count; i++) take(g, t, &all->of[i], &args[i]);
}

/* Of offsets: whether each context tells that a segment begins behind its elements, in the place of the next one, which
 * may have elements or none. */
static void hand_marks(const group *g, const trial *t, shares *all, int *tells) {
  unsigned char behind = 0;
  if (t->spec.segments != SCAN_SEGMENTS_OFFSETS || !t->tells_behind) return;
  const int next = g->rank + 1 < g->ranks ? g->rank + 1 : MPI_PROC_NULL;
  const int before = g->rank > 0 ? g->rank - 1 : MPI_PROC_NULL;
  /* What an empty one hears from the next it hands on: from the last to the first. */
  MPI_Recv(&behind, 1, MPI_BYTE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = all->count - 1; i >= 0; i--) {
    const share *s = &all->of[i];
    const unsigned char first = s->n == 0 ? behind : s->heads[0];
    tells[i] = behind && (s->n > 0 || t->tells_behind > 1);
    if (s->n > 0 && all->first + i > 0) s->heads[0] = 0;
    behind = first;
  }
  MPI_Send(&behind, 1, MPI_BYTE, before, 1, MPI_COMM_WORLD);
}

/* This context's items of its rank's, with room behind. */
static unsigned char *part_of(const unsigned char *of_rank, uint64_t begin, uint64_t n, uint64_t item_bytes) {
  unsigned char *part = group_allocate(n * item_bytes + ROOM);
  memcpy(part, of_rank + begin * item_bytes, n * item_bytes);
  memset(part + n * item_bytes, POISON, ROOM);
  return part;
}

static void deal_out(group *g, const trial *t, const whole *w, shares *all) {
  const uint64_t key_bytes = t->spec.segments == SCAN_SEGMENTS_KEYS ? scan_type_bytes(t->spec.key_type) : 0;
  unsigned char *in = group_scatter(g, w->in, t->of_ranks, t->in_bytes, ROOM);
  unsigned char *heads = group_scatter(g, w->heads, t->of_ranks, 1, ROOM);
  unsigned char *keys = group_scatter(g, w->keys, t->of_ranks, key_bytes, ROOM);
  uint64_t at = 0;
  for (int i = 0; i < all->count; i++) {
    share *s = &all->of[i];
    s->n = t->counts[all->first + i];
    s->in = part_of(in, at, s->n, t->in_bytes);
    s->heads = part_of(heads, at, s->n, 1);
    s->keys = part_of(keys, at, s->n, key_bytes);
    at += s->n;
  }
  free(in);
  free(heads);
  free(keys);
}

/* The contexts of a case are some of the rank's, in an order that changes, and mostly not the first. */
static void open_contexts(group *g, const trial *t, scan_ctx *const *contexts, unsigned long number, shares *all,
                          const char *text) {
  scan_ctx *ctxs[MOST_CONTEXTS];
  all->count = t->contexts[g->rank];
  for (int r = 0; r < g->rank; r++) all->first += t->contexts[r];
  for (int i = 0; i < all->count; i++) {
    share *s = &all->of[i];
    s->ctx = ctxs[i] = contexts[contexts[1] != NULL ? (number + (unsigned long)(g->rank + i)) % MOST_CONTEXTS : 0];
    if (t->source == NULL) continue;
    group_check(g, scan_op_create(s->ctx, &t->source->source, &s->op) == SCAN_SUCCESS, "%s: %s", text,
                scan_last_error(s->ctx));
  }
  all->mpi = g->mpi;
  if (contexts[1] == NULL) return;
  group_check(g, scan_mpi_create_contexts(ctxs, all->count, MPI_COMM_WORLD, &all->mpi) == SCAN_SUCCESS, "%s: %s", text,
              scan_mpi_last_error(NULL));
}

static void open_outputs(const group *g, const trial *t, shares *all) {
  int tells[MOST_CONTEXTS] = { 0 };
  hand_marks(g, t, all, tells);
  for (int i = 0; i < all->count; i++) {
    share *s = &all->of[i];
    s->out_items = t->spec.kind == SCAN_TOTAL ? 1 : s->n;
    s->out = group_allocate(s->out_items * t->out_bytes + ROOM);
    memset(s->out, POISON, s->out_items * t->out_bytes + ROOM);
    if (t->spec.segments != SCAN_SEGMENTS_NONE) s->marks = trial_marks_of(t, s->heads, s->keys, s->n, 0, tells[i]);
  }
}

static void close_shares(group *g, shares *all) {
  if (all->mpi != g->mpi) scan_mpi_destroy(all->mpi);
  for (int i = 0; i < all->count; i++) {
    share *s = &all->of[i];
    free(s->in);
    free(s->out);
    free(s->heads);
    free(s->keys);
    free(s->marks.bytes);
    scan_op_destroy(s->op);
  }
}

static int has_kinds; /* contexts of a GPU and of a processor, each of which makes NaNs of its own */

/* Two NaNs are the same where devices are of several kinds. */
static uint64_t first_difference(const trial *t, scan_type type, uint64_t items, uint64_t bytes, const void *a,
                                 const void *b) {
  if (t->source == NULL && has_kinds) return reference_mismatch(type, items, a, b);
  for (uint64_t i = 0; i < items; i++)
    if (memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) != 0) return i;
  return items;
}

/* Halves are carried in binary32. */
static int is_same_carry(const trial *t, const void *a, const void *b) {
  const scan_type type = t->value_bytes != t->out_bytes ? SCAN_F32 : t->spec.type;
  return first_difference(t, type, 1, t->value_bytes, a, b) == 1;
}

static void compare_totals(group *g, const trial *t, const whole *w, const shares *all, const char *text) {
  unsigned char total[TRIAL_VALUE] = { 0 };
  if (g->rank == 0) memcpy(total, w->want, t->out_bytes);
  MPI_Bcast(total, TRIAL_VALUE, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < all->count; i++)
    group_check(g, first_difference(t, t->spec.type, 1, t->out_bytes, total, all->of[i].out) == 1, "%s: another total",
                text);
}

static void compare_outputs(group *g, const trial *t, whole *w, const shares *all, const char *text) {
  unsigned char *of_rank = group_allocate(t->of_ranks[g->rank] * t->out_bytes);
  uint64_t at = 0;
  for (int i = 0; i < all->count; i++) {
    memcpy(of_rank + at, all->of[i].out, all->of[i].n * t->out_bytes);
    at += all->of[i].n * t->out_bytes;
  }
  group_gather(g, of_rank, t->of_ranks, t->out_bytes, w->got);
  free(of_rank);
  if (g->rank != 0) return;
  const uint64_t first = first_difference(t, t->spec.type, t->n, t->out_bytes, w->got, w->want);
  group_check(g, first == t->n, "%s: element %llu has other bits", text, (unsigned long long)first);
}

/* What lies behind outputs, and what the whole leaves. */
static void compare_ends(group *g, const trial *t, whole *w, const shares *all, const char *text) {
  if (t->wants_carry) MPI_Bcast(w->want_carry, TRIAL_VALUE, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < all->count; i++) {
    const share *s = &all->of[i];
    int is_whole = 1;
    for (uint64_t k = 0; k < ROOM && !t->in_place; k++) is_whole &= s->out[s->out_items * t->out_bytes + k] == POISON;
    group_check(g, is_whole, "%s: written past the output", text);
    if (t->wants_carry) group_check(g, is_same_carry(t, w->want_carry, s->carry), "%s: another carry", text);
  }
}

static void run_trial(group *g, struct rng *rng, scan_ctx *const *contexts, int scale, unsigned long number) {
  trial t;
  shares all = { .count = 0 };
  char name[TRIAL_TEXT], text[TRIAL_TEXT + 32];
  trial_draw(g, rng, &t, scale, contexts[1] != NULL ? MOST_CONTEXTS : 1);
  snprintf(text, sizeof text, "case %lu: %s", number, trial_text_of(&t, name));
  open_contexts(g, &t, contexts, number, &all, text);
  whole w = make_whole(g, *rng, &t);
  if (g->rank == 0) scan_whole(g, &t, &w);
  deal_out(g, &t, &w, &all);
  open_outputs(g, &t, &all);
  run_shares(g, &t, &all, text);
  if (t.spec.kind == SCAN_TOTAL)
    compare_totals(g, &t, &w, &all, text);
  else
    compare_outputs(g, &t, &w, &all, text);
  compare_ends(g, &t, &w, &all, text);
  close_shares(g, &all);
  free_whole(&w);
}

static unsigned long number_of(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text != NULL && text[0] != '\0' ? strtoul(text, NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
  group g;
  scan_ctx *contexts[MOST_CONTEXTS] = { NULL };
  group_open(&g, &argc, &argv);
  contexts[0] = g.ctx;
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  if (scan_ctx_device(g.ctx, &info) == SCAN_SUCCESS) has_kinds = !info.is_cpu && number_of("SCANRT_TEST_CONTEXTS", 0);
  if (number_of("SCANRT_TEST_CONTEXTS", 0)) {
    contexts[1] = group_context(&g, "host");
    contexts[2] = group_context(&g, getenv("SCANRT_TEST_OTHER_DEVICE"));
  }
  const unsigned long cases = number_of("SCANRT_TEST_CASES", 100), first = number_of("SCANRT_TEST_FIRST", 0);
  const int scale = (int)number_of("SCANRT_TEST_GROUPS", 1);
  for (unsigned long i = first; i < first + cases; i++) {
    struct rng rng = { number_of("SCANRT_TEST_SEED", 1) * 1000003 + i };
    run_trial(&g, &rng, contexts, scale, i);
  }
  if (g.rank == 0) printf("%lu cases\n", cases);
  for (int i = 1; i < MOST_CONTEXTS; i++) scan_ctx_destroy(contexts[i]);
  return group_close(&g, "mpi scan");
}
