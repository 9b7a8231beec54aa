#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/builds/test_compiler_cache.sh SOURCES COMPILER
# Tests that C is compiled by a ccache that is found, with paths relative to the sources' folder; not with
# SCANRT_CCACHE=OFF, with a launcher of the user's, or with a ccache that does not work. The ccache is a script.
set -euo pipefail
sources=$1 compiler=$2 name=compiler_cache
source "$sources/tests/builds/configure.sh"
plain=("-DCMAKE_C_COMPILER=$compiler" -DSCANRT_CUDA=OFF -DSCANRT_BUILD_MPI=OFF -DSCANRT_FORTRAN=OFF)

objects() { commands "$1" scanrt | grep -- ' -c '; }

mkdir "$work/programs"
cat >"$work/programs/ccache" <<END
#!/bin/sh
echo "\$CCACHE_BASEDIR" >>"$work/folders"
exec "\$@"
END
chmod +x "$work/programs/ccache"
export PATH=$work/programs:$PATH
unset CCACHE_BASEDIR CMAKE_C_COMPILER_LAUNCHER

configure found "${plain[@]}"
objects found | has "ccache is found and not used" "$work/found/launcher/ccache"
[ "$(sort -u "$work/folders")" = "$(cd "$sources" && pwd)" ] || fail "paths are relative to '$(sort -u "$work/folders")'"
configure off "${plain[@]}" -DSCANRT_CCACHE=OFF
objects off | lacks "SCANRT_CCACHE=OFF is ignored" ccache
configure given "${plain[@]}" -DCMAKE_C_COMPILER_LAUNCHER=env
objects given | lacks "the user's launcher is ignored" ccache
printf '#!/bin/sh\nexit 1\n' >"$work/programs/ccache"
configure broken "${plain[@]}"
objects broken | lacks "a ccache that does not work is used" ccache
echo "compiler_cache: all right"
