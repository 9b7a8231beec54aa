/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compaction, partition and arrays over the ranks against one context with all elements; offsets against a sum.
 * $SCANRT_TEST_CASES is the number of cases of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "operators.h"

enum { POISON = 0xa5, MOST_AXES = 3, ROOM_ITEMS = 4 };

SCAN_OP_TEXT(
    inside_text,
    typedef struct bounds {
      uint32_t low;
      uint32_t high;
    } bounds;
    static inline int inside(uint32_t x, uint64_t index, bounds b) {
      (void)index;
      return x >= b.low && x < b.high;
    });
SCAN_KEEP_PARAMS_HOST(inside_host, uint32_t, bounds, inside);

SCAN_OP_TEXT(
    near_text, static inline int is_near(uint32_t before, uint32_t x) { return before / 3 == x / 3; });
SCAN_SAME_HOST(near_host, uint32_t, is_near);

/* ---- offsets ---- */

static void test_offsets(group *g, struct rng *rng) {
  uint64_t counts[GROUP_MOST_RANKS], offset = 1, total = 1, before = 0, all = 0;
  group_split(g->ranks, rng, rng_below(rng, UINT64_C(1) << 40), 0, counts);
  const scan_status status = scan_mpi_offsets(MPI_COMM_WORLD, counts[g->rank], &offset, &total);
  for (int r = 0; r < g->ranks; r++) {
    if (r < g->rank) before += counts[r];
    all += counts[r];
  }
  group_check(g, status == SCAN_SUCCESS && offset == before && total == all, "offsets: %llu of %llu",
              (unsigned long long)offset, (unsigned long long)total);
}

/* ---- compaction ---- */

typedef struct selection {
  scan_select_spec spec;
  const char *name;
  bounds params;
  uint64_t n, counts[GROUP_MOST_RANKS];
  int on_device;
} selection;

/* Fills x with runs of up to 40 equal elements. */
static void fill_runs(struct rng *rng, uint64_t n, uint32_t *x) {
  uint32_t key = 0;
  const uint64_t length = 1 + rng_below(rng, 40);
  for (uint64_t i = 0; i < n; i++) {
    if (rng_below(rng, length) == 0) key = (uint32_t)rng_below(rng, 9);
    x[i] = key;
  }
}

static void draw_selection(group *g, struct rng *rng, selection *s, scan_op *inside_op, scan_op *near_op) {
  static const scan_select_by kinds[] = { SCAN_SELECT_FLAGS, SCAN_SELECT_PREDICATE, SCAN_SELECT_FIRST,
                                          SCAN_SELECT_LAST,  SCAN_SELECT_FIRST,     SCAN_SELECT_LAST };
  static const char *const names[] = { "flags",        "predicate",      "first of keys",
                                       "last of keys", "first of pairs", "last of pairs" };
  const uint64_t pick = rng_below(rng, 6);
  *s = (selection){ .spec = SCAN_SELECT_SPEC_INIT(kinds[pick], sizeof(uint32_t)), .name = names[pick] };
  s->spec.arrays = 2;
  s->spec.element_bytes[1] = 1;
  if (pick == 1) s->spec.predicate = inside_op;
  if (pick == 2 || pick == 3) s->spec.key_type = SCAN_U32;
  if (pick >= 4) s->spec.predicate = near_op;
  if (pick < 2) s->spec.rest = rng_below(rng, 2) ? SCAN_REST_APART : SCAN_REST_DROPPED;
  s->params = (bounds){ 2, 2 + (uint32_t)rng_below(rng, 7) };
  s->n = rng_below(rng, 4) == 0 ? rng_below(rng, 20) : rng_below(rng, 30000);
  s->on_device = rng_below(rng, 2) == 0;
  group_split(g->ranks, rng, s->n, 0, s->counts);
}

/* Input and outputs of a case: of one context with all elements, or of a rank with its part. */
typedef struct part_buffers {
  uint32_t *x;
  unsigned char *y, *flags;
  uint32_t *out_x, *rest_x;
  unsigned char *out_y, *rest_y;
  uint64_t kept;
} part_buffers;

static part_buffers open_buffers(uint64_t n) {
  const uint64_t room = n + ROOM_ITEMS;
  part_buffers s = { group_allocate(room * 4), group_allocate(room), group_allocate(room), group_allocate(room * 4),
                     group_allocate(room * 4), group_allocate(room), group_allocate(room), 0 };
  memset(s.out_x, POISON, room * 4);
  memset(s.rest_x, POISON, room * 4);
  memset(s.out_y, POISON, room);
  memset(s.rest_y, POISON, room);
  return s;
}

static void close_buffers(part_buffers *s) {
  free(s->x);
  free(s->y);
  free(s->flags);
  free(s->out_x);
  free(s->rest_x);
  free(s->out_y);
  free(s->rest_y);
}

static scan_select_args args_of(group *g, const selection *s, part_buffers *d, uint64_t n, int on_device) {
  const uint64_t room = n + ROOM_ITEMS;
  const scan_mem none = SCAN_NO_MEM;
  scan_select_args args = SCAN_SELECT_ARGS_INIT(none, group_give(g, d->x, n * 4, on_device),
                                                group_give(g, d->out_x, room * 4, on_device), scan_host(&d->kept));
  args.in[1] = group_give(g, d->y, n, on_device);
  args.out[1] = group_give(g, d->out_y, room, on_device);
  if (s->spec.by == SCAN_SELECT_FLAGS) args.marks = group_give(g, d->flags, n, on_device);
  if (s->spec.by == SCAN_SELECT_PREDICATE) args.params = &s->params;
  if (s->spec.rest == SCAN_REST_APART) {
    args.rest[0] = group_give(g, d->rest_x, room * 4, on_device);
    args.rest[1] = group_give(g, d->rest_y, room, on_device);
  }
  return args;
}

static void copy_back_args(group *g, scan_select_args *args, part_buffers *d, uint64_t n) {
  const uint64_t room = n + ROOM_ITEMS;
  group_read_back(g, args->in[0], d->x, 0);
  group_read_back(g, args->in[1], d->y, 0);
  group_read_back(g, args->marks, d->flags, 0);
  group_read_back(g, args->out[0], d->out_x, room * 4);
  group_read_back(g, args->out[1], d->out_y, room);
  group_read_back(g, args->rest[0], d->rest_x, room * 4);
  group_read_back(g, args->rest[1], d->rest_y, room);
}

/* Checks that the parts of all ranks, one after another, are what one context wrote. */
static void compare_parts(group *g, const char *name, uint64_t count, const void *part, uint64_t item_bytes,
                          const void *want, uint64_t want_count) {
  uint64_t counts[GROUP_MOST_RANKS], all = 0;
  group_collect(g, count, counts);
  for (int r = 0; r < g->ranks; r++) all += counts[r];
  char *got = group_allocate(all * item_bytes);
  group_gather(g, part, counts, item_bytes, got);
  if (g->rank == 0)
    group_check(g, all == want_count && memcmp(got, want, all * item_bytes) == 0, "%s: %llu elements, %llu are due",
                name, (unsigned long long)all, (unsigned long long)want_count);
  free(got);
}

static void check_part(group *g, const char *name, scan_mpi_part part, uint64_t count) {
  uint64_t counts[GROUP_MOST_RANKS], before = 0, all = 0;
  group_collect(g, count, counts);
  for (int r = 0; r < g->ranks; r++) {
    if (r < g->rank) before += counts[r];
    all += counts[r];
  }
  group_check(g, part.count == count && part.offset == before && part.total == all, "%s: part at %llu of %llu", name,
              (unsigned long long)part.offset, (unsigned long long)part.total);
}

static void deal(group *g, part_buffers *all, part_buffers *own, const uint64_t *counts) {
  void *x = group_scatter(g, all->x, counts, 4, 0), *y = group_scatter(g, all->y, counts, 1, 0);
  void *flags = group_scatter(g, all->flags, counts, 1, 0);
  memcpy(own->x, x, counts[g->rank] * 4);
  memcpy(own->y, y, counts[g->rank]);
  memcpy(own->flags, flags, counts[g->rank]);
  free(x);
  free(y);
  free(flags);
}

static void fill_buffers(struct rng *rng, part_buffers *s, uint64_t n) {
  fill_runs(rng, n, s->x);
  for (uint64_t i = 0; i < n; i++) s->y[i] = (unsigned char)rng_next(rng);
  for (uint64_t i = 0; i < n; i++) s->flags[i] = rng_below(rng, 3) == 0 ? 255 : 0;
}

static void test_select(group *g, struct rng *rng, scan_op *inside_op, scan_op *near_op) {
  selection s;
  scan_mpi_part kept, rest;
  draw_selection(g, rng, &s, inside_op, near_op);
  const uint64_t n = s.counts[g->rank];
  part_buffers all = open_buffers(s.n), own = open_buffers(n);
  fill_buffers(rng, &all, s.n);
  deal(g, &all, &own, s.counts);
  scan_select_args whole = args_of(g, &s, &all, s.n, 0);
  group_check(g, scan_select(g->ctx, &s.spec, s.n, &whole) == SCAN_SUCCESS, "%s, one device: %s", s.name,
              scan_last_error(g->ctx));
  scan_select_args args = args_of(g, &s, &own, n, s.on_device);
  const scan_status status = scan_mpi_select(g->mpi, &s.spec, n, &args, &kept, &rest);
  group_check(g, status == SCAN_SUCCESS, "%s: %s", s.name, scan_mpi_last_error(g->mpi));
  copy_back_args(g, &args, &own, n);
  check_part(g, s.name, kept, own.kept);
  check_part(g, s.name, rest, n - own.kept);
  compare_parts(g, s.name, own.kept, own.out_x, 4, all.out_x, all.kept);
  compare_parts(g, s.name, own.kept, own.out_y, 1, all.out_y, all.kept);
  if (s.spec.rest == SCAN_REST_APART) compare_parts(g, s.name, n - own.kept, own.rest_x, 4, all.rest_x, s.n - all.kept);
  group_check(g, own.out_x[n] == 0xa5a5a5a5u && own.out_y[n] == POISON, "%s: written past the output", s.name);
  close_buffers(&all);
  close_buffers(&own);
}

static void test_partition(group *g, struct rng *rng, scan_op *inside_op) {
  scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(inside_op, inside_op, sizeof(uint32_t));
  const bounds first = { 1, 3 }, second = { 3, 6 };
  uint64_t counts[GROUP_MOST_RANKS], want[SCAN_PARTITION3_PARTS] = { 0 }, got[SCAN_PARTITION3_PARTS] = { 0 };
  scan_mpi_part parts[SCAN_PARTITION3_PARTS];
  const uint64_t n = rng_below(rng, 20000);
  group_split(g->ranks, rng, n, 0, counts);
  part_buffers all = open_buffers(n), own = open_buffers(counts[g->rank]), third = open_buffers(n);
  fill_buffers(rng, &all, n);
  deal(g, &all, &own, counts);
  scan_partition3_args args = SCAN_PARTITION3_ARGS_INIT(scan_host(all.x), scan_host(all.out_x), scan_host(all.rest_x),
                                                        scan_host(third.out_x), scan_host(want));
  args.first_params = &first;
  args.second_params = &second;
  group_check(g, scan_partition3(g->ctx, &spec, n, &args) == SCAN_SUCCESS, "partition, one device: %s",
              scan_last_error(g->ctx));
  args.in[0] = scan_host(own.x);
  args.first[0] = scan_host(own.out_x);
  args.second[0] = scan_host(own.rest_x);
  args.rest[0] = scan_host(third.rest_x);
  args.counts = scan_host(got);
  const scan_status status = scan_mpi_partition(g->mpi, &spec, counts[g->rank], &args, parts);
  group_check(g, status == SCAN_SUCCESS, "partition: %s", scan_mpi_last_error(g->mpi));
  const uint32_t *const wants[] = { all.out_x, all.rest_x, third.out_x };
  const uint32_t *const gots[] = { own.out_x, own.rest_x, third.rest_x };
  for (int k = 0; k < SCAN_PARTITION3_PARTS; k++) {
    check_part(g, "partition", parts[k], got[k]);
    compare_parts(g, "partition", got[k], gots[k], 4, wants[k], want[k]);
  }
  close_buffers(&all);
  close_buffers(&own);
  close_buffers(&third);
}

/* ---- arrays ---- */

typedef struct grid {
  scan_spec spec;
  uint64_t shape[MOST_AXES], counts[GROUP_MOST_RANKS], bytes;
  uint32_t axis;
  int reversed; /* 1 if the strides of the axis are negative in memory */
} grid;

static void draw_grid(group *g, struct rng *rng, grid *a, const scan_op *affine) {
  static const scan_type types[] = { SCAN_F32, SCAN_F64, SCAN_I32, SCAN_U8 };
  const int is_long = rng_below(rng, 3) == 0;
  *a = (grid){ .spec = SCAN_SPEC_INIT(types[rng_below(rng, 4)], SCAN_ADD, (scan_kind)rng_below(rng, 2)) };
  if (rng_below(rng, 4) == 0) {
    a->spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, a->spec.kind);
    a->spec.custom_op = (scan_op *)(uintptr_t)affine;
  }
  a->bytes = a->spec.custom_op != NULL ? 8 : scan_type_bytes(a->spec.type);
  a->spec.flags = rng_below(rng, 3) == 0 ? SCAN_BACKWARD : 0;
  a->axis = (uint32_t)rng_below(rng, MOST_AXES);
  for (uint32_t k = 0; k < MOST_AXES; k++) a->shape[k] = 1 + rng_below(rng, is_long ? 2 : 12);
  a->shape[a->axis] = is_long ? rng_below(rng, 40000) : rng_below(rng, 100);
  a->reversed = (int)rng_below(rng, 2);
  group_split(g->ranks, rng, a->shape[a->axis], 0, a->counts);
}

/* Copies this rank's piece out of a packed array, or back. */
static void move_piece(const group *g, const grid *a, char *whole, char *piece, int is_cutting) {
  uint64_t inner = a->bytes, outer = 1, before = 0;
  const uint64_t own = a->counts[g->rank];
  for (uint32_t k = 0; k < a->axis; k++) outer *= a->shape[k];
  for (uint32_t k = a->axis + 1; k < MOST_AXES; k++) inner *= a->shape[k];
  for (int r = 0; r < g->rank; r++) before += a->counts[r];
  for (uint64_t o = 0; o < outer; o++)
    for (uint64_t i = 0; i < own; i++) {
      char *there = whole + (o * a->shape[a->axis] + before + i) * inner;
      char *here = piece + (o * own + (a->reversed ? own - 1 - i : i)) * inner;
      memcpy(is_cutting ? here : there, is_cutting ? there : here, inner);
    }
}

static void test_array(group *g, struct rng *rng, const source_structure *affine, scan_op *op) {
  grid a;
  scan_array array = SCAN_ARRAY_INIT;
  draw_grid(g, rng, &a, op);
  const uint64_t all = a.shape[0] * a.shape[1] * a.shape[2];
  char *in = group_allocate(all * 8), *want = group_allocate(all * 8), *got = group_allocate(all * 8);
  char *piece = group_allocate(all * 8), *sum = group_allocate(all * 8);
  if (a.spec.custom_op != NULL)
    operator_fill(affine, rng, all, in);
  else
    values_fill(rng, a.spec.type, SCAN_ADD, all, all, in);
  scan_status status = scan_array_packed(&a.spec, MOST_AXES, a.shape, a.axis, &array);
  if (status == SCAN_SUCCESS) status = scan_run_array(g->ctx, &a.spec, &array, scan_host(in), scan_host(want));
  group_check(g, status == SCAN_SUCCESS, "array, one device: %s", scan_last_error(g->ctx));
  move_piece(g, &a, in, piece, 1);
  uint64_t shape[MOST_AXES] = { a.shape[0], a.shape[1], a.shape[2] };
  shape[a.axis] = a.counts[g->rank];
  status = scan_array_packed(&a.spec, MOST_AXES, shape, a.axis, &array);
  group_check(g, status == SCAN_SUCCESS, "array: %s", scan_last_error(NULL));
  const uint64_t last = shape[a.axis] > 0 ? (shape[a.axis] - 1) * (uint64_t)array.in_strides[a.axis] : 0;
  if (a.reversed) array.in_strides[a.axis] = array.out_strides[a.axis] = -array.in_strides[a.axis];
  const uint64_t own = shape[0] * shape[1] * shape[2] * a.bytes;
  const int on_device = rng_below(rng, 2) == 0;
  scan_mem mem = group_give(g, piece, own, on_device);
  const scan_mem at = a.reversed && own > 0 ? scan_offset(mem, last) : mem;
  status = scan_mpi_run_array(g->mpi, &a.spec, &array, at, at);
  group_check(g, status == SCAN_SUCCESS, "array: %s", scan_mpi_last_error(g->mpi));
  group_read_back(g, mem, piece, own);
  memset(got, 0, all * 8);
  move_piece(g, &a, got, piece, 0);
  MPI_Reduce(got, sum, (int)(all * a.bytes), MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  if (g->rank == 0)
    group_check(g, memcmp(sum, want, all * a.bytes) == 0, "array %llu %llu %llu along axis %u has other bits",
                (unsigned long long)a.shape[0], (unsigned long long)a.shape[1], (unsigned long long)a.shape[2], a.axis);
  free(in);
  free(want);
  free(got);
  free(piece);
  free(sum);
}

/* ---- all cases ---- */

static scan_op *create(group *g, const scan_predicate_source *source) {
  scan_op *op = NULL;
  group_check(g, scan_predicate_create(g->ctx, source, &op) == SCAN_SUCCESS, "%s", scan_last_error(g->ctx));
  return op;
}

int main(int argc, char **argv) {
  group g;
  group_open(&g, &argc, &argv);
  const char *text = getenv("SCANRT_TEST_CASES");
  const unsigned long cases = text != NULL ? strtoul(text, NULL, 0) : 20;
  scan_predicate_source inside_source = SCAN_PREDICATE_PARAMS_INIT(inside_text, uint32_t, inside, bounds);
  scan_predicate_source near_source = SCAN_PREDICATE_PAIR_INIT(near_text, uint32_t, is_near);
  const source_structure *affine = operator_named("affine");
  scan_op *op = NULL;
  inside_source.host = inside_host;
  near_source.host = near_host;
  scan_op *inside_op = create(&g, &inside_source), *near_op = create(&g, &near_source);
  group_check(&g, scan_op_create(g.ctx, &affine->source, &op) == SCAN_SUCCESS, "%s", scan_last_error(g.ctx));
  for (unsigned long i = 0; i < cases; i++) {
    struct rng rng = { i + 1 };
    test_offsets(&g, &rng);
    test_select(&g, &rng, inside_op, near_op);
    test_partition(&g, &rng, inside_op);
    test_array(&g, &rng, affine, op);
  }
  scan_op_destroy(inside_op);
  scan_op_destroy(near_op);
  scan_op_destroy(op);
  return group_close(&g, "mpi parts");
}
