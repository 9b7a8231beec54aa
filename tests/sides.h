/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sides.h
 * @brief What a primitive reads and what it writes: an image on the host and as much memory of the device, from which
 * parts with margins are taken; and keys whose equality is C's.
 */
#ifndef SCANRT_TESTS_SIDES_H
#define SCANRT_TESTS_SIDES_H

#include "support.h"
#include "values.h"

enum { SIDE_MARGIN = 64, SIDE_POISON = 0xA5 };

/** One side's memory; parts are taken one after the other. */
struct side {
  unsigned char *image;
  scan_mem memory;
  uint64_t bytes, used;
};

/** Allocates both. */
void side_open(struct side *side, uint64_t bytes);

/** Room for so many bytes, `shift` bytes behind a multiple of 64, with a margin on both sides. Returns where. */
uint64_t side_take(struct side *side, uint64_t bytes, uint64_t shift);

/** The memory there: of the host, or of the device. */
scan_mem side_mem(const struct side *side, int on_host, uint64_t at);

/** Copies what is in use of both sides to the device. */
void side_write(const struct side *in, const struct side *out);

/** Reads back what is in use (nothing where it is the host's) and finds the first byte that is not `want`'s: 1, and *at
 * is where. */
int side_differs(struct side *out, int on_host, const unsigned char *want, uint64_t *at);

/** 1 where key i is not equal to the one before. */
int key_differs(scan_type type, const void *keys, uint64_t i);

/** A key: of floating-point types a NaN, a zero of either sign, or anything. */
void key_write(struct rng *rng, scan_type type, unsigned char *to);

#endif
