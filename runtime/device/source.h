/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator from source as strategies and backends see it. */
#ifndef SCANRT_SOURCE_H
#define SCANRT_SOURCE_H

#include <scanrt/scan.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

#include "base/error.h"

typedef struct scan_source {
  uint32_t bytes, align;               /* of a value: what is scanned */
  uint32_t input_bytes, input_align;   /* of an element of the input; the same where nothing is mapped */
  uint32_t output_bytes, output_align; /* of the output; the same where nothing is emitted */
  int has_identity;
  uint64_t identity[SCAN_OP_MOST_BYTES / 8]; /* in the low bytes */
  int is_lifted;                             /* made of a built-in operator (lift.c) */
  char label[48];                            /* of that one, "add of f64"; else empty */
  char block[24];                            /* whose loops the host has (host_block.h); or empty */
  scan_type input_half, output_half;         /* of halves, which are mapped or emitted: which; or 0 */
  int checks_signed;                         /* what overflows is a signed integer */
  scan_type sum;                             /* whose built-in sum this is (lift.c), u32 or u64 for integers; or 0 */
  scan_op_host *host;                        /* NULL: none; the next two likewise */
  scan_map_host *map_host;
  scan_emit_host *emit_host;
  void *user;          /* of the three, and of the loops */
  scan_op_loops loops; /* for the host; none: all are NULL */
  scan_map_loop *map_loop;
  scan_emit_loop *emit_loop;
  int emit_ignores; /* what it does not look at: EMIT_IGNORES_... */
  /* Whether combine leaves the type's range, of built-in sums and products of integers (lift.c), whose text has it as
   * scanrt_source_overflows; else NULL. */
  int (*overflows_host)(const void *a, const void *b);
  int (*overflows_any)(const void *a, const void *b, uint32_t n); /* whether one of n steps does */
  char *text, *type, *combine;                                    /* text is NULL on the host */
  char *input_type, *map, *output_type, *emit;                    /* NULL: none */
  /* Of predicates (scan_select.h) `combine` is keep, a value its result, the input's element what it looks at, and the
   * output's its parameters. */
  int is_predicate, is_pair; /* is_pair: keep says of two elements whether they are of one run */
  int is_bucket;             /* a predicate's, but that `combine` is a bucket function (scan_split.h) */
  uint32_t params_bytes;     /* 0: it has none */
  scan_keep_host *keep_host; /* NULL: none; the next one likewise */
  scan_bucket_host *bucket_host;
  /* What follows the text in a program: calls of the operator under a name of the library's, and an end to the macros
   * that the text defines. */
  char *epilogue;
} scan_source;

/* A built-in operator, or one of scan_composite.h. */
static inline int scan_source_is_known(const scan_source *source) { return source != NULL && source->block[0] != '\0'; }

enum { EMIT_IGNORES_NOTHING, EMIT_IGNORES_INCLUSIVE, EMIT_IGNORES_EXCLUSIVE };

/* What the canonical order goes by: the largest of the three. */
static inline uint32_t scan_source_order_bytes(const scan_source *source) {
  const uint32_t most = source->bytes > source->input_bytes ? source->bytes : source->input_bytes;
  return most > source->output_bytes ? most : source->output_bytes;
}

/* The build parameters of kernels with a source that others have not, as lines of definitions. */
enum { SCAN_SOURCE_DEFINES_BYTES = 512 };
struct scan_kernel_key;
void scan_source_defines(const struct scan_kernel_key *key, char defines[SCAN_SOURCE_DEFINES_BYTES]);

/* Copies a source that scan_source_check has passed. SCAN_OUT_OF_MEMORY leaves nothing behind. */
scan_status scan_source_copy(const scan_op_source *from, scan_source *source, scan_error *error);
void scan_source_free(scan_source *source);

/* Refuses what is no operator: sizes, alignments, names, a text that leaves something open. */
scan_status scan_source_check(const scan_op_source *from, scan_error *error);

/* Parts of that, for predicates, too (predicate.c): names of functions and of types; the sizes of what `what` names;
 * the text, with the names that words begin with. */
enum { SCAN_SOURCE_MOST_WORDS = 100 };
int scan_source_is_function(const char *name);
int scan_source_is_type(const char *type);
scan_status scan_source_check_sizes(const char *what, size_t bytes, size_t align, scan_error *error);
scan_status scan_source_check_text(const char *text, const char *function, const char *type, scan_error *error);

/* Writes the check of a function's type and the library's call of it; returns the characters written. */
enum { SCAN_SOURCE_CALL_BYTES = 1536 };
int scan_source_add_call(char *out, const char *function, const char *result, const char *parameters, const char *call);

/* Writes "#undef NAME" lines for every macro that the text defines to `out`, at most out_bytes with the end, and
 * returns the bytes that all of them take (as snprintf does). */
size_t scan_source_undefine(const char *text, char *out, size_t out_bytes);

/* Whether the text uses a name that begins with scanrt_, outside of comments and strings; which, and in which line. */
enum { SCAN_SOURCE_NAME_BYTES = 256 };
int scan_source_reserved(const char *text, char name[SCAN_SOURCE_NAME_BYTES], int *line);

/* A comment or a conditional that the text does not end, which would swallow the library's own text, and the line where
 * it begins; NULL: none. */
const char *scan_source_open(const char *text, int *line);

/* Copies a compiler's log to `out`, and where it counts the lines of the whole program, as NVIDIA's OpenCL does
 * whatever #line says ("<kernel>:18:1"), turns those of the text, which follows `lines_before` lines, into its own
 * ("operator:1:1"). Cut where it does not fit. */
void scan_source_relocate(const char *log, const char *text, int lines_before, char *out, size_t out_bytes);

#endif
