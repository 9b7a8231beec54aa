/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file quicksort.c
 * @brief Quicksort by partition on the device, beside a plain quicksort and the library's own radix sort.
 *
 * Usage: quicksort [--n KEYS] [--rounds N]. scan_select with SCAN_REST_BEHIND is a partition: keys below a pivot come
 * first, the others follow. The pivot is a parameter of its predicate. The host keeps the list of segments; it reads
 * the sample of each pivot and the count of each partition. A segment is no longer partitioned when it has at most a
 * LEAVESth of all keys, or MOST_DEPTH partitions have made it. All leaves are sorted at the end by one scan_sort in
 * segments. This serves orders that a predicate can compare and no radix sort knows; for integers scan_sort alone is
 * faster. Exit status: 0 the keys are in order; 1 they are not, or a call failed; 77 there is no such device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>

#include "program.h"

enum { LEAVES = 32, MOST_DEPTH = 12, MOST_LEAVES = 1 << MOST_DEPTH, SAMPLE = 63, PLAIN_LEAF = 24 };

/* Compiled here, and as `text` by the device. */
SCAN_OP_TEXT(
    text,
    typedef struct pivot {
      int32_t value;
      uint32_t keeps_equal;
    } pivot;
    static inline int is_below(int32_t x, uint64_t index, pivot p) {
      (void)index;
      return (x < p.value) | (p.keeps_equal & (x == p.value));
    });
SCAN_KEEP_PARAMS_HOST(is_below_host, int32_t, pivot, is_below);

typedef struct quicksort {
  scan_ctx *ctx;
  scan_op *below;
  scan_plan *partition, *sort_leaves, *sort_all;
  scan_mem in, keys[2], count, offsets; /* keys are partitioned from keys[0] to keys[1] and back */
  uint64_t n, leaves;
  uint64_t leaf[MOST_LEAVES + 1]; /* where each leaf begins */
  int32_t *x, *sorted, *loop;     /* the keys, the scans' result, the loop's */
} quicksort;

/* Keys `begin` to `begin + n` of keys[side]. */
typedef struct segment {
  uint64_t begin, n;
  int side, depth;
} segment;

static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* ---- the sort ---------------------------------------------------------------------------------------------------- */

static scan_mem keys_of(const quicksort *q, segment s, int side) {
  return scan_offset(q->keys[side], s.begin * sizeof(int32_t));
}

/* Takes the median of some keys in the middle of the segment for the pivot. */
static scan_status choose_pivot(quicksort *q, segment s, pivot *p) {
  int32_t sample[SAMPLE];
  const uint64_t count = s.n < SAMPLE ? s.n : SAMPLE, first = (s.n - count) / 2;
  const scan_mem from = scan_offset(keys_of(q, s, s.side), first * sizeof(int32_t));
  const scan_status status = scan_read(q->ctx, from, sample, count * sizeof(int32_t));
  if (status != SCAN_SUCCESS) return status;
  qsort(sample, count, sizeof *sample, compare);
  *p = (pivot){ sample[count / 2], 0 };
  return SCAN_SUCCESS;
}

static scan_status partition(quicksort *q, segment s, const pivot *p, uint64_t *below) {
  scan_select_args args = SCAN_SELECT_ARGS_INIT(SCAN_NO_MEM, keys_of(q, s, s.side), keys_of(q, s, !s.side), q->count);
  args.params = p;
  const scan_status status = scan_plan_run_select(q->partition, s.n, &args);
  return status == SCAN_SUCCESS ? scan_read(q->ctx, q->count, below, sizeof *below) : status;
}

/* Notes where a leaf begins; its keys belong in keys[0]. */
static scan_status add_leaf(quicksort *q, segment s) {
  q->leaf[q->leaves++] = s.begin;
  if (s.side == 0) return SCAN_SUCCESS;
  return scan_copy(q->ctx, keys_of(q, s, 0), keys_of(q, s, 1), s.n * sizeof(int32_t));
}

static scan_status split_segment(quicksort *q, segment s) {
  pivot p;
  uint64_t below = 0;
  if (s.n == 0) return SCAN_SUCCESS;
  if (s.n <= q->n / LEAVES || s.depth == MOST_DEPTH) return add_leaf(q, s);
  scan_status status = choose_pivot(q, s, &p);
  if (status == SCAN_SUCCESS) status = partition(q, s, &p, &below);
  if (status == SCAN_SUCCESS && below == 0) { /* the pivot is the least key: all keys equal to it are in place */
    p.keeps_equal = 1;
    status = partition(q, s, &p, &below);
    if (status == SCAN_SUCCESS) status = add_leaf(q, (segment){ s.begin, below, !s.side, 0 });
  } else if (status == SCAN_SUCCESS) {
    status = split_segment(q, (segment){ s.begin, below, !s.side, s.depth + 1 });
  }
  if (status != SCAN_SUCCESS) return status;
  return split_segment(q, (segment){ s.begin + below, s.n - below, !s.side, s.depth + 1 });
}

static scan_status run_scans(void *state) {
  quicksort *q = state;
  scan_sort_args args = SCAN_SORT_ARGS_INIT(q->keys[0], q->keys[1]);
  q->leaves = 0;
  scan_status status = scan_copy(q->ctx, q->keys[0], q->in, q->n * sizeof(int32_t));
  if (status == SCAN_SUCCESS) status = split_segment(q, (segment){ 0, q->n, 0, 0 });
  if (status != SCAN_SUCCESS) return status;
  q->leaf[q->leaves] = q->n;
  status = scan_write(q->ctx, q->offsets, q->leaf, (q->leaves + 1) * sizeof(uint64_t));
  args.offsets = q->offsets;
  args.segments = q->leaves;
  return status == SCAN_SUCCESS ? scan_plan_run_sort(q->sort_leaves, q->n, &args) : status;
}

static scan_status run_radix_sort(void *state) {
  quicksort *q = state;
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(q->in, q->keys[0]);
  return scan_plan_run_sort(q->sort_all, q->n, &args);
}

/* ---- the plain loop ---------------------------------------------------------------------------------------------- */

static void swap(int32_t *a, int32_t *b) {
  const int32_t was = *a;
  *a = *b;
  *b = was;
}

static void insert(int32_t *x, uint64_t n) {
  for (uint64_t i = 1; i < n; i++)
    for (uint64_t k = i; k > 0 && x[k] < x[k - 1]; k--) swap(&x[k], &x[k - 1]);
}

static void plain_quicksort(int32_t *x, uint64_t n) {
  while (n > PLAIN_LEAF) {
    int32_t of_three[] = { x[0], x[n / 2], x[n - 1] };
    uint64_t low = 0, high = n - 1;
    insert(of_three, 3);
    for (;; low++, high--) { /* Hoare's partition */
      while (x[low] < of_three[1]) low++;
      while (x[high] > of_three[1]) high--;
      if (low >= high) break;
      swap(&x[low], &x[high]);
    }
    plain_quicksort(x, high + 1);
    x += high + 1;
    n -= high + 1;
  }
  insert(x, n);
}

static void run_loop(void *state) {
  quicksort *q = state;
  memcpy(q->loop, q->x, q->n * sizeof(int32_t));
  plain_quicksort(q->loop, q->n);
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

/* Makes keys, an eighth of which are equal. */
static int make_keys(quicksort *q) {
  q->x = malloc(q->n * sizeof(int32_t));
  q->sorted = malloc(q->n * sizeof(int32_t));
  q->loop = malloc(q->n * sizeof(int32_t));
  if (!q->x || !q->sorted || !q->loop) return PROGRAM_WRONG;
  for (uint64_t i = 0; i < q->n; i++) q->x[i] = program_random(i) % 8 ? (int32_t)program_random(i) : 7;
  return 0;
}

static scan_status make_plans(quicksort *q) {
  scan_predicate_source source = SCAN_PREDICATE_PARAMS_INIT(text, int32_t, is_below, pivot);
  scan_select_spec partition = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, sizeof(int32_t));
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_I32);
  source.host = is_below_host;
  scan_status status = scan_predicate_create(q->ctx, &source, &q->below);
  partition.predicate = q->below;
  partition.rest = SCAN_REST_BEHIND;
  if (status == SCAN_SUCCESS) status = scan_plan_create_select(q->ctx, &partition, q->n, &q->partition);
  if (status == SCAN_SUCCESS) status = scan_plan_create_sort(q->ctx, &sort, q->n, &q->sort_all);
  sort.offset_type = SCAN_U64;
  return status == SCAN_SUCCESS ? scan_plan_create_sort(q->ctx, &sort, q->n, &q->sort_leaves) : status;
}

static scan_status open_quicksort(quicksort *q) {
  const uint64_t bytes = q->n * sizeof(int32_t);
  scan_status status = make_plans(q);
  if (status == SCAN_SUCCESS) status = scan_alloc(q->ctx, bytes, &q->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(q->ctx, bytes, &q->keys[0]);
  if (status == SCAN_SUCCESS) status = scan_alloc(q->ctx, bytes, &q->keys[1]);
  if (status == SCAN_SUCCESS) status = scan_alloc(q->ctx, sizeof(uint64_t), &q->count);
  if (status == SCAN_SUCCESS) status = scan_alloc(q->ctx, sizeof q->leaf, &q->offsets);
  return status == SCAN_SUCCESS ? scan_write(q->ctx, q->in, q->x, bytes) : status;
}

static void close_quicksort(quicksort *q) {
  const scan_mem memory[] = { q->in, q->keys[0], q->keys[1], q->count, q->offsets };
  for (int i = 0; i < 5; i++) (void)scan_free(q->ctx, memory[i]);
  scan_plan_destroy(q->partition);
  scan_plan_destroy(q->sort_leaves);
  scan_plan_destroy(q->sort_all);
  scan_op_destroy(q->below);
  scan_ctx_destroy(q->ctx);
  free(q->x);
  free(q->sorted);
  free(q->loop);
}

static double count_wrong(const quicksort *q) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < q->n; i++) wrong += q->sorted[i] != q->loop[i];
  return (double)wrong;
}

int main(int argc, char **argv) {
  static quicksort q;
  program_options o = { .n = 1 << 22, .rounds = 3 };
  int rc = program_parse(argc, argv, &o);
  q.n = o.n;
  if (rc == 0) rc = make_keys(&q);
  if (rc == 0) rc = program_open(0, &q.ctx);
  if (rc == 0) rc = program_status(q.ctx, open_quicksort(&q));
  if (rc == 0) rc = program_time(q.ctx, "scan_sort alone", run_radix_sort, &q, o.rounds, 0);
  if (rc == 0) rc = program_time(q.ctx, "partitions, leaves", run_scans, &q, o.rounds, 0);
  if (rc == 0) program_time_loop("plain loop", run_loop, &q, o.rounds, 0);
  if (rc == 0) rc = program_status(q.ctx, scan_read(q.ctx, q.keys[1], q.sorted, q.n * sizeof(int32_t)));
  if (rc == 0) rc = program_verdict("keys in order", count_wrong(&q), 0);
  close_quicksort(&q);
  return rc;
}
