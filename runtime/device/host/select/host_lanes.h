/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_LANES_H
#define SCANRT_HOST_LANES_H

#include <stdint.h>

/* Row m: the numbers of the bits set in m, ascending, then zeros. */
extern const uint8_t scan_host_lanes[256][8];

#endif
