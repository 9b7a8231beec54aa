#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/build_debian.sh [BUILD [CMAKE_ARGUMENT...]]
# Makes the Debian packages of scanrt in BUILD/packages (default: build/debian) for this system. An existing build is
# reconfigured for packages, and recompiles only what that changes; its tests and peers stay.
# `dpkg-architecture -a arm64 -c tools/packaging/build_debian.sh build/arm64` makes those of another architecture by
# Debian's cross compiler, without CUDA's kernels if there is no nvcc; qemu-user runs the program for its manual pages.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build/debian}
[ $# -eq 0 ] || shift

# Equal archives give equal packages: uses the commit's time, and a fixed umask.
umask 022
if [ -e RELEASE ]; then
  export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(sed -n 's/^date //p' RELEASE)}"
fi

# CPack removes a search path with the build folder's name, but its length would stay in the binaries and change the
# build ID. So programs and libraries of the build find each other by relative paths.
arguments=("-DCMAKE_INSTALL_LIBDIR=lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)" -DCMAKE_INSTALL_PREFIX=/usr
  -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
  -DSCANRT_BENCH_NATIVE=OFF -DSCANRT_HOST_NATIVE=OFF
  "-DCPACK_DEBIAN_PACKAGE_ARCHITECTURE=$(dpkg-architecture -q DEB_HOST_ARCH)")
if [ "$(dpkg-architecture -q DEB_HOST_ARCH)" != "$(dpkg-architecture -q DEB_BUILD_ARCH)" ]; then
  processor=$(dpkg-architecture -q DEB_HOST_GNU_CPU)
  arguments+=("-DCMAKE_TOOLCHAIN_FILE=$PWD/tools/cmake/toolchains/${processor/#powerpc64le/ppc64le}.cmake")
fi
if [ ! -e "$build/CMakeCache.txt" ]; then
  arguments+=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DSCANRT_BUILD_TESTS=OFF -DSCANRT_BUILD_PEERS=OFF
    "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro -Wl,-z,now" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro -Wl,-z,now")
fi

cmake -S . -B "$build" "${arguments[@]}" "$@"
cmake --build "$build" --parallel "$(nproc)" --target packaged
! command -v doxygen >/dev/null || cmake --build "$build" --target doc
rm -rf "$build/packages"
(cd "$build" && cpack -G DEB)
rm -rf "$build/packages/_CPack_Packages"
ls "$build/packages"
