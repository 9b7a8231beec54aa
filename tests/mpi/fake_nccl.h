/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fake_nccl.h
 * @brief Functions by which a test controls the fake NCCL, which fake_nccl.c exports beside NCCL's.
 */
#ifndef SCANRT_TESTS_FAKE_NCCL_H
#define SCANRT_TESTS_FAKE_NCCL_H

struct fault_plan;

/** Returns the plan of calls that fail. */
typedef struct fault_plan *fake_nccl_faults_get(void);
/** Returns the number of communicators that have not been aborted. */
typedef int fake_nccl_live_get(void);

#endif
