# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Shared by the tests of the command-line tool, which source it: counts of checks, and output of failures. The last
# command's standard output, standard error and exit status are in the files `stdout` and `stderr` and in $status; the
# fake driver's report is in `report`.
passed=0
failed=0

# Enters an empty folder, $work, which is removed when the script ends.
enter_work_folder() {
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  cd "$work" || exit 1
}

pass() { passed=$((passed + 1)); }

# fail WHAT: counts a failure and prints the output of the last command.
fail() {
  failed=$((failed + 1))
  echo "FAILED: $1"
  echo "  status $status"
  sed 's/^/  stdout: /' stdout | head -n 8
  sed 's/^/  stderr: /' stderr | head -n 8
  if [ -f report ]; then sed 's/^/  driver: /' report; fi
}

# take_tool "$@": checks that a script's one argument is the tool; enters an empty folder, and selects the host device.
take_tool() {
  if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 SCANRT_BINARY" >&2
    exit 2
  fi
  scanrt=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
  enter_work_folder
  SCANRT_DEVICE=host
  export SCANRT_DEVICE
  unset SCANRT_STRATEGY SCANRT_LOG
}

# run ARGUMENT...: runs the tool; standard input is the file `stdin`.
run() {
  "$scanrt" "$@" <stdin >stdout 2>stderr
  status=$?
}

# prints NAME EXPECTED: checks for status 0, this standard output and an empty standard error.
prints() {
  printf '%b' "$2" >expected
  if [ "$status" -eq 0 ] && cmp -s stdout expected && [ ! -s stderr ]; then pass; else fail "$1"; fi
}

# npy FILE DESCR ORDER SHAPE: writes an .npy 1.0 header; the caller appends the elements.
npy() {
  printf "%-117s\n" "{'descr': '$2', 'fortran_order': $3, 'shape': $4, }" >header
  { printf '\223NUMPY\001\000\166\000'; cat header; } >"$1"
}
