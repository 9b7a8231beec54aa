#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/release/test_version.sh SOURCE BUILD
# Tests that every stated version is that of include/scanrt/scan_types.h, in the sources and in the build's products.
set -euo pipefail

source=$(cd "${1:?usage: $0 SOURCE BUILD}" && pwd)
build=$(cd "${2:?usage: $0 SOURCE BUILD}" && pwd)
faults=0

number() { sed -n "s/^#define SCAN_VERSION_$1 \([0-9]*\) .*/\1/p" "$source/include/scanrt/scan_types.h"; }
major=$(number MAJOR) minor=$(number MINOR) patch=$(number PATCH)
version=$major.$minor.$patch

# states FILE PATTERN [WANTED]: checks that each line of FILE, in SOURCE or BUILD, that PATTERN (sed, one group) selects
# states WANTED, by default the version, and that there is such a line.
states() {
  local file=$1 found wanted=${3:-$version}
  [ -e "$file" ] || file=$source/$1
  found=$(sed -nE "s~.*$2.*~\1~p" "$file" | sort -u)
  if [ "$found" != "$wanted" ]; then
    echo "test_version.sh: ${file##*/} states '$found', not $wanted" >&2
    faults=$((faults + 1))
  fi
}

# built FILE PATTERN: calls states for a file that only some builds have.
built() { [ ! -e "$build/$1" ] || states "$build/$1" "$2"; }

triple='([0-9]+\.[0-9]+\.[0-9]+)'
for file in README.md runtime/fortran/README.md tests/consumer/CMakeLists.txt; do
  states $file 'find_package\(scanrt ([0-9.]+) ' "$major.$minor"
done
states tools/python/README.md "scanrt-$triple-py3"
states tools/packaging/XSDK.md "libscanrt\.so\.$triple"
states tools/packaging/conda/recipe.yaml "^  version: \"$triple\""
states tools/packaging/vcpkg/vcpkg.json "\"version\": \"$triple\""
for config in "$source"/tools/packaging/easybuild/*.eb; do
  states "$config" "^version = '$triple'"
  states <(basename "$config") "^scanrt-$triple-"
done
# The first released section of the change log, with its day.
states <(grep '^## [0-9]' "$source/CHANGELOG.md" | head -n 1) "^## $triple \([0-9]{4}-[0-9]{2}-[0-9]{2}\)\$"

states "$build/CMakeCache.txt" "^CMAKE_PROJECT_VERSION:STATIC=$triple"
for pc in scanrt scanrt_mpi scanrt_fortran scanrt_fortran_mpi; do
  built $pc.pc "^Version: $triple"
  [ $pc = scanrt ] || built $pc.pc "^Requires: .*= $triple"
done
built scanrt-config-version.cmake "PACKAGE_VERSION \"$triple\""
built Doxyfile "^PROJECT_NUMBER += $triple"
built CPackConfig.cmake "CPACK_PACKAGE_VERSION \"?$triple"
built tools/cli/man1/scanrt.1 "^\.TH SCANRT 1 [0-9-]+ \"scanrt $triple\""
if [ -e "$build/bin/scanrt" ]; then
  states <("$build/bin/scanrt" --version) "scanrt $triple"
fi
for link in "$build"/lib/lib*.so.[0-9]; do
  [ ! -L "$link" ] || states <(readlink "$link") "\.so\.$triple\$"
done
[ $faults -eq 0 ]
echo "version $version everywhere"
