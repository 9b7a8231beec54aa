/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/backend.h"

/* In the order of scan_device_count. */
static const scan_backend_ops *const backends[] = { &scan_backend_cuda, &scan_backend_opencl, &scan_backend_host };
enum { BACKEND_COUNT = sizeof backends / sizeof backends[0], NOTE_BYTES = 256 };

const scan_backend_ops *scan_backend_get(scan_backend id) {
  for (int i = 0; i < BACKEND_COUNT; i++)
    if (backends[i]->id == id) return backends[i];
  return NULL;
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

const char *scan_backend_note(scan_backend backend) {
  static _Thread_local char note[NOTE_BYTES];
  const scan_backend_ops *ops = scan_backend_get(backend);
  scan_device_list list = { 0 };
  if (ops == NULL) return "no such backend";
  if (ops->enumerate(&list, note, sizeof note, scan_thread_error()) != SCAN_SUCCESS) note[0] = '\0';
  scan_devices_free(&list);
  return note;
}
