# SPDX-License-Identifier: BSD-2-Clause
"""Scans: prepared once for arrays of one layout and place, then one call each."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref
from typing import Any

from . import _structs as c
from ._arrays import array_of, is_packed, items_of, mem_of, type_of
from ._contexts import on_fork
from ._errors import InvalidArgument
from ._library import lib
from ._ops import Op, value_bytes
from ._typing import A, Array, Builtin, DType

MOST_CALLS = 1024  # prepared calls that are kept
_calls = {}
on_fork.append(_calls.clear)


class Segments:
    """Where the segments of a scan begin. The first element always begins one.

    Make one with `Segments.flags`, `bits`, `keys` or `offsets`. Its array lies where the scanned array does.
    """

    __slots__ = ("kind", "array")

    def __init__(self, kind: int, array: Array):
        self.kind, self.array = kind, array

    @classmethod
    def flags(cls, array: Array) -> Segments:
        """array: a bool (or byte) for each element, true at the first one of a segment."""
        return cls(c.SEGMENTS_FLAGS, array)

    @classmethod
    def bits(cls, array: Array) -> Segments:
        """array: uint32; bit i % 32 of word i // 32 is 1 where element i is the first one of a segment."""
        return cls(c.SEGMENTS_BITS, array)

    @classmethod
    def keys(cls, array: Array) -> Segments:
        """array: a key of any dtype for each element; a segment begins where a key differs from the one before."""
        return cls(c.SEGMENTS_KEYS, array)

    @classmethod
    def offsets(cls, array: Array) -> Segments:
        """array: uint32, int32, uint64 or int64; the index of each segment's first element, from 0 on, and n at last
        (the row offsets of a CSR matrix). Of arrays with one axis only."""
        return cls(c.SEGMENTS_OFFSETS, array)


class _Call:
    """A scan of arrays of one layout on one context, but for their memory."""

    __slots__ = (
        "context",
        "lock",
        "handle",
        "function",
        "spec",
        "array",
        "n",
        "args",
        "arguments",
        "in_",
        "out",
        "marks",
        "keeps",
    )

    def __init__(self, context, spec, array, n, mark_count, keeps):
        self.context, self.lock, self.handle = context, context.lock, context.handle
        self.spec, self.array, self.n, self.keeps = spec, array, n, keeps
        self.args = c.Args(mark_count=mark_count)
        self.in_, self.out, self.marks = self.args.in_, self.args.out, self.args.marks
        self.in_.kind = self.out.kind = context.mem_kind
        if spec.segments:
            self.marks.kind = context.mem_kind
        self.function = lib.scan_run_args if array is None else lib.scan_run_array_args
        self.arguments = (self.handle, addressof(spec), n if array is None else addressof(array), addressof(self.args))

    def __call__(self, fill, x, out, marks):
        with self.lock:
            fill(self.in_, x)
            fill(self.out, out)
            if marks is not None:
                fill(self.marks, marks)
            status = self.function(*self.arguments)
            if status:
                self.context.fail(status)


def spec_of(op, in_name, out_name, kind, reverse, check_overflow, initial, strategy, context):
    """The scan_spec, and what it points at."""
    spec = c.Spec(kind=kind, flags=(c.BACKWARD if reverse else 0) | (c.CHECK_OVERFLOW if check_overflow else 0))
    keeps = []
    if isinstance(op, Op):
        spec.custom_op = op.handle(context)
    else:
        spec.op, spec.type = c.OPS[op], type_of(out_name)
        spec.input_type = type_of(in_name) if spec.type != type_of(in_name) else 0
    if initial is not None:
        data = value_bytes(op, initial, out_name)
        keeps.append(data)
        spec.has_init, spec.init_bytes = 1, addressof(data)
    if strategy != "auto":
        number = ctypes.c_int()
        if lib.scan_strategy_parse(ctypes.create_string_buffer(strategy.encode()), byref(number)):
            raise InvalidArgument(f"there is no strategy {strategy!r}: scanrt info names those of a device")
        spec.strategy = number.value
    return spec, keeps


def _array_of(shape, axis, in_strides, out_strides):
    if len(shape) > c.MOST_AXES:
        raise InvalidArgument(f"the array has {len(shape)} axes, and a scan takes up to {c.MOST_AXES}: reshape it")
    array = c.Array(ndim=len(shape), axis=axis)
    array.shape[: len(shape)] = shape
    array.in_strides[: len(shape)] = in_strides
    array.out_strides[: len(shape)] = out_strides
    return array


def _axis_of(axis, ndim):
    if not -ndim <= axis < ndim:
        raise InvalidArgument(f"axis {axis} is not one of the array's {ndim}: give -{ndim} to {ndim - 1}")
    return axis % ndim


def _marks_of(segments, adapter, place, shape):
    """The marks' array as the library reads it, and (kind, key type, count)."""
    other, marks = array_of(segments.array)
    marks_place, dtype, marks_shape, strides = other.layout(marks)
    if other is not adapter or marks_place != place:
        raise InvalidArgument(
            "the marks of segments must be of the same library and device (stream, queue) as the array that is scanned"
        )
    if not is_packed(marks_shape, other.byte_strides(marks), other.item_bytes(marks)):
        marks = other.packed(marks)
    name, count = other.name(dtype), items_of(marks_shape)
    if segments.kind == c.SEGMENTS_FLAGS and name not in ("bool", "uint8", "int8"):
        raise InvalidArgument(f"flags are bools or bytes, not {dtype}: give (flags != 0)")
    if segments.kind == c.SEGMENTS_BITS:
        if name not in ("uint32", "int32"):
            raise InvalidArgument(f"bits are in words of 32, not {dtype}: give uint32")
        count *= 32
    if segments.kind == c.SEGMENTS_OFFSETS:
        if name not in ("uint32", "int32", "uint64", "int64"):
            raise InvalidArgument(f"offsets are uint32 or uint64 (or int32, int64), not {dtype}")
        if count == 0:
            raise InvalidArgument("there are no offsets: give the first index of each segment, and n at last")
        return marks, (segments.kind, c.U32 if name.endswith("32") else c.U64, count - 1)
    if segments.kind in (c.SEGMENTS_FLAGS, c.SEGMENTS_KEYS) and count != items_of(shape):
        raise InvalidArgument(f"there are {count} marks for {items_of(shape)} elements: give one for each")
    if segments.kind != c.SEGMENTS_KEYS:
        return marks, (segments.kind, 0, count)
    if not type_of(name):
        raise InvalidArgument(f"keys of dtype {dtype} cannot be compared: give integers or floating-point numbers")
    return marks, (segments.kind, type_of(name), count)


def _element_axes(adapter, x, shape, item_bytes, element_bytes):
    """How many of the last axes make an element of so many bytes: 0 where an item is one."""
    size, axes = item_bytes, 0
    while size < element_bytes and axes < len(shape):
        axes += 1
        size *= shape[-axes]
    if size != element_bytes:
        raise InvalidArgument(
            f"elements are {element_bytes} bytes, and an item of the array {item_bytes}, with axes "
            f"{tuple(shape)}: give an array whose items, or last axes, are one element"
        )
    return axes


def _prepare_operator(op, adapter, x, out, layout, axis, kind, reverse, initial, segments, marks, strategy):
    """A scan by an operator from source: its elements are items, or the last axes, of the arrays."""
    place, _, shape, _ = layout
    context = adapter.context(place)
    spec, keeps = spec_of(op, "", "", kind, reverse, False, initial, strategy, context)
    sides = []
    for side, element_bytes in (x, op.input_bytes), (out, op.output_bytes):
        side_shape, strides, item = adapter.layout(side)[2], adapter.byte_strides(side), adapter.item_bytes(side)
        inner = _element_axes(adapter, side, side_shape, item, element_bytes)
        outer = len(side_shape) - inner
        if not is_packed(side_shape[outer:], strides[outer:], item):
            raise InvalidArgument("the axes that make an element have gaps: give an array in C order")
        sides.append((tuple(side_shape[:outer]), tuple(strides[:outer]), element_bytes))
    (shape, in_strides, in_bytes), (out_shape, out_strides, out_bytes) = sides
    if shape != out_shape:
        raise InvalidArgument(f"out has elements {out_shape}, and the array {shape}: they must be as many")
    return _finish(
        context, spec, keeps, shape, _axis_of(axis, len(shape)), in_strides, out_strides, in_bytes, out_bytes, segments
    )


def _finish(context, spec, keeps, shape, axis, in_strides, out_strides, in_bytes, out_bytes, segments):
    mark_count = 0
    if segments is not None:
        spec.segments, spec.key_type, mark_count = segments
    lines = [size for a, size in enumerate(shape) if a != axis]
    is_line = (
        items_of(lines) == 1 and is_packed(shape, in_strides, in_bytes) and is_packed(shape, out_strides, out_bytes)
    )
    array = None if is_line else _array_of(shape, axis, in_strides, out_strides)
    return _Call(context, spec, array, items_of(shape), mark_count, keeps)


def defined(op: str, in_name: str, out_name: str) -> bool:
    """Whether the library scans `in_name` by `op` with results of `out_name`."""
    out_type, in_type = type_of(out_name), type_of(in_name)
    return bool(out_type and in_type and lib.scan_spec_defined(out_type, in_type, c.OPS[op]))


def _check_out(adapter, layout, out):
    """The layout of an output of the caller's."""
    other, same = array_of(out)
    if other is not adapter or same is not out:
        raise InvalidArgument(f"out is no array of {adapter.library}'s, as the input is")
    out_layout = adapter.layout(out)
    if out_layout[0] != layout[0]:
        raise InvalidArgument("out is on another device, stream or queue than the input")
    if not adapter.is_writable(out):
        raise InvalidArgument("out is read-only")
    return out_layout


def scan(
    x: A,
    op: Builtin | Op = "add",
    axis: int | None = -1,
    exclusive: bool = False,
    reverse: bool = False,
    out: A | None = None,
    segments: Segments | Array | None = None,
    *,
    dtype: DType | None = None,
    initial: Any = None,
    check_overflow: bool = False,
    strategy: str = "auto",
) -> A:
    """Prefix scan along an axis: out[i] = x[0] op ... op x[i].

    Args:
        x: array of any shape and strides: of NumPy, CuPy, PyTorch or pyopencl, or anything with
            `__cuda_array_interface__` or DLPack. dtypes: int8 to uint64, float16, bfloat16, float32, float64, and bool
            as a byte. It is read where it lies, without a copy.
        op: "add", "mul", "min", "max"; of integers also "and", "or", "xor"; or an `Op`.
        axis: the axis to scan along; None: the array as one line in C order.
        exclusive: out[i] covers x[0] to x[i - 1], and out[0] is `initial`, or the operator's identity.
        reverse: from the last element to the first: out[i] covers x[i] to x[-1].
        out: where results go: an array of x's shape on the same device and stream; it may be x. None: a new array.
        segments: a `Segments`, or an array of bools, true where a segment begins: each segment is scanned by itself.
        dtype: of the results, as a name or a dtype of x's library; default: x's. Sums widen: int8 to int32 or int64,
            uint8 to uint32 or uint64, int32 to int64, uint32 to uint64, float32 to float64, float16 and bfloat16 to
            float32. For other pairs x is converted first.
        initial: a value that each line and segment begins from.
        check_overflow: integers: raise `Overflow` where a sum or product is not held by the dtype; on devices that is
            raised by `synchronize`.
        strategy: how it is computed, as in scan_types.h; results are the same.

    Returns:
        out, or a new array of x's shape. On a device the call returns when the work is enqueued on the current stream,
        or the array's queue.

    Raises:
        ScanError: with the library's sentence; InvalidArgument also is a ValueError, Unsupported a NotImplementedError,
            OutOfMemory a MemoryError, Overflow an OverflowError.
    """
    return _scan(x, op, axis, exclusive, reverse, out, segments, dtype, initial, check_overflow, strategy, False)


def _scan(x, op, axis, exclusive, reverse, out, segments, dtype, initial, check_overflow, strategy, sums):
    """scan(); with `sums` results are of the dtype that NumPy and PyTorch give sums."""
    adapter, x = array_of(x)
    layout = adapter.layout(x)
    if axis is None or not layout[2]:
        axis = 0
        if len(layout[2]) != 1:
            x = adapter.flat(x)
            layout = adapter.layout(x)
    key = out_layout = None
    if out is not None:
        out_layout = _check_out(adapter, layout, out)
    if segments is None and initial is None:
        # The short way: arrays of a layout that was met before.
        key = (adapter, layout, out_layout, op, axis, exclusive, reverse, dtype, check_overflow, strategy, sums)
        found = _calls.get(key)
        if found is not None:
            call, name = found
            if out is None:
                out = adapter.empty_like(x, name)
            call(adapter.fill, x, out, None)
            return out
    if sums and dtype is None and out is None:
        dtype = (_TORCH_SUM_TYPES if adapter.library == "PyTorch" else _SUM_TYPES).get(adapter.name(layout[1]))
    return _scan_new(
        adapter,
        x,
        layout,
        key,
        op,
        axis,
        exclusive,
        reverse,
        out,
        out_layout,
        segments,
        dtype,
        initial,
        check_overflow,
        strategy,
    )


def _scan_new(
    adapter,
    x,
    layout,
    key,
    op,
    axis,
    exclusive,
    reverse,
    out,
    out_layout,
    segments,
    dtype,
    initial,
    check_overflow,
    strategy,
):
    """A scan of a layout that is new, or with segments or an initial value; key: what it is kept under, or None."""
    place, own_dtype, shape, _ = layout
    if not isinstance(op, Op) and op not in c.OPS:
        raise InvalidArgument(f"there is no operator {op!r}: give one of {', '.join(c.OPS)}, or an Op")
    marks = described = None
    if segments is not None:
        if not isinstance(segments, Segments):
            segments = Segments.flags(segments)
        marks, described = _marks_of(segments, adapter, place, shape)
    kind = c.EXCLUSIVE if exclusive else c.INCLUSIVE
    if isinstance(op, Op):
        if dtype is not None:
            raise InvalidArgument("dtype= is not for an operator from source, which has its own")
        if out is None:
            out = op.new_output(adapter, x)
        if items_of(shape) == 0:
            return out
        call = _prepare_operator(op, adapter, x, out, layout, axis, kind, reverse, initial, described, marks, strategy)
        call(adapter.fill, x, out, marks)
        return out
    axis = _axis_of(axis, len(shape))
    in_name = adapter.name(own_dtype)
    if not in_name:
        raise InvalidArgument(
            f"arrays of dtype {own_dtype} are not scanned: give integers or floating-point numbers of "
            "the machine's own byte order, or an Op.from_source for elements of your own"
        )
    given = out_layout and out_layout[1]
    if out_layout and tuple(out_layout[2]) != tuple(shape):
        raise InvalidArgument(f"out has the shape {tuple(out_layout[2])}, and the input {tuple(shape)}")
    out_name = (
        dtype_name(adapter, dtype) if dtype is not None else adapter.name(given) if given is not None else in_name
    )
    if given is not None and adapter.name(given) != out_name:
        raise InvalidArgument(f"out is of dtype {given}, and the results of {out_name}")
    if not defined(op, in_name, out_name) and defined(op, out_name, out_name) and in_name != out_name:
        # As NumPy does; the converted array is scanned in place where the results are new.
        x, key = adapter.cast(x, out_name), None
        in_name, out = out_name, x if out is None else out
    widens = out_name if out_name != in_name else None
    if out is None:
        out = adapter.empty_like(x, widens)
    if items_of(shape) == 0:
        return out
    context = adapter.context(place)
    spec, keeps = spec_of(op, in_name, out_name, kind, reverse, check_overflow, initial, strategy, context)
    call = _finish(
        context,
        spec,
        keeps,
        shape,
        axis,
        adapter.byte_strides(x),
        adapter.byte_strides(out),
        adapter.item_bytes(x),
        adapter.item_bytes(out),
        described,
    )
    call(adapter.fill, x, out, marks)
    if key is not None:
        if len(_calls) >= MOST_CALLS:
            _calls.clear()
        _calls[key] = call, widens
    return out


def dtype_name(adapter, dtype) -> str:
    """The name of a dtype, given as one, or as the library's own, or as what NumPy understands."""
    name = adapter.name(dtype) if not isinstance(dtype, (str, type)) else ""
    if not name:
        if isinstance(dtype, str) and dtype in c.TYPES:
            return dtype
        import numpy

        try:
            name = numpy.dtype(dtype).name
        except TypeError as fault:
            raise InvalidArgument(f"{dtype!r} is no dtype: {fault}") from None
    if name not in c.TYPES:
        raise InvalidArgument(f"scans have no results of dtype {name}: give one of {', '.join(c.TYPES)}")
    return name


# ---- NumPy's names
# -----------------------------------------------------------------------------------------------------

_SUM_TYPES = {
    "bool": "int64",
    "int8": "int64",
    "int16": "int64",
    "int32": "int64",
    "uint8": "uint64",
    "uint16": "uint64",
    "uint32": "uint64",
}
# What PyTorch gives: int64 for all integers.
_TORCH_SUM_TYPES = dict.fromkeys(_SUM_TYPES, "int64")


def cumsum(a: A, axis: int | None = None, dtype: DType | None = None, out: A | None = None) -> A:
    """Cumulative sum, as numpy.cumsum: integers smaller than int64 become int64 (uint64) unless dtype or out says
    otherwise; axis None: of the array as one line.

    Of float16 and bfloat16 the sum is kept in float32, and each result rounded. Floating-point results have the same
    bits on every device and in every run.
    """
    return _scan(a, "add", axis, False, False, out, None, dtype, None, False, "auto", True)


def cumprod(a: A, axis: int | None = None, dtype: DType | None = None, out: A | None = None) -> A:
    """Cumulative product, as numpy.cumprod; dtypes as in `cumsum`."""
    return _scan(a, "mul", axis, False, False, out, None, dtype, None, False, "auto", True)


def cummax(a: A, axis: int | None = None, out: A | None = None) -> A:
    """Cumulative maximum: numpy.maximum.accumulate, but that axis is None by default, as in `cumsum`. A NaN, once met,
    stays."""
    return scan(a, "max", axis, out=out)


def cummin(a: A, axis: int | None = None, out: A | None = None) -> A:
    """Cumulative minimum: numpy.minimum.accumulate, but that axis is None by default, as in `cumsum`. A NaN, once met,
    stays."""
    return scan(a, "min", axis, out=out)


def _cumulative(op, x, axis, dtype, out, include_initial):
    adapter, x = array_of(x)
    shape = adapter.layout(x)[2]
    if axis is None:
        if len(shape) > 1:
            raise InvalidArgument(f"the array has {len(shape)} axes: name the one to scan along (axis=)")
        axis = 0
    if not include_initial:
        return _scan(x, op, axis, False, False, out, None, dtype, None, False, "auto", True)
    axis = _axis_of(axis, len(shape))
    longer = tuple(size + (a == axis) for a, size in enumerate(shape))
    if out is None:
        name = adapter.name(adapter.layout(x)[1])
        sums = _TORCH_SUM_TYPES if adapter.library == "PyTorch" else _SUM_TYPES
        out = adapter.empty(x, longer, sums.get(name, name) if dtype is None else dtype_name(adapter, dtype))
    elif tuple(_check_out(adapter, adapter.layout(x), out)[2]) != longer:
        raise InvalidArgument(f"out must have the shape {longer}: one more than the input along the axis")
    before = (slice(None),) * axis
    out[before + (slice(0, 1),)] = 0 if op == "add" else 1
    scan(x, op, axis, out=out[before + (slice(1, None),)], dtype=dtype)
    return out


def cumulative_sum(
    x: A, /, *, axis: int | None = None, dtype: DType | None = None, out: A | None = None, include_initial: bool = False
) -> A:
    """As numpy.cumulative_sum (the array API's): axis must be given unless there is one; include_initial puts a 0
    before each line, which makes it longer by one."""
    return _cumulative("add", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: A, /, *, axis: int | None = None, dtype: DType | None = None, out: A | None = None, include_initial: bool = False
) -> A:
    """As numpy.cumulative_prod; see `cumulative_sum`."""
    return _cumulative("mul", x, axis, dtype, out, include_initial)


# ---- totals, differences, waiting
# ----------------------------------------------------------------------------------------


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
    """All elements combined into one: the bits of the last result of the inclusive scan. x is read once, and nothing
    else is written.

    Args:
        x: array; taken as one line in C order.
        op, reverse, dtype, initial: as in `scan`. With `segments` it covers the last segment.
        out: an array of one element for the result. None: a new one.

    Returns:
        an array with no axes (pyopencl: of one element); of an operator from source, the element.
    """
    adapter, x = array_of(x)
    x = adapter.flat(x)
    place, own_dtype, shape, strides = adapter.layout(x)
    context = adapter.context(place)
    marks = described = None
    if segments is not None:
        segments = segments if isinstance(segments, Segments) else Segments.flags(segments)
        marks, described = _marks_of(segments, adapter, place, shape)
    if isinstance(op, Op):
        raise InvalidArgument("reduce takes built-in operators: of an Op scan inclusively, and take the last element")
    in_name = adapter.name(own_dtype)
    out_name = dtype_name(adapter, dtype) if dtype is not None else in_name
    if op not in c.OPS or not defined(op, in_name, out_name):
        raise InvalidArgument(f"{op!r} is not defined on {own_dtype} with results of {out_name}: see scan's dtype")
    if out is None:
        out = adapter.empty(x, (1,) if adapter.library == "pyopencl" else (), out_name)
    else:
        _, given, out_shape, _ = _check_out(adapter, adapter.layout(x), out)
        if adapter.name(given) != out_name or items_of(out_shape) != 1:
            raise InvalidArgument(f"out must be one element of dtype {out_name}")
    spec, keeps = spec_of(op, in_name, out_name, c.TOTAL, reverse, False, initial, "auto", context)
    if described is not None:
        spec.segments, spec.key_type, mark_count = described
    call = _Call(context, spec, None, items_of(shape), described[2] if described else 0, keeps)
    call(adapter.fill, x, out, marks)
    return out


def adjacent_difference(x: A, *, reverse: bool = False, out: A | None = None) -> A:
    """Differences of neighbours, which undo a sum: out[0] = x[0], out[i] = x[i] - x[i - 1]; reverse: out[-1] = x[-1],
    out[i] = x[i] - x[i + 1].

    Args:
        x: array with one axis, without gaps. out: likewise, of the same dtype; it may be x.
    """
    adapter, x = array_of(x)
    place, own_dtype, shape, strides = adapter.layout(x)
    if len(shape) != 1 or not is_packed(shape, adapter.byte_strides(x), adapter.item_bytes(x)):
        raise InvalidArgument("adjacent_difference takes an array of one axis without gaps: reshape or copy it")
    if out is None:
        out = adapter.empty_like(x)
    else:
        out_layout = _check_out(adapter, adapter.layout(x), out)
        if out_layout[1:] != (own_dtype, shape, strides):
            raise InvalidArgument("out must have the dtype and the shape of the input, without gaps")
    context = adapter.context(place)
    name = adapter.name(own_dtype)
    spec, _ = spec_of("add", name, name, c.INCLUSIVE, reverse, False, None, "auto", context)
    context.call(
        lib.scan_adjacent_difference,
        byref(spec),
        items_of(shape),
        mem_of(adapter, place, x),
        mem_of(adapter, place, out),
    )
    return out


def synchronize(x: Array) -> None:
    """Waits for the work of scanrt on the current stream (queue) of an array's device, and raises what it had to tell:
    `Overflow` of scans with check_overflow=True, `NoProgress`, `DeviceError`."""
    adapter, x = array_of(x)
    adapter.context(adapter.layout(x)[0]).call(lib.scan_sync)
