/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels take. Each list of arguments is written once, as rows (kind, name): a kernel's parameters are made of it
 * here, and what the host passes in runtime/device/arguments.h. MEMORY is device memory, U64 and U32 are numbers; the
 * names are those of scan_kernel_args. SOURCE() stands for what kernels of an operator from source take besides. A
 * kernel that is no scan has its list in a header of its own (difference.h). */
#ifndef SCANRT_CL_ARGUMENTS_H
#define SCANRT_CL_ARGUMENTS_H

/* One work-group or work-item goes through all elements. `carry` has what the scan begins with, if FLAG_CARRY is set;
 * `keep` takes what it leaves, if FLAG_KEEP is. */
#define WALK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                            \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out) NEXT(U64, n) NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(MEMORY, carry) NEXT(MEMORY, keep) SOURCE()

/* Tiles, or lines, with something in the workspace. */
#define TILE_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                            \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(U64, n) NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(MEMORY, carry) NEXT(MEMORY, keep) SOURCE()

/* Tiles that wait for one another. */
#define LOOKBACK_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                        \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out)                                                                                                    \
  NEXT(MEMORY, workspace)                                                                                              \
  NEXT(U64, n)                                                                                                         \
  NEXT(U64, seed_bits)                                                                                                 \
  NEXT(U32, tile_capacity) NEXT(U32, flags) NEXT(U32, spin_limit) NEXT(MEMORY, carry) NEXT(MEMORY, keep) SOURCE()

/* kernels_cl/gallery/: no carries. */
#define GALLERY_ARGUMENTS(FIRST, NEXT, SOURCE)                                                                         \
  FIRST(MEMORY, in)                                                                                                    \
  NEXT(MEMORY, out) NEXT(MEMORY, workspace) NEXT(U64, n) NEXT(U64, seed_bits) NEXT(U32, flags) NEXT(U32, spin_limit)

#define HEADS_ARGUMENTS(FIRST, NEXT, SOURCE) FIRST(MEMORY, marks) NEXT(MEMORY, heads) NEXT(U64, n) NEXT(U64, count)

#define LAYOUT_ARGUMENTS(FIRST, NEXT, SOURCE) FIRST(MEMORY, out) NEXT(U64, n) NEXT(U32, flags)

/* What `flags` may be. */
#define FLAG_INCLUSIVE 1u
#define FLAG_IN_PLACE 2u
#define FLAG_FLIP_SIGN 8u  /* values come and go with their sign bits turned over, */
#define FLAG_FLIP_REST 16u /* and with all their other bits: flip.h */
#define FLAG_CARRY 32u
#define FLAG_TURNED 64u      /* from the last element in memory to the first */
#define FLAG_KEEP 128u       /* whoever has element n - 1 writes the running value of it to `keep` */
#define FLAG_TOTAL 256u      /* nothing is stored but the output of element n - 1, as the only one */
#define FLAG_PLUS_ZERO 512u  /* an exclusive sum shows a start of -0.0 as +0.0, and keeps it as it is */
#define FLAG_CONTINUES 1024u /* element 0 continues the segment that the carry is of, unless it is marked; */
#define FLAG_UNMARKED 2048u  /* and its mark is not looked at */
#define FLAG_NEVER_SET 0x80000000u

/* A list as parameters; memory by its name. OpenCL's buffers have no addresses on the host. */
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
#ifdef GROUP_PARAMETERS /* of the host's dialect */
#define PARAMETERS(list) list(PARAMETER_FIRST, PARAMETER_NEXT, PARAMETER_SOURCE), GROUP_PARAMETERS
#else
#define PARAMETERS(list) list(PARAMETER_FIRST, PARAMETER_NEXT, PARAMETER_SOURCE)
#endif
#endif
