/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator from source, in the form that strategies and backends use. */
#ifndef SCANRT_SOURCE_H
#define SCANRT_SOURCE_H

#include <string.h>

#include <scanrt/scan.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>

#include "base/error.h"

/* The members of an input or an output that lie in arrays of their own. */
typedef struct scan_source_members {
  uint32_t count; /* 0: elements lie whole */
  scan_op_member of[SCAN_OP_MOST_MEMBERS];
} scan_source_members;

typedef struct scan_source {
  uint32_t bytes, align;               /* a value's, which the operator combines */
  uint32_t input_bytes, input_align;   /* an input element's; the value's without a map */
  uint32_t output_bytes, output_align; /* an output element's; the value's without an emit */
  int has_identity;
  uint64_t identity[SCAN_OP_MOST_BYTES / 8]; /* the identity, in the low bytes */
  int is_builtin;                            /* 1: made of a built-in operator (builtin_source.c) */
  char label[48];                            /* name of that operator, "add of f64"; else empty */
  char block[24];                            /* name of the operator's loops on the host (simd_rows8.h); or empty */
  scan_type input_half, output_half;         /* type of halves that are mapped from or emitted to; or 0 */
  int shows_nans;                            /* 1: outputs and carries have the canonical NaN for any NaN */
  int checks_signed;                         /* 1: overflow checks are those of a signed integer */
  scan_type sum;      /* type whose built-in sum this is (builtin_source.c), u32 or u64 for integers; or 0 */
  scan_op_host *host; /* NULL: none, as for the next two */
  scan_map_host *map_host;
  scan_emit_host *emit_host;
  void *user;          /* argument of the three functions and of the loops */
  scan_op_loops loops; /* loops for the host; all NULL without loops */
  scan_map_loop *map_loop;
  scan_emit_loop *emit_loop;
  int emit_ignores; /* EMIT_IGNORES_...: the argument that emit ignores */
  /* 1 if combine leaves the type's range. Set for built-in sums and products of integers (builtin_source.c), whose text
   * has it as scanrt_source_overflows; else NULL. */
  int (*overflows_host)(const void *a, const void *b);
  int (*overflows_any)(const void *a, const void *b, uint32_t n); /* 1 if any of n steps overflows */
  char *text, *type, *combine;                                    /* `text` may be NULL on the host */
  char *input_type, *map, *output_type, *emit;                    /* NULL: none */
  scan_source_members input_members, output_members;
  /* Predicates (scan_select.h): `combine` names keep, the value is its result, the input's element is what it looks at,
   * and the output's element holds its parameters. */
  int is_predicate, is_pair; /* is_pair: keep tells if two elements are of one run */
  int is_bucket;             /* 1: `combine` names a bucket function (scan_split.h); is_predicate is 1, too */
  uint32_t params_bytes;     /* bytes of the parameters; 0: none */
  scan_keep_host *keep_host; /* NULL: none, as for the next one */
  scan_bucket_host *bucket_host;
  /* Text that follows `text` in a program: calls of the operator under the library's names, and #undef lines for the
   * macros of `text`. */
  char *epilogue;
} scan_source;

/* 1 for a built-in operator or one of scan_composite.h. */
static inline int scan_source_is_known(const scan_source *source) { return source != NULL && source->block[0] != '\0'; }

/* Sets the output of no elements, whose value is the seed's. NULL: a built-in operator. Only halves emit here, so
 * that `emit` looks at no element and has no user. @param bytes  of an output */
static inline void scan_source_seed_output(const scan_source *source, uint64_t bytes, const void *seed, void *output) {
  const uint64_t element = 0;
  if (source != NULL && source->emit_host != NULL)
    source->emit_host(seed, seed, &element, 0, output, NULL);
  else
    memcpy(output, seed, (size_t)bytes);
}

enum { EMIT_IGNORES_NOTHING, EMIT_IGNORES_INCLUSIVE, EMIT_IGNORES_EXCLUSIVE };

/* Bytes of an element of the first array of the input or the output, whose elements have item_bytes. */
static inline uint32_t scan_members_first_bytes(const scan_source_members *members, uint32_t item_bytes) {
  return members->count > 0 ? members->of[0].bytes : item_bytes;
}

/* The largest of `least` and of an element of each array. */
static inline uint32_t scan_members_most_bytes(const scan_source_members *members, uint32_t item_bytes,
                                               uint32_t least) {
  uint32_t most = scan_members_first_bytes(members, item_bytes);
  for (uint32_t k = 1; k < members->count; k++)
    if (members->of[k].bytes > most) most = members->of[k].bytes;
  return most > least ? most : least;
}

/* Bytes that determine the canonical order: the largest of value and element of an input or output array. */
static inline uint32_t scan_source_order_bytes(const scan_source *source) {
  const uint32_t most = scan_members_most_bytes(&source->input_members, source->input_bytes, source->bytes);
  return scan_members_most_bytes(&source->output_members, source->output_bytes, most);
}

/* 1 if the source has members in arrays of their own. */
static inline int scan_source_has_members(const scan_source *source) {
  return source != NULL && (source->input_members.count | source->output_members.count) != 0;
}

/* Writes the #define lines of the build parameters that only kernels with a source have. */
enum { SCAN_SOURCE_DEFINES_BYTES = 1536 };
struct scan_kernel_key;
void scan_source_defines(const struct scan_kernel_key *key, char defines[SCAN_SOURCE_DEFINES_BYTES]);

/* Copies a source that scan_source_check has accepted. SCAN_OUT_OF_MEMORY leaves nothing behind. */
scan_status scan_source_copy(const scan_op_source *from, scan_source *source, scan_error *error);
void scan_source_free(scan_source *source);

/* Refuses an invalid operator: its sizes, alignments, names, or a text that leaves a comment or conditional open. */
scan_status scan_source_check(const scan_op_source *from, scan_error *error);

/* Refuses invalid members. */
scan_status scan_source_check_members(const scan_op_source *from, scan_error *error);

/* Writes the #define lines of the members of one side, INPUTS or OUTPUTS: their number, the bytes of the first one, the
 * largest magnitude of a shift, and a list that calls DO(k, bytes, offset, shift) for each. Returns the number of
 * characters. */
int scan_source_add_members(char *out, size_t out_bytes, const char *name, const scan_source_members *members);

/* Refuses invalid sizes; `what` ("value", "params") names them in the error text. Predicates use it, too. */
scan_status scan_source_check_sizes(const char *what, size_t bytes, size_t align, scan_error *error);

/* Refuses an invalid text; `function` and `type` appear in the error text. Predicates use it, too. */
scan_status scan_source_check_text(const char *text, const char *function, const char *type, scan_error *error);

/* Writes the check of a function's type and the library's call of it. Returns the number of characters written. */
enum { SCAN_SOURCE_CALL_BYTES = 1536 };
int scan_source_add_call(char *out, const char *function, const char *result, const char *parameters, const char *call);

#endif
