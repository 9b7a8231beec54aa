/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops for every processor. */
#include <string.h>

#include "device/host/prefetch.h"
#include "device/host/select/host_front.h"
#include "device/host/host_stream.h"

#define HOST_FRONT_BYTES 16
#define HOST_FRONTS scan_host_fronts_narrow
#include "device/host/select/host_front.inc"
