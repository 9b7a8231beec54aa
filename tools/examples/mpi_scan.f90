! SPDX-License-Identifier: BSD-2-Clause
!> Rows that are dealt out to the ranks of MPI: their offsets in a matrix that all ranks share, and a running sum whose
!> bits do not depend on the number of ranks.
!>
!> Usage: mpirun -n 4 mpi_scan_f. Each rank has another number of rows, the last one none.
!> Exit status: 0 the results are right; 1 they are not, or something failed.
program rows_over_ranks
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64, error_unit
  use mpi
  use scanrt
  use scanrt_mpi
  implicit none
  type(scan_ctx) :: ctx
  type(scan_mpi) :: handle
  integer(int32), allocatable :: lengths(:), offsets(:)
  real(real64), allocatable :: terms(:), sums(:)
  integer(int64) :: first, rows, all_rows
  integer :: rank, ranks, stat, ierror, i
  character(500) :: errmsg
  logical :: is_right

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call scan_ctx_create(ctx, stat, errmsg) ! where it fails on a rank, scan_mpi_create says so to all
  if (stat /= SCAN_SUCCESS) write (error_unit, '(a)') trim(errmsg)
  call scan_mpi_create(ctx, MPI_COMM_WORLD, handle, stat, errmsg)

  rows = 0
  if (rank + 1 < ranks .or. ranks == 1) rows = 100000 + 1000 * rank
  is_right = .false.
  if (stat == SCAN_SUCCESS) call scan_mpi_offsets(MPI_COMM_WORLD, rows, first, all_rows, stat, errmsg)
  if (stat == SCAN_SUCCESS) then
    lengths = [(entries_of(first + i), i=0, int(rows) - 1)]
    terms = [(1.0_real64 / real(first + i, real64), i=1, int(rows))]
    allocate (offsets(rows), sums(rows))
    call scan_mpi_run(handle, scan_spec(op=SCAN_ADD, kind=SCAN_EXCLUSIVE), lengths, offsets, stat, errmsg)
  end if
  if (stat == SCAN_SUCCESS) call scan_mpi_run(handle, scan_spec(op=SCAN_ADD), terms, sums, stat, errmsg)
  if (stat == SCAN_SUCCESS) then
    is_right = offsets_are_right()
    if (rank == 0) print '(i0, a, i0, a, i0, a, es23.16)', ranks, ' ranks, ', all_rows, &
      ' rows; the harmonic sum of rank 0''s ', rows, ' is ', sums(rows)
  else
    write (error_unit, '(a)') trim(errmsg)
  end if

  call scan_mpi_destroy(handle)
  call scan_ctx_destroy(ctx)
  call MPI_Finalize(ierror)
  if (.not. is_right) stop 1

contains

  !> Entries of a row, by its number among those of all ranks.
  pure integer(int32) function entries_of(row)
    integer(int64), intent(in) :: row
    entries_of = int(mod(row * 37, 7_int64), int32)
  end function entries_of

  !> Whether the offsets are those of a plain loop over all rows before.
  logical function offsets_are_right()
    integer(int64) :: row
    integer(int32) :: offset
    offset = 0
    offsets_are_right = .true.
    do row = 0, first + rows - 1
      if (row >= first) offsets_are_right = offsets_are_right .and. offsets(row - first + 1) == offset
      offset = offset + entries_of(row)
    end do
  end function offsets_are_right
end program rows_over_ranks
