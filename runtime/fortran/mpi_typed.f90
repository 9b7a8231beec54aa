! SPDX-License-Identifier: BSD-2-Clause
!> Procedures that the generic procedures over ranks share. If only this rank is refused, they pass C an invalid spec or
!> output, so that all ranks return. `own` is the type of an array's elements.
module scanrt_mpi_typed
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  use scanrt_memory
  use scanrt_typed
  use scanrt_typed_keys
  use scanrt_mpi_c
  use scanrt_mpi_base
  use scanrt_mpi_core
  use scanrt_mpi_memory
  implicit none
  private
  public :: scan_mpi_run_typed, scan_mpi_select_typed, scan_mpi_sort_typed, scan_mpi_split_typed
  public :: scan_mpi_run_length_typed, scan_mpi_reduce_by_key_typed, scan_mpi_unique_typed

  integer, parameter :: most_words = 500 ! characters of a refusal

contains

  !> Runs a scan of arrays.
  subroutine scan_mpi_run_typed(mpi, spec, in_own, in_items, out_own, out_items, args, init, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: in_own, out_own
    integer(c_int64_t), intent(in) :: in_items, out_items
    type(scan_args), intent(inout) :: args
    type(c_ptr), intent(in) :: init
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_spec) :: settled
    character(most_words) :: words
    integer :: refused
    logical :: has_carry
    has_carry = args%carry_in%kind /= SCAN_MEM_NONE .or. args%carry_out%kind /= SCAN_MEM_NONE
    call scan_settle(spec, in_own, out_own, init, has_carry, settled, refused, words)
    if (refused /= SCAN_SUCCESS) then
      settled = scan_spec()
    else
      call scan_check_items('scan_mpi_run', 'out', merge(1_c_int64_t, in_items, spec%kind == SCAN_TOTAL), out_items, &
                            refused, words)
      if (refused /= SCAN_SUCCESS) args%out = scan_mem()
      args%mark_count = scan_mark_count(settled, args%marks)
    end if
    call scan_mpi_run_args(mpi, settled, max(in_items, merge(0_c_int64_t, 1_c_int64_t, refused == SCAN_SUCCESS)), &
                           args, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_run_typed

  !> Compacts one array. `flags` must have as many elements, or no memory.
  subroutine scan_mpi_select_typed(mpi, spec, own, items, flags, params, in, out, rest, kept, dropped, refused, words, &
                                   stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_select_spec), intent(inout) :: spec
    integer(c_int), intent(in) :: own
    integer(c_int64_t), intent(in) :: items
    type(scan_mem), intent(in) :: flags, in, out, rest
    type(c_ptr), intent(in) :: params
    type(scan_mpi_part), intent(inout) :: kept, dropped
    integer, intent(inout) :: refused
    character(*), intent(inout) :: words
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_select_args) :: args
    if (refused == SCAN_SUCCESS .and. flags%kind /= SCAN_MEM_NONE) &
      call scan_check_items('scan_mpi_select', 'flags', items, flags%size_bytes, refused, words)
    call scan_prepare_select(own, flags, params, in, out, rest, spec, args)
    if (refused /= SCAN_SUCCESS) spec = scan_select_spec()
    call scan_mpi_select(mpi, spec, items, args, kept, dropped, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_select_typed

  !> Sorts keys, with `values` if spec%arrays is 1. `args` has all memory.
  subroutine scan_mpi_sort_typed(mpi, distribution, own, items, room, spec, args, part, stat, errmsg, type, descending)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int), intent(in) :: distribution, own
    integer(c_int64_t), intent(in) :: items, room !< Elements of this rank's inputs and outputs.
    type(scan_sort_spec), intent(inout) :: spec
    type(scan_sort_args), intent(in) :: args
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    logical, intent(in), optional :: descending
    character(most_words) :: words
    integer :: refused
    call scan_prepare_sort(own, spec, refused, words, type, descending)
    if (refused == SCAN_SUCCESS .and. spec%arrays > 0) then
      call scan_check_items('scan_mpi_sort', 'values', items, args%in(1)%size_bytes / spec%element_bytes(1), refused, &
                            words)
      if (refused == SCAN_SUCCESS) &
        call scan_check_items('scan_mpi_sort', 'sorted_values', room, args%out(1)%size_bytes / spec%element_bytes(1), &
                              refused, words)
    end if
    if (refused /= SCAN_SUCCESS) spec = scan_sort_spec()
    call scan_mpi_sort(mpi, spec, distribution, items, scan_capacity(room), args, part, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_sort_typed

  !> Splits keys. The caller has checked the spec: `refused` and `words` are its result.
  subroutine scan_mpi_split_typed(mpi, distribution, items, room, spec, args, part, refused, words, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int), intent(in) :: distribution
    integer(c_int64_t), intent(in) :: items, room
    type(scan_split_spec), intent(inout) :: spec
    type(scan_split_args), intent(in) :: args
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(in) :: refused
    character(*), intent(in) :: words
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    if (refused /= SCAN_SUCCESS) spec = scan_split_spec()
    call scan_mpi_split(mpi, spec, distribution, items, scan_capacity(room), args, part, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_split_typed

  !> Encodes runs of keys. `args` has all memory.
  subroutine scan_mpi_run_length_typed(mpi, own, length_own, args, part, stat, errmsg, type)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int), intent(in) :: own, length_own
    type(scan_run_length_args), intent(inout) :: args
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    type(scan_run_length_spec) :: spec
    character(most_words) :: words
    integer :: refused
    call scan_prepare_run_length(own, length_own, spec, args, refused, words, type)
    if (refused /= SCAN_SUCCESS) spec = scan_run_length_spec()
    call scan_mpi_run_length_encode(mpi, spec, args%keys%size_bytes / scan_own_bytes(own), args, part, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_run_length_typed

  !> Reduces values by key. `args` has all memory.
  subroutine scan_mpi_reduce_by_key_typed(mpi, spec, own, in_own, out_own, init, args, part, stat, errmsg)
    type(scan_mpi), intent(in) :: mpi
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: own, in_own, out_own
    type(c_ptr), intent(in) :: init
    type(scan_reduce_by_key_args), intent(inout) :: args
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    type(scan_spec) :: settled
    character(most_words) :: words
    integer :: refused
    call scan_prepare_reduce_by_key('scan_mpi_reduce_by_key', spec, own, in_own, out_own, init, settled, args, &
                                    refused, words)
    if (refused /= SCAN_SUCCESS) settled = scan_spec()
    call scan_mpi_reduce_by_key(mpi, settled, args%keys%size_bytes / scan_own_bytes(own), args, part, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_reduce_by_key_typed

  !> Writes the first key of each run.
  subroutine scan_mpi_unique_typed(mpi, own, keys, keys_out, part, stat, errmsg, type)
    type(scan_mpi), intent(in) :: mpi
    integer(c_int), intent(in) :: own
    type(scan_mem), intent(in) :: keys, keys_out
    type(scan_mpi_part), intent(inout) :: part
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    integer(c_int) :: key_type
    character(most_words) :: words
    integer :: refused
    call scan_key_type(own, key_type, refused, words, type)
    if (refused /= SCAN_SUCCESS) key_type = SCAN_TYPE_DEFAULT
    call scan_mpi_unique(mpi, key_type, keys%size_bytes / scan_own_bytes(own), keys, keys_out, &
                         scan_capacity(keys_out%size_bytes / scan_own_bytes(own)), part, stat, errmsg)
    if (refused /= SCAN_SUCCESS) call scan_refuse(trim(words), stat, errmsg)
  end subroutine scan_mpi_unique_typed
end module scanrt_mpi_typed
