#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# usage: tools/packaging/conda/check.sh
# Renders the recipe by rattler-build for x86-64 and aarch64, as conda-forge does first. It builds no package: compilers
# would come from conda-forge's channel. Exits 77 without rattler-build.
set -euo pipefail

# shellcheck source=tools/packaging/client.sh
. "$(dirname "${BASH_SOURCE[0]}")/../client.sh"
client_folder rattler
PYTHONDONTWRITEBYTECODE=1 "$folder/bin/python" "$project/tools/packaging/conda/render.py" \
  "$project/tools/packaging/conda/recipe.yaml" "$(version_of_headers)"
