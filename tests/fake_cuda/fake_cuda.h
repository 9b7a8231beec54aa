/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fake_cuda.h
 * @brief Functions by which a test controls and queries the fake CUDA driver, beside the driver API.
 *
 * The driver is a shared library that the library under test opens itself; fake_cuda_open looks up these functions in
 * it. One thread at a time runs in the driver, and each has its own stack of contexts. A program that cannot call these
 * functions gets the answers in a file when it ends: see report.c.
 */
#ifndef SCANRT_TESTS_FAKE_CUDA_H
#define SCANRT_TESTS_FAKE_CUDA_H

#include "device/cuda/cuda_api.h"

struct fault_plan;

/** FAKE_CUDA(member, exported name, result, parameters) for every control function. */
#define FAKE_CUDA_CONTROLS(FAKE_CUDA)                                                                                  \
  /* restores the start: no objects, no injected faults, devices as the environment says */                            \
  FAKE_CUDA(reset, fake_cuda_reset, void, (void))                                                                      \
  FAKE_CUDA(set_devices, fake_cuda_set_devices, void, (int count))                                                     \
  FAKE_CUDA(set_capability, fake_cuda_set_capability, void, (int device, int major, int minor))                        \
  /* makes the nth call from now on (of this function; NULL: of any) return `result` */                                \
  FAKE_CUDA(inject, fake_cuda_fail, void, (const char *function, unsigned nth, cuda_result result))                    \
  /* the function that was made to fail; NULL if the injected fault has not occurred */                                \
  FAKE_CUDA(failed, fake_cuda_failed, const char *, (void))                                                            \
  /* gives an attribute a false value, and device names no end; 0: ends both */                                        \
  FAKE_CUDA(lie, fake_cuda_lie, void, (int attribute, int value))                                                      \
  /* a plan of failures of any calls, which then return "launch failed" */                                             \
  FAKE_CUDA(faults, fake_cuda_faults, struct fault_plan *, (void))                                                     \
  /* the last misuse that would crash on a real device; "" if none */                                                  \
  FAKE_CUDA(fault, fake_cuda_fault, const char *, (void))                                                              \
  FAKE_CUDA(live_allocations, fake_cuda_live_allocations, int, (void))                                                 \
  FAKE_CUDA(live_modules, fake_cuda_live_modules, int, (void))                                                         \
  FAKE_CUDA(live_streams, fake_cuda_live_streams, int, (void))                                                         \
  FAKE_CUDA(live_events, fake_cuda_live_events, int, (void))                                                           \
  /* page-locked memory, allocated or registered */                                                                    \
  FAKE_CUDA(live_host_memory, fake_cuda_live_host_memory, int, (void))                                                 \
  /* graphs and instantiated graphs */                                                                                 \
  FAKE_CUDA(live_graphs, fake_cuda_live_graphs, int, (void))                                                           \
  FAKE_CUDA(primary_refs, fake_cuda_primary_refs, int, (int device))                                                   \
  FAKE_CUDA(context_depth, fake_cuda_context_depth, int, (void))                                                       \
  /* since fake_cuda_reset: launches, allocations, and objects that were not freed but reclaimed with their context */ \
  FAKE_CUDA(launches, fake_cuda_launches, unsigned, (void))                                                            \
  FAKE_CUDA(allocations, fake_cuda_allocations, unsigned, (void))                                                      \
  FAKE_CUDA(reclaimed, fake_cuda_reclaimed, unsigned, (void))                                                          \
  FAKE_CUDA(calls, fake_cuda_calls, unsigned, (void))                                                                  \
  /* a context of the application's own, not counted above */                                                          \
  FAKE_CUDA(app_context, fake_cuda_app_context, cuda_context, (int device))

/** The driver and its control functions. */
typedef struct fake_cuda {
#define FAKE_CUDA_MEMBER(member, name, result, parameters) result(*member) parameters;
  FAKE_CUDA_CONTROLS(FAKE_CUDA_MEMBER)
#undef FAKE_CUDA_MEMBER
  cuda_api driver; /**< The driver API, for the application's part of a test. */
} fake_cuda;

/** Opens the fake driver at `path` and looks up its functions. NULL if one is missing. */
const fake_cuda *fake_cuda_open(const char *path);

/**
 * Makes the fake driver at `path` the only GPU driver of this program, with one device, and opens it. Ends the program
 * if a function is missing.
 */
const fake_cuda *fake_cuda_use(const char *path);

/** First bytes of an image that the fake driver loads; the name of the pair of types follows, such as "u32_u32". */
#define FAKE_CUDA_IMAGE_MAGIC "\x50\xed\x55\xba"

#endif
