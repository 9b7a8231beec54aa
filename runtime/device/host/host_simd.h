/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops that the build compiles once for each instruction set (tools/cmake/HostKernels.cmake), and the choice among
 * them. For a file of such loops it defines HOST_SIMD, the set: baseline, avx2, avx512 or sve2; and REG_BYTES, the
 * width of its vector registers: 16, 32 or 64. Registers of SVE2 have 16 or more. For all other files it
 * defines HOST_HAS_<set> for each set that it compiles. */
#ifndef SCANRT_HOST_SIMD_H
#define SCANRT_HOST_SIMD_H

#include <stdint.h>

#if defined(REG_BYTES) && REG_BYTES > 16
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#if defined(REG_BYTES) && defined(__ARM_FEATURE_SVE2)
#include <arm_sve.h>
#endif

/* Appends the instruction set to a name. */
#define HOST_SIMD_JOIN(name, set) name##_##set
#define HOST_SIMD_JOIN_OF(name, set) HOST_SIMD_JOIN(name, set)
#define HOST_SIMD_NAME(name) HOST_SIMD_JOIN_OF(name, HOST_SIMD)

/* Returns the width of the widest vector registers, up to most_bytes, that this processor has and loops are compiled
 * for: 16, 32 or 64. */
uint32_t scan_host_register_bytes(uint32_t most_bytes);

/* Returns 1 if loops are compiled for SVE2, this processor's SVE2 registers and most_bytes exceed 16 bytes. In
 * registers of 16 bytes NEON takes fewer instructions. */
int scan_host_prefers_sve2(uint32_t most_bytes);

/* The address of `name` for registers of up to most_bytes. A build for one machine has no baseline. */
#if !defined(HOST_HAS_AVX2)
#define HOST_SIMD_CHOOSE(name, most_bytes) ((void)(most_bytes), &name##_baseline)
#elif !defined(HOST_HAS_BASELINE)
#define HOST_SIMD_CHOOSE(name, most_bytes) ((void)(most_bytes), &name##_avx2)
#else
#define HOST_SIMD_CHOOSE(name, most_bytes)                                                                             \
  (scan_host_register_bytes(most_bytes) >= 32 ? &name##_avx2 : &name##_baseline)
#endif

/* HOST_SIMD_CHOOSE for loops that are compiled for AVX-512 or SVE2, too. */
#if defined(HOST_HAS_AVX512)
#define HOST_SIMD_CHOOSE_WIDEST(name, most_bytes)                                                                      \
  (scan_host_register_bytes(most_bytes) >= 64 ? &name##_avx512 : HOST_SIMD_CHOOSE(name, most_bytes))
#elif defined(HOST_HAS_SVE2)
#define HOST_SIMD_CHOOSE_WIDEST(name, most_bytes)                                                                      \
  (scan_host_prefers_sve2(most_bytes) ? &name##_sve2 : HOST_SIMD_CHOOSE(name, most_bytes))
#else
#define HOST_SIMD_CHOOSE_WIDEST(name, most_bytes) HOST_SIMD_CHOOSE(name, most_bytes)
#endif

#endif
