/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file board.h
 * @brief A plan whose look-back workspace a test reads and writes: for programs that see the layers' headers.
 */
#ifndef SCANRT_TESTS_BOARD_H
#define SCANRT_TESTS_BOARD_H

#include "core/plan.h"
#include "support.h"

/** The largest count that a bench can be opened for. */
enum { BENCH_MOST = 1 << 22 };

/** A plan with its buffers. */
struct bench {
  scan_ctx *ctx;
  scan_spec spec;
  scan_plan *plan;
  scan_mem in, out;
};

/** New values and what their scan must be. There is one set of both in a program. */
void bench_prepare(const scan_spec *spec, uint64_t n);

/** The values that bench_prepare made, and where bench_check_result looks for their scan. */
void *bench_values(void), *bench_result(void);

/** Fails the test unless bench_result is what it must be. */
void bench_check_result(const scan_spec *spec, uint64_t n);

/** Plans scans of up to max_n elements on the context, which bench_close does not destroy. */
struct bench bench_open(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n);

/** Frees the plan and the buffers. */
void bench_close(struct bench *b);

/** One scan of new values, with the output poisoned before; the status of the synchronisation. */
scan_status bench_run(struct bench *b, uint64_t n, int in_place);

/** The same, and the result must be right. */
void bench_check(struct bench *b, uint64_t n, int in_place);

/** The epoch word of the control block: the epoch of the last launch, 0 at the start and after the descriptors were
 *  cleared. */
uint32_t board_epoch(const struct bench *b);

/** Sets the epoch word. */
void board_set_epoch(const struct bench *b, uint32_t epoch);

/** The whole workspace; free it. */
unsigned char *board_read(const struct bench *b);

/** How many of the tiles step - 1, 2 step - 1 and so on of the last scan, of n elements, have a descriptor that lasted:
 *  packed ones only. */
uint64_t board_count_published(const struct bench *b, uint64_t n, uint64_t step);

/** Fails the test unless no descriptor is left, whatever its epoch. */
void board_check_clear(const struct bench *b);

#endif
