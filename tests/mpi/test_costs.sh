#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the calls of MPI in sorts and splits, and their bytes, with those of the model.
# usage: test_costs.sh openmpi|mpich RANKS MPI_COSTS PYTHON
set -eu

here=$(dirname "$0")
costs=$(mktemp)
trap 'rm -f "$costs"' EXIT
"$here/run.sh" "$1" "$2" "$3" --least 4096 --most 4096 --rounds 1 >"$costs"
"$4" -B "$here/../../tools/mpi_costs/model.py" --check "$costs"
