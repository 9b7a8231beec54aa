/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/backend.h"

#include <stdlib.h>

void scan_kernel_build_key(const scan_kernel_key *kernel, scan_key *key) {
  const uint64_t parts[] = { (uint64_t)(uintptr_t)kernel->source,
                             (uint64_t)kernel->input_type,
                             (uint64_t)kernel->type,
                             (uint64_t)kernel->op,
                             kernel->segments,
                             (uint64_t)kernel->key_type,
                             kernel->checks,
                             kernel->steps,
                             kernel->reads_n,
                             kernel->flags_known,
                             kernel->flags,
                             kernel->subtiles,
                             kernel->backward,
                             kernel->is_quick };
  scan_key_start(key);
  scan_key_add_text(key, kernel->file);
  scan_key_add(key, parts, sizeof parts);
}

scan_program *scan_program_find(scan_program *list, const scan_key *key) {
  scan_program *p = list;
  while (p != NULL && !scan_key_same(&p->key, key)) p = p->next;
  return p;
}

scan_program *scan_program_of(scan_program **list, const scan_key *key, const struct scan_source *source) {
  scan_program *there = scan_program_find(*list, key);
  if (there != NULL) return there;
  scan_program *made = malloc(sizeof *made);
  if (made == NULL) return NULL;
  *made = (scan_program){ .key = *key, .source = source, .next = *list };
  return *list = made;
}

void scan_programs_release(scan_program **list, const struct scan_source *source,
                           void (*unload)(scan_device *device, void *object), scan_device *device) {
  for (scan_program **at = list, *p; (p = *at) != NULL;) {
    if (source != NULL && p->source != source) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    if (p->object != NULL && unload != NULL) unload(device, p->object);
    free(p->image);
    free(p);
  }
}
