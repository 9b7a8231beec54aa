#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt select` and `scanrt unique` on the host device.
#
# Usage: test_select.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/file_checks.sh"

take_tool "$@"

: >stdin
seq 1 10 >ten.txt
printf '1\n0\n0\n7\n0\n255\n0\n0\n0\n1\n' >flags.txt
head -n 7 flags.txt >short.txt
printf '5\n5\n-1\n7\n7\n7\n5\n' >runs.txt

# ---- wrong use -----------------------------------------------------------------------------------------------------------

misuse select "what is kept is said by --keep or by --flags" ten.txt
misuse select "what is kept is said by --keep or by --flags" --keep 'x>1' --flags flags.txt ten.txt
misuse select "--keep 'y > 3' is not a comparison such as 'x > 3'" --keep 'y > 3' ten.txt
misuse select "--keep 'x = 3': x is compared by one of < <= > >= == !=" --keep 'x = 3' ten.txt
misuse select "--keep 'x > three': 'three' is not a number of type i64" --keep 'x > three' ten.txt
misuse select "--keep 'x >': '' is not a number of type i64" --keep 'x >' ten.txt
misuse select "--keep 'x > 300': '300' is outside the range of u8, 0 to 255" --type u8 --keep 'x > 300' ten.txt
misuse select "--keep 'x > 3 x < 5': two comparisons are joined by && or ||" --keep 'x > 3 x < 5' ten.txt
misuse select "--keep 'x>3&&x<5&&x!=4' has more than two comparisons" --keep 'x>3&&x<5&&x!=4' ten.txt
misuse select "--keep compares no f16: say what is kept by --flags" --type f16 --keep 'x > 3' ten.txt
misuse select "unexpected argument 'more'" --keep 'x > 3' ten.txt - more
misuse select "unknown option '--count'" --keep 'x > 3' --count ten.txt
misuse unique "--keep 'x > 3': of a run the first or the last is kept" --keep 'x > 3' runs.txt
misuse unique "unknown option '--flags'" --flags flags.txt runs.txt
misuse unique "--count is for text: --counts writes a file of its own" --count runs.txt out.npy
misuse unique "--count and --rest behind exclude each other" --count --rest behind runs.txt
misuse unique "--within compares no f16: leave it out, or have text read by --type f32" --type f16 --within 1 runs.txt
not_one="is not a difference of two elements of type"
misuse unique "--within '-1' $not_one i64: give a number from 0 to 18446744073709551615" --within -1 runs.txt
misuse unique "--within '256' $not_one i8: give a number from 0 to 255" --type i8 --within 256 runs.txt
misuse unique "--within 'nan' $not_one f32: give a number from 0 on" --type f32 --within nan runs.txt
misuse unique "--within 'one' $not_one f64: give a number from 0 on" --type f64 --within one runs.txt
misuse select "unknown option '--within'" --keep 'x > 3' --within 1 ten.txt
refuses 1 "scanrt: short.txt: 7 flags of 10 elements: there must be one for each" select --flags short.txt ten.txt

# ---- select ----------------------------------------------------------------------------------------------------------------

run select --keep 'x > 7' ten.txt
prints "greater" '8\n9\n10\n'
run select --keep 'x<3||x>=10' ten.txt -
prints "one of two" '1\n2\n10\n'
run select --keep ' x >= 4 && x != 5 ' --type u16 ten.txt out.txt
writes "both, to a file" out.txt '4\n6\n7\n8\n9\n10\n'
run select --keep 'x <= 2' --indices ten.txt
prints "indices" '0\n1\n'
run select --keep 'x == 4' --rest behind ten.txt
prints "the rest behind" '4\n1\n2\n3\n5\n6\n7\n8\n9\n10\n'
run select --keep 'x > 2' --rest rest.txt ten.txt out.txt
writes "the rest in a file" rest.txt '1\n2\n'
writes "beside the others" out.txt '3\n4\n5\n6\n7\n8\n9\n10\n'
run select --keep 'x > 8' --indices --rest rest.txt ten.txt
prints "indices of those kept" '8\n9\n'
writes "indices of the others" rest.txt '0\n1\n2\n3\n4\n5\n6\n7\n'
run select --keep 'x > 100' ten.txt
prints "none" ''
run select --keep 'x < 100' --type i8 ten.txt
prints "all" '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n'
for type in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do
  run select --keep 'x >= 4 && x < 6' --type $type ten.txt
  prints "every type: $type" '4\n5\n'
done
for operator in '<:1 2' '<=:1 2 3' '>:4' '>=:3 4' '==:3' '!=:1 2 4'; do
  seq 1 4 >stdin
  run select --keep "x ${operator%:*} 3" --format text
  prints "x ${operator%:*} 3" "$(echo "${operator#*:}" | sed 's/ /\\n/g')\n"
done
printf '1\n-0.0\nnan\n2.5\n' >stdin
run select --keep 'x >= 0' --type f64 --format text
prints "NaN is neither" '1\n-0\n2.5\n'
run select --keep 'x < 0 || x != 1' --type f32 --format text --rest behind
prints "but unequal" '-0\nnan\n2.5\n1\n'
run select --flags flags.txt ten.txt
prints "flags" '1\n4\n6\n10\n'
run select --flags flags.txt --rest behind --indices ten.txt
prints "flags, indices of all" '0\n3\n5\n9\n1\n2\n4\n6\n7\n8\n'
printf 'a 5\nb 6\nc 7\n' >table.txt
run select --keep 'x != 6' --column 2 table.txt
prints "a column" '5\n7\n'
printf '1,5\n2,6\n' >table.csv
run select --keep 'x > 5' --column 2 table.csv
prints "of .csv" '6\n'
: >stdin
run select --keep 'x > 5' --format text
prints "nothing" ''

# Many elements, compared with awk.
awk 'BEGIN { for (i = 0; i < 200000; i++) { s = (s * 1103515245 + 12345) % 2147483648; print int(s / 65536) % 1000 } }' >many.txt
awk '$1 > 300 && $1 <= 700' many.txt >kept.txt
awk '!($1 > 300 && $1 <= 700)' many.txt >others.txt
run select --keep 'x > 300 && x <= 700' --type i32 --rest rest.txt many.txt out.txt
if [ "$status" -eq 0 ] && cmp -s kept.txt out.txt && cmp -s others.txt rest.txt; then pass; else fail "many"; fi

run select --keep 'x > 300' --type f32 many.txt out.npy
misuse select "the input is f32, --type says f64" --keep 'x > 1' --type f64 out.npy

# ---- unique ----------------------------------------------------------------------------------------------------------------

run unique runs.txt
prints "unique" '5\n-1\n7\n5\n'
run unique --keep last --indices runs.txt
prints "the last of each" '1\n2\n5\n6\n'
run unique --keep first --indices --rest rest.txt runs.txt
prints "where runs begin" '0\n2\n3\n6\n'
writes "the others" rest.txt '1\n4\n5\n'
run unique --rest behind runs.txt
prints "the others behind" '5\n-1\n7\n5\n5\n7\n7\n'
run unique --count runs.txt
prints "counts" '      2 5\n      1 -1\n      3 7\n      1 5\n'
run unique --count --keep last --indices runs.txt out.txt
writes "counts of indices, to a file" out.txt '      2 1\n      1 2\n      3 5\n      1 6\n'
run unique --counts counts.txt --type i8 runs.txt
prints "beside counts in a file" '5\n-1\n7\n5\n'
writes "counts in a file" counts.txt '2\n1\n3\n1\n'
printf 'nan\nnan\n0.0\n-0.0\n1\n1\n' >stdin
run unique --type f32 --format text --count
prints "NaN and zeros" '      1 nan\n      1 nan\n      2 0\n      2 1\n'
run unique --type f16 --format text --keep last
prints "halves" 'nan\nnan\n-0\n1\n'
: >stdin
run unique --format text --count
prints "no runs" ''
sort -n many.txt >sorted.txt
uniq -c sorted.txt >expected
run unique --count sorted.txt
as_expected "as uniq -c" expected

# ---- unique with a tolerance -----------------------------------------------------------------------------------------

printf '1\n2\n3\n10\n9\n20\n' >steps.txt
for type in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do
  run unique --within 1 --type $type --count steps.txt
  prints "within 1: $type" '      3 1\n      2 10\n      1 20\n'
done
run unique --within 1 --keep last --indices --rest rest.txt steps.txt
prints "within 1, the last" '2\n4\n5\n'
writes "within 1, the others" rest.txt '0\n1\n3\n'
run unique --within 0 runs.txt
prints "within 0" '5\n-1\n7\n5\n'
printf -- '-128\n127\n-128\n' >stdin
run unique --within 255 --type i8 --format text
prints "the largest difference" '-128\n'
run unique --within 254 --type i8 --format text
prints "one less" '-128\n127\n-128\n'
printf -- '-9223372036854775808\n9223372036854775807\n' >stdin
run unique --within 18446744073709551614 --format text --counts counts.txt
prints "differences of 64 bits" '-9223372036854775808\n9223372036854775807\n'
writes "differences of 64 bits, counted" counts.txt '1\n1\n'
printf 'inf\ninf\n-inf\nnan\nnan\n0.5\n0.75\n' >stdin
run unique --within 0.25 --type f32 --format text --count
prints "infinities and NaN" '      2 inf\n      1 -inf\n      1 nan\n      1 nan\n      2 0.5\n'
awk 'NR == 1 || $1 - before > 30 || before - $1 > 30 { print } { before = $1 }' many.txt >apart.txt
run unique --within 30 --type i16 many.txt out.txt
if [ "$status" -eq 0 ] && cmp -s apart.txt out.txt; then pass; else fail "many within 30"; fi

# ---- equal results on other devices ----------------------------------------------------------------------------------

run info --list
for device in $(awk '/^opencl/ { print $1 }' stdout); do
  run select --keep 'x > 300 && x <= 700' --type f32 --device "$device" --rest rest.txt many.txt out.txt
  if [ "$status" -eq 0 ] && cmp -s kept.txt out.txt && cmp -s others.txt rest.txt; then pass; else fail "$device: many"; fi
  run unique --keep last --indices --device "$device" runs.txt
  prints "$device: the last of each" '1\n2\n5\n6\n'
  run unique --within 30 --type f32 --device "$device" many.txt out.txt
  if [ "$status" -eq 0 ] && cmp -s apart.txt out.txt; then pass; else fail "$device: many within 30"; fi
  run unique --within 1 --count --device "$device" steps.txt
  prints "$device: counts within 1" '      3 1\n      2 10\n      1 20\n'
  run select --flags flags.txt --rest behind --device "$device" ten.txt
  prints "$device: flags" '1\n4\n6\n10\n2\n3\n5\n7\n8\n9\n'
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
