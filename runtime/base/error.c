/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

static const char *const status_names[] = {
  [SCAN_SUCCESS] = "SCAN_SUCCESS",
  [SCAN_INVALID_ARGUMENT] = "SCAN_INVALID_ARGUMENT",
  [SCAN_UNSUPPORTED] = "SCAN_UNSUPPORTED",
  [SCAN_NO_DEVICE] = "SCAN_NO_DEVICE",
  [SCAN_OUT_OF_MEMORY] = "SCAN_OUT_OF_MEMORY",
  [SCAN_BUILD_FAILED] = "SCAN_BUILD_FAILED",
  [SCAN_DEVICE_ERROR] = "SCAN_DEVICE_ERROR",
  [SCAN_NO_PROGRESS] = "SCAN_NO_PROGRESS",
  [SCAN_CANCELLED] = "SCAN_CANCELLED",
  [SCAN_OVERFLOW] = "SCAN_OVERFLOW",
};

const char *scan_status_name(scan_status status) {
  const size_t index = (size_t)status;
  return index < sizeof status_names / sizeof status_names[0] ? status_names[index] : "unknown status";
}

void scan_fail_words(scan_error *error, scan_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  scan_log(SCAN_LOG_ERROR, "%s: %s", scan_status_name(status), error->text);
}

scan_status scan_fail_name(const char *call, const char *name, const char *what, const void *place) {
  scan_error *error = scan_thread_error();
  if (place == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "%s: the place for the %s is NULL", call, what);
  if (name == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "%s: name is NULL", call);
  return scan_fail(error, SCAN_INVALID_ARGUMENT, "%s: '%.64s' is the name of no %s", call, name, what);
}

scan_error *scan_thread_error(void) {
  static _Thread_local scan_error error;
  return &error;
}
