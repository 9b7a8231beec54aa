/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of libscanrt_mpi share. They use include/ alone, no layer of libscanrt. */
#ifndef SCANRT_MPI_H
#define SCANRT_MPI_H

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi.h>

enum { MPI_ERROR_BYTES = 1024, MPI_MOST_CONTEXTS = 1024 /* MPI_MOST_CONTEXTS: of a rank */ };

typedef struct mpi_gpu mpi_gpu;                         /* gpu.h */
typedef struct mpi_transport_state mpi_transport_state; /* transport.c */

/* Memory that grows: of the context's device, or of the host for a host context. */
typedef struct mpi_buffer {
  scan_mem mem;
  uint64_t bytes;
} mpi_buffer;

/* A context of this rank. A rank's contexts are an array, and the first one is the handle; only the handle has the
 * fields of the whole rank. */
struct scan_mpi {
  scan_ctx *ctx;
  scan_ctx *host; /* folds values that ctx's device gave; NULL: not made yet */
  MPI_Comm comm;  /* the library's own communicator */
  int rank, ranks;
  int context, contexts; /* number of this context among those of all ranks, in the order of the ranks, and number of
                            all contexts */
  scan_mpi *handle;
  int own_contexts;    /* number of this rank's contexts */
  int *first_contexts; /* ranks + 1: the number of each rank's first context */
  int *counts;         /* two numbers for each rank, for MPI's calls */
  scan_backend backend;
  int takes_device_memory;
  mpi_gpu *gpu; /* CUDA objects; NULL: none, or not made yet */
  char text[MPI_ERROR_BYTES];
  /* The handle's alone: */
  uint64_t sent_bytes; /* in the current call */
  int has_strays;      /* 1: MPI has failed, and sends that no rank receives may be in progress */
  int has_overflowed;
  uint64_t overflow_index;
  mpi_transport_state *transport;
  mpi_buffer bounce;         /* host memory of copies between devices that cannot reach each other's */
  int is_one_host;           /* 1: all ranks are on one host; 0: they are not, or no rank has a CUDA device */
  uint64_t least_part_items; /* sorts whose ranks have so many keys are exchanged and sorted in parts; less in tests */
  int most_split_ranks;      /* sorts over more ranks sort their keys before the exchange; less in tests */
  uint64_t launch_bytes;     /* bytes that are copied to the host while a kernel is launched; others in tests */
  uint64_t most_piece_bytes; /* transports with rounds send pieces of at most this many bytes: UINT64_MAX, less in
                                tests; the same on all ranks */
};

/* 1 if a context is this rank's. */
static inline int scan_mpi_is_own(const scan_mpi *mpi, int context) {
  const scan_mpi *handle = mpi->handle;
  return context >= handle->context && context < handle->context + handle->own_contexts;
}

#define MPI_TRY(call)                                                                                                  \
  do {                                                                                                                 \
    const scan_status try_status_ = (call);                                                                            \
    if (try_status_ != SCAN_SUCCESS) return try_status_;                                                               \
  } while (0)

/* ---- errors: error.c ---- */

/* Words a fault of this rank and evaluates to `status`. Other ranks learn of it in scan_mpi_agree. */
void scan_mpi_words(scan_mpi *mpi, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define scan_mpi_fail(mpi, status, ...) (scan_mpi_words(mpi, __VA_ARGS__), (scan_status)(status))

/* An error text that is put back after calls whose failures do not matter. */
typedef struct mpi_kept_text {
  char text[MPI_ERROR_BYTES];
} mpi_kept_text;
mpi_kept_text scan_mpi_keep_text(const scan_mpi *mpi);
void scan_mpi_restore_text(scan_mpi *mpi, const mpi_kept_text *kept);

/* Takes over the status and error text of a call of libscanrt on the context. */
scan_status scan_mpi_adopt_error(scan_mpi *mpi, scan_status status);

/* Words a failed call of MPI. */
scan_status scan_mpi_check(scan_mpi *mpi, int error, const char *call);
#define MPI_CALL(mpi, name, ...) scan_mpi_check(mpi, name(__VA_ARGS__), #name)

/* Returns the error text of calls without a handle. */
char *scan_mpi_thread_text(void);

/* Returns the rank that a context belongs to. */
int scan_mpi_rank_of(const scan_mpi *mpi, int context);

/* Sends all ranks the data of every context: `bytes` bytes for each context in `all`, which has this rank's already.
 * Collective. */
scan_status scan_mpi_report_all(scan_mpi *mpi, void *all, uint64_t bytes);

/* Agrees on success. If ranks have failed, all ranks return the lowest such rank's status and error text.
 * Collective. */
scan_status scan_mpi_vote(scan_mpi *mpi, scan_status mine);

/* scan_mpi_vote, whose own failure is returned, too. Collective. */
static inline scan_status scan_mpi_agree(scan_mpi *mpi, scan_status mine) {
  const scan_status all = scan_mpi_vote(mpi, mine);
  return all != SCAN_SUCCESS ? all : mine;
}

/* The bytes of a field, from offset `first` to offset `end`. */
typedef struct mpi_field {
  size_t first, end;
} mpi_field;
#define MPI_FIELD(type, field)                                                                                         \
  { offsetof(type, field), offsetof(type, field) + sizeof(((type *)NULL)->field) }

/* A struct of the caller that begins with struct_bytes. */
typedef struct mpi_struct {
  const char *name, *init; /* the parameter's name; the macro that initialises it */
  size_t bytes;
  const mpi_field *fields;
  size_t field_count;
} mpi_struct;

/* The mpi_struct of a type: the parameter's name, the macro that initialises it, its mpi_fields. */
#define MPI_STRUCT(type, name, init, fields)                                                                           \
  { name, init, sizeof(type), fields, sizeof(fields) / sizeof *(fields) }

/* Copies the caller's struct. Its size must be this version's, or an older one's, which ends with a field. */
scan_status scan_mpi_struct_copy_in(scan_mpi *mpi, const mpi_struct *of, void *own, const void *given);

/* Begins a call: sets sent_bytes to 0 and keeps the last error text. Refuses a NULL handle in the thread's error
 * text. */
scan_status scan_mpi_begin(scan_mpi *mpi);

/* Refuses a number that differs from rank 0's; `what` names it. Collective. */
scan_status scan_mpi_same(scan_mpi *mpi, uint64_t number, const char *what);

/* Adds up the numbers of all ranks; the sum ends at UINT64_MAX. Collective. */
scan_status scan_mpi_add_up(scan_mpi *mpi, uint64_t own, uint64_t *sum);

/* Gives the place of this rank's `count` results among those of all ranks. Collective. @param[out] part  NULL: none */
scan_status scan_mpi_place(scan_mpi *mpi, uint64_t count, scan_mpi_part *part);

/* Mixes a number into a hash (FNV-1a). */
static inline uint64_t scan_mpi_hash(uint64_t hash, uint64_t number) {
  return (hash ^ number) * UINT64_C(0x100000001b3);
}

/* ---- a rank's contexts: contexts.c ---- */

/* The work of one context in a step. */
typedef struct mpi_work mpi_work;
typedef scan_status mpi_work_step(mpi_work *work);
struct mpi_work {
  mpi_work_step *step;
  pthread_t thread;
  int has_thread;
  scan_status status;
};

/* Runs a step for the first `count` contexts, in parallel if there are several. `first` points to an array of `count`
 * structs of `bytes` bytes, each of which begins with an mpi_work. The first failed context's failure becomes the
 * rank's, with the context's number. */
scan_status scan_mpi_work(const scan_mpi *mpi, void *first, size_t bytes, int count, mpi_work_step *step);

/* Waits for each context's stream if there are several: it may be the default stream of the caller's thread, and other
 * threads go on with it. */
scan_status scan_mpi_wait(scan_mpi *mpi, int count);

/* Makes a context's failure the rank's, with the context's number if there are several. */
scan_status scan_mpi_own_words(const scan_mpi *mpi, scan_status status);

/* ---- memory: memory.c ---- */

/* Returns the host's address of memory; NULL: it is on the device. */
char *scan_mpi_host_pointer(scan_mem mem);

/* Returns the address of memory of a CUDA device; NULL: it is none. */
char *scan_mpi_device_pointer(scan_mem mem);

/* Returns the address that MPI accepts for memory; NULL: copy it through host memory. */
char *scan_mpi_pointer(const scan_mpi *mpi, scan_mem mem);

/* 1 if plans of libscanrt, which take memory of the context's device alone, do not take this memory. */
static inline int scan_mpi_is_foreign(const scan_mpi *mpi, scan_mem mem) {
  return mem.kind == SCAN_MEM_HOST && mpi->backend != SCAN_BACKEND_HOST;
}

/* Refuses device memory that is freed, too small, or another device's, by reading its last byte. */
scan_status scan_mpi_check_memory(scan_mpi *mpi, scan_mem mem, uint64_t bytes);

/* Copies between memory of any kinds. On return the source may be overwritten, and a destination on the host is
 * complete. */
scan_status scan_mpi_copy(scan_mpi *mpi, scan_mem to, scan_mem from, uint64_t bytes);

/* Makes a buffer of at least so many bytes, which loses its contents if it grows. */
scan_status scan_mpi_reserve(scan_mpi *mpi, mpi_buffer *buffer, uint64_t bytes);
void scan_mpi_release(scan_mpi *mpi, mpi_buffer *buffer);

/* scan_mpi_reserve for host memory of a context on any device. */
scan_status scan_mpi_reserve_host(scan_mpi *mpi, mpi_buffer *buffer, uint64_t bytes);

/* Allocates host memory, zeroed; 0 bytes give some, too. NULL: a fault, worded already. */
void *scan_mpi_allocate(scan_mpi *mpi, uint64_t items, uint64_t item_bytes);

#endif
