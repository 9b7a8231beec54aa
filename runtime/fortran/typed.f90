! SPDX-License-Identifier: BSD-2-Clause
!> Procedures that the generic procedures of all kinds share. `own` is the type of an array's elements.
module scanrt_typed
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  use scanrt_parse, only: scan_type_name
  use scanrt_memory
  use scanrt_operators, only: scan_op_info
  use scanrt_run_args, only: scan_run_args
  use scanrt_scan, only: scan_run_array_args
  use scanrt_stream, only: scan_stream
  use scanrt_select, only: scan_select
  implicit none
  private
  public :: scan_own_bytes, scan_type_of, scan_settle, scan_check_items, scan_check_bits, scan_capacity
  public :: scan_mark_count
  public :: scan_run_typed, scan_run_array_typed, scan_stream_typed, scan_set_init_typed
  public :: scan_select_typed, scan_prepare_select

  integer(c_int), parameter, public :: SCAN_OWN_COMPLEX_F32 = 101, SCAN_OWN_COMPLEX_F64 = 102 !< For composite types.

contains

  !> Returns the bytes of an element of type `own`.
  pure integer(c_int64_t) function scan_own_bytes(own)
    integer(c_int), intent(in) :: own
    integer(c_int64_t), parameter :: bytes(SCAN_I8:SCAN_BF16) = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 2]
    select case (own)
    case (SCAN_I8:SCAN_BF16)
      scan_own_bytes = bytes(own)
    case (SCAN_OWN_COMPLEX_F32)
      scan_own_bytes = 8
    case default
      scan_own_bytes = 16
    end select
  end function scan_own_bytes

  !> .true. if elements of type `own` can hold `type`: integers hold unsigned ones, integer(int16) holds f16 and bf16.
  pure logical function fits(type, own)
    integer(c_int), intent(in) :: type, own
    integer(c_int), parameter :: holds(SCAN_I8:SCAN_BF16) = [ SCAN_I8, SCAN_I8, SCAN_I16, SCAN_I16, SCAN_I32, &
      SCAN_I32, SCAN_I64, SCAN_I64, SCAN_F32, SCAN_F64, SCAN_I16, SCAN_I16 ]
    fits = type >= SCAN_I8 .and. type <= SCAN_BF16
    if (fits) fits = holds(type) == own
  end function fits

  !> Returns Fortran's name of the type `own`.
  pure function element_name(own) result(name)
    integer(c_int), intent(in) :: own
    character(:), allocatable :: name
    select case (own)
    case (SCAN_I8); name = 'integer(int8)'
    case (SCAN_I16); name = 'integer(int16)'
    case (SCAN_I32); name = 'integer(int32)'
    case (SCAN_I64); name = 'integer(int64)'
    case (SCAN_F32); name = 'real(real32)'
    case (SCAN_F64); name = 'real(real64)'
    case (SCAN_OWN_COMPLEX_F32); name = 'complex(real32)'
    case default; name = 'complex(real64)'
    end select
  end function element_name

  !> Finds the type that a call asks for, else the elements' own. Refuses a type that the elements cannot hold.
  subroutine scan_type_of(asked, own, what, type, stat, errmsg)
    integer(c_int), intent(in) :: asked !< SCAN_TYPE_DEFAULT: the elements' own.
    integer(c_int), intent(in) :: own
    character(*), intent(in) :: what
    integer(c_int), intent(out) :: type
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: name
    stat = SCAN_SUCCESS
    type = asked
    if (asked == SCAN_TYPE_DEFAULT) type = own
    if (fits(type, own)) return
    if (asked == SCAN_TYPE_DEFAULT) then
      call scan_refuse(what//': elements are '//element_name(own)// &
                       ', which only operators from source take: set spec%custom_op', stat, errmsg)
    else
      name = scan_type_name(asked)
      if (name == '') name = scan_number(int(asked, c_int64_t))
      call scan_refuse(what//' is '//name//', and the array''s elements are '//element_name(own), stat, errmsg)
    end if
  end subroutine scan_type_of

  !> Sets the types of a spec, where it has none, to those of its arrays' elements. Refuses specs that do not fit them.
  subroutine scan_settle(spec, in_own, out_own, init, has_carry, settled, stat, errmsg)
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    type(c_ptr), intent(in) :: init !< An element of the output's type; c_null_ptr: the spec's initial value.
    logical, intent(in) :: has_carry
    type(scan_spec), intent(out) :: settled
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: value_bytes
    settled = spec
    if (c_associated(scan_op_handle(spec%custom_op))) then
      call check_operator(spec, in_own, out_own, value_bytes, stat, errmsg)
    else
      call settle_types(settled, in_own, out_own, value_bytes, stat, errmsg)
    end if
    if (stat /= SCAN_SUCCESS) return
    if (c_associated(init)) then
      settled%has_init = 1
      settled%init_bytes = init
      if (c_associated(scan_op_handle(spec%custom_op))) &
        call check_value('init', value_bytes, scan_own_bytes(out_own), stat, errmsg)
    end if
    if (has_carry .and. stat == SCAN_SUCCESS) &
      call check_value('carry_in and carry_out', value_bytes, scan_own_bytes(out_own), stat, errmsg)
  end subroutine scan_settle

  subroutine settle_types(spec, in_own, out_own, value_bytes, stat, errmsg)
    type(scan_spec), intent(inout) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    integer(c_int64_t), intent(out) :: value_bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: type
    value_bytes = 0
    call scan_type_of(spec%type, out_own, 'spec%type', type, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    spec%type = type
    if (spec%input_type /= SCAN_TYPE_DEFAULT .or. in_own /= out_own) then
      if (spec%input_type == SCAN_TYPE_DEFAULT .and. (type == SCAN_U32 .or. type == SCAN_U64)) then
        spec%input_type = merge(in_own + 1_c_int, in_own, in_own < SCAN_F32) ! unsigned types widen from unsigned types
      else
        call scan_type_of(spec%input_type, in_own, 'spec%input_type', type, stat, errmsg)
        if (stat /= SCAN_SUCCESS) return
        spec%input_type = type
      end if
    end if
    value_bytes = scan_own_bytes(spec%type)
    if (spec%type == SCAN_F16 .or. spec%type == SCAN_BF16) value_bytes = 4
  end subroutine settle_types

  subroutine check_operator(spec, in_own, out_own, value_bytes, stat, errmsg)
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    integer(c_int64_t), intent(out) :: value_bytes
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_op_facts) :: facts
    call scan_op_info(spec%custom_op, facts, stat, errmsg)
    value_bytes = facts%value_bytes
    if (stat == SCAN_SUCCESS) &
      call check_value('in', int(facts%input_bytes, c_int64_t), scan_own_bytes(in_own), stat, errmsg)
    if (stat == SCAN_SUCCESS) &
      call check_value('out', int(facts%output_bytes, c_int64_t), scan_own_bytes(out_own), stat, errmsg)
  end subroutine check_operator

  subroutine check_value(what, wanted, given, stat, errmsg)
    character(*), intent(in) :: what
    integer(c_int64_t), intent(in) :: wanted, given
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = SCAN_SUCCESS
    if (wanted /= given) &
      call scan_refuse(what//': the scan takes '//scan_number(wanted)//' bytes, and an element here has '// &
                       scan_number(given)//': name the memory by scan_host', stat, errmsg)
  end subroutine check_value

  !> Refuses an array with another number of elements than the call needs.
  subroutine scan_check_items(call_name, name, wanted, given, stat, errmsg)
    character(*), intent(in) :: call_name, name
    integer(c_int64_t), intent(in) :: wanted, given
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = SCAN_SUCCESS
    if (wanted /= given) &
      call scan_refuse(call_name//': '//name//' has '//scan_number(given)//' elements, and '//scan_number(wanted)// &
                       ' are needed', stat, errmsg)
  end subroutine scan_check_items

  !> Returns C's capacity for outputs of `items` elements. C's 0 means "no limit", so that 0 elements need
  !> SCAN_NO_CAPACITY.
  pure integer(c_int64_t) function scan_capacity(items) result(capacity)
    integer(c_int64_t), intent(in) :: items
    capacity = merge(SCAN_NO_CAPACITY, items, items == 0)
  end function scan_capacity

  !> Refuses a range of bits that has another number of buckets than the array.
  subroutine scan_check_bits(call_name, first_bit, end_bit, buckets, stat, errmsg)
    character(*), intent(in) :: call_name
    integer, intent(in) :: first_bit, end_bit
    integer(c_int64_t), intent(in) :: buckets
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: bits
    bits = end_bit - first_bit
    if (first_bit < 0 .or. bits < 1 .or. bits > SCAN_SPLIT_MOST_BITS) then
      call scan_refuse(call_name//': from first_bit on below end_bit there must be 1 to 8 bits', stat, errmsg)
    else
      call scan_check_items(call_name, 'what buckets are told by', 2_c_int64_t**bits, buckets, stat, errmsg)
    end if
  end subroutine scan_check_bits

  !> Returns the number of elements or segments that marks describe, from the bytes of their memory.
  pure integer(c_int64_t) function scan_mark_count(spec, marks)
    type(scan_spec), intent(in) :: spec
    type(scan_mem), intent(in) :: marks
    integer(c_int64_t) :: bytes
    bytes = 1
    if (spec%key_type >= SCAN_I8 .and. spec%key_type <= SCAN_BF16) bytes = scan_own_bytes(spec%key_type)
    select case (spec%segments)
    case (SCAN_SEGMENTS_BITS)
      scan_mark_count = 8 * marks%size_bytes
    case (SCAN_SEGMENTS_KEYS)
      scan_mark_count = marks%size_bytes / bytes
    case (SCAN_SEGMENTS_OFFSETS)
      scan_mark_count = max(marks%size_bytes / bytes - 1, 0_c_int64_t)
    case default
      scan_mark_count = marks%size_bytes
    end select
  end function scan_mark_count

  !> Calls scan_run for arrays. `args` is complete but for mark_count, which this sets from the marks.
  subroutine scan_run_typed(ctx, spec, in_own, in_items, out_own, out_items, args, init, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    integer(c_int64_t), intent(in) :: in_items, out_items
    type(scan_args), intent(inout) :: args
    type(c_ptr), intent(in) :: init
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_spec) :: settled
    logical :: has_carry
    has_carry = args%carry_in%kind /= SCAN_MEM_NONE .or. args%carry_out%kind /= SCAN_MEM_NONE
    call scan_settle(spec, in_own, out_own, init, has_carry, settled, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    call scan_check_items('scan_run', 'out', merge(1_c_int64_t, in_items, spec%kind == SCAN_TOTAL), out_items, stat, &
                          errmsg)
    if (stat /= SCAN_SUCCESS) return
    args%mark_count = scan_mark_count(settled, args%marks)
    call scan_run_args(ctx, settled, in_items, args, stat, errmsg)
  end subroutine scan_run_typed

  !> Calls scan_run for arrays of several dimensions, with any strides. The output of totals has length 1 along dim, or
  !> lacks that dimension.
  subroutine scan_run_array_typed(ctx, spec, in_own, in_shape, in_strides, out_own, out_shape, out_strides, dim, args, &
                                  init, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    integer(c_int64_t), intent(in) :: in_shape(:), in_strides(:), out_shape(:), out_strides(:)
    integer, intent(in) :: dim
    type(scan_args), intent(inout) :: args
    type(c_ptr), intent(in) :: init
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_spec) :: settled
    type(scan_array) :: array
    integer(c_int64_t) :: to_shape(size(in_shape)), to_strides(size(in_shape)), items
    integer :: axes, k
    axes = size(in_shape)
    if (dim < 1 .or. dim > axes) then
      call scan_refuse('scan_run: dim is '//scan_number(int(dim, c_int64_t))//', and the arrays have '// &
                       scan_number(int(axes, c_int64_t))//' dimensions', stat, errmsg)
      return
    end if
    if (size(out_shape) == axes) then
      to_shape = out_shape
      to_strides = out_strides
    else
      to_shape = [out_shape(:dim - 1), 1_c_int64_t, out_shape(dim:)]
      to_strides = [out_strides(:dim - 1), 0_c_int64_t, out_strides(dim:)]
    end if
    do k = 1, axes
      items = merge(1_c_int64_t, in_shape(k), spec%kind == SCAN_TOTAL .and. k == dim)
      call scan_check_items('scan_run', 'dimension '//scan_number(int(k, c_int64_t))//' of out', items, to_shape(k), &
                            stat, errmsg)
      if (stat /= SCAN_SUCCESS) return
    end do
    call scan_settle(spec, in_own, out_own, init, .false., settled, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    array%ndim = int(axes, c_int32_t)
    array%axis = int(axes - dim, c_int32_t) ! C's axes are Fortran's dimensions from the last one to the first
    array%shape(:axes) = in_shape(axes:1:-1)
    array%in_strides(:axes) = in_strides(axes:1:-1)
    array%out_strides(:axes) = to_strides(axes:1:-1)
    args%mark_count = scan_mark_count(settled, args%marks)
    call scan_run_array_args(ctx, settled, array, args, stat, errmsg)
  end subroutine scan_run_array_typed

  !> Calls scan_stream for arrays.
  subroutine scan_stream_typed(ctx, spec, in_own, in_items, out_own, out_items, in, out, stat, errmsg, options)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    integer(c_int64_t), intent(in) :: in_items, out_items
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_stream_options), intent(in), optional :: options
    type(scan_stream_options) :: own
    type(scan_spec) :: settled
    call scan_settle(spec, in_own, out_own, c_null_ptr, .false., settled, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    call scan_check_items('scan_stream', 'out', in_items, out_items, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    if (present(options)) own = options
    if (own%mark_count == 0) own%mark_count = scan_mark_count(settled, own%marks)
    call scan_stream(ctx, settled, in_items, in%handle, out%handle, stat, errmsg, own)
  end subroutine scan_stream_typed

  !> Makes the args of a compaction of one array, and completes its spec, which chooses the elements. Without memory in
  !> `rest` all others are dropped.
  subroutine scan_prepare_select(own, marks, params, in, out, rest, spec, args)
    integer(c_int), intent(in) :: own
    type(scan_mem), intent(in) :: marks, in, out, rest
    type(c_ptr), intent(in) :: params
    type(scan_select_spec), intent(inout) :: spec
    type(scan_select_args), intent(out) :: args
    spec%arrays = 1
    spec%element_bytes(1) = int(scan_own_bytes(own), c_int32_t)
    args%marks = marks
    args%params = params
    args%in(1) = in
    args%out(1) = out
    args%capacity = scan_capacity(out%size_bytes / scan_own_bytes(own))
    if (rest%kind == SCAN_MEM_NONE) return
    spec%rest = SCAN_REST_APART
    args%rest(1) = rest
    args%rest_capacity = scan_capacity(rest%size_bytes / scan_own_bytes(own))
  end subroutine scan_prepare_select

  !> Calls scan_select for one array.
  subroutine scan_select_typed(ctx, spec, own, items, marks, params, in, out, rest, count, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_select_spec), intent(inout) :: spec
    integer(c_int), intent(in) :: own
    integer(c_int64_t), intent(in) :: items
    type(scan_mem), intent(in) :: marks, in, out, rest
    type(c_ptr), intent(in) :: params
    integer(c_int64_t), intent(out), target :: count
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_select_args) :: args
    count = 0
    call scan_prepare_select(own, marks, params, in, out, rest, spec, args)
    args%count = scan_host(c_loc(count), 8_c_int64_t)
    call scan_select(ctx, spec, items, args, stat, errmsg)
  end subroutine scan_select_typed

  !> Sets a spec's initial value from its bytes.
  subroutine scan_set_init_typed(spec, own, bytes, stat, errmsg)
    type(scan_spec), intent(inout) :: spec
    integer(c_int), intent(in) :: own
    integer(c_int8_t), intent(in) :: bytes(:)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int8_t) :: member(8)
    integer(c_int) :: type
    if (c_associated(scan_op_handle(spec%custom_op))) then
      call scan_refuse('scan_set_init: with spec%custom_op set spec%init_bytes and spec%has_init', stat, errmsg)
      return
    end if
    call scan_type_of(spec%type, own, 'spec%type', type, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    member = 0_c_int8_t
    member(:size(bytes)) = bytes
    spec%type = type
    spec%init = transfer(member, spec%init)
    spec%has_init = 1
  end subroutine scan_set_init_typed
end module scanrt_typed
