/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan of host data chunk by chunk: stream.c has the calls and their checks, stream_run.c the execution, and
 * stream_marks.c the marks of segments. */
#ifndef SCANRT_STREAM_H
#define SCANRT_STREAM_H

#include "core/plan.h"
#include "device/host/host_copy.h"
#include "device/transfer.h"

enum { STREAM_SLOTS = 3, STREAM_BITS_A_WORD = 32 };

/* The parts of a chunk: elements, results and, in segmented scans, marks. */
typedef enum stream_side { STREAM_IN, STREAM_OUT, STREAM_MARKS, STREAM_SIDES } stream_side;

typedef struct stream_slot {
  void *device[STREAM_SIDES]; /* device memory; in and out are the same if their elements have the same size */
  void *host[STREAM_SIDES];   /* buffers between the application and the device; NULL: its memory is used directly */
} stream_slot;

typedef struct stream {
  scan_ctx *ctx;
  scan_stream_options options;
  scan_problem problem; /* offsets of segments have become bits */
  scan_strategy strategy;
  scan_plan *plan;
  char *memory[STREAM_SIDES];        /* the application's memory; NULL: callbacks, or marks made of offsets */
  uint64_t item_bytes[STREAM_SIDES]; /* bytes of an element or a mark; marks that are bits: 1; no marks: 0 */
  scan_marks offsets;                /* the application's offsets of segments; kind 0: it gave none */
  uint64_t n, chunk_items, chunks;
  int in_place;                 /* 1: chunks are scanned in place in device memory */
  int backward;                 /* the last chunk in memory comes first */
  const scan_transfer_ops *ops; /* NULL: the device is the host */
  scan_transfer *transfer;
  host_copier *copier;
  stream_slot slots[STREAM_SLOTS];
  void *carries; /* carries in device memory: a chunk reads one of two and writes the other, alternately; the others
                    stand for the application's, if these are in host memory */
  scan_mem carry_in, carry_out; /* the carries that the first chunk reads and the last chunk writes */
  uint64_t overflow_at; /* index of the first result, in the order of the scan, that overflowed; UINT64_MAX: none */
} stream;

/* Bytes of the first `items` elements of a side: the offset of element `items`. */
uint64_t scan_stream_bytes(const stream *s, stream_side side, uint64_t items);

/* Executes a checked stream of at least one element. */
scan_status scan_stream_do(stream *s);

/* Checks the marks and sets the stream's fields for them. Offsets become bits. */
scan_status scan_stream_check_marks(stream *s);

/* 1 if a segment begins at element i > 0 in memory. */
int scan_stream_starts_segment(const stream *s, uint64_t i);

/* Writes the bits of a chunk's marks, made of the offsets. */
void scan_stream_mark(const stream *s, uint64_t first, uint64_t items, uint32_t *words);

#endif
