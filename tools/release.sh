#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/release.sh [COMMIT | --worktree] [FOLDER]
# Writes the source archive scanrt-VERSION.tar.xz of COMMIT (default: HEAD) to FOLDER (default: build), with its
# SHA-256. --worktree: archives the files as they are, committed or not. A commit always gives the same bytes: names are
# sorted, root owns all files, and they have the commit's time. The archive's file RELEASE states commit and time, for
# `scanrt --version` and packages. The archive builds without git.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
what=${1:-HEAD} folder=${2:-$root/build}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "release.sh: $*" >&2
  exit 1
}

repository() { git -c safe.directory='*' -C "$root" "$@"; }

# Succeeds if this is the top of a checkout. A repository that merely contains an unpacked archive does not count.
in_checkout() {
  local up
  up=$(repository rev-parse --show-cdup 2>/dev/null) && [ -z "$up" ]
}

# list WHICH...: prints git's files, each followed by a zero byte.
list() { repository ls-files -z "$@" | LC_ALL=C sort -zu; }

# unpack TREE: copies the archive's files to TREE, and sets `commit` and `date`.
unpack() {
  if [ "$what" != --worktree ]; then
    in_checkout || fail "this is no git checkout: give --worktree"
    commit=$(repository rev-parse --verify --quiet "$what^{commit}") || fail "there is no commit $what"
    repository archive --format=tar "$commit" | tar -x -C "$1"
    commit=$(repository rev-parse --short=12 "$commit")
    date=$(repository show -s --format=%ct "$commit")
  elif in_checkout; then
    (cd "$root" && LC_ALL=C comm -z -23 <(list --cached --others --exclude-standard) <(list --deleted) |
      tar -c --null --verbatim-files-from -T -) | tar -x -C "$1"
    commit=$(repository describe --always --dirty --abbrev=12 --exclude '*')
    date=$(repository show -s --format=%ct HEAD)
  else # an unpacked archive, or a copy of the files
    tar -c -C "$root" --exclude='./build*' --exclude='./.deps' . | tar -x -C "$1"
    commit=unknown
    date=$(stat -c %Y "$root/CHANGELOG.md")
    if [ -e "$root/RELEASE" ]; then
      commit=$(sed -n 's/^commit //p' "$root/RELEASE")
      date=$(sed -n 's/^date //p' "$root/RELEASE")
    fi
  fi
}

# number MAJOR | MINOR | PATCH
number() { sed -n "s/^#define SCAN_VERSION_$1 \([0-9]*\) .*/\1/p" "$work/tree/include/scanrt/scan_types.h"; }

mkdir "$work/tree"
unpack "$work/tree"
name=scanrt-$(number MAJOR).$(number MINOR).$(number PATCH)
printf 'commit %s\ndate %s\n' "$commit" "$date" >"$work/tree/RELEASE"
mv "$work/tree" "$work/$name"
tar -c -C "$work" --sort=name --format=gnu --mtime="@$date" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$name" |
  xz -6 --threads=1 >"$work/archive"
mv "$work/archive" "$folder/$name.tar.xz"
(cd "$folder" && sha256sum "$name.tar.xz" | tee "$name.tar.xz.sha256")
