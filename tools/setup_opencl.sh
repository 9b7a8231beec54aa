#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/setup_opencl.sh [FOLDER]
# Fetches OpenCL implementations that Debian 12 lacks, for the tests, into FOLDER (default: scanrt/opencl in the user's
# cache, where the tests look):
#   intel, pocl3   from PyPI, 330 MB: Intel's CPU runtime, which has sub-groups, under Intel's licence; an older PoCL.
#                  To use one, set $OCL_ICD_VENDORS to FOLDER/NAME/vendors/
#   debian13       Debian 13's libraries with PoCL 6 and Mesa 25's rusticl, 180 MB from a Debian mirror
#                  ($SCANRT_DEBIAN_MIRROR, or mmdebstrap's choice); tests/run_debian13.sh runs a program with them
# They take 1.5 GB. One that cannot be fetched is skipped with a notice, as are its tests.
set -euo pipefail

usage() {
  sed -n '3,10s/^# //p' "$0" >&2
  exit 2
}

[ $# -le 1 ] || usage
case ${1-} in -*) usage ;; esac
folder=${1:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/opencl}

intel_wheels=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0)
pocl3_wheels=(pocl-binary-distribution==3.0)
# The last three are for the tests, which also call rm by a shell.
debian13_packages=pocl-opencl-icd,mesa-opencl-icd,ocl-icd-libopencl1,libcmocka0,dash,coreutils

skip() { echo "setup: $1: its tests are skipped" >&2; }

# fetch_wheels FOLDER WHEEL...: unpacks the wheels into FOLDER.
fetch_wheels() {
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

# make_wheels NAME FOLDER WHEEL...: fills FOLDER, which becomes $folder/NAME, from wheels.
make_wheels() {
  local name=$1 new=$2 library
  shift 2
  if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "setup: python3 with pip is missing (Debian: python3-pip)" >&2
    return 1
  fi
  fetch_wheels "$new" "$@" && library=$("arrange_$name" "$new" "$folder/$name") && mkdir "$new/vendors" &&
    echo "$library" >"$new/vendors/$name.icd"
}

# make_debian NAME FOLDER SUITE PACKAGES: fills FOLDER with /usr of a Debian release with these packages, and vendors/.
# No script of a package runs.
make_debian() {
  command -v mmdebstrap >/dev/null || { echo "setup: mmdebstrap is missing" >&2 && return 1; }
  mmdebstrap --quiet --variant=extract --format=tar --include="$4" --aptopt='Acquire::http::Timeout "15"' "$3" - \
    ${SCANRT_DEBIAN_MIRROR:+"$SCANRT_DEBIAN_MIRROR"} |
    tar -x -C "$2" --no-same-owner --transform='s,^\./etc/OpenCL/,./,' --exclude=./usr/include \
      --exclude=./usr/share/doc --exclude=./usr/share/locale --exclude=./usr/share/man ./usr ./etc/OpenCL/vendors
}

# setup NAME MAKE...: sets up an implementation by MAKE NAME FOLDER ..., completely or not at all.
setup() {
  local name=$1 make=$2 new
  shift 2
  [ ! -e "$folder/$name/vendors" ] || return 0
  mkdir -p "$folder"
  new=$(mktemp -d "$folder/.new.XXXXXX")
  echo "setup: fetching $* into $folder/$name"
  if "$make" "$name" "$new" "$@" && mv -T "$new" "$folder/$name"; then return 0; fi
  rm -rf "$new"
  skip "OpenCL implementation $name could not be fetched"
}

setup intel make_wheels "${intel_wheels[@]}"
setup pocl3 make_wheels "${pocl3_wheels[@]}"
setup debian13 make_debian trixie "$debian13_packages"
