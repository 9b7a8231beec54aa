! SPDX-License-Identifier: BSD-2-Clause
!> Scans of host data of any size through the device, in chunks.
module scanrt_stream
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c
  use scanrt_base
  use scanrt_memory, only: scan_is_negative
  implicit none
  private
  public :: scan_stream, scan_stream_chunk, scan_stream_pin, scan_stream_unpin

  !> Scans arrays of any kind (modules of kind.f90.in), or n elements from one address to another. With c_null_ptr a
  !> callback of the options provides or takes the elements.
  interface scan_stream
    module procedure stream_pointers
  end interface scan_stream


contains

  subroutine stream_pointers(ctx, spec, n, in, out, stat, errmsg, options)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    type(c_ptr), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_stream_options), intent(in), optional :: options
    type(scan_spec) :: own
    if (scan_is_negative(n, 'scan_stream', stat, errmsg)) return
    own = spec
    own%struct_bytes = c_sizeof(own)
    call scan_end(c_scan_stream(scan_ctx_handle(ctx), own, n, in, out, options_of(options)), ctx, stat, errmsg)
  end subroutine stream_pointers

  !> Gets the number of elements of a chunk of such a scan.
  subroutine scan_stream_chunk(ctx, spec, n, items, stat, errmsg, options)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(inout) :: items
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_stream_options), intent(in), optional :: options
    type(scan_spec) :: own
    if (scan_is_negative(n, 'scan_stream_chunk', stat, errmsg)) return
    own = spec
    own%struct_bytes = c_sizeof(own)
    call scan_end(c_scan_stream_chunk(scan_ctx_handle(ctx), own, n, options_of(options), items), ctx, stat, errmsg)
  end subroutine scan_stream_chunk

  !> Page-locks host memory that scan_stream uses several times.
  subroutine scan_stream_pin(ctx, memory, bytes, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(c_ptr), intent(in) :: memory
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(bytes, 'scan_stream_pin', stat, errmsg)) return
    call scan_end(c_scan_stream_pin(scan_ctx_handle(ctx), memory, bytes), ctx, stat, errmsg)
  end subroutine scan_stream_pin

  !> Undoes scan_stream_pin.
  subroutine scan_stream_unpin(ctx, memory, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(c_ptr), intent(in) :: memory
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_stream_unpin(scan_ctx_handle(ctx), memory), ctx, stat, errmsg)
  end subroutine scan_stream_unpin

  pure type(scan_stream_options) function options_of(options) result(own)
    type(scan_stream_options), intent(in), optional :: options
    if (present(options)) own = options
    own%struct_bytes = c_sizeof(own)
  end function options_of
end module scanrt_stream
