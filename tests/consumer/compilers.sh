# SPDX-License-Identifier: BSD-2-Clause
# Functions of tests that compile by each installed compiler; sourced by macros.sh and tests/cxx/standards.sh.

# compilers NAME: prints each compiler of this name, with a version behind it or without, once.
compilers() {
  local path seen=" "
  for path in $(compgen -c "$1" | grep -xE "${1//+/[+]}(-[0-9]+)?" | sort -u); do
    path=$(command -v "$path")
    [[ $seen != *" $(readlink -f "$path") "* ]] || continue
    seen+="$(readlink -f "$path") "
    echo "$path"
  done
}

# knows COMPILER LANGUAGE STANDARD
knows() { "$1" -x "$2" -std="$3" -fsyntax-only - </dev/null 2>/dev/null; }
