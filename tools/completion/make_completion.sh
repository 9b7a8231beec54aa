#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/completion/make_completion.sh SCANRT FOLDER
# Writes completions for bash, zsh and fish (scanrt, _scanrt and scanrt.fish) into FOLDER, from the help texts of the
# program SCANRT.
set -eu

scanrt=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
table=$folder/table
trap 'rm -f "$table" "$table.help"' EXIT

# help ARGUMENTS...: saves a help text. If the program fails, this script must not write an empty table.
help() { "$scanrt" "$@" --help >"$table.help" || exit 1; }

# options COMMAND: prints the options of the help text, each behind the command's name.
options() { awk -f "$here/options.awk" <"$table.help" | sed "s/^/option	$1	/"; }

# names TITLE: prints the names of a line such as "Types:  i8 u8".
names() { sed -n "s/^$1: *//p" "$table.help"; }

# The table has lines of fields separated by tabs: a command and its description; an option of a command with its
# letter, value and description; and the names for a kind of value.
help
sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/command	\1	\2/p' "$table.help" >"$table"
commands=$(cut -f 2 "$table")
[ -n "$commands" ] || { echo "make_completion.sh: $scanrt --help names no commands" >&2; exit 1; }
for command in $commands; do
  help "$command"
  options "$command" >>"$table"
done
# Each of these options gives `bench` another help text.
for other in stream select sort split; do
  help bench "--$other"
  options bench >>"$table"
done
help run
{
  printf 'names	type	%s\n' "$(names Types)"
  printf 'names	operator	%s\n' "$(names Operators)"
  printf 'names	strategy	%s\n' "$(names Strategies)"
  printf 'names	format	npy raw text\n'
} >>"$table"

for shell in bash zsh fish; do
  case $shell in
    bash) file=$folder/scanrt ;;
    zsh) file=$folder/_scanrt ;;
    fish) file=$folder/scanrt.fish ;;
  esac
  awk -F '	' -v shell=$shell -f "$here/completion.awk" "$table" >"$file"
done
