#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt bench` on the host device.
#
# Usage: test_bench.sh SCANRT_BINARY PEERS_FOLDER
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; with python3, JSON and CSV are parsed and
# plots drawn.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

take_bench_tools "$@"

# Runs without the peers that are built beside the program, as these differ from machine to machine.
alone() { bench "$@" --no-peers; }

# The number of threads of the host device; with more than one, memcpy by all of them has a row of its own.
threads=$("$scanrt" info 2>stderr | awk '/^host:/ { host = 1 } host && /compute units/ { print $3; exit }')
if [ "${threads:-1}" -gt 1 ]; then by_all=1; else by_all=0; fi

# ---- families --------------------------------------------------------------------------------------------------------

# same_in_any_order NAME WORDS...: WORDS begin with the family and a value. Checks that these choose the same cases at
# any place and as one word. Rows of CSV are compared up to the times.
same_in_any_order() {
  name=$1
  word=$2
  value=$3
  shift 3
  "$scanrt" bench "$word" "$value" "$@" --csv - 2>stderr | cut -d , -f 1-13 >first
  "$scanrt" bench "$@" "$word=$value" --csv - 2>>stderr | cut -d , -f 1-13 >last
  "$scanrt" bench --csv - "$word" "$value" "$@" >stdout 2>>stderr
  status=$?
  cut -d , -f 1-13 stdout >middle
  if [ "$status" -eq 0 ] && [ "$(wc -l <first)" -gt 2 ] && cmp -s first last && cmp -s first middle &&
    [ ! -s stderr ]; then pass; else fail "$name: in any order"; fi
}
same_in_any_order select --select flags --device host --kept 50% --n 1000 --reps 2 --no-peers
same_in_any_order sort --sort keys --device host --shape two --n 1000 --reps 2 --no-peers
same_in_any_order split --split histogram --device host --bits 4 --n 1000 --reps 2 --no-peers
bench --memory 2^16 --stream --n 5000 --type f32 --type i64 --op max --op add --inclusive --exclusive
succeeds "stream: in any order"
shows "stream: each type, operator and kind" 8 "^[ie][nx]clusive [fi][36][24] [am][da][dx], .* arrays page-locked; medians of 2$" stdout
shows "stream: rows" 8 "^host  *scan_stream  *5000 " stdout
bench --stream --memory 2^16 --n 5000 --csv stream.csv
shows "stream: CSV" 1 '^host,.*,scan_stream,stream,i32,i32,add,inclusive,5000,page-locked,65536,4096,2,20000,2,true,[0-9]' stream.csv

# helps FAMILY WORDS...: checks that the help text is the family's.
helps() {
  word=$1
  shift
  "$scanrt" bench "$@" >stdout 2>stderr
  status=$?
  succeeds "help: $*"
  shows "help: $*" 1 "^Usage: scanrt bench --$word " stdout
  if awk 'length > 120 { exit 1 }' stdout; then pass; else fail "help: $*: a line is too long"; fi
}
for word in select sort split stream; do
  helps $word --help --$word
  helps $word --device host --$word --help
  helps $word --$word -h
  helps $word --device=host -h --n 2^10 --$word
done
helps select --select=flags --help
helps sort --type u8 --sort keys --n 5 --help
helps split --help --split keys --gallery

# reports NAME WORDS...: checks that `scanrt bench WORDS` has the same right lines as a table, JSON and CSV.
reports() {
  name=$1
  shift
  bench "$@" --n 1000
  succeeds "$name: a table"
  shows "$name: a caption" 1 '; medians of 2$' stdout
  shows "$name: heads" 1 '^device  *what ' stdout
  rows=$(grep -c '^host  ' stdout)
  bench "$@" --n 1000 --json --csv rows.csv
  succeeds "$name: JSON and CSV"
  shows "$name: JSON" "$rows" '"correct": true' stdout
  shows "$name: CSV" "$rows" '^host,.*,1000,.*,2,true,' rows.csv
  columns=$(sed 's/"[^"]*"/text/g' rows.csv | awk -F, '{ print NF }' | sort -u)
  if [ "$(echo "$columns" | wc -l)" -eq 1 ] && [ "$rows" -gt 0 ]; then pass; else fail "$name: columns $columns"; fi
  if [ "$name" != stream ] && draws "$name" "$name.svg"; then shows "$name: SVG" 1 'eager calls<' "$name.svg"; fi
  misuse "--json and --csv - exclude each other" "$@" --json --csv -
}

# cases NAME WORDS...: checks reports, and what all families but streams have.
cases() {
  reports "$@" --no-peers
  shift
  misuse "--peer and --no-peers exclude each other" "$@" --peer cub --no-peers
  bench "$@" --cold --csv out.csv
  if [ "$status" -eq 2 ] && grep -q '^scanrt bench: --cold has no --csv' stderr; then pass; else fail "$name: cold CSV"; fi
  bench "$@" --n 1000 --no-peers --mode graph
  if [ "$status" -eq 0 ] && grep -q "^scanrt: notice: host: --mode graph is left out: only CUDA devices have graphs$" stderr
  then pass; else fail "$name: graphs of the host"; fi
  bench "$@" --n 1000 --cold
  succeeds "$name: cold"
  shows "$name: cold, heads" 1 '^device  *open ms  *operator ms  *plan ms  *first run ms' stdout
  shows "$name: cold" 1 '^host *[0-9.]*\( *[0-9.]*\)\{6\}$' stdout
  if [ "$name" != scans ]; then misuse "--cold has no --csv and no --mode graph" "$@" --cold --mode both; fi
}
cases scans
cases select --select flags --kept 50%
cases rle --select rle --runs 5
cases sort --sort keys
cases split --split pairs
reports stream --stream --memory 2^16

misuse "--sort and --select exclude each other" --sort keys --select flags
misuse "--select and --sort exclude each other" --select flags --n 1000 --sort keys
misuse "--stream and --split exclude each other" --stream --split keys
misuse "--sort and --stream exclude each other" --sort keys --stream
misuse "option '--sort' needs a value" --n 1000 --sort
misuse "unknown --sort 'values': use one of keys pairs argsort" --sort values
misuse "scans have no --kept: it is an option of --select" --kept 50%
misuse "scans have no --payload: it is an option of --select, --sort and --split" --payload 4
misuse "scans have no --descending: it is an option of --sort and --split" --descending
misuse "scans have no --threads: it is an option of --mpi" --threads 2
misuse "--sort has no --kept: it is an option of --select" --sort keys --kept
misuse "--sort has no --gallery: it is an option of scans" --gallery --sort keys
misuse "--select has no --shape: it is an option of scans, --sort, --split and --mpi" --select flags --shape 3,4
misuse "--split has no --beside: it is an option of scans, --select and --sort" --split keys --beside 2
misuse "--stream has no --cold: it is an option of scans, --select, --sort, --split and --mpi" --stream --cold
misuse "unknown option '--bad'" --bad --sort keys
misuse "unexpected argument 'keys'" --sort keys keys

# ---- wrong use -------------------------------------------------------------------------------------------------------

range="is not a rising range of powers of two such as 2^10..2^28 or 2^10..2^28:2"
misuse "--n '2^20..2^10' $range" --n '2^20..2^10'
misuse "--n '1000..2^10' $range" --n '1000..2^10'
misuse "--n '2^10..2^12:0' $range" --n '2^10..2^12:0'
misuse "--n '' is not a count such as 1000 or 2^20" --n '2^10..'
misuse "--n: step 'x' is not a count such as 1000 or 2^20" --n '2^10..2^12:x'
misuse "--n '2^62' is out of range" --n '2^62'
misuse "unknown kind 'all': use inclusive, exclusive or both" --kind all
misuse "unknown mode 'lazy': use eager, graph or both" --mode lazy
misuse "--buffers is from 1 to 1048576" --buffers 0
misuse "--in-offset is from 0 to 1048576" --in-offset 2^21
misuse "--beside and --cold exclude each other" --beside 2 --cold
misuse "--beside is from 0 to 1024" --beside 1025
misuse "in place there is one offset: give --out-offset" --in-place --in-offset 1
misuse "--in-place needs types of one size" --in-place --input-type u8 --type u32
misuse "operator mul is not defined from u8 to u32" --input-type u8 --type u32 --op mul
bench --op-source x
shows "an operator from source that there is not" 1 "^scanrt bench: unknown operator from source 'x': add predicate positions affine_f32 " stderr
if [ "$status" -eq 2 ]; then pass; else fail "an operator from source that there is not"; fi
misuse "--op-source scans elements of one type: it has no --input-type" --op-source add --input-type u8 --type u32
misuse "unknown segments 'rows': use one of flags bits keys offsets" --segments rows
misuse "--segment-length needs --segments" --segment-length 3
misuse "--segment-length 'some' is not a count such as 1000 or 2^20" --segments bits --segment-length some
misuse "--segment-length is an average of at least 1, all, or all+empty" --segments bits --segment-length 0
misuse "--segment-length all+empty needs --segments offsets alone: only they tell of empty segments" \
  --segments offsets --segments keys --segment-length all+empty
misuse "--segments has no --shape, --axis or --backward" --segments bits --backward
misuse "--key-type needs --segments keys" --segments bits --key-type u64
misuse "--key-type is an integer type: keys are numbers of segments" --segments keys --key-type f32
misuse "--mark-offset needs --segments keys or flags alone" --segments keys --segments bits --mark-offset 1
misuse "--check-overflow is for sums and products: max does not overflow" --op max --check-overflow
misuse "--check-overflow is for integers: bf16 has infinities" --type bf16 --check-overflow
misuse "--check-overflow has no --op-source, --shape, --axis, --backward or --in-place" --check-overflow --in-place
misuse "--carry has no --shape or --axis" --carry --shape 3,4
misuse "--difference has no --op-source, --shape, --carry, --check-overflow, --segments or --exclusive" \
  --difference --carry
misuse "--difference undoes sums of one type: it has no --op and no --input-type" --difference --op max
misuse "--difference has no --strategy and no --gallery" --difference --strategy block
misuse "--op-source positions emits what it likes: it has no --exclusive" --op-source positions --kind both
misuse "--op-source add has no type f16" --op-source add --type f16
cold="--cold times one scan: give one --type, --n, --op or --op-source, --segments, --kind"
misuse "$cold" --device host --cold --op-source add --type i32 --type f32
misuse "$cold" --device host --cold --n 2^10..2^12
misuse "$cold" --device host --cold --segments flags --segments bits
misuse "--cold has no --shape, --axis, --in-place, --mode graph or --host-cost" --device host --cold --in-place
misuse "--op-source predicate has no --shape, --axis or --backward" --op-source predicate --backward
bench --type f32 --type f64 --op and --op or
if [ "$status" -eq 2 ] && grep -q "none of the operators is defined on any of the types" stderr; then pass
else fail "nothing is defined"; fi
bench --n 64 --csv none/x.csv
if [ "$status" -eq 1 ] && grep -q "^scanrt: cannot create none/x.csv: " stderr; then pass; else fail "csv folder"; fi

# ---- sweeps ----------------------------------------------------------------------------------------------------------

bench --n '2^4..2^10:3' --n 1000 --csv -
succeeds "a range of n"
sizes=$(awk -F, 'NR > 1 && $5 == "scan" { printf "%s ", $16 }' stdout)
if [ "$sizes" = "16 128 1024 1000 " ]; then pass; else fail "a range of n: $sizes"; fi

bench --n 64 --type i32 --type f32 --op add --op xor --kind both --csv -
shows "undefined combinations are left out" 6 ',scan,' stdout
shows "undefined combinations are named" 1 'notice: operator xor is not defined on f32 and is left out' stderr

bench --n 300 --strategy auto --strategy lookback --csv -
shows "a strategy that the device lacks is left out" 1 ',scan,' stdout
shows "a strategy that the device lacks is named" 1 'notice: host: lookback is left out: ' stderr
bench --n 300 --strategy lookback
if [ "$status" -eq 1 ]; then pass; else fail "the only strategy is refused"; fi

bench --n 64 --mode both --csv -
shows "eager calls all the same" 1 ',scan,threads,eager,' stdout
bench --n 64 --host-cost
shows "no cost of calls on the host" 1 'notice: host: --host-cost is left out' stderr

# ---- the choice of cases ---------------------------------------------------------------------------------------------

alone --n 1000 --input-type u8 --type u32 --csv -
succeeds "a widening sum"
shows "memcpy by all threads" $by_all "^host,.*,memcpy by $threads threads,memcpy,,eager,.*,1000,5000,2,true,[0-9]" stdout
shows "a widening sum: bytes" $((3 + by_all)) ',1000,5000,2,true,' stdout
bench --n 1003 --type i8 --in-offset 3 --out-offset 1 --buffers 5
succeeds "offsets and five pairs of buffers"
bench --n 5000 --type f64 --buffers auto --exclusive --op max
succeeds "buffers beyond the caches"
for type in i16 f32; do
  bench --n 70000 --type $type --in-place --op add --buffers 2
  succeeds "in place, $type"
done

# ---- beside other work: only the form of reports, since times depend on the machine ----------------------------------

alone --n 5000 --n 300000 --type f32 --op-source add --beside 2 --csv beside.csv
succeeds "beside busy loops"
shows "beside busy loops: the caption" 1 '^inclusive f32 add; medians of 2, beside 2 busy loops$' stdout
shows "beside busy loops: a column" 1 ' x one thread' stdout
shows "beside busy loops: one thread" 2 '^host,[^,]*,[^,]*,one thread: auto,scan,.*,true,.*,1$' beside.csv
shows "beside busy loops: one thread, from source" 2 '^host,.*,one thread: source auto,scan,.*,true,.*,1$' beside.csv
shows "beside busy loops: all threads" 4 '^host,[^,]*,[^,]*,\(source \|\)threads (auto),scan,.*,true,.*,[0-9.e+-][0-9.e+-]*$' beside.csv
shows "beside busy loops: others are not compared" $((6 + 2 * by_all)) ',\(copy\|plain loop\|memcpy\),,.*,$' beside.csv
alone --n 5000 --type i32 --segments flags --beside 0 --json
parses "beside none, JSON" 'assert d["beside"] == 0, d
assert [r["what"] for r in d["rows"] if "times_one_thread" in r] == ["threads (auto)", "one thread: auto"], d' stdout
alone --shape 30,7,50 --axis 0 --axis 2 --op-source affine_f32 --beside 1 --csv -
shows "beside a busy loop, along axes" 2 ',one thread: axis [02],.*,true,.*,1$' stdout
alone --select predicate,first,rle,reduce-by-key,partition3 --kept 50% --runs 20 --n 70000 --beside 1 --csv -
succeeds "compaction beside a busy loop"
shows "compaction beside a busy loop: one thread" 5 ',one thread,select,.*,true,.*,1$' stdout
shows "compaction beside a busy loop: all threads" 5 '^host,[^,]*,[^,]*,scan_[a-z0-9_]*,select,.*,true,.*,[0-9.e+-]*$' stdout
alone --sort keys,pairs,argsort --n 70000 --beside 1
succeeds "sorts beside a busy loop"
shows "sorts beside a busy loop: one thread" 3 '^host  *one thread .* 1\.00$' stdout
shows "sorts beside a busy loop: the caption" 3 '^.*sort of u32 keys.*; medians of 2, beside 1 busy loop$' stdout

# ---- a first scan ----------------------------------------------------------------------------------------------------

for what in "--type f16" "--op-source affine_f32" "--op-source add --type f32 --segments keys" "--check-overflow" \
  "--difference --backward" "--segments offsets --carry --exclusive"; do
  # shellcheck disable=SC2086
  bench --cold --n 5000 $what
  succeeds "a first scan: $what"
  shows "a first scan: its line: $what" 1 '^host *[0-9.]*\( *[0-9.]*\)\{6\}$' stdout
done
bench --cold --n 5000 --op-source affine_f32 --json
parses "a first scan in JSON" 'print([k for k in ("create_ms", "operator_ms", "plan_ms", "first_run_ms") if d["rows"][0][k] <= 0] or "")' \
  stdout

bench --n 1000 --gallery --csv -
shows "the textbook strategies that the host has" 2 ',scan,' stdout
shows "work, span and their columns" 1 ',scan,sequential,.*,1000,1000,1.001,,,,,,1000,[0-9.]*,10,0.56338,,,0,0,,$' stdout
shows "others have none" $((3 + by_all)) ',\(copy\|plain loop\|memcpy\),,.*,,,,,0,0,,$' stdout
shows "the textbook strategies that it lacks" 13 'is left out: strategy [a-z_]*: the host has no work-groups' stderr
bench --n 1000 --gallery
shows "work and span in a table of their own" 1 ' work  *span  *x 2n - 2 .* ns a block$' stdout
shows "published rates beside" 1 ' A100 GB/s A100 % copy$' stdout
bench --n 1000 --gallery --json
parses "Snir's bound and published rates in JSON" 'one = [r for r in d["rows"] if r.get("strategy") == "sequential"][0]
assert abs(one["times_2n_less_2"] * 1998 - 2000) < 1 and one["a100_gb_per_s"] == 10, one' stdout

alone --n 1000 --n 70000 --type u8 --type i32 --type f64 --kind both --op-source add --csv -
succeeds "an operator from source"
shows "an operator from source: rows" 12 '^host,.*,source threads (auto),scan,threads,eager,.*,add,.*,true,[0-9]' stdout
shows "the built-in operator beside it" 12 '^host,[^,]*,[^,]*,threads (auto),scan,threads,eager,.*,add,.*,true,[0-9]' stdout
alone --n 64 --op max --op-source add --csv -
shows "built-in operators besides" 1 ',threads (auto),scan,.*,max,' stdout
bench --n 300 --op-source add --strategy lookback
if [ "$status" -eq 1 ]; then pass; else fail "the only strategy is refused, from source"; fi
bench --n 300 --op-source add --strategy lookback --strategy auto
shows "a strategy that the device lacks is named" 1 'notice: host: source lookback is left out: ' stderr

composites="affine_f32 affine_f64 affine_u32 matrix2_f32 matrix2_f64 matrix3_f32 complex_f32 complex_f64
logsumexp_f32 logsumexp_f64 argmin_f32 argmin_f64 argmin_i32 argmin_i64 argmax_f32 argmax_f64 argmax_i32 argmax_i64
compensated_f32 compensated_f64 complex_sum_f32 complex_sum_f64
sum_i128 sum_u128 minimum_i128 minimum_u128 maximum_i128 maximum_u128 wide_sum_i64 wide_sum_u64"
all=""
for name in $composites; do all="$all --op-source $name"; done
alone --n 5000 $all --csv composites.csv
succeeds "composites"
shows "composites: rows" 30 '^host,.*,threads (auto),scan,threads,eager,[a-z0-9_]*_[fiu][0-9]*,[a-z0-9_]*,composite,.*,true,[0-9]' composites.csv
for name in $composites; do shows "$name in the table" 1 "^inclusive $name composite; medians" stdout; done
alone --n 1 --n 70001 --exclusive --op-source affine_f64 --op-source matrix3_f32 --op-source argmax_i64 --csv -
shows "composites, exclusive" 6 ',scan,.*,composite,exclusive,.*,true,[0-9]' stdout
alone --n 3000 --op-source affine_f32 --op-source logsumexp_f64 --strategy sequential --in-place --json
succeeds "composites in place, JSON"
cp stdout composites.json
parses "composites, JSON" 'assert [r["type"] for r in d["rows"] if r["role"] == "scan"] == ["affine_f32", "logsumexp_f64"], d' composites.json
if draws "composites" composites.svg; then
  shows "composites: SVG" 1 '>inclusive composite of affine_f32, in place, eager calls<' composites.svg
fi

alone --shape 30,7,50 --axis 0 --axis 2 --exclusive --op-source add --op-source affine_f32 --csv -
succeeds "operators from source along axes"
shows "along axes, beside the built-in one" 2 ',source axis [02],.*,add,exclusive,.*,true,[0-9]' stdout
shows "along axes, a composite" 2 ',axis [02],.*,composite,exclusive,.*,true,[0-9]' stdout
alone --n 5000 --backward --type f64 --op-source add --op-source affine_f32 --csv -
succeeds "operators from source backward"
shows "backward, verified" 3 '[, ]threads (auto),scan,.*,true,[0-9]' stdout

for source in predicate positions; do
  alone --n 3 --n 70001 --op-source $source --csv -
  succeeds "$source"
  shows "$source: rows" 2 "^host,.*,source threads (auto),scan,threads,eager,u32,f32,$source,inclusive,.*,true,[0-9]" stdout
done
alone --n 5000 --op-source predicate --exclusive --in-place
succeeds "an exclusive scan of a predicate, in place"
shows "a predicate in the table" 1 '^exclusive f32 to u32 predicate in place; medians' stdout

# ---- halves, segments, overflow ----------------------------------------------------------------------------------------

alone --n 1 --n 5000 --type f16 --type bf16 --op add --op mul --op min --op max --kind both --csv -
succeeds "halves"
shows "halves: rows" 32 '^host,.*,scan,threads,eager,b*f16,.*,true,[0-9]' stdout
alone --n 5000 --input-type f16 --type f32 --csv -
shows "a half that widens" 1 ',scan,threads,eager,f32,f16,.*,5000,30000,2,true,[0-9]' stdout

all=""
for length in 1 7 3000 all; do all="$all --segment-length $length"; done
for how in flags bits keys offsets; do
  # shellcheck disable=SC2086 # several words
  alone --n 1 --n 5000 --type i8 --type f32 --kind both --segments $how $all --csv segments.csv
  succeeds "segments by $how"
  shows "segments by $how: rows" 32 ",threads (auto),scan,.*,true,[0-9].*,$how,[137a][0l]*,[0-9]*,0,flat,[0-9.e+-]*$" segments.csv
  shows "segments by $how: flat scans" 32 ",flat threads (auto),scan,.*,true,[0-9].*,$how,.*,flat,1$" segments.csv
  shows "segments by $how: plain loops" 16 ",plain loop,plain loop,.*,f32,f32,.*,true,[0-9].*,$how," segments.csv
  shows "segments by $how: copies" 64 ',\(flat \|\)copy,copy,.*,true,.*,100,' segments.csv
done
alone --n 6400 --segments flags --segments bits --segments keys --segments offsets --segment-length 1 --csv -
for bytes in flags,57600 bits,52000 keys,76800 offsets,76804; do
  shows "bytes of ${bytes%,*}" $((4 + by_all)) ",6400,${bytes#*,},2,true,.*,${bytes%,*},1,6400,0,flat," stdout
done
for key in u8,1 i16,2 u32,4 u64,8; do
  alone --n 6400 --type f64 --segments keys --key-type "${key%,*}" --mark-offset 3 --segment-length 9 --csv -
  shows "keys of ${key%,*}" $((4 + by_all)) ",6400,$((6400 * (16 + ${key#*,}))),2,true,.*,keys,9,[0-9]*,0,flat," stdout
  shows "right by keys of ${key%,*}" $((6 + by_all)) ",true,[0-9].*,keys,9," stdout
done
alone --n 5000 --segments offsets --segment-length all --segment-length all+empty --csv -
succeeds "empty segments"
shows "one segment" $((6 + by_all)) ',offsets,all,1,0,flat,' stdout
shows "empty segments" $((6 + by_all)) ',offsets,all+empty,1048577,0,flat,' stdout
alone --n 5000 --segments bits --op-source add --op-source predicate --op-source positions --op-source argmax_f64 \
  --op-source affine_f32 --strategy auto --strategy sequential --segment-length 9 --csv -
succeeds "segments, from source"
shows "segments, from source: rows" 12 '^host,[^,]*,[^,]*,\(source \|\)\(threads (auto)\|sequential\),scan,.*,true,[0-9]' stdout
alone --n 5000 --exclusive --type f64 --segments keys --op-source matrix3_f32 --segment-length 9
succeeds "segments, an exclusive scan of composites"
shows "segments in the table" 1 '^exclusive matrix3_f32 composite, segments of 9 by keys; medians' stdout
alone --n 64 --segments flags --json
parses "segments, JSON" 'assert {(r["segments"], r["segment_length"]) for r in d["rows"]} == {("flags", "64")}, d
for r in d["rows"]: assert r["plain"] == "flat" and r["times_plain"] > 0 and r["segment_count"] >= 1, r' stdout
if draws "segments" segments.svg; then
  shows "segments: SVG" 1 ">inclusive add of i32, segments of 64 by flags, eager calls<" segments.svg
fi

alone --n 1 --n 300 --n 5000 --type i8 --type u16 --type i32 --type u64 --op add --op mul --check-overflow --kind both --csv -
succeeds "overflow"
shows "overflow: rows" 48 '^host,[^,]*,[^,]*,threads (auto),scan,.*,true,[0-9].*,1,unchecked,[0-9.e+-]*$' stdout
shows "overflow: unchecked" 48 '^host,[^,]*,[^,]*,unchecked threads (auto),scan,.*,true,[0-9].*,1,unchecked,1$' stdout
alone --n 5000 --input-type u8 --type u32 --check-overflow --json
if draws "overflow" overflow.svg; then
  shows "overflow: SVG" 1 ">inclusive add of u8 to u32, checked for overflow, eager calls<" overflow.svg
fi
alone --n 5000 --input-type u8 --type u32 --check-overflow --segments flags
succeeds "overflow of widened segments"
shows "overflow in the table" 1 '^inclusive u8 to u32 add checked for overflow, segments of 64 by flags; medians' stdout

alone --n 1 --n 5000 --type i8 --type f32 --kind both --carry --csv -
succeeds "carries"
shows "carries: rows" 8 '^host,[^,]*,[^,]*,threads (auto),scan,.*,true,[0-9].*,uncarried,[0-9.e+-]*$' stdout
shows "carries: scans without" 8 '^host,[^,]*,[^,]*,uncarried threads (auto),scan,.*,true,[0-9].*,uncarried,1$' stdout
alone --n 5000 --segments keys --carry --op-source affine_f32
succeeds "carries of segments"
shows "a carry in the table" 1 '^inclusive affine_f32 composite with a carry, segments of 64 by keys; medians' stdout

alone --n 1 --n 5000 --type i8 --type u16 --type f32 --type f64 --type bf16 --difference --csv -
succeeds "differences"
shows "differences: rows" 10 '^host,[^,]*,[^,]*,difference,scan,.*,true,[0-9]' stdout
shows "differences: the loop beside" 8 '^host,[^,]*,[^,]*,plain loop,' stdout
alone --n 5000 --type i64 --difference --backward
succeeds "backward differences"
shows "backward differences in the table" 1 '^backward differences of i64; medians' stdout
alone --n 5000 --type f16 --difference --in-place
succeeds "differences in place"

# ---- reports ---------------------------------------------------------------------------------------------------------

alone --n '2^8..2^12' --strategy auto --strategy sequential --kind both --csv bench.csv
succeeds "table and CSV"
shows "table: scans" 20 'host  *\(threads (auto)\|sequential\) ' stdout
columns=$(awk -F, '{ print NF }' bench.csv | sort -u)
if [ "$columns" = 36 ]; then pass; else fail "CSV: columns $columns"; fi
shows "CSV: lines" $((51 + 10 * by_all)) . bench.csv
parses "CSV" 'assert {len(r) for r in d} == {36}, "columns"' bench.csv

alone --n '2^8..2^12' --strategy auto --strategy sequential --kind both --json
succeeds "JSON of a sweep"
if draws "a sweep" bench.svg; then
  shows "SVG: lines" 8 '<polyline ' bench.svg
  shows "SVG: markers" 36 '^<\(circle\|path\) ' bench.svg
  shows "SVG: axis" 2 '>GB/s</text>' bench.svg
  for text in '>host auto<' '>host sequential<' '>host copy<' '>host plain loop<'; do
    shows "SVG: legend $text" 2 "$text" bench.svg
  done
  shows "SVG: command" 1 'scanrt bench --device host --reps 2 --n 2^8..2^12 ' bench.svg
  parses "SVG" 'assert d.tag == "{http://www.w3.org/2000/svg}svg", d.tag
for line in d.iter("{http://www.w3.org/2000/svg}polyline"): assert len(line.get("points").split()) == 5, "points"' bench.svg
  "$plot" - - <plotted.json >stdout 2>stderr
  if cmp -s stdout bench.svg; then pass; else fail "a plot through pipes"; fi
  "$plot" none.json bench.svg >stdout 2>stderr
  status=$?
  if [ "$status" -eq 1 ] && grep -q "^plot.py: .*No such file or directory: 'none.json'$" stderr; then pass
  else fail "a plot of nothing"; fi
fi

bench --n 256 --n 512 --json
cp stdout bench.json
parses "JSON" 'assert [r["n"] for r in d["rows"] if r["role"] == "scan"] == [256, 512], "n"
for r in d["rows"]: assert r["correct"] and r["gb_per_s"] > 0 and r["percent_of_copy"] > 0 and r["driver"], r' bench.json

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
