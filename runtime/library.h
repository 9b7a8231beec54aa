/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a driver's library at run time. */
#ifndef SCANRT_LIBRARY_H
#define SCANRT_LIBRARY_H

#include <stddef.h>

/* NULL, with the reason in `note`, when the library cannot be opened. */
void *library_open(const char *name, char *note, size_t note_bytes);

/* Stores a function's address at `member`; 0, with the reason in `note`, when the library lacks it. */
int library_symbol(void *library, const char *name, void *member, char *note, size_t note_bytes);

#endif
