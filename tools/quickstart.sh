#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/quickstart.sh run | test [--full]
#   run   installs what is missing, builds what this machine can use, and scans real data on its best device: about a minute
#         on 2 cores, 3 where there is an NVIDIA driver and an nvcc
#   test  installs what is missing, builds what this machine can use, and runs the quick tier of tests
#         --full: builds all of it, for every GPU, and runs all tests
# Works from any folder; builds into build/release of the repository.
set -euo pipefail

usage() {
  sed -n '3,7s/^# //p' "$0" >&2
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

main_job() {
  local scanrt=$build/bin/scanrt edges=tools/examples/data/facebook_combined.txt
  title "devices: scanrt info"
  "$scanrt" info
  title "a graph's edges to CSR row offsets, through the public API: csr_offsets"
  "$build"/bin/csr_offsets "$edges"
  title "where each line of README.md begins: scanrt run --line-lengths --exclusive README.md"
  line_offsets README.md "$build/line_offsets.txt"
}

# line_offsets TEXT OFFSETS: scans the line lengths, shows the first lines and checks the last offset.
line_offsets() {
  "$build/bin/scanrt" run --verbose --line-lengths --exclusive "$1" --out "$2"
  paste "$2" "$1" | sed -n 1,6p
  tail -c "+$(($(tail -n 1 "$2") + 1))" "$1" | cmp - <(tail -n 1 "$1")
  echo "$(wc -l <"$2") offsets in $2; the last line begins where the last offset says"
}

# run_tests CTEST_ARGUMENTS...: a selection that is empty fails.
run_tests() {
  title "tests"
  local failed=0
  rm -f "$build/tests.xml"
  ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" --output-junit tests.xml "$@" || failed=1
  title "result"
  print_summary "$build/tests.xml" || failed=1
  return $failed
}

# "N passed, N failed, N skipped" from ctest's own report; fails where nothing ran.
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
    -DSCANRT_HOST_NATIVE=OFF -DSCANRT_PEER_ARCHS="$peer_archs"
  run_tests "${tier[@]}"
}

case ${1-} in
  run)
    tools/setup_packages.sh run
    # Where there is an nvcc there is an NVRTC: what only saves that is left out. So is what is there for comparison.
    build_release release -DSCANRT_CUDA_ARCHS=native -DSCANRT_CATALOGUE=OFF -DSCANRT_CUDA_GALLERY=OFF \
      -DSCANRT_HOST_NATIVE=ON
    main_job
    ;;
  test) test_job "${2-}" ;;
  *) usage ;;
esac
