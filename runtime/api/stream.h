/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan of host data chunk by chunk: stream.c checks what is asked for, stream_run.c does it, and stream_marks.c knows
 * where segments begin. */
#ifndef SCANRT_STREAM_H
#define SCANRT_STREAM_H

#include "core/plan.h"
#include "device/host/host_copy.h"
#include "device/transfer.h"

enum { STREAM_SLOTS = 3, STREAM_BITS_A_WORD = 32 };

/* What a chunk has: elements, results, and of segmented scans marks. */
typedef enum stream_side { STREAM_IN, STREAM_OUT, STREAM_MARKS, STREAM_SIDES } stream_side;

typedef struct stream_slot {
  void *device[STREAM_SIDES]; /* in and out are the same where elements stay as large */
  void *host[STREAM_SIDES];   /* what the application's memory is copied through; NULL: copied directly */
} stream_slot;

typedef struct stream {
  scan_ctx *ctx;
  scan_stream_options options;
  scan_problem problem; /* offsets of segments have become bits */
  scan_strategy strategy;
  scan_plan *plan;
  char *memory[STREAM_SIDES];        /* the application's; NULL: callbacks give and take it, offsets tell it */
  uint64_t item_bytes[STREAM_SIDES]; /* of an element; of a bit 1; 0: there are no marks */
  scan_marks offsets;                /* kind 0: segments are not told by offsets */
  uint64_t n, chunk_items, chunks;
  int in_place;                 /* in device memory */
  int backward;                 /* the last chunk in memory comes first */
  const scan_transfer_ops *ops; /* NULL: the device is the host */
  scan_transfer *transfer;
  host_copier *copier;
  stream_slot slots[STREAM_SLOTS];
  void *carries; /* two values of the device: what a chunk begins with, and what it leaves, by turns */
  uint64_t
      overflow_at; /* the index of the first result that does not fit, in the order of the scan; UINT64_MAX: all do */
} stream;

/* Bytes of the first `items` of a side, which are where the rest begins. */
uint64_t scan_stream_bytes(const stream *s, stream_side side, uint64_t items);

/* Scans a stream that was checked, of one element at least. */
scan_status scan_stream_do(stream *s);

/* Takes the marks over from the options. */
scan_status scan_stream_take_marks(stream *s);

/* Whether a segment begins with an element that is not the first in memory. */
int scan_stream_begins(const stream *s, uint64_t i);

/* What offsets say of a chunk, as bits. */
void scan_stream_mark(const stream *s, uint64_t first, uint64_t items, uint32_t *words);

#endif
