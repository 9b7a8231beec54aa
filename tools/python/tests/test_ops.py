# SPDX-License-Identifier: BSD-2-Clause
"""Operators, predicates and bucket functions from C source, and composites: equal bits on the host and on OpenCL."""

import itertools

import numpy as np
import pytest
from conftest import same, values

import scanrt
from scanrt._recurrence import affine_arrays_op, affine_gradients_op, affine_op

AFFINE = """
typedef struct affine { float a, b; } affine;
static inline affine compose(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }
static inline affine step(float x, uint64_t index) { affine f; (void)index; f.a = 0.5f; f.b = x; return f; }
static inline float place(affine now, affine before, float x, uint64_t index) {
  (void)before, (void)x, (void)index;
  return now.b;
}
"""
PAIR = np.dtype([("a", "f4"), ("b", "f4")], align=True)


def recurrence(x):
    y, out = np.float32(0), np.empty_like(x)
    for i, value in enumerate(x):
        y = np.float32(0.5) * y + value
        out[i] = y
    return out


def elements(side, array):
    """Elements in the library's form: NumPy's structs, or the struct's numbers along a last axis."""
    return side.put(array if side.name == "numpy" else array.view("f4").reshape(*array.shape, 2))


def numbers(side, got):
    got = np.atleast_1d(side.get(got))
    return got.view("f4").reshape(-1, 2) if side.name == "numpy" else got


@pytest.fixture
def compose():
    return scanrt.Op.from_source(AFFINE, "compose", PAIR, type="affine", identity=(1, 0))


def test_operator(side, random, compose):
    steps = np.zeros(3000, PAIR)
    steps["a"], steps["b"] = 0.5, values(random, "float32", 3000)
    got = numbers(side, scanrt.scan(elements(side, steps), compose))
    np.testing.assert_allclose(got[:, 1], recurrence(steps["b"]), rtol=1e-4, atol=1e-5)
    same(got, scanrt.scan(steps, compose).view("f4").reshape(-1, 2))
    started = numbers(side, scanrt.scan(elements(side, steps), compose, exclusive=True))
    np.testing.assert_allclose(started[1:], got[:-1], rtol=1e-5, atol=1e-6)
    same(started, scanrt.scan(steps, compose, exclusive=True).view("f4").reshape(-1, 2))
    assert tuple(started[0]) == (1, 0)


def test_totals_of_an_operator(side, random, compose):
    steps = np.zeros((6, 500), PAIR)
    steps["a"], steps["b"] = 0.5, values(random, "float32", 3000).reshape(6, 500)
    x, line = elements(side, steps), elements(side, steps.ravel())
    for reverse in (False, True):
        last = 0 if reverse else -1
        same(
            numbers(side, scanrt.reduce(line, compose, reverse=reverse)).ravel(),
            numbers(side, scanrt.scan(line, compose, reverse=reverse))[last],
        )
        same(
            numbers(side, scanrt.reduce(x, compose, 1, reverse=reverse)),
            np.stack([numbers(side, scanrt.scan(elements(side, s), compose, reverse=reverse))[last] for s in steps]),
        )
    same(numbers(side, scanrt.reduce(x, compose)), numbers(side, scanrt.reduce(line, compose)))
    with pytest.raises(scanrt.InvalidArgument, match="no dtype="):
        scanrt.reduce(line, compose, dtype="f4")


def test_operator_with_map_and_emit(side, random):
    op = scanrt.Op.from_source(
        AFFINE,
        "compose",
        PAIR,
        type="affine",
        identity=(1, 0),
        map="step",
        input_dtype="float32",
        emit="place",
        output_dtype="float32",
    )
    x = values(random, "float32", 3000)
    got = side.get(scanrt.scan(side.put(x), op))
    np.testing.assert_allclose(got, recurrence(x), rtol=1e-4, atol=1e-5)
    same(got, scanrt.scan(x, op))


def test_operators_with_members(side, random):
    """Arrays (b, a) and (gradient, a, h), against the composite on pairs of a and b."""
    a, b, weights = (values(random, "float32", 7000).reshape(7, 1000) for _ in range(3))
    pairs = np.empty(a.shape, PAIR)
    for axis in 0, 1:
        pairs["a"], pairs["b"] = a, b
        h = scanrt.scan(pairs, affine_op("float32"), axis)["b"]
        out = side.put(np.zeros_like(b))
        got = scanrt.scan((side.put(b), side.put(a)), affine_arrays_op("float32", 0), axis, out=out)
        assert got is out
        same(side.get(got), h)
        later, before = np.zeros_like(a), np.zeros_like(h)
        np.moveaxis(later, axis, 0)[:-1] = np.moveaxis(a, axis, 0)[1:]
        np.moveaxis(before, axis, 0)[1:] = np.moveaxis(h, axis, 0)[:-1]
        pairs["a"], pairs["b"] = later, weights
        to_b = scanrt.scan(pairs, affine_op("float32"), axis, reverse=True)["b"]
        arrays = tuple(side.put(x) for x in (weights, a, h))
        got = scanrt.scan(arrays, affine_gradients_op("float32", 1), axis, reverse=True)
        same(side.get(got[0]), to_b)
        assert np.array_equal(side.get(got[1]), to_b * before)
    for wrong, message in (
        (lambda op: scanrt.scan((b, a, a), op), "reads 2 arrays and writes 1, not 3 and 1"),
        (lambda op: scanrt.scan((b, a), "add"), "a tuple of arrays is for an Op"),
        (lambda op: scanrt.scan((b, a.T), op), "has the shape"),
        (lambda op: scanrt.scan((b[:, ::2], a[:, ::2]), op), "read in C order"),
        (lambda op: scanrt.scan((b, a), op, n=a), "several arrays go without"),
    ):
        with pytest.raises(scanrt.InvalidArgument, match=message):
            wrong(affine_arrays_op("float32", 0))
    with pytest.raises(scanrt.InvalidArgument, match="no field"):
        scanrt.Op.from_source(AFFINE, "compose", PAIR, type="affine", input_members=["c"])


def test_operator_along_an_axis(side, random, compose):
    steps = np.zeros((7, 90), PAIR)
    steps["a"], steps["b"] = 0.5, values(random, "float32", (7, 90))
    got = side.get(scanrt.scan(elements(side, steps), compose, axis=1))
    got = got.view("f4").reshape(7, 90, 2) if side.name == "numpy" else got
    same(got[3], scanrt.scan(steps[3], compose).view("f4").reshape(-1, 2))


def test_composites(side, random):
    op = scanrt.Op.composite("argmax_f32")
    a = values(random, "float32", 500)
    pairs = np.zeros(500, op.dtype)
    pairs["value"], pairs["index"] = a, np.arange(500)
    x = side.put(pairs if side.name == "numpy" else pairs.view("f4").reshape(-1, 2))
    got = np.ascontiguousarray(side.get(scanrt.scan(x, op))).view(op.dtype).reshape(-1)
    same(got["value"], np.maximum.accumulate(a))
    same(got["index"], np.array([np.argmax(a[: i + 1]) for i in range(500)], "u4"))


@pytest.mark.parametrize("kind", ["i64", "u64"])
def test_wide_sums(side, random, kind):
    op = scanrt.Op.composite(f"wide_sum_{kind}")
    a = random.integers(np.iinfo(op.input_dtype).min, np.iinfo(op.input_dtype).max, 3000, op.input_dtype)
    x, out = side.put(a), np.zeros(3000, op.dtype)
    if side.name != "numpy":
        x, out = side.put(a), side.put(out.view(op.input_dtype).reshape(-1, 2))
    got = np.ascontiguousarray(side.get(scanrt.scan(x, op, out=out))).view(op.dtype).reshape(-1)
    assert [(int(v["high"]) << 64) + int(v["low"]) for v in got] == list(itertools.accumulate(map(int, a)))


def test_composites_have_the_layout_of_the_headers():
    for name in (
        "affine_f32 affine_f64 affine_u32 matrix2_f32 matrix2_f64 matrix3_f32 complex_f32 complex_f64 "
        "logsumexp_f32 logsumexp_f64 argmin_f32 argmin_f64 argmin_i32 argmin_i64 argmax_f32 argmax_f64 argmax_i32 "
        "argmax_i64 compensated_f32 compensated_f64 complex_sum_f32 complex_sum_f64 "
        "sum_i128 sum_u128 minimum_i128 minimum_u128 maximum_i128 maximum_u128"
    ).split():
        op = scanrt.Op.composite(name)
        assert op.dtype.itemsize == op.output_bytes, name
    with pytest.raises(scanrt.InvalidArgument, match="affine_f32"):
        scanrt.Op.composite("affine")


def test_predicates(side, random):
    text = "static inline int above(int32_t x, uint64_t index, int32_t limit) { (void)index; return x > limit; }"
    above = scanrt.Predicate.from_source(text, "above", "int32", params_dtype="int32")
    a = values(random, "int32", 3000)
    for limit in 0, 10**9:
        same(side.get(scanrt.select(side.put(a), above, params=limit)), a[a > limit])
    same(side.get(scanrt.flatnonzero((side.put(a), above), params=0)), np.flatnonzero(a > 0))
    first, second, rest, counts = scanrt.partition3(side.put(a), above, above, first_params=10**9, second_params=0)
    k = side.get(counts)
    parts = a[a > 10**9], a[(a > 0) & (a <= 10**9)], a[a <= 0]
    for got, number, expected in zip((first, second, rest), k, parts):
        same(side.get(got)[:number], expected)


def test_predicates_of_pairs(side, random):
    text = "static inline int near(int32_t before, int32_t x) { return x - before < 3; }"
    near = scanrt.Predicate.from_source(text, "near", "int32", is_pair=True)
    a = np.sort(values(random, "int32", 1000) % 3000)
    begins = np.append(True, np.diff(a) >= 3)
    same(side.get(scanrt.unique_consecutive(side.put(a), same=near)), a[begins])


def test_bucket_functions(side, random):
    text = "static inline uint32_t cell(float x, uint64_t index) { (void)index; return (uint32_t)(x * 10); }"
    cell = scanrt.Bucket.from_source(text, "cell", "float32", 10)
    a = random.random(2000).astype("float32")
    cells = (a * np.float32(10)).astype("u4")
    order = np.argsort(cells, kind="stable")
    keys, offsets = scanrt.split(side.put(a), bucket=cell)
    same(side.get(keys), a[order])
    same(np.diff(side.get(offsets)), np.bincount(cells, minlength=10))
    same(side.get(scanrt.histogram(side.put(a), bucket=cell)), np.bincount(cells, minlength=10))


def test_a_mistake_in_the_text_is_told_in_the_compilers_words(side):
    op = scanrt.Op.from_source("static inline float f(float a, float b) { return a + c; }", "f", "float32")
    with pytest.raises(scanrt.BuildFailed, match="operator"):
        scanrt.scan(side.put(np.ones(10, "f4")), op)


def test_refusals_of_dtypes():
    with pytest.raises(scanrt.InvalidArgument, match="align=True"):
        scanrt.Op.from_source(AFFINE, "compose", [("a", "f4"), ("b", "f4")], type="affine")
    with pytest.raises(scanrt.InvalidArgument, match="type="):
        scanrt.Op.from_source(AFFINE, "compose", PAIR)
