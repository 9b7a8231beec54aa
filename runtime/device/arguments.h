/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel's arguments, in order: the lists of kernels_cl/lib/arguments.h, as offsets in scan_kernel_args. */
#ifndef SCANRT_ARGUMENTS_H
#define SCANRT_ARGUMENTS_H

#include <stddef.h>

#include "device/backend.h"

typedef enum scan_argument_kind {
  SCAN_ARGUMENT_END = 0,
  SCAN_ARGUMENT_MEMORY, /* a scan_mem */
  SCAN_ARGUMENT_U64,
  SCAN_ARGUMENT_U32,
  SCAN_ARGUMENT_SEED,  /* a word of seed_more; `place` is its index */
  SCAN_ARGUMENT_STEP,  /* a word of steps; `place` is its index */
  SCAN_ARGUMENT_SOURCE /* stands for the arguments that only kernels of an operator from source take */
} scan_argument_kind;

typedef struct scan_argument {
  uint16_t kind, place; /* place: offset in scan_kernel_args, in bytes */
} scan_argument;

enum { SCAN_MOST_ARGUMENTS = 34 };

/* A list of arguments; it ends with a row of kind SCAN_ARGUMENT_END. */
typedef struct scan_argument_list {
  scan_argument rows[SCAN_MOST_ARGUMENTS];
} scan_argument_list;

#define SCAN_ARGUMENT_ROW(kind, name) { SCAN_ARGUMENT_##kind, offsetof(scan_kernel_args, name) },
#define SCAN_ARGUMENT_ROW_SOURCE() { SCAN_ARGUMENT_SOURCE, 0 },
#define SCAN_ARGUMENTS(list)                                                                                           \
  {                                                                                                                    \
    { list(SCAN_ARGUMENT_ROW, SCAN_ARGUMENT_ROW, SCAN_ARGUMENT_ROW_SOURCE) }                                           \
  }

/* Writes the arguments of the key's kernel, and replaces SCAN_ARGUMENT_SOURCE by the arguments that it stands for. */
void scan_arguments_for(const scan_kernel_key *key, scan_argument_list *list);

/* Returns the address of an argument's value. */
static inline const void *scan_argument_at(const scan_kernel_args *args, scan_argument argument) {
  if (argument.kind == SCAN_ARGUMENT_SEED) return args->seed_more + argument.place;
  if (argument.kind == SCAN_ARGUMENT_STEP) return args->steps + argument.place;
  return (const char *)args + argument.place;
}

#endif
