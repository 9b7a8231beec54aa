/* SPDX-License-Identifier: BSD-2-Clause */
/** @file data.h @brief Input that shows mistakes: every operator keeps changing its result along the array. */
#ifndef SCANRT_CLI_DATA_H
#define SCANRT_CLI_DATA_H

#include <stdint.h>

#include <scanrt/scan.h>

/** What else the floating-point input holds. */
typedef struct data_style {
  uint64_t seed;
  int denormals;   /**< 1: some denormals. */
  int not_numbers; /**< 1: an infinity at the middle and a NaN at two thirds. */
} data_style;

/** 64 random bits of a counter. */
uint64_t data_bits(uint64_t seed, uint64_t i);

/** Fills n elements for a scan with `op`. The same arguments give the same bits. */
void data_fill(scan_type type, scan_op_id op, uint64_t n, const data_style *style, void *out);

/** Fills n integers of which no sum or product (of neighbours) leaves the range of `type`. @param input_type theirs */
void data_fill_within(scan_type input_type, scan_type type, scan_op_id op, uint64_t n, void *out);

#endif
