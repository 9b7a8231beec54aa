#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt bench` on the host device with peers that are right or wrong on purpose, and with those on processors.
#
# Usage: test_bench_peers.sh SCANRT_BINARY PEERS_FOLDER [CPU_PEER...]
# CPU_PEER: a peer of tools/peers/ that was built beside the program: tbb, openmp.
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils; with python3, plots are drawn.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

take_bench_tools "$@"
shift 2

bench --n 64 --peer none
if [ "$status" -eq 0 ] && grep -q "^scanrt: notice: there is no peer 'none'" stderr; then pass
else fail "a peer that is missing"; fi

SCANRT_PEERS=$peers/right
export SCANRT_PEERS
for type in i32 f32; do
  bench --n 70000 --type $type --buffers 3
  succeeds "a right peer, $type"
  shows "a right peer, $type: row" 1 'host  *right 1.0 ' stdout
  shows "a right peer, $type: column" 1 'x right$' stdout
done
bench --n 70000 --type i32 --type f32 --segments keys --segments flags --segment-length 9 --segment-length 5000 --csv -
succeeds "a right peer of segments"
shows "a right peer of segments: rows" 4 ',right 1.0,peer,,eager,.*,true,[0-9].*,keys,' stdout
shows "a right peer of segments: others" 0 ',right 1.0,peer,,eager,.*,flags,' stdout
bench --n 70000 --op-source affine_f32 --op-source affine_f64 --csv -
succeeds "a right peer of a composite"
shows "a right peer of a composite: row" 1 ',right 1.0,peer,,eager,affine_f32,.*,true,[0-9]' stdout
bench --n 64 --no-peers
shows "--no-peers" 0 'right 1.0' stdout
bench --n 64 --op max
shows "a peer that does not have the operator" 0 'right 1.0' stdout

# Peers on processors: every type and kind of sum, in and out of place, with sizes that several threads share.
SCANRT_PEERS=
for name in "$@"; do
  for type in i8 i16 i32 i64 f32 f64; do
    bench --n 1 --n 100003 --type $type --kind both --peer "$name" --csv -
    succeeds "peer $name, $type"
    shows "peer $name, $type: rows" 4 "^host,.*,peer,,eager,$type,.*,true,[0-9]" stdout
  done
  bench --n 100003 --type u32 --exclusive --in-place --peer "$name" --csv -
  succeeds "peer $name in place"
  shows "peer $name in place: rows" 1 ',peer,,eager,u32,.*,true,[0-9]' stdout
  bench --n 64 --op max --peer "$name" --csv -
  shows "peer $name has sums only" 0 ',peer,,' stdout
done
for name in tbb openmp; do
  case " $* " in *" $name "*) continue ;; esac
  bench --n 64 --peer $name
  shows "peer $name was not built" 1 "^scanrt: notice: there is no peer '$name'" stderr
done

# Results of a wrong peer are not reported; those of the others are.
for peer in wrong late; do
  SCANRT_PEERS=$peers/$peer
  for type in i32 f32; do
    "$scanrt" bench --device host --reps 3 --n 2^22 --type $type --csv wrong.csv >stdout 2>stderr
    status=$?
    if [ "$status" -eq 1 ] && grep -q "host: $peer 1.0, eager: n = .*: element 4194303 is .*, expected" stderr; then pass
    else fail "$peer peer, $type"; fi
    shows "$peer peer, $type: table" 1 "$peer 1.0 .* WRONG$" stdout
    shows "$peer peer, $type: CSV" 1 "$peer 1.0,peer,.*,false,,,,,,,,,,,,,,0,0,,$" wrong.csv
    shows "$peer peer, $type: the scan" 1 ',scan,.*,true,[0-9]' wrong.csv
  done
done

SCANRT_PEERS=$peers/wrong
bench --n 5000 --n 10000 --peer wrong --json
if draws "a wrong peer" wrong.svg; then
  shows "a wrong peer: SVG" 1 'points=""' wrong.svg
  shows "a wrong peer: SVG, the others" 3 'points="[0-9]' wrong.svg
fi
fails wrong 'host: wrong 1.0, eager: n = 1000: element 999 is not as expected' --n 1000 --op-source affine_f32
for type in i32 f32; do
  fails wrong 'host: wrong 1.0, eager: n = 5000: element 4999 is .*, expected' --n 5000 --type $type --segments keys
done
fails failing 'failing: cannot scan: a fault on purpose$' --n 64
SCANRT_PEERS=$peers/old
bench --n 64
if [ "$status" -eq 0 ] && grep -q "is not of this version of peer.h$" stderr; then pass; else fail "an old peer"; fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
