! SPDX-License-Identifier: BSD-2-Clause
!> Module scanrt_mpi on the ranks of one machine; and faults of one rank, of which all ranks learn.
program test_mpi
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use mpi_f08, only: MPI_Init, MPI_Finalize, MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD
  use scanrt
  use scanrt_mpi
  use checks
  use callbacks
  use mpi_ranks, only: place_ranks
  use test_mpi_keys
  use test_mpi_int8
  use test_mpi_int16
  use test_mpi_int32
  use test_mpi_int64
  use test_mpi_real32
  use test_mpi_real64
  implicit none
  integer, parameter :: n = 1000
  type(scan_ctx) :: ctx
  type(scan_mpi) :: mpi
  character(600) :: errmsg = ''
  integer :: stat, rank, ranks
  call scan_mpi_create(ctx, MPI_COMM_WORLD%MPI_VAL, mpi, stat, errmsg)
  call begin('before MPI_Init')
  call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'no handle')
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call open_device(ctx)
  call scan_mpi_create(ctx, MPI_COMM_WORLD%MPI_VAL, mpi, stat, errmsg)
  call check_ok(stat, errmsg, 'scan_mpi_create')
  call place_ranks(rank, ranks)
  call check_mpi_int8(ctx, mpi)
  call check_mpi_int16(ctx, mpi)
  call check_mpi_int32(ctx, mpi)
  call check_mpi_int64(ctx, mpi)
  call check_mpi_real32(ctx, mpi)
  call check_mpi_real64(ctx, mpi)
  call check_keys(ctx, mpi)
  call check_runs()
  call check_memory()
  call check_parts()
  call check_lines()
  call check_faults()
  call check_contexts()
  call scan_mpi_destroy(mpi)
  call scan_mpi_destroy(mpi)
  call scan_ctx_destroy(ctx)
  call MPI_Finalize()
  call finish()

contains

  !> The place of this rank's first element among those of ranks with n + r elements each.
  integer function before(r)
    integer, intent(in) :: r
    before = r * n + r * (r - 1) / 2
  end function before

  subroutine check_runs()
    integer(int32) :: x(n + rank), y(n + rank), carry
    complex(kind(1.0)) :: z(2), products(2)
    type(scan_op) :: op
    type(scan_spec) :: spec
    integer :: i
    call begin('runs')
    x = 1
    call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD, kind=SCAN_EXCLUSIVE), x, y, stat, errmsg, init=5)
    call check_ok(stat, errmsg, 'scan_mpi_run')
    call check(all(y == [(before(rank) + i + 5, i=0, n + rank - 1)]), 'from an initial value')
    call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD), x, y, stat, errmsg, carry_in=7, carry_out=carry)
    call check(stat == SCAN_SUCCESS .and. carry == before(ranks) + 7 .and. y(1) == before(rank) + 8, 'carries')
    call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD, kind=SCAN_TOTAL), x, y(:1), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. y(1) == before(ranks), 'the total of all ranks')
    call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD, segments=SCAN_SEGMENTS_FLAGS), x, y, stat, errmsg, &
                      marks=scan_host(flags_of(n + rank)))
    call check(stat == SCAN_SUCCESS .and. y(10) == 10 .and. y(11) == 1, 'segments by flags')
    z = (0.0, 1.0)
    call scan_composite_create(ctx, SCAN_COMPLEX_F32, op, stat, errmsg)
    spec%custom_op = op
    call scan_mpi_run(mpi, spec, z, products, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(products(2) - (-1.0) ** (rank + 1)) <= 0, 'powers of i')
    call scan_op_destroy(op)
  end subroutine check_runs

  function flags_of(items) result(flags)
    integer, intent(in) :: items
    integer(c_int8_t), pointer :: flags(:)
    integer(c_int8_t), save, target :: room(2 * n)
    room = 0
    room(1) = 1
    room(11) = 1
    flags => room(:items)
  end function flags_of

  subroutine check_memory()
    real(real64), target :: x(n), y(n)
    type(scan_args) :: args
    type(scan_mpi_plan) :: plan
    type(scan_mpi_facts) :: facts
    type(scan_spec) :: spec
    integer(int64) :: offset, total, place
    integer(int32) :: large(2), sums(2)
    call begin('memory')
    x = 0.5_real64
    spec = scan_spec(type=SCAN_F64, op=SCAN_ADD)
    args%in = scan_host(x)
    args%out = scan_host(y)
    call scan_mpi_run_args(mpi, spec, int(n, int64), args, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_run_args')
    call check(abs(y(n) - (rank + 1) * n * 0.5_real64) <= 0, 'its sums')
    call scan_mpi_info(mpi, facts, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. scan_text(facts%transport) /= '', 'scan_mpi_info')
    call check(scan_mpi_sent_bytes(mpi) >= 0, 'scan_mpi_sent_bytes')
    call check(scan_mpi_takes_device_memory(mpi) .eqv. scan_text(facts%transport) == 'mpi', 'memory that MPI accepts')
    y = 0
    call scan_mpi_run(ctx, MPI_COMM_WORLD%MPI_VAL, spec, int(n, int64), scan_host(x), scan_host(y), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(y(n) - (rank + 1) * n * 0.5_real64) <= 0, 'without a handle')
    call scan_mpi_plan_create(mpi, spec, int(n, int64), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create')
    y = 0
    call scan_mpi_plan_run(plan, int(n, int64), scan_host(x), scan_host(y), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(y(n) - (rank + 1) * n * 0.5_real64) <= 0, 'scan_mpi_plan_run')
    y = 0
    call scan_mpi_plan_run_args(plan, int(n, int64), args, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(y(1) - (rank * n + 1) * 0.5_real64) <= 0, 'scan_mpi_plan_run_args')
    call scan_mpi_plan_run(plan, -1_int64, scan_host(x), scan_host(y), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'negative', 'fewer than none')
    call scan_mpi_plan_destroy(plan)
    offset = -1
    call scan_mpi_offsets(MPI_COMM_WORLD%MPI_VAL, int(n + rank, int64), offset, total, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. offset == before(rank) .and. total == before(ranks), 'scan_mpi_offsets')
    large = 1073741823 ! twice that is the largest even number
    call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD, flags=SCAN_CHECK_OVERFLOW), large, sums, stat, errmsg)
    call check(stat == merge(SCAN_OVERFLOW, SCAN_SUCCESS, ranks > 1), 'an overflow')
    call scan_mpi_overflow_index(mpi, place, stat, errmsg)
    call check((stat == SCAN_SUCCESS) .eqv. ranks > 1, 'scan_mpi_overflow_index')
    if (stat == SCAN_SUCCESS) call check(place == 2, 'its place')
  end subroutine check_memory

  subroutine check_parts()
    type(scan_op) :: inside
    type(scan_mpi_part) :: kept, rest, parts(3)
    type(scan_select_spec) :: by
    type(scan_select_args) :: select
    type(scan_partition3_spec) :: three
    type(scan_partition3_args) :: args
    integer(int32), target :: x(n), a(n), b(n), c(n)
    type(limits), target :: low = limits(10, 40), high = limits(60, 100)
    type(c_funptr) :: inside_at
    integer :: i, own
    call begin('parts')
    x = [(mod(i * 37, 101), i=1, n)]
    inside_at = c_funloc(inside_on_host)
    call scan_predicate_create(ctx, predicate_text, 'int32_t', 'inside', 4, 4, inside, stat, errmsg, &
                               params_type='limits', params_bytes=8, params_align=4, host=inside_at)
    call check_ok(stat, errmsg, 'scan_predicate_create')
    own = count(x >= 10 .and. x < 40)
    by%by = SCAN_SELECT_PREDICATE
    by%predicate = inside
    by%arrays = 1
    by%element_bytes(1) = 4
    select%in(1) = scan_host(x)
    select%out(1) = scan_host(a)
    select%params = c_loc(low)
    call scan_mpi_select(mpi, by, int(n, int64), select, kept, rest, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_select')
    call check(kept%count == own .and. kept%offset == rank * own .and. kept%total == ranks * own, 'what is kept')
    call check(rest%count == n - own .and. rest%total == ranks * (n - own), 'the rest')
    call check(all(a(:own) == pack(x, x >= 10 .and. x < 40)), 'its elements')
    three%first = inside
    three%second = inside
    three%arrays = 1
    three%element_bytes(1) = 4
    args%in(1) = scan_host(x)
    args%first(1) = scan_host(a)
    args%second(1) = scan_host(b)
    args%rest(1) = scan_host(c)
    args%first_params = c_loc(low)
    args%second_params = c_loc(high)
    call scan_mpi_partition(mpi, three, int(n, int64), args, parts, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_partition')
    call check(parts(1)%count == own .and. sum(parts%count) == n .and. parts(2)%offset == rank * parts(2)%count, &
               'parts')
    call scan_mpi_select(mpi, by, merge(-1_int64, int(n, int64), rank == 0), select, kept, rest, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'a negative number on rank 0')
    call scan_op_destroy(inside)
  end subroutine check_parts

  !> Columns that are cut: each rank has three rows of them.
  subroutine check_lines()
    real(real64), target :: x(3, 5), y(3, 5)
    type(scan_spec) :: spec
    type(scan_array) :: array
    integer :: i
    call begin('lines')
    spec = scan_spec(type=SCAN_F64, op=SCAN_ADD)
    x = 1
    call scan_array_packed(spec, shape(x, kind=int64), 1, array, stat, errmsg)
    call scan_mpi_run_array(mpi, spec, array, scan_host(x), scan_host(y), stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_run_array')
    call check(all(abs(y - spread([(real(3 * rank + i, real64), i=1, 3)], 2, 5)) <= 0), 'its sums')
  end subroutine check_lines

  !> Each rank in turn has an output that is too short, or a number below 0: all are told, and the handle works on.
  subroutine check_faults()
    integer(int32) :: x(n), y(n)
    type(scan_args) :: args
    integer :: who
    call begin('faults')
    x = 1
    do who = 0, ranks - 1
      call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD), x, y(:merge(n - 1, n, rank == who)), stat, errmsg)
      call check(stat == SCAN_INVALID_ARGUMENT, 'a short output: '//scan_status_name(stat))
      if (rank == who) call check(index(errmsg, 'out has 999 elements') > 0, 'its words: '//trim(errmsg))
      if (rank /= who) call check(index(errmsg, 'rank') == 1, 'words of another rank: '//trim(errmsg))
      args%in = scan_host(x)
      args%out = scan_host(y)
      call scan_mpi_run_args(mpi, scan_spec(type=SCAN_I32, op=SCAN_ADD), int(merge(-1, n, rank == who), int64), args, &
                             stat, errmsg)
      call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'a negative number')
      if (rank == who) call check(index(errmsg, 'negative') > 0, 'its words: '//trim(errmsg))
      call scan_mpi_run(mpi, scan_spec(op=SCAN_ADD), x, y, stat, errmsg)
      call check(stat == SCAN_SUCCESS .and. y(n) == (rank + 1) * n, 'a scan after that')
    end do
    call scan_mpi_run(mpi, scan_spec(type=SCAN_F32, op=SCAN_ADD), x, y, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'integer(int32)', 'a type that the array does not hold')
  end subroutine check_faults

  !> Two contexts of rank 0, and one of each other rank, of n elements each.
  subroutine check_contexts()
    type(scan_ctx) :: ctxs(2)
    type(scan_mpi) :: several
    type(scan_mpi_plan) :: plan
    type(scan_args) :: args(2)
    type(scan_spec) :: spec
    type(scan_op) :: ops(2)
    real(real64), target :: x(n, 2), y(n, 2)
    complex(kind(1.0)), target :: z(n, 2), products(n, 2)
    integer(int64) :: ns(2)
    integer :: own, first, i, k
    call begin('contexts')
    own = merge(2, 1, rank == 0)
    first = merge(0, rank + 1, rank == 0)
    x = 0.5_real64
    z = (0.0, 1.0)
    y = 0
    ns = n
    do i = 1, own
      call open_device(ctxs(i))
      args(i)%in = scan_host(x(:, i))
      args(i)%out = scan_host(y(:, i))
    end do
    call scan_mpi_create_contexts(ctxs(:own), MPI_COMM_WORLD%MPI_VAL, several, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_create_contexts')
    spec = scan_spec(type=SCAN_F64, op=SCAN_ADD)
    call scan_mpi_run_contexts(several, spec, ns(:own), args(:own), stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_run_contexts')
    call check(all(abs(y(n, :own) - [((first + i) * n * 0.5_real64, i=1, own)]) <= 0), 'sums of contexts')
    call scan_mpi_plan_create_contexts(several, spec, ns(:own), plan, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_plan_create_contexts')
    y = 0
    call scan_mpi_plan_run_contexts(plan, ns(:own), args(:own), stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(y(n, own) - (first + own) * n * 0.5_real64) <= 0, 'by a plan')
    call scan_mpi_plan_run_contexts(plan, [ns(:own), 1_int64], args(:own), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'one element for each', 'more numbers than contexts')
    call scan_mpi_plan_run_contexts(plan, -ns(:own), args(:own), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'negative', 'fewer than none')
    call scan_mpi_plan_destroy(plan)
    call scan_mpi_plan_create_contexts(several, spec, ns(:0), plan, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'one element for each', 'no numbers')
    call scan_mpi_run_contexts(several, spec, ns(:own), args(:own - 1), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'one element for each', 'fewer args than contexts')
    do i = 1, own
      call scan_composite_create(ctxs(i), SCAN_COMPLEX_F32, ops(i), stat, errmsg)
      args(i)%in = scan_host(c_loc(z(1, i)))
      args(i)%out = scan_host(c_loc(products(1, i)))
    end do
    call scan_mpi_run_contexts(several, scan_spec(), ns(:own), args(:own), stat, errmsg, ops=ops(:own))
    call check_ok(stat, errmsg, 'an operator of each context')
    k = mod(first * n + 1, 4) ! the power of i, of which n is a multiple of 4
    call check(abs(products(1, 1) - (0.0, 1.0) ** k) <= 0, 'powers of i')
    call check_parts_of(several, own, first)
    call scan_mpi_destroy(several)
    do i = 1, own
      call scan_op_destroy(ops(i))
      call scan_ctx_destroy(ctxs(i))
    end do
  end subroutine check_contexts

  !> Compaction by flags, every tenth of n elements of each of `own` contexts, of which `first` are before.
  subroutine check_parts_of(several, own, first)
    type(scan_mpi), intent(in) :: several
    integer, intent(in) :: own, first
    integer(int32), target :: x(n, own), y(n, own)
    integer(c_int8_t), target :: flags(n)
    type(scan_select_spec) :: by(own)
    type(scan_select_args) :: args(own)
    type(scan_partition3_spec) :: three(own)
    type(scan_partition3_args) :: splits(own)
    type(scan_mpi_part) :: kept(own), rest(own), parts(3, own)
    integer :: i
    flags = [(merge(1_c_int8_t, 0_c_int8_t, mod(i, 10) == 0), i=1, n)]
    by%by = SCAN_SELECT_FLAGS
    by%arrays = 1
    do i = 1, own
      x(:, i) = first + i
      by(i)%element_bytes(1) = 4
      args(i)%marks = scan_host(flags)
      args(i)%in(1) = scan_host(x(:, i))
      args(i)%out(1) = scan_host(y(:, i))
    end do
    call scan_mpi_select_contexts(several, by, int([(n, i=1, own)], int64), args, kept, rest, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_mpi_select_contexts')
    call check(all(kept%count == n / 10) .and. all(kept%offset == [((first + i) * (n / 10), i=0, own - 1)]), 'kept')
    call check(all(rest%offset == [((first + i) * (n - n / 10), i=0, own - 1)]), 'the rest of contexts')
    call check(all(kept%total == (ranks + 1) * (n / 10)) .and. all(y(:n / 10, own) == first + own), 'its elements')
    call scan_mpi_select_contexts(several, by, int([(n, i=1, own)], int64), args(2:), kept, rest, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'one element for each', 'fewer args than contexts')
    call scan_mpi_partition_contexts(several, three, int([(n, i=1, own)], int64), splits, parts, stat, errmsg)
    call check(stat /= SCAN_SUCCESS .and. index(errmsg, 'rank') == 1, 'a partition without predicates: '//trim(errmsg))
    call scan_mpi_partition_contexts(several, three, int([(n, i=1, own)], int64), splits, parts(:2, :), stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'three rows', 'two rows of parts')
  end subroutine check_parts_of
end program test_mpi
