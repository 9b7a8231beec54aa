#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests of help texts and what is generated from them: `scanrt help`, and completions of bash, and of zsh and fish if
# they are installed. Every option in a help text is one of the command.
#
# Usage: test_completion.sh SCANRT_BINARY
# Exit status: 0 all passed, 1 otherwise. Needs a POSIX shell, awk and coreutils.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/checks.sh"

take_tool "$@"

: >stdin
"$here/../../tools/completion/make_completion.sh" "$scanrt" made >stdout 2>stderr
status=$?
prints "made" ''

# ---- scanrt help -----------------------------------------------------------------------------------------------------------

# is_help NAME: checks for the expected text.
is_help() { if [ "$status" -eq 0 ] && cmp -s stdout expected; then pass; else fail "$1"; fi; }

for command in run sort bench; do
  "$scanrt" $command --help >expected
  run help $command
  is_help "help $command"
done
"$scanrt" --help >expected
run help
is_help "help"
"$scanrt" bench --select --help >expected
run help bench --select
is_help "help bench --select"
run help sacn
if [ "$status" -eq 2 ] && [ "$(cat stderr)" = "scanrt: unknown command sacn (see scanrt --help)" ]; then pass
else fail "help of no command"; fi

# ---- options -------------------------------------------------------------------------------------------------------------

# All options without a value stand before an unknown option: only that one is refused, and nothing runs.
for command in info run reduce select unique rle reduce-by-key sort verify bench; do
  "$scanrt" help $command >help.txt
  awk -f "$here/../../tools/completion/options.awk" help.txt | awk -F '\t' '{ print $1, $3 }' >options.txt
  flags=
  while read -r name value; do
    # Skipped: the first options of other help texts; an option whose value is several words; help itself; --mpi.
    case $command:$name in
      *:help | *:mpi | bench:stream | bench:select | bench:sort | bench:split | bench:kind) continue ;;
    esac
    if [ -z "$value" ]; then
      flags="$flags --$name"
      continue
    fi
    run $command "--$name"
    if [ "$status" -eq 2 ] && grep -q "option '--$name' needs a value" stderr; then pass
    else fail "$command --$name takes a value"; fi
  done <options.txt
  # shellcheck disable=SC2086 # words
  run $command $flags --no-such-option
  if [ "$status" -eq 2 ] && grep -q "unknown option '--no-such-option'" stderr; then pass
  else fail "$command:$flags"; fi
done

# ---- shells --------------------------------------------------------------------------------------------------------------

if command -v bash >path.txt; then
  PATH=$(dirname "$scanrt"):$PATH
  cat >ask.bash <<'END'
. made/scanrt
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_scanrt 2>errors.txt
printf '%s\n' "${COMPREPLY[@]}"
END
  # completes EXPECTED WORD...: checks the first completions of the last word.
  completes() {
    wanted=$1
    shift
    bash ask.bash "$@" >stdout 2>stderr
    status=$?
    prints "bash: $*" "$wanted"
  }
  completes 'select\nsort\n' scanrt s
  completes 'reduce\nreduce-by-key\n' scanrt help red
  completes '--key\n--keys-out\n--key-type\n--key-format\n--key-column\n' scanrt sort --key
  completes 'f32\nf64\nf16\n' scanrt run --type f
  completes 'u8\nu16\nu32\nu64\n' scanrt sort --type = u
  completes 'npy\n' scanrt run data.txt --out-format n
  completes 'mul\nmin\nmax\n' scanrt reduce-by-key --op m
  completes 'host\n' scanrt run --device ho
  completes '\n' scanrt run --init x
  touch values.npy
  completes 'values.npy\n' scanrt run val
  completes 'values.npy\n' scanrt run --out val
fi
if command -v zsh >path.txt; then
  zsh -n made/_scanrt >stdout 2>stderr
  status=$?
  prints "zsh reads its completion" ''
  if [ "$(head -n 1 made/_scanrt)" = "#compdef scanrt" ]; then pass; else fail "zsh's first line"; fi
fi
if command -v fish >path.txt; then
  HOME=$work XDG_CONFIG_HOME=$work fish --no-config -c 'source made/scanrt.fish; complete -C "scanrt sort --desc"' \
    >stdout 2>stderr
  status=$?
  prints "fish: scanrt sort --desc" '--descending\tfrom the largest to the smallest\n'
  HOME=$work XDG_CONFIG_HOME=$work fish --no-config -c 'source made/scanrt.fish; complete -C "scanrt run --op mu"' \
    >stdout 2>stderr
  status=$?
  prints "fish: scanrt run --op mu" 'mul\toperator\n'
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
