/* SPDX-License-Identifier: BSD-2-Clause */
/* The application's OpenCL events around a run (scan_args.opencl). */
#ifndef SCANRT_EVENTS_H
#define SCANRT_EVENTS_H

#include <scanrt/scan_opencl.h>

#include "core/context.h"

/* Checks and copies the caller's events. *events is empty if `given` is NULL. */
scan_status scan_events_copy_in(scan_ctx *ctx, const scan_opencl_events *given, scan_opencl_events *events);

/* Makes the launches that follow wait for the events of the wait list. */
scan_status scan_events_wait(scan_ctx *ctx, const scan_opencl_events *events);

/* Sets *events->event to an event of the launches so far, if the caller wants one. */
scan_status scan_events_leave(scan_ctx *ctx, const scan_opencl_events *events);

#endif
