#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a test program at small scale under Oclgrind's data-race and memory checks.
# usage: run_oclgrind.sh [OPTION-OF-OCLGRIND...] PATH-OF-PROGRAM [ARGUMENT...]
# Oclgrind exits 0 even if it found errors, so the log must be empty. Its check of uninitialised memory is off: it loses
# track of vectors, and of values that a work-item itself wrote.
set -eu

if ! command -v oclgrind >/dev/null 2>&1; then
  echo "skipped: oclgrind is not installed"
  exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

# The wrapper preloads its own OpenCL library. scanrt opens a library by name, so it gets the name of that file.
library=$(oclgrind sh -c 'printf %s "$LD_PRELOAD"')
export SCANRT_LIBOPENCL="${library%%:*}"
export SCANRT_TEST_DEVICE=opencl:oclgrind SCANRT_TEST_SCALE=small SCANRT_CACHE=off

log=$folder/oclgrind.log
oclgrind --data-races --log "$log" "$@"
if [ -s "$log" ]; then
  echo "oclgrind on $*:"
  head -n 100 "$log"
  exit 1
fi
