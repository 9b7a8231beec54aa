! SPDX-License-Identifier: BSD-2-Clause
!> The functions of scan_mpi.h that scanrt_mpi_core calls. Communicators are integers (mpi_comm.c).
module scanrt_mpi_c
  use, intrinsic :: iso_c_binding
  use scanrt_types
  implicit none
  private
  public :: scan_mpi_part, c_create, c_create_contexts, c_destroy, c_last_error, c_takes_device_memory, c_sent_bytes
  public :: c_run, c_run_args, c_run_contexts, c_overflow_index, c_plan_create, c_plan_create_contexts
  public :: c_plan_run_contexts, c_plan_run_args, c_plan_run, c_plan_destroy, c_run_array, c_select, c_partition
  public :: c_select_contexts, c_partition_contexts
  public :: c_offsets

  !> The place of this rank's elements among those of all ranks.
  type, bind(C) :: scan_mpi_part
    integer(c_int64_t) :: count = 0
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: total = 0
  end type scan_mpi_part

  interface
    integer(c_int) function c_create(ctx, comm, mpi) bind(C, name="scan_fortran_mpi_create") ! scan_mpi_create
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: ctx
      integer(c_int), intent(in), value :: comm
      type(c_ptr), intent(inout) :: mpi
    end function c_create

    integer(c_int) function c_create_contexts(ctxs, ctx_count, comm, mpi) &
      bind(C, name="scan_fortran_mpi_create_contexts") ! scan_mpi_create_contexts
      import :: c_int, c_ptr
      type(c_ptr), intent(in) :: ctxs(*)
      integer(c_int), intent(in), value :: ctx_count, comm
      type(c_ptr), intent(inout) :: mpi
    end function c_create_contexts

    subroutine c_destroy(mpi) bind(C, name="scan_mpi_destroy")
      import :: c_ptr
      type(c_ptr), intent(in), value :: mpi
    end subroutine c_destroy

    type(c_ptr) function c_last_error(mpi) bind(C, name="scan_mpi_last_error")
      import :: c_ptr
      type(c_ptr), intent(in), value :: mpi
    end function c_last_error

    integer(c_int) function c_takes_device_memory(mpi) bind(C, name="scan_mpi_takes_device_memory")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: mpi
    end function c_takes_device_memory

    integer(c_int64_t) function c_sent_bytes(mpi) bind(C, name="scan_mpi_sent_bytes")
      import :: c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: mpi
    end function c_sent_bytes

    integer(c_int) function c_run(ctx, comm, spec, local_n, in, out) bind(C, name="scan_fortran_mpi_run") ! scan_mpi_run
      import :: c_int, c_int64_t, c_ptr, scan_spec, scan_mem
      type(c_ptr), intent(in), value :: ctx
      integer(c_int), intent(in), value :: comm
      type(scan_spec), intent(in) :: spec
      integer(c_int64_t), intent(in), value :: local_n
      type(scan_mem), intent(in), value :: in, out
    end function c_run

    integer(c_int) function c_run_args(mpi, spec, local_n, args) bind(C, name="scan_mpi_run_args")
      import :: c_int, c_int64_t, c_ptr, scan_spec, scan_args
      type(c_ptr), intent(in), value :: mpi
      type(scan_spec), intent(in) :: spec
      integer(c_int64_t), intent(in), value :: local_n
      type(scan_args), intent(in) :: args
    end function c_run_args

    integer(c_int) function c_run_contexts(mpi, spec, ops, local_ns, args) bind(C, name="scan_mpi_run_contexts")
      import :: c_int, c_ptr, scan_spec
      type(c_ptr), intent(in), value :: mpi
      type(scan_spec), intent(in) :: spec
      type(c_ptr), intent(in), value :: ops, local_ns, args
    end function c_run_contexts

    integer(c_int) function c_overflow_index(mpi, index) bind(C, name="scan_mpi_overflow_index")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), intent(in), value :: mpi
      integer(c_int64_t), intent(inout) :: index
    end function c_overflow_index

    integer(c_int) function c_plan_create(mpi, spec, max_local_n, plan) bind(C, name="scan_mpi_plan_create")
      import :: c_int, c_int64_t, c_ptr, scan_spec
      type(c_ptr), intent(in), value :: mpi
      type(scan_spec), intent(in) :: spec
      integer(c_int64_t), intent(in), value :: max_local_n
      type(c_ptr), intent(inout) :: plan
    end function c_plan_create

    integer(c_int) function c_plan_create_contexts(mpi, spec, ops, max_local_ns, plan) &
      bind(C, name="scan_mpi_plan_create_contexts")
      import :: c_int, c_ptr, scan_spec
      type(c_ptr), intent(in), value :: mpi
      type(scan_spec), intent(in) :: spec
      type(c_ptr), intent(in), value :: ops, max_local_ns
      type(c_ptr), intent(inout) :: plan
    end function c_plan_create_contexts

    integer(c_int) function c_plan_run_contexts(plan, local_ns, args) bind(C, name="scan_mpi_plan_run_contexts")
      import :: c_int, c_ptr
      type(c_ptr), intent(in), value :: plan, local_ns, args
    end function c_plan_run_contexts

    integer(c_int) function c_plan_run_args(plan, local_n, args) bind(C, name="scan_mpi_plan_run_args")
      import :: c_int, c_int64_t, c_ptr, scan_args
      type(c_ptr), intent(in), value :: plan
      integer(c_int64_t), intent(in), value :: local_n
      type(scan_args), intent(in) :: args
    end function c_plan_run_args

    integer(c_int) function c_plan_run(plan, local_n, in, out) bind(C, name="scan_mpi_plan_run")
      import :: c_int, c_int64_t, c_ptr, scan_mem
      type(c_ptr), intent(in), value :: plan
      integer(c_int64_t), intent(in), value :: local_n
      type(scan_mem), intent(in), value :: in, out
    end function c_plan_run

    subroutine c_plan_destroy(plan) bind(C, name="scan_mpi_plan_destroy")
      import :: c_ptr
      type(c_ptr), intent(in), value :: plan
    end subroutine c_plan_destroy

    integer(c_int) function c_run_array(mpi, spec, array, in, out) bind(C, name="scan_mpi_run_array")
      import :: c_int, c_ptr, scan_spec, scan_array, scan_mem
      type(c_ptr), intent(in), value :: mpi
      type(scan_spec), intent(in) :: spec
      type(scan_array), intent(in) :: array
      type(scan_mem), intent(in), value :: in, out
    end function c_run_array

    integer(c_int) function c_select(mpi, spec, local_n, args, kept, rest) bind(C, name="scan_mpi_select")
      import :: c_int, c_int64_t, c_ptr, scan_select_spec, scan_select_args, scan_mpi_part
      type(c_ptr), intent(in), value :: mpi
      type(scan_select_spec), intent(in) :: spec
      integer(c_int64_t), intent(in), value :: local_n
      type(scan_select_args), intent(in) :: args
      type(scan_mpi_part), intent(inout) :: kept, rest
    end function c_select

    integer(c_int) function c_select_contexts(mpi, specs, local_ns, args, kept, rest) &
      bind(C, name="scan_mpi_select_contexts")
      import :: c_int, c_ptr, scan_select_spec, scan_select_args, scan_mpi_part
      type(c_ptr), intent(in), value :: mpi, local_ns
      type(scan_select_spec), intent(in) :: specs(*)
      type(scan_select_args), intent(in) :: args(*)
      type(scan_mpi_part), intent(inout) :: kept(*), rest(*)
    end function c_select_contexts

    integer(c_int) function c_partition_contexts(mpi, specs, local_ns, args, parts) &
      bind(C, name="scan_mpi_partition_contexts")
      import :: c_int, c_ptr, scan_partition3_spec, scan_partition3_args, scan_mpi_part
      type(c_ptr), intent(in), value :: mpi, local_ns
      type(scan_partition3_spec), intent(in) :: specs(*)
      type(scan_partition3_args), intent(in) :: args(*)
      type(scan_mpi_part), intent(inout) :: parts(*)
    end function c_partition_contexts

    integer(c_int) function c_partition(mpi, spec, local_n, args, parts) bind(C, name="scan_mpi_partition")
      import :: c_int, c_int64_t, c_ptr, scan_partition3_spec, scan_partition3_args, scan_mpi_part
      type(c_ptr), intent(in), value :: mpi
      type(scan_partition3_spec), intent(in) :: spec
      integer(c_int64_t), intent(in), value :: local_n
      type(scan_partition3_args), intent(in) :: args
      type(scan_mpi_part), intent(inout) :: parts(*)
    end function c_partition

    integer(c_int) function c_offsets(comm, count, offset, total) &
      bind(C, name="scan_fortran_mpi_offsets") ! scan_mpi_offsets
      import :: c_int, c_int64_t
      integer(c_int), intent(in), value :: comm
      integer(c_int64_t), intent(in), value :: count
      integer(c_int64_t), intent(inout) :: offset, total
    end function c_offsets
  end interface
end module scanrt_mpi_c
