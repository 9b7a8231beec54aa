! SPDX-License-Identifier: BSD-2-Clause
!> Operators, predicates and bucket functions from C source, and composites. Functions for the host are bind(C)
!> procedures whose arguments are type(c_ptr), value; the C headers describe them.
module scanrt_operators
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c
  use scanrt_base
  use scanrt_sources
  implicit none
  private
  public :: scan_op_create, scan_op_info, scan_op_destroy, scan_predicate_create, scan_bucket_create
  public :: scan_composite_create, scan_composite_get

  !> Compiles an operator, given by names and sizes or (parts/source.f90.in) by C's struct.
  interface scan_op_create
    module procedure op_create
  end interface scan_op_create

  !> Compiles a predicate, given by names and sizes or by C's struct.
  interface scan_predicate_create
    module procedure predicate_create
  end interface scan_predicate_create

  !> Compiles a bucket function, given by names and sizes or by C's struct.
  interface scan_bucket_create
    module procedure bucket_create
  end interface scan_bucket_create


  !> A text for C.
  type :: c_text
    character(kind=c_char), allocatable :: characters(:)
    logical :: is_lacking = .false. !< .true. if there was no memory for it.
  end type c_text

contains

  subroutine op_create(ctx, text, type, combine, value_bytes, value_align, op, stat, errmsg, identity, host, &
                       map, input_type, input_bytes, input_align, map_host, &
                       emit, output_type, output_bytes, output_align, emit_host, user)
    type(scan_ctx), intent(in) :: ctx
    character(*), intent(in) :: text !< C source; ignored on the host.
    character(*), intent(in) :: type, combine !< Names of the element type and the function in the text.
    integer, intent(in) :: value_bytes, value_align
    type(scan_op), intent(inout) :: op
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr), intent(in), optional :: identity, user
    type(c_funptr), intent(in), optional :: host, map_host, emit_host
    character(*), intent(in), optional :: map, input_type, emit, output_type
    integer, intent(in), optional :: input_bytes, input_align, output_bytes, output_align
    type(c_text), target :: texts(7)
    type(scan_op_source) :: source
    source%text = held(texts(1), text)
    source%type = held(texts(2), type)
    source%combine = held(texts(3), combine)
    source%value_bytes = int(value_bytes, c_size_t)
    source%value_align = int(value_align, c_size_t)
    source%map = held(texts(4), map)
    source%input_type = held(texts(5), input_type)
    source%emit = held(texts(6), emit)
    source%output_type = held(texts(7), output_type)
    if (present(identity)) source%identity = identity
    if (present(user)) source%user = user
    if (present(host)) source%host = host
    if (present(map_host)) source%map_host = map_host
    if (present(emit_host)) source%emit_host = emit_host
    if (present(input_bytes)) source%input_bytes = int(input_bytes, c_size_t)
    if (present(input_align)) source%input_align = int(input_align, c_size_t)
    if (present(output_bytes)) source%output_bytes = int(output_bytes, c_size_t)
    if (present(output_align)) source%output_align = int(output_align, c_size_t)
    if (is_lacking(texts, 'scan_op_create', stat, errmsg)) return
    call scan_op_create(ctx, source, op, stat, errmsg)
  end subroutine op_create

  !> Gets the facts of an operator.
  subroutine scan_op_info(op, facts, stat, errmsg)
    type(scan_op), intent(in) :: op
    type(scan_op_facts), intent(inout) :: facts
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    facts%struct_bytes = c_sizeof(facts)
    call scan_end(c_scan_op_info(scan_op_handle(op), facts), scan_ctx(), stat, errmsg)
  end subroutine scan_op_info

  !> Releases an operator, a predicate or a bucket function, before its context; `op` then names none.
  subroutine scan_op_destroy(op)
    type(scan_op), intent(inout) :: op
    call c_scan_op_destroy(scan_op_handle(op))
    op = scan_op_of(c_null_ptr)
  end subroutine scan_op_destroy

  subroutine predicate_create(ctx, text, type, keep, element_bytes, element_align, predicate, stat, errmsg, &
                              params_type, params_bytes, params_align, host, user, is_pair)
    type(scan_ctx), intent(in) :: ctx
    character(*), intent(in) :: text, type, keep !< As in scan_op_create.
    integer, intent(in) :: element_bytes, element_align
    type(scan_op), intent(inout) :: predicate
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: params_type
    integer, intent(in), optional :: params_bytes, params_align
    type(c_funptr), intent(in), optional :: host
    type(c_ptr), intent(in), optional :: user
    logical, intent(in), optional :: is_pair
    type(c_text), target :: texts(4)
    type(scan_predicate_source) :: source
    source%text = held(texts(1), text)
    source%type = held(texts(2), type)
    source%keep = held(texts(3), keep)
    source%element_bytes = int(element_bytes, c_size_t)
    source%element_align = int(element_align, c_size_t)
    source%params_type = held(texts(4), params_type)
    if (present(params_bytes)) source%params_bytes = int(params_bytes, c_size_t)
    if (present(params_align)) source%params_align = int(params_align, c_size_t)
    if (present(host)) source%host = host
    if (present(user)) source%user = user
    if (present(is_pair)) source%is_pair = merge(1_c_int32_t, 0_c_int32_t, is_pair)
    if (is_lacking(texts, 'scan_predicate_create', stat, errmsg)) return
    call scan_predicate_create(ctx, source, predicate, stat, errmsg)
  end subroutine predicate_create

  subroutine bucket_create(ctx, text, type, bucket_name, element_bytes, element_align, bucket, stat, errmsg, &
                           params_type, params_bytes, params_align, host, user)
    type(scan_ctx), intent(in) :: ctx
    character(*), intent(in) :: text, type, bucket_name !< As in scan_op_create.
    integer, intent(in) :: element_bytes, element_align
    type(scan_op), intent(inout) :: bucket
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    character(*), intent(in), optional :: params_type
    integer, intent(in), optional :: params_bytes, params_align
    type(c_funptr), intent(in), optional :: host
    type(c_ptr), intent(in), optional :: user
    type(c_text), target :: texts(4)
    type(scan_bucket_source) :: source
    source%text = held(texts(1), text)
    source%type = held(texts(2), type)
    source%bucket = held(texts(3), bucket_name)
    source%element_bytes = int(element_bytes, c_size_t)
    source%element_align = int(element_align, c_size_t)
    source%params_type = held(texts(4), params_type)
    if (present(params_bytes)) source%params_bytes = int(params_bytes, c_size_t)
    if (present(params_align)) source%params_align = int(params_align, c_size_t)
    if (present(host)) source%host = host
    if (present(user)) source%user = user
    if (is_lacking(texts, 'scan_bucket_create', stat, errmsg)) return
    call scan_bucket_create(ctx, source, bucket, stat, errmsg)
  end subroutine bucket_create

  !> Makes an operator of a composite, for arrays of its elements: scan_affine_f32_t for SCAN_AFFINE_F32, and so on.
  subroutine scan_composite_create(ctx, which, op, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    integer(c_int), intent(in) :: which
    type(scan_op), intent(inout) :: op
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    handle = c_null_ptr
    call scan_end(c_scan_composite_create(scan_ctx_handle(ctx), which, handle), ctx, stat, errmsg)
    if (stat == SCAN_SUCCESS) op = scan_op_of(handle)
  end subroutine scan_composite_create

  !> Describes a composite. The numbers are consecutive and begin with 1.
  subroutine scan_composite_get(which, facts, stat, errmsg)
    integer(c_int), intent(in) :: which
    type(scan_composite_facts), intent(inout) :: facts
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_composite_facts), pointer :: found
    type(c_ptr) :: pointer
    pointer = c_scan_composite_get(which)
    if (c_associated(pointer)) then
      call c_f_pointer(pointer, found)
      facts = found
      stat = SCAN_SUCCESS
    else
      call scan_refuse('scan_composite_get: no composite has the number '//scan_number(int(which, c_int64_t)), stat, &
                       errmsg)
    end if
  end subroutine scan_composite_get

  !> Copies a text to `room` for C. Returns c_null_ptr if it is absent or there is no memory.
  type(c_ptr) function held(room, text)
    type(c_text), intent(inout), target :: room
    character(*), intent(in), optional :: text
    integer :: status
    held = c_null_ptr
    if (.not. present(text)) return
    allocate (room%characters, source=scan_c_string(text), stat=status)
    room%is_lacking = status /= 0
    if (.not. room%is_lacking) held = c_loc(room%characters)
  end function held

  !> .true. if there was no memory for one of the texts, which then ends the call with SCAN_OUT_OF_MEMORY.
  logical function is_lacking(rooms, call, stat, errmsg)
    type(c_text), intent(in) :: rooms(:)
    character(*), intent(in) :: call
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    is_lacking = any(rooms%is_lacking)
    stat = merge(SCAN_OUT_OF_MEMORY, SCAN_SUCCESS, is_lacking)
    if (is_lacking .and. present(errmsg)) errmsg = call//': no host memory for its texts'
  end function is_lacking
end module scanrt_operators
