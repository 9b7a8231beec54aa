/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fused.h @brief The operators that map and emit elements of other sizes. */
#ifndef SCANRT_CASES_FUSED_H
#define SCANRT_CASES_FUSED_H

#include "source.h"

/** Number i of them; NULL: there are no more. */
const source_structure *source_operator_fused(size_t i);

#endif
