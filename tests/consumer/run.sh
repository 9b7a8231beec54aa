#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/consumer/run.sh BUILD_DIR
# Installs a build into a temporary prefix, moves that prefix, then builds and runs an outside project against it:
# through CMake and through pkg-config, shared and static. Checks the library's name, its exports, that it does not use
# getenv for its variables, and its size.
# Tests libscanrt_mpi and the Fortran modules in the same way, if they were built. Without a shared library
# (SCANRT_SHARED=OFF) all of them link the static one.
# Exits 77 (skipped) if a C++ compiler, pkg-config or nm is missing.
set -euo pipefail

build=$(cd "${1:?usage: $0 BUILD_DIR}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
max_bytes=$((28 * 1024 * 1024))

for tool in c++ pkg-config nm; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install_consumer: $*" >&2
  exit 1
}

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

install_tree() {
  cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; fail "no install"; }
  mv "$work/first" "$work/prefix"
  libdir=$(dirname "$(find "$work/prefix" -name 'libscanrt.a' | head -n 1)")
  if [ "$(cached SCANRT_SHARED)" = ON ]; then
    [ -e "$libdir/libscanrt.so" ] || fail "libscanrt.so and libscanrt.a are not both installed"
  else
    [ -z "$(find "$libdir" -maxdepth 1 -name 'lib*.so*')" ] || fail "SCANRT_SHARED is OFF, and a shared library is installed"
  fi
}

has_shared() { [ -e "$libdir/libscanrt.so" ]; }

# check_exports_of LIBRARY GREP_OPTION: checks that the library exports exactly the functions that the selected headers
# declare, with the symbol version 0.
check_exports_of() {
  local difference
  grep -rhoE "$2" '^SCAN_API [^(]*\(' "$work/prefix/include" | grep -oE '\w+\($' | tr -d '(' | LC_ALL=C sort >"$work/declared"
  nm -D --defined-only "$libdir/$1.so" | awk '$2 != "A" {print $NF}' | LC_ALL=C sort >"$work/exported"
  difference=$(diff <(sed 's/$/@@SCANRT_0/' "$work/declared") "$work/exported") ||
    fail "the headers declare (<), $1.so exports (>):" "$difference"
  readelf -d "$libdir/$1.so" | grep -q "SONAME.*\[$1\.so\.0\]" || fail "the SONAME is not $1.so.0"
}

has_mpi() { [ -e "$libdir/pkgconfig/scanrt_mpi.pc" ]; }
has_fortran() { [ -e "$libdir/pkgconfig/scanrt_fortran.pc" ]; }

check_exports() {
  has_shared || return 0
  check_exports_of libscanrt '--exclude=scan_mpi*.h'
  ! has_mpi || check_exports_of libscanrt_mpi '--include=scan_mpi*.h'
  ! readelf -d "$libdir/libscanrt.so" | grep -q 'NEEDED.*mpi' || fail "libscanrt.so needs an MPI"
}

# A setuid program ignores the libraries' variables (.github/SECURITY.md).
check_environment() {
  local file
  for file in "$libdir"/libscanrt*.so; do
    [ -e "$file" ] || continue
    ! grep -qx '.* getenv@.*\|.* getenv' <<<"$(nm -D --undefined-only "$file")" ||
      fail "$(basename "$file") calls getenv, where secure_getenv is meant"
  done
}

# Every global of the static library begins with scan_, because it shares the namespace of the program.
check_static_globals() {
  local stray
  stray=$(nm -g --defined-only "$libdir/libscanrt.a" | awk 'NF == 3 {print $3}' | grep -v '^scan_' | sort -u || true)
  [ -z "$stray" ] || fail "libscanrt.a has globals without the prefix scan_:" $stray
}

check_size() {
  local file bytes
  for file in libscanrt.so libscanrt.a; do
    [ -e "$libdir/$file" ] || continue
    strip --strip-debug -o "$work/stripped" "$(readlink -f "$libdir/$file")" # builds of other kinds than Release have more
    bytes=$(stat -c %s "$work/stripped")
    echo "$file: $bytes bytes without debugging information"
    [ "$bytes" -lt "$max_bytes" ] || fail "$file has $bytes bytes, the limit is $max_bytes"
  done
}

build_with_cmake() {
  cmake -S "$here" -B "$work/cmake" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" \
    -DCMAKE_Fortran_COMPILER="$(cached CMAKE_Fortran_COMPILER)" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$work/cmake.log" 2>&1 &&
    cmake --build "$work/cmake" >>"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; fail "CMake consumer"; }
  local program
  for program in consumer_shared consumer_static headers_shared headers_static consumer_cxx; do
    "$work/cmake/$program" || fail "$program (CMake) failed"
  done
  if has_mpi; then
    as_one_rank "$work/cmake/consumer_mpi" || fail "consumer_mpi (CMake) failed"
  fi
  if has_fortran; then
    "$work/cmake/consumer_fortran" || fail "consumer_fortran (CMake) failed"
    "$work/cmake/consumer_fortran_static" || fail "consumer_fortran_static (CMake) failed"
    ! uses_shared "$work/cmake/consumer_fortran_static" || fail "consumer_fortran_static uses libscanrt.so"
  fi
  if [ -e "$work/cmake/consumer_fortran_mpi" ]; then
    as_one_rank "$work/cmake/consumer_fortran_mpi" || fail "consumer_fortran_mpi (CMake) failed"
  fi
  ! has_shared || uses_shared "$work/cmake/consumer_shared" || fail "consumer_shared does not use libscanrt.so"
  ! uses_shared "$work/cmake/consumer_static" || fail "consumer_static uses libscanrt.so"
}

# readme_blocks: writes each CMake block of a README to a file, $work/blocks/1, 2, ...
readme_blocks() {
  mkdir "$work/blocks"
  find "$here/../.." \( -name build -o -name 'build-*' -o -name shared -o -name '.?*' -not -name '..*' \) -prune -o -name README.md -exec cat {} + |
    awk -v folder="$work/blocks" '/^```cmake$/ { file = folder "/" ++count; next } /^```/ { file = "" } file { print >file }'
}

# Builds the CMake blocks of READMEs, each with a program `app` before it.
build_readme_blocks() {
  local block language source count=0
  readme_blocks
  for block in "$work"/blocks/*; do
    language=C source=$here/consumer.c
    if grep -q fortran "$block"; then
      has_fortran || continue
      language="C Fortran" source=$here/consumer.f90
    fi
    mkdir "$block.project"
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES %s)\nadd_executable(app %s)\n' "$language" "$source" |
      cat - "$block" >"$block.project/CMakeLists.txt"
    cmake -S "$block.project" -B "$block.build" -G "$(cached CMAKE_GENERATOR)" -DCMAKE_PREFIX_PATH="$work/prefix" \
      -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" -DCMAKE_Fortran_COMPILER="$(cached CMAKE_Fortran_COMPILER)" \
      >"$work/cmake.log" 2>&1 && cmake --build "$block.build" >>"$work/cmake.log" 2>&1 ||
      { cat "$block" "$work/cmake.log"; fail "a block of a README"; }
    "$block.build/app" || fail "the program of a block of a README failed"
    count=$((count + 1))
  done
  [ $count -gt 0 ] || fail "no README has a block of CMake"
  echo "READMEs: $count blocks of CMake"
}

# Runs an MPI program without mpirun, as one rank.
as_one_rank() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LD_LIBRARY_PATH="$libdir" "$@"; }

build_mpi_with_pkg_config() {
  local flags libs
  read -ra flags <<<"$(pkg-config --cflags scanrt_mpi)"
  read -ra libs <<<"$(pkg-config --libs scanrt_mpi)"
  "$(cached MPI_C_COMPILER)" -std=c11 "${flags[@]}" "$here/consumer_mpi.c" -o "$work/pc_mpi" "${libs[@]}" ||
    fail "pkg-config, scanrt_mpi"
  as_one_rank "$work/pc_mpi" || fail "pc_mpi failed"
  echo "libscanrt_mpi: CMake and pkg-config"
}

# build_fortran_with_pkg_config COMPILER PACKAGE SOURCE
build_fortran_with_pkg_config() {
  local flags libs
  read -ra flags <<<"$(pkg-config --cflags "$2")"
  read -ra libs <<<"$(pkg-config --libs "$2")"
  "$1" "${flags[@]}" "$here/$3" -o "$work/pc_fortran" "${libs[@]}" || fail "pkg-config, $2"
  as_one_rank "$work/pc_fortran" || fail "pc_fortran of $2 failed"
  echo "lib$2: CMake and pkg-config"
}

build_with_pkg_config() {
  export PKG_CONFIG_PATH="$libdir/pkgconfig"
  local cc flags libs
  cc=$(cached CMAKE_C_COMPILER)
  read -ra flags <<<"$(pkg-config --cflags scanrt)"
  read -ra libs <<<"$(pkg-config --libs scanrt)"
  "$cc" -std=c11 "${flags[@]}" "$here/consumer.c" -o "$work/pc_shared" "${libs[@]}" || fail "pkg-config, shared"
  read -ra flags <<<"$(pkg-config --static --cflags scanrt)"
  read -ra libs <<<"$(pkg-config --static --libs scanrt | sed 's/-lscanrt/-l:libscanrt.a/')"
  "$cc" -std=c11 "${flags[@]}" "$here/consumer.c" -o "$work/pc_static" "${libs[@]}" || fail "pkg-config, static"
  LD_LIBRARY_PATH="$libdir" "$work/pc_shared" || fail "pc_shared failed"
  "$work/pc_static" || fail "pc_static failed"
  ! has_shared || uses_shared "$work/pc_shared" || fail "pc_shared does not use libscanrt.so"
  ! uses_shared "$work/pc_static" || fail "pc_static uses libscanrt.so"
  "$here/macros.sh" || fail "the headers' macros"
  ! has_mpi || build_mpi_with_pkg_config
  ! has_fortran || build_fortran_with_pkg_config "$(cached CMAKE_Fortran_COMPILER)" scanrt_fortran consumer.f90
  if [ -e "$work/cmake/consumer_fortran_mpi" ] && [ -n "$(cached MPI_Fortran_COMPILER)" ]; then
    build_fortran_with_pkg_config "$(cached MPI_Fortran_COMPILER)" scanrt_fortran_mpi consumer_mpi.f90
  fi
}

uses_shared() { readelf -d "$1" | grep -q 'NEEDED.*\[libscanrt\.so\.0\]'; }

# The installed tool finds its MPI module, which finds libscanrt_mpi. Without shared libraries it says that there is
# none.
check_tool_mpi() {
  if ! has_shared; then
    ! "$1" run --mpi --device host 2>"$work/words" || fail "scanrt run --mpi went without its module"
    grep -q 'SCANRT_SHARED=ON' "$work/words" || fail "scanrt run --mpi does not say that it needs shared libraries"
    return 0
  fi
  printf '12345678' >"$work/bytes"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$1" run --mpi --device host --format raw --type u8 "$work/bytes" \
    --out "$work/sums" --out-format raw || fail "the installed scanrt run --mpi failed"
  [ "$(od -An -tu1 "$work/sums" | tr -s ' ')" = " 49 99 150 202 255 53 108 164" ] || fail "scanrt run --mpi: wrong sums"
}

# The tool runs from the installed tree at any place.
check_tool() {
  local tool="$work/prefix/bin/scanrt"
  if [ "$(cached SCANRT_BUILD_TOOLS)" = ON ]; then
    [ -x "$tool" ] || fail "the tool scanrt is not installed"
    "$tool" --help >/dev/null || fail "the installed scanrt --help failed"
    ! readelf -d "$tool" | grep -q 'NEEDED.*mpi' || fail "the tool scanrt needs an MPI"
    ! has_mpi || check_tool_mpi "$tool"
  fi
}

install_tree
check_exports
check_environment
check_static_globals
check_size
build_with_cmake
build_with_pkg_config
if [ -e "$here/../../README.md" ]; then build_readme_blocks; fi
check_tool
echo "install_consumer: CMake and pkg-config, shared and static: all right"
