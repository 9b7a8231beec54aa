! SPDX-License-Identifier: BSD-2-Clause
!> Checks of the Fortran tests. They are counted; failures are printed, and the program then ends with status 1.
module checks
  use scanrt
  implicit none
  private
  public :: check, check_ok, check_fails, open_device, begin, finish, is_wanted

  integer :: checked = 0, failed = 0
  character(200) :: section = ''

contains

  !> Opens $SCANRT_TEST_DEVICE, or the host; a device that this machine does not have ends the program as skipped.
  subroutine open_device(ctx)
    type(scan_ctx), intent(inout) :: ctx
    character(200) :: device, errmsg
    integer :: stat, missing
    call get_environment_variable('SCANRT_TEST_DEVICE', device, status=missing)
    if (missing /= 0) device = 'host'
    errmsg = ''
    call scan_ctx_create(ctx, stat, errmsg, device=device)
    if (stat == SCAN_NO_DEVICE) then
      print '(a)', 'skipped: '//trim(errmsg)
      stop 77
    end if
    call check_ok(stat, errmsg, 'scan_ctx_create')
    if (stat /= SCAN_SUCCESS) stop 1
  end subroutine open_device

  !> Returns .true. if $SCANRT_TEST_KINDS names the kind or is not set.
  logical function is_wanted(kind)
    character(*), intent(in) :: kind
    character(200) :: kinds
    integer :: missing
    call get_environment_variable('SCANRT_TEST_KINDS', kinds, status=missing)
    is_wanted = missing /= 0 .or. index(','//trim(kinds)//',', ','//kind//',') > 0
  end function is_wanted

  !> Names the section of the checks that follow.
  subroutine begin(name)
    character(*), intent(in) :: name
    section = name
  end subroutine begin

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    checked = checked + 1
    if (condition) return
    failed = failed + 1
    print '(a)', 'FAILED: '//trim(section)//': '//what
  end subroutine check

  !> A call that must succeed.
  subroutine check_ok(stat, errmsg, what)
    integer, intent(in) :: stat
    character(*), intent(in) :: errmsg, what
    if (stat == SCAN_SUCCESS) then
      call check(.true., what)
    else
      call check(.false., what//': '//scan_status_name(stat)//': '//trim(errmsg))
    end if
  end subroutine check_ok

  !> A call that must fail with that status, and words that contain `part`.
  subroutine check_fails(stat, errmsg, expected, part, what)
    integer, intent(in) :: stat, expected
    character(*), intent(in) :: errmsg, part, what
    call check(stat == expected, what//': '//scan_status_name(stat)//' in place of '//scan_status_name(expected))
    call check(index(errmsg, part) > 0, what//': "'//trim(errmsg)//'" does not say "'//part//'"')
  end subroutine check_fails

  subroutine finish()
    print '(i0, a, i0, a)', checked, ' checks, ', failed, ' failed'
    if (failed > 0 .or. checked == 0) stop 1
  end subroutine finish
end module checks
