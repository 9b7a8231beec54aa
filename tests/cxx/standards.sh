#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/cxx/standards.sh INCLUDE_DIR
# Compiles the tests of scan.hpp without a warning in each standard from C++17 on by each installed g++, clang++ and
# nvcc: with exceptions, and no_exceptions.cpp without them. Checks that mistakes of types do not compile, and that the
# header defines no macro but its guards.
# Exits 77 (skipped) if there is no compiler.
set -euo pipefail

include=$(cd "${1:?usage: $0 INCLUDE_DIR}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
warnings=(-Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiled=0
. "$here/../consumer/compilers.sh"

fail() {
  echo "standards: $*" >&2
  exit 1
}

# standards COMPILER: prints those that it knows, from C++17 on.
standards() {
  local standard
  for standard in c++17 c++20 c++23 c++2b; do
    if knows "$1" c++ $standard; then
      [ "$standard" != c++2b ] || [ "${last-}" != c++23 ] || continue
      echo "$standard"
      local last=$standard
    fi
  done
}

check_compiler() {
  local compiler=$1 standard file more
  for standard in $(standards "$compiler"); do
    for file in "$here"/*.cpp; do
      more=()
      if [ "$(basename "$file")" = no_exceptions.cpp ]; then more=(-fno-exceptions -fno-rtti); fi
      "$compiler" -std="$standard" "${warnings[@]}" -Wpedantic "${more[@]}" -I"$include" -fsyntax-only "$file" ||
        fail "$compiler -std=$standard $(basename "$file")"
      compiled=$((compiled + 1))
    done
  done
}

# nvcc's generated text is not ISO C++ and casts enumerators in template arguments, so -Wpedantic and -Wold-style-cast
# are omitted.
check_nvcc() {
  local nvcc standard file
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [ -x "$nvcc" ] || return 0
  for standard in c++17 c++20; do
    for file in scans operators compaction sorts; do
      "$nvcc" -x cu -std=$standard -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wconversion,-Wshadow,-Werror -I"$include" -c "$here/$file.cpp" -o "$work/nvcc.o" ||
        fail "nvcc -std=$standard $file.cpp"
      compiled=$((compiled + 1))
    done
  done
}

# Each case of mistakes/cases.cpp must not compile, with the words of its comment: `#if CASE == N // words`.
check_mistakes() {
  local cases=$here/mistakes/cases.cpp number words
  "$1" -std=c++17 -I"$include" -DCASE=0 -fsyntax-only "$cases" || fail "$1: mistakes/cases.cpp without a mistake"
  while read -r number words; do
    ! "$1" -std=c++17 -I"$include" -DCASE="$number" -fsyntax-only "$cases" 2>"$work/words" ||
      fail "$1 compiles case $number of mistakes/cases.cpp"
    grep -qF "$words" "$work/words" || { cat "$work/words"; fail "$1: case $number does not say '$words'"; }
  done < <(sed -n 's|^#.*CASE == \([0-9]*\) // |\1 |p' "$cases")
}

# Macros of scan.hpp that the C headers and the standard library do not define.
check_macros() {
  local leaked
  leaked=$(comm -13 <(macros c "$include"/scanrt/scan*.h) <(macros hpp "$include"/scanrt/scan.hpp "$include"/scanrt/cxx/*.hpp) | grep -v '_HPP$' || true)
  [ -z "$leaked" ] || fail "scan.hpp defines macros:" $leaked
}
macros() {
  shift
  sed -n 's/^ *# *define \([A-Za-z_0-9]*\).*/\1/p' "$@" | sort -u
}

check_macros
for compiler in $(compilers g++) $(compilers clang++); do
  check_compiler "$compiler"
  check_mistakes "$compiler"
done
check_nvcc
[ "$compiled" -gt 0 ] || { echo "skipped: there is neither g++, clang++ nor nvcc"; exit 77; }
echo "standards: $compiled times without a warning"
