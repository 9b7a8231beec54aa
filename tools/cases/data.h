/* SPDX-License-Identifier: BSD-2-Clause */
/** @file data.h @brief Input data that exposes mistakes: every operator keeps changing its result along the array. */
#ifndef SCANRT_CLI_DATA_H
#define SCANRT_CLI_DATA_H

#include <stdint.h>

#include <scanrt/scan.h>

/** Seed and special values of the input. */
typedef struct data_style {
  uint64_t seed;
  int denormals;   /**< 1: some denormals. */
  int not_numbers; /**< 1: an infinity at the middle and a NaN at two thirds. */
} data_style;

/** Returns 64 random bits for counter i. */
uint64_t data_bits(uint64_t seed, uint64_t i);

/** Fills n elements for a scan with `op`. Equal arguments give equal bits. */
void data_fill(scan_type type, scan_op_id op, uint64_t n, const data_style *style, void *out);

/** Fills n integers such that no sum or product of neighbours leaves the range of `type`. @param input_type  type of
 * the elements */
void data_fill_within(scan_type input_type, scan_type type, scan_op_id op, uint64_t n, void *out);

#endif
