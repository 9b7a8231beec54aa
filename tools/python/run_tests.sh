#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/python/run_tests.sh setup LIBRARY FOLDER
#          build the wheel with that libscanrt.so, and install it in FOLDER/venv
#        tools/python/run_tests.sh wheel LIBRARY FOLDER
#          build the wheel alone
#        tools/python/run_tests.sh MARKS FOLDER
#          run the tests of those marks there, such as "not opencl and not gpu"
#        tools/python/run_tests.sh gpu LIBRARY
#          run those that need a GPU, with the python3 that has PyTorch or CuPy
# Wheels of other projects are those that tools/setup_python.sh fetched ($SCANRT_TEST_WHEELS names another folder).
# Exits 77 where there are none, or python3 has no pip.
set -euo pipefail

usage() {
  sed -n '3,12s/^# //p' "$0" >&2
  exit 2
}

skip() { echo "skipped: $1"; exit 77; }

own=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# build_wheel LIBRARY FOLDER: sets `wheels`, where those of other projects are.
build_wheel() {
  local library=$1 folder=$2 version
  rm -rf "$folder"
  python3 -c 'import venv, pip' 2>/dev/null || skip "python3 has no pip (Debian: python3-pip)"
  version=$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  wheels=${SCANRT_TEST_WHEELS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/python/$version}
  [ -d "$wheels" ] || skip "no wheels in $wheels: tools/setup_python.sh fetches them"
  mkdir -p "$folder"
  # One environment builds the wheel; the other is clean, and gets it as a user does.
  python3 -m venv --without-pip "$folder/build"
  install "$folder/build" scikit-build-core
  python3 -m pip --python "$folder/build/bin/python" wheel --quiet --no-deps --no-build-isolation --no-index \
    --wheel-dir "$folder" -C "build-dir=$folder/cmake" -C "cmake.define.SCANRT_LIBRARY=$library" "$own"
  if ! compgen -G "$folder/scanrt-*-py3-none-*.whl" >/dev/null; then
    echo "the wheel is not of tag py3-none: $(ls "$folder")"
    exit 1
  fi
}

setup() {
  local folder=$2 wheels wheel more=()
  build_wheel "$1" "$folder"
  for wheel in pyopencl ml_dtypes matplotlib; do
    if compgen -G "$wheels/$wheel-*.whl" >/dev/null; then more+=("$wheel"); fi
  done
  python3 -m venv --without-pip "$folder/new"
  install "$folder/new" pytest "${more[@]}" "$folder"/scanrt-*.whl
  mv "$folder/new" "$folder/venv"
}

install() {
  local environment=$1
  shift
  python3 -m pip --disable-pip-version-check --python "$environment/bin/python" install --quiet --no-compile \
    --no-index --find-links "$wheels" "$@"
}

run() {
  [ -d "$2/venv" ] || skip "the package is not installed in $2 (test python.setup)"
  cd "$own"
  exec "$2/venv/bin/python" -m pytest -q --tb=short -p no:cacheprovider -m "$1" tests
}

# Packages of that size are the machine's, so that no environment of its own has them.
run_gpu() {
  python3 -c 'import numpy, pytest' 2>/dev/null || skip "python3 has no NumPy or pytest"
  python3 -c 'import torch' 2>/dev/null || python3 -c 'import cupy' 2>/dev/null ||
    skip "python3 has neither PyTorch nor CuPy"
  cd "$own"
  SCANRT_LIBRARY=$1 PYTHONPATH=$own/src exec python3 -m pytest -q --tb=short -p no:cacheprovider -m gpu tests
}

case $#-${1-} in
  3-setup) setup "$2" "$3" ;;
  3-wheel) build_wheel "$2" "$3" ;;
  2-gpu) run_gpu "$2" ;;
  2-*) run "$1" "$2" ;;
  *) usage ;;
esac
