! SPDX-License-Identifier: BSD-2-Clause
!> Whatever is not there once for each kind: devices, memory, plans, arrays, streams, types without a Fortran kind.
module test_api
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use scanrt
  use checks
  use callbacks
  implicit none
  private
  public :: check_names, check_devices, check_adopted, check_plain_memory, check_types, check_overflow, check_plans
  public :: check_moving_plans, check_packed_arrays, check_streams

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

  !> What CUDA's and OpenCL's objects are asked of a context that has none.
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

  !> Addresses as `omp target data use_device_addr` gives them: of the host where the context is the host's.
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

  !> A plan of scans: of n and of fewer elements, by pairs and by structs, with what it says.
  subroutine check_plans(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_plan) :: plan
    type(scan_plan_facts) :: facts
    type(scan_args) :: args
    type(scan_mem) :: in, out
    integer(int64) :: x(n), y(n)
    integer(c_int64_t) :: tile_items, group_items
    type(scan_device_info) :: info
    integer :: i
    call begin('plans')
    call scan_ctx_device(ctx, info, stat, errmsg)
    x = [(int(i, int64), i=1, n)]
    call scan_alloc(ctx, 8_c_int64_t * n, in, stat, errmsg)
    call scan_alloc(ctx, 8_c_int64_t * n, out, stat, errmsg)
    call scan_write(ctx, in, x, stat, errmsg)
    call scan_plan_create(ctx, scan_spec(type=SCAN_I64, op=SCAN_ADD), int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create')
    call scan_plan_info(plan, facts, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. facts%max_n == n .and. scan_text(facts%reason) /= '', 'scan_plan_info')
    call scan_plan_run(plan, int(n, c_int64_t), in, out, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run')
    call scan_read(ctx, out, y, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(n) == sum(x), 'its sums')
    args%in = in
    args%out = in
    call scan_plan_run_args(plan, 10_c_int64_t, args, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_args')
    call scan_read(ctx, in, y, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(10) == 55 .and. y(11) == 11, 'ten sums in place')
    call scan_plan_run(plan, n + 1_c_int64_t, in, out, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'more than max_n')
    call scan_plan_run(plan, -1_c_int64_t, in, out, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'negative', 'fewer than none')
    call scan_plan_destroy(plan)
    call scan_plan_destroy(plan)
    call scan_plan_run(plan, 1_c_int64_t, in, out, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'a destroyed plan')
    call scan_plan_create_adjacent_difference(ctx, scan_spec(type=SCAN_I64, op=SCAN_ADD), int(n, c_int64_t), plan, &
                                              stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_adjacent_difference')
    call scan_plan_run(plan, int(n, c_int64_t), out, in, stat, errmsg)
    call scan_read(ctx, in, y, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(y == x), 'planned differences')
    call scan_plan_destroy(plan)
    call scan_tile_values(ctx, scan_spec(type=SCAN_I64, op=SCAN_ADD), int(n, c_int64_t), in, out, tile_items, stat, &
                          errmsg)
    if (info%backend == SCAN_BACKEND_HOST) then
      call check_fails(stat, errmsg, SCAN_UNSUPPORTED, 'the host reduces no tiles', 'tiles of the host')
    else
      call check(stat == SCAN_SUCCESS .and. tile_items > n, 'scan_tile_values of less than a tile')
    end if
    call scan_group_values(ctx, scan_spec(type=SCAN_F32, op=SCAN_ADD), int(n, c_int64_t), in, out, group_items, stat, &
                           errmsg)
    if (info%backend == SCAN_BACKEND_HOST) then
      call check_fails(stat, errmsg, SCAN_UNSUPPORTED, 'the host reduces no tiles', 'groups of the host')
    else
      call check(stat == SCAN_SUCCESS .and. group_items == 128 * tile_items * 2, 'scan_group_values of less than a group')
    end if
    call scan_free(ctx, in, stat, errmsg)
    call scan_free(ctx, out, stat, errmsg)
  end subroutine check_plans

  !> Plans of what moves elements, all of memory of the device.
  subroutine check_moving_plans(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_plan) :: plan
    type(scan_mem) :: in, out, more, numbers
    type(scan_select_args) :: kept
    type(scan_sort_spec) :: by
    type(scan_sort_args) :: sort
    type(scan_split_args) :: split
    type(scan_histogram_args) :: histogram
    type(scan_run_length_args) :: runs
    type(scan_reduce_by_key_args) :: reduce
    type(scan_segmented_reduce_args) :: totals
    type(scan_select_spec) :: unique
    integer(int32) :: x(n), y(n)
    integer(int64) :: counts(17)
    integer(int64) :: scratch
    integer :: i
    call begin('plans that move')
    x = [(mod(shiftr(i, 1) * 37, 16), i=1, n)]
    call scan_alloc(ctx, 4_c_int64_t * n, in, stat, errmsg)
    call scan_alloc(ctx, 4_c_int64_t * n, out, stat, errmsg)
    call scan_alloc(ctx, 4_c_int64_t * n, more, stat, errmsg)
    call scan_alloc(ctx, 136_c_int64_t, numbers, stat, errmsg)
    call scan_write(ctx, in, x, stat, errmsg)

    unique%by = SCAN_SELECT_FIRST
    unique%key_type = SCAN_I32
    unique%arrays = 1
    unique%element_bytes(1) = 4
    unique%flags = SCAN_N_FROM_CLAMP
    call scan_plan_create_select(ctx, unique, int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_select')
    kept%in(1) = in
    kept%out(1) = out
    kept%count = numbers
    call scan_plan_run_select(plan, int(n, c_int64_t), kept, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_select')
    call scan_read(ctx, numbers, counts(:1), stat, errmsg)
    call check(counts(1) == 1 + count(x(2:) /= x(:n - 1)), 'kept')
    counts(2) = counts(1)
    kept%out(1) = SCAN_NO_MEM
    kept%capacity = SCAN_NO_CAPACITY
    kept%n_from = numbers
    call scan_write(ctx, numbers, [int(n + 5, int64)], stat, errmsg)
    call scan_plan_run_select(plan, int(n, c_int64_t), kept, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_select without room, the count where n was')
    call scan_sync(ctx, stat, errmsg)
    call check_ok(stat, errmsg, 'n above n, clamped')
    call scan_read(ctx, numbers, counts(:1), stat, errmsg)
    call check(counts(1) == counts(2), 'the count alone')
    call scan_plan_destroy(plan)

    by%key_type = SCAN_I32
    call scan_plan_create_sort(ctx, by, int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_sort')
    sort%keys_in = in
    sort%keys_out = out
    call scan_plan_run_sort(plan, int(n, c_int64_t), sort, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_sort')
    call scan_read(ctx, out, y, stat, errmsg)
    call check(all(y(2:) >= y(:n - 1)), 'sorted')
    call scan_plan_destroy(plan)
    by%gives_scratch = 1
    scratch = -1
    call scan_sort_scratch_bytes(ctx, by, int(n, c_int64_t), scratch, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. scratch > 0, 'scan_sort_scratch_bytes')

    call scan_plan_create_split(ctx, scan_split_spec(key_type=SCAN_I32, end_bit=4), int(n, c_int64_t), plan, stat, &
                                errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_split')
    split%keys_in = in
    split%keys_out = more
    split%offsets = numbers
    call scan_plan_run_split(plan, int(n, c_int64_t), split, stat, errmsg)
    call scan_read(ctx, more, x, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(x == y), 'split')
    call scan_read(ctx, numbers, counts, stat, errmsg)
    call check(all([(counts(i + 1) - counts(i) == count(x == i - 1), i=1, 16)]), 'offsets')
    call scan_plan_destroy(plan)

    call scan_plan_create_histogram(ctx, scan_histogram_spec(key_type=SCAN_I32, end_bit=4), int(n, c_int64_t), plan, &
                                    stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_histogram')
    histogram%keys = in
    histogram%counts = numbers
    call scan_plan_run_histogram(plan, int(n, c_int64_t), histogram, stat, errmsg)
    call scan_read(ctx, numbers, counts(:16), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all([(counts(i) == count(x == i - 1), i=1, 16)]), 'counts')
    call scan_plan_destroy(plan)

    call scan_plan_create_run_length(ctx, scan_run_length_spec(key_type=SCAN_I32, length_type=SCAN_U32), &
                                     int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_run_length')
    runs%keys = more
    runs%keys_out = out
    runs%lengths = in
    runs%count = numbers
    call scan_plan_run_run_length(plan, int(n, c_int64_t), runs, stat, errmsg)
    call scan_read(ctx, in, y(:16), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all([(y(i) == count(x == i - 1), i=1, 16)]), 'lengths')
    call scan_plan_destroy(plan)

    call scan_plan_create_reduce_by_key(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD, segments=SCAN_SEGMENTS_KEYS, &
                                                       key_type=SCAN_I32), int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_reduce_by_key')
    reduce%keys = more
    reduce%values = more
    reduce%keys_out = out
    reduce%values_out = in
    call scan_plan_run_reduce_by_key(plan, int(n, c_int64_t), reduce, stat, errmsg)
    call scan_read(ctx, in, y(:16), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all([(y(i) == (i - 1) * count(x == i - 1), i=1, 16)]), 'sums of runs')
    call scan_plan_destroy(plan)

    call scan_write(ctx, numbers, [0_int64, 5_int64, int(n, int64)], stat, errmsg)
    call scan_read(ctx, more, x, stat, errmsg)
    call scan_plan_create_segmented_reduce(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD, kind=SCAN_TOTAL, &
                                                          segments=SCAN_SEGMENTS_OFFSETS, key_type=SCAN_U64), &
                                           int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_segmented_reduce')
    totals%values = more
    totals%begins = numbers
    totals%segments = 2
    totals%out = in
    call scan_plan_run_segmented_reduce(plan, int(n, c_int64_t), totals, stat, errmsg)
    call scan_read(ctx, in, y(:2), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(1) == sum(x(:5)) .and. y(2) == sum(x(6:)), 'totals of segments')
    call scan_plan_destroy(plan)

    call scan_write(ctx, out, [(merge(1_int8, 0_int8, i == 6), i=1, n)], stat, errmsg)
    call scan_plan_create_segmented_reduce(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD, kind=SCAN_TOTAL, &
                                                          segments=SCAN_SEGMENTS_FLAGS), int(n, c_int64_t), plan, &
                                           stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_segmented_reduce, flags')
    totals%begins = out
    totals%count = numbers
    call scan_plan_run_segmented_reduce(plan, int(n, c_int64_t), totals, stat, errmsg)
    call scan_read(ctx, in, y(:2), stat, errmsg)
    call scan_read(ctx, numbers, counts(:1), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(1) == sum(x(:5)) .and. y(2) == sum(x(6:)) .and. counts(1) == 2, &
               'totals of flagged segments')
    call scan_plan_destroy(plan)

    call scan_free(ctx, in, stat, errmsg)
    call scan_free(ctx, out, stat, errmsg)
    call scan_free(ctx, more, stat, errmsg)
    call scan_free(ctx, numbers, stat, errmsg)
  end subroutine check_moving_plans

  !> The order of dimensions, in memory of the device.
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
