#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt bench --select` on the host device, with peers that are right or wrong on purpose.
#
# Usage: test_bench_select.sh SCANRT_BINARY PEERS_FOLDER [CPU_PEER...]
# CPU_PEER: a peer of tools/peers/ that was built beside the program; tbb compacts.
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; with python3, JSON is parsed.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

take_bench_tools "$@"
shift 2

family=select

misuse "unknown --select 'none': use one of predicate flags bits first last pair partition3 rle reduce-by-key" none
misuse "unknown --select 'flag': use one of predicate flags bits first last pair partition3 rle reduce-by-key" bits,flag
misuse "unknown --select '': use one of predicate flags bits first last pair partition3 rle reduce-by-key" bits,
misuse "unknown --rest 'kept': use one of dropped behind apart" bits --rest kept
misuse "--kept '10' is not a share such as 10%" bits --kept 10
misuse "--kept '0%' is not a share such as 10%" bits --kept 0%
misuse "--kept '101%' is not a share such as 10%" bits --kept 50%,101%
misuse "--runs '5x' is not a count such as 1000 or 2^20" first --runs 5x
misuse "--runs is from 1 to 4294967295" first --runs 0
misuse "--runs is for --select first, last, pair, rle and reduce-by-key" flags --runs 5
misuse "--kept is for --select predicate, flags, bits and partition3" last --kept 5%
misuse "--payload: elements have 1, 2, 4, 8 or 16 bytes" flags --payload 3
misuse "--payload: elements have 1, 2, 4, 8 or 16 bytes" flags --payload 4,32
misuse "--payload: more than 8 arrays" flags --payload 1,1,1,1,1,1,1,1,1
misuse "--type and --op are for --select reduce-by-key" flags --type i32
misuse "--type and --op are for --select reduce-by-key" rle --op add
misuse "operator xor is not defined on f32" reduce-by-key --type i32 --type f32 --op xor
no_rest="--select partition3, rle and reduce-by-key have no --rest"
misuse "$no_rest" first,rle --rest behind
misuse "$no_rest" partition3 --rest apart
misuse "--select partition3 has no --payload index" partition3 --payload 4 --payload index
misuse "--payload: keys of rle and reduce-by-key have 1, 2, 4 or 8 bytes" rle --payload 16
misuse "--payload: keys of rle and reduce-by-key have 1, 2, 4 or 8 bytes" reduce-by-key --payload 4,4
misuse "--payload: keys of rle and reduce-by-key have 1, 2, 4 or 8 bytes" rle --payload index
misuse "--kept is for --select predicate, flags, bits and partition3" rle --kept 5%
misuse "--kept is for --select predicate, flags, bits and partition3" pair --kept 5%
misuse "--in-place is for --select predicate, flags, bits, first, last and pair" partition3,rle --in-place
misuse "--in-place has no --payload index" flags --payload index --in-place
misuse "--in-place has no --cold and no --mode graph" flags --in-place --mode both
misuse "--in-place has no --cold and no --mode graph" flags --in-place --cold
one="--cold times one case: give one --select, --kept or --runs, --rest, --payload, --type, --op and --n"
misuse "$one" rle --cold
misuse "$one" rle,flags --runs 5 --kept 5% --cold
misuse "$one" flags --kept 5% --rest behind,apart --cold

# ---- every combination is right ------------------------------------------------------------------------------------------

# combination N ROWS LOOPS OPTION...: checks every way to compact, with the rest in every place.
combination() {
  n=$1
  rows=$2
  loops=$3
  shift 3
  bench predicate,flags,bits,first,last,pair --kept 60% --runs 7 --rest dropped,behind,apart --n "$n" --no-peers --csv - "$@"
  succeeds "n = $n: $*"
  shows "n = $n: $*" "$rows" '^host,.*,scan_select,select,eager,.*,true,[0-9]' stdout
  shows "n = $n: $*: loops of one array" "$loops" '^host,.*,plain loop,plain loop,eager,.*,true,[0-9]' stdout
}
combination 70001 144 108 --payload 1 --payload 2 --payload 4 --payload 8 --payload 16 --payload 4,4 --payload 16,1 \
  --payload index
combination 1 36 36 --payload 4 --payload index
combination 33 36 18 --payload 4,2 --payload index

# parts N ROWS LOOPS OPTION...: checks three parts, also with all elements in the first one.
parts() {
  n=$1
  rows=$2
  loops=$3
  shift 3
  bench partition3 --kept 1%,40%,100% --n "$n" --no-peers --csv - "$@"
  succeeds "parts, n = $n: $*"
  shows "parts, n = $n: $*" "$rows" '^host,.*,scan_partition3,select,eager,partition3,apart,.*,true,[0-9]' stdout
  shows "parts, n = $n: $*: loops of one array" "$loops" '^host,.*,plain loop,plain loop,eager,.*,true,[0-9]' stdout
}
parts 70001 18 15 --payload 1 --payload 2 --payload 4 --payload 8 --payload 16 --payload 4,1
parts 1 3 3

bench predicate,flags,bits,first,last,pair --in-place --kept 60% --runs 7 --rest dropped,behind,apart --n 70001 \
  --payload 4 --payload 16,1 --no-peers --csv -
succeeds "in place"
shows "in place" 36 '^host,.*,scan_select in place,select,eager,.*,true,[0-9]' stdout
shows "in place: beside it" 36 '^host,.*,scan_select,select,eager,.*,true,[0-9]' stdout
bench rle,bits --in-place --kept 60% --runs 7 --n 1000 --no-peers --csv -
succeeds "in place, where there is no such"
shows "in place, where there is no such" 1 ',scan_select in place,select,eager,bits,' stdout

# runs N PLANS LOOPS HOW OPTION...: checks encodings or reductions, and their plain loops.
runs() {
  n=$1
  plans=$2
  loops=$3
  shift 3
  bench "$@" --runs 500,3,1 --n "$n" --no-peers --csv -
  succeeds "n = $n: $*"
  shows "n = $n: $*" "$plans" '^host,.*,scan_r.*,select,eager,.*,true,[0-9]' stdout
  shows "n = $n: $*: loops" "$loops" '^host,.*,plain loop,plain loop,eager,.*,true,[0-9]' stdout
}
runs 200003 12 12 rle --payload 1 --payload 2 --payload 4 --payload 8
runs 1 3 3 rle
runs 33 3 3 reduce-by-key --payload 1
runs 100003 36 36 reduce-by-key --payload 2 --payload 8 \
  --type i32 --type u32 --type i64 --type u64 --type f32 --type f64
runs 100003 12 0 reduce-by-key --type i16 --type f32 --op max --op mul
runs 5000 3 0 reduce-by-key --type f16

# kept NAME HOW OPTIONS LOW HIGH: checks how many of 2^18 elements are kept.
kept() {
  # shellcheck disable=SC2086
  bench "$2" $3 --n 2^18 --no-peers --csv -
  count=$(awk -F, 'NR == 2 { print $14 }' stdout)
  if [ "$count" -ge "$4" ] && [ "$count" -le "$5" ]; then pass; else fail "$1: $count are kept"; fi
}

kept "a half" predicate "--kept 50%" 130000 132300
kept "a hundredth" flags "--kept 1%" 2400 2850
kept "a tenth of bytes" predicate "--kept 10% --payload 1" 25500 27700
kept "runs of 20" first "--runs 20" 12500 13700
kept "runs of 20" last "--runs 20 --payload 1" 12500 13700
kept "runs of one" first "--runs 1 --payload 1" 262144 262144
kept "runs of pairs" pair "--runs 20" 12500 13700
kept "runs of one, of pairs" pair "--runs 1 --payload 1" 262144 262144
kept "a first part" partition3 "--kept 20% --payload 2" 51500 53400
kept "runs that are encoded" rle "--runs 20" 12500 13700
kept "runs that are reduced" reduce-by-key "--runs 1 --payload 8" 262144 262144
kept "all" bits "--kept 100%" 262140 262144

# ---- reports ---------------------------------------------------------------------------------------------------------

bench predicate --n 1000 --no-peers
shows "a table: shares" 1 ' scan_select  *eager  *1000  *1% ' stdout
shows "a table: shares" 4 '^host  *scan_select  *eager ' stdout
shows "a table: the limit" 4 '^host  *memcpy.* 100\.0 ' stdout
shows "a table: head" 1 'kept %  *median us  *IQR %  *GB/s  *% limit  *x plain loop$' stdout
shows "a table: no peer" 0 'right 1.0' stdout

bench rle,reduce-by-key --runs 500 --n 1000 --no-peers
succeeds "tables of runs"
shows "tables of runs" 1 '^run-length encoding, keys of bytes: 4; medians of 2$' stdout
shows "tables of runs" 1 '^reduction by key, add of i32, keys of bytes: 4; medians of 2$' stdout
shows "tables of runs" 1 '^host  *scan_run_length_encode  *eager ' stdout
bench partition3 --kept 5% --n 1000 --no-peers
succeeds "a table of parts"
shows "a table of parts" 1 '^partition into three, elements of bytes: 4; medians of 2$' stdout
bench pair --runs 5 --n 1000 --cold
succeeds "cold, of pairs"
bench reduce-by-key --runs 5 --n 1000 --cold
succeeds "cold"
shows "cold" 1 '^host  *[0-9.]*  *0\.00 ' stdout

# bytes NAME HOW OPTIONS BYTES: checks the bytes of marks, of elements read and of elements written.
bytes() {
  # shellcheck disable=SC2086
  bench "$2" $3 --n 1024 --no-peers --csv -
  shows "bytes: $1" 1 ",select,eager,.*,1024,[0-9]*,$4,2,true" stdout
}
bytes "runs of one" first "--runs 1" 8192
bytes "runs of one, keys of their own" first "--runs 1 --payload 16" 36864
bytes "runs of one, indices" last "--runs 1 --payload index" 8192
bytes "flags" flags "--kept 10% --rest behind --payload 8" 17408
bytes "pairs" pair "--runs 1 --payload 16" 32768
bytes "parts" partition3 "--kept 10% --payload 8" 16384
bytes "an encoding" rle "--runs 1 --payload 8" 20480
bytes "a reduction" reduce-by-key "--runs 1 --payload 2 --type f64" 20480
bytes "bits" bits "--kept 10% --rest apart --payload 1,2" 6272

bench flags,first,rle,reduce-by-key --n 1000 --no-peers --json
parses "JSON" 'rows = [r for r in d["rows"] if r["role"] == "select"]
assert len(rows) == 16 and d["reps"] == 2, rows
assert [r["share"] for r in rows if r["by"] == "flags"] == ["1%", "10%", "50%", "90%"]
assert [r["run_length"] for r in rows if r["by"] == "first"] == ["500", "20", "2", "1"]
assert all(r["correct"] and r["median_us"] > 0 and r["percent_of_limit"] > 0 for r in rows)
assert rows[7]["kept"] == 1000 and rows[7]["bytes"] == 8000
assert [(r["by"], r["run_length"], r.get("type"), r.get("op")) for r in rows[11:13]] == [
    ("rle", "1", None, None), ("reduce-by-key", "500", "i32", "add")]
assert rows[15]["bytes"] == 16000' stdout

# ---- peers ---------------------------------------------------------------------------------------------------------------

SCANRT_PEERS=$peers/right
export SCANRT_PEERS
bench predicate --rest dropped,behind,apart --kept 30% --n 5000 --peer right --csv -
succeeds "a right peer"
shows "a right peer" 2 '^host,.*,right 1.0,peer,.*,true,[0-9]' stdout
bench predicate --kept 30% --n 5000 --peer right
shows "a right peer: table" 1 'x right$' stdout
bench flags --kept 30% --n 5000 --peer right --csv -
succeeds "a peer that has no flags"
shows "a peer that has no flags" 0 '^host,.*,right 1.0,' stdout

# wrong REST PATTERN: checks that a wrong peer is reported, without times, and that the other rows are right.
wrong() {
  fails wrong "host: wrong 1.0, eager: n = 1048576, 30%: $2" \
    predicate --rest "$1" --kept 30% --n 2^20 --peer wrong --reps 3 --csv wrong.csv
  shows "wrong peer, $1: table" 1 "wrong 1.0 .* WRONG$" stdout
  shows "wrong peer, $1: CSV" 1 "wrong 1.0,peer,.*,false,,,,,,,,$" wrong.csv
  shows "wrong peer, $1: scan_select" 1 ',scan_select,.*,true,[0-9]' wrong.csv
}
wrong dropped 'item [0-9]* of those that are kept, array 0, is not as expected$'
wrong behind 'item 0 of those that are not kept, array 0, is not as expected$'
# Three parts.
SCANRT_PEERS=$peers/right
bench partition3 --kept 30% --n 5000 --peer right --csv -
succeeds "a right peer, parts"
shows "a right peer, parts" 1 '^host,.*,right 1.0,peer,.*,true,[0-9]' stdout
fails wrong 'host: .*, 30%: item [0-9]* of those that are in the second part, array 0, is not as' partition3 --kept 30% --n 5000
# Runs: results are compared bit for bit, floating-point sums of peers within a rounding error.
for how in rle "reduce-by-key --type i32" "reduce-by-key --type f32"; do
  SCANRT_PEERS=$peers/right
  # shellcheck disable=SC2086 # words
  bench $how --runs 7 --n 5000 --peer right --csv -
  succeeds "a right peer, $how"
  shows "a right peer, $how" 1 '^host,.*,right 1.0,peer,.*,true,[0-9]' stdout
  # shellcheck disable=SC2086
  fails wrong 'host: wrong 1.0, eager: n = 5000, 7: item [0-9]* of those that are kept, array 1,' \
    $how --runs 7 --n 5000 --csv wrong.csv
  shows "a wrong peer, $how" 1 "wrong 1.0,peer,.*,false,,,,,,,,$" wrong.csv
  shows "a wrong peer, $how: ours" 1 ',scan_r.*,true,[0-9]' wrong.csv
done
fails failing 'failing: cannot compact: a fault on purpose$' predicate --kept 30% --n 64

unset SCANRT_PEERS
for name in "$@"; do
  if [ "$name" != tbb ]; then continue; fi
  bench predicate,first --kept 10% --runs 5 --payload 1 --payload 2 --payload 4 --payload 8 --n 100003 --peer tbb --csv -
  succeeds "peer tbb"
  shows "peer tbb" 8 '^host,.*,std par TBB [0-9.]*,peer,.*,true,[0-9]' stdout
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
