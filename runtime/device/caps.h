/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives what scans do from what a driver reports: pure functions, tested on recorded devices with no device present
 * (tests/unit/test_devices.c). */
#ifndef SCANRT_CAPS_H
#define SCANRT_CAPS_H

#include "device/backend.h"

/* Sets the facts that follow from a space-separated list of OpenCL extensions. */
void scan_caps_read_extensions(scan_device_info *info, const char *extensions);

/* 100 * major + 10 * minor of a version text: scan_caps_version("OpenCL C 1.2 PoCL", "OpenCL C ") is 120. 0: the text
 * has no such prefix or version. */
uint32_t scan_caps_version(const char *text, const char *prefix);

/* Derives all fields that depend on reported facts: progress, tuning class, the variant of the kernels with its reason,
 * and the refusal. `overrides` is the text of $SCANRT_TUNE, or NULL. An override that asks for what the device lacks
 * has no effect. */
void scan_caps_derive(scan_caps *caps, const char *overrides);

/* Local memory of a work-group of the portable kernels, for values of up to value_bytes. */
uint32_t scan_caps_local_bytes(scan_exchange exchange, uint32_t value_bytes);

/* Local memory of a work-group of the portable kernels, for elements of `bytes` bytes from source (value_source.h). */
uint32_t scan_caps_source_local_bytes(scan_exchange exchange, uint64_t bytes);

/* Returns why the device cannot hold a type, as the rest of a sentence that begins with its name ("has no double
 * precision"); NULL if it can. */
const char *scan_caps_refuse_type(const scan_caps *caps, scan_type type);

#endif
