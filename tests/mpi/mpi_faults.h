/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file mpi_faults.h
 * @brief Calls of MPI that are made to fail. MPI's profiling interface lets the program that links mpi_faults.c
 * intercept the library's calls.
 */
#ifndef SCANRT_TESTS_MPI_FAULTS_H
#define SCANRT_TESTS_MPI_FAULTS_H

#include "sweep/fault.h"

/** The plan of calls that all ranks make in the same order, which must be armed alike on all ranks. */
extern fault_plan mpi_fault_plan;

/** Live communicators that the library has made. */
extern long mpi_fault_objects;

/** Calls of mpi_fault_arm's that have failed on this rank. */
extern int mpi_fault_failures;

/** Makes a call fail on one rank (-1: on all) after it has succeeded `after` times. NULL: none fails any more. */
void mpi_fault_arm(const char *call, int after, int rank);

#endif
