#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt verify --soak` and its random cases, on the host and on PoCL if it is there. Any number of threads
# runs the same cases; a device with wrong kernels is found, and the printed command repeats the case; look-backs run
# under adverse schedules.
#
# Usage: test_soak.sh SCANRT_BINARY SCANRT_TESTING, the second with the library whose kernels take further options
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; python3, xmllint and node
# check the reports.
set -u
. "$(dirname "$0")/verify_checks.sh"

# ---- wrong use ----

verify --soak 0
refuses "no time" "--soak '0' is not a number of minutes, more than 0 and up to 100000"
verify --soak 1x
refuses "no number" "--soak '1x' is not a number of minutes, more than 0 and up to 100000"
verify --soak 1 --threads 0
refuses "no thread" "--threads is from 1 to 256"
verify --threads 3
refuses "threads of nothing" "--threads and --cases need --soak"
verify --random --cases 3
refuses "cases of nothing" "--threads and --cases need --soak"
verify --soak 1 --type i32
refuses "a soak of a type" "--select, --runs, --sorts, --random and --soak have no --type, --op, --kind, --strategy, --n, --in-place or --out-of-place"
verify --soak 1 --random --case 3
refuses "a soak of a case" "--soak and --case exclude each other"
verify --largest 100000
refuses "large cases of nothing" "--largest is of random cases: give --soak, --select, --runs, --sorts or --random, too"
verify --soak 1 --largest 65535
refuses "large cases that are small" "--largest is from 65536 to 1073741824"

# ---- the host ----

verify --quick --device host --random --json report.json --html report.html
ends "random" 0
says "random" ", 0 failed, "
rows=$(grep -cE '^host +(scan|source|array|stream|difference) +pass [0-9]+ ' stdout)
if [ "$rows" -eq 5 ] && ! grep -q compaction stdout; then pass; else fail "random: $rows rows"; fi
reports "random"
draws "random" '<th scope="row">random</th><th scope="row">stream</th>'

# soaked NAME THREADS ARGUMENT...: runs 800 cases; writes the output, without parts that depend on time and threads, to
# `done`.
soaked() {
  name=$1 threads=$2
  shift 2
  verify --quick --device host --soak 60 --cases 800 --threads "$threads" "$@" --json report.json --html report.html
  ends "$name" 0
  says "$name" "800 cases (select 100, runs 100, sorts 200, random 400) of "
  says "$name" ", 0 failed, "
  reports "$name"
  grep -vE '"(date|seconds|threads|name|driver|reason)"' report.json >"done.$name"
}

soaked one 1 --seed 7
soaked four 4 --seed 7
soaked other 4 --seed 8
if cmp -s done.one done.four; then pass; else fail "the same cases for four threads as for one"; fi
if cmp -s done.one done.other; then fail "the same cases for another seed"; else pass; fi
verify --quick --device host --soak 60 --cases 60 --runs --sorts
ends "two families" 0
says "two families" "60 cases (select 0, runs 20, sorts 40, random 0) of "
verify --quick --device host --soak 0.01 --threads 2
ends "for a time" 0

# Large cases have more elements, and the command that repeats one has the option.
verify --quick --device host --soak 60 --cases 400 --seed 7 --json small.json
verify --quick --device host --soak 60 --cases 400 --seed 7 --largest 1000000 --json large.json
ends "large cases" 0
elements() { sed -n 's/.*"elements": \([0-9]*\).*/\1/p' "$1"; }
if [ "$(elements large.json)" -gt "$(($(elements small.json) + 500000))" ]; then
  pass
else
  fail "large cases have $(elements large.json) elements, others $(elements small.json)"
fi
verify --quick --device nowhere --soak 60
ends "no device" 1

# ---- PoCL, right and wrong ----

device=opencl:pocl
verify --device $device --type i32 --op add --kind inclusive --strategy reduce_then_scan --n 100
if [ "$status" -eq 0 ]; then
  verify --quick --device host --device $device --soak 60 --cases 10 --threads 2
  ends "PoCL" 0
  says "PoCL" "the same in "

  # The kernels compute the minimum for every operator.
  verify_wrong -DSCAN_OP=3 --quick --device host --device $device --soak 60 --cases 10 --random --threads 2 \
    --largest 65536
  ends "a wrong device" 1
  says "a wrong device" "DISAGREE"
  says "a wrong device" "$device: random, "
  if grep -qE '^host .*FAIL' stdout; then fail "the host is right"; else pass; fi
  grep -m 1 "^  $device: random, .* expected " stdout >expected
  sed -n 's/^    scanrt verify/verify_wrong -DSCAN_OP=3/p' stdout >commands
  seed=$(sed 's/.* \(seed=[0-9]*\) .*/\1/' expected)
  grep -m 1 -- "$seed " commands >repeat.sh
  . ./repeat.sh
  ends "the case again" 1
  says "the case again" "$(cat expected)"
  says "the case again" "0 passed, 1 failed, "
  sed 's/^verify_wrong -DSCAN_OP=3/verify/' repeat.sh >right.sh
  . ./right.sh
  ends "the case on a right device" 0

  # Tiles are withheld: the next tile recomputes them, or gives up in place.
  withheld="-DSCAN_TEST_WITHHOLD=2 -DSCAN_TEST_SPIN_LIMIT=200"
  SCANRT_STRATEGY=lookback
  export SCANRT_STRATEGY
  verify_wrong "$withheld" --quick --device $device --soak 60 --cases 10 --random --threads 2 --may-give-up
  ends "withheld" 0
  lost="-DSCAN_TEST_LOSE=4 -DSCAN_TEST_SPIN_LIMIT=200"
  verify_wrong "$lost" --quick --device $device --soak 60 --cases 10 --random --threads 2 --may-give-up
  ends "lost" 0
  says "lost" "gave up"
  verify_wrong "$lost" --quick --device $device --soak 60 --cases 10 --random --threads 2
  ends "lost, and that is no excuse" 1
  says "lost, and that is no excuse" "SCAN_NO_PROGRESS"
else
  echo "skipped: there is no $device"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
