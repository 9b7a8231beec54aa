#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a program of this build with Debian 13's libraries, for its OpenCL implementations.
# usage: run_debian13.sh TREE PROGRAM [ARGUMENT...]
# TREE/usr, which tools/setup_opencl.sh fetched, takes the place of /usr in a mount namespace of the program's own; all
# other folders stay as they are. Exits 77 without TREE, or if this user may make no such namespace.
set -eu

tree=$1
shift
skip() {
  echo "skipped: $1"
  exit 77
}

[ -e "$tree/vendors" ] || skip "there is no $tree: tools/setup_opencl.sh fetches it"
[ -L /lib ] || skip "/lib is no link into /usr"
map=--map-root-user
[ "$(id -u)" != 0 ] || map=
# shellcheck disable=SC2086 # $map may be empty
unshare $map --mount mount --rbind "$tree/usr" /usr || skip "a mount namespace cannot be made"
# shellcheck disable=SC2016,SC2086 # the inner shell expands them
exec env OCL_ICD_VENDORS="$tree/vendors/" unshare $map --mount \
  sh -c 'mount --rbind "$0/usr" /usr && exec "$@"' "$tree" "$@"
