/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree with a place skipped after every 32 banks, which avoids bank conflicts (GPU Gems 3, chapter 39, 2007). */
#include "textbook/textbook.h"

#define TEXTBOOK(part) blelloch_padded_##part
#define PLACE(i) PADDED(i)

#include "textbook/blelloch.h"
#include "textbook/scan_then_add.h"
