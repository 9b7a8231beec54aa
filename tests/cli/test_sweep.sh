#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Tests `scanrt verify` while calls fail. The first call of a kind fails, then the second, ... until no call fails;
# later calls are tried ever more sparsely; alone, and with all later calls. The tool reports an error, or finds all
# results right; it neither hangs nor ends by a signal.
#
# Usage: test_sweep.sh SCANRT_SWEPT [FAKE_CUDA_LIBRARY]
# SCANRT_SWEPT is the tool linked with sweep/libc.c. With a fake driver, CUDA's calls fail, too.
set -euo pipefail

swept=$(realpath "$1")
fake=${2:+$(realpath "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset SCANRT_STRATEGY SCANRT_LOG SCANRT_DEVICE
export SCANRT_TUNE=one_thread_bytes=0 SCANRT_LIBOPENCL=libscanrt-no-such-opencl.so.1 SCANRT_LIBCUDA=libscanrt-no-such-cuda.so.1

trials=0 told=0 complaints=0

complain() {
  complaints=$((complaints + 1))
  echo "SCANRT_FAULT_$kind=$k$lasting scanrt verify $*: $(cat report 2>/dev/null)"
  tail -n 3 output
}

# try ARGUMENT...: runs the tool once; 1 if no call failed.
try() {
  local status=0
  rm -f report
  env "SCANRT_FAULT_$kind=$k$lasting" SCANRT_FAULT_REPORT=report \
    timeout 120 "$swept" verify --quick "$@" >output 2>&1 || status=$?
  if [ -e report ] && [[ $(cat report) == "0 "* ]]; then
    [ "$status" -eq 0 ] || complain "$@"
    return 1
  fi
  trials=$((trials + 1))
  if [ "$status" -gt 2 ]; then
    complain "ends with $status:" "$@"
  elif [ "$status" -ne 0 ]; then
    told=$((told + 1))
    [ -s output ] || complain "says nothing:" "$@"
  fi
}

# sweep KIND ARGUMENT...
sweep() {
  kind=$1
  shift
  for lasting in "" +; do
    k=1
    while try "$@"; do k=$((k + 1 + k / ${SCANRT_SWEEP_DENSE:-12})); done
  done
}

for kind in MEMORY THREADS FILES; do
  sweep "$kind" --device host --type f32 --op add --kind inclusive --n 3000
  sweep "$kind" --device host --select --case 3
  sweep "$kind" --device host --runs --case 2
  sweep "$kind" --device host --sorts --case 3
done
if [ -n "$fake" ]; then
  export SCANRT_LIBCUDA=$fake
  sweep CUDA --device cuda:0 --device host --type f32 --op add --kind inclusive --n 3000
fi

echo "scanrt verify: $trials trials with calls that failed, $told told, $((trials - told)) without consequence"
echo "$complaints complaints"
[ "$complaints" -eq 0 ] && [ "$told" -gt 10 ]
