! SPDX-License-Identifier: BSD-2-Clause
!> What an application of MPI does in Fortran: each rank's sums of 1000 integers go on where those of the rank before
!> end.
program consumer_mpi
  use mpi
  use scanrt
  use scanrt_mpi
  implicit none
  integer, parameter :: n = 1000
  type(scan_ctx) :: ctx
  type(scan_mpi) :: over_ranks
  integer :: x(n), y(n), i, rank, stat, ierror
  character(300) :: errmsg
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  x = 1
  y = 0
  call scan_ctx_create(ctx, stat, errmsg, device='host')
  call scan_mpi_create(ctx, MPI_COMM_WORLD, over_ranks, stat, errmsg)
  if (stat == SCAN_SUCCESS) call scan_mpi_run(over_ranks, scan_spec(op=SCAN_ADD), x, y, stat, errmsg)
  if (stat /= SCAN_SUCCESS) print '(a)', trim(errmsg)
  call scan_mpi_destroy(over_ranks)
  call scan_ctx_destroy(ctx)
  call MPI_Finalize(ierror)
  if (stat /= SCAN_SUCCESS .or. any(y /= [(rank * n + i, i=1, n)])) stop 1
end program consumer_mpi
