# SPDX-License-Identifier: BSD-2-Clause
"""The structs and numbers of the headers in include/scanrt, for ctypes: nothing else of the package describes memory
that the library reads. tests/test_structs.py compares sizes and places of all fields with what a C compiler makes of
the headers.
"""

from ctypes import (
    POINTER,
    Structure,
    Union,
    c_char,
    c_double,
    c_float,
    c_int,
    c_int8,
    c_int16,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    sizeof,
)

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
BACKWARD, CHECK_OVERFLOW = 1, 2
MEM_NONE, MEM_HOST, MEM_ALLOCATED, MEM_CUDA, MEM_OPENCL = 0, 1, 2, 3, 4
SEGMENTS_NONE, SEGMENTS_FLAGS, SEGMENTS_BITS, SEGMENTS_KEYS, SEGMENTS_OFFSETS = 0, 1, 2, 3, 4
SELECT_FLAGS, SELECT_BITS, SELECT_FIRST, SELECT_LAST, SELECT_PREDICATE = 1, 2, 3, 4, 5
REST_DROPPED, REST_BEHIND, REST_APART = 0, 1, 2
BACKEND_CUDA, BACKEND_OPENCL, BACKEND_HOST = 1, 2, 3
MOST_ARRAYS = 8
MOST_AXES = 8
MOST_OP_BYTES = 64
SCRATCH_ALIGN = 256


class Mem(Structure):
    _fields_ = [("kind", c_int), ("handle", c_void_p), ("offset_bytes", c_uint64), ("size_bytes", c_uint64)]


class Sized(Structure):
    """A struct of the headers that begins with its own size, which is set."""

    def __init__(self, **fields):
        super().__init__(struct_bytes=sizeof(self), **fields)


class DeviceFacts(Structure):
    _fields_ = [
        (name, c_uint32)
        for name in (
            "opencl_version",
            "opencl_c_version",
            "compute_capability",
            "is_accelerator",
            "lacks_compiler",
            "lacks_int64",
            "has_int64_base_atomics",
            "has_int64_extended_atomics",
            "atomic_capabilities",
            "has_sub_groups",
            "has_sub_group_shuffle",
            "has_sub_group_shuffle_relative",
            "has_intel_sub_groups",
            "has_required_sub_group_size",
            "sub_group_sizes",
            "sub_group_items",
            "has_fp16",
            "local_memory_is_global",
            "local_memory_optin_bytes",
            "base_align_bytes",
            "has_unified_memory",
        )
    ]


class DeviceInfo(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("backend", c_int),
        ("selector", c_char * 32),
        ("name", c_char * 128),
        ("vendor", c_char * 128),
        ("driver", c_char * 128),
        ("memory_bytes", c_uint64),
        ("max_alloc_bytes", c_uint64),
        ("local_memory_bytes", c_uint64),
        ("compute_units", c_uint32),
        ("max_group_items", c_uint32),
        ("is_cpu", c_uint32),
        ("has_fp64", c_uint32),
        ("has_int64_atomics", c_uint32),
        ("has_shuffles", c_uint32),
        ("has_fair_progress", c_uint32),
        ("flushes_denormals", c_uint32),
        ("auto_strategy", c_int),
        ("facts", DeviceFacts),
        ("loop_limit", c_uint32),
        ("group_items", c_uint32),
        ("sub_group_items", c_uint32),
        ("exchange", c_char * 16),
        ("descriptors", c_char * 16),
        ("variant_reason", c_char * 192),
        ("refusal", c_char * 160),
    ]


class CtxOptions(Sized):
    _fields_ = [("struct_bytes", c_size_t), ("device", c_void_p), ("strategy", c_int), ("threads", c_uint32)]


class Value(Union):
    _fields_ = [
        ("i8", c_int8),
        ("u8", c_uint8),
        ("i16", c_int16),
        ("u16", c_uint16),
        ("i32", c_int32),
        ("u32", c_uint32),
        ("i64", c_int64),
        ("u64", c_uint64),
        ("f32", c_float),
        ("f64", c_double),
        ("f16", c_uint16),
        ("bf16", c_uint16),
    ]


class Spec(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("type", c_int),
        ("input_type", c_int),
        ("op", c_int),
        ("kind", c_int),
        ("custom_op", c_void_p),
        ("flags", c_uint32),
        ("has_init", c_uint32),
        ("init", Value),
        ("init_bytes", c_void_p),
        ("segments", c_int),
        ("key_type", c_int),
        ("strategy", c_int),
    ]


class Args(Sized):
    # "in" is a word of Python's.
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("in_", Mem),
        ("out", Mem),
        ("marks", Mem),
        ("mark_count", c_uint64),
        ("carry_in", Mem),
        ("carry_out", Mem),
        ("opencl", c_void_p),
    ]


class Array(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("ndim", c_uint32),
        ("axis", c_uint32),
        ("shape", c_uint64 * MOST_AXES),
        ("in_strides", c_int64 * MOST_AXES),
        ("out_strides", c_int64 * MOST_AXES),
    ]


class OpSource(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("text", c_void_p),
        ("type", c_void_p),
        ("combine", c_void_p),
        ("value_bytes", c_size_t),
        ("value_align", c_size_t),
        ("identity", c_void_p),
        ("host", c_void_p),
        ("map", c_void_p),
        ("input_type", c_void_p),
        ("input_bytes", c_size_t),
        ("input_align", c_size_t),
        ("map_host", c_void_p),
        ("emit", c_void_p),
        ("output_type", c_void_p),
        ("output_bytes", c_size_t),
        ("output_align", c_size_t),
        ("emit_host", c_void_p),
        ("user", c_void_p),
        ("loops", c_void_p),
        ("map_loop", c_void_p),
        ("emit_loop", c_void_p),
    ]


class OpFacts(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("value_bytes", c_uint32),
        ("value_align", c_uint32),
        ("input_bytes", c_uint32),
        ("output_bytes", c_uint32),
        ("maps", c_uint32),
        ("emits", c_uint32),
        ("has_identity", c_uint32),
        ("is_predicate", c_uint32),
        ("identity", c_uint8 * MOST_OP_BYTES),
    ]


class CompositeFacts(Structure):
    _fields_ = [
        ("name", c_void_p),
        ("value_bytes", c_size_t),
        ("value_align", c_size_t),
        ("identity", c_void_p),
        ("host", c_void_p),
        ("loops", c_void_p),
        ("needs_fp64", c_int),
    ]


class PredicateSource(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("text", c_void_p),
        ("type", c_void_p),
        ("keep", c_void_p),
        ("element_bytes", c_size_t),
        ("element_align", c_size_t),
        ("params_type", c_void_p),
        ("params_bytes", c_size_t),
        ("params_align", c_size_t),
        ("host", c_void_p),
        ("user", c_void_p),
        ("is_pair", c_uint32),
    ]


class BucketSource(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("text", c_void_p),
        ("type", c_void_p),
        ("bucket", c_void_p),
        ("element_bytes", c_size_t),
        ("element_align", c_size_t),
        ("params_type", c_void_p),
        ("params_bytes", c_size_t),
        ("params_align", c_size_t),
        ("host", c_void_p),
        ("user", c_void_p),
    ]


class SelectSpec(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("by", c_int),
        ("key_type", c_int),
        ("rest", c_int),
        ("index_type", c_int),
        ("arrays", c_uint32),
        ("element_bytes", c_uint32 * MOST_ARRAYS),
        ("element_align", c_uint32 * MOST_ARRAYS),
        ("predicate", c_void_p),
        ("in_place", c_uint32),
    ]


class SelectArgs(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("marks", Mem),
        ("in_", Mem * MOST_ARRAYS),
        ("out", Mem * MOST_ARRAYS),
        ("rest", Mem * MOST_ARRAYS),
        ("capacity", c_uint64),
        ("rest_capacity", c_uint64),
        ("count", Mem),
        ("n_from", Mem),
        ("params", c_void_p),
        ("opencl", c_void_p),
    ]


class Partition3Spec(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("first", c_void_p),
        ("second", c_void_p),
        ("arrays", c_uint32),
        ("element_bytes", c_uint32 * MOST_ARRAYS),
        ("element_align", c_uint32 * MOST_ARRAYS),
    ]


class Partition3Args(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("in_", Mem * MOST_ARRAYS),
        ("first", Mem * MOST_ARRAYS),
        ("second", Mem * MOST_ARRAYS),
        ("rest", Mem * MOST_ARRAYS),
        ("counts", Mem),
        ("n_from", Mem),
        ("first_params", c_void_p),
        ("second_params", c_void_p),
        ("opencl", c_void_p),
    ]


class RunLengthSpec(Sized):
    _fields_ = [("struct_bytes", c_size_t), ("key_type", c_int), ("length_type", c_int), ("start_type", c_int)]


class RunLengthArgs(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("keys", Mem),
        ("keys_out", Mem),
        ("lengths", Mem),
        ("starts", Mem),
        ("capacity", c_uint64),
        ("count", Mem),
        ("n_from", Mem),
        ("opencl", c_void_p),
    ]


class ReduceByKeyArgs(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("keys", Mem),
        ("values", Mem),
        ("keys_out", Mem),
        ("values_out", Mem),
        ("capacity", c_uint64),
        ("count", Mem),
        ("n_from", Mem),
        ("opencl", c_void_p),
    ]


class SortSpec(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("key_type", c_int),
        ("descending", c_uint32),
        ("first_bit", c_uint32),
        ("end_bit", c_uint32),
        ("index_type", c_int),
        ("arrays", c_uint32),
        ("element_bytes", c_uint32 * MOST_ARRAYS),
        ("element_align", c_uint32 * MOST_ARRAYS),
        ("drops_keys", c_uint32),
        ("in_place", c_uint32),
        ("key_words", c_uint32),
        ("low_word_first", c_uint32),
        ("offset_type", c_int),
        ("most_segment_items", c_uint32),
        ("gives_scratch", c_uint32),
    ]


class SortArgs(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("keys_in", Mem),
        ("keys_out", Mem),
        ("in_", Mem * MOST_ARRAYS),
        ("out", Mem * MOST_ARRAYS),
        ("n_from", Mem),
        ("offsets", Mem),
        ("segments", c_uint64),
        ("scratch", Mem),
        ("opencl", c_void_p),
    ]


class SplitSpec(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("key_type", c_int),
        ("descending", c_uint32),
        ("first_bit", c_uint32),
        ("end_bit", c_uint32),
        ("index_type", c_int),
        ("arrays", c_uint32),
        ("element_bytes", c_uint32 * MOST_ARRAYS),
        ("element_align", c_uint32 * MOST_ARRAYS),
        ("drops_keys", c_uint32),
        ("in_place", c_uint32),
        ("bucket", c_void_p),
        ("buckets", c_uint32),
    ]


class SplitArgs(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("keys_in", Mem),
        ("keys_out", Mem),
        ("offsets", Mem),
        ("in_", Mem * MOST_ARRAYS),
        ("out", Mem * MOST_ARRAYS),
        ("n_from", Mem),
        ("params", c_void_p),
        ("opencl", c_void_p),
    ]


class HistogramSpec(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("key_type", c_int),
        ("descending", c_uint32),
        ("first_bit", c_uint32),
        ("end_bit", c_uint32),
        ("bucket", c_void_p),
        ("buckets", c_uint32),
    ]


class HistogramArgs(Sized):
    _fields_ = [
        ("struct_bytes", c_size_t),
        ("keys", Mem),
        ("counts", Mem),
        ("n_from", Mem),
        ("params", c_void_p),
        ("opencl", c_void_p),
    ]


# What the headers call them, where that does not follow from the name: for the test.
C_NAMES = {
    "Mem": "scan_mem",
    "DeviceFacts": "scan_device_facts",
    "DeviceInfo": "scan_device_info",
    "CtxOptions": "scan_ctx_options",
    "Value": "scan_value",
    "Spec": "scan_spec",
    "Args": "scan_args",
    "Array": "scan_array",
    "OpSource": "scan_op_source",
    "OpFacts": "scan_op_facts",
    "CompositeFacts": "scan_composite_facts",
    "PredicateSource": "scan_predicate_source",
    "BucketSource": "scan_bucket_source",
    "SelectSpec": "scan_select_spec",
    "SelectArgs": "scan_select_args",
    "Partition3Spec": "scan_partition3_spec",
    "Partition3Args": "scan_partition3_args",
    "RunLengthSpec": "scan_run_length_spec",
    "RunLengthArgs": "scan_run_length_args",
    "ReduceByKeyArgs": "scan_reduce_by_key_args",
    "SortSpec": "scan_sort_spec",
    "SortArgs": "scan_sort_args",
    "SplitSpec": "scan_split_spec",
    "SplitArgs": "scan_split_args",
    "HistogramSpec": "scan_histogram_spec",
    "HistogramArgs": "scan_histogram_args",
}

_pointer, _u64 = c_void_p, c_uint64
# Every function that the package calls: what it gives, and what it takes. Pointers are addresses, or byref().
FUNCTIONS = {
    "scan_version": (_pointer, []),
    "scan_device_count": (c_int, [_pointer]),
    "scan_device_get": (c_int, [c_int, _pointer]),
    "scan_backend_note": (_pointer, [c_int]),
    "scan_ctx_create": (c_int, [_pointer, _pointer]),
    "scan_ctx_device": (c_int, [_pointer, _pointer]),
    "scan_ctx_destroy": (None, [_pointer]),
    "scan_cuda_ctx_create": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "scan_opencl_ctx_create": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "scan_last_error": (_pointer, [_pointer]),
    "scan_status_name": (_pointer, [c_int]),
    "scan_strategy_parse": (c_int, [_pointer, _pointer]),
    "scan_spec_defined": (c_int, [c_int, c_int, c_int]),
    "scan_sync": (c_int, [_pointer]),
    "scan_overflow_index": (c_int, [_pointer, _pointer]),
    "scan_run_args": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_run_array_args": (c_int, [_pointer, _pointer, _pointer, _pointer]),
    "scan_adjacent_difference": (c_int, [_pointer, _pointer, _u64, Mem, Mem]),
    "scan_select": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_partition3": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_run_length_encode": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_reduce_by_key": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_sort": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_sort_scratch_bytes": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_split": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_histogram": (c_int, [_pointer, _pointer, _u64, _pointer]),
    "scan_op_create": (c_int, [_pointer, _pointer, _pointer]),
    "scan_op_destroy": (None, [_pointer]),
    "scan_op_info": (c_int, [_pointer, _pointer]),
    "scan_predicate_create": (c_int, [_pointer, _pointer, _pointer]),
    "scan_bucket_create": (c_int, [_pointer, _pointer, _pointer]),
    "scan_composite_parse": (c_int, [_pointer, _pointer]),
    "scan_composite_get": (POINTER(CompositeFacts), [c_int]),
    "scan_composite_create": (c_int, [_pointer, c_int, _pointer]),
    "scan_host": (Mem, [_pointer]),
    "scan_cuda_mem": (Mem, [_u64, _u64]),
    "scan_opencl_mem": (Mem, [_pointer, _u64]),
}
