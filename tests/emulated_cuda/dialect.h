/* SPDX-License-Identifier: BSD-2-Clause */
/* kernels_cu/dialect.h once more, in C++ for the processor: what concerns other lanes is a call to whoever runs the
 * block (emulation.h). Included before that file, whose guard it takes. */
#ifndef SCANRT_DIALECT_H
#define SCANRT_DIALECT_H
#include "emulation.h"

typedef signed char scan_i8;
typedef unsigned char scan_u8;
typedef short scan_i16;
typedef unsigned short scan_u16;
typedef int scan_i32;
typedef unsigned int scan_u32;
typedef long long scan_i64;
typedef unsigned long long scan_u64;
typedef float scan_f32;
typedef double scan_f64;
typedef decltype(sizeof 0) size_t;
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
typedef uint2 scan_raw8;
typedef uint4 scan_raw16;

/* Set by the driver when it loads the module. */
extern "C" {
__attribute__((visibility("default"), used)) const emulated_calls *emulated_cuda;
/* By which the driver finds a thread's shared variables. */
__attribute__((visibility("default"), used)) thread_local char emulated_shared;
}

#define __global__ __attribute__((visibility("default"), used))
#define __launch_bounds__(...)
/* A block is one thread of the processor from its begin to its end, and no thread runs two blocks. */
#define __shared__ static thread_local

#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#define DYNAMIC_SHARED(name) unsigned char *const name = emulated_cuda->dynamic_shared()
#define FUNC static inline
#define MAY_ALIAS /* no analysis by types */
#define UNROLL
#define NO_UNROLL
#define KERNEL_PASTE(a, b) a##b
#define KERNEL_NAME(name, suffix) KERNEL_PASTE(name, suffix)
#define KERNEL(name) extern "C" __global__ void KERNEL_NAME(name, SCAN_SUFFIX)

#define ITEM() (emulated_cuda->place()->item)
#define GROUP() (emulated_cuda->place()->group)
#define GROUPS() (emulated_cuda->place()->groups)
#define OWN_TILES 1
#define BARRIER() emulated_cuda->barrier(0, 0)
#define NAMED_BARRIER(id, items) emulated_cuda->barrier((id), (items))

#define ADDRESS(pointer) ((size_t)(pointer))
#define LOAD_STREAM(pointer) (*(pointer))

template <class To, class From> FUNC To emulated_bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "bits are taken as they are");
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}
#define F32_INFINITY __builtin_inff()
#define F64_INFINITY __builtin_inf()
#define F32_BITS(x) emulated_bits<scan_u32>((scan_f32)(x))
#define BITS_F32(x) emulated_bits<scan_f32>((scan_u32)(x))
#define F64_BITS(x) emulated_bits<scan_u64>((scan_f64)(x))
#define BITS_F64(x) emulated_bits<scan_f64>((scan_u64)(x))

template <class T> FUNC void emulated_min(T *p, T value) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(p, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
#define ATOMIC_ADD(pointer, value) __atomic_fetch_add((scan_u32 *)(pointer), (value), __ATOMIC_RELAXED)
#define ATOMIC_ADD64(pointer, value) __atomic_fetch_add((scan_u64 *)(pointer), (value), __ATOMIC_RELAXED)
#define ATOMIC_LOAD(pointer) __atomic_load_n((const scan_u32 *)(pointer), __ATOMIC_RELAXED)
#define ATOMIC_STORE(pointer, value) __atomic_store_n((scan_u32 *)(pointer), (value), __ATOMIC_RELAXED)
#define ATOMIC_MIN(pointer, value) emulated_min((scan_u32 *)(pointer), (scan_u32)(value))
#define ATOMIC_MIN_LOCAL(pointer, value) emulated_min((scan_u32 *)(pointer), (scan_u32)(value))
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

FUNC void word_store(volatile scan_u64 *p, scan_u64 w) { emulated_cuda->word_store(p, w); }
FUNC scan_u64 word_load(volatile scan_u64 *p) { return emulated_cuda->word_load(p); }
#define WORD_LOAD_PAIR(p, first, second) ((first) = word_load(p), (second) = word_load((p) + 1))
#define PREFETCH(pointer) ((void)(pointer))

FUNC scan_u32 shuffle_up_u32(scan_u32 x, scan_u32 distance) {
  return emulated_cuda->exchange(EMULATED_UP, ~0u, x, distance);
}
FUNC scan_u32 shuffle_down_u32(scan_u32 x, scan_u32 distance) {
  return emulated_cuda->exchange(EMULATED_DOWN, ~0u, x, distance);
}
FUNC scan_u32 shuffle_xor_u32(scan_u32 x, scan_u32 mask) { return emulated_cuda->exchange(EMULATED_XOR, ~0u, x, mask); }
FUNC scan_u32 shuffle_from_u32(scan_u32 x, scan_u32 lane) {
  return emulated_cuda->exchange(EMULATED_FROM, ~0u, x, lane);
}
FUNC int __all_sync(scan_u32 mask, int x) { return (int)emulated_cuda->exchange(EMULATED_ALL, mask, x != 0, 0); }
#define WARP_BALLOT(condition) emulated_cuda->exchange(EMULATED_BALLOT, ~0u, (condition) != 0, 0)
#define LAST_BIT(word) (31 - __builtin_clz(word))
FUNC void __syncwarp(scan_u32 mask = ~0u) { (void)emulated_cuda->exchange(EMULATED_SYNC, mask, 0, 0); }

FUNC scan_u32 __funnelshift_r(scan_u32 low, scan_u32 high, scan_u32 shift) {
  return (scan_u32)(((scan_u64)high << 32 | low) >> (shift & 31));
}
FUNC scan_u32 __funnelshift_l(scan_u32 low, scan_u32 high, scan_u32 shift) {
  return (scan_u32)(((scan_u64)high << 32 | low) << (shift & 31) >> 32);
}

/* ---- packed bytes and halves ---- */

FUNC scan_u32 __byte_perm(scan_u32 a, scan_u32 b, scan_u32 selector) {
  const scan_u64 both = (scan_u64)b << 32 | a;
  scan_u32 result = 0;
  for (int i = 0; i < 4; i++) result |= (scan_u32)(both >> 8 * (selector >> 4 * i & 7) & 0xffu) << 8 * i;
  return result;
}
FUNC scan_u32 SUM_BYTES(scan_u32 w, scan_u32 sum) {
  return sum + (w & 0xffu) + (w >> 8 & 0xffu) + (w >> 16 & 0xffu) + (w >> 24);
}
FUNC scan_u32 SUM_HALVES(scan_u32 w, scan_u32 sum) { return sum + (w & 0xffffu) + (w >> 16); }
#define LOW_HALVES(a, b) __byte_perm((a), (b), 0x5410)
#define BYTES_0202(a, b) __byte_perm((a), (b), 0x6240)
#define WORD_AFTER(low, high, shift) __funnelshift_l((low), (high), (shift))
#define BYTE_2020(a) __byte_perm((a), 0, 0x4242)
#define BYTES_1313(a, b) __byte_perm((a), (b), 0x7351)
#define BYTE_0303(a) __byte_perm((a), 0, 0x3434)
template <class T> FUNC scan_u32 emulated_halves(scan_u32 a, scan_u32 b, int takes_less) {
  scan_u32 result = 0;
  for (int i = 0; i < 2; i++) {
    const T x = (T)(a >> 16 * i), y = (T)(b >> 16 * i);
    result |= (scan_u32)(scan_u16)((x < y) == takes_less ? x : y) << 16 * i;
  }
  return result;
}
#define PAIR_MIN(a, b) emulated_halves<scan_u16>((a), (b), 1)
#define PAIR_MAX(a, b) emulated_halves<scan_u16>((a), (b), 0)
#define PAIR_MIN_SIGNED(a, b) emulated_halves<scan_i16>((a), (b), 1)
#define PAIR_MAX_SIGNED(a, b) emulated_halves<scan_i16>((a), (b), 0)

/* ---- beyond the portable dialect ---- */

FUNC scan_u32 dynamic_shared_bytes() { return emulated_cuda->place()->dynamic_bytes; }
#define mbarrier_init(b, arrivals) emulated_cuda->phase_init((b), (arrivals))
#define mbarrier_arrive(b) emulated_cuda->phase_arrive((b), 1, 0)
#define mbarrier_test(b, phase) emulated_cuda->phase_is_over((b), (phase))
#define mbarrier_wait(b, phase) emulated_cuda->phase_wait((b), (phase), #b)
FUNC void async_copy16(void *shared, const void *global) { emulated_cuda->copy_16(shared, global); }
FUNC void async_wait() { emulated_cuda->copies_wait(); }
FUNC void async_arrive(scan_u64 *b) { emulated_cuda->copies_arrive(b); }
FUNC void copy_engine_fence() {}
FUNC void async_expect(scan_u64 *b, scan_u32 bytes) {
#ifndef SCAN_TEST_LANES_ARRIVE /* the other lanes arrive by themselves */
  emulated_cuda->phase_arrive(b, 31, 0);
#endif
  emulated_cuda->phase_arrive(b, 1, bytes);
}
FUNC void async_copy(void *shared, const void *global, scan_u32 bytes, scan_u64 *b) {
  emulated_cuda->copy_bulk(shared, global, bytes, b);
}
#endif
