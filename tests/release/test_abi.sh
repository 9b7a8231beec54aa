#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tests/release/test_abi.sh SOURCE COMPILER
# Tests which changes tools/packaging/abi/compare.sh accepts and which it rejects, on a library of three functions that
# is
# changed in one way at a time. Exits 77 (skipped) without abidiff.
set -euo pipefail

source=$(cd "${1:?usage: $0 SOURCE COMPILER}" && pwd)
compiler=${2:?usage: $0 SOURCE COMPILER}
command -v abidiff >/dev/null || { echo "skipped: abidiff is missing (Debian: abigail-tools)"; exit 77; }
abi=$source/tools/packaging/abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
faults=0

cat >"$work/first.h" <<'END'
#include <stddef.h>
typedef enum kind { ONE, TWO } kind;
typedef struct spec {
  size_t struct_bytes;
  int left;
  int right;
  double scale;
  char last;
} spec;
typedef struct mem {
  void *handle;
} mem;
typedef struct ctx ctx;
int run(const spec *how, kind which);
int fill(mem where);
int close_it(ctx *of);
END
# The struct is in a header, as in the library. For a struct in the compiled file itself, clang's debugging information
# has a file number (0, DWARF 5) that abidw of Debian 12 does not know.
echo 'struct ctx { int hidden; };' >"$work/first_private.h"
cat >"$work/first.c" <<'END'
#include "library.h"
#include "private.h"
int run(const spec *how, kind which) { return how->left + (int)which; }
int fill(mem where) { return where.handle != NULL; }
int close_it(ctx *of) { return of->hidden; }
END

# build HEADER_EDIT SOURCE_EDIT PRIVATE_EDIT: builds the library after three edits by sed.
build() {
  sed "$1" "$work/first.h" >"$work/include/library.h"
  sed "$2" "$work/first.c" >"$work/library.c"
  sed "$3" "$work/first_private.h" >"$work/private.h"
  "$compiler" -g -O0 -shared -fPIC -Wl,-soname,libtry.so.0 "-I$work/include" "$work/library.c" -o "$work/libtry.so"
}

# change passes | fails WHAT HEADER_EDIT [SOURCE_EDIT [PRIVATE_EDIT]]
change() {
  local verdict=passes
  build "$3" "${4-}" "${5-}"
  "$abi/compare.sh" "$work/libtry.so" "$work/first.abixml" "$work/include" >"$work/said" 2>&1 || verdict=$([ $? -eq 1 ] && echo fails || echo breaks)
  if [ $verdict != "$1" ]; then
    echo "test_abi.sh: $2: $verdict" >&2
    cat "$work/said" >&2
    faults=$((faults + 1))
  elif [ $verdict = fails ] && ! grep -q 'raise SCANRT_ABI' "$work/said"; then
    echo "test_abi.sh: $2: does not say what to do:" >&2
    cat "$work/said" >&2
    faults=$((faults + 1))
  fi
}

build '' '' ''
"$abi/describe.sh" "$work/libtry.so" "$work/include" >"$work/first.abixml"

change passes "nothing" ''
change passes "a new function" '$a int more(int);' '$a int more(int x) { return x; }'
change passes "a new enumerator" 's/TWO }/TWO, THREE }/'
change passes "a struct that says its size grows" 's/char last;/char last; double more;/'
change passes "what programs do not see" '' '' 's/int hidden/double more; int hidden/'
change fails "members of one type change places" 's/int left;/int swap;/; s/int right;/int left;/; s/int swap;/int right;/'
change fails "members of two types change places" 's/int right;/double swap;/; s/double scale;/int right;/; s/double swap;/double scale;/'
change fails "places change and the struct grows" \
  's/int left;/int swap;/; s/int right;/int left;/; s/int swap;/int right;/; s/char last;/char last; double more;/'
change fails "a member in the padding at the end" 's/char last;/char last; char more;/'
change fails "a member in between" 's/double scale;/double more; double scale;/'
change fails "a member's type" 's/int right;/unsigned right;/'
change fails "a struct without a size grows" 's/void \*handle;/void *handle; size_t more;/'
change fails "an enumerator's value" 's/TWO }/TWO = 4 }/'
change fails "an enumerator is gone" 's/, TWO }/ }/'
change fails "a function is gone" '/close_it/d' '/close_it/d'
change fails "a parameter" 's/kind which/long which/' 's/kind which/long which/'
change fails "what a function returns" 's/^int run/long run/' 's/^int run/long run/'
[ $faults -eq 0 ]
echo "17 changes judged"
