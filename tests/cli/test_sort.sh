#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt sort` on the host device, and of equal results on OpenCL devices.
#
# Usage: test_sort.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/file_checks.sh"

take_tool "$@"

: >stdin
printf '5\n-3\n12\n5\n0\n-3\n' >data.txt
printf '2\n1\n2\n0\n1\n0\n' >keys.txt
head -n 5 keys.txt >short.txt
cp data.txt data
printf 'b,2,1.5\na,1,-4\nc,2,2\nd,0,9\n' >table.csv
printf '\223NUMPY\001\000\166\000%-117s\n123456' "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }" >two.npy

# ---- wrong use -----------------------------------------------------------------------------------------------------------

misuse sort "standard input can be read once" --format text - -
misuse sort "standard input can be read once" --format text --key-format text --key - -
misuse sort "format raw needs --key-type" --key-format raw --key data data.txt
misuse sort "--key-column and --delimiter are for text" --key two.npy --key-column 1 data.txt
misuse sort "--key-type, --key-format and --key-column are for --key" --key-type u8 data.txt
misuse sort "--argsort and --key exclude each other: --argsort of KEYS has the order" --argsort --key keys.txt data.txt
misuse sort "--keys-out is for --key and --argsort: elements are their own keys" --keys-out keys.npy data.txt
misuse sort "NumPy has no bf16: give --out-format raw or text" --type bf16 -o out.npy data.txt
misuse sort "NumPy has no bf16: give --out-format raw or text" --key-type bf16 --key keys.txt --keys-out out.npy data.txt
for bits in 3 8:8 9:8 0:65 a:b 0:8x -1:8 :8; do
  misuse sort "--bits '$bits' is not a range such as 0:16" --bits "$bits" data.txt
done
misuse sort "there is no order 'size': give total or numeric" --order size data.txt
misuse sort "--bits and --order numeric exclude each other: that order has no bits" --order numeric --bits 0:8 data.txt
misuse sort "--bits ends at 33: i32 has 32 bits" --type i32 --bits 0:33 data.txt
misuse sort "--bits ends at 9: u8 has 8 bits" --key keys.txt --key-type u8 --bits 0:9 data.txt
refuses 1 "scanrt: cannot open missing.txt: No such file or directory" sort --key missing.txt data.txt
refuses 1 "scanrt: 5 keys and 6 elements: there must be as many" sort --key short.txt data.txt

# ---- elements ------------------------------------------------------------------------------------------------------------

run sort data.txt
prints "elements" '-3\n-3\n0\n5\n5\n12\n'
run sort -r data.txt
prints "-r" '12\n5\n5\n0\n-3\n-3\n'
run sort --descending --type i8 -o out.txt data.txt
writes "descending, to a file" out.txt '12\n5\n5\n0\n-3\n-3\n'
run sort data.txt keys.txt
prints "two files" '-3\n-3\n0\n0\n0\n1\n1\n2\n2\n5\n5\n12\n'
cp data.txt same.txt
run sort same.txt --output same.txt
writes "over its input" same.txt '-3\n-3\n0\n5\n5\n12\n'
cp data.txt stdin
run sort --format text
prints "standard input" '-3\n-3\n0\n5\n5\n12\n'
cp keys.txt stdin
run sort --format text data.txt -
prints "standard input, too" '-3\n-3\n0\n0\n0\n1\n1\n2\n2\n5\n5\n12\n'
run sort --type f32 -o floats.npy data.txt
run sort floats.npy -o again.txt
writes ".npy" again.txt '-3\n-3\n0\n5\n5\n12\n'
run sort --type i32 data.txt -o mixed.npy
misuse sort "'mixed.npy' has i32, the files before it have f32" floats.npy mixed.npy
misuse sort "the input is f32, --type says i32" --type i32 mixed.npy floats.npy
printf 'dcba' >letters
run sort --format raw --type u8 --out-format raw letters -o sorted.bin
writes "raw" sorted.bin 'abcd'
run sort --column 3 --type f64 table.csv
prints "a column" '-4\n1.5\n2\n9\n'
printf 'nan\n1\n-0.0\n-inf\n0.0\n-nan\ninf\n-0.5\n' >floats.txt
for type in f16 bf16 f32 f64; do
  run sort --type $type floats.txt
  prints "$type: the order of all" '-nan\n-inf\n-0.5\n-0\n0\n1\ninf\nnan\n'
  run sort --order total --type $type floats.txt
  prints "$type: the same by name" '-nan\n-inf\n-0.5\n-0\n0\n1\ninf\nnan\n'
  run sort --order numeric --type $type floats.txt floats.txt
  prints "$type: the numeric order" \
    '-inf\n-inf\n-0.5\n-0.5\n-0\n0\n-0\n0\n1\n1\ninf\ninf\nnan\n-nan\nnan\n-nan\n'
  run sort --order numeric -r --type $type floats.txt
  prints "$type: the numeric order, descending" 'nan\n-nan\ninf\n1\n-0\n0\n-0.5\n-inf\n'
  run sort --order numeric --argsort --type $type floats.txt
  prints "$type: indices in the numeric order" '3\n7\n2\n4\n1\n6\n0\n5\n'
done
: >empty.txt
run sort empty.txt
prints "nothing" ''
run sort empty.txt data.txt empty.txt
prints "nothing, and something" '-3\n-3\n0\n5\n5\n12\n'

# ---- by keys, by bits, and indices ---------------------------------------------------------------------------------------

run sort --key keys.txt data.txt
prints "by keys" '5\n-3\n-3\n0\n5\n12\n'
run sort -r --key keys.txt data.txt
prints "by keys, descending" '5\n12\n-3\n0\n5\n-3\n'
run sort --key keys.txt --key-type u8 --keys-out own.txt data.txt
prints "by keys, with these" '5\n-3\n-3\n0\n5\n12\n'
writes "the keys" own.txt '0\n0\n1\n1\n2\n2\n'
run sort --key table.csv --key-column 2 --column 3 --type f64 table.csv
prints "by a column of the same file" '9\n-4\n1.5\n2\n'
refuses 1 "scanrt: 6 keys and 4 elements: there must be as many" sort --key data.txt --format raw --type u8 letters
run sort --key letters --key-format raw --key-type u8 table.csv --column 2 --delimiter ,
prints "by raw keys" '0\n2\n1\n2\n'
cp keys.txt stdin
run sort --key - --key-format text data.txt
prints "by keys of standard input" '5\n-3\n-3\n0\n5\n12\n'
run sort --argsort data.txt
prints "indices" '1\n5\n4\n0\n3\n2\n'
run sort --argsort -r keys.txt
prints "indices, descending" '0\n2\n1\n4\n3\n5\n'
run sort --argsort --keys-out own.txt --type u8 keys.txt -o order.npy
writes "keys of indices" own.txt '0\n0\n1\n1\n2\n2\n'
run sort order.npy
prints "indices in .npy" '0\n1\n2\n3\n4\n5\n'
printf '17\n2\n33\n16\n1\n' >bits.txt
run sort --bits 0:4 --type u8 bits.txt
prints "by the lowest bits" '16\n17\n33\n1\n2\n'
run sort --bits 4:8 --type u8 bits.txt
prints "by the highest bits" '2\n1\n17\n16\n33\n'
run sort --bits 63:64 data.txt
prints "by the sign" '-3\n-3\n5\n12\n5\n0\n'

# ---- many elements, on all devices -----------------------------------------------------------------------------------

awk 'BEGIN { for (i = 0; i < 100000; i++) { s = (s * 1103515245 + 12345) % 2147483648; print int(s / 65536) - 16384 } }' >many.txt
sort -n many.txt >ascending.txt
awk '{ print $1 "\t" NR - 1 }' many.txt | sort -s -n -k 1,1 | cut -f 2 >order.txt
sort -r -n many.txt >descending.txt

run info --list
for device in $(awk '/^opencl|^host/ { print $1 }' stdout); do
  run sort --device "$device" many.txt
  as_expected "$device: many" ascending.txt
  run sort --device "$device" --type i16 -r many.txt
  as_expected "$device: many, descending" descending.txt
  run sort --device "$device" --type f32 --argsort many.txt
  as_expected "$device: many, indices" order.txt
  run sort --device "$device" --type i32 --key many.txt --key-type i16 many.txt
  as_expected "$device: many, by keys" ascending.txt
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
