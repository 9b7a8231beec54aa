/* SPDX-License-Identifier: BSD-2-Clause */
/* A stand-in for NCCL between processes of one host whose device memory is host memory (the fake CUDA driver's).
 * Members share a file in memory, with a box for each pair of them. Communicators do not block: work goes on when a
 * process asks for the state of any of its communicators, and never ends while a member is missing. */
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_nccl.h"
#include "mpi/nccl.h"
#include "sweep/fault.h"

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(member, name, parameters) EXPORT int name parameters;
NCCL_FUNCTIONS(DECLARE)
#undef DECLARE
EXPORT const char *ncclGetErrorString(int result);
EXPORT fake_nccl_faults_get fake_nccl_faults;
EXPORT fake_nccl_live_get fake_nccl_live;

enum { MEMBERS = 16, BOX_BYTES = 65536, MOVES = 64, UNHANDLED = 1, INVALID = 4 };

/* Bytes from one member to another; 0: there are none. */
typedef struct box {
  atomic_uint bytes;
  unsigned char data[BOX_BYTES];
} box;

typedef struct meeting {
  atomic_int joined;
  box boxes[MEMBERS][MEMBERS];
} meeting;

typedef struct move {
  unsigned char *memory;
  size_t bytes, done;
  int peer, is_send;
} move;

struct ncclComm {
  meeting *with;
  int rank, members, count, started; /* `started` of `count` moves are in groups that have ended */
  move moves[MOVES];
  struct ncclComm *next;
};

static nccl_comm comms;
static int depth, group_failure, id_file = -1;
static fault_plan faults;

fault_plan *fake_nccl_faults(void) { return &faults; }

int fake_nccl_live(void) {
  int count = 0;
  for (const struct ncclComm *c = comms; c != NULL; c = c->next) count++;
  return count;
}

/* ---- progress ---- */

static void put(box *b, move *m) {
  const size_t left = m->bytes - m->done, bytes = left < BOX_BYTES ? left : BOX_BYTES;
  if (atomic_load_explicit(&b->bytes, memory_order_acquire) != 0) return;
  memcpy(b->data, m->memory + m->done, bytes);
  m->done += bytes;
  atomic_store_explicit(&b->bytes, (unsigned)bytes, memory_order_release);
}

static void take(box *b, move *m) {
  const size_t bytes = atomic_load_explicit(&b->bytes, memory_order_acquire);
  if (bytes == 0) return;
  memcpy(m->memory + m->done, b->data, bytes);
  m->done += bytes;
  atomic_store_explicit(&b->bytes, 0, memory_order_release);
}

/* 1 if an earlier move with the same peer in the same direction has not ended. */
static int must_wait(const struct ncclComm *c, int i) {
  for (int k = 0; k < i; k++)
    if (c->moves[k].peer == c->moves[i].peer && c->moves[k].is_send == c->moves[i].is_send &&
        c->moves[k].done < c->moves[k].bytes)
      return 1;
  return 0;
}

static int is_joined(const struct ncclComm *c) { return atomic_load(&c->with->joined) == c->members; }

static int is_busy(const struct ncclComm *c) {
  for (int i = 0; i < c->started; i++)
    if (c->moves[i].done < c->moves[i].bytes) return 1;
  return !is_joined(c);
}

static void progress(nccl_comm c) {
  for (int i = 0; is_joined(c) && i < c->started; i++) {
    move *m = &c->moves[i];
    if (m->done == m->bytes || must_wait(c, i)) continue;
    if (m->is_send)
      put(&c->with->boxes[c->rank][m->peer], m);
    else
      take(&c->with->boxes[m->peer][c->rank], m);
  }
}

/* ---- NCCL ---- */

static int fail(const char *call) {
  if (!fault_is_due(&faults, call)) return 0;
  if (depth > 0) group_failure = 1;
  return 1;
}
#define ENTER()                                                                                                        \
  if (fail(__func__)) return UNHANDLED

const char *ncclGetErrorString(int result) { return result == UNHANDLED ? "unhandled cuda error" : "invalid argument"; }

int ncclGetUniqueId(nccl_id *id) {
  ENTER();
  const int file = memfd_create("fake_nccl", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(meeting)) != 0) return UNHANDLED;
  if (id_file >= 0) close(id_file);
  id_file = file;
  snprintf(id->bytes, sizeof id->bytes, "/proc/%d/fd/%d", (int)getpid(), file);
  return NCCL_OK;
}

int ncclCommInitRankConfig(nccl_comm *comm, int members, nccl_id id, int rank, nccl_config *config) {
  ENTER();
  if (config->blocking != 0 || config->magic != 0xcafebeef || members > MEMBERS || rank >= members) return INVALID;
  const int file = open(id.bytes, O_RDWR | O_CLOEXEC);
  nccl_comm made = calloc(1, sizeof *made);
  void *with = file >= 0 ? mmap(NULL, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (file >= 0) close(file);
  if (made == NULL || with == MAP_FAILED) {
    free(made);
    return UNHANDLED;
  }
  *made = (struct ncclComm){ .with = with, .rank = rank, .members = members, .next = comms };
  comms = made;
  *comm = made;
  atomic_fetch_add(&made->with->joined, 1);
  return NCCL_IN_PROGRESS;
}

int ncclCommGetAsyncError(nccl_comm comm, int *state) {
  ENTER();
  for (nccl_comm c = comms; c != NULL; c = c->next) progress(c);
  *state = is_busy(comm) ? NCCL_IN_PROGRESS : NCCL_OK;
  if (*state == NCCL_OK) comm->count = comm->started = 0;
  return NCCL_OK;
}

int ncclCommAbort(nccl_comm comm) {
  const int failed = fail(__func__);
  for (nccl_comm *at = &comms; *at != NULL; at = &(*at)->next)
    if (*at == comm) {
      *at = comm->next;
      munmap(comm->with, sizeof(meeting));
      free(comm);
      return failed ? UNHANDLED : NCCL_OK;
    }
  return INVALID;
}

int ncclGroupStart(void) {
  ENTER();
  depth++;
  group_failure = 0;
  return NCCL_OK;
}

int ncclGroupEnd(void) {
  if (depth == 0) return INVALID;
  const int failed = fail(__func__) || group_failure;
  depth--;
  for (nccl_comm c = comms; c != NULL; c = c->next) {
    if (failed)
      c->count = c->started;
    else
      c->started = c->count;
  }
  return failed ? UNHANDLED : NCCL_IN_PROGRESS;
}

static int add(nccl_comm comm, move m) {
  if (depth == 0 || comm->count == MOVES || m.peer < 0 || m.peer >= comm->members || m.memory == NULL) return INVALID;
  comm->moves[comm->count++] = m;
  return NCCL_OK;
}

int ncclSend(const void *memory, size_t count, int type, int peer, nccl_comm comm, gpu_stream stream) {
  ENTER();
  if (type != NCCL_UINT8 || stream == NULL) return INVALID;
  return add(comm, (move){ (unsigned char *)(size_t)memory, count, 0, peer, 1 });
}

int ncclRecv(void *memory, size_t count, int type, int peer, nccl_comm comm, gpu_stream stream) {
  ENTER();
  if (type != NCCL_UINT8 || stream == NULL) return INVALID;
  return add(comm, (move){ memory, count, 0, peer, 0 });
}
