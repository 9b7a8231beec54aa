# SPDX-License-Identifier: BSD-2-Clause
"""Compares compaction and runs with NumPy."""

import numpy as np
import pytest
from conftest import same, values

import scanrt

N = 5000


@pytest.fixture
def data(random):
    a = values(random, "int32", N)
    return a, random.random(N) < 0.4


def as_flags(side, keep):
    return side.put(keep if side.name != "pyopencl" else keep.astype("uint8"))


def as_bits(keep):
    words = np.packbits(keep, bitorder="little")
    return np.pad(words, (0, -len(words) % 4)).view("uint32")


def test_select_by_flags_and_bits(side, data):
    a, keep = data
    same(side.get(scanrt.select(side.put(a), as_flags(side, keep))), a[keep])
    same(side.get(scanrt.select(side.put(a), scanrt.Bits(side.put(as_bits(keep))))), a[keep])


def test_select_of_nothing_and_everything(side, data):
    a, keep = data
    for k in np.zeros_like(keep), np.ones_like(keep):
        same(side.get(scanrt.select(side.put(a), as_flags(side, k))), a[k])
    empty = scanrt.select(side.put(a[:0]), as_flags(side, keep[:0]))
    assert tuple(empty.shape) == (0,)


def test_select_of_several_arrays_and_rows(side, data, random):
    a, keep = data
    rows = values(random, "float32", (N, 3))
    got = scanrt.select((side.put(a), side.put(rows)), as_flags(side, keep))
    same(side.get(got[0]), a[keep])
    same(side.get(got[1]), rows[keep])


def test_select_of_matrices_by_items(side, random):
    a = values(random, "float32", (40, 50))
    keep = a > 0
    same(side.get(scanrt.select(side.put(a), as_flags(side, keep))), a[keep])


def test_select_without_waiting(side, data):
    a, keep = data
    out, count = side.empty(N, "int32"), side.empty(1, "int64")
    got = scanrt.select(side.put(a), as_flags(side, keep), out=out, count=count)
    assert got[0] is out and got[1] is count
    k = int(side.get(count)[0])
    assert k == keep.sum()
    same(side.get(out)[:k], a[keep])
    # The next call reads its n from this count.
    more, total = side.empty(N, "int32"), side.empty(1, "int64")
    scanrt.select(out, as_flags(side, keep), out=more, count=total, n=count)
    expected = a[keep][keep[:k]]
    assert int(side.get(total)[0]) == len(expected)
    same(side.get(more)[: len(expected)], expected)


def test_the_same_layouts_again(side, random):
    """Prepared calls work with other memory, and with other numbers of kept elements."""
    for k in range(4):
        a, keep = values(random, "int32", N), random.random(N) < k / 3
        out, count = side.empty(N, "int32"), side.empty(1, "int64")
        x, flags = side.put(a), as_flags(side, keep)
        same(side.get(scanrt.select(x, flags)), a[keep])
        same(side.get(scanrt.flatnonzero(flags)), np.flatnonzero(keep))
        scanrt.select(x, flags, out=out, count=count)
        same(side.get(out)[: keep.sum()], a[keep])
        assert scanrt.select(x, flags, out=x, count=count)[0] is x
        same(side.get(x)[: keep.sum()], a[keep])


def test_select_into_a_short_output(side, data):
    a, keep = data
    out, count = side.empty(10, "int32"), side.empty(1, "int64")
    scanrt.select(side.put(a), as_flags(side, keep), out=out, count=count)
    same(side.get(out), a[keep][:10])
    assert int(side.get(count)[0]) == keep.sum()


def test_the_count_alone(side, data):
    a, keep = data
    count = side.empty(1, "int64")
    scanrt.select(side.put(a), as_flags(side, keep), out=side.empty(0, "int32"), count=count)
    assert int(side.get(count)[0]) == keep.sum()
    if side.name != "pyopencl":  # its empty arrays have no memory
        rest = side.empty(N, "int32")
        scanrt.select_both(side.put(a), as_flags(side, keep), out=side.empty(0, "int32"), rest=rest, count=count)
        same(side.get(rest)[: N - keep.sum()], a[~keep])


def test_the_count_over_n(side, data):
    a, keep = data
    out, count = side.empty(N, "int32"), side.put(np.array([N // 2], "int64"))
    scanrt.select(side.put(a), as_flags(side, keep), out=out, count=count, n=count)
    expected = a[: N // 2][keep[: N // 2]]
    assert int(side.get(count)[0]) == len(expected)
    same(side.get(out)[: len(expected)], expected)


def test_n_above_the_elements(side, data):
    a, keep = data
    x, flags, n = side.put(a), as_flags(side, keep), side.put(np.array([N + 1], "int64"))
    same(side.get(scanrt.select(x, flags, n=scanrt.Clamp(n))), a[keep])
    same(side.get(scanrt.sort(x, n=scanrt.Clamp(n))), np.sort(a))
    for got, expected in zip(scanrt.run_length_encode(x, n=scanrt.Clamp(n)), (a[:1], [1])):
        same(side.get(got)[:1], np.array(expected, side.get(got).dtype))
    scanrt.synchronize(x)
    same(side.get(scanrt.select(x, flags, n=n)), a[keep])
    with pytest.raises(scanrt.InvalidArgument, match="had 5001 elements"):
        scanrt.synchronize(x)
    scanrt.synchronize(x)


def test_indices(side, data):
    a, keep = data
    same(side.get(scanrt.flatnonzero(as_flags(side, keep))), np.flatnonzero(keep))
    same(
        side.get(scanrt.flatnonzero(as_flags(side, keep), dtype="uint32" if side.name == "numpy" else "int32")),
        np.flatnonzero(keep).astype("uint32" if side.name == "numpy" else "int32"),
    )
    same(side.get(scanrt.flatnonzero(scanrt.Bits(side.put(as_bits(keep))))), np.flatnonzero(keep))
    b = a * keep
    same(side.get(scanrt.flatnonzero(side.put(b))), np.flatnonzero(b))


def test_nonzero_of_matrices(side, random):
    keep = random.random((30, 40)) < 0.3
    if side.name == "pyopencl":
        pytest.skip("pyopencl's arrays have no integer division")
    for got, expected in zip(scanrt.nonzero(side.put(keep)), np.nonzero(keep)):
        same(side.get(got), expected)


def test_partition(side, data):
    a, keep = data
    out, count = scanrt.partition(side.put(a), as_flags(side, keep))
    same(side.get(out), np.concatenate([a[keep], a[~keep]]))
    assert int(side.get(count)[0]) == keep.sum()
    first, rest = scanrt.select_both(side.put(a), as_flags(side, keep))
    same(side.get(first), a[keep])
    same(side.get(rest), a[~keep])


def test_unique_consecutive(side, random):
    keys = np.repeat(values(random, "int32", 300), random.integers(1, 9, 300))
    order = np.arange(len(keys), dtype="int32")
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    ends = np.append(begins[1:], len(keys)) - 1
    same(side.get(scanrt.unique_consecutive(side.put(keys))), keys[begins])
    for keep, places in ("first", begins), ("last", ends):
        got = scanrt.unique_consecutive(side.put(order), keys=side.put(keys), keep=keep)
        same(side.get(got), order[places])


def test_runs(side, random):
    keys = np.repeat(values(random, "int32", 300), random.integers(1, 9, 300))
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    lengths = np.diff(np.append(begins, len(keys)))
    found, long, starts = scanrt.run_length_encode(side.put(keys), starts=True)
    same(side.get(found), keys[begins])
    same(side.get(long), lengths)
    same(side.get(starts), begins)
    count = side.empty(1, "int64")
    *_, same_count = scanrt.run_length_encode(side.put(keys), count=count)
    assert same_count is count and int(side.get(count)[0]) == len(begins)


def test_reduction_by_key(side, random):
    keys = np.repeat(np.arange(300, dtype="int32"), random.integers(1, 9, 300))
    whole, real = values(random, "int32", len(keys)), values(random, "float32", len(keys))
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    for op, ufunc in ("add", np.add), ("max", np.maximum):
        found, sums = scanrt.reduce_by_key(side.put(keys), side.put(whole), op)
        same(side.get(found), keys[begins])
        same(side.get(sums), ufunc.reduceat(whole, begins, dtype="int32"))
    _, sums = scanrt.reduce_by_key(side.put(keys), side.put(real))
    ends = np.append(begins[1:], len(keys)) - 1
    same(side.get(sums), scanrt.scan(real, segments=scanrt.Segments.keys(keys))[ends])
    _, sums = scanrt.reduce_by_key(side.put(keys), side.put(whole), dtype="int64")
    same(side.get(sums), np.add.reduceat(whole.astype("int64"), begins))


def test_unique(side, random):
    a = values(random, "int32", 2000) % 50
    for got, expected in zip(scanrt.unique(side.put(a), True, True, True), np.unique(a, True, True, True)):
        same(side.get(got), expected)
    same(side.get(scanrt.unique(side.put(a))), np.unique(a))
    got, counts = scanrt.unique(side.put(a), return_counts=True)
    same(side.get(counts), np.unique(a, return_counts=True)[1])
