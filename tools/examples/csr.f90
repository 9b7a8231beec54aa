! SPDX-License-Identifier: BSD-2-Clause
!> y = A x for a sparse matrix in CSR format: its row offsets from the rows' lengths, by an exclusive scan, and its
!> products summed by row, by one scan in segments that those offsets tell.
!>
!> Usage: csr. Exit status: 0 the results are right; 1 they are not, or something failed.
program csr
  use, intrinsic :: iso_fortran_env, only: int32, real64, error_unit
  use scanrt
  implicit none
  integer, parameter :: side = 200, rows = side * side
  type(scan_ctx) :: ctx
  integer(int32) :: lengths(rows + 1)
  integer(int32), target :: offsets(rows + 1) ! row r has entries offsets(r) + 1 to offsets(r + 1)
  integer(int32), allocatable :: columns(:)
  real(real64), allocatable :: values(:), sums(:)
  real(real64) :: x(rows), y(rows)
  integer :: r, stat
  character(500) :: errmsg

  call scan_ctx_create(ctx, stat, errmsg)
  if (stat /= SCAN_SUCCESS) call give_up('scan_ctx_create')

  lengths = [(size(neighbours(r)), r=1, rows), 0]
  call scan_run(ctx, scan_spec(op=SCAN_ADD, kind=SCAN_EXCLUSIVE), lengths, offsets, stat, errmsg)
  if (stat /= SCAN_SUCCESS) call give_up('row offsets')

  allocate (columns(offsets(rows + 1)), values(offsets(rows + 1)), sums(offsets(rows + 1)))
  do r = 1, rows
    columns(offsets(r) + 1:offsets(r + 1)) = neighbours(r)
    where (neighbours(r) == r)
      values(offsets(r) + 1:offsets(r + 1)) = 4
    elsewhere
      values(offsets(r) + 1:offsets(r + 1)) = -1
    end where
    x(r) = mod(r, 11) - 5
  end do

  call scan_run(ctx, scan_spec(op=SCAN_ADD, segments=SCAN_SEGMENTS_OFFSETS, key_type=SCAN_U32), values * x(columns), &
                sums, stat, errmsg, marks=scan_host(offsets))
  if (stat /= SCAN_SUCCESS) call give_up('sums of rows')
  do r = 1, rows ! a row's sum is the last one of its segment
    y(r) = 0
    if (lengths(r) > 0) y(r) = sums(offsets(r + 1))
  end do
  call scan_ctx_destroy(ctx)
  if (.not. is_right()) stop 1
  print '(i0, a, i0, a)', rows, ' rows, ', offsets(rows + 1), ' entries: as a loop over the rows gives them'
  deallocate (columns, values, sums)

contains

  !> The columns of a row: the Laplacian of a square grid, whose every seventh row is left empty.
  pure function neighbours(row) result(found)
    integer, intent(in) :: row
    integer(int32), allocatable :: found(:)
    integer :: i, j
    i = (row - 1) / side
    j = mod(row - 1, side)
    found = pack([row - side, row - 1, row, row + 1, row + side], &
                 [i > 0, j > 0, .true., j < side - 1, i < side - 1] .and. mod(row, 7) /= 3)
  end function neighbours

  !> The numbers are small and whole, so that sums are exact.
  logical function is_right()
    real(real64) :: sum
    integer :: row, k
    is_right = .true.
    do row = 1, rows
      sum = 0
      do k = offsets(row) + 1, offsets(row + 1)
        sum = sum + values(k) * x(columns(k))
      end do
      is_right = is_right .and. abs(y(row) - sum) <= 0
    end do
  end function is_right

  subroutine give_up(what)
    character(*), intent(in) :: what
    write (error_unit, '(a)') what//': '//trim(errmsg)
    stop 1
  end subroutine give_up
end program csr
