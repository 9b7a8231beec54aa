! SPDX-License-Identifier: BSD-2-Clause
!> Plans of scans, compaction, sorts, splits, runs and totals.
module test_plans
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64
  use scanrt
  use checks
  implicit none
  private
  public :: check_plans, check_moving_plans

  integer, parameter :: n = 1000
  character(400) :: errmsg = ''
  integer :: stat

  !> Memory of the device: n elements each, and 17 numbers.
  type :: memory
    type(scan_mem) :: in, out, more, numbers
  end type memory

contains

  !> Plans of scans: n and fewer elements, memory as arguments and in a struct, facts, refusals.
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

  !> Plans that move elements, in memory of the device.
  subroutine check_moving_plans(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(memory) :: m
    integer(int32) :: x(n)
    integer :: i
    call begin('plans that move')
    x = [(mod(shiftr(i, 1) * 37, 16), i=1, n)]
    call scan_alloc(ctx, 4_c_int64_t * n, m%in, stat, errmsg)
    call scan_alloc(ctx, 4_c_int64_t * n, m%out, stat, errmsg)
    call scan_alloc(ctx, 4_c_int64_t * n, m%more, stat, errmsg)
    call scan_alloc(ctx, 136_c_int64_t, m%numbers, stat, errmsg)
    call scan_write(ctx, m%in, x, stat, errmsg)
    call check_planned_select(ctx, m, x)
    call check_planned_sort(ctx, m)
    call check_planned_split(ctx, m, x)
    call check_planned_runs(ctx, m, x)
    call check_planned_totals(ctx, m, x)
    call scan_free(ctx, m%in, stat, errmsg)
    call scan_free(ctx, m%out, stat, errmsg)
    call scan_free(ctx, m%more, stat, errmsg)
    call scan_free(ctx, m%numbers, stat, errmsg)
  end subroutine check_moving_plans

  !> The first of each run of x, which m%in holds.
  subroutine check_planned_select(ctx, m, x)
    type(scan_ctx), intent(in) :: ctx
    type(memory), intent(in) :: m
    integer(int32), intent(in) :: x(n)
    type(scan_plan) :: plan
    type(scan_select_spec) :: unique
    type(scan_select_args) :: kept
    integer(int64) :: counts(2)
    unique%by = SCAN_SELECT_FIRST
    unique%key_type = SCAN_I32
    unique%arrays = 1
    unique%element_bytes(1) = 4
    unique%flags = SCAN_N_FROM_CLAMP
    call scan_plan_create_select(ctx, unique, int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_select')
    kept%in(1) = m%in
    kept%out(1) = m%out
    kept%count = m%numbers
    call scan_plan_run_select(plan, int(n, c_int64_t), kept, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_select')
    call scan_read(ctx, m%numbers, counts(:1), stat, errmsg)
    call check(counts(1) == 1 + count(x(2:) /= x(:n - 1)), 'kept')
    counts(2) = counts(1)
    kept%out(1) = SCAN_NO_MEM
    kept%capacity = SCAN_NO_CAPACITY
    kept%n_from = m%numbers
    call scan_write(ctx, m%numbers, [int(n + 5, int64)], stat, errmsg)
    call scan_plan_run_select(plan, int(n, c_int64_t), kept, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_select without room, the count where n was')
    call scan_sync(ctx, stat, errmsg)
    call check_ok(stat, errmsg, 'n above n, clamped')
    call scan_read(ctx, m%numbers, counts(:1), stat, errmsg)
    call check(counts(1) == counts(2), 'the count alone')
    call scan_plan_destroy(plan)
  end subroutine check_planned_select

  !> Sorts m%in into m%out.
  subroutine check_planned_sort(ctx, m)
    type(scan_ctx), intent(in) :: ctx
    type(memory), intent(in) :: m
    type(scan_plan) :: plan
    type(scan_sort_spec) :: by
    type(scan_sort_args) :: sort
    integer(int32) :: y(n)
    integer(int64) :: scratch
    by%key_type = SCAN_I32
    call scan_plan_create_sort(ctx, by, int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_sort')
    sort%keys_in = m%in
    sort%keys_out = m%out
    call scan_plan_run_sort(plan, int(n, c_int64_t), sort, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_run_sort')
    call scan_read(ctx, m%out, y, stat, errmsg)
    call check(all(y(2:) >= y(:n - 1)), 'sorted')
    call scan_plan_destroy(plan)
    by%gives_scratch = 1
    scratch = -1
    call scan_sort_scratch_bytes(ctx, by, int(n, c_int64_t), scratch, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. scratch > 0, 'scan_sort_scratch_bytes')
  end subroutine check_planned_sort

  !> Splits m%in into m%more by all bits, which sorts it as in m%out, and reads the keys into x.
  subroutine check_planned_split(ctx, m, x)
    type(scan_ctx), intent(in) :: ctx
    type(memory), intent(in) :: m
    integer(int32), intent(out) :: x(n)
    type(scan_plan) :: plan
    type(scan_split_args) :: split
    type(scan_histogram_args) :: histogram
    integer(int32) :: y(n)
    integer(int64) :: counts(17)
    integer :: i
    call scan_read(ctx, m%out, y, stat, errmsg)
    call scan_plan_create_split(ctx, scan_split_spec(key_type=SCAN_I32, end_bit=4), int(n, c_int64_t), plan, stat, &
                                errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_split')
    split%keys_in = m%in
    split%keys_out = m%more
    split%offsets = m%numbers
    call scan_plan_run_split(plan, int(n, c_int64_t), split, stat, errmsg)
    call scan_read(ctx, m%more, x, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(x == y), 'split')
    call scan_read(ctx, m%numbers, counts, stat, errmsg)
    call check(all([(counts(i + 1) - counts(i) == count(x == i - 1), i=1, 16)]), 'offsets')
    call scan_plan_destroy(plan)

    call scan_plan_create_histogram(ctx, scan_histogram_spec(key_type=SCAN_I32, end_bit=4), int(n, c_int64_t), plan, &
                                    stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_histogram')
    histogram%keys = m%in
    histogram%counts = m%numbers
    call scan_plan_run_histogram(plan, int(n, c_int64_t), histogram, stat, errmsg)
    call scan_read(ctx, m%numbers, counts(:16), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all([(counts(i) == count(x == i - 1), i=1, 16)]), 'counts')
    call scan_plan_destroy(plan)
  end subroutine check_planned_split

  !> Lengths and sums of the runs of x, which m%more holds.
  subroutine check_planned_runs(ctx, m, x)
    type(scan_ctx), intent(in) :: ctx
    type(memory), intent(in) :: m
    integer(int32), intent(in) :: x(n)
    type(scan_plan) :: plan
    type(scan_run_length_args) :: runs
    type(scan_reduce_by_key_args) :: reduce
    integer(int32) :: y(n)
    integer :: i
    call scan_plan_create_run_length(ctx, scan_run_length_spec(key_type=SCAN_I32, length_type=SCAN_U32), &
                                     int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_run_length')
    runs%keys = m%more
    runs%keys_out = m%out
    runs%lengths = m%in
    runs%count = m%numbers
    call scan_plan_run_run_length(plan, int(n, c_int64_t), runs, stat, errmsg)
    call scan_read(ctx, m%in, y(:16), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all([(y(i) == count(x == i - 1), i=1, 16)]), 'lengths')
    call scan_plan_destroy(plan)

    call scan_plan_create_reduce_by_key(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD, segments=SCAN_SEGMENTS_KEYS, &
                                                       key_type=SCAN_I32), int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_reduce_by_key')
    reduce%keys = m%more
    reduce%values = m%more
    reduce%keys_out = m%out
    reduce%values_out = m%in
    call scan_plan_run_reduce_by_key(plan, int(n, c_int64_t), reduce, stat, errmsg)
    call scan_read(ctx, m%in, y(:16), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all([(y(i) == (i - 1) * count(x == i - 1), i=1, 16)]), 'sums of runs')
    call scan_plan_destroy(plan)
  end subroutine check_planned_runs

  !> Totals of x, which m%more holds, in two segments: by offsets, and by flags.
  subroutine check_planned_totals(ctx, m, x)
    type(scan_ctx), intent(in) :: ctx
    type(memory), intent(in) :: m
    integer(int32), intent(in) :: x(n)
    type(scan_plan) :: plan
    type(scan_segmented_reduce_args) :: totals
    integer(int32) :: y(n)
    integer(int64) :: counts(1)
    integer :: i
    call scan_write(ctx, m%numbers, [0_int64, 5_int64, int(n, int64)], stat, errmsg)
    call scan_plan_create_segmented_reduce(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD, kind=SCAN_TOTAL, &
                                                          segments=SCAN_SEGMENTS_OFFSETS, key_type=SCAN_U64), &
                                           int(n, c_int64_t), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_segmented_reduce')
    totals%values = m%more
    totals%begins = m%numbers
    totals%segments = 2
    totals%out = m%in
    call scan_plan_run_segmented_reduce(plan, int(n, c_int64_t), totals, stat, errmsg)
    call scan_read(ctx, m%in, y(:2), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(1) == sum(x(:5)) .and. y(2) == sum(x(6:)), 'totals of segments')
    call scan_plan_destroy(plan)

    call scan_write(ctx, m%out, [(merge(1_int8, 0_int8, i == 6), i=1, n)], stat, errmsg)
    call scan_plan_create_segmented_reduce(ctx, scan_spec(type=SCAN_I32, op=SCAN_ADD, kind=SCAN_TOTAL, &
                                                          segments=SCAN_SEGMENTS_FLAGS), int(n, c_int64_t), plan, &
                                           stat, errmsg)
    call check_ok(stat, errmsg, 'scan_plan_create_segmented_reduce, flags')
    totals%begins = m%out
    totals%count = m%numbers
    call scan_plan_run_segmented_reduce(plan, int(n, c_int64_t), totals, stat, errmsg)
    call scan_read(ctx, m%in, y(:2), stat, errmsg)
    call scan_read(ctx, m%numbers, counts(:1), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(1) == sum(x(:5)) .and. y(2) == sum(x(6:)) .and. counts(1) == 2, &
               'totals of flagged segments')
    call scan_plan_destroy(plan)
  end subroutine check_planned_totals
end module test_plans
