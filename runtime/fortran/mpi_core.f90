! SPDX-License-Identifier: BSD-2-Clause
!> Scans, compaction and distribution of scan_mpi.h for memory of any kind.
module scanrt_mpi_core
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  use scanrt_sized
  use scanrt_mpi_c
  use scanrt_mpi_base
  implicit none
  private
  public :: scan_mpi_run, scan_mpi_run_args, scan_mpi_run_contexts
  public :: scan_mpi_plan_create, scan_mpi_plan_run, scan_mpi_plan_run_args
  public :: scan_mpi_plan_create_contexts, scan_mpi_plan_run_contexts
  public :: scan_mpi_run_array, scan_mpi_select, scan_mpi_partition
  public :: scan_mpi_select_contexts, scan_mpi_partition_contexts
  public :: scan_mpi_unique, scan_mpi_plan_create_unique, scan_mpi_plan_run_unique
  public :: scan_mpi_redistribute

  !> Scans the elements of all ranks. Arrays of any kind need a handle. Memory needs a context and a communicator, of
  !> which the call makes a handle for itself.
  interface scan_mpi_run
    module procedure run_memory
  end interface scan_mpi_run

  !> Compacts each rank's elements on the rank, and finds their place among the kept elements of all ranks.
  interface scan_mpi_select
    module procedure select_memory
  end interface scan_mpi_select

  !> Writes the first key of each run of all ranks, on the rank that has it.
  interface scan_mpi_unique
    module procedure unique_memory
  end interface scan_mpi_unique

  !> Moves elements between ranks so that each rank has as many as it asks for.
  interface scan_mpi_redistribute
    module procedure redistribute_memory
  end interface scan_mpi_redistribute

contains

  subroutine run_memory(ctx, comm, spec, local_n, in, out, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    integer, intent(in) :: comm
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (local_n < 0) then
      call scan_mpi_end( &
        c_scan_mpi_run(scan_ctx_handle(ctx), int(comm, c_int), scan_sized(spec), 1_c_int64_t, scan_mem(), scan_mem()), &
        scan_mpi(), stat, errmsg)
      call scan_mpi_refuse('scan_mpi_run', local_n, stat, errmsg)
    else
      call scan_mpi_end( &
        c_scan_mpi_run(scan_ctx_handle(ctx), int(comm, c_int), scan_sized(spec), local_n, in, out), &
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
    call scan_mpi_end( &
      c_scan_mpi_run_args(scan_mpi_handle(mpi), scan_sized(spec), scan_mpi_allowed(local_n), &
                          given_args(local_n, args)), &
      mpi, stat, errmsg)
    if (local_n < 0) call scan_mpi_refuse('scan_mpi_run_args', local_n, stat, errmsg)
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
    integer(c_int64_t), target :: ns(scan_mpi_contexts(mpi))
    type(scan_args) :: own(scan_mpi_contexts(mpi))
    type(scan_op), target :: own_ops(scan_mpi_contexts(mpi))
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
    call scan_mpi_end( &
      c_scan_mpi_run_contexts(scan_mpi_handle(mpi), scan_sized(spec), ops_at, ns_at, own), &
      mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_run_contexts: '//refused, stat, errmsg)
  end subroutine scan_mpi_run_contexts

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
    call scan_mpi_end( &
      c_scan_mpi_plan_create(scan_mpi_handle(mpi), own, scan_mpi_allowed(max_local_n), handle), &
      mpi, stat, errmsg)
    if (max_local_n < 0) call scan_mpi_refuse('scan_mpi_plan_create', max_local_n, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    plan = scan_mpi_plan_of(handle, mpi)
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
    integer(c_int64_t), target :: ns(scan_mpi_contexts(mpi))
    type(scan_op), target :: own_ops(scan_mpi_contexts(mpi))
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
    call scan_mpi_end( &
      c_scan_mpi_plan_create_contexts(scan_mpi_handle(mpi), scan_sized(spec), ops_at, ns_at, handle), &
      mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_plan_create_contexts: '//refused, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    plan = scan_mpi_plan_of(handle, mpi)
  end subroutine scan_mpi_plan_create_contexts

  !> Runs a plan of several contexts of this rank. Collective.
  subroutine scan_mpi_plan_run_contexts(plan, local_ns, args, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_ns(:)
    type(scan_args), intent(in) :: args(:)
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: ns(scan_mpi_contexts(scan_mpi_plan_mpi(plan)))
    type(scan_args) :: own(scan_mpi_contexts(scan_mpi_plan_mpi(plan)))
    type(c_ptr) :: ns_at
    character(:), allocatable :: refused
    refused = what_lacks(scan_mpi_plan_mpi(plan), local_ns, args=args)
    ns_at = c_null_ptr
    if (refused == '') then
      ns = local_ns
      own = given_args(0_c_int64_t, args)
      ns_at = c_loc(ns)
    end if
    call scan_mpi_end( &
      c_scan_mpi_plan_run_contexts(scan_mpi_plan_handle(plan), ns_at, own), &
      scan_mpi_plan_mpi(plan), stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_plan_run_contexts: '//refused, stat, errmsg)
  end subroutine scan_mpi_plan_run_contexts

  !> Runs a plan. Collective.
  subroutine scan_mpi_plan_run_args(plan, local_n, args, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_n
    type(scan_args), intent(in) :: args
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_mpi_end( &
      c_scan_mpi_plan_run_args(scan_mpi_plan_handle(plan), scan_mpi_allowed(local_n), given_args(local_n, args)), &
      scan_mpi_plan_mpi(plan), stat, errmsg)
    if (local_n < 0) call scan_mpi_refuse('scan_mpi_plan_run_args', local_n, stat, errmsg)
  end subroutine scan_mpi_plan_run_args

  !> Runs a plan with in and out alone. Collective.
  subroutine scan_mpi_plan_run(plan, local_n, in, out, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (local_n < 0) then
      call scan_mpi_end( &
        c_scan_mpi_plan_run(scan_mpi_plan_handle(plan), 1_c_int64_t, scan_mem(), scan_mem()), &
        scan_mpi_plan_mpi(plan), stat, errmsg)
      call scan_mpi_refuse('scan_mpi_plan_run', local_n, stat, errmsg)
    else
      call scan_mpi_end( &
        c_scan_mpi_plan_run(scan_mpi_plan_handle(plan), local_n, in, out), &
        scan_mpi_plan_mpi(plan), stat, errmsg)
    end if
  end subroutine scan_mpi_plan_run

  !> Scans lines that are distributed over the ranks along their axis. Collective. scan_array_packed makes the array.
  subroutine scan_mpi_run_array(mpi, spec, array, in, out, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    type(scan_array), intent(in) :: array
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_mpi_end( &
      c_scan_mpi_run_array(scan_mpi_handle(mpi), scan_sized(spec), scan_sized(array), in, out), &
      mpi, stat, errmsg)
  end subroutine scan_mpi_run_array

  subroutine redistribute_memory(mpi, element_bytes, local_n, in, wanted_n, out, part, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int32_t), intent(in) :: element_bytes
    integer(c_int64_t), intent(in) :: local_n, wanted_n !< Elements that this rank has, and asks for.
    type(scan_mem), intent(in) :: in, out
    type(scan_mpi_part), intent(inout) :: part !< Place of the elements that this rank gets.
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_mem) :: own ! no memory, which C refuses on all ranks
    if (local_n >= 0 .and. wanted_n >= 0) own = in
    call scan_mpi_end( &
      c_scan_mpi_redistribute(scan_mpi_handle(mpi), element_bytes, scan_mpi_allowed(local_n), own, &
                              scan_mpi_allowed(wanted_n), out, part), &
      mpi, stat, errmsg)
    if (min(local_n, wanted_n) < 0) &
      call scan_mpi_refuse('scan_mpi_redistribute', min(local_n, wanted_n), stat, errmsg)
  end subroutine redistribute_memory

  subroutine select_memory(mpi, spec, local_n, args, kept, rest, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_select_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: local_n
    type(scan_select_args), intent(in) :: args
    type(scan_mpi_part), intent(inout) :: kept, rest
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_select_args) :: own
    if (local_n >= 0) own = args
    call scan_mpi_end( &
      c_scan_mpi_select(scan_mpi_handle(mpi), scan_sized(spec), scan_mpi_allowed(local_n), scan_sized(own), &
                        kept, rest), &
      mpi, stat, errmsg)
    if (local_n < 0) call scan_mpi_refuse('scan_mpi_select', local_n, stat, errmsg)
  end subroutine select_memory

  subroutine unique_memory(mpi, key_type, local_n, keys, keys_out, capacity, part, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int), intent(in) :: key_type
    integer(c_int64_t), intent(in) :: local_n
    type(scan_mem), intent(in) :: keys, keys_out
    integer(c_int64_t), intent(in) :: capacity !< Keys that keys_out has room for; 0: local_n; SCAN_NO_CAPACITY: none.
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_mpi_end( &
      c_scan_mpi_unique(scan_mpi_handle(mpi), merge(key_type, SCAN_TYPE_DEFAULT, local_n >= 0), &
                        scan_mpi_allowed(local_n), keys, keys_out, capacity, part), &
      mpi, stat, errmsg)
    if (local_n < 0) call scan_mpi_refuse('scan_mpi_unique', local_n, stat, errmsg)
  end subroutine unique_memory

  !> Makes a plan for the first keys of runs of up to max_local_n keys of this rank. Collective.
  subroutine scan_mpi_plan_create_unique(mpi, key_type, max_local_n, plan, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int), intent(in) :: key_type
    integer(c_int64_t), intent(in) :: max_local_n
    type(scan_mpi_plan), intent(inout) :: plan
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    handle = c_null_ptr
    call scan_mpi_end( &
      c_scan_mpi_plan_create_unique(scan_mpi_handle(mpi), merge(key_type, SCAN_TYPE_DEFAULT, max_local_n >= 0), &
                                    scan_mpi_allowed(max_local_n), handle), &
      mpi, stat, errmsg)
    if (max_local_n < 0) call scan_mpi_refuse('scan_mpi_plan_create_unique', max_local_n, stat, errmsg)
    if (stat == SCAN_SUCCESS) plan = scan_mpi_plan_of(handle, mpi)
  end subroutine scan_mpi_plan_create_unique

  !> Runs a plan of scan_mpi_plan_create_unique. Collective.
  subroutine scan_mpi_plan_run_unique(plan, local_n, keys, keys_out, capacity, part, stat, errmsg)
    type(scan_mpi_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: local_n
    type(scan_mem), intent(in) :: keys, keys_out
    integer(c_int64_t), intent(in) :: capacity
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_mem) :: own, own_out ! no memory, which C refuses on all ranks
    if (local_n >= 0) own = keys
    if (local_n >= 0) own_out = keys_out
    call scan_mpi_end( &
      c_scan_mpi_plan_run_unique(scan_mpi_plan_handle(plan), scan_mpi_allowed(local_n), own, own_out, capacity, part), &
      scan_mpi_plan_mpi(plan), stat, errmsg)
    if (local_n < 0) call scan_mpi_refuse('scan_mpi_plan_run_unique', local_n, stat, errmsg)
  end subroutine scan_mpi_plan_run_unique

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
    call scan_mpi_end( &
      c_scan_mpi_partition(scan_mpi_handle(mpi), scan_sized(spec), scan_mpi_allowed(local_n), scan_sized(own), parts), &
      mpi, stat, errmsg)
    if (local_n < 0) call scan_mpi_refuse('scan_mpi_partition', local_n, stat, errmsg)
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
    integer(c_int64_t), target :: ns(scan_mpi_contexts(mpi))
    type(scan_select_spec) :: own_specs(scan_mpi_contexts(mpi))
    type(scan_select_args) :: own(scan_mpi_contexts(mpi))
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
    call scan_mpi_end( &
      c_scan_mpi_select_contexts(scan_mpi_handle(mpi), scan_sized(own_specs), ns_at, scan_sized(own), kept, rest), &
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
    integer(c_int64_t), target :: ns(scan_mpi_contexts(mpi))
    type(scan_partition3_spec) :: own_specs(scan_mpi_contexts(mpi))
    type(scan_partition3_args) :: own(scan_mpi_contexts(mpi))
    type(scan_mpi_part) :: own_parts(SCAN_PARTITION3_PARTS, scan_mpi_contexts(mpi))
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
    call scan_mpi_end( &
      c_scan_mpi_partition_contexts(scan_mpi_handle(mpi), scan_sized(own_specs), ns_at, scan_sized(own), own_parts), &
      mpi, stat, errmsg)
    if (refused /= '') call scan_refuse('scan_mpi_partition_contexts: '//refused, stat, errmsg)
    if (stat == SCAN_SUCCESS) parts = own_parts
  end subroutine scan_mpi_partition_contexts

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
    fits = size(ns) == scan_mpi_contexts(mpi)
    if (present(ops)) fits = fits .and. size(ops) == scan_mpi_contexts(mpi)
    if (present(args)) fits = fits .and. size(args) == scan_mpi_contexts(mpi)
    if (present(sizes)) fits = fits .and. all(sizes == scan_mpi_contexts(mpi))
    words = ''
    if (.not. fits) then
      words = 'this rank has '//scan_number(int(scan_mpi_contexts(mpi), c_int64_t))// &
              ' contexts, and each array one element for each'
    else if (any(ns < 0)) then
      words = 'the number '//scan_number(minval(ns))//' is negative'
    end if
  end function what_lacks

  !> Returns the args of a run for C. They name no memory if n is refused.
  elemental type(scan_args) function given_args(n, args)
    integer(c_int64_t), intent(in) :: n
    type(scan_args), intent(in) :: args
    if (n >= 0) given_args = args
    given_args%struct_bytes = c_sizeof(given_args)
  end function given_args
end module scanrt_mpi_core
