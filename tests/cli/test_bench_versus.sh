#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt bench --versus` and `--reduce` on the host device, with peers that are right or wrong on purpose.
#
# Usage: test_bench_versus.sh SCANRT_BINARY PEERS_FOLDER
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; with python3, JSON is parsed.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

take_bench_tools "$@"

misuse "unknown --primitive 'heap': use one of exclusive inclusive scan-by-key reduce segmented-reduce select unique \
partition rle reduce-by-key sort sort-pairs argsort segmented-sort split histogram" --versus --primitive sort,heap
misuse "--limit is from 1 to 1000000" --versus --limit 0
misuse "--row-limit is from 1 to 1000000" --versus --row-limit 0
misuse "--versus has no --kept: it is an option of --select" --versus --kept 50%
misuse "--sort and --versus exclude each other" --sort keys --versus
misuse "scans have no --primitive: it is an option of --versus" --primitive sort
misuse "unknown --reduce 'mean': use one of total segments" --reduce mean
misuse "--segment-length is for --reduce segments" --reduce total --segment-length 3
misuse "--segment-length is from 1 to 4294967295" --reduce segments --segment-length 0
misuse "--reduce segments has u32 offsets, below 2^32" --reduce segments --n 2^33

# ---- reductions ------------------------------------------------------------------------------------------------------

types=""
for type in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do types="$types --type $type"; done
# shellcheck disable=SC2086 # several words
bench --reduce total,segments $types --segment-length 1 --segment-length 7 --segment-length 100000 --no-peers \
  --n 1 --n 300 --n 70001 --csv -
succeeds "sums"
shows "sums" 120 '^host,.*,[a-z_ ]*,reduce,.*,true,[0-9]' stdout
SCANRT_PEERS=$peers/right
export SCANRT_PEERS
bench --reduce total,segments --n 5000 --peer right --csv -
succeeds "sums beside a peer"
shows "sums beside a peer: one variant each" 2 '^host,.*,right 1.0,peer,.*,true,[0-9]' stdout
fails wrong "host: wrong 1.0, eager: n = 5000: sum 0 is not " --reduce total --n 5000 --peer wrong
fails failing "failing: cannot reduce: a fault on purpose" --reduce total --n 5000 --peer failing

# ---- the table ---------------------------------------------------------------------------------------------------------

# versus PEER ARGUMENT...: the table beside one peer.
versus() {
  SCANRT_PEERS=$peers/$1
  export SCANRT_PEERS
  peer=$1
  shift
  bench --versus --peer "$peer" "$@"
}

# Each case runs, whether the peer has it or not, and can be repeated.
versus right --n 300 --json
succeeds "all cases"
parses "all cases" 'rows = d["rows"]
ratios = [r["times_peer"] for r in rows]
assert ratios == sorted(ratios), ratios
assert len({(r["case"], r["mode"]) for r in rows}) == len(rows) > 25, len(rows)
assert all(r["correct"] and r["peer"].startswith("right 1.0") and r["n"] == 300 for r in rows), rows
assert all(abs(r["peer_us"] / r["median_us"] / r["times_peer"] - 1) < 1e-3 for r in rows), rows
assert {r["primitive"] for r in rows} == set("""inclusive scan-by-key reduce segmented-reduce select partition rle
reduce-by-key sort sort-pairs argsort histogram""".split()), rows' stdout

# The rows of a primitive and a type: name, type, number of rows at two n, the options of one of them.
while read -r primitive type rows case; do
  versus right --primitive "$primitive" --type "$type" --n 400 --n 100
  succeeds "$primitive of $type"
  shows "$primitive of $type: rows" "$rows" '^--[a-z].* right 1.0.* eager  *[0-9.]* ' stdout
  shows "$primitive of $type: summary" 1 "^host: [0-9]* rows, median ratio [0-9.]*, [0-9]* below 1, 0 wrong$" stdout
  if grep -q "^$case  *400 right" stdout; then pass; else fail "$primitive of $type: case"; fi
  # shellcheck disable=SC2086 # several words
  bench $case --n 400 --peer right
  succeeds "$primitive of $type: repeated"
done <<'END'
inclusive f32 8 --inclusive --type f32
scan-by-key i32 8 --inclusive --segments keys --segment-length 10 --type i32
reduce i32 4 --reduce total --type i32
segmented-reduce i32 8 --reduce segments --segment-length 100 --type i32
select u32 12 --select predicate --kept 1% --payload 4
partition u32 8 --select partition3 --kept 50% --payload 4
rle u32 8 --select rle --runs 20 --payload 4
sort u32 22 --sort keys --shape bits27 --type u32
END

for peer in wrong failing; do
  versus $peer --primitive reduce --type i32 --n 400
  if [ "$status" -eq 1 ]; then pass; else fail "$peer: status $status"; fi
  shows "$peer: rows" 4 "^--reduce total --type i32 .* $peer 1.0 .* WRONG$" stdout
  shows "$peer: summary" 1 "^host: 2 rows, median ratio 0.000, 0 below 1, 2 wrong$" stdout
  versus $peer --primitive sort --type u32 --n 400 --csv -
  if [ "$status" -eq 1 ]; then pass; else fail "$peer: status $status"; fi
  shows "$peer: CSV" 12 "^host,.*,eager,u32,400,2,false,,[0-9.]*,,\"$peer 1.0, [a-z0-9 ]*\"$" stdout
done
versus right --primitive sort --type u32 --n 2^45
shows "too large" 1 'notice: host: no rows; left out: 0 cases by --limit, 0 by --row-limit, 6 for want of memory$' stderr
SCANRT_PEERS=
bench --versus --peer missing
shows "no peer" 1 'notice: host is left out: no peer of it is there$' stderr

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
