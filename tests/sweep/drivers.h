/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file drivers.h
 * @brief The driver under test, whose calls a sweep makes fail.
 */
#ifndef SCANRT_TESTS_SWEEP_DRIVERS_H
#define SCANRT_TESTS_SWEEP_DRIVERS_H

#include "fake_cuda.h"

/** Opens the library that stands in for the driver of the device under test: $SCANRT_LIBCUDA or $SCANRT_LIBOPENCL. */
void sweep_drivers_open(void);

/** Returns the fake CUDA driver, or NULL on other devices. */
const fake_cuda *sweep_cuda(void);

#endif
