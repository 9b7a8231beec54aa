/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the portable kernels that differ between dialects, for OpenCL C 1.2 and 3.0. kernels_cu/lib/dialect.h
 * defines the same names for CUDA, runtime/device/host/host_dialect.h for the one-work-item tile in C11.
 *
 * Build parameters (all required, SCAN_SUB_GROUP for SCAN_SHUFFLE 2 alone):
 * SCAN_IN_TYPE, SCAN_TYPE, SCAN_OP: numbers of scan.h
 * SCAN_SUBTILES: S of the canonical order; 0 in the one-work-item form, where n decides
 * SCAN_GROUP_ITEMS: work-items a group; 1 is the one-work-item form
 * SCAN_SHUFFLE: how 32 consecutive work-items exchange registers: 0 by local memory, 1 by NVIDIA PTX, 2 by sub-group
 * built-ins
 * SCAN_SUB_GROUP: work-items a sub-group, a multiple of 32, which the kernels require; 0: the device has only one size
 * SCAN_PTX (0, 1): the compiler takes PTX of compute capability 7.0; always 1 with SCAN_SHUFFLE 1
 * SCAN_SPLIT (0, 1): descriptors of 32-bit words
 * SCAN_BACKWARD (0, 1): scan built-in types from the last element to the first
 * SCAN_ENDS_LOOPS (0, 1): the device ends a work-item's loops after a number of iterations
 * SCAN_REDUX, defined or not: the compiler takes PTX of compute capability 8.0 */
#ifndef SCANRT_DIALECT_H
#define SCANRT_DIALECT_H

#include "lib/types.h"

#if !defined(SCAN_IN_TYPE) || !defined(SCAN_TYPE) || !defined(SCAN_OP) || !defined(SCAN_SUBTILES) ||                   \
    !defined(SCAN_GROUP_ITEMS) || !defined(SCAN_SHUFFLE) || !defined(SCAN_PTX) || !defined(SCAN_SPLIT) ||              \
    !defined(SCAN_BACKWARD) || !defined(SCAN_ENDS_LOOPS)
#error "a build parameter is missing"
#endif
#if SCAN_SHUFFLE == 2
#if !defined(SCAN_SUB_GROUP)
#error "a build parameter is missing"
#elif SCAN_SUB_GROUP % 32 != 0
#error "32 consecutive work-items are not in one sub-group"
#endif
#endif

#pragma OPENCL FP_CONTRACT OFF
#if SCAN_TYPE == 10
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef char scanrt_i8;
typedef uchar scanrt_u8;
typedef short scanrt_i16;
typedef ushort scanrt_u16;
typedef int scanrt_i32;
typedef uint scanrt_u32;
typedef long scanrt_i64;
typedef ulong scanrt_u64;
typedef float scanrt_f32;
#if SCAN_TYPE == 10
typedef double scanrt_f64;
#endif
typedef uint2 scanrt_raw8;
typedef uint4 scanrt_raw16;

#define GLOBAL __global
#define LOCAL __local
/* A pointer to one variable of a work-group, which may need more local memory than a kernel declares. */
#define LOCAL_LARGE(type, name) __local type name[1]
#define LOCAL_ARRAY(type, name, count) __local type name[count]
#define FUNC static __attribute__((always_inline)) inline
/* Declares a function with several seldom taken calls, which is not inlined on PoCL: PoCL compiles each kernel again
 * for its launch (3.1 parts of it three times), with all inlined code. Oclgrind cannot run such calls. */
#if SCAN_GROUP_ITEMS == 1 && defined(POCL_DEVICE_ADDRESS_BITS)
#define FUNC_CALLED static __attribute__((noinline))
#else
#define FUNC_CALLED FUNC
#endif
#if SCAN_SHUFFLE == 2 && SCAN_SUB_GROUP
#define SUB_GROUP_SIZE __attribute__((intel_reqd_sub_group_size(SCAN_SUB_GROUP)))
#else
#define SUB_GROUP_SIZE
#endif
/* NVIDIA's compiler ignores a limit of registers (SCAN_REGISTERS) for kernels that require a size of work-groups. */
#if defined(SCAN_REGISTERS)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(SCAN_GROUP_ITEMS, 1, 1)))
#endif
/* The prefix of kernels' names, reserved in operators' texts. */
#define KERNEL_PASTE(name) scanrt_##name
#define KERNEL(name) __kernel GROUP_SIZE SUB_GROUP_SIZE void KERNEL_PASTE(name)
#define MAY_ALIAS __attribute__((may_alias))
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")

#define ITEM() ((scanrt_u32)get_local_id(0))
#define GROUP() ((scanrt_u32)get_group_id(0))
#define GROUPS() ((scanrt_u32)get_num_groups(0))
#define OWN_TILES 0 /* 1: where each work-group has one tile, it takes the tile of its own number (lookback.cl) */
#if SCAN_GROUP_ITEMS == 1
#define BARRIER()
#else
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif
/* Ends a kernel with barriers that a work-group may leave before the last one. PoCL 3 copies the end of such a kernel
 * for each branch to it, takes the end for a barrier, and then decides those branches for the work-group as a whole,
 * by one work-item. With a barrier before the end there is one such branch, and it is uniform. */
#if defined(POCL_DEVICE_ADDRESS_BITS)
#define KERNEL_END() BARRIER()
#else
#define KERNEL_END()
#endif

#define ADDRESS(pointer) ((size_t)(pointer))
#define LOAD_STREAM(pointer) (*(pointer))

#define F32_INFINITY INFINITY
#define F64_INFINITY ((scanrt_f64)INFINITY)
#define F32_BITS(x) as_uint(x)
#define BITS_F32(x) as_float(x)
#define F64_BITS(x) as_ulong(x)
#define BITS_F64(x) as_double(x)

/* 32-bit counters: relaxed, device scope. */
#define ATOMIC_ADD(pointer, value) atomic_add((volatile GLOBAL scanrt_u32 *)(pointer), (value))
#if SCAN_PTX
#define ATOMIC_LOAD(pointer) scanrt_count_load(pointer)
FUNC scanrt_u32 scanrt_count_load(volatile GLOBAL scanrt_u32 *p) {
  scanrt_u32 x;
  __asm__ __volatile__("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
#else
#define ATOMIC_LOAD(pointer) atomic_or((volatile GLOBAL scanrt_u32 *)(pointer), 0u)
#endif
#define ATOMIC_STORE(pointer, value) ((void)atomic_xchg((volatile GLOBAL scanrt_u32 *)(pointer), (value)))
#define ATOMIC_MIN(pointer, value) ((void)atomic_min((volatile GLOBAL scanrt_u32 *)(pointer), (value)))
#define ATOMIC_ADD_LOCAL(pointer, value) atomic_add((volatile LOCAL scanrt_u32 *)(pointer), (value))
#define ATOMIC_INC_LOCAL(pointer) ((void)atomic_inc((volatile LOCAL scanrt_u32 *)(pointer)))
#define ATOMIC_MIN_LOCAL(pointer, value) ((void)atomic_min((volatile LOCAL scanrt_u32 *)(pointer), (value)))
#define ATOMIC_OR_LOCAL(pointer, value) ((void)atomic_or((volatile LOCAL scanrt_u32 *)(pointer), (value)))

/* Orders the work-item's accesses to global memory for the whole device. mem_fence does so for its work-group alone:
 * loads behind it may find what their multiprocessor's cache had before. */
#if SCAN_PTX
#define FENCE() __asm__ __volatile__("fence.acq_rel.gpu;" ::: "memory")
#elif defined(__AMDGCN__) && __clang_major__ >= 10
#define FENCE() __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent")
#elif __OPENCL_C_VERSION__ >= 300 /* the runtime asks for it only where this fence is there */
#define FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

/* 64-bit words of descriptors: relaxed, device scope, one access each. */
#if defined(cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define ATOMIC_ADD64(pointer, value) atom_add((volatile GLOBAL scanrt_u64 *)(pointer), (value))
#endif
#if SCAN_PTX
FUNC void scanrt_word_store(volatile GLOBAL scanrt_u64 *p, scanrt_u64 w) {
  __asm__ __volatile__("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
}
FUNC scanrt_u64 scanrt_word_load(volatile GLOBAL scanrt_u64 *p) {
  scanrt_u64 w;
  __asm__ __volatile__("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
  return w;
}
#elif defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#if defined(__x86_64__) /* PoCL compiles for the processor itself */
/* Between polls: else loads from the cache reach a wait's bound within 0.1 s. */
#define POLL_PAUSE() __builtin_ia32_pause()
FUNC void scanrt_word_store(volatile GLOBAL scanrt_u64 *p, scanrt_u64 w) { __atomic_store_n(p, w, __ATOMIC_RELAXED); }
FUNC scanrt_u64 scanrt_word_load(volatile GLOBAL scanrt_u64 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
#else
FUNC void scanrt_word_store(volatile GLOBAL scanrt_u64 *p, scanrt_u64 w) { (void)atom_xchg(p, w); }
FUNC scanrt_u64 scanrt_word_load(volatile GLOBAL scanrt_u64 *p) { return atom_or(p, (scanrt_u64)0); }
#endif
#endif

/* Loads two words, each of which is valid by itself: they need not come by one access. */
#define WORD_LOAD_PAIR(p, first, second) ((first) = scanrt_word_load(p), (second) = scanrt_word_load((p) + 1))

/* Prefetches a line of 128 bytes to the device's cache. */
#if SCAN_PTX
#define PREFETCH(pointer) __asm__ __volatile__("prefetch.global.L2 [%0];" ::"l"(pointer))
#else
#define PREFETCH(pointer) prefetch((pointer), 128)
#endif

/* Swaps the two words of 64 bits. No rotation: Oclgrind has none of 64 bits. */
#define SWAP_HALVES(x) as_ulong(as_uint2(x).yx)
/* The number of bits that are set in a word. */
#define BITS_SET(word) ((scanrt_u32)popcount((scanrt_u32)(word)))
/* The index of the highest bit that is set in a word other than 0. */
#define LAST_BIT(word) (31 - clz((scanrt_u32)(word)))

#if SCAN_SHUFFLE == 1
FUNC scanrt_u32 scanrt_shuffle_up_u32(scanrt_u32 x, scanrt_u32 distance) {
  scanrt_u32 y;
  __asm__ __volatile__("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(y) : "r"(x), "r"(distance));
  return y;
}
FUNC scanrt_u32 scanrt_shuffle_down_u32(scanrt_u32 x, scanrt_u32 distance) {
  scanrt_u32 y;
  __asm__ __volatile__("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(distance));
  return y;
}
FUNC scanrt_u32 scanrt_shuffle_xor_u32(scanrt_u32 x, scanrt_u32 mask) {
  scanrt_u32 y;
  __asm__ __volatile__("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(mask));
  return y;
}
FUNC scanrt_u32 scanrt_shuffle_from_u32(scanrt_u32 x, scanrt_u32 lane) {
  scanrt_u32 y;
  __asm__ __volatile__("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(lane));
  return y;
}
/* Returns x plus that of the lane `distance` below, if there is one. */
#define SUM_BELOW(x, distance) scanrt_sum_below((x), (distance))
FUNC scanrt_u32 scanrt_sum_below(scanrt_u32 x, scanrt_u32 distance) {
  scanrt_u32 y;
  __asm__ __volatile__("{\n.reg .pred p;\n.reg .u32 r;\nshfl.sync.up.b32 r|p, %1, %2, 0, 0xffffffff;\n"
                       "@p add.u32 r, r, %1;\nmov.u32 %0, r;\n}"
                       : "=r"(y)
                       : "r"(x), "r"(distance));
  return y;
}
/* Returns x of the lane `distance` below, if that is lane `first` or above; sets *is_there to 1 if so, else to 0. */
#define SHUFFLE_BELOW(x, distance, first, is_there) scanrt_shuffle_below_u32((x), (distance), (first), (is_there))
FUNC scanrt_u32 scanrt_shuffle_below_u32(scanrt_u32 x, scanrt_u32 distance, scanrt_u32 first, scanrt_u32 *is_there) {
  scanrt_u32 y, there;
  __asm__ __volatile__("{\n.reg .pred p;\nshfl.sync.up.b32 %0|p, %2, %3, %4, 0xffffffff;\nselp.u32 %1, 1, 0, p;\n}"
                       : "=r"(y), "=r"(there)
                       : "r"(x), "r"(distance), "r"(first));
  *is_there = there;
  return y;
}
/* Synchronizes the lanes of a warp: each then sees what the others wrote to local memory. */
#define WARP_BARRIER() __asm__ __volatile__("bar.warp.sync 0xffffffff;" ::: "memory")
/* A word whose bit l is the condition of lane l. */
#define WARP_BALLOT(condition) scanrt_ballot(condition)
FUNC scanrt_u32 scanrt_ballot(scanrt_u32 condition) {
  scanrt_u32 word;
  __asm__ __volatile__("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\nvote.sync.ballot.b32 %0, p, 0xffffffff;\n}"
                       : "=r"(word)
                       : "r"(condition));
  return word;
}
#if defined(SCAN_REDUX)
/* The bits that are set in the word of any lane. */
#define WARP_OR(x) scanrt_lanes_or(x)
FUNC scanrt_u32 scanrt_lanes_or(scanrt_u32 x) {
  scanrt_u32 y;
  __asm__ __volatile__("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(x));
  return y;
}
#endif
#elif SCAN_SHUFFLE == 2
/* A sub-group holds one or more runs of 32 consecutive work-items, and every exchange stays inside a run. A value from
 * beyond a run's ends is undefined and unused. */
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#if SCAN_SUB_GROUP == 32
#define RUN_FIRST() 0u
#else
#define RUN_FIRST() (get_sub_group_local_id() & ~31u)
#endif
#if defined(cl_khr_subgroup_shuffle)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#define SUB_GROUP_XOR(x, mask) sub_group_shuffle_xor((x), (mask))
#define SUB_GROUP_FROM(x, item) sub_group_shuffle((x), (item))
#else
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define SUB_GROUP_XOR(x, mask) intel_sub_group_shuffle_xor((x), (mask))
#define SUB_GROUP_FROM(x, item) intel_sub_group_shuffle((x), (item))
#endif
#if defined(cl_khr_subgroup_shuffle_relative)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#define SUB_GROUP_UP(x, distance) sub_group_shuffle_up((x), (distance))
#define SUB_GROUP_DOWN(x, distance) sub_group_shuffle_down((x), (distance))
#elif defined(cl_intel_subgroups) && !defined(cl_khr_subgroup_shuffle) /* PoCL 5 and 6 have both, but not these two */
#define SUB_GROUP_UP(x, distance) intel_sub_group_shuffle_up((x), (x), (distance))
#define SUB_GROUP_DOWN(x, distance) intel_sub_group_shuffle_down((x), (x), (distance))
#else
#define SUB_GROUP_UP(x, distance) SUB_GROUP_FROM((x), RUN_FIRST() | ((ITEM() - (distance)) & 31u))
#define SUB_GROUP_DOWN(x, distance) SUB_GROUP_FROM((x), RUN_FIRST() | ((ITEM() + (distance)) & 31u))
#endif
FUNC scanrt_u32 scanrt_shuffle_up_u32(scanrt_u32 x, scanrt_u32 distance) { return SUB_GROUP_UP(x, distance); }
FUNC scanrt_u32 scanrt_shuffle_down_u32(scanrt_u32 x, scanrt_u32 distance) { return SUB_GROUP_DOWN(x, distance); }
FUNC scanrt_u32 scanrt_shuffle_xor_u32(scanrt_u32 x, scanrt_u32 mask) { return SUB_GROUP_XOR(x, mask); }
FUNC scanrt_u32 scanrt_shuffle_from_u32(scanrt_u32 x, scanrt_u32 lane) { return SUB_GROUP_FROM(x, RUN_FIRST() | lane); }
#endif

#if SCAN_TYPE != 0 /* operations on bytes and halves packed in words */
/* Adds the bytes of w to sum. */
#if SCAN_PTX
FUNC scanrt_u32 SUM_BYTES(scanrt_u32 w, scanrt_u32 sum) {
  scanrt_u32 y;
  __asm__("dp4a.u32.u32 %0, %1, 0x01010101, %2;" : "=r"(y) : "r"(w), "r"(sum));
  return y;
}
#else
#define SUM_BYTES(w, sum) ((sum) + ((w)&0xffu) + ((w) >> 8 & 0xffu) + ((w) >> 16 & 0xffu) + ((w) >> 24))
#endif
/* Adds the halves of w to sum. */
#if SCAN_PTX
FUNC scanrt_u32 SUM_HALVES(scanrt_u32 w, scanrt_u32 sum) {
  scanrt_u32 y;
  __asm__("dp2a.lo.u32.u32 %0, %1, 0x0101, %2;" : "=r"(y) : "r"(w), "r"(sum));
  return y;
}
#else
#define SUM_HALVES(w, sum) ((sum) + ((w)&0xffffu) + ((w) >> 16))
#endif
/* The low halves of a and b. */
#define LOW_HALVES(a, b) (((a)&0xffffu) | (b) << 16)
/* Bytes 0 and 2 of a and b, in the order a0 b0 a2 b2. */
#define BYTES_0202(a, b) (((a)&0x00ff00ffu) | ((b)&0x00ff00ffu) << 8)
/* `high` shifted up by `shift` bits, 0 to 31, with the top bits of `low` shifted in. */
#define WORD_AFTER(low, high, shift) ((scanrt_u32)(((scanrt_u64)(high) << 32 | (low)) >> (32 - (shift))))
/* Byte 2 of a word, in each of its halves. */
#define BYTE_2020(a) (((a) >> 16 & 0xffu) * 0x00010001u)
/* Returns the minimum of each half of two words, whose halves are all below 256. The ninth bit of a half survives the
 * difference if a's half is not below b's. */
FUNC scanrt_u32 PAIR_MIN(scanrt_u32 a, scanrt_u32 b) {
  const scanrt_u32 take_b = (((a | 0x01000100u) - b) >> 8 & 0x00010001u) * 0xffu;
  return (b & take_b) | (a & ~take_b);
}
/* Returns the maximum of each half of two words, whose halves are all below 256. */
FUNC scanrt_u32 PAIR_MAX(scanrt_u32 a, scanrt_u32 b) {
  const scanrt_u32 take_a = (((a | 0x01000100u) - b) >> 8 & 0x00010001u) * 0xffu;
  return (a & take_a) | (b & ~take_a);
}
#endif

/* Vector registers of 32 bytes, for the one-work-item form; of 16 bytes for 1-byte types, since vectors have at most 16
 * elements. */
#if SCAN_GROUP_ITEMS == 1
#define VECTOR_PASTE(name, items) name##items
#define VECTOR_NAME(name, items) VECTOR_PASTE(name, items)
#define VECTOR_ELEMENT_1 char
#define VECTOR_ELEMENT_2 uchar
#define VECTOR_ELEMENT_3 short
#define VECTOR_ELEMENT_4 ushort
#define VECTOR_ELEMENT_5 int
#define VECTOR_ELEMENT_6 uint
#define VECTOR_ELEMENT_7 long
#define VECTOR_ELEMENT_8 ulong
#define VECTOR_ELEMENT_9 float
#define VECTOR_ELEMENT_10 double
#define VECTOR_T(items) VECTOR_NAME(VECTOR_NAME(VECTOR_ELEMENT_, SCAN_TYPE), items)
#if TYPE_BYTES(SCAN_TYPE) == 1
#define REG_BYTES 16
#define REG_WIDTH 16
#define HALF_WIDTH 16
#define REG_LAST(v) (v).sf
#elif TYPE_BYTES(SCAN_TYPE) == 2
#define REG_BYTES 32
#define REG_WIDTH 16
#define HALF_WIDTH 8
#define REG_LAST(v) (v).sf
#elif TYPE_BYTES(SCAN_TYPE) == 4
#define REG_BYTES 32
#define REG_WIDTH 8
#define HALF_WIDTH 4
#define REG_LAST(v) (v).s7
#else
#define REG_BYTES 32
#define REG_WIDTH 4
#define HALF_WIDTH 2
#define REG_LAST(v) (v).s3
#endif
#define REG_T VECTOR_T(REG_WIDTH)
/* Registers of 64 bytes, of floating-point types (rows_fold.h). llvmpipe takes over 30 s to compile folds by them. */
#if !SCAN_ENDS_LOOPS
#if TYPE_BYTES(SCAN_TYPE) == 4
#define WIDE_ITEMS 16
#else
#define WIDE_ITEMS 8
#endif
#define WIDE_T VECTOR_T(WIDE_ITEMS)
#define WIDE_LOAD(pointer) VECTOR_NAME(vload, WIDE_ITEMS)(0, (pointer))
#define WIDE_STORE_PRIVATE(pointer, v) VECTOR_NAME(vstore, WIDE_ITEMS)((v), 0, (pointer))
#endif
#define REG_LOAD(pointer) VECTOR_NAME(vload, REG_WIDTH)(0, (pointer))
#define REG_STORE(pointer, v) VECTOR_NAME(vstore, REG_WIDTH)((v), 0, (pointer))
#define REG_STORE_PRIVATE(pointer, v) VECTOR_NAME(vstore, REG_WIDTH)((v), 0, (pointer))
#define REG_FILL(x) ((REG_T)(x))
#define REG_SELECT(mask, b, a) ((mask) ? (b) : (a))
#define REG_ANY(mask) any(mask)
#define REG_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define HALF_T VECTOR_T(HALF_WIDTH)
#if REG_BYTES == 16
#define HALF_LOW(v) (v)
#else
#define HALF_JOIN(a, b) ((REG_T)((a), (b)))
#define HALF_LOW(v) (v).lo
#define HALF_HIGH(v) (v).hi
#endif
/* A prefetch exists where the kernel is compiled for the processor itself (PoCL), not for SPIR-V. */
#if defined(__x86_64__) || defined(__aarch64__)
#define READ_AHEAD(pointer) __builtin_prefetch((const void *)(pointer), 0, 2)
#endif
#define HALF_LOAD(pointer) VECTOR_NAME(vload, HALF_WIDTH)(0, (pointer))
#define HALF_STORE(pointer, v) VECTOR_NAME(vstore, HALF_WIDTH)((v), 0, (pointer))
#define HALF_STREAM(pointer, v) __builtin_nontemporal_store((v), (GLOBAL HALF_T *)(pointer))
#define STREAM_RAW16(pointer, v) __builtin_nontemporal_store((v), (GLOBAL scanrt_raw16 *)(pointer))
#endif
#endif
