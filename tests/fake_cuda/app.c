/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that only applications call: their own contexts, and other kinds of memory. */
#include "objects.h"

cuda_result cuCtxCreate_v2(cuda_context *result, unsigned flags, cuda_device device) {
  ENTER();
  REQUIRE(flags == 0 && device >= 0 && device < fake.device_count, FAKE_INVALID_VALUE);
  for (int i = 0; i < FAKE_APP_CONTEXTS; i++) {
    cuda_context context = &fake.made[i];
    if (context->refs != 0) continue;
    *context = (struct CUctx_st){ .device = device, .refs = 1 };
    *result = context;
    return fake_push(context);
  }
  return CUDA_OUT_OF_MEMORY;
}

/* Destroys a context, and pops it if it is the calling thread's current one. */
cuda_result cuCtxDestroy_v2(cuda_context context) {
  ENTER();
  REQUIRE(context >= fake.made && context < fake.made + FAKE_APP_CONTEXTS && context->refs == 1, FAKE_INVALID_CONTEXT);
  if (fake_current() == context) (void)fake_pop(NULL);
  fake_reclaim(context);
  context->refs = 0;
  return CUDA_OK;
}

cuda_result cuCtxSetCurrent(cuda_context context) {
  ENTER();
  if (fake_current() != NULL) (void)fake_pop(NULL);
  return context != NULL ? fake_push(context) : CUDA_OK;
}

cuda_result cuCtxSynchronize(void) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  return CUDA_OK;
}

cuda_result cuDevicePrimaryCtxGetState(cuda_device device, unsigned *flags, int *active) {
  ENTER();
  REQUIRE(device >= 0 && device < fake.device_count, FAKE_INVALID_DEVICE);
  *flags = 0;
  *active = fake.primary[device].refs > 0;
  return CUDA_OK;
}

cuda_result cuStreamQuery(cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream) && !fake_is_capturing(stream), FAKE_INVALID_HANDLE);
  return CUDA_OK;
}

cuda_result cuMemAllocManaged(cuda_ptr *first, size_t bytes, unsigned flags) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  REQUIRE(flags == 1, FAKE_INVALID_VALUE); /* CU_MEM_ATTACH_GLOBAL */
  return fake_allocate(first, bytes);
}

/* Allocates at once. Allocation nodes of graphs are not supported. */
cuda_result cuMemAllocAsync(cuda_ptr *first, size_t bytes, cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream) && !fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  return fake_allocate(first, bytes);
}

cuda_result cuMemFreeAsync(cuda_ptr first, cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream) && !fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  fake_memory *memory = fake_take_memory(first);
  REQUIRE(memory != NULL, FAKE_INVALID_VALUE);
  fake_free_memory(memory);
  return CUDA_OK;
}
