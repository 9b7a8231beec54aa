! SPDX-License-Identifier: BSD-2-Clause
!> Elements of composites (scan_composite.h). Names end in _t, because Fortran does not distinguish scan_affine_f32
!> from SCAN_AFFINE_F32. C aligns elements of two 4-byte numbers to 8 bytes; so are arrays that are allocated or lie
!> at no odd offset.
module scanrt_elements
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: scan_affine_f32_t
    real(c_float) :: a, b
  end type scan_affine_f32_t
  type, bind(C) :: scan_affine_f64_t
    real(c_double) :: a, b
  end type scan_affine_f64_t
  type, bind(C) :: scan_affine_u32_t
    integer(c_int32_t) :: a, b
  end type scan_affine_u32_t
  type, bind(C) :: scan_matrix2_f32_t
    real(c_float) :: m(4)
  end type scan_matrix2_f32_t
  type, bind(C) :: scan_matrix2_f64_t
    real(c_double) :: m(4)
  end type scan_matrix2_f64_t
  type, bind(C) :: scan_matrix3_f32_t
    real(c_float) :: m(9)
  end type scan_matrix3_f32_t
  type, bind(C) :: scan_complex_f32_t
    real(c_float) :: re, im
  end type scan_complex_f32_t
  type, bind(C) :: scan_complex_f64_t
    real(c_double) :: re, im
  end type scan_complex_f64_t
  type, bind(C) :: scan_logsumexp_f32_t
    real(c_float) :: max, sum
  end type scan_logsumexp_f32_t
  type, bind(C) :: scan_logsumexp_f64_t
    real(c_double) :: max, sum
  end type scan_logsumexp_f64_t
  type, bind(C) :: scan_arg_f32_t
    real(c_float) :: value
    integer(c_int32_t) :: index
  end type scan_arg_f32_t
  type, bind(C) :: scan_arg_f64_t
    real(c_double) :: value
    integer(c_int64_t) :: index
  end type scan_arg_f64_t
  type, bind(C) :: scan_arg_i32_t
    integer(c_int32_t) :: value, index
  end type scan_arg_i32_t
  type, bind(C) :: scan_arg_i64_t
    integer(c_int64_t) :: value, index
  end type scan_arg_i64_t
  type, bind(C) :: scan_compensated_f32_t
    real(c_float) :: high, low
  end type scan_compensated_f32_t
  type, bind(C) :: scan_compensated_f64_t
    real(c_double) :: high, low
  end type scan_compensated_f64_t
end module scanrt_elements
