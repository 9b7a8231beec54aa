/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fault.h
 * @brief Calls that are made to fail: the k-th one, alone or with all that follow.
 *
 * Whoever stands between the library and what it calls (the fake CUDA driver, the OpenCL shim, libc.c) asks
 * fault_is_due at the beginning of each call, and the test arms the plan.
 */
#ifndef SCANRT_TESTS_FAULT_H
#define SCANRT_TESTS_FAULT_H

/** Calls of one kind. */
typedef struct fault_plan {
  unsigned first;   /**< The number of the call that fails first; 0: none does. */
  int is_lasting;   /**< All that follow fail, too. */
  unsigned calls;   /**< Since the plan was armed. */
  unsigned failed;  /**< Of them. */
  unsigned kept;    /**< Of those: calls that free something, and then do not. */
  const char *name; /**< Of the call that failed first; NULL: none did. */
  char names[1024]; /**< Of all that failed, each between spaces. */
} fault_plan;

/** From now on the k-th call fails; 0: none. What was counted begins anew. */
void fault_arm(fault_plan *plan, unsigned k, int is_lasting);

/** The calls that come succeed; what was counted stays. */
void fault_disarm(fault_plan *plan);

/** Counts the call; 1 when it is to fail. Any thread may ask. */
int fault_is_due(fault_plan *plan, const char *call);

/** 1 when the words name a call that failed, as "name failed" or otherwise, with or without a "_v2". */
int fault_is_named(const fault_plan *plan, const char *words);

/** Arms the plan as an environment variable says: "7", the seventh call; "7+", and all that follow. */
void fault_arm_from(fault_plan *plan, const char *variable);

/** Writes how many calls failed to the file that $SCANRT_FAULT_REPORT names, where the plan was armed by a variable. */
void fault_report(const fault_plan *plan);

#endif
