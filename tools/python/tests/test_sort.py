# SPDX-License-Identifier: BSD-2-Clause
"""Compares sorts, splits and histograms with NumPy."""

import numpy as np
import pytest
from conftest import same, values

import scanrt


@pytest.mark.parametrize("n", [0, 1, 1000, 70_000])
def test_sorts(side, random, n):
    for dtype in side.dtypes:
        a = values(random, dtype, n)
        x = side.put(a)
        same(side.get(scanrt.sort(x)), np.sort(a))
        same(side.get(x), a)


def test_stable_indices(side, random):
    a = values(random, "int32", 5000) % 20
    order = np.argsort(a, kind="stable")
    same(side.get(scanrt.argsort(side.put(a))), order)
    keys, indices = scanrt.sort(side.put(a), return_indices=True, index_dtype="int32")
    same(side.get(keys), a[order])
    same(side.get(indices), order.astype("int32"))
    down = np.argsort(-a, kind="stable")
    same(side.get(scanrt.argsort(side.put(a), descending=True)), down)


# NaNs of both signs with several payloads, quiet and signalling; zeros, infinities and denormals of both signs.
EDGES = {
    "float16": [0x7E00, 0xFE00, 0x7C01, 0xFFFF, 0x7E55, 0, 0x8000, 0x7C00, 0xFC00, 1, 0x8001, 0x3C00, 0xBC00],
    "float32": [0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345, 0, 1 << 31, 0x7F800000, 0xFF800000]
    + [1, 0x80000001, 0x3F800000, 0xBF800000],
    "float64": [0x7FF8 << 48, 0xFFF8 << 48, (0x7FF << 52) + 1, (1 << 64) - 1, (0x7FF8 << 48) + 99, 0, 1 << 63]
    + [0x7FF << 52, 0xFFF << 52, 1, (1 << 63) + 1, 0x3FF << 52, 0xBFF << 52],
}


def edges(random, dtype, n):
    unsigned = np.dtype(f"uint{np.dtype(dtype).itemsize * 8}")
    return random.choice(np.array(EDGES[dtype], unsigned), n).view(dtype)


def by_value(a):
    """The order in which NumPy sorts from the largest to the smallest; equal elements keep their order."""
    return len(a) - 1 - np.argsort(a[::-1], kind="stable")[::-1]


@pytest.mark.parametrize("n", [20, 1000, 70_000])
@pytest.mark.parametrize("dtype", EDGES)
def test_floats_as_numpy(side, random, dtype, n):
    if dtype not in side.dtypes and side.name != "numpy":
        pytest.skip(f"{side.name} is not tested with {dtype}")
    a = edges(random, dtype, n)
    order, down = np.argsort(a, kind="stable"), by_value(a)
    same(side.get(scanrt.argsort(side.put(a))), order)
    same(side.get(scanrt.sort(side.put(a))), a[order])  # np.sort may swap equal elements
    same(side.get(scanrt.argsort(side.put(a), descending=True)), down)
    keys, indices = scanrt.sort(side.put(a), descending=True, return_indices=True)
    same(side.get(keys), a[down])
    same(side.get(indices), down)
    keys, places = scanrt.sort_by_key(side.put(a), side.put(np.arange(n, dtype="int32")))
    same(side.get(keys), a[order])
    same(side.get(places), order.astype("int32"))


def test_float_lines_and_segments_as_numpy(side, random):
    a = edges(random, "float32", 60 * 50).reshape(60, 50)
    order = np.argsort(a, -1, kind="stable")
    same(side.get(scanrt.argsort(side.put(a))), order)
    same(side.get(scanrt.argsort(side.put(a), dtype="uint32")), order.astype("uint32"))
    same(side.get(scanrt.sort(side.put(a))), np.take_along_axis(a, order, -1))
    offsets = np.array([0, 3, 3, 2100, 3000])
    parts = [part[np.argsort(part, kind="stable")] for part in np.split(a.ravel(), offsets[1:-1])]
    segments = scanrt.Segments.offsets(side.put(offsets))
    same(side.get(scanrt.sort(side.put(a.ravel()), segments=segments)), np.concatenate(parts))


def test_total_order(side, random):
    a = edges(random, "float32", 3000)
    bits = a.view("uint32")
    rank = np.where(bits >> 31, ~bits, bits | 1 << 31)
    order = np.argsort(rank, kind="stable")
    same(side.get(scanrt.argsort(side.put(a), order="total")), order)
    same(side.get(scanrt.sort(side.put(a), order="total")), a[order])
    same(side.get(scanrt.sort(side.put(a), bits=(0, 32))), a[order])
    same(side.get(scanrt.sort_by_key(side.put(a), order="total")[0]), a[order])


def test_along_axes(side, random):
    a = values(random, "float32", (30, 40))
    for axis in (1, 0) if side.name != "pyopencl" else (1,):
        same(np.ascontiguousarray(side.get(scanrt.sort(side.put(a), axis))), np.sort(a, axis))
        same(np.ascontiguousarray(side.get(scanrt.argsort(side.put(a), axis))), np.argsort(a, axis, kind="stable"))
    same(side.get(scanrt.sort(side.put(a), None)), np.sort(a, None))


def test_in_place(side, random):
    a = values(random, "float32", 3000)
    x = side.put(a)
    assert scanrt.sort(x, out=x) is x
    same(side.get(x), np.sort(a))


def test_with_other_arrays(side, random):
    keys, rows, more = values(random, "int32", 2000) % 100, values(random, "float32", (2000, 3)), np.arange(2000)
    order = np.argsort(keys, kind="stable")
    for got, expected in zip(scanrt.sort_by_key(side.put(keys), side.put(rows), side.put(more)), (keys, rows, more)):
        same(side.get(got), expected[order])


def test_by_segments(side, random):
    a = values(random, "int32", 1000)
    offsets = np.array([0, 10, 10, 700, 1000])
    expected = np.concatenate([np.sort(part) for part in np.split(a, offsets[1:-1])])
    same(side.get(scanrt.sort(side.put(a), segments=scanrt.Segments.offsets(side.put(offsets)))), expected)


def test_by_some_bits(side, random):
    a = values(random, "int32", 1000)
    order = np.argsort(a.view("uint32") >> 4 & 0xFF, kind="stable")
    same(side.get(scanrt.sort(side.put(a), bits=(4, 12))), a[order])


def test_splits_and_histograms(side, random):
    a = values(random, "int32", 4000)
    digit = a & 7
    order = np.argsort(digit, kind="stable")
    counts = np.bincount(digit, minlength=8)
    keys, offsets = scanrt.split(side.put(a), bits=(0, 3))
    same(side.get(keys), a[order])
    same(side.get(offsets), np.append(0, np.cumsum(counts)))
    same(side.get(scanrt.histogram(side.put(a), bits=(0, 3))), counts)
    keys, indices, _ = scanrt.split(side.put(a), bits=(0, 3), return_indices=True)
    same(side.get(indices), order)
    keys, more, _ = scanrt.split(side.put(a), side.put(np.arange(4000)), bits=(0, 3))
    same(side.get(more), order)
    digits = side.get(scanrt.histogram(side.put(a), bits=(0, 12)))
    same(digits, np.concatenate([np.bincount(a & 255, minlength=256), np.bincount(a >> 8 & 15, minlength=16)]))


def test_keys_of_two_words(side, random):
    places = (values(random, "int32", (2000, 2)) % 50).astype("int32")
    more = np.arange(2000)
    order = np.lexsort((places[:, 1], places[:, 0]))
    keys, indices = scanrt.sort_by_key(side.put(places), side.put(more))
    same(side.get(keys), places[order])
    same(side.get(indices), order)


@pytest.mark.parametrize("offsets", [[0, 2], [2, 7], [1, 3], [0, 9], [0, 5, 3, 7], [0, 2, 5]])
def test_offsets_that_do_not_cover_all_keys(side, offsets):
    """They are refused on the host. On a device they are not read back, and all keys are in the result."""
    a = np.array([5, 4, 3, 2, 1, 9, 8], "int32")
    x, segments = side.put(a), scanrt.Segments.offsets(side.put(np.array(offsets, "int64")))
    if side.name in ("numpy", "torch_host"):
        for call in (
            scanrt.sort,
            scanrt.argsort,
            scanrt.scan,
            scanrt.reduce,
            lambda *a, **b: scanrt.sort_by_key(x, *a, **b),
        ):
            with pytest.raises(scanrt.InvalidArgument, match="offset"):
                call(x, segments=segments)
        return
    got, indices = scanrt.sort(x, segments=segments, return_indices=True)
    bounds = np.minimum.accumulate([0, *offsets, 7][::-1])[::-1]
    expected = np.concatenate([np.sort(a[i:j]) for i, j in zip(bounds, bounds[1:])])
    same(side.get(got), expected)
    same(a[side.get(indices)], expected)
    keys, values = scanrt.sort_by_key(x, x, segments=segments)
    same(side.get(keys), expected)
    same(side.get(values), expected)


def test_nothing_new_is_left_unwritten(side):
    """New outputs hold the input's elements behind n, and zeros behind the caller's count."""
    a = np.array([5, 4, 3, 2, 1, 9, 8], "int32")
    x, n = side.put(a), side.put(np.array([3]))
    expected = np.array([3, 4, 5, 2, 1, 9, 8], "int32")
    same(side.get(scanrt.sort(x, n=n)), expected)
    same(side.get(scanrt.argsort(x, n=n)), np.array([2, 1, 0, 3, 4, 5, 6]))
    for part in scanrt.sort_by_key(x, x, n=n):
        same(side.get(part), expected)
    for part in scanrt.split(x, x, n=n)[:2]:
        same(side.get(part), expected)
    keep = side.put((a > 4).astype("uint8"))
    for _ in range(2):  # the second call is a prepared one
        count = side.put(np.array([0]))
        same(side.get(scanrt.select(x, keep, count=count)[0]), np.array([5, 9, 8, 0, 0, 0, 0], "int32"))
        same(side.get(scanrt.flatnonzero(keep, count=count)[0]), np.array([0, 5, 6, 0, 0, 0, 0]))
    kept, others, _ = scanrt.select_both(x, keep, count=count)
    same(side.get(others), np.array([4, 3, 2, 1, 0, 0, 0], "int32"))
    same(side.get(scanrt.partition(x, keep, n=n)[0]), np.array([5, 4, 3, 2, 1, 9, 8], "int32"))
    for part in scanrt.run_length_encode(keep, starts=True, count=count)[:3]:
        assert not side.get(part)[3:].any()
    for part in scanrt.reduce_by_key(keep, x, count=count)[:2]:
        assert not side.get(part)[3:].any()
