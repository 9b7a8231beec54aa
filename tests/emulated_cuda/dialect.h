/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces kernels_cu/lib/dialect.h by C++ for the processor; operations between lanes call the executor (emulation.h).
 * It is included before dialect.h and defines its guard. */
#ifndef SCANRT_DIALECT_H
#define SCANRT_DIALECT_H
#include "emulation.h"

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
typedef decltype(sizeof 0) size_t;
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
static inline uint2 make_uint2(unsigned x, unsigned y) { return { x, y }; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return { x, y, z, w }; }
extern "C" void *memcpy(void *to, const void *from, size_t bytes);
typedef uint2 scanrt_raw8;
typedef uint4 scanrt_raw16;

/* The executor's table; the driver sets it when it loads the module. */
extern "C" {
__attribute__((visibility("default"), used)) const emulated_calls *emulated_cuda;
/* The driver finds a thread's shared variables by the address of this one. */
__attribute__((visibility("default"), used)) thread_local char emulated_shared;
}

#define __global__ __attribute__((visibility("default"), used))
#define __launch_bounds__(...)
/* A block is one thread of the processor from begin to end, and no thread runs two blocks at once. */
#define __shared__ static thread_local

#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY(type, name, count) __shared__ type name[count]
#define DYNAMIC_SHARED(name) unsigned char *const name = emulated_cuda->dynamic_shared()
#define LOCAL_LARGE(type, name) type *const name = (type *)emulated_cuda->dynamic_shared()
#define FUNC static inline
#define FUNC_CALLED FUNC
#define MAY_ALIAS /* strict aliasing is off */
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
#define KERNEL_END()
#define NAMED_BARRIER(id, items) emulated_cuda->barrier((id), (items))
#define NUMBERED_BARRIER(id, items) NAMED_BARRIER((id), (items))

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
#define F32_BITS(x) emulated_bits<scanrt_u32>((scanrt_f32)(x))
#define BITS_F32(x) emulated_bits<scanrt_f32>((scanrt_u32)(x))
#define F64_BITS(x) emulated_bits<scanrt_u64>((scanrt_f64)(x))
#define BITS_F64(x) emulated_bits<scanrt_f64>((scanrt_u64)(x))

template <class T> FUNC void emulated_min(T *p, T value) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(p, &old, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
#define ATOMIC_ADD(pointer, value) __atomic_fetch_add((scanrt_u32 *)(pointer), (value), __ATOMIC_RELAXED)
#define ATOMIC_ADD64(pointer, value) __atomic_fetch_add((scanrt_u64 *)(pointer), (value), __ATOMIC_RELAXED)
#define ATOMIC_LOAD(pointer) __atomic_load_n((const scanrt_u32 *)(pointer), __ATOMIC_RELAXED)
#define ATOMIC_STORE(pointer, value) __atomic_store_n((scanrt_u32 *)(pointer), (value), __ATOMIC_RELAXED)
#define ATOMIC_MIN(pointer, value) emulated_min((scanrt_u32 *)(pointer), (scanrt_u32)(value))
#define ATOMIC_ADD_LOCAL(pointer, value) ATOMIC_ADD(pointer, value)
#define ATOMIC_INC_LOCAL(pointer) ((void)__atomic_fetch_add((scanrt_u32 *)(pointer), 1u, __ATOMIC_RELAXED))
#define ATOMIC_MIN_LOCAL(pointer, value) emulated_min((scanrt_u32 *)(pointer), (scanrt_u32)(value))
#define ATOMIC_OR_LOCAL(pointer, value) ((void)__atomic_fetch_or((scanrt_u32 *)(pointer), (value), __ATOMIC_RELAXED))
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

FUNC void scanrt_word_store(volatile scanrt_u64 *p, scanrt_u64 w) { emulated_cuda->word_store(p, w); }
FUNC scanrt_u64 scanrt_word_load(volatile scanrt_u64 *p) { return emulated_cuda->word_load(p); }
#define WORD_LOAD_PAIR(p, first, second) ((first) = scanrt_word_load(p), (second) = scanrt_word_load((p) + 1))
#define PREFETCH(pointer) ((void)(pointer))

FUNC scanrt_u32 scanrt_shuffle_up_u32(scanrt_u32 x, scanrt_u32 distance) {
  return emulated_cuda->exchange(EMULATED_UP, ~0u, x, distance);
}
FUNC scanrt_u32 scanrt_shuffle_down_u32(scanrt_u32 x, scanrt_u32 distance) {
  return emulated_cuda->exchange(EMULATED_DOWN, ~0u, x, distance);
}
FUNC scanrt_u32 scanrt_shuffle_xor_u32(scanrt_u32 x, scanrt_u32 mask) {
  return emulated_cuda->exchange(EMULATED_XOR, ~0u, x, mask);
}
FUNC scanrt_u32 scanrt_shuffle_below_u32(scanrt_u32 x, scanrt_u32 distance, scanrt_u32 first, scanrt_u32 *is_there) {
  *is_there = ITEM() % 32 >= distance + first;
  return scanrt_shuffle_up_u32(x, distance);
}
FUNC scanrt_u32 scanrt_shuffle_from_u32(scanrt_u32 x, scanrt_u32 lane) {
  return emulated_cuda->exchange(EMULATED_FROM, ~0u, x, lane);
}
FUNC int __all_sync(scanrt_u32 mask, int x) { return (int)emulated_cuda->exchange(EMULATED_ALL, mask, x != 0, 0); }
#define __ballot_sync(mask, condition) emulated_cuda->exchange(EMULATED_BALLOT, (mask), (condition) != 0, 0)
#define WARP_BARRIER() __syncwarp()
#define FRESH(x) (x)
#define WARP_BALLOT(condition) emulated_cuda->exchange(EMULATED_BALLOT, ~0u, (condition) != 0, 0)
#define BITS_SET(word) ((scanrt_u32)__builtin_popcount(word))
#define SWAP_HALVES(x) ((scanrt_u64)(x) << 32 | (scanrt_u64)(x) >> 32)
#define LAST_BIT(word) (31 - __builtin_clz(word))
FUNC void __syncwarp(scanrt_u32 mask = ~0u) { (void)emulated_cuda->exchange(EMULATED_SYNC, mask, 0, 0); }

FUNC int __popc(scanrt_u32 x) { return __builtin_popcount(x); }
FUNC scanrt_u32 __brev(scanrt_u32 x) {
  scanrt_u32 reversed = 0;
  for (int bit = 0; bit < 32; bit++) reversed |= (x >> bit & 1u) << (31 - bit);
  return reversed;
}
FUNC int __clz(scanrt_u32 x) { return x ? __builtin_clz(x) : 32; }
FUNC scanrt_u32 scanrt_anew(scanrt_u32 x) { return x; }
FUNC scanrt_u32 scanrt_warp_sum(scanrt_u32 x) {
  for (scanrt_u32 d = 1; d < 32; d *= 2) x += scanrt_shuffle_xor_u32(x, d);
  return x;
}
FUNC scanrt_u32 __reduce_or_sync(scanrt_u32, scanrt_u32 x) {
  for (scanrt_u32 d = 1; d < 32; d *= 2) x |= scanrt_shuffle_xor_u32(x, d);
  return x;
}
FUNC scanrt_u32 scanrt_warp_max(scanrt_u32 x) {
  for (scanrt_u32 d = 1; d < 32; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_xor_u32(x, d);
    if (other > x) x = other;
  }
  return x;
}

FUNC scanrt_u32 scanrt_warp_min(scanrt_u32 x) { return ~scanrt_warp_max(~x); }

FUNC scanrt_u32 __funnelshift_r(scanrt_u32 low, scanrt_u32 high, scanrt_u32 shift) {
  return (scanrt_u32)(((scanrt_u64)high << 32 | low) >> (shift & 31));
}
FUNC scanrt_u32 __funnelshift_l(scanrt_u32 low, scanrt_u32 high, scanrt_u32 shift) {
  return (scanrt_u32)(((scanrt_u64)high << 32 | low) << (shift & 31) >> 32);
}

/* ---- shared memory by 32-bit address, counted from the begin of dynamic shared memory ---- */

#define scanrt_shared_address(p) ((scanrt_u32)((unsigned char *)(p)-emulated_cuda->dynamic_shared()))
template <class T> FUNC T *emulated_at(scanrt_u32 at) { return (T *)(emulated_cuda->dynamic_shared() + at); }
FUNC scanrt_u32 scanrt_shared_u16(scanrt_u32 at) { return *emulated_at<scanrt_u16>(at); }
FUNC scanrt_u32 scanrt_shared_u32(scanrt_u32 at) { return *emulated_at<scanrt_u32>(at); }
FUNC scanrt_u64 scanrt_shared_u64(scanrt_u32 at) { return *emulated_at<scanrt_u64>(at); }
FUNC void scanrt_shared_set_u16(scanrt_u32 at, scanrt_u32 x) { *emulated_at<scanrt_u16>(at) = (scanrt_u16)x; }
FUNC void scanrt_shared_set_u32(scanrt_u32 at, scanrt_u32 x) { *emulated_at<scanrt_u32>(at) = x; }
FUNC void scanrt_shared_set_u64(scanrt_u32 at, scanrt_u64 x) { *emulated_at<scanrt_u64>(at) = x; }
struct alignas(16) ulonglong2 {
  scanrt_u64 x, y;
};
static inline ulonglong2 make_ulonglong2(scanrt_u64 x, scanrt_u64 y) { return { x, y }; }
FUNC void scanrt_shared_pair_u32(scanrt_u32 at, scanrt_u32 *x, scanrt_u32 *y) {
  *x = emulated_at<uint2>(at)->x;
  *y = emulated_at<uint2>(at)->y;
}
FUNC void scanrt_shared_pair_u64(scanrt_u32 at, scanrt_u64 *x, scanrt_u64 *y) {
  *x = emulated_at<ulonglong2>(at)->x;
  *y = emulated_at<ulonglong2>(at)->y;
}
FUNC void scanrt_shared_set_pair_u32(scanrt_u32 at, scanrt_u32 x, scanrt_u32 y) { *emulated_at<uint2>(at) = { x, y }; }
FUNC void scanrt_shared_set_pair_u64(scanrt_u32 at, scanrt_u64 x, scanrt_u64 y) {
  *emulated_at<ulonglong2>(at) = { x, y };
}
FUNC void scanrt_shared_clear(scanrt_u32 at) { *emulated_at<uint4>(at) = { 0, 0, 0, 0 }; }
FUNC scanrt_u32 scanrt_shared_add(scanrt_u32 at, scanrt_u32 x) {
  const scanrt_u32 before = scanrt_shared_u32(at);
  scanrt_shared_set_u32(at, before + x);
  return before;
}
FUNC void scanrt_shared_count(scanrt_u32 at) { (void)scanrt_shared_add(at, 1); }
template <int COUNT> FUNC void scanrt_halves_load(const scanrt_u32 *p, scanrt_u32 *x) {
  emulated_cuda->halves_load(p, x, COUNT);
}
template <int COUNT> FUNC void scanrt_halves_store(scanrt_u32 *p, const scanrt_u32 *x) {
  emulated_cuda->halves_store(p, x, COUNT);
}
#define BARRIER_ANY(x) (emulated_cuda->barrier_any((x)) != 0)
#define LOAD_L2(pointer) __atomic_load_n((pointer), __ATOMIC_RELAXED)
FUNC scanrt_u64 scanrt_shuffle_up_u64(scanrt_u64 x, scanrt_u32 distance) {
  const scanrt_u32 low = scanrt_shuffle_up_u32((scanrt_u32)x, distance);
  return (scanrt_u64)scanrt_shuffle_up_u32((scanrt_u32)(x >> 32), distance) << 32 | low;
}

/* ---- packed bytes and halves ---- */

FUNC scanrt_u32 __byte_perm(scanrt_u32 a, scanrt_u32 b, scanrt_u32 selector) {
  const scanrt_u64 both = (scanrt_u64)b << 32 | a;
  scanrt_u32 result = 0;
  for (int i = 0; i < 4; i++) result |= (scanrt_u32)(both >> 8 * (selector >> 4 * i & 7) & 0xffu) << 8 * i;
  return result;
}
FUNC scanrt_u32 SUM_BYTES(scanrt_u32 w, scanrt_u32 sum) {
  return sum + (w & 0xffu) + (w >> 8 & 0xffu) + (w >> 16 & 0xffu) + (w >> 24);
}
FUNC scanrt_u32 SUM_HALVES(scanrt_u32 w, scanrt_u32 sum) { return sum + (w & 0xffffu) + (w >> 16); }
#define LOW_HALVES(a, b) __byte_perm((a), (b), 0x5410)
#define BYTES_0202(a, b) __byte_perm((a), (b), 0x6240)
#define WORD_AFTER(low, high, shift) __funnelshift_l((low), (high), (shift))
#define BYTE_2020(a) __byte_perm((a), 0, 0x4242)
#define BYTES_1313(a, b) __byte_perm((a), (b), 0x7351)
#define BYTE_0303(a) __byte_perm((a), 0, 0x3434)
template <class T> FUNC scanrt_u32 emulated_halves(scanrt_u32 a, scanrt_u32 b, int takes_less) {
  scanrt_u32 result = 0;
  for (int i = 0; i < 2; i++) {
    const T x = (T)(a >> 16 * i), y = (T)(b >> 16 * i);
    result |= (scanrt_u32)(scanrt_u16)((x < y) == takes_less ? x : y) << 16 * i;
  }
  return result;
}
#define PAIR_MIN(a, b) emulated_halves<scanrt_u16>((a), (b), 1)
#define PAIR_MAX(a, b) emulated_halves<scanrt_u16>((a), (b), 0)
#define PAIR_MIN_SIGNED(a, b) emulated_halves<scanrt_i16>((a), (b), 1)
#define PAIR_MAX_SIGNED(a, b) emulated_halves<scanrt_i16>((a), (b), 0)

/* ---- beyond the portable dialect ---- */

FUNC scanrt_u32 scanrt_dynamic_shared_bytes() { return emulated_cuda->place()->dynamic_bytes; }
#define scanrt_mbarrier_init(b, arrivals) emulated_cuda->phase_init((b), (arrivals))
#define scanrt_mbarrier_arrive(b) emulated_cuda->phase_arrive((b), 1, 0)
#define scanrt_mbarrier_test(b, phase) emulated_cuda->phase_is_over((b), (phase))
#define scanrt_mbarrier_wait(b, phase) emulated_cuda->phase_wait((b), (phase), #b)
FUNC void scanrt_async_copy16(void *shared, const void *global) { emulated_cuda->copy_16(shared, global); }
FUNC void scanrt_async_wait() { emulated_cuda->copies_wait(); }
FUNC void scanrt_async_arrive(scanrt_u64 *b) { emulated_cuda->copies_arrive(b); }
FUNC void scanrt_copy_engine_fence() {}
FUNC void scanrt_async_expect(scanrt_u64 *b, scanrt_u32 bytes) {
#ifndef SCAN_TEST_LANES_ARRIVE /* otherwise the other lanes arrive by themselves */
  emulated_cuda->phase_arrive(b, 31, 0);
#endif
  emulated_cuda->phase_arrive(b, 1, bytes);
}
FUNC void scanrt_async_expect_alone(scanrt_u64 *b, scanrt_u32 bytes) { emulated_cuda->phase_arrive(b, 1, bytes); }
FUNC void scanrt_async_copy(void *shared, const void *global, scanrt_u32 bytes, scanrt_u64 *b) {
  emulated_cuda->copy_bulk(shared, global, bytes, b);
}

#define SCANRT_ASYNC_STORE_H /* kernels_cu/lib/async_store.h */
FUNC void scanrt_async_store(void *global, const void *shared, scanrt_u32 bytes) {
  __builtin_memcpy(global, shared, bytes);
}
FUNC void scanrt_async_store_commit() {}
template <int LEFT> FUNC void scanrt_async_stores_read() {}
#endif
