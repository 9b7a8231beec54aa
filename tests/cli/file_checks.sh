# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Of the tests of commands that read and write files: runs the tool, $scanrt, and compares what it wrote. Sourced by
# them after checks.sh.

# run ARGUMENT...: runs the tool; standard input is the file `stdin`.
run() {
  "$scanrt" "$@" <stdin >stdout 2>stderr
  status=$?
}

# prints NAME EXPECTED: status 0, standard output as given, standard error empty.
prints() {
  printf '%b' "$2" >expected
  if [ "$status" -eq 0 ] && cmp -s stdout expected && [ ! -s stderr ]; then pass; else fail "$1"; fi
}

# writes NAME FILE EXPECTED: status 0, nothing on standard error, and the file as given.
writes() {
  printf '%b' "$3" >expected
  if [ "$status" -eq 0 ] && cmp -s "$2" expected && [ ! -s stderr ]; then pass; else fail "$1"; fi
}

# refuses STATUS MESSAGE ARGUMENT...: that status, exactly that line on standard error, nothing on standard output.
refuses() {
  wanted=$1
  printf '%s\n' "$2" >expected
  shift 2
  run "$@"
  if [ "$status" -eq "$wanted" ] && cmp -s stderr expected && [ ! -s stdout ]; then pass; else fail "refuses: $*"; fi
}

# misuse COMMAND MESSAGE ARGUMENT...: wrong use.
misuse() {
  command=$1
  message=$2
  shift 2
  refuses 2 "scanrt $command: $message (see scanrt $command --help)" "$command" "$@"
}
