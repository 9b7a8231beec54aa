! SPDX-License-Identifier: BSD-2-Clause
!> Devices and contexts, also on the application's CUDA and OpenCL objects.
module scanrt_context
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c
  use scanrt_base
  implicit none
  private
  public :: scan_device_count, scan_device_get, scan_backend_note
  public :: scan_ctx_create, scan_ctx_destroy, scan_ctx_device, scan_sync, scan_overflow_index
  public :: scan_cuda_ctx_create, scan_cuda_stream, scan_opencl_ctx_create, scan_opencl_queue

  !> Creates a context on the application's CUDA context and stream. The stream is a c_ptr or an integer; compilers
  !> differ.
  interface scan_cuda_ctx_create
    module procedure cuda_ctx_create, cuda_ctx_create_of_number
  end interface scan_cuda_ctx_create


contains

  !> Counts the devices of this machine, at least 1.
  subroutine scan_device_count(count, stat, errmsg)
    integer(c_int), intent(out) :: count
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_device_count(count), scan_ctx(), stat, errmsg)
  end subroutine scan_device_count

  !> Describes device `index`, 0 to count - 1.
  subroutine scan_device_get(index, info, stat, errmsg)
    integer, intent(in) :: index
    type(scan_device_info), intent(inout) :: info
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    info%struct_bytes = c_sizeof(info)
    call scan_end(c_scan_device_get(int(index, c_int), info), scan_ctx(), stat, errmsg)
  end subroutine scan_device_get

  !> Says why a backend has no devices, or that it has some.
  function scan_backend_note(backend) result(text)
    integer(c_int), intent(in) :: backend
    character(:), allocatable :: text
    text = scan_c_text(c_scan_backend_note(backend))
  end function scan_backend_note

  !> Opens a device: that of the selector `device` ("cuda:0", "opencl:pocl", "host"), else the best one.
  subroutine scan_ctx_create(ctx, stat, errmsg, device, strategy, threads)
    type(scan_ctx), intent(inout) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: device
    integer(c_int), intent(in), optional :: strategy
    integer, intent(in), optional :: threads
    character(kind=c_char), allocatable, target :: selector(:)
    type(scan_ctx_options) :: options
    type(c_ptr) :: handle
    options = options_of(strategy, threads)
    if (present(device)) then
      allocate (selector, source=scan_c_string(device), stat=stat)
      if (stat /= 0) then
        stat = SCAN_OUT_OF_MEMORY
        if (present(errmsg)) errmsg = 'scan_ctx_create: no host memory for the selector'
        return
      end if
      options%device = c_loc(selector)
    end if
    handle = c_null_ptr
    call finish_ctx(c_scan_ctx_create(options, handle), handle, ctx, stat, errmsg)
  end subroutine scan_ctx_create

  !> Waits for the context's work and frees it; `ctx` then names no context. Destroy its plans first.
  subroutine scan_ctx_destroy(ctx)
    type(scan_ctx), intent(inout) :: ctx
    call c_scan_ctx_destroy(scan_ctx_handle(ctx))
    ctx = scan_ctx()
  end subroutine scan_ctx_destroy

  !> Describes the device that the context uses.
  subroutine scan_ctx_device(ctx, info, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_device_info), intent(inout) :: info
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    info%struct_bytes = c_sizeof(info)
    call scan_end(c_scan_ctx_device(scan_ctx_handle(ctx), info), ctx, stat, errmsg)
  end subroutine scan_ctx_device

  !> Waits for all work of the context.
  subroutine scan_sync(ctx, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_sync(scan_ctx_handle(ctx)), ctx, stat, errmsg)
  end subroutine scan_sync

  !> Gets the index of the element that the context's last SCAN_OVERFLOW named: the first one in the order of the
  !> scan. Indices count in the output from 0 on, also in backward scans.
  subroutine scan_overflow_index(ctx, index, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    integer(c_int64_t), intent(inout) :: index
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_overflow_index(scan_ctx_handle(ctx), index), ctx, stat, errmsg)
  end subroutine scan_overflow_index

  subroutine cuda_ctx_create(context, stream, ctx, stat, errmsg, strategy)
    type(c_ptr), intent(in) :: context !< A CUcontext; c_null_ptr: the calling thread's current one.
    type(c_ptr), intent(in) :: stream !< c_null_ptr: the default stream.
    type(scan_ctx), intent(inout) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: strategy
    type(c_ptr) :: handle
    handle = c_null_ptr
    call finish_ctx(c_scan_cuda_ctx_create(options_of(strategy), context, stream, handle), handle, ctx, stat, errmsg)
  end subroutine cuda_ctx_create

  subroutine cuda_ctx_create_of_number(context, stream, ctx, stat, errmsg, strategy)
    type(c_ptr), intent(in) :: context
    integer(c_intptr_t), intent(in) :: stream !< A value of kind cuda_stream_kind, or the result of acc_get_cuda_stream.
    type(scan_ctx), intent(inout) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: strategy
    call cuda_ctx_create(context, transfer(stream, c_null_ptr), ctx, stat, errmsg, strategy)
  end subroutine cuda_ctx_create_of_number

  !> Gets the stream that the context's scans run on.
  subroutine scan_cuda_stream(ctx, stream, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(c_ptr), intent(inout) :: stream
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_cuda_stream(scan_ctx_handle(ctx), stream), ctx, stat, errmsg)
  end subroutine scan_cuda_stream

  !> Creates a context on the application's cl_context and cl_command_queue.
  subroutine scan_opencl_ctx_create(context, queue, ctx, stat, errmsg, strategy)
    type(c_ptr), intent(in) :: context, queue
    type(scan_ctx), intent(inout) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: strategy
    type(c_ptr) :: handle
    handle = c_null_ptr
    call finish_ctx(c_scan_opencl_ctx_create(options_of(strategy), context, queue, handle), handle, ctx, stat, errmsg)
  end subroutine scan_opencl_ctx_create

  !> Gets the cl_command_queue that the context's scans run on.
  subroutine scan_opencl_queue(ctx, queue, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(c_ptr), intent(inout) :: queue
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_opencl_queue(scan_ctx_handle(ctx), queue), ctx, stat, errmsg)
  end subroutine scan_opencl_queue

  pure type(scan_ctx_options) function options_of(strategy, threads) result(options)
    integer(c_int), intent(in), optional :: strategy
    integer, intent(in), optional :: threads
    options%struct_bytes = c_sizeof(options)
    if (present(strategy)) options%strategy = strategy
    if (present(threads)) options%threads = int(threads, c_int32_t)
  end function options_of

  subroutine finish_ctx(status, handle, ctx, stat, errmsg)
    integer(c_int), intent(in) :: status
    type(c_ptr), intent(in) :: handle
    type(scan_ctx), intent(inout) :: ctx
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_device_info) :: info
    call scan_end(status, scan_ctx(), stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    ctx = scan_ctx_of(handle, 0_c_int)
    call scan_ctx_device(ctx, info, stat, errmsg)
    if (stat == SCAN_SUCCESS) then
      ctx = scan_ctx_of(handle, info%backend)
    else
      call scan_ctx_destroy(ctx)
    end if
  end subroutine finish_ctx
end module scanrt_context
