#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/wheel/check.sh FOLDER
# Makes the wheel for aarch64 in FOLDER (build_aarch64.sh), installs it by pip in Debian 12's Python for that processor,
# and runs the Python lines of the package's README there, all under qemu. Exits 77 without zig, qemu-aarch64 or that
# Python.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
build=${1:?usage: $0 FOLDER}
command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is missing (Debian: qemu-user)"
client_folder aarch64
python=(qemu-aarch64 -L "$folder/system" "$(echo "$folder"/system/usr/bin/python3.[0-9]*[0-9])")
pip=$(python3 -c 'import ensurepip; print(*ensurepip.__path__)')
pip=$(echo "$pip"/_bundled/pip-*.whl)
[ -e "$pip" ] || skip "this Python's ensurepip holds no wheel of pip"
"$project/tools/packaging/wheel/build_aarch64.sh" "$build"
make_work

wheel=$(echo "$build"/wheel/scanrt-*-manylinux_2_28_aarch64.whl)
[ -e "$wheel" ] || fail "the wheel is not of tag manylinux_2_28_aarch64: $(ls "$build/wheel")"
PYTHONPATH=$pip "${python[@]}" -m pip --disable-pip-version-check --no-cache-dir install --quiet \
  --root-user-action ignore --no-index --no-compile --find-links "$folder/wheels" --target "$work/site" "$wheel" ||
  fail "pip install"
# Operators from source are compiled for the emulated processor, which is not the native one.
# shellcheck disable=SC2016 # "$@" is of the script that is written
printf '#!/bin/bash\nexec "%s" "${@/-march=native/-mcpu=generic}"\n' "$(realpath "$build/cc")" >"$work/cc"
chmod +x "$work/cc"
export SCANRT_DEVICE=host PYTHONPATH=$work/site CC=$work/cc
awk '/^```python$/ { on = 1; next } /^```/ { on = 0 } on' "$project/tools/python/README.md" >"$work/readme.py"
(cd "$work" && "${python[@]}" readme.py) || fail "the lines of the README"
"${python[@]}" - <<'END_OF_PYTHON'
import platform

import numpy
import scanrt

assert platform.machine() == "aarch64", platform.machine()
values = numpy.arange(100_000, dtype=numpy.int64)
assert (scanrt.cumsum(values) == numpy.cumsum(values)).all()
print("wheel: installed and used on", platform.machine())
END_OF_PYTHON
