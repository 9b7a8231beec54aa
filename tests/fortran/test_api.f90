! SPDX-License-Identifier: BSD-2-Clause
!> Calls that are the same for all kinds: names, devices, memory, arrays, streams; types without a Fortran kind.
module test_api
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use scanrt
  use checks
  use callbacks
  implicit none
  private
  public :: check_names, check_devices, check_adopted, check_plain_memory, check_types, check_overflow
  public :: check_packed_arrays, check_streams

  integer, parameter :: n = 1000
  character(400) :: errmsg = ''
  integer :: stat

contains

  subroutine check_names()
    integer(c_int) :: value
    call begin('names')
    call check(scan_status_name(SCAN_OVERFLOW) == 'SCAN_OVERFLOW', 'scan_status_name')
    call check(scan_type_name(SCAN_BF16) == 'bf16' .and. scan_type_name(99_c_int) == '', 'scan_type_name')
    call check(scan_op_name(SCAN_XOR) == 'xor' .and. scan_backend_name(SCAN_BACKEND_HOST) == 'host', 'two names')
    call check(scan_strategy_name(SCAN_STRATEGY_LOOKBACK) == 'lookback', 'scan_strategy_name')
    call check(scan_composite_name(SCAN_AFFINE_F32) == 'affine_f32', 'scan_composite_name')
    call scan_type_parse('u16', value, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. value == SCAN_U16, 'scan_type_parse')
    call scan_op_parse('max ', value, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. value == SCAN_MAX, 'scan_op_parse, a blank behind')
    call scan_strategy_parse('block', value, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. value == SCAN_STRATEGY_BLOCK, 'scan_strategy_parse')
    call scan_composite_parse('argmax_i64', value, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. value == SCAN_ARGMAX_I64, 'scan_composite_parse')
    call scan_op_parse('divide', value, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'no op is called "divide"', 'no operator')
    call check(scan_type_bytes(SCAN_F64) == 8, 'scan_type_bytes')
    call check(scan_strategy_is_canonical(SCAN_STRATEGY_AUTO), 'canonical')
    call check(.not. scan_strategy_is_canonical(SCAN_STRATEGY_BLELLOCH), 'not canonical')
    call check(.not. scan_spec_defined(SCAN_F32, SCAN_TYPE_DEFAULT, SCAN_XOR), 'scan_spec_defined')
    call check(scan_library_version() == SCAN_VERSION_NUMBER .and. index(scan_version(), '.') > 0, 'version')
    call check(index(scan_build_info(), scan_version()) > 0, 'scan_build_info')
  end subroutine check_names

  subroutine check_devices(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_ctx) :: other
    type(scan_device_info) :: info, own
    integer(c_int) :: count, i
    logical :: is_listed
    call begin('devices')
    call scan_device_count(count, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_device_count')
    call scan_ctx_device(ctx, own, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_ctx_device')
    is_listed = .false.
    do i = 0, count - 1
      call scan_device_get(i, info, stat, errmsg)
      call check_ok(stat, errmsg, 'scan_device_get')
      is_listed = is_listed .or. scan_text(info%selector) == scan_text(own%selector)
    end do
    call check(is_listed, 'the context''s device is listed')
    call check(scan_text(info%selector) == 'host' .and. info%backend == SCAN_BACKEND_HOST .and. &
               info%compute_units > 0, 'the host is last')
    call scan_device_get(count, info, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'a device that is none')
    call check(len(scan_backend_note(SCAN_BACKEND_CUDA)) > 0, 'scan_backend_note')
    call scan_ctx_create(other, stat, errmsg, device='nonsense:9')
    call check(stat == SCAN_NO_DEVICE .or. stat == SCAN_INVALID_ARGUMENT, 'a selector of nothing')
    call check(index(errmsg, 'nonsense:9') > 0, 'the sentence names it: '//trim(errmsg))
    call check(scan_last_error() == trim(errmsg), 'scan_last_error')
    call scan_ctx_create(other, stat, errmsg, device='host', strategy=SCAN_STRATEGY_SEQUENTIAL, threads=1)
    call check_ok(stat, errmsg, 'a context with options')
    call scan_ctx_device(other, info, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. info%compute_units == 1, 'one thread')
    call scan_ctx_destroy(other)
    call scan_ctx_destroy(other)
    call scan_ctx_device(other, info, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'NULL', 'a destroyed context')
    call scan_sync(ctx, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_sync')
  end subroutine check_devices

  !> Objects of CUDA and OpenCL, also asked of a context of another backend, and memory made from them.
  subroutine check_adopted(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_ctx) :: other
    type(scan_device_info) :: info
    type(scan_mem) :: mem
    type(c_ptr) :: object
    call begin('adopted objects')
    call scan_ctx_device(ctx, info, stat, errmsg)
    object = c_null_ptr
    call scan_cuda_stream(ctx, object, stat, errmsg)
    call check((stat == SCAN_SUCCESS) .eqv. info%backend == SCAN_BACKEND_CUDA, 'scan_cuda_stream')
    object = c_null_ptr
    call scan_opencl_queue(ctx, object, stat, errmsg)
    call check((stat == SCAN_SUCCESS) .eqv. info%backend == SCAN_BACKEND_OPENCL, 'scan_opencl_queue')
    call check(c_associated(object) .eqv. info%backend == SCAN_BACKEND_OPENCL, 'the queue')
    call scan_opencl_ctx_create(c_null_ptr, c_null_ptr, other, stat, errmsg)
    call check(stat /= SCAN_SUCCESS .and. errmsg /= '', 'no cl_context')
    if (info%backend == SCAN_BACKEND_HOST) then
      errmsg = ''
      call scan_cuda_ctx_create(c_null_ptr, 0_c_intptr_t, other, stat, errmsg)
      call check(stat /= SCAN_SUCCESS .and. errmsg /= '', 'no CUcontext')
    end if
    call scan_alloc(ctx, 16_c_int64_t, mem, stat, errmsg)
    call check(c_associated(scan_host_ptr(mem)) .eqv. info%backend == SCAN_BACKEND_HOST, 'scan_host_ptr')
    call check((scan_cuda_ptr(mem) /= 0) .eqv. info%backend == SCAN_BACKEND_CUDA, 'scan_cuda_ptr')
    call check(c_associated(scan_opencl_buffer(mem)) .eqv. info%backend == SCAN_BACKEND_OPENCL, 'scan_opencl_buffer')
    call scan_free(ctx, mem, stat, errmsg)
    mem = scan_cuda_mem(4096_c_long_long, 16_c_int64_t)
    call check(mem%kind == SCAN_MEM_CUDA .and. transfer(mem%handle, 0_c_intptr_t) == 4096 .and. mem%size_bytes == 16, &
               'scan_cuda_mem of a number')
    mem = scan_cuda_mem(transfer(8192_c_intptr_t, c_null_ptr))
    call check(mem%kind == SCAN_MEM_CUDA .and. transfer(mem%handle, 0_c_intptr_t) == 8192 .and. mem%size_bytes == 0, &
               'scan_cuda_mem of an address')
    mem = scan_opencl_mem(transfer(8192_c_intptr_t, c_null_ptr), 64_c_int64_t)
    call check(mem%kind == SCAN_MEM_OPENCL .and. mem%offset_bytes == 64, 'scan_opencl_mem')
    mem = scan_opencl_svm(transfer(8192_c_intptr_t, c_null_ptr), 32_c_int64_t)
    call check(mem%kind == SCAN_MEM_SVM .and. mem%size_bytes == 32, 'scan_opencl_svm')
    mem = scan_opencl_usm(transfer(8192_c_intptr_t, c_null_ptr), 0_c_int64_t)
    call check(mem%kind == SCAN_MEM_USM .and. mem%size_bytes == 0, 'scan_opencl_usm')
  end subroutine check_adopted

  subroutine check_plain_memory(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem) :: mem, other
    integer(int32), target :: x(n), y(n)
    integer :: i
    call begin('memory')
    x = [(i, i=1, n)]
    call scan_alloc(ctx, 4_c_int64_t * n, mem, stat, errmsg)
    call scan_alloc(ctx, 4_c_int64_t * n, other, stat, errmsg)
    call scan_write(ctx, mem, c_loc(x), 4_c_int64_t * n, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_write of an address')
    call scan_copy(ctx, other, mem, 4_c_int64_t * n, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_copy')
    y = 0
    call scan_read(ctx, other, c_loc(y), 4_c_int64_t * n, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(x == y), 'scan_read to an address')
    call scan_read(ctx, scan_offset(mem, 40_c_int64_t), y(:n - 10), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(y(:n - 10) == x(11:)), 'scan_offset')
    call scan_write(ctx, scan_offset(mem, 4_c_int64_t * n - 4), x(:2), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'too small', 'past the end')
    call scan_run(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD), int(n, c_int64_t), mem, other, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_run of scan_mem')
    call scan_read(ctx, other, y, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(n) == n * (n + 1) / 2 .and. y(2) == 3, 'its sums')
    call scan_run(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD), -1_c_int64_t, mem, other, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'negative', 'a negative number')
    call scan_alloc(ctx, -4_c_int64_t, other, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'negative', 'negative bytes')
    call check_device_memory(ctx, mem)
    call scan_free(ctx, mem, stat, errmsg)
    call scan_free(ctx, other, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_free')
    call scan_free(ctx, mem, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_free of none')
  end subroutine check_plain_memory

  !> Addresses as `omp target data use_device_addr` gives them; the host's in a context of the host.
  subroutine check_device_memory(ctx, mem)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem), intent(in) :: mem
    type(scan_device_info) :: info
    type(scan_mem) :: named
    type(scan_plan) :: plan
    type(c_ptr) :: address
    integer(int32), allocatable, target :: x(:), y(:)
    integer :: i
    call scan_ctx_device(ctx, info, stat, errmsg)
    if (info%backend /= SCAN_BACKEND_HOST) then
      address = scan_opencl_buffer(mem)
      if (info%backend == SCAN_BACKEND_CUDA) address = transfer(int(scan_cuda_ptr(mem), c_intptr_t), c_null_ptr)
      named = scan_device_mem(ctx, address)
      call check(named%kind == merge(SCAN_MEM_CUDA, SCAN_MEM_OPENCL, info%backend == SCAN_BACKEND_CUDA) .and. &
                 c_associated(named%handle, address), 'memory of a device')
      call scan_run(ctx, scan_spec(type=SCAN_I32, op=SCAN_MAX), int(n, c_int64_t), address, address, stat, errmsg)
      call check_ok(stat, errmsg, 'scan_run of memory of a device')
      call scan_sync(ctx, stat, errmsg)
      call check_ok(stat, errmsg, 'scan_sync')
    end if
    if (info%backend /= SCAN_BACKEND_HOST) return
    x = [(i, i=1, n)]
    allocate (y(n))
    call scan_run(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD), int(n, c_int64_t), c_loc(x), c_loc(y), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(n) == n * (n + 1) / 2, 'scan_run of addresses')
    call scan_plan_create(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD), int(n, c_int64_t), plan, stat, errmsg)
    y = 0
    call scan_plan_run(plan, int(n, c_int64_t), c_loc(x), c_loc(y), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(n) == n * (n + 1) / 2, 'scan_plan_run of addresses')
    call scan_plan_destroy(plan)
    named = scan_device_mem(ctx, c_loc(x), 4_c_int64_t * n)
    call check(named%kind == SCAN_MEM_HOST .and. named%size_bytes == 4 * n, 'scan_device_mem')
  end subroutine check_device_memory

  !> Unsigned integers and 16-bit floats, which Fortran has no kinds for.
  subroutine check_types(ctx)
    type(scan_ctx), intent(in) :: ctx
    integer(int8) :: bytes(4) = [-1_int8, 2_int8, -3_int8, 4_int8], out(4)
    integer(int32) :: sums(4)
    integer(int32), target :: words(4), bits(4)
    type(scan_sort_spec) :: by
    type(scan_sort_args) :: sort
    integer(int16), parameter :: one = int(z'3C00', int16), two = int(z'4000', int16), three = int(z'4200', int16)
    integer(int16) :: halves(3)
    real(real32) :: singles(3)
    integer(int64) :: wide
    call begin('types')
    call scan_run(ctx, scan_spec(type=SCAN_U8, op=SCAN_MAX), bytes, out, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(out == -1_int8), 'maxima of u8: 255')
    call scan_run(ctx, scan_spec(op=SCAN_MAX), bytes, out, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(out == [-1_int8, 2_int8, 2_int8, 4_int8]), 'maxima of i8')
    call scan_run(ctx, scan_spec(type=SCAN_U32, op=SCAN_ADD), bytes, sums, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(sums == [255, 257, 510, 514]), 'u8 widened to u32')
    call scan_run(ctx, scan_spec(type=SCAN_I32, input_type=SCAN_I8, op=SCAN_ADD), bytes, sums, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(sums == [-1, 1, -2, 2]), 'i8 widened to i32')
    call scan_reduce(ctx, scan_spec(op=SCAN_ADD), [one, one, one, one], wide, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. wide == 4 * int(one, int64), 'i16 widened to i64')
    words = [-1, 3, -2, 0]
    call scan_sort(ctx, words, stat, errmsg, type=SCAN_U32)
    call check(stat == SCAN_SUCCESS .and. all(words == [0, 3, -2, -1]), 'u32 sorted')
    by%key_type = SCAN_F32
    by%order = SCAN_SORT_NUMERIC_ORDER ! of a negative NaN, zeros of both signs, and numbers
    bits = [-4194304_int32, 0_int32, 1065353216_int32, not(huge(0_int32))]
    sort%keys_in = scan_host(bits)
    sort%keys_out = scan_host(words)
    call scan_sort(ctx, by, 4_int64, sort, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(words == bits([2, 4, 3, 1])), 'numeric order')
    call scan_run(ctx, scan_spec(type=SCAN_F16, op=SCAN_ADD), [one, one, one], halves, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(halves == [one, two, three]), 'f16 sums')
    call scan_run(ctx, scan_spec(op=SCAN_ADD, input_type=SCAN_F16), [one, one, one], singles, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(abs(singles - [1.0, 2.0, 3.0]) <= 0), 'f16 widened to f32')
    call scan_run(ctx, scan_spec(type=SCAN_F16, op=SCAN_ADD), [one, one], halves(:2), stat, errmsg, init=one)
    call check(stat == SCAN_SUCCESS .and. all(halves(:2) == [two, three]), 'f16 from an initial value')
    call scan_run(ctx, scan_spec(type=SCAN_F16, op=SCAN_ADD), [one, one], halves(:2), stat, errmsg, carry_in=one)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'takes 4 bytes', 'a carry of f16 is an f32')
    call scan_run(ctx, scan_spec(op=SCAN_XOR), [1.0, 2.0], singles(:2), stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'no xor of reals')
  end subroutine check_types

  subroutine check_overflow(ctx)
    type(scan_ctx), intent(in) :: ctx
    integer(int32) :: x(5) = [1, huge(0) - 2, 1, 7, 1], y(5)
    integer(c_int64_t) :: place
    call begin('overflow')
    place = -1
    call scan_overflow_index(ctx, place, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. place == -1, 'none yet')
    call scan_run(ctx, scan_spec(op=SCAN_ADD, flags=SCAN_CHECK_OVERFLOW), x, y, stat, errmsg)
    call check(stat == SCAN_OVERFLOW .and. errmsg /= '', 'an overflow')
    call scan_overflow_index(ctx, place, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. place == 3, 'its place, from 0 on')
  end subroutine check_overflow

  !> Arrays in memory of the device: their dimensions are axes in reverse order.
  subroutine check_packed_arrays(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_array) :: array
    type(scan_plan) :: plan
    type(scan_mem) :: mem
    type(scan_args) :: args
    type(scan_spec) :: spec
    real(real32) :: x(3, 4, 5), y(3, 4, 5), expected(3, 4, 5)
    integer :: i
    call begin('arrays of the device')
    x = reshape([(real(mod(i * 7, 11)), i=1, 60)], [3, 4, 5])
    expected = x
    do i = 2, 4
      expected(:, i, :) = expected(:, i - 1, :) + x(:, i, :)
    end do
    spec = scan_spec(type=SCAN_F32, op=SCAN_ADD)
    call scan_array_packed(spec, shape(x, kind=c_int64_t), 2, array, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_array_packed')
    call check(all(array%shape(:3) == [5, 4, 3]) .and. array%axis == 1 .and. all(array%in_strides(:3) == [48, 12, 4]), &
               'dimensions are axes in reverse')
    call scan_alloc(ctx, 240_c_int64_t, mem, stat, errmsg)
    call scan_write(ctx, mem, x, stat, errmsg)
    call scan_run_array(ctx, spec, array, mem, mem, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_run_array')
    call scan_read(ctx, mem, y, stat, errmsg)
    call check(all(abs(y - expected) <= 0), 'its sums')
    call scan_write(ctx, mem, x, stat, errmsg)
    args%in = mem
    args%out = mem
    call scan_run_array_args(ctx, spec, array, args, stat, errmsg)
    call scan_read(ctx, mem, y, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(abs(y - expected) <= 0), 'scan_run_array_args')
    call scan_plan_create_array(ctx, spec, array, plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_array')
    call scan_write(ctx, mem, x, stat, errmsg)
    call scan_plan_run_array(plan, mem, mem, stat, errmsg)
    call scan_read(ctx, mem, y, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(abs(y - expected) <= 0), 'scan_plan_run_array')
    call scan_plan_destroy(plan)
    call scan_free(ctx, mem, stat, errmsg)
    call scan_array_packed(spec, shape(x, kind=c_int64_t), 4, array, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'dim is 4', 'no dimension')
  end subroutine check_packed_arrays

  subroutine check_streams(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_stream_options) :: options
    type(scan_spec) :: spec
    type(storage), target :: s
    integer(int32), target :: x(n)
    integer(c_int64_t) :: items
    integer :: i
    call begin('streams')
    spec = scan_spec(type=SCAN_I32, op=SCAN_ADD)
    s%from = [(i, i=1, n)]
    allocate (s%to(n))
    options%chunk_items = 300
    options%read = c_funloc(read_storage)
    options%write = c_funloc(write_storage)
    options%progress = c_funloc(count_chunks)
    options%user = c_loc(s)
    call scan_stream(ctx, spec, int(n, c_int64_t), c_null_ptr, c_null_ptr, stat, errmsg, options)
    call check_ok(stat, errmsg, 'scan_stream by callbacks')
    call check(s%to(n) == n * (n + 1) / 2 .and. s%to(301) == 301 * 302 / 2 .and. s%calls > 0, 'its sums')
    call scan_stream_chunk(ctx, spec, int(n, c_int64_t), items, stat, errmsg, options)
    call check(stat == SCAN_SUCCESS .and. items > 0 .and. items <= n, 'scan_stream_chunk')
    s%is_cancelled = .true.
    call scan_stream(ctx, spec, int(n, c_int64_t), c_null_ptr, c_null_ptr, stat, errmsg, options)
    call check(stat == merge(SCAN_CANCELLED, SCAN_SUCCESS, items < n), 'scan_stream that is cancelled')
    x = s%from
    call scan_stream_pin(ctx, c_loc(x), 4_c_int64_t * n, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_stream_pin')
    call scan_stream(ctx, spec, int(n, c_int64_t), c_loc(x), c_loc(x), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. x(n) == n * (n + 1) / 2, 'pinned, in place')
    call scan_stream_unpin(ctx, c_loc(x), stat, errmsg)
    call check_ok(stat, errmsg, 'scan_stream_unpin')
    call scan_stream(ctx, scan_spec(op=SCAN_ADD), x, s%to(:9), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'out has 9 elements', 'to few elements')
  end subroutine check_streams
end module test_api
