# SPDX-License-Identifier: BSD-2-Clause
# The host's SIMD loops, compiled once for each instruction set (runtime/device/host/host_simd.h): an object library
# scanrt_host_<set> each. They are made from parts of the portable kernels, take most of the compiler's time, and are
# compiled once for the library and for its copy under test. Sets SCANRT_HOST_TARGETS, the object libraries,
# SCANRT_HOST_OBJECTS, their objects, and SCANRT_HOST_SETS, the definitions for the code that chooses among them.

include(CheckCSourceCompiles)
include(CheckCSourceRuns)

option(SCANRT_HOST_NATIVE "Compile the host's kernels for this machine's registers alone: it is the only one that runs them" OFF)

# Sanitizers take minutes over optimised kernels.
set(host_options "$<$<CONFIG:Release,RelWithDebInfo>:-O3>")
if(SCANRT_SANITIZE)
  set(host_options -O0 -g1)
elseif(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  list(APPEND host_options -fno-asynchronous-unwind-tables) # no stack is unwound through them
endif()
# Their loops are nine tenths of all edges, slow each run of a fuzzer, and teach it nothing.
if(SCANRT_FUZZ)
  list(APPEND host_options -fno-sanitize=fuzzer-no-link)
endif()

set(host_compress_store runtime/device/host/select/compress_store.c)
set(host_rows8 runtime/device/host/scan/composite_simd.c runtime/device/host/scan/simd_rows8_builtin.c)
set(host_folds runtime/device/host/scan/segment_folds.c)
set(host_sorts runtime/device/host/sort/simd_sort.c)
set(host_kernels runtime/device/host/host_table.c ${host_rows8} ${host_folds} ${host_compress_store})

# gcc must make vectors of loops over eight rows, whatever its cost model says. Floating-point exceptions are not read.
set(rows8_options -fno-trapping-math)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SCANRT_SANITIZE)
  list(APPEND rows8_options -fvect-cost-model=unlimited)
endif()
set_source_files_properties(${host_rows8} PROPERTIES COMPILE_OPTIONS "${rows8_options}")

# Where a function begins within a line of the cache decides 5 % of the time of a fold, and 12 % of that of a sort.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SCANRT_SANITIZE)
  set_source_files_properties(${host_folds} runtime/device/host/sort/host_sort_loops.c
    runtime/device/host/sort/host_sort_part.c PROPERTIES COMPILE_OPTIONS -falign-functions=64)
endif()

# scanrt_host_set(set bytes flags files...): compiles the files with the flags, a list, for registers of that many bytes.
macro(scanrt_host_set set bytes flags)
  add_library(scanrt_host_${set} OBJECT ${ARGN} "${SCANRT_INSTANCE_END}" "${SCANRT_INSTANCE_NAMES}")
  target_compile_options(scanrt_host_${set} PRIVATE ${host_options} ${flags})
  target_compile_definitions(scanrt_host_${set} PRIVATE HOST_SIMD=${set} REG_BYTES=${bytes})
  target_include_directories(scanrt_host_${set} PRIVATE "${SCANRT_EMBED_DIR}")
  list(APPEND SCANRT_HOST_TARGETS scanrt_host_${set})
  list(APPEND SCANRT_HOST_OBJECTS $<TARGET_OBJECTS:scanrt_host_${set}>)
  string(TOUPPER "HOST_HAS_${set}=1" has_set)
  list(APPEND SCANRT_HOST_SETS ${has_set})
endmacro()

# scanrt_host_compiles(feature flags result): sets `result` to whether the compiler makes x86-64 code with these flags, a
# list, and knows how to ask the processor for the feature.
function(scanrt_host_compiles feature flags result)
  list(JOIN flags " " CMAKE_REQUIRED_FLAGS)
  check_c_source_compiles("
    #ifndef __x86_64__
    #error
    #endif
    int main(void) { return __builtin_cpu_supports(\"${feature}\"); }" ${result})
endfunction()

set(host_avx2 -mavx2)
set(host_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512vbmi2 -mpopcnt)
scanrt_host_compiles(avx2 "${host_avx2}" SCANRT_COMPILES_AVX2)
if(SCANRT_COMPILES_AVX2)
  scanrt_host_compiles(avx512vbmi2 "${host_avx512}" SCANRT_COMPILES_AVX512)
endif()

set(host_sve2 -march=armv9-a)
list(JOIN host_sve2 " " CMAKE_REQUIRED_FLAGS)
check_c_source_compiles("
  #include <arm_sve.h>
  #include <asm/hwcap.h>
  #include <sys/auxv.h>
  #include <sys/prctl.h>
  int main(void) { return (getauxval(AT_HWCAP2) & HWCAP2_SVE2) != 0 && prctl(PR_SVE_GET_VL) > 0 && svcntb() > 16; }" SCANRT_COMPILES_SVE2)
unset(CMAKE_REQUIRED_FLAGS)

set(SCANRT_HOST_TARGETS "")
set(SCANRT_HOST_OBJECTS "")
set(SCANRT_HOST_SETS "")
if(SCANRT_HOST_NATIVE AND SCANRT_COMPILES_AVX2 AND NOT CMAKE_CROSSCOMPILING)
  check_c_source_runs("int main(void) { return !__builtin_cpu_supports(\"avx2\"); }" SCANRT_HAS_AVX2)
endif()
if(NOT (SCANRT_HOST_NATIVE AND SCANRT_COMPILES_AVX2 AND SCANRT_HAS_AVX2))
  scanrt_host_set(baseline 16 "" ${host_kernels})
endif()
if(SCANRT_COMPILES_AVX2)
  scanrt_host_set(avx2 32 "${host_avx2}" ${host_kernels} ${host_sorts})
endif()
if(SCANRT_COMPILES_AVX2 AND SCANRT_COMPILES_AVX512)
  scanrt_host_set(avx512 64 "${host_avx512}" ${host_folds} ${host_compress_store} ${host_sorts})
endif()
if(SCANRT_COMPILES_SVE2)
  scanrt_host_set(sve2 16 "${host_sve2}" ${host_compress_store})
endif()
