! SPDX-License-Identifier: BSD-2-Clause
!> Sorts, splits and runs over ranks with memory of the device, their plans, and functions from source.
module test_mpi_keys
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use scanrt
  use scanrt_mpi
  use checks
  use callbacks
  use mpi_ranks
  use check_int32, only: sample_keys, order_of, continues
  implicit none
  private
  public :: check_keys

  character(600) :: errmsg = ''
  integer :: stat

contains

  subroutine check_keys(ctx, mpi)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32) :: x(n)
    type(scan_mem) :: keys, out, more
    integer(int64) :: bytes
    bytes = 4 * n
    x = sample_keys(n)
    call scan_alloc(ctx, bytes, keys, stat, errmsg)
    call scan_alloc(ctx, bytes, out, stat, errmsg)
    call scan_alloc(ctx, bytes, more, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_alloc')
    if (items > 0) call scan_write(ctx, keys, x(first + 1:first + items), stat, errmsg)
    call check_ok(stat, errmsg, 'scan_write')
    call begin('sorts of memory')
    call check_sort(ctx, mpi, x, keys, out, more)
    call begin('splits of memory')
    call check_split(ctx, mpi, x, keys, out)
    call begin('runs of memory')
    call check_runs(ctx, mpi, x, keys, out, more)
    call check_run_plans(ctx, mpi, x, keys, out, more)
    call scan_free(ctx, keys, stat, errmsg)
    call scan_free(ctx, out, stat, errmsg)
    call scan_free(ctx, more, stat, errmsg)
    call begin('functions from source')
    call check_bucket(ctx, mpi, x)
    call check_predicate(ctx, mpi, x)
  end subroutine check_keys

  !> Compares the first elements of memory.
  subroutine check_memory(ctx, mem, expected, what)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mem), intent(in) :: mem
    integer(int32), intent(in) :: expected(:)
    character(*), intent(in) :: what
    integer(int32) :: got(size(expected))
    if (size(expected) == 0) return
    call scan_read(ctx, mem, got, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_read')
    call check(all(got == expected), what)
  end subroutine check_memory

  !> Keys with their places as an array, by a call and by a plan, which this rank makes for more keys than it has.
  subroutine check_sort(ctx, mpi, x, keys, out, index)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32), intent(in) :: x(:)
    type(scan_mem), intent(in) :: keys, out, index
    integer :: order(size(x)), last
    integer(int64) :: own
    type(scan_sort_spec) :: spec
    type(scan_sort_args) :: args
    type(scan_mpi_plan) :: plan
    type(scan_mpi_part) :: part
    own = items
    last = first + items
    order = order_of(x, .true.)
    spec%key_type = SCAN_I32
    spec%descending = 1
    spec%index_type = SCAN_U32
    args%keys_in = keys
    args%keys_out = out
    args%out(1) = index
    call scan_mpi_sort(mpi, spec, SCAN_MPI_AS_GIVEN, own, 0_int64, args, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_sort')
    call check_part(part, items, first, n, 'sorted keys')
    call check_memory(ctx, out, x(order(first + 1:last)), 'sorted keys')
    call check_memory(ctx, index, order(first + 1:last) - 1, 'their places')
    call scan_mpi_sort(mpi, spec, SCAN_MPI_AS_GIVEN, merge(-3_int64, own, rank == 0), 0_int64, args, part, stat, errmsg)
    call check_refused('scan_mpi_sort')
    call scan_mpi_plan_create_sort(mpi, spec, SCAN_MPI_EVEN, merge(-3_int64, own, rank == 0), int(n, int64), plan, &
                                   stat, errmsg)
    call check_refused('scan_mpi_plan_create_sort')
    call scan_mpi_plan_create_sort(mpi, spec, SCAN_MPI_BY_KEY, own + 5, int(n, int64), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create_sort')
    call scan_mpi_plan_run_sort(plan, own, args, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_run_sort')
    call check_memory(ctx, out, x(order(part%offset + 1:part%offset + part%count)), 'keys sorted by a plan')
    call scan_mpi_plan_run_sort(plan, merge(-3_int64, own, rank == 0), args, part, stat, errmsg)
    call check_refused('scan_mpi_plan_run_sort')
    call scan_mpi_plan_destroy(plan)
  end subroutine check_sort

  !> By the three lowest bits.
  subroutine check_split(ctx, mpi, x, keys, out)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32), intent(in) :: x(:)
    type(scan_mem), intent(in) :: keys, out
    integer(int32) :: split(size(x))
    integer(int64), target :: offsets(9)
    integer(int64) :: own
    integer :: bucket
    type(scan_split_spec) :: spec
    type(scan_split_args) :: args
    type(scan_mpi_plan) :: plan
    type(scan_mpi_part) :: part
    own = items
    split = [(pack(x, iand(x, 7) == bucket), bucket=0, 7)]
    spec%key_type = SCAN_U32
    spec%end_bit = 3
    args%keys_in = keys
    args%keys_out = out
    args%offsets = scan_host(offsets)
    call scan_mpi_split(mpi, spec, SCAN_MPI_AS_GIVEN, own, 0_int64, args, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_split')
    call check_part(part, items, first, n, 'a split')
    call check_memory(ctx, out, split(first + 1:first + items), 'a split')
    call check(all(offsets == [(count(iand(x, 7) < bucket), bucket=0, 8)]), 'where buckets begin')
    call scan_mpi_split(mpi, spec, SCAN_MPI_EVEN, merge(-3_int64, own, rank == 0), 0_int64, args, part, stat, errmsg)
    call check_refused('scan_mpi_split')
    offsets = 0
    call scan_mpi_plan_create_split(mpi, spec, SCAN_MPI_BY_KEY, own, int(n, int64), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create_split')
    call scan_mpi_plan_run_split(plan, own, args, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_run_split')
    call check_memory(ctx, out, split(part%offset + 1:part%offset + part%count), 'a split by a plan')
    call check(any(offsets == part%offset) .and. offsets(9) == n, 'cuts between buckets')
    call scan_mpi_plan_destroy(plan)
  end subroutine check_split

  subroutine check_runs(ctx, mpi, x, keys, out, more)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32), intent(in) :: x(:)
    type(scan_mem), intent(in) :: keys, out, more
    logical :: is_start(size(x)), is_last(size(x))
    integer :: i, begins(size(x) + 1), starts, before, lasts
    integer(int64) :: own
    type(scan_run_length_spec) :: lengths
    type(scan_run_length_args) :: runs
    type(scan_reduce_by_key_args) :: sums
    type(scan_spec) :: spec
    type(scan_mpi_part) :: part
    own = items
    is_start = [(.not. continues(x, i), i=1, n)]
    is_last = [is_start(2:), .true.]
    begins = pack([(i, i=0, n)], [is_start, .false.], [(n, i=0, n)])
    starts = count(is_start(first + 1:first + items))
    before = count(is_start(:first))
    lasts = count(is_last(first + 1:first + items))
    lengths%key_type = SCAN_I32
    lengths%length_type = SCAN_U32
    runs%keys = keys
    runs%keys_out = out
    runs%lengths = more
    call scan_mpi_run_length_encode(mpi, lengths, own, runs, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_run_length_encode')
    call check_part(part, starts, before, count(is_start), 'runs')
    call check_memory(ctx, out, pack(x(first + 1:first + items), is_start(first + 1:first + items)), 'keys of runs')
    call check_memory(ctx, more, begins(before + 2:before + starts + 1) - begins(before + 1:before + starts), 'lengths')
    call scan_mpi_run_length_encode(mpi, lengths, merge(-3_int64, own, rank == 0), runs, part, stat, errmsg)
    call check_refused('scan_mpi_run_length_encode')
    spec = scan_spec(type=SCAN_I32, op=SCAN_MAX, segments=SCAN_SEGMENTS_KEYS, key_type=SCAN_I32)
    sums%keys = keys
    sums%values = keys
    sums%values_out = out
    call scan_mpi_reduce_by_key(mpi, spec, own, sums, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_reduce_by_key')
    call check_part(part, lasts, count(is_last(:first)), count(is_last), 'maxima of runs')
    call check_memory(ctx, out, pack(x(first + 1:first + items), is_last(first + 1:first + items)), 'maxima of runs')
    call scan_mpi_reduce_by_key(mpi, spec, merge(-3_int64, own, rank == 0), sums, part, stat, errmsg)
    call check_refused('scan_mpi_reduce_by_key')
    call scan_mpi_unique(mpi, SCAN_I32, own, keys, more, 0_int64, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_unique')
    call check_part(part, starts, before, count(is_start), 'unique keys')
    call check_memory(ctx, more, pack(x(first + 1:first + items), is_start(first + 1:first + items)), 'unique keys')
    call scan_mpi_unique(mpi, SCAN_I32, merge(-3_int64, own, rank == 0), keys, more, 0_int64, part, stat, errmsg)
    call check_refused('scan_mpi_unique')
  end subroutine check_runs

  !> Plans for more keys than this rank has.
  subroutine check_run_plans(ctx, mpi, x, keys, out, more)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32), intent(in) :: x(:)
    type(scan_mem), intent(in) :: keys, out, more
    logical :: is_start(size(x)), is_last(size(x))
    integer(int32), allocatable :: firsts(:), lasts(:)
    integer :: i, runs
    integer(int64) :: own, most
    type(scan_run_length_spec) :: lengths
    type(scan_run_length_args) :: encoding
    type(scan_reduce_by_key_args) :: sums
    type(scan_spec) :: spec
    type(scan_mpi_plan) :: plan
    type(scan_mpi_part) :: part
    own = items
    most = items + 7
    is_start = [(.not. continues(x, i), i=1, n)]
    is_last = [is_start(2:), .true.]
    runs = count(is_start)
    allocate (firsts, source=pack(x(first + 1:first + items), is_start(first + 1:first + items)))
    allocate (lasts, source=pack(x(first + 1:first + items), is_last(first + 1:first + items)))
    lengths%key_type = SCAN_I32
    encoding%keys = keys
    encoding%keys_out = out
    call scan_mpi_plan_create_run_length(mpi, lengths, merge(-3_int64, most, rank == 0), plan, stat, errmsg)
    call check_refused('scan_mpi_plan_create_run_length')
    call scan_mpi_plan_create_run_length(mpi, lengths, most, plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create_run_length')
    call scan_mpi_plan_run_run_length(plan, own, encoding, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_run_run_length')
    call check(part%count == size(firsts) .and. part%total == runs, 'runs by a plan')
    call check_memory(ctx, out, firsts, 'keys of runs by a plan')
    call scan_mpi_plan_run_run_length(plan, merge(-3_int64, own, rank == 0), encoding, part, stat, errmsg)
    call check_refused('scan_mpi_plan_run_run_length')
    call scan_mpi_plan_destroy(plan)
    spec = scan_spec(type=SCAN_I32, op=SCAN_MAX, segments=SCAN_SEGMENTS_KEYS, key_type=SCAN_I32)
    sums%keys = keys
    sums%values = keys
    sums%values_out = out
    call scan_mpi_plan_create_reduce_by_key(mpi, spec, most, plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create_reduce_by_key')
    call scan_mpi_plan_run_reduce_by_key(plan, own, sums, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_run_reduce_by_key')
    call check(part%count == size(lasts) .and. part%total == runs, 'maxima of runs by a plan')
    call check_memory(ctx, out, lasts, 'maxima of runs by a plan')
    call scan_mpi_plan_destroy(plan)
    call scan_mpi_plan_create_unique(mpi, SCAN_I32, merge(-3_int64, most, rank == 0), plan, stat, errmsg)
    call check_refused('scan_mpi_plan_create_unique')
    call scan_mpi_plan_create_unique(mpi, SCAN_I32, most, plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create_unique')
    call scan_mpi_plan_run_unique(plan, own, keys, more, 0_int64, part, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_run_unique')
    call check(part%count == size(firsts) .and. part%total == runs, 'unique keys by a plan')
    call check_memory(ctx, more, firsts, 'unique keys by a plan')
    call scan_mpi_plan_run_unique(plan, merge(-3_int64, own, rank == 0), keys, more, 0_int64, part, stat, errmsg)
    call check_refused('scan_mpi_plan_run_unique')
    call scan_mpi_plan_destroy(plan)
  end subroutine check_run_plans

  !> Checks a call to which rank 0 gave a negative number.
  subroutine check_refused(call_name)
    character(*), intent(in) :: call_name
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, trim(merge('number -3 is negative', 'rank                 ', &
                                                                     rank == 0)), call_name//' of -3 elements')
  end subroutine check_refused

  !> A split by the elements' last decimal digit.
  subroutine check_bucket(ctx, mpi, x)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32), intent(in) :: x(:)
    integer(int32) :: positive(size(x)), split(size(x)), y(size(x))
    integer(int64) :: offsets(11)
    integer(int32), target :: divisor
    integer :: k
    type(scan_op) :: digit
    type(c_funptr) :: digit_at
    type(scan_mpi_part) :: part
    divisor = 1
    digit_at = c_funloc(digit_on_host)
    call scan_bucket_create(ctx, predicate_text, 'int32_t', 'digit', 4, 4, digit, stat, errmsg, params_type='int32_t', &
                            params_bytes=4, params_align=4, host=digit_at)
    call check_ok(stat, errmsg, 'scan_bucket_create')
    positive = x + 100
    split = [(pack(positive, mod(positive, 10) == k), k=0, 9)]
    call scan_mpi_split(mpi, SCAN_MPI_AS_GIVEN, digit, positive(first + 1:first + items), y(:items), offsets, part, &
                        stat, errmsg, params=c_loc(divisor))
    call check_ok(stat, errmsg, 'scan_mpi_split by a function')
    call check_part(part, items, first, n, 'a split by digits')
    call check(all(y(:items) == split(first + 1:first + items)), 'a split by digits')
    call check(all(offsets == [(count(mod(positive, 10) < k), k=0, 10)]), 'where digits begin')
    call scan_op_destroy(digit)
  end subroutine check_bucket

  subroutine check_predicate(ctx, mpi, x)
    type(scan_ctx), intent(in) :: ctx
    type(scan_mpi), intent(in) :: mpi
    integer(int32), intent(in) :: x(:)
    integer(int32) :: own(items), kept(items), rest(items)
    logical :: mask(size(x)), mine(items)
    type(limits), target :: range
    type(scan_op) :: inside
    type(c_funptr) :: inside_at
    type(scan_mpi_part) :: part, others
    range = limits(-20, 25)
    inside_at = c_funloc(inside_on_host)
    call scan_predicate_create(ctx, predicate_text, 'int32_t', 'inside', 4, 4, inside, stat, errmsg, &
                               params_type='limits', params_bytes=8, params_align=4, host=inside_at)
    call check_ok(stat, errmsg, 'scan_predicate_create')
    mask = x >= -20 .and. x < 25
    mine = mask(first + 1:first + items)
    own = x(first + 1:first + items)
    call scan_mpi_select(mpi, inside, own, kept, part, stat, errmsg, rest=rest, dropped=others, params=c_loc(range))
    call check_ok(stat, errmsg, 'scan_mpi_select by a predicate')
    call check_part(part, count(mine), count(mask(:first)), count(mask), 'kept elements')
    call check_part(others, items - count(mine), first - count(mask(:first)), n - count(mask), 'the others')
    call check(all(kept(:count(mine)) == pack(own, mine)), 'kept elements')
    call check(all(rest(:items - count(mine)) == pack(own, .not. mine)), 'the others')
    call scan_op_destroy(inside)
  end subroutine check_predicate
end module test_mpi_keys
