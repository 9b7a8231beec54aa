# SPDX-License-Identifier: BSD-2-Clause
"""Sorts, splits and histograms against NumPy."""

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


def test_along_axes(side, random):
    a = values(random, "float32", (30, 40))
    for axis in (1, 0) if side.name != "pyopencl" else (1,):
        same(np.ascontiguousarray(side.get(scanrt.sort(side.put(a), axis))), np.sort(a, axis))
        if side.name != "pyopencl":
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
