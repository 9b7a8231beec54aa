/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_buffers.c @brief The pairs of input and output buffers on which a case is measured. */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "data.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Over four times the last-level cache of an H200 (60 MB of L2) or of a server socket. */
static const uint64_t BEYOND_CACHES_BYTES = 256u << 20;

static uint64_t buffers_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

scan_type bench_input_type(const scan_spec *spec) {
  return spec->input_type != SCAN_TYPE_DEFAULT ? spec->input_type : spec->type;
}

uint64_t bench_item_bytes(const bench_state *bench) {
  return bench->composite ? bench->composite->value_bytes : scan_type_bytes(bench->spec.type);
}

int bench_maps(const bench_state *bench) { return bench->source && bench->source->map; }

int bench_has_plain(const bench_state *bench) {
  return bench->segments_kind || bench->request->check_overflow || bench->request->carry;
}

uint64_t bench_input_bytes(const bench_state *bench) {
  const scan_op_source *const map = source_composite_map(bench->which);
  if (bench->composite && map) return map->input_bytes;
  return bench->composite ? bench->composite->value_bytes : scan_type_bytes(bench_input_type(&bench->spec));
}

/** Lays out the buffers. Each has room for the larger of input and output, so that the copy fits too. */
static void lay_out(bench_state *bench) {
  const bench_request *r = bench->request;
  bench_buffers *b = &bench->buffers;
  uint64_t input_item_bytes = bench_input_bytes(bench);
  uint64_t item_bytes = bench_item_bytes(bench);
  b->in_bytes = bench->n * input_item_bytes;
  b->out_bytes = bench->n * item_bytes;
  b->in_lead_bytes = r->in_offset * input_item_bytes;
  b->out_lead_bytes = r->out_offset * item_bytes;
  b->stride_bytes = buffers_larger(b->in_bytes, b->out_bytes) + buffers_larger(b->in_lead_bytes, b->out_lead_bytes);
  b->stride_bytes = bench_aligned(buffers_larger(b->stride_bytes, (b->in_bytes + b->out_bytes + b->marks.bytes) / 2));
  b->pairs = r->pairs ? r->pairs : BEYOND_CACHES_BYTES / (b->in_bytes + b->out_bytes) + 1;
}

/** Fills the input with identities: repeated in place, floating-point sums and products, and composites, would
 * overflow. */
static void make_finite(const bench_state *bench, void *input) {
  size_t item_bytes = (size_t)bench_item_bytes(bench);
  scan_value identity;
  const void *from = bench->composite ? bench->composite->identity : &identity;
  if (!bench->composite) identity = reference_identity(bench->spec.type, bench->spec.op);
  for (uint64_t i = 0; i < bench->n; i++) memcpy((char *)input + i * item_bytes, from, item_bytes);
}

static int overflows_in_place(const bench_state *bench) {
  if (!bench->request->in_place) return 0;
  return bench->composite ||
         (reference_is_float(bench->spec.type) && (bench->spec.op == SCAN_ADD || bench->spec.op == SCAN_MUL));
}

/** Zeroes the parts of the input buffer that the copy reads and the scan does not. */
static scan_status buffers_clear(bench_state *bench, uint64_t from, uint64_t to) {
  bench_buffers *b = &bench->buffers;
  if (from == to) return SCAN_SUCCESS;
  memset(b->staging.host, 0, (size_t)(to - from));
  return scan_write(bench->ctx, scan_offset(b->in.mem, from), b->staging.host, to - from);
}

/** Writes the first pair's input and copies it to the others. */
static scan_status buffers_fill(bench_state *bench) {
  bench_buffers *b = &bench->buffers;
  void *input = b->input.host;
  uint64_t lead = bench->request->in_place ? b->out_lead_bytes : b->in_lead_bytes;
  scan_status status = buffers_clear(bench, 0, lead);
  if (status == SCAN_SUCCESS) status = buffers_clear(bench, lead + b->in_bytes, b->stride_bytes);
  if (overflows_in_place(bench)) make_finite(bench, input = b->staging.host);
  if (status == SCAN_SUCCESS) status = scan_write(bench->ctx, scan_offset(b->in.mem, lead), input, b->in_bytes);
  for (uint64_t filled = 1; status == SCAN_SUCCESS && filled < b->pairs; filled *= 2) {
    uint64_t more = filled < b->pairs - filled ? filled : b->pairs - filled;
    status = scan_copy(bench->ctx, scan_offset(b->in.mem, filled * b->stride_bytes), b->in.mem, more * b->stride_bytes);
  }
  return status == SCAN_SUCCESS ? scan_sync(bench->ctx) : status;
}

/** Writes the segment marks to the device and sets the spec's fields for them. */
static scan_status write_marks(bench_state *bench) {
  bench_buffers *b = &bench->buffers;
  if (!bench->segments_kind) return SCAN_SUCCESS;
  const uint64_t lead_bytes = bench->request->mark_offset * (b->marks.bytes / bench->n);
  scan_status status = bench_memory_make(bench, b->marks.bytes + lead_bytes, &b->device_marks);
  b->first_mark = scan_offset(b->device_marks.mem, lead_bytes);
  if (status == SCAN_SUCCESS) status = scan_write(bench->ctx, b->first_mark, b->marks.encoded, b->marks.bytes);
  bench->spec.segments = b->marks.kind;
  bench->spec.key_type = b->marks.key_type;
  return status;
}

/** Fills the elements. With overflow checks none overflows, since a scan that does returns an error. */
static void fill_input(bench_state *bench) {
  const data_style style = { .seed = bench->n };
  const scan_type type = bench_input_type(&bench->spec);
  if (bench->composite)
    source_operator_fill_composite(bench->which, bench->n, style.seed, bench->buffers.input.host);
  else if (bench->request->check_overflow)
    data_fill_within(type, bench->spec.type, bench->spec.op, bench->n, bench->buffers.input.host);
  else
    data_fill(type, bench->spec.op, bench->n, &style, bench->buffers.input.host);
}

int bench_buffers_make(bench_state *bench) {
  bench_buffers *b = &bench->buffers;
  *b = (bench_buffers){ 0 };
  if (bench->segments_kind && bench_marks_make(bench->segments_kind, bench->request->segment_key_type, bench->length,
                                               bench->n, &b->marks) != CLI_OK)
    return CLI_FAILED;
  lay_out(bench);
  if (b->pairs > UINT64_MAX / b->stride_bytes) return cli_fail("%" PRIu64 " pairs of buffers are too many", b->pairs);
  uint64_t bytes = b->pairs * b->stride_bytes;
  b->input.host = malloc((size_t)b->stride_bytes);
  b->staging.host = malloc((size_t)bytes);
  if (!b->input.host || !b->staging.host) return cli_fail("no memory for n = %" PRIu64, bench->n);
  fill_input(bench);
  scan_status status = bench_memory_make(bench, bytes, &b->in);
  if (status == SCAN_SUCCESS) status = bench_memory_make(bench, bytes, &b->out);
  if (status == SCAN_SUCCESS) status = write_marks(bench);
  if (status == SCAN_SUCCESS && bench->request->carry) status = bench_memory_make(bench, SCAN_OP_MOST_BYTES, &b->carry);
  if (status == SCAN_SUCCESS) status = buffers_fill(bench);
  return bench_forward(bench, status);
}

void bench_buffers_clear(bench_state *bench) {
  bench_buffers *b = &bench->buffers;
  bench_memory *const all[] = { &b->carry, &b->device_marks, &b->out, &b->in };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) bench_memory_free(bench, all[i]);
  bench->spec.segments = SCAN_SEGMENTS_NONE;
  bench->spec.key_type = SCAN_TYPE_DEFAULT;
  bench_marks_clear(&b->marks);
  for (size_t i = 0; i < sizeof b->expected / sizeof b->expected[0]; i++) free(b->expected[i]);
  free(b->staging.host);
  free(b->input.host);
  *b = (bench_buffers){ 0 };
}

scan_mem bench_pair_out(const bench_state *bench, uint64_t pair) {
  const bench_buffers *b = &bench->buffers;
  return scan_offset(b->out.mem, pair * b->stride_bytes + b->out_lead_bytes);
}

scan_mem bench_pair_in(const bench_state *bench, uint64_t pair) {
  const bench_buffers *b = &bench->buffers;
  if (bench->request->in_place) return bench_pair_out(bench, pair);
  return scan_offset(b->in.mem, pair * b->stride_bytes + b->in_lead_bytes);
}
