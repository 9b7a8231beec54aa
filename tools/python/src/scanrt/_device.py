# SPDX-License-Identifier: BSD-2-Clause
"""Scans within the caller's own kernels: the text of their headers, and the memory of their look-back."""

from __future__ import annotations

from ctypes import byref, c_uint64

from . import _structs as c
from ._arrays import array_of, is_packed, items_of, mem_of
from ._checks import count_of, text_given
from ._errors import InvalidArgument
from ._library import lib, text_of
from ._typing import Array


def device_text(name: str = "scanrt/device/lookback.h") -> str:
    """The text of a header for kernels, in CUDA C++ and OpenCL C: "scanrt/device/group.h" or
    "scanrt/device/lookback.h". Put `#define SCANRT_GROUP_ITEMS` before it and kernels behind it, and give all that to
    cupy.RawModule or pyopencl.Program."""
    text = text_of(lib.scan_device_text(text_given(name, "name").encode()))
    if not text:
        raise InvalidArgument(f"there is no header {name!r}: give scanrt/device/group.h or scanrt/device/lookback.h")
    return text


def device_state_bytes(work_groups: int, value_bytes: int = 8) -> int:
    """The bytes of device memory that a look-back needs in launches of up to `work_groups` work-groups. value_bytes:
    the size of a value that a work-group publishes, 8 for scanrt_allocate."""
    size = lib.scan_device_state_bytes(
        count_of(work_groups, "work_groups", 1 << 31), count_of(value_bytes, "value_bytes", 64)
    )
    if not size:
        raise InvalidArgument("work_groups and value_bytes must be at least 1")
    return size


def device_state_init(state: Array, work_groups: int, value_bytes: int = 8) -> None:
    """Prepares an array of device memory for kernels that are launched afterwards on its stream (queue)."""
    context, mem, size = _memory_of(state)
    if size < device_state_bytes(work_groups, value_bytes):
        raise InvalidArgument(
            f"state has {size} bytes: {work_groups} work-groups take {device_state_bytes(work_groups, value_bytes)}"
        )
    context.call(lib.scan_device_state_init, mem, work_groups, value_bytes)


def device_state_check(state: Array) -> int:
    """Waits for the array's stream (queue). Returns the sum of all counts of the last launch if it called
    scanrt_allocate. Raises NoProgress if a wait within a kernel gave up, InvalidArgument if a launch had too many
    work-groups."""
    context, mem, _ = _memory_of(state)
    total = c_uint64()
    context.call(lib.scan_device_state_check, mem, byref(total))
    return total.value


def _memory_of(state):
    """The context, the scan_mem and the bytes of an array."""
    adapter, state = array_of(state)
    place, _, shape, _ = adapter.layout(state)
    if not is_packed(shape, adapter.byte_strides(state), adapter.item_bytes(state)):
        raise InvalidArgument("state must be an array without gaps")
    context = adapter.context(place)
    if context.mem_kind == c.MEM_HOST:
        raise InvalidArgument("state is in host memory: give an array of CuPy, PyTorch or pyopencl on a device")
    return context, mem_of(adapter, context, shape, state), items_of(shape) * adapter.item_bytes(state)
