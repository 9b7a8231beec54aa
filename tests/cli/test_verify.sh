#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt verify` over several devices: the host with itself, and with PoCL and rusticl if they are there; a
# device with wrong kernels; the reports.
#
# Usage: test_verify.sh SCANRT_BINARY SCANRT_TESTING, the second with the library whose kernels take further options
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; python3, xmllint and node
# check the reports.
set -u
. "$(dirname "$0")/verify_checks.sh"

# ---- wrong use ----

verify --json
refuses "--json" "option '--json' needs a value"
verify --type i99
if [ "$status" -eq 2 ] && grep -q "unknown type 'i99'" stderr; then pass; else fail "--type i99"; fi
verify --kind sideways
refuses "--kind" "unknown kind 'sideways': use one of inclusive exclusive init flags keys carry total"
verify --strategy auto
refuses "--strategy auto" "--strategy auto is one of the others: name it, or leave the option out for all"
verify --in-place --out-of-place
refuses "both places" "--in-place and --out-of-place exclude each other"
verify --json - --html -
refuses "two reports" "--json - and --html - exclude each other"
verify --input-type u8
refuses "--input-type alone" "--input-type needs --type, that of the sums"
verify --device host --n 10 --json /dev/null/none
if [ "$status" -eq 1 ] && grep -q "cannot create /dev/null/none" stderr; then pass; else fail "no such folder"; fi

# ---- segments, carries, totals, halves ----

for type in i32 f64; do
  for kind in flags keys carry total; do
    verify --quick --device host --type $type --op add --kind $kind
    ends "$type $kind" 0
    if [ $kind = total ]; then counts="7 passed, 0 failed, 0"; else counts="28 passed, 0 failed, 4"; fi
    says "$type $kind" "$counts not applicable, 0 disagreements"
  done
done
verify --quick --device host --type i32 --op xor
ends "other operators have no segments unless --kind names them" 0
says "three kinds" ", 0 failed, 12 not applicable, "
verify --quick --device host --type bf16 --op max --kind keys
ends "bf16 keys" 0
says "bf16 keys" "28 passed, 0 failed, 4 not applicable, 0 disagreements"
verify --quick --device host --type f16 --kind total
ends "halves have no totals" 1
says "halves have no totals" "0 passed, 0 failed, 0 not applicable"

# ---- the host with itself ----

verify --quick --device host --device host --json report.json --html report.html
ends "host" 0
says "host" ", 0 failed, "
says "host" "the same in "
says "host" "strategy pipelined: it is CUDA's"
reports "host"
draws "host" "<title>scanrt verify: passed</title>"
draws "host" "<dt>kind</dt><dd>host</dd>"
draws "host" '<th scope="row">i8-&#62;i32</th><th scope="row">add</th>'
draws "host" '<td class="pass">pass '
draws "host" '<td class="pass">same in '
draws "host" "it is CUDA's"
if [ "$has_node" -eq 1 ]; then
  total=$(sed -n 's/^  "passed": \([0-9]*\),*$/\1/p' report.json)
  cells=$(grep -o 'pass">pass [0-9]*' drawn.html | awk '{ sum += $2 } END { print sum }')
  if [ "$cells" = "$total" ]; then pass; else fail "the page's cells sum to $cells, not $total"; fi
fi
verify --quick --device host --type i32 --op add --operators
says "--operators" "i32       add"
verify --device host --type i64 --input-type i8 --op add --kind init --strategy threads --n 1000 --out-of-place
ends "one case" 0
says "one case" "1 passed, 0 failed, 0 not applicable"
verify --device host --type f32 --op xor
ends "nothing ran" 1
verify --device host --device nowhere --type i32 --op add --n 10
ends "a device that is none" 1
if grep -q SCAN_NO_DEVICE stderr; then pass; else fail "a device that is none: why"; fi
says "a device that is none" "could not be opened"
verify --device host --type f32 --quick --json -
cp stdout report.json
ends "--json -" 0
if [ "$(head -c 1 report.json)" = "{" ]; then pass; else fail "--json -: not JSON alone"; fi
verify --device host --type f32 --quick --html -
if [ "$status" -eq 0 ] && head -n 1 stdout | grep -qx '<!DOCTYPE html>'; then pass; else fail "--html -"; fi

# ---- the host with OpenCL devices ----

devices=
for device in opencl:pocl opencl:rusticl; do
  verify --device $device --type i32 --op add --kind inclusive --strategy reduce_then_scan --n 100
  if [ "$status" -eq 0 ]; then
    devices="$devices --device $device"
  elif grep -q SCAN_NO_DEVICE stderr; then
    echo "skipped: there is no $device"
  else
    fail "$device"
  fi
done

# shellcheck disable=SC2086 # words
if [ -n "$devices" ]; then
  verify --quick --device host $devices --op add --type f32 --json report.json --html report.html
  ends "OpenCL" 0
  says "OpenCL" "the same in "
  says "OpenCL" ", 0 disagreements"
  reports "OpenCL"

  # The kernels compute the minimum instead of the sum, which differs from the reference and from the host.
  set -- $devices
  device=$2
  verify_wrong -DSCAN_OP=3 --quick --device host --device "$device" --type i32 --op add --json report.json \
    --html report.html
  ends "a wrong device" 1
  says "a wrong device" "DISAGREE"
  says "a wrong device" "$device: i32 add inclusive, "
  says "a wrong device" "disagrees with host (sequential): element "
  if grep -E "^host +i32 +(all|add) +.*FAIL" stdout >/dev/null; then fail "the host is right"; else pass; fi
  if grep -E "^$device +i32 +add +.*FAIL" stdout >/dev/null; then pass; else fail "a row for the operator"; fi
  sed -n 's/^    scanrt verify/verify_wrong -DSCAN_OP=3/p' stdout >commands
  cp stdout whole
  reports "a wrong device"
  if [ "$has_python" -eq 1 ] && grep -qE '^[0-9]+ 0 |^[0-9]+ [0-9]+ 0$' counts; then fail "counts: $(cat counts)"; else pass; fi
  if grep -qF "disagrees_with\": \"host" report.json; then pass; else fail "the pair in JSON"; fi
  draws "the pair in HTML" '<td class="fail">DISAGREE in '
  draws "a wrong device" "<title>scanrt verify: FAILED</title>"
  draws "a wrong device" "<summary>$device and host: i32 add "
  draws "a wrong device" '<a href="#failures">FAIL '
  draws "a wrong device" "<dt>first index that differs</dt>"

  # The first printed command repeats its case: the same element fails, and no other.
  grep -m 1 ': element ' whole | sed 's/.*: element/element/' >expected
  head -n 1 commands >repeat.sh
  . ./repeat.sh
  ends "the case again" 1
  says "the case again" "$(cat expected)"
  says "the case again" " 1 failed, "
  # shellcheck disable=SC2046
  set -- $(head -n 1 commands | sed 's/^verify_wrong -DSCAN_OP=3//')
  verify "$@"
  ends "the case on a right device" 0
  for kind in carry total; do
    verify_wrong -DSCAN_OP=3 --quick --device "$device" --type i32 --op add --kind $kind
    ends "a wrong device, $kind" 1
    says "a wrong device, $kind" "$device: i32 add $(echo $kind | sed 's/carry/from carry to carry/'), "
  done
fi

# ---- compaction ----

verify --case 3
refuses "a case of scans" "--case is of one family: give --select, --runs, --sorts or --random, too"
verify --case 3 --select --sorts
refuses "a case of two" "--case is of one family: give --select, --runs, --sorts or --random, too"
verify --select --type i32
refuses "compaction of a type" "--select, --runs, --sorts, --random and --soak have no --type, --op, --kind, --strategy, --n, --in-place or --out-of-place"
verify --quick --device host --select
ends "compaction" 0
says "compaction" "210 passed, 0 failed, 0 not applicable, 0 disagreements"
rows=$(grep -cE '^host +((flags|bits|predicate|first|last|pair)( +pass [0-9]+){3}|partition3( +-){2} +pass [0-9]+) *$' stdout)
if [ "$rows" -eq 7 ]; then pass; else fail "compaction: $rows rows"; fi
verify --device host --device host --select --case 555 --seed 7
ends "one case" 0
says "one case" "2 passed, 0 failed, "
says "one case" "the same in 1 cases"
verify --device host --device host --case 'keys n=4097 key_type=f32 shape=edges descending'
ends "a case as a line" 0
says "a case as a line" "2 passed, 0 failed, "
if ! grep -q compaction stdout; then pass; else fail "a case as a line: a table of compaction"; fi
verify --case 'keys n=4097 key=f32'
refuses "a line that is no case" "--case: not a field of a case, or not a value of it: 'key=f32'"
verify --case 'keys n=1 key_type=u8' --sorts
refuses "a line of one family" "--case LINE has the whole case: leave out the options that choose cases"
verify --quick --device host --runs
ends "runs" 0
says "runs" "60 passed, 0 failed, 0 not applicable, 0 disagreements"
rows=$(grep -cE '^host +(rle|reduce-by-key) +pass [0-9]+ +- +- *$' stdout)
if [ "$rows" -eq 2 ] && ! grep -q predicate stdout; then pass; else fail "runs: $rows rows"; fi
verify --quick --device host --sorts --json report.json --html report.html
ends "sorts" 0
says "sorts" "144 passed, 0 failed, 0 not applicable, 0 disagreements"
rows=$(grep -cE '^host +(keys|pairs|argsort)( +pass [0-9]+){2} *$' stdout)
if [ "$rows" -eq 3 ] && ! grep -q compaction stdout; then pass; else fail "sorts: $rows rows"; fi
reports "sorts"
draws "sorts" '<th scope="row">sort</th><th scope="row">argsort</th>'
if [ -n "$devices" ]; then
  # shellcheck disable=SC2086 # words
  verify --quick --device host $devices --sorts
  ends "sorts, OpenCL" 0
  says "sorts, OpenCL" "the same in "
  # Keys are read as bytes, in cases of one pass; for more passes there is no room.
  for one in "8 keys" "20 pairs" "56 argsort"; do
    verify_wrong -DSCAN_TYPE=2 --quick --device host --device "$device" --sorts --case "${one% *}"
    ends "wrong sorts, $one" 1
    says "wrong sorts, $one" "DISAGREE in 1 of 1 cases"
    says "wrong sorts, $one" "$device: sort, ${one#* } seed="
    says "wrong sorts, $one" "scanrt verify --device $device --case '${one#* } seed="
    if grep -qE "^$device +${one#* } +.*FAIL" stdout; then pass; else fail "wrong sorts: the row of ${one#* }"; fi
    if grep -qE '^host .*FAIL' stdout; then fail "wrong sorts: the host is right"; else pass; fi
  done

  # shellcheck disable=SC2086 # words
  verify --quick --device host $devices --runs
  ends "runs, OpenCL" 0
  says "runs, OpenCL" "the same in "
  # Keys are read as bytes in an encoding and a reduction.
  for one in "4 rle" "6 reduce-by-key"; do
    verify_wrong -DSCAN_TYPE=2 --quick --device host --device "$device" --runs --case "${one% *}"
    ends "wrong runs, $one" 1
    says "wrong runs, $one" "$device: compaction, ${one#* } seed="
    says "wrong runs, $one" "scanrt verify --device $device --case '${one#* } seed="
    if grep -qE "^$device +${one#* } +FAIL" stdout; then pass; else fail "wrong runs: the row of ${one#* }"; fi
  done

  # shellcheck disable=SC2086 # words
  verify --quick --device host $devices --select
  ends "compaction, OpenCL" 0
  says "compaction, OpenCL" "the same in 210 cases"

  # All elements are read as bytes.
  verify_wrong -DSCAN_TYPE=2 --quick --device host --device "$device" --select --json report.json --html report.html
  ends "wrong compaction" 1
  says "wrong compaction" "DISAGREE"
  says "wrong compaction" "$device: compaction, "
  says "wrong compaction" "disagrees with host"
  if grep -qE '^host .*FAIL' stdout; then fail "wrong compaction: the host is right"; else pass; fi
  for how in bits pair partition3; do
    if grep -qE "^$device +$how +.*FAIL" stdout; then pass; else fail "wrong compaction: the row of $how"; fi
  done
  sed -n 's/^    scanrt verify/verify_wrong -DSCAN_TYPE=2/p' stdout >commands
  grep -m 1 ': compaction, ' stdout | sed 's/^ *//' >expected
  reports "wrong compaction"
  draws "wrong compaction" "<title>scanrt verify: FAILED</title>"
  draws "wrong compaction" '<th scope="row">compaction</th><th scope="row">bits</th>'
  draws "wrong compaction" " seed="
  head -n 1 commands >repeat.sh
  . ./repeat.sh
  ends "wrong compaction, the case again" 1
  says "wrong compaction, the case again" "$(cat expected)"
  says "wrong compaction, the case again" "0 passed, 1 failed, "
fi

# ---- the host with Oclgrind, which has its own OpenCL library -----

# oclgrind_verify ARGUMENT...: runs `scanrt verify` on the host and Oclgrind.
oclgrind_verify() {
  SCANRT_LIBOPENCL=${library%%:*} oclgrind "$scanrt" verify --quick --device host --device opencl:oclgrind "$@" \
    >stdout 2>stderr
  status=$?
}

if command -v oclgrind >/dev/null 2>&1; then
  # shellcheck disable=SC2016
  library=$(oclgrind sh -c 'printf %s "$LD_PRELOAD"')
  oclgrind_verify --type i32 --op add --n 10
  if grep -qE 'SCAN_NO_DEVICE|runtime does not come first' stderr; then
    echo "skipped: Oclgrind, which this build cannot use"
  else
    for case in "i32 add" "f32 add" "u8 max"; do
      oclgrind_verify --type "${case% *}" --op "${case#* }"
      ends "Oclgrind, $case" 0
      says "Oclgrind, $case" "the same in "
    done
  fi
else
  echo "skipped: oclgrind is not installed"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
