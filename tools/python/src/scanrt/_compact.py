# SPDX-License-Identifier: BSD-2-Clause
"""Compaction: select, partition, indices of nonzero elements, and the first or last of equal neighbours."""

from __future__ import annotations

import functools
from ctypes import addressof, byref
from typing import Any, Literal

from . import _structs as c
from ._adapters import type_of
from ._arrays import array_of, items_of
from ._checks import kind_given
from ._errors import InvalidArgument
from ._library import lib
from ._memory import Clamp, Place, aligned, capacity_of, head, index_type, new_like, new_room, new_room_like, rows
from ._ops import Predicate, params_of
from ._prepared import keep_prepared, key_of, run_prepared
from ._typing import A, Array, Arrays, IndexDType


class Bits:
    """A bit for each element in words of uint32: bit i % 32 of word i // 32. For `select`, `partition`,
    `flatnonzero`."""

    __slots__ = ("array",)

    def __init__(self, array: Array):
        self.array = array


class Compaction:
    """One call of scan_select: the arrays moved, the criterion and the outputs."""

    def __init__(self, arrays):
        if not 0 < len(arrays) <= c.MOST_ARRAYS:
            raise InvalidArgument(f"{len(arrays)} arrays are given: a call moves 1 to {c.MOST_ARRAYS}")
        self.place = Place(arrays[0])
        self.arrays = [self.place.take(x, f"array {k}") for k, x in enumerate(arrays)]
        self.n = 0
        self.spec, self.args = c.SelectSpec(), c.SelectArgs()
        self.keeps = []
        self.n_from = None

    def limit(self, n):
        """Reads n from device memory."""
        self.n_from = self.place.limit(self.spec, self.args, n)

    def of_rows(self):
        """Sets n for elements along the first axis."""
        shape = self.place.shape(self.arrays[0])
        self.n = shape[0] if shape else 1
        return self

    def by(self, keep, params):
        """Sets the criterion for keeping elements: a Predicate, Bits or flags."""
        spec, place = self.spec, self.place
        if isinstance(keep, Predicate):
            if keep.is_pair:
                raise InvalidArgument("a predicate of two elements is for unique_consecutive")
            self.of_rows()
            data = params_of(keep, params)
            spec.by, spec.predicate = c.SELECT_PREDICATE, keep.handle(place.context)
            self._looks_at(keep, data)
            return self
        if params is not None:
            raise InvalidArgument("params= is for a Predicate")
        is_bits = isinstance(keep, Bits)
        marks = place.take(keep.array if is_bits else keep, "what says which are kept")
        names = ("uint32", "int32") if is_bits else ("bool", "uint8", "int8")
        if place.name(marks) not in names:
            raise InvalidArgument(
                f"{'bits' if is_bits else 'flags'} are of dtype {names[0]}, not "
                f"{place.layout(marks)[1]}" + ("" if is_bits else ": give (flags != 0)")
            )
        spec.by = c.SELECT_BITS if is_bits else c.SELECT_FLAGS
        shape = place.shape(marks)
        if not is_bits and len(shape) != 1 and shape == place.shape(self.arrays[0]):
            self.arrays = [place.adapter.flat(x) for x in self.arrays]
        self.of_rows()
        if items_of(shape) != self.n if not is_bits else 32 * items_of(shape) < self.n:
            raise InvalidArgument(
                f"there are {items_of(shape) * (32 if is_bits else 1)} "
                f"{'bits' if is_bits else 'flags'} for {self.n} elements: give one for each"
            )
        self._mark(marks)
        return self

    def _looks_at(self, keep, data):
        bytes_ = rows(self.place, self.arrays[0], self.n, "array 0")
        if bytes_ != keep.element_bytes:
            raise InvalidArgument(
                f"the predicate looks at elements of {keep.element_bytes} bytes, and those of array 0 have {bytes_}"
            )
        if data is not None:
            self.keeps.append(data)
            self.args.params = addressof(data)

    def _mark(self, marks):
        self.keeps.append(marks)
        self.args.marks = self.place.mem(marks)

    def by_runs(self, keys, keep, same, params):
        """Keeps the first or the last element of each run of equal keys."""
        if not isinstance(keep, str) or keep not in ("first", "last"):
            raise InvalidArgument(f'keep is {keep!r}: give "first" or "last"')
        self.spec.by = c.SELECT_FIRST if keep == "first" else c.SELECT_LAST
        self.of_rows()
        if same is not None:
            data = params_of(kind_given(same, Predicate, "same"), params)
            self.spec.predicate = same.handle(self.place.context)
            self._looks_at(same, data)
            return self
        if keys is None:
            if len(self.place.shape(self.arrays[0])) != 1:
                raise InvalidArgument("keys have one axis: flatten the array, or give a Predicate of pairs (same=)")
            keys = self.arrays[0]
        else:
            keys = self.place.take(keys, "keys")
        if self.place.shape(keys) != (self.n,):
            raise InvalidArgument(f"keys have the shape {self.place.shape(keys)}, and there are {self.n} elements")
        self.spec.key_type = self.place.key_type(keys, "keys")
        self._mark(keys)
        return self

    def moves(self, outs, new, what="out"):
        """Sets the arrays to move, to the caller's outputs or to new ones from new(place, x)."""
        spec, args, place = self.spec, self.args, self.place
        spec.arrays = len(self.arrays)
        is_given = outs is not None
        outs = list(outs) if is_given else [new(place, x) for x in self.arrays]
        if len(outs) != len(self.arrays):
            raise InvalidArgument(f"{what} has {len(outs)} arrays, and {len(self.arrays)} are moved")
        capacities = set()
        for k, (x, out) in enumerate(zip(self.arrays, outs)):
            size = rows(place, x, self.n, f"array {k}")
            if is_given:
                spec.in_place |= out is x
                place.given(out, what, (place.name(x),), 0)
            if place.shape(out)[1:] != place.shape(x)[1:]:
                raise InvalidArgument(
                    f"{what} has elements of the shape {place.shape(out)[1:]}, and array {k} of {place.shape(x)[1:]}"
                )
            spec.element_bytes[k], spec.element_align[k] = size, aligned(place, x, size)
            args.in_[k], args.out[k] = place.mem(x), place.mem(out)
            capacities.add(place.shape(out)[0])
        if len(capacities) != 1:
            raise InvalidArgument(f"the arrays of {what} have room for different numbers of elements: {capacities}")
        args.capacity = capacity_of(outs, place)
        self.keeps += outs
        return outs

    def run(self, count):
        """Runs the call. Returns the array of the count."""
        total = self.place.count(self.args, count)
        self.place.context.call(lib.scan_select, byref(self.spec), self.n, byref(self.args))
        return total

    def run_to(self, outs, several, count):
        """Runs the call. Without the caller's count it waits and returns the written part of the outputs. With one it
        returns the whole outputs and the count, and does not wait."""
        total = self.run(count)
        if count is None:
            return one_or_all(kept(self.place, outs, total), several)
        return one_or_all(outs, several), count


def kept(place, outs, count):
    """The written part of the outputs. Waits for the count."""
    k = place.adapter.item(count)
    return [head(place.adapter, out, k) for out in outs]


def arrays_of(x):
    """The arrays as a list, and True if x was a tuple."""
    return (list(x), True) if isinstance(x, tuple) else ([x], False)


def one_or_all(arrays, several):
    return tuple(arrays) if several else arrays[0]


def outputs_of(out, several):
    return None if out is None else list(out) if several else [out]


def select(
    x: Arrays[A],
    keep: Array | Bits | Predicate,
    *,
    out: Arrays[A] | None = None,
    count: A | None = None,
    params: Any = None,
    n: A | Clamp | None = None,
) -> Any:
    """The elements that are kept, contiguous and in order: x[keep], as torch.masked_select.

    Args:
        x: array, or a tuple of up to eight, whose elements along the first axis (rows of up to 64 bytes) are moved. If
            the flags have x's own shape, its items are moved, flattened in C order.
        keep: bools or bytes, one for each element; `Bits`; or a `Predicate`, which tests the (first) array.
        out: array (or tuple) for the kept elements; nothing is written past its end. It may be x. An empty one: only
            the count is written.
        count: array of one int64 or uint64 on the same device, which receives the number of kept elements. With it the
            call does not wait, and returns all of out.
        params: parameters of the predicate.
        n: array of one int64 or uint64 on the device: the number of elements to process, such as the count of an
            earlier call, or count itself. If it exceeds the array's length, all elements are processed, and the next
            `synchronize` raises InvalidArgument; `Clamp(n)` prevents that.

    Returns:
        the kept elements, as the first part of out. Without count= the call reads their number, which waits for the
        stream (queue). A new out is as long as x; copy the result to free the rest. With count=: (out, count).
    """
    key = adapter = None
    if params is None and n is None and not isinstance(keep, (Bits, Predicate)):
        key, adapter = key_of("select", x, keep, out, count)
        result = run_prepared(key, adapter, x, keep, out, count)
        if result is not None:
            return result
    arrays, several = arrays_of(x)
    call = Compaction(arrays).by(keep, params)
    call.limit(n)
    outs = call.moves(outputs_of(out, several), functools.partial(new_room_like, count=count))
    result = call.run_to(outs, several, count)
    keep_prepared(key, call, x, keep, call.place.shape(outs[0]), None)
    return result


def flatnonzero(
    a: Array | Bits | tuple[Array, Predicate],
    *,
    dtype: IndexDType = "int64",
    out: Array | None = None,
    count: Array | None = None,
    params: Any = None,
    n: Array | Clamp | None = None,
) -> Any:
    """The indices of nonzero elements of the flattened array, as numpy.flatnonzero.

    Args:
        a: array. Bools and bytes are read as flags; other dtypes are first compared with 0. Or `Bits`. Or a tuple (x,
            predicate): the indices of the elements of x for which the predicate holds.
        dtype: of the indices: int64, uint64, int32 or uint32.
        out, count, n: as in `select`.
    """
    name, number = index_type(dtype)
    key, flags = None, a
    if params is None and n is None and not isinstance(a, Bits):
        key, adapter = key_of(name, a, a, out, count)
        result = run_prepared(key, adapter, a, a, out, count)
        if result is not None:
            return result
    if isinstance(a, tuple):
        call = Compaction(a[:1]).by(a[1], params)
        call.args.in_[0] = call.place.mem(call.arrays[0])
    elif isinstance(a, Bits):
        adapter, words = array_of(a.array)
        call = Compaction([words])
        words = call.arrays[0]
        call.spec.by, call.n = c.SELECT_BITS, 32 * items_of(call.place.shape(words))
        call._mark(words)
    else:
        adapter, a = array_of(a)
        if type_of(adapter.name(adapter.layout(a)[1])) not in (c.TYPES["int8"], c.TYPES["uint8"]):
            a = a != 0
        call = Compaction([adapter.flat(a)])
        call.spec.by, call.n = c.SELECT_FLAGS, items_of(call.place.shape(call.arrays[0]))
        call._mark(call.arrays[0])
    call.limit(n)
    if isinstance(a, tuple):
        call.args.marks, call.args.in_[0] = call.args.in_[0], c.Mem()
    call.spec.index_type = number
    place = call.place
    out = (
        new_room(place, (call.n,), name, count)
        if out is None
        else place.given(out, "out", ("int64", "uint64") if number == c.U64 else ("int32", "uint32"))
    )
    call.args.out[0], call.args.capacity = place.mem(out), capacity_of([out], place)
    result = call.run_to([out], False, count)
    keep_prepared(key if flags is a else None, call, a, a, (call.n,), name)
    return result


def nonzero(a: A) -> tuple[A, ...]:
    """The indices of nonzero elements, one array for each axis, as numpy.nonzero. Waits for their number."""
    adapter, a = array_of(a)
    shape = tuple(adapter.layout(a)[2])
    flat = flatnonzero(a)
    places = []
    for size in reversed(shape[1:]):
        places.append(flat % size)
        flat = flat // size
    return (flat, *reversed(places))


def partition(
    x: Arrays[A],
    keep: Array | Bits | Predicate,
    *,
    out: Arrays[A] | None = None,
    count: A | None = None,
    params: Any = None,
    n: A | Clamp | None = None,
) -> Any:
    """All elements: first those that are kept, then the others, each in their order.

    Args:
        x, keep, params, n: as in `select`. out: array of x's length; it may be x.
        count: array of one int64 or uint64 for the number of kept elements; None: a new one.

    Returns:
        (out, count), both on the device. Does not wait.
    """
    arrays, several = arrays_of(x)
    call = Compaction(arrays).by(keep, params)
    call.limit(n)
    call.spec.rest = c.REST_BEHIND
    outs = call.moves(outputs_of(out, several), functools.partial(new_like, n=n))
    total = call.run(count)
    return one_or_all(outs, several), total


def select_both(
    x: Arrays[A],
    keep: Array | Bits | Predicate,
    *,
    out: Arrays[A] | None = None,
    rest: Arrays[A] | None = None,
    count: A | None = None,
    params: Any = None,
    n: A | Clamp | None = None,
) -> Any:
    """The kept elements and, separately, the others, each in their order.

    Args:
        x, keep, out, count, params, n: as in `select`. rest: array (or tuple) for the others.

    Returns:
        (kept, others), after waiting for their numbers; with count= (out, rest, count), without waiting.
    """
    arrays, several = arrays_of(x)
    call = Compaction(arrays).by(keep, params)
    call.limit(n)
    outs = call.moves(outputs_of(out, several), functools.partial(new_room_like, count=count))
    apart = outputs_of(rest, several) or [new_room_like(call.place, x, count) for x in call.arrays]
    call.spec.rest = c.REST_APART
    for k, (array, other) in enumerate(zip(call.arrays, apart)):
        call.place.given(other, "rest", (call.place.name(array),))
        call.args.rest[k] = call.place.mem(other)
    call.args.rest_capacity = capacity_of(apart, call.place)
    total = call.run(count)
    if count is not None:
        return one_or_all(outs, several), one_or_all(apart, several), count
    k = call.place.adapter.item(total)
    all_ = call.n if call.n_from is None else min(call.n, call.place.adapter.item(call.n_from))
    outs = [head(call.place.adapter, out, k) for out in outs]
    apart = [head(call.place.adapter, other, all_ - k) for other in apart]
    return one_or_all(outs, several), one_or_all(apart, several)


def partition3(
    x: Arrays[A], first: Predicate, second: Predicate, *, first_params: Any = None, second_params: Any = None
) -> tuple[Arrays[A], Arrays[A], Arrays[A], A]:
    """Three parts by two predicates: elements for which the first holds; of the others those for which the second
    holds; and the rest. Each part keeps its order.

    Args:
        x: array, or a tuple of up to eight; the predicates test the first one.
        first, second: `Predicate`s of one element. The second one's index counts the elements that it tests.

    Returns:
        (first, second, rest, counts): arrays (or tuples) as long as x, and an array of three int64 on the device with
        the number of elements in each. Does not wait.
    """
    arrays, several = arrays_of(x)
    call = Compaction(arrays).of_rows()
    place, n = call.place, call.n
    spec, args = c.Partition3Spec(arrays=len(arrays)), c.Partition3Args()
    kind_given(first, Predicate, "first"), kind_given(second, Predicate, "second")
    data = [params_of(first, first_params), params_of(second, second_params)]
    for field, predicate in ("first", first), ("second", second):
        if predicate.element_bytes != rows(place, call.arrays[0], n, "array 0"):
            raise InvalidArgument(
                f"the {field} predicate looks at elements of {predicate.element_bytes} bytes, which "
                "those of array 0 have not"
            )
        setattr(spec, field, predicate.handle(place.context))
    args.first_params, args.second_params = (d and addressof(d) for d in data)
    parts = [[place.adapter.zeros_like(array) for array in call.arrays] for _ in range(3)]
    for k, array in enumerate(call.arrays):
        size = rows(place, array, n, f"array {k}")
        spec.element_bytes[k], spec.element_align[k] = size, aligned(place, array, size)
        args.in_[k] = place.mem(array)
        for side, part in zip((args.first, args.second, args.rest), parts):
            side[k] = place.mem(part[k])
    counts = place.adapter.empty(place.first, (3,), "int64")
    args.counts = place.mem(counts)
    place.context.call(lib.scan_partition3, byref(spec), n, byref(args))
    return (*(one_or_all(part, several) for part in parts), counts)


def unique_consecutive(
    x: Arrays[A],
    *,
    keep: Literal["first", "last"] = "first",
    keys: A | None = None,
    same: Predicate | None = None,
    params: Any = None,
    out: Arrays[A] | None = None,
    count: A | None = None,
    n: A | Clamp | None = None,
) -> Any:
    """One element of each run of equal neighbours, as torch.unique_consecutive or C++'s std::unique.

    Args:
        x: array, or a tuple of up to eight. The first one has the keys unless keys= or same= is given.
        keep: "first" or "last" element of each run.
        keys: array of numbers, one for each element. Compared by C's ==, so that each NaN is a run of its own.
        same: a `Predicate` of pairs (is_pair=True) instead of keys, with params.
        out, count, n: as in `select`.

    Returns:
        as `select`.
    """
    arrays, several = arrays_of(x)
    call = Compaction(arrays).by_runs(keys, keep, same, params)
    call.limit(n)
    return call.run_to(
        call.moves(outputs_of(out, several), functools.partial(new_room_like, count=count)), several, count
    )
