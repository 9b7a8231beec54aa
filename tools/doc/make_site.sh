#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/doc/make_site.sh FOLDER VERSION
# Makes FOLDER/html, the site, by Sphinx from tools/doc/site/, the READMEs and FOLDER/xml (tools/doc/make_doc.sh); fails on
# any warning. Sphinx and its parts (tools/doc/requirements.txt) are installed into FOLDER/venv by pip, once.
# Exits 77 (skipped) where doxygen, Python 3.11 with venv and pip, or these packages cannot be had.
set -eu

folder=$1
version=$2
source=$(cd "$(dirname "$0")" && pwd)

skip() { echo "skipped: $1"; exit 77; }

[ -e "$folder/xml/index.xml" ] || {
  command -v doxygen >/dev/null || skip "doxygen is missing, which reads the headers for the site (Debian: doxygen)"
  echo "make_site.sh: $folder/xml is missing: run tools/doc/make_doc.sh first" >&2
  exit 1
}
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  skip "Python 3.11 or later is missing, which Sphinx needs (Debian: python3)"

# The environment is whole where it has a copy of the list.
if ! cmp -s "$source/requirements.txt" "$folder/venv/installed.txt"; then
  rm -rf "$folder/venv"
  python3 -m venv "$folder/venv" >/dev/null 2>&1 ||
    skip "python3 makes no environment for Sphinx (Debian: python3-venv)"
  "$folder/venv/bin/python" -m pip --disable-pip-version-check install --quiet --timeout 15 --retries 1 \
    --only-binary=:all: -r "$source/requirements.txt" ||
    skip "the packages of tools/doc/requirements.txt cannot be installed from PyPI"
  cp "$source/requirements.txt" "$folder/venv/installed.txt"
fi

python3 -B "$source/stage.py" "$folder/source"
rm -rf "$folder/html"
SCANRT_DOC_XML=$folder/xml SCANRT_DOC_VERSION=$version PYTHONDONTWRITEBYTECODE=1 "$folder/venv/bin/sphinx-build" \
  --quiet --fail-on-warning --keep-going --jobs auto -c "$source/site" -d "$folder/doctrees" "$folder/source" "$folder/html"
echo "$(find "$folder/html" -name '*.html' | wc -l) pages: $folder/html/index.html"
