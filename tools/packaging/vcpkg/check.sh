#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/vcpkg/check.sh
# Checks the port without vcpkg: the manifest is JSON with this tree's version, CMake runs the portfile with functions of
# the same names in place of vcpkg's, and each option that they get is one of this tree. Exits 77 without CMake or
# Python 3.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
for program in cmake python3; do command -v $program >/dev/null || skip "$program is missing"; done
port=$project/tools/packaging/vcpkg
python3 - "$port/vcpkg.json" "$(version_of_headers)" <<'END_OF_PYTHON'
import json
import sys

port = json.load(open(sys.argv[1], encoding="utf-8"))
assert port["version"] == sys.argv[2], f"vcpkg.json has version {port['version']}, the headers {sys.argv[2]}"
assert set(port["default-features"]) <= set(port["features"]), "a default feature is none"
END_OF_PYTHON
for linkage in static dynamic; do
  cmake -D "PORT=$port" -D "PROJECT=$project" -D "VCPKG_LIBRARY_LINKAGE=$linkage" -D "VERSION=$(version_of_headers)" \
    -P "$port/try.cmake" || fail "the portfile, $linkage"
done
echo "vcpkg: the port is read without vcpkg"
