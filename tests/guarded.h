/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file guarded.h
 * @brief Device memory that notices every byte written outside the outputs.
 *
 * One device buffer holds many regions with canaries before and after each. The cycle is: guarded_begin,
 * guarded_reserve for each output, guarded_poison (canaries and outputs get the poison), the scans, guarded_check (one
 * read; outputs against the expected values, everything else against the poison).
 *
 * Nothing here uses cmocka, so that threads may call it; errors are returned in `text`.
 */
#ifndef SCANRT_TESTS_GUARDED_H
#define SCANRT_TESTS_GUARDED_H

#include <scanrt/scan.h>

#include "support.h"

enum { GUARDED_BYTES = 64, GUARDED_REGIONS = 640, GUARDED_POISON = 0xA5 };

/** One output inside a guarded buffer. */
struct region {
  scan_type type;
  uint64_t n;
  uint64_t first_byte; /* the output's offset */
};

/** A guarded buffer. Treat the fields as read-only. */
struct guarded {
  scan_ctx *ctx;
  scan_mem memory;
  uint64_t capacity_bytes, used_bytes;
  unsigned char *want, *got; /* host images of the buffer */
  size_t count;
  struct region regions[GUARDED_REGIONS];
};

/** Allocates the buffer on the context's device. */
scan_status guarded_open(struct guarded *g, scan_ctx *ctx, uint64_t capacity_bytes);

/** Frees the buffer. */
void guarded_close(struct guarded *g);

/** Removes all regions. */
void guarded_begin(struct guarded *g);

/** Returns the most bytes of buffer that an output of n elements needs, for any shift up to 16 elements. */
uint64_t guarded_bytes(scan_type type, uint64_t n);

/**
 * Takes room for n elements, `shift` elements after a 64-byte boundary, with a canary on both sides.
 * @return 1; 0 when there is no room left (then guarded_check what there is and begin again).
 */
int guarded_reserve(struct guarded *g, scan_type type, uint64_t n, uint64_t shift);

/** Fills the used part of the buffer with the poison; blocking. */
scan_status guarded_poison(struct guarded *g);

/** Returns the device memory of region `index`; its size ends where the buffer ends. */
scan_mem guarded_mem(const struct guarded *g, size_t index);

/** Returns the host memory for the expected output of region `index`. */
void *guarded_want(struct guarded *g, size_t index);

/**
 * Reads the buffer and compares. @param[out] bad the region that is wrong; @param[out] text what is wrong.
 * @return 0 when all is as expected, otherwise 1.
 */
int guarded_check(struct guarded *g, size_t *bad, char text[TEST_TEXT]);

/**
 * One scan of host input over guarded device memory, by a plan of its own, against the reference.
 * @param[out] out  NULL, or n elements of the type: what the device gave.
 * @param[out] text what went wrong.
 * @return SCAN_SUCCESS when the result is right; SCAN_UNSUPPORTED when the library said so; otherwise
 *         SCAN_DEVICE_ERROR.
 */
scan_status guarded_scan(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const void *in, void *out,
                         char text[TEST_TEXT]);

#endif
