#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/coverage.sh [build] [host] [opencl] [mpi] [emulated] [report]    (default: all of them)
# Reports the lines of runtime/ that tests reach, by gcc and gcov. Builds into build/coverage and runs, most of them at
# small scale, the tests that need no device and those of the fake CUDA driver (host), of PoCL (opencl), of both MPIs
# (mpi) and of the CUDA emulation (emulated). Writes build/coverage/coverage.txt: one row a file, the total, and every
# line that no test reached. Counts add up over calls; `build` resets them to 0. Each line is counted in all objects
# that contain it: the library, and the one with hooks. CMake arguments: $SCANRT_COVERAGE_CMAKE, such as
# -DSCANRT_CUDA=OFF.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
build=build/coverage
jobs=$(nproc)
# Tests that take minutes under gcov and reach no other lines, or that read debugging information.
left_out='^(cli[.]bench(_sort)?$|install_consumer|python|docs|oclgrind|intel|pocl3|verify|large|example|fortran|release)'

stage_build() {
  local arguments
  read -ra arguments <<<"${SCANRT_COVERAGE_CMAKE:-}"
  CC=gcc cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS=--coverage -O1 -fprofile-update=atomic -fprofile-filter-files=/runtime/" \
    "-DCMAKE_C_FLAGS_DEBUG=-g1" "${arguments[@]}"
  cmake --build "$build" --parallel "$jobs"
  find "$build" -name '*.gcda' -delete
}

# run_tests CTEST_ARGUMENTS...: runs tests. A test that fails has taken other paths. $scale: small, or empty for full
# scale.
scale=small
run_tests() {
  SCANRT_TEST_SCALE=$scale ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs" -E "$left_out" "$@"
}

# Some loops of the host backend need more elements than small-scale tests have.
stage_host() {
  run_tests -L host
  scale='' run_tests -R '^(data|half|cases|stream|threads)[.]host$'
}
stage_opencl() { run_tests -R '[.]opencl:pocl$|^hooks|^progress[.]opencl:pocl|^opencl_faults' -LE host; }
stage_emulated() { run_tests -L emulated; }
stage_mpi() { left_out='^mpi[.](example|tool)' run_tests -L mpi; }

# lines: prints "FILE LINE COUNT" for each line of runtime/ with code, once for each object.
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
