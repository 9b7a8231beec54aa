! SPDX-License-Identifier: BSD-2-Clause
!> Prefix scans, compaction, runs, sorts and splits on CUDA, OpenCL and the host. README.md beside this file is the
!> guide; the C headers, which have the same names, are the reference.
module scanrt
  use scanrt_types
  use scanrt_elements
  use scanrt_base
  use scanrt_names
  use scanrt_parse
  use scanrt_context
  use scanrt_memory
  use scanrt_array_memory
  use scanrt_sources
  use scanrt_operators
  use scanrt_run_args
  use scanrt_scan
  use scanrt_stream
  use scanrt_select
  use scanrt_partition3
  use scanrt_run_length
  use scanrt_reduce_by_key
  use scanrt_segmented_reduce
  use scanrt_sort
  use scanrt_sort_scratch
  use scanrt_split
  use scanrt_histogram
  use scanrt_device
  use scanrt_of_int8
  use scanrt_of_int16
  use scanrt_of_int32
  use scanrt_of_int64
  use scanrt_of_real32
  use scanrt_of_real64
  use scanrt_of_complex_real32
  use scanrt_of_complex_real64
  implicit none
  public

  ! Names that only the library's modules use.
  private :: scan_end, scan_refuse, scan_number, scan_c_text, scan_c_string, scan_is_negative, scan_nothing
  private :: scan_strides, scan_first
  private :: scan_ctx_handle, scan_ctx_backend, scan_ctx_of, scan_plan_handle, scan_plan_ctx, scan_plan_of
  private :: scan_op_handle, scan_op_of
end module scanrt
