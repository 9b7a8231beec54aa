/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans on the host: specs valid and not, segments, carries, arrays, streams and memory as an input says. What is done
 * is compared with the oracle, byte for byte; what is no scan is refused in words, and nothing is written. */
#include "scans.h"
#include <scanrt/scan_difference.h>
#include "half.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 5000 };

/* ---- specs ---- */

/* Only what must be right for the oracle to be asked. */
static int is_valid(const scan_spec *spec) {
  const int is_keyed = spec->segments == SCAN_SEGMENTS_KEYS || spec->segments == SCAN_SEGMENTS_OFFSETS;
  if (!reference_bytes(spec->type) || spec->op < SCAN_ADD || spec->op > SCAN_XOR) return 0;
  if (spec->input_type != SCAN_TYPE_DEFAULT && !reference_bytes(spec->input_type)) return 0;
  if (!reference_defined(spec->type, spec->input_type, spec->op)) return 0;
  if ((unsigned)spec->kind > SCAN_TOTAL || spec->flags > (SCAN_BACKWARD | SCAN_CHECK_OVERFLOW)) return 0;
  if (spec->flags & SCAN_CHECK_OVERFLOW && (reference_is_float(spec->type) || spec->op > SCAN_MUL)) return 0;
  if (spec->has_init > 1 || (spec->init_bytes != NULL && !spec->has_init)) return 0;
  if ((unsigned)spec->segments > SCAN_SEGMENTS_OFFSETS || (!is_keyed && spec->key_type != 0)) return 0;
  if (spec->segments == SCAN_SEGMENTS_OFFSETS) return spec->key_type == SCAN_U32 || spec->key_type == SCAN_U64;
  return !is_keyed || reference_bytes(spec->key_type) > 0;
}

static scan_type decode_key_type(fuzz_input *in, scan_segments segments) {
  if (segments == SCAN_SEGMENTS_KEYS) return (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  if (segments == SCAN_SEGMENTS_OFFSETS) return fuzz_rarely(in, 2) ? SCAN_U32 : SCAN_U64;
  return fuzz_rarely(in, 16) ? (scan_type)fuzz_choice(in, 0, SCAN_BF16) : SCAN_TYPE_DEFAULT;
}

int scans_decode_spec(fuzz_input *in, scan_spec *spec) {
  scan_spec_init(spec, sizeof *spec);
  spec->type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  spec->input_type = (scan_type)(fuzz_rarely(in, 4) ? fuzz_choice(in, SCAN_I8, SCAN_BF16) : 0);
  spec->op = (scan_op_id)fuzz_choice(in, SCAN_ADD, SCAN_XOR);
  spec->kind = (scan_kind)fuzz_choice(in, SCAN_INCLUSIVE, SCAN_TOTAL);
  spec->flags = (uint32_t)(fuzz_rarely(in, 2) ? fuzz_choice(in, 0, SCAN_BACKWARD | SCAN_CHECK_OVERFLOW) : 0);
  spec->has_init = (uint32_t)(fuzz_rarely(in, 2) ? fuzz_choice(in, 0, 1) : 0);
  spec->init.u64 = fuzz_number(in, 8);
  spec->segments = (scan_segments)(fuzz_rarely(in, 2) ? fuzz_choice(in, SCAN_SEGMENTS_NONE, SCAN_SEGMENTS_OFFSETS) : 0);
  spec->key_type = decode_key_type(in, spec->segments);
  spec->strategy = (scan_strategy)(fuzz_rarely(in, 4) ? fuzz_choice(in, 0, SCAN_STRATEGY_LOOKBACK_CLASSIC) : 0);
  if (!is_valid(spec)) return 0;
  return spec->strategy == SCAN_STRATEGY_AUTO || spec->strategy == SCAN_STRATEGY_THREADS ? 1 : -1;
}

/* ---- elements ---- */

/* As the input has them, over and over; or by chance, so that results do not stop changing. */
static void fill_elements(scan_job *job, fuzz_input *in) {
  const uint64_t bytes = job->n * job->in_bytes;
  const unsigned how = fuzz_byte(in) % 4;
  if (how == 0) {
    for (uint64_t i = 0; i < bytes; i++) job->in[i] = in->left > 0 ? in->at[i % in->left] : (unsigned char)i;
  } else if (how == 1 && (job->input_type == SCAN_F32 || job->input_type == SCAN_F64)) {
    values_special(&job->rng, job->input_type, fuzz_byte(in), job->n, job->in);
  } else if (half_is(job->input_type)) {
    for (uint64_t i = 0; i < bytes; i++) job->in[i] = (unsigned char)rng_next(&job->rng);
  } else {
    values_fill(&job->rng, job->input_type, job->spec.op, job->n, job->n, job->in);
  }
}

void scans_fill(scan_job *job, fuzz_input *in) {
  const unsigned every = 1u << fuzz_byte(in) % 12;
  job->rng.state = fuzz_number(in, 2);
  job->in = reference_alloc((size_t)(job->n * job->in_bytes) + 1);
  job->heads = job->spec.segments ? reference_alloc((size_t)job->n + 1) : NULL;
  for (uint64_t i = 0; job->heads != NULL && i < job->n; i++) job->heads[i] = rng_below(&job->rng, every) == 0;
  if (job->heads != NULL && job->n > 0) job->heads[0] = 1;
  fill_elements(job, in);
}

/* ---- differences ---- */

static void expect_difference(const scan_job *job, unsigned char *out) {
  const int is_backward = (job->spec.flags & SCAN_BACKWARD) != 0;
  const uint64_t bytes = job->in_bytes, mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
  for (uint64_t i = 0; i < job->n; i++) {
    uint64_t x = 0, before = 0;
    memcpy(&x, job->in + i * bytes, (size_t)bytes);
    if (is_backward ? i + 1 < job->n : i > 0)
      memcpy(&before, job->in + (is_backward ? i + 1 : i - 1) * bytes, (size_t)bytes);
    x = (x - before) & mask;
    memcpy(out + i * bytes, &x, (size_t)bytes);
  }
}

/* Of integers, as wide as the elements that there are; the spec is a sum's. */
static void run_difference(scan_job *job) {
  job->spec = (scan_spec)SCAN_SPEC_INIT(job->input_type, SCAN_ADD, SCAN_INCLUSIVE);
  if (reference_is_float(job->spec.type)) return;
  job->spec.flags = job->in_shift % 2 ? SCAN_BACKWARD : 0;
  const uint64_t bytes = job->n * job->in_bytes;
  fuzz_memory from = fuzz_take(bytes, job->in_shift * job->in_bytes),
              to = fuzz_take(bytes, job->out_shift * job->in_bytes);
  unsigned char *want = reference_alloc((size_t)bytes + 1);
  memcpy(from.data, job->in, (size_t)bytes);
  expect_difference(job, want);
  const scan_mem memory = scan_host(from.data), out = job->in_place ? memory : scan_host(to.data);
  fuzz_done(job->ctx, scan_adjacent_difference(job->ctx, &job->spec, job->n, memory, out), "scan_adjacent_difference");
  if (memcmp(job->in_place ? from.data : to.data, want, (size_t)bytes) != 0) fuzz_fail("a difference is wrong");
  fuzz_check_margin(&to, "differences");
  fuzz_check_margin(&from, "differences");
  free(want);
  free(to.begin);
  free(from.begin);
}

/* ---- an input ---- */

static void refuse(scan_ctx *ctx, const scan_spec *spec, int validity) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(ctx, spec, 100, &plan);
  if (status == SCAN_SUCCESS && validity == 0) fuzz_fail("a plan is made for what is no spec");
  if (status != SCAN_SUCCESS) fuzz_refused(ctx, status, "scan_plan_create");
  if (status != SCAN_SUCCESS && plan != NULL) fuzz_fail("a plan that is refused is set");
  scan_plan_destroy(plan);
}

static void run_job(fuzz_input *in) {
  scan_job job = { .ctx = fuzz_one_of_contexts(in) };
  const unsigned way = fuzz_byte(in) % 16;
  const int validity = scans_decode_spec(in, &job.spec);
  if (validity != 1) {
    refuse(job.ctx, &job.spec, validity);
    return;
  }
  job.input_type = job.spec.input_type ? job.spec.input_type : job.spec.type;
  job.in_bytes = scan_type_bytes(job.input_type);
  job.out_bytes = scan_type_bytes(job.spec.type);
  job.n = fuzz_items(in, MOST_ITEMS);
  job.in_shift = (uint32_t)fuzz_below(in, 17);
  job.out_shift = (uint32_t)fuzz_below(in, 17);
  job.in_place = fuzz_rarely(in, 4);
  scans_fill(&job, in);
  if (way < 8)
    scans_run_line(&job, in);
  else if (way < 10)
    scans_run_stream(&job, in);
  else if (way < 15)
    scans_run_array(&job, in);
  else
    run_difference(&job);
  free(job.heads);
  free(job.in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  if (fuzz_rarely(&in, 4))
    scans_run_wild(&in);
  else
    run_job(&in);
  return 0;
}
