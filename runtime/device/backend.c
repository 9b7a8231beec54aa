/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/backend.h"

#include <stdlib.h>

/* In the order of scan_device_count. */
static const scan_backend_ops *const backends[] = { &scan_backend_cuda, &scan_backend_opencl, &scan_backend_host };
enum { BACKEND_COUNT = sizeof backends / sizeof backends[0], NOTE_BYTES = 256 };

const scan_backend_ops *scan_backend_get(scan_backend id) {
  for (int i = 0; i < BACKEND_COUNT; i++)
    if (backends[i]->id == id) return backends[i];
  return NULL;
}

scan_status scan_device_append(scan_device_list *list, const scan_caps *caps, scan_error *error) {
  if (list->count == list->capacity) {
    const int capacity = list->capacity ? 2 * list->capacity : 8;
    scan_caps *items = realloc(list->items, (size_t)capacity * sizeof *items);
    if (items == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no memory for the device list");
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = *caps;
  return SCAN_SUCCESS;
}

scan_status scan_devices_list(scan_device_list *list, scan_error *error) {
  char note[NOTE_BYTES];
  *list = (scan_device_list){ 0 };
  for (int i = 0; i < BACKEND_COUNT; i++) {
    const scan_status status = backends[i]->enumerate(list, note, sizeof note, error);
    if (status == SCAN_SUCCESS) continue;
    scan_devices_free(list);
    return status;
  }
  return SCAN_SUCCESS;
}

void scan_devices_free(scan_device_list *list) {
  free(list->items);
  *list = (scan_device_list){ 0 };
}

const char *scan_backend_note(scan_backend backend) {
  static _Thread_local char note[NOTE_BYTES];
  const scan_backend_ops *ops = scan_backend_get(backend);
  scan_device_list list = { 0 };
  if (ops == NULL) return "no such backend";
  if (ops->enumerate(&list, note, sizeof note, scan_thread_error()) != SCAN_SUCCESS) note[0] = '\0';
  scan_devices_free(&list);
  return note;
}

void scan_kernel_build_key(const scan_kernel_key *kernel, scan_key *key) {
  const uint64_t parts[] = { (uint64_t)(uintptr_t)kernel->source,
                             (uint64_t)kernel->input_type,
                             (uint64_t)kernel->type,
                             (uint64_t)kernel->op,
                             kernel->segments,
                             (uint64_t)kernel->key_type,
                             kernel->checks,
                             kernel->steps,
                             kernel->flags_known,
                             kernel->flags,
                             kernel->subtiles,
                             kernel->backward };
  scan_key_start(key);
  scan_key_add_text(key, kernel->file);
  scan_key_add(key, parts, sizeof parts);
}
