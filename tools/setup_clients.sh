#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/setup_clients.sh [CLIENT...]
# Installs what the checks of tools/packaging run, by default all, about 700 MB, each in a folder of $SCANRT_CLIENTS
# (default: scanrt/clients in the user's cache):
#   conan, easybuild, rattler, zig   from PyPI, in virtual environments; rattler is rattler-build, for recipes of
#                                    conda-forge, and zig a C compiler for other processors and older glibcs
#   spack                            clingo from PyPI, which Spack needs; Spack itself comes from its repository
#   aarch64                          Debian 12's Python for that processor, which qemu runs, and its NumPy from PyPI
# A client that cannot be had is skipped with a notice, and its checks with it.
set -euo pipefail

usage() {
  sed -n '3,10s/^# //p' "$0" >&2
  exit 2
}

# wheels_of CLIENT: prints the projects of PyPI to install.
wheels_of() {
  case $1 in
    conan) echo "conan>=2.0" ;;
    easybuild) echo "easybuild-framework>=5 easybuild-easyblocks>=5" ;;
    rattler) echo py-rattler-build ;;
    spack) echo clingo ;;
    zig) echo ziglang ;;
    *) usage ;;
  esac
}

folder=${SCANRT_CLIENTS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/scanrt/clients}

pip_of() { python3 -m pip --disable-pip-version-check --quiet --timeout 15 --retries 1 "$@"; }

# install_wheels CLIENT FOLDER
install_wheels() {
  local wheels
  wheels=$(wheels_of "$1")
  # shellcheck disable=SC2086 # a list
  python3 -m venv --without-pip "$2" && pip_of --python "$2/bin/python" install $wheels
}

# install_aarch64 FOLDER: unpacks Debian packages without running any of their scripts, so that nothing emulates here.
install_aarch64() {
  command -v mmdebstrap >/dev/null || { echo "setup: mmdebstrap is missing" >&2 && return 1; }
  mkdir "$1" && mmdebstrap --quiet --variant=extract --architecture=arm64 --include=python3,libstdc++6 bookworm \
    "$1/system" ${SCANRT_DEBIAN_MIRROR:+"$SCANRT_DEBIAN_MIRROR"} &&
    pip_of download --dest "$1/wheels" --only-binary=:all: --python-version 311 --platform manylinux_2_28_aarch64 \
      --platform manylinux_2_27_aarch64 numpy
}

[ $# -gt 0 ] || set -- conan easybuild rattler zig spack aarch64
for client in "$@"; do
  into=$folder/$client
  [ ! -e "$into/ready" ] || continue
  mkdir -p "$folder"
  rm -rf "$into"
  echo "setup: installing $client in $folder"
  if case $client in aarch64) install_aarch64 "$into" ;; *) install_wheels "$client" "$into" ;; esac; then
    touch "$into/ready"
  else
    rm -rf "$into"
    echo "setup: $client could not be installed: its checks are skipped" >&2
  fi
done
