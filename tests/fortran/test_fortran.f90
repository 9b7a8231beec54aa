! SPDX-License-Identifier: BSD-2-Clause
!> Module scanrt on one device. Kinds: those of $SCANRT_TEST_KINDS, else all.
program test_fortran
  use scanrt
  use checks
  use test_api
  use test_plans
  use test_source
  use check_int8
  use check_int16
  use check_int32
  use check_int64
  use check_real32
  use check_real64
  implicit none
  type(scan_ctx) :: ctx
  call open_device(ctx)
  call check_names()
  call check_devices(ctx)
  call check_adopted(ctx)
  call check_plain_memory(ctx)
  call check_types(ctx)
  call check_overflow(ctx)
  call check_plans(ctx)
  call check_moving_plans(ctx)
  call check_packed_arrays(ctx)
  call check_streams(ctx)
  call check_operators(ctx)
  call check_predicates(ctx)
  call check_buckets(ctx)
  call check_composites(ctx)
  call check_kind_int8(ctx)
  call check_kind_int16(ctx)
  call check_kind_int32(ctx)
  call check_kind_int64(ctx)
  call check_kind_real32(ctx)
  call check_kind_real64(ctx)
  call scan_ctx_destroy(ctx)
  call finish()
end program test_fortran
