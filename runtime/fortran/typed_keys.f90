! SPDX-License-Identifier: BSD-2-Clause
!> Specs and args of sorts, splits and runs of arrays, on one device or over ranks. `own` is the type of the keys.
module scanrt_typed_keys
  use, intrinsic :: iso_c_binding
  use scanrt_types
  use scanrt_base
  use scanrt_typed
  implicit none
  private
  public :: scan_key_type, scan_prepare_sort, scan_prepare_split, scan_prepare_run_length, scan_prepare_reduce_by_key

contains

  !> Finds the type of keys: the one that a call asks for, else the elements' own.
  subroutine scan_key_type(own, key_type, stat, errmsg, type)
    integer(c_int), intent(in) :: own
    integer(c_int), intent(out) :: key_type
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    integer(c_int) :: asked
    asked = SCAN_TYPE_DEFAULT
    if (present(type)) asked = type
    call scan_type_of(asked, own, 'type', key_type, stat, errmsg)
  end subroutine scan_key_type

  !> Sets the type of a sort's keys and their order.
  subroutine scan_prepare_sort(own, spec, stat, errmsg, type, descending)
    integer(c_int), intent(in) :: own
    type(scan_sort_spec), intent(inout) :: spec
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    logical, intent(in), optional :: descending
    if (present(descending)) spec%descending = merge(1_c_int32_t, 0_c_int32_t, descending)
    call scan_key_type(own, spec%key_type, stat, errmsg, type)
  end subroutine scan_prepare_sort

  !> Makes the spec of a split by the keys' bits first_bit to end_bit - 1.
  subroutine scan_prepare_split(call_name, own, first_bit, end_bit, buckets, spec, stat, errmsg, type, descending)
    character(*), intent(in) :: call_name
    integer(c_int), intent(in) :: own
    integer, intent(in) :: first_bit, end_bit
    integer(c_int64_t), intent(in) :: buckets !< Buckets that the caller's offsets have room for.
    type(scan_split_spec), intent(out) :: spec
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    logical, intent(in), optional :: descending
    spec%first_bit = int(first_bit, c_int32_t)
    spec%end_bit = int(end_bit, c_int32_t)
    if (present(descending)) spec%descending = merge(1_c_int32_t, 0_c_int32_t, descending)
    call scan_key_type(own, spec%key_type, stat, errmsg, type)
    if (stat == SCAN_SUCCESS) call scan_check_bits(call_name, first_bit, end_bit, buckets, stat, errmsg)
  end subroutine scan_prepare_split

  !> Makes the spec of a run-length encoding, and the capacity of its args, which have the outputs' memory.
  subroutine scan_prepare_run_length(own, length_own, spec, args, stat, errmsg, type)
    integer(c_int), intent(in) :: own, length_own
    type(scan_run_length_spec), intent(out) :: spec
    type(scan_run_length_args), intent(inout) :: args !< Without memory in `starts`, starts are not written.
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int), intent(in), optional :: type
    integer(c_int64_t) :: room
    call scan_key_type(own, spec%key_type, stat, errmsg, type)
    spec%length_type = length_own + 1_c_int ! the unsigned type
    room = min(args%keys_out%size_bytes / scan_own_bytes(own), args%lengths%size_bytes / scan_own_bytes(length_own))
    if (args%starts%kind /= SCAN_MEM_NONE) then
      spec%start_type = spec%length_type
      room = min(room, args%starts%size_bytes / scan_own_bytes(length_own))
    end if
    args%capacity = scan_capacity(room)
  end subroutine scan_prepare_run_length

  !> Makes the spec of a reduction by key from that of its values, and the capacity of its args, which have all memory.
  subroutine scan_prepare_reduce_by_key(call_name, spec, own, in_own, out_own, init, settled, args, stat, errmsg)
    character(*), intent(in) :: call_name
    type(scan_spec), intent(in) :: spec
    integer(c_int), intent(in) :: own, in_own, out_own
    type(c_ptr), intent(in) :: init
    type(scan_spec), intent(out) :: settled
    type(scan_reduce_by_key_args), intent(inout) :: args
    integer, intent(out) :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: key_type
    call scan_check_items(call_name, 'values', args%keys%size_bytes / scan_own_bytes(own), &
                          args%values%size_bytes / scan_own_bytes(in_own), stat, errmsg)
    if (stat == SCAN_SUCCESS) call scan_settle(spec, in_own, out_own, init, .false., settled, stat, errmsg)
    if (stat == SCAN_SUCCESS) call scan_type_of(spec%key_type, own, 'spec%key_type', key_type, stat, errmsg)
    if (stat /= SCAN_SUCCESS) return
    settled%segments = SCAN_SEGMENTS_KEYS
    settled%key_type = key_type
    args%capacity = scan_capacity(min(args%keys_out%size_bytes / scan_own_bytes(own), &
                                      args%values_out%size_bytes / scan_own_bytes(out_own)))
  end subroutine scan_prepare_reduce_by_key
end module scanrt_typed_keys
