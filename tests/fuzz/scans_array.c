/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans along an axis of arrays, whose strides leave gaps, run backward or are in any order; each line against the
 * oracle. Arrays that are none are refused. */
#include <scanrt/scan_array.h>

#include "reference.h"
#include "scans.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 5000 };

/* One side's memory: where the element with indices 0 lies. */
typedef struct side_of_array {
  fuzz_memory memory;
  uint64_t start;
  int64_t *strides;
} side_of_array;

/* Axes in an order by chance, each with a gap behind or not, some turned round. Returns the bytes from the first
 * element to the last one's end; *start is where the element 0 lies in them. */
static uint64_t choose_strides(scan_job *job, fuzz_input *in, const scan_array *a, uint64_t bytes, int64_t *strides,
                               uint64_t *start) {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  uint64_t stride = bytes, span = bytes;
  const unsigned gaps = fuzz_byte(in), turned = fuzz_byte(in);
  *start = 0;
  for (uint32_t i = 0; i < a->ndim; i++) order[i] = a->ndim - 1 - i;
  for (uint32_t i = a->ndim; i > 1 && gaps % 2; i--) {
    const uint32_t other = (uint32_t)rng_below(&job->rng, i), kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
  for (uint32_t i = 0; i < a->ndim; i++) {
    const uint64_t length = a->shape[order[i]], reach = length > 0 ? (length - 1) * stride : 0;
    const int is_turned = turned >> i & 1;
    strides[order[i]] = is_turned ? -(int64_t)stride : (int64_t)stride;
    if (is_turned) *start += reach;
    span += reach;
    stride = stride * (length ? length : 1) + (gaps >> (i % 7 + 1) & 1) * bytes;
  }
  return span;
}

/* ---- elements ---- */

/* The bytes from element 0 to the element of that number, in C order. */
static int64_t offset_of(const scan_array *a, const int64_t *strides, uint64_t number) {
  int64_t offset = 0;
  for (uint32_t i = a->ndim; i-- > 0; number /= a->shape[i]) offset += (int64_t)(number % a->shape[i]) * strides[i];
  return offset;
}

/* Elements from one of a line to the next, in C order. */
static uint64_t pitch_of(const scan_array *a) {
  uint64_t pitch = 1;
  for (uint32_t i = a->axis + 1; i < a->ndim; i++) pitch *= a->shape[i];
  return pitch;
}

/* Every line, gathered, scanned and put back; job->in and job->heads are in C order. */
static uint64_t expect_lines(const scan_job *job, const scan_array *a, unsigned char *want) {
  const uint64_t pitch = pitch_of(a), length = a->shape[a->axis];
  uint64_t overflow = UINT64_MAX;
  scan_job line = *job;
  scan_value carry;
  line.n = length;
  line.in = reference_alloc((size_t)(length * job->in_bytes));
  unsigned char *out = reference_alloc((size_t)(length * job->out_bytes));
  line.heads = job->heads != NULL ? reference_alloc((size_t)length) : NULL;
  for (uint64_t l = 0; l < job->n / length; l++) {
    const uint64_t first = l / pitch * pitch * length + l % pitch;
    for (uint64_t i = 0; i < length; i++) {
      memcpy(line.in + i * job->in_bytes, job->in + (first + i * pitch) * job->in_bytes, (size_t)job->in_bytes);
      if (line.heads != NULL) line.heads[i] = i == 0 || job->heads[first + i * pitch];
    }
    if (scans_expect(&line, out, &carry) != UINT64_MAX) overflow = 0;
    for (uint64_t i = 0; i < length; i++)
      memcpy(want + (first + i * pitch) * job->out_bytes, out + i * job->out_bytes, (size_t)job->out_bytes);
  }
  free(line.heads);
  free(line.in);
  free(out);
  return overflow;
}

/* What is in the output where it belongs, and that all else is poison, or the input. */
static void check_output(const scan_job *job, const scan_array *a, const side_of_array *to, const unsigned char *want,
                         const unsigned char *before) {
  unsigned char *expected = reference_alloc((size_t)to->memory.bytes + 1),
                *got = reference_alloc((size_t)(job->n * job->out_bytes) + 1);
  memcpy(expected, before, (size_t)to->memory.bytes);
  for (uint64_t i = 0; i < job->n; i++) {
    const int64_t at = (int64_t)to->start + offset_of(a, to->strides, i);
    memcpy(got + i * job->out_bytes, to->memory.data + at, (size_t)job->out_bytes);
    memcpy(expected + at, to->memory.data + at, (size_t)job->out_bytes);
  }
  const uint64_t at = reference_mismatch(job->spec.type, job->n, got, want);
  if (at != job->n)
    fuzz_fail("scan_run_array: element %llu of %llu is wrong", (unsigned long long)at, (unsigned long long)job->n);
  if (memcmp(expected, to->memory.data, (size_t)to->memory.bytes) != 0)
    fuzz_fail("a byte between the elements has changed");
  free(got);
  free(expected);
}

/* ---- a run ---- */

static void shape_of(scan_job *job, fuzz_input *in, scan_array *a) {
  uint64_t left = MOST_ELEMENTS;
  a->ndim = 1 + (uint32_t)fuzz_below(in, 5);
  a->axis = (uint32_t)fuzz_below(in, a->ndim);
  job->n = 1;
  for (uint32_t i = 0; i < a->ndim; i++) {
    a->shape[i] = 1 + fuzz_below(in, left < 200 ? left : 200);
    left /= a->shape[i];
    job->n *= a->shape[i];
  }
}

/* Flags or bits for each element, in C order. */
static fuzz_memory make_marks(const scan_job *job, scan_args *args) {
  const int are_bits = job->spec.segments == SCAN_SEGMENTS_BITS;
  fuzz_memory marks = fuzz_take(are_bits ? (job->n + 31) / 32 * 4 : job->n, 0);
  memset(marks.data, 0, (size_t)marks.bytes);
  for (uint64_t i = 0; i < job->n && job->heads != NULL; i++) {
    if (!are_bits) marks.data[i] = job->heads[i];
    if (are_bits) marks.data[i / 8] = (unsigned char)(marks.data[i / 8] | (job->heads[i] != 0) << i % 8);
  }
  if (job->heads == NULL) return marks;
  args->marks = scan_host(marks.data);
  args->mark_count = job->n;
  return marks;
}

static scan_status run(scan_job *job, fuzz_input *in, const scan_array *a, const scan_args *args) {
  scan_plan *plan = NULL;
  if (fuzz_rarely(in, 2)) return scan_run_array_args(job->ctx, &job->spec, a, args);
  fuzz_done(job->ctx, scan_plan_create_array(job->ctx, &job->spec, a, &plan), "scan_plan_create_array");
  scan_status status = scan_plan_run_args(plan, job->n, args);
  if (status == SCAN_SUCCESS) status = scan_sync(job->ctx);
  scan_plan_destroy(plan);
  return status;
}

static void run_array(scan_job *job, fuzz_input *in, scan_array *a) {
  side_of_array from = { .strides = a->in_strides }, to = { .strides = a->out_strides };
  from.memory = fuzz_take(choose_strides(job, in, a, job->in_bytes, a->in_strides, &from.start), 0);
  for (uint64_t i = 0; i < job->n; i++)
    memcpy(from.memory.data + (int64_t)from.start + offset_of(a, a->in_strides, i), job->in + i * job->in_bytes,
           (size_t)job->in_bytes);
  if (job->in_place) {
    memcpy(a->out_strides, a->in_strides, sizeof a->out_strides);
    to.memory = from.memory;
    to.start = from.start;
  } else {
    to.memory = fuzz_take(choose_strides(job, in, a, job->out_bytes, a->out_strides, &to.start), 0);
  }
  unsigned char *want = reference_alloc((size_t)(job->n * job->out_bytes)),
                *before = reference_alloc((size_t)to.memory.bytes);
  memcpy(before, to.memory.data, (size_t)to.memory.bytes);
  const uint64_t overflow = expect_lines(job, a, want);
  scan_args args = SCAN_ARGS_INIT(scan_host(from.memory.data + from.start), scan_host(to.memory.data + to.start));
  const fuzz_memory marks = make_marks(job, &args);
  const scan_status status = run(job, in, a, &args);
  if (overflow == UINT64_MAX) fuzz_done(job->ctx, status, "a scan of an array");
  if (overflow != UINT64_MAX && status != SCAN_OVERFLOW)
    fuzz_fail("an overflow is not told: %s", scan_status_name(status));
  check_output(job, a, &to, want, before);
  free(marks.begin);
  free(before);
  free(want);
  if (!job->in_place) free(to.memory.begin);
  free(from.memory.begin);
}

/* Any numbers: nothing is run, for what of it is an array may be of any size. */
static void refuse_array(scan_job *job, fuzz_input *in, scan_array *a) {
  scan_plan *plan = NULL;
  a->ndim = (uint32_t)fuzz_choice(in, 1, SCAN_ARRAY_MAX_AXES);
  a->axis = (uint32_t)fuzz_choice(in, 0, SCAN_ARRAY_MAX_AXES);
  for (uint32_t i = 0; i < SCAN_ARRAY_MAX_AXES; i++) {
    a->shape[i] = fuzz_number(in, fuzz_rarely(in, 4) ? 8 : 1);
    a->in_strides[i] = (int64_t)fuzz_number(in, fuzz_rarely(in, 4) ? 8 : 2);
    a->out_strides[i] = (int64_t)fuzz_number(in, fuzz_rarely(in, 4) ? 8 : 2);
  }
  const scan_status status = scan_plan_create_array(job->ctx, &job->spec, a, &plan);
  if (status == SCAN_SUCCESS && (a->ndim < 1 || a->ndim > SCAN_ARRAY_MAX_AXES || a->axis >= a->ndim))
    fuzz_fail("axis %u of %u is accepted", a->axis, a->ndim);
  if (status != SCAN_SUCCESS && plan != NULL) fuzz_fail("a plan that is refused is set");
  if (status != SCAN_SUCCESS && status != SCAN_OUT_OF_MEMORY) fuzz_refused(job->ctx, status, "scan_plan_create_array");
  scan_plan_destroy(plan);
}

void scans_run_array(scan_job *job, fuzz_input *in) {
  scan_array a = SCAN_ARRAY_INIT;
  job->spec.strategy = SCAN_STRATEGY_AUTO;
  if (job->spec.kind == SCAN_TOTAL) job->spec.kind = SCAN_EXCLUSIVE;
  if (job->spec.segments > SCAN_SEGMENTS_BITS) {
    job->spec.segments = SCAN_SEGMENTS_FLAGS;
    job->spec.key_type = SCAN_TYPE_DEFAULT;
  }
  if (fuzz_rarely(in, 4)) {
    refuse_array(job, in, &a);
    return;
  }
  shape_of(job, in, &a);
  free(job->in);
  free(job->heads);
  scans_fill(job, in);
  if (job->in_bytes != job->out_bytes) job->in_place = 0;
  run_array(job, in, &a);
}
