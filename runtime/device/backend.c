/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/backend.h"

#include <pthread.h>

/* In the order of scan_device_count. */
static const scan_backend_ops *const backends[] = { &scan_backend_cuda, &scan_backend_opencl, &scan_backend_host };
enum { BACKEND_COUNT = sizeof backends / sizeof backends[0], NOTE_BYTES = 256 };

const scan_backend_ops *scan_backend_get(scan_backend id) {
  for (int i = 0; i < BACKEND_COUNT; i++)
    if (backends[i]->id == id) return backends[i];
  return NULL;
}

int scan_backend_has_kernel(scan_backend id, const scan_kernel_key *key) {
  const scan_backend_ops *ops = scan_backend_get(id);
  return ops->has_kernel == NULL || ops->has_kernel(key);
}

/* Drivers initialise themselves in the first calls of a process, and some of them cannot do so in several threads at
 * once. The host has no driver and so takes no lock, which a child of fork might find locked for ever. */
static pthread_mutex_t first_use = PTHREAD_MUTEX_INITIALIZER;

static void lock_driver(const scan_backend_ops *ops) {
  if (ops->id != SCAN_BACKEND_HOST) pthread_mutex_lock(&first_use);
}

static void unlock_driver(const scan_backend_ops *ops) {
  if (ops->id != SCAN_BACKEND_HOST) pthread_mutex_unlock(&first_use);
}

scan_status scan_backend_enumerate(const scan_backend_ops *ops, scan_device_list *list, char *note, size_t note_bytes,
                                   scan_error *error) {
  lock_driver(ops);
  const scan_status status = ops->enumerate(list, note, note_bytes, error);
  unlock_driver(ops);
  return status;
}

scan_status scan_backend_open(const scan_backend_ops *ops, scan_caps *caps, const scan_adoption *adoption,
                              scan_device **device, scan_error *error) {
  lock_driver(ops);
  const scan_status status = ops->open(caps, adoption, device, error);
  unlock_driver(ops);
  return status;
}

scan_status scan_devices_list(scan_device_list *list, scan_error *error) {
  char note[NOTE_BYTES];
  *list = (scan_device_list){ 0 };
  for (int i = 0; i < BACKEND_COUNT; i++) {
    const scan_status status = scan_backend_enumerate(backends[i], list, note, sizeof note, error);
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
  scan_error ignored; /* the thread's own error text is left alone */
  if (scan_backend_enumerate(ops, &list, note, sizeof note, &ignored) != SCAN_SUCCESS) note[0] = '\0';
  scan_devices_free(&list);
  return note;
}
