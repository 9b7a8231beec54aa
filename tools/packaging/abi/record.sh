#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/abi/record.sh BUILD
# Records the ABI of the shared libraries in BUILD (gcc, CMAKE_BUILD_TYPE=Debug, Open MPI) as that of a release, with
# which compare.sh compares later builds. Run it for each release, before its commit is tagged.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${1:?usage: $0 BUILD}
for name in libscanrt libscanrt_mpi; do
  # Removes the paths of this machine.
  "$here/describe.sh" "$build/lib/$name.so" | sed "s|'$root/|'|g" >"$here/$name.new"
  mv "$here/$name.new" "$here/$name.abixml"
  echo "$name.abixml: $(grep -c '<function-decl' "$here/$name.abixml") functions"
done
