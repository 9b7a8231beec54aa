# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# What the tests of `scanrt bench` share. Sourced by them after checks.sh; each defines `bench ARGUMENT...`, which runs it.

# take_bench_tools "$@": the tool and the folder of peers, absolute, in $scanrt and $peers; goes to an empty folder.
take_bench_tools() {
  if [ $# -lt 2 ] || [ ! -x "$1" ] || [ ! -d "$2" ]; then
    echo "usage: $0 SCANRT_BINARY PEERS_FOLDER [CPU_PEER...]" >&2
    exit 2
  fi
  scanrt=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
  peers=$(cd "$2" && pwd)
  enter_work_folder
  unset SCANRT_STRATEGY SCANRT_LOG SCANRT_DEVICE SCANRT_PEERS
}

# misuse MESSAGE ARGUMENT...: a wrong command line and its message.
misuse() {
  message=$1
  shift
  bench "$@"
  printf 'scanrt bench: %s (see scanrt bench --help)\n' "$message" >expected
  if [ "$status" -eq 2 ] && cmp -s stderr expected && [ ! -s stdout ]; then pass; else fail "misuse: $*"; fi
}

# succeeds NAME: status 0, nothing on standard error.
succeeds() { if [ "$status" -eq 0 ] && [ ! -s stderr ]; then pass; else fail "$1"; fi; }

# shows NAME COUNT PATTERN FILE: that many lines of the file match.
shows() {
  found=$(grep -c -- "$3" "$4")
  if [ "$found" -eq "$2" ]; then pass; else fail "$1: $found lines instead of $2 match '$3'"; fi
}
