# SPDX-License-Identifier: BSD-2-Clause
"""Compares scans with NumPy, and floating-point sums with the host's bits."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import same, values

import scanrt

UFUNCS = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def expected_of(op, a, axis):
    """NumPy's result; for floating-point sums and products the host's, which must be close to NumPy's."""
    loop = UFUNCS[op].accumulate(a, axis=axis, dtype=a.dtype)
    if a.dtype.kind != "f" or op in ("min", "max"):
        return loop
    own = scanrt.scan(a, op, axis)
    np.testing.assert_allclose(own, loop, rtol=1e-3, atol=1e-3)
    return own


@pytest.mark.parametrize("op", UFUNCS)
def test_every_type_and_operator(side, random, op):
    for dtype in side.dtypes:
        if np.dtype(dtype).kind == "f" and op in ("and", "or", "xor"):
            continue
        a = values(random, dtype, 3000)
        if op == "mul" and a.dtype.kind == "f":
            a = 1 + a / 1000
        same(side.get(scanrt.scan(side.put(a), op)), expected_of(op, a, 0))


@pytest.mark.parametrize("n", [0, 1, 2, 31, 257, 4096, 100_003])
def test_lengths(side, random, n):
    for dtype in "int32", "float32":
        a = values(random, dtype, n)
        same(side.get(scanrt.scan(side.put(a))), expected_of("add", a, 0))


@pytest.mark.parametrize(
    "shape, axis",
    [
        ((37, 53), 0),
        ((37, 53), 1),
        ((37, 53), -2),
        ((5, 7, 11), 1),
        ((1, 400), 0),
        ((400, 1), 0),
        ((3, 0), 0),
        ((2, 3, 2, 3, 2), 3),
    ],
)
def test_axes(side, random, shape, axis):
    a = values(random, "float32", shape)
    same(side.get(scanrt.scan(side.put(a), axis=axis)), expected_of("add", a, axis))


def test_views_with_gaps_are_read_where_they_lie(side, random):
    a = values(random, "int32", (60, 80))
    x = side.put(a)
    same(
        np.ascontiguousarray(side.get(scanrt.scan(x[::2, 5:70:3], axis=0))),
        np.add.accumulate(a[::2, 5:70:3], axis=0, dtype="int32"),
    )
    view = side.reversed_view(side.put(a[0]))
    if view is not None:
        same(np.ascontiguousarray(side.get(scanrt.scan(view))), np.add.accumulate(a[0, ::-1], dtype="int32"))


def test_transposed_arrays(side, random):
    a = values(random, "int32", (40, 30))
    for axis in 0, 1:
        same(
            np.ascontiguousarray(side.get(scanrt.scan(side.put(a).T, axis=axis))),
            np.add.accumulate(a.T, axis=axis, dtype="int32"),
        )


def test_exclusive_reverse_and_initial(side, random):
    a = values(random, "int32", 1000)
    x = side.put(a)
    total = np.cumsum(a, dtype="int32")
    same(side.get(scanrt.scan(x, exclusive=True)), np.concatenate([[0], total[:-1]]).astype("int32"))
    same(side.get(scanrt.scan(x, exclusive=True, initial=5)), np.concatenate([[5], 5 + total[:-1]]).astype("int32"))
    same(side.get(scanrt.scan(x, reverse=True)), np.cumsum(a[::-1], dtype="int32")[::-1])
    same(side.get(scanrt.scan(x, initial=-7)), total - np.int32(7))


def test_out_in_place_and_apart(side, random):
    a = values(random, "int32", (20, 30))
    expected = np.add.accumulate(a, axis=1, dtype="int32")
    x, out = side.put(a), side.empty((20, 30), "int32")
    assert scanrt.scan(x, out=out) is out
    same(side.get(out), expected)
    assert scanrt.scan(x, out=x) is x
    same(side.get(x), expected)


def test_segments(side, random):
    n = 2000
    a = values(random, "int32", n)
    begins = random.random(n) < 0.05
    begins[0] = True
    starts = np.flatnonzero(begins)
    expected = np.concatenate([np.cumsum(part, dtype="int32") for part in np.split(a, starts[1:])])
    words = np.packbits(begins, bitorder="little")
    words = np.pad(words, (0, -len(words) % 4)).view("uint32")
    keys = np.cumsum(begins).astype("int32")
    offsets = np.append(starts, n)
    x = side.put(a)
    for segments in (
        scanrt.Segments.flags(side.put(begins.astype("uint8"))),
        scanrt.Segments.bits(side.put(words)),
        scanrt.Segments.keys(side.put(keys)),
        scanrt.Segments.offsets(side.put(offsets.astype("int32"))),
        scanrt.Segments.offsets(side.put(offsets.astype("int64"))),
    ):
        same(side.get(scanrt.scan(x, segments=segments)), expected)


def test_segments_of_arrays(side, random):
    a = values(random, "int32", (9, 50)) // 64
    begins = random.random((9, 50)) < 0.2
    expected = a.copy()
    for i in range(9):
        for j in range(1, 50):
            if not begins[i, j]:
                expected[i, j] += expected[i, j - 1]
    same(side.get(scanrt.scan(side.put(a), axis=1, segments=side.put(begins.astype("uint8")))), expected)


WIDENINGS = [
    ("int8", "int32"),
    ("int8", "int64"),
    ("uint8", "uint64"),
    ("int32", "int64"),
    ("uint32", "uint64"),
    ("float32", "float64"),
    ("int16", "int64"),
    ("int32", "float64"),
]


def test_results_of_another_dtype(side, random):
    for source, target in WIDENINGS:
        if side.name == "pyopencl" and source not in side.dtypes:
            continue
        a = values(random, source, 500)
        got = side.get(scanrt.scan(side.put(a), dtype=target))
        assert got.dtype == target
        np.testing.assert_allclose(got, np.cumsum(a, dtype=target), rtol=1e-6)


def test_numpy_names(side, random):
    a = values(random, "int32", (6, 8))
    x = side.put(a)
    same(side.get(scanrt.cumsum(x)), np.cumsum(a))
    same(side.get(scanrt.cumsum(x, 0)), np.cumsum(a, 0))
    same(side.get(scanrt.cumsum(x, axis=1, dtype="int32")), np.cumsum(a, axis=1, dtype="int32"))
    same(side.get(scanrt.cumprod(x, 1)), np.cumprod(a, 1))
    same(side.get(scanrt.cummax(x, 0)), np.maximum.accumulate(a, 0))
    same(side.get(scanrt.cummin(x, 1)), np.minimum.accumulate(a, 1))


def test_array_api_names(side, random):
    a = values(random, "float32", (6, 8))
    x = side.put(a)
    same(side.get(scanrt.cumulative_sum(x, axis=1)), scanrt.scan(a))
    if side.name != "pyopencl":  # it lacks views that begin behind a column
        got = side.get(scanrt.cumulative_sum(x, axis=1, include_initial=True))
        same(got, np.concatenate([np.zeros((6, 1), "float32"), scanrt.scan(a)], axis=1))
        got = side.get(scanrt.cumulative_prod(x, axis=0, include_initial=True))
        same(got, np.concatenate([np.ones((1, 8), "float32"), scanrt.scan(a, "mul", 0)]))


def test_sums_of_bools_are_int64(side):
    b = np.ones(300, bool)
    x = side.put(b)
    same(side.get(scanrt.scan(x)), np.cumsum(b))
    same(side.get(scanrt.reduce(x)).reshape(()), np.sum(b))
    same(side.get(scanrt.adjacent_difference(x)), np.eye(1, 300, dtype="i8")[0])
    keys = side.put(np.zeros(300, "int32"))
    same(side.get(scanrt.reduce_by_key(keys, x)[1]), np.array([300]))
    out = side.empty(300, "bool")
    same(side.get(scanrt.cumsum(x, out=out)), b)
    # An exclusive minimum begins with a byte of 0 or 1, too.
    assert side.get(scanrt.scan(x, "min", exclusive=True)).view("u1").max() == 1


def test_results_are_converted_to_out_at_last(side):
    if side.name == "pyopencl":
        pytest.skip("a device may have no float64")
    x = side.put(np.array([0.5, 0.5, 0.5]))
    same(side.get(scanrt.cumsum(x, out=side.empty(3, "int32"))), np.array([0, 1, 1], "i4"))


def test_complex_numbers(side, random):
    if side.name == "pyopencl":
        with pytest.raises(scanrt.Unsupported, match="x.real"):
            scanrt.scan(side.put(np.ones(3, "complex64")))
        return
    for dtype in "complex64", "complex128":
        a = (random.integers(-4, 5, (7, 60)) + 1j * random.integers(-4, 5, (7, 60))).astype(dtype)
        x = side.put(a)
        for axis in 0, 1:
            same(side.get(scanrt.cumsum(x, axis)), np.cumsum(a, axis))
        same(side.get(scanrt.reduce(x)), np.sum(a))
        np.testing.assert_array_equal(side.get(scanrt.scan(x, "mul", 0)), np.cumprod(a, 0))  # any sign of zero
        f = side.put((random.standard_normal(3000) + 1j * random.standard_normal(3000)).astype(dtype))
        same(side.get(scanrt.scan(f)).real.copy(), scanrt.scan(side.get(f).real.copy()))
        begins = side.put(np.arange(3000) % 7 == 0)
        for segments in begins, scanrt.Segments.offsets(side.put(np.append(np.arange(0, 3000, 7), 3000))):
            got = side.get(scanrt.scan(f, segments=segments))
            same(got.imag.copy(), scanrt.scan(side.get(f).imag.copy(), segments=side.get(begins)))


def test_totals_of_arrays_with_gaps(side):
    a = np.arange(40, dtype="int32")
    if side.name != "pyopencl":  # it cannot pack these
        same(side.get(scanrt.reduce(side.put(a)[::4])), np.array(a[::4].sum(dtype="i4")))
    view = side.reversed_view(side.put(a))
    if view is not None and side.name != "pyopencl":
        same(side.get(scanrt.reduce(view[::3])), np.array(a[::-1][::3].sum(dtype="i4")))


def test_nan_stays(side):
    a = np.array([1, np.nan, 3, -1], "float32")
    got = side.get(scanrt.cummax(side.put(a)))
    np.testing.assert_array_equal(got, [1, np.nan, np.nan, np.nan])


def test_halves(random):
    a = random.standard_normal(1000).astype("float16")
    got = scanrt.scan(a)
    assert got.dtype == np.float16
    np.testing.assert_allclose(got.astype("f4"), np.cumsum(a.astype("f4")), rtol=2e-3, atol=1e-2)
    same(scanrt.scan(a, dtype="float32"), scanrt.scan(a.astype("float32")))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    b = a.astype(ml_dtypes.bfloat16)
    same(scanrt.scan(b, dtype="float32"), scanrt.scan(b.astype("float32")))
    assert scanrt.scan(b, initial=1.0).dtype == b.dtype


def test_overflow_is_told_with_its_place():
    a = np.full(10, 2**30, "int32")
    with pytest.raises(scanrt.Overflow) as told:
        scanrt.scan(a, check_overflow=True)
    assert told.value.index == 1
    assert isinstance(told.value, OverflowError)
    with pytest.raises(scanrt.Overflow) as told:
        scanrt.scan(a, check_overflow=True, reverse=True)
    assert told.value.index == 8


def test_totals_and_differences(side, random):
    a = values(random, "float32", 5000)
    x = side.put(a)
    total = side.get(scanrt.reduce(x))
    assert total.tobytes() == scanrt.scan(a)[-1].tobytes()
    assert side.get(scanrt.reduce(x, "max")).reshape(()) == a.max()
    b = values(random, "int32", 5000)
    same(side.get(scanrt.adjacent_difference(scanrt.scan(side.put(b)))), b)


def test_on_another_device_by_name(random):
    names = [d["selector"] for d in scanrt.devices() if d["selector"].startswith("opencl") and not d["refusal"]]
    if not names:
        pytest.skip("no OpenCL device")
    a = values(random, "float32", 50_000)
    with scanrt.device(names[0]):
        there = scanrt.scan(a)
    same(there, scanrt.scan(a))


def test_the_same_bits_with_any_number_of_threads(random):
    a = values(random, "float32", 1_000_000)
    whole = scanrt.scan(a)
    for threads in 1, 3:
        with scanrt.device("host", threads):
            same(scanrt.scan(a), whole)


def test_calls_from_threads(random):
    from concurrent.futures import ThreadPoolExecutor

    arrays = [values(random, "int32", 20_000) for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        for a, got in zip(arrays, pool.map(scanrt.scan, arrays)):
            same(got, np.cumsum(a, dtype="int32"))


FORKS = """
import os
import numpy as np
import scanrt

a = np.arange(100)
scanrt.scan(a)
child = os.fork()
if child == 0:
    try:
        os._exit(0 if np.array_equal(scanrt.scan(a), np.cumsum(a)) else 1)
    finally:
        os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


def test_in_a_child_of_fork():
    """Runs in a process that has loaded nothing else, since the threads of libraries such as JAX do not survive
    fork."""
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=60)


def test_pieces_with_carries(side, random):
    a = values(random, "int32", 3000)
    x, carry = side.put(a), side.empty(1, "int32")
    first = scanrt.scan(side.put(a[:1000]), carry_out=carry)
    second = scanrt.scan(side.put(a[1000:]), carry_in=carry, carry_out=carry)
    whole = scanrt.scan(x)
    same(np.concatenate([side.get(first), side.get(second)]), side.get(whole))
    same(side.get(carry), side.get(whole)[-1:])


def test_totals_of_nothing(side):
    total = side.get(scanrt.reduce(side.put(np.zeros(0, "int32"))))
    assert total.reshape(()) == 0


def test_totals_along_an_axis(side, random):
    for dtype in "float32", "int32", "uint8":
        a = values(random, dtype, 4 * 300 * 7).reshape(4, 300, 7)
        x = side.put(a)
        for axis in 0, 1, 2, -2:
            for op in "add", "max":
                last = np.take(scanrt.scan(a, op, axis), -1, axis)
                same(side.get(scanrt.reduce(x, op, axis)), last)
            first = np.take(scanrt.scan(a, "add", axis, reverse=True, initial=3), 0, axis)
            same(side.get(scanrt.reduce(x, axis=axis, reverse=True, initial=3)), first)
            out = side.empty(first.shape, dtype)
            assert scanrt.reduce(x, axis=axis, reverse=True, initial=3, out=out) is out
            same(side.get(out), first)
    same(side.get(scanrt.reduce(side.put(np.arange(300, dtype="int32")), axis=0)).reshape(()), np.array(44850, "i4"))
    same(side.get(scanrt.reduce(side.put(np.zeros((3, 0), "int32")), "add", 1, initial=7)), np.full(3, 7, "i4"))
    assert side.get(scanrt.reduce(side.put(np.zeros((3, 0), "int32")), "add", 0)).shape == (0,)


def test_totals_along_an_axis_of_views(random):
    a = values(random, "float32", 40 * 30).reshape(40, 30)
    for view in a.T, a[::-2, 3::3], np.broadcast_to(a[0], (40, 30)):
        for axis in 0, 1:
            same(scanrt.reduce(view, axis=axis), np.take(scanrt.scan(view, axis=axis), -1, axis))
    z = (a[:, :20] + 1j * a[:, 10:]).astype("complex64")
    for op in "add", "mul":
        same(scanrt.reduce(z, op, 0), scanrt.scan(z, op, 0)[-1])
    same(scanrt.reduce(a, axis=0, out=np.empty(30, "int32")), scanrt.reduce(a, axis=0).astype("int32"))


def test_streams(random):
    a = values(random, "int32", 200_000)
    told = []
    got = scanrt.scan_stream(a, chunk_items=30_000, progress=lambda done, n: told.append((done, n)))
    same(got, np.cumsum(a, dtype="int32"))
    assert told[-1] == (200_000, 200_000)
    same(scanrt.scan_stream(a, "max", reverse=True, dtype="int32"), np.maximum.accumulate(a[::-1])[::-1])
    begins = random.random(200_000) < 0.01
    same(scanrt.scan_stream(a, segments=begins), scanrt.scan(a, segments=begins))
    names = [d["selector"] for d in scanrt.devices() if d["selector"].startswith("opencl") and not d["refusal"]]
    if names:
        with scanrt.device(names[0]):
            same(scanrt.scan_stream(a, chunk_items=30_000, device_bytes=1 << 20), np.cumsum(a, dtype="int32"))


def test_streams_that_end_early(random):
    a = values(random, "int32", 100_000)
    with pytest.raises(scanrt.Cancelled):
        scanrt.scan_stream(a, chunk_items=30_000, progress=lambda done, n: done >= 60_000)
    with pytest.raises(ZeroDivisionError):
        scanrt.scan_stream(a, progress=lambda done, n: 1 // 0)


@pytest.mark.parametrize("count", [0, 1, 700, 1000])
def test_n_in_memory(side, count):
    a = np.arange(1000, dtype="int32")
    x, out, n = side.put(a), side.put(np.full(1000, -1, "int32")), side.put(np.array([count], "int64"))
    assert scanrt.scan(x, out=out, n=n) is out
    same(side.get(out), np.concatenate([np.cumsum(a[:count], dtype="int32"), np.full(1000 - count, -1, "int32")]))
    with pytest.raises(scanrt.InvalidArgument, match="one uint64 or int64"):
        scanrt.scan(x, n=side.put(np.zeros(1, "int32")))
    scanrt.scan(x, out=out, n=scanrt.Clamp(side.put(np.array([2000], "int64"))))
    same(side.get(out), np.cumsum(a, dtype="int32"))


@pytest.mark.parametrize("name", ["int32", "float32", "float64", "uint8"])
@pytest.mark.parametrize("kind", ["int32", "uint64"])
def test_segment_reduce(name, kind):
    rng = np.random.default_rng(50)
    lengths = rng.integers(0, 60, 400)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(kind)
    x = rng.integers(0, 100, int(offsets[-1])).astype(name)
    wanted = [x[a:b].sum() for a, b in zip(offsets[:-1].astype(int), offsets[1:].astype(int))]
    got = scanrt.segment_reduce(x, offsets)
    assert got.dtype == x.dtype
    assert np.array_equal(got, np.array(wanted).astype(name))
    least = scanrt.segment_reduce(x, offsets[:-1], "min", ends=offsets[1:] - (lengths > 1).astype(kind), initial=50)
    ends = offsets[1:].astype(int) - (lengths > 1)
    assert np.array_equal(least, [min([50, *x[a:b]]) for a, b in zip(offsets[:-1].astype(int), ends)])


@pytest.mark.parametrize("kind", ["flags", "bits"])
def test_segment_reduce_by_marks(side, kind):
    rng = np.random.default_rng(51)
    x = rng.integers(0, 100, 10007).astype("int32")
    begins = rng.random(len(x)) < 0.01
    marks = begins if kind == "flags" else np.packbits(np.append(begins, np.zeros(9, bool)), bitorder="little")
    marks = marks if kind == "flags" else marks.view("uint32")
    begins[0] = True
    wanted = np.add.reduceat(x, np.flatnonzero(begins)).astype("int32")
    segments = getattr(scanrt.Segments, kind)(side.put(marks))
    same(side.get(scanrt.segment_reduce(side.put(x), segments)), wanted)
    out = side.put(np.zeros(5, "int32"))
    same(side.get(scanrt.segment_reduce(side.put(x), segments, out=out)), wanted[:5])


def test_segment_reduce_refusals():
    x = np.ones(4, "float32")
    with pytest.raises(scanrt.InvalidArgument, match="offsets are"):
        scanrt.segment_reduce(x, np.zeros(2, "float32"))
    with pytest.raises(scanrt.InvalidArgument, match="as many as"):
        scanrt.segment_reduce(x, np.zeros(2, "int32"), ends=np.zeros(3, "int32"))
    with pytest.raises(scanrt.InvalidArgument, match="above"):
        scanrt.segment_reduce(x, np.array([0, 5]))
    with pytest.raises(scanrt.InvalidArgument, match="reduce_by_key"):
        scanrt.segment_reduce(x, scanrt.Segments.keys(x))
