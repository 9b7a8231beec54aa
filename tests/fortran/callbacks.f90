! SPDX-License-Identifier: BSD-2-Clause
!> Operators, predicates and bucket functions of the tests: as C source for devices, and as procedures for the host.
module callbacks
  use, intrinsic :: iso_c_binding
  use scanrt
  implicit none
  public

  !> A step v -> a v + b of small whole numbers, which does not commute.
  type, bind(C) :: step
    integer(c_int32_t) :: a, b
  end type step

  character(*), parameter :: step_text = &
    'typedef struct travel { int32_t a, b; } travel; '// &
    'static inline travel then(travel f, travel g) { travel h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; } '// &
    'static inline int32_t plus(int32_t a, int32_t b) { return a + b; } '// &
    'static inline int32_t is_large(float x, uint64_t index) { (void)index; return x > 0.5f; } '// &
    'static inline int64_t place(int32_t inclusive, int32_t exclusive, float x, uint64_t index) '// &
    '{ (void)x; return inclusive != exclusive ? (int64_t)index : -1; }'

  type, bind(C) :: limits
    integer(c_int32_t) :: low, high
  end type limits

  character(*), parameter :: predicate_text = &
    'typedef struct limits { int32_t low, high; } limits; '// &
    'static inline int inside(int32_t x, uint64_t index, limits l) '// &
    '{ (void)index; return x >= l.low && x < l.high; } '// &
    'static inline int tenth(int32_t before, int32_t x) { return before / 10 == x / 10; } '// &
    'static inline uint32_t digit(int32_t x, uint64_t index, int32_t divisor) '// &
    '{ (void)index; return (uint32_t)(x / divisor % 10); }'

  !> What the callbacks of scan_stream read and write.
  type :: storage
    integer(c_int32_t), allocatable :: from(:), to(:)
    integer :: calls = 0
    logical :: is_cancelled = .false.
  end type storage

contains

  subroutine then_on_host(a, b, result, user) bind(C)
    type(c_ptr), intent(in), value :: a, b, result, user
    type(step), pointer :: f, g, h
    if (c_associated(user)) return
    call c_f_pointer(a, f)
    call c_f_pointer(b, g)
    call c_f_pointer(result, h)
    h = step(g%a * f%a, g%a * f%b + g%b)
  end subroutine then_on_host

  subroutine plus_on_host(a, b, result, user) bind(C)
    type(c_ptr), intent(in), value :: a, b, result, user
    integer(c_int32_t), pointer :: x, y, z
    if (c_associated(user)) return
    call c_f_pointer(a, x)
    call c_f_pointer(b, y)
    call c_f_pointer(result, z)
    z = x + y
  end subroutine plus_on_host

  subroutine is_large_on_host(x, index, value, user) bind(C)
    type(c_ptr), intent(in), value :: x, value, user
    integer(c_int64_t), intent(in), value :: index
    real(c_float), pointer :: element
    integer(c_int32_t), pointer :: number
    if (c_associated(user) .or. index < 0) return
    call c_f_pointer(x, element)
    call c_f_pointer(value, number)
    number = merge(1_c_int32_t, 0_c_int32_t, element > 0.5)
  end subroutine is_large_on_host

  subroutine place_on_host(inclusive, exclusive, x, index, output, user) bind(C)
    type(c_ptr), intent(in), value :: inclusive, exclusive, x, output, user
    integer(c_int64_t), intent(in), value :: index
    integer(c_int32_t), pointer :: with, without
    integer(c_int64_t), pointer :: out
    if (c_associated(user) .or. .not. c_associated(x)) return
    call c_f_pointer(inclusive, with)
    call c_f_pointer(exclusive, without)
    call c_f_pointer(output, out)
    out = merge(index, -1_c_int64_t, with /= without)
  end subroutine place_on_host

  integer(c_int32_t) function inside_on_host(x, index, n, params, user) bind(C) result(word)
    type(c_ptr), intent(in), value :: x, params, user
    integer(c_int64_t), intent(in), value :: index
    integer(c_int32_t), intent(in), value :: n
    integer(c_int32_t), pointer :: elements(:)
    type(limits), pointer :: l
    integer :: k
    word = 0
    if (c_associated(user) .or. index < 0) return
    call c_f_pointer(x, elements, [n])
    call c_f_pointer(params, l)
    do k = 1, n
      if (elements(k) >= l%low .and. elements(k) < l%high) word = ibset(word, k - 1)
    end do
  end function inside_on_host

  integer(c_int32_t) function tenth_on_host(x, index, n, params, user) bind(C) result(word)
    type(c_ptr), intent(in), value :: x, params, user
    integer(c_int64_t), intent(in), value :: index
    integer(c_int32_t), intent(in), value :: n
    integer(c_int32_t), pointer :: elements(:)
    integer :: k
    word = 0
    if (.not. c_associated(params) .and. c_associated(user) .or. index < 0) return
    call c_f_pointer(x, elements, [n + 1])
    do k = 1, n
      if (elements(k) / 10 /= elements(k + 1) / 10) word = ibset(word, k - 1)
    end do
  end function tenth_on_host

  subroutine digit_on_host(x, index, n, buckets, params, user) bind(C)
    type(c_ptr), intent(in), value :: x, buckets, params, user
    integer(c_int64_t), intent(in), value :: index
    integer(c_int32_t), intent(in), value :: n
    integer(c_int32_t), pointer :: elements(:), numbers(:), divisor
    if (c_associated(user) .or. index < 0) return
    call c_f_pointer(x, elements, [n])
    call c_f_pointer(buckets, numbers, [n])
    call c_f_pointer(params, divisor)
    numbers = mod(elements / divisor, 10)
  end subroutine digit_on_host

  integer(c_int) function read_storage(user, first, items, to) bind(C) result(failed)
    type(c_ptr), intent(in), value :: user, to
    integer(c_int64_t), intent(in), value :: first, items
    type(storage), pointer :: s
    integer(c_int32_t), pointer :: room(:)
    call c_f_pointer(user, s)
    call c_f_pointer(to, room, [items])
    room = s%from(first + 1:first + items)
    failed = 0
  end function read_storage

  integer(c_int) function write_storage(user, first, items, from) bind(C) result(failed)
    type(c_ptr), intent(in), value :: user, from
    integer(c_int64_t), intent(in), value :: first, items
    type(storage), pointer :: s
    integer(c_int32_t), pointer :: results(:)
    call c_f_pointer(user, s)
    call c_f_pointer(from, results, [items])
    s%to(first + 1:first + items) = results
    failed = 0
  end function write_storage

  integer(c_int) function count_chunks(user, done, n) bind(C) result(failed)
    type(c_ptr), intent(in), value :: user
    integer(c_int64_t), intent(in), value :: done, n
    type(storage), pointer :: s
    call c_f_pointer(user, s)
    s%calls = s%calls + 1
    failed = merge(1_c_int, 0_c_int, s%is_cancelled .and. done < n)
  end function count_chunks
end module callbacks
