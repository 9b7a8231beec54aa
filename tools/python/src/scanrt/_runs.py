# SPDX-License-Identifier: BSD-2-Clause
"""Runs of equal keys: run-length encoding, reduction by key, and unique values."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from . import _structs as c
from ._arrays import array_of
from ._call import spec_of
from ._checks import outputs_given
from ._compact import kept, unique_consecutive
from ._dtypes import typed_values
from ._errors import InvalidArgument
from ._library import lib
from ._memory import Clamp, Place, capacity_of, index_type, new_room, new_room_like
from ._ops import Op
from ._scan import cumsum
from ._sort import sort, sort_by_key
from ._typing import A, Builtin, DType, IndexDType


def run_length_encode(
    keys: A,
    *,
    starts: bool = False,
    dtype: IndexDType = "int64",
    out: tuple[A, ...] | None = None,
    count: A | None = None,
    n: A | Clamp | None = None,
) -> tuple[A, ...]:
    """The first key of each run of equal keys, and its length.

    Args:
        keys: array with one axis, of numbers. Compared as C's ==: each NaN is a run of its own, -0.0 and +0.0 are
            equal.
        starts: True: also returns the begin of each run.
        dtype: of lengths and starts: int64, uint64, int32 or uint32.
        out: (keys, lengths) or (keys, lengths, starts) for the results; nothing is written past their ends.
        count: array of one int64 or uint64 on the device for the number of runs; with it the call does not wait.
        n: as in `select`.

    Returns:
        (keys, lengths) or (keys, lengths, starts), with one element a run, after waiting for their number. With count=
        all of out, or new arrays as long as keys, followed by count.
    """
    return RunLengthCall(keys, starts, dtype, out, count).run(count, n)


class _RunsCall:
    """A call whose outputs get an element for each run of keys. The function takes spec, items and args."""

    function: Any = None

    def __init__(self, keys):
        self.place = Place(keys)
        self.context = self.place.context
        self.keys = self.place.take(keys, "keys")
        (self.items,) = _line(self.place, self.keys, "keys")
        self.spec = self.args = self.out = self.keeps = None

    def run(self, count, n):
        place = self.place
        n, total = place.limit(self.spec, self.args, n), place.count(self.args, count)
        place.context.call(self.function, byref(self.spec), self.items, byref(self.args))
        return (*self.out, count) if count is not None else tuple(kept(place, self.out, total))


class RunLengthCall(_RunsCall):
    """A call of scan_run_length_encode. Arguments as in `run_length_encode`."""

    function = staticmethod(lib.scan_run_length_encode)

    def __init__(self, keys, starts, dtype, out, count):
        super().__init__(keys)
        place, keys = self.place, self.keys
        name, number = index_type(dtype)
        self.spec = c.RunLengthSpec(
            key_type=place.key_type(keys, "keys"), length_type=number, start_type=number if starts else 0
        )
        self.args = c.RunLengthArgs(keys=place.mem(keys))
        if out is not None:
            outputs_given(out, "keys, lengths, starts" if starts else "keys, lengths", 3 if starts else 2)
        else:
            out = [new_room_like(place, keys, count)]
            out += [new_room(place, (self.items,), name, count) for _ in range(2 if starts else 1)]
        names = ("int64", "uint64") if number == c.U64 else ("int32", "uint32")
        for field, x, allowed in zip(("keys_out", "lengths", "starts"), out, ((place.name(keys),), names, names)):
            setattr(self.args, field, place.mem(place.given(x, field, allowed)))
        self.args.capacity = capacity_of(out, place)
        self.out = out


def _line(place, x, what):
    shape = place.shape(x)
    if len(shape) != 1:
        raise InvalidArgument(f"{what} has {len(shape)} axes: give an array with one")
    return shape


def reduce_by_key(
    keys: A,
    values: A,
    op: Builtin | Op = "add",
    *,
    dtype: DType | None = None,
    initial: Any = None,
    out: tuple[A, A] | None = None,
    count: A | None = None,
    n: A | Clamp | None = None,
) -> tuple[A, ...]:
    """Combines the values of each run of equal keys into one.

    Args:
        keys: array with one axis, of numbers, as in `run_length_encode`.
        values: array of as many values.
        op, dtype, initial: as in `scan`.
        out: (keys, results) for the last key of each run and its result.
        count, n: as in `run_length_encode`.

    Returns:
        (keys, results); with count= (keys, results, count). Floating-point results have the same bits everywhere.
    """
    return ReduceByKeyCall(keys, values, op, dtype, initial, out, count).run(count, n)


class ReduceByKeyCall(_RunsCall):
    """A call of scan_reduce_by_key. Arguments as in `reduce_by_key`."""

    function = staticmethod(lib.scan_reduce_by_key)

    def __init__(self, keys, values, op, dtype, initial, out, count):
        super().__init__(keys)
        place, keys, values = self.place, self.keys, self.place.take(values, "values")
        if out is not None:
            outputs_given(out, "keys, results", 2)
        if isinstance(op, Op):
            in_name = out_name = ""
            new_values = op.new_output(place.adapter, values) if out is None else None
        else:
            if place.shape(values) != (self.items,):
                raise InvalidArgument(f"values have the shape {place.shape(values)}, and there are {self.items} keys")
            given = None if out is None else out[1]
            values, in_name, out_name = typed_values(place, op, values, dtype, given, "out[1]")
            new_values = new_room(place, (self.items,), out_name, count) if out is None else None
        if out is None:
            out = new_room_like(place, keys, count), new_values
        self.spec, keeps = spec_of(op, in_name, out_name, c.INCLUSIVE, False, False, initial, "auto", place.context)
        self.spec.segments, self.spec.key_type = c.SEGMENTS_KEYS, place.key_type(keys, "keys")
        self.args = c.ReduceByKeyArgs(keys=place.mem(keys), values=place.mem(values))
        self.args.keys_out = place.mem(place.given(out[0], "out[0]", (place.name(keys),)))
        self.args.values_out = place.mem(place.given(out[1], "out[1]", (out_name,) if out_name else None))
        self.args.capacity = capacity_of(out, place)
        self.out, self.keeps = out, (values, keeps)


def unique(ar: A, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The sorted unique values of an array, as numpy.unique.

    Args:
        ar: array, taken as one line.
        return_index: True: also returns the index of each value's first element.
        return_inverse: True: also returns, for each element, the index of its value.
        return_counts: True: also returns the number of elements with each value.

    Returns:
        values, or a tuple of them and the other requested arrays (int64). Waits for their number. Each NaN is a value
        of its own; -0.0 and +0.0 are one value.
    """
    adapter, x = array_of(ar)
    x = adapter.flat(x)
    place = Place(x)
    if not (return_index or return_inverse):
        values = sort(x)
        if return_counts:
            return run_length_encode(values)
        return unique_consecutive(values)
    values, order = sort(x, return_indices=True)
    found, lengths = run_length_encode(values)
    results = [found]
    if return_index:
        results.append(unique_consecutive((values, order))[1])
    if return_inverse:
        results.append(_inverse(place, values, order))
    if return_counts:
        results.append(lengths)
    return tuple(results)


def _inverse(place, values, order):
    """For each element the number of its value: numbers in sorted order, scattered back to the elements' places."""
    items = place.shape(values)[0]
    numbers = place.adapter.empty(place.first, (items,), "int64")
    if items:
        numbers[:1] = 0
        if items > 1:
            cumsum(values[1:] != values[:-1], out=numbers[1:])
    return sort_by_key(order, numbers)[1]
