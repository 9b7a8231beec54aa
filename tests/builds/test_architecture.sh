#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/builds/test_architecture.sh SOURCES BUILD FOLDER [ARCHITECTURE]
# Tests the Debian packages of another architecture (default arm64; riscv64, ppc64el), cross-built in FOLDER. Unpacked,
# their program runs under qemu: `scanrt verify` finds no wrong result, and cases (few.txt, digests.txt) write the bytes
# that the library in BUILD writes on this machine. Exits 77 without the cross compiler or qemu.
set -euo pipefail
sources=$1 machine=$2 build=$3 architecture=${4:-arm64}
here=$sources/tests/builds

fail() {
  echo "architecture: $*" >&2
  exit 1
}

command -v dpkg-architecture dpkg-shlibdeps >/dev/null || { echo "skipped: dpkg-dev is missing"; exit 77; }
of_host() { dpkg-architecture -a "$architecture" -q "DEB_HOST_$1" 2>/dev/null; }
triplet=$(of_host GNU_TYPE)
processor=$(of_host GNU_CPU)
qemu=qemu-${processor/#powerpc64le/ppc64le}
for tool in "$triplet-gcc" "$qemu"; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing (Debian: gcc-$triplet, qemu-user)"; exit 77; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile=(-std=c11 -O1 "-I$sources/include" "-I$sources/tools/cases" "-I$sources/tools/oracle" "$here/digests.c")

# digests COMPILER BUILD PROGRAM [EMULATOR...]: compiles and runs the cases, and prints their digests.
digests() {
  "$1" "${compile[@]}" "$2"/lib/libscanrt_cases.a "$2"/lib/libscanrt_oracle.a "$2"/lib/libscanrt.a -lm -ldl -lpthread -o "$3"
  "${@:4}" "$3" "$here/digests.txt" "$sources/tools/cases/few.txt"
}

# CL/cl.h of this machine serves every processor.
opencl=()
for folder in /usr/include /usr/local/include; do
  [ ! -e "$folder/CL/cl.h" ] || opencl=("-DSCANRT_CL_INCLUDE=$folder")
done
[ ${#opencl[@]} -ne 0 ] || opencl=(-DSCANRT_OPENCL=OFF)
dpkg-architecture -a "$architecture" -c "$sources/tools/packaging/build_debian.sh" "$build" \
  -DSCANRT_CUDA=OFF "${opencl[@]}" >"$work/log" 2>&1 || { tail -n 60 "$work/log"; fail "no packages"; }
cmake --build "$build" --target scanrt_cases scanrt_oracle >"$work/log" 2>&1 || { tail -n 60 "$work/log"; fail "no cases"; }

for name in libscanrt0 libscanrt-dev scanrt-tools; do
  deb=$(echo "$build/packages/${name}"_*"_$architecture.deb")
  [ -e "$deb" ] || fail "there is no package $name of $architecture"
  [ "$(dpkg-deb --field "$deb" Architecture)" = "$architecture" ] || fail "$name: Architecture"
  ! dpkg-deb --field "$deb" Depends | grep -E 'cross|:' || fail "$name depends on a package for cross builds"
  dpkg-deb --extract "$deb" "$work/root"
done
dpkg-deb --field "$build/packages/libscanrt0"_*.deb Depends | grep -E '^libc6 \(>= ' >/dev/null || fail "libscanrt0: Depends"
[ -e "$work/root/usr/lib/$triplet/libscanrt.so.0" ] || fail "libscanrt.so.0 is not in Debian's folder of $triplet"
[ -e "$work/root/usr/share/man/man1/scanrt.1.gz" ] || fail "scanrt-tools has no manual page"

run=("$qemu" -L "/usr/$triplet" -E "LD_LIBRARY_PATH=$work/root/usr/lib/$triplet:/usr/$triplet/lib")
"${run[@]}" "$work/root/usr/bin/scanrt" verify --quick --device host | tee "$work/verify" | tail -n 1
grep -E '^[1-9][0-9]* passed, 0 failed' "$work/verify" >/dev/null || fail "verify finds wrong results"

digests cc "$machine" "$work/digests" >"$work/here"
[ "$(grep -c SCAN_SUCCESS "$work/here")" -gt 500 ] || fail "too few cases ran"
# Of arm64: NEON, without SVE2 and with registers of 16 bytes; SVE2 with registers of 32, 64 and 256 bytes.
processors=("") # qemu's choice
[ "$architecture" != arm64 ] || processors=(cortex-a72 "max,sve-default-vector-length="{16,32,64,256})
for model in "${processors[@]}"; do
  digests "$triplet-gcc" "$build" "$work/digests.$architecture" "$qemu" -L "/usr/$triplet" ${model:+-cpu "$model"} >"$work/there"
  diff "$work/here" "$work/there" >"$work/diff" || { head -n 20 "$work/diff"; fail "cases write other bytes on ${model:-$qemu}"; }
done
echo "architecture: $architecture: $(wc -l <"$work/here") cases with the bytes of $(uname -m): all right"
