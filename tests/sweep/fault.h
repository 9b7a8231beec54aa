/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fault.h
 * @brief Calls that are made to fail: the k-th one, alone or with all later ones.
 *
 * The fake CUDA driver, the OpenCL shim and libc.c stand between the library and the functions that it calls. They call
 * fault_is_due at the beginning of each function; the test arms the plan.
 */
#ifndef SCANRT_TESTS_FAULT_H
#define SCANRT_TESTS_FAULT_H

/** A plan of failures for one kind of calls, and its counts. */
typedef struct fault_plan {
  unsigned first;   /**< Number of the first call that fails; 0: none fails. */
  int is_lasting;   /**< 1 if all later calls fail, too. */
  unsigned calls;   /**< Calls since the plan was armed. */
  unsigned failed;  /**< Calls that failed. */
  unsigned kept;    /**< Failed calls that should have freed something. */
  const char *name; /**< Name of the first call that failed, or NULL. */
  char names[1024]; /**< Names of all calls that failed, each between spaces. */
} fault_plan;

/** Makes the k-th call from now on fail; 0: none. Resets the counts. */
void fault_arm(fault_plan *plan, unsigned k, int is_lasting);

/** Makes all calls succeed from now on; keeps the counts. */
void fault_disarm(fault_plan *plan);

/** Counts the call; 1 if it must fail. Thread-safe. */
int fault_is_due(fault_plan *plan, const char *call);

/** 1 if the text names a call that failed, with or without its "_v2". */
int fault_is_named(const fault_plan *plan, const char *words);

/** Arms the plan from an environment variable: "7" is the seventh call; "7+" is that and all later ones. */
void fault_arm_from(fault_plan *plan, const char *variable);

/** Writes the number of failed calls, and their names, to the file $SCANRT_FAULT_REPORT if the plan is armed. */
void fault_report(const fault_plan *plan);

#endif
