/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file refusal.h
 * @brief Calls of the library as text, for `tools/cases/refusals.txt`: fields of structs are set by name.
 *
 * A call has a specification and arguments. Words set their fields: "key_type=SCAN_U32", "in[0]=INPUT+4096",
 * "n=2^32+1". refusals.txt explains the words.
 */
#ifndef SCANRT_TESTS_REFUSAL_H
#define SCANRT_TESTS_REFUSAL_H

#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <scanrt/scan_stream.h>

enum {
  REFUSAL_MEMORY_BYTES = 1 << 16,
  REFUSAL_COUNT_BYTES = 64,
  REFUSAL_MOST_BYTES = 2048,
  REFUSAL_MOST_MEMORIES = 10
};

typedef enum refusal_kind { REFUSAL_NUMBER, REFUSAL_MEMORY, REFUSAL_POINTER } refusal_kind;

/** A field of a specification or of arguments. */
typedef struct refusal_field {
  const char *name;
  size_t at, bytes; /**< Offset and size of the first element of an array. */
  size_t count;
  refusal_kind kind;
  int is_argument;     /**< 1 for a field of the arguments. */
  size_t struct_bytes; /**< Size of the struct, for the field `struct_bytes`; 0 for others. */
} refusal_field;

/** A function of the library. Its structs are passed as bytes. */
typedef struct refusal_call {
  const char *name;
  size_t spec_bytes, args_bytes;
  const refusal_field *fields; /**< The last one has no name. */
  scan_status (*run)(scan_ctx *ctx, const void *spec, uint64_t n, const void *args);
  /** Makes a plan; NULL: the function has no plans. */
  scan_status (*make_plan)(scan_ctx *ctx, const void *spec, uint64_t n, scan_plan **plan);
  scan_status (*run_plan)(scan_plan *plan, uint64_t n, const void *args);
} refusal_call;

/** The calls; the last one has no name. */
extern const refusal_call refusal_calls[];

/** Memories and functions that a field's value may name. */
typedef struct refusal_names {
  struct {
    const char *name;
    scan_mem mem;
  } memories[REFUSAL_MOST_MEMORIES];
  /** Finds or makes a function from source; NULL if there is none of this name. */
  scan_op *(*function)(const char *name);
} refusal_names;

/** One call, with the values of its fields. */
typedef struct refusal {
  const refusal_call *call;
  _Alignas(16) unsigned char spec[REFUSAL_MOST_BYTES], args[REFUSAL_MOST_BYTES];
  uint64_t n;
  uint64_t plan_n;              /**< The plan's largest n; 0: n. */
  int has_no_spec, has_no_args; /**< 1: NULL is passed. */
} refusal;

/** Begins a call of a function: all fields are 0, except struct sizes. @return 0, or -1 if there is no such function */
int refusal_begin(refusal *r, const char *function);

/** Sets a field. @param word  "FIELD=VALUE" @return 0, or -1 if the word is invalid */
int refusal_set(refusal *r, const refusal_names *names, const char *word);

/** Reads a number, a power ("2^32") or the name of an enumerator. @return 0, or -1 */
int refusal_number(const char *text, uint64_t *number);

#endif
