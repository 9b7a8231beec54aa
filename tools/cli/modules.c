/* SPDX-License-Identifier: BSD-2-Clause */
/** @file modules.c @brief Finds the folders of the tool's modules. */
#define _POSIX_C_SOURCE 200809L
#include "modules.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SCANRT_MODULES_FROM_BINDIR
#error SCANRT_MODULES_FROM_BINDIR: the way from the program to the folder of installed modules
#endif

enum { PROGRAM_BYTES = 4096 };

int modules_folder(int which, char folder[MODULES_PATH_BYTES]) {
  char program[PROGRAM_BYTES];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return 0;
  program[length] = '\0';
  char *slash = strrchr(program, '/');
  if (!slash) return 0;
  *slash = '\0';
  const int written = snprintf(folder, MODULES_PATH_BYTES, "%s%s%s", program, which ? "/" : "",
                               which ? SCANRT_MODULES_FROM_BINDIR : "");
  return written > 0 && written < MODULES_PATH_BYTES;
}
