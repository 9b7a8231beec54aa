#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/wheel/build_aarch64.sh FOLDER [CMAKE_ARGUMENT...]
# Makes the wheel for aarch64 and glibc 2.28 in FOLDER/wheel, on any processor: zig compiles the library, in
# FOLDER/build, with that glibc's symbols. It has no CUDA kernels, unless the arguments say otherwise. Exits 77 without
# zig, or without the wheels that tools/setup_python.sh fetches.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
mkdir -p "${1:?usage: $0 FOLDER [CMAKE_ARGUMENT...]}"
folder_of_build=$(cd "$1" && pwd)
shift
client_folder zig
zig=$(echo "$folder"/lib/python3*/site-packages/ziglang/zig)

# ccache compares this text instead of the compiler, so the version is in it.
write_compiler() {
  printf '#!/bin/sh\n# zig %s\nexec "%s" cc -target aarch64-linux-gnu.2.28 "$@"\n' "$("$zig" version)" "$zig" >"$1.new"
  chmod +x "$1.new"
  if cmp -s "$1" "$1.new"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

write_compiler "$folder_of_build/cc"
export CCACHE_COMPILERCHECK=content CCACHE_COMPILERTYPE=clang
cmake -S "$project" -B "$folder_of_build/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER="$folder_of_build/cc" -DSCANRT_CUDA=OFF -DSCANRT_BUILD_TESTS=OFF \
  -DSCANRT_BUILD_TOOLS=OFF -DSCANRT_BUILD_MPI=OFF -DSCANRT_FORTRAN=OFF -DSCANRT_INSTALL=OFF "$@"
cmake --build "$folder_of_build/build" --parallel "$(nproc)" --target scanrt
SCANRT_WHEEL_PROCESSOR=aarch64 "$project/tools/python/run_tests.sh" wheel "$folder_of_build/build/lib/libscanrt.so" \
  "$folder_of_build/wheel"
ls "$folder_of_build/wheel"/*.whl
