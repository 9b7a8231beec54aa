#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt reduce` on the host device, and of equal results on OpenCL devices.
#
# Usage: test_reduce.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell, awk and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/file_checks.sh"

take_tool "$@"

: >stdin
seq 1 6 >values.txt
printf '0\n2\n2\n6\n' >offsets.txt
printf '0\n2\n1\n6\n' >falling.txt
printf '0\n2\n5\n' >short.txt
printf '1\n0\n0\n7\n0\n1\n' >flags.txt
printf '1\n0\n' >few.txt
npy cube.npy '|u1' False '(2, 3)'
printf '\001\002\003\004\005\006' >>cube.npy
npy columns.npy '|u1' True '(2, 3)'
printf '\001\004\002\005\003\006' >>columns.npy

# ---- wrong use -----------------------------------------------------------------------------------------------------------

misuse reduce "--axis, --flags and --offsets exclude each other" --axis 0 --flags flags.txt cube.npy
misuse reduce "--axis is for npy" --axis 0 values.txt
misuse reduce "--axis 2 is out of range: the input's axes are 0 to 1, or -2 to -1" --axis 2 cube.npy
misuse reduce "unexpected argument 'more'" values.txt - more
misuse reduce "operator xor is not defined from f32 to f32" --op xor --type f32 values.txt
misuse reduce "unknown option '--keys'" --keys values.txt values.txt
refuses 1 "scanrt: falling.txt: offset 2, counted from 0, is less than the one before" \
  reduce --offsets falling.txt values.txt
refuses 1 "scanrt: short.txt: the first offset must be 0 and the last 6, the number of elements" \
  reduce --offsets short.txt values.txt
refuses 1 "scanrt: few.txt: 2 of 6 elements: there must be one for each" reduce --flags few.txt values.txt
refuses 1 "scanrt: the result so far at element 5, counted from 0, is outside the range of i8: nothing was written" \
  reduce --type i8 --init 110 --check-overflow --offsets offsets.txt values.txt

# ---- results: OPTIONS | FILE | what is printed -------------------------------------------------------------------------

check_results() {
  while IFS='|' read -r options file wanted; do
    # shellcheck disable=SC2086 # options are words
    run reduce "$@" $options "$file"
    printf '%b' "$wanted" >wanted.txt
    as_expected "$* $options $file" wanted.txt
  done <<'ROWS'
|values.txt|21\n
--op max|values.txt|6\n
--offsets offsets.txt|values.txt|3\n0\n18\n
--offsets offsets.txt --op max --init 4|values.txt|4\n4\n6\n
--offsets offsets.txt --input-type i8 --type i32|values.txt|3\n0\n18\n
--flags flags.txt|values.txt|6\n9\n6\n
--flags flags.txt --op mul --init 2|values.txt|12\n40\n12\n
|cube.npy|21\n
--axis 0|cube.npy|5\n7\n9\n
--axis -1 --op max|cube.npy|3\n6\n
--axis 0|columns.npy|5\n7\n9\n
--axis 1 --type u64|columns.npy|6\n15\n
ROWS
}
check_results

run reduce --axis 1 cube.npy rows.npy
run run --op max rows.npy
prints "an axis, as .npy" '6\n15\n'
cp values.txt stdin
run reduce
prints "standard input" '21\n'
: >stdin
: >empty.txt
run reduce empty.txt
prints "the sum of nothing" '0\n'

# ---- all devices ---------------------------------------------------------------------------------------------------------

run info --list
for device in $(awk '/^opencl|^host/ { print $1 }' stdout); do check_results --device "$device"; done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
