/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_mpi_runs.h
 * @brief Runs of equal keys over the ranks of an MPI communicator (libscanrt_mpi): run-length encoding, reduction by
 * key, unique keys.
 *
 * The keys of all ranks, in the order of the ranks, are one sequence, whose runs go on from rank to rank. The results
 * of all ranks, one behind the other, are the bytes that scan_run_length_encode and scan_reduce_by_key give on one
 * device, floating point included, whatever the number of ranks and however many keys each has. Each run is written by
 * one rank.
 *
 *     scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
 *     scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(keys, keys_out, lengths, count);
 *     scan_mpi_part runs;
 *     scan_mpi_run_length_encode(mpi, &spec, local_n, &args, &runs);
 *
 * A plan compiles and allocates once for many calls:
 *
 *     scan_mpi_plan *plan;
 *     scan_mpi_plan_create_run_length(mpi, &spec, max_local_n, &plan);
 *     scan_mpi_plan_run_run_length(plan, local_n, &args, &runs);
 *
 * Calls are collective and fail as those of scan_mpi.h. They use the handle's first context.
 */
#ifndef SCANRT_SCAN_MPI_RUNS_H
#define SCANRT_SCAN_MPI_RUNS_H

#include <scanrt/scan_mpi.h>
#include <scanrt/scan_runs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- run-length encoding ----------------------------------------------------------------------------------------- */

/**
 * Encodes the keys of all ranks. Each run is written by the rank that has its first key, with its length on all ranks.
 * Collective.
 * @param spec       as in scan_run_length_encode, the same on all ranks. start_type: starts count the keys of all
 * ranks.
 * @param local_n    keys of this rank, may be 0.
 * @param args       as in scan_run_length_encode, of this rank; without n_from and opencl. count gets this rank's runs.
 * @param[out] runs  the runs that this rank writes, and their place among all; NULL: this rank does not ask.
 * @return as scan_run_length_encode, the same on all ranks. SCAN_INVALID_ARGUMENT also where all ranks together have
 *         more keys than a call on one device may have.
 */
SCAN_API scan_status scan_mpi_run_length_encode(scan_mpi *mpi, const scan_run_length_spec *spec, uint64_t local_n,
                                                const scan_run_length_args *args, scan_mpi_part *runs);

/**
 * Compiles and allocates what encodings of up to max_local_n keys a rank need, and has all ranks agree on the spec.
 * Collective.
 * @param spec         as in scan_mpi_run_length_encode.
 * @param max_local_n  may differ from rank to rank.
 * @param[out] plan    for scan_mpi_plan_run_run_length; destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create_run_length(scan_mpi *mpi, const scan_run_length_spec *spec,
                                                     uint64_t max_local_n, scan_mpi_plan **plan);

/**
 * Runs a plan as scan_mpi_run_length_encode, without an allocation where memory is the context's; MPI may allocate for
 * its first messages. Collective.
 * @param plan       of scan_mpi_plan_create_run_length.
 * @param local_n    at most max_local_n.
 * @param args       as in scan_mpi_run_length_encode.
 * @param[out] runs  as in scan_mpi_run_length_encode.
 */
SCAN_API scan_status scan_mpi_plan_run_run_length(scan_mpi_plan *plan, uint64_t local_n,
                                                  const scan_run_length_args *args, scan_mpi_part *runs);

/* ---- reduction by key -------------------------------------------------------------------------------------------- */

/**
 * Reduces the values of each run of all ranks. Each run is written by the rank that has its last key, with the result
 * of its values on all ranks. Nothing is written behind the results that a rank counts. Collective. Two passes: a scan
 * in segments (scan_mpi_run_args), and a compaction of its results; the call allocates room for local_n results.
 * @param spec       as in scan_reduce_by_key, the same on all ranks, with the limits of scan_mpi_run_args.
 * @param local_n    elements of this rank, may be 0.
 * @param args       as in scan_reduce_by_key, of this rank; without n_from and opencl. count gets this rank's runs.
 * @param[out] runs  the runs that this rank writes, and their place among all; NULL: this rank does not ask.
 * @return as scan_mpi_run_args and scan_reduce_by_key. SCAN_OVERFLOW: results are complete; scan_mpi_overflow_index is
 * the index of a value among those of all ranks.
 */
SCAN_API scan_status scan_mpi_reduce_by_key(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n,
                                            const scan_reduce_by_key_args *args, scan_mpi_part *runs);

/**
 * Compiles and allocates what reductions of up to max_local_n elements a rank need, and has all ranks agree on the
 * spec. Collective.
 * @param spec         as in scan_mpi_reduce_by_key. What custom_op names must live as long as the plan.
 * @param max_local_n  may differ from rank to rank.
 * @param[out] plan    for scan_mpi_plan_run_reduce_by_key; destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create_reduce_by_key(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n,
                                                        scan_mpi_plan **plan);

/**
 * Runs a plan as scan_mpi_reduce_by_key, without an allocation where memory is the context's; MPI and NCCL may allocate
 * for their first messages. Collective.
 * @param plan       of scan_mpi_plan_create_reduce_by_key.
 * @param local_n    at most max_local_n.
 * @param args       as in scan_mpi_reduce_by_key.
 * @param[out] runs  as in scan_mpi_reduce_by_key.
 */
SCAN_API scan_status scan_mpi_plan_run_reduce_by_key(scan_mpi_plan *plan, uint64_t local_n,
                                                     const scan_reduce_by_key_args *args, scan_mpi_part *runs);

/* ---- unique keys ------------------------------------------------------------------------------------------------- */

/**
 * Writes the first key of each run of all ranks: of sorted keys each key once. Each is written by the rank that has it.
 * Collective.
 * @param key_type     any type, the same on all ranks. Keys are compared by C's ==.
 * @param local_n      keys of this rank, may be 0.
 * @param keys         local_n keys.
 * @param keys_out     `capacity` keys, apart from `keys`.
 * @param capacity     keys that keys_out has room for; 0: local_n. Of more keys the first `capacity` are written.
 * @param[out] unique  the keys that this rank has, and their place among all; NULL: this rank does not ask.
 * @return as scan_mpi_run_length_encode.
 */
SCAN_API scan_status scan_mpi_unique(scan_mpi *mpi, scan_type key_type, uint64_t local_n, scan_mem keys,
                                     scan_mem keys_out, uint64_t capacity, scan_mpi_part *unique);

/**
 * Compiles and allocates what scan_mpi_unique needs for up to max_local_n keys a rank. Collective.
 * @param key_type     as in scan_mpi_unique.
 * @param max_local_n  may differ from rank to rank.
 * @param[out] plan    for scan_mpi_plan_run_unique; destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create_unique(scan_mpi *mpi, scan_type key_type, uint64_t max_local_n,
                                                 scan_mpi_plan **plan);

/**
 * Runs a plan as scan_mpi_unique, without an allocation, as scan_mpi_plan_run_run_length. Collective.
 * @param plan         of scan_mpi_plan_create_unique.
 * @param local_n      at most max_local_n.
 * @param keys         as in scan_mpi_unique.
 * @param keys_out     as in scan_mpi_unique.
 * @param capacity     as in scan_mpi_unique.
 * @param[out] unique  as in scan_mpi_unique.
 */
SCAN_API scan_status scan_mpi_plan_run_unique(scan_mpi_plan *plan, uint64_t local_n, scan_mem keys, scan_mem keys_out,
                                              uint64_t capacity, scan_mpi_part *unique);

#ifdef __cplusplus
}
#endif
#endif
