# SPDX-License-Identifier: BSD-2-Clause
"""Totals, of all elements and of segments; differences, and waiting."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from . import _structs as c
from ._arrays import array_of, is_packed, items_of, mem_of
from ._call import Call, Side, array_of_totals, axis_of, check_out, spec_of
from ._compact import kept
from ._complex import scan_complex
from ._dtypes import COMPLEX, check_defined, convertible, dtypes_of
from ._errors import InvalidArgument
from ._library import lib
from ._memory import Place, capacity_of
from ._ops import Op
from ._scan import scan
from ._segments import Segments, marks_of
from ._typing import A, Array, Builtin, DType


def reduce(
    x: A,
    op: Builtin | Op = "add",
    axis: int | None = None,
    *,
    reverse: bool = False,
    segments: Segments | Array | None = None,
    dtype: DType | None = None,
    initial: Any = None,
    out: A | None = None,
) -> A:
    """Combines all elements into one, or those of each line along an axis. A result has the bits of the last result of an
    inclusive scan; x is read once, and nothing else is written.

    Args:
        x: array, with or without gaps.
        axis: the axis that is combined; None: the array flattened in C order, for which one with gaps is copied.
        op, reverse, dtype, initial: as in `scan`; an Op reads and writes one array each. With `segments`, which take no axis, it covers the last segment.
        out: an array of the results' shape, of any dtype, as in `scan`. None: a new array.

    Returns:
        an array with the shape of x without the axis; without axes (pyopencl: with one element) if axis is None.
    """
    adapter, x = array_of(x)
    if isinstance(op, Op):
        return _reduce_op(adapter, x, op, axis, reverse, segments, dtype, initial, out)
    if axis is None:
        x = adapter.flat(x)
    layout = adapter.layout(x)
    if axis is not None:
        axis = axis_of(axis, len(layout[2]))
        if segments is not None:
            raise InvalidArgument("segments= takes no axis=: scan inclusively, and take the last element of each segment")
    kept = () if axis is None else tuple(layout[2][:axis]) + tuple(layout[2][axis + 1 :])
    out_layout = None if out is None else check_out(adapter, layout, out)
    if out is not None and items_of(out_layout[2]) != 1 and kept == ():
        raise InvalidArgument(f"out has the shape {tuple(out_layout[2])}: give an array of one element")
    if out is not None and kept != () and tuple(out_layout[2]) != kept:
        raise InvalidArgument(f"out has the shape {tuple(out_layout[2])}: give one of {kept}")
    types = dtypes_of(adapter, op, layout[1], dtype, out_layout)
    options = {"axis": axis, "reverse": reverse, "segments": segments}
    if types.out != types.result:
        adapter.assign(out, reduce(x, op, dtype=types.result, initial=initial, **options))
        return out
    if out is None:
        out = adapter.empty(x, (1,) if adapter.library == "pyopencl" and kept == () else kept, types.result)
    if types.source in COMPLEX or types.result in COMPLEX:
        return _reduce_complex(adapter, x, out, types, op, initial, options)
    in_name, name = types.source, types.result
    if convertible(op, in_name, name):
        x, in_name = adapter.cast(x, name), name
    check_defined(op, in_name, name)
    x = adapter.packed(x) if axis is None else x
    place, _, shape, _ = adapter.layout(x)
    if items_of(kept) == 0:
        return out
    context = adapter.context(place)
    marks, described = marks_of(segments, adapter, place, shape)
    spec, keeps = spec_of(op, in_name, name, c.TOTAL, reverse, False, initial, "auto", context)
    spec.segments, spec.key_type, mark_count = described
    array = None if axis is None else array_of_totals(axis, Side(adapter, x), Side(adapter, out))
    call = Call(context, spec, keeps, items_of(shape), array, mark_count)
    call(adapter.fill, x, out, marks)
    return out


def _reduce_op(adapter, x, op, axis, reverse, segments, dtype, initial, out):
    """A total by an operator from source or a composite."""
    if dtype is not None or op.input_members or op.output_members:
        raise InvalidArgument("reduce takes an Op that reads and writes one array each, and no dtype=")
    if axis is None:
        x = adapter.packed(x)
    place, taken = adapter.layout(x)[0], Side(adapter, x, op.input_bytes)
    if axis is not None:
        axis = axis_of(axis, len(taken.shape))
    kept = () if axis is None else taken.shape[:axis] + taken.shape[axis + 1 :]
    if out is not None:
        check_out(adapter, adapter.layout(x), out)
    else:
        out = op.new_output(adapter, x, (1,) if adapter.library == "pyopencl" and kept == () else kept)
    given = Side(adapter, out, op.output_bytes)
    if given.shape != kept and (kept or items_of(given.shape) != 1):
        raise InvalidArgument(f"out has elements of the shape {given.shape}: give {kept or 'one element'}")
    context = adapter.context(place)
    marks, described = marks_of(segments, adapter, place, taken.shape)
    spec, keeps = spec_of(op, "", "", c.TOTAL, reverse, False, initial, "auto", context)
    spec.segments, spec.key_type, mark_count = described
    array = None if axis is None else array_of_totals(axis, taken, given)
    call = Call(context, spec, keeps, items_of(taken.shape), array, mark_count)
    call(adapter.fill, x, out, marks)
    return out


def _reduce_complex(adapter, x, out, types, op, initial, options):
    """A total of complex numbers. A product takes the last results of the scan, which has the same order."""
    if op == "mul" and types.result in COMPLEX and items_of(adapter.layout(x)[2]):
        products = scan(x, "mul", initial=initial, dtype=types.result, **options)
        end = 0 if options["reverse"] else -1
        adapter.assign(out, products[(slice(None),) * (options["axis"] or 0) + (end,)])
        return out

    def run(part_op, part, part_out, start):
        return reduce(part, part_op, initial=start, out=part_out, **options)

    return scan_complex(adapter, x, out, types, op, initial, options["segments"], run)


def _check_ends(ends, n):
    """Refuses ends of segments in host memory that descend or exceed n."""
    import numpy

    ends = numpy.asarray(ends)
    if ends.size and (int(ends[-1]) > n or (ends[1:] < ends[:-1]).any()):
        raise InvalidArgument(f"ends of segments descend, or are above {n}, the number of elements")


def _check_marks(place, offsets, ends, items):
    """Refuses offsets and ends of wrong dtypes and shapes. Returns them where x lies, and the number of segments."""
    offsets = place.take(offsets, "offsets")
    names = ("uint32", "int32", "uint64", "int64")
    for name, marks in (("offsets", offsets), ("ends", ends)):
        if marks is not None and (place.name(marks) not in names or len(place.shape(marks)) != 1):
            raise InvalidArgument(f"{name} are {' or '.join(names)}, in an array with one axis")
    segments = place.shape(offsets)[0] - (ends is None)
    if ends is not None:
        ends = place.take(ends, "ends")
        if place.shape(ends) != place.shape(offsets) or place.name(ends) != place.name(offsets):
            raise InvalidArgument("ends are as many as offsets, and of their dtype")
    if segments < 0:
        raise InvalidArgument("there are no offsets: give where each segment begins, and where the last one ends")
    if place.adapter.is_host(place.place):
        _check_ends(offsets if ends is None else ends, items)
    return offsets, ends, segments


def segment_reduce(
    x: A,
    offsets: Array | Segments,
    op: Builtin | Op = "add",
    *,
    ends: Array | None = None,
    dtype: DType | None = None,
    initial: Any = None,
    out: A | None = None,
) -> A:
    """One result for each segment: x[offsets[s]:offsets[s + 1]] combined into one, as numpy.add.reduceat does it.

    Args:
        x: array with one axis.
        offsets: uint32, int32, uint64 or int64, ascending: where each segment begins, and the end of the last one, at
            most len(x). A segment without elements has the initial value, else the operator's identity. Or
            `Segments.flags` or `bits`: where each segment begins; their number is then read, which waits.
        op, dtype, initial: as in `scan`.
        ends: of offsets' dtype: where each segment ends. offsets then has one number less, the begins alone, and
            elements between two segments are in neither.
        out: array of the results' dtype for one result a segment.

    Returns:
        an array of one axis; with flags or bits the written part of it. Floating-point results have the same bits
        everywhere.
    """
    place = Place(x)
    x = place.take(x, "x")
    if len(place.shape(x)) != 1:
        raise InvalidArgument(f"x has {len(place.shape(x))} axes: give an array with one")
    items = place.shape(x)[0]
    marks = None
    if isinstance(offsets, Segments) and offsets.kind == c.SEGMENTS_OFFSETS:
        offsets = offsets.array
    if isinstance(offsets, Segments):
        if offsets.kind == c.SEGMENTS_KEYS or ends is not None:
            raise InvalidArgument("segments are those of flags or bits, without ends=; by keys: reduce_by_key")
        (marks, described), segments = marks_of(offsets, place.adapter, place.place, place.shape(x)), items
    else:
        offsets, ends, segments = _check_marks(place, offsets, ends, items)
    if isinstance(op, Op):
        in_name = out_name = ""
        if out is None and op.input_dtype != op.output_dtype:
            raise InvalidArgument(f"results are of {op.output_dtype}, not as x: give out=")
        if out is None:
            out = place.adapter.empty_of(x, (segments,))
    else:
        target = None if out is None else place.layout(place.given(out, "out"))
        types = dtypes_of(place.adapter, op, place.layout(x)[1], dtype, target)
        in_name, out_name = types.source, types.result
        if types.out != out_name:
            raise InvalidArgument(f"out is of dtype {types.out}, and the results of {out_name}: give one of that")
        if convertible(op, in_name, out_name):
            x, in_name = place.adapter.cast(x, out_name), out_name
        check_defined(op, in_name, out_name)
        if out is None:
            out = place.adapter.empty(place.first, (segments,), out_name)
    spec, keeps = spec_of(op, in_name, out_name, c.TOTAL, False, False, initial, "auto", place.context)
    args = c.SegmentedReduceArgs(values=place.mem(x), segments=segments)
    if marks is not None:
        spec.segments, spec.key_type, _ = described
        args.begins = place.mem(marks)
        args.segments, total = capacity_of((out,), place), place.count(args, None)
    else:
        spec.segments = c.SEGMENTS_OFFSETS
        spec.key_type = c.U32 if place.name(offsets).endswith("32") else c.U64
        args.begins = place.mem(offsets)
        args.ends = c.Mem() if ends is None else place.mem(ends)
    names = (out_name,) if out_name else None
    args.out = place.mem(place.given(out, "out", names, 0 if marks is not None else segments))
    place.context.call(lib.scan_segmented_reduce, byref(spec), items, byref(args))
    del keeps
    return out if marks is None else kept(place, (out,), total)[0]


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
