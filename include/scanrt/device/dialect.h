/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * The names by which one kernel text is CUDA C++ (nvcc, clang, NVRTC), HIP and OpenCL C 1.2 and later. Included by
 * scanrt/device/group.h.
 *
 * Define before the first include:
 * SCANRT_GROUP_ITEMS: work-items of a work-group (threads of a block), in one dimension: 1, or a multiple of 32 up to
 *                     1024. The kernel must be launched with as many.
 * SCANRT_SHUFFLE: OpenCL: 1 if 32 consecutive work-items exchange registers by NVIDIA's PTX (the default there), 0 if
 *                 they use local memory (the default elsewhere). Results have the same bits. Others always use
 *                 registers.
 * SCANRT_SPLIT: OpenCL: 1 if atomics have 32 bits (the default without cl_khr_int64_base_atomics and
 *               cl_khr_int64_extended_atomics), 0 if 64. The host must know it: scan_device_state_init. */
#ifndef SCANRT_DEVICE_DIALECT_H
#define SCANRT_DEVICE_DIALECT_H

#ifndef SCANRT_GROUP_ITEMS
#error "define SCANRT_GROUP_ITEMS, the work-items of a work-group"
#endif
#if SCANRT_GROUP_ITEMS != 1 && (SCANRT_GROUP_ITEMS % 32 != 0 || SCANRT_GROUP_ITEMS > 1024)
#error "SCANRT_GROUP_ITEMS is 1, or a multiple of 32 up to 1024"
#endif

#define SCANRT_UNROLL _Pragma("unroll")

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

typedef uint scanrt_device_u32;
typedef ulong scanrt_device_u64;

/** Begins the definition of a kernel: SCANRT_KERNEL name(...) { ... } */
#define SCANRT_KERNEL __kernel __attribute__((reqd_work_group_size(SCANRT_GROUP_ITEMS, 1, 1))) void
/** A function that kernels call. */
#define SCANRT_FUNC static __attribute__((always_inline)) inline
/** Memory of the device, in the type of a pointer: SCANRT_GLOBAL const float *x. */
#define SCANRT_GLOBAL __global
/** Memory of a work-group, in the type of a pointer. */
#define SCANRT_LOCAL __local
/** Declares a variable of a work-group, at the top of a kernel: SCANRT_SHARED float x[32]; */
#define SCANRT_SHARED __local
/** The work-item's number in its work-group. */
#define SCANRT_ITEM() ((scanrt_device_u32)get_local_id(0))
/** The number of work-groups. */
#define SCANRT_GROUPS() ((scanrt_device_u32)get_num_groups(0))
#define SCANRT_DEVICE_ALIGN(bytes) __attribute__((aligned(bytes)))
#if SCANRT_GROUP_ITEMS == 1
#define SCANRT_BARRIER()
#else
/** Waits for the work-items of the work-group, which then see each other's local memory. */
#define SCANRT_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#endif

#ifndef SCANRT_SHUFFLE
#if defined(cl_nv_pragma_unroll) && SCANRT_GROUP_ITEMS > 1
#define SCANRT_SHUFFLE 1
#else
#define SCANRT_SHUFFLE 0
#endif
#endif
#ifndef SCANRT_SPLIT
#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
#define SCANRT_SPLIT 0
#else
#define SCANRT_SPLIT 1
#endif
#endif
#if !SCANRT_SPLIT
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

#define SCANRT_DEVICE_ADD(p, x) atomic_add((volatile __global scanrt_device_u32 *)(p), (x))
#define SCANRT_DEVICE_LOAD(p) atomic_or((volatile __global scanrt_device_u32 *)(p), 0u)
#define SCANRT_DEVICE_STORE(p, x) ((void)atomic_xchg((volatile __global scanrt_device_u32 *)(p), (x)))
/** Orders the work-item's accesses to global memory for the device. OpenCL C 1.2 only has mem_fence, whose order is
 * that of the work-group. */
#if defined(cl_nv_pragma_unroll)
#define SCANRT_DEVICE_FENCE() __asm__ __volatile__("fence.acq_rel.gpu;" ::: "memory")
#elif defined(__AMDGCN__) && __clang_major__ >= 10
#define SCANRT_DEVICE_FENCE() __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent")
#elif __OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_atomic_order_acq_rel) && defined(__opencl_c_atomic_scope_device)
#define SCANRT_DEVICE_FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define SCANRT_DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
#if defined(cl_nv_pragma_unroll)
SCANRT_FUNC void scanrt_device_word_store(volatile __global scanrt_device_u64 *p, scanrt_device_u64 x) {
  __asm__ __volatile__("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
SCANRT_FUNC scanrt_device_u64 scanrt_device_word_load(volatile __global scanrt_device_u64 *p) {
  scanrt_device_u64 x;
  __asm__ __volatile__("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
#elif !SCANRT_SPLIT
SCANRT_FUNC void scanrt_device_word_store(volatile __global scanrt_device_u64 *p, scanrt_device_u64 x) {
  (void)atom_xchg(p, x);
}
SCANRT_FUNC scanrt_device_u64 scanrt_device_word_load(volatile __global scanrt_device_u64 *p) {
  return atom_or(p, (scanrt_device_u64)0);
}
#endif
#if !defined(cl_nv_pragma_unroll)
/* Returns 1 if loops still run. llvmpipe gives a work-item a number of iterations; once they are used up, each loop
 * ends after its first one. `zero` is 0, unknown to the compiler. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_loops(scanrt_device_u32 zero) {
  scanrt_device_u32 turns = 0;
  _Pragma("unroll 1") for (scanrt_device_u32 i = 0; i < 2 + zero; i++) turns++;
  return turns == 2;
}
#define SCANRT_DEVICE_LOOPS(zero) scanrt_device_loops(zero)
#else
#define SCANRT_DEVICE_LOOPS(zero) 1
#endif
#ifndef SCANRT_MOST_POLLS
/** How often a wait looks before it gives up. A device may never run a work-group that it has begun; a loop without end
 * would hang it. */
#define SCANRT_MOST_POLLS (1u << 24)
#endif

#elif defined(__CUDACC__) || defined(__HIPCC__)

typedef unsigned int scanrt_device_u32;
typedef unsigned long long scanrt_device_u64;

#define SCANRT_KERNEL extern "C" __global__ void __launch_bounds__(SCANRT_GROUP_ITEMS)
#define SCANRT_FUNC __device__ __forceinline__
#define SCANRT_GLOBAL
#define SCANRT_LOCAL
#define SCANRT_SHARED __shared__
#define SCANRT_ITEM() ((scanrt_device_u32)threadIdx.x)
#define SCANRT_GROUPS() ((scanrt_device_u32)gridDim.x)
#define SCANRT_DEVICE_ALIGN(bytes) alignas(bytes)
#define SCANRT_BARRIER() __syncthreads()
#undef SCANRT_SHUFFLE
#undef SCANRT_SPLIT
#define SCANRT_SHUFFLE (SCANRT_GROUP_ITEMS > 1)
#define SCANRT_SPLIT 0
#define SCANRT_DEVICE_ADD(p, x) atomicAdd((scanrt_device_u32 *)(p), (x))
#define SCANRT_DEVICE_LOAD(p) (*(const volatile scanrt_device_u32 *)(p))
#define SCANRT_DEVICE_STORE(p, x) ((void)(*(volatile scanrt_device_u32 *)(p) = (x)))
#define SCANRT_DEVICE_FENCE() __threadfence()
#define SCANRT_DEVICE_LOOPS(zero) 1
SCANRT_FUNC void scanrt_device_word_store(volatile scanrt_device_u64 *p, scanrt_device_u64 x) {
#if defined(__HIPCC__)
  __hip_atomic_store((scanrt_device_u64 *)p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
#endif
}
SCANRT_FUNC scanrt_device_u64 scanrt_device_word_load(volatile scanrt_device_u64 *p) {
#if defined(__HIPCC__)
  return __hip_atomic_load((scanrt_device_u64 *)p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
  scanrt_device_u64 x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
#endif
}
#ifndef SCANRT_MOST_POLLS
#define SCANRT_MOST_POLLS 0xffffffffu
#endif

#else
#error "scanrt/device headers are for kernels: CUDA C++, HIP or OpenCL C"
#endif

#endif
