/* SPDX-License-Identifier: BSD-2-Clause */
/* Before lines_item.h, where a work-item's turns of loops are counted: one line at a time. */
#define LINE_BLOCK 1
