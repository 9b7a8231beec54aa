/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree with a place skipped after every 32 banks, which avoids bank conflicts (GPU Gems 3, chapter 39, 2007). */
#include "gallery/gallery.h"

#define GALLERY(part) blelloch_padded_##part
#define PLACE(i) PADDED(i)

#include "gallery/blelloch.h"
#include "gallery/scan_then_add.h"
