#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a test program of libscanrt_mpi on RANKS ranks of this machine, which may be more than its processors.
# usage: run.sh openmpi|mpich RANKS PROGRAM [ARGUMENT...]
set -eu

implementation=$1 ranks=$2
shift 2

# Waiting ranks yield the processor.
case $implementation in
  openmpi)
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    export OMPI_MCA_odls_base_sigkill_timeout=0 # the others of a rank that failed have ended, too
    if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
    exec mpirun.openmpi --oversubscribe -n "$ranks" "$@"
    ;;
  mpich)
    export MPIR_CVAR_POLLS_BEFORE_YIELD=1
    exec mpirun.mpich -n "$ranks" "$@"
    ;;
  *)
    echo "run.sh: $implementation is neither openmpi nor mpich" >&2
    exit 2
    ;;
esac
