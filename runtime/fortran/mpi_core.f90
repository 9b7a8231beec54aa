! SPDX-License-Identifier: BSD-2-Clause
!> scan_mpi.h for memory of any kind. Calls are collective: if the Fortran side refuses an argument, it passes C an
!> argument that C refuses, too, so that the other ranks learn of it and none hangs.
module scanrt_mpi_core
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  use scanrt_sized
  use scanrt_mpi_c
  implicit none
  private
  public :: scan_mpi, scan_mpi_plan, scan_mpi_part
  public :: scan_mpi_create, scan_mpi_destroy, scan_mpi_last_error, scan_mpi_takes_device_memory, scan_mpi_sent_bytes
  public :: scan_mpi_create_contexts, scan_mpi_facts, scan_mpi_info
  public :: scan_mpi_run, scan_mpi_run_args, scan_mpi_run_contexts, scan_mpi_overflow_index
  public :: scan_mpi_plan_create, scan_mpi_plan_run, scan_mpi_plan_run_args, scan_mpi_plan_destroy
  public :: scan_mpi_plan_create_contexts, scan_mpi_plan_run_contexts
  public :: scan_mpi_run_array, scan_mpi_select, scan_mpi_partition, scan_mpi_offsets
  public :: scan_mpi_select_contexts, scan_mpi_partition_contexts

  !> Contexts and a communicator: opaque. scan_mpi_destroy frees it.
  type :: scan_mpi
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: contexts = 1 ! number of this rank's contexts
  end type scan_mpi

  !> A spec that all ranks have agreed on: opaque. scan_mpi_plan_destroy frees it.
  type :: scan_mpi_plan
    private
    type(c_ptr) :: handle = c_null_ptr
    type(scan_mpi) :: mpi
  end type scan_mpi_plan

  !> Returns the error text of the last call with `mpi` that failed, which names the rank that failed; without `mpi`,
  !> of the last one in this thread.
  interface scan_mpi_last_error
    module procedure mpi_last_error
  end interface scan_mpi_last_error

  !> Scans the elements of all ranks. Arrays of any kind need a handle. Memory needs a context and a communicator, of
  !> which the call makes a handle for itself.
  interface scan_mpi_run
    module procedure run_memory
  end interface scan_mpi_run

contains

  !> Makes a handle. Collective. `comm` is the integer of `use mpi` and mpif.h, or comm%MPI_VAL of `use mpi_f08`.
  subroutine scan_mpi_create(ctx, comm, mpi, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx !< It must outlive the handle.
    integer, intent(in) :: comm
    type(scan_mpi), intent(inout) :: mpi
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    handle = c_null_ptr
    call finish(c_scan_mpi_create(scan_ctx_handle(ctx), int(comm, c_int), handle), scan_mpi(), stat, errmsg)
    if (stat == SCAN_SUCCESS) mpi = scan_mpi(handle)
  end subroutine scan_mpi_create

  !> Makes a handle of several contexts of this rank. Collective.
  subroutine scan_mpi_create_contexts(ctxs, comm, mpi, stat, errmsg)
    type(scan_ctx), intent(in) :: ctxs(:) !< They must outlive the handle.
    integer, intent(in) :: comm
    type(scan_mpi), intent(inout) :: mpi
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    type(c_ptr), target :: handles(size(ctxs))
    integer :: i
    handle = c_null_ptr
    handles = [(scan_ctx_handle(ctxs(i)), i=1, size(ctxs))]
    call finish(c_scan_mpi_create_contexts(c_loc(handles), size(ctxs, kind=c_int), int(comm, c_int), handle), &
                scan_mpi(), stat, errmsg)
    if (stat == SCAN_SUCCESS) mpi = scan_mpi(handle, size(ctxs))
  end subroutine scan_mpi_create_contexts

  !> Frees a handle and its communicator; `mpi` then names none. Collective. Call it before MPI_Finalize and
  !> scan_ctx_destroy.
  subroutine scan_mpi_destroy(mpi)
    type(scan_mpi), intent(inout) :: mpi
    call c_scan_mpi_destroy(mpi%handle)
    mpi%handle = c_null_ptr
  end subroutine scan_mpi_destroy

  !> .true. if MPI accepts addresses of the contexts' memory.
  logical function scan_mpi_takes_device_memory(mpi) result(takes)
    type(scan_mpi), intent(in) :: mpi
    takes = c_scan_mpi_takes_device_memory(mpi%handle) /= 0
  end function scan_mpi_takes_device_memory

  !> Names the transport of a handle.
  subroutine scan_mpi_info(mpi, facts, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_mpi_facts), intent(inout) :: facts
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    facts%struct_bytes = c_sizeof(facts)
    call finish(c_scan_mpi_info(mpi%handle, facts), mpi, stat, errmsg)
  end subroutine scan_mpi_info

  !> Returns the bytes of elements that this rank sent in the last call.
  integer(c_int64_t) function scan_mpi_sent_bytes(mpi) result(bytes)
    type(scan_mpi), intent(in) :: mpi
    bytes = c_scan_mpi_sent_bytes(mpi%handle)
  end function scan_mpi_sent_bytes

  subroutine run_memory(ctx, comm, spec, local_n, in, out, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    integer, intent(in) :: comm
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (local_n < 0) then
      call finish(c_scan_mpi_run(scan_ctx_handle(ctx), int(comm, c_int), scan_sized(spec), 1_c_int64_t, scan_mem(), &
                                 scan_mem()), scan_mpi(), stat, errmsg)
      call refuse_number('scan_mpi_run', local_n, stat, errmsg)
    else
      call finish(c_scan_mpi_run(scan_ctx_handle(ctx), int(comm, c_int), scan_sized(spec), local_n, in, out), &
                  scan_mpi(), stat, errmsg)
    end if
  end subroutine run_memory

  !> Scans the elements of all ranks. Collective.
  subroutine scan_mpi_run_args(mpi, spec, local_n, args, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_n
    type(scan_args), intent(in) :: args
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_scan_mpi_run_args(mpi%handle, scan_sized(spec), allowed(local_n), given_args(local_n, args)), mpi, &
                stat, errmsg)
    if (local_n < 0) call refuse_number('scan_mpi_run_args', local_n, stat, errmsg)
  end subroutine scan_mpi_run_args

  !> Scans the elements of all contexts of all ranks. local_ns, args and, for operators from source, ops have an
  !> element for each context of this rank. Collective.
  subroutine scan_mpi_run_contexts(mpi, spec, local_ns, args, stat, errmsg, ops)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_ns(:)
    type(scan_args), intent(in) :: args(:)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_op), intent(in), optional :: ops(:)
    integer(c_int64_t), target :: ns(mpi%contexts)
    type(scan_args) :: own(mpi%contexts)
    type(scan_op), target :: own_ops(mpi%contexts)
    type(c_ptr) :: ns_at, ops_at
    character(:), allocatable :: refused
    refused = what_lacks(mpi, local_ns, ops, args)
    ns_at = c_null_ptr
    ops_at = c_null_ptr
    if (refused == '') then
      ns = local_ns
      own = given_args(0_c_int64_t, args)
      if (present(ops)) own_ops = ops
      ns_at = c_loc(ns)
      if (present(ops)) ops_at = c_loc(own_ops)
    end if
    call finish(c_scan_mpi_run_contexts(mpi%handle, scan_sized(spec), ops_at, ns_at, own), mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_run_contexts: '//refused, stat, errmsg)
  end subroutine scan_mpi_run_contexts

  !> Gets the index of the first overflow in the order of the scan. Indices count from 0 on in the outputs of all
  !> ranks, one after the other.
  subroutine scan_mpi_overflow_index(mpi, index, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int64_t), intent(inout) :: index
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_scan_mpi_overflow_index(mpi%handle, index), mpi, stat, errmsg)
  end subroutine scan_mpi_overflow_index

  !> Makes a plan for runs of up to max_local_n elements; all ranks must give the same spec. Collective.
  subroutine scan_mpi_plan_create(mpi, spec, max_local_n, plan, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: max_local_n
    type(scan_mpi_plan), intent(inout) :: plan
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_spec) :: own
    type(c_ptr) :: handle
    own = scan_sized(spec)
    if (max_local_n < 0) own = scan_sized(scan_spec())
    handle = c_null_ptr
    call finish(c_scan_mpi_plan_create(mpi%handle, own, allowed(max_local_n), handle), mpi, stat, errmsg)
    if (max_local_n < 0) call refuse_number('scan_mpi_plan_create', max_local_n, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    plan%handle = handle
    plan%mpi = mpi
  end subroutine scan_mpi_plan_create

  !> Makes a plan for several contexts of this rank. max_local_ns and, for operators from source, ops have an element
  !> for each of them. Collective.
  subroutine scan_mpi_plan_create_contexts(mpi, spec, max_local_ns, plan, stat, errmsg, ops)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: max_local_ns(:)
    type(scan_mpi_plan), intent(inout) :: plan
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_op), intent(in), optional :: ops(:)
    integer(c_int64_t), target :: ns(mpi%contexts)
    type(scan_op), target :: own_ops(mpi%contexts)
    type(c_ptr) :: handle, ns_at, ops_at
    character(:), allocatable :: refused
    refused = what_lacks(mpi, max_local_ns, ops)
    ns_at = c_null_ptr
    ops_at = c_null_ptr
    if (refused == '') then
      ns = max_local_ns
      if (present(ops)) own_ops = ops
      ns_at = c_loc(ns)
      if (present(ops)) ops_at = c_loc(own_ops)
    end if
    handle = c_null_ptr
    call finish(c_scan_mpi_plan_create_contexts(mpi%handle, scan_sized(spec), ops_at, ns_at, handle), mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_plan_create_contexts: '//refused, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    plan%handle = handle
    plan%mpi = mpi
  end subroutine scan_mpi_plan_create_contexts

  !> Runs a plan of several contexts of this rank. Collective.
  subroutine scan_mpi_plan_run_contexts(plan, local_ns, args, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_ns(:)
    type(scan_args), intent(in) :: args(:)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: ns(plan%mpi%contexts)
    type(scan_args) :: own(plan%mpi%contexts)
    type(c_ptr) :: ns_at
    character(:), allocatable :: refused
    refused = what_lacks(plan%mpi, local_ns, args=args)
    ns_at = c_null_ptr
    if (refused == '') then
      ns = local_ns
      own = given_args(0_c_int64_t, args)
      ns_at = c_loc(ns)
    end if
    call finish(c_scan_mpi_plan_run_contexts(plan%handle, ns_at, own), plan%mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_plan_run_contexts: '//refused, stat, errmsg)
  end subroutine scan_mpi_plan_run_contexts

  !> Runs a plan. Collective.
  subroutine scan_mpi_plan_run_args(plan, local_n, args, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_n
    type(scan_args), intent(in) :: args
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_scan_mpi_plan_run_args(plan%handle, allowed(local_n), given_args(local_n, args)), plan%mpi, stat, &
                errmsg)
    if (local_n < 0) call refuse_number('scan_mpi_plan_run_args', local_n, stat, errmsg)
  end subroutine scan_mpi_plan_run_args

  !> Runs a plan with in and out alone. Collective.
  subroutine scan_mpi_plan_run(plan, local_n, in, out, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (local_n < 0) then
      call finish(c_scan_mpi_plan_run(plan%handle, 1_c_int64_t, scan_mem(), scan_mem()), plan%mpi, stat, errmsg)
      call refuse_number('scan_mpi_plan_run', local_n, stat, errmsg)
    else
      call finish(c_scan_mpi_plan_run(plan%handle, local_n, in, out), plan%mpi, stat, errmsg)
    end if
  end subroutine scan_mpi_plan_run

  !> Frees a plan; `plan` then names none. Not collective.
  subroutine scan_mpi_plan_destroy(plan)
    type(scan_mpi_plan), intent(inout) :: plan
    call c_scan_mpi_plan_destroy(plan%handle)
    plan%handle = c_null_ptr
  end subroutine scan_mpi_plan_destroy

  !> Scans lines that are distributed over the ranks along their axis. Collective. scan_array_packed makes the array.
  subroutine scan_mpi_run_array(mpi, spec, array, in, out, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    type(scan_array), intent(in) :: array
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_scan_mpi_run_array(mpi%handle, scan_sized(spec), scan_sized(array), in, out), mpi, stat, errmsg)
  end subroutine scan_mpi_run_array

  !> Compacts each rank's elements on the rank, and finds their place among the kept elements of all ranks. Collective.
  subroutine scan_mpi_select(mpi, spec, local_n, args, kept, rest, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_select_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_n
    type(scan_select_args), intent(in) :: args
    type(scan_mpi_part), intent(inout) :: kept, rest
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_select_args) :: own
    if (local_n >= 0) own = args
    call finish(c_scan_mpi_select(mpi%handle, scan_sized(spec), allowed(local_n), scan_sized(own), kept, rest), mpi, &
                stat, errmsg)
    if (local_n < 0) call refuse_number('scan_mpi_select', local_n, stat, errmsg)
  end subroutine scan_mpi_select

  !> Partitions each rank's elements into three parts on the rank, and finds the place of each part among the elements
  !> of all ranks. Collective.
  subroutine scan_mpi_partition(mpi, spec, local_n, args, parts, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_partition3_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_n
    type(scan_partition3_args), intent(in) :: args
    type(scan_mpi_part), intent(inout) :: parts(SCAN_PARTITION3_PARTS)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_partition3_args) :: own
    if (local_n >= 0) own = args
    call finish(c_scan_mpi_partition(mpi%handle, scan_sized(spec), allowed(local_n), scan_sized(own), parts), mpi, &
                stat, errmsg)
    if (local_n < 0) call refuse_number('scan_mpi_partition', local_n, stat, errmsg)
  end subroutine scan_mpi_partition

  !> Compacts the elements of several contexts of this rank. specs, local_ns, args, kept and rest have an element for
  !> each. Collective.
  subroutine scan_mpi_select_contexts(mpi, specs, local_ns, args, kept, rest, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_select_spec), intent(in) :: specs(:)
    integer(c_int64_t), intent(in) :: local_ns(:)
    type(scan_select_args), intent(in) :: args(:)
    type(scan_mpi_part), intent(inout) :: kept(:), rest(:)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: ns(mpi%contexts)
    type(scan_select_spec) :: own_specs(mpi%contexts)
    type(scan_select_args) :: own(mpi%contexts)
    type(c_ptr) :: ns_at
    character(:), allocatable :: refused
    refused = what_lacks(mpi, local_ns, sizes=[size(specs), size(args), size(kept), size(rest)])
    ns_at = c_null_ptr
    if (refused == '') then
      ns = local_ns
      own_specs = specs
      own = args
      ns_at = c_loc(ns)
    end if
    call finish(c_scan_mpi_select_contexts(mpi%handle, scan_sized(own_specs), ns_at, scan_sized(own), kept, rest), &
                mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_select_contexts: '//refused, stat, errmsg)
  end subroutine scan_mpi_select_contexts

  !> Partitions the elements of several contexts of this rank. specs, local_ns and args have an element for each
  !> context, and parts a column of three. Collective.
  subroutine scan_mpi_partition_contexts(mpi, specs, local_ns, args, parts, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_partition3_spec), intent(in) :: specs(:)
    integer(c_int64_t), intent(in) :: local_ns(:)
    type(scan_partition3_args), intent(in) :: args(:)
    type(scan_mpi_part), intent(inout) :: parts(:, :)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: ns(mpi%contexts)
    type(scan_partition3_spec) :: own_specs(mpi%contexts)
    type(scan_partition3_args) :: own(mpi%contexts)
    type(scan_mpi_part) :: own_parts(SCAN_PARTITION3_PARTS, mpi%contexts)
    type(c_ptr) :: ns_at
    character(:), allocatable :: refused
    refused = what_lacks(mpi, local_ns, sizes=[size(specs), size(args), size(parts, 2)])
    if (refused == '' .and. size(parts, 1) /= SCAN_PARTITION3_PARTS) refused = 'parts has not three rows'
    ns_at = c_null_ptr
    if (refused == '') then
      ns = local_ns
      own_specs = specs
      own = args
      ns_at = c_loc(ns)
    end if
    call finish(c_scan_mpi_partition_contexts(mpi%handle, scan_sized(own_specs), ns_at, scan_sized(own), own_parts), &
                mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_partition_contexts: '//refused, stat, errmsg)
    if (stat == SCAN_SUCCESS) parts = own_parts
  end subroutine scan_mpi_partition_contexts

  !> Finds the place of this rank's `count` elements, 0 or more, among the elements of all ranks. Collective.
  subroutine scan_mpi_offsets(comm, count, offset, total, stat, errmsg)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), intent(inout) :: offset, total
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call finish(c_scan_mpi_offsets(int(comm, c_int), count, offset, total), scan_mpi(), stat, errmsg)
  end subroutine scan_mpi_offsets

  function mpi_last_error(mpi) result(text)
    type(scan_mpi), intent(in), optional :: mpi
    character(:), allocatable :: text
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(mpi)) handle = mpi%handle
    text = scan_c_text(c_scan_mpi_last_error(handle))
  end function mpi_last_error

  subroutine finish(status, mpi, stat, errmsg)
    integer(c_int), intent(in) :: status
    type(scan_mpi), intent(in) :: mpi
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = int(status)
    if (stat /= SCAN_SUCCESS .and. present(errmsg)) errmsg = mpi_last_error(mpi)
  end subroutine finish

  subroutine refuse_number(call_name, n, stat, errmsg)
    character(*), intent(in) :: call_name
    integer(c_int64_t), intent(in) :: n
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_refuse(call_name//': the number '//scan_number(n)//' is negative', stat, errmsg)
  end subroutine refuse_number

  !> Returns the fault of a call's arrays, '' if there is none. Each array needs an element for each context of this
  !> rank, and no number may be negative.
  function what_lacks(mpi, ns, ops, args, sizes) result(words)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int64_t), intent(in) :: ns(:)
    type(scan_op), intent(in), optional :: ops(:)
    type(scan_args), intent(in), optional :: args(:)
    integer, intent(in), optional :: sizes(:) ! sizes of other arrays
    character(:), allocatable :: words
    logical :: fits
    fits = size(ns) == mpi%contexts
    if (present(ops)) fits = fits .and. size(ops) == mpi%contexts
    if (present(args)) fits = fits .and. size(args) == mpi%contexts
    if (present(sizes)) fits = fits .and. all(sizes == mpi%contexts)
    words = ''
    if (.not. fits) then
      words = 'this rank has '//scan_number(int(mpi%contexts, c_int64_t))// &
              ' contexts, and each array one element for each'
    else if (any(ns < 0)) then
      words = 'the number '//scan_number(minval(ns))//' is negative'
    end if
  end function what_lacks

  pure integer(c_int64_t) function allowed(n)
    integer(c_int64_t), intent(in) :: n
    allowed = merge(n, 1_c_int64_t, n >= 0)
  end function allowed

  !> Returns the args of a run for C. They name no memory if n is refused.
  elemental type(scan_args) function given_args(n, args)
    integer(c_int64_t), intent(in) :: n
    type(scan_args), intent(in) :: args
    if (n >= 0) given_args = args
    given_args%struct_bytes = c_sizeof(given_args)
  end function given_args
end module scanrt_mpi_core
