# SPDX-License-Identifier: BSD-2-Clause
"""Finds the library of an array, wraps other objects, and describes shapes and memory."""

import math
import sys

from . import _contexts
from . import _structs as c
from ._adapters import SIZES, Adapter, CupyArrays, NumpyArrays, PyopenclArrays, TorchTensors
from ._errors import InvalidArgument, Unsupported


class CudaInterface(Adapter):
    """Other objects with __cuda_array_interface__. New results are CuPy or PyTorch arrays if one of these is in use;
    else the caller must give outputs."""

    library = "__cuda_array_interface__"

    def layout(self, x):
        it = x.__cuda_array_interface__
        if it.get("mask") is not None:
            raise Unsupported("the array has a mask: give the data without it")
        pointer, shape = it["data"][0], tuple(it["shape"])
        cuda_context, ordinal = _contexts.cuda_pointer_place(pointer) if pointer else (None, 0)
        # 1 and 2 are the default streams of the protocol and of the driver; a missing stream means the default one,
        # too.
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
        name = {"i": "int", "u": "uint", "f": "float", "c": "complex"}.get(kind, "") + str(8 * size)
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

    def assign(self, x, source):
        self._maker(x).assign(self._adopted(x), source)

    def copied(self, x):
        return self._maker(x).copied(self._adopted(x))

    def joined(self, parts):
        return self._maker(parts[0]).joined([self._adopted(part) for part in parts])

    def zeros_like(self, x):
        return self._maker(x).zeros_like(self._adopted(x))

    def zeros(self, x, shape, name):
        return self._maker(x).zeros(self._adopted(x), shape, name)

    def floats(self, x):
        return self._maker(x).floats(self._adopted(x))

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
_libraries = {}  # adapters by name of the library
_adapters = {}  # adapters by array type
known_types = _adapters.keys()


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
    """The adapter of an array, and the array. A list, or anything else that NumPy converts, becomes a NumPy array."""
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
    # JAX's arrays have one type on hosts and GPUs, and are converted by DLPack.
    if not type(x).__module__.startswith("jax") and hasattr(x, "__cuda_array_interface__"):
        adapter = _adapters[type(x)] = CudaInterface()
        return adapter, x
    if hasattr(x, "__dlpack__"):
        return of_dlpack(x)
    return _adapter_of_library("numpy"), _libraries["numpy"].numpy.asarray(x)


def of_dlpack(x):
    """The same memory as an array of NumPy, CuPy or PyTorch."""
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
    """True if elements lie in C order without gaps."""
    step = item_bytes
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return items_of(shape) == 0
        step *= size
    return True


def mem_of(adapter, context, shape, x) -> c.Mem:
    """The memory of an array, from its first element on; no memory if it has no elements."""
    if 0 in shape:
        return c.Mem()
    mem = c.Mem(context.mem_kind)
    adapter.fill(mem, x)
    return mem
