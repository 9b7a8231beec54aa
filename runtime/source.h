/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator from source as strategies and backends see it. */
#ifndef SCANRT_SOURCE_H
#define SCANRT_SOURCE_H

#include <scanrt/scan.h>

#include "error.h"

typedef struct scan_source {
  uint32_t bytes, align; /* of an element */
  int has_identity;
  uint64_t identity[SCAN_OP_MOST_BYTES / 8]; /* in the low bytes */
  scan_op_host *host;                        /* NULL: none */
  char *text, *type, *combine;               /* text is NULL on the host */
  /* What follows the text in a program: calls of the operator under a name of the library's, and an end to the macros
   * that the text defines. */
  char *epilogue;
} scan_source;

/* Copies a source that scan_source_check has passed. SCAN_OUT_OF_MEMORY leaves nothing behind. */
scan_status scan_source_copy(const scan_op_source *from, scan_source *source, scan_error *error);
void scan_source_free(scan_source *source);

/* Refuses what is no operator: sizes, alignments, names, a text that leaves something open. */
scan_status scan_source_check(const scan_op_source *from, scan_error *error);

/* Writes "#undef NAME" lines for every macro that the text defines to `out`, at most out_bytes with the end, and
 * returns the bytes that all of them take (as snprintf does). */
size_t scan_source_undefine(const char *text, char *out, size_t out_bytes);

/* What the text leaves open, so that it would take the library's own text for its own, and the line where it begins;
 * NULL: nothing. */
const char *scan_source_open(const char *text, int *line);

/* Copies a compiler's log to `out`, and where it counts the lines of the whole program, as NVIDIA's OpenCL does
 * whatever #line says ("<kernel>:18:1"), turns those of the text, which follows `lines_before` lines, into its own
 * ("operator:1:1"). Cut where it does not fit. */
void scan_source_relocate(const char *log, const char *text, int lines_before, char *out, size_t out_bytes);

#endif
