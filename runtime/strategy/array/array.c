/* SPDX-License-Identifier: BSD-2-Clause */
#include "strategy/array/array.h"

#include <inttypes.h>
#include <string.h>

#include "base/canonical.h"

#define FAIL_INVALID(...) return scan_fail(error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

/* The largest offset from element 0 that is accepted. Below it the sum or difference of two offsets cannot overflow. */
#define FURTHEST (INT64_C(1) << 61)

static uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

/* ---- refusals ---- */

static scan_status check_shape(const scan_array *array, scan_error *error) {
  uint64_t elements = 1;
  if (array->ndim < 1 || array->ndim > SCAN_ARRAY_MAX_AXES)
    FAIL_INVALID("array->ndim is %u; it must be 1 to %d", array->ndim, SCAN_ARRAY_MAX_AXES);
  if (array->axis >= array->ndim)
    FAIL_INVALID("array->axis is %u; an array of %u axes has axes 0 to %u", array->axis, array->ndim, array->ndim - 1);
  for (uint32_t a = 0; a < array->ndim; a++)
    if (array->shape[a] == 0) return SCAN_SUCCESS; /* nothing to count */
  for (uint32_t a = 0; a < array->ndim; a++)
    if (array->shape[a] > INT64_MAX || __builtin_mul_overflow(elements, array->shape[a], &elements) ||
        elements > INT64_MAX)
      FAIL_INVALID("axis %u: with its length of %" PRIu64 " the array has more than 2^63 elements", a, array->shape[a]);
  return SCAN_SUCCESS;
}

scan_array scan_array_of_outputs(const scan_array *array, int is_total) {
  scan_array outputs = *array;
  if (is_total) outputs.shape[array->axis] = 1;
  return outputs;
}

/* Finds the bytes that the input or the output touches. */
static scan_status find_span(const scan_array *array, const int64_t *strides, uint64_t item_bytes, const char *name,
                             array_span *span, scan_error *error) {
  *span = (array_span){ 0, (int64_t)item_bytes };
  for (uint32_t a = 0; a < array->ndim; a++) {
    int64_t reach;
    if (array->shape[a] == 1) continue;
    if (magnitude(strides[a]) % item_bytes != 0)
      FAIL_INVALID("axis %u: the %s stride of %" PRId64 " bytes is no multiple of its elements of %" PRIu64 " bytes", a,
                   name, strides[a], item_bytes);
    if (__builtin_mul_overflow((int64_t)array->shape[a] - 1, strides[a], &reach) ||
        __builtin_add_overflow(reach < 0 ? span->first : span->end, reach, reach < 0 ? &span->first : &span->end) ||
        span->first < -FURTHEST || span->end > FURTHEST)
      FAIL_INVALID("axis %u: %" PRIu64 " elements, %s stride %" PRId64 " bytes: more bytes than an address can reach",
                   a, array->shape[a], name, strides[a]);
  }
  return SCAN_SUCCESS;
}

/* Sorts the axes longer than 1 by the magnitude of their strides, the smallest first. Returns their number. */
static uint32_t sort_axes(const scan_array *array, const int64_t *strides, uint32_t order[SCAN_ARRAY_MAX_AXES]) {
  uint32_t count = 0;
  for (uint32_t a = 0; a < array->ndim; a++) {
    if (array->shape[a] == 1) continue;
    uint32_t at = count++;
    for (; at > 0 && magnitude(strides[order[at - 1]]) > magnitude(strides[a]); at--) order[at] = order[at - 1];
    order[at] = a;
  }
  return count;
}

/* Requires each axis of the output to step over the whole span of the axes with smaller strides. */
static scan_status check_outputs(const scan_array *array, uint64_t out_bytes, scan_error *error) {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  const uint32_t count = sort_axes(array, array->out_strides, order);
  uint64_t spanned = out_bytes;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t a = order[i];
    const uint64_t stride = magnitude(array->out_strides[a]);
    if (stride == 0)
      FAIL_INVALID("axis %u: the output's stride is 0, so that %" PRIu64 " results would share one address", a,
                   array->shape[a]);
    if (stride < spanned)
      FAIL_INVALID("axis %u: the output's stride of %" PRId64 " bytes is less than the %" PRIu64
                   " that the axes of smaller strides span: outputs of different elements may share bytes",
                   a, array->out_strides[a], spanned);
    spanned += (array->shape[a] - 1) * stride; /* cannot overflow: find_span has checked it */
  }
  return SCAN_SUCCESS;
}

/* ---- normalisation ---- */

static int64_t last_of(uint64_t extent, int64_t stride) { return (int64_t)(extent - 1) * stride; }

/* Reverses an axis with a negative output stride. Axes across the lines may be walked in any order: from the lowest
 * address up. */
static void turn_axis(array_lines *lines, array_axis *axis) {
  if (axis->out_stride > 0) return;
  lines->in_start += last_of(axis->extent, axis->in_stride);
  lines->out_start += last_of(axis->extent, axis->out_stride);
  lines->index_start += last_of(axis->extent, axis->index_stride);
  axis->in_stride = -axis->in_stride;
  axis->out_stride = -axis->out_stride;
  axis->index_stride = -axis->index_stride;
}

static int continues(const array_axis *outer, const array_axis *inner) {
  return outer->in_stride == (int64_t)inner->extent * inner->in_stride &&
         outer->out_stride == (int64_t)inner->extent * inner->out_stride &&
         outer->index_stride == (int64_t)inner->extent * inner->index_stride;
}

/* The index difference between neighbours along an axis. */
static int64_t index_stride(const scan_array *array, uint32_t axis) {
  uint64_t stride = 1;
  while (++axis < array->ndim) stride *= array->shape[axis];
  return (int64_t)stride;
}

/* Collects the axes across the lines. Those of totals are sorted by the input's strides: only one element in n is
 * written. */
static void collect_axes(const scan_array *array, int indexed, array_lines *lines) {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  const uint32_t count = sort_axes(array, lines->is_total ? array->in_strides : array->out_strides, order);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t a = order[i];
    if (a == array->axis) continue;
    array_axis axis = { array->shape[a], array->in_strides[a], array->out_strides[a],
                        indexed ? index_stride(array, a) : 0 };
    turn_axis(lines, &axis);
    lines->lines *= axis.extent;
    array_axis *inner = lines->axes > 0 ? &lines->axis[lines->axes - 1] : NULL;
    if (inner != NULL && continues(&axis, inner))
      inner->extent *= axis.extent;
    else
      lines->axis[lines->axes++] = axis;
  }
}

static void set_line(const scan_array *array, const array_scan *scan, array_lines *lines) {
  lines->n = array->shape[array->axis];
  lines->is_total = scan->is_total != 0;
  lines->in_step = lines->n == 1 ? (int64_t)scan->in_bytes : array->in_strides[array->axis];
  if (!scan->is_total) lines->out_step = lines->n == 1 ? (int64_t)scan->out_bytes : array->out_strides[array->axis];
  if (!scan->backward || lines->n <= 1) return;
  lines->in_start = last_of(lines->n, lines->in_step);
  lines->out_start = last_of(lines->n, lines->out_step);
  lines->in_step = -lines->in_step;
  lines->out_step = -lines->out_step;
}

static int is_empty(const scan_array *array) {
  for (uint32_t a = 0; a < array->ndim; a++)
    if (array->shape[a] == 0) return 1;
  return 0;
}

scan_status scan_array_normalise(const scan_array *array, const array_scan *scan, array_lines *lines,
                                 scan_error *error) {
  memset(lines, 0, sizeof *lines);
  SCAN_TRY(check_shape(array, error));
  const scan_array outputs = scan_array_of_outputs(array, scan->is_total);
  if (is_empty(&outputs)) return SCAN_SUCCESS;
  if (is_empty(array)) SCAN_TRY(check_shape(&outputs, error));
  if (!is_empty(array)) SCAN_TRY(find_span(array, array->in_strides, scan->in_bytes, "input's", &lines->in, error));
  SCAN_TRY(find_span(&outputs, array->out_strides, scan->out_bytes, "output's", &lines->out, error));
  SCAN_TRY(check_outputs(&outputs, scan->out_bytes, error));
  lines->lines = 1;
  set_line(array, scan, lines);
  if (scan->indexed) lines->index_step = index_stride(array, array->axis);
  collect_axes(array, scan->indexed, lines);
  return SCAN_SUCCESS;
}

/* ---- input and output ---- */

/* Collects the axes across the lines and the line itself, with positive output strides, the smallest first. */
static uint32_t all_axes(const array_lines *lines, array_axis axes[SCAN_ARRAY_MAX_AXES]) {
  uint32_t count = 0;
  for (uint64_t a = 0; a < lines->axes; a++) axes[count++] = lines->axis[a];
  if (lines->n == 1) return count;
  array_axis line = { lines->n, lines->in_step, lines->out_step, 0 };
  if (line.out_stride < 0) line = (array_axis){ line.extent, -line.in_stride, -line.out_stride, 0 };
  uint32_t at = count++;
  for (; at > 0 && axes[at - 1].out_stride > line.out_stride; at--) axes[at] = axes[at - 1];
  axes[at] = line;
  return count;
}

/* 1 if two elements of one lattice share a byte when one copy of it is moved by `distance`. Tries the largest strides
 * first: only the multiples next to the remaining distance can meet. */
static int lattices_meet(const array_axis *axes, uint32_t count, int64_t distance, uint64_t bytes) {
  if (count == 0) return magnitude(distance) < bytes;
  const array_axis *axis = &axes[count - 1];
  const int64_t most = (int64_t)axis->extent - 1, near = distance / axis->out_stride;
  for (int64_t d = near - 1; d <= near + 1; d++)
    if (d >= -most && d <= most && lattices_meet(axes, count - 1, distance - d * axis->out_stride, bytes)) return 1;
  return 0;
}

static uint64_t divisor_of(uint64_t a, uint64_t b) {
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* 1 if the input and output are interleaved: their elements lie at different places modulo the common divisor of all
 * strides. */
static int interleaved(const array_axis *axes, uint32_t count, uint64_t in_bytes, uint64_t out_bytes,
                       int64_t distance) {
  uint64_t period = 0;
  for (uint32_t a = 0; a < count; a++)
    period = divisor_of(divisor_of(period, magnitude(axes[a].in_stride)), magnitude(axes[a].out_stride));
  if (period == 0) return 0;
  const uint64_t rest = magnitude(distance) % period, place = distance < 0 && rest ? period - rest : rest;
  return place >= in_bytes && period - place >= out_bytes;
}

int scan_array_relation(const array_lines *lines, uint64_t in_bytes, uint64_t out_bytes, int64_t distance) {
  array_axis axes[SCAN_ARRAY_MAX_AXES];
  const uint32_t count = all_axes(lines, axes);
  int same = in_bytes == out_bytes && !lines->is_total;
  for (uint32_t a = 0; a < count; a++) same = same && axes[a].in_stride == axes[a].out_stride;
  if (same && distance == 0) return 1;
  if (lines->in.end - lines->out.first <= distance || distance <= lines->in.first - lines->out.end) return 0;
  if (same && !lattices_meet(axes, count, distance, in_bytes)) return 0;
  return interleaved(axes, count, in_bytes, out_bytes, distance) ? 0 : -1;
}

uint32_t scan_array_reaching_axis(const scan_array *array, const int64_t *strides, int side) {
  uint32_t most = 0;
  int64_t furthest = -1;
  for (uint32_t a = 0; a < array->ndim; a++) {
    const int64_t reach = last_of(array->shape[a], strides[a]) * side;
    if (array->shape[a] > 1 && reach > furthest) {
      furthest = reach;
      most = a;
    }
  }
  return most;
}

int scan_array_is_dense(const array_lines *lines, uint64_t out_bytes) {
  const uint64_t outputs = lines->is_total ? lines->lines : lines->n * lines->lines;
  return outputs * out_bytes == (uint64_t)(lines->out.end - lines->out.first);
}

/* ---- kernels ---- */

void scan_array_words(const array_lines *lines, uint64_t order_bytes, uint32_t sharers, uint64_t words[ARRAY_WORDS]) {
  const uint64_t vector_items = canon_vector_items(order_bytes);
  uint64_t lanes = 1;
  while (lanes < 32 && lanes * vector_items < lines->n) lanes *= 2;
  memset(words, 0, ARRAY_WORDS * sizeof *words);
  words[ARRAY_WORD_COUNT] = lines->lines;
  words[ARRAY_WORD_AXES] = lines->axes;
  words[ARRAY_WORD_IN_STEP] = (uint64_t)lines->in_step;
  words[ARRAY_WORD_OUT_STEP] = (uint64_t)lines->out_step;
  words[ARRAY_WORD_SUBTILES] = canon_subtiles(lines->n, order_bytes);
  words[ARRAY_WORD_LANES] = lanes;
  words[ARRAY_WORD_SHARERS] = sharers;
  memcpy(words + ARRAY_WORD_AXIS, lines->axis, lines->axes * sizeof lines->axis[0]);
}
