/* SPDX-License-Identifier: BSD-2-Clause */
/* All objects of the fake driver; one process has one set. */
#ifndef SCANRT_TESTS_FAKE_CUDA_OBJECTS_H
#define SCANRT_TESTS_FAKE_CUDA_OBJECTS_H

#include "state.h"

/* One thread at a time, to the end of the function. */
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
/* For what stream capture forbids: it is then no fault of the caller's, but the end of the capture. */
#define UNLESS_CAPTURED()                                                                                              \
  do {                                                                                                                 \
    if (fake_is_prohibited()) return FAKE_CAPTURE_UNSUPPORTED;                                                         \
  } while (0)
#define REQUIRE(condition, result)                                                                                     \
  do {                                                                                                                 \
    if (!(condition)) return fake_punish((result), "%s: not (%s)", __func__, #condition);                              \
  } while (0)

/* Takes the first object for which `matches` out of a list; every object has its context first and `next` in it. */
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
  cuda_function function; /* NULL: a copy, or a fill */
  unsigned groups, items;
  fake_arguments arguments;
  emulated_grid grid; /* of a function that is emulated */
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
  int lie_attribute, lie_value; /* 0: no lies */
} fake_objects;

extern fake_objects fake;

cuda_result fake_push(cuda_context context);
cuda_result fake_pop(cuda_context *context);

/* Take an object of the current context out of its list; NULL when there is none like that. */
fake_memory *fake_take_memory(cuda_ptr first);
cuda_stream fake_take_stream(cuda_stream stream);
cuda_module fake_take_module(cuda_module module);

cuda_result fake_copy(cuda_ptr to, cuda_ptr from, size_t bytes);
cuda_result fake_fill(cuda_ptr to, int value, size_t bytes);

int fake_lock(void);
void fake_unlock(const int *locked);

/* Whether the stream, which is live, records. */
int fake_is_capturing(cuda_stream stream);

/* Whether the thread may not allocate, load or free, for captures of its own or of others; they are then spoiled. */
int fake_is_prohibited(void);

/* Whether the stream is the default one, and one that waits for it captures: work on it then spoils that. */
int fake_spoils_capture(cuda_stream stream);

/* Allocates in the current context. */
cuda_result fake_allocate(cuda_ptr *first, size_t size_bytes);

/* Records work of a stream that captures, or does it. */
cuda_result fake_capture(cuda_stream stream, const fake_node *node);
cuda_result fake_execute(const fake_node *node);

void fake_free_memory(fake_memory *memory);
void fake_free_module(cuda_module module);

/* Destroys what is left in a context that ends. */
void fake_reclaim(cuda_context context);

/* Their part of fake_reclaim; how many there were. */
unsigned fake_reclaim_events(cuda_context context);
unsigned fake_reclaim_graphs(cuda_context context);
unsigned fake_reclaim_host_memory(cuda_context context);

#endif
