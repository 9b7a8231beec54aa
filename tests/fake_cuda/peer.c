/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between devices, and memory that processes share: a file in memory, which others open by the process that
 * allocated it. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "objects.h"

enum { POINTER_CONTEXT = 1, LAZY_PEER_ACCESS = 1 };

/* ---- shared memory ---- */

int fake_is_sharing(void) {
  const char *text = getenv("FAKE_CUDA_IPC");
  return text != NULL && text[0] == '1';
}

int fake_share(fake_memory *memory) {
  if (!memory->is_mapped) memory->file = memfd_create("fake_cuda", MFD_CLOEXEC);
  if (memory->file < 0) return 0;
  void *bytes = MAP_FAILED;
  if (memory->is_mapped || ftruncate(memory->file, (off_t)memory->size_bytes) == 0)
    bytes = mmap(NULL, memory->size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file, 0);
  if (bytes == MAP_FAILED) close(memory->file);
  memory->bytes = bytes == MAP_FAILED ? NULL : bytes;
  return bytes != MAP_FAILED;
}

void fake_unshare(fake_memory *memory) {
  munmap(memory->bytes, memory->size_bytes);
  close(memory->file);
}

static const fake_memory *find(cuda_ptr first) {
  for (const fake_memory *m = fake.memories; m != NULL; m = m->next) {
    const cuda_ptr start = (cuda_ptr)(uintptr_t)m->bytes;
    if (first >= start && first - start < m->size_bytes) return m;
  }
  return NULL;
}

cuda_result cuIpcGetMemHandle(fake_ipc_handle *handle, cuda_ptr first) {
  ENTER_CONTEXT();
  const fake_memory *memory = find(first);
  REQUIRE(memory != NULL && memory->is_shared && !memory->is_mapped, FAKE_INVALID_VALUE);
  *handle = (fake_ipc_handle){ .memory = { getpid(), memory->file, memory->size_bytes } };
  return CUDA_OK;
}

cuda_result cuIpcOpenMemHandle_v2(cuda_ptr *first, fake_ipc_handle handle, unsigned flags) {
  char path[64];
  ENTER_CONTEXT();
  REQUIRE(flags == LAZY_PEER_ACCESS, FAKE_INVALID_VALUE);
  REQUIRE(handle.memory.process != getpid(), FAKE_INVALID_CONTEXT);
  snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.memory.process, handle.memory.file);
  fake_memory *memory = calloc(1, sizeof *memory);
  if (memory == NULL) return CUDA_OUT_OF_MEMORY;
  *memory = (fake_memory){
    fake_current(), NULL, handle.memory.size_bytes, fake.memories, 1, open(path, O_RDWR | O_CLOEXEC), 1
  };
  if (!fake_share(memory)) {
    free(memory);
    return fake_punish(FAKE_INVALID_VALUE, "%s: no such memory", __func__);
  }
  fake.memories = memory;
  *first = (cuda_ptr)(uintptr_t)memory->bytes;
  return CUDA_OK;
}

cuda_result cuIpcCloseMemHandle(cuda_ptr first) {
  ENTER_CONTEXT();
  fake_memory *memory = fake_take_mapped(first);
  REQUIRE(memory != NULL, FAKE_INVALID_VALUE);
  fake_free_memory(memory);
  return CUDA_OK;
}

/* ---- devices of one process ---- */

cuda_result cuPointerGetAttribute(void *value, int attribute, cuda_ptr pointer) {
  ENTER();
  const fake_memory *memory = find(pointer);
  REQUIRE(attribute == POINTER_CONTEXT && memory != NULL, FAKE_INVALID_VALUE);
  memcpy(value, &memory->context, sizeof memory->context);
  return CUDA_OK;
}

cuda_result cuDeviceCanAccessPeer(int *can, cuda_device device, cuda_device peer) {
  ENTER();
  REQUIRE(device >= 0 && device < fake.device_count && peer >= 0 && peer < fake.device_count, FAKE_INVALID_DEVICE);
  *can = device != peer;
  return CUDA_OK;
}

cuda_result cuCtxEnablePeerAccess(cuda_context peer, unsigned flags) {
  ENTER_CONTEXT();
  REQUIRE(flags == 0 && peer != NULL && peer->refs > 0 && peer->device != fake_current()->device, FAKE_INVALID_VALUE);
  const unsigned bit = 1U << peer->device;
  if (fake_current()->peers & bit) return FAKE_PEER_ACCESS_ALREADY_ENABLED;
  fake_current()->peers |= bit;
  return CUDA_OK;
}

cuda_result cuMemcpyPeerAsync(cuda_ptr to, cuda_context to_context, cuda_ptr from, cuda_context from_context,
                              size_t bytes, cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  REQUIRE(fake_range_is_live_in(to_context, to, bytes), FAKE_INVALID_VALUE);
  REQUIRE(fake_range_is_live_in(from_context, from, bytes), FAKE_INVALID_VALUE);
  memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return CUDA_OK;
}
