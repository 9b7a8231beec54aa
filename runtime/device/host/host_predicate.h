/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_PREDICATE_H
#define SCANRT_HOST_PREDICATE_H

#include "device/backend.h"

/* kernels_cl/select_predicate.cl for the host: a tile's bits, by the application's function. Nothing is
 * counted. */
void scan_host_predicate(const scan_kernel_args *args, uint32_t group, uint32_t groups);

/* That file's split_buckets: a tile's buckets, likewise. */
void scan_host_buckets(const scan_kernel_args *args, uint32_t group, uint32_t groups);

/* The same of its select_left. */
void scan_host_left(const scan_kernel_args *args, uint32_t group, uint32_t groups);

#endif
