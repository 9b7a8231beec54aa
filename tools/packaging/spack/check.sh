#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/spack/check.sh SPACK SPACK_PACKAGES
# Checks the recipe with a checkout of Spack (1.0 or later) and one of spack-packages: the audit, the description, and
# some specs that must or must not be possible. Configuration and caches are in a temporary folder. Spack's concretizer
# needs the Python package clingo, and a compiler that `spack compiler find` finds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
spack=$(cd "${1:?usage: $0 SPACK SPACK_PACKAGES}" && pwd)/bin/spack
builtin=$(cd "${2:?usage: $0 SPACK SPACK_PACKAGES}" && pwd)/repos/spack_repo/builtin

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work SPACK_USER_CONFIG_PATH=$work/config SPACK_USER_CACHE_PATH=$work/cache
repository=$work/spack_repo/scanrt
mkdir -p "$repository/packages/scanrt" "$work/config"
cp "$here/package.py" "$repository/packages/scanrt/"
printf 'repo:\n  namespace: scanrt\n  api: v2.2\n' >"$repository/repo.yaml"
printf 'repos::\n  scanrt: %s\n  builtin: %s\n' "$repository" "$builtin" >"$work/config/repos.yaml"
printf 'bootstrap:\n  enable: false\n' >"$work/config/bootstrap.yaml"

fail() {
  echo "spack/check.sh: $*" >&2
  exit 1
}

"$spack" --version
"$spack" compiler find >/dev/null
"$spack" external find cmake gmake python openmpi perl >/dev/null 2>&1 || true
"$spack" audit packages scanrt || fail "the audit"
"$spack" info scanrt >/dev/null || fail "info"
for spec in scanrt scanrt~opencl~shared~tools scanrt+mpi+fortran scanrt+python "scanrt+cuda cuda_arch=80,90a"; do
  # shellcheck disable=SC2086
  "$spack" spec $spec >"$work/spec" 2>&1 || { cat "$work/spec"; fail "$spec is not possible"; }
  echo "possible: $spec"
done
for spec in "scanrt+cuda cuda_arch=70" "scanrt+python~shared" "scanrt+cuda ^cuda@11.7"; do
  # shellcheck disable=SC2086
  ! "$spack" spec $spec >/dev/null 2>&1 || fail "$spec is possible"
  echo "refused: $spec"
done
