/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites' loops over blocks for every processor. */
#define HOST_PAIRS scan_host_pairs_narrow
#include "device/host/host_pairs.inc"
