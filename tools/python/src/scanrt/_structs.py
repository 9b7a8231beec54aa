# SPDX-License-Identifier: BSD-2-Clause
"""The structs and numbers of the headers in include/scanrt, for ctypes. No other file of the package describes memory
that the library reads. tests/test_structs.py compares sizes and offsets of all fields with those of a C compiler.
"""

import ctypes
from ctypes import POINTER, Structure, Union, c_char_p, c_int, c_uint32, c_uint64, c_void_p, sizeof

SUCCESS, INVALID_ARGUMENT, UNSUPPORTED, NO_DEVICE, OUT_OF_MEMORY = 0, 1, 2, 3, 4
BUILD_FAILED, DEVICE_ERROR, NO_PROGRESS, CANCELLED, OVERFLOW = 5, 6, 7, 8, 9

TYPES = {
    "int8": 1,
    "uint8": 2,
    "int16": 3,
    "uint16": 4,
    "int32": 5,
    "uint32": 6,
    "int64": 7,
    "uint64": 8,
    "float32": 9,
    "float64": 10,
    "float16": 11,
    "bfloat16": 12,
}
OPS = {"add": 1, "mul": 2, "min": 3, "max": 4, "and": 5, "or": 6, "xor": 7}
U32, U64 = TYPES["uint32"], TYPES["uint64"]

INCLUSIVE, EXCLUSIVE, TOTAL = 0, 1, 2
BACKWARD, CHECK_OVERFLOW, N_FROM_CLAMP, N_FROM = 1, 2, 4, 8
MEM_NONE, MEM_HOST, MEM_CUDA, MEM_OPENCL = 0, 1, 3, 4
SEGMENTS_NONE, SEGMENTS_FLAGS, SEGMENTS_BITS, SEGMENTS_KEYS, SEGMENTS_OFFSETS = 0, 1, 2, 3, 4
SELECT_FLAGS, SELECT_BITS, SELECT_FIRST, SELECT_LAST, SELECT_PREDICATE = 1, 2, 3, 4, 5
REST_BEHIND, REST_APART = 1, 2
NO_CAPACITY = 2**64 - 1
ORDERS = {"total": 0, "numeric": 1}
BACKEND_HOST = 3
MOST_ARRAYS = 8
MOST_MEMBERS = 4
MOST_AXES = 8


_WORDS = {
    "char": ctypes.c_char,
    "i8": ctypes.c_int8,
    "u8": ctypes.c_uint8,
    "i16": ctypes.c_int16,
    "u16": ctypes.c_uint16,
    "i32": c_int,
    "u32": ctypes.c_uint32,
    "i64": ctypes.c_int64,
    "u64": c_uint64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "size": ctypes.c_size_t,
    "address": c_void_p,
}


def fields_of(text):
    """The ctypes fields for a text like C: a type (enums are i32, pointers addresses), its names, and a semicolon."""
    fields = []
    for part in text.split(";"):
        word, *names = part.split()
        kind = _WORDS.get(word) or globals()[word]
        for name in names:
            name, _, length = name.rstrip("]").partition("[")
            fields.append((name, kind * int(length) if length else kind))
    return fields


class Mem(Structure):
    _fields_ = fields_of("i32 kind; address handle; u64 offset_bytes size_bytes")


class Sized(Structure):
    """A struct of the headers that begins with its own size, which the constructor sets."""

    def __init__(self, **fields):
        super().__init__(struct_bytes=sizeof(self), **fields)


class DeviceFacts(Structure):
    _fields_ = fields_of(
        """
        u32 opencl_version opencl_c_version compute_capability is_accelerator lacks_compiler lacks_int64
        has_int64_base_atomics has_int64_extended_atomics atomic_capabilities has_sub_groups has_sub_group_shuffle
        has_sub_group_shuffle_relative has_intel_sub_groups has_required_sub_group_size sub_group_sizes
        sub_group_items has_fp16 local_memory_is_global local_memory_optin_bytes base_align_bytes has_unified_memory
        """
    )


class DeviceInfo(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; i32 backend; char selector[32] name[128] vendor[128] driver[128]; u64 memory_bytes
        max_alloc_bytes local_memory_bytes; u32 compute_units max_group_items is_cpu has_fp64 has_int64_atomics
        has_shuffles has_fair_progress flushes_denormals; i32 auto_strategy; DeviceFacts facts; u32 loop_limit
        group_items sub_group_items; char exchange[16] descriptors[16] variant_reason[192] refusal[160]
        """
    )


class CtxOptions(Sized):
    _fields_ = fields_of("size struct_bytes; address device; i32 strategy; u32 threads; address allocate release user")


class Value(Union):
    _fields_ = fields_of(
        """
        i8 i8; u8 u8; i16 i16; u16 u16; i32 i32; u32 u32; i64 i64; u64 u64; f32 f32; f64 f64; u16 f16 bf16
        """
    )


class Spec(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; i32 type input_type op kind; address custom_op; u32 flags has_init; Value init; address
        init_bytes; i32 segments key_type strategy
        """
    )


class Args(Sized):
    # "in" is a keyword of Python: in_ replaces it.
    _fields_ = fields_of(
        """
        size struct_bytes; Mem in_ out marks; u64 mark_count; Mem carry_in carry_out; address opencl;
        Mem n_from; address more_in more_out
        """
    )


class Array(Sized):
    _fields_ = fields_of("size struct_bytes; u32 ndim axis; u64 shape[8]; i64 in_strides[8] out_strides[8]")


class OpMember(Structure):
    _fields_ = fields_of("u32 offset bytes; i64 shift")


class OpSource(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; address text type combine; size value_bytes value_align; address identity host map
        input_type; size input_bytes input_align; address map_host emit output_type; size output_bytes output_align;
        address emit_host user loops map_loop emit_loop input_members output_members; u32 input_member_count
        output_member_count
        """
    )


class CompositeFacts(Structure):
    _fields_ = fields_of("address name; size value_bytes value_align; address identity host loops; i32 needs_fp64")


class PredicateSource(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; address text type keep; size element_bytes element_align; address params_type; size
        params_bytes params_align; address host user; u32 is_pair
        """
    )


class BucketSource(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; address text type bucket; size element_bytes element_align; address params_type; size
        params_bytes params_align; address host user
        """
    )


class SelectSpec(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; i32 by key_type rest index_type; u32 arrays element_bytes[8] element_align[8]; address
        predicate; u32 in_place; u64 flags
        """
    )


class SelectArgs(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; Mem marks in_[8] out[8] rest[8]; u64 capacity rest_capacity; Mem count n_from; address
        params opencl
        """
    )


class Partition3Spec(Sized):
    _fields_ = fields_of(
        "size struct_bytes; address first second; u32 arrays element_bytes[8] element_align[8]; u64 flags"
    )


class Partition3Args(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; Mem in_[8] first[8] second[8] rest[8] counts n_from; address first_params second_params
        opencl
        """
    )


class RunLengthSpec(Sized):
    _fields_ = fields_of("size struct_bytes; i32 key_type length_type start_type; u64 flags")


class RunLengthArgs(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; Mem keys keys_out lengths starts; u64 capacity; Mem count n_from; address opencl
        """
    )


class ReduceByKeyArgs(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; Mem keys values keys_out values_out; u64 capacity; Mem count n_from; address opencl
        """
    )


class SegmentedReduceArgs(Sized):
    _fields_ = fields_of("size struct_bytes; Mem values begins ends; u64 segments; Mem out; address opencl; Mem count")


class SortSpec(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; i32 key_type; u32 descending first_bit end_bit; i32 index_type; u32 arrays element_bytes[8]
        element_align[8] drops_keys in_place key_words low_word_first; i32 offset_type; u32 most_segment_items
        gives_scratch; u64 flags order
        """
    )


class SortArgs(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; Mem keys_in keys_out in_[8] out[8] n_from offsets; u64 segments; Mem scratch; address
        opencl
        """
    )


class SplitSpec(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; i32 key_type; u32 descending first_bit end_bit; i32 index_type; u32 arrays element_bytes[8]
        element_align[8] drops_keys in_place; address bucket; u32 buckets; u64 flags
        """
    )


class SplitArgs(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; Mem keys_in keys_out offsets in_[8] out[8] n_from; address params opencl
        """
    )


class HistogramSpec(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; i32 key_type; u32 descending first_bit end_bit; address bucket; u32 buckets; u64 flags
        """
    )


class HistogramArgs(Sized):
    _fields_ = fields_of("size struct_bytes; Mem keys counts n_from; address params opencl")


class StreamOptions(Sized):
    _fields_ = fields_of(
        """
        size struct_bytes; u64 device_bytes chunk_items; address read write progress user; Mem marks; u64 mark_count;
        Mem carry_in carry_out
        """
    )


_pointer, _u64 = c_void_p, c_uint64
STREAM_PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64)
# Every function that the package calls, with its result and its arguments. Pointers are addresses, or byref().
FUNCTIONS = {
    "scan_version": (_pointer, []),
    "scan_device_count": (c_int, [_pointer]),
    "scan_device_get": (c_int, [c_int, _pointer]),
    "scan_ctx_create": (c_int, [_pointer, _pointer]),
    "scan_ctx_device": (c_int, [_pointer, _pointer]),
    "scan_ctx_destroy": (None, [_pointer]),
    "scan_cuda_ctx_create": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "scan_opencl_ctx_create": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "scan_last_error": (_pointer, [_pointer]),
    "scan_strategy_parse": (c_int, [_pointer, _pointer]),
    "scan_spec_defined": (c_int, [c_int, c_int, c_int]),
    "scan_sync": (c_int, [_pointer]),
    "scan_device_text": (_pointer, [c_char_p]),
    "scan_device_state_bytes": (_u64, [_u64, c_uint32]),
    "scan_device_state_init": (c_int, [_pointer, Mem, _u64, c_uint32]),
    "scan_device_state_check": (c_int, [_pointer, Mem, _pointer]),
    "scan_overflow_index": (c_int, [_pointer, _pointer]),
    "scan_run_args": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_run_array_args": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "scan_stream": (c_int, [_pointer, _pointer, _u64, _pointer, _pointer, _pointer]),
    "scan_adjacent_difference": (c_int, [_pointer, _pointer, _u64, Mem, Mem]),
    "scan_select": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_partition3": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_run_length_encode": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_reduce_by_key": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_segmented_reduce": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_sort": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_sort_scratch_bytes": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_split": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_histogram": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_op_create": (c_int, [_pointer, _pointer, _pointer]),
    "scan_predicate_create": (c_int, [_pointer, _pointer, _pointer]),
    "scan_bucket_create": (c_int, [_pointer, _pointer, _pointer]),
    "scan_composite_parse": (c_int, [_pointer, _pointer]),
    "scan_composite_get": (POINTER(CompositeFacts), [c_int]),
    "scan_composite_create": (c_int, [_pointer, c_int, _pointer]),
    "scan_host": (Mem, [_pointer]),
    "scan_cuda_mem": (Mem, [_u64, _u64]),
    "scan_opencl_mem": (Mem, [_pointer, _u64]),
}
