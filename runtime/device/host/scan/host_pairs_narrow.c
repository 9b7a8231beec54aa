/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites' loops over blocks for every processor. */
#include "device/host/scan/host_block.h"

#ifndef HOST_ONLY_WIDE
#define REG_BYTES 16
#define HOST_PAIRS scan_host_pairs_narrow
#include "device/host/scan/host_pairs.inc"
#endif
