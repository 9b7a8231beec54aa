/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fuzz.h
 * @brief What fuzz targets share. A target defines LLVMFuzzerTestOneInput: libFuzzer calls it, or replay.c does with
 * files. It returns 0, or ends the process by fuzz_fail or a sanitizer's report.
 */
#ifndef SCANRT_TESTS_FUZZ_H
#define SCANRT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/** What is left of an input. Past its end there are zeros. */
typedef struct fuzz_input {
  const uint8_t *at;
  size_t left;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *in);

/** A number of so many bytes, at most 8; little-endian. */
uint64_t fuzz_number(fuzz_input *in, unsigned bytes);

/** A number below `bound`, of as few bytes as that takes; 0 of bounds 0 and 1. */
uint64_t fuzz_below(fuzz_input *in, uint64_t bound);

/** 1 in about `of` cases, but not where the input has ended. */
int fuzz_rarely(fuzz_input *in, unsigned of);

/** A number from `first` to `last`; in one of 16 cases any from -128 to 127. */
int fuzz_choice(fuzz_input *in, int first, int last);

/** A number of elements, mostly small, below `most`. */
uint64_t fuzz_items(fuzz_input *in, uint64_t most);

/** The next bytes up to a zero byte or `room` - 1 of them, with a zero behind. */
void fuzz_text(fuzz_input *in, char *text, size_t room);

/** Prints what is wrong, and aborts. */
void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Fails unless the status is one that refuses a call, and scan_last_error has a sentence. @param ctx  may be NULL */
void fuzz_refused(const scan_ctx *ctx, scan_status status, const char *what);

/** Fails unless the status is SCAN_SUCCESS. */
void fuzz_done(const scan_ctx *ctx, scan_status status, const char *what);

/** Judges what plan creation said of a spec. @return 1 when there is a plan to go on with, 0 when it was refused */
int fuzz_judge(const scan_ctx *ctx, scan_status status, const scan_plan *plan, int is_valid, const char *what);

/** A context on the host with so many threads. @param tune  $SCANRT_TUNE for it; NULL: as it is */
scan_ctx *fuzz_context(uint32_t threads, const char *tune);

/** Contexts of one thread, and of several that share even a few elements; made once. */
scan_ctx *fuzz_one_of_contexts(fuzz_input *in);

/** A folder of this process alone, which is removed at its end. */
const char *fuzz_folder(void);

/** A stream of those bytes to read; fails where there is none. Close it. */
FILE *fuzz_stream(const void *data, size_t bytes);

/** Memory of its own for the sanitizer to watch: `bytes` bytes behind `shift` of poison, all of it poison. Free `begin`
 * with free. */
typedef struct fuzz_memory {
  unsigned char *begin, *data;
  uint64_t shift, bytes;
} fuzz_memory;

enum { FUZZ_POISON = 0xA5 };
fuzz_memory fuzz_take(uint64_t bytes, uint64_t shift);

/** Fails where what lies before the data has changed. */
void fuzz_check_margin(const fuzz_memory *memory, const char *what);

#endif
