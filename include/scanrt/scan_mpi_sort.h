/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_mpi_sort.h
 * @brief Stable sorts and splits over the ranks of an MPI communicator (libscanrt_mpi).
 *
 * The keys of all ranks, in the order of the ranks, are one sequence, which is sorted as scan_sort would sort it on one
 * device: the same bytes, whatever the number of ranks and however many keys each has. Equal keys stay in their order,
 * over ranks too. Each rank gets a part of the sorted sequence; scan_mpi_distribution says which.
 *
 *     scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_F32);
 *     scan_sort_args args = SCAN_SORT_ARGS_INIT(keys, sorted);
 *     scan_mpi_part part;
 *     scan_mpi_sort(mpi, &spec, SCAN_MPI_EVEN, local_n, capacity, &args, &part);
 *
 * A split brings elements into the order of buckets, as scan_split does, and each rank learns where each bucket begins
 * among those of all ranks.
 *
 * Calls are collective and fail as those of scan_mpi.h. They use the handle's first context.
 *
 * How: each rank splits its elements by the highest digit of 8 bits in which keys differ. All ranks add up their
 * counts, which say in which digit each cut between two results lies; each rank sorts its keys of that digit, and the
 * next digits are counted among them. So cuts are exact for any keys. Each element then goes to its rank by the
 * handle's transport (scan_mpi_info), at most once, and each rank sorts what it has received. Indices are sent in 4
 * bytes if the ranks' max_local_n are 2^32 together, or less. Keys of two words, keys in the numeric order, keys of
 * more than 128 ranks, and keys of which more than half have the digits of cuts are sorted before they are sent.
 * Workspace: two copies of the keys and of the arrays, for the larger one of max_local_n and capacity, that of two
 * sorts and of a split for each digit, and that of the transport, which the handle keeps.
 */
#ifndef SCANRT_SCAN_MPI_SORT_H
#define SCANRT_SCAN_MPI_SORT_H

#include <scanrt/scan_mpi.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sort ----------------------------------------------------------------------------------------------------- */

/** How many of the sorted elements each rank gets. */
typedef enum scan_mpi_distribution {
  SCAN_MPI_AS_GIVEN = 0, /**< As many as it gives. */
  SCAN_MPI_EVEN = 1,     /**< As many as the others; the first ranks get one more where the number of ranks does not
                              divide that of all elements. */
  SCAN_MPI_BY_KEY = 2    /**< As SCAN_MPI_EVEN, but that each cut between two ranks moves to the nearer end of the equal
                              keys around it, so that all keys that are equal are on one rank. */
} scan_mpi_distribution;

/**
 * Sorts the keys of all ranks. Collective.
 * @param spec          as in scan_sort, the same on all ranks; without offset_type and gives_scratch. index_type: the
 *                      indices count the keys of all ranks.
 * @param distribution  of the results; the same on all ranks.
 * @param local_n       keys of this rank, may be 0.
 * @param capacity      elements that this rank's outputs have room for; 0: local_n; SCAN_NO_CAPACITY: none.
 * @param args          as in scan_sort, of this rank: local_n elements are read, and sorted->count are written. Without
 *                      n_from and opencl.
 * @param[out] sorted   this rank's place in the sorted sequence; NULL: this rank does not ask. It is set, too, where
 *                      a rank has not enough room.
 * @return as scan_sort, the same on all ranks. SCAN_INVALID_ARGUMENT also where a rank's results are more than its
 *         capacity: nothing is written then.
 */
SCAN_API scan_status scan_mpi_sort(scan_mpi *mpi, const scan_sort_spec *spec, scan_mpi_distribution distribution,
                                   uint64_t local_n, uint64_t capacity, const scan_sort_args *args,
                                   scan_mpi_part *sorted);

/**
 * Compiles and allocates what sorts of up to max_local_n keys a rank need, opens the transport, and has all ranks agree
 * on the spec. Between GPUs of one host elements are received in memory of the handle, which its plans share: it is
 * freed with the handle. Collective.
 * @param spec          as in scan_mpi_sort.
 * @param distribution  as in scan_mpi_sort.
 * @param max_local_n   may differ from rank to rank.
 * @param capacity      as in scan_mpi_sort; 0: max_local_n.
 * @param[out] plan     for scan_mpi_plan_run_sort; destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create_sort(scan_mpi *mpi, const scan_sort_spec *spec,
                                               scan_mpi_distribution distribution, uint64_t max_local_n,
                                               uint64_t capacity, scan_mpi_plan **plan);

/**
 * Runs a plan as scan_mpi_sort, without an allocation where memory is the contexts'; MPI and NCCL may allocate for
 * their first messages. Collective.
 * @param plan         of scan_mpi_plan_create_sort.
 * @param local_n      at most max_local_n.
 * @param args         as in scan_mpi_sort.
 * @param[out] sorted  as in scan_mpi_sort.
 */
SCAN_API scan_status scan_mpi_plan_run_sort(scan_mpi_plan *plan, uint64_t local_n, const scan_sort_args *args,
                                            scan_mpi_part *sorted);

/* ---- split ---------------------------------------------------------------------------------------------------- */

/**
 * Splits the elements of all ranks into buckets. Collective.
 * @param spec          as in scan_split, the same on all ranks, but for `bucket`, which is of each rank's context and
 *                      made of one source. The index that a bucket function is given counts this rank's elements.
 *                      index_type: the indices count the elements of all ranks.
 * @param distribution  of the results, as in scan_mpi_sort; by SCAN_MPI_BY_KEY each bucket is on one rank.
 * @param local_n       elements of this rank, may be 0.
 * @param capacity      as in scan_mpi_sort.
 * @param args          as in scan_split, of this rank. offsets: each rank gets where each bucket begins in the sequence
 *                      of all ranks, and the number of all elements. Without n_from and opencl.
 * @param[out] split    as `sorted` of scan_mpi_sort.
 * @return as scan_split and scan_mpi_sort, the same on all ranks.
 */
SCAN_API scan_status scan_mpi_split(scan_mpi *mpi, const scan_split_spec *spec, scan_mpi_distribution distribution,
                                    uint64_t local_n, uint64_t capacity, const scan_split_args *args,
                                    scan_mpi_part *split);

/**
 * Compiles and allocates what splits of up to max_local_n elements a rank need, as scan_mpi_plan_create_sort does.
 * Collective.
 * @param spec          as in scan_mpi_split.
 * @param distribution  as in scan_mpi_split.
 * @param max_local_n   may differ from rank to rank.
 * @param capacity      as in scan_mpi_plan_create_sort.
 * @param[out] plan     for scan_mpi_plan_run_split; destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create_split(scan_mpi *mpi, const scan_split_spec *spec,
                                                scan_mpi_distribution distribution, uint64_t max_local_n,
                                                uint64_t capacity, scan_mpi_plan **plan);

/**
 * Runs a plan as scan_mpi_split, without an allocation, as scan_mpi_plan_run_sort. Collective.
 * @param plan        of scan_mpi_plan_create_split.
 * @param local_n     at most max_local_n.
 * @param args        as in scan_mpi_split.
 * @param[out] split  as in scan_mpi_split.
 */
SCAN_API scan_status scan_mpi_plan_run_split(scan_mpi_plan *plan, uint64_t local_n, const scan_split_args *args,
                                             scan_mpi_part *split);

#ifdef __cplusplus
}
#endif
#endif
