#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt run` on raw and .npy files: types, arrays, 16-bit floats, damaged files.
#
# Usage: test_formats.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/run_checks.sh"

take_tool "$@"
: >stdin

printf '\001\000\000\000\002\000\000\000\377\377\377\377' >a.bin
run run --format raw --type i32 a.bin
prints "raw" '1\n3\n2\n'
run run --format raw --input-type u32 --type u64 a.bin
prints "raw, widened" '1\n3\n4294967298\n'
printf '\001\000\000\000\003\000\000\000\002\000\000\000' >expected.bin
run run --format raw --type i32 a.bin --out-format raw -o sums.bin
same "raw to raw" sums.bin expected.bin
cp a.bin stdin
run run --format raw --type i32 --out-format raw -
same "raw through pipes" stdout expected.bin
run run --format raw --type i64 a.bin
refuses "raw, odd size" 1 "scanrt: a.bin: 12 bytes are not a whole number of i64 elements"

npy a.npy '<i4' False '(3,)'
cat a.bin >>a.npy
npy expected.npy '<i4' False '(3,)'
cat expected.bin >>expected.npy
run run a.npy
prints "npy" '1\n3\n2\n'
run run a.npy -o sums.npy
same "npy to npy" sums.npy expected.npy
cp a.npy stdin
run run --format npy --out-format npy -
same "npy through pipes" stdout expected.npy
run run a.npy --type i64
prints "npy, widened" '1\n3\n2\n'
run run sums.npy -o sums.txt
printf '1\n4\n6\n' >expected.txt
same "npy to text" sums.txt expected.txt
npy empty.npy '<f8' False '(0,)'
run run empty.npy
prints "npy, no elements" ''
npy fortran.npy '<i4' True '(3,)'
cat a.bin >>fortran.npy
run run fortran.npy
prints "npy, one dimension in Fortran order" '1\n3\n2\n'
for version in 2 3; do
  { printf '\223NUMPY%b\000\166\000\000\000' "\\000$version"; tail -c +11 a.npy; } >long.npy
  run run long.npy
  prints "npy version $version" '1\n3\n2\n'
done

# Arrays: 1 to 6 as 2 x 3. In Fortran order the same bytes are 3 x 2, and axis k of one is axis 1 - k of the other.
# array FILE ORDER SHAPE BYTE...: writes u1 elements.
array() {
  npy "$1" '|u1' "$2" "$3"
  file=$1
  shift 3
  for byte in "$@"; do printf '%b' "\\0$(printf %o "$byte")"; done >>"$file"
}
array rows.npy False '(2, 3)' 1 2 3 4 5 6
array transposed.npy True '(3, 2)' 1 2 3 4 5 6
array expected0.npy False '(2, 3)' 1 2 3 5 7 9
array expected1.npy False '(2, 3)' 1 3 6 4 9 15
array transposed0.npy True '(3, 2)' 1 3 6 4 9 15
array transposed1.npy True '(3, 2)' 1 2 3 5 7 9
for axis in 0 1; do
  run run rows.npy --axis $axis -o sums.npy
  same "axis $axis" sums.npy expected$axis.npy
  run run transposed.npy --axis $axis -o sums.npy
  same "axis $axis, Fortran order" sums.npy transposed$axis.npy
done
run run rows.npy --axis 1 --exclusive --init 10 --type u32
prints "axis, widened, from a value, as text" '10\n11\n13\n10\n14\n19\n'
array cube.npy False '(2, 2, 2)' 1 2 3 4 5 6 7 8
run run cube.npy --axis 1 --op max
prints "the middle axis" '1\n2\n3\n4\n5\n6\n7\n8\n'
run run cube.npy --axis 1
prints "the middle axis, sums" '1\n2\n4\n6\n5\n6\n12\n14\n'
array line.npy False '(3,)' 1 2 3
run run line.npy --axis 0
prints "an array of one axis" '1\n3\n6\n'
array none.npy False '(0, 3)'
run run none.npy --axis 1 -o sums.npy
same "an array of no elements" sums.npy none.npy
run run rows.npy --axis 1 --verbose
if [ "$status" -eq 0 ] && grep -q '^axis      1 of (2, 3)$' stderr && grep -q '^strategy' stderr; then pass
else fail "axis --verbose"; fi
misuse "the input has 2 dimensions: --axis, from 0 to 1, says which to scan along" rows.npy
misuse "the input has 2 dimensions: --axis, from 0 to 1, says which to scan along" transposed.npy
misuse "--axis 2 is out of range: the input's axes are 0 to 1, or -2 to -1" rows.npy --axis 2
misuse "--axis -3 is out of range: the input's axes are 0 to 1, or -2 to -1" rows.npy --axis -3
for axis in 0 1; do
  run run rows.npy --axis $((axis - 2)) -o sums.npy
  same "axis $((axis - 2))" sums.npy expected$axis.npy
done
seq 1 6 >six.txt
run run six.txt --flags rows.npy
refuses "flags of two dimensions" 1 "scanrt: rows.npy: an array of 2 dimensions: segments need one"

# 1, 0.333251953125, 65504 and the smallest number of binary16; 1, 0.333984375, 2^127 and the smallest of bfloat16.
printf '\000\074\125\065\377\173\001\000' >f16.bin
printf '\200\077\253\076\000\177\001\000' >bf16.bin
npy f16.npy '<f2' False '(4,)'
cat f16.bin >>f16.npy
run run f16.npy --op max
prints "npy of binary16" '1\n1\n65504\n65504\n'
run run --format raw --type bf16 --op max bf16.bin
prints "raw bfloat16" '1\n1\n1.701e+38\n1.701e+38\n'
printf '1\n0.33333\n65504\n5.9605e-08\n' >halves.txt
run run halves.txt --type f16 --op min -o least.npy
npy expected.npy '<f2' False '(4,)'
printf '\000\074\125\065\125\065\001\000' >>expected.npy
same "text to npy of binary16" least.npy expected.npy
printf '1\n0.334\n1.701e+38\n9.184e-41\n' >halves.txt
run run halves.txt --type bf16 --op min -o least.bin --out-format raw
printf '\200\077\253\076\253\076\001\000' >expected.bin
same "text to raw bfloat16" least.bin expected.bin
printf '0.1\n0.2\n0.3\n1e-9\n-0\ninf\n' >halves.txt
run run halves.txt --type f16 --exclusive
prints "sums of binary16" '0\n0.099976\n0.2998\n0.6001\n0.6001\n0.6001\n'
run run --format raw --input-type f16 --type f32 f16.bin
prints "sums of binary16 in binary32" '1\n1.33325195\n65505.332\n65505.332\n'
echo 65519 >halves.txt
run run halves.txt --type f16
prints "rounded to the largest" '65504\n'
echo 65520 >halves.txt
run run halves.txt --type f16
refuses "beyond binary16" 1 "scanrt: halves.txt:1: '65520' is outside the range of f16, -65504 to 65504: --type f32 takes it"
misuse "NumPy has no bf16: give --out-format raw or text, or --type f32" --format raw --type bf16 bf16.bin -o x.npy
npy bad.npy '>i4' False '(3,)'
run run bad.npy
refuses "npy, big-endian" 1 "scanrt: bad.npy: dtype '>i4' is big-endian; convert it to '<i4'"
npy bad.npy '<c8' False '(3,)'
run run bad.npy
refuses "npy, complex" 1 "scanrt: bad.npy: dtype '<c8' is not supported; b1, i1 to i8, u1 to u8, f2, f4 and f8 are"
npy bad.npy '<i4' False '()'
run run bad.npy
refuses "npy, a scalar" 1 "scanrt: bad.npy: an array of 0 dimensions has no axis to scan along"
npy bad.npy '<i4' False '(1, 1, 1, 1, 1, 1, 1, 1, 1)'
run run bad.npy
refuses "npy, nine dimensions" 1 "scanrt: bad.npy: more than 8 dimensions are not supported"
npy bad.npy '<i4' False '(4294967296, 4294967296, 2)'
run run bad.npy
refuses "npy, more elements than 64 bits count" 1 \
  "scanrt: bad.npy: the header says 18446744073709551615 elements of 4 bytes, the file has 0 bytes of them"
npy bad.npy '<i4' False '(4,)'
cat a.bin >>bad.npy
run run bad.npy
refuses "npy, too short" 1 "scanrt: bad.npy: the header says 4 elements of 4 bytes, the file has 12 bytes of them"
npy bad.npy '<i4' False '(99999999999999999999,)'
run run bad.npy
refuses "npy, absurd count" 1 \
  "scanrt: bad.npy: the header says 18446744073709551615 elements of 4 bytes, the file has 0 bytes of them"
head -c 60 a.npy >bad.npy
run run bad.npy
refuses "npy, cut header" 1 "scanrt: bad.npy: the file ends inside the .npy header"
run run --format npy a.bin
refuses "not npy" 1 "scanrt: a.bin: not an .npy file"
printf '\223NUMPY\011\000\166\000' >bad.npy
run run bad.npy
refuses "npy, version 9" 1 "scanrt: bad.npy: .npy version 9 is not supported"
npy bad.npy '<i4' False 'x'
run run bad.npy
refuses "npy, damaged" 1 "scanrt: bad.npy: the .npy header is damaged"
run run a.npy --input-type u8
refuses "npy, another type" 2 "scanrt run: the input is i32, --input-type says u8 (see scanrt run --help)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
