/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file wild.h
 * @brief Calls with any memory: parts of one arena, which may overlap, be too small, misaligned, none, somebody else's
 * or freed. What is refused writes nothing, and what is done writes only what it was given to write.
 */
#ifndef SCANRT_TESTS_FUZZ_WILD_H
#define SCANRT_TESTS_FUZZ_WILD_H

#include "fuzz.h"

enum { WILD_BYTES = 4096 };

/** Fills the arena, and forgets what may be written. */
void wild_begin(scan_ctx *ctx, fuzz_input *in);

/** A part of the arena, in most cases; or what is no memory for this context. */
scan_mem wild_memory(fuzz_input *in);

/** The same, or in one of two cases none. */
scan_mem wild_optional(fuzz_input *in);

/** A number of elements, mostly few, that may be any. */
uint64_t wild_items(fuzz_input *in);

/** Lets the call write that many bytes of the memory. */
void wild_may_write(scan_mem memory, uint64_t items, uint64_t item_bytes);

/** What must hold after a call with that status. */
void wild_check(scan_status status, const char *what);

/** One call, as the input says: a primitive's, or of a scan or a difference. */
void wild_primitive(fuzz_input *in);
void wild_scan(fuzz_input *in);

#endif
