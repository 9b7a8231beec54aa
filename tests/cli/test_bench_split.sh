#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of `scanrt bench --split` on the host device, with peers that are right or wrong on purpose.
#
# Usage: test_bench_split.sh SCANRT_BINARY PEERS_FOLDER
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell and coreutils.
set -u
. "$(dirname "$0")/checks.sh"
. "$(dirname "$0")/bench_checks.sh"

take_bench_tools "$@"

family=split

misuse "unknown --split 'sort': use one of keys pairs argsort histogram" keys,sort
misuse "unknown --by 'digit': use one of bits buckets" keys --by digit
misuse "--bits: a split is by 8 bits at most" keys --bits 0,9
misuse "--bits takes FIRST,END, two numbers that ascend, up to the keys' bits" keys --bits 9
misuse "--bits ends at 9: keys of u8 have 8" keys --type u8 --bits 7,9
misuse "--by buckets has no --descending" keys --by bits,buckets --descending
misuse "--by buckets is of unsigned keys" keys --by buckets --type i32
misuse "--in-place is for --split keys and pairs" argsort,histogram --in-place
misuse "--in-place is for --by bits" keys --by buckets --in-place
misuse "--payload is for --split pairs and argsort" histogram --payload 8
misuse "--cold times one case: give one --split, --type, --payload, --shape and --n" keys,histogram --cold
misuse "--cold times one case: give one --by" keys --by bits,buckets --cold

# ---- every combination is right ------------------------------------------------------------------------------------------

types=""
for type in i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64; do types="$types --type $type"; done
for n in 1 70001; do
  for order in "" --descending; do
    for bits in 8 1 2,7; do
      # shellcheck disable=SC2086
      bench keys,pairs,argsort,histogram $types --shape random,two --bits $bits $order --in-place --n $n --no-peers \
        --csv -
      succeeds "n = $n, bits $bits $order"
      shows "n = $n, bits $bits $order" 72 '^host,.*,scan_split,split,eager,.*,true,[0-9]' stdout
      shows "n = $n, bits $bits $order, in place" 48 '^host,.*,scan_split in place,split,eager,.*,true,[0-9]' stdout
      shows "n = $n, bits $bits $order: loops" 96 '^host,.*,plain [sh][a-z]*,plain loop,eager,.*,true,[0-9]' stdout
      shows "n = $n, bits $bits $order: histograms" 24 '^host,.*,scan_histogram,histogram,eager,.*,true,[0-9]' stdout
    done
  done
  bench keys,pairs,argsort,histogram --type u8 --type u16 --type u32 --type u64 --payload 8 --by buckets --bits 3 \
    --n $n --no-peers --csv -
  succeeds "n = $n, buckets"
  shows "n = $n, buckets" 12 '^host,.*,"scan_split, function",split,eager,.*,true,[0-9]' stdout
  shows "n = $n, buckets" 4 '^host,.*,"scan_histogram, function",histogram,eager,.*,true,[0-9]' stdout
done

# ---- reports ---------------------------------------------------------------------------------------------------------

bench keys,pairs,argsort,histogram --n 1000 --payload 8 --no-peers --csv out.csv
succeeds "a table"
shows "a table: keys" 1 '^split of u32 keys, by bits 24 to 31; medians of 2$' stdout
shows "a table: pairs" 1 '^split of u32 keys with values of bytes: 8, by bits 24 to 31; medians of 2$' stdout
shows "a table: indices" 1 '^split of u32 keys, indices of bytes: 8, by bits 24 to 31; medians of 2$' stdout
shows "a table: histogram" 1 '^histogram of u32 keys, by bits 24 to 31; medians of 2$' stdout
shows "bytes of keys" 1 ',split,eager,keys,u32,random,1,false,24,32,0,1000,1,8000,2,true,' out.csv
shows "bytes of pairs" 1 ',split,eager,pairs,u32,random,1,false,24,32,8,1000,1,24000,2,true,' out.csv
shows "bytes of indices" 1 ',split,eager,argsort,u32,random,1,false,24,32,8,1000,1,12000,2,true,' out.csv
shows "bytes of histograms" 1 ',histogram,eager,histogram,u32,random,1,false,24,32,0,1000,1,4000,2,true,' out.csv
bench histogram --by buckets --n 1000 --cold
succeeds "cold, buckets"

# ---- peers ---------------------------------------------------------------------------------------------------------------

SCANRT_PEERS=$peers/right
export SCANRT_PEERS
bench histogram --shape random,two --n 20000 --peer right --csv -
succeeds "a right peer"
shows "a right peer, its fastest way" 2 '^host,.*,"right 1.0, once",peer,.*,true,[0-9]' stdout
fails wrong 'host: wrong 1.0, once, eager: n = 20000, random: bucket 0 is not as expected$' histogram --n 20000 --csv wrong.csv
shows "a wrong peer: scan_histogram" 1 ',scan_histogram,.*,true,[0-9]' wrong.csv

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
