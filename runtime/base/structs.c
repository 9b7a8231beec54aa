/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/structs.h"

#include <string.h>

static scan_status check_bytes(size_t bytes, size_t own_bytes, const char *name, const char *init, scan_error *error) {
  if (bytes > sizeof bytes && bytes <= own_bytes) return SCAN_SUCCESS;
  return scan_fail(error, SCAN_INVALID_ARGUMENT, "%s->struct_bytes is %zu, and this library knows up to %zu: %s", name,
                   bytes, own_bytes,
                   bytes > own_bytes ? "it is older than the headers that the program was compiled with" : init);
}

scan_status scan_struct_take(void *own, size_t own_bytes, const void *given, const char *name, const char *init,
                             scan_error *error) {
  size_t bytes;
  memcpy(&bytes, given, sizeof bytes);
  const scan_status status = check_bytes(bytes, own_bytes, name, init, error);
  if (status != SCAN_SUCCESS) return status;
  memcpy(own, given, bytes);
  memcpy(own, &own_bytes, sizeof own_bytes);
  return SCAN_SUCCESS;
}

scan_status scan_struct_give(const void *own, size_t own_bytes, void *given, const char *name, const char *init,
                             scan_error *error) {
  size_t bytes;
  memcpy(&bytes, given, sizeof bytes);
  const scan_status status = check_bytes(bytes, own_bytes, name, init, error);
  if (status == SCAN_SUCCESS)
    memcpy((char *)given + sizeof bytes, (const char *)own + sizeof bytes, bytes - sizeof bytes);
  return status;
}
