/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of NCCL that the transport `nccl` calls, opened at run time. Types and numbers as NCCL's documentation
 * gives them; no header of NCCL is needed to build. */
#ifndef SCANRT_MPI_NCCL_H
#define SCANRT_MPI_NCCL_H

#include <limits.h>
#include <stddef.h>

#include "mpi/cuda_driver.h"

typedef struct ncclComm *nccl_comm;

typedef struct nccl_id {
  char bytes[128];
} nccl_id;

enum { NCCL_OK = 0, NCCL_IN_PROGRESS = 7, NCCL_UINT8 = 1 };

/* ncclConfig_t as NCCL 2.14 has it. Later versions read as much as `size` and `version` say. */
typedef struct nccl_config {
  size_t size;
  unsigned magic, version;
  int blocking;
} nccl_config;
#define NCCL_CONFIG                                                                                                    \
  { sizeof(nccl_config), 0xcafebeef, 21400, 0 }

/* NCCL_FUNCTION(member, exported name, parameters); all return an ncclResult_t. */
#define NCCL_FUNCTIONS(NCCL_FUNCTION)                                                                                  \
  NCCL_FUNCTION(unique_id, ncclGetUniqueId, (nccl_id *))                                                               \
  NCCL_FUNCTION(init, ncclCommInitRankConfig, (nccl_comm *, int, nccl_id, int, nccl_config *))                         \
  NCCL_FUNCTION(async_error, ncclCommGetAsyncError, (nccl_comm, int *))                                                \
  NCCL_FUNCTION(abort, ncclCommAbort, (nccl_comm))                                                                     \
  NCCL_FUNCTION(group_start, ncclGroupStart, (void))                                                                   \
  NCCL_FUNCTION(group_end, ncclGroupEnd, (void))                                                                       \
  NCCL_FUNCTION(send, ncclSend, (const void *, size_t, int, int, nccl_comm, gpu_stream))                               \
  NCCL_FUNCTION(receive, ncclRecv, (void *, size_t, int, int, nccl_comm, gpu_stream))

typedef struct nccl_api {
#define NCCL_MEMBER(member, name, parameters) int(*member) parameters;
  NCCL_FUNCTIONS(NCCL_MEMBER)
#undef NCCL_MEMBER
  /* returns the words of a result */
  const char *(*error_text)(int);
} nccl_api;

#endif
