# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Shared by the tests of `scanrt run`, which source it after checks.sh: checks of outputs and refusals.

# contains NAME TEXT: checks for status 0 and TEXT in standard output.
contains() {
  if [ "$status" -eq 0 ] && grep -qF -- "$2" stdout; then pass; else fail "$1"; fi
}

# refuses NAME STATUS MESSAGE: checks for this status, exactly this line on standard error, and an empty standard
# output.
refuses() {
  printf '%s\n' "$3" >expected
  if [ "$status" -eq "$2" ] && cmp -s stderr expected && [ ! -s stdout ]; then pass; else fail "$1"; fi
}

# same NAME FILE FILE: checks for status 0 and equal files.
same() {
  if [ "$status" -eq 0 ] && cmp -s "$2" "$3"; then pass; else fail "$1"; fi
}

# misuse MESSAGE ARGUMENT...: checks a wrong command line of `scanrt run` and its message.
misuse() {
  message=$1
  shift
  run run "$@"
  refuses "misuse: run $*" 2 "scanrt run: $message (see scanrt run --help)"
}
