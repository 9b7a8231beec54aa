! SPDX-License-Identifier: BSD-2-Clause
!> The size of the scratch memory that a caller gives to a sort.
module scanrt_sort_scratch
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c
  use scanrt_base
  use scanrt_memory, only: scan_is_negative
  implicit none
  private
  public :: scan_sort_scratch_bytes


contains

  !> Gets the bytes that scan_sort_args%scratch must have for n keys; 0 if spec%gives_scratch is 0.
  subroutine scan_sort_scratch_bytes(ctx, spec, n, bytes, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_sort_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(inout) :: bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_sort_spec) :: own
    if (scan_is_negative(n, 'scan_sort_scratch_bytes', stat, errmsg)) return
    own = spec
    own%struct_bytes = c_sizeof(own)
    call scan_end(c_scan_sort_scratch_bytes(scan_ctx_handle(ctx), own, n, bytes), ctx, stat, errmsg)
  end subroutine scan_sort_scratch_bytes
end module scanrt_sort_scratch
