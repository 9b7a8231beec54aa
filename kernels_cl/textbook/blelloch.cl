/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree lies in local memory without padding: strides of powers of two cause bank conflicts (counted in
 * tools/doc/measurements/textbook.md). */
#include "textbook/textbook.h"

#define TEXTBOOK(part) blelloch_##part
#define PLACE(i) (i)

#include "textbook/blelloch.h"
#include "textbook/scan_then_add.h"
