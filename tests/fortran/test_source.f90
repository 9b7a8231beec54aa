! SPDX-License-Identifier: BSD-2-Clause
!> Operators, predicates and bucket functions from source, and composites.
module test_source
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use scanrt
  use checks
  use callbacks
  implicit none
  private
  public :: check_operators, check_predicates, check_buckets, check_composites

  integer, parameter :: n = 2000
  character(1000) :: errmsg = ''
  integer :: stat

contains

  subroutine check_operators(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(c_funptr) :: then_at, plus_at, is_large_at, place_at
    type(scan_op) :: op
    type(scan_op_facts) :: facts
    type(scan_op_source) :: source
    type(scan_spec) :: spec
    type(step), target :: x(n), y(n), expected(n), unit, before
    real(real32) :: reals(n)
    integer(int64) :: places(n)
    integer(int32) :: ones(3) = 1, threes(3)
    integer(int32), target :: zero = 0
    integer :: i
    call begin('operators')
    then_at = c_funloc(then_on_host)
    plus_at = c_funloc(plus_on_host)
    is_large_at = c_funloc(is_large_on_host)
    place_at = c_funloc(place_on_host)
    unit = step(1, 0)
    call scan_op_create(ctx, step_text, 'travel', 'then', int(c_sizeof(unit)), 4, op, stat, errmsg, &
                        identity=c_loc(unit), host=then_at)
    call check_ok(stat, errmsg, 'scan_op_create')
    call scan_op_info(op, facts, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. facts%value_bytes == 8 .and. facts%has_identity == 1, 'scan_op_info')
    before = unit
    do i = 1, n
      x(i) = step(merge(-1, 1, mod(i, 5) == 0), mod(i, 7))
      before = step(x(i)%a * before%a, x(i)%a * before%b + x(i)%b)
      expected(i) = before
    end do
    spec%custom_op = op
    call scan_run(ctx, spec, int(n, c_int64_t), scan_host(c_loc(x)), scan_host(c_loc(y)), stat, errmsg)
    call check_ok(stat, errmsg, 'scan_run with it')
    call check(all(y%a == expected%a) .and. all(y%b == expected%b), 'composed steps')
    call scan_run(ctx, spec, ones, threes, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'takes 8 bytes', 'elements of another size')
    call scan_op_destroy(op)
    call scan_op_destroy(op)
    call scan_op_info(op, facts, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT, 'a destroyed operator')

    call scan_op_create(ctx, step_text, 'int32_t', 'plus', 4, 4, op, stat, errmsg, identity=c_loc(zero), &
                        host=plus_at, map='is_large', input_type='float', input_bytes=4, input_align=4, &
                        map_host=is_large_at, emit='place', output_type='int64_t', output_bytes=8, &
                        output_align=8, emit_host=place_at)
    call check_ok(stat, errmsg, 'an operator with a map and an emit')
    spec%custom_op = op
    reals = [(real(mod(i, 4)) / 3.0, i=1, n)]
    call scan_run(ctx, spec, reals, places, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_run with a map and an emit')
    call check(all(places == [(merge(i - 1, -1, reals(i) > 0.5), i=1, n)]), 'places')
    call scan_op_destroy(op)
    call scan_op_create(ctx, source, op, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'a source without anything')
    call scan_op_create(ctx, 'static inline int32_t plus(int32_t a, int32_t b) { return a +; }', 'int32_t', 'plus', 4, &
                        4, op, stat, errmsg)
    call check((stat == SCAN_BUILD_FAILED .or. stat == SCAN_UNSUPPORTED) .and. errmsg /= '', &
               'text that is no C, or no procedure for the host')
  end subroutine check_operators

  subroutine check_predicates(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(c_funptr) :: inside_at, tenth_at
    type(scan_op) :: inside, tenth
    type(scan_select_spec) :: by
    type(scan_select_args) :: args
    integer(int32), target :: x(n), kept(n), rest(n), below(n), above(n)
    integer(c_int64_t), target :: number
    integer(c_int64_t) :: parts(3)
    type(limits), target :: low = limits(10, 40), high = limits(60, 100)
    logical :: mask(n), second(n)
    integer :: i, expected
    call begin('predicates')
    inside_at = c_funloc(inside_on_host)
    tenth_at = c_funloc(tenth_on_host)
    x = [(mod(i * 3, 101), i=1, n)]
    call scan_predicate_create(ctx, predicate_text, 'int32_t', 'inside', 4, 4, inside, stat, errmsg, &
                               params_type='limits', params_bytes=8, params_align=4, host=inside_at)
    call check_ok(stat, errmsg, 'scan_predicate_create')
    mask = x >= 10 .and. x < 40
    second = x >= 60 .and. x < 100
    expected = count(mask)
    call scan_select(ctx, inside, x, kept, number, stat, errmsg, rest=rest, params=c_loc(low))
    call check_ok(stat, errmsg, 'scan_select by a predicate')
    call check(number == expected .and. all(kept(:expected) == pack(x, mask)), 'kept')
    call check(all(rest(:n - expected) == pack(x, .not. mask)), 'the rest')
    call scan_partition3(ctx, inside, inside, x, below, above, rest, parts, stat, errmsg, first_params=c_loc(low), &
                         second_params=c_loc(high))
    call check_ok(stat, errmsg, 'scan_partition3')
    call check(all(parts == [count(mask), count(second), count(.not. (mask .or. second))]), 'sizes of parts')
    call check(all(below(:parts(1)) == pack(x, mask)) .and. all(above(:parts(2)) == pack(x, second)) .and. &
               all(rest(:parts(3)) == pack(x, .not. (mask .or. second))), 'parts')
    call scan_partition3(ctx, inside, inside, x, below, above(:5), rest, parts, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'second has 5 elements', 'a small part')
    call scan_op_destroy(inside)

    call scan_predicate_create(ctx, predicate_text, 'int32_t', 'tenth', 4, 4, tenth, stat, errmsg, &
                               host=tenth_at, is_pair=.true.)
    call check_ok(stat, errmsg, 'a predicate of two elements')
    by%by = SCAN_SELECT_FIRST
    by%predicate = tenth
    by%arrays = 1
    by%element_bytes(1) = 4
    args%in(1) = scan_host(x)
    args%out(1) = scan_host(kept)
    args%count = scan_host(number)
    call scan_select(ctx, by, int(n, c_int64_t), args, stat, errmsg)
    call check_ok(stat, errmsg, 'unique by a predicate')
    mask(1) = .true.
    mask(2:) = x(2:) / 10 /= x(:n - 1) / 10
    call check(number == count(mask) .and. all(kept(:count(mask)) == pack(x, mask)), 'one of each run')
    call scan_op_destroy(tenth)
  end subroutine check_predicates

  subroutine check_buckets(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(c_funptr) :: digit_at
    type(scan_op) :: digit
    integer(int32) :: x(n), y(n)
    integer(int32), target :: divisor = 10
    integer(c_int64_t) :: offsets(11), counts(10)
    integer :: i
    call begin('bucket functions')
    digit_at = c_funloc(digit_on_host)
    x = [(mod(i * 37, 101), i=1, n)]
    call scan_bucket_create(ctx, predicate_text, 'int32_t', 'digit', 4, 4, digit, stat, errmsg, params_type='int32_t', &
                            params_bytes=4, params_align=4, host=digit_at)
    call check_ok(stat, errmsg, 'scan_bucket_create')
    call scan_split(ctx, digit, x, y, offsets, stat, errmsg, params=c_loc(divisor))
    call check_ok(stat, errmsg, 'scan_split by a function')
    do i = 0, 9
      call check(all(y(offsets(i + 1) + 1:offsets(i + 2)) == pack(x, mod(x / 10, 10) == i)), 'a bucket')
    end do
    call scan_histogram(ctx, digit, x, counts, stat, errmsg, params=c_loc(divisor))
    call check(stat == SCAN_SUCCESS .and. all(counts == offsets(2:) - offsets(:10)), 'scan_histogram by a function')
    call scan_op_destroy(digit)
  end subroutine check_buckets

  subroutine check_composites(ctx)
    type(scan_ctx), intent(in) :: ctx
    type(scan_op) :: op
    type(scan_spec) :: spec
    type(scan_composite_facts) :: facts
    complex(real32) :: z(n), products(n), total, grid(4, 3), grid_out(4, 3)
    complex(real64) :: z64(5), products64(5)
    type(scan_arg_i32_t), target :: values(n), firsts(n)
    type(scan_u128_t), target :: words(n), sums(n)
    integer :: i, k
    call begin('composites')
    z = [((0.0, 1.0), i=1, n)]
    call scan_composite_create(ctx, SCAN_COMPLEX_F32, op, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_composite_create')
    spec%custom_op = op
    call scan_run(ctx, spec, z, products, stat, errmsg)
    call check_ok(stat, errmsg, 'scan_run of complex numbers')
    call check(all(abs(products(1:4) - [(0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)]) <= 0), 'powers of i')
    call scan_run(ctx, spec, z(:2), products(:2), stat, errmsg, init=(2.0, 0.0))
    call check(stat == SCAN_SUCCESS .and. abs(products(2) + 2.0) <= 0, 'from an initial value')
    call scan_reduce(ctx, spec, z(:6), total, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(total + 1.0) <= 0, 'scan_reduce')
    grid = (0.0, 1.0)
    call scan_run(ctx, spec, grid, grid_out, 1, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. all(abs(grid_out(4, :) - 1.0) <= 0), 'along a dimension')
    call scan_stream(ctx, spec, z, products, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. abs(products(2) + 1.0) <= 0, 'scan_stream')
    call scan_op_destroy(op)
    call scan_run(ctx, scan_spec(op=SCAN_ADD), z, products, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, 'complex(real32)', 'no built-in operator')

    call scan_composite_create(ctx, SCAN_COMPLEX_F64, op, stat, errmsg)
    if (stat /= SCAN_UNSUPPORTED) then
      call check_ok(stat, errmsg, 'of f64')
      spec%custom_op = op
      z64 = (2.0_real64, 0.0_real64)
      call scan_run(ctx, spec, z64, products64, stat, errmsg)
      call check(stat == SCAN_SUCCESS .and. abs(products64(5) - 32.0_real64) <= 0, 'powers of 2')
      call scan_op_destroy(op)
    end if

    call scan_composite_create(ctx, SCAN_ARGMAX_I32, op, stat, errmsg)
    spec%custom_op = op
    values = [(scan_arg_i32_t(mod(i * 37, 101), i), i=1, n)]
    call scan_run(ctx, spec, int(n, c_int64_t), scan_host(c_loc(values)), scan_host(c_loc(firsts)), stat, errmsg)
    call check_ok(stat, errmsg, 'first maxima')
    call check(all([(firsts(k)%index == maxloc(values(:k)%value, dim=1), k=1, n, 97)]), 'places of first maxima')
    call scan_op_destroy(op)

    call scan_composite_create(ctx, SCAN_SUM_U128, op, stat, errmsg)
    spec%custom_op = op
    words = scan_u128_t(low=-1_c_int64_t, high=0_c_int64_t)
    call scan_run(ctx, spec, int(n, c_int64_t), scan_host(c_loc(words)), scan_host(c_loc(sums)), stat, errmsg)
    call check_ok(stat, errmsg, 'sums of 128 bits')
    call check(all(sums%low == [(int(-i, c_int64_t), i=1, n)]) .and. all(sums%high == [(int(i - 1, c_int64_t), i=1, n)]), &
               'carries')
    call scan_op_destroy(op)

    call scan_composite_get(SCAN_MATRIX3_F32, facts, stat, errmsg)
    call check(stat == SCAN_SUCCESS .and. facts%value_bytes == 36, 'scan_composite_get')
    call scan_composite_get(99_c_int, facts, stat, errmsg)
    call check_fails(stat, errmsg, SCAN_INVALID_ARGUMENT, '99', 'no composite')
    call scan_composite_create(ctx, 99_c_int, op, stat, errmsg)
    call check(stat == SCAN_INVALID_ARGUMENT .and. errmsg /= '', 'an operator of none')
  end subroutine check_composites
end module test_source
