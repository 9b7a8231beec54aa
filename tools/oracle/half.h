/* SPDX-License-Identifier: BSD-2-Clause */
/** @file half.h @brief binary16 and bfloat16, by their definition: bits to numbers and back. */
#ifndef SCANRT_ORACLE_HALF_H
#define SCANRT_ORACLE_HALF_H

#include <stdint.h>

#include <scanrt/scan.h>

/** 1 for SCAN_F16 and SCAN_BF16. */
int half_is(scan_type type);

/** The value of the bits, which is exact. */
double half_value(scan_type type, uint16_t bits);

/** The nearest element, of two the one whose last bit is 0; infinity from half a step beyond the largest on. */
uint16_t half_nearest(scan_type type, double value);

#endif
