#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/doc/check_pages.sh FOLDER [LEVEL]
# Checks manual pages in FOLDER: neither man nor mandoc may report a fault, mandoc from LEVEL on (default: warning;
# Doxygen leaves requests without effect, which mandoc reports as warnings). Exits 77 (skipped) if both programs are
# missing, or if there are no pages, as in a build for another machine.
set -eu

folder=$1
level=${2:-warning}
# shellcheck disable=SC2046
set -- $(find "$folder" -name '*.[0-9]' -type f 2>/dev/null | sort)
[ $# -gt 0 ] || { echo "skipped: $folder has no pages"; exit 77; }
checked=""
if command -v mandoc >/dev/null; then
  mandoc -T lint -W "$level" "$@" || exit 1
  checked=mandoc
fi
if command -v man >/dev/null && [ -x /usr/bin/groff ]; then
  for page; do
    words=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$words" ] || { echo "$page: $words" >&2; exit 1; }
  done
  checked="$checked man"
fi
[ -n "$checked" ] || { echo "skipped: neither man with groff nor mandoc is there"; exit 77; }
echo "$# pages: nothing said by $checked"
