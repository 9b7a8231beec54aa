/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the other files if the OpenCL headers are missing: the backend exists and reports that. */
#include <stdio.h>

#include "device/transfer.h"

static scan_status enumerate(scan_device_list *list, char *note, size_t note_bytes, scan_error *error) {
  (void)list, (void)error;
  snprintf(note, note_bytes, "built without the OpenCL headers");
  return SCAN_SUCCESS;
}

static scan_status device_open(scan_caps *caps, const scan_adoption *adoption, scan_device **result,
                               scan_error *error) {
  (void)caps, (void)adoption, (void)result;
  return scan_fail(error, SCAN_UNSUPPORTED, "opencl: built without the OpenCL headers");
}

/* The other members are NULL: no device is ever opened. */
const scan_backend_ops scan_backend_opencl = { .id = SCAN_BACKEND_OPENCL, .enumerate = enumerate, .open = device_open };
const scan_transfer_ops scan_transfer_opencl = { 0 };
