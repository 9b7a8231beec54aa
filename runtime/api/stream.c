/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of host data chunk by chunk. On a device of its own memory a chunk goes through one of three slots of device
 * memory: copied in on one queue, scanned on the device's, copied out on a third, with events between them, so that the
 * copy in of one chunk, the scan of the one before and the copy out of the one before that go on at the same time. The
 * carry stays on the device. The host fills and empties page-locked buffers meanwhile, where it must. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/structs.h"
#include "base/types.h"
#include "core/carry.h"
#include "device/host/host_copy.h"
#include "core/plan.h"
#include "device/transfer.h"

/* A copy engine needs some megabytes at a time for its full speed; the first copy in and the last one out overlap with
 * nothing, so that fewer and larger chunks cost time again. */
enum { SLOTS = 3, CHUNK_BYTES = 32 << 20, CHUNK_ROUND_ITEMS = 4096, BITS_A_WORD = 32 };

/* After it has enqueued a chunk, the host takes the results of the one so many before it, which frees the slot of the
 * next. */
enum { LAG = SLOTS - 1 };

/* A slot's events: copied in, scanned, copied out. */
enum { CAME, SCANNED, WENT, SLOT_EVENTS };

typedef struct stream_slot {
  void *in, *out;           /* device memory; the same where elements stay as large */
  void *host_in, *host_out; /* what the application's memory is copied through; NULL: copied directly */
  void *marks, *host_marks; /* the same of what says where segments begin */
} stream_slot;

typedef struct stream {
  scan_ctx *ctx;
  scan_stream_options options;
  scan_problem problem;
  scan_strategy strategy;
  scan_plan *plan;
  const char *in;                                       /* NULL: a callback gives it */
  char *out;                                            /* NULL: a callback takes it */
  uint64_t n, chunk_items, chunks, in_bytes, out_bytes; /* bytes of an element */
  int in_place;                                         /* in device memory */
  const scan_transfer_ops *ops;                         /* NULL: the device is the host */
  scan_transfer *transfer;
  host_copier *copier;
  stream_slot slots[SLOTS];
  int backward;         /* the last chunk in memory comes first */
  const char *marks;    /* where segments begin; NULL: there are none */
  void *carries;        /* two values of the device: what a chunk begins with, and what it leaves, by turns */
  uint64_t overflow_at; /* the first result that does not fit, in the order of the scan; UINT64_MAX: all do */
} stream;

#define REFUSE(...) return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

/* ---- checks ---- */

static scan_status check_options(scan_ctx *ctx, const scan_stream_options *options, scan_stream_options *checked) {
  *checked = (scan_stream_options)SCAN_STREAM_OPTIONS_INIT;
  if (options == NULL) return SCAN_SUCCESS;
  return scan_struct_take(checked, sizeof *checked, options, "options", "initialise it with SCAN_STREAM_OPTIONS_INIT",
                          &ctx->error);
}

/* Bytes of an element's mark; a bit counts as a byte. */
static uint64_t mark_bytes(const stream *s) {
  return s->problem.segments.kind == SCAN_SEGMENTS_KEYS ? scan_type_bytes(s->problem.segments.key_type) : 1;
}

/* How many elements go at once, and into how much memory. */
static scan_status check_chunk(stream *s) {
  scan_ctx *ctx = s->ctx;
  const uint64_t wide = s->in_bytes > s->out_bytes ? s->in_bytes : s->out_bytes;
  const uint64_t slot_item = (s->in_place ? wide : s->in_bytes + s->out_bytes) + (s->marks != NULL ? mark_bytes(s) : 0);
  const uint64_t fit = s->options.device_bytes ? s->options.device_bytes / SLOTS / slot_item : UINT64_MAX;
  uint64_t items = s->options.chunk_items;
  if (fit == 0)
    REFUSE("options->device_bytes is %" PRIu64 ": a stream needs at least %" PRIu64, s->options.device_bytes,
           SLOTS * slot_item);
  if (items > fit) items = fit;
  if (items == 0) {
    items = CHUNK_BYTES / wide < fit ? CHUNK_BYTES / wide : fit;
    if (items > CHUNK_ROUND_ITEMS) items -= items % CHUNK_ROUND_ITEMS;
  }
  s->chunk_items = items < s->n ? items : s->n;
  if (s->problem.segments.kind == SCAN_SEGMENTS_BITS &&
      s->chunk_items < s->n) { /* a chunk begins with a word of bits */
    s->chunk_items -= s->chunk_items % BITS_A_WORD;
    if (s->chunk_items == 0)
      REFUSE("options: chunks of at least %d elements are needed with SCAN_SEGMENTS_BITS", BITS_A_WORD);
  }
  s->chunks = s->chunk_items == 0 ? 0 : s->n / s->chunk_items + (s->n % s->chunk_items != 0);
  return SCAN_SUCCESS;
}

/* Segments are read chunk by chunk with the elements, which offsets do not lie beside. */
static scan_status check_segments(stream *s) {
  scan_ctx *ctx = s->ctx;
  const scan_marks *segments = &s->problem.segments;
  if (segments->kind == SCAN_SEGMENTS_NONE) return SCAN_SUCCESS;
  if (segments->kind == SCAN_SEGMENTS_OFFSETS)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scan_stream reads marks beside the elements of a chunk, and offsets are not told by elements: "
                     "give flags, bits or keys");
  if (segments->memory.kind != SCAN_MEM_HOST || segments->memory.handle == NULL)
    REFUSE("scan_stream: options->marks must be host memory, as in and out are");
  if (segments->count < s->n) REFUSE("n is %" PRIu64 ", but options->mark_count is %" PRIu64, s->n, segments->count);
  s->marks = (const char *)segments->memory.handle + segments->memory.offset_bytes;
  return SCAN_SUCCESS;
}

/* Chunks are joined by carries, which the strategy must have. */
static scan_status check_chained(stream *s) {
  const scan_strategy_ops *ops = scan_strategy_get(s->strategy);
  const scan_mem some = scan_mem_of_device(s->ctx, NULL, 0);
  scan_problem chained = s->problem;
  if (ops == NULL) return SCAN_SUCCESS;
  chained.carry_in = chained.carry_out = some;
  const char *refusal = ops->refusal(&s->ctx->caps, &chained);
  if (refusal == NULL) return SCAN_SUCCESS;
  return scan_fail(&s->ctx->error, SCAN_UNSUPPORTED, "scan_stream chains its chunks by carries; strategy %s: %s",
                   scan_strategy_name(s->strategy), refusal);
}

static scan_status check_spec(stream *s, const scan_spec *spec) {
  const scan_stream_options *o = &s->options;
  scan_args args = SCAN_ARGS_INIT(scan_host(s->in), scan_host(s->out));
  args.marks = o->marks;
  args.mark_count = o->mark_count;
  args.carry_in = o->carry_in;
  args.carry_out = o->carry_out;
  scan_status status = scan_spec_check(s->ctx, spec, &s->problem, &s->strategy);
  if (status == SCAN_SUCCESS) status = scan_args_take(s->ctx, s->strategy, s->n, &args, &s->problem);
  if (status == SCAN_SUCCESS) status = scan_count_check(s->ctx, &s->problem, s->n, "n");
  if (status != SCAN_SUCCESS) return status;
  if (s->problem.kind == SCAN_TOTAL)
    return scan_fail(
        &s->ctx->error, SCAN_UNSUPPORTED,
        "scan_stream has inclusive and exclusive scans only: of an inclusive one, options->carry_out is the "
        "total");
  const scan_source *source = s->problem.source;
  if (source != NULL && !source->is_lifted && (source->map != NULL || source->emit != NULL))
    return scan_fail(&s->ctx->error, SCAN_UNSUPPORTED,
                     "scan_stream with an operator that maps or emits: it is told an element's index, and a chunk's "
                     "kernels know that of the chunk only; scan with scan_run what fits into the device");
  status = check_segments(s);
  if (status == SCAN_SUCCESS) status = check_chained(s);
  if (status != SCAN_SUCCESS) return status;
  s->backward = (int)(s->problem.backward | s->problem.turned);
  s->in_bytes = scan_problem_input_bytes(&s->problem);
  s->out_bytes = scan_problem_output_bytes(&s->problem);
  s->in_place = s->in_bytes == s->out_bytes;
  return check_chunk(s);
}

static scan_status check_sides(stream *s) {
  scan_ctx *ctx = s->ctx;
  const scan_mem in = scan_host(s->in), out = scan_host(s->out);
  const scan_source *source = s->problem.source;
  if ((s->in == NULL) == (s->options.read == NULL))
    REFUSE("scan_stream: the input comes from `in` or from options->read, one of them");
  if ((s->out == NULL) == (s->options.write == NULL))
    REFUSE("scan_stream: the results go to `out` or to options->write, one of them");
  if (!scan_mem_aligned(in, source != NULL ? source->input_align : s->in_bytes))
    REFUSE("in is not aligned to its elements");
  if (!scan_mem_aligned(out, source != NULL ? source->output_align : s->out_bytes))
    REFUSE("out is not aligned to its elements");
  if (s->in != NULL && s->out != NULL && !(s->in == s->out && s->in_place) &&
      scan_mem_overlap(in, s->n * s->in_bytes, out, s->n * s->out_bytes))
    REFUSE("in and out overlap: they must be the same memory with elements of one size, or apart");
  const scan_mem none = { .kind = SCAN_MEM_NONE };
  return scan_carry_check(ctx, &s->problem, s->n, 1, s->in != NULL ? in : none, s->out != NULL ? out : none);
}

/* ---- a chunk ---- */

/* Where the chunk that is scanned k-th lies. */
static uint64_t first_of(const stream *s, uint64_t k) { return (s->backward ? s->chunks - 1 - k : k) * s->chunk_items; }

static uint64_t items_of(const stream *s, uint64_t k) {
  return s->n - first_of(s, k) < s->chunk_items ? s->n - first_of(s, k) : s->chunk_items;
}

static scan_mem device_mem(const stream *s, void *handle, uint64_t bytes) {
  return scan_mem_of_device(s->ctx, handle, bytes);
}

/* Elements that come before the chunk's in the order of the scan. */
static uint64_t scanned_before(const stream *s, uint64_t k) {
  return s->backward ? s->n - first_of(s, k) - items_of(s, k) : first_of(s, k);
}

/* The marks of a chunk, in the application's memory. */
static const char *marks_of(const stream *s, uint64_t k) {
  if (s->problem.segments.kind == SCAN_SEGMENTS_BITS) return s->marks + first_of(s, k) / 8;
  return s->marks + first_of(s, k) * mark_bytes(s);
}

static uint64_t marks_bytes(const stream *s, uint64_t items) {
  if (s->problem.segments.kind == SCAN_SEGMENTS_BITS) return (items + BITS_A_WORD - 1) / BITS_A_WORD * sizeof(uint32_t);
  return items * mark_bytes(s);
}

/* Whether a segment begins with an element that is not the first in memory. */
static int segment_begins(const stream *s, uint64_t i) {
  const scan_marks *segments = &s->problem.segments;
  const uint64_t bytes = mark_bytes(s);
  uint32_t word;
  switch (segments->kind) {
  case SCAN_SEGMENTS_NONE: return 0;
  case SCAN_SEGMENTS_FLAGS: return s->marks[i] != 0;
  case SCAN_SEGMENTS_BITS:
    memcpy(&word, s->marks + i / BITS_A_WORD * sizeof word, sizeof word);
    return word >> (i % BITS_A_WORD) & 1;
  default: return scan_keys_differ(segments->key_type, s->marks + (i - 1) * bytes, s->marks + i * bytes);
  }
}

/* Each chunk begins from what the one before has left, but where a segment ends between them. */
static int is_continued(const stream *s, uint64_t k) {
  return k > 0 && !segment_begins(s, s->backward ? first_of(s, k) + items_of(s, k) : first_of(s, k));
}

static scan_mem carry_after(const stream *s, uint64_t k) {
  scan_mem carry = device_mem(s, s->carries, (uint64_t)2 * SCAN_CARRY_SLOT_BYTES);
  carry.offset_bytes = k % 2 * SCAN_CARRY_SLOT_BYTES;
  return carry;
}

/* What the chunk has overflowed is read before the next one notes its own. */
static scan_status take_overflow(stream *s, uint64_t k) {
  uint64_t at = UINT64_MAX;
  scan_status status = s->ctx->ops->sync(s->ctx->device, &s->ctx->error);
  if (status == SCAN_SUCCESS) status = scan_overflow_take(s->plan, &at);
  if (at != UINT64_MAX && s->overflow_at == UINT64_MAX) s->overflow_at = scanned_before(s, k) + at;
  return status;
}

/* `marks`: the chunk's, where the device reads them. */
static scan_status scan_chunk(stream *s, uint64_t k, scan_mem in, scan_mem out, scan_mem marks) {
  uint32_t flags;
  scan_problem problem = s->problem;
  const uint64_t items = items_of(s, k);
  problem.segments.memory = marks;
  problem.segments.count = items;
  if (k > 0) problem.carry_in = is_continued(s, k) ? carry_after(s, k - 1) : (scan_mem){ .kind = SCAN_MEM_NONE };
  if (k + 1 < s->chunks) problem.carry_out = carry_after(s, k);
  scan_status status = scan_buffers_check(s->ctx, &problem, items, 0, &in, &out, &flags);
  if (status == SCAN_SUCCESS) status = scan_plan_launch(s->plan, &problem, items, in, out, flags);
  return status == SCAN_SUCCESS && problem.checks ? take_overflow(s, k) : status;
}

static scan_status cancelled(stream *s, const char *who, int answer, uint64_t k) {
  return scan_fail(&s->ctx->error, SCAN_CANCELLED, "options->%s returned %d at element %" PRIu64, who, answer,
                   first_of(s, k));
}

/* The input of chunk k, where the host must bring it. */
static scan_status bring(stream *s, uint64_t k, void *to) {
  const uint64_t first = first_of(s, k), items = items_of(s, k);
  if (s->in != NULL) {
    scan_host_copy(s->copier, to, s->in + first * s->in_bytes, (size_t)(items * s->in_bytes));
    return SCAN_SUCCESS;
  }
  const int answer = s->options.read(s->options.user, first, items, to);
  return answer == 0 ? SCAN_SUCCESS : cancelled(s, "read", answer, k);
}

/* Hands over the results of chunk k, which are in host memory; `from` is NULL where they are in place already. */
static scan_status deliver(stream *s, uint64_t k, const void *from) {
  const uint64_t first = first_of(s, k), items = items_of(s, k);
  int answer = 0;
  if (s->out == NULL) {
    answer = s->options.write(s->options.user, first, items, from);
    if (answer != 0) return cancelled(s, "write", answer, k);
  } else if (from != NULL) {
    scan_host_copy(s->copier, s->out + first * s->out_bytes, from, (size_t)(items * s->out_bytes));
  }
  if (s->options.progress != NULL) answer = s->options.progress(s->options.user, scanned_before(s, k) + items, s->n);
  return answer == 0 ? SCAN_SUCCESS : cancelled(s, "progress", answer, k);
}

/* ---- on the host ---- */

static scan_status run_on_host(stream *s) {
  scan_status status = SCAN_SUCCESS;
  for (uint64_t k = 0; k < s->chunks && status == SCAN_SUCCESS; k++) {
    const stream_slot *slot = &s->slots[0];
    const void *from = slot->host_in != NULL ? slot->host_in : s->in + first_of(s, k) * s->in_bytes;
    void *to = slot->host_out != NULL ? slot->host_out : s->out + first_of(s, k) * s->out_bytes;
    if (slot->host_in != NULL) status = bring(s, k, slot->host_in);
    if (status == SCAN_SUCCESS)
      status = scan_chunk(s, k, scan_host(from), scan_host(to), scan_host(s->marks != NULL ? marks_of(s, k) : NULL));
    if (status == SCAN_SUCCESS) status = deliver(s, k, slot->host_out);
  }
  return status;
}

/* ---- through a device ---- */

static int event_of(uint64_t k, int which) { return (int)(k % SLOTS) * SLOT_EVENTS + which; }

static scan_status record(stream *s, scan_queue queue, uint64_t k, int which) {
  return s->ops->record(s->transfer, queue, event_of(k, which), &s->ctx->error);
}

static scan_status wait_for(stream *s, scan_queue queue, uint64_t k, int which) {
  return s->ops->wait(s->transfer, queue, event_of(k, which), &s->ctx->error);
}

static scan_status sync_with(stream *s, uint64_t k, int which) {
  return s->ops->sync(s->transfer, event_of(k, which), &s->ctx->error);
}

static scan_status send_marks(stream *s, uint64_t k) {
  const stream_slot *slot = &s->slots[k % SLOTS];
  const uint64_t bytes = marks_bytes(s, items_of(s, k));
  const void *from = marks_of(s, k);
  if (slot->host_marks != NULL) {
    scan_host_copy(s->copier, slot->host_marks, from, (size_t)bytes);
    from = slot->host_marks;
  }
  return s->ops->write(s->transfer, device_mem(s, slot->marks, bytes), from, bytes, &s->ctx->error);
}

/* Copies chunk k in. Its slot is free, on the device and on the host: the results of the chunk that was in it have been
 * taken. */
static scan_status send_in(stream *s, uint64_t k) {
  const stream_slot *slot = &s->slots[k % SLOTS];
  const uint64_t bytes = items_of(s, k) * s->in_bytes;
  const void *from = slot->host_in != NULL ? slot->host_in : s->in + first_of(s, k) * s->in_bytes;
  scan_status status = SCAN_SUCCESS;
  if (slot->host_in != NULL) status = bring(s, k, slot->host_in);
  if (status == SCAN_SUCCESS)
    status = s->ops->write(s->transfer, device_mem(s, slot->in, bytes), from, bytes, &s->ctx->error);
  if (status == SCAN_SUCCESS && s->marks != NULL) status = send_marks(s, k);
  return status == SCAN_SUCCESS ? record(s, SCAN_QUEUE_UP, k, CAME) : status;
}

static scan_status scan_slot(stream *s, uint64_t k) {
  const stream_slot *slot = &s->slots[k % SLOTS];
  scan_status status = wait_for(s, SCAN_QUEUE_SCANS, k, CAME);
  if (status == SCAN_SUCCESS)
    status = scan_chunk(s, k, device_mem(s, slot->in, items_of(s, k) * s->in_bytes),
                        device_mem(s, slot->out, items_of(s, k) * s->out_bytes),
                        device_mem(s, slot->marks, s->marks != NULL ? marks_bytes(s, items_of(s, k)) : 0));
  return status == SCAN_SUCCESS ? record(s, SCAN_QUEUE_SCANS, k, SCANNED) : status;
}

/* Copies the results of chunk k out. */
static scan_status send_out(stream *s, uint64_t k) {
  const stream_slot *slot = &s->slots[k % SLOTS];
  const uint64_t bytes = items_of(s, k) * s->out_bytes;
  void *to = slot->host_out != NULL ? slot->host_out : s->out + first_of(s, k) * s->out_bytes;
  scan_status status = wait_for(s, SCAN_QUEUE_DOWN, k, SCANNED);
  if (status == SCAN_SUCCESS)
    status = s->ops->read(s->transfer, device_mem(s, slot->out, bytes), to, bytes, &s->ctx->error);
  return status == SCAN_SUCCESS ? record(s, SCAN_QUEUE_DOWN, k, WENT) : status;
}

static scan_status take(stream *s, uint64_t k) {
  const scan_status status = sync_with(s, k, WENT);
  return status == SCAN_SUCCESS ? deliver(s, k, s->slots[k % SLOTS].host_out) : status;
}

static scan_status run_through_device(stream *s) {
  scan_status status = SCAN_SUCCESS;
  for (uint64_t k = 0; k < s->chunks + LAG && status == SCAN_SUCCESS; k++) {
    if (k < s->chunks) status = send_in(s, k);
    if (status == SCAN_SUCCESS && k < s->chunks) status = scan_slot(s, k);
    if (status == SCAN_SUCCESS && k < s->chunks) status = send_out(s, k);
    if (status == SCAN_SUCCESS && k >= LAG) status = take(s, k - LAG);
  }
  return status;
}

/* ---- buffers ---- */

static scan_status device_alloc(stream *s, uint64_t item_bytes, void **handle) {
  return s->ctx->ops->alloc(s->ctx->device, s->chunk_items * item_bytes, handle, &s->ctx->error);
}

static scan_status host_alloc(stream *s, uint64_t item_bytes, void **memory) {
  const uint64_t bytes = s->chunk_items * item_bytes;
  if (s->ops != NULL) return s->ops->alloc(s->transfer, bytes, memory, &s->ctx->error);
  return s->ctx->ops->alloc(s->ctx->device, bytes, memory, &s->ctx->error);
}

/* Whether a side is copied without a buffer of the library's. */
static int is_direct(const stream *s, const void *memory, uint64_t item_bytes) {
  if (memory == NULL) return 0;
  return s->ops == NULL || s->ops->takes_any_memory || s->ops->is_pinned(s->transfer, memory, s->n * item_bytes);
}

static scan_status open_marks(stream *s, stream_slot *slot) {
  const int direct = is_direct(s, s->marks, mark_bytes(s));
  const scan_status status = device_alloc(s, mark_bytes(s), &slot->marks);
  return status == SCAN_SUCCESS && !direct ? host_alloc(s, mark_bytes(s), &slot->host_marks) : status;
}

static scan_status open_slots(stream *s) {
  const int direct_in = is_direct(s, s->in, s->in_bytes), direct_out = is_direct(s, s->out, s->out_bytes);
  const uint64_t most = s->ops == NULL ? 1 : SLOTS, count = s->chunks < most ? s->chunks : most;
  scan_status status = SCAN_SUCCESS;
  for (uint64_t i = 0; i < count && status == SCAN_SUCCESS; i++) {
    stream_slot *slot = &s->slots[i];
    if (s->ops != NULL) status = device_alloc(s, s->in_bytes, &slot->in);
    if (s->ops != NULL && status == SCAN_SUCCESS && !s->in_place) status = device_alloc(s, s->out_bytes, &slot->out);
    if (s->in_place) slot->out = slot->in;
    if (s->ops != NULL && s->marks != NULL && status == SCAN_SUCCESS) status = open_marks(s, slot);
    if (status == SCAN_SUCCESS && !direct_in) status = host_alloc(s, s->in_bytes, &slot->host_in);
    if (status == SCAN_SUCCESS && !direct_out) status = host_alloc(s, s->out_bytes, &slot->host_out);
  }
  return status;
}

static scan_status open_stream(stream *s) {
  scan_ctx *ctx = s->ctx;
  scan_problem chained = s->problem;
  if (s->chunks > 1) chained.carry_in = chained.carry_out = device_mem(s, NULL, 0); /* there will be some */
  scan_status status = scan_plan_lookup(ctx, &chained, s->strategy, s->chunk_items, &s->plan);
  if (status == SCAN_SUCCESS && s->chunks > 1)
    status = ctx->ops->alloc(ctx->device, (uint64_t)2 * SCAN_CARRY_SLOT_BYTES, &s->carries, &ctx->error);
  if (status == SCAN_SUCCESS && (s->copier = scan_host_copier_create()) == NULL)
    status = scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a stream");
  if (status == SCAN_SUCCESS && s->ops != NULL)
    status = s->ops->open(ctx->device, SLOTS * SLOT_EVENTS, &s->transfer, &ctx->error);
  return status == SCAN_SUCCESS ? open_slots(s) : status;
}

static void free_host(stream *s, void *memory) {
  if (memory == NULL) return;
  if (s->ops != NULL)
    s->ops->free(s->transfer, memory);
  else
    (void)s->ctx->ops->free(s->ctx->device, memory, &(scan_error){ 0 });
}

/* The message of the first failure is kept. */
static void close_stream(stream *s) {
  scan_ctx *ctx = s->ctx;
  scan_error ignored;
  for (int i = 0; i < SLOTS; i++) {
    stream_slot *slot = &s->slots[i];
    free_host(s, slot->host_in);
    free_host(s, slot->host_out);
    free_host(s, slot->host_marks);
    if (slot->marks != NULL) (void)ctx->ops->free(ctx->device, slot->marks, &ignored);
    if (slot->in != NULL) (void)ctx->ops->free(ctx->device, slot->in, &ignored);
    if (slot->out != NULL && slot->out != slot->in) (void)ctx->ops->free(ctx->device, slot->out, &ignored);
  }
  if (s->carries != NULL) (void)ctx->ops->free(ctx->device, s->carries, &ignored);
  if (s->transfer != NULL) s->ops->close(s->transfer);
  scan_host_copier_destroy(s->copier);
}

/* Waits, after a failure too, until no copy and no scan is under way. */
static scan_status come_to_rest(stream *s, scan_status status) {
  scan_ctx *ctx = s->ctx;
  const scan_error words = ctx->error;
  scan_status rest = SCAN_SUCCESS;
  for (scan_queue q = SCAN_QUEUE_UP; s->transfer != NULL && q < SCAN_QUEUES; q++) {
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

static const scan_transfer_ops *transfer_of(const scan_ctx *ctx) {
  switch (ctx->ops->id) {
  case SCAN_BACKEND_CUDA: return &scan_transfer_cuda;
  case SCAN_BACKEND_OPENCL: return &scan_transfer_opencl;
  default: return NULL;
  }
}

/* ---- calls ---- */

static scan_status run_stream(stream *s) {
  scan_status status = open_stream(s);
  if (status == SCAN_SUCCESS) status = s->ops != NULL ? run_through_device(s) : run_on_host(s);
  status = come_to_rest(s, status);
  close_stream(s);
  return status == SCAN_SUCCESS && s->overflow_at != UINT64_MAX ? scan_overflow_tell(s->ctx, s->overflow_at) : status;
}

/* A stream of no elements leaves the carry that it was given. */
static scan_status pass_carry(const stream *s, const scan_spec *spec) {
  scan_args args = SCAN_ARGS_INIT(scan_host(s->in), scan_host(s->out));
  args.carry_in = s->problem.carry_in;
  args.carry_out = s->problem.carry_out;
  return scan_run_args(s->ctx, spec, 0, &args);
}

scan_status scan_stream(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const void *in, void *out,
                        const scan_stream_options *options) {
  stream s = { .ctx = ctx, .n = n, .in = in, .out = out, .overflow_at = UINT64_MAX };
  scan_status status = scan_ctx_enter(ctx, "scan_stream");
  if (status == SCAN_SUCCESS) status = check_options(ctx, options, &s.options);
  if (status == SCAN_SUCCESS) status = check_spec(&s, spec);
  if (status != SCAN_SUCCESS) return status;
  if (n == 0) return pass_carry(&s, spec);
  s.ops = transfer_of(ctx);
  status = check_sides(&s);
  return status == SCAN_SUCCESS ? run_stream(&s) : status;
}

scan_status scan_stream_chunk(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const scan_stream_options *options,
                              uint64_t *items) {
  stream s = { .ctx = ctx, .n = n };
  scan_status status = scan_ctx_enter(ctx, "scan_stream_chunk");
  if (status != SCAN_SUCCESS) return status;
  if (items == NULL) REFUSE("scan_stream_chunk: items is NULL");
  status = check_options(ctx, options, &s.options);
  if (status == SCAN_SUCCESS) status = check_spec(&s, spec);
  if (status == SCAN_SUCCESS) *items = s.chunk_items > 0 ? s.chunk_items : 1;
  return status;
}

scan_status scan_stream_pin(scan_ctx *ctx, void *memory, uint64_t bytes) {
  const scan_status status = scan_ctx_enter(ctx, "scan_stream_pin");
  if (status != SCAN_SUCCESS) return status;
  if (memory == NULL || bytes == 0) REFUSE("scan_stream_pin: %s", memory == NULL ? "memory is NULL" : "bytes is 0");
  const scan_transfer_ops *ops = transfer_of(ctx);
  return ops != NULL && ops->pin != NULL ? ops->pin(ctx->device, memory, bytes, &ctx->error) : SCAN_SUCCESS;
}

scan_status scan_stream_unpin(scan_ctx *ctx, void *memory) {
  const scan_status status = scan_ctx_enter(ctx, "scan_stream_unpin");
  if (status != SCAN_SUCCESS) return status;
  if (memory == NULL) REFUSE("scan_stream_unpin: memory is NULL");
  const scan_transfer_ops *ops = transfer_of(ctx);
  return ops != NULL && ops->unpin != NULL ? ops->unpin(ctx->device, memory, &ctx->error) : SCAN_SUCCESS;
}
