#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/release/test_archive.sh SOURCE
# Tests the source archive. Unpacked without git it makes itself again, byte for byte, with any umask, time zone and
# folder. It contains exactly the repository's files and RELEASE, owned by root, sorted, and with one time.
# Exits 77 (skipped) without xz.
set -euo pipefail

source=$(cd "${1:?usage: $0 SOURCE}" && pwd)
command -v xz >/dev/null || { echo "skipped: xz is missing (Debian: xz-utils)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "test_archive.sh: $*" >&2
  exit 1
}

"$source/tools/release.sh" --worktree "$work/first"
archive=$(echo "$work"/first/scanrt-*.tar.xz)
(cd "$work/first" && sha256sum --check --quiet ./*.sha256) || fail "the checksum beside it"

mkdir "$work/unpacked"
tar -x -C "$work/unpacked" -f "$archive"
tree=$(echo "$work"/unpacked/scanrt-*)
[ "$(ls "$work/unpacked")" = "$(basename "$archive" .tar.xz)" ] || fail "more than one folder: $(ls "$work/unpacked")"
(umask 077 && TZ=Asia/Tokyo GIT_CEILING_DIRECTORIES=$work "$tree/tools/release.sh" --worktree "$work/second")
cmp "$archive" "$work/second/$(basename "$archive")" || fail "the unpacked archive makes another one"

tar -tvf "$archive" --full-time --numeric-owner >"$work/entries"
[ "$(awk '{print $2, $4, $5}' "$work/entries" | sort -u | wc -l)" -eq 1 ] || fail "more than one owner or time"
awk '{print $6}' "$work/entries" | LC_ALL=C sort -c 2>/dev/null || fail "the names are not sorted"
[ "$(awk '{print $2}' "$work/entries" | sort -u)" = 0/0 ] || fail "not all files are root's"

if git -c safe.directory='*' -C "$source" rev-parse --show-cdup 2>/dev/null | grep -qx ''; then
  (cd "$source" && git -c safe.directory='*' ls-files --cached --others --exclude-standard | while read -r file; do
    [ ! -e "$file" ] || echo "$file"
  done) | cat - <(echo RELEASE) | LC_ALL=C sort -u >"$work/wanted"
  (cd "$tree" && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) >"$work/there"
  diff "$work/wanted" "$work/there" || fail "files that are not in both"
fi
echo "$(wc -l <"$work/entries") entries, $(stat -c %s "$archive") bytes, twice the same"
