#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/abi/describe.sh LIBRARY [HEADERS]
# Prints the ABI of a shared library of scanrt with debugging information (-g), as libabigail's abidw describes it: the
# exported functions, and the types of HEADERS (default: include/scanrt) that they use. Internal types, and those of
# other libraries' headers, appear by name only. Exits 77 without abidw or debugging information.
set -euo pipefail

library=${1:?usage: $0 LIBRARY}
headers=${2:-$(dirname "${BASH_SOURCE[0]}")/../../../include/scanrt}
command -v abidw >/dev/null || { echo "skipped: abidw is missing (Debian: abigail-tools)" >&2; exit 77; }
[[ $(readelf --section-headers "$library") == *.debug_info* ]] ||
  { echo "skipped: $library has no debugging information (CMAKE_BUILD_TYPE=Debug)" >&2; exit 77; }
abidw --exported-interfaces-only --headers-dir "$headers" --drop-private-types --no-show-locs --no-corpus-path \
  --no-comp-dir-path --no-elf-needed --no-parameter-names --no-write-default-sizes "$library"
