#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/builds/test_cross.sh SOURCES
# Tests that a cross build for aarch64 configures without running a program of that processor. Without CUDA it needs no
# table of the catalogue; with CUDA a program of the build machine writes the table. It uses SCANRT_CL_INCLUDE and no
# other headers of the build machine, and omits peers, MPI and Fortran. Exits 77 without aarch64-linux-gnu-gcc.
set -euo pipefail
sources=$1 name=cross
source "$sources/tests/builds/configure.sh"
command -v aarch64-linux-gnu-gcc >/dev/null ||
  { echo "skipped: aarch64-linux-gnu-gcc is missing (Debian: gcc-aarch64-linux-gnu)"; exit 77; }

mkdir -p "$work/headers/CL" "$work/root"
touch "$work/headers/CL/cl.h" "$work/headers/stdio.h"
cat >"$work/aarch64.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH "$work/root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
END
cross=("-DCMAKE_TOOLCHAIN_FILE=$work/aarch64.cmake" "-DSCANRT_CL_INCLUDE=$work/headers")

configure plain "${cross[@]}" -DSCANRT_CUDA=OFF
commands plain | lacks "it runs scanrt_catalogue" 'scanrt_catalogue'
commands plain | has "SCANRT_CL_INCLUDE is ignored" "-isystem $work/plain/cl_headers"
commands plain | lacks "it compiles with the build machine's headers" "isystem ($work/headers|/usr)"
[ "$(ls "$work/plain/cl_headers")" = CL ] || fail "there is more than CL in cl_headers"
commands plain | lacks "peers, MPI or Fortran are built" '(peer_std|libscanrt_mpi|libscanrt_fortran)'

configure cuda "${cross[@]}" -DSCANRT_CUDA=ON "-DSCANRT_NVCC=$here/fake_nvcc.sh"
commands cuda scanrt | has "the catalogue is not made by a program of this machine" 'build_machine/bin/scanrt_catalogue'
commands cuda scanrt | has "with a cross compiler SCANRT_CUDA_ARCHS=auto is not all" 'code=\[compute_75,sm_80,sm_90,sm_100,sm_120\]'
echo "cross: all right"
