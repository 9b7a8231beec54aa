/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_stream.c @brief Cases of streams: the call, callbacks, and page-locked memory. */
#include "scan_parts.h"

#include <string.h>

/** State of a stream's callbacks, which cancel the stream when they are called out of order. */
typedef struct stream_side {
  const scan_case *c;
  const unsigned char *in;
  unsigned char *out;
  uint64_t read, written, done; /* in elements */
} stream_side;

/** 1 if the chunk follows directly on the first `before` elements. */
static int is_next(const scan_case *c, uint64_t before, uint64_t first, uint64_t items) {
  if (items == 0 || items > c->n - before) return 0;
  return first == (case_scan_is_backward(c) ? c->n - before - items : before);
}

static int read_chunk(void *user, uint64_t first, uint64_t items, void *to) {
  stream_side *side = user;
  const uint64_t bytes = case_scan_sizes(side->c).input;
  if (!is_next(side->c, side->read, first, items)) return 1;
  memcpy(to, side->in + first * bytes, (size_t)(items * bytes));
  side->read += items;
  return 0;
}

static int write_chunk(void *user, uint64_t first, uint64_t items, const void *from) {
  stream_side *side = user;
  const uint64_t bytes = case_scan_sizes(side->c).output;
  if (!is_next(side->c, side->written, first, items)) return 2;
  memcpy(side->out + first * bytes, from, (size_t)(items * bytes));
  side->written += items;
  return 0;
}

static int see_progress(void *user, uint64_t done, uint64_t n) {
  stream_side *side = user;
  if (n != side->c->n || done <= side->done || done > n) return 3;
  side->done = done;
  return 0;
}

static scan_status stream_run(const scan_calls *k, const scan_args *args) {
  const case_scan *r = &k->c->scan;
  unsigned char *in = (unsigned char *)args->in.handle + args->in.offset_bytes;
  unsigned char *out = (unsigned char *)args->out.handle + args->out.offset_bytes;
  stream_side side = { .c = k->c, .in = in, .out = out };
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  options.chunk_items = r->chunk_items;
  options.device_bytes = r->device_bytes;
  options.marks = args->marks;
  options.mark_count = args->mark_count;
  options.carry_in = args->carry_in;
  options.carry_out = args->carry_out;
  options.user = &side;
  if (r->reads) options.read = read_chunk;
  if (r->writes) options.write = write_chunk;
  if (r->sees_progress) options.progress = see_progress;
  return scan_stream(k->ctx, &k->spec, k->c->n, r->reads ? NULL : in, r->writes ? NULL : out, &options);
}

scan_status case_scan_stream(const scan_calls *k, const scan_args *args) {
  void *in = (char *)k->in.handle + k->in.offset_bytes, *out = (char *)k->out.handle + k->out.offset_bytes;
  if (!k->c->scan.is_pinned) return stream_run(k, args);
  scan_status status = scan_stream_pin(k->ctx, in, k->c->in_bytes);
  if (status != SCAN_SUCCESS) return status;
  status = scan_stream_pin(k->ctx, out, k->c->out_bytes);
  if (status == SCAN_SUCCESS) {
    status = stream_run(k, args);
    const scan_status unpinned = scan_stream_unpin(k->ctx, out);
    if (status == SCAN_SUCCESS) status = unpinned;
  }
  const scan_status unpinned = scan_stream_unpin(k->ctx, in);
  return status == SCAN_SUCCESS ? unpinned : status;
}
