# SPDX-License-Identifier: BSD-2-Clause
"""Prepared calls of the library's scans, for arrays of one layout."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref

from . import _structs as c
from ._arrays import array_of, is_packed, items_of
from ._checks import index_of, text_given
from ._dtypes import scan_types
from ._errors import InvalidArgument
from ._library import lib
from ._ops import Op, value_bytes


class Call:
    """A scan of arrays of one layout on one context. Only the memory is given later."""

    __slots__ = ("context", "lock", "function", "args", "arguments", "in_", "out", "marks", "keeps")

    def __init__(self, context, spec, keeps, n, array=None, mark_count=0):
        self.context, self.lock = context, context.lock
        self.keeps = spec, keeps, array
        self.args = c.Args(mark_count=mark_count)
        self.in_, self.out, self.marks = self.args.in_, self.args.out, self.args.marks
        # Arrays without elements may have no memory; a total needs its output even then.
        self.in_.kind = context.mem_kind if n else c.MEM_NONE
        self.out.kind = context.mem_kind if n or spec.kind == c.TOTAL else c.MEM_NONE
        if spec.segments:
            self.marks.kind = context.mem_kind
        self.function = lib.scan_run_args if array is None else lib.scan_run_array_args
        self.arguments = (
            context.handle,
            addressof(spec),
            n if array is None else addressof(array),
            addressof(self.args),
        )

    def __call__(self, fill, x, out, marks):
        with self.lock:
            if self.in_.kind:
                fill(self.in_, x)
            if self.out.kind:
                fill(self.out, out)
            if marks is not None:
                fill(self.marks, marks)
            status = self.function(*self.arguments)
            if status:
                self.context.fail(status)


def spec_of(op, in_name, out_name, kind, reverse, check_overflow, initial, strategy, context):
    """The scan_spec, and the objects that it points to."""
    spec = c.Spec(kind=kind, flags=(c.BACKWARD if reverse else 0) | (c.CHECK_OVERFLOW if check_overflow else 0))
    keeps = []
    if isinstance(op, Op):
        spec.custom_op = op.handle(context)
    else:
        spec.op = c.OPS[op]
        in_type, spec.type = scan_types(in_name, out_name)
        spec.input_type = in_type if in_type != spec.type else 0
    if initial is None and out_name == "bool" and op in ("min", "and"):
        initial = True  # the identity of bytes, 255, is not a bool
    if initial is not None:
        data = value_bytes(op, initial, out_name)
        keeps.append(data)
        spec.has_init, spec.init_bytes = 1, addressof(data)
    if strategy != "auto":
        number = ctypes.c_int()
        text_given(strategy, "strategy")
        if lib.scan_strategy_parse(ctypes.create_string_buffer(strategy.encode()), byref(number)):
            raise InvalidArgument(f"there is no strategy {strategy!r}: scanrt info names those of a device")
        spec.strategy = number.value
    return spec, keeps


class Side:
    """An input or output as elements: their number and stride along each axis, and their size."""

    def __init__(self, adapter, x, element_bytes=None):
        shape, strides, item_bytes = adapter.layout(x)[2], adapter.byte_strides(x), adapter.item_bytes(x)
        self.bytes = item_bytes if element_bytes is None else element_bytes
        outer = len(shape) - _element_axes(shape, item_bytes, self.bytes)
        if not is_packed(shape[outer:], strides[outer:], item_bytes):
            raise InvalidArgument("the axes that make an element have gaps: give an array in C order")
        self.shape, self.strides = tuple(shape[:outer]), tuple(strides[:outer])

    def is_line(self, axis):
        """True if all elements form one line without gaps."""
        others = (size for a, size in enumerate(self.shape) if a != axis)
        return items_of(others) == 1 and is_packed(self.shape, self.strides, self.bytes)


def _element_axes(shape, item_bytes, element_bytes):
    """The number of last axes that form an element of element_bytes; 0 if an item is one."""
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


def axis_of(axis, ndim):
    """The axis as an index from 0."""
    axis = index_of(axis, "axis")
    if not -ndim <= axis < ndim:
        raise InvalidArgument(f"axis {axis} is not one of the array's {ndim}: give -{ndim} to {ndim - 1}")
    return axis % ndim


def prepare(context, spec, keeps, axis, taken, given, segments):
    """The call for an input and an output. segments: from marks_of."""
    if taken.shape != given.shape:
        raise InvalidArgument(f"out has the shape {given.shape}, and the input {taken.shape}")
    axis = axis_of(axis, len(taken.shape))
    spec.segments, spec.key_type, mark_count = segments
    array = None if taken.is_line(axis) and given.is_line(axis) else lines_of(axis, taken, given)
    return Call(context, spec, keeps, items_of(taken.shape), array, mark_count)


def lines_of(axis, taken, given):
    """The lines along an axis of an input and an output."""
    ndim = len(taken.shape)
    if ndim > c.MOST_AXES:
        raise InvalidArgument(f"the array has {ndim} axes, and a scan takes up to {c.MOST_AXES}: reshape it")
    array = c.Array(ndim=ndim, axis=axis)
    array.shape[:ndim] = taken.shape
    array.in_strides[:ndim], array.out_strides[:ndim] = taken.strides, given.strides
    return array


def array_of_totals(axis, taken, given):
    """The array of an input whose totals along the axis are the output."""
    strides = given.strides if len(given.strides) == len(taken.shape) - 1 else ()  # or one element
    given.strides = (*strides[:axis], 0, *strides[axis:])
    return lines_of(axis, taken, given)


def check_out(adapter, layout, out, what="out"):
    """The layout of the caller's output."""
    other, same = array_of(out)
    if other is not adapter or same is not out:
        raise InvalidArgument(f"{what} is no array of {adapter.library}'s, as the input is")
    out_layout = adapter.layout(out)
    if out_layout[0] != layout[0]:
        raise InvalidArgument(f"{what} is on another device, stream or queue than the input")
    if not adapter.is_writable(out):
        raise InvalidArgument(f"{what} is read-only")
    return out_layout
