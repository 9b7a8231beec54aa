#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/quickstart.sh run | test [--full]
#   run   installs what is missing, builds what this machine can use, scans real data on its best device, and the same floats
#         on the host and on PoCL, where it is: about a minute on 2 cores, 3 where there is an NVIDIA driver and an nvcc, and
#         as long as packages take. Says how long each step took
#   test  installs what is missing, builds what this machine can use, and runs the quick tier of tests
#         --full: builds all of it, for every GPU, and runs all tests
# Works from any folder; builds into build/release of the repository.
set -euo pipefail

usage() {
  sed -n '3,8s/^# //p' "$0" >&2
  exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=build/release
jobs=$(nproc)

export NINJA_STATUS='[%f/%t %es] '

title() { printf '\n== %s\n' "$*"; }

# build_release PRESET CMAKE_ARGUMENTS...
build_release() {
  local preset=$1
  shift
  title "build ($build): the host's kernels come first, and take most of the time"
  cmake --preset "$preset" "$@"
  cmake --build --preset "$preset" --parallel "$jobs"
}

expect() { echo "(expect $*)"; }

# timed NAME COMMAND...: runs the command and records its duration.
took=()
timed() {
  local name=$1 start=${EPOCHREALTIME/[.,]/} seconds
  shift
  "$@"
  seconds=$(seconds_since "$start")
  took+=("$(printf '%8s s  %s' "$seconds" "$name")")
  echo "-- $name: $seconds s"
}

# seconds_since MICROSECONDS: prints the elapsed seconds with one decimal.
seconds_since() {
  local tenths=$(((${EPOCHREALTIME/[.,]/} - $1) / 100000))
  echo "$((tenths / 10)).$((tenths % 10))"
}

run_all() {
  local start=${EPOCHREALTIME/[.,]/}
  title "packages: tools/setup_packages.sh run"
  expect "a second where all are there, else as long as downloads take, of which PoCL and its LLVM are the largest"
  timed packages tools/setup_packages.sh run
  expect "a minute of building on 2 idle cores, 3 where there is an nvcc, seconds where it was built before; here are $jobs cores"
  # A machine with nvcc has NVRTC, so kernels that only save its compilation are not built; nor are those for
  # comparison.
  timed build build_release release -DSCANRT_CUDA_ARCHS=native -DSCANRT_CATALOGUE=OFF -DSCANRT_CUDA_GALLERY=OFF \
    -DSCANRT_HOST_NATIVE=ON
  title "devices: scanrt info"
  timed devices "$build/bin/scanrt" info
  title "a graph's edges to CSR row offsets, through the public API: csr_offsets"
  timed "row offsets of a graph" "$build/bin/csr_offsets" tools/examples/data/facebook_combined.txt
  title "where each line of README.md begins: scanrt run --line-lengths --exclusive README.md"
  timed "line offsets of a text" line_offsets README.md "$build/line_offsets.txt"
  title "the same bits from two devices: 1 + 1/2 + 1/3 + ... of float32, on the host and on PoCL"
  expect "a few seconds, for PoCL compiles its kernel once"
  timed "host and PoCL" same_bits "$build/terms.txt"
  title "time"
  printf '%s\n' "${took[@]}" "$(printf '%8s s  in all' "$(seconds_since "$start")")"
}

# same_bits TERMS: compares running sums of a million terms, nearly all of which round, between the host and PoCL.
same_bits() {
  local scanrt=$build/bin/scanrt host=$build/sums_host.npy pocl=$build/sums_pocl.npy said
  awk 'BEGIN { for (k = 1; k <= 1000000; k++) print 1 / k }' >"$1"
  "$scanrt" run --verbose --type f32 --device host "$1" --out "$host"
  if ! said=$("$scanrt" run --verbose --type f32 --device opencl:pocl "$1" --out "$pocl" 2>&1); then
    echo "$said"
    grep -q 'SCAN_NO_DEVICE' <<<"$said" || return 1
    echo "there is no PoCL here (Debian and Ubuntu: pocl-opencl-icd), so that nothing is compared"
    return 0
  fi
  echo "$said"
  cmp "$host" "$pocl"
  echo "cmp $host $pocl: all $(wc -c <"$host") bytes are the same; the last sum is$(tail -c 4 "$host" | od -An -t f4)"
}

# line_offsets TEXT OFFSETS: scans the lengths of lines, prints the first lines and checks the last offset.
line_offsets() {
  "$build/bin/scanrt" run --verbose --line-lengths --exclusive "$1" --out "$2"
  paste "$2" "$1" | sed -n 1,6p
  tail -c "+$(($(tail -n 1 "$2") + 1))" "$1" | cmp - <(tail -n 1 "$1")
  echo "$(wc -l <"$2") offsets in $2; the last line begins where the last offset says"
}

# run_tests CTEST_ARGUMENTS...: runs tests; an empty selection fails.
run_tests() {
  title "tests"
  local failed=0
  rm -f "$build/tests.xml"
  ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" --output-junit tests.xml "$@" || failed=1
  title "result"
  print_summary "$build/tests.xml" || failed=1
  return $failed
}

# Prints "N passed, N failed, N skipped" from ctest's report; fails if nothing ran.
print_summary() {
  local total failed skipped
  count() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }
  total=$(count tests "$1")
  failed=$(count failures "$1")
  skipped=$(($(count skipped "$1") + $(count disabled "$1")))
  echo "$((total - failed - skipped)) passed, $failed failed, $skipped skipped"
  [ "$total" -gt "$skipped" ]
}

# test_job [--full]
test_job() {
  local archs=90 advance=OFF peer_archs=90 tier=(-L quick) # a GPU that is not here: that its kernels compile is enough
  if [ -e /proc/driver/nvidia/version ]; then archs=native peer_archs="80;90"; fi
  case $1 in
    --full) archs=all advance=ON tier=() ;;
    ?*) usage ;;
  esac
  tools/setup_packages.sh test
  build_release tests -DSCANRT_CUDA_ARCHS=$archs -DSCANRT_CATALOGUE=$advance -DSCANRT_CUDA_GALLERY=$advance \
    -DSCANRT_BUILD_PEERS=$advance -DSCANRT_HOST_NATIVE=OFF -DSCANRT_PEER_ARCHS="$peer_archs"
  run_tests "${tier[@]}"
}

case ${1-} in
  run)
    run_all
    ;;
  test) test_job "${2-}" ;;
  *) usage ;;
esac
