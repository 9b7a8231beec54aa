/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry, arguments, and loads and stores of a scan's elements. */
#ifndef SCANRT_CL_SCAN_ELEMENT_H
#define SCANRT_CL_SCAN_ELEMENT_H

#include "lib/tile.h"
#if SCAN_TYPE == 0
#include "lib/element_source.h"
#endif

#endif
