/* SPDX-License-Identifier: BSD-2-Clause */
/** @file program.h @brief The options, errors and figures of the short programs in this folder. */
#ifndef SCANRT_EXAMPLE_PROGRAM_H
#define SCANRT_EXAMPLE_PROGRAM_H

#include <scanrt/scan.h>

enum {
  PROGRAM_WRONG = 1,   /**< Exit status: a result is wrong, or a call failed. */
  PROGRAM_CANNOT = 77, /**< Exit status: there is no such device, or it has no double precision. */
  PROGRAM_MOST_N = 1 << 30
};

/** The parsed command line. */
typedef struct program_options {
  uint64_t n;      /**< Elements. */
  uint64_t rounds; /**< Rounds of each time that is taken. */
} program_options;

/** Parses --n N and --rounds N. @param[in,out] options  defaults. @return 0, or an exit status after saying the fault
 */
int program_parse(int argc, char **argv, program_options *options);

/** Opens the device that $SCANRT_DEVICE names, or else the best one. @return 0, or an exit status after saying the
 * fault, PROGRAM_CANNOT also where doubles are needed and the device has none */
int program_open(int needs_doubles, scan_ctx **ctx);

/** Reports a call that failed. @return 0 for SCAN_SUCCESS, or an exit status */
int program_status(const scan_ctx *ctx, scan_status status);

typedef scan_status program_scans(void *state); /**< Enqueues the calls of the library. */
typedef void program_loop(void *state);         /**< The plain loop. */

/**
 * Times calls of the library on the context's device.
 * @param what   printed before the device and the time.
 * @param bytes  that they must read and write; 0: no rate is printed.
 * @return 0, or an exit status
 */
int program_time(scan_ctx *ctx, const char *what, program_scans *scans, void *state, uint64_t rounds, double bytes);

/** Times the plain loop on one thread of the host. @param what  printed before the time. */
void program_time_loop(const char *what, program_loop *loop, void *state, uint64_t rounds, double bytes);

/** Reports whether results are right. @param error  a difference from the plain loop. @return 0, or PROGRAM_WRONG */
int program_verdict(const char *what, double error, double tolerance);

/** Returns element i of a sequence of pseudo-random numbers. */
uint32_t program_random(uint64_t i);

#endif
