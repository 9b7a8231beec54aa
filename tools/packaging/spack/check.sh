#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/spack/check.sh [SPACK SPACK_PACKAGES [MIRROR]]
# Checks the recipe with a checkout of Spack (1.0 or later) and one of spack-packages, by default those that
# $SCANRT_SPACK, $SCANRT_SPACK_PACKAGES and $SCANRT_SPACK_MIRROR name: the audit, the description, and some specs that
# must or must not be possible. With MIRROR, a folder or address of sources that Spack fetches itself (compiler-wrapper),
# it also installs this tree with the machine's compiler and CMake, and runs `spack test`. Configuration and caches are
# in a temporary folder. Spack's concretizer needs the Python package clingo (tools/setup_clients.sh spack). Exits 77 without
# the checkouts or clingo.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
here=$project/tools/packaging/spack
spack=${1-${SCANRT_SPACK-}}/bin/spack builtin=${2-${SCANRT_SPACK_PACKAGES-}}/repos/spack_repo/builtin
mirror=${3-${SCANRT_SPACK_MIRROR-}}
[ -x "$spack" ] || skip "no checkout of Spack: name it, or set SCANRT_SPACK"
[ -d "$builtin" ] || skip "no checkout of spack-packages: name it, or set SCANRT_SPACK_PACKAGES"
spack=$(realpath "$spack") builtin=$(realpath "$builtin")
[ -z "$mirror" ] || [ ! -d "$mirror" ] || mirror=$(realpath "$mirror")
if ! python3 -c 'import clingo' 2>/dev/null; then
  client_folder spack
  export SPACK_PYTHON=$folder/bin/python
fi
export PYTHONDONTWRITEBYTECODE=1

make_work
CCACHE_DIR=${CCACHE_DIR-$(ccache --get-config cache_dir 2>/dev/null || true)}
export CCACHE_DIR HOME=$work SPACK_USER_CONFIG_PATH=$work/config SPACK_USER_CACHE_PATH=$work/cache
repository=$work/spack_repo/scanrt
mkdir -p "$repository/packages/scanrt" "$work/config"
cp "$here/package.py" "$repository/packages/scanrt/"
printf 'repo:\n  namespace: scanrt\n  api: v2.2\n' >"$repository/repo.yaml"
printf 'repos::\n  scanrt: %s\n  builtin: %s\n' "$repository" "$builtin" >"$work/config/repos.yaml"
printf 'bootstrap:\n  enable: false\n' >"$work/config/bootstrap.yaml"
cat >"$work/config/config.yaml" <<END
config:
  install_tree:
    root: $work/tree
  build_stage: [$work/stage]
  test_stage: $work/tests
  source_cache: $work/cache
  build_jobs: $(nproc)
  ccache: true
END

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

install_tree() {
  local spec="scanrt@main~opencl build_type=${SCANRT_CHECK_TYPE:-Debug} dev_path=$work/source"
  mkdir "$work/source"
  "$project/tools/release.sh" --worktree "$work/archive" >/dev/null
  tar -x --strip-components=1 -C "$work/source" -f "$work"/archive/scanrt-*.tar.xz
  if [ -e /usr/include/CL/cl.h ]; then
    spec=${spec/\~opencl/+opencl}
    printf 'packages:\n  opencl-c-headers:\n    externals:\n    - {spec: opencl-c-headers@2022.01.04, prefix: /usr}\n' \
      >"$work/opencl.yaml"
    "$spack" config add -f "$work/opencl.yaml"
  fi
  # A folder may hold archives that its owner made from a repository.
  local unchecked=
  [ ! -d "$mirror" ] || unchecked=--no-checksum
  "$spack" mirror add --unsigned given "$mirror"
  # shellcheck disable=SC2086
  "$spack" install $unchecked --fail-fast $spec >"$work/log" 2>&1 || { tail -n 60 "$work/log"; fail "install"; }
  "$spack" test run scanrt >"$work/log" 2>&1 || { cat "$work/log"; fail "test run"; }
  grep -i passed "$work/log"
  "$("$spack" location -i scanrt)/bin/scanrt" verify --quick --quiet --device host --type i32 --kind inclusive ||
    fail "scanrt verify"
  echo "spack: installed, tested and used"
}

if [ -n "$mirror" ]; then install_tree; else echo "no mirror of Spack's own sources: nothing is installed"; fi
