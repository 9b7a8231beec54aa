! SPDX-License-Identifier: BSD-2-Clause
!> A sparse matrix from triplets over the ranks of MPI: each rank has entries of any rows, some of them several times.
!> Entries are sorted by row and column, equal ones are added up, and the lengths of the rows are counted.
!>
!> Usage: mpirun -n 4 mpi_matrix_f
!> Exit status: 0 the results are right; 1 they are not, or something failed.
program matrix_over_ranks
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64, error_unit
  use mpi
  use scanrt
  use scanrt_mpi
  implicit none
  integer, parameter :: side = 60, triplets = 6000 ! of each rank
  type(scan_ctx) :: ctx
  type(scan_mpi) :: handle
  type(scan_mpi_part) :: sorted, entries, rows
  integer(int64) :: keys(triplets)
  real(real64) :: values(triplets)
  integer(int64), allocatable :: sorted_keys(:), entry_keys(:), row_numbers(:)
  real(real64), allocatable :: sorted_values(:), entry_values(:)
  integer(int32), allocatable :: row_lengths(:)
  integer :: rank, ranks, stat, ierror, i
  character(500) :: errmsg
  logical :: is_right

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  keys = [(key_of(rank * triplets + i), i=1, triplets)]
  values = [(value_of(rank * triplets + i), i=1, triplets)]
  allocate (sorted_keys(2 * triplets), sorted_values(2 * triplets)) ! cuts between keys are not quite even
  is_right = .false.
  call scan_ctx_create(ctx, stat, errmsg) ! if it fails on a rank, scan_mpi_create fails on all
  if (stat /= SCAN_SUCCESS) write (error_unit, '(a)') trim(errmsg)
  call scan_mpi_create(ctx, MPI_COMM_WORLD, handle, stat, errmsg)
  if (stat == SCAN_SUCCESS) &
    call scan_mpi_sort(handle, SCAN_MPI_BY_KEY, keys, sorted_keys, values, sorted_values, sorted, stat, errmsg)
  if (stat == SCAN_SUCCESS) then
    allocate (entry_keys(sorted%count), entry_values(sorted%count))
    call scan_mpi_reduce_by_key(handle, scan_spec(op=SCAN_ADD), sorted_keys(:sorted%count), &
                                sorted_values(:sorted%count), entry_keys, entry_values, entries, stat, errmsg)
  end if
  if (stat == SCAN_SUCCESS) then
    allocate (row_numbers(entries%count), row_lengths(entries%count))
    call scan_mpi_run_length_encode(handle, entry_keys(:entries%count) / side, row_numbers, row_lengths, rows, stat, &
                                    errmsg)
  end if
  if (stat == SCAN_SUCCESS) then
    is_right = entries_are_right()
    if (rank == 0) print '(i0, a, i0, a, i0, a, i0, a)', ranks, ' ranks: ', sorted%total, ' triplets, ', &
      entries%total, ' entries in ', rows%total, ' rows'
  else
    write (error_unit, '(a)') trim(errmsg)
  end if
  call scan_mpi_destroy(handle)
  call scan_ctx_destroy(ctx)
  call MPI_Finalize(ierror)
  if (.not. is_right) stop 1

contains

  !> Row and column, from 0 on, of triplet i of all ranks, as one number.
  pure integer(int64) function key_of(i)
    integer, intent(in) :: i
    key_of = modulo(int(i, int64) * 7919, 6007_int64)
    key_of = modulo(key_of * key_of, int(side, int64) * side)
  end function key_of

  !> Whole numbers, whose sums are exact.
  pure real(real64) function value_of(i)
    integer, intent(in) :: i
    value_of = real(modulo(i, 17), real64)
  end function value_of

  !> Compares this rank's entries and row lengths with those of a dense matrix that a plain loop adds up.
  logical function entries_are_right()
    real(real64) :: dense(0:side * side - 1)
    logical :: is_entry(0:side * side - 1)
    integer(int64) :: all_keys(side * side)
    integer :: k, n, first
    dense = 0
    is_entry = .false.
    do k = 1, ranks * triplets
      dense(key_of(k)) = dense(key_of(k)) + value_of(k)
      is_entry(key_of(k)) = .true.
    end do
    all_keys = pack([(int(k, int64), k=0, side * side - 1)], is_entry, [(0_int64, k=1, side * side)])
    n = int(entries%count)
    first = int(entries%offset)
    entries_are_right = entries%total == count(is_entry) .and. all(entry_keys(:n) == all_keys(first + 1:first + n))
    if (entries_are_right) entries_are_right = all(abs(entry_values(:n) - dense(entry_keys(:n))) <= 0)
    do k = 1, int(rows%count)
      first = int(row_numbers(k)) * side
      entries_are_right = entries_are_right .and. row_lengths(k) == count(is_entry(first:first + side - 1))
    end do
  end function entries_are_right
end program matrix_over_ranks
