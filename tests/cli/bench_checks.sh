# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Shared by the tests of `scanrt bench`, which source it after checks.sh. The tests of one family set $family.

# take_bench_tools "$@": sets $scanrt and $peers to the absolute paths of the tool and the folder of peers; enters an
# empty folder.
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

# misuse MESSAGE ARGUMENT...: checks a wrong command line and its message.
misuse() {
  message=$1
  shift
  bench "$@"
  printf 'scanrt bench: %s (see scanrt bench --help)\n' "$message" >expected
  if [ "$status" -eq 2 ] && cmp -s stderr expected && [ ! -s stdout ]; then pass; else fail "misuse: $*"; fi
}

# succeeds NAME: checks for status 0 and an empty standard error.
succeeds() { if [ "$status" -eq 0 ] && [ ! -s stderr ]; then pass; else fail "$1"; fi; }

# shows NAME COUNT PATTERN FILE: checks how many lines of the file match.
shows() {
  found=$(grep -c -- "$3" "$4")
  if [ "$found" -eq "$2" ]; then pass; else fail "$1: $found lines instead of $2 match '$3'"; fi
}

# bench ARGUMENT...: runs `scanrt bench` on the host device with two rounds; with a $family as `--$family ARGUMENT...`.
family=
bench() {
  if [ -n "$family" ]; then
    how=$1
    shift
    set -- "--$family" "$how" "$@"
  fi
  "$scanrt" bench --device host --reps 2 "$@" >stdout 2>stderr
  status=$?
}

# fails PEER PATTERN ARGUMENT...: checks that with this peer the status is 1 and a line of standard error matches.
fails() {
  SCANRT_PEERS=$peers/$1
  export SCANRT_PEERS
  peer=$1
  pattern=$2
  shift 2
  bench "$@"
  if [ "$status" -eq 1 ] && grep -q "^scanrt: $pattern" stderr; then pass; else fail "peer $peer: $*"; fi
}

skipped=0
plot=$(cd "$(dirname "$0")/../../tools" && pwd)/plot.py

# parses NAME PROGRAM FILE: checks that the file is well-formed and the Python program, which has it as `d`, prints
# nothing.
parses() {
  if ! command -v python3 >/dev/null; then
    echo "skipped: $1: no python3"
    skipped=$((skipped + 1))
    return
  fi
  printf '%s\n' 'import csv, json, sys, xml.etree.ElementTree as xml' \
    'p = sys.argv[1]' \
    'if p.endswith(".svg"): d = xml.parse(p).getroot()' \
    'elif p.endswith(".csv"): d = list(csv.reader(open(p)))' \
    'else: d = json.load(open(p))' "$2" >check.py
  problems=$(python3 check.py "$3" 2>&1)
  if [ -z "$problems" ]; then pass; else fail "$1: $problems"; fi
}

# draws NAME FILE: checks that the JSON on standard output becomes a plot.
draws() {
  if ! command -v python3 >/dev/null; then
    echo "skipped: $1: no python3"
    skipped=$((skipped + 1))
    return 1
  fi
  cp stdout plotted.json
  if "$plot" plotted.json "$2" >stdout 2>stderr && [ ! -s stderr ]; then pass; else fail "$1: plot"; fi
}
