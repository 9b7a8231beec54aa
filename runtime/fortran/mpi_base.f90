! SPDX-License-Identifier: BSD-2-Clause
!> Handles of scan_mpi.h, and procedures that all calls over ranks share. Calls are collective: if the Fortran side
!> refuses an argument, it passes C an argument that C refuses, too, so that the other ranks learn of it and none hangs.
module scanrt_mpi_base
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  use scanrt_mpi_c
  implicit none
  private
  public :: scan_mpi, scan_mpi_plan
  public :: scan_mpi_create, scan_mpi_create_contexts, scan_mpi_destroy, scan_mpi_last_error, scan_mpi_info
  public :: scan_mpi_takes_device_memory, scan_mpi_sent_bytes, scan_mpi_overflow_index, scan_mpi_plan_destroy
  public :: scan_mpi_offsets
  public :: scan_mpi_handle, scan_mpi_contexts, scan_mpi_plan_handle, scan_mpi_plan_mpi, scan_mpi_plan_of
  public :: scan_mpi_end, scan_mpi_refuse, scan_mpi_allowed

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
    call scan_mpi_end(c_scan_mpi_create(scan_ctx_handle(ctx), int(comm, c_int), handle), scan_mpi(), stat, errmsg)
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
    call scan_mpi_end( &
      c_scan_mpi_create_contexts(c_loc(handles), size(ctxs, kind=c_int), int(comm, c_int), handle), &
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
    call scan_mpi_end(c_scan_mpi_info(mpi%handle, facts), mpi, stat, errmsg)
  end subroutine scan_mpi_info

  !> Returns the bytes of elements that this rank sent in the last call.
  integer(c_int64_t) function scan_mpi_sent_bytes(mpi) result(bytes)
    type(scan_mpi), intent(in) :: mpi
    bytes = c_scan_mpi_sent_bytes(mpi%handle)
  end function scan_mpi_sent_bytes

  !> Gets the index of the first overflow in the order of the scan. Indices count from 0 on in the outputs of all
  !> ranks, one after the other.
  subroutine scan_mpi_overflow_index(mpi, index, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int64_t), intent(inout) :: index
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_mpi_end(c_scan_mpi_overflow_index(mpi%handle, index), mpi, stat, errmsg)
  end subroutine scan_mpi_overflow_index

  !> Frees a plan; `plan` then names none. Not collective.
  subroutine scan_mpi_plan_destroy(plan)
    type(scan_mpi_plan), intent(inout) :: plan
    call c_scan_mpi_plan_destroy(plan%handle)
    plan%handle = c_null_ptr
  end subroutine scan_mpi_plan_destroy

  !> Finds the place of this rank's `count` elements, 0 or more, among the elements of all ranks. Collective.
  subroutine scan_mpi_offsets(comm, count, offset, total, stat, errmsg)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), intent(inout) :: offset, total
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_mpi_end(c_scan_mpi_offsets(int(comm, c_int), count, offset, total), scan_mpi(), stat, errmsg)
  end subroutine scan_mpi_offsets

  function mpi_last_error(mpi) result(text)
    type(scan_mpi), intent(in), optional :: mpi
    character(:), allocatable :: text
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(mpi)) handle = mpi%handle
    text = scan_c_text(c_scan_mpi_last_error(handle))
  end function mpi_last_error

  ! The library's modules read and make opaque types by these functions.

  pure type(c_ptr) function scan_mpi_handle(mpi)
    type(scan_mpi), intent(in) :: mpi
    scan_mpi_handle = mpi%handle
  end function scan_mpi_handle

  pure integer function scan_mpi_contexts(mpi)
    type(scan_mpi), intent(in) :: mpi
    scan_mpi_contexts = mpi%contexts
  end function scan_mpi_contexts

  pure type(c_ptr) function scan_mpi_plan_handle(plan)
    type(scan_mpi_plan), intent(in) :: plan
    scan_mpi_plan_handle = plan%handle
  end function scan_mpi_plan_handle

  pure type(scan_mpi) function scan_mpi_plan_mpi(plan)
    type(scan_mpi_plan), intent(in) :: plan
    scan_mpi_plan_mpi = plan%mpi
  end function scan_mpi_plan_mpi

  pure type(scan_mpi_plan) function scan_mpi_plan_of(handle, mpi)
    type(c_ptr), intent(in) :: handle
    type(scan_mpi), intent(in) :: mpi
    scan_mpi_plan_of%handle = handle
    scan_mpi_plan_of%mpi = mpi
  end function scan_mpi_plan_of

  !> Ends a call: sets `stat` to C's status and, unless that is SCAN_SUCCESS, `errmsg` to the error text of `mpi`.
  subroutine scan_mpi_end(status, mpi, stat, errmsg)
    integer(c_int), intent(in) :: status
    type(scan_mpi), intent(in) :: mpi
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    stat = int(status)
    if (stat /= SCAN_SUCCESS .and. present(errmsg)) errmsg = mpi_last_error(mpi)
  end subroutine scan_mpi_end

  !> Ends a call that this module refuses for a negative number, after C has refused it on all ranks.
  subroutine scan_mpi_refuse(call_name, n, stat, errmsg)
    character(*), intent(in) :: call_name
    integer(c_int64_t), intent(in) :: n
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    call scan_refuse(call_name//': the number '//scan_number(n)//' is negative', stat, errmsg)
  end subroutine scan_mpi_refuse

  !> Returns `n`, or 1 in place of a negative number.
  pure integer(c_int64_t) function scan_mpi_allowed(n)
    integer(c_int64_t), intent(in) :: n
    scan_mpi_allowed = merge(n, 1_c_int64_t, n >= 0)
  end function scan_mpi_allowed
end module scanrt_mpi_base
