/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "device/backend.h"

scan_status scan_device_append(scan_device_list *list, const scan_caps *caps, scan_error *error) {
  scan_caps *items = realloc(list->items, ((size_t)list->count + 1) * sizeof *items);
  if (items == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no memory for the device list");
  items[list->count++] = *caps;
  list->items = items;
  return SCAN_SUCCESS;
}

void scan_devices_free(scan_device_list *list) {
  free(list->items);
  *list = (scan_device_list){ 0 };
}
