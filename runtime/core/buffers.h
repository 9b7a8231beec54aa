/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of a call's buffers. It serves to check them, to compare them, to stage them and to copy them back. */
#ifndef SCANRT_BUFFERS_H
#define SCANRT_BUFFERS_H

#include "core/context.h"

/* A buffer that a call reads or writes. */
typedef struct scan_buffer {
  scan_mem *mem;               /* in the run's copy of the arguments; resolving and staging change it */
  uint64_t bytes;              /* number of bytes that the call may touch; 0: the buffer is not used */
  uint64_t item_bytes;         /* an output: bytes of each item that is copied back to the host */
  int64_t first;               /* the first byte that the call touches, counted from element 0 */
  const char *name;            /* the argument's name, for messages */
  uint64_t align;              /* required alignment of its first byte, a power of two */
  uint32_t index;              /* with is_indexed: index of the buffer within that argument */
  uint32_t part;               /* an output: the part of the elements that it receives, as the operation numbers them */
  const scan_mem *in_place_of; /* an output: the `mem` of the input that it may be; or NULL */
  const char *overlap;   /* the message if it overlaps a buffer that is listed before it; NULL: one of the names */
  const scan_mem *marks; /* an output: the `mem` of marks that it may be, where its own input is these marks; or
                            NULL */
  unsigned is_indexed : 1;
  unsigned is_output : 1;
  unsigned has_elements : 1;   /* it holds elements of item_bytes bytes, which the message about its alignment names */
  unsigned is_filled : 1;      /* an output with gaps, whose bytes are kept: it is copied to the device, too */
  unsigned is_device_only : 1; /* host memory is refused and never staged */
  unsigned is_checked : 1;     /* the operation has resolved it, and compared it with the others that have this bit */
  unsigned is_staged : 1;      /* scan_buffers_stage has replaced it by device memory */
  unsigned is_read_first : 1;  /* an input that the run reads before it writes outputs other than the one that may be
                                  this input */
  unsigned is_count : 1;       /* an output of one item, whatever n is; all zeros where n is 0 */
} scan_buffer;

enum { SCAN_MOST_BUFFERS = 36 };

typedef struct scan_buffer_list {
  const char *rule; /* the end of the message about buffers that overlap */
  int count;
  scan_buffer of[SCAN_MOST_BUFFERS];
  scan_mem callers[SCAN_MOST_BUFFERS]; /* the caller's memory of buffers that are staged */
} scan_buffer_list;

/* Appends a buffer if the call uses it. */
static inline void scan_buffers_add(scan_buffer_list *list, const scan_buffer *buffer) {
  if (buffer->bytes > 0) list->of[list->count++] = *buffer;
}

/* Appends args->n_from, if the call has one. */
void scan_buffers_add_n_from(scan_buffer_list *list, scan_mem *n_from);

/* Appends the counts that a call writes, if it writes any, and args->n_from, which may be the same memory. */
void scan_buffers_add_counts(scan_buffer_list *list, scan_mem *counts, uint64_t bytes, const char *name,
                             scan_mem *n_from);

/* Resolves every buffer and checks its size and its alignment. With stageable, host memory stays as the caller named
 * it. */
scan_status scan_buffers_resolve(scan_ctx *ctx, const scan_buffer_list *list, int stageable);

/* Refuses an output that overlaps another buffer, unless it is its own input. */
scan_status scan_buffers_check_apart(scan_ctx *ctx, const scan_buffer_list *list);

/* 1 if some buffer is host memory and the device has memory of its own. */
int scan_buffers_are_staged(const scan_ctx *ctx, const scan_buffer_list *list);

/* Replaces all host memory by device memory, and copies the inputs there. */
scan_status scan_buffers_stage(scan_ctx *ctx, scan_buffer_list *list);

/* Copies the first items of the list's buffer i back to the caller, if that is a staged output. */
scan_status scan_buffers_read_back(scan_ctx *ctx, const scan_buffer_list *list, int i, uint64_t items);

/* Reads a 64-bit number from device memory, after waiting for the device. */
scan_status scan_number_read(scan_ctx *ctx, scan_mem mem, uint64_t *number);

#endif
