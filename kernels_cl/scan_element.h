/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry, arguments, and loads and stores of a scan's elements. */
#ifndef SCANRT_CL_SCAN_ELEMENT_H
#define SCANRT_CL_SCAN_ELEMENT_H

#include "tile.h"
#if SCAN_TYPE == 0
#include "element_source.h"
#endif

#endif
