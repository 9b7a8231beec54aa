# SPDX-License-Identifier: BSD-2-Clause
"""A common interface to arrays of NumPy, CuPy, PyTorch and pyopencl: their place, their memory, and new arrays like
them.

A place identifies the context that computes an array: (selector, threads) for host memory, (device, stream[,
CUcontext]) for CUDA, (queue, cl_context) for OpenCL.
"""

import functools

from . import _contexts
from . import _structs as c
from ._errors import GradientRequired, InvalidArgument, Unsupported

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
    "complex64": 8,
    "complex128": 16,
}


def type_of(name: str) -> int:
    """The scan_type for a dtype's name; a bool is a byte. 0: none, as for complex numbers."""
    return c.TYPES["uint8"] if name == "bool" else c.TYPES.get(name, 0)


class Adapter:
    """The functions that the package needs from an array library.

    layout(x) returns a hashable (place, dtype, shape, strides), which describes all of an array but its memory.
    """

    library = ""

    def context(self, place):
        return _contexts.of_host(place)

    def is_host(self, place) -> bool:
        return isinstance(place[0], str)

    def flat(self, x):
        """x flattened in C order: a view if possible."""
        return x.reshape(-1)

    def item(self, x) -> int:
        """The number in an array of one element. Waits for the device."""
        return int(x.reshape(-1)[0])

    def remainders(self, x, divisor: int):
        """Replaces each integer by its remainder. Returns x."""
        x %= divisor
        return x

    def is_writable(self, x) -> bool:
        return True


@functools.cache
def _numpy_name(dtype) -> str:
    """scanrt's name for a NumPy dtype; "" for dtypes that it treats as bytes."""
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

    def assign(self, x, source):
        """Writes source to x, converted to its dtype as NumPy's astype does."""
        self.numpy.copyto(x, source, casting="unsafe")

    def copied(self, x):
        """A new array with the same elements."""
        return x.copy()

    def joined(self, parts):
        return self.numpy.concatenate(parts)

    def zeros_like(self, x):
        return self.numpy.zeros_like(x, subok=False)

    def zeros(self, x, shape, name):
        return self.numpy.zeros(shape, _numpy_dtype(self.numpy, name))

    def floats(self, x):
        """The parts of complex numbers along a new last axis of length two, as a view."""
        part = x.real
        shape, strides = (*x.shape, 2), (*x.strides, part.dtype.itemsize)
        return self.numpy.lib.stride_tricks.as_strided(part, shape, strides)


class _CudaStream:
    """A stream in CUDA's protocol of streams."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __cuda_stream__(self):
        return 0, self.pointer


class CupyArrays(NumpyArrays):
    library = "CuPy"

    def __init__(self, cupy):
        super().__init__(cupy)
        self.current_stream = cupy.cuda.get_current_stream

    def layout(self, x):
        return (x.data.device_id, self.current_stream().ptr), x.dtype, x.shape, x.strides

    def context(self, place):
        return _contexts.of_stream(*place, allocator=self.allocator)

    def allocator(self, ordinal, stream):
        """CuPy's pool, as the current device and stream use it."""
        cuda, held = self.numpy.cuda, {}
        from_external = getattr(cuda.Stream, "from_external", None)  # CuPy 14, where ExternalStream is deprecated
        queue = from_external(_CudaStream(stream)) if from_external else cuda.ExternalStream(stream)

        def allocate(size):
            with cuda.Device(ordinal), queue:
                memory = cuda.alloc(size)
            held[memory.ptr] = memory
            return memory.ptr

        return allocate, held.pop

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

    def joined(self, parts):
        with parts[0].device:
            return self.numpy.concatenate(parts)

    def zeros_like(self, x):
        with x.device:
            return self.numpy.zeros_like(x)

    def zeros(self, x, shape, name):
        with x.device:
            return self.numpy.zeros(shape, _numpy_dtype(self.numpy, name))

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
        # The stream's number without an object around it, if PyTorch has that function.
        self.stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda index: torch.cuda.current_stream(index).cuda_stream
        )

    def layout(self, x):
        if x.requires_grad and self.torch.is_grad_enabled():
            raise GradientRequired("the tensor requires a gradient, and this call computes none: give x.detach()")
        if x.is_conj() or x.is_neg():
            raise Unsupported(
                "the tensor is conjugated or negated only when PyTorch reads it: give x.resolve_conj().resolve_neg()"
            )
        if x.is_cuda:
            index = x.get_device()
            return (index, self.stream_of(index)), x.dtype, x.shape, x.stride()
        if x.device.type != "cpu":
            raise Unsupported(f"the tensor is on {x.device}: scanrt takes tensors of CUDA devices and of the host")
        return _contexts.host_place(), x.dtype, x.shape, x.stride()

    def context(self, place):
        if self.is_host(place):
            return _contexts.of_host(place)
        return _contexts.of_stream(*place, allocator=self.allocator)

    def allocator(self, ordinal, stream):
        """PyTorch's caching allocator."""
        cuda = self.torch.cuda
        return lambda size: cuda.caching_allocator_alloc(size, ordinal, stream), cuda.caching_allocator_delete

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

    def assign(self, x, source):
        x.copy_(source)

    def copied(self, x):
        return x.clone()

    def joined(self, parts):
        return self.torch.cat(parts)

    def zeros_like(self, x):
        return self.torch.zeros_like(x, requires_grad=False)

    def zeros(self, x, shape, name):
        return self.torch.zeros(shape, dtype=self._dtype(name), device=x.device)

    def floats(self, x):
        return self.torch.view_as_real(x)

    def remainders(self, x, divisor):
        if x.dtype.is_signed:
            return super().remainders(x, divisor)
        return (x.to(self.torch.int64) % divisor).to(x.dtype)  # PyTorch has no remainders of unsigned integers

    def _dtype(self, name):
        if name not in self.dtypes:
            raise Unsupported(f"this PyTorch has no dtype {name}: choose another one (dtype=)")
        return self.dtypes[name]


class PyopenclArrays(NumpyArrays):
    """pyopencl.array.Array. Each array is computed on its own queue (x.queue)."""

    library = "pyopencl"

    def __init__(self, pyopencl):
        import numpy
        import pyopencl.array
        import pyopencl.elementwise

        super().__init__(numpy)
        self.array = pyopencl.array

        @functools.lru_cache(maxsize=64)
        def remainder(context, name):
            arguments = f"{name} *x, {name} divisor"
            return pyopencl.elementwise.ElementwiseKernel(context, arguments, "x[i] %= divisor")

        self.remainder = remainder

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

    def cast(self, x, name):
        """Casts an array. pyopencl's kernels do not support bools, which are cast as bytes of 0 and 1."""
        return super().cast(x.view("uint8") if x.dtype == bool else x, name)

    def assign(self, x, source):
        if x.dtype == bool:
            x, source = x.view("int8"), source != 0
        x[...] = source.astype(x.dtype) if source.dtype != x.dtype else source

    def remainders(self, x, divisor):
        from pyopencl.tools import dtype_to_ctype

        self.remainder(x.context, dtype_to_ctype(x.dtype))(x, x.dtype.type(divisor))
        return x

    def joined(self, parts):
        return self.array.concatenate(parts, queue=parts[0].queue, allocator=parts[0].allocator)

    def zeros_like(self, x):
        return self.array.zeros(x.queue, x.shape, x.dtype, allocator=x.allocator)

    def zeros(self, x, shape, name):
        return self.array.zeros(x.queue, shape, _numpy_dtype(self.numpy, name), allocator=x.allocator)

    def floats(self, x):
        raise Unsupported("complex numbers of pyopencl arrays are not scanned: scan x.real and x.imag by themselves")
