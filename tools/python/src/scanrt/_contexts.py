# SPDX-License-Identifier: BSD-2-Clause
"""Contexts of the library: one for each device that computes NumPy's arrays, each CUDA stream and each OpenCL queue,
created on first use."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from ctypes import byref
from typing import Any

from . import _structs as c
from ._checks import count_of, text_given
from ._errors import DeviceError, error_of
from ._library import check_free, lib, text_of

MOST_QUEUES = 32  # contexts of OpenCL queues kept; each retains its queue


class Context:
    """A scan_ctx. Calls take `lock`, since only one thread at a time may use a context."""

    __slots__ = ("handle", "lock", "mem_kind", "owns", "operators", "is_host", "options", "__weakref__")

    def __init__(self, handle: int, mem_kind: int, owns: bool = False):
        self.handle, self.mem_kind, self.owns = handle, mem_kind, owns
        self.is_host = False  # True if the host computes; False if it only has the memory
        self.lock = threading.Lock()
        self.operators = {}  # scan_op objects of this context, by their sources

    def __del__(self, destroy=lib.scan_ctx_destroy, is_finalizing=sys.is_finalizing):
        """Destroys the context of a queue, which it retains, so that waiting is safe. Other contexts live until the
        process ends: the application may have destroyed their stream, and waiting for that is invalid."""
        if self.owns and not is_finalizing():
            destroy(self.handle)

    def fail(self, status: int):
        """Raises the error of this context's last call."""
        error = error_of(status, text_of(lib.scan_last_error(self.handle)))
        if status == c.OVERFLOW:
            index = ctypes.c_uint64()
            lib.scan_overflow_index(self.handle, byref(index))
            error.index = index.value
        raise error

    def call(self, function, *arguments) -> None:
        """Calls function(ctx, arguments) while no other thread uses the context."""
        with self.lock:
            status = function(self.handle, *arguments)
            if status:
                self.fail(status)

    def info(self) -> c.DeviceInfo:
        info = c.DeviceInfo()
        self.call(lib.scan_ctx_device, byref(info))
        return info


_contexts = {}  # contexts of the host, selectors and CUDA streams, by place
_queues = OrderedDict()  # contexts of OpenCL queues; the least recently used one is dropped first
_lock = threading.Lock()
_selected = contextvars.ContextVar("scanrt.device", default=("host", 0))


def _forget_all():
    """Drops all contexts in a child of fork(), where they are invalid; new ones are created there."""
    global _lock
    _contexts.clear()
    _queues.clear()
    _lock = threading.Lock()
    for forget in on_fork:
        forget()


on_fork = []  # functions that drop other objects with contexts
os.register_at_fork(after_in_child=_forget_all)


def device(selector: str = "host", threads: int = 0) -> contextlib.AbstractContextManager[None]:
    """Within `with scanrt.device("cuda:0"):` NumPy's arrays and PyTorch's host tensors are computed on that device:
    they are copied there and back, and calls return when that is done.

    Args:
        selector: "host" (the default outside of such a block), "cuda:0", "opencl:gpu", ... as `scanrt info` lists them.
        threads: threads of the host; 0: as many as the process may use.

    Raises:
        NoDevice: immediately, if there is no such device.
    """
    place = text_given(selector, "selector"), count_of(threads, "threads", (1 << 32) - 1)
    of_host(place)
    return _selecting(place)


@contextlib.contextmanager
def _selecting(place) -> Iterator[None]:
    token = _selected.set(place)
    try:
        yield
    finally:
        _selected.reset(token)


def host_place():
    """The place that computes arrays in host memory."""
    return _selected.get()


def of_host(place) -> Context:
    context = _contexts.get(place)
    if context is None:
        with _lock:
            context = _contexts.get(place)
            if context is None:
                context = _contexts[place] = _open_selected(*place)
    return context


def _open_selected(selector: str, threads: int) -> Context:
    name = ctypes.create_string_buffer(selector.encode())
    options = c.CtxOptions(device=ctypes.addressof(name), threads=threads)
    handle = ctypes.c_void_p()
    check_free(lib.scan_ctx_create(byref(options), byref(handle)))
    context = Context(handle.value, c.MEM_HOST)
    context.is_host = context.info().backend == c.BACKEND_HOST
    return context


# ---- CUDA ------------------------------------------------------------------------------------------------------------

_POINTER_CONTEXT, _POINTER_ORDINAL = 1, 9  # CUpointer_attribute
_driver = None
_primary = {}  # by CUcontext and device: True if it is the primary one


def _cuda():
    """The CUDA driver, opened under the same name as by the library."""
    global _driver
    if _driver is None:
        name = os.environ.get("SCANRT_LIBCUDA") or "libcuda.so.1"
        try:
            _driver = ctypes.CDLL(name)
        except OSError as fault:
            raise DeviceError(f"the CUDA driver {name} cannot be opened: {fault}") from fault
        _ask("cuInit", 0)
    return _driver


def _ask(name: str, *arguments) -> None:
    result = getattr(_cuda(), name)(*arguments)
    if result:
        raise DeviceError(f"{name} failed with CUDA's error {result}")


def _primary_context(ordinal: int) -> int:
    """The primary context of a device, retained until the process ends, as PyTorch and CuPy do."""
    number, context = ctypes.c_int(), ctypes.c_void_p()
    _ask("cuDeviceGet", byref(number), ordinal)
    _ask("cuDevicePrimaryCtxRetain", byref(context), number)
    return context.value


def _is_primary(context: int, ordinal: int) -> bool:
    number, flags, is_active = ctypes.c_int(), ctypes.c_uint(), ctypes.c_int()
    _ask("cuDeviceGet", byref(number), ordinal)
    _ask("cuDevicePrimaryCtxGetState", number, byref(flags), byref(is_active))
    return bool(is_active.value) and context == _primary_context(ordinal)


def cuda_pointer_place(pointer: int):
    """The CUcontext of memory, or None for the device's primary one, and the device. Memory of stream-ordered pools has
    no context, and counts as the primary one's."""
    context, ordinal = ctypes.c_void_p(), ctypes.c_int()
    _ask("cuPointerGetAttribute", byref(ordinal), _POINTER_ORDINAL, ctypes.c_uint64(pointer))
    if _cuda().cuPointerGetAttribute(byref(context), _POINTER_CONTEXT, ctypes.c_uint64(pointer)):
        return None, ordinal.value
    place = context.value, ordinal.value
    if place not in _primary:
        _primary[place] = context.value is None or _is_primary(*place)
    return (None if _primary[place] else context.value), ordinal.value


_ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)


def _with_allocator(allocator, place) -> c.CtxOptions:
    """Options that name the allocator of a library of arrays: allocate(bytes) returns an address, and release(address)
    takes it back. The callbacks live as long as the options, which the context keeps."""
    options = c.CtxOptions()
    if allocator is None:
        return options
    allocate, release = allocator(*place[:2])

    def give(size, _queue, _user):
        try:
            return allocate(size)
        except Exception:  # such as out of memory: the call then says SCAN_OUT_OF_MEMORY
            return None

    options.callbacks = _ALLOCATE(give), _RELEASE(lambda address, _bytes, _queue, _user: release(address))
    options.allocate, options.release = (ctypes.cast(f, ctypes.c_void_p).value for f in options.callbacks)
    return options


def of_stream(ordinal: int, stream: int, cuda_context=None, allocator=None) -> Context:
    """The context of a CUDA stream of a device (0: the default one). cuda_context: a CUcontext; None: the primary one.
    allocator: allocator(ordinal, stream) returns what allocates and what releases its memory; None: the driver does.

    It is kept: the application may have destroyed the stream, and waiting for that is invalid.
    """
    place = (ordinal, stream, cuda_context)
    context = _contexts.get(place)
    if context is None:
        with _lock:
            context = _contexts.get(place)
            if context is None:
                handle = ctypes.c_void_p()
                options = _with_allocator(None if cuda_context else allocator, place)
                check_free(
                    lib.scan_cuda_ctx_create(
                        byref(options), cuda_context or _primary_context(ordinal), stream or None, byref(handle)
                    )
                )
                context = _contexts[place] = Context(handle.value, c.MEM_CUDA)
                context.options = options
    return context


# ---- OpenCL ----------------------------------------------------------------------------------------------------------


def of_queue(queue: int, cl_context: int) -> Context:
    """The context of a cl_command_queue. It retains the queue, so that no new queue gets the same address."""
    with _lock:
        context = _queues.get(queue)
        if context is None:
            handle = ctypes.c_void_p()
            check_free(lib.scan_opencl_ctx_create(None, cl_context, queue, byref(handle)))
            context = _queues[queue] = Context(handle.value, c.MEM_OPENCL, owns=True)
            if len(_queues) > MOST_QUEUES:
                _queues.popitem(last=False)
        else:
            _queues.move_to_end(queue)
    return context


# ---- devices ---------------------------------------------------------------------------------------------------------


def devices() -> list[dict[str, Any]]:
    """The devices of this machine, as dicts: selector, name, vendor, driver, memory_bytes, compute_units, refusal (the
    reason why no scan runs there, or "")."""
    count = ctypes.c_int()
    check_free(lib.scan_device_count(byref(count)))
    found = []
    for index in range(count.value):
        info = c.DeviceInfo()
        check_free(lib.scan_device_get(index, byref(info)))
        found.append(
            {
                "selector": info.selector.decode(),
                "name": info.name.decode("utf-8", "replace"),
                "vendor": info.vendor.decode("utf-8", "replace"),
                "driver": info.driver.decode("utf-8", "replace"),
                "memory_bytes": info.memory_bytes,
                "compute_units": info.compute_units,
                "refusal": info.refusal.decode("utf-8", "replace"),
            }
        )
    return found


def version() -> str:
    """The version of the loaded library, such as "1.2.3"."""
    return text_of(lib.scan_version())
