#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/setup_opencl.sh [FOLDER]
# Fetches OpenCL implementations that Debian lacks, for the tests, into FOLDER (default: scanrt/opencl in the user's
# cache, where the tests look): Intel's CPU runtime, which has sub-groups, under Intel's licence, and an older PoCL. It
# downloads 330 MB and keeps 570 MB. One that cannot be fetched is skipped with a notice, as are its tests. To use one,
# set $OCL_ICD_VENDORS to FOLDER/NAME/vendors/.
set -euo pipefail

usage() {
  sed -n '3,7s/^# //p' "$0" >&2
  exit 2
}

[ $# -le 1 ] || usage
case ${1-} in -*) usage ;; esac
folder=${1:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/opencl}

intel_wheels=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0)
pocl3_wheels=(pocl-binary-distribution==3.0)

skip() { echo "setup: $1: its tests are skipped" >&2; }

# fetch FOLDER WHEEL...: unpacks the wheels into FOLDER.
fetch() {
  local into=$1 wheel
  shift
  python3 -m pip --disable-pip-version-check download --quiet --timeout 15 --retries 1 --no-deps --only-binary=:all: \
    --dest "$into/wheels" "$@" || return 1
  for wheel in "$into"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$into/all" || return 1; done
  rm -r "$into/wheels"
}

# Moves Intel's libraries into one folder, where they find each other. Wheels hold no links: copies become links again.
arrange_intel() {
  local name first
  mkdir "$1/lib"
  mv "$1"/all/*.data/data/lib/* "$1/lib/"
  rm -rf "$1/all" "$1"/lib/libOpenCL.so* "$1/lib/icx-lto.so"
  for name in libintelocl libcommon_clang libtbb; do
    first=$(compgen -G "$1/lib/$name.so.*.*" | head -n 1)
    for copy in "$1/lib/$name.so" "$1/lib/$name.so".*; do
      if [ "$copy" != "$first" ] && cmp -s "$copy" "$first"; then ln -f "$first" "$copy"; fi
    done
  done
  echo "$2/lib/libintelocl.so"
}

arrange_pocl3() { (cd "$1" && echo "$2/$(compgen -G 'all/pyopencl/.libs/libpocl-*.so')"); }

# setup NAME WHEEL...: sets up an implementation completely or not at all.
setup() {
  local name=$1 new library
  shift
  [ ! -e "$folder/$name/vendors" ] || return 0
  mkdir -p "$folder"
  new=$(mktemp -d "$folder/.new.XXXXXX")
  echo "setup: fetching $* into $folder/$name"
  if fetch "$new" "$@" && library=$("arrange_$name" "$new" "$folder/$name") && mkdir "$new/vendors" &&
    echo "$library" >"$new/vendors/$name.icd" && mv -T "$new" "$folder/$name"; then
    return 0
  fi
  rm -rf "$new"
  skip "OpenCL implementation $name could not be fetched"
}

if ! python3 -m pip --version >/dev/null 2>&1; then
  skip "python3 with pip is missing, which fetches more OpenCL implementations (Debian: python3-pip)"
  exit 0
fi
setup intel "${intel_wheels[@]}"
setup pocl3 "${pocl3_wheels[@]}"
