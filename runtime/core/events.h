/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the application's around a run (scan_args.opencl). */
#ifndef SCANRT_EVENTS_H
#define SCANRT_EVENTS_H

#include <scanrt/scan_opencl.h>

#include "core/context.h"

/* Checks what the caller filled in; *events is empty where it is NULL. */
scan_status scan_events_take(scan_ctx *ctx, const scan_opencl_events *given, scan_opencl_events *events);

/* Before the first launch of a run, and after its last. */
scan_status scan_events_wait(scan_ctx *ctx, const scan_opencl_events *events);
scan_status scan_events_leave(scan_ctx *ctx, const scan_opencl_events *events);

#endif
