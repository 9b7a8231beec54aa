#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: PKG_CONFIG_PATH=... tests/consumer/macros.sh
# Tests the macros of the installed headers, which pkg-config finds: macros.c names each of them, compiles without a
# warning as C and C++ in each standard by each installed gcc, clang and nvcc, and runs as both.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_file=$here/macros.c
include=$(pkg-config --variable=includedir scanrt)
libdir=$(pkg-config --variable=libdir scanrt)
read -ra flags <<<"$(pkg-config --cflags scanrt)"
read -ra libs <<<"$(pkg-config --libs scanrt)"
both=(-Wall -Wextra -Wconversion -Werror)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiled=0
. "$here/compilers.sh"

fail() {
  echo "macros: $*" >&2
  exit 1
}

# Macros between @cond and @endcond are private; SCANRT_... are include guards. Headers for MPI are consumer_mpi.c's.
public_macros() {
  awk '/@cond/ { own = 1 } /@endcond/ { own = 0 } !own && /^#define SCAN_/ { sub(/\(.*/, "", $2); print $2 }' \
    $(ls "$include"/scanrt/*.h | grep -v '/scan_mpi') | sort -u
}

check_names() {
  local name count=0
  for name in $(public_macros); do
    grep -qw "$name" "$source_file" || fail "$name of the headers is not used in tests/consumer/macros.c"
    count=$((count + 1))
  done
  [ "$count" -gt 40 ] || fail "only $count macros were found in $include/scanrt"
  echo "macros: $count names"
}

# check_standards COMPILER LANGUAGE MORE_FLAGS -- STANDARDS...: of two names with a slash, uses the first one that it
# knows.
check_standards() {
  local compiler=$1 language=$2 more=() standard
  shift 2
  while [ "$1" != -- ]; do more+=("$1") && shift; done
  shift
  for standard in "$@"; do
    if ! knows "$compiler" "$language" "${standard%/*}"; then
      knows "$compiler" "$language" "${standard#*/}" || continue
      standard=${standard#*/}
    fi
    "$compiler" -x "$language" -std="${standard%/*}" "${both[@]}" -Wpedantic "${more[@]}" "${flags[@]}" -fsyntax-only \
      "$source_file" || fail "$compiler -std=${standard%/*}"
    compiled=$((compiled + 1))
  done
}

# nvcc's generated text is not ISO C++, so -Wpedantic is omitted. Its toolkit's headers have many C casts, so they are
# system headers.
check_nvcc() {
  local nvcc toolkit standard warnings
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [ -x "$nvcc" ] || return 0
  toolkit=$("$nvcc" --dryrun -x cu -E /dev/null 2>&1 | sed -n 's/^#\$ INCLUDES="-I\([^"]*\)".*/\1/p')
  warnings=$(IFS=, && echo "${both[*]},-Wold-style-cast")
  for standard in c++17 c++20; do
    "$nvcc" -x cu -std=$standard ${toolkit:+-isystem "$toolkit"} -Werror all-warnings -Xcompiler "$warnings" "${flags[@]}" \
      -c "$source_file" -o "$work/nvcc.o" || fail "nvcc -std=$standard"
    compiled=$((compiled + 1))
  done
}

run_as() {
  "$@" "${flags[@]}" "$source_file" -o "$work/macros" "${libs[@]}" || fail "$*"
  LD_LIBRARY_PATH="$libdir" "$work/macros" || fail "$* failed"
}

check_names
for compiler in $(compilers gcc) $(compilers clang); do
  check_standards "$compiler" c -Wshadow -- c11 c17 c23/c2x
done
for compiler in $(compilers g++) $(compilers clang++); do
  check_standards "$compiler" c++ -Wold-style-cast -- c++11 c++14 c++17 c++20 c++23/c++2b
done
check_nvcc
[ "$compiled" -gt 0 ] || fail "there is neither gcc, clang nor nvcc"
run_as cc
run_as c++ -x c++
echo "macros: $compiled times without a warning"
