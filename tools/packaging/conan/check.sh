#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/conan/check.sh
# Makes Conan's package of this tree, shared and static, and runs test_package with each. Builds of type Debug, which
# compile in a fraction of the time; $SCANRT_CHECK_TYPE names another type. Exits 77 where there is no Conan 2.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
client conan conan
[[ $(conan --version) == *" 2."* ]] || skip "$(conan --version) is not Conan 2"
make_work
export CONAN_HOME=$work/conan PYTHONDONTWRITEBYTECODE=1

opencl=False
[ ! -e /usr/include/CL/cl.h ] || opencl=True
conan profile detect >"$work/log" 2>&1 || { cat "$work/log"; fail "no profile"; }
settings=(--no-remote -s "build_type=${SCANRT_CHECK_TYPE:-Debug}" -o "scanrt/*:opencl=$opencl"
  -c user.scanrt:ccache=True -c "tools.build:jobs=$(nproc)" -c tools.cmake.cmaketoolchain:generator=Ninja
  -c "tools.cmake.cmake_layout:test_folder=$work/test" -c 'tools.cmake.cmaketoolchain:user_presets=')
for shared in True False; do
  conan create "$project/tools/packaging/conan" "${settings[@]}" -o "scanrt/*:shared=$shared" >"$work/log" 2>&1 ||
    { tail -n 60 "$work/log"; fail "conan create, shared=$shared"; }
  conan list "scanrt/$(version_of_headers):*" >"$work/log" 2>&1
  grep -q "shared: $shared" "$work/log" || { cat "$work/log"; fail "the cache has no package with shared=$shared"; }
  echo "conan: shared=$shared: created and used"
done
