/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and the operator, of a built-in type or from source. */
#ifndef SCANRT_CL_SCAN_VALUE_H
#define SCANRT_CL_SCAN_VALUE_H

#include "lib/dialect.h"

#if SCAN_TYPE == 0
#include "lib/value_source.h"
#else
#include "lib/value.h"
#endif

#endif
