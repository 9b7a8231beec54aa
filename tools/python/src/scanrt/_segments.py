# SPDX-License-Identifier: BSD-2-Clause
"""Marks by which a caller says where segments begin."""

from __future__ import annotations

from . import _structs as c
from ._adapters import type_of
from ._arrays import array_of, is_packed, items_of
from ._errors import InvalidArgument
from ._typing import Array


class Segments:
    """Where the segments of a scan begin. The first element always begins one.

    Create one with `Segments.flags`, `bits`, `keys` or `offsets`. Its array must be on the scanned array's device.
    """

    __slots__ = ("kind", "array")

    def __init__(self, kind: int, array: Array):
        self.kind, self.array = kind, array

    @classmethod
    def flags(cls, array: Array) -> Segments:
        """array: a bool (or byte) for each element, true at the first element of a segment."""
        return cls(c.SEGMENTS_FLAGS, array)

    @classmethod
    def bits(cls, array: Array) -> Segments:
        """array: uint32; bit i % 32 of word i // 32 is 1 if element i is the first of a segment."""
        return cls(c.SEGMENTS_BITS, array)

    @classmethod
    def keys(cls, array: Array) -> Segments:
        """array: a key of any dtype for each element; a segment begins where a key differs from the one before."""
        return cls(c.SEGMENTS_KEYS, array)

    @classmethod
    def offsets(cls, array: Array) -> Segments:
        """array: uint32, int32, uint64 or int64: the index of each segment's first element, from 0, and n at the end
        (the row offsets of a CSR matrix). For arrays with one axis only. In host memory they are checked. On a device
        they are not: there the first element of all begins a segment and the last one ends one in every case."""
        return cls(c.SEGMENTS_OFFSETS, array)


def check_offsets(offsets, n, is_limit=False):
    """Refuses offsets in host memory that do not ascend from 0 to n; with is_limit to at most n."""
    import numpy

    offsets = numpy.asarray(offsets)
    last = int(offsets[-1])
    if offsets[0] != 0 or last > n or (last < n and not is_limit):
        raise InvalidArgument(
            f"offsets of segments go from {offsets[0]} to {last}, and there are {n} elements: the first must be 0, and "
            f"the last {n}"
        )
    falls = numpy.flatnonzero(offsets[1:] < offsets[:-1])
    if len(falls):
        k = falls[0]
        raise InvalidArgument(f"offset {k + 1} of segments is {offsets[k + 1]}, less than {offsets[k]} before it")


def check_begins(begins, n):
    """Refuses indices in host memory that do not ascend, or are not 0 to n."""
    import numpy

    begins = numpy.asarray(begins)
    if begins.size and (begins[0] < 0 or begins[-1] > n or (begins[1:] < begins[:-1]).any()):
        raise InvalidArgument(f"offsets of segments must ascend, from 0 or more to {n} or less, the rank's elements")


def marks_of(segments, adapter, place, shape, of_rank=False):
    """The marks' array as the library reads it, and (kind, key type, count). Without segments: None, and no kind.
    of_rank: offsets are those of the segments that begin on a rank of MPI, without an end."""
    if segments is None:
        return None, (c.SEGMENTS_NONE, 0, 0)
    if not isinstance(segments, Segments):
        segments = Segments.flags(segments)
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
        if len(marks_shape) != 1:
            raise InvalidArgument(f"offsets have {len(marks_shape)} axes: give an array with one")
        if name not in ("uint32", "int32", "uint64", "int64"):
            raise InvalidArgument(f"offsets are uint32 or uint64 (or int32, int64), not {dtype}")
        if count == 0 and not of_rank:
            raise InvalidArgument("there are no offsets: give the first index of each segment, and n at last")
        if adapter.is_host(place):
            (check_begins if of_rank else check_offsets)(marks, items_of(shape))
        return marks, (segments.kind, c.U32 if name.endswith("32") else c.U64, count if of_rank else count - 1)
    if segments.kind in (c.SEGMENTS_FLAGS, c.SEGMENTS_KEYS) and count != items_of(shape):
        raise InvalidArgument(f"there are {count} marks for {items_of(shape)} elements: give one for each")
    if segments.kind != c.SEGMENTS_KEYS:
        return marks, (segments.kind, 0, count)
    if not type_of(name):
        raise InvalidArgument(f"keys of dtype {dtype} cannot be compared: give integers or floating-point numbers")
    return marks, (segments.kind, type_of(name), count)
