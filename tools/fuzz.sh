#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/fuzz.sh TIME [TARGET...]     (TIME: minutes, or seconds such as 15s; default: all of tests/fuzz/corpus)
# Builds the fuzzers of tests/fuzz into build/fuzz (clang, ASan, UBSan), and runs each for that time, one a
# processor. Prints a table of the inputs that each ran, and the edges that they reach.
# Inputs that reach new edges are kept for the next run in $XDG_CACHE_HOME/scanrt/fuzz, or in ~/.cache/scanrt/fuzz.
# $SCANRT_FUZZ_SEED, a number: runs the same inputs in the same order each time (more on a faster machine); keeps none.
# Inputs that end a fuzzer are left in build/fuzz/found: fix the cause, and move the file to
# tests/fuzz/regressions/TARGET.
# Exits with 77 without a clang that has libFuzzer.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/fuzz
kept=${XDG_CACHE_HOME:-$HOME/.cache}/scanrt/fuzz
found=$build/found
if [ -n "${SCANRT_FUZZ_SEED-}" ]; then kept=$build/repeatable; fi

usage() {
  sed -n '3,10s/^# //p' "$0" >&2
  exit 2
}

# Succeeds if clang can link a fuzzer: Debian packages its runtime separately.
has_fuzzer() {
  command -v clang >/dev/null || { echo "skipped: there is no clang"; return 1; }
  local program
  program=$(mktemp)
  if echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n > 9; }' |
    clang -x c -fsanitize=fuzzer,address,undefined -o "$program" - 2>/dev/null; then
    rm "$program"
  else
    rm "$program"
    echo "skipped: clang has no libFuzzer here (Debian: libclang-common-14-dev, elsewhere libclang-rt-*-dev)"
    return 1
  fi
}

build_fuzzers() {
  CC=clang cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1" \
    -DSCANRT_FUZZ=ON -DSCANRT_WERROR=ON -DSCANRT_CUDA=OFF -DSCANRT_OPENCL=OFF -DSCANRT_FORTRAN=OFF \
    -DSCANRT_SHARED=OFF -DSCANRT_BUILD_TOOLS=OFF -DSCANRT_TEST_EMULATION=OFF >/dev/null
  cmake --build "$build" --parallel "$(nproc)" --target fuzzers
}

# run_one TARGET SECONDS: starts from seeds, regressions and kept inputs. An input that takes half a minute counts as
# hanging. With a seed it avoids everything that depends on the clock, on addresses or on the order of threads; its
# finds then run once more normally: on several threads, and with leak detection.
run_one() {
  local target=$1 seconds=$2 status=0
  local folders=("$kept/$target" "tests/fuzz/corpus/$target") options=() program=("$build/bin/fuzz_$target")
  local limits=(-timeout=30 -rss_limit_mb=3000 -max_len=1500 "-artifact_prefix=$found/$target-")
  mkdir -p "$kept/$target"
  if [ -d "tests/fuzz/regressions/$target" ]; then folders+=("tests/fuzz/regressions/$target"); fi
  if [ -e "tests/fuzz/$target.dict" ]; then options+=("-dict=tests/fuzz/$target.dict"); fi
  if [ -n "${SCANRT_FUZZ_SEED-}" ]; then
    options+=("-seed=$SCANRT_FUZZ_SEED" -reload=0 -purge_allocator_interval=-1 -detect_leaks=0)
    program=(env SCANRT_TEST_THREADS=1 "${program[@]}")
    if setarch -R true 2>/dev/null; then program=(setarch -R "${program[@]}"); fi
  fi
  "${program[@]}" -max_total_time="$seconds" -len_control=20 -print_final_stats=1 "${limits[@]}" "${options[@]}" \
    "${folders[@]}" >"$found/$target.log" 2>&1 || status=$?
  if [ -n "${SCANRT_FUZZ_SEED-}" ] && [ "$status" = 0 ]; then
    "$build/bin/fuzz_$target" -runs=0 "${limits[@]}" "${folders[@]}" >"$found/$target.again.log" 2>&1 || status=$?
    if [ "$status" != 0 ]; then
      echo "fuzz: fails when its finds run once more, on several threads" >>"$found/$target.log"
      cat "$found/$target.again.log" >>"$found/$target.log"
    fi
  fi
  echo "$status" >"$found/$target.status"
}

# reason FILE: prints what a log says of a failure: the message, the stack or the memory that is held, the input.
reason() {
  grep -aE '^fuzz: ' "$1" || true
  grep -avE '^(#|"|INFO: |fuzz: |Done |stat::)' "$1" | tail -n 60
}

# number PATTERN FILE: prints the last match of the pattern's first group.
number() { sed -nE "s/$1/\1/p" "$2" | tail -n 1; }

report() {
  local target status failed=0 log
  printf '%-12s %10s %8s %8s  %s\n' target inputs edges corpus result
  for target in "$@"; do
    log=$found/$target.log
    status=$(cat "$found/$target.status")
    printf '%-12s %10s %8s %8s  %s\n' "$target" "$(number '^#([0-9]+).*' "$log")" \
      "$(number '.* cov: ([0-9]+) .*' "$log")" "$(number '.* corp: ([0-9]+).*' "$log")" \
      "$([ "$status" = 0 ] && echo passed || echo "failed with $status")"
    if [ "$status" != 0 ]; then
      failed=1
      reason "$log"
    fi
  done
  return $failed
}

if [ "${1-}" = --one ]; then
  run_one "$2" "$3"
  exit 0
fi

case ${1-} in
  *[!0-9]*s | "" | s) usage ;;
  *s) seconds=${1%s} ;;
  *[!0-9]*) usage ;;
  *) seconds=$(($1 * 60)) ;;
esac
shift
if [ $# -eq 0 ]; then
  for folder in tests/fuzz/corpus/*/; do set -- "$@" "$(basename "$folder")"; done
fi
has_fuzzer || exit 77
start=$SECONDS
build_fuzzers
echo "fuzz: built in $((SECONDS - start)) s"
rm -rf "$found" "$build/repeatable"
mkdir -p "$found"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I {} tools/fuzz.sh --one {} "$seconds"
report "$@"
