/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts and splits over the ranks: sort.c has the steps in order, sort_spec.c the checks, sort_keys.c the order of keys
 * on the host, sort_cuts.c the cuts between the ranks' results, sort_parts.c their parts, sort_memory.c the workspace,
 * sort_columns.c the sorts of one rank, split.c splits. */
#ifndef SCANRT_MPI_SORT_H
#define SCANRT_MPI_SORT_H

#include <scanrt/scan_mpi_sort.h>
#include <scanrt/scan_split.h>

#include "mpi/plans.h"
#include "mpi/transport.h"

enum {
  SORT_DIGIT_BITS = 8,
  SORT_MOST_COUNTS = 1 << 16, /* counts of digits in a round */
  SORT_MOST_ROUNDS = 128,     /* of the longest key by digits of one bit */
  SORT_MOST_SPLITS = 8,       /* of keys of 64 bits by digits of 8 */
  SORT_MOST_COLUMNS = 1 + SCAN_SORT_MOST_ARRAYS,
  SORT_PARTS = 4 /* of a rank's results: one is exchanged while the one before is sorted */
};

/* A spec that has been checked, and the sorts of libscanrt that carry it out. */
typedef struct mpi_sort_form {
  scan_sort_spec asked;
  scan_sort_spec own;  /* sorts this rank's keys and arrays; indices are an array */
  scan_sort_spec last; /* sorts what has been received */
  uint32_t key_bytes;  /* of all words */
  uint32_t first_bit, end_bit;
  uint32_t columns;                  /* keys and arrays */
  uint32_t bytes[SORT_MOST_COLUMNS]; /* bytes of an element of each column; column 0 has the keys */
  uint32_t digit_bits;               /* bits of a digit, fewer with many ranks */
  scan_type index_type;              /* of the indices that are sorted; SCAN_TYPE_DEFAULT: none */
  int is_numeric;                    /* 1: floating-point keys in the numeric order */
  int counts_on_device;              /* 1: scan_histogram counts digits; 0: the host does, and has the keys */
} mpi_sort_form;

/* The place of a cut between two ranks' results, and the interval of keys that it is known to lie in. */
typedef struct mpi_cut_search {
  uint64_t place;         /* elements of all ranks before the cut */
  uint64_t before, total; /* elements of all ranks before the interval, and in it */
  uint64_t low, high;     /* the interval's places among this rank's sorted keys */
  int slot;               /* number of its counts in a round; -1: the cut is known */
} mpi_cut_search;

/* The first element of a digit, after a split. */
typedef struct mpi_digit_start {
  uint64_t own, all; /* its place among this rank's elements, and among those of all ranks */
} mpi_digit_start;

/* The elements of one part of all ranks' results. Each array has a number for each rank. */
typedef struct mpi_sort_part {
  uint64_t *sends, *send_places;       /* elements for the rank, and where they are in `a` */
  uint64_t *receives, *receive_places; /* elements from the rank, and where they go in `b` */
  uint64_t first, count;               /* of this rank's results */
} mpi_sort_part;

/* The first data that each rank sends to the others. */
typedef struct mpi_sort_hello {
  uint64_t local_n;
  int64_t has_failed;
} mpi_sort_hello;

/* Returns the type of the indices that are sorted, for asked ones: SCAN_U32 where all ranks together have 2^32 keys or
 * fewer. */
static inline scan_type scan_mpi_sort_index_type(uint64_t max_n, scan_type asked) {
  return asked == SCAN_U64 && max_n <= UINT64_C(1) << 32 ? SCAN_U32 : asked;
}

/* Returns the bytes of an element of an output: that of a column, or the asked index. */
static inline uint64_t scan_mpi_sort_output_bytes(const mpi_sort_form *form, uint32_t column) {
  const int is_index = column == 1 && form->index_type != SCAN_TYPE_DEFAULT;
  return is_index ? scan_type_bytes(form->asked.index_type) : form->bytes[column];
}

/* Returns the bits of the digit that ends below bit `end`. */
static inline uint32_t scan_mpi_sort_bits(const mpi_sort_form *form, uint32_t end) {
  return end - form->first_bit < form->digit_bits ? end - form->first_bit : form->digit_bits;
}

typedef struct mpi_sort mpi_sort;

/* A plan, and the state of its run. */
struct mpi_sort {
  scan_mpi *mpi; /* must be the first member */
  mpi_sort_form form;
  scan_mpi_distribution distribution;
  uint64_t max_local_n, capacity;
  uint64_t max_n;                       /* max_local_n of all ranks */
  uint32_t buckets;                     /* buckets of a split; 0: a sort */
  scan_status (*own_step)(mpi_sort *s); /* orders this rank's columns into `a`, and host_keys if they are there */
  int is_alone;                         /* 1: a sort of one rank, which is `last` alone */
  scan_plan *split[SORT_MOST_SPLITS];   /* split this rank's keys by the digit of each round; NULL: `own` sorts them */
  scan_plan *own, *last;                /* sorts; NULL: not needed */
  scan_plan *number, *widen;            /* scans that number keys, and widen the numbers; NULL: not needed */
  scan_plan *count[SORT_MOST_ROUNDS];   /* count the digits of each round by scan_histogram */
  scan_plan *count_buckets;             /* counts the keys of each bucket there */
  mpi_buffer a[SORT_MOST_COLUMNS];      /* this rank's sorted columns */
  mpi_buffer b[SORT_MOST_COLUMNS];      /* columns as they are received */
  int is_mapped;                        /* 1: `b` is memory of the handle to which other ranks send directly */
  mpi_buffer ones, offset;              /* a byte of 1 for each key, and the number of this rank's first key */
  mpi_buffer counts;                    /* of digits, by scan_histogram */
  mpi_buffer split_offsets;             /* of this rank's digits */
  unsigned char *host_keys;             /* copy of this rank's sorted keys; NULL: the host reaches them */
  uint64_t *own_counts, *all_counts;    /* of digits */
  mpi_sort_hello *hellos;               /* of each rank */
  mpi_cut_search *searches;             /* of each rank: the cut before its results */
  uint64_t *cuts;                       /* ranks + 1: this rank's sorted keys before each cut */
  uint64_t *starts;                     /* ranks + 1: sorted elements of all ranks before each cut */
  uint64_t *ties, *ties_before;         /* equal keys at each cut: of this rank, and of the ranks before */
  mpi_digit_start *digits;              /* of the split; digit_count of them, 0: keys were not split */
  uint32_t digit_count;
  uint32_t skipped; /* highest digits that all keys of all ranks have alike: the split is by the next one */
  mpi_sort_part parts[SORT_PARTS];
  int part_count;           /* the same on all ranks; the parts behind are empty */
  uint64_t *part_counts[2]; /* SORT_PARTS for each rank: elements for and from it */
  uint64_t *bucket_starts;  /* buckets + 1: elements of all ranks before each bucket */
  /* The current run's: */
  scan_sort_args args;
  scan_mem offsets;           /* where bucket_starts go */
  uint64_t local_n, first, n; /* keys of this rank, of the ranks before, and of all */
};

/* ---- sort.c ---- */

/* Copies the arguments that a sort or a split is made of, but the spec. */
scan_status scan_mpi_sort_take(mpi_sort *s, const mpi_plan_call *call);

/* The `join` of sorts and splits. Collective. */
scan_status scan_mpi_sort_join(void *state, const mpi_plan_call *call);

/* Does the steps of a run. Collective. @param status this rank's status so far. */
scan_status scan_mpi_sort_run(mpi_sort *s, scan_status status, scan_mpi_part *sorted);

/* ---- sort_spec.c ---- */

/* Checks a spec for this context alone, and derives the form. */
scan_status scan_mpi_sort_check(mpi_sort *s, const scan_sort_spec *given);

/* Checks and copies the args of a run for what libscanrt does not check. */
scan_status scan_mpi_sort_args_copy_in(mpi_sort *s, const scan_sort_args *given, uint64_t local_n);

/* Refuses a spec or a distribution that differs from rank 0's. Collective. */
scan_status scan_mpi_sort_compare(const mpi_sort *s);

/* ---- sort_keys.c ---- */

/* Adds up the digits of sorted keys from place `low` to `high`: bits `first` to `first` + `bits` in the order of the
 * sort. */
void scan_mpi_sort_count(const mpi_sort_form *form, const unsigned char *keys, uint64_t low, uint64_t high,
                         uint32_t first, uint32_t bits, uint64_t *counts);

/* ---- sort_memory.c ---- */

/* Allocates a plan's workspace and makes its plans of libscanrt. scan_mpi_sort_close frees them in any case. */
scan_status scan_mpi_sort_open(mpi_sort *s);

/* Allocates what the exchange of the columns needs, `b` among it. Collective: all ranks return the same status. */
scan_status scan_mpi_sort_reserve(mpi_sort *s);

/* Finds `b` in the memory of the handle, before a run. */
void scan_mpi_sort_use_mapped(mpi_sort *s);
void scan_mpi_sort_close(mpi_sort *s);

/* ---- sort_columns.c ---- */

/* Sorts this rank's keys and columns into `a`, or splits them by a digit, whose counts become own_counts: the own_step
 * of sorts. */
scan_status scan_mpi_sort_own(mpi_sort *s);

/* Sorts the intervals that cuts are searched in, after a split. */
scan_status scan_mpi_sort_intervals(mpi_sort *s);

/* Sorts the caller's columns into the caller's outputs: the only step of a sort of one rank. */
scan_status scan_mpi_sort_alone(mpi_sort *s);

/* Copies the first elements of the caller's input of a column to `b` if a plan of libscanrt does not take it, and sets
 * *mem to the copy. */
scan_status scan_mpi_sort_read(mpi_sort *s, uint32_t column, uint64_t items, scan_mem *mem);

/* Numbers this rank's keys among those of all ranks, in column 1 of `b`. */
scan_status scan_mpi_sort_number(mpi_sort *s);

/* 1 if results are sorted into the workspace first, whose elements are still to be sent. */
int scan_mpi_sort_needs_room(const mpi_sort *s);

/* Sorts `count` received elements of `b` from `first` on into the outputs, while the context works. */
scan_status scan_mpi_sort_last(mpi_sort *s, uint64_t first, uint64_t count);

/* Brings results from the workspace to the caller's outputs, and waits for the context. */
scan_status scan_mpi_sort_deliver(mpi_sort *s, uint64_t count);

/* ---- sort_parts.c ---- */

/* Allocates the numbers of the parts. */
scan_status scan_mpi_sort_open_parts(mpi_sort *s);
void scan_mpi_sort_close_parts(mpi_sort *s);

/* Keeps where the digits of a split begin. Their counts are those of the round. */
void scan_mpi_sort_keep_digits(mpi_sort *s, uint32_t bits);

/* Cuts all ranks' results into parts, and counts the elements that go from rank to rank. Collective. */
scan_status scan_mpi_sort_cut_parts(mpi_sort *s);

/* Begins to copy the elements that stay on this rank. */
scan_status scan_mpi_sort_keep_own(mpi_sort *s);

/* Sends the elements of a part, while the context may work on the one before. Collective: all ranks return the same
 * status. */
scan_status scan_mpi_sort_exchange(mpi_sort *s, int part);

/* ---- sort_cuts.c ---- */

/* Finds the digit to split by: the highest in which keys differ. Collective. */
scan_status scan_mpi_sort_skip_digits(mpi_sort *s);

/* Places the cuts of the distribution among the sorted elements of all ranks: sets `starts`. */
void scan_mpi_sort_place(mpi_sort *s);

/* Finds `cuts` from the ordered keys in `a`, and by SCAN_MPI_BY_KEY moves `starts`. Collective. */
scan_status scan_mpi_sort_cut(mpi_sort *s);

/* Finds `bucket_starts` from the sorted keys in `a`. Collective. */
scan_status scan_mpi_sort_count_buckets(mpi_sort *s);

#endif
