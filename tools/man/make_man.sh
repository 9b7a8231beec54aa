#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/man/make_man.sh SCANRT FOLDER
# Writes the manual pages scanrt.1 and scanrt-COMMAND.1 of each command into FOLDER, from the help texts of the program
# SCANRT. Their date is that of $SOURCE_DATE_EPOCH, or today's.
set -eu

scanrt=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
version=$("$scanrt" --version | sed '1s/ (.*//;q')
date=$(date -u ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"} +%Y-%m-%d)

# help ARGUMENTS...: saves a help text. If the program fails, this script must not write an empty page.
help() { "$scanrt" "$@" --help >"$folder/help.txt" || exit 1; }

# begin PAGE SUMMARY
begin() {
  printf '.\\" Made by make_man.sh from the help texts of scanrt.\n'
  printf '.TH %s 1 %s "%s" "User Commands"\n' "$(echo "$1" | tr '[:lower:]' '[:upper:]' | sed 's/-/\\-/g')" "$date" "$version"
  printf '.nh\n.SH NAME\n%s \\-\n%s\n' "$(echo "$1" | sed 's/-/\\-/g')" "$2"
}

# see_also PAGES...: prints references to pages of section 1, separated by commas.
see_also() {
  printf '.SH SEE ALSO\n'
  while [ $# -gt 0 ]; do
    printf '.BR %s (1)%s\n' "$(echo "$1" | sed 's/-/\\-/g')" "$([ $# -eq 1 ] || echo ,)"
    shift
  done
}

mkdir -p "$folder"
help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$folder/help.txt")
[ -n "$commands" ] || { echo "make_man.sh: $scanrt --help names no commands" >&2; exit 1; }
summaries=$(sed -n '/^Commands:/,/^$/p' "$folder/help.txt")
{
  begin scanrt "prefix scans, compaction, runs and sorts on CUDA, OpenCL and the host"
  awk -f "$here/help.awk" <"$folder/help.txt"
  # shellcheck disable=SC2046
  see_also $(echo "$commands" | sed 's/^/scanrt-/')
} >"$folder/scanrt.1"

for command in $commands; do
  {
    begin "scanrt-$command" "$(echo "$summaries" | sed -n "s/^  $command  *//p")"
    help "$command"
    awk -f "$here/help.awk" <"$folder/help.txt"
    if [ "$command" = bench ]; then
      for other in stream select sort split; do
        help bench "--$other"
        awk -v part="scanrt bench --$other" -f "$here/help.awk" <"$folder/help.txt"
      done
    fi
    see_also scanrt
  } >"$folder/scanrt-$command.1"
done
rm "$folder/help.txt"
