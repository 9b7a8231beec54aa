/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int level_wanted(void) {
  const char *name = secure_getenv("SCANRT_LOG");
  if (name == NULL) return 0;
  if (strcmp(name, "error") == 0) return SCAN_LOG_ERROR;
  if (strcmp(name, "info") == 0) return SCAN_LOG_INFO;
  return strcmp(name, "debug") == 0 ? SCAN_LOG_DEBUG : 0;
}

void scan_log(scan_log_level level, const char *format, ...) {
  if ((int)level > level_wanted()) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "scanrt: %s\n", line);
}
