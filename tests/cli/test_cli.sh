#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of the command-line tool on the host device.
#
# Usage: test_cli.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/run_checks.sh"

take_tool "$@"

: >stdin

# ---- help and version ------------------------------------------------------------------------------------------------

run --help
contains "--help" "Usage: scanrt COMMAND"
run -h
contains "-h" "Usage: scanrt COMMAND"
run --version
contains "--version" "scanrt 0."
contains "--version" ", commit "
for command in info run reduce select unique rle reduce-by-key sort verify bench; do
  run --help
  contains "--help lists $command" "  $command "
  run $command --help
  contains "$command --help" "Usage: scanrt $command"
  contains "$command --help has examples" "Examples:"
  run $command -h
  contains "$command -h" "Usage: scanrt $command"
done
run run --help
contains "run --help lists the types" "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64"
contains "run --help lists the operators" "add mul min max and or xor"

# ---- wrong use -------------------------------------------------------------------------------------------------------

run
refuses "no command" 2 "scanrt: a command is missing (see scanrt --help)"
run sacn
refuses "unknown command" 2 "scanrt: unknown command sacn (see scanrt --help)"
run --fast
refuses "unknown option" 2 "scanrt: unknown option --fast (see scanrt --help)"
for command in info run reduce select unique rle reduce-by-key sort verify bench; do
  run $command --fast
  refuses "$command: unknown option" 2 "scanrt $command: unknown option '--fast' (see scanrt $command --help)"
  run $command -q
  refuses "$command: unknown letter" 2 "scanrt $command: unknown option '-q' (see scanrt $command --help)"
done
for command in info verify bench; do
  run $command more
  refuses "$command: argument" 2 "scanrt $command: unexpected argument 'more' (see scanrt $command --help)"
done
run info --json --list
refuses "info: two modes" 2 "scanrt info: --json and --list exclude each other (see scanrt info --help)"
run info --json=1
refuses "info: value" 2 "scanrt info: option '--json' takes no value (see scanrt info --help)"
run verify --quick --large
refuses "verify: two tiers" 2 "scanrt verify: --quick and --large exclude each other (see scanrt verify --help)"
run bench --n 2^99
refuses "bench: n" 2 "scanrt bench: --n '2^99' is not a count such as 1000 or 2^20 (see scanrt bench --help)"
run bench --n 0
refuses "bench: n = 0" 2 "scanrt bench: --n '0' is out of range (see scanrt bench --help)"
run bench --reps 0
refuses "bench: reps" 2 "scanrt bench: --reps is from 1 to 1000 (see scanrt bench --help)"
run bench --type f32 --op xor
refuses "bench: operator" 2 "scanrt bench: operator xor is not defined on f32 (see scanrt bench --help)"

: >a.bin
printf '1\n2\n3\n' >a.txt
misuse "unexpected argument 'b.txt'" a.txt b.txt
misuse "option '--type' needs a value" a.txt --type
misuse "option '--out' needs a value" a.txt -o
misuse "option '--exclusive' takes no value" --exclusive=1 a.txt
misuse "unknown type 'int': use one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 f16 bf16" --type int a.txt
misuse "unknown operator 'sum': use one of add mul min max and or xor" --op sum a.txt
textbook="hillis_steele blelloch blelloch_padded subgroup three_pass chained lookback_classic sklansky brent_kung raking"
misuse "unknown strategy 'fast': use one of auto sequential block reduce_then_scan lookback threads pipelined $textbook" \
  --strategy fast a.txt
misuse "unknown format 'hdf5': use one of npy raw text" --format hdf5 a.txt
misuse "unknown format 'lines': use one of npy raw text" --out-format lines a.txt
misuse "columns count from 1" --column 0 a.txt
misuse "--column 'two' is not a number from 1; --header has columns found by their names" --column two a.txt
misuse "delimiter ';;' is not one character" --delimiter ';;' a.txt
misuse "'out.gz': compressed files are read, not written: pipe standard output through gzip" a.txt -o out.gz
misuse "format raw needs --type" --format raw a.bin
misuse "--column and --delimiter are for text" --format raw --type i32 --column 2 a.bin
misuse "--axis is for npy" --axis 0 a.txt
for axis in x 1x - -0 -x 99999999999999999999; do
  misuse "--axis '$axis' is not an axis: from the first one they are 0, 1, ..., from the last -1, -2, ..." --axis $axis a.txt
done
misuse "--axis excludes --memory, --flags, --keys and --offsets" --axis 0 --keys a.txt a.txt
misuse "--axis excludes --memory, --flags, --keys and --offsets" --axis 0 --memory 100 a.txt
misuse "--line-lengths and --format exclude each other" --line-lengths --format text a.txt
misuse "--line-lengths needs type u64 or i64" --line-lengths --type i32 a.txt
misuse "--line-lengths and --input-type exclude each other" --line-lengths --input-type i64 a.txt
misuse "operator xor is not defined from f64 to f64" --type f64 --op xor a.txt
misuse "operator add is not defined from i64 to i32" --input-type i64 --type i32 a.txt
misuse "--init '1.5' is not a number of type i64: --type f64 takes it" --init 1.5 a.txt
misuse "--init 'x' is not a number of type i64" --init x a.txt
misuse "--init '300' is outside the range of u8, 0 to 255: --type i64 takes it" --type u8 --init 300 a.txt

# ---- failures at run time --------------------------------------------------------------------------------------------

run run none.txt
refuses "missing file" 1 "scanrt: cannot open none.txt: No such file or directory"
for arguments in none none.bin "--format raw none.bin" "--line-lengths --format text none" "none.txt -o out"; do
  # shellcheck disable=SC2086 # words
  run run $arguments
  refuses "missing file comes first: $arguments" 1 "scanrt: cannot open $(echo "$arguments" | grep -o 'none[.a-z]*'): No such file or directory"
done
run run a.txt -o none/out.txt
refuses "missing folder" 1 "scanrt: cannot create none/out.txt: No such file or directory"
run run --format text .
refuses "a folder" 1 "scanrt: cannot read .: Is a directory"
run run a.txt --device nowhere:7
if [ "$status" -eq 1 ] && grep -q "^scanrt: cannot open the device: .*SCAN_NO_DEVICE" stderr; then pass
else fail "no such device"; fi
if [ "$(wc -l <stderr)" -eq 1 ]; then pass; else fail "no such device: one line"; fi
if [ -c /dev/full ]; then
  "$scanrt" run a.txt >/dev/full 2>stderr
  status=$?
  : >stdout
  refuses "full disk" 1 "scanrt: cannot write to standard output: No space left on device"
fi
yes 1 | head -n 100000 >many.txt
{ "$scanrt" run many.txt 2>stderr; echo $? >&3; } 3>code | head -n 1 >stdout
status=0
prints "a closed pipe is quiet" '1\n'

# ---- text ------------------------------------------------------------------------------------------------------------

run run a.txt
prints "text, inclusive" '1\n3\n6\n'
run run a.txt --exclusive
prints "text, exclusive" '0\n1\n3\n'
run run a.txt --exclusive --init 10
prints "text, init" '10\n11\n13\n'
run run a.txt --op mul --inclusive
prints "text, product" '1\n2\n6\n'
run run a.txt --exclusive --op min --type i32
prints "text, exclusive minimum" '2147483647\n1\n1\n'
run run a.txt --input-type i8 --type i64
prints "text, widened" '1\n3\n6\n'
for strategy in sequential threads; do
  run run a.txt --strategy $strategy
  prints "text, $strategy" '1\n3\n6\n'
done
printf '# name value\n\n  a 10 \r\n\tb\t-20\n   \nc 30 more' >columns.txt
run run columns.txt --column 2
prints "column, blanks, comments, no line end" '10\n-10\n20\n'
printf '1,2.5,x\n3,  0.25 ,y\n' >table.csv
run run table.csv --column 2 --type f64
prints "csv" '2.5\n2.75\n'
run run --format text --delimiter ';' --type u8 --column 2 - <stdin
prints "empty input" ''
printf '1;200\n1;100\n' >stdin
run run --format text --delimiter ';' --type u8 --column 2 -
prints "delimiter, wrap-around" '200\n44\n'
printf '1\t7\n2\t8\n' >tab.tsv
run run tab.tsv --column 2
prints "tsv" '7\n15\n'
printf '0.1\n0.2\nnan\n1\n' >floats.txt
run run floats.txt --type f32
prints "f32 digits, NaN" '0.100000001\n0.300000012\nnan\nnan\n'

printf '1\nx1\n' >bad.txt
run run bad.txt
refuses "not a number" 1 "scanrt: bad.txt:2: 'x1' is not a number of type i64"
printf '1\n\n#\n300\n' >bad.txt
run run bad.txt --type u8
refuses "out of range" 1 "scanrt: bad.txt:4: '300' is outside the range of u8, 0 to 255: --type i64 takes it"
printf -- '-1\n' >bad.txt
run run bad.txt --type u64
refuses "negative" 1 "scanrt: bad.txt:1: '-1' is outside the range of u64, 0 to 18446744073709551615: --type i64 takes it"
printf '1 2\n3\n' >bad.txt
run run bad.txt --column 2
refuses "missing column" 1 "scanrt: bad.txt:2: column 2 is wanted, the line has 1"
printf '# two columns from line 3 on\n1\n2 3\n' >bad.txt
run run bad.txt
refuses "more columns" 1 "scanrt: bad.txt:3: more than one column: of the input, --column says which to scan"
run run bad.txt --column 1
prints "more columns, the first" '1\n3\n'
printf '1, 2\n' >bad.csv
run run bad.csv
refuses "more columns, csv" 1 "scanrt: bad.csv:1: more than one column: of the input, --column says which to scan"
printf '1,\n' >bad.csv
run run bad.csv
refuses "an empty second column" 1 "scanrt: bad.csv:1: more than one column: of the input, --column says which to scan"
printf ' 1 \t\r\n2 \n' >blanks.txt
run run blanks.txt
prints "blanks are no column" '1\n3\n'
printf '1.5\n' >bad.txt
run run bad.txt
refuses "a fraction" 1 "scanrt: bad.txt:1: '1.5' is not a number of type i64: --type f64 takes it"
printf '1\0002\n' >bad.txt
run run bad.txt
refuses "a NUL byte" 1 "scanrt: bad.txt:1: '1' is not a number of type i64"
printf '1,\n' >bad.csv
run run bad.csv --column 2
refuses "an empty column" 1 "scanrt: bad.csv:1: '' is not a number of type i64"

# ---- line lengths ----------------------------------------------------------------------------------------------------

printf 'ab\n\nlonger line\nno end' >lines.md
run run --line-lengths --exclusive lines.md
prints "line offsets" '0\n3\n4\n16\n'
run run --line-lengths --type i64 lines.md
prints "line ends" '3\n4\n16\n22\n'
cp lines.md stdin
run run --line-lengths --op max
prints "line lengths from a pipe" '3\n3\n12\n12\n'

# ---- segments and overflow -------------------------------------------------------------------------------------------

seq 1 6 >six.txt
printf '1\n1\n2\n2\n2\n9\n' >keys.txt
printf '0\n0\n1\n0\n0\n7\n' >flags.txt
printf '0\n2\n2\n5\n6\n' >offsets.txt
run run six.txt --keys keys.txt
prints "keys" '1\n3\n3\n7\n12\n6\n'
run run six.txt --flags flags.txt --exclusive
prints "flags" '0\n1\n0\n3\n7\n0\n'
run run six.txt --offsets offsets.txt --type f32 --init 10 --exclusive
prints "offsets" '10\n11\n10\n13\n17\n10\n'
run run six.txt --offsets offsets.txt --verbose
if [ "$status" -eq 0 ] && grep -q '^strategy  threads' stderr; then pass; else fail "verbose segments"; fi
run run --keys keys.txt keys.txt -o keys.npy
run run --keys keys.npy six.txt
prints "keys from npy" '1\n2\n5\n4\n5\n6\n'
run run --flags keys.npy six.txt
refuses "flags of another type" 1 "scanrt: keys.npy: flags are u8 or bool"
run run --offsets keys.npy six.txt
refuses "offsets of another type" 1 "scanrt: keys.npy: offsets are u32 or u64"
run run --offsets keys.txt six.txt
refuses "offsets that do not begin at 0" 1 "scanrt: keys.txt: the first offset must be 0 and the last 6, the number of elements"
run run --offsets flags.txt six.txt
refuses "offsets that fall" 1 "scanrt: flags.txt: offset 3, counted from 0, is less than the one before"
printf '0 0\n1 1\n' >bad.txt
run run --flags bad.txt six.txt
refuses "flags of two columns" 1 "scanrt: bad.txt:1: more than one column: of the input, --column says which to scan"
run run --flags offsets.txt six.txt
refuses "too few flags" 1 "scanrt: offsets.txt: 5 of 6 elements: there must be one for each"
run run --keys six six.txt
refuses "keys in no file" 1 "scanrt: cannot open six: No such file or directory"
misuse "--flags, --keys and --offsets exclude each other" --keys keys.txt --flags flags.txt six.txt
misuse "--memory excludes --flags, --keys, --offsets and --check-overflow" --memory 100 --check-overflow six.txt
printf '100\n27\n1\n-50\n' >sums.txt
run run sums.txt --type i8 --check-overflow
refuses "overflow" 1 "scanrt: result 2, counted from 0, is outside the range of i8: nothing was written"
run run sums.txt --type i16 --check-overflow
prints "no overflow" '100\n127\n128\n78\n'

# ---- a longer one ----------------------------------------------------------------------------------------------------

run run many.txt --type i32 -o many.npy
run run many.npy --op max
if [ "$status" -eq 0 ] && [ "$(tail -n 1 stdout)" = 100000 ] && [ "$(wc -l <stdout)" -eq 100000 ]; then pass
else fail "100,000 elements"; fi
run run many.npy --verbose
if [ "$status" -eq 0 ] && grep -q '^device  *host' stderr && grep -q '^strategy' stderr &&
  grep -q '^n  *100000' stderr && grep -q '^time' stderr; then pass
else fail "--verbose"; fi

# ---- streamed --------------------------------------------------------------------------------------------------------

# 12 bytes for three chunks of 4 bytes: each chunk is one element.
for memory in 12 2400 2^20; do
  run run many.npy --exclusive --out whole.raw --out-format raw
  run run many.npy --exclusive --memory $memory --out pieces.raw --out-format raw
  same "streamed through $memory bytes" whole.raw pieces.raw
done
run run many.npy --memory 2400 --verbose
if [ "$status" -eq 0 ] && grep -q "^streamed  in chunks of " stderr; then pass; else fail "--memory --verbose"; fi
misuse "--memory is at least 1 byte" --memory 0 many.npy
run run many.npy --memory 1
if [ "$status" -eq 1 ] && grep -q "a stream needs at least" stderr; then pass; else fail "--memory 1"; fi

# ---- info, verify, bench ---------------------------------------------------------------------------------------------

run info
contains "info" "host: "
run info --list
contains "info --list" "host "
run info --json
contains "info --json" '"selector": "host"'
run verify --quick --device host
contains "verify" ", 0 failed, "
run verify --quick --device host --json -
contains "verify --json" '"failed": 0,'
run verify --device nowhere
if [ "$status" -eq 1 ] && grep -q "SCAN_NO_DEVICE" stderr; then pass; else fail "verify: no such device"; fi
run bench --device host --n 10000 --reps 2
contains "bench" "plain loop"
run bench --device host --n 2^12 --reps 2 --type f32 --exclusive --strategy sequential --json
contains "bench --json" '"correct": true'
run bench --cold --device host
contains "bench --cold" "later context ms"
run bench --stream --device host --memory 2^16 --type f32
contains "bench --stream" "scan_stream "

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
