#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/builds/test_image_cache.sh SOURCES
# Tests that tools/cmake/cached_image.sh compiles what it has not compiled before, and takes nothing else from its
# cache.
# The compiler is a script that counts its runs.
set -euo pipefail
sources=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SCANRT_IMAGE_CACHE=$work/cache VERSION=1

fail() { echo "image_cache: $*" >&2; exit 1; }

cat >"$work/compiler" <<'END'
#!/usr/bin/env bash
case "$*" in
  --version) echo "version $VERSION" && exit ;;
  *" -E "* | "-E "*) echo "# 1 \"${!#}\"" && exec cat "${!#}" ;;
esac
echo compiled >>"$(dirname "$0")/log"
out=$(sed -n 's/.*-o \([^ ]*\) .*/\1/p' <<<"$*")
grep -v broken "${!#}" >"$out"
END
chmod +x "$work/compiler"
touch "$work/log"

# compile FOLDER ARGUMENT...: makes FOLDER/image from FOLDER/unit.cu.
compile() {
  local folder=$work/$1
  shift
  "$sources/tools/cmake/cached_image.sh" "$work/compiler" "$@" -I "$folder" -o "$folder/image" "$folder/unit.cu"
}

# expect TIMES FAULT: checks how often the compiler has run so far.
expect() { [ "$(wc -l <"$work/log")" -eq "$1" ] || fail "$2"; }

mkdir -p "$work/one" "$work/another"
echo text | tee "$work/one/unit.cu" >"$work/another/unit.cu"
compile one -O2
compile one -O2
compile another -O2
expect 1 "what was compiled before is compiled once more"
cmp "$work/one/image" "$work/another/image"
compile one -O3
expect 2 "the flags are not looked at"
VERSION=2 compile one -O3
expect 3 "the compiler's version is not looked at"
echo more >>"$work/one/unit.cu"
compile one -O2
expect 4 "the text is not looked at"
grep -q more "$work/one/image" || fail "the image is of another text"
SCANRT_IMAGE_CACHE=off compile one -O2
expect 5 "'off' is no cache"
compile one -g && compile one -g
expect 7 "an image with debugging information, which names folders, comes from the cache"
targets=(-gencode "arch=compute_80,code=sm_80" -gencode "arch=compute_90,code=sm_90")
compile one "${targets[@]}" && compile one "${targets[@]}"
expect 9 "an image of two texts comes from the cache"
compile one "${targets[@]:0:2}" && compile one "${targets[@]:0:2}"
expect 10 "an image of one architecture does not come from the cache"

echo broken >"$work/another/unit.cu"
! compile another -O2 || fail "a compiler that fails is taken for one that does not"
! compile another -O2 || fail "what was not compiled comes from the cache"
expect 12 "what was not compiled comes from the cache"

# Four sparse files of 100 MiB: the two that were not used for longest must be removed.
for age in 4 3 2 1; do
  truncate -s 100M "$work/cache/file$age"
  touch -d "$age days ago" "$work/cache/file$age"
done
compile one -O1
[ "$(cd "$work/cache" && echo file*)" = "file1 file2" ] || fail "of 400 MiB two files have to go, and not the last ones"
compile one -O1
expect 13 "the last image is not in the cache"
echo "image_cache: all right"
