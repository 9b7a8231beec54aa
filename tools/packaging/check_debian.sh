#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/check_debian.sh FOLDER
# Checks the Debian packages in FOLDER without installing them: lintian reports no error or warning (skipped without
# lintian); fields, names, dependencies and bills of materials are right; use_debian.sh passes with the packages
# unpacked into a folder. Exits 77 (skipped) without pkg-config.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "${1:?usage: $0 FOLDER}" && pwd)
command -v pkg-config >/dev/null || { echo "skipped: pkg-config is missing"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "check_debian.sh: $*" >&2
  exit 1
}

packages=("$folder"/*.deb)
[ -e "${packages[0]}" ] || fail "there are no packages in $folder: run cpack in the build folder"

field() { dpkg-deb --field "$1" "$2"; }

check_fields() {
  local deb name
  for deb in "${packages[@]}"; do
    name=$(field "$deb" Package)
    [ -n "$(field "$deb" Multi-Arch)" ] || fail "$name has no field Multi-Arch: tools/packaging/debian/control.cmake failed"
    ! dpkg-deb --ctrl-tarfile "$deb" | tar -t | grep -qE 'post(inst|rm)' || fail "$name has scripts"
    case $name in
      *-dev | scanrt-tools) field "$deb" Depends | grep -q 'libscanrt.*0 (= ' || fail "$name depends on no library" ;;
      *) dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./shlibs ./triggers >"$work/control" || fail "$name: no shlibs, triggers"
         grep -qx 'activate-noawait ldconfig' "$work/control" || fail "$name does not trigger ldconfig" ;;
    esac
    dpkg-deb --extract "$deb" "$work/root"
    check_bill "$deb"
  done
}

# Checks the bill of materials, which is among the package's documents.
check_bill() {
  command -v python3 >/dev/null || { echo "bills of materials: python3 is missing"; return; }
  rm -rf "$work/alone"
  dpkg-deb --extract "$1" "$work/alone"
  "$here/../../tests/release/check_spdx.py" "$work/alone" || fail "the bill of materials of $(basename "$1")"
}

check_lintian() {
  if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "${packages[@]}" || fail "lintian"
    echo "lintian: no errors, no warnings"
  else
    echo "lintian: not installed"
  fi
}

check_fields
check_lintian
"$here/use_debian.sh" "$work/root" "$here/../../tests/consumer"
echo "check_debian: ${#packages[@]} packages: all right"
