! SPDX-License-Identifier: BSD-2-Clause
!> Structs of scanrt. The C headers document them under the same names. tests/fortran/ compares all of them with C.
!> Procedures that take a struct set its `struct_bytes`.
module scanrt_types
  use, intrinsic :: iso_c_binding
  use scanrt_constants
  use scanrt_elements
  implicit none
  public

  !> An operator, a predicate or a bucket function: opaque.
  type, bind(C) :: scan_op
    private
    type(c_ptr) :: handle = c_null_ptr
  end type scan_op

  !> A piece of memory, made by scan_host, scan_alloc, scan_device_mem, scan_cuda_mem, scan_opencl_mem,
  !> scan_opencl_svm or scan_opencl_usm; by default no memory.
  type, bind(C) :: scan_mem
    integer(c_int) :: kind = SCAN_MEM_NONE
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: offset_bytes = 0
    integer(c_int64_t) :: size_bytes = 0
  end type scan_mem

  !> No memory.
  type(scan_mem), parameter :: SCAN_NO_MEM = scan_mem(SCAN_MEM_NONE, c_null_ptr, 0, 0)

  type, bind(C) :: scan_device_facts
    integer(c_int32_t) :: opencl_version = 0
    integer(c_int32_t) :: opencl_c_version = 0
    integer(c_int32_t) :: compute_capability = 0
    integer(c_int32_t) :: is_accelerator = 0
    integer(c_int32_t) :: lacks_compiler = 0
    integer(c_int32_t) :: lacks_int64 = 0
    integer(c_int32_t) :: has_int64_base_atomics = 0
    integer(c_int32_t) :: has_int64_extended_atomics = 0
    integer(c_int32_t) :: atomic_capabilities = 0
    integer(c_int32_t) :: has_sub_groups = 0
    integer(c_int32_t) :: has_sub_group_shuffle = 0
    integer(c_int32_t) :: has_sub_group_shuffle_relative = 0
    integer(c_int32_t) :: has_intel_sub_groups = 0
    integer(c_int32_t) :: has_required_sub_group_size = 0
    integer(c_int32_t) :: sub_group_sizes = 0
    integer(c_int32_t) :: sub_group_items = 0
    integer(c_int32_t) :: has_fp16 = 0
    integer(c_int32_t) :: local_memory_is_global = 0
    integer(c_int32_t) :: local_memory_optin_bytes = 0
    integer(c_int32_t) :: base_align_bytes = 0
    integer(c_int32_t) :: has_unified_memory = 0
  end type scan_device_facts

  !> Facts about a device. Texts end with a null character; scan_text converts them.
  type, bind(C) :: scan_device_info
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: backend = 0
    character(kind=c_char) :: selector(32) = c_null_char
    character(kind=c_char) :: name(128) = c_null_char
    character(kind=c_char) :: vendor(128) = c_null_char
    character(kind=c_char) :: driver(128) = c_null_char
    integer(c_int64_t) :: memory_bytes = 0
    integer(c_int64_t) :: max_alloc_bytes = 0
    integer(c_int64_t) :: local_memory_bytes = 0
    integer(c_int32_t) :: compute_units = 0
    integer(c_int32_t) :: max_group_items = 0
    integer(c_int32_t) :: is_cpu = 0
    integer(c_int32_t) :: has_fp64 = 0
    integer(c_int32_t) :: has_int64_atomics = 0
    integer(c_int32_t) :: has_shuffles = 0
    integer(c_int32_t) :: has_fair_progress = 0
    integer(c_int32_t) :: flushes_denormals = 0
    integer(c_int) :: auto_strategy = SCAN_STRATEGY_AUTO
    type(scan_device_facts) :: facts
    integer(c_int32_t) :: loop_limit = 0
    integer(c_int32_t) :: group_items = 0
    integer(c_int32_t) :: sub_group_items = 0
    character(kind=c_char) :: exchange(16) = c_null_char
    character(kind=c_char) :: descriptors(16) = c_null_char
    character(kind=c_char) :: variant_reason(192) = c_null_char
    character(kind=c_char) :: refusal(160) = c_null_char
  end type scan_device_info

  type, bind(C) :: scan_ctx_options
    integer(c_size_t) :: struct_bytes = 0
    type(c_ptr) :: device = c_null_ptr
    integer(c_int) :: strategy = SCAN_STRATEGY_AUTO
    integer(c_int32_t) :: threads = 0
    type(c_funptr) :: allocate = c_null_funptr
    type(c_funptr) :: release = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type scan_ctx_options

  !> The computation. Make one with names: scan_spec(op=SCAN_ADD, kind=SCAN_EXCLUSIVE). `type` and `input_type` are
  !> optional if the arrays determine them. `init` is a union in C: set it with scan_set_init.
  type, bind(C) :: scan_spec
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: type = SCAN_TYPE_DEFAULT
    integer(c_int) :: input_type = SCAN_TYPE_DEFAULT
    integer(c_int) :: op = SCAN_OP_NONE
    integer(c_int) :: kind = SCAN_INCLUSIVE
    type(scan_op) :: custom_op
    integer(c_int32_t) :: flags = 0
    integer(c_int32_t) :: has_init = 0
    integer(c_int64_t) :: init = 0
    type(c_ptr) :: init_bytes = c_null_ptr
    integer(c_int) :: segments = SCAN_SEGMENTS_NONE
    integer(c_int) :: key_type = SCAN_TYPE_DEFAULT
    integer(c_int) :: strategy = SCAN_STRATEGY_AUTO
  end type scan_spec

  type, bind(C) :: scan_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: in
    type(scan_mem) :: out
    type(scan_mem) :: marks
    integer(c_int64_t) :: mark_count = 0
    type(scan_mem) :: carry_in
    type(scan_mem) :: carry_out
    type(c_ptr) :: opencl = c_null_ptr
    type(scan_mem) :: n_from
  end type scan_args

  type, bind(C) :: scan_plan_facts
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: strategy = SCAN_STRATEGY_AUTO
    character(kind=c_char) :: reason(160) = c_null_char
    integer(c_int64_t) :: max_n = 0
    integer(c_int64_t) :: tile_items = 0
    integer(c_int64_t) :: tiles = 0
    integer(c_int64_t) :: workspace_bytes = 0
    integer(c_int32_t) :: launches = 0
    integer(c_int32_t) :: groups = 0
    integer(c_int32_t) :: items_per_group = 0
    integer(c_int64_t) :: work = 0
    integer(c_int64_t) :: span = 0
    integer(c_int64_t) :: scratch_bytes = 0
  end type scan_plan_facts

  !> An array with C's axes: elements are adjacent along the last one. scan_array_packed reverses Fortran's
  !> dimensions.
  type, bind(C) :: scan_array
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int32_t) :: ndim = 0
    integer(c_int32_t) :: axis = 0
    integer(c_int64_t) :: shape(SCAN_ARRAY_MAX_AXES) = 0
    integer(c_int64_t) :: in_strides(SCAN_ARRAY_MAX_AXES) = 0
    integer(c_int64_t) :: out_strides(SCAN_ARRAY_MAX_AXES) = 0
  end type scan_array

  type, bind(C) :: scan_op_source
    integer(c_size_t) :: struct_bytes = 0
    type(c_ptr) :: text = c_null_ptr
    type(c_ptr) :: type = c_null_ptr
    type(c_ptr) :: combine = c_null_ptr
    integer(c_size_t) :: value_bytes = 0
    integer(c_size_t) :: value_align = 0
    type(c_ptr) :: identity = c_null_ptr
    type(c_funptr) :: host = c_null_funptr
    type(c_ptr) :: map = c_null_ptr
    type(c_ptr) :: input_type = c_null_ptr
    integer(c_size_t) :: input_bytes = 0
    integer(c_size_t) :: input_align = 0
    type(c_funptr) :: map_host = c_null_funptr
    type(c_ptr) :: emit = c_null_ptr
    type(c_ptr) :: output_type = c_null_ptr
    integer(c_size_t) :: output_bytes = 0
    integer(c_size_t) :: output_align = 0
    type(c_funptr) :: emit_host = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: loops = c_null_ptr
    type(c_funptr) :: map_loop = c_null_funptr
    type(c_funptr) :: emit_loop = c_null_funptr
  end type scan_op_source

  type, bind(C) :: scan_op_facts
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int32_t) :: value_bytes = 0
    integer(c_int32_t) :: value_align = 0
    integer(c_int32_t) :: input_bytes = 0
    integer(c_int32_t) :: output_bytes = 0
    integer(c_int32_t) :: maps = 0
    integer(c_int32_t) :: emits = 0
    integer(c_int32_t) :: has_identity = 0
    integer(c_int32_t) :: is_predicate = 0
    integer(c_int8_t) :: identity(SCAN_OP_MOST_BYTES) = 0_c_int8_t
  end type scan_op_facts

  type, bind(C) :: scan_predicate_source
    integer(c_size_t) :: struct_bytes = 0
    type(c_ptr) :: text = c_null_ptr
    type(c_ptr) :: type = c_null_ptr
    type(c_ptr) :: keep = c_null_ptr
    integer(c_size_t) :: element_bytes = 0
    integer(c_size_t) :: element_align = 0
    type(c_ptr) :: params_type = c_null_ptr
    integer(c_size_t) :: params_bytes = 0
    integer(c_size_t) :: params_align = 0
    type(c_funptr) :: host = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    integer(c_int32_t) :: is_pair = 0
  end type scan_predicate_source

  type, bind(C) :: scan_bucket_source
    integer(c_size_t) :: struct_bytes = 0
    type(c_ptr) :: text = c_null_ptr
    type(c_ptr) :: type = c_null_ptr
    type(c_ptr) :: bucket = c_null_ptr
    integer(c_size_t) :: element_bytes = 0
    integer(c_size_t) :: element_align = 0
    type(c_ptr) :: params_type = c_null_ptr
    integer(c_size_t) :: params_bytes = 0
    integer(c_size_t) :: params_align = 0
    type(c_funptr) :: host = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
  end type scan_bucket_source

  type, bind(C) :: scan_composite_facts
    type(c_ptr) :: name = c_null_ptr
    integer(c_size_t) :: value_bytes = 0
    integer(c_size_t) :: value_align = 0
    type(c_ptr) :: identity = c_null_ptr
    type(c_funptr) :: host = c_null_funptr
    type(c_ptr) :: loops = c_null_ptr
    integer(c_int) :: needs_fp64 = 0
  end type scan_composite_facts

  type, bind(C) :: scan_select_spec
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: by = 0
    integer(c_int) :: key_type = SCAN_TYPE_DEFAULT
    integer(c_int) :: rest = SCAN_REST_DROPPED
    integer(c_int) :: index_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: arrays = 0
    integer(c_int32_t) :: element_bytes(SCAN_SELECT_MOST_ARRAYS) = 0
    integer(c_int32_t) :: element_align(SCAN_SELECT_MOST_ARRAYS) = 0
    type(scan_op) :: predicate
    integer(c_int32_t) :: in_place = 0
    integer(c_int64_t) :: flags = 0
  end type scan_select_spec

  type, bind(C) :: scan_select_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: marks
    type(scan_mem) :: in(SCAN_SELECT_MOST_ARRAYS)
    type(scan_mem) :: out(SCAN_SELECT_MOST_ARRAYS)
    type(scan_mem) :: rest(SCAN_SELECT_MOST_ARRAYS)
    integer(c_int64_t) :: capacity = 0
    integer(c_int64_t) :: rest_capacity = 0
    type(scan_mem) :: count
    type(scan_mem) :: n_from
    type(c_ptr) :: params = c_null_ptr
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_select_args

  type, bind(C) :: scan_partition3_spec
    integer(c_size_t) :: struct_bytes = 0
    type(scan_op) :: first
    type(scan_op) :: second
    integer(c_int32_t) :: arrays = 0
    integer(c_int32_t) :: element_bytes(SCAN_SELECT_MOST_ARRAYS) = 0
    integer(c_int32_t) :: element_align(SCAN_SELECT_MOST_ARRAYS) = 0
    integer(c_int64_t) :: flags = 0
  end type scan_partition3_spec

  type, bind(C) :: scan_partition3_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: in(SCAN_SELECT_MOST_ARRAYS)
    type(scan_mem) :: first(SCAN_SELECT_MOST_ARRAYS)
    type(scan_mem) :: second(SCAN_SELECT_MOST_ARRAYS)
    type(scan_mem) :: rest(SCAN_SELECT_MOST_ARRAYS)
    type(scan_mem) :: counts
    type(scan_mem) :: n_from
    type(c_ptr) :: first_params = c_null_ptr
    type(c_ptr) :: second_params = c_null_ptr
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_partition3_args

  type, bind(C) :: scan_run_length_spec
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: key_type = SCAN_TYPE_DEFAULT
    integer(c_int) :: length_type = SCAN_TYPE_DEFAULT
    integer(c_int) :: start_type = SCAN_TYPE_DEFAULT
    integer(c_int64_t) :: flags = 0
  end type scan_run_length_spec

  type, bind(C) :: scan_run_length_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: keys
    type(scan_mem) :: keys_out
    type(scan_mem) :: lengths
    type(scan_mem) :: starts
    integer(c_int64_t) :: capacity = 0
    type(scan_mem) :: count
    type(scan_mem) :: n_from
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_run_length_args

  type, bind(C) :: scan_reduce_by_key_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: keys
    type(scan_mem) :: values
    type(scan_mem) :: keys_out
    type(scan_mem) :: values_out
    integer(c_int64_t) :: capacity = 0
    type(scan_mem) :: count
    type(scan_mem) :: n_from
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_reduce_by_key_args

  type, bind(C) :: scan_sort_spec
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: key_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: descending = 0
    integer(c_int32_t) :: first_bit = 0
    integer(c_int32_t) :: end_bit = 0
    integer(c_int) :: index_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: arrays = 0
    integer(c_int32_t) :: element_bytes(SCAN_SORT_MOST_ARRAYS) = 0
    integer(c_int32_t) :: element_align(SCAN_SORT_MOST_ARRAYS) = 0
    integer(c_int32_t) :: drops_keys = 0
    integer(c_int32_t) :: in_place = 0
    integer(c_int32_t) :: key_words = 0
    integer(c_int32_t) :: low_word_first = 0
    integer(c_int) :: offset_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: most_segment_items = 0
    integer(c_int32_t) :: gives_scratch = 0
    integer(c_int64_t) :: flags = 0
    integer(c_int64_t) :: order = SCAN_SORT_TOTAL_ORDER
  end type scan_sort_spec

  type, bind(C) :: scan_sort_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: keys_in
    type(scan_mem) :: keys_out
    type(scan_mem) :: in(SCAN_SORT_MOST_ARRAYS)
    type(scan_mem) :: out(SCAN_SORT_MOST_ARRAYS)
    type(scan_mem) :: n_from
    type(scan_mem) :: offsets
    integer(c_int64_t) :: segments = 0
    type(scan_mem) :: scratch
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_sort_args

  type, bind(C) :: scan_split_spec
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: key_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: descending = 0
    integer(c_int32_t) :: first_bit = 0
    integer(c_int32_t) :: end_bit = 0
    integer(c_int) :: index_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: arrays = 0
    integer(c_int32_t) :: element_bytes(SCAN_SPLIT_MOST_ARRAYS) = 0
    integer(c_int32_t) :: element_align(SCAN_SPLIT_MOST_ARRAYS) = 0
    integer(c_int32_t) :: drops_keys = 0
    integer(c_int32_t) :: in_place = 0
    type(scan_op) :: bucket
    integer(c_int32_t) :: buckets = 0
    integer(c_int64_t) :: flags = 0
  end type scan_split_spec

  type, bind(C) :: scan_split_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: keys_in
    type(scan_mem) :: keys_out
    type(scan_mem) :: offsets
    type(scan_mem) :: in(SCAN_SPLIT_MOST_ARRAYS)
    type(scan_mem) :: out(SCAN_SPLIT_MOST_ARRAYS)
    type(scan_mem) :: n_from
    type(c_ptr) :: params = c_null_ptr
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_split_args

  type, bind(C) :: scan_histogram_spec
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int) :: key_type = SCAN_TYPE_DEFAULT
    integer(c_int32_t) :: descending = 0
    integer(c_int32_t) :: first_bit = 0
    integer(c_int32_t) :: end_bit = 0
    type(scan_op) :: bucket
    integer(c_int32_t) :: buckets = 0
    integer(c_int64_t) :: flags = 0
  end type scan_histogram_spec

  type, bind(C) :: scan_histogram_args
    integer(c_size_t) :: struct_bytes = 0
    type(scan_mem) :: keys
    type(scan_mem) :: counts
    type(scan_mem) :: n_from
    type(c_ptr) :: params = c_null_ptr
    type(c_ptr) :: opencl = c_null_ptr
  end type scan_histogram_args

  type, bind(C) :: scan_stream_options
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int64_t) :: device_bytes = 0
    integer(c_int64_t) :: chunk_items = 0
    type(c_funptr) :: read = c_null_funptr
    type(c_funptr) :: write = c_null_funptr
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user = c_null_ptr
    type(scan_mem) :: marks
    integer(c_int64_t) :: mark_count = 0
    type(scan_mem) :: carry_in
    type(scan_mem) :: carry_out
  end type scan_stream_options

  type, bind(C) :: scan_opencl_events
    integer(c_size_t) :: struct_bytes = 0
    integer(c_int32_t) :: wait_count = 0
    type(c_ptr) :: wait_list = c_null_ptr
    type(c_ptr) :: event = c_null_ptr
  end type scan_opencl_events

  !> A device with its queue and compiled kernels: opaque. scan_ctx_destroy frees it; there is no finalizer.
  type :: scan_ctx
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: backend = 0
  end type scan_ctx

  !> A compiled spec with its workspace: opaque. Free it with scan_plan_destroy before its context is destroyed.
  type :: scan_plan
    private
    type(c_ptr) :: handle = c_null_ptr
    type(scan_ctx) :: ctx
  end type scan_plan

contains

  !> The functions from here on give the library's modules access to the opaque types.
  pure type(c_ptr) function scan_ctx_handle(ctx)
    type(scan_ctx), intent(in) :: ctx
    scan_ctx_handle = ctx%handle
  end function scan_ctx_handle

  pure integer(c_int) function scan_ctx_backend(ctx)
    type(scan_ctx), intent(in) :: ctx
    scan_ctx_backend = ctx%backend
  end function scan_ctx_backend

  pure type(scan_ctx) function scan_ctx_of(handle, backend)
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(in) :: backend
    scan_ctx_of%handle = handle
    scan_ctx_of%backend = backend
  end function scan_ctx_of

  pure type(c_ptr) function scan_plan_handle(plan)
    type(scan_plan), intent(in) :: plan
    scan_plan_handle = plan%handle
  end function scan_plan_handle

  pure type(scan_ctx) function scan_plan_ctx(plan)
    type(scan_plan), intent(in) :: plan
    scan_plan_ctx = plan%ctx
  end function scan_plan_ctx

  pure type(scan_plan) function scan_plan_of(handle, ctx)
    type(c_ptr), intent(in) :: handle
    type(scan_ctx), intent(in) :: ctx
    scan_plan_of%handle = handle
    scan_plan_of%ctx = ctx
  end function scan_plan_of

  pure type(c_ptr) function scan_op_handle(op)
    type(scan_op), intent(in) :: op
    scan_op_handle = op%handle
  end function scan_op_handle

  pure type(scan_op) function scan_op_of(handle)
    type(c_ptr), intent(in) :: handle
    scan_op_of%handle = handle
  end function scan_op_of
end module scanrt_types
