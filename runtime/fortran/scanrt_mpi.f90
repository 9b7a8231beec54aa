! SPDX-License-Identifier: BSD-2-Clause
!> Scans over the ranks of MPI: scan_mpi.h, whose comments are the reference. Beside module scanrt.
module scanrt_mpi
  use scanrt_mpi_core
  use scanrt_mpi_arrays
  implicit none
  public
end module scanrt_mpi
