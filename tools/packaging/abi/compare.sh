#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/abi/compare.sh LIBRARY [BASELINE [HEADERS]]
# Compares the ABI of a shared library with debugging information with that of the release before (BASELINE; default:
# the file here that record.sh wrote). New functions and enumerators, and new members at the end of structs, are listed,
# since programs keep running (include/README.md, structs that grow). Any other change fails. Exits 77 (skipped) without
# abidiff or debugging information, or with another MPI than the baseline's.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=${1:?usage: $0 LIBRARY [BASELINE]}
name=$(basename "$library" .so)
baseline=${2:-$here/$name.abixml}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# soname_of ABIXML
soname_of() { sed -n "1s/.* soname='\([^']*\)'.*/\1/p" "$1"; }

# MPI handles are pointers to structs in Open MPI, and numbers in MPICH.
of_open_mpi() { grep -q ompi_communicator_t "$1"; }

"$here/describe.sh" "$library" ${3:+"$3"} >"$work/new.abixml"
if of_open_mpi "$baseline" && ! of_open_mpi "$work/new.abixml"; then
  echo "skipped: the recorded ABI is that of a library for Open MPI"
  exit 77
fi
if [ "$(soname_of "$baseline")" != "$(soname_of "$work/new.abixml")" ]; then
  echo "compare.sh: the library is $(soname_of "$work/new.abixml"), the recorded one is $(soname_of "$baseline"):" \
    "record the new ABI with tools/packaging/abi/record.sh" >&2
  exit 1
fi
# abidiff's exit status is a mask of kinds of changes; 1 and 2 are its own faults.
rc=0
abidiff --harmless "$baseline" "$work/new.abixml" >"$work/report" || rc=$?
[ $((rc & 3)) -eq 0 ] || { cat "$work/report"; echo "compare.sh: abidiff failed" >&2; exit 1; }
if ! awk -f "$here/judge.awk" "$baseline" "$work/report"; then
  printf '\n'
  cat "$work/report"
  echo "compare.sh: programs that were built with the release before would not run with this $name. Take the change back," \
    "or raise SCANRT_ABI in CMakeLists.txt, which changes the SONAME, and record the new ABI with" \
    "tools/packaging/abi/record.sh" >&2
  exit 1
fi
echo "$name: programs that were built with the release before go on running"
