/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_copy.h @brief memcpy by several threads: what a scan by as many threads is measured against. */
#ifndef SCANRT_CLI_BENCH_COPY_H
#define SCANRT_CLI_BENCH_COPY_H

#include <stddef.h>

/** Threads that wait for something to copy. */
typedef struct bench_copier bench_copier;

/** Starts threads - 1 helpers. @return NULL when that fails */
bench_copier *bench_copier_open(unsigned threads);

/** Copies by all threads, the caller's among them, which claim chunks in order; returns when all is copied. */
void bench_copier_run(bench_copier *copier, void *dst, const void *src, size_t bytes);

/** Ends the helpers. NULL is accepted. */
void bench_copier_close(bench_copier *copier);

#endif
