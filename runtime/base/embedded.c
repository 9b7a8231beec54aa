/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/embedded.h"

#include <stdlib.h>
#include <string.h>

char *scan_text_join(const char *const *parts) {
  size_t bytes = 1, used = 0;
  for (size_t i = 0; parts[i] != NULL; i++) bytes += strlen(parts[i]);
  char *text = malloc(bytes);
  if (text == NULL) return NULL;
  for (size_t i = 0; parts[i] != NULL; i++) {
    const size_t more = strlen(parts[i]);
    memcpy(text + used, parts[i], more);
    used += more;
  }
  text[used] = '\0';
  return text;
}

char *scan_kernel_text(const char *name) {
  for (size_t i = 0; i < scan_kernel_text_count; i++)
    if (strcmp(scan_kernel_texts[i].name, name) == 0) return scan_text_join(scan_kernel_texts[i].parts);
  return NULL;
}
