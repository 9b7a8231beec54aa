/* SPDX-License-Identifier: BSD-2-Clause */
/* All objects of the fake driver; one process has one set. */
#ifndef SCANRT_TESTS_FAKE_CUDA_OBJECTS_H
#define SCANRT_TESTS_FAKE_CUDA_OBJECTS_H

#include "state.h"

typedef struct fake_objects {
  int device_count;
  int capability[FAKE_DEVICES][2];
  struct CUctx_st primary[FAKE_DEVICES], app[FAKE_DEVICES];
  fake_memory *memories;
  cuda_stream streams;
  cuda_module modules;
  unsigned launches, allocations, reclaimed, calls;
} fake_objects;

extern fake_objects fake;

cuda_result fake_push(cuda_context context);
cuda_result fake_pop(cuda_context *context);

/* Take an object of the current context out of its list; NULL when there is none like that. */
fake_memory *fake_take_memory(cuda_ptr first);
cuda_stream fake_take_stream(cuda_stream stream);
cuda_module fake_take_module(cuda_module module);

void fake_free_memory(fake_memory *memory);
void fake_free_module(cuda_module module);

/* Destroys what is left in a context that ends. */
void fake_reclaim(cuda_context context);

#endif
