/* SPDX-License-Identifier: BSD-2-Clause */
/* Element types by their number in scan.h: TYPE_BYTES(SCAN_TYPE). A number without a row does not compile. */
#ifndef SCANRT_CL_TYPES_H
#define SCANRT_CL_TYPES_H

#define TYPE_PASTE(row, type) row##type
#define TYPE_ROW(row, type) TYPE_PASTE(row, type)
#define TYPE_BYTES(type) TYPE_ROW(TYPE_BYTES_, type)

/* Unsigned integers, as which elements are moved. */
#define TYPE_BYTES_2 1
#define TYPE_BYTES_4 2
#define TYPE_BYTES_6 4
#define TYPE_BYTES_8 8
#endif
