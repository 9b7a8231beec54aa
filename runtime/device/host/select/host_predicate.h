/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_HOST_PREDICATE_H
#define SCANRT_HOST_PREDICATE_H

#include "device/backend.h"

/* select_predicate.cl for the host: writes the bits of a tile by the application's function, and counts nothing. */
void scan_host_predicate(const scan_kernel_args *args, uint32_t group, uint32_t groups);

/* select_predicate.cl's split_buckets for the host: writes a tile's buckets by the application's function. */
void scan_host_buckets(const scan_kernel_args *args, uint32_t group, uint32_t groups);

/* select_predicate.cl's select_left for the host: writes the number of elements not kept. */
void scan_host_left(const scan_kernel_args *args, uint32_t group, uint32_t groups);

#endif
