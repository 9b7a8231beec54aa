/* SPDX-License-Identifier: BSD-2-Clause */
/* A vector in the registers of a work-item of a work-group: of a built-in type or from source, with flipped bits
 * (SCAN_FLIPS), or mirrored (SCAN_BACKWARD). */
#ifndef SCANRT_CL_SCAN_VECTOR_H
#define SCANRT_CL_SCAN_VECTOR_H

#include "lib/tile.h"

#if SCAN_TYPE == 0
#include "lib/vector_source.h"
#else
#include "lib/vector.h"
#ifdef SCAN_FLIPS
#include "lib/flip.h"
#endif
#if SCAN_BACKWARD
#include "batch/mirror_vector.h"
#endif
#endif

#endif
