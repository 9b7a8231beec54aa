/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree lies in local memory without padding: strides of powers of two cause bank conflicts (counted in
 * tools/doc/measurements/gallery.md). */
#include "gallery/gallery.h"

#define GALLERY(part) blelloch_##part
#define PLACE(i) (i)

#include "gallery/blelloch.h"
#include "gallery/scan_then_add.h"
