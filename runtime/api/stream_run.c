/* SPDX-License-Identifier: BSD-2-Clause */
/* The execution of a stream. On a device with memory of its own, each chunk uses one of three slots of device memory.
 * One queue copies chunks in, the device's queue scans them, and a third queue copies the results out; events order
 * them. Three consecutive chunks are thereby copied in, scanned and copied out at the same time. The carry stays on the
 * device. If page-locked buffers are needed, the host fills and empties them meanwhile. */
#include <inttypes.h>

#include "api/stream.h"
#include "core/progress.h"
#include "core/overflow.h"
#include "ops/scan/validate.h"
#include "ops/scan/scan_plan.h"

/* After the host has enqueued chunk k, it takes the results of chunk k - LAG, which frees the slot of chunk k + 1. */
enum { LAG = STREAM_SLOTS - 1 };

/* A slot's events: copied in, scanned, copied out. */
enum { CAME, SCANNED, WENT, SLOT_EVENTS };

/* The places of carries in device memory: those into even and into odd chunks, and those that stand for the
 * application's host memory. */
enum { CARRY_EVEN, CARRY_ODD, CARRY_FIRST, CARRY_LAST, CARRIES, CARRIES_BYTES = CARRIES * SCAN_CARRY_SLOT_BYTES };

/* ---- a chunk ---- */

/* The first element in memory of the chunk that is scanned k-th. */
static uint64_t first_of(const stream *s, uint64_t k) { return (s->backward ? s->chunks - 1 - k : k) * s->chunk_items; }

static uint64_t items_of(const stream *s, uint64_t k) {
  return s->n - first_of(s, k) < s->chunk_items ? s->n - first_of(s, k) : s->chunk_items;
}

/* Number of elements before the chunk in the order of the scan. */
static uint64_t scanned_before(const stream *s, uint64_t k) {
  return s->backward ? s->n - first_of(s, k) - items_of(s, k) : first_of(s, k);
}

static stream_slot *slot_of(stream *s, uint64_t k) { return &s->slots[s->ops != NULL ? k % STREAM_SLOTS : 0]; }

static uint64_t bytes_of(const stream *s, uint64_t k, stream_side side) {
  return scan_stream_bytes(s, side, items_of(s, k));
}

/* The host address of a side of chunk k: the slot's buffer, or else the application's memory. */
static char *host_of(stream *s, uint64_t k, stream_side side) {
  char *buffer = slot_of(s, k)->host[side];
  if (buffer != NULL || s->memory[side] == NULL) return buffer;
  return s->memory[side] + scan_stream_bytes(s, side, first_of(s, k));
}

/* The memory of a side of chunk k that the scan reads or writes. */
static scan_mem scanned_of(stream *s, uint64_t k, stream_side side) {
  if (s->ops == NULL) return scan_host(host_of(s, k, side));
  return scan_mem_of_device(s->ctx, slot_of(s, k)->device[side], bytes_of(s, k, side));
}

static scan_mem carry_at(const stream *s, uint64_t place) {
  scan_mem carry = scan_mem_of_device(s->ctx, s->carries, CARRIES_BYTES);
  carry.offset_bytes = place * SCAN_CARRY_SLOT_BYTES;
  return carry;
}

/* The memory of the carry into chunk k > 0. No memory if a segment begins there: the chunk before then leaves no carry
 * and reports no overflow of it. */
static scan_mem carry_into(const stream *s, uint64_t k) {
  if (scan_stream_starts_segment(s, s->backward ? first_of(s, k) + items_of(s, k) : first_of(s, k))) return SCAN_NO_MEM;
  return carry_at(s, k % 2 == 0 ? CARRY_EVEN : CARRY_ODD);
}

/* Converts an index in a chunk to an index in the stream. An index past the last output of a backward chunk is the
 * first of the next chunk; in the last chunk it is that of carry_out, n. */
static uint64_t index_in_whole(const stream *s, uint64_t k, uint64_t at) {
  const uint64_t first = first_of(s, k);
  if (!s->backward || at < items_of(s, k)) return first + at;
  return first > 0 ? first - 1 : s->n;
}

/* Waits for the chunk and reads its overflow, before the next chunk notes its own. */
static scan_status read_overflow(stream *s, uint64_t k) {
  uint64_t at = UINT64_MAX;
  SCAN_TRY(s->ctx->ops->sync(s->ctx->device, &s->ctx->error));
  SCAN_TRY(scan_overflow_read(s->plan, &at));
  if (at != UINT64_MAX && s->overflow_at == UINT64_MAX) s->overflow_at = index_in_whole(s, k, at);
  return SCAN_SUCCESS;
}

static scan_status scan_chunk(stream *s, uint64_t k) {
  scan_problem problem = s->problem;
  const scan_operands chunk = {
    .problem = &problem, .in = scanned_of(s, k, STREAM_IN), .out = scanned_of(s, k, STREAM_OUT), .n = items_of(s, k)
  };
  problem.origin = first_of(s, k);
  problem.segments.memory = scanned_of(s, k, STREAM_MARKS);
  problem.segments.count = chunk.n;
  problem.carry_in = k > 0 ? carry_into(s, k) : s->carry_in;
  problem.carry_out = k + 1 < s->chunks ? carry_into(s, k + 1) : s->carry_out;
  SCAN_TRY(scan_plan_launch(s->plan, &chunk, scan_mem_same(chunk.in, chunk.out)));
  return problem.checks ? read_overflow(s, k) : SCAN_SUCCESS;
}

static scan_status cancelled(stream *s, const char *who, int answer, uint64_t k) {
  return scan_fail(&s->ctx->error, SCAN_CANCELLED, "options->%s returned %d at element %" PRIu64, who, answer,
                   first_of(s, k));
}

/* Fills the buffer of a side of chunk k; does nothing if the side has none. */
static scan_status chunk_bring(stream *s, uint64_t k, stream_side side) {
  const uint64_t first = first_of(s, k), items = items_of(s, k);
  void *to = slot_of(s, k)->host[side];
  int answer = 0;
  if (to == NULL) return SCAN_SUCCESS;
  if (s->memory[side] != NULL)
    scan_host_copy(s->copier, to, s->memory[side] + scan_stream_bytes(s, side, first), (size_t)bytes_of(s, k, side));
  else if (side == STREAM_MARKS)
    scan_stream_mark(s, first, items, to);
  else
    answer = s->options.read(s->options.user, first, items, to);
  return answer == 0 ? SCAN_SUCCESS : cancelled(s, "read", answer, k);
}

/* Gives the results of chunk k, which are in host memory, to the application. */
static scan_status stream_deliver(stream *s, uint64_t k) {
  const uint64_t first = first_of(s, k), items = items_of(s, k);
  const void *from = slot_of(s, k)->host[STREAM_OUT]; /* NULL: they are in place already */
  int answer = 0;
  if (s->memory[STREAM_OUT] == NULL) {
    answer = s->options.write(s->options.user, first, items, from);
    if (answer != 0) return cancelled(s, "write", answer, k);
  } else if (from != NULL) {
    scan_host_copy(s->copier, s->memory[STREAM_OUT] + scan_stream_bytes(s, STREAM_OUT, first), from,
                   (size_t)bytes_of(s, k, STREAM_OUT));
  }
  if (s->options.progress != NULL) answer = s->options.progress(s->options.user, scanned_before(s, k) + items, s->n);
  return answer == 0 ? SCAN_SUCCESS : cancelled(s, "progress", answer, k);
}

static scan_status run_on_host(stream *s) {
  for (uint64_t k = 0; k < s->chunks; k++) {
    SCAN_TRY(chunk_bring(s, k, STREAM_IN));
    SCAN_TRY(chunk_bring(s, k, STREAM_MARKS));
    SCAN_TRY(scan_chunk(s, k));
    SCAN_TRY(stream_deliver(s, k));
  }
  return SCAN_SUCCESS;
}

/* ---- through a device ---- */

static int event_of(uint64_t k, int which) { return (int)(k % STREAM_SLOTS) * SLOT_EVENTS + which; }

static scan_status record(stream *s, scan_queue queue, uint64_t k, int which) {
  return s->ops->record(s->transfer, queue, event_of(k, which), &s->ctx->error);
}

static scan_status wait_for(stream *s, scan_queue queue, uint64_t k, int which) {
  return s->ops->wait(s->transfer, queue, event_of(k, which), &s->ctx->error);
}

static scan_status send(stream *s, uint64_t k, stream_side side) {
  const uint64_t bytes = bytes_of(s, k, side);
  SCAN_TRY(chunk_bring(s, k, side));
  if (bytes == 0) return SCAN_SUCCESS;
  return s->ops->write(s->transfer, scanned_of(s, k, side), host_of(s, k, side), bytes, &s->ctx->error);
}

/* Copies chunk k in. Its slot is free: the results of the chunk that used it before have been taken. */
static scan_status send_in(stream *s, uint64_t k) {
  SCAN_TRY(send(s, k, STREAM_IN));
  SCAN_TRY(send(s, k, STREAM_MARKS));
  return record(s, SCAN_QUEUE_UP, k, CAME);
}

static scan_status scan_slot(stream *s, uint64_t k) {
  SCAN_TRY(wait_for(s, SCAN_QUEUE_SCANS, k, CAME));
  SCAN_TRY(scan_chunk(s, k));
  return record(s, SCAN_QUEUE_SCANS, k, SCANNED);
}

/* Copies the results of chunk k out. */
static scan_status send_out(stream *s, uint64_t k) {
  SCAN_TRY(wait_for(s, SCAN_QUEUE_DOWN, k, SCANNED));
  SCAN_TRY(s->ops->read(s->transfer, scanned_of(s, k, STREAM_OUT), host_of(s, k, STREAM_OUT),
                        bytes_of(s, k, STREAM_OUT), &s->ctx->error));
  return record(s, SCAN_QUEUE_DOWN, k, WENT);
}

static scan_status stream_finish_chunk(stream *s, uint64_t k) {
  SCAN_TRY(s->ops->sync(s->transfer, event_of(k, WENT), &s->ctx->error));
  return stream_deliver(s, k);
}

static scan_status run_through_device(stream *s) {
  for (uint64_t k = 0; k < s->chunks + LAG; k++) {
    if (k < s->chunks) SCAN_TRY(send_in(s, k));
    if (k < s->chunks) SCAN_TRY(scan_slot(s, k));
    if (k < s->chunks) SCAN_TRY(send_out(s, k));
    if (k >= LAG) SCAN_TRY(stream_finish_chunk(s, k - LAG));
  }
  return SCAN_SUCCESS;
}

/* ---- buffers ---- */

/* 1 if the application's memory of a side is used without a buffer of the library's. */
static int is_direct(const stream *s, stream_side side) {
  const char *memory = s->memory[side];
  if (memory == NULL) return 0;
  return s->ops == NULL || s->ops->takes_any_memory ||
         s->ops->is_pinned(s->transfer, memory, scan_stream_bytes(s, side, s->n));
}

static scan_status open_side(stream *s, stream_slot *slot, stream_side side) {
  scan_ctx *ctx = s->ctx;
  const uint64_t bytes = scan_stream_bytes(s, side, s->chunk_items);
  if (bytes == 0 || s->item_bytes[side] == 0) return SCAN_SUCCESS;
  if (side == STREAM_OUT && s->in_place)
    slot->device[side] = slot->device[STREAM_IN];
  else if (s->ops != NULL)
    SCAN_TRY(scan_device_alloc(ctx, bytes, &slot->device[side]));
  if (is_direct(s, side)) return SCAN_SUCCESS;
  if (s->ops != NULL) return s->ops->alloc(s->transfer, bytes, &slot->host[side], &ctx->error);
  return scan_device_alloc(ctx, bytes, &slot->host[side]);
}

static scan_status open_slots(stream *s) {
  const uint64_t most = s->ops == NULL ? 1 : STREAM_SLOTS, count = s->chunks < most ? s->chunks : most;
  for (uint64_t i = 0; i < count; i++)
    for (stream_side side = STREAM_IN; side < STREAM_SIDES; side++) SCAN_TRY(open_side(s, &s->slots[i], side));
  return SCAN_SUCCESS;
}

/* Allocates the carries that the stream needs, and copies the application's to the device. */
static scan_status open_carries(stream *s) {
  scan_ctx *ctx = s->ctx;
  const int in_is_host = scan_mem_is_staged(ctx, s->problem.carry_in);
  const int out_is_host = scan_mem_is_staged(ctx, s->problem.carry_out);
  if (s->chunks > 1 || in_is_host || out_is_host) SCAN_TRY(scan_device_alloc(ctx, CARRIES_BYTES, &s->carries));
  s->carry_in = in_is_host ? carry_at(s, CARRY_FIRST) : s->problem.carry_in;
  s->carry_out = out_is_host ? carry_at(s, CARRY_LAST) : s->problem.carry_out;
  if (!in_is_host) return SCAN_SUCCESS;
  return ctx->ops->write(ctx->device, s->carry_in, scan_mem_bytes(s->problem.carry_in),
                         scan_problem_value_bytes(&s->problem), &ctx->error);
}

/* Copies the last carry to the application's host memory. The device is idle. */
static scan_status deliver_carry(stream *s) {
  scan_ctx *ctx = s->ctx;
  if (!scan_mem_is_staged(ctx, s->problem.carry_out)) return SCAN_SUCCESS;
  return ctx->ops->read(ctx->device, s->carry_out, scan_mem_bytes(s->problem.carry_out),
                        scan_problem_value_bytes(&s->problem), &ctx->error);
}

static scan_status open_stream(stream *s) {
  scan_ctx *ctx = s->ctx;
  scan_problem chained = s->problem;
  if (s->chunks > 1) chained.carry_in = chained.carry_out = scan_mem_of_device(ctx, NULL, 0); /* any memory */
  SCAN_TRY(scan_plan_lookup(ctx, &chained, s->strategy, s->chunk_items, &s->plan));
  SCAN_TRY(open_carries(s));
  if ((s->copier = scan_host_copier_create()) == NULL)
    return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a stream");
  if (s->ops != NULL) SCAN_TRY(s->ops->open(ctx->device, STREAM_SLOTS * SLOT_EVENTS, &s->transfer, &ctx->error));
  return open_slots(s);
}

/* Frees device memory and ignores a failure, so that the message of the first failure stays. */
static void free_device(const stream *s, void *memory, uint64_t bytes) {
  scan_error ignored;
  (void)scan_device_free(s->ctx, memory, bytes, &ignored);
}

static void close_stream(stream *s) {
  for (int i = 0; i < STREAM_SLOTS; i++)
    for (stream_side side = STREAM_IN; side < STREAM_SIDES; side++) {
      const stream_slot *slot = &s->slots[i];
      const uint64_t bytes = scan_stream_bytes(s, side, s->chunk_items);
      if (slot->host[side] != NULL && s->ops != NULL)
        s->ops->free(s->transfer, slot->host[side]);
      else
        free_device(s, slot->host[side], bytes);
      if (side != STREAM_OUT || !s->in_place) free_device(s, slot->device[side], bytes);
    }
  free_device(s, s->carries, CARRIES_BYTES);
  if (s->transfer != NULL) s->ops->close(s->transfer);
  scan_host_copier_destroy(s->copier);
}

/* Waits, also after a failure, until all copies and scans have ended. Returns the first failure. */
static scan_status come_to_rest(stream *s, scan_status status) {
  scan_ctx *ctx = s->ctx;
  const scan_error words = ctx->error;
  scan_status rest = SCAN_SUCCESS;
  for (scan_queue q = SCAN_QUEUE_UP; s->ops != NULL && s->transfer != NULL && q < SCAN_QUEUES; q++) {
    scan_status one = s->ops->record(s->transfer, q, CAME, &ctx->error);
    if (one == SCAN_SUCCESS) one = s->ops->sync(s->transfer, CAME, &ctx->error);
    if (rest == SCAN_SUCCESS) rest = one;
  }
  const scan_status synced = ctx->ops->sync(ctx->device, &ctx->error);
  if (rest == SCAN_SUCCESS) rest = synced;
  const scan_status checked = rest == SCAN_SUCCESS ? scan_plans_check(ctx) : rest;
  if (status == SCAN_SUCCESS || (status == SCAN_CANCELLED && checked != SCAN_SUCCESS)) return checked;
  ctx->error = words;
  return status;
}

scan_status scan_stream_do(stream *s) {
  scan_status status = open_stream(s);
  if (status == SCAN_SUCCESS) status = s->ops != NULL ? run_through_device(s) : run_on_host(s);
  status = come_to_rest(s, status);
  if (status == SCAN_SUCCESS) status = deliver_carry(s);
  close_stream(s);
  return status == SCAN_SUCCESS && s->overflow_at != UINT64_MAX ? scan_overflow_report(s->ctx, s->overflow_at) : status;
}
