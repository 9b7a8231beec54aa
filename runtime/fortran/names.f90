! SPDX-License-Identifier: BSD-2-Clause
!> Names of backends, and facts about types, strategies and the library. Other names: parts/name.f90.in.
module scanrt_names
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c, scan_type_bytes => c_scan_type_bytes, scan_library_version => c_scan_version_number
  use scanrt_base
  implicit none
  private
  public :: scan_backend_name, scan_strategy_is_canonical, scan_spec_defined, scan_version, scan_build_info

  public :: scan_type_bytes !< Returns the bytes of an element; 0 for other numbers.
  public :: scan_library_version !< Returns C's scan_version_number: the library's SCAN_VERSION_NUMBER.

contains

  !> Returns "cuda", "opencl" or "host"; empty for other numbers.
  function scan_backend_name(backend) result(name)
    integer(c_int), intent(in) :: backend
    character(:), allocatable :: name
    name = scan_c_text(c_scan_backend_name(backend))
  end function scan_backend_name

  !> .true. if floating-point results of a strategy have the same bits as those of all strategies that AUTO may
  !> choose.
  pure logical function scan_strategy_is_canonical(strategy)
    integer(c_int), intent(in) :: strategy
    scan_strategy_is_canonical = c_scan_strategy_is_canonical(strategy) /= 0
  end function scan_strategy_is_canonical

  !> .true. if `op` is defined on `input_type` (which may be SCAN_TYPE_DEFAULT) widened to `type`.
  pure logical function scan_spec_defined(type, input_type, op)
    integer(c_int), intent(in) :: type, input_type, op
    scan_spec_defined = c_scan_spec_defined(type, input_type, op) /= 0
  end function scan_spec_defined

  !> Returns the library's version at run time, such as "1.2.3".
  function scan_version() result(text)
    character(:), allocatable :: text
    text = scan_c_text(c_scan_version())
  end function scan_version

  !> Returns the library's sources, compilers and options in one line for reports.
  function scan_build_info() result(text)
    character(:), allocatable :: text
    text = scan_c_text(c_scan_build_info())
  end function scan_build_info
end module scanrt_names
