/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan of one line, by a plan or by a call, or through a stream. */
#include "half.h"
#include "reference.h"
#include "scans.h"
#include "sides.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { CARRY_BYTES = 8 };

/* The memory of a run, and what must come. */
typedef struct line {
  fuzz_memory in, out, marks, carries;
  uint64_t out_items, mark_count;
  unsigned char *want;
  scan_value want_carry;
  uint64_t overflow;
} line;

/* ---- marks ---- */

static void make_flags(scan_job *job, line *l) {
  l->marks = fuzz_take(job->n, job->in_shift);
  for (uint64_t i = 0; i < job->n; i++)
    l->marks.data[i] = (unsigned char)(job->heads[i] ? 1 + rng_below(&job->rng, 255) : 0);
}

static void make_bits(scan_job *job, line *l) {
  l->marks = fuzz_take((job->n + 31) / 32 * 4, 4 * (uint64_t)job->in_shift);
  memset(l->marks.data, 0xff, (size_t)l->marks.bytes); /* what lies past n is set */
  for (uint64_t i = 0; i < job->n; i++)
    if (!job->heads[i]) l->marks.data[i / 8] = (unsigned char)(l->marks.data[i / 8] & ~(1u << i % 8));
}

/* Keys say where segments begin: more are made than the heads are, and some are not. */
static void make_keys(scan_job *job, line *l) {
  const scan_type type = job->spec.key_type;
  const uint64_t bytes = scan_type_bytes(type);
  l->marks = fuzz_take(job->n * bytes, job->in_shift * bytes);
  for (uint64_t i = 0; i < job->n; i++)
    if (job->heads[i])
      key_write(&job->rng, type, l->marks.data + i * bytes);
    else
      memcpy(l->marks.data + i * bytes, l->marks.data + (i - 1) * bytes, (size_t)bytes);
  for (uint64_t i = 1; i < job->n; i++) job->heads[i] = (uint8_t)key_differs(type, l->marks.data, i);
}

/* Some segments are empty. */
static void make_offsets(scan_job *job, line *l) {
  const uint64_t bytes = scan_type_bytes(job->spec.key_type);
  uint64_t *offsets = reference_alloc((2 * (size_t)job->n + 2) * sizeof *offsets), count = 0;
  for (uint64_t i = 0; i < job->n; i++)
    for (uint64_t again = job->heads[i] ? 1 + (rng_below(&job->rng, 8) == 0) : 0; again > 0; again--)
      offsets[count++] = i;
  offsets[count] = job->n;
  l->marks = fuzz_take((count + 1) * bytes, job->in_shift * bytes);
  for (uint64_t i = 0; i <= count; i++) memcpy(l->marks.data + i * bytes, &offsets[i], (size_t)bytes);
  l->mark_count = count;
  free(offsets);
}

static void make_marks(scan_job *job, line *l) {
  l->mark_count = job->spec.segments ? job->n : 0;
  switch (job->spec.segments) {
  case SCAN_SEGMENTS_FLAGS: make_flags(job, l); break;
  case SCAN_SEGMENTS_BITS: make_bits(job, l); break;
  case SCAN_SEGMENTS_KEYS: make_keys(job, l); break;
  case SCAN_SEGMENTS_OFFSETS: make_offsets(job, l); break;
  default: break;
  }
}

/* ---- carries ---- */

/* In segments, of integers alone: of floating point the oracle would have to know where tiles end. */
static void choose_carries(scan_job *job, fuzz_input *in) {
  const int is_float = reference_is_float(job->spec.type), may_take = !is_float || job->heads == NULL;
  if (half_is(job->spec.type)) return;
  job->has_carry_out = fuzz_rarely(in, 4);
  job->has_carry_in = may_take && (!job->spec.has_init || job->heads != NULL) && fuzz_rarely(in, 4);
  job->carry = values_init(&job->rng, job->spec.type, job->spec.op);
  const int may_mark = job->spec.segments == SCAN_SEGMENTS_FLAGS || job->spec.segments == SCAN_SEGMENTS_BITS;
  const int is_marked = may_mark && !(job->spec.flags & SCAN_BACKWARD) && fuzz_rarely(in, 2);
  job->continues = job->heads != NULL && !is_marked;
  if (job->heads != NULL && may_mark && job->n > 0) job->heads[0] = (uint8_t)is_marked;
}

/* ---- a run ---- */

static void take_memory(scan_job *job, line *l) {
  const uint64_t bytes = job->n * job->in_bytes;
  l->out_items = job->spec.kind == SCAN_TOTAL ? 1 : job->n;
  if (job->in_bytes != job->out_bytes || job->spec.kind == SCAN_TOTAL) job->in_place = 0;
  l->in = fuzz_take(bytes, job->in_shift * job->in_bytes);
  memcpy(l->in.data, job->in, (size_t)bytes);
  l->out = fuzz_take(l->out_items * job->out_bytes, job->out_shift * job->out_bytes);
  l->carries = fuzz_take((uint64_t)2 * CARRY_BYTES, 0);
  memcpy(l->carries.data, &job->carry, CARRY_BYTES);
  l->want = reference_alloc((size_t)l->out.bytes + 8);
  l->overflow = scans_expect(job, l->want, &l->want_carry);
}

static scan_args args_of(const scan_job *job, const line *l) {
  scan_args args = SCAN_ARGS_INIT(scan_host(l->in.data), scan_host(job->in_place ? l->in.data : l->out.data));
  if (job->heads != NULL) args.marks = scan_host(l->marks.data);
  args.mark_count = l->mark_count;
  if (job->has_carry_in) args.carry_in = scan_host(l->carries.data);
  if (job->has_carry_out) args.carry_out = scan_host(l->carries.data + CARRY_BYTES);
  return args;
}

/* Says what was scanned, and fails. */
static void fail_line(const scan_job *job, const char *what, const char *why, uint64_t at) {
  char text[TEST_TEXT];
  fuzz_fail("%s: %s, flags=%u segments=%d keys=%d n=%llu carry=%d to %d, continues=%d in_place=%d: %s (%llu)", what,
            test_spec_text(&job->spec, text), job->spec.flags, (int)job->spec.segments, (int)job->spec.key_type,
            (unsigned long long)job->n, job->has_carry_in, job->has_carry_out, job->continues, job->in_place, why,
            (unsigned long long)at);
}

static void check_line(const scan_job *job, const line *l, const char *what) {
  const unsigned char *out = job->in_place ? l->in.data : l->out.data, *left = l->carries.data + CARRY_BYTES;
  const uint64_t at = l->out_items ? reference_mismatch(job->spec.type, l->out_items, out, l->want) : 0;
  if (at != l->out_items) fail_line(job, what, "an element is wrong", at);
  if (!job->in_place && memcmp(l->in.data, job->in, (size_t)l->in.bytes) != 0)
    fail_line(job, what, "the input has changed", 0);
  if (job->has_carry_out && reference_mismatch(job->spec.type, 1, left, &l->want_carry) == 0)
    fail_line(job, what, "the carry that is left is wrong", 0);
  fuzz_check_margin(&l->in, what);
  fuzz_check_margin(&l->out, what);
}

static void check_overflow(const scan_job *job, const line *l, scan_status status, const char *what) {
  uint64_t at = UINT64_MAX;
  if (l->overflow == UINT64_MAX) {
    fuzz_done(job->ctx, status, what);
    return;
  }
  if (status != SCAN_OVERFLOW) fail_line(job, what, "an element leaves its type, and nobody says so", l->overflow);
  fuzz_done(job->ctx, scan_overflow_index(job->ctx, &at), "scan_overflow_index");
  if (job->spec.flags & SCAN_BACKWARD && at < job->n) at = job->n - 1 - at; /* its place in the order of the scan */
  if (at != l->overflow && job->spec.kind != SCAN_TOTAL)
    fail_line(job, what, "another element leaves its type", l->overflow);
}

static void free_line(line *l) {
  free(l->in.begin);
  free(l->out.begin);
  free(l->marks.begin);
  free(l->carries.begin);
  free(l->want);
}

/* A plan for more elements than there are, or just as many. */
static scan_status run_plan(scan_job *job, fuzz_input *in, const scan_args *args) {
  scan_plan *plan = NULL;
  const uint64_t most = job->n + fuzz_below(in, 3) + (job->n == 0);
  fuzz_done(job->ctx, scan_plan_create(job->ctx, &job->spec, most, &plan), "scan_plan_create");
  scan_status status = scan_plan_run_args(plan, job->n, args);
  if (status == SCAN_SUCCESS) status = scan_sync(job->ctx);
  scan_plan_destroy(plan);
  return status;
}

void scans_run_line(scan_job *job, fuzz_input *in) {
  line l = { .mark_count = 0 };
  choose_carries(job, in);
  make_marks(job, &l);
  take_memory(job, &l);
  const scan_args args = args_of(job, &l);
  const int by_plan = fuzz_rarely(in, 2);
  const scan_status status = by_plan ? run_plan(job, in, &args) : scan_run_args(job->ctx, &job->spec, job->n, &args);
  check_overflow(job, &l, status, by_plan ? "scan_plan_run_args" : "scan_run_args");
  check_line(job, &l, by_plan ? "scan_plan_run_args" : "scan_run_args");
  free_line(&l);
}

/* ---- streams ---- */

static int stream_read(void *user, uint64_t first, uint64_t items, void *to) {
  const scan_job *job = user;
  memcpy(to, job->in + first * job->in_bytes, (size_t)(items * job->in_bytes));
  return 0;
}

/* Of floating point one chunk: the bits of several depend on their size. */
void scans_run_stream(scan_job *job, fuzz_input *in) {
  line l = { .mark_count = 0 };
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  if (job->spec.kind == SCAN_TOTAL) job->spec.kind = SCAN_INCLUSIVE;
  choose_carries(job, in);
  make_marks(job, &l);
  take_memory(job, &l);
  const scan_args args = args_of(job, &l);
  options.marks = args.marks;
  options.mark_count = args.mark_count;
  options.carry_in = args.carry_in;
  options.carry_out = args.carry_out;
  if (!reference_is_float(job->spec.type)) options.chunk_items = fuzz_below(in, 2000);
  if (!reference_is_float(job->spec.type) && fuzz_rarely(in, 4)) options.device_bytes = fuzz_number(in, 3);
  if (options.chunk_items != 0 && job->spec.segments == SCAN_SEGMENTS_BITS) options.chunk_items += 32; /* at least */
  const int reads = !job->in_place && fuzz_rarely(in, 2);
  if (reads) options.read = stream_read;
  options.user = job;
  const scan_status status = scan_stream(job->ctx, &job->spec, job->n, reads ? NULL : l.in.data,
                                         job->in_place ? l.in.data : l.out.data, &options);
  if (options.device_bytes != 0 && status == SCAN_INVALID_ARGUMENT) { /* too few for a chunk */
    fuzz_refused(job->ctx, status, "scan_stream");
  } else {
    check_overflow(job, &l, status, "scan_stream");
    check_line(job, &l, "scan_stream");
  }
  free_line(&l);
}
