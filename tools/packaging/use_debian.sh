#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/use_debian.sh ROOT CONSUMER
# Uses the Debian packages of scanrt in ROOT (/: installed on this system; or a folder into which they were unpacked):
# the tool and its pages; the examples of the packages by pkg-config, shared, static and with MPI; the project in
# CONSUMER (tests/consumer) by CMake; Fortran, if its package is there. Prints what it used.
set -euo pipefail

root=$(cd "${1:?usage: $0 ROOT CONSUMER}" && pwd)
root=${root%/}
consumer=$(cd "${2:?usage: $0 ROOT CONSUMER}" && pwd)
multiarch=$(${CC:-gcc} -print-multiarch)
libdir=$root/usr/lib/$multiarch
examples=$root/usr/share/doc/libscanrt-dev/examples

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "use_debian.sh: $*" >&2
  exit 1
}

# In an unpacked folder pkg-config finds only the packages, and the loader needs the libraries' path.
if [ -n "$root" ]; then
  export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$libdir/pkgconfig
  export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
  export LD_LIBRARY_PATH=$libdir
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

# compile COMPILER PROGRAM SOURCE PC_FILE [--static]
compile() {
  local flags libs
  read -ra flags <<<"$(pkg-config ${5:+"$5"} --cflags "$4")"
  read -ra libs <<<"$(pkg-config ${5:+"$5"} --libs "$4")"
  [ -z "${5-}" ] || libs=("${libs[@]/#-lscanrt/-l:libscanrt.a}")
  "$1" -std=c11 -Wall -Wextra -Werror "${flags[@]}" "$3" -o "$work/$2" "${libs[@]}" || fail "$2 could not be compiled"
}

use_tool() {
  local pages
  seq 1 4 | "$root/usr/bin/scanrt" run --device host --format text --type i32 - | tail -n 1 | grep -qx 10 ||
    fail "scanrt run gave something else than 10"
  mapfile -t pages < <(find "$root/usr/share/man" -name 'scanrt*.1.gz')
  [ "${#pages[@]}" -ge 10 ] || fail "pages are missing: ${pages[*]}"
  echo "scanrt, ${#pages[@]} pages"
}

use_c() {
  compile "${CC:-gcc}" minimal "$examples/minimal.c" scanrt
  compile "${CC:-gcc}" minimal_static "$examples/minimal.c" scanrt --static
  local program
  for program in minimal minimal_static; do
    SCANRT_DEVICE=host "$work/$program" | grep -qx 'row 7 begins at 25' || fail "$program failed"
  done
  readelf -d "$work/minimal" | grep -q 'NEEDED.*\[libscanrt\.so\.0\]' || fail "minimal does not use libscanrt.so.0"
  ! readelf -d "$work/minimal_static" | grep -q 'NEEDED.*libscanrt' || fail "minimal_static uses a shared libscanrt"
  echo "C: pkg-config, shared and static"
}

use_cmake() {
  local with_mpi=OFF
  [ ! -e "$libdir/libscanrt_mpi.so" ] || with_mpi=ON
  command -v c++ >/dev/null || fail "there is no C++ compiler"
  cmake -S "$consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$root/usr" >"$work/log" 2>&1 &&
    cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the CMake package"; }
  "$work/cmake/consumer_shared" && "$work/cmake/consumer_static" || fail "a program of the CMake package failed"
  [ $with_mpi = OFF ] || mpirun -n 2 --oversubscribe "$work/cmake/consumer_mpi" || fail "consumer_mpi failed"
  echo "C and C++: CMake, shared and static, MPI $with_mpi"
}

use_mpi() {
  if [ ! -e "$libdir/libscanrt_mpi.so" ]; then
    echo "MPI: there is no libscanrt-mpi-dev"
    return
  fi
  compile "${MPICC:-mpicc}" mpi_scan "$root/usr/share/doc/libscanrt-mpi-dev/examples/mpi_scan.c" scanrt_mpi
  SCANRT_DEVICE=host mpirun -n 3 --oversubscribe "$work/mpi_scan" || fail "mpi_scan failed"
  echo "MPI: pkg-config, 3 ranks"
}

use_fortran() {
  local source="$root/usr/share/doc/libscanrt-fortran-dev/examples/csr.f90" flags libs
  if [ ! -e "$source" ]; then
    echo "Fortran: there is no libscanrt-fortran-dev"
    return
  fi
  read -ra flags <<<"$(pkg-config --cflags scanrt_fortran)"
  read -ra libs <<<"$(pkg-config --libs scanrt_fortran)"
  gfortran "${flags[@]}" "$source" -o "$work/csr" "${libs[@]}" || fail "csr.f90 could not be compiled"
  SCANRT_DEVICE=host "$work/csr" || fail "csr failed"
  echo "Fortran: pkg-config"
}

use_tool
use_c
use_cmake
use_mpi
use_fortran
