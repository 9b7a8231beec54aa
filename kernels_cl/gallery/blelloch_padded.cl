/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree with a place skipped after every 32 banks: no conflicts (GPU Gems 3, chapter 39, 2007). */
#define GALLERY(part) blelloch_padded_##part
#define PLACE(i) PADDED(i)
