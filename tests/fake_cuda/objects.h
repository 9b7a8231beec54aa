/* SPDX-License-Identifier: BSD-2-Clause */
/* The objects of the fake driver, one set a process. */
#ifndef SCANRT_TESTS_FAKE_CUDA_OBJECTS_H
#define SCANRT_TESTS_FAKE_CUDA_OBJECTS_H

#include "state.h"

/* Locks the driver until the end of the enclosing function. */
#define FAKE_LOCKED() __attribute__((cleanup(fake_unlock), unused)) const int locked_ = fake_lock()

#define ENTER()                                                                                                        \
  FAKE_LOCKED();                                                                                                       \
  do {                                                                                                                 \
    const cuda_result entered_ = fake_enter(__func__);                                                                 \
    if (entered_ != CUDA_OK) return entered_;                                                                          \
  } while (0)
#define ENTER_CONTEXT()                                                                                                \
  FAKE_LOCKED();                                                                                                       \
  do {                                                                                                                 \
    const cuda_result entered_ = fake_enter_context(__func__);                                                         \
    if (entered_ != CUDA_OK) return entered_;                                                                          \
  } while (0)
/* Fails a call that stream capture forbids. The capture is then invalid; no fault is noted. */
#define UNLESS_CAPTURED()                                                                                              \
  do {                                                                                                                 \
    if (fake_is_prohibited()) return FAKE_CAPTURE_UNSUPPORTED;                                                         \
  } while (0)
#define REQUIRE(condition, result)                                                                                     \
  do {                                                                                                                 \
    if (!(condition)) return fake_punish((result), "%s: not (%s)", __func__, #condition);                              \
  } while (0)

/* Takes the first object `o` for which `matches` holds out of a list and returns it. Objects have a member `next`. */
#define FAKE_TAKE(type, list, matches)                                                                                 \
  for (type **at = &(list); *at != NULL; at = &(*at)->next) {                                                          \
    type *o = *at;                                                                                                     \
    if (!(matches)) continue;                                                                                          \
    *at = o->next;                                                                                                     \
    return o;                                                                                                          \
  }                                                                                                                    \
  return NULL

/* One piece of work of a stream: a launch, a copy on the device, or a fill. */
typedef struct fake_node {
  cuda_function function; /* NULL for a copy and a fill */
  unsigned groups, items;
  fake_arguments arguments;
  emulated_grid grid; /* for an emulated function */
  cuda_ptr to, from;
  size_t bytes;
  int is_fill, value;
} fake_node;

typedef struct fake_objects {
  int device_count;
  int capability[FAKE_DEVICES][2];
  struct CUctx_st primary[FAKE_DEVICES], app[FAKE_DEVICES], made[FAKE_APP_CONTEXTS];
  fake_memory *memories;
  cuda_stream streams;
  cuda_module modules;
  unsigned launches, allocations, reclaimed, calls;
  int lie_attribute, lie_value; /* 0: no false value */
} fake_objects;

extern fake_objects fake;

cuda_result fake_push(cuda_context context);
cuda_result fake_pop(cuda_context *context);

/* Takes the memory out of the list if it is the current context's; NULL otherwise. */
fake_memory *fake_take_memory(cuda_ptr first);
/* Takes mapped memory, which another process allocated, out of the list. */
fake_memory *fake_take_mapped(cuda_ptr first);
/* Takes the stream out of the list if it is the current context's; NULL otherwise. */
cuda_stream fake_take_stream(cuda_stream stream);
/* Takes the module out of the list if it is the current context's; NULL otherwise. */
cuda_module fake_take_module(cuda_module module);

cuda_result fake_copy(cuda_ptr to, cuda_ptr from, size_t bytes);
cuda_result fake_fill(cuda_ptr to, int value, size_t bytes);

int fake_lock(void);
void fake_unlock(const int *locked);

/* 1 if the live stream is being captured. */
int fake_is_capturing(cuda_stream stream);

/* 1 if a capture of any thread forbids the calling one to allocate, load and free. Invalidates those captures. */
int fake_is_prohibited(void);

/* 1 if the stream is the legacy default stream and a stream that waits for it is being captured. */
int fake_spoils_capture(cuda_stream stream);

/* Allocates in the current context. */
cuda_result fake_allocate(cuda_ptr *first, size_t size_bytes);

/* Adds work to the capture of the stream. */
cuda_result fake_capture(cuda_stream stream, const fake_node *node);
/* Executes work now. */
cuda_result fake_execute(const fake_node *node);

void fake_free_memory(fake_memory *memory);

/* 1 if memory is to be shared with other processes: FAKE_CUDA_IPC=1. */
int fake_is_sharing(void);
/* Allocates shared memory, or maps that of another process: *memory has the size and, to map, the file. 0: a failure.
 */
int fake_share(fake_memory *memory);
void fake_unshare(fake_memory *memory);
void fake_free_module(cuda_module module);

/* Destroys the objects that are left in a context. */
void fake_reclaim(cuda_context context);

/* Destroys the events that are left in a context, and returns their number. */
unsigned fake_reclaim_events(cuda_context context);
/* Destroys the graphs that are left in a context, and returns their number. */
unsigned fake_reclaim_graphs(cuda_context context);
/* Destroys the page-locked memory that is left in a context, and returns its number. */
unsigned fake_reclaim_host_memory(cuda_context context);

#endif
