#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/gpu_check.sh [build] [test] [large] [sanitize] [bench] [bench_more] [applications] [pocl]    (default: all but pocl)
#        tools/gpu_check.sh --fetch-deps
# Checks scanrt on a machine with an NVIDIA GPU and no network. It needs nvcc, gcc, cmake and ninja, and .deps/ in the
# repository, which --fetch-deps fills on a Debian or Ubuntu machine with a network (OpenCL headers, cmocka). Builds
# into build/gpu; logs are written to $OUT, or to build/gpu; the last lines are a table of stages. Stages may run in
# separate calls; each takes less than 10 minutes on 16 cores. pocl runs the suite on the machine's PoCL. .ci/run tests
# the host.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=build/gpu
logs=${OUT:-$build}
deps=$root/.deps
results=()

fetch_deps() {
  local work=.deps/packages
  mkdir -p "$work"
  (cd "$work" && apt-get download opencl-c-headers libcmocka-dev libcmocka0)
  local package
  for package in "$work"/*.deb; do dpkg -x "$package" .deps; done
  rm -r "$work"
  ls .deps/usr/include/CL/cl.h .deps/usr/include/cmocka.h .deps/usr/lib/*/libcmocka.so*
}

# ---- environment -----------------------------------------------------------------------------------------------------

# find_library NAME: prints its path, or nothing.
find_library() {
  local path
  path=$(ldconfig -p | awk -v name="$1" '$1 == name {print $NF; exit}')
  if [ -z "$path" ]; then
    path=$(find /usr/lib /usr/local /opt -name "$1" -print -quit 2>/dev/null || true)
  fi
  echo "$path"
}

# Makes a folder with an .icd file for each OpenCL implementation found, even for one that did not register itself.
set_environment() {
  local icd=$root/$build/icd nvidia pocl folder
  mkdir -p "$icd" "$logs"
  nvidia=$(find_library libnvidia-opencl.so.1)
  pocl=$(find_library libpocl.so.2)
  if [ -n "$nvidia" ]; then echo "$nvidia" >"$icd/nvidia.icd"; fi
  if [ -n "$pocl" ]; then echo "$pocl" >"$icd/pocl.icd"; fi
  export OCL_ICD_VENDORS=$icd
  for folder in "$deps"/usr/lib/*-linux-gnu; do
    if [ -d "$folder" ]; then export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; fi
  done
  export PATH=$PATH:/usr/local/cuda/bin
  export XDG_CACHE_HOME=$root/$build/cache
  echo "OpenCL: NVIDIA ${nvidia:-missing}, PoCL ${pocl:-missing}"
}

# ---- stages ----------------------------------------------------------------------------------------------------------

# stage NAME SECONDS FUNCTION: runs a function with a time limit, logs its output, and records the result.
stage() {
  local name=$1 limit=$2 function=$3 start=$SECONDS rc=0 log result
  log=$logs/gpu_$name.log
  echo "== $name (at most $limit s)"
  export -f "$function"
  timeout --kill-after=10 "$limit" bash -c "set -euo pipefail; $function" 2>&1 | tee "$log" || rc=${PIPESTATUS[0]}
  case $rc in
    0) result=passed ;;
    124 | 137) result="over $limit s" ;;
    *) result="failed ($rc)" ;;
  esac
  results+=("$(printf '%-20s %-14s %5d' "$name" "$result" $((SECONDS - start)))")
}

build_from_clean() {
  find "$build" -mindepth 1 -maxdepth 1 ! -name icd ! -name '*.log' -exec rm -rf {} +
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSCANRT_CUDA=ON -DSCANRT_OPENCL=ON \
    -DSCANRT_CL_INCLUDE="$deps/usr/include" -DSCANRT_CMOCKA_ROOT="$deps" \
    -DSCANRT_TEST_DEVICES="cuda:0;opencl:nvidia;opencl:pocl" -DSCANRT_TEST_GPU=ON \
    -DSCANRT_CUDA_FLAGS="-Xptxas;-v"
  local start=$SECONDS
  cmake --build "$build" --parallel "$(nproc)" >"$build/build_output.txt" 2>&1 || { tail -n 60 "$build/build_output.txt"; return 1; }
  echo "build: $((SECONDS - start)) s on $(nproc) cores; library $(stat -L -c %s "$build/lib/libscanrt.so") bytes"
  grep -E 'warning' "$build/build_output.txt" | sort | uniq -c | head -n 20 || true
  summarise_ptxas "$build/build_output.txt"
}

# Prints the number of kernels, the most registers, and each kernel that spills.
summarise_ptxas() {
  awk '
    /Compiling entry function/ { split($0, part, "\x27"); kernel = part[2] " (" part[4] ")"; kernels++ }
    /bytes spill stores/ {
      for (i = 2; i <= NF; i++) if ($i == "bytes" && $(i + 1) == "spill" && $(i - 1) > 0) {
        if (last != kernel) { spilling++; if (spilling <= 20) print "  spills: " kernel ": " $0 }
        last = kernel
      }
    }
    match($0, /Used [0-9]+ registers/) { used = substr($0, RSTART + 5) + 0; if (used > most) most = used }
    END { printf "ptxas: %d kernels, at most %d registers, %d kernels spill\n", kernels, most, spilling }' "$1"
}

# Tests skip a missing device, which is a failure here.
run_tests() {
  local device rc=0
  "$build/bin/scanrt" info
  for device in cuda:0 opencl:nvidia opencl:pocl; do
    "$build/bin/scanrt" run --device "$device" --line-lengths --out /dev/null --out-format raw CMakeLists.txt || rc=1
  done
  # Runs many in parallel: the tests share one GPU, and most of their time goes into compilers and references.
  ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --timeout 400 \
    -E 'opencl:pocl|oclgrind|\.host|emulated|fake|variants|verify.all_devices|install_consumer|^(unit|cli|example)' || rc=1
  return $rc
}

# Runs sizes above 2^32, compares float bits up to 2^28, and compares all devices.
run_large() {
  local rc=0 verified device
  "$build/bin/scanrt" verify --quick --device cuda:0 --device opencl:nvidia --device host >"$logs/gpu_verify.log" &
  verified=$!
  SCANRT_TEST_LARGE=1 ctest --test-dir "$build" --output-on-failure --parallel 4 --timeout 500 \
    -R '^(large|large_select|large_sort)[.](cuda|opencl:nvidia)' || rc=1
  for device in cuda:0 opencl:nvidia; do
    SCANRT_TEST_DEVICE=$device "$build/bin/test_cases" \
      --case "scan n=67108869|268435461 type=f32 op=add values=wide|any kind=|exclusive plan strategy=|reduce_then_scan" \
      --case "scan n=134217723 type=f64 op=mul values=inverse kind=exclusive plan" || rc=1
  done
  wait $verified || rc=1
  tail -n 1 "$logs/gpu_verify.log"
  return $rc
}

# Runs the suite on PoCL without the textbook scans, which other machines test.
run_pocl() {
  ctest --test-dir "$build" --output-on-failure --parallel "$(($(nproc) * 3 / 4))" --timeout 300 -R 'opencl:pocl' -LE textbook
}

# sanitized TOOL COMMAND...: runs a command under a tool of compute-sanitizer. Prints its last lines, and more if it
# reports something.
sanitized() {
  local tool=$1 lines=3 rc=0 output
  shift
  output=$(compute-sanitizer --tool "$tool" --error-exitcode 1 --print-limit 5 "$@" 2>&1) || { rc=$?; lines=120; }
  tail -n $lines <<<"$output"
  return $rc
}

# few_cases TOOL STRATEGY: runs a few scans under a tool of compute-sanitizer.
few_cases() {
  echo "-- $1, $2"
  SCANRT_TEST_DEVICE=cuda:0 sanitized "$1" "$build/bin/test_cases" \
    --case "scan n=0..40|129|1033|2500 type=i32|u8|f32|i64 op=add|max kind=|exclusive strategy=$2 plan plan_n=2500" \
    --case "scan n=1000 type=i32|u8|f32|i64 op=add strategy=$2 plan plan_n=2500 in_place| shift=1 out_shift=64|1|3|7 init|"
}

# few_groups TOOL: prints the tuning for the checks below: few work-groups, so that each reuses its ring and its slots.
# Not for racecheck, which takes the lane that arrives at a barrier for the only reader (see ring).
few_groups() { [ "$1" = racecheck ] || echo most_groups=2; }

# segmented TOOL HOW: checks the pipelined scan with marks in its stages.
segmented() {
  echo "-- $1, pipelined, f32 segments by $2"
  SCANRT_TUNE=$(few_groups $1) sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n 300007 --strategy pipelined \
    --type f32 --segments "$2" --no-peers --reps 1
}

# from_source TOOL SHIFT: checks the pipelined scan with an operator from source.
from_source() {
  echo "-- $1, pipelined, user-written add, shifted by $2"
  SCANRT_TUNE=$(few_groups $1) sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n 300007 --strategy pipelined \
    --type i32 --op-source add --in-offset "$2" --out-offset "$2" --no-peers --reps 1
}

# ring TOOL: runs test_ring, whose kernels show racecheck the accesses that it otherwise misses.
ring() {
  echo "-- $1, pipelined, few work-groups"
  SCANRT_TUNE=image=90,most_groups=2 SCANRT_TEST_DEVICE=cuda:0 sanitized "$1" "$build/bin/test_ring"
}

# many_tiles TOOL STRATEGY: checks 1,500,001 elements, which are 184 large tiles and so more than one group of them; and
# 500,001 elements, in small tiles.
many_tiles() {
  local type file
  for type in i32 f32; do
    for file in random random_small; do
      echo "-- $1, $2, $type, $file"
      SCANRT_TUNE=$(few_groups $1) sanitized "$1" "$build/bin/scanrt" run --device cuda:0 --strategy "$2" --format raw \
        --type "$type" --out-format raw --out "$build/scanned_$1_$2.raw" "$build/$file.raw"
    done
  done
}

# misaligned TOOL TYPE: checks the pipelined scan of input and output with different shifts.
misaligned() {
  echo "-- $1, pipelined, $2, misaligned"
  SCANRT_TUNE=$(few_groups $1) sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n 1100003 --exclusive \
    --strategy pipelined --type "$2" --in-offset 1 --out-offset 3 --no-peers --reps 1
}

# widening TOOL SHIFT: checks the longest ring, and both look-back warps.
widening() {
  echo "-- $1, pipelined, u8 to u64, input shifted by $2"
  SCANRT_TUNE=$(few_groups $1) sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n 200003 --exclusive \
    --strategy pipelined --input-type u8 --type u64 --in-offset "$2" --no-peers --reps 1
}

# sorted TOOL WHAT SWEEPS [PARTS]: checks sorts of some tiles. SWEEPS and PARTS are those of $SCANRT_TUNE; with 3 sweeps
# each tile is repaired.
sorted() {
  local parts=${4:-1}
  echo "-- $1, sorts, $2, sort_sweeps=$3,sort_parts=$parts"
  SCANRT_TUNE=sort_sweeps=$3,sort_parts=$parts,sort_clusters=0 sanitized "$1" "$build/bin/scanrt" bench --sort "$2" \
    --device cuda:0 --type u32 --type u64 --n 40011 --no-peers --reps 1
}

# sorted_otherwise TOOL WHAT: checks sorts by a cluster, of segments in a tile and larger ones, and of 16-byte keys.
sorted_otherwise() {
  echo "-- $1, sorts, $2: by a cluster, by segments, of keys of 16 bytes"
  local some="--device cuda:0 --no-peers --reps 1"
  # shellcheck disable=SC2086
  sanitized "$1" "$build/bin/scanrt" bench --sort "$2" --type u32 --type u64 --n 3001 $some
  # shellcheck disable=SC2086
  sanitized "$1" "$build/bin/scanrt" bench --sort "$2" --n 40011 --segment-length 7 --segment-length 700 --segment-length 9000 $some
  # shellcheck disable=SC2086
  sanitized "$1" "$build/bin/scanrt" bench --sort "$2" --type u64 --key-words 2 --n 20011 $some
}

# selected TOOL: checks compaction, encoding and reductions by key, in one tile and in many. Not for racecheck and
# synccheck, which report rings and numbered barriers wrongly (tools/doc/measurements/compilers.md).
selected() {
  local n
  for n in 3001 200011; do
    echo "-- $1, compaction and encoding, $n elements"
    SCANRT_TUNE=$(few_groups "$1") sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n "$n" --kept 50% \
      --select predicate,flags,first,pair,rle,reduce-by-key --type u32 --type f64 --no-peers --reps 1
  done
}

# reduced TOOL: checks totals and sums in segments.
reduced() {
  echo "-- $1, totals and sums in segments"
  sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n 40011 --reduce total,segments --type f32 --type i64 \
    --segment-length 7 --segment-length 1000 --segment-length 9000 --no-peers --reps 1
}

# split_keys TOOL: checks splits and histograms by one tile and by many.
split_keys() {
  local bits
  for bits in 1 8; do
    echo "-- $1, splits and histograms, $bits bits"
    sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --n 3001 --n 90011 --split keys,pairs,histogram \
      --bits $bits --no-peers --reps 1
  done
}

# arrays TOOL SHAPE: checks scans along each axis of an array.
arrays() {
  echo "-- $1, lines of $2"
  sanitized "$1" "$build/bin/scanrt" bench --device cuda:0 --shape "$2" --axis 0 --axis 1 --type f32 --no-peers --reps 1
}

# Runs one of the commands above, and prints its output in one piece.
checked() {
  local output rc=0
  output=$("$@") || rc=$?
  printf '%s\n' "$output"
  [ $rc -eq 0 ] || echo "FAILED: $*"
  return $rc
}

# Runs all checks, eight at a time, the longest first.
sanitize() {
  local tool strategy type shift how
  head -c 6000004 /dev/urandom >"$build/random.raw"
  head -c 2000004 /dev/urandom >"$build/random_small.raw"
  for tool in racecheck memcheck initcheck synccheck; do
    for strategy in $strategies; do
      if [ $tool != synccheck ]; then echo few_cases $tool "$strategy"; fi
      if [ "$strategy" != block ]; then echo many_tiles $tool "$strategy"; fi
    done
    for type in i8 i32 f64; do echo misaligned $tool $type; done
    for shift in 0 15; do echo widening $tool $shift; done
    for shift in 0 1; do echo from_source $tool $shift; done
    for how in flags bits keys offsets; do echo segmented $tool $how; done
    echo ring $tool
    # With SCAN_TEST_LANES_ARRIVE racecheck sees how sweeps are ordered: tools/doc/measurements/compilers.md.
    for how in keys pairs argsort; do
      for type in 0 1 3 '1 3'; do
        if [ $tool != racecheck ] || [ "$type" = 0 ]; then echo sorted $tool $how "$type"; fi
      done
    done
    for how in keys pairs; do echo sorted_otherwise $tool $how; done
    for how in reduced split_keys; do echo $how $tool; done
    case $tool in memcheck | initcheck) echo selected $tool ;; esac
    if [ $tool != racecheck ]; then
      for how in 600,700 4,60000; do echo arrays $tool $how; done
    fi
  done | xargs -P 8 -d '\n' -I{} bash -c 'set -euo pipefail; checked {}'
}

# Measures the figures of the README and of tools/doc/measurements/.
bench() {
  local scanrt=$build/bin/scanrt
  # Runs in this folder, since the plot contains the command.
  (cd "$logs" && "$root/$scanrt" bench --device cuda:0 --exclusive --mode graph --n 2^10..2^26:2 --strategy auto --reps 11 \
    --csv scan.csv --json >scan.json && cat scan.csv)
  tools/plot.py "$logs/scan.json" "$logs/scan.svg" || echo "not drawn: $logs/scan.json"
  "$scanrt" bench --device cuda:0 --exclusive --n 2^20..2^28:2 --strategy auto --reps 11
  "$scanrt" bench --device cuda:0 --exclusive --n 2^27 --type f32 --type i64 --type f64 --type i16 --reps 11
  "$scanrt" bench --device cuda:0 --exclusive --n 2^28 --type i8 --reps 11
  "$scanrt" bench --device cuda:0 --exclusive --n 2^28 --input-type u8 --type u32 --reps 11
  "$scanrt" bench --device cuda:0 --n 2^26 --op add --op min --op max --op mul --op or --kind both --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --exclusive --n 2^26 --in-place --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --exclusive --n 2^26 --in-offset 1 --out-offset 3 --type i32 --type i16 --type i8 \
    --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --exclusive --n 67108859 --type i32 --type i16 --type i8 --reps 11 # ends in a tile
  SCANRT_TUNE=image=80 "$scanrt" bench --device cuda:0 --exclusive --n 2^28 --reps 11
  "$scanrt" bench --device cuda:0 --host-cost --n 2^10 --n 2^20 --strategy auto
  "$scanrt" bench --device opencl:nvidia --exclusive --n 2^28 --reps 11
  # One process for each cold start: the first one fills the disk caches, the second one is the figure.
  "$scanrt" bench --device cuda:0 --cold >/dev/null
  "$scanrt" bench --device cuda:0 --cold
  # Cold starts that compile, with an empty cache.
  local what
  for what in "--op-source add" "--op-source affine_f32" "--op-source add --segments flags" "--segments flags --type f32" \
    "--type f16" --check-overflow; do
    echo "cold: $what"
    # shellcheck disable=SC2086
    SCANRT_CACHE=off "$scanrt" bench --device cuda:0 --cold --n 2^24 $what
  done
}

# Measures operators from source, segments, arrays, carries, differences and streams.
bench_more() {
  local scanrt=$build/bin/scanrt both="--strategy lookback --strategy pipelined"
  "$scanrt" bench --device cuda:0 --op-source add --n 2^27 --type i32 --type f64 --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --op-source affine_f32 --n 2^27 --reps 11
  "$scanrt" bench --device cuda:0 --exclusive $both --n 2^27 --type f32 --type i32 --segments keys --segment-length 500 \
    --segment-length 5 --reps 7
  "$scanrt" bench --device cuda:0 --exclusive $both --n 2^27 --type f32 --segments flags --segments bits \
    --segment-length 500 --no-peers --reps 7
  "$scanrt" bench --device cuda:0 --exclusive $both --n 2^27 --type i32 --segments offsets --segment-length 1 \
    --segment-length 10 --segment-length 1000 --segment-length all+empty --no-peers --reps 7
  "$scanrt" bench --device cuda:0 $both --n 2^27 --type f16 --type bf16 --no-peers --reps 7
  "$scanrt" bench --device cuda:0 $both --n 2^27 --type i32 --type i64 --check-overflow --no-peers --reps 7
  "$scanrt" bench --select predicate,flags,bits,first --rest dropped,behind --n 2^28 --device cuda:0
  "$scanrt" bench --select predicate,flags,first --n 2^16 --mode both --device cuda:0
  "$scanrt" bench --select pair,partition3 --kept 1%,33.33%,90% --n 2^28 --device cuda:0
  "$scanrt" bench --select predicate,flags,first,pair --in-place --kept 50% --runs 2 --n 2^28 --device cuda:0
  "$scanrt" bench --select rle,reduce-by-key --type i32 --type f32 --n 2^28 --device cuda:0
  "$scanrt" bench --select rle,reduce-by-key --type f32 --n 2^16 --mode both --device cuda:0
  "$scanrt" bench --sort keys,pairs --shape random,and3,sorted,equal --n 2^28 --reps 5 --device cuda:0
  "$scanrt" bench --sort keys,pairs --type u32 --type u64 --type f32 --n 2^24 --n 2^20 --reps 11 --device cuda:0
  "$scanrt" bench --sort argsort --n 2^28 --reps 5 --device cuda:0
  "$scanrt" bench --sort keys --n 2^26 --device opencl:nvidia
  "$scanrt" bench --sort keys,pairs --bits 8,24 --descending --in-place --n 2^26 --reps 7 --device cuda:0
  "$scanrt" bench --split keys,pairs,histogram --by bits,buckets --n 2^28 --reps 7 --device cuda:0
  "$scanrt" bench --device cuda:0 $both --n 2^27 --op-source predicate --no-peers --reps 7
  "$scanrt" bench --device cuda:0 --shape 16384,16384 --axis 0 --axis 1 --type f32 --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --backward --n 2^27 --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --backward --n 2^27 --op-source add --op-source affine_f32 --no-peers --reps 7
  "$scanrt" bench --device cuda:0 --shape 16384,8192 --axis 0 --axis 1 --op-source add --op-source affine_f32 --no-peers \
    --reps 7
  "$scanrt" bench --device cuda:0 --exclusive --carry --mode graph --n 2^12..2^28:4 --no-peers --reps 11
  "$scanrt" bench --device cuda:0 --difference --n 2^27 --type i8 --type i16 --type i32 --type i64 --type f16 --type f32 \
    --type f64 --reps 11
  "$scanrt" bench --device cuda:0 --difference --n 2^27 --backward --in-place --type i32 --type f64 --reps 11
  "$scanrt" bench --stream --device cuda:0 --memory 2^28
}

# Runs the examples whose figures are in tools/doc/measurements/tools.md, and the CUB variants of two of them, if built.
applications() {
  local bin=$build/bin device program
  for device in cuda:0 opencl:nvidia; do
    SCANRT_DEVICE=$device "$bin/coo_to_csr" --rounds 51
    SCANRT_DEVICE=$device "$bin/coo_to_csr" --laplacian 117 --rounds 15
    SCANRT_DEVICE=$device "$bin/bfs" --rounds 51
    SCANRT_DEVICE=$device "$bin/bfs" --random 4194304 --rounds 21
    for program in iir_filter discounted_returns tridiagonal quicksort variable_records big_add; do
      echo "$program on $device"
      SCANRT_DEVICE=$device "$bin/$program" --rounds 5
    done
    SCANRT_DEVICE=$device "$bin/records" --bytes 1000000000 --rounds 15
    SCANRT_DEVICE=$device "$bin/cubes" --samples 512 --rounds 15
  done
  SCANRT_DEVICE=cuda:0 "$bin/coo_to_csr" --laplacian 117 --shuffle --rounds 5
  SCANRT_DEVICE=cuda:0 "$bin/particle_bins" --particles 100000000 --baseline --rounds 5
  SCANRT_DEVICE=cuda:0 "$bin/particle_bins" --particles 100000000 --moved --rounds 5
  if [ -x "$bin/cub_coo_to_csr" ]; then
    "$bin/cub_coo_to_csr" --rounds 51
    "$bin/cub_coo_to_csr" --laplacian 117 --rounds 15
    "$bin/cub_coo_to_csr" --laplacian 117 --shuffle --rounds 5
  fi
  if [ -x "$bin/cub_particle_bins" ]; then
    "$bin/cub_particle_bins" --particles 100000000 --rounds 5
    "$bin/cub_particle_bins" --particles 100000000 --moved --rounds 5
  fi
  if [ -x "$bin/cub_groups" ]; then
    "$bin/cub_groups"
  fi
}

# ---- main ------------------------------------------------------------------------------------------------------------

if [ "${1-}" = --fetch-deps ]; then
  fetch_deps
  exit 0
fi

[ $# -gt 0 ] || set -- build test large sanitize bench bench_more applications
for name in "$@"; do
  case $name in
    build | test | large | sanitize | bench | bench_more | applications | pocl) ;;
    *) sed -n '3,4s/^# //p' "$0" >&2; exit 2 ;;
  esac
done

set_environment
export build deps logs root
export strategies="lookback pipelined reduce_then_scan block"
export -f sanitized few_cases few_groups segmented from_source ring many_tiles misaligned widening sorted sorted_otherwise
export -f selected reduced split_keys arrays checked summarise_ptxas
for name in "$@"; do
  case $name in
    build) stage build 240 build_from_clean ;;
    test) stage test 560 run_tests ;;
    large) stage large 560 run_large ;;
    sanitize) stage sanitize 300 sanitize ;;
    bench) stage bench 240 bench ;;
    bench_more) stage bench_more 300 bench_more ;;
    applications) stage applications 300 applications ;;
    pocl) stage pocl 300 run_pocl ;;
  esac
done

printf '\n%-20s %-14s %5s\n' stage result s
printf '%s\n' "${results[@]}"
! printf '%s\n' "${results[@]}" | grep -vq ' passed '
