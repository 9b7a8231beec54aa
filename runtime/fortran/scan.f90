! SPDX-License-Identifier: BSD-2-Clause
!> Scans and differences over memory of any kind, for one line or an array, and their plans.
module scanrt_scan
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_c
  use scanrt_base
  use scanrt_memory
  use scanrt_run_args
  implicit none
  private
  public :: scan_run_args, scan_plan_create, scan_plan_run_args
  public :: scan_run, scan_plan_run, scan_plan_info, scan_plan_destroy
  public :: scan_array_packed, scan_run_array, scan_run_array_args, scan_plan_create_array, scan_plan_run_array
  public :: scan_adjacent_difference, scan_plan_create_adjacent_difference, scan_tile_values
  public :: scan_group_values

  !> Scans arrays of any kind (modules of kind.f90.in), or n elements of scan_mem or of addresses for scan_device_mem.
  interface scan_run
    module procedure run_memory, run_pointers
  end interface scan_run

  !> Runs a plan over n elements of scan_mem or of addresses for scan_device_mem.
  interface scan_plan_run
    module procedure plan_run_memory, plan_run_pointers
  end interface scan_plan_run

  !> Computes differences of neighbours, which undo an inclusive sum.
  interface scan_adjacent_difference
    module procedure difference_memory
  end interface scan_adjacent_difference


contains

  subroutine run_memory(ctx, spec, n, in, out, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(n, 'scan_run', stat, errmsg)) return
    call scan_end(c_scan_run(scan_ctx_handle(ctx), sized(spec), n, in, out), ctx, stat, errmsg)
  end subroutine run_memory

  subroutine run_pointers(ctx, spec, n, in, out, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    type(c_ptr), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call run_memory(ctx, spec, n, scan_device_mem(ctx, in), scan_device_mem(ctx, out), stat, errmsg)
  end subroutine run_pointers

  subroutine plan_run_memory(plan, n, in, out, stat, errmsg)
    type(scan_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(n, 'scan_plan_run', stat, errmsg)) return
    call scan_end(c_scan_plan_run(scan_plan_handle(plan), n, in, out), scan_plan_ctx(plan), stat, errmsg)
  end subroutine plan_run_memory

  subroutine plan_run_pointers(plan, n, in, out, stat, errmsg)
    type(scan_plan), intent(in) :: plan
    integer(c_int64_t), intent(in) :: n
    type(c_ptr), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_ctx) :: ctx
    ctx = scan_plan_ctx(plan)
    call plan_run_memory(plan, n, scan_device_mem(ctx, in), scan_device_mem(ctx, out), stat, errmsg)
  end subroutine plan_run_pointers

  !> Gets the facts of a plan of any kind.
  subroutine scan_plan_info(plan, facts, stat, errmsg)
    type(scan_plan), intent(in) :: plan
    type(scan_plan_facts), intent(inout) :: facts
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    facts%struct_bytes = c_sizeof(facts)
    call scan_end(c_scan_plan_info(scan_plan_handle(plan), facts), scan_plan_ctx(plan), stat, errmsg)
  end subroutine scan_plan_info

  !> Waits for the work of a plan of any kind and frees it; `plan` then names none.
  subroutine scan_plan_destroy(plan)
    type(scan_plan), intent(inout) :: plan
    call c_scan_plan_destroy(scan_plan_handle(plan))
    plan = scan_plan()
  end subroutine scan_plan_destroy

  !> Describes Fortran arrays without gaps, for the types of a spec. C's axes are Fortran's dimensions from the last
  !> to the first. Marks and indices of overflows then count in Fortran's array element order.
  subroutine scan_array_packed(spec, shape, dim, array, stat, errmsg)
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: shape(:)
    integer, intent(in) :: dim !< The dimension to scan along, from 1 on.
    type(scan_array), intent(inout) :: array
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: reversed(size(shape))
    if (dim < 1 .or. dim > size(shape)) then
      call scan_refuse('scan_array_packed: dim is '//scan_number(int(dim, c_int64_t))//', and the array has '// &
                       scan_number(size(shape, kind=c_int64_t))//' dimensions', stat, errmsg)
      return
    end if
    reversed = shape(size(shape):1:-1)
    array%struct_bytes = c_sizeof(array)
    call scan_end(c_scan_array_packed(sized(spec), size(reversed, kind=c_int32_t), c_loc(reversed), &
                                 int(size(shape) - dim, c_int32_t), array), scan_ctx(), stat, errmsg)
  end subroutine scan_array_packed

  !> Scans every line of an array along its axis.
  subroutine scan_run_array(ctx, spec, array, in, out, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    type(scan_array), intent(in) :: array
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_run_array(scan_ctx_handle(ctx), sized(spec), sized_array(array), in, out), ctx, stat, errmsg)
  end subroutine scan_run_array

  !> Scans every line of an array along its axis, with marks and events.
  subroutine scan_run_array_args(ctx, spec, array, args, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    type(scan_array), intent(in) :: array
    type(scan_args), intent(in) :: args
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_args) :: own
    own = args
    own%struct_bytes = c_sizeof(own)
    call scan_end(c_scan_run_array_args(scan_ctx_handle(ctx), sized(spec), sized_array(array), own), ctx, stat, errmsg)
  end subroutine scan_run_array_args

  !> Makes a plan: compiles and allocates for scans of that array.
  subroutine scan_plan_create_array(ctx, spec, array, plan, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    type(scan_array), intent(in) :: array
    type(scan_plan), intent(inout) :: plan
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    handle = c_null_ptr
    call scan_end(c_scan_plan_create_array(scan_ctx_handle(ctx), sized(spec), sized_array(array), handle), ctx, stat, &
                  errmsg)
    if (stat == SCAN_SUCCESS) plan = scan_plan_of(handle, ctx)
  end subroutine scan_plan_create_array

  !> Enqueues a planned scan of an array.
  subroutine scan_plan_run_array(plan, in, out, stat, errmsg)
    type(scan_plan), intent(in) :: plan
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_end(c_scan_plan_run_array(scan_plan_handle(plan), in, out), scan_plan_ctx(plan), stat, errmsg)
  end subroutine scan_plan_run_array

  subroutine difference_memory(ctx, spec, n, in, out, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    type(scan_mem), intent(in) :: in, out
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (scan_is_negative(n, 'scan_adjacent_difference', stat, errmsg)) return
    call scan_end(c_scan_adjacent_difference(scan_ctx_handle(ctx), sized(spec), n, in, out), ctx, stat, errmsg)
  end subroutine difference_memory

  !> Computes the values of the whole tiles of a scan: n / tile_items values (scan_tiles.h).
  subroutine scan_tile_values(ctx, spec, n, in, values, tile_items, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    type(scan_mem), intent(in) :: in, values
    integer(c_int64_t), intent(out) :: tile_items
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    tile_items = 0
    if (scan_is_negative(n, 'scan_tile_values', stat, errmsg)) return
    call scan_end(c_scan_tile_values(scan_ctx_handle(ctx), sized(spec), n, in, values, tile_items), ctx, stat, errmsg)
  end subroutine scan_tile_values

  !> Computes the values of the whole groups of tiles of a scan: n / group_items values (scan_tiles.h).
  subroutine scan_group_values(ctx, spec, n, in, values, group_items, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: n
    type(scan_mem), intent(in) :: in, values
    integer(c_int64_t), intent(out) :: group_items
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    group_items = 0
    if (scan_is_negative(n, 'scan_group_values', stat, errmsg)) return
    call scan_end(c_scan_group_values(scan_ctx_handle(ctx), sized(spec), n, in, values, group_items), ctx, stat, errmsg)
  end subroutine scan_group_values

  !> Makes a plan for differences of up to max_n elements, to be run by scan_plan_run.
  subroutine scan_plan_create_adjacent_difference(ctx, spec, max_n, plan, stat, errmsg)
    type(scan_ctx), intent(in) :: ctx
    type(scan_spec), intent(in) :: spec
    integer(c_int64_t), intent(in) :: max_n
    type(scan_plan), intent(inout) :: plan
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: handle
    if (scan_is_negative(max_n, 'scan_plan_create_adjacent_difference', stat, errmsg)) return
    handle = c_null_ptr
    call scan_end(c_scan_plan_create_adjacent_difference(scan_ctx_handle(ctx), sized(spec), max_n, handle), ctx, stat, &
                  errmsg)
    if (stat == SCAN_SUCCESS) plan = scan_plan_of(handle, ctx)
  end subroutine scan_plan_create_adjacent_difference

  pure type(scan_spec) function sized(spec)
    type(scan_spec), intent(in) :: spec
    sized = spec
    sized%struct_bytes = c_sizeof(sized)
  end function sized

  pure type(scan_array) function sized_array(array)
    type(scan_array), intent(in) :: array
    sized_array = array
    sized_array%struct_bytes = c_sizeof(sized_array)
  end function sized_array
end module scanrt_scan
