! SPDX-License-Identifier: BSD-2-Clause
!> Names of types, operators, strategies and backends, and what is known of them.
module scanrt_names
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  implicit none
  private
  public :: scan_type_name, scan_op_name, scan_strategy_name, scan_backend_name, scan_composite_name
  public :: scan_type_parse, scan_op_parse, scan_strategy_parse, scan_composite_parse
  public :: scan_strategy_is_canonical, scan_type_bytes, scan_spec_defined, scan_version, scan_library_version

  interface
    type(c_ptr) function c_type_name(type) bind(C, name="scan_type_name")
      import :: c_ptr, c_int
      integer(c_int), intent(in), value :: type
    end function c_type_name

    type(c_ptr) function c_op_name(op) bind(C, name="scan_op_name")
      import :: c_ptr, c_int
      integer(c_int), intent(in), value :: op
    end function c_op_name

    type(c_ptr) function c_strategy_name(strategy) bind(C, name="scan_strategy_name")
      import :: c_ptr, c_int
      integer(c_int), intent(in), value :: strategy
    end function c_strategy_name

    type(c_ptr) function c_backend_name(backend) bind(C, name="scan_backend_name")
      import :: c_ptr, c_int
      integer(c_int), intent(in), value :: backend
    end function c_backend_name

    type(c_ptr) function c_composite_name(which) bind(C, name="scan_composite_name")
      import :: c_ptr, c_int
      integer(c_int), intent(in), value :: which
    end function c_composite_name

    integer(c_int) function c_type_parse(name, value) bind(C, name="scan_type_parse")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: value
    end function c_type_parse

    integer(c_int) function c_op_parse(name, value) bind(C, name="scan_op_parse")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: value
    end function c_op_parse

    integer(c_int) function c_strategy_parse(name, value) bind(C, name="scan_strategy_parse")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: value
    end function c_strategy_parse

    integer(c_int) function c_composite_parse(name, value) bind(C, name="scan_composite_parse")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(inout) :: value
    end function c_composite_parse

    pure integer(c_int) function c_strategy_is_canonical(strategy) bind(C, name="scan_strategy_is_canonical")
      import :: c_int
      integer(c_int), intent(in), value :: strategy
    end function c_strategy_is_canonical

    !> Bytes of one element; 0 for other numbers.
    pure integer(c_size_t) function scan_type_bytes(type) bind(C, name="scan_type_bytes")
      import :: c_int, c_size_t
      integer(c_int), intent(in), value :: type
    end function scan_type_bytes

    pure integer(c_int) function c_spec_defined(type, input_type, op) bind(C, name="scan_spec_defined")
      import :: c_int
      integer(c_int), intent(in), value :: type, input_type, op
    end function c_spec_defined

    type(c_ptr) function c_version() bind(C, name="scan_version")
      import :: c_ptr
    end function c_version

    !> scan_version_number of C: SCAN_VERSION_NUMBER of what the library was built with.
    pure integer(c_int) function scan_library_version() bind(C, name="scan_version_number")
      import :: c_int
    end function scan_library_version
  end interface

contains

  !> "i8" ... "bf16"; empty for other numbers. Likewise the three that follow.
  function scan_type_name(type) result(name)
    integer(c_int), intent(in) :: type
    character(:), allocatable :: name
    name = scan_c_text(c_type_name(type))
  end function scan_type_name

  function scan_op_name(op) result(name)
    integer(c_int), intent(in) :: op
    character(:), allocatable :: name
    name = scan_c_text(c_op_name(op))
  end function scan_op_name

  function scan_strategy_name(strategy) result(name)
    integer(c_int), intent(in) :: strategy
    character(:), allocatable :: name
    name = scan_c_text(c_strategy_name(strategy))
  end function scan_strategy_name

  function scan_backend_name(backend) result(name)
    integer(c_int), intent(in) :: backend
    character(:), allocatable :: name
    name = scan_c_text(c_backend_name(backend))
  end function scan_backend_name

  function scan_composite_name(which) result(name)
    integer(c_int), intent(in) :: which
    character(:), allocatable :: name
    name = scan_c_text(c_composite_name(which))
  end function scan_composite_name

  !> The type of that name; SCAN_TYPE_DEFAULT with SCAN_INVALID_ARGUMENT if none. Likewise the three that follow.
  subroutine scan_type_parse(name, type, stat, errmsg)
    character(*), intent(in) :: name
    integer(c_int), intent(out) :: type
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type = SCAN_TYPE_DEFAULT
    stat = int(c_type_parse(scan_c_string(name), type))
    if (stat /= SCAN_SUCCESS) call scan_refuse('no type is called "'//trim(name)//'"', stat, errmsg)
  end subroutine scan_type_parse

  subroutine scan_op_parse(name, op, stat, errmsg)
    character(*), intent(in) :: name
    integer(c_int), intent(out) :: op
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    op = SCAN_OP_NONE
    stat = int(c_op_parse(scan_c_string(name), op))
    if (stat /= SCAN_SUCCESS) call scan_refuse('no operator is called "'//trim(name)//'"', stat, errmsg)
  end subroutine scan_op_parse

  subroutine scan_strategy_parse(name, strategy, stat, errmsg)
    character(*), intent(in) :: name
    integer(c_int), intent(out) :: strategy
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    strategy = SCAN_STRATEGY_AUTO
    stat = int(c_strategy_parse(scan_c_string(name), strategy))
    if (stat /= SCAN_SUCCESS) call scan_refuse('no strategy is called "'//trim(name)//'"', stat, errmsg)
  end subroutine scan_strategy_parse

  subroutine scan_composite_parse(name, which, stat, errmsg)
    character(*), intent(in) :: name
    integer(c_int), intent(out) :: which
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    which = SCAN_COMPOSITE_NONE
    stat = int(c_composite_parse(scan_c_string(name), which))
    if (stat /= SCAN_SUCCESS) call scan_refuse('no composite is called "'//trim(name)//'"', stat, errmsg)
  end subroutine scan_composite_parse

  !> Whether floating-point results of a strategy are the same bits as those of all others that AUTO may take.
  pure logical function scan_strategy_is_canonical(strategy)
    integer(c_int), intent(in) :: strategy
    scan_strategy_is_canonical = c_strategy_is_canonical(strategy) /= 0
  end function scan_strategy_is_canonical

  !> Whether `op` is defined on `input_type` (which may be SCAN_TYPE_DEFAULT) widened to `type`.
  pure logical function scan_spec_defined(type, input_type, op)
    integer(c_int), intent(in) :: type, input_type, op
    scan_spec_defined = c_spec_defined(type, input_type, op) /= 0
  end function scan_spec_defined

  !> The library's version at run time, "0.1.0".
  function scan_version() result(text)
    character(:), allocatable :: text
    text = scan_c_text(c_version())
  end function scan_version
end module scanrt_names
