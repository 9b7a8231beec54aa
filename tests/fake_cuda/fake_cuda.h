/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fake_cuda.h
 * @brief What a test may ask of the fake CUDA driver, and have it do, beside the driver API itself.
 *
 * The driver is a library that the library under test opens itself; a test reaches these functions with fake_cuda_open,
 * which looks them up in that same library. Threads take turns, and each has its stack of contexts. A program
 * that does not ask has them answered in a file when it ends: see report.c.
 */
#ifndef SCANRT_TESTS_FAKE_CUDA_H
#define SCANRT_TESTS_FAKE_CUDA_H

#include "device/cuda/cuda_api.h"

struct fault_plan;

/** FAKE_CUDA(member, exported name, result, parameters) for every control function. */
#define FAKE_CUDA_CONTROLS(FAKE_CUDA)                                                                                  \
  /* as at the start: no objects, no injection, devices as the environment says */                                     \
  FAKE_CUDA(reset, fake_cuda_reset, void, (void))                                                                      \
  FAKE_CUDA(set_devices, fake_cuda_set_devices, void, (int count))                                                     \
  FAKE_CUDA(set_capability, fake_cuda_set_capability, void, (int device, int major, int minor))                        \
  /* the nth call from now on (of that function; NULL: of any) answers `result` */                                     \
  FAKE_CUDA(inject, fake_cuda_fail, void, (const char *function, unsigned nth, cuda_result result))                    \
  /* the function that was made to fail; NULL: the injected fault has not come up */                                   \
  FAKE_CUDA(failed, fake_cuda_failed, const char *, (void))                                                            \
  /* from now on the attribute has that value, and texts have no end; 0: all is true again */                          \
  FAKE_CUDA(lie, fake_cuda_lie, void, (int attribute, int value))                                                      \
  /* the plan of failures of any calls: they are launches that failed */                                               \
  FAKE_CUDA(faults, fake_cuda_faults, struct fault_plan *, (void))                                                     \
  /* what a caller did that a real device would punish with a crash; "" if nothing */                                  \
  FAKE_CUDA(fault, fake_cuda_fault, const char *, (void))                                                              \
  FAKE_CUDA(live_allocations, fake_cuda_live_allocations, int, (void))                                                 \
  FAKE_CUDA(live_modules, fake_cuda_live_modules, int, (void))                                                         \
  FAKE_CUDA(live_streams, fake_cuda_live_streams, int, (void))                                                         \
  FAKE_CUDA(live_events, fake_cuda_live_events, int, (void))                                                           \
  /* page-locked: allocated, or registered by somebody */                                                              \
  FAKE_CUDA(live_host_memory, fake_cuda_live_host_memory, int, (void))                                                 \
  /* graphs, instantiated ones too */                                                                                  \
  FAKE_CUDA(live_graphs, fake_cuda_live_graphs, int, (void))                                                           \
  FAKE_CUDA(primary_refs, fake_cuda_primary_refs, int, (int device))                                                   \
  FAKE_CUDA(context_depth, fake_cuda_context_depth, int, (void))                                                       \
  /* since fake_cuda_reset: launches, allocations, objects that went with a context instead of being freed */          \
  FAKE_CUDA(launches, fake_cuda_launches, unsigned, (void))                                                            \
  FAKE_CUDA(allocations, fake_cuda_allocations, unsigned, (void))                                                      \
  FAKE_CUDA(reclaimed, fake_cuda_reclaimed, unsigned, (void))                                                          \
  FAKE_CUDA(calls, fake_cuda_calls, unsigned, (void))                                                                  \
  /* an application's own context and stream, not counted above */                                                     \
  FAKE_CUDA(app_context, fake_cuda_app_context, cuda_context, (int device))

/** The control functions of an open fake. */
typedef struct fake_cuda {
#define FAKE_CUDA_MEMBER(member, name, result, parameters) result(*member) parameters;
  FAKE_CUDA_CONTROLS(FAKE_CUDA_MEMBER)
#undef FAKE_CUDA_MEMBER
  cuda_api driver; /**< The driver API, for the application's part. */
} fake_cuda;

/** Opens the fake at `path` and looks everything up; NULL when something is missing. */
const fake_cuda *fake_cuda_open(const char *path);

/** The first bytes of an image that the fake takes; the name of the pair of types follows, such as "u32_u32". */
#define FAKE_CUDA_IMAGE_MAGIC "\x50\xed\x55\xba"

#endif
