! SPDX-License-Identifier: BSD-2-Clause
!> Scans, compaction, runs, sorts and splits over the ranks of MPI, besides module scanrt. The C headers scan_mpi.h,
!> scan_mpi_sort.h and scan_mpi_runs.h are the reference.
module scanrt_mpi
  use scanrt_mpi_c, only: scan_mpi_part, scan_mpi_facts, SCAN_MPI_AS_GIVEN, SCAN_MPI_EVEN, SCAN_MPI_BY_KEY
  use scanrt_mpi_base
  use scanrt_mpi_core
  use scanrt_mpi_memory
  use scanrt_mpi_of_int8
  use scanrt_mpi_of_int16
  use scanrt_mpi_of_int32
  use scanrt_mpi_of_int64
  use scanrt_mpi_of_real32
  use scanrt_mpi_of_real64
  use scanrt_mpi_of_complex_real32
  use scanrt_mpi_of_complex_real64
  implicit none
  public

  ! Names that only the library's modules use.
  private :: scan_mpi_handle, scan_mpi_contexts, scan_mpi_plan_handle, scan_mpi_plan_mpi, scan_mpi_plan_of
  private :: scan_mpi_end, scan_mpi_refuse, scan_mpi_allowed
end module scanrt_mpi
