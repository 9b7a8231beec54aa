/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices: lists them, describes them, and finds the one that a selector means. */
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
  scan_caps filled = *caps; /* with AUTO's choice for a large int32 sum */
  filled.info.auto_strategy = scan_strategy_choose(caps, &problem, (uint64_t)1 << 28, &reason)->id;
  return scan_struct_give(SCAN_STRUCT_scan_device_info, &filled.info, info, "info", error);
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

/* 1 if a selector means the device: "cuda", "cuda:1", "opencl", "opencl:0", "opencl:cpu", "opencl:gpu", "opencl:pocl"
 * (part of a name), "host". */
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

/* 1 if `auto` may choose the device: CUDA, an OpenCL GPU on which scans run, or the host. */
static int is_automatic(const scan_device_info *info) {
  return info->backend != SCAN_BACKEND_OPENCL || (is_gpu(info) && info->refusal[0] == '\0');
}

/* BACKENDS: length of tables indexed by scan_backend, whose numbers have the order of scan_device_count; index 0 is
 * unused. */
enum { BACKENDS = SCAN_BACKEND_HOST + 1, NOTE_BYTES = 256 };

/* The answers of the backends, each of which is asked at most once. */
typedef struct search {
  scan_device_list lists[BACKENDS];
  char notes[BACKENDS][NOTE_BYTES];
  int asked[BACKENDS];
} search;

static scan_status device_ask(search *s, scan_backend which, scan_error *error) {
  if (s->asked[which]) return SCAN_SUCCESS;
  s->asked[which] = 1;
  return scan_backend_enumerate(scan_backend_get(which), &s->lists[which], s->notes[which], sizeof s->notes[which],
                                error);
}

static void add_names(char *text, size_t bytes, const scan_device_list *list) {
  for (int i = 0; i < list->count && strlen(text) + 40 < bytes; i++)
    snprintf(text + strlen(text), bytes - strlen(text), "%s%s", text[0] ? ", " : "", list->items[i].info.selector);
}

/* 1 if the selector begins with the backend's name. */
static int is_of(scan_backend which, const char *selector) {
  const char *name = scan_backend_name(which);
  return strncasecmp(selector, name, strlen(name)) == 0;
}

/* Fails with the names of all devices and the note of the backend that the selector names. That backend is not asked
 * again: a driver that failed might answer now, and the message would hide the failure. */
static scan_status no_match(search *s, const char *selector, scan_error *error) {
  char there[512] = "";
  scan_backend named = SCAN_BACKEND_HOST; /* which has no note */
  for (scan_backend b = SCAN_BACKEND_CUDA; b <= SCAN_BACKEND_HOST; b++) {
    SCAN_TRY(device_ask(s, b, error));
    add_names(there, sizeof there, &s->lists[b]);
    if (is_of(b, selector)) named = b;
  }
  if (named == SCAN_BACKEND_HOST)
    return scan_fail(error, SCAN_NO_DEVICE, "no device matches '%s'; this machine has: %s", selector, there);
  return scan_fail(error, SCAN_NO_DEVICE, "no device matches '%s'; this machine has: %s (%s: %s)", selector, there,
                   scan_backend_name(named), s->notes[named]);
}

/* Finds the first device that matches. Backends whose devices cannot match are not asked, so their drivers stay
 * closed. */
static scan_status find_match(search *s, const char *selector, scan_caps *caps, scan_error *error) {
  for (scan_backend b = SCAN_BACKEND_CUDA; b <= SCAN_BACKEND_HOST; b++) {
    if (selector != NULL && !is_of(b, selector)) continue;
    SCAN_TRY(device_ask(s, b, error));
    for (int i = 0; i < s->lists[b].count; i++) {
      const scan_device_info *info = &s->lists[b].items[i].info;
      if (selector ? !matches(info, selector) : !is_automatic(info)) continue;
      *caps = s->lists[b].items[i];
      return SCAN_SUCCESS;
    }
  }
  return no_match(s, selector ? selector : "auto", error);
}

scan_status scan_device_find(const char *selector, scan_caps *caps, scan_error *error) {
  search s = { .asked = { 0 } };
  if (selector != NULL && (selector[0] == '\0' || strcasecmp(selector, "auto") == 0)) selector = NULL;
  const scan_status status = find_match(&s, selector, caps, error);
  for (scan_backend b = SCAN_BACKEND_CUDA; b <= SCAN_BACKEND_HOST; b++) scan_devices_free(&s.lists[b]);
  return status;
}
