/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of kernels. Each list is written once, as rows (kind, name): PARAMETERS makes a kernel's parameters of
 * it, and runtime/device/arguments.h the values that the host passes. MEMORY is device memory, U64 and U32 are numbers;
 * the names are those of scan_kernel_args. SOURCE() stands for the extra arguments of kernels of an operator from
 * source. A primitive other than a scan has its list in a header of its own (difference.h). With SCAN_READS_N a scan's
 * kernels have two more arguments: `n_from`, the number of elements if that is less than n, and `n_overflow`, which
 * gets a number above n. */
#ifndef SCANRT_CL_ARGUMENTS_H
#define SCANRT_CL_ARGUMENTS_H

/* One work-group or work-item walks all elements. `carry` holds the start of the scan if FLAG_CARRY is set; the kernel
 * writes the running value to `carry_out` if FLAG_CARRY_OUT is set. */
#define WALK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                            \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(U64, n) NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(MEMORY, carry) NEXT(MEMORY, carry_out) SOURCE()

/* Tiles or lines that use the workspace. */
#define TILE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                            \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(U64, n) NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(MEMORY, carry) NEXT(MEMORY, carry_out) SOURCE()

/* Tiles that wait for one another. */
#define LOOKBACK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                        \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, seed_bits)                                                                                                 \
  NEXT(U32, tile_capacity) NEXT(U32, flags) NEXT(U32, spin_limit) NEXT(MEMORY, carry) NEXT(MEMORY, carry_out) SOURCE()

/* Scans of kernels_cl/textbook/, which have no carries. */
#define TEXTBOOK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                        \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out) NEXT(MEMORY, workspace) NEXT(U64, n) NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(U32, spin_limit)

#define SEGMENT_BITS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                    \
  FIRST(MEMORY, marks) NEXT(MEMORY, segment_flags) NEXT(U64, n) NEXT(U64, count)

/* For each tile of a segmented reduction the first segment that ends in it. */
#define SEGMENT_EDGES_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                   \
  FIRST(MEMORY, ends) NEXT(MEMORY, places) NEXT(U64, n) NEXT(U64, count) NEXT(U32, tile_items)

/* Tiles of a segmented reduction (scan/segment_totals.cl). */
#define SEGMENT_TOTALS_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                  \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(MEMORY, marks)                                                                                                  \
  NEXT(MEMORY, ends)                                                                                                   \
  NEXT(MEMORY, places)                                                                                                 \
  NEXT(MEMORY, totals)                                                                                                 \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, count)                                                                                                     \
  NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(MEMORY, carry) NEXT(MEMORY, carry_out) SOURCE()

#define LAYOUT_ARGUMENTS(FIRST, NEXT, SOURCE) FIRST(MEMORY, out) NEXT(U64, n) NEXT(U32, flags)

/* The bits of `flags`. */
#define FLAG_INCLUSIVE 1u
#define FLAG_IN_PLACE 2u
#define FLAG_FLIP_SIGN 8u  /* values are loaded and stored with flipped sign bits (flip.h) */
#define FLAG_FLIP_REST 16u /* values are loaded and stored with all bits but the sign flipped (flip.h) */
#define FLAG_CARRY 32u
#define FLAG_REVERSED 64u       /* scans from the last element in memory to the first */
#define FLAG_CARRY_OUT 128u     /* the work-item that has element n - 1 writes its running value to `carry_out` */
#define FLAG_TOTAL 256u         /* the output of element n - 1 is the only one stored */
#define FLAG_PLUS_ZERO 512u     /* an exclusive sum outputs a start of -0.0 as +0.0, but carries -0.0 */
#define FLAG_CONTINUES 1024u    /* element 0 continues the carry's segment unless it is marked */
#define FLAG_UNMARKED 2048u     /* with FLAG_CONTINUES: the mark of element 0 is ignored */
#define FLAG_STARTS 4096u       /* the seed is what no elements leave: with SCAN_READS_N, and in segmented reductions */
#define FLAG_WIDE_OFFSETS 8192u /* begins and ends of segments have 64 bits */
#define FLAG_NEVER_SET 0x80000000u

/* A list as parameters. MEMORY(name) is the address: OpenCL passes a buffer and an offset, since the host does not know
 * addresses of buffers. */
#ifdef __OPENCL_VERSION__
#define PARAMETER_MEMORY(name) GLOBAL scanrt_u8 *name##_base, scanrt_u64 name##_offset_bytes
#define MEMORY(name) (name##_base + name##_offset_bytes)
#else
#define PARAMETER_MEMORY(name) scanrt_u8 *name##_base
#define MEMORY(name) name##_base
#endif
#define PARAMETER_U64(name) scanrt_u64 name
#define PARAMETER_U32(name) scanrt_u32 name
#define PARAMETER_FIRST(kind, name) PARAMETER_##kind(name)
#define PARAMETER_NEXT(kind, name) , PARAMETER_##kind(name)
#define PARAMETER_SOURCE() SEED_PARAMETERS
#if defined GROUP_PARAMETERS /* defined by the host's dialect */
#define PARAMETERS(list) list(PARAMETER_FIRST, PARAMETER_NEXT, PARAMETER_SOURCE), GROUP_PARAMETERS
#elif SCAN_READS_N
#define PARAMETERS(list)                                                                                               \
  list(PARAMETER_FIRST, PARAMETER_NEXT, PARAMETER_SOURCE), PARAMETER_MEMORY(n_from), PARAMETER_MEMORY(n_overflow)
#else
#define PARAMETERS(list) list(PARAMETER_FIRST, PARAMETER_NEXT, PARAMETER_SOURCE)
#endif
#endif
