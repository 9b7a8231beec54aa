/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file sweep.h
 * @brief Sweeps of faults: a scenario is gone through again and again, and of one kind of calls the first fails, the
 * second, the third ... until none does any more; alone, with all that follow, and with all to the context's end.
 *
 * Whatever fails, a scenario is told (a status, words, and in them the driver's call), or what it gets is right to the
 * last bit; nothing is left behind; and the context scans as before as soon as calls succeed again.
 */
#ifndef SCANRT_TESTS_SWEEP_H
#define SCANRT_TESTS_SWEEP_H

#include <scanrt/scan.h>

#include "sweep/fault.h"

enum { SWEEP_N = 3000 };

/** One time through a scenario. */
typedef struct sweep_trial {
  scan_ctx *ctx;
  const char *step;   /**< The call that did not succeed first; NULL: all did. */
  scan_status status; /**< Its status, and the library's words, unless another context's are there. */
  char words[1024];
  const char *wrong; /**< What is not as it should be, although all calls succeeded; NULL: nothing. */
} sweep_trial;

/** Something that is done with the library. */
typedef struct sweep_scenario {
  const char *name;
  scan_backend backend;            /**< Of the devices that it is for; 0: of any. */
  int begins_itself;               /**< It begins without a context. */
  int needs_device;                /**< It is not for the host. */
  const char *line;                /**< The case that it is; NULL: none. */
  void (*run)(sweep_trial *t);     /**< NULL where there is a line. */
  void (*prepare)(sweep_trial *t); /**< What comes before, and does not fail; NULL: nothing. */
  void (*finish)(void);            /**< The same of what comes when the context is destroyed. */
} sweep_scenario;

/** The scenarios, each list ended by one without a name. */
extern const sweep_scenario sweep_cases[], sweep_devices[];

/** Builds the case of a scenario that has one, runs it, and frees it. */
void sweep_case_begin(const sweep_scenario *s);
void sweep_case_run(sweep_trial *t);
void sweep_case_end(const sweep_scenario *s);

/** A kind of calls. */
typedef struct sweep_kind {
  const char *name;
  fault_plan *plan;
  scan_status status; /**< What failing calls are told as; SCAN_SUCCESS: by different ones. */
  int is_named;       /**< The words name the call. */
} sweep_kind;

/** Notes what a call returned: 1 when it succeeded and the scenario may go on. */
int sweep_step(sweep_trial *t, const char *call, scan_status status);

/** Compares what a scenario got, where all calls succeeded. */
void sweep_expect(sweep_trial *t, const char *what, const void *got, const void *want, size_t bytes);

/** Counts and prints what is wrong with the trial. */
void sweep_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A folder for the cache of programs, which is gone when the test ends. */
const char *sweep_folder(void);

/** The device under test, opened. */
scan_status sweep_open(scan_ctx **ctx);

/** 1 when a plain scan over host memory succeeds and gives the right bits. */
int sweep_scan_works(scan_ctx *ctx);

/** Elements of the plain scan, small integers, and their sums. */
const float *sweep_values(void);
const float *sweep_sums(void);

/** Goes through all scenarios of the device under test. @return complaints, which have been printed. */
int sweep_through(const sweep_kind *kind);

/** The same of the first use of the library in a process: each trial is a process of its own. */
int sweep_first_use(const sweep_kind *kind);

/** Driver objects that there are now, and what a driver found to be wrong, "" if nothing; drivers.c. */
long sweep_driver_objects(void);
const char *sweep_driver_fault(void);
/** How many objects may be left, for what frees them failed. */
long sweep_driver_excuses(const fault_plan *plan);
/** Forgets objects that are left, for the next trial. */
void sweep_driver_reset(void);
/** The plan of the driver's calls; NULL on the host. */
fault_plan *sweep_driver_plan(void);
/** The same of NVRTC's calls, where it is the emulation's. */
fault_plan *sweep_nvrtc_plan(void);

#endif
