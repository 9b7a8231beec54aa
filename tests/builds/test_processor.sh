#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/builds/test_processor.sh SOURCES COMPILER
# Tests that the library does not compile if its results would be wrong, with a reason (runtime/base/processor.h): on a
# big-endian processor, with excess precision, with -ffast-math. Macros stand in for other processors.
set -euo pipefail

sources=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "processor: $*" >&2
  exit 1
}

# preprocess FLAGS...: preprocesses a file of kernels, and a small one.
preprocess() {
  local file
  for file in runtime/device/host/host_table.c runtime/base/types.c; do
    "$compiler" -std=c11 -DHOST_SIMD=baseline -DREG_BYTES=16 "$@" -I "$sources/include" -I "$sources/runtime" -I "$sources" -I "$sources/kernels_cl" -I "$work" -E \
      "$sources/$file" -o /dev/null 2>"$work/words" || return 1
  done
}

# refuses WORDS FLAGS...
refuses() {
  local words=$1
  shift
  ! preprocess "$@" || fail "it compiles with $*"
  grep -q "#error.*$words\|error:.*$words" "$work/words" || { cat "$work/words"; fail "with $* it does not say '$words'"; }
}

touch "$work/instance_names.h" "$work/instance_end.h" # which the build makes
preprocess || { cat "$work/words"; fail "it does not compile as it is"; }
refuses "little-endian" -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__
refuses "float arithmetic in float" -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=2
refuses "remove -ffast-math" -ffast-math
refuses "remove -ffast-math" -Ofast
if "$compiler" --version | grep -q 'Free Software' && [ "$(uname -m)" = x86_64 ]; then
  refuses "float arithmetic in float" -mfpmath=387
fi
echo "processor: all right"
