# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Shared by the tests of commands that read and write files, which source it after checks.sh: checks of outputs and
# refusals.

# writes NAME FILE EXPECTED: checks for status 0, an empty standard error and this content of the file.
writes() {
  printf '%b' "$3" >expected
  if [ "$status" -eq 0 ] && cmp -s "$2" expected && [ ! -s stderr ]; then pass; else fail "$1"; fi
}

# refuses STATUS MESSAGE ARGUMENT...: checks for this status, exactly this line on standard error, and an empty standard
# output.
refuses() {
  wanted=$1
  printf '%s\n' "$2" >expected
  shift 2
  run "$@"
  if [ "$status" -eq "$wanted" ] && cmp -s stderr expected && [ ! -s stdout ]; then pass; else fail "refuses: $*"; fi
}

# misuse COMMAND MESSAGE ARGUMENT...: checks the refusal of a wrong command line.
misuse() {
  command=$1
  message=$2
  shift 2
  refuses 2 "scanrt $command: $message (see scanrt $command --help)" "$command" "$@"
}

# as_expected NAME FILE: checks for status 0 and the file on standard output. Drivers may write to standard error.
as_expected() { if [ "$status" -eq 0 ] && cmp -s stdout "$2"; then pass; else fail "$1"; fi; }
