/* SPDX-License-Identifier: BSD-2-Clause */
/* Hidden plans of operators from source that answer before all of their kernels are compiled: first by reduce_then_scan
 * with kernels that compile fastest (kernels_cl/scan/rolled.cl), then by look-back, then by all strategies. The
 * canonical order gives all of them the same bits. */
#ifndef SCANRT_QUICK_PLAN_H
#define SCANRT_QUICK_PLAN_H

#include "core/launch.h"

/* The kernels that replace the plan's, from the last one on. */
enum { SCAN_QUICK_STAGES = 2 };
typedef struct scan_quick_stage {
  uint32_t avoids; /* strategies that AUTO passes over, SCAN_AVOID_* */
  scan_wanted wanted;
} scan_quick_stage;

typedef struct scan_quick {
  int count;
  scan_quick_stage stages[SCAN_QUICK_STAGES];
} scan_quick;

/* 1 if the plan's kernels may be compiled in the background: some are not compiled yet, and the backend can. */
int scan_quick_pays(const scan_plan *plan, const scan_wanted *wanted);

/* 1 if both lists have the same kernels, in the same order. */
int scan_quick_is_same(const scan_wanted *a, const scan_wanted *b);

/* Creates the kernels of a launch over n elements by rolled.cl, and begins to compile those of the stages, which the
 * plan owns from here on. If no thread compiles them, waits for the last stage's. */
scan_status scan_quick_begin(scan_plan *plan, scan_quick *quick, uint64_t n);

/* Takes the kernels that are compiled since the last launch. Creates those of a launch over n elements, if the plan has
 * none yet. */
scan_status scan_quick_advance(scan_plan *plan, uint64_t n, uint32_t variant);

#endif
