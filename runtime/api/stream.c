/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of host data chunk by chunk: the calls, and their checks before anything is allocated. */
#include <inttypes.h>

#include "api/stream.h"
#include "base/structs.h"
#include "ops/scan/operands.h"
#include "ops/scan/validate.h"

/* CHUNK_BYTES: a copy engine needs some megabytes at a time for its full speed. Larger chunks cost time, because the
 * first copy in and the last copy out overlap with nothing. */
enum { CHUNK_BYTES = 32 << 20, CHUNK_ROUND_ITEMS = 4096 };

static scan_status check_options(scan_ctx *ctx, const scan_stream_options *options, scan_stream_options *checked) {
  *checked = (scan_stream_options)SCAN_STREAM_OPTIONS_INIT;
  if (options == NULL) return SCAN_SUCCESS;
  return scan_struct_copy_in(SCAN_STRUCT_scan_stream_options, checked, options, "options", &ctx->error);
}

/* Sets the number of elements in a chunk by the options, the device memory that they allow, and words of bits. */
static scan_status check_chunk(stream *s) {
  scan_ctx *ctx = s->ctx;
  const uint64_t in = s->item_bytes[STREAM_IN], out = s->item_bytes[STREAM_OUT], wide = in > out ? in : out;
  const uint64_t slot_item = (s->in_place ? wide : in + out) + s->item_bytes[STREAM_MARKS];
  const uint64_t fit = s->options.device_bytes ? s->options.device_bytes / STREAM_SLOTS / slot_item : UINT64_MAX;
  uint64_t items = s->options.chunk_items;
  if (fit == 0)
    FAIL_INVALID("options->device_bytes is %" PRIu64 ": a stream needs at least %" PRIu64, s->options.device_bytes,
                 STREAM_SLOTS * slot_item);
  if (items > fit) items = fit;
  if (items == 0) {
    items = CHUNK_BYTES / wide < fit ? CHUNK_BYTES / wide : fit;
    if (items > CHUNK_ROUND_ITEMS) items -= items % CHUNK_ROUND_ITEMS;
  }
  const int by_words = s->problem.segments.kind == SCAN_SEGMENTS_BITS && s->offsets.kind == SCAN_SEGMENTS_NONE;
  if (items < s->n && by_words) items -= items % STREAM_BITS_A_WORD; /* a chunk begins with a word of bits */
  if (items == 0)
    FAIL_INVALID("options: chunks of at least %d elements are needed with SCAN_SEGMENTS_BITS", STREAM_BITS_A_WORD);
  s->chunk_items = items < s->n ? items : s->n;
  s->chunks = s->chunk_items == 0 ? 0 : s->n / s->chunk_items + (s->n % s->chunk_items != 0);
  return SCAN_SUCCESS;
}

/* Refuses a strategy without carries, which chain the chunks. */
static scan_status check_chained(stream *s) {
  scan_problem chained = s->problem;
  chained.carry_in = chained.carry_out = scan_mem_of_device(s->ctx, NULL, 0);
  return scan_strategy_check(s->ctx, s->strategy, &chained, "scan_stream chains its chunks by carries; ");
}

static scan_status check_spec(stream *s, const scan_spec *spec) {
  scan_ctx *ctx = s->ctx;
  const scan_stream_options *o = &s->options;
  scan_args args = SCAN_ARGS_INIT(scan_host(s->memory[STREAM_IN]), scan_host(s->memory[STREAM_OUT]));
  args.marks = o->marks;
  args.mark_count = o->mark_count;
  args.carry_in = o->carry_in;
  args.carry_out = o->carry_out;
  SCAN_TRY(scan_spec_check(ctx, spec, &s->problem, &s->strategy));
  SCAN_TRY(scan_reads_n_refuse(ctx, &s->problem, "a stream's n is its file's or its buffer's, on the host; give n"));
  SCAN_TRY(scan_members_refuse(ctx, &s->problem, "a stream reads and writes one array; scan device memory"));
  SCAN_TRY(scan_args_copy_in(ctx, s->strategy, s->n, &args, &s->problem));
  SCAN_TRY(scan_count_check(ctx, &s->problem, s->n, "n"));
  if (s->problem.kind == SCAN_TOTAL)
    FAIL_UNSUPPORTED(
        "scan_stream has inclusive and exclusive scans only: of an inclusive one, options->carry_out is the total");
  SCAN_TRY(scan_stream_check_marks(s));
  SCAN_TRY(check_chained(s));
  s->backward = (int)(s->problem.backward | s->problem.reversed);
  s->item_bytes[STREAM_IN] = scan_problem_input_bytes(&s->problem);
  s->item_bytes[STREAM_OUT] = scan_problem_output_bytes(&s->problem);
  s->in_place = s->item_bytes[STREAM_IN] == s->item_bytes[STREAM_OUT];
  return check_chunk(s);
}

static scan_status check_sides(stream *s) {
  scan_ctx *ctx = s->ctx;
  scan_problem given = s->problem;
  scan_operands operands = { .problem = &given,
                             .in = scan_host(s->memory[STREAM_IN]),
                             .out = scan_host(s->memory[STREAM_OUT]),
                             .n = s->n,
                             .is_stream = 1 };
  if ((operands.in.handle == NULL) == (s->options.read == NULL))
    FAIL_INVALID("scan_stream: the input comes from `in` or from options->read, one of them");
  if ((operands.out.handle == NULL) == (s->options.write == NULL))
    FAIL_INVALID("scan_stream: the results go to `out` or to options->write, one of them");
  if (s->offsets.kind != SCAN_SEGMENTS_NONE) given.segments = s->offsets;
  SCAN_TRY(scan_operands_check(ctx, &operands, 1));
  s->problem.carry_in = given.carry_in;
  s->problem.carry_out = given.carry_out;
  return SCAN_SUCCESS;
}

static const scan_transfer_ops *transfer_of(const scan_ctx *ctx) {
  switch (ctx->ops->id) {
  case SCAN_BACKEND_CUDA: return &scan_transfer_cuda;
  case SCAN_BACKEND_OPENCL: return &scan_transfer_opencl;
  default: return NULL;
  }
}

/* Executes a stream of no elements: carry_out becomes carry_in, or the seed. */
static scan_status pass_carry(const stream *s, const scan_spec *spec) {
  scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(NULL));
  args.carry_in = s->problem.carry_in;
  args.carry_out = s->problem.carry_out;
  return scan_run_args(s->ctx, spec, 0, &args);
}

scan_status scan_stream(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const void *in, void *out,
                        const scan_stream_options *options) {
  stream s = { .ctx = ctx, .n = n, .memory = { scan_host(in).handle, out }, .overflow_at = UINT64_MAX };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_stream"));
  SCAN_TRY(check_options(ctx, options, &s.options));
  SCAN_TRY(check_spec(&s, spec));
  if (n == 0) return pass_carry(&s, spec);
  s.ops = transfer_of(ctx);
  SCAN_TRY(check_sides(&s));
  return scan_stream_do(&s);
}

scan_status scan_stream_chunk(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_stream_options *options,
                              uint64_t *items) {
  stream s = { .ctx = ctx, .n = n };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_stream_chunk"));
  if (items == NULL) FAIL_INVALID("scan_stream_chunk: items is NULL");
  SCAN_TRY(check_options(ctx, options, &s.options));
  SCAN_TRY(check_spec(&s, spec));
  *items = s.chunk_items > 0 ? s.chunk_items : 1;
  return SCAN_SUCCESS;
}

scan_status scan_stream_pin(scan_ctx *ctx, void *memory, uint64_t bytes) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_stream_pin"));
  if (memory == NULL || bytes == 0)
    FAIL_INVALID("scan_stream_pin: %s", memory == NULL ? "memory is NULL" : "bytes is 0");
  const scan_transfer_ops *ops = transfer_of(ctx);
  return ops != NULL && ops->pin != NULL ? ops->pin(ctx->device, memory, bytes, &ctx->error) : SCAN_SUCCESS;
}

scan_status scan_stream_unpin(scan_ctx *ctx, void *memory) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_stream_unpin"));
  if (memory == NULL) FAIL_INVALID("scan_stream_unpin: memory is NULL");
  const scan_transfer_ops *ops = transfer_of(ctx);
  return ops != NULL && ops->unpin != NULL ? ops->unpin(ctx->device, memory, &ctx->error) : SCAN_SUCCESS;
}
