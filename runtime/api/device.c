/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices: listing, describing, and finding the one that a selector means. */
#include "api/shared.h"

#include "base/structs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

scan_status scan_device_count(int *count) {
  scan_error *error = scan_thread_error();
  if (count == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_device_count: count is NULL");
  scan_device_list list;
  SCAN_TRY(scan_devices_list(&list, error));
  *count = list.count;
  scan_devices_free(&list);
  return SCAN_SUCCESS;
}

scan_status scan_device_describe(const scan_caps *caps, scan_device_info *info, scan_error *error) {
  const scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_ADD };
  const char *reason;
  if (info == NULL) return scan_fail(error, SCAN_INVALID_ARGUMENT, "info is NULL");
  scan_caps filled = *caps; /* and what AUTO takes for a large int32 sum */
  filled.info.auto_strategy = scan_strategy_choose(caps, &problem, (uint64_t)1 << 28, &reason)->id;
  return scan_struct_give(&filled.info, sizeof filled.info, info, "info", "initialise it with SCAN_DEVICE_INFO_INIT",
                          error);
}

scan_status scan_device_get(int index, scan_device_info *info) {
  scan_error *error = scan_thread_error();
  scan_device_list list;
  scan_status status = scan_devices_list(&list, error);
  if (status != SCAN_SUCCESS) return status;
  if (index < 0 || index >= list.count) {
    status = scan_fail(error, SCAN_INVALID_ARGUMENT, "there is no device %d: this machine has devices 0 to %d", index,
                       list.count - 1);
  } else {
    status = scan_device_describe(&list.items[index], info, error);
  }
  scan_devices_free(&list);
  return status;
}

static int contains(const char *text, const char *part) {
  const size_t part_bytes = strlen(part);
  for (; *text; text++)
    if (strncasecmp(text, part, part_bytes) == 0) return 1;
  return 0;
}

static int is_gpu(const scan_device_info *info) { return !info->is_cpu && !info->facts.is_accelerator; }

/* "cuda", "cuda:1", "opencl", "opencl:0", "opencl:cpu", "opencl:gpu", "opencl:pocl" (part of a name), "host". */
static int matches(const scan_device_info *info, const char *selector) {
  const char *backend = scan_backend_name(info->backend);
  const size_t backend_bytes = strlen(backend);
  if (strncasecmp(selector, backend, backend_bytes) != 0) return 0;
  const char *rest = selector + backend_bytes;
  if (*rest == '\0') return 1;
  if (*rest++ != ':' || *rest == '\0') return 0;
  if (isdigit((unsigned char)*rest)) return strcasecmp(selector, info->selector) == 0;
  if (strcasecmp(rest, "cpu") == 0) return info->is_cpu != 0;
  if (strcasecmp(rest, "gpu") == 0) return is_gpu(info);
  if (strcasecmp(rest, "pocl") == 0) rest = "Portable Computing Language";
  return contains(info->name, rest) || contains(info->vendor, rest);
}

/* CUDA, then an OpenCL GPU on which scans run, then the host. */
static int is_automatic(const scan_device_info *info) {
  return info->backend != SCAN_BACKEND_OPENCL || (is_gpu(info) && info->refusal[0] == '\0');
}

static scan_status no_match(const char *selector, scan_error *error) {
  char there[512] = "";
  scan_device_list list;
  SCAN_TRY(scan_devices_list(&list, error));
  for (int i = 0; i < list.count && strlen(there) + 40 < sizeof there; i++)
    snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "", list.items[i].info.selector);
  scan_devices_free(&list);
  const char *note = "";
  const int cuda = strncasecmp(selector, "cuda", 4) == 0, opencl = strncasecmp(selector, "opencl", 6) == 0;
  if (cuda) note = scan_backend_note(SCAN_BACKEND_CUDA);
  if (opencl) note = scan_backend_note(SCAN_BACKEND_OPENCL);
  return scan_fail(error, SCAN_NO_DEVICE, "no device matches '%s'; this machine has: %s%s%s%s%s", selector, there,
                   note[0] ? " (" : "", note[0] ? (cuda ? "cuda: " : "opencl: ") : "", note, note[0] ? ")" : "");
}

/* Whether a backend's devices can match, so that the others' drivers are not even opened. */
static int may_match(scan_backend backend, const char *selector) {
  const char *name = scan_backend_name(backend);
  return selector == NULL || strncasecmp(selector, name, strlen(name)) == 0;
}

scan_status scan_device_find(const char *selector, scan_caps *caps, scan_error *error) {
  static const scan_backend order[] = { SCAN_BACKEND_CUDA, SCAN_BACKEND_OPENCL, SCAN_BACKEND_HOST };
  scan_device_list list = { 0 };
  scan_status status = SCAN_SUCCESS;
  char note[256];
  int found = -1;
  if (selector != NULL && (selector[0] == '\0' || strcasecmp(selector, "auto") == 0)) selector = NULL;
  for (size_t b = 0; b < sizeof order / sizeof order[0] && found < 0 && status == SCAN_SUCCESS; b++) {
    const int first = list.count;
    if (!may_match(order[b], selector)) continue;
    status = scan_backend_enumerate(scan_backend_get(order[b]), &list, note, sizeof note, error);
    for (int i = first; i < list.count && found < 0; i++)
      if (selector ? matches(&list.items[i].info, selector) : is_automatic(&list.items[i].info)) found = i;
  }
  if (found >= 0) *caps = list.items[found];
  scan_devices_free(&list);
  return found >= 0 || status != SCAN_SUCCESS ? status : no_match(selector ? selector : "auto", error);
}
