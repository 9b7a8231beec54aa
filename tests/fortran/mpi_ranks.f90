! SPDX-License-Identifier: BSD-2-Clause
!> Elements of the tests over ranks: how many each rank has, and the places of its results.
module mpi_ranks
  use, intrinsic :: iso_c_binding
  use scanrt_mpi
  use checks
  implicit none
  private
  public :: place_ranks, check_part

  integer, public :: rank, ranks, items, first, n !< This rank's elements, those of the ranks before, and of all.

contains

  !> Gives rank r 40 + 10 r elements; rank 1 of three or more has none.
  subroutine place_ranks(own_rank, all_ranks)
    integer, intent(in) :: own_rank, all_ranks
    integer :: r, own
    rank = own_rank
    ranks = all_ranks
    n = 0
    do r = 0, ranks - 1
      own = merge(0, 40 + 10 * r, r == 1 .and. ranks > 2)
      if (r == rank) items = own
      if (r == rank) first = n
      n = n + own
    end do
  end subroutine place_ranks

  !> Checks a place among the results of all ranks.
  subroutine check_part(part, count, offset, total, what)
    type(scan_mpi_part), intent(in) :: part
    integer, intent(in) :: count, offset, total
    character(*), intent(in) :: what
    call check(part%count == count .and. part%offset == offset .and. part%total == total, 'the place of '//what)
  end subroutine check_part
end module mpi_ranks
