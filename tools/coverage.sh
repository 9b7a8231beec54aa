#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/coverage.sh [build] [host] [opencl] [mpi] [emulated] [report]    (default: all of them)
# Which lines of runtime/ the tests reach, by gcc and gcov: builds into build/coverage, runs the tests that need no device and
# those of the fake CUDA driver (host), of PoCL (opencl), of both MPIs (mpi), of the CUDA emulation (emulated), most of them small, and writes
# build/coverage/coverage.txt: a row a file, the total, and every line that no test has reached. Counts add up over calls; `build`
# puts them back to 0. Each line is taken from all objects that hold it: the library, and the one with hooks.
# CMake arguments: $SCANRT_COVERAGE_CMAKE, such as -DSCANRT_CUDA=OFF.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
build=build/coverage
jobs=$(nproc)
# What takes minutes under gcov and reaches nothing else, or reads debugging information.
left_out='^(cli[.]bench(_sort)?$|install_consumer|python|docs|oclgrind|intel|pocl3|verify|large|example|fortran|release)'

stage_build() {
  local arguments
  read -ra arguments <<<"${SCANRT_COVERAGE_CMAKE:-}"
  CC=gcc cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS=--coverage -O1 -fprofile-update=atomic -fprofile-filter-files=/runtime/" \
    "-DCMAKE_C_FLAGS_DEBUG=-g1" "${arguments[@]}"
  cmake --build "$build" --parallel "$jobs"
  find "$build" -name '*.gcda' -delete
}

# run_tests CTEST_ARGUMENTS...: a test that fails has been elsewhere than where it should. $scale: small, or empty for all.
scale=small
run_tests() {
  SCANRT_TEST_SCALE=$scale ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" -E "$left_out" "$@"
}

# Some loops of the host want more elements than small tests have.
stage_host() {
  run_tests -L host
  scale='' run_tests -R '^(data|half|cases|stream|threads)[.]host$'
}
stage_opencl() { run_tests -R '[.]opencl:pocl$|^hooks|^progress[.]opencl:pocl|^opencl_faults' -LE host; }
stage_emulated() { run_tests -L emulated; }
stage_mpi() { left_out='^mpi[.](example|tool)' run_tests -L mpi; }

# lines: "FILE LINE COUNT" of each line of runtime/ that has code, once for each object.
lines() {
  local folder objects
  while read -r folder; do
    mapfile -t objects < <(find "$folder" -maxdepth 1 -name '*.gcno')
    (cd "$root/$build" && gcov --stdout --preserve-paths --object-directory "$root/$folder" "${objects[@]/#/$root/}" 2>/dev/null) || true
  done < <(find "$build" -name '*.gcno' -printf '%h\n' | sort -u) |
    awk -F: -v root="$root/" '
      $1 ~ /-$/ && $2 + 0 == 0 && $3 == "Source" { file = $4; sub(root, "", file); sub(/^(\.\.\/)+/, "", file); next }
      file ~ /^runtime\// && $2 + 0 > 0 && $1 !~ /-$/ {
        count = $1; gsub(/[ *]/, "", count); print file, $2 + 0, count ~ /^[#=%]/ ? 0 : 1 }'
}

stage_report() {
  lines | sort -k1,1 -k2,2n | awk '
    { key = $1 " " $2; if (key != last && last != "") flush(); if (key != last) { last = key; file = $1; line = $2; hit = 0 } hit += $3 }
    function flush() { all[file]++; if (!hit) { missed[file]++; where[file] = where[file] " " line } }
    END {
      if (last != "") flush()
      for (f in all) { n += all[f]; m += missed[f]; printf "%6.2f %% %5d of %5d  %s:%s\n", 100 * (missed[f] + 0) / all[f], missed[f], all[f], f, where[f] | "sort -rn -k3" }
      close("sort -rn -k3")
      if (n == 0) exit 1
      printf "%6.2f %% of %d lines of runtime/ are reached by no test: %d\n", 100 * m / n, n, m
    }' >"$build/coverage.txt"
  tail -n 1 "$build/coverage.txt"
}

stages=("$@")
if [ ${#stages[@]} -eq 0 ]; then stages=(build host opencl mpi emulated report); fi
for stage in "${stages[@]}"; do "stage_$stage"; done
