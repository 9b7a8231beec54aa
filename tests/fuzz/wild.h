/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file wild.h
 * @brief Calls with any memory: parts of one arena, which may overlap, be too small or misaligned; no memory; memory of
 * another context; freed memory. A refused call writes nothing; a call that succeeds writes only its outputs.
 */
#ifndef SCANRT_TESTS_FUZZ_WILD_H
#define SCANRT_TESTS_FUZZ_WILD_H

#include "fuzz.h"

enum { WILD_BYTES = 4096 };

/** Fills the arena and marks all of it as not writable. */
void wild_begin(scan_ctx *ctx, fuzz_input *in);

/** Returns a part of the arena in most cases, else memory that is invalid for this context. */
scan_mem wild_memory(fuzz_input *in);

/** Returns wild_memory in one of two cases, else SCAN_NO_MEM. */
scan_mem wild_optional(fuzz_input *in);

/** Reads a number of elements, mostly a small one; any number is possible. */
uint64_t wild_items(fuzz_input *in);

/** Marks `items` elements of the memory as writable by the call. */
void wild_may_write(scan_mem memory, uint64_t items, uint64_t item_bytes);

/** Fails unless the status is allowed and only writable bytes have changed; no byte if the call has failed. */
void wild_check(scan_status status, const char *what);

/** Makes one call of a primitive, as the input says. */
void wild_primitive(fuzz_input *in);
/** Makes one call of a scan or a difference, as the input says. */
void wild_scan(fuzz_input *in);

#endif
