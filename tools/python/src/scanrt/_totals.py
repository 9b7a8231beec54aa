# SPDX-License-Identifier: BSD-2-Clause
"""Totals, differences, and waiting."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from . import _structs as c
from ._arrays import array_of, is_packed, items_of, mem_of
from ._call import Call, check_out, spec_of
from ._complex import scan_complex
from ._dtypes import COMPLEX, check_defined, convertible, dtypes_of
from ._errors import InvalidArgument
from ._library import lib
from ._ops import Op
from ._scan import scan
from ._segments import Segments, marks_of
from ._typing import A, Array, Builtin, DType


def reduce(
    x: A,
    op: Builtin = "add",
    *,
    reverse: bool = False,
    segments: Segments | Array | None = None,
    dtype: DType | None = None,
    initial: Any = None,
    out: A | None = None,
) -> A:
    """Combines all elements into one. The result has the bits of the last result of an inclusive scan; x is read once,
    and nothing else is written.

    Args:
        x: array, flattened in C order. An array with gaps is copied.
        op, reverse, dtype, initial: as in `scan`. With `segments` it covers the last segment.
        out: an array of one element for the result, of any dtype, as in `scan`. None: a new array.

    Returns:
        an array without axes (pyopencl: with one element).
    """
    adapter, x = array_of(x)
    x = adapter.flat(x)
    layout = adapter.layout(x)
    if isinstance(op, Op):
        raise InvalidArgument("reduce takes built-in operators: of an Op scan inclusively, and take the last element")
    out_layout = None if out is None else check_out(adapter, layout, out)
    if out is not None and items_of(out_layout[2]) != 1:
        raise InvalidArgument(f"out has the shape {tuple(out_layout[2])}: give an array of one element")
    types = dtypes_of(adapter, op, layout[1], dtype, out_layout)
    if types.out != types.result:
        total = reduce(x, op, reverse=reverse, segments=segments, dtype=types.result, initial=initial)
        adapter.assign(out, total)
        return out
    if out is None:
        out = adapter.empty(x, (1,) if adapter.library == "pyopencl" else (), types.result)
    if types.source in COMPLEX or types.result in COMPLEX:
        return _reduce_complex(adapter, x, out, types, op, initial, {"reverse": reverse, "segments": segments})
    in_name, name = types.source, types.result
    if convertible(op, in_name, name):
        x, in_name = adapter.cast(x, name), name
    check_defined(op, in_name, name)
    x = adapter.packed(x)
    place, _, shape, _ = adapter.layout(x)
    context = adapter.context(place)
    marks, described = marks_of(segments, adapter, place, shape)
    spec, keeps = spec_of(op, in_name, name, c.TOTAL, reverse, False, initial, "auto", context)
    spec.segments, spec.key_type, mark_count = described
    call = Call(context, spec, keeps, items_of(shape), None, mark_count)
    call(adapter.fill, x, out, marks)
    return out


def _reduce_complex(adapter, x, out, types, op, initial, options):
    """A total of complex numbers. A product takes the last result of the scan, which has the same order."""
    if op == "mul" and types.result in COMPLEX and items_of(adapter.layout(x)[2]):
        products = scan(x, "mul", initial=initial, dtype=types.result, **options)
        end = 0 if options["reverse"] else -1
        adapter.assign(out, products[end])
        return out

    def run(part_op, part, part_out, start):
        return reduce(part, part_op, initial=start, out=part_out, **options)

    return scan_complex(adapter, x, out, types, op, initial, options["segments"], run)


def adjacent_difference(x: A, *, reverse: bool = False, out: A | None = None) -> A:
    """Differences of neighbours, the inverse of a sum: out[0] = x[0], out[i] = x[i] - x[i - 1]; with reverse out[-1] =
    x[-1], out[i] = x[i] - x[i + 1].

    Args:
        x: array with one axis, without gaps. Bools count as int64, as their sums do.
        out: array of the results' dtype, without gaps; it may be x.
    """
    adapter, x = array_of(x)
    if adapter.name(adapter.layout(x)[1]) == "bool":
        x = adapter.cast(x, "int64")
    place, own_dtype, shape, strides = adapter.layout(x)
    name = dtypes_of(adapter, "add", own_dtype, None, None).source
    check_defined("add", name, name)
    if len(shape) != 1 or not is_packed(shape, adapter.byte_strides(x), adapter.item_bytes(x)):
        raise InvalidArgument("adjacent_difference takes an array of one axis without gaps: reshape or copy it")
    if out is None:
        out = adapter.empty_like(x)
    else:
        out_layout = check_out(adapter, adapter.layout(x), out)
        if out_layout[1:] != (own_dtype, shape, strides):
            raise InvalidArgument(
                f"out is of dtype {out_layout[1]} and shape {tuple(out_layout[2])}: give one of {name} and "
                f"{tuple(shape)}, without gaps"
            )
    context = adapter.context(place)
    spec, _ = spec_of("add", name, name, c.INCLUSIVE, reverse, False, None, "auto", context)
    taken, given = mem_of(adapter, context, shape, x), mem_of(adapter, context, shape, out)
    context.call(lib.scan_adjacent_difference, byref(spec), items_of(shape), taken, given)
    return out


def synchronize(x: Array) -> None:
    """Waits for scanrt's work on the current stream (queue) of an array's device, and raises pending errors: `Overflow`
    for scans with check_overflow=True, `InvalidArgument` for an n= above the number of elements, `NoProgress`,
    `DeviceError`."""
    adapter, x = array_of(x)
    adapter.context(adapter.layout(x)[0]).call(lib.scan_sync)
