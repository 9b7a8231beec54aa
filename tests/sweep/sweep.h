/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sweep.h
 * @brief Sweeps of faults: a scenario is repeated, and the first call of a kind fails, the second, the third ... until
 * no call fails any more; alone, with all later ones in the scenario, and with all until the context is destroyed.
 *
 * After each failure the scenario either gets an error (a status and a text that names the driver's call) or results
 * with the right bits. Nothing is left behind, and the context scans again as soon as calls succeed.
 */
#ifndef SCANRT_TESTS_SWEEP_H
#define SCANRT_TESTS_SWEEP_H

#include <scanrt/scan.h>

#include "sweep/fault.h"

enum { SWEEP_N = 3000 };

/** One run of a scenario. */
typedef struct sweep_trial {
  scan_ctx *ctx;
  const char *step;   /**< The first call that did not succeed, or NULL. */
  scan_status status; /**< Status of `step`. */
  char words[1024];
  const char *wrong; /**< A result that is wrong although all calls succeeded, or NULL. */
} sweep_trial;

/** A use of the library. */
typedef struct sweep_scenario {
  const char *name;
  scan_backend backend;            /**< The only backend that it is for; 0: any. */
  int begins_itself;               /**< 1 if it begins without a context. */
  int needs_device;                /**< 1 if it is not for the host. */
  const char *line;                /**< The line of its case; NULL: it is no case. */
  void (*run)(sweep_trial *t);     /**< NULL if there is a line. */
  void (*prepare)(sweep_trial *t); /**< Runs before, while no call fails; NULL: nothing. */
  void (*finish)(void);            /**< Runs after the context is destroyed, while no call fails; NULL: nothing. */
} sweep_scenario;

/** The scenarios. The last one of a list has no name. */
extern const sweep_scenario sweep_cases[], sweep_devices[];

/** Builds the scenario's case, if it has one. */
void sweep_case_begin(const sweep_scenario *s);
/** Runs the case that was built. */
void sweep_case_run(sweep_trial *t);
/** Frees the scenario's case, if it has one. */
void sweep_case_end(const sweep_scenario *s);

/** A kind of calls. */
typedef struct sweep_kind {
  const char *name;
  fault_plan *plan;
  scan_status status; /**< Status that a failing call must lead to; SCAN_SUCCESS: any error. */
  int is_named;       /**< 1 if the error text must name the call. */
} sweep_kind;

/** Notes the status of a call; 1 if it succeeded and the scenario may go on. */
int sweep_step(sweep_trial *t, const char *call, scan_status status);

/** Compares a scenario's result if all calls succeeded. */
void sweep_expect(sweep_trial *t, const char *what, const void *got, const void *want, size_t bytes);

/** Counts a fault of the trial and prints it. */
void sweep_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Returns a folder for the cache of programs, which is removed when the test ends. */
const char *sweep_folder(void);

/** Opens the device under test. */
scan_status sweep_open(scan_ctx **ctx);

/** 1 if a plain scan over host memory succeeds and gives the right bits. */
int sweep_scan_works(scan_ctx *ctx);

/** Returns the elements of the plain scan, small integers. */
const float *sweep_values(void);
/** Returns the sums of sweep_values. */
const float *sweep_sums(void);

/** Sweeps all scenarios of the device under test. @return the number of faults, which have been printed */
int sweep_through(const sweep_kind *kind);

/** Sweeps the first use of the library in a process; each trial is a process. @return as sweep_through */
int sweep_first_use(const sweep_kind *kind);

/** drivers.c: returns the number of live objects of the driver. */
long sweep_driver_objects(void);
/** Returns a misuse that the driver has found; "" if none. */
const char *sweep_driver_fault(void);
/** Returns how many objects may be left because calls that free them failed. */
long sweep_driver_excuses(const fault_plan *plan);
/** Forgets leftover objects before the next trial. */
void sweep_driver_reset(void);
/** Returns the plan of the driver's calls, or NULL on the host. */
fault_plan *sweep_driver_plan(void);
/** Returns the plan of the calls of the stand-in for NVRTC, or NULL if it is not loaded. */
fault_plan *sweep_nvrtc_plan(void);

#endif
