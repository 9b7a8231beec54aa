# SPDX-License-Identifier: BSD-2-Clause
"""Shared code of compaction, runs, sorts and splits: several arrays of one place, and counts in device memory."""

from __future__ import annotations

from . import _structs as c
from ._adapters import type_of
from ._arrays import array_of, is_packed, items_of, mem_of
from ._errors import InvalidArgument
from ._typing import Array

INDEX_TYPES = {"int64": c.U64, "uint64": c.U64, "int32": c.U32, "uint32": c.U32}


class Clamp:
    """A count for `n=`. If it exceeds the number of elements, all of them are processed, and no call reports it."""

    __slots__ = ("array",)

    def __init__(self, array: Array):
        self.array = array


def capacity_of(outs, place):
    """The capacity of outputs: the length of the shortest one. No room is NO_CAPACITY, since 0 means all."""
    return min(place.shape(out)[0] for out in outs) or c.NO_CAPACITY


class Place:
    """A place and the library of the arrays there, for one call."""

    def __init__(self, x):
        self.adapter, self.first = array_of(x)
        self._layouts = {}
        self.place = self.layout(self.first)[0]
        self.context = self.adapter.context(self.place)

    def layout(self, x):
        """The layout of an array, computed once. The array is kept, so that no other one gets its id."""
        found = self._layouts.get(id(x))
        if found is None:
            found = self._layouts[id(x)] = (self.adapter.layout(x), x)
        return found[0]

    def _here(self, x, what):
        """The array and its layout. Refuses an array of another library or place."""
        adapter, array = array_of(x)
        layout = self.layout(array) if adapter is self.adapter else (None,)
        if layout[0] != self.place:
            raise InvalidArgument(
                f"{what} must be of the same library and device (stream, queue) as the first array: those of "
                f"{self.adapter.library} here"
            )
        return array, layout

    def _is_packed(self, x, shape):
        return is_packed(shape, self.adapter.byte_strides(x), self.adapter.item_bytes(x))

    def take(self, x, what):
        """An array of the same library and place without gaps, copied if it has some."""
        x, layout = self._here(x, what)
        return x if self._is_packed(x, layout[2]) else self.adapter.packed(x)

    def given(self, x, what, names=None, least=0):
        """The caller's output, unchanged. It must have one of the dtypes `names`, and at least `least` items."""
        same, (_, dtype, shape, _) = self._here(x, what)
        if same is not x:
            raise InvalidArgument(f"{what} is no array of {self.adapter.library}'s")
        if not self.adapter.is_writable(x):
            raise InvalidArgument(f"{what} is read-only")
        if not self._is_packed(x, shape):
            raise InvalidArgument(f"{what} has gaps between its elements: give an array in C order")
        if names is not None and self.adapter.name(dtype) not in names:
            raise InvalidArgument(f"{what} is of dtype {dtype}: give {' or '.join(names)}")
        room = shape[0] if len(shape) else 1
        if room < least:
            raise InvalidArgument(f"{what} has room for {room} elements: give {least}")
        return x

    def shape(self, x):
        return tuple(self.layout(x)[2])

    def name(self, x) -> str:
        return self.adapter.name(self.layout(x)[1])

    def mem(self, x) -> c.Mem:
        return mem_of(self.adapter, self.context, self.layout(x)[2], x)

    def key_type(self, x, what) -> int:

        number = type_of(self.name(x))
        if not number:
            raise InvalidArgument(
                f"{what} of dtype {self.layout(x)[1]} cannot be compared: give integers or "
                "floating-point numbers of the machine's own byte order"
            )
        return number

    def count(self, args, given):
        """Sets the output of the number of elements: the caller's array, or a new one. Returns it."""
        if given is None:
            given = self.adapter.empty(self.first, (1,), "int64")
        else:
            self.given(given, "count", ("int64", "uint64"), 1)
        args.count = self.mem(given)
        return given

    def limit(self, spec, args, n):
        """Sets the caller's array as the source of the number of elements, if given. Returns that array."""
        if isinstance(n, Clamp):
            spec.flags |= c.N_FROM_CLAMP
            n = n.array
        if n is not None:
            n = self.take(n, "n")
            if self.name(n) not in ("int64", "uint64"):
                raise InvalidArgument("n, where it is an array, is one uint64 or int64, such as a count")
            args.n_from = self.mem(n)
        return n


def new_like(place, x, n=None):
    """A new array for n of x's elements in another order. It starts as a copy of x, whose elements behind n stay."""
    return place.adapter.empty_like(x) if n is None else place.adapter.copied(x)


def new_indices(place, shape, name, n=None):
    """A new array for the indices of n elements. It starts with each index in its own place."""
    if n is None:
        return place.adapter.empty(place.first, shape, name)
    return place.adapter.arange(place.first, 0, items_of(shape), 1, name).reshape(shape)


def new_room(place, shape, name, count):
    """A new array for an unknown number of results. With the caller's count it is returned whole, so that unwritten
    elements are 0."""
    adapter = place.adapter
    return adapter.empty(place.first, shape, name) if count is None else adapter.zeros(place.first, shape, name)


def new_room_like(place, x, count):
    """As new_room, of x's shape and dtype."""
    return place.adapter.empty_like(x) if count is None else place.adapter.zeros_like(x)


def index_type(dtype):
    """The name and scan_type of indices or lengths."""
    name = dtype if isinstance(dtype, str) else str(dtype).rpartition(".")[2].rstrip("'>")
    if name not in INDEX_TYPES:
        raise InvalidArgument(f"indices and lengths are int64, uint64, int32 or uint32, not {dtype!r}")
    return name, INDEX_TYPES[name]


def rows(place, x, n, what):
    """The bytes of an element of x, which has n elements along its first axis; a row of several items is one
    element."""
    shape = place.shape(x)
    if len(shape) == 0 or shape[0] != n:
        raise InvalidArgument(f"{what} has the shape {shape}, and there are {n} elements")
    size = place.adapter.item_bytes(x)
    for axis in shape[1:]:
        size *= axis
    return size


def aligned(place, x, element_bytes):
    """The alignment of elements: rows are aligned as their items."""
    item = place.adapter.item_bytes(x)
    return item & -item if len(place.shape(x)) > 1 else 0


def head(adapter, x, k):
    """The first k elements of an array."""
    shape = tuple(x.shape)
    if k >= shape[0]:
        return x
    return x[:k] if k else adapter.empty_of(x, (0, *shape[1:]))
