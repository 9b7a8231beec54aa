#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt rle` and `scanrt reduce-by-key` on the host device, and of equal results on OpenCL devices.
#
# Usage: test_runs.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/file_checks.sh"

take_tool "$@"

: >stdin
printf '5\n5\n-1\n7\n7\n7\n5\n' >keys.txt
printf '1\n2\n3\n4\n5\n6\n7\n' >values.txt
head -n 6 values.txt >short.txt
cp keys.txt keys
printf 'a,5,1.5\nb,5,2\nc,6,-4\n' >table.csv
printf '\223NUMPY\001\000\166\000%-117s\n123456' "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }" >two.npy

# ---- wrong use -----------------------------------------------------------------------------------------------------------

misuse rle "--columns has no 'value': use key, length and start" --columns key,value keys.txt
misuse rle "--columns has no '': use key, length and start" --columns key, keys.txt
misuse rle "--columns has key twice" --columns key,start,key keys.txt
misuse rle "unexpected argument 'more'" keys.txt - more
misuse rle "unknown option '--op'" --op add keys.txt
misuse rle "npy holds one column: choose it by --columns, or give others files of their own" keys.txt out.npy
misuse rle "raw holds one column: choose it by --columns, or give others files of their own" --out-format raw keys.txt out
misuse rle "nothing is left for 'out.txt': --columns says what goes there, too" \
  --keys-out k.txt --lengths-out l.txt keys.txt out.txt
misuse rle "NumPy has no bf16: give --out-format raw or text" --type bf16 --columns key keys.txt out.npy

misuse reduce-by-key "KEYS and VALUES are missing" keys.txt
misuse reduce-by-key "KEYS and VALUES cannot both be standard input" --key-format text --format text - -
misuse reduce-by-key "format raw needs --key-type" --key-format raw keys values.txt
misuse reduce-by-key "--key-column and --delimiter are for text" --key-column 2 two.npy values.txt
misuse reduce-by-key "--columns has no 'start': use key and value" --columns key,start keys.txt values.txt
misuse reduce-by-key "operator xor is not defined from f32 to f32" --op xor --type f32 keys.txt values.txt
misuse reduce-by-key "operator add is not defined from i64 to u8" --input-type i64 --type u8 keys.txt values.txt
misuse reduce-by-key "--init 'x' is not a number of type i64" --init x keys.txt values.txt
misuse reduce-by-key "unknown option '--lengths-out'" --lengths-out l.txt keys.txt values.txt
refuses 1 "scanrt: 7 keys and 6 values: there must be as many" reduce-by-key keys.txt short.txt
refuses 1 "scanrt: the result so far at value 4, counted from 0, is outside the range of i8: nothing was written" \
  reduce-by-key --type i8 --init 120 --check-overflow keys.txt values.txt

# ---- run-length encoding -------------------------------------------------------------------------------------------------

run rle keys.txt
prints "keys and lengths" '5\t2\n-1\t1\n7\t3\n5\t1\n'
run rle --columns start,length,key keys.txt out.csv
writes "three columns, as .csv" out.csv '0,2,5\n2,1,-1\n3,3,7\n6,1,5\n'
run rle --columns start keys.txt
prints "starts alone" '0\n2\n3\n6\n'
run rle --lengths-out lengths.txt --starts-out starts.txt keys.txt
prints "keys are left" '5\n-1\n7\n5\n'
writes "lengths of their own" lengths.txt '2\n1\n3\n1\n'
writes "starts of their own" starts.txt '0\n2\n3\n6\n'
run rle --keys-out own.txt keys.txt out.txt
writes "lengths are left" out.txt '2\n1\n3\n1\n'
writes "keys of their own" own.txt '5\n-1\n7\n5\n'
run rle --keys-out own.txt --lengths-out lengths.npy keys.txt
prints "nothing is left" ''
run run --op max lengths.npy
prints "lengths in .npy" '2\n2\n3\n3\n'
run rle --columns key,length --keys-out own.txt keys.txt
prints "what is asked for, too" '5\t2\n-1\t1\n7\t3\n5\t1\n'
run rle --column 2 --type u8 table.csv
prints "a column" '5\t2\n6\t1\n'
printf 'nan\nnan\n0.0\n-0.0\n1\n1\n' >stdin
run rle --type f32 --format text
prints "NaN and zeros" 'nan\t1\nnan\t1\n0\t2\n1\t2\n'
: >stdin
run rle --format text
prints "no runs" ''

# ---- reduction by key ----------------------------------------------------------------------------------------------------

run reduce-by-key keys.txt values.txt
prints "sums" '5\t3\n-1\t3\n7\t15\n5\t7\n'
run reduce-by-key --op max --init 4 keys.txt values.txt out.csv
writes "the largest, from a value" out.csv '5,4\n-1,4\n7,6\n5,7\n'
run reduce-by-key --columns value keys.txt values.txt
prints "values alone" '3\n3\n15\n7\n'
run reduce-by-key --keys-out own.npy --input-type u8 --type u64 --strategy sequential keys.txt values.txt out.npy
run reduce-by-key own.npy out.npy
prints "of .npy" '5\t3\n-1\t3\n7\t15\n5\t7\n'
run reduce-by-key --values-out sums.txt --key-type i16 keys.txt values.txt
prints "keys are left" '5\n-1\n7\n5\n'
writes "values of their own" sums.txt '3\n3\n15\n7\n'
run reduce-by-key --key-column 2 --column 3 --type f64 table.csv table.csv
prints "columns of one file" '5\t3.5\n6\t-4\n'
cp values.txt stdin
run reduce-by-key --format text --type f16 keys.txt -
prints "values of standard input" '5\t3\n-1\t3\n7\t15\n5\t7\n'
cp keys.txt stdin
run reduce-by-key --key-format text --op mul - values.txt -
prints "keys of standard input" '5\t2\n-1\t3\n7\t120\n5\t7\n'
: >empty.txt
run reduce-by-key empty.txt empty.txt
prints "nothing" ''

# ---- many elements, on all devices -----------------------------------------------------------------------------------

awk 'BEGIN { for (i = 0; i < 100000; i++) { s = (s * 1103515245 + 12345) % 2147483648; print int(s / 65536) % 500 } }' >many.txt
sort -n many.txt >sorted.txt
uniq -c sorted.txt | awk '{ print $2 "\t" $1 }' >encoded.txt
awk 'NR == FNR { k[NR] = $1; next }
  FNR > 1 && k[FNR] != k[FNR - 1] { print k[FNR - 1] "\t" s; s = 0 }
  { s += $1 }
  END { print k[FNR] "\t" s }' sorted.txt many.txt >summed.txt

printf '5\t1\n-1\t3\n7\t4\n5\t7\n' >least.txt
run info --list
for device in $(awk '/^opencl|^host/ { print $1 }' stdout); do
  run rle --device "$device" sorted.txt
  as_expected "$device: many, encoded" encoded.txt
  run reduce-by-key --device "$device" sorted.txt many.txt
  as_expected "$device: many, added up" summed.txt
  run reduce-by-key --device "$device" --type i32 --op min keys.txt values.txt
  as_expected "$device: the least" least.txt
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
