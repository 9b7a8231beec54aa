# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# What the tests of the command-line tool count and show. Sourced by them: they leave standard output, standard error
# and exit status of the last command in the files `stdout` and `stderr` and in $status, and of a fake driver what it
# saw in `report`.
passed=0
failed=0

# Goes to an empty folder, $work, which is gone when the script ends.
enter_work_folder() {
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  cd "$work" || exit 1
}

pass() { passed=$((passed + 1)); }

# fail WHAT: counts and shows what the last command wrote.
fail() {
  failed=$((failed + 1))
  echo "FAILED: $1"
  echo "  status $status"
  sed 's/^/  stdout: /' stdout | head -n 8
  sed 's/^/  stderr: /' stderr | head -n 8
  if [ -f report ]; then sed 's/^/  driver: /' report; fi
}
