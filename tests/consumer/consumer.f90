! SPDX-License-Identifier: BSD-2-Clause
!> What an application in Fortran does: opens the host device, scans 1000 integers, checks every sum.
program consumer
  use scanrt
  implicit none
  integer, parameter :: n = 1000
  type(scan_ctx) :: ctx
  integer :: x(n), y(n), i, sum, stat
  character(300) :: errmsg
  x = [(mod(i, 17) - 5, i=1, n)]
  call scan_ctx_create(ctx, stat, errmsg, device='host')
  if (stat == SCAN_SUCCESS) call scan_run(ctx, scan_spec(op=SCAN_ADD, kind=SCAN_EXCLUSIVE), x, y, stat, errmsg)
  call scan_ctx_destroy(ctx)
  if (stat /= SCAN_SUCCESS) then
    print '(a)', scan_status_name(stat)//': '//trim(errmsg)
    stop 1
  end if
  sum = 0
  do i = 1, n
    if (y(i) /= sum) stop 1
    sum = sum + x(i)
  end do
end program consumer
