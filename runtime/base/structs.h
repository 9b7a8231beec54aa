/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs of the public headers that grow: each begins with a size_t that says how much of it the caller knows. */
#ifndef SCANRT_STRUCTS_H
#define SCANRT_STRUCTS_H

#include "base/error.h"

/* Copies what the caller filled in over *own, which holds this version's defaults. `name` is the parameter's, `init`
 * the macro that initialises it. Refuses sizes that no version has had: 0, and more than own_bytes. */
scan_status scan_struct_take(void *own, size_t own_bytes, const void *given, const char *name, const char *init,
                             scan_error *error);

/* Copies *own, this version's and filled in, to the caller's struct, as far as that reaches. */
scan_status scan_struct_give(const void *own, size_t own_bytes, void *given, const char *name, const char *init,
                             scan_error *error);

#endif
