# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of NumPy, CuPy, PyTorch and pyopencl, seen alike: where they are computed, their memory, and new ones like
them.

A place says which context computes an array: (selector, threads) for memory of the host, (device, stream[, CUcontext])
for CUDA, (queue, cl_context) for OpenCL.
"""

import functools
import math
import sys

from . import _contexts
from . import _structs as c
from ._errors import InvalidArgument, Unsupported

SIZES = {
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "float32": 4,
    "float64": 8,
    "float16": 2,
    "bfloat16": 2,
    "bool": 1,
}


def type_of(name: str) -> int:
    """The scan_type of a dtype's name; a bool is a byte. 0: it has none."""
    return c.TYPES["uint8"] if name == "bool" else c.TYPES.get(name, 0)


class Adapter:
    """What the package asks of a library of arrays.

    layout(x) gives (place, dtype, shape, strides), which can be hashed and together say all of an array but its memory.
    """

    library = ""

    def context(self, place):
        return _contexts.of_host(place)

    def is_host(self, place) -> bool:
        return isinstance(place[0], str)

    def flat(self, x):
        """x as one line in C order: a view where it can be."""
        return x.reshape(-1)

    def item(self, x) -> int:
        """The number in an array of one: waits for the device."""
        return int(x.reshape(-1)[0])

    def is_writable(self, x) -> bool:
        return True


@functools.cache
def _numpy_name(dtype) -> str:
    """The name that scanrt has for a NumPy dtype; "" for those that are bytes to it."""
    return dtype.name if dtype.isnative and dtype.name in SIZES else ""


def _numpy_dtype(numpy, name):
    if name == "bfloat16":
        import ml_dtypes

        return numpy.dtype(ml_dtypes.bfloat16)
    return numpy.dtype(name)


class NumpyArrays(Adapter):
    library = "NumPy"

    def __init__(self, numpy):
        self.numpy = numpy

    def layout(self, x):
        return _contexts.host_place(), x.dtype, x.shape, x.strides

    def fill(self, mem, x):
        mem.handle = x.ctypes.data

    def byte_strides(self, x):
        return x.strides

    def name(self, dtype):
        return _numpy_name(dtype)

    def item_bytes(self, x):
        return x.dtype.itemsize

    def empty(self, x, shape, name):
        return self.numpy.empty(shape, _numpy_dtype(self.numpy, name))

    def empty_like(self, x, name=None):
        return self.numpy.empty_like(x, _numpy_dtype(self.numpy, name) if name else None, subok=False)

    def empty_of(self, x, shape):
        return self.numpy.empty(shape, x.dtype)

    def cast(self, x, name):
        return x.astype(_numpy_dtype(self.numpy, name))

    def is_writable(self, x):
        return x.flags.writeable

    def arange(self, x, start, stop, step, name):
        return self.numpy.arange(start, stop, step, dtype=name)

    def moved(self, x, source, target):
        return self.numpy.moveaxis(x, source, target)

    def packed(self, x):
        return self.numpy.ascontiguousarray(x)


class CupyArrays(NumpyArrays):
    library = "CuPy"

    def __init__(self, cupy):
        super().__init__(cupy)
        self.current_stream = cupy.cuda.get_current_stream

    def layout(self, x):
        return (x.data.device_id, self.current_stream().ptr), x.dtype, x.shape, x.strides

    def context(self, place):
        return _contexts.of_stream(*place)

    def fill(self, mem, x):
        mem.handle = x.data.ptr

    def empty(self, x, shape, name):
        with x.device:
            return self.numpy.empty(shape, _numpy_dtype(self.numpy, name))

    def empty_like(self, x, name=None):
        with x.device:
            return self.numpy.empty_like(x, _numpy_dtype(self.numpy, name) if name else None)

    def empty_of(self, x, shape):
        with x.device:
            return self.numpy.empty(shape, x.dtype)

    def is_writable(self, x):
        return True

    def arange(self, x, start, stop, step, name):
        with x.device:
            return self.numpy.arange(start, stop, step, dtype=name)


class TorchTensors(Adapter):
    library = "PyTorch"

    def __init__(self, torch):
        self.torch = torch
        self.dtypes = {name: getattr(torch, name) for name in SIZES if hasattr(torch, name)}
        self.names = {dtype: name for name, dtype in self.dtypes.items()}
        # The stream's number without an object around it, where PyTorch has that.
        self.stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda index: torch.cuda.current_stream(index).cuda_stream
        )

    def layout(self, x):
        if x.requires_grad and self.torch.is_grad_enabled():
            raise InvalidArgument("the tensor requires a gradient, and scanrt computes none: give x.detach()")
        if x.is_cuda:
            index = x.get_device()
            return (index, self.stream_of(index)), x.dtype, x.shape, x.stride()
        if x.device.type != "cpu":
            raise Unsupported(f"the tensor is on {x.device}: scanrt takes tensors of CUDA devices and of the host")
        return _contexts.host_place(), x.dtype, x.shape, x.stride()

    def context(self, place):
        return _contexts.of_host(place) if self.is_host(place) else _contexts.of_stream(*place)

    def fill(self, mem, x):
        mem.handle = x.data_ptr()

    def byte_strides(self, x):
        size = x.element_size()
        return tuple(size * stride for stride in x.stride())

    def name(self, dtype):
        return self.names.get(dtype, "")

    def item_bytes(self, x):
        return x.element_size()

    def empty(self, x, shape, name):
        return self.torch.empty(shape, dtype=self._dtype(name), device=x.device)

    def empty_like(self, x, name=None):
        return self.torch.empty_like(x, dtype=self._dtype(name) if name else None, requires_grad=False)

    def empty_of(self, x, shape):
        return self.torch.empty(shape, dtype=x.dtype, device=x.device)

    def item(self, x):
        return int(x.item())

    def cast(self, x, name):
        return x.to(self._dtype(name), copy=True)

    def arange(self, x, start, stop, step, name):
        return self.torch.arange(start, stop, step, dtype=self._dtype(name), device=x.device)

    def moved(self, x, source, target):
        return x.movedim(source, target)

    def packed(self, x):
        return x.contiguous()

    def _dtype(self, name):
        if name not in self.dtypes:
            raise Unsupported(f"this PyTorch has no dtype {name}: choose another one (dtype=)")
        return self.dtypes[name]


class PyopenclArrays(NumpyArrays):
    """pyopencl.array.Array; each is computed on its own queue (x.queue)."""

    library = "pyopencl"

    def __init__(self, pyopencl):
        import numpy
        import pyopencl.array

        super().__init__(numpy)
        self.array = pyopencl.array

    def layout(self, x):
        queue = x.queue
        if queue is None:
            raise InvalidArgument("the pyopencl array has no queue: give x.with_queue(queue)")
        return (queue.int_ptr, queue.context.int_ptr), x.dtype, x.shape, x.strides

    def context(self, place):
        return _contexts.of_queue(*place)

    def fill(self, mem, x):
        mem.handle = x.base_data.int_ptr
        mem.offset_bytes = x.offset

    def empty(self, x, shape, name):
        return self.array.empty(x.queue, shape, _numpy_dtype(self.numpy, name), allocator=x.allocator)

    def empty_like(self, x, name=None):
        return self.empty(x, x.shape, name) if name else self.empty_of(x, x.shape)

    def empty_of(self, x, shape):
        return self.array.empty(x.queue, shape, x.dtype, allocator=x.allocator)

    def is_writable(self, x):
        return True

    def item(self, x):
        return int(x.get().reshape(-1)[0])

    def arange(self, x, start, stop, step, name):
        return self.array.to_device(x.queue, self.numpy.arange(start, stop, step, dtype=name), allocator=x.allocator)

    def moved(self, x, source, target):
        axes = list(range(x.ndim))
        axes.insert(target % x.ndim, axes.pop(source % x.ndim))
        return x.transpose(axes)

    def packed(self, x):
        if x.flags.c_contiguous:
            return x
        raise Unsupported(
            "the pyopencl array has gaps between its elements, or an order of axes that this call cannot "
            "take: give a contiguous one"
        )


class CudaInterface(Adapter):
    """Other objects with __cuda_array_interface__. Results are made by CuPy or PyTorch where one of them is in use;
    else the caller gives them."""

    library = "__cuda_array_interface__"

    def layout(self, x):
        it = x.__cuda_array_interface__
        if it.get("mask") is not None:
            raise Unsupported("the array has a mask: give the data without it")
        pointer, shape = it["data"][0], tuple(it["shape"])
        cuda_context, ordinal = _contexts.cuda_pointer_place(pointer) if pointer else (None, 0)
        # 1 and 2 are the default streams of the protocol and of the driver; no stream is the default one, too.
        return (ordinal, it.get("stream") or 0, cuda_context), it["typestr"], shape, self.byte_strides(x)

    def context(self, place):
        return _contexts.of_stream(*place)

    def fill(self, mem, x):
        mem.handle = x.__cuda_array_interface__["data"][0]

    def byte_strides(self, x):
        it = x.__cuda_array_interface__
        if it.get("strides"):
            return tuple(it["strides"])
        strides, step = [], self.item_bytes(x)
        for size in reversed(it["shape"]):
            strides.insert(0, step)
            step *= size
        return tuple(strides)

    def name(self, dtype):
        kind, size = dtype[1], int(dtype[2:])
        name = {"i": "int", "u": "uint", "f": "float"}.get(kind, "") + str(8 * size)
        return "bool" if kind == "b" else name if name in SIZES and dtype[0] in "<|=" else ""

    def item_bytes(self, x):
        return int(x.__cuda_array_interface__["typestr"][2:])

    def is_writable(self, x):
        return not x.__cuda_array_interface__["data"][1]

    def flat(self, x):
        if len(x.__cuda_array_interface__["shape"]) == 1:
            return x
        return self._maker(x).flat(self._adopted(x))

    def empty(self, x, shape, name):
        adopted = self._adopted(x)
        return self._maker(x).empty(adopted, shape, name)

    def empty_like(self, x, name=None):
        it = x.__cuda_array_interface__
        return self.empty(x, tuple(it["shape"]), name or self.name(it["typestr"]))

    def empty_of(self, x, shape):
        return self.empty(x, shape, self.name(x.__cuda_array_interface__["typestr"]))

    def cast(self, x, name):
        return self._maker(x).cast(self._adopted(x), name)

    def arange(self, x, *arguments):
        return self._maker(x).arange(self._adopted(x), *arguments)

    def moved(self, x, source, target):
        return self._maker(x).moved(self._adopted(x), source, target)

    def packed(self, x):
        return self._maker(x).packed(self._adopted(x))

    def _maker(self, x):
        for name in "cupy", "torch":
            if name in sys.modules:
                return _adapter_of_library(name)
        raise InvalidArgument(
            "new arrays on the device are CuPy's or PyTorch's, and neither is imported: import one of "
            "them, or give the outputs (out=, count=)"
        )

    def _adopted(self, x):
        maker = self._maker(x)
        return maker.torch.as_tensor(x, device="cuda") if isinstance(maker, TorchTensors) else maker.numpy.asarray(x)


_MAKERS = {"numpy": NumpyArrays, "cupy": CupyArrays, "torch": TorchTensors, "pyopencl": PyopenclArrays}
_libraries = {}  # adapters by the name of their library
_adapters = {}  # the same by type


def _adapter_of_library(name):
    adapter = _libraries.get(name)
    if adapter is None:
        adapter = _libraries[name] = _MAKERS[name](__import__(name))
    return adapter


def _adapter_of_type(cls):
    for base in cls.__mro__:
        library = base.__module__.partition(".")[0]
        if (library, base.__name__) in (
            ("numpy", "ndarray"),
            ("cupy", "ndarray"),
            ("torch", "Tensor"),
            ("pyopencl", "Array"),
        ):
            return _adapter_of_library(library)
    return None


def array_of(x):
    """The adapter of an array, and the array: of a list, or what else NumPy makes an array of, that one."""
    adapter = _adapters.get(type(x))
    if adapter is not None:
        return adapter, x
    adapter = _adapter_of_type(type(x))
    if adapter is None:
        return _foreign(x)
    if type(x).__name__ == "MaskedArray":
        raise Unsupported("scanrt knows no masked arrays: give x.filled(value), or x.data and a mask to select by")
    _adapters[type(x)] = adapter
    return adapter, x


def _foreign(x):
    if hasattr(x, "__cuda_array_interface__"):
        adapter = _adapters[type(x)] = CudaInterface()
        return adapter, x
    if hasattr(x, "__dlpack__"):
        return _of_dlpack(x)
    return _adapter_of_library("numpy"), _libraries["numpy"].numpy.asarray(x)


def _of_dlpack(x):
    """The same memory as an array of NumPy, or of CuPy or PyTorch."""
    kind = int(x.__dlpack_device__()[0])
    if kind == 1:
        adapter = _adapter_of_library("numpy")
        return adapter, adapter.numpy.from_dlpack(x)
    for name in ("cupy", "torch") if kind in (2, 13) else ():
        if name in sys.modules:
            return _adapter_of_library(name), sys.modules[name].from_dlpack(x)
    raise Unsupported(
        f"memory of DLPack's device type {kind} is taken by way of CuPy or PyTorch, for CUDA alone, and "
        "neither is imported: import one of them, or give an array of NumPy's"
    )


def items_of(shape) -> int:
    return math.prod(shape)


def is_packed(shape, strides, item_bytes) -> bool:
    """Whether elements lie in C order without gaps."""
    step = item_bytes
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return items_of(shape) == 0
        step *= size
    return True


def mem_of(adapter, context, shape, x) -> c.Mem:
    """The memory of an array, from its first element on; none where it has no elements."""
    if 0 in shape:
        return c.Mem()
    mem = c.Mem(context.mem_kind)
    adapter.fill(mem, x)
    return mem
