/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fuzz.h
 * @brief Functions that fuzz targets share. A target defines LLVMFuzzerTestOneInput, which libFuzzer calls, or replay.c
 * with the bytes of files. It returns 0, or ends the process by fuzz_fail or a sanitizer's report.
 */
#ifndef SCANRT_TESTS_FUZZ_H
#define SCANRT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/** The rest of an input. Reads past its end give zeros. */
typedef struct fuzz_input {
  const uint8_t *at;
  size_t left;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *in);

/** Reads a little-endian number of at most 8 bytes. */
uint64_t fuzz_number(fuzz_input *in, unsigned bytes);

/** Reads a number below `bound`, from as few bytes as that needs. Returns 0 for bounds 0 and 1. */
uint64_t fuzz_below(fuzz_input *in, uint64_t bound);

/** 1 in about one of `of` calls; 0 past the end of the input. */
int fuzz_rarely(fuzz_input *in, unsigned of);

/** Reads a number from `first` to `last`, or, in one of 16 cases, any number from -128 to 127. */
int fuzz_choice(fuzz_input *in, int first, int last);

/** Reads a number of elements below `most`, mostly a small one. */
uint64_t fuzz_items(fuzz_input *in, uint64_t most);

/** Reads bytes up to a zero byte, at most `room` - 1, and terminates them with 0. */
void fuzz_text(fuzz_input *in, char *text, size_t room);

/** Prints the fault and aborts. */
void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Fails unless the status is a refusal and scan_last_error has a sentence. @param ctx  may be NULL */
void fuzz_refused(const scan_ctx *ctx, scan_status status, const char *what);

/** Fails unless the status is SCAN_SUCCESS. */
void fuzz_done(const scan_ctx *ctx, scan_status status, const char *what);

/** Fails unless plan creation succeeded exactly for a valid spec, and set `plan` exactly then. @return 1 if there is a
 * plan, 0 if the spec was refused */
int fuzz_judge(const scan_ctx *ctx, scan_status status, const scan_plan *plan, int is_valid, const char *what);

/** Makes a context on the host with `threads` threads. @param tune  value of $SCANRT_TUNE for it; NULL: unchanged */
scan_ctx *fuzz_context(uint32_t threads, const char *tune);

/** Returns one of two contexts, which are made once: with one thread, or with several that share even small scans. */
scan_ctx *fuzz_one_of_contexts(fuzz_input *in);

/** Returns a folder of this process, which is removed when it ends. */
const char *fuzz_folder(void);

/** Opens a stream that reads the bytes; the caller closes it. */
FILE *fuzz_stream(const void *data, size_t bytes);

/** Memory on the heap, where a sanitizer sees accesses outside: `shift` bytes of margin and `bytes` bytes of data, all
 * poison. Free `begin` with free. */
typedef struct fuzz_memory {
  unsigned char *begin, *data;
  uint64_t shift, bytes;
} fuzz_memory;

enum { FUZZ_POISON = 0xA5 };
fuzz_memory fuzz_reserve(uint64_t bytes, uint64_t shift);

/** Fails if a byte of the margin has changed. */
void fuzz_check_margin(const fuzz_memory *memory, const char *what);

#endif
