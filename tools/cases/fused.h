/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fused.h @brief Operators that map and emit elements of other sizes than their values. */
#ifndef SCANRT_CASES_FUSED_H
#define SCANRT_CASES_FUSED_H

#include "source.h"

/** Returns operator i of these; NULL: i is past the last one. */
const source_structure *source_operator_fused(size_t i);

#endif
