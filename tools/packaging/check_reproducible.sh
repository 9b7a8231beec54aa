#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/check_reproducible.sh [CMAKE_ARGUMENT...]
# Builds the source archive of the present files twice, in two folders, with different umasks, time zones and locales,
# and compares the results byte for byte: the libraries, the Debian packages with their content, the wheel. Exits 1 if
# something differs, and lists it. It takes the time of two builds; $SCANRT_KEEP names a folder that keeps both.
# Python's packages are those that tools/setup_python.sh fetched; without them no wheel is built.
set -euo pipefail

# Makes the second build compile everything again.
export CCACHE_DISABLE=1 SCANRT_IMAGE_CACHE=off

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=${SCANRT_KEEP:-}
if [ -z "$work" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"

# build_in FOLDER CMAKE_ARGUMENTS...: unpacks and builds in FOLDER.
build_in() {
  local folder=$1 tree
  shift
  mkdir -p "$folder/source" "$folder/results"
  tar -x -C "$folder/source" -f "$archive"
  tree=$(echo "$folder"/source/scanrt-*)
  export GIT_CEILING_DIRECTORIES=$work
  "$tree/tools/packaging/build_debian.sh" "$folder/build" "$@" >"$folder/log" 2>&1 || { tail -n 30 "$folder/log"; return 1; }
  cp "$folder"/build/packages/*.deb "$folder"/build/lib/libscanrt.so.*.*.* "$folder/build/lib/libscanrt.a" "$folder/results"
  wheel_in "$folder" "$tree"
}

# wheel_in FOLDER TREE: builds the wheel with the library that was built there.
wheel_in() {
  local rc=0
  SOURCE_DATE_EPOCH=$(sed -n 's/^date //p' "$2/RELEASE")
  export SOURCE_DATE_EPOCH
  "$2/tools/python/run_tests.sh" wheel "$(echo "$1"/build/lib/libscanrt.so.*.*.*)" "$1/python" >>"$1/log" 2>&1 || rc=$?
  case $rc in
    0) cp "$1"/python/scanrt-*.whl "$1/results" ;;
    77) echo "no wheel: $(tail -n 1 "$1/log")" ;;
    *) tail -n 30 "$1/log" && return 1 ;;
  esac
}

"$root/tools/release.sh" --worktree "$work/archive"
archive=$(echo "$work"/archive/scanrt-*.tar.xz)
(umask 022 && TZ=UTC LC_ALL=C build_in "$work/one" "$@")
(umask 027 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 build_in "$work/another/folder" "$@")

differing=0
for file in "$work"/one/results/*; do
  name=$(basename "$file")
  if cmp -s "$file" "$work/another/folder/results/$name"; then
    echo "same    $(sha256sum <"$file" | cut -c 1-16)  $name"
  else
    echo "differs                   $name"
    differing=$((differing + 1))
  fi
done
[ "$(ls "$work/one/results")" = "$(ls "$work/another/folder/results")" ] || { echo "not the same files"; exit 1; }
[ $differing -eq 0 ]
