# SPDX-License-Identifier: BSD-2-Clause
"""Scans of host data that is larger than the device's memory, in chunks."""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any, Callable

from . import _structs as c
from ._arrays import array_of, is_packed, items_of
from ._call import check_out, spec_of
from ._checks import count_of
from ._dtypes import check_defined, dtypes_of
from ._errors import Cancelled, InvalidArgument
from ._library import lib
from ._ops import Op
from ._segments import Segments, marks_of
from ._typing import A, Array, Builtin, DType


def scan_stream(
    x: A,
    op: Builtin | Op = "add",
    *,
    exclusive: bool = False,
    reverse: bool = False,
    out: A | None = None,
    segments: Segments | Array | None = None,
    dtype: DType | None = None,
    initial: Any = None,
    device_bytes: int = 0,
    chunk_items: int = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> A:
    """Scans host memory through the device of `with scanrt.device(...)` in chunks, with copies in, scans and copies out
    in parallel. Memory-mapped arrays may exceed the host's memory, too.

    Args:
        x: NumPy array (or a host tensor) with one axis, without gaps.
        op, exclusive, reverse, segments, dtype, initial: as in `scan`; dtypes that need a conversion of x are refused.
        out: array for the results, without gaps; it may be x if both dtypes have one size. None: a new array.
        device_bytes: limit of the device memory for the data; 0: 96 MiB.
        chunk_items: elements in a chunk; 0: 32 MiB. If x is longer, the bits of floating-point sums depend on it.
        progress: called with (elements done, all elements) after each chunk; a true result stops the scan, which raises
            `Cancelled`. An exception of it stops the scan, too, and is raised.

    Returns:
        out, when the scan is complete.
    """
    device_bytes, chunk_items = count_of(device_bytes, "device_bytes"), count_of(chunk_items, "chunk_items")
    if progress is not None and not callable(progress):
        raise InvalidArgument(f"progress is {progress!r}: give a function of two numbers")
    adapter, x = array_of(x)
    layout = place, own_dtype, shape, _ = adapter.layout(x)
    if not adapter.is_host(place):
        raise InvalidArgument("scan_stream takes memory of the host: give scan what is on a device")
    if len(shape) != 1 or not is_packed(shape, adapter.byte_strides(x), adapter.item_bytes(x)):
        raise InvalidArgument("scan_stream takes an array of one axis without gaps: reshape or copy it")
    in_name = name = ""
    if not isinstance(op, Op):
        in_name, name, _ = dtypes_of(adapter, op, own_dtype, dtype, None)
        check_defined(op, in_name, name)
    if out is None:
        out = op.new_output(adapter, x) if isinstance(op, Op) else adapter.empty(x, shape, name)
    else:
        out_layout = check_out(adapter, layout, out)
        if tuple(out_layout[2]) != tuple(shape) or not is_packed(
            shape, adapter.byte_strides(out), adapter.item_bytes(out)
        ):
            raise InvalidArgument("out must have the shape of the input, without gaps")
        if name and adapter.name(out_layout[1]) != name:
            raise InvalidArgument(f"out is of dtype {out_layout[1]}, and the results of {name}")
    if items_of(shape) == 0:
        return out
    context = adapter.context(place)
    marks, described = marks_of(segments, adapter, place, shape)
    kind = c.EXCLUSIVE if exclusive else c.INCLUSIVE
    spec, keeps = spec_of(op, in_name, name, kind, reverse, False, initial, "auto", context)
    spec.segments, spec.key_type, mark_count = described
    options = c.StreamOptions(device_bytes=device_bytes, chunk_items=chunk_items, mark_count=mark_count)
    if marks is not None:
        options.marks.kind = c.MEM_HOST
        adapter.fill(options.marks, marks)
    raised = []
    told = _told(progress, raised)
    options.progress = told and ctypes.cast(told, ctypes.c_void_p)
    taken, given = c.Mem(), c.Mem()
    adapter.fill(taken, x)
    adapter.fill(given, out)
    try:
        context.call(lib.scan_stream, byref(spec), items_of(shape), taken.handle, given.handle, byref(options))
    except Cancelled:
        if raised:
            raise raised[0] from None
        raise
    del keeps, told
    return out


def _told(progress, raised):
    """The library's callback; None: without progress."""
    if progress is None:
        return None

    def tell(_, done, n):
        try:
            return 1 if progress(done, n) else 0
        except BaseException as fault:  # an exception cannot pass through C
            raised.append(fault)
            return 1

    return c.STREAM_PROGRESS(tell)
