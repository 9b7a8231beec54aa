/* SPDX-License-Identifier: BSD-2-Clause */
/* Element types by their number in scan.h: TYPE_BYTES(SCAN_TYPE). A number without a row does not compile. */
#ifndef SCANRT_CL_TYPES_H
#define SCANRT_CL_TYPES_H

#define TYPE_PASTE(row, type) row##type
#define TYPE_ROW(row, type) TYPE_PASTE(row, type)
#define TYPE_BYTES(type) TYPE_ROW(TYPE_BYTES_, type)

#define TYPE_BYTES_1 1
#define TYPE_BYTES_2 1
#define TYPE_BYTES_3 2
#define TYPE_BYTES_4 2
#define TYPE_BYTES_5 4
#define TYPE_BYTES_6 4
#define TYPE_BYTES_7 8
#define TYPE_BYTES_8 8
#define TYPE_BYTES_9 4
#define TYPE_BYTES_10 8
#define TYPE_BYTES_11 2
#define TYPE_BYTES_12 2
#endif
