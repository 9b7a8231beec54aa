#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/release/test_secure.sh PROGRAM
# Tests that a setuid or setgid program ignores the library's variables. A setuid PROGRAM (secure.c, with the static
# library) prints the same with and without each of them; a normal one does not, so the test can detect a difference.
# Exits 77 (skipped) if no such program can be made: for a user without a second group, or on a file system without
# setuid.
set -euo pipefail

program=${1:?usage: $0 PROGRAM}
work=$(mktemp -d "$(dirname "$program")/secure.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

fail() {
  echo "test_secure.sh: $*" >&2
  exit 1
}

# Makes a copy that runs as another user or group than the caller.
make_secure() {
  local own other
  cp "$program" "$work/secure"
  own=$(id -g)
  other=$(id -G | tr ' ' '\n' | grep -vxm 1 "$own" || true)
  if [ "$(id -u)" -eq 0 ]; then
    chown 65534 "$work/secure" && chmod 4755 "$work/secure"
  elif [ -n "$other" ]; then
    chgrp "$other" "$work/secure" && chmod 2755 "$work/secure"
  else
    return 1
  fi
  "$work/secure" secure
}

make_secure || { echo "skipped: no setuid program can be made here"; exit 77; }
! "$program" secure || fail "the plain program has more rights than its user's, too"

# No OpenCL driver: platforms take time, and may write files of their own.
mkdir "$work/none"
export OCL_ICD_VENDORS=$work/none/
unset SCANRT_DEVICE SCANRT_STRATEGY SCANRT_TUNE SCANRT_LOG SCANRT_LIBCUDA SCANRT_LIBOPENCL
plain=$("$program" 2>&1)
secure=$("$work/secure" 2>&1)
for setting in SCANRT_DEVICE=nowhere SCANRT_STRATEGY=none SCANRT_TUNE=none SCANRT_LOG=debug \
  SCANRT_LIBCUDA=/nonexistent/cuda.so SCANRT_LIBOPENCL=/nonexistent/opencl.so; do
  # A backend that was not built does not load its driver.
  backend=${setting%%=*}
  backend=${backend#SCANRT_LIB}
  [[ $plain != *"${backend,,}: built without"* ]] || continue
  [ "$(env "$setting" "$program" 2>&1)" != "$plain" ] || fail "$setting changes nothing in the plain program"
  said=$(env "$setting" "$work/secure" 2>&1)
  [ "$said" = "$secure" ] || fail "a setuid program obeys $setting:" "$said"
done
echo "a setuid program obeys none of the variables"
