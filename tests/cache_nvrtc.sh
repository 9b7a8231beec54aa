#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/cache_nvrtc.sh PROGRAM [ARGUMENT...]
# Tests operators' images in the disk cache, on the emulated CUDA backend. A test program stores compiled images, and
# passes again when no compilation can succeed; without the cache it then fails. A damaged image is compiled again.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: $0 PROGRAM [ARGUMENT...]" >&2; exit 2; }
program=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run LEVEL CACHE: runs the program, with kernels compiled at this optimisation level.
run() { EMULATED_CUDA_LEVEL=$1 SCANRT_CACHE=$2 "${program[@]}" >"$work/said" 2>&1; }
fail() {
  echo "cache_nvrtc.sh: $1" >&2
  cat "$work/said" >&2
  exit 1
}

run -O0 "$work/cache" || fail "the program fails where it may compile"
images=$(find "$work/cache" -type f -size +4k | wc -l)
[ "$images" -gt 0 ] || fail "no image was stored"
run -Onone "$work/cache" || fail "images were compiled again"
if run -Onone "$work/none"; then fail "the program passes where nothing can be compiled nor loaded"; fi
find "$work/cache" -type f -size +4k -exec truncate -s 3000 {} +
if run -Onone "$work/cache"; then fail "damaged images were used"; fi
run -O0 "$work/cache" || fail "damaged images keep the program from compiling"
run -Onone "$work/cache" || fail "what replaced damaged images was not used"
echo "$images images stored, loaded, damaged and replaced"
