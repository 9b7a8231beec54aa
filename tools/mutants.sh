#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/mutants.sh FOLDER COUNT [SEED]
# Makes COUNT mutants of the C and OpenCL C files below FOLDER (runtime or kernels_cl), one at a time, each with one
# small mistake: a changed comparison, an index off by one, another operator, a missing barrier. Builds the library of
# each in build/mutants, and runs test_cases and then the other quick tests of the device, until one fails. Prints for
# each mutant which of the two suites found it. A mutant that does not compile is not counted.
# $SCANRT_TEST_DEVICE: host (default; for kernels_cl opencl:pocl). $MUTANT_SUITES=0: only test_cases.
# Exits with 1 if the other tests found a mutant that test_cases missed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -ge 2 ] || { sed -n '3,10s/^# //p' "$0" >&2; exit 2; }
folder=${1%/} count=$2 seed=${3-1}
default=host
if [ "$folder" = kernels_cl ]; then default=opencl:pocl; fi
device=${SCANRT_TEST_DEVICE:-$default}
build=$PWD/build/mutants
sources=$build/sources
limit=1800 # seconds of a suite: a mutant may never end

# Kinds of mistakes: name, pattern and replacement (sed -E). The blanks exclude pointers and arrows.
kinds=(
  'less; < ; <= ' 'less_equal; <= ; < ' 'greater; > ; >= ' 'greater_equal; >= ; > ' 'equal; == ; != ' 'not_equal; != ; == '
  'plus; \+ ; - ' 'minus; - ; + ' 'plus_one; \+ 1\b;' 'minus_one; - 1\b;' 'and; && ; || ' 'or; \|\| ; \&\& '
  'shift_left; << ; >> ' 'barrier;barrier\([A-Z_ |]*\);0'
)

# list_places: prints "FILE LINE KIND" for each place of a possible mistake, except in comments, directives and texts.
list_places() {
  local kind from file
  for kind in "${kinds[@]}"; do
    from=$(cut -d';' -f2 <<<"$kind")
    git ls-files -- "$folder/*.c" "$folder/*.inc" "$folder/*.cl" "$folder/*.h" | while read -r file; do
      grep -nE -- "$from" "$file" | grep -vE '^[0-9]+:[[:space:]]*(/?\*|//|#)|"[^"]*"' | cut -d: -f1 |
        sed "s|^|$file |; s|\$| ${kind%%;*}|" || true
    done
  done
}

# mutate FILE LINE KIND
mutate() {
  local kind
  for kind in "${kinds[@]}"; do
    if [ "${kind%%;*}" = "$3" ]; then
      sed -E -i "$2s~$(cut -d';' -f2 <<<"$kind")~$(cut -d';' -f3 <<<"$kind")~" "$sources/$1"
    fi
  done
}

# finds COMMAND...: succeeds if the tests fail, crash or time out.
finds() { ! SCANRT_CACHE=off timeout --kill-after=5 $limit "$@" >"$build/tests.txt" 2>&1; }

prepare() {
  mkdir -p "$sources"
  git ls-files -z | tar -c --null -T - | tar -x -C "$sources"
  local opencl=OFF
  if [[ $device = opencl* ]]; then opencl=ON; fi
  cmake -S "$sources" -B "$build/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSCANRT_CUDA=OFF -DSCANRT_OPENCL=$opencl \
    -DSCANRT_TEST_EMULATION=OFF -DSCANRT_FORTRAN=OFF -DSCANRT_HOST_NATIVE=ON >/dev/null
  cmake --build "$build/build" --parallel "$(nproc)" >"$build/build.txt" 2>&1 || { tail "$build/build.txt"; exit 1; }
}

cases() {
  SCANRT_TEST_DEVICE=$device "$build/build/bin/test_cases" --corners "$sources/tools/cases/corners.txt" \
    --random "${MUTANT_CASES:-200}"
}
export -f cases
export device build sources

prepare
finds bash -c cases && { cat "$build/tests.txt"; echo "test_cases fails without a mutant"; exit 1; }
made=0 by_cases=0 by_suites=0 missed=0
while read -r file line kind && [ "$made" -lt "$count" ]; do
  mutate "$file" "$line" "$kind"
  if cmp -s "$file" "$sources/$file"; then continue; fi
  if cmake --build "$build/build" --parallel "$(nproc)" >"$build/build.txt" 2>&1; then
    made=$((made + 1))
    found=none
    if finds bash -c cases; then
      found=cases by_cases=$((by_cases + 1))
    elif [ "${MUTANT_SUITES-1}" = 1 ] && finds ctest --test-dir "$build/build" -L quick -R "[.]$device" -E '^cases' --stop-on-failure --parallel "$(nproc)"; then
      found=suites by_suites=$((by_suites + 1))
    else
      missed=$((missed + 1))
    fi
    printf '%-7s %s:%s %s: %s\n' "$found" "$file" "$line" "$kind" "$(sed -n "${line}p" "$sources/$file" | sed 's/^ *//')"
  fi
  cp "$file" "$sources/$file"
done < <(list_places | sort -u | shuf --random-source=<(yes "$seed"))
echo "$made mutants of $folder on $device: test_cases found $by_cases, the other tests alone $by_suites, nobody $missed"
[ "$by_suites" -eq 0 ]
