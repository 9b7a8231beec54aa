/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_DEVICE_H
#define SCANRT_DEVICE_H

#include "device/backend.h"

/* The first device that the selector means; NULL, "" or "auto": CUDA, then an OpenCL GPU, then the host. */
scan_status scan_device_find(const char *selector, scan_caps *caps, scan_error *error);

/* Fills the caller's struct, after checking its size. */
scan_status scan_device_describe(const scan_caps *caps, scan_device_info *info, scan_error *error);

#endif
