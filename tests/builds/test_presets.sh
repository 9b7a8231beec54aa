#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/builds/test_presets.sh SOURCES COMPILER
# Tests the presets. `release`, which the README's install line names, has no tests and no peers and needs no cmocka;
# its
# CUDA kernels are for the machine's GPU, or for all if there is none. `tests` has the tests.
set -euo pipefail
sources=$1 compiler=$2 name=presets
source "$sources/tests/builds/configure.sh"
nvcc=(-DSCANRT_CUDA=ON "-DSCANRT_NVCC=$here/fake_nvcc.sh" "-DCMAKE_C_COMPILER=$compiler" -DSCANRT_BUILD_MPI=OFF -DSCANRT_FORTRAN=OFF)

# First a driver without GPUs replaces the machine's own, then one with a GPU.
mkdir "$work/no_gpu" "$work/gpu"
echo 'int cuInit(unsigned flags) { return 100 + (int)flags; }' >"$work/none.c"
"$compiler" -shared -fPIC "$work/none.c" -o "$work/no_gpu/libcuda.so.1"
"$compiler" -shared -fPIC "$here/fake_driver.c" -o "$work/gpu/libcuda.so.1"

LD_LIBRARY_PATH=$work/no_gpu configure everywhere "${nvcc[@]}"
targets everywhere | lacks "the preset release builds tests or peers" '(bin/(test|unit)_|libscanrt_peer)'
commands everywhere | has "without a GPU it is not for all" 'code=\[compute_75,sm_80,sm_90,sm_100,sm_120\]'
LD_LIBRARY_PATH=$work/gpu configure here "${nvcc[@]}"
commands here | has "with a GPU it is not for that" 'arch=compute_75,code=\[sm_86\]'
commands here | lacks "with a GPU it is for others, too" 'sm_90[],]'
LD_LIBRARY_PATH=$work/gpu configure asked "${nvcc[@]}" -DSCANRT_CUDA_ARCHS=all
commands asked | has "SCANRT_CUDA_ARCHS=all is not for all" 'code=\[compute_75,sm_80,sm_90,sm_100,sm_120\]'
(cd "$sources" && cmake --list-presets=all .) | has "there is no preset for tests" '"tests"'
echo "presets: all right"
