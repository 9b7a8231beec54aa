/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of kernels_cl/lib/dialect.h for CUDA C++. A unit includes it once, and then the kernels once for
 * each instance (kernels_cu/images.cmake), each time in a namespace of its own. */
#ifndef SCANRT_DIALECT_H
#define SCANRT_DIALECT_H

typedef signed char scanrt_i8;
typedef unsigned char scanrt_u8;
typedef short scanrt_i16;
typedef unsigned short scanrt_u16;
typedef int scanrt_i32;
typedef unsigned int scanrt_u32;
typedef long long scanrt_i64;
typedef unsigned long long scanrt_u64;
typedef float scanrt_f32;
typedef double scanrt_f64;
typedef uint2 scanrt_raw8;
typedef uint4 scanrt_raw16;

#define GLOBAL
#define LOCAL
/* A pointer to one variable of a work-group, which may need more local memory than a kernel declares. */
#define LOCAL_LARGE(type, name)                                                                                        \
  DYNAMIC_SHARED(name##_memory);                                                                                       \
  type *name = (type *)name##_memory
#define LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#define DYNAMIC_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
#define FUNC static __device__ __forceinline__
#define FUNC_CALLED FUNC
#define MAY_ALIAS /* no analysis by types */
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")
#define KERNEL_PASTE(a, b) a##b
#define KERNEL_NAME(name, suffix) KERNEL_PASTE(name, suffix)
#define KERNEL(name)                                                                                                   \
  extern "C" __global__ void __launch_bounds__(SCAN_GROUP_ITEMS, SCAN_GROUPS_PER_UNIT) KERNEL_NAME(name, SCAN_SUFFIX)

#define ITEM() (threadIdx.x)
#define GROUP() (blockIdx.x)
#define GROUPS() (gridDim.x)
#define OWN_TILES 1 /* kernels_cl/lib/dialect.h says what this means */
#define BARRIER() __syncthreads()
#define KERNEL_END() /* kernels_cl/lib/dialect.h says what this means */
/* A barrier of some warps of the work-group, with `items` work-items in all. */
#define NAMED_BARRIER(id, items) asm volatile("bar.sync " #id ", %0;" ::"n"(items) : "memory")
#define NUMBERED_BARRIER(id, items) asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(items) : "memory")

#define ADDRESS(pointer) ((size_t)(pointer))
#define LOAD_STREAM(pointer) scanrt_load_stream(pointer)

#define F32_INFINITY __int_as_float(0x7f800000)
#define F64_INFINITY __longlong_as_double(0x7ff0000000000000ll)
#define F32_BITS(x) __float_as_uint(x)
#define BITS_F32(x) __uint_as_float(x)
#define F64_BITS(x) ((scanrt_u64)__double_as_longlong(x))
#define BITS_F64(x) __longlong_as_double((long long)(x))

#define ATOMIC_ADD(pointer, value) atomicAdd((scanrt_u32 *)(pointer), (value))
#define ATOMIC_ADD64(pointer, value) atomicAdd((scanrt_u64 *)(pointer), (value))
#define ATOMIC_LOAD(pointer) (*(const volatile scanrt_u32 *)(pointer))
#define ATOMIC_STORE(pointer, value) ((void)(*(volatile scanrt_u32 *)(pointer) = (value)))
#define ATOMIC_MIN(pointer, value) ((void)atomicMin((scanrt_u32 *)(pointer), (value)))
#define ATOMIC_ADD_LOCAL(pointer, value) ATOMIC_ADD(pointer, value)
#define ATOMIC_INC_LOCAL(pointer) ((void)atomicAdd((scanrt_u32 *)(pointer), 1u))
#define ATOMIC_MIN_LOCAL(pointer, value) ((void)atomicMin((scanrt_u32 *)(pointer), (value)))
#define ATOMIC_OR_LOCAL(pointer, value) ((void)atomicOr((scanrt_u32 *)(pointer), (value)))
#define FENCE() __threadfence()

/* Loads what is read once and need not stay in the cache; not by the read-only path, since the output may be the
 * input. */
template <class T> FUNC T scanrt_load_stream(const T *p) { return __ldcs(p); }

FUNC void scanrt_word_store(volatile scanrt_u64 *p, scanrt_u64 w) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(w) : "memory");
}
FUNC scanrt_u64 scanrt_word_load(volatile scanrt_u64 *p) {
  scanrt_u64 w;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p) : "memory");
  return w;
}

/* Loads two words, each of which is valid by itself, from a multiple of 16 bytes. */
#define WORD_LOAD_PAIR(p, first, second)                                                                               \
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(p) : "memory")

#define PREFETCH(pointer) asm volatile("prefetch.global.L2 [%0];" ::"l"(pointer))

FUNC scanrt_u32 scanrt_shuffle_up_u32(scanrt_u32 x, scanrt_u32 distance) { return __shfl_up_sync(~0u, x, distance); }
FUNC scanrt_u32 scanrt_shuffle_down_u32(scanrt_u32 x, scanrt_u32 distance) {
  return __shfl_down_sync(~0u, x, distance);
}
/* Returns the value of the lane `distance` below, if that is not below lane `first`; *is_there is then 1, else 0, by
 * the instruction's own predicate. */
FUNC scanrt_u32 scanrt_shuffle_below_u32(scanrt_u32 x, scanrt_u32 distance, scanrt_u32 first, scanrt_u32 *is_there) {
  scanrt_u32 other, there;
  asm volatile("{\n.reg .pred p;\nshfl.sync.up.b32 %0|p, %2, %3, %4, 0xffffffff;\nselp.u32 %1, 1, 0, p;\n}"
               : "=r"(other), "=r"(there)
               : "r"(x), "r"(distance), "r"(first));
  *is_there = there;
  return other;
}
FUNC scanrt_u32 scanrt_shuffle_xor_u32(scanrt_u32 x, scanrt_u32 mask) { return __shfl_xor_sync(~0u, x, mask); }
FUNC scanrt_u32 scanrt_shuffle_from_u32(scanrt_u32 x, scanrt_u32 lane) { return __shfl_sync(~0u, x, lane); }

#define WARP_BARRIER() __syncwarp()
/* A word whose bit l is the condition of lane l. */
#define WARP_BALLOT(condition) __ballot_sync(~0u, (condition))
/* Swaps the two words of 64 bits. */
#define SWAP_HALVES(x) ((scanrt_u64)(x) << 32 | (scanrt_u64)(x) >> 32)
/* The number of bits that are set in a word. */
#define BITS_SET(word) ((scanrt_u32)__popc(word))
/* Returns the index of the highest bit that is set in a word other than 0. */
FUNC scanrt_u32 LAST_BIT(scanrt_u32 word) {
  scanrt_u32 bit;
  asm("bfind.u32 %0, %1;" : "=r"(bit) : "r"(word));
  return bit;
}

#define SUM_BYTES(w, sum) __dp4a((scanrt_u32)(w), 0x01010101u, (scanrt_u32)(sum))
#define SUM_HALVES(w, sum) __dp2a_lo((scanrt_u32)(w), 0x0101u, (scanrt_u32)(sum))
#define LOW_HALVES(a, b) __byte_perm((a), (b), 0x5410)
#define BYTES_0202(a, b) __byte_perm((a), (b), 0x6240)
#define WORD_AFTER(low, high, shift) __funnelshift_l((low), (high), (shift))
#define BYTE_2020(a) __byte_perm((a), 0, 0x4242)
#define BYTES_1313(a, b) __byte_perm((a), (b), 0x7351)
#define BYTE_0303(a) __byte_perm((a), 0, 0x3434)
FUNC scanrt_u32 PAIR_MIN(scanrt_u32 a, scanrt_u32 b) { return __vminu2(a, b); }
FUNC scanrt_u32 PAIR_MAX(scanrt_u32 a, scanrt_u32 b) { return __vmaxu2(a, b); }
#define PAIR_MIN_SIGNED(a, b) __vmins2((a), (b))
#define PAIR_MAX_SIGNED(a, b) __vmaxs2((a), (b))

/* ---- shared memory by 32-bit addresses: one instruction an access in hot loops ---- */

FUNC scanrt_u32 scanrt_shared_u16(scanrt_u32 at) {
  scanrt_u32 x;
  asm volatile("{\n.reg .u16 half;\nld.shared.u16 half, [%1];\ncvt.u32.u16 %0, half;\n}"
               : "=r"(x)
               : "r"(at)
               : "memory");
  return x;
}
FUNC scanrt_u32 scanrt_shared_u32(scanrt_u32 at) {
  scanrt_u32 x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
  return x;
}
FUNC scanrt_u64 scanrt_shared_u64(scanrt_u32 at) {
  scanrt_u64 x;
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(x) : "r"(at) : "memory");
  return x;
}
FUNC void scanrt_shared_pair_u32(scanrt_u32 at, scanrt_u32 *x, scanrt_u32 *y) {
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(*x), "=r"(*y) : "r"(at) : "memory");
}
FUNC void scanrt_shared_pair_u64(scanrt_u32 at, scanrt_u64 *x, scanrt_u64 *y) {
  asm volatile("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(*x), "=l"(*y) : "r"(at) : "memory");
}
FUNC void scanrt_shared_set_u16(scanrt_u32 at, scanrt_u32 x) {
  asm volatile("{\n.reg .u16 half;\ncvt.u16.u32 half, %1;\nst.shared.u16 [%0], half;\n}" ::"r"(at), "r"(x) : "memory");
}
FUNC void scanrt_shared_set_u32(scanrt_u32 at, scanrt_u32 x) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
}
FUNC void scanrt_shared_set_u64(scanrt_u32 at, scanrt_u64 x) {
  asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(x) : "memory");
}
FUNC void scanrt_shared_set_pair_u32(scanrt_u32 at, scanrt_u32 x, scanrt_u32 y) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(x), "r"(y) : "memory");
}
FUNC void scanrt_shared_set_pair_u64(scanrt_u32 at, scanrt_u64 x, scanrt_u64 y) {
  asm volatile("st.shared.v2.u64 [%0], {%1, %2};" ::"r"(at), "l"(x), "l"(y) : "memory");
}
/* Stores 16 bytes of zeros. */
FUNC void scanrt_shared_clear(scanrt_u32 at) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0) : "memory");
}
/* Adds x atomically; returns the number before. */
FUNC scanrt_u32 scanrt_shared_add(scanrt_u32 at, scanrt_u32 x) {
  scanrt_u32 before;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(before) : "r"(at), "r"(x) : "memory");
  return before;
}
FUNC void scanrt_shared_count(scanrt_u32 at) { asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory"); }

/* Loads COUNT descriptors of 32 bits side by side, each of which is valid by itself. */
template <int COUNT> FUNC void scanrt_halves_load(const scanrt_u32 *p, scanrt_u32 *x) {
  if (COUNT == 1)
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x[0]) : "l"(p) : "memory");
  else if (COUNT == 2)
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1 % COUNT]) : "l"(p) : "memory");
  else
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1 % COUNT]), "=r"(x[2 % COUNT]), "=r"(x[3 % COUNT])
                 : "l"(p)
                 : "memory");
}
/* Stores COUNT descriptors of 32 bits side by side, each of which is valid by itself. */
template <int COUNT> FUNC void scanrt_halves_store(scanrt_u32 *p, const scanrt_u32 *x) {
  if (COUNT == 1)
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(x[0]) : "memory");
  else if (COUNT == 2)
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(x[0]), "r"(x[1 % COUNT]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(x[0]), "r"(x[1 % COUNT]),
                 "r"(x[2 % COUNT]), "r"(x[3 % COUNT])
                 : "memory");
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/* ---- clusters of work-groups: other work-groups' shared memory, by addresses made of one's own (sm_90) ----
 * The barrier is not `.aligned`: lanes that a branch has parted arrive one by one. */
#define CLUSTER_BARRIER() asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory")
FUNC scanrt_u32 scanrt_cluster_address(scanrt_u32 at, scanrt_u32 group) {
  scanrt_u32 there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(group));
  return there;
}
FUNC scanrt_u32 scanrt_cluster_u32(scanrt_u32 at) {
  scanrt_u32 x;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
  return x;
}
FUNC void scanrt_cluster_set(scanrt_u32 at, scanrt_u32 x) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
}
FUNC void scanrt_cluster_set(scanrt_u32 at, scanrt_u64 x) {
  asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(at), "l"(x) : "memory");
}
#endif

/* A barrier of all work-items; true if any of them has `x`. */
#define BARRIER_ANY(x) (__syncthreads_or(x) != 0)
#define LOAD_L2(pointer) __ldcg(pointer) /* not from the multiprocessor's own cache */
FUNC scanrt_u64 scanrt_shuffle_up_u64(scanrt_u64 x, scanrt_u32 distance) { return __shfl_up_sync(~0u, x, distance); }

/* ---- for pipelined.cuh, beyond the portable dialect (PTX ISA, "mbarrier" and "cp.async"; sm_80) ---- */

FUNC scanrt_u32 scanrt_shared_address(const void *p) { return (scanrt_u32)__cvta_generic_to_shared(p); }
FUNC scanrt_u32 scanrt_dynamic_shared_bytes() {
  scanrt_u32 bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
FUNC void scanrt_mbarrier_init(scanrt_u64 *b, scanrt_u32 arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(scanrt_shared_address(b)), "r"(arrivals) : "memory");
}
FUNC void scanrt_mbarrier_arrive(scanrt_u64 *b) {
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(scanrt_shared_address(b))
               : "memory");
}
FUNC scanrt_u32 scanrt_mbarrier_test(scanrt_u64 *b, scanrt_u32 phase) {
  scanrt_u32 done;
#if __CUDA_ARCH__ >= 900
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(scanrt_shared_address(b)), "r"(phase)
               : "memory");
#else
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(scanrt_shared_address(b)), "r"(phase)
               : "memory");
#endif
  return done;
}
FUNC void scanrt_mbarrier_wait(scanrt_u64 *b, scanrt_u32 phase) {
  while (!scanrt_mbarrier_test(b, phase)) {}
}
/* Returns x as a number unknown to the compiler, which then computes what depends on it again instead of keeping it in
 * registers. */
FUNC scanrt_u32 scanrt_anew(scanrt_u32 x) {
  asm volatile("" : "+r"(x));
  return x;
}
FUNC scanrt_u32 scanrt_warp_sum(scanrt_u32 x) { return __reduce_add_sync(~0u, x); }
FUNC scanrt_u32 scanrt_warp_max(scanrt_u32 x) { return __reduce_max_sync(~0u, x); }
FUNC scanrt_u32 scanrt_warp_min(scanrt_u32 x) { return __reduce_min_sync(~0u, x); }
FUNC void scanrt_async_copy16(void *shared, const void *global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(scanrt_shared_address(shared)), "l"(global)
               : "memory");
}
/* Orders ordinary accesses to shared memory before those of the copy engine to the same place. */
FUNC void scanrt_copy_engine_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
#if __CUDA_ARCH__ >= 900
/* Arrives at b for a warp that expects `bytes` of the copy engine, which completes on b. Call it before the copy. */
FUNC void scanrt_async_expect(scanrt_u64 *b, scanrt_u32 bytes) {
#ifdef SCAN_TEST_LANES_ARRIVE /* the other lanes arrive themselves */
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(scanrt_shared_address(b)), "r"(bytes)
               : "memory");
#else
  asm volatile(
      "mbarrier.arrive.shared::cta.b64 _, [%0], 31;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
          scanrt_shared_address(b)),
      "r"(bytes)
      : "memory");
#endif
}
/* Arrives at b for a single lane that expects `bytes` of the copy engine. */
FUNC void scanrt_async_expect_alone(scanrt_u64 *b, scanrt_u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(scanrt_shared_address(b)), "r"(bytes)
               : "memory");
}
/* Copies by the copy engine, which completes on b. */
FUNC void scanrt_async_copy(void *shared, const void *global, scanrt_u32 bytes, scanrt_u64 *b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   scanrt_shared_address(shared)),
               "l"(global), "r"(bytes), "r"(scanrt_shared_address(b))
               : "memory");
}
#endif
FUNC void scanrt_async_wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
FUNC void scanrt_async_arrive(scanrt_u64 *b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(scanrt_shared_address(b)) : "memory");
}
#endif
#endif
