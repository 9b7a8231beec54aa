#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/setup_packages.sh run | test | ci
# Makes sure that the packages of Debian 12 or Ubuntu 24.04 are there that scanrt needs
#   run   to build and to run; PoCL, an OpenCL device on the processor, where it can be had
#   test  to pass the tests too
#   ci    to pass all checks of .ci/run; this also fetches more OpenCL implementations (tools/setup_opencl.sh) and
#         Python's packages (tools/setup_python.sh), and for the full tier package managers (tools/setup_clients.sh)
# As root it installs what is missing. Otherwise it names what is missing, with the line that installs it, and exits 1.
set -euo pipefail

usage() {
  sed -n '3,8s/^# //p' "$0" >&2
  exit 2
}

run_packages=(gcc libc6-dev cmake ninja-build opencl-headers ocl-icd-libopencl1)
run_optional_packages=(pocl-opencl-icd) # tools/quickstart.sh run compares its results with the host's
test_packages=(g++ pkg-config binutils libcmocka-dev ocl-icd-opencl-dev pocl-opencl-icd clinfo)
ci_packages=(git python3 clang clang-format clang-tidy xz-utils)
# A compiler cache, more OpenCL devices for the tests, cl::Buffer for an example, peers of `scanrt bench`, two MPIs,
# Fortran, and for the tool a compressor and shells. A release may lack some.
test_optional_packages=(ccache oclgrind opencl-clhpp-headers mesa-opencl-icd libtbb-dev libboost-dev libhwy-dev libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran
  zstd zsh fish)

# Fetches the other OpenCL implementations and Python's packages; read the pages of `scanrt verify`; documents, and what checks them;
# packages; the ABI; a cross build; modules of EasyBuild; programs of other processors; a peer of sums over ranks.
ci_optional_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-pip python3-venv nodejs libxml2-utils doxygen mandoc man-db groff-base dpkg-dev lintian mmdebstrap abigail-tools
  lmod qemu-user libpetsc-real-dev)

[ $# -eq 1 ] || usage
mode=$1
optional=()
case $1 in
  run) wanted=("${run_packages[@]}") optional=("${run_optional_packages[@]}") ;;
  test) wanted=("${run_packages[@]}" "${test_packages[@]}") optional=("${test_optional_packages[@]}") ;;
  ci)
    wanted=("${run_packages[@]}" "${test_packages[@]}" "${ci_packages[@]}")
    optional=("${test_optional_packages[@]}" "${ci_optional_packages[@]}")
    ;;
  *) usage ;;
esac

# Fails if a required package is missing.
finish() {
  local tools
  tools=$(dirname "${BASH_SOURCE[0]}")
  if [ "$mode" = ci ]; then
    "$tools/setup_opencl.sh"
    "$tools/setup_python.sh"
    [ "${SCANRT_CI_TIER-}" != full ] || "$tools/setup_clients.sh"
  fi
  exit 0
}

# Succeeds if a package is there. A program counts wherever it came from; so do headers in a usual place.
is_there() {
  case $1 in
    gcc | g++ | gfortran | git | python3 | clang | clang-format | clang-tidy | clinfo | ccache | oclgrind | pkg-config | zstd | zsh | fish) command -v "$1" >/dev/null ;;
    ninja-build) command -v ninja >/dev/null ;;
    xz-utils) command -v xz >/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    libxml2-utils) command -v xmllint >/dev/null ;;
    python3-pip) python3 -m pip --version >/dev/null 2>&1 ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    binutils) command -v nm >/dev/null && command -v readelf >/dev/null ;;
    cmake) command -v cmake >/dev/null && cmake_is_new_enough ;;
    opencl-headers) [ -e /usr/include/CL/cl.h ] || [ -e /usr/local/include/CL/cl.h ] ;;
    opencl-clhpp-headers) [ -e /usr/include/CL/opencl.hpp ] || [ -e /usr/local/include/CL/opencl.hpp ] ;;
    libtbb-dev) [ -e /usr/include/tbb/version.h ] || [ -e /usr/local/include/tbb/version.h ] ;;
    libboost-dev) [ -e /usr/include/boost/compute.hpp ] || [ -e /usr/local/include/boost/compute.hpp ] ;;
    libhwy-dev) [ -e /usr/include/hwy/contrib/sort/vqsort.h ] || [ -e /usr/local/include/hwy/contrib/sort/vqsort.h ] ;;
    libopenmpi-dev) command -v mpicc.openmpi >/dev/null ;;
    openmpi-bin) command -v mpirun.openmpi >/dev/null ;;
    libpetsc-real-dev) pkg-config --exists PETSc 2>/dev/null ;;
    libmpich-dev) command -v mpicc.mpich >/dev/null ;;
    mpich) command -v mpirun.mpich >/dev/null ;;
    libcmocka-dev) [ -e /usr/include/cmocka.h ] || [ -e /usr/local/include/cmocka.h ] ;;
    # The tests with adopted OpenCL objects link the loader themselves.
    ocl-icd-opencl-dev) compgen -G '/usr/lib/*/libOpenCL.so' >/dev/null || [ -e /usr/lib/libOpenCL.so ] ;;
    ocl-icd-libopencl1) /sbin/ldconfig -p | grep 'libOpenCL\.so\.1 ' >/dev/null ;;
    *) [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
  esac
}

cmake_is_new_enough() {
  local version
  version=$(cmake --version | sed -n 's/^cmake version //p')
  [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]
}

# missing_of LIST...: prints those that are missing, one a line.
missing_of() {
  local package
  for package in "$@"; do
    is_there "$package" || echo "$package"
  done
}

mapfile -t missing < <(missing_of "${wanted[@]}")
mapfile -t missing_optional < <(missing_of "${optional[@]}")
if [ ${#missing[@]} -eq 0 ] && [ ${#missing_optional[@]} -eq 0 ]; then
  finish
fi

if ! command -v apt-get >/dev/null; then
  echo "setup: this machine has no apt-get; install what these Debian packages hold: ${missing[*]}" >&2
  [ ${#missing[@]} -eq 0 ] && finish
  exit 1
fi

if [ "$(id -u)" -ne 0 ]; then
  if [ ${#missing_optional[@]} -gt 0 ]; then
    echo "setup: optional packages are missing, what needs them is skipped: ${missing_optional[*]}. As root:" >&2
    echo "  apt-get install --yes --no-install-recommends ${missing_optional[*]}" >&2
  fi
  [ ${#missing[@]} -eq 0 ] && finish
  echo "setup: packages are missing. Run this as root, then try again:" >&2
  echo "  apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

install() { DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"; }

echo "setup: installing ${missing[*]} ${missing_optional[*]}"
apt-get update || echo "setup: apt-get update failed; trying with the package lists that are there" >&2
if [ ${#missing[@]} -gt 0 ]; then
  install "${missing[@]}"
  mapfile -t missing < <(missing_of "${missing[@]}")
  if [ ${#missing[@]} -gt 0 ]; then
    echo "setup: installed, but still not usable: ${missing[*]} (cmake must be 3.25 or later)" >&2
    exit 1
  fi
fi
for package in "${missing_optional[@]}"; do
  install "$package" || echo "setup: optional package $package could not be installed; what needs it is skipped" >&2
done
finish
