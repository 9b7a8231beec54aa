! SPDX-License-Identifier: BSD-2-Clause
!> Scans over the ranks of MPI, besides module scanrt. The C header scan_mpi.h is the reference.
module scanrt_mpi
  use scanrt_mpi_core
  use scanrt_mpi_arrays
  implicit none
  public
end module scanrt_mpi
