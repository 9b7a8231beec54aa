# SPDX-License-Identifier: BSD-2-Clause
"""XLA's foreign function interface (xla/ffi/api/c_api.h) by ctypes, so that the package compiles nothing.

XLA calls one function, `_handle`, on the host when a program executes a call. It finds the arrays' memory and the
stream in the call's frame, and calls scanrt with them as for other arrays.
"""

import ctypes
import json
import re
from ctypes import POINTER, Structure, c_int, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path

import jax
import numpy as np

from .. import _arrays
from .._errors import InvalidArgument, OutOfMemory, Unsupported
from ._execute import EXECUTE

if not hasattr(jax, "ffi"):
    raise ImportError(f"scanrt.jax needs jax.ffi, and JAX {jax.__version__} lacks it: install 0.5 or later")

TARGET = "scanrt"

_METADATA, _STRING = 1, 4  # XLA_FFI_Extension_Type, XLA_FFI_AttrType
_ERROR_CODES = {InvalidArgument: 3, OutOfMemory: 8, Unsupported: 12}  # XLA_FFI_Error_Code
_INTERNAL = 13
# XLA_FFI_DataType
_DTYPES = {
    1: "bool",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "uint8",
    7: "uint16",
    8: "uint32",
    9: "uint64",
    10: "float16",
    11: "float32",
    12: "float64",
    15: "complex64",
    16: "bfloat16",
    18: "complex128",
}


class _Sized(Structure):
    _fields_ = [("struct_size", c_size_t), ("extension_start", c_void_p)]


class Version(_Sized):
    _fields_ = [("major_version", c_int), ("minor_version", c_int)]


class Api(_Sized):
    """The first functions of XLA_FFI_Api."""

    _fields_ = [
        ("api_version", Version),
        ("internal_api", c_void_p),
        ("error_create", c_void_p),
        ("error_get_message", c_void_p),
        ("error_destroy", c_void_p),
        ("handler_register", c_void_p),
        ("stream_get", c_void_p),
    ]


class ErrorCreateArgs(_Sized):
    _fields_ = [("message", ctypes.c_char_p), ("errc", c_int)]


class StreamGetArgs(_Sized):
    _fields_ = [("ctx", c_void_p), ("stream", c_void_p)]


class Buffer(_Sized):
    _fields_ = [("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64))]


class Arrays(_Sized):
    """XLA_FFI_Args and XLA_FFI_Rets."""

    _fields_ = [("size", c_int64), ("types", POINTER(c_int)), ("items", POINTER(POINTER(Buffer)))]


class ByteSpan(Structure):
    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]


class Attributes(_Sized):
    _fields_ = [
        ("size", c_int64),
        ("types", POINTER(c_int)),
        ("names", POINTER(POINTER(ByteSpan))),
        ("items", POINTER(c_void_p)),
    ]


class CallFrame(_Sized):
    _fields_ = [
        ("api", POINTER(Api)),
        ("ctx", c_void_p),
        ("stage", c_int),
        ("args", Arrays),
        ("rets", Arrays),
        ("attrs", Attributes),
    ]


class Metadata(Structure):
    _fields_ = [("struct_size", c_size_t), ("api_version", Version), ("traits", c_uint32)]


class MetadataExtension(Structure):
    _fields_ = [("struct_size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(Metadata))]


_error_create = ctypes.CFUNCTYPE(c_void_p, POINTER(ErrorCreateArgs))
_stream_get = ctypes.CFUNCTYPE(c_void_p, POINTER(StreamGetArgs))


class DeviceArray:
    """Memory of an array on a CUDA device, used on a stream of XLA's."""

    __slots__ = ("pointer", "shape", "dtype", "stream")

    def __init__(self, pointer, shape, dtype, stream):
        self.pointer, self.shape, self.dtype, self.stream = pointer, shape, dtype, stream

    def view(self, dtype, shape):
        return DeviceArray(self.pointer, shape, dtype, self.stream)


class DeviceArrays(_arrays.CudaInterface):
    """Only what calls with given outputs need: no function makes an array."""

    library = "JAX"

    def layout(self, x):
        context, ordinal = _arrays._contexts.cuda_pointer_place(x.pointer) if x.pointer else (None, 0)
        return (ordinal, x.stream, context), x.dtype, x.shape, self.byte_strides(x)

    def fill(self, mem, x):
        mem.handle = x.pointer

    def byte_strides(self, x):
        strides, step = [], self.item_bytes(x)
        for size in reversed(x.shape):
            strides.insert(0, step)
            step *= size
        return tuple(strides)

    def name(self, dtype):
        return dtype

    def item_bytes(self, x):
        return _arrays.SIZES[x.dtype]

    def is_writable(self, x):
        return True

    def flat(self, x):
        return x.view(x.dtype, (_arrays.items_of(x.shape),))


_arrays._adapters[DeviceArray] = DeviceArrays()


def _host_array(buffer, shape, name):
    dtype = jax.numpy.dtype(name)
    size = dtype.itemsize * _arrays.items_of(shape)
    if not size:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(buffer.data), dtype).reshape(shape)


def _arrays_of(arrays, stream):
    """The arrays of a frame. stream: None for host memory."""
    found = []
    for k in range(arrays.size):
        buffer = arrays.items[k].contents
        shape, name = tuple(buffer.dims[: buffer.rank]), _DTYPES[buffer.dtype]
        found.append(
            _host_array(buffer, shape, name) if stream is None else DeviceArray(buffer.data, shape, name, stream)
        )
    return found


def _call_of(attributes):
    for k in range(attributes.size):
        if attributes.types[k] == _STRING:
            text = ctypes.cast(attributes.items[k], POINTER(ByteSpan)).contents
            return json.loads(ctypes.string_at(text.ptr, text.len))
    raise InvalidArgument("the call has no attribute of text")


def _stream_of(frame):
    """The stream of a call on a device."""
    args = StreamGetArgs(struct_size=ctypes.sizeof(StreamGetArgs), ctx=frame.ctx)
    if _stream_get(frame.api.contents.stream_get)(ctypes.byref(args)):
        raise Unsupported("XLA names no stream for the call")
    return args.stream or 0


def _handler(is_host):
    def handle(address):
        frame = CallFrame.from_address(address)
        if frame.extension_start:
            extension = MetadataExtension.from_address(frame.extension_start)
            if extension.type == _METADATA:
                _describe(extension.metadata.contents)
                return None
        try:
            stream = None if is_host else _stream_of(frame)
            call = _call_of(frame.attrs)
            EXECUTE[call.pop("function")](_arrays_of(frame.args, stream), _arrays_of(frame.rets, stream), **call)
        except BaseException as fault:
            return _error(frame.api.contents, fault)
        return None

    return ctypes.CFUNCTYPE(c_void_p, c_void_p)(handle)


def _header_version():
    """The version of the interface that JAX was built with. The structs above are the same in all of major version
    0."""
    header = Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text(encoding="utf-8")
    version = tuple(int(re.search(rf"define XLA_FFI_API_{part} (\d+)", header)[1]) for part in ("MAJOR", "MINOR"))
    if version[0] != 0:
        raise ImportError(f"scanrt.jax knows version 0 of XLA's foreign functions, and JAX has {version[0]}")
    return version


_version = _header_version()


def _describe(metadata):
    metadata.api_version.major_version, metadata.api_version.minor_version = _version
    metadata.traits = 0


def _error(api, fault):
    code = next((code for kind, code in _ERROR_CODES.items() if isinstance(fault, kind)), _INTERNAL)
    args = ErrorCreateArgs(
        struct_size=ctypes.sizeof(ErrorCreateArgs), message=f"{type(fault).__name__}: {fault}".encode(), errc=code
    )
    return _error_create(api.error_create)(ctypes.byref(args))


_handlers = {"cpu": _handler(True), "CUDA": _handler(False)}  # called as long as the process lives


def _capsule(function):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (c_void_p, ctypes.c_char_p, c_void_p)
    return make(ctypes.cast(function, c_void_p), None, None)


for _platform, _function in _handlers.items():
    jax.ffi.register_ffi_target(TARGET, _capsule(_function), platform=_platform)


def call(function, results, *arrays, batches=True, **options):
    """Calls EXECUTE[function] in a program. results: shapes and dtypes. batches: it takes more axes in front."""
    text = json.dumps({"function": function, **options})
    vmap_method = "broadcast_all" if batches else "sequential"
    return jax.ffi.ffi_call(TARGET, results, vmap_method=vmap_method)(*arrays, call=text)
