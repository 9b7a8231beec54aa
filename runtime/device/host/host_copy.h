/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of host memory by several threads: one thread is slower than a device's copy engines. */
#ifndef SCANRT_HOST_COPY_H
#define SCANRT_HOST_COPY_H

#include <stddef.h>

typedef struct host_copier host_copier;

/* Returns NULL without memory. The first large copy starts the threads; if a thread cannot be started, the others do
 * its share. */
host_copier *scan_host_copier_create(void);
void scan_host_copier_destroy(host_copier *copier); /* NULL is accepted */

/* memcpy by several threads; returns when all bytes are copied. */
void scan_host_copy(host_copier *copier, void *to, const void *from, size_t bytes);

#endif
