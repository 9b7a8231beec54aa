/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of libscanrt_mpi share. They see include/ alone: no layer of libscanrt's. */
#ifndef SCANRT_MPI_H
#define SCANRT_MPI_H

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi.h>

enum { MPI_ERROR_BYTES = 1024, MPI_MOST_CONTEXTS = 1024 /* of a rank */ };

/* A context of this rank. Those of a rank lie side by side, and the first one is the handle: what is of the rank is
 * there alone. */
struct scan_mpi {
  scan_ctx *ctx;
  scan_ctx *host; /* which folds values that ctx's device gave; NULL: not made yet */
  MPI_Comm comm;  /* the library's own */
  int rank, ranks;
  int context, contexts; /* of those of all ranks, in the order of the ranks: which this is, and how many there are */
  scan_mpi *handle;
  int own_contexts;    /* of this rank */
  int *first_contexts; /* ranks + 1: where each rank's begin */
  int *counts;         /* two for each rank, for MPI's calls */
  scan_backend backend;
  int takes_device_memory;
  char text[MPI_ERROR_BYTES];
  /* of the handle: */
  uint64_t sent_bytes; /* in this call */
  int has_strays;      /* MPI has failed, and messages may be under way that nobody receives */
  int has_overflowed;
  uint64_t overflow_index;
};

#define MPI_TRY(call)                                                                                                  \
  do {                                                                                                                 \
    const scan_status try_status_ = (call);                                                                            \
    if (try_status_ != SCAN_SUCCESS) return try_status_;                                                               \
  } while (0)

/* ---- errors: error.c ---- */

/* Words a fault of this rank and is its status. Others hear of it by scan_mpi_agree. */
void scan_mpi_words(scan_mpi *mpi, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define scan_mpi_fail(mpi, status, ...) (scan_mpi_words(mpi, __VA_ARGS__), (scan_status)(status))

/* The same of a call of libscanrt's on the context, whose words are taken over. */
scan_status scan_mpi_take(scan_mpi *mpi, scan_status status);

/* The same of a call of MPI. */
scan_status scan_mpi_check(scan_mpi *mpi, int error, const char *call);
#define MPI_CALL(mpi, name, ...) scan_mpi_check(mpi, name(__VA_ARGS__), #name)

/* Where words of calls without a handle are kept. */
char *scan_mpi_thread_text(void);

/* The rank that a context of all is of. */
int scan_mpi_rank_of(const scan_mpi *mpi, int context);

/* Brings to all ranks what each context tells: `bytes` for each in `all`, where this rank's are there already.
 * Collective. */
scan_status scan_mpi_tell(scan_mpi *mpi, void *all, uint64_t bytes);

/* Tells all ranks whether every one has succeeded so far. Collective. Of those that have not the lowest rank's status
 * and words are everyone's. */
scan_status scan_mpi_vote(scan_mpi *mpi, scan_status mine);
static inline scan_status scan_mpi_agree(scan_mpi *mpi, scan_status mine) {
  const scan_status all = scan_mpi_vote(mpi, mine);
  return all != SCAN_SUCCESS ? all : mine;
}

/* A field's bytes in its struct, for the sizes that end within it. */
typedef struct mpi_field {
  size_t first, end;
} mpi_field;
#define MPI_FIELD(type, field)                                                                                         \
  { offsetof(type, field), offsetof(type, field) + sizeof(((type *)NULL)->field) }

/* A struct of the caller's that begins with struct_bytes. */
typedef struct mpi_struct {
  const char *name, *init; /* the parameter's name; what initialises it */
  size_t bytes;
  const mpi_field *fields;
  size_t field_count;
} mpi_struct;

/* Copies it: of this version's size, or of an older one's, which ends with a field. */
scan_status scan_mpi_struct_take(scan_mpi *mpi, const mpi_struct *of, void *own, const void *given);

/* Begins a call: nothing is sent yet; the words of the last failure stay. A handle that is NULL is refused, in the
 * thread's words. */
scan_status scan_mpi_begin(scan_mpi *mpi);

/* Refuses a number that is not rank 0's, as `what`. Collective. */
scan_status scan_mpi_same(scan_mpi *mpi, uint64_t number, const char *what);

/* ---- a rank's contexts: contexts.c ---- */

/* What one of them does on its own. */
typedef struct mpi_work mpi_work;
typedef scan_status mpi_work_step(mpi_work *work);
struct mpi_work {
  mpi_work_step *step;
  pthread_t thread;
  int has_thread;
  scan_status status;
};

/* Does a step for the first `count` contexts, at the same time where they are several. `first` is the first of as
 * many structs of `bytes` that begin with an mpi_work each. The first one's failure is the rank's, with the number of
 * the context. */
scan_status scan_mpi_work(const scan_mpi *mpi, void *first, size_t bytes, int count, mpi_work_step *step);

/* Before they work, where they are several: their streams may be those of the caller's thread, where others then go on.
 */
scan_status scan_mpi_wait(scan_mpi *mpi, int count);

/* What a context has failed in is the rank's failure, with its number where there are several. */
scan_status scan_mpi_own_words(const scan_mpi *mpi, scan_status status);

/* ---- memory: memory.c ---- */

/* Where the host finds memory; NULL: on the device. */
char *scan_mpi_host_pointer(scan_mem mem);

/* What MPI can be given for it; NULL: it goes through host memory. */
char *scan_mpi_pointer(const scan_mpi *mpi, scan_mem mem);

/* Copies between memory of any kinds: when it returns, what it read may be written over, and host memory has it. */
scan_status scan_mpi_copy(scan_mpi *mpi, scan_mem to, scan_mem from, uint64_t bytes);

/* Memory of the context's device that grows; host memory on the host. */
typedef struct mpi_buffer {
  scan_mem mem;
  uint64_t bytes;
} mpi_buffer;
scan_status scan_mpi_reserve(scan_mpi *mpi, mpi_buffer *buffer, uint64_t bytes);
void scan_mpi_release(scan_mpi *mpi, mpi_buffer *buffer);

/* Host memory; 0 bytes give some, too. NULL: worded. */
void *scan_mpi_allocate(scan_mpi *mpi, uint64_t items, uint64_t item_bytes);

#endif
