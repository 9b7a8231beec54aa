#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of the CUDA paths of `scanrt bench` (events, graphs, the empty kernel) on the fake driver of tests/fake_cuda.
#
# Usage: test_bench_cuda.sh SCANRT_BINARY FAKE_DRIVER, the binary with the library whose images that driver loads
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -f "$2" ]; then
  echo "usage: $0 SCANRT_BINARY FAKE_DRIVER" >&2
  exit 2
fi
scanrt=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
SCANRT_LIBCUDA=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
enter_work_folder

unset SCANRT_STRATEGY SCANRT_LOG SCANRT_DEVICE SCANRT_PEERS SCANRT_TUNE FAKE_CUDA_DEVICES FAKE_CUDA_DAMAGE_GRAPH
FAKE_CUDA_REPORT=$work/report
export SCANRT_LIBCUDA FAKE_CUDA_REPORT
printf 'objects left: 0\ncontexts left: 0\nfault: \n' >clean

# bench STATUS NAME ARGUMENT...: runs `scanrt bench` with two rounds; checks the status, and that the fake driver has no
# fault.
bench() {
  wanted=$1
  name=$2
  shift 2
  : >report
  "$scanrt" bench --device cuda:0 --no-peers --reps 2 --n 1000 "$@" >stdout 2>stderr
  status=$?
  if [ "$status" -eq "$wanted" ]; then pass; else fail "$name: status"; fi
  if cmp -s report clean; then pass; else fail "$name: driver"; fi
}

# right NAME ROWS ARGUMENT...: checks for this number of right rows, no others, and an empty standard error.
right() {
  name=$1
  rows=$2
  shift 2
  bench 0 "$name" --csv - "$@"
  if [ -s stderr ]; then fail "$name: standard error"; else pass; fi
  shows "$name" "$rows" ',true,[0-9]' stdout
  shows "$name" $((rows + 1)) . stdout
}

# ---- streaming -------------------------------------------------------------------------------------------------------

for manner in "" --pageable "--exclusive --input-type u8 --type u32" "--type f32 --chunk 1000"; do
  : >report
  # shellcheck disable=SC2086 # several words
  "$scanrt" bench --stream --device cuda:0 --reps 2 --memory 2^18 $manner >stdout 2>stderr
  status=$?
  if [ "$status" -eq 0 ] && [ ! -s stderr ]; then pass; else fail "streaming $manner: status"; fi
  if cmp -s report clean; then pass; else fail "streaming $manner: driver"; fi
  shows "streaming $manner" 1 '; copies alone in both directions at once; medians of 2$' stdout
  shows "streaming $manner" 1 '^cuda:0  *copies alone .* 100[.]0' stdout
  shows "streaming $manner" 1 '^cuda:0  *scan_stream .*[0-9]' stdout
done

# ---- modes -----------------------------------------------------------------------------------------------------------

for mode in eager graph; do
  right "$mode" 2 --mode $mode
  shows "$mode: scan" 1 ",scan,.*,$mode," stdout
  shows "$mode: copy" 1 ",copy,.*,$mode," stdout
done
right "both modes" 4 --mode both
for mode in eager graph; do
  shows "both modes: scan, $mode" 1 ",scan,.*,$mode," stdout
  shows "both modes: copy, $mode" 1 ",copy,.*,$mode," stdout
done
bench 0 "a table" --mode both
shows "a table: copies" 2 '^cuda:0  *copy  *\(eager\|graph\) ' stdout
shows "a table: right" 0 WRONG stdout

right "cost of the calls" 3 --host-cost
shows "cost of the calls: scan" 1 ',scan,.*,host,' stdout
shows "cost of the calls: copy" 1 ',copy,.*,host,' stdout
shows "cost of the calls: empty kernel" 1 ',launch,.*,host,' stdout

# ---- the choice of cases ---------------------------------------------------------------------------------------------

for strategy in sequential block reduce_then_scan lookback pipelined; do
  right "$strategy" 4 --mode both --strategy $strategy
  shows "$strategy: scans" 2 ",scan,$strategy," stdout
done
right "one tile and several, three buffers" 8 --mode both --n 70000 --buffers 3
right "in place" 4 --mode both --in-place --buffers 2
right "a widening sum" 4 --mode both --input-type u8 --type u32
right "offsets" 4 --mode both --type i8 --in-offset 3 --out-offset 1 --buffers 5
right "exclusive, floating point" 4 --mode both --type f64 --op max --exclusive

# ---- a graph that does not execute what was captured -----------------------------------------------------------------

FAKE_CUDA_DAMAGE_GRAPH=1
export FAKE_CUDA_DAMAGE_GRAPH
for buffers in 1 3; do
  bench 1 "a damaged graph, $buffers buffers" --mode both --buffers $buffers --csv wrong.csv
  shows "a damaged graph: said" 1 '^scanrt: cuda:0: .*(auto), graph: n = 1000: element 0 is .*, expected ' stderr
  shows "a damaged graph: table" 1 '(auto)  *graph  *1000  *WRONG$' stdout
  shows "a damaged graph: CSV" 1 ',scan,.*,graph,.*,false,,,,,,,,,,[0-9]*,[0-9]*,,,0,0,,$' wrong.csv
  shows "a damaged graph: eager calls" 1 ',scan,.*,eager,.*,true,[0-9]' wrong.csv
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
