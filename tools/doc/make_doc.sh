#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/doc/make_doc.sh DOXYFILE FOLDER
# Makes FOLDER/man3 and FOLDER/xml of the public headers, by Doxygen; fails on its first warning. DOXYFILE writes to FOLDER.
# Pages of section 3 are one a header and one a struct; functions, types and macros are links to these.
# Exits 77 (skipped) where there is no doxygen.
set -eu

doxyfile=$1
folder=$2
command -v doxygen >/dev/null || { echo "skipped: doxygen is missing"; exit 77; }

rm -rf "$folder/xml" "$folder/man" "$folder/man3"
mkdir -p "$folder/man3"
doxygen "$doxyfile"

# Installs Doxygen's pages without those of members and folders, with fonts that all programs know. A line that begins
# with a quotation mark must not look like a request.
for page in "$folder"/man/man3/[sS][cC][aA][nN]*[._]*.3; do
  name=$(basename "$page")
  case $name in
    scan[._]* | SCAN_*) ;;
    *) continue ;;
  esac
  target=$(sed -n 's,^\.so man3/,,p' "$page")
  if [ -n "$target" ]; then
    ln -sf "$target" "$folder/man3/$name"
  else
    sed -e 's/\\fC/\\fB/g' -e "s/^'/\\\\\&'/" -e 's/[[:space:]]*$//' "$page" >"$folder/man3/$name"
  fi
done
rm -rf "$folder/man"
dangling=$(find "$folder/man3" -xtype l)
[ -z "$dangling" ] || { echo "make_doc.sh: pages without a header: $dangling" >&2; exit 1; }
for page in scan.h scan_run scan_spec SCAN_SPEC_INIT; do
  [ -s "$folder/man3/$page.3" ] || { echo "make_doc.sh: there is no page $page(3)" >&2; exit 1; }
done
echo "$(find "$folder/man3" -type f | wc -l) pages, $(find "$folder/man3" -type l | wc -l) links"
