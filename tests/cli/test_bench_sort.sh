#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt bench --sort` on the host device, with peers that are right or wrong on purpose.
#
# Usage: test_bench_sort.sh SCANRT_BINARY PEERS_FOLDER [CPU_PEER...]
# CPU_PEER: a peer of tools/peers/ that was built beside the program and sorts: std, tbb.
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; with python3, JSON is parsed.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

take_bench_tools "$@"
shift 2

family=sort

misuse "unknown --sort 'values': use one of keys pairs argsort" values
misuse "unknown --sort '': use one of keys pairs argsort" keys,
misuse "unknown --shape 'heap': use one of random and3 sorted reversed equal two bits27" keys --shape random,heap
misuse "--payload: values and indices have 4 or 8 bytes" pairs --payload 2
misuse "--key-words: keys are of 1 or 2 words" keys --key-words 3
misuse "--key-words 2: words are i32, u32, i64 or u64, not f32" keys --key-words 2 --type f32
misuse "--payload is for --sort pairs and argsort" keys --payload 8
misuse "--payload 4 has no indices from 2^32 on: give --payload 8" keys,argsort --n 2^33
one="--cold times one case: give one --sort, --type, --payload, --shape and --n"
misuse "$one" keys,pairs --cold
misuse "$one" keys --shape two,equal --cold
misuse "$one" argsort --payload 4 --payload 8 --cold
misuse "$one" keys --type u32 --type f32 --cold
misuse "$one" keys --n 2^10..2^12 --cold
misuse "--bits takes FIRST,END, two numbers that ascend, up to the keys' bits" keys --bits 8
misuse "--bits takes FIRST,END, two numbers that ascend, up to the keys' bits" keys --bits 8,8
misuse "--bits takes FIRST,END, two numbers that ascend, up to the keys' bits" keys --bits 8,65
misuse "--bits ends at 17: keys of u16 have 16" keys --type u32 --type u16 --bits 0,17
misuse "--in-place is for --sort keys and pairs" argsort --in-place
misuse "--segment-length: a number of keys from 1 on, or all" keys --segment-length 0
misuse "--segment-length: a number of keys from 1 on, or all" keys --segment-length some
for option in "--key-words 2" "--bits 0,8" --descending --in-place; do
  # shellcheck disable=SC2086 # several words
  misuse "--segment-length and ${option%% [0-9],*} exclude each other" keys --segment-length 10 $option
done
misuse "$one" keys --segment-length 10 --segment-length 100 --cold

# ---- every combination is right ------------------------------------------------------------------------------------------

bench keys,pairs,argsort --key-words 2 --type i32 --type u32 --type i64 --type u64 --payload 4 --payload 8 \
  --shape random,and3,sorted,reversed,equal,two --n 70001 --csv -
succeeds "two words"
shows "two words" 120 '^host,.*,scan_sort,sort,eager,.*,true,[0-9]' stdout

types=""
for type in i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64; do types="$types --type $type"; done
for n in 1 33 70001; do
  # shellcheck disable=SC2086
  bench keys,pairs,argsort $types --payload 4 --payload 8 --shape random,and3,sorted,reversed,equal,two --n $n \
    --no-peers --csv -
  succeeds "n = $n"
  shows "n = $n" 360 '^host,.*,scan_sort,sort,eager,.*,true,[0-9]' stdout
  shows "n = $n: loops" 360 '^host,.*,plain radix sort,plain loop,eager,.*,true,[0-9]' stdout
done

# Ranges of bits, in both directions, and in place. With two different keys, all keys are equal in some ranges.
for n in 1 70001; do
  for bits in 0,1 3,13 0,16; do
    # shellcheck disable=SC2086
    bench keys,pairs,argsort --type i16 --type u32 --type f64 --payload 8 --shape random,sorted,two --n $n --bits $bits \
      --descending --in-place --no-peers --csv -
    succeeds "bits $bits, n = $n"
    shows "bits $bits, n = $n" 27 '^host,.*,scan_sort,sort,eager,.*,true,[0-9]' stdout
    shows "bits $bits, n = $n, in place" 18 '^host,.*,scan_sort in place,sort,eager,.*,true,[0-9]' stdout
    shows "bits $bits, n = $n: loops" 27 '^host,.*,plain radix sort,plain loop,eager,.*,true,[0-9]' stdout
  done
done

# passes NAME TYPE SHAPE COUNT: checks the number of digits that differ, and the bytes of such a sort of keys.
passes() {
  bench keys --type "$2" --shape "$3" --n 2^16 --no-peers --csv -
  shows "passes: $1" 1 ",scan_sort,sort,eager,keys,$2,$3,1,false,0,[0-9]*,0,65536,$4,$5,2,true," stdout
}
passes "bytes" u8 random 1 196608
passes "all" u32 random 4 2359296
passes "all of 8" f64 random 8 8912896
passes "none" i32 equal 0 786432
passes "two values" i16 two 2 655360
passes "highest digits" u64 sorted 8 8912896
bench pairs,argsort --payload 8 --n 1024 --no-peers --csv -
shows "bytes of pairs" 1 ',scan_sort,sort,eager,pairs,u32,random,1,false,0,32,8,1024,4,102400,2,true,' stdout
shows "bytes of indices" 1 ',scan_sort,sort,eager,argsort,u32,random,1,false,0,32,8,1024,4,90112,2,true,' stdout
bench keys,pairs,argsort --segment-length 10 --segment-length all --n 1000 --no-peers --csv -
order=1,false,0,32
shows "segments" 3 ",scan_sort,sort,eager,[a-z]*,u32,random,$order,[04],1000,4,.*,2,true,10," stdout
shows "a segment of all" 3 ",scan_sort,sort,eager,[a-z]*,u32,random,$order,[04],1000,4,.*,2,true,1000," stdout
shows "segments: no plain loop" 0 'plain radix sort' stdout

# ---- reports ---------------------------------------------------------------------------------------------------------

bench keys,pairs,argsort --n 1000 --no-peers
succeeds "a table"
shows "a table: keys" 1 '^sort of u32 keys; medians of 2$' stdout
shows "a table: pairs" 1 '^sort of u32 keys with values of bytes: 4; medians of 2$' stdout
shows "a table: indices" 1 '^argsort of u32 keys, indices of bytes: 4; medians of 2$' stdout
shows "a table: head" 3 'passes  *median ms  *IQR %  *Mkeys/s  *GB/s  *% limit  *x plain loop$' stdout
shows "a table: rows" 3 '^host  *scan_sort  *eager  *1000  *random  *4 ' stdout
shows "a table: the limit" 3 '^host  *memcpy.* 100\.0 ' stdout
bench keys --n 1000 --bits 9,20 --descending --no-peers
shows "a table: order" 1 '^sort of u32 keys, descending, by bits 9 to 19; medians of 2$' stdout
shows "a table: two passes" 1 '^host  *scan_sort  *eager  *1000  *random  *2 ' stdout
bench keys --n 1000 --type f32 --descending --order numeric --no-peers
succeeds "the numeric order"
shows "a table: the numeric order" 1 '^sort of f32 keys, descending, numeric order; medians of 2$' stdout
misuse "there is no order 'size': give total or numeric" keys --order size
misuse "--bits and --order numeric exclude each other: that order has no bits" keys --order numeric --bits 0,8
bench argsort --n 1000 --segment-length 10 --no-peers
shows "a table: segments" 1 '^argsort of u32 keys, indices of bytes: 4, in segments of 10; medians of 2$' stdout
bench argsort --n 1000 --cold
shows "cold: no operator" 1 '^host  *[0-9.]*  *0\.00 ' stdout

bench keys,pairs --shape random,equal --type f32 --n 1000 --no-peers --json
parses "JSON" 'rows = [r for r in d["rows"] if r["role"] == "sort"]
assert len(rows) == 4 and len(d["rows"]) == 12 and d["reps"] == 2, rows
assert [(r["sort"], r["shape"], r["value_bytes"]) for r in rows] == [
    ("keys", "random", 0), ("keys", "equal", 0), ("pairs", "random", 4), ("pairs", "equal", 4)]
assert all(r["correct"] and r["median_ms"] > 0 and r["percent_of_limit"] > 0 for r in rows)
assert all(abs(r["keys_per_s"] * r["median_ms"] / 1e3 - 1000) < 1 for r in rows)
assert [r["bytes"] for r in rows] == [36000, 12000, 68000, 20000]' stdout

# ---- peers ---------------------------------------------------------------------------------------------------------------

SCANRT_PEERS=$peers/right
export SCANRT_PEERS
bench keys,pairs,argsort --shape random,two --n 20000 --peer right --csv -
succeeds "a right peer"
shows "a right peer, its fastest way" 6 '^host,.*,"right 1.0, once",peer,.*,true,[0-9]' stdout
shows "a right peer, the other way" 0 '^host,.*,"right 1.0, 64 times",' stdout
bench keys --n 5000 --peer right
shows "a right peer: table" 1 'x right$' stdout
bench keys --type i32 --n 5000 --peer right --csv -
succeeds "a peer that has no i32"
shows "a peer that has no i32" 0 '^host,.*,peer,' stdout

# wrong HOW PATTERN: checks that a wrong peer is reported, without times, and that the other rows are right.
wrong() {
  fails wrong "host: wrong 1.0, once, eager: $1, n = 20000, random: $2" "$1" --n 20000 --reps 3 --csv wrong.csv
  shows "wrong peer, $1: table" 2 "wrong 1.0, .* WRONG$" stdout
  shows "wrong peer, $1: CSV" 2 "wrong 1.0, .*,peer,.*,false,0,,,,,,,,,$" wrong.csv
  shows "wrong peer, $1: scan_sort" 1 ',scan_sort,.*,true,[0-9]' wrong.csv
}
wrong keys 'the keys are not those of the input$'
wrong pairs 'item 19999 is not as expected$'
wrong argsort 'item 19999 is not as expected$'
fails failing 'failing: cannot sort: a fault on purpose$' keys --n 64

unset SCANRT_PEERS
types=""
for type in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do types="$types --type $type"; done
for name in "$@"; do
  # shellcheck disable=SC2086
  bench keys,pairs,argsort $types --payload 4 --payload 8 --shape and3 --n 30011 --peer "$name" --csv -
  succeeds "peer $name"
  shows "peer $name" 50 "^host,.*,std.*,peer,.*,true,[0-9]" stdout
  # shellcheck disable=SC2086
  bench keys,pairs,argsort $types --descending --shape and3 --n 30011 --peer "$name" --csv -
  succeeds "peer $name, descending"
  shows "peer $name, descending" 30 "^host,.*,std.*,peer,.*,true,[0-9]" stdout
  # shellcheck disable=SC2086
  bench keys,pairs,argsort $types --segment-length 100 --shape and3 --n 30011 --peer "$name" --csv -
  succeeds "peer $name, segments"
  shows "peer $name, segments" 30 "^host,.*,std.*,peer,.*,true,100,[0-9]" stdout
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
