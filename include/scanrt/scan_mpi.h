/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_mpi.h
 * @brief Scans over the ranks of an MPI communicator: libscanrt_mpi, a library of its own beside libscanrt.
 *
 * The elements of all ranks, in the order of the ranks, are one sequence, which is scanned as scan_run would scan it on
 * one device: the same bits, floating point included, whatever the number of ranks and however many elements each has.
 * (Where devices are of several kinds, a NaN of an operator from source has the bits that the device gives it which
 * makes it.) A rank may have none.
 *
 *     scan_mpi *mpi;
 *     scan_mpi_create(ctx, MPI_COMM_WORLD, &mpi);
 *     scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_EXCLUSIVE);
 *     scan_args args = SCAN_ARGS_INIT(in, out);
 *     scan_mpi_run_args(mpi, &spec, local_n, &args);
 *     scan_mpi_destroy(mpi);
 *
 * Calls are collective over the communicator: every rank makes them, in the same order, with specs that say the same.
 * They return when this rank's results are there. The communicator is duplicated, and its error handler stays as it is.
 *
 * Failures: if one rank is refused or fails, every rank returns that rank's status and message, with its number
 * ("rank 3: in is not aligned ..."); no rank hangs. The handle stays usable, unless MPI has failed (SCAN_DEVICE_ERROR,
 * with the call and MPI's words): then destroy it. MPI handles the rest: a rank that dies, and a collective call of MPI
 * that fails on one rank alone.
 *
 * How: operators whose results do not depend on the order (of integers, minima, maxima) have each rank reduce its
 * elements, and scan them from what the ranks before come to. Others are scanned in the canonical order
 * (kernels_cl/README.md), whose groups of 128 tiles (4 MiB, 2^20 f32) are folded one after the other: each rank reduces
 * the groups that begin in its part, all ranks learn all groups' values, and each folds those before its own. Elements
 * of a group that begins on another rank go there, and their results come back: less than two groups for each boundary.
 * Each element is read twice and written once, those of the last rank read once.
 *
 * Elements go to other ranks by a transport (scan_mpi_info): copies between CUDA devices, MPI from the devices' memory,
 * NCCL, or through host memory. Scans send the elements of edges so, sorts and splits all that go to another rank; one
 * value a group of a scan goes through the host.
 *
 * Several devices of a rank: scan_mpi_create_contexts makes a handle of several contexts, of any backends, and
 * scan_mpi_run_contexts takes what each has. Their elements lie one behind the other's, in the order of the contexts,
 * so that the bits are the same, too. Ranks may have different numbers of them. They work at the same time: a call
 * starts a thread for each but the first, and the caller's thread alone calls MPI (MPI_THREAD_FUNNELED).
 * scan_mpi_select_contexts and scan_mpi_partition_contexts do the same for compaction.
 *
 * Threads: a handle is used by one thread at a time, and its contexts by no other. A process may have several handles,
 * each with a communicator of its own; who makes their collective calls from several threads needs MPI_THREAD_MULTIPLE.
 */
#ifndef SCANRT_SCAN_MPI_H
#define SCANRT_SCAN_MPI_H

#include <mpi.h>
#include <scanrt/scan.h>
#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_select.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scan_mpi scan_mpi;           /**< One context, or several, and a communicator. */
typedef struct scan_mpi_plan scan_mpi_plan; /**< A spec that all ranks have agreed on, with memory for its edges. */

/** The place of this rank's elements among those of all ranks. */
typedef struct scan_mpi_part {
  uint64_t count;  /**< Elements of this rank. */
  uint64_t offset; /**< Elements of the ranks before. */
  uint64_t total;  /**< Elements of all ranks. */
} scan_mpi_part;

/** Facts of a handle. Fill with SCAN_MPI_FACTS_INIT before the call. */
typedef struct scan_mpi_facts {
  size_t struct_bytes; /**< sizeof(scan_mpi_facts), set by SCAN_MPI_FACTS_INIT. */
  char transport[16];  /**< How elements go to other ranks: "mpi", "peer", "nccl" or "staged". */
  char reason[160];    /**< Why no earlier one of the list at scan_mpi_info is used; empty if it is the first. */
} scan_mpi_facts;

/** Initialiser of scan_mpi_facts. */
#define SCAN_MPI_FACTS_INIT SCAN_INITIALISER(scan_make_<scan_mpi_facts>(), { .struct_bytes = sizeof(scan_mpi_facts) })

/** Sets *facts to the default. @param struct_bytes sizeof(scan_mpi_facts) as the caller was compiled. */
SCAN_API void scan_mpi_facts_init(scan_mpi_facts *facts, size_t struct_bytes);

/* ---- handles ------------------------------------------------------------------------------------------------- */

/**
 * Makes a handle. Collective.
 * @param ctx       this rank's device; each rank its own. It must outlive the handle.
 * @param comm      an intracommunicator; it is duplicated, and may be freed while the handle lives.
 * @param[out] mpi  destroy with scan_mpi_destroy, before MPI_Finalize and scan_ctx_destroy.
 * @return SCAN_INVALID_ARGUMENT when a rank's ctx is NULL, or the environment names no transport that there is;
 *         SCAN_UNSUPPORTED when a rank cannot use the one that it names; SCAN_DEVICE_ERROR when MPI fails, with MPI's
 *         words. If MPI is not initialised or comm is MPI_COMM_NULL, this rank alone fails. scan_mpi_last_error(NULL)
 *         has the text.
 */
SCAN_API scan_status scan_mpi_create(scan_ctx *ctx, MPI_Comm comm, scan_mpi **mpi);

/**
 * Makes a handle of several contexts of this rank, for scan_mpi_run_contexts. Collective; other ranks may call
 * scan_mpi_create, which is the same with one. scan_mpi_run_array, scan_mpi_select and scan_mpi_partition use the
 * first; the latter two have a call for all of them, too.
 * @param ctxs      ctx_count contexts, no two the same, of any devices, also of one. They must outlive the handle, the
 *                  array need not.
 * @param ctx_count  1 to 1024; each rank its own.
 * @param comm      as in scan_mpi_create.
 * @param[out] mpi  as in scan_mpi_create.
 * @return as scan_mpi_create; SCAN_INVALID_ARGUMENT also for a ctx_count out of range and a context given twice.
 */
SCAN_API scan_status scan_mpi_create_contexts(scan_ctx *const *ctxs, int ctx_count, MPI_Comm comm, scan_mpi **mpi);

/** Frees a handle and its communicator. Collective. NULL is accepted. Plans must have been destroyed before. */
SCAN_API void scan_mpi_destroy(scan_mpi *mpi);

/**
 * The cause of the last call that failed, in words, with the rank whose it was. Calls that succeed leave it as it is.
 * @param mpi  a handle; NULL: the last failure of this thread in a call without a handle.
 * @return text owned by the library, empty if no call has failed yet; valid until the next failure with the handle
 *         (or, for NULL, on the same thread), or scan_mpi_destroy.
 */
SCAN_API const char *scan_mpi_last_error(const scan_mpi *mpi);

/** 1 where MPI takes addresses of the contexts' memory (host memory, or a CUDA device's where MPI says so, or
 *  SCANRT_MPI_TRANSPORT is mpi, and the rank has no other context); else 0. */
SCAN_API int scan_mpi_takes_device_memory(const scan_mpi *mpi);

/**
 * Names the transport of a handle: SCANRT_MPI_TRANSPORT of the environment, the same on all ranks; else the first of
 * these that all ranks can use. Not collective.
 *
 * - peer: copies between CUDA devices of one host, whose ranks map each other's memory (CUDA IPC).
 * - mpi: MPI takes the contexts' memory (scan_mpi_takes_device_memory).
 * - nccl: ncclSend and ncclRecv of libnccl.so.2, which is opened at run time; each context has a CUDA device of its
 * own.
 * - staged: through host memory, page-locked for CUDA, in pieces: copies from and to the devices and messages go on at
 *   the same time.
 *
 * Contexts of one rank copy from each other directly, whatever the transport. A transport is opened by the first
 * exchange, or the first plan of a scan, a sort or a split. If that fails, the next one takes its place, unless the
 * environment names it. Its memory stays with the handle.
 * @param[in,out] info  initialised with SCAN_MPI_FACTS_INIT; filled on success.
 */
SCAN_API scan_status scan_mpi_info(scan_mpi *mpi, scan_mpi_facts *info);

/** Bytes that this rank has sent to others in the last call: elements, results and values of groups, without the
 * numbers by which ranks agree and sorts find their cuts. 0 where mpi is NULL. */
SCAN_API uint64_t scan_mpi_sent_bytes(const scan_mpi *mpi);

/* ---- scans --------------------------------------------------------------------------------------------------- */

/**
 * Scans the elements of all ranks, with a handle that lives for this call. Collective.
 * @param ctx      this rank's device.
 * @param comm     as in scan_mpi_create.
 * @param spec     as in scan_mpi_run_args; without segments, which need scan_mpi_run_args.
 * @param local_n  elements of this rank, may be 0.
 * @param in       local_n elements, as in scan_run.
 * @param out      this rank's results, as in scan_run: in place or apart.
 * @return as scan_mpi_run_args; the words are scan_mpi_last_error(NULL).
 */
SCAN_API scan_status scan_mpi_run(scan_ctx *ctx, MPI_Comm comm, const scan_spec *spec, uint64_t local_n, scan_mem in,
                                  scan_mem out);

/**
 * Scans the elements of all ranks. Collective.
 * @param spec     the same on all ranks, but for custom_op, which is of each rank's context and made of one source.
 *                 Operators from source need an identity, such that e combined with x is x bit for bit, where all ranks
 *                 together have more elements than a group (128 tiles); so many are refused with a map or an emit,
 *                 since these get an element's index. `strategy` is one of the canonical order.
 * @param local_n  elements of this rank, may be 0.
 * @param args     in, out: of this rank, as in scan_run_args. SCAN_TOTAL: each rank's out gets the total of all.
 *                 marks: of this rank's elements. Flags, bits and keys as in scan_args; a key is compared with the last
 *                 one of the rank before, too. Offsets: mark_count ascending indices in 0 to local_n of the elements of
 *                 this rank that begin a segment; elements before the first belong to the segment that is open (an
 *                 offset of local_n: a segment begins behind this rank's elements).
 *                 carry_in: rank 0's is taken, and those of other ranks are not looked at.
 *                 carry_out: each rank that names one gets what the whole leaves.
 *                 opencl: none.
 * @return as scan_run_args, the same on all ranks. SCAN_OVERFLOW: as soon as it is met by any rank;
 *         scan_mpi_overflow_index. SCAN_UNSUPPORTED: what is said above, and products of f16 and bf16 of more elements
 *         than a group.
 */
SCAN_API scan_status scan_mpi_run_args(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n, const scan_args *args);

/**
 * Scans the elements of all contexts of all ranks. Collective; a rank with one context may call scan_mpi_run_args.
 * @param spec      as in scan_mpi_run_args. custom_op is of a rank that has one context; see ops.
 * @param ops       an operator for each of this rank's contexts, all made of one source, in place of spec->custom_op;
 *                  NULL: the operator is built in, or spec->custom_op.
 * @param local_ns  for each of this rank's contexts the number of its elements, may be 0.
 * @param args      for each, as in scan_mpi_run_args: memory of that context, or the host's. What is said there of a
 *                  rank holds for a context: each out gets the total, each key is compared with the last one of the
 *                  context before, offsets count from the context's first element, carry_in is taken of rank 0's first
 *                  context, and each carry_out is written.
 * @return as scan_mpi_run_args. The words name the context, too: "rank 3: context 1: in is not aligned ...".
 */
SCAN_API scan_status scan_mpi_run_contexts(scan_mpi *mpi, const scan_spec *spec, scan_op *const *ops,
                                           const uint64_t *local_ns, const scan_args *args);

/** The index of the first overflow, in the order of the scan, in the outputs of all ranks one behind the other
 *  (scan_overflow_index), after a SCAN_OVERFLOW; the same on all ranks. Not collective. @return SCAN_INVALID_ARGUMENT,
 *  without words, when there was none. */
SCAN_API scan_status scan_mpi_overflow_index(const scan_mpi *mpi, uint64_t *index);

/**
 * Compiles and allocates what scans of up to max_local_n elements a rank need, opens the transport, and has all ranks
 * agree on the spec. Collective.
 * @param spec         as in scan_mpi_run_args. What custom_op names must live as long as the plan.
 * @param max_local_n  may differ from rank to rank.
 * @param[out] plan    destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n,
                                          scan_mpi_plan **plan);

/** Runs a plan as scan_mpi_run_args, without an allocation where memory is the contexts'; MPI and NCCL may allocate for
 *  their first messages, and contexts of one rank run in threads. Collective. local_n is at most max_local_n. */
SCAN_API scan_status scan_mpi_plan_run_args(scan_mpi_plan *plan, uint64_t local_n, const scan_args *args);

/** scan_mpi_plan_run_args with in and out alone. */
SCAN_API scan_status scan_mpi_plan_run(scan_mpi_plan *plan, uint64_t local_n, scan_mem in, scan_mem out);

/**
 * scan_mpi_plan_create for several contexts of this rank. Collective.
 * @param spec          as in scan_mpi_run_contexts.
 * @param ops           as in scan_mpi_run_contexts; they must live as long as the plan, the array need not.
 * @param max_local_ns  for each of this rank's contexts.
 * @param[out] plan     destroy with scan_mpi_plan_destroy, before its handle.
 */
SCAN_API scan_status scan_mpi_plan_create_contexts(scan_mpi *mpi, const scan_spec *spec, scan_op *const *ops,
                                                   const uint64_t *max_local_ns, scan_mpi_plan **plan);

/** Runs a plan as scan_mpi_run_contexts. Collective. Each of local_ns is at most its max_local_ns. */
SCAN_API scan_status scan_mpi_plan_run_contexts(scan_mpi_plan *plan, const uint64_t *local_ns, const scan_args *args);

/** Frees a plan. NULL is accepted. Not collective. */
SCAN_API void scan_mpi_plan_destroy(scan_mpi_plan *plan);

/**
 * Scans lines that are cut along their axis: each rank has a piece of the same lines. Collective.
 *
 * The lines are dealt out to the ranks, which scan whole lines, and the results come back: every element crosses the
 * network twice, through host memory. So everything that scan_run_array does is done, with its bits.
 * @param spec   the same on all ranks; inclusive or exclusive, without segments and overflow checks.
 * @param array  this rank's piece. All but shape[axis], which may be 0, are equal on all ranks; each rank has
 *               strides of its own.
 * @param in     this rank's element with all indices 0, as in scan_run_array.
 * @param out    the output's.
 * @return as scan_run_array, the same on all ranks.
 */
SCAN_API scan_status scan_mpi_run_array(scan_mpi *mpi, const scan_spec *spec, const scan_array *array, scan_mem in,
                                        scan_mem out);

/* ---- compaction ---------------------------------------------------------------------------------------------- */

/**
 * Compacts each rank's elements where they are, and says where they lie among all that are kept. Collective.
 * @param spec      the same on all ranks. By SCAN_SELECT_FIRST and SCAN_SELECT_LAST runs go on from rank to rank; the
 *                  rest must then be dropped, and indices, and by SCAN_SELECT_FIRST also in_place, are refused
 *                  (SCAN_UNSUPPORTED), where there is more than one rank. By SCAN_SELECT_LAST, a rank whose last run
 *                  goes on counts its runs first, and writes only the elements that it keeps.
 * @param local_n   elements of this rank. Indices, those that predicates see and those that are written, count this
 *                  rank's elements alone.
 * @param args      of this rank, as in scan_select; without n_from and events. count gets this rank's.
 * @param[out] kept  the elements kept; may be NULL.
 * @param[out] rest  those that are not; may be NULL.
 * @return as scan_select, the same on all ranks.
 */
SCAN_API scan_status scan_mpi_select(scan_mpi *mpi, const scan_select_spec *spec, uint64_t local_n,
                                     const scan_select_args *args, scan_mpi_part *kept, scan_mpi_part *rest);

/**
 * Compacts the elements of each context where they are, and says where they lie among all that are kept: all contexts
 * of all ranks in order, as in scan_mpi_run_contexts. Collective; a rank with one context may call scan_mpi_select.
 * @param specs     one for each of this rank's contexts, as in scan_mpi_select: they say the same, but for the
 *                  predicate, which is of each context. What is refused there of more than one rank is refused of more
 *                  than one context.
 * @param local_ns  for each the number of its elements, may be 0.
 * @param args      for each, as in scan_mpi_select: memory of that context, or the host's.
 * @param[out] kept  one for each: the elements that it keeps; `offset` counts those of all contexts before. May be
 * NULL.
 * @param[out] rest  one for each: those that it does not keep; may be NULL.
 * @return as scan_mpi_select. The words name the context, too.
 */
SCAN_API scan_status scan_mpi_select_contexts(scan_mpi *mpi, const scan_select_spec *specs, const uint64_t *local_ns,
                                              const scan_select_args *args, scan_mpi_part *kept, scan_mpi_part *rest);

/**
 * Partitions each rank's elements into three where they are, and says where each part lies among all. Collective.
 * @param spec        as in scan_partition3.
 * @param local_n     elements of this rank.
 * @param args        as in scan_partition3, of this rank; without n_from and events. Indices are this rank's.
 * @param[out] parts  the first part, the second, the rest.
 * @return as scan_partition3, the same on all ranks.
 */
SCAN_API scan_status scan_mpi_partition(scan_mpi *mpi, const scan_partition3_spec *spec, uint64_t local_n,
                                        const scan_partition3_args *args, scan_mpi_part parts[SCAN_PARTITION3_PARTS]);

/**
 * Partitions the elements of each context, as scan_mpi_select_contexts compacts them. Collective; a rank with one
 * context may call scan_mpi_partition.
 * @param specs       one for each of this rank's contexts, as in scan_mpi_partition.
 * @param local_ns    for each the number of its elements.
 * @param args        one for each, as in scan_mpi_partition.
 * @param[out] parts  for each, one behind the other, the first part, the second, the rest: SCAN_PARTITION3_PARTS times
 *                    as many as contexts.
 * @return as scan_mpi_partition. The words name the context, too.
 */
SCAN_API scan_status scan_mpi_partition_contexts(scan_mpi *mpi, const scan_partition3_spec *specs,
                                                 const uint64_t *local_ns, const scan_partition3_args *args,
                                                 scan_mpi_part *parts);

/**
 * Gives the place of this rank's `count` things among those of all ranks: an exclusive sum, and the total. Collective;
 * two calls of MPI, on the communicator as it is.
 * @param count        of this rank.
 * @param[out] offset  of the ranks before.
 * @param[out] total   of all ranks; NULL: this rank does not ask.
 * @return SCAN_INVALID_ARGUMENT on a rank whose offset is NULL; SCAN_DEVICE_ERROR when MPI fails and comm's handler
 *         returns. The words are scan_mpi_last_error(NULL).
 */
SCAN_API scan_status scan_mpi_offsets(MPI_Comm comm, uint64_t count, uint64_t *offset, uint64_t *total);

/* ---- distribution -------------------------------------------------------------------------------------------- */

/**
 * Moves elements between ranks so that each rank has as many as it asks for. The elements of all ranks, in the order of
 * the ranks, stay in their order. Collective. Uses the handle's first context and its transport (scan_mpi_info).
 * @param element_bytes  bytes of an element, at least 1; the same on all ranks.
 * @param local_n        elements of this rank, may be 0.
 * @param in             local_n elements: memory of the context, or the host's.
 * @param wanted_n       elements that this rank gets, may be 0. All ranks together ask for as many as they have.
 * @param out            wanted_n elements, apart from `in`.
 * @param[out] part      the place of the elements that this rank gets; NULL: this rank does not ask.
 * @return SCAN_INVALID_ARGUMENT, SCAN_OUT_OF_MEMORY, SCAN_DEVICE_ERROR: the same on all ranks.
 */
SCAN_API scan_status scan_mpi_redistribute(scan_mpi *mpi, uint32_t element_bytes, uint64_t local_n, scan_mem in,
                                           uint64_t wanted_n, scan_mem out, scan_mpi_part *part);

#ifdef __cplusplus
}
#endif
#endif
