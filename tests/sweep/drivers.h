/* SPDX-License-Identifier: BSD-2-Clause */
/** @file drivers.h @brief The driver under test, which a sweep makes fail. */
#ifndef SCANRT_TESTS_SWEEP_DRIVERS_H
#define SCANRT_TESTS_SWEEP_DRIVERS_H

#include "fake_cuda.h"

/** Opens the library that stands in for the driver of the device under test, of $SCANRT_LIBCUDA or $SCANRT_LIBOPENCL.
 */
void sweep_drivers_open(void);

/** The fake CUDA driver; NULL on other devices. */
const fake_cuda *sweep_cuda(void);

#endif
