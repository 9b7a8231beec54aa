/* SPDX-License-Identifier: BSD-2-Clause */
/** @file digest.c @brief Digests of outputs, by which two builds, libraries or devices are compared. */
#include "case.h"

#include <inttypes.h>

uint64_t case_hash(const scan_case *c) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint64_t i = 0; i < c->out_bytes; i++) hash = (hash ^ c->got[i]) * UINT64_C(0x100000001b3);
  return hash;
}

void case_write_digest(const scan_case *c, const char *line, scan_status status, FILE *file) {
  fprintf(file, "%016" PRIx64 " %s %s\n", status == SCAN_SUCCESS ? case_hash(c) : 0, scan_status_name(status), line);
}
