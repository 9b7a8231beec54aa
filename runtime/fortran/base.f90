! SPDX-License-Identifier: BSD-2-Clause
!> Procedures that all other modules share: they end calls, and convert texts from and to C.
module scanrt_base
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c
  implicit none
  private
  public :: scan_end, scan_refuse, scan_number, scan_text, scan_c_text, scan_c_string, scan_last_error, scan_status_name

  !> Returns the error text of the last call with `ctx` that failed; without `ctx`, of the last one in this thread. It
  !> is '' if none failed. Calls that succeed leave it unchanged.
  interface scan_last_error
    module procedure last_error
  end interface scan_last_error

  !> Returns "SCAN_SUCCESS" and so on; "unknown status" for other numbers.
  interface scan_status_name
    module procedure status_name
  end interface scan_status_name

  interface
    pure integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), intent(in), value :: text
    end function c_strlen
  end interface

contains

  !> Ends a call: sets `stat` to C's status and, unless that is SCAN_SUCCESS, `errmsg` to the error text of `ctx`.
  subroutine scan_end(status, ctx, stat, errmsg)
    integer(c_int), intent(in) :: status
    type(scan_ctx), intent(in) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = int(status)
    if (stat /= SCAN_SUCCESS .and. present(errmsg)) errmsg = last_error(ctx)
  end subroutine scan_end

  !> Ends a call that a Fortran module refuses, with SCAN_INVALID_ARGUMENT.
  subroutine scan_refuse(words, stat, errmsg)
    character(*), intent(in) :: words
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = SCAN_INVALID_ARGUMENT
    if (present(errmsg)) errmsg = words
  end subroutine scan_refuse

  !> Converts a number to text.
  function scan_number(n) result(text)
    integer(c_int64_t), intent(in) :: n
    character(:), allocatable :: text
    character(20) :: digits
    integer(c_int64_t) :: rest
    integer :: at
    rest = n ! no write statement: that would keep this file's name in the library
    at = 20
    do
      digits(at:at) = achar(iachar('0') + int(abs(mod(rest, 10_c_int64_t))))
      rest = rest / 10
      if (rest == 0) exit
      at = at - 1
    end do
    if (n < 0) then
      at = at - 1
      digits(at:at) = '-'
    end if
    text = digits(at:)
  end function scan_number

  !> Returns the text of a struct's member, such as scan_device_info%name.
  pure function scan_text(characters) result(text)
    character(kind=c_char), intent(in) :: characters(:)
    character(:), allocatable :: text
    integer :: length
    length = 0
    do while (length < size(characters))
      if (characters(length + 1) == c_null_char) exit
      length = length + 1
    end do
    text = transfer(characters(:length), repeat(' ', length))
  end function scan_text

  !> Returns the text at an address in C; '' for c_null_ptr.
  function scan_c_text(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    text = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    text = scan_text(characters)
  end function scan_c_text

  !> Converts a text for C: without trailing blanks, ended by a null character.
  pure function scan_c_string(text) result(characters)
    character(*), intent(in) :: text
    character(kind=c_char) :: characters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      characters(i) = text(i:i)
    end do
    characters(len_trim(text) + 1) = c_null_char
  end function scan_c_string

  function last_error(ctx) result(text)
    type(scan_ctx), intent(in), optional :: ctx
    character(:), allocatable :: text
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(ctx)) handle = scan_ctx_handle(ctx)
    text = scan_c_text(c_scan_last_error(handle))
  end function last_error

  function status_name(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    text = scan_c_text(c_scan_status_name(int(status, c_int)))
  end function status_name
end module scanrt_base
