/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file calls.h
 * @brief Records which kinds of public calls a test program makes.
 *
 * The linker puts the functions of wrap.c in place of the public functions (--wrap). Each one makes the call and
 * describes it by a key: a line of fields "name=value" with blanks between them. A field whose value is the default is
 * left out. Each key is appended once to the file $SCANRT_TEST_CALLS_FILE; without that variable nothing is recorded.
 */
#ifndef SCANRT_TESTS_CALLS_H
#define SCANRT_TESTS_CALLS_H

#include <scanrt/scan_array.h>

enum {
  CALL_KEY_BYTES = 1200,   /**< A longer key is cut. */
  CALL_WORD_BYTES = 200,   /**< A longer value is cut. */
  CALL_MOST_BUFFERS = 48,  /**< More buffers than any call has. */
  CALL_STRUCT_BYTES = 2048 /**< More bytes than any spec or args has. */
};

/* ---- keys (key.c) ---- */

/** The text of a key, or of a part of one. Each field begins with a blank. */
typedef struct call_key {
  size_t used;
  char text[CALL_KEY_BYTES];
} call_key;

/** Appends a text as it is, such as the fields of another key. */
void key_text(call_key *key, const char *text);

/** Appends name=value; blanks in the value become '_'. NULL: "unknown". */
void key_word(call_key *key, const char *name, const char *value);

/** Appends name=number. 0: appends nothing. */
void key_number(call_key *key, const char *name, uint64_t number);

/** Appends name=1. 0: appends nothing. */
void key_flag(call_key *key, const char *name, int is_set);

/** Appends numbers with commas between them. Appends nothing where all are 0. */
void key_numbers(call_key *key, const char *name, const uint32_t *numbers, uint32_t count);

/** Appends the name of a type. 0: appends nothing. */
void key_type(call_key *key, const char *name, scan_type type);

/** Appends the class of a number of elements, and name_at where it is next to a multiple of 1024. */
void key_items(call_key *key, const char *name, uint64_t items);

/** Appends how a number compares with n: less, equal or more. 0: appends nothing. */
void key_compared(call_key *key, const char *name, uint64_t number, uint64_t n);

/** Appends the names of the SCAN_BACKWARD, SCAN_CHECK_OVERFLOW and SCAN_N_FROM_CLAMP that are set. */
void key_flags(call_key *key, uint64_t flags);

/** Appends the key to the file, unless this process has done so before. */
void key_record(const call_key *key);

/** 1 where $SCANRT_TEST_CALLS_FILE is set. */
int key_is_recorded(void);

/* ---- buffers (buffers.c) ---- */

/** The buffers of a call. */
typedef struct call_buffers {
  uint32_t count;
  uint32_t outputs; /**< Outputs that have an input at the same index. */
  uint32_t reused;  /**< Of these: outputs that are that input. */
  const char *names[CALL_MOST_BUFFERS];
  scan_mem memory[CALL_MOST_BUFFERS];
} call_buffers;

/** Adds a buffer. Memory of kind SCAN_MEM_NONE is passed over. */
void buffers_add(call_buffers *buffers, const char *name, scan_mem memory);

/** Adds the buffers of `count` arrays, at most 8. They share a name. */
void buffers_add_arrays(call_buffers *buffers, const char *name, const scan_mem *memory, uint32_t count);

/** Notes whether an output is an input. */
void buffers_pair(call_buffers *buffers, scan_mem in, scan_mem out);

/** buffers_pair of each array. */
void buffers_pair_arrays(call_buffers *buffers, const scan_mem *in, const scan_mem *out, uint32_t count);

/** 1 where both are the same place. */
int buffers_are_same(scan_mem a, scan_mem b);

/** Appends which buffers there are, their kinds of memory, their alignment, and whether the call is in place. */
void key_buffers(call_key *key, const call_buffers *buffers);

/** Appends what is known of n_from: that it is there, that it is one of `counts` counts, and how it compares with n.
 * @param succeeded  1: the call did, so that its memory may be read */
void key_n_from(call_key *key, scan_mem n_from, uint64_t n, scan_mem count, uint32_t counts, int succeeded);

/** Appends whether a call waits for events and whether it leaves one. NULL: appends nothing. */
void key_events(call_key *key, const struct scan_opencl_events *events);

/* ---- families (scans.c, primitives.c) ---- */

/** A call of any family. */
typedef struct public_call public_call;

/** Functions that have a spec and args of the same types: a call and its plan. */
typedef struct call_family {
  const char *name;
  size_t spec_bytes; /**< Of the spec, which begins with struct_bytes. */
  size_t args_bytes; /**< Of the args, which begin with struct_bytes, too. */
  void (*describe_spec)(call_key *key, const void *spec);
  /** Appends the fields of the args. @param succeeded  as in key_n_from */
  void (*describe_args)(call_key *key, uint64_t n, const void *args, int succeeded);
} call_family;

struct public_call {
  const call_family *family;
  const scan_ctx *ctx;
  const void *spec;
  const scan_array *array; /**< Of call_arrays, else NULL. */
  uint64_t n;              /**< Elements of the call, or the most elements of a plan. */
  const void *args;
};

extern const call_family call_scans, call_arrays, call_streams, call_differences, call_tile_values, call_group_values;
extern const call_family call_selects, call_partitions, call_run_lengths, call_reductions, call_sorts, call_splits,
    call_histograms;

/** The args of a stream in one struct. */
typedef struct stream_args {
  size_t struct_bytes;
  const void *in, *out;
  scan_stream_options options;
} stream_args;

/** Appends the fields of an array. @param spec  as the caller gave it */
void key_array(call_key *key, const scan_spec *spec, const scan_array *array);

/** Elements of an array; 0: there are none, or the array is no valid one. */
uint64_t array_items(const scan_array *array);

/* ---- objects (objects.c) ---- */

/** The record of a context, an operator or a plan. */
typedef struct call_object {
  const void *at;
  call_key key;              /**< Its fields; of a predicate or a bucket function one word. */
  const call_family *family; /**< Of a plan. */
  uint64_t most_items;       /**< Of a plan. */
  uint32_t input_bytes;      /**< Of an operator. */
  uint32_t output_bytes;     /**< Of an operator. */
} call_object;

/** Remembers an object, in place of an earlier one of that address. */
void object_put(const call_object *object);

/** Finds an object. @return 0, or -1 where there is none */
int object_get(const void *at, call_object *object);

/** Forgets an object. NULL is accepted. */
void object_drop(const void *at);

/** Appends the fields of an operator from source. */
void key_operator(call_key *key, const scan_op *op);

/** Appends a predicate or a bucket function as one field. NULL: appends nothing. */
void key_function(call_key *key, const char *name, const scan_op *op);

/* ---- records (record.c) ---- */

/** Notes that a public function begins. The library's own calls of public functions are not recorded. */
void record_enter(void);

/** Notes that it ends. @return 1 where the program made the call itself and calls are recorded */
int record_leave(void);

/** Records a call without a plan. */
void record_call(const public_call *call, scan_status status);

/** Remembers a plan, or records that it was refused. @param call  its args are NULL @param plan  on success */
void record_plan(const public_call *call, const scan_plan *plan, scan_status status);

/** Records a run of a plan. */
void record_run(const scan_plan *plan, uint64_t n, const void *args, scan_status status);

#endif
