! SPDX-License-Identifier: BSD-2-Clause
!> Memory: the host's, scan_alloc's, and the application's device memory.
module scanrt_memory
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c, scan_offset => c_scan_offset, scan_host_ptr => c_scan_host_ptr, scan_cuda_ptr => c_scan_cuda_ptr, &
    scan_opencl_mem => c_scan_opencl_mem, scan_opencl_svm => c_scan_opencl_svm, &
    scan_opencl_usm => c_scan_opencl_usm, scan_opencl_buffer => c_scan_opencl_buffer
  use scanrt_base
  implicit none
  private
  public :: scan_host, scan_device_mem, scan_cuda_mem
  public :: scan_alloc, scan_free, scan_write, scan_read, scan_copy, scan_is_negative, scan_nothing

  !> Returns the same memory from `bytes` bytes later on.
  public :: scan_offset
  !> Returns the host pointer to host memory, or to memory of scan_alloc of a host context, including the offset;
  !> c_null_ptr for other memory, or if the offset is the end or past it.
  public :: scan_host_ptr
  !> Returns the CUdeviceptr of memory of scan_alloc of a CUDA context; 0 for other memory.
  public :: scan_cuda_ptr
  !> Names a buffer or sub-buffer of the application.
  public :: scan_opencl_mem
  !> Names the application's shared virtual memory, of `bytes` bytes; 0: unchecked.
  public :: scan_opencl_svm
  !> Names the application's unified shared memory, of `bytes` bytes; 0: as many as the driver reports.
  public :: scan_opencl_usm
  !> Returns the cl_mem of memory of scan_alloc of an OpenCL context; c_null_ptr for other memory.
  public :: scan_opencl_buffer

  !> Names host memory: an array of any kind (modules of memory.f90.in), or an address and its bytes.
  interface scan_host
    module procedure host_at
  end interface scan_host

  !> Names memory of a CUDA device by its address, a CUdeviceptr or a c_ptr. With bytes 0 or absent the size is
  !> unchecked.
  interface scan_cuda_mem
    module procedure cuda_mem_of_number, cuda_mem_of_pointer
  end interface scan_cuda_mem

  !> Copies an array to the start of `dst`, or `bytes` bytes from an address; blocking.
  interface scan_write
    module procedure write_bytes
  end interface scan_write

  !> Copies from the start of `src` after all work enqueued before; blocking.
  interface scan_read
    module procedure read_bytes
  end interface scan_read


  !> Target of the addresses of arrays without elements.
  integer(c_int64_t), save, target :: nothing = 0

contains

  !> Returns a valid address that is never read from.
  type(c_ptr) function scan_nothing()
    scan_nothing = c_loc(nothing)
  end function scan_nothing

  type(scan_mem) function host_at(ptr, bytes) result(mem)
    type(c_ptr), intent(in) :: ptr
    integer(c_int64_t), intent(in), optional :: bytes !< Absent: unknown; then the size is unchecked and counts nothing.
    mem = c_scan_host(ptr)
    if (present(bytes)) mem%size_bytes = bytes
  end function host_at

  !> Names memory by the address that the context's device uses: a device address on CUDA, a cl_mem on OpenCL, else a
  !> host address. c_loc of an array within `omp target data use_device_addr` or `acc host_data use_device` gives it.
  type(scan_mem) function scan_device_mem(ctx, ptr, bytes) result(mem)
    type(scan_ctx), intent(in) :: ctx
    type(c_ptr), intent(in) :: ptr
    integer(c_int64_t), intent(in), optional :: bytes
    select case (scan_ctx_backend(ctx))
    case (SCAN_BACKEND_CUDA)
      mem = cuda_mem_of_pointer(ptr, bytes)
    case (SCAN_BACKEND_OPENCL)
      mem = scan_opencl_mem(ptr, 0_c_int64_t)
    case default
      mem = host_at(ptr, bytes)
    end select
  end function scan_device_mem

  type(scan_mem) function cuda_mem_of_number(ptr, bytes) result(mem)
    integer(c_long_long), intent(in) :: ptr
    integer(c_int64_t), intent(in), optional :: bytes
    mem = c_scan_cuda_mem(ptr, 0_c_int64_t)
    if (present(bytes)) mem = c_scan_cuda_mem(ptr, bytes)
  end function cuda_mem_of_number

  type(scan_mem) function cuda_mem_of_pointer(ptr, bytes) result(mem)
    type(c_ptr), intent(in) :: ptr
    integer(c_int64_t), intent(in), optional :: bytes
    mem = cuda_mem_of_number(int(transfer(ptr, 0_c_intptr_t), c_long_long), bytes)
  end function cuda_mem_of_pointer

  !> Allocates memory on the context's device; free it with scan_free.
  subroutine scan_alloc(ctx, bytes, mem, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    integer(c_int64_t), intent(in) :: bytes !< 1 or more.
    type(scan_mem), intent(inout) :: mem
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(bytes, 'scan_alloc', stat, errmsg)) return
    call scan_end(c_scan_alloc(scan_ctx_handle(ctx), bytes, mem), ctx, stat, errmsg)
  end subroutine scan_alloc

  !> Frees memory of scan_alloc after the work that uses it; `mem` then names no memory.
  subroutine scan_free(ctx, mem, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem), intent(inout) :: mem
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_free(scan_ctx_handle(ctx), mem), ctx, stat, errmsg)
    if (stat == SCAN_SUCCESS) mem = scan_mem()
  end subroutine scan_free

  subroutine write_bytes(ctx, dst, src, bytes, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem), intent(in) :: dst
    type(c_ptr), intent(in) :: src
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(bytes, 'scan_write', stat, errmsg)) return
    call scan_end(c_scan_write(scan_ctx_handle(ctx), dst, src, bytes), ctx, stat, errmsg)
  end subroutine write_bytes

  subroutine read_bytes(ctx, src, dst, bytes, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem), intent(in) :: src
    type(c_ptr), intent(in) :: dst
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(bytes, 'scan_read', stat, errmsg)) return
    call scan_end(c_scan_read(scan_ctx_handle(ctx), src, dst, bytes), ctx, stat, errmsg)
  end subroutine read_bytes

  !> Copies `bytes` bytes within the context's device; asynchronous.
  subroutine scan_copy(ctx, dst, src, bytes, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem), intent(in) :: dst, src
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(bytes, 'scan_copy', stat, errmsg)) return
    call scan_end(c_scan_copy(scan_ctx_handle(ctx), dst, src, bytes), ctx, stat, errmsg)
  end subroutine scan_copy

  !> Refuses a negative number, which C would read as a very large one. .true. if it is negative.
  logical function scan_is_negative(n, call_name, stat, errmsg)
    integer(c_int64_t), intent(in) :: n
    character(*), intent(in) :: call_name
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = SCAN_SUCCESS
    scan_is_negative = n < 0
    if (n < 0) call scan_refuse(call_name//': the number '//scan_number(n)//' is negative', stat, errmsg)
  end function scan_is_negative
end module scanrt_memory
