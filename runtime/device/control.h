/* SPDX-License-Identifier: BSD-2-Clause */
/* The first bytes of a look-back workspace. */
#ifndef SCANRT_CONTROL_H
#define SCANRT_CONTROL_H

#include <scanrt/scan_op.h>

/* Sizes of the control block of kernels_cl/lib/descriptor.h, as the host reads it. */
enum { SCAN_CONTROL_BYTES = 512, SCAN_CONTROL_ERROR_BYTES = 65 * 4, SCAN_CONTROL_EPOCH_BYTES = 4 };

/* Bytes of the carry slot of kernels_cl/lib/tile.h, in the control block's last bytes, which are otherwise unused. */
enum { SCAN_CARRY_SLOT_BYTES = SCAN_OP_MOST_BYTES };

#endif
