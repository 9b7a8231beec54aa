/* SPDX-License-Identifier: BSD-2-Clause */
/* The first bytes of a workspace, as the host knows them. */
#ifndef SCANRT_CONTROL_H
#define SCANRT_CONTROL_H

#include <scanrt/scan_op.h>

/* The control block of kernels_cl/descriptor.h, as the host reads it. */
enum { SCAN_CONTROL_BYTES = 512, SCAN_CONTROL_ERROR_BYTES = 65 * 4, SCAN_CONTROL_EPOCH_BYTES = 4 };

/* Where kernels_cl/tile.h has a carry: the last bytes of the control block are no part of it. */
enum { SCAN_CARRY_SLOT_BYTES = SCAN_OP_MOST_BYTES };

#endif
