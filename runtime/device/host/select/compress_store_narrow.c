/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops for every processor. */
#include <string.h>

#include "device/host/prefetch.h"
#include "device/host/select/compress_store.h"
#include "device/host/host_stream.h"

#define COMPRESS_STORE_BYTES 16
#define COMPRESS_STORES scan_compress_stores_narrow
#include "device/host/select/compress_store.inc"
