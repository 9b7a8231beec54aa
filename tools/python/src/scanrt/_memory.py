# SPDX-License-Identifier: BSD-2-Clause
"""What compaction, runs, sorts and splits share: several arrays of one place, counts in memory of the device."""

from . import _structs as c
from ._arrays import array_of, is_packed, mem_of
from ._errors import InvalidArgument

INDEX_TYPES = {"int64": c.U64, "uint64": c.U64, "int32": c.U32, "uint32": c.U32}


class Place:
    """A place, and the library of the arrays that are there."""

    def __init__(self, x):
        self.adapter, self.first = array_of(x)
        self.place = self.adapter.layout(self.first)[0]
        self.context = self.adapter.context(self.place)

    def take(self, x, what):
        """An array of the same library and place, without gaps; copied where it has some."""
        adapter, x = array_of(x)
        place, _, shape, _ = adapter.layout(x)
        if adapter is not self.adapter or place != self.place:
            raise InvalidArgument(f"{what} must be of the same library and device (stream, queue) as the first array")
        if not is_packed(shape, adapter.byte_strides(x), adapter.item_bytes(x)):
            x = adapter.packed(x)
        return x

    def given(self, x, what, names=None, least=0):
        """An output of the caller's: as it is, of one of the dtypes named, with room for so many items."""
        adapter, same = array_of(x)
        if adapter is not self.adapter or same is not x or adapter.layout(x)[0] != self.place:
            raise InvalidArgument(f"{what} must be of the same library and device (stream, queue) as the first array")
        _, dtype, shape, _ = adapter.layout(x)
        if not adapter.is_writable(x):
            raise InvalidArgument(f"{what} is read-only")
        if not is_packed(shape, adapter.byte_strides(x), adapter.item_bytes(x)):
            raise InvalidArgument(f"{what} has gaps between its elements: give an array in C order")
        if names is not None and adapter.name(dtype) not in names:
            raise InvalidArgument(f"{what} is of dtype {dtype}: give {' or '.join(names)}")
        if (shape[0] if len(shape) else 1) < least:
            raise InvalidArgument(f"{what} has room for {shape[0] if len(shape) else 1} elements: give {least}")
        return x

    def shape(self, x):
        return tuple(self.adapter.layout(x)[2])

    def name(self, x) -> str:
        return self.adapter.name(self.adapter.layout(x)[1])

    def mem(self, x) -> c.Mem:
        return mem_of(self.adapter, self.place, x)

    def key_type(self, x, what) -> int:
        from ._arrays import type_of

        number = type_of(self.name(x))
        if not number:
            raise InvalidArgument(
                f"{what} of dtype {self.adapter.layout(x)[1]} cannot be compared: give integers or "
                "floating-point numbers of the machine's own byte order"
            )
        return number

    def count(self, args, given):
        """Where args has the number of elements go: the caller's array, or a new one. Returns it."""
        if given is None:
            given = self.adapter.empty(self.first, (1,), "int64")
        args.count = self.mem(self.given(given, "count", ("int64", "uint64"), 1))
        return given

    def limit(self, args, n):
        """Has args take the number of elements from the caller's array, if there is one. Returns that."""
        if n is not None:
            n = self.take(n, "n")
            if self.name(n) not in ("int64", "uint64"):
                raise InvalidArgument("n, where it is an array, is one uint64 or int64, such as a count")
            args.n_from = self.mem(n)
        return n


def index_type(dtype):
    """The name and scan_type of indices or lengths."""
    name = dtype if isinstance(dtype, str) else str(dtype).rpartition(".")[2].rstrip("'>")
    if name not in INDEX_TYPES:
        raise InvalidArgument(f"indices and lengths are int64, uint64, int32 or uint32, not {dtype!r}")
    return name, INDEX_TYPES[name]


def rows(place, x, n, what):
    """Bytes of an element of x, of which there are n along its first axis: rows of several items are one element."""
    shape = place.shape(x)
    if len(shape) == 0 or shape[0] != n:
        raise InvalidArgument(f"{what} has the shape {shape}, and there are {n} elements")
    size = place.adapter.item_bytes(x)
    for axis in shape[1:]:
        size *= axis
    return size


def aligned(place, x, element_bytes):
    """What elements are aligned to: rows of items to their items."""
    item = place.adapter.item_bytes(x)
    return item & -item if len(place.shape(x)) > 1 else 0
