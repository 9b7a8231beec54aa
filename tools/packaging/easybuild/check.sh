#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/easybuild/check.sh
# Installs this tree's source archive by EasyBuild, with the system's compiler and CMake in place of the easyconfig's
# toolchain, then loads the module and uses it. Exits 77 without EasyBuild, or without Lmod, whose modules EasyBuild writes.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
client easybuild eb
lmod=${LMOD_CMD:-/usr/share/lmod/lmod/libexec/lmod}
[ -x "$lmod" ] || skip "there is no Lmod (Debian: lmod)"
make_work
export LMOD_CMD=$lmod HOME=$work/home PATH=$PATH:${lmod%/*}
export CCACHE_DIR=${CCACHE_DIR-$(ccache --get-config cache_dir 2>/dev/null || true)}
mkdir "$work/home" "$work/sources"

version=$(version_of_headers)
config=$(echo "$project/tools/packaging/easybuild/scanrt-$version"-*.eb)
[ -e "$config" ] || fail "no easyconfig of scanrt $version"
"$project/tools/release.sh" --worktree "$work/sources" >/dev/null
sed -e "s/^toolchain = .*/toolchain = SYSTEM/" -e '/^builddependencies = \[/,/^\]/d' "$config" \
  >"$work/scanrt-$version.eb"

as_root=()
[ "$(id -u)" -ne 0 ] || as_root=(--allow-use-as-root-and-accept-consequences)
eb "${as_root[@]}" --prefix "$work/eb" --sourcepath "$work/sources" --tmpdir "$work" --parallel "$(nproc)" \
  --modules-tool Lmod --module-syntax Lua "$work/scanrt-$version.eb" >"$work/log" 2>&1 ||
  { tail -n 40 "$work/log"; fail "eb"; }
grep -E '^== (COMPLETED|sanity)' "$work/log" || true

eval "$("$lmod" bash use "$work/eb/modules/all")"
eval "$("$lmod" bash load "scanrt/$version")"
[[ $(command -v scanrt) == "$work/eb/software/scanrt/$version/bin/scanrt" ]] || fail "the module does not set PATH"
[[ $(scanrt --version) == *"$version"* ]] || fail "scanrt --version is $(scanrt --version)"
cc "$project/tools/examples/minimal.c" -o "$work/minimal" -lscanrt
SCANRT_DEVICE=host "$work/minimal" | grep -q '^row 7 begins at 25' || fail "a program with the module"
echo "easybuild: installed, loaded and used scanrt/$version"
