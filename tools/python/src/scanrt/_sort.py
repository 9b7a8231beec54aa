# SPDX-License-Identifier: BSD-2-Clause
"""Stable sorts, splits into buckets, and histograms."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref
from typing import TYPE_CHECKING, Any

from . import _structs as c
from ._arrays import array_of, is_packed, items_of
from ._call import axis_of
from ._checks import bits_of, kind_given, outputs_given
from ._errors import InvalidArgument
from ._library import lib
from ._memory import Clamp, Place, aligned, index_type, new_indices, new_like, rows
from ._offsets import covering
from ._ops import Bucket, params_of
from ._typing import A, IndexDType, Order

if TYPE_CHECKING:
    from ._segments import Segments

_SCRATCH_STEP = 1 << 20  # granularity of scratch sizes, so that allocators can reuse blocks


def _bits(bits):
    first, end = bits_of(bits)
    return {"first_bit": first, "end_bit": end}


def _order(order, bits):
    """The number of an order. The default is numeric, but total with bits, which count in the total order's
    integers."""
    name = order if order is not None else "numeric" if bits is None else "total"
    if not isinstance(name, str) or name not in c.ORDERS:
        raise InvalidArgument(f"there is no order {order!r}: give 'numeric' or 'total'")
    return c.ORDERS[name]


class SortCall:
    """One call of scan_sort for contiguous lines of an array."""

    def __init__(self, keys, descending, bits, order, segments=None, line=None, words=1, limit=None):
        self.place = Place(keys)
        self.keys = self.place.take(keys, "keys")
        shape = self.place.shape(self.keys)
        self.n, self.line = items_of(shape) // words, line
        self.spec = c.SortSpec(key_type=self.place.key_type(self.keys, "keys"), **_bits(bits))
        self.spec.descending, self.spec.key_words = bool(descending), words
        self.spec.order = _order(order, bits)
        self.args = c.SortArgs(keys_in=self.place.mem(self.keys))
        self.keeps = []
        if segments is not None:
            self._by_offsets(covering(self.place, segments, self.n, limit))
        elif line is not None and line < self.n:
            self._by_offsets(self.place.adapter.arange(self.place.first, 0, self.n + 1, line, "int64"))
            self.spec.most_segment_items = min(line, 0xFFFFFFFF)

    def _by_offsets(self, offsets):
        place = self.place
        offsets = place.take(offsets, "offsets of segments")
        _, self.spec.offset_type = index_type(place.name(offsets))
        self.args.offsets, self.args.segments = place.mem(offsets), place.shape(offsets)[0] - 1
        self.keeps.append(offsets)

    def keys_to(self, out, n=None):
        if out is None:
            out = new_like(self.place, self.keys, n)
        elif out is self.keys:
            self.spec.in_place = 1
        else:
            self.place.given(out, "out", (self.place.name(self.keys),))
            if self.place.shape(out) != self.place.shape(self.keys):
                raise InvalidArgument(
                    f"out has the shape {self.place.shape(out)}, and the keys {self.place.shape(self.keys)}"
                )
        self.args.keys_out = self.place.mem(out)
        return out

    def indices(self, dtype, n=None):
        name, self.spec.index_type = index_type(dtype)
        out = new_indices(self.place, self.place.shape(self.keys), name, n)
        self.args.out[0] = self.place.mem(out)
        return out

    def run(self, n=None):
        if self.n == 0:
            return
        n = self.place.limit(self.spec, self.args, n)
        place, adapter = self.place, self.place.adapter
        scratch = None
        if not adapter.is_host(place.place) and adapter.library in ("PyTorch", "CuPy"):
            # PyTorch's and CuPy's allocators reuse memory on the same stream, so plans need not hold scratch.
            self.spec.gives_scratch = 1
            size = ctypes.c_uint64()
            place.context.call(lib.scan_sort_scratch_bytes, byref(self.spec), self.n, byref(size))
            if size.value:
                scratch = adapter.empty(place.first, (-(-size.value // _SCRATCH_STEP) * _SCRATCH_STEP,), "uint8")
                self.args.scratch = place.mem(scratch)
        place.context.call(lib.scan_sort, byref(self.spec), self.n, byref(self.args))


def take_along(place, spec, args, values, n):
    """Sets the inputs of the arrays that move with n keys. Returns them."""
    if len(values) > c.MOST_ARRAYS:
        raise InvalidArgument(f"{len(values)} arrays go with the keys: a call moves up to {c.MOST_ARRAYS}")
    spec.arrays = len(values)
    taken = [place.take(x, f"values {k}") for k, x in enumerate(values)]
    for k, x in enumerate(taken):
        size = rows(place, x, n, f"values {k}")
        spec.element_bytes[k], spec.element_align[k] = size, aligned(place, x, size)
        args.in_[k] = place.mem(x)
    return taken


def move_along(place, spec, args, values, outs, n, keeps, limit=None):
    """Sets the arrays that move with n keys, or with limit's number of them. Returns their outputs."""
    taken = take_along(place, spec, args, values, n)
    results = []
    for k, x in enumerate(taken):
        out = None if outs is None else outs[k]
        if out is None:
            out = new_like(place, x, limit)
        else:
            spec.in_place |= out is x
            place.given(out, f"the output of values {k}", (place.name(x),), n)
        args.out[k] = place.mem(out)
        results.append(out)
    keeps += taken + results
    return results


def _lines(x, axis):
    """The array in C order with the sort axis last, and that axis's length."""
    adapter, x = array_of(x)
    if axis is None:
        x, axis = adapter.flat(x), -1
    shape = adapter.layout(x)[2]
    if len(shape) == 0:
        raise InvalidArgument("an array without axes cannot be sorted")
    axis = axis_of(axis, len(shape))
    moved = axis != len(shape) - 1
    if moved:
        x = adapter.moved(x, axis, -1)
    if not is_packed(tuple(adapter.layout(x)[2]), adapter.byte_strides(x), adapter.item_bytes(x)):
        x = adapter.packed(x)
    return adapter, x, shape[axis], axis if moved else None


def sort(
    a: A,
    axis: int | None = -1,
    *,
    descending: bool = False,
    return_indices: bool = False,
    index_dtype: IndexDType = "int64",
    order: Order | None = None,
    bits: tuple[int, int] | None = None,
    segments: Segments | None = None,
    out: A | None = None,
    n: A | Clamp | None = None,
) -> Any:
    """Stable sort along an axis, as numpy.sort; with indices as torch.sort. Equal keys keep their order.

    Args:
        a: array of numbers.
        axis: None: the array is flattened. Lines along the last axis are sorted without copies; along another axis they
            are copied there and back.
        descending: sorts from the largest to the smallest.
        order: of floating-point numbers. "numeric", as in NumPy: -0.0 and +0.0 are equal; NaNs are equal and above all
            numbers, so that they come last, or first if descending. "total": -NaN < -infinity < ... < -0.0 < +0.0 < ...
            < +infinity < +NaN. Default: numeric; with bits= total. Elements keep their bits in both.
        return_indices: True: also returns each element's original index along the axis, of index_dtype (int64, uint64,
            int32, uint32).
        bits: (first, end): sorts only by bits first to end - 1 of the keys, as scan_sort.h counts them for the total
            order.
        segments: `Segments.offsets`, for arrays with one axis: each segment is sorted by itself; indices then count
            from the first element of all. Offsets in host memory that do not ascend from 0 to the number of elements
            are refused. On a device they are not read back: elements before the first offset and from the last one on
            form segments, too, and an offset above a later one is lowered to that.
        out: array of a's shape with contiguous lines; it may be a.
        n: array of one int64 or uint64 on the device: the number of elements to sort. In new arrays the elements behind
            them stay unchanged, with their own indices.

    Returns:
        the sorted array, or (sorted, indices). Does not wait on devices.
    """
    adapter, x, line, moved = _lines(a, axis)
    if out is not None and (moved is not None or x is not a):
        raise InvalidArgument("out= goes with an array whose lines along the axis lie one behind the other")
    call = SortCall(x, descending, bits, order, segments, line, limit=n)
    keys = call.keys_to(out, n)
    indices = call.indices(index_dtype, n) if return_indices else None
    call.run(n)
    if moved is not None:
        keys = adapter.moved(keys, -1, moved)
    if indices is None:
        return keys
    return keys, _of_line(adapter, indices, call, segments, moved)


def argsort(
    a: A,
    axis: int | None = -1,
    *,
    descending: bool = False,
    dtype: IndexDType = "int64",
    order: Order | None = None,
    bits: tuple[int, int] | None = None,
    segments: Segments | None = None,
    n: A | Clamp | None = None,
) -> A:
    """The indices that sort an array, as numpy.argsort with kind="stable". Arguments as in `sort`."""
    adapter, x, line, moved = _lines(a, axis)
    call = SortCall(x, descending, bits, order, segments, line, limit=n)
    call.spec.drops_keys = 1
    indices = call.indices(dtype, n)
    call.run(n)
    return _of_line(adapter, indices, call, segments, moved)


def _of_line(adapter, indices, call, segments, moved):
    """Turns indices that count from the first key of all into indices within each line, if there are several lines."""
    if segments is None and call.line < call.n:
        indices = adapter.remainders(indices, call.line)
    return indices if moved is None else adapter.moved(indices, -1, moved)


def sort_by_key(
    keys: A,
    *values: A,
    descending: bool = False,
    order: Order | None = None,
    bits: tuple[int, int] | None = None,
    segments: Segments | None = None,
    out: tuple[A, ...] | None = None,
    n: A | Clamp | None = None,
) -> tuple[A, ...]:
    """Sorts keys, and brings arrays into the same order.

    Args:
        keys: array with one axis, of numbers; or of shape (n, 2), of integers of 32 or 64 bits: sorted by the first
            number of each pair, then by the second, as by the rows and columns of a matrix's elements.
        values: up to eight arrays with the same number of elements along their first axis (rows of up to 64 bytes).
        descending, order, bits, segments, n: as in `sort`.
        out: (keys, values, ...) for the results, which may be the inputs.

    Returns:
        (keys, values, ...). Does not wait on devices.
    """
    adapter, keys = array_of(keys)
    shape = tuple(adapter.layout(keys)[2])
    if len(shape) != 1 and not (len(shape) == 2 and shape[1] == 2):
        raise InvalidArgument(f"keys have one axis, or the shape (n, 2), not {shape}: flatten the array")
    if out is not None:
        outputs_given(out, "keys, values, ...", 1 + len(values))
    call = SortCall(keys, descending, bits, order, segments, words=len(shape), limit=n)
    sorted_keys = call.keys_to(None if out is None else out[0], n)
    outs = None if out is None else out[1:]
    outs = move_along(call.place, call.spec, call.args, values, outs, call.n, call.keeps, n)
    call.run(n)
    return (sorted_keys, *outs)


# ---- splits and histograms -------------------------------------------------------------------------------------------


def bucketed(place, spec, args, keys, n, bits, bucket, params, descending):
    """Sets the bucket criterion. Returns the number of buckets, and the objects to keep alive."""
    if bucket is None:
        spec.key_type, spec.descending = place.key_type(keys, "keys"), bool(descending)
        first, end = bits_of(bits)
        spec.first_bit, spec.end_bit = first, end
        most = 8 * place.adapter.item_bytes(keys)
        width = (end or min(first + 8, most)) - first
        if width < 1 or first + width > most:
            raise InvalidArgument(f"bits {first} to {end} are not bits of a key, which has {most}")
        return width, None
    if bits is not None or descending:
        raise InvalidArgument("bits= and descending= are not for a bucket function")
    kind_given(bucket, Bucket, "bucket")
    if rows(place, keys, n, "keys") != bucket.element_bytes:
        raise InvalidArgument(
            f"the bucket function looks at elements of {bucket.element_bytes} bytes, and keys have "
            f"{rows(place, keys, n, 'keys')}"
        )
    spec.bucket, spec.buckets = bucket.handle(place.context), bucket.buckets
    data = params_of(bucket, params)
    args.params = data and addressof(data)
    return None, data


def split(
    keys: A,
    *values: A,
    bits: tuple[int, int] | None = None,
    bucket: Bucket | None = None,
    params: Any = None,
    descending: bool = False,
    return_indices: bool = False,
    index_dtype: IndexDType = "int64",
    n: A | Clamp | None = None,
) -> tuple[A, ...]:
    """A stable split into buckets: one pass of a radix sort.

    Args:
        keys: array with the elements along its first axis; numbers with one axis, unless a bucket function is given.
        values: arrays that are moved with them, as in `sort_by_key`.
        bits: (first, end): buckets are these bits of the keys, at most 8; default: the lowest 8.
        bucket: a `Bucket` that computes the bucket of each element instead. params: its parameters.
        descending: makes the bucket of the largest keys the first one.
        return_indices: True: also returns each element's original index. Not with values.

    Returns:
        (keys, values ..., [indices,] offsets): bucket b has the elements from offsets[b] up to, without, offsets[b +
        1]. The offsets are int64, on the device. Does not wait.
    """
    place = Place(keys)
    keys = place.take(keys, "keys")
    items = place.shape(keys)[0] if place.shape(keys) else 1
    spec, args, keeps = c.SplitSpec(), c.SplitArgs(keys_in=place.mem(keys)), []
    width, data = bucketed(place, spec, args, keys, items, bits, bucket, params, descending)
    out = new_like(place, keys, n)
    args.keys_out = place.mem(out)
    buckets = bucket.buckets if width is None else 1 << width
    if buckets > 256:
        raise InvalidArgument(f"{width} bits are more than a split takes: give 8 or fewer")
    offsets = place.adapter.empty(place.first, (buckets + 1,), "int64")
    args.offsets = place.mem(offsets)
    if return_indices and values:
        raise InvalidArgument("return_indices= goes with keys alone")
    results = move_along(place, spec, args, values, None, items, keeps, n)
    if return_indices:
        name, spec.index_type = index_type(index_dtype)
        results.append(new_indices(place, (items,), name, n))
        args.out[0] = place.mem(results[-1])
    n = place.limit(spec, args, n)
    place.context.call(lib.scan_split, byref(spec), items, byref(args))
    del data
    return (out, *results, offsets)


def histogram(
    keys: A,
    *,
    bits: tuple[int, int] | None = None,
    bucket: Bucket | None = None,
    params: Any = None,
    descending: bool = False,
    n: A | Clamp | None = None,
) -> A:
    """The number of keys in each bucket.

    Args:
        keys, bucket, params, descending, n: as in `split`.
        bits: (first, end), as in `split`, but any number: more than 8 bits are split into digits of 8 bits from the
            lowest on, each of which is counted by itself.

    Returns:
        int64 counts, on the device: for one digit 2**bits; for a bucket function one a bucket; for several digits 256
        each, one digit behind the other, and 2**bits of its own for the last digit. Does not wait.
    """
    place = Place(keys)
    keys = place.take(keys, "keys")
    items = place.shape(keys)[0] if place.shape(keys) else 1
    spec, args = c.HistogramSpec(), c.HistogramArgs(keys=place.mem(keys))
    width, data = bucketed(place, spec, args, keys, items, bits, bucket, params, descending)
    digits = [] if width is None else [min(8, width - low) for low in range(0, width, 8)]
    counts = place.adapter.empty(place.first, (sum(1 << d for d in digits) or bucket.buckets,), "int64")
    args.counts = place.mem(counts)
    n = place.limit(spec, args, n)
    place.context.call(lib.scan_histogram, byref(spec), items, byref(args))
    del data
    return counts
