# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Of the tests of commands that read and write files: what the tool writes, and refuses. Sourced by
# them after checks.sh.

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

# as_expected NAME FILE: status 0 and the file on standard output. Drivers may write on standard error.
as_expected() { if [ "$status" -eq 0 ] && cmp -s stdout "$2"; then pass; else fail "$1"; fi; }
