# SPDX-License-Identifier: BSD-2-Clause
"""Refusals: their words and their exceptions."""

import os
import subprocess
import sys

import numpy as np
import pytest

import scanrt

X = np.arange(10, dtype="int32")
READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: scanrt.scan(X, "plus"), "no operator 'plus'"),
        (lambda: scanrt.scan(X, axis=1), "axis 1"),
        (lambda: scanrt.scan(X.astype("f4"), "xor"), "xor"),
        (lambda: scanrt.scan(X, "max", dtype="complex64"), "complex"),
        (lambda: scanrt.scan(X.astype(">i4")), ">i4"),
        (lambda: scanrt.scan(np.array(["a"])), "not scanned"),
        (lambda: scanrt.scan(X, out=np.empty(9, "i4")), "shape"),
        (lambda: scanrt.scan(X, out=np.empty(10, "i8"), dtype="i4"), "int64"),
        (lambda: scanrt.scan(X, out=READ_ONLY), "read-only"),
        (lambda: scanrt.scan(X, out=[0] * 10), "no array"),
        (lambda: scanrt.scan(X[:-1], out=X[1:]), "overlap"),
        (lambda: scanrt.scan(X, initial=2**40), "initial value"),
        (lambda: scanrt.scan(X, initial=0.5), "no whole number"),
        (lambda: scanrt.scan(X, initial=np.nan), "no whole number"),
        (lambda: scanrt.reduce(X, initial=0.5), "no whole number"),
        (lambda: scanrt.reduce(X, axis=1), "axis 1 is not one"),
        (lambda: scanrt.reduce(X, axis=0, segments=X > 3), "no axis="),
        (lambda: scanrt.reduce(X.reshape(2, 5), axis=0, out=np.empty(2, "i4")), r"give one of \(5,\)"),
        (lambda: scanrt.reduce_by_key(X, X, initial=0.5), "no whole number"),
        (lambda: scanrt.scan_stream(X, initial=0.5), "no whole number"),
        (lambda: scanrt.scan(X, initial="3"), "give a number"),
        (lambda: scanrt.scan(X, initial=[1, 2]), "give a number"),
        (lambda: scanrt.scan(X, initial=X), "several"),
        (lambda: scanrt.scan(X, initial=1j), "complex"),
        (lambda: scanrt.scan(X.astype("f4"), initial=1e300), "outside of float32"),
        (lambda: scanrt.scan(X, initial=10**400, dtype="f8"), "outside of float64"),
        (lambda: scanrt.scan(X > 3, "max", initial=2), "outside of bool"),
        (lambda: scanrt.cumsum(X, axis=(0, 1)), "give one integer"),
        (lambda: scanrt.cumsum(X, axis=0.0), "give one integer"),
        (lambda: scanrt.scan(X, [1]), "no operator"),
        (lambda: scanrt.scan(X, strategy=3), "strategy is 3"),
        (lambda: scanrt.scan(X, dtype=[1]), "no dtype"),
        (lambda: scanrt.scan(X, dtype=7), "no dtype"),
        (lambda: scanrt.scan_stream(X, chunk_items=1.5), "chunk_items is 1.5"),
        (lambda: scanrt.scan_stream(X, device_bytes=-1), "device_bytes is -1"),
        (lambda: scanrt.scan_stream(X, progress=1), "progress is 1"),
        (lambda: scanrt.select(X, X > 0, out=5), "no array"),
        (lambda: scanrt.run_length_encode(X, out=5), "no tuple"),
        (lambda: scanrt.unique_consecutive(X, same=5), "give a Predicate"),
        (lambda: scanrt.histogram(X, bucket=5), "give a Bucket"),
        (lambda: scanrt.sort(X, bits=5), "bits is 5"),
        (lambda: scanrt.sort(X, axis=(0, 1)), "give one integer"),
        (lambda: scanrt.sort_by_key(X, X, out=(X,)), "1 arrays"),
        (lambda: scanrt.Op.composite(5), "give text"),
        (lambda: scanrt.Op.from_source("", "f", 5), "no dtype"),
        (lambda: scanrt.scan(X, strategy="fast"), "no strategy 'fast'"),
        (lambda: scanrt.scan(X, segments=X > 2, axis=0, op="add", out=np.empty((10, 1), "i4")), "shape"),
        (lambda: scanrt.scan(X, segments=X), "flags"),
        (lambda: scanrt.scan(X, segments=X[:5] > 2), "5 marks for 10"),
        (lambda: scanrt.scan(np.zeros((1,) * 9, "i4"), axis=3, out=np.zeros((1,) * 9, "i4")[::1]), None),
        (lambda: scanrt.scan(np.zeros((2,) * 9, "i4"), axis=3), "9 axes"),
        (lambda: scanrt.select(X, X), "flags"),
        (lambda: scanrt.select(X, X[:3] > 0), "3 flags for 10"),
        (lambda: scanrt.select(X, X > 0, out=np.empty(10, "f4")), "float32"),
        (lambda: scanrt.select(X, X > 0, count=np.empty(1, "i4")), "count"),
        (lambda: scanrt.select((X,) * 9, X > 0), "9 arrays"),
        (lambda: scanrt.flatnonzero(X, dtype="int16"), "int16"),
        (lambda: scanrt.unique_consecutive(X, keep="middle"), "middle"),
        (lambda: scanrt.sort(np.array(["b", "a"])), "compared"),
        (lambda: scanrt.sort(X, axis=2), "axis 2"),
        (lambda: scanrt.sort(X, order="size"), "no order 'size'"),
        (lambda: scanrt.sort(X.astype("f4"), order="numeric", bits=(0, 8)), "all its 32 bits"),
        (lambda: scanrt.sort_by_key(X, X[:4]), "10 elements"),
        (lambda: scanrt.split(X, bits=(0, 9)), "9 bits"),
        (lambda: scanrt.histogram(X, bits=(30, 40)), "bits 30 to 40"),
        (lambda: scanrt.reduce_by_key(X, X[:3]), "10 keys"),
        (lambda: scanrt.scan(np.ma.masked_array(X, X > 3)), "masked"),
    ],
)
def test_refusals_have_words(call, words):
    if words is None:
        call()
        return
    with pytest.raises(scanrt.ScanError, match=words) as told:
        call()
    assert isinstance(told.value, (scanrt.InvalidArgument, scanrt.Unsupported))
    assert told.value.status_name in ("SCAN_INVALID_ARGUMENT", "SCAN_UNSUPPORTED")


def test_exceptions_are_pythons_too():
    for error, builtin in (
        (scanrt.InvalidArgument, ValueError),
        (scanrt.Unsupported, NotImplementedError),
        (scanrt.OutOfMemory, MemoryError),
        (scanrt.Overflow, OverflowError),
    ):
        assert issubclass(error, builtin) and issubclass(error, scanrt.ScanError)


def test_a_device_that_is_not_there():
    """It is refused where it is named, before any computation."""
    with pytest.raises(scanrt.NoDevice, match="opencl:97"):
        scanrt.device("opencl:97")
    with pytest.raises(scanrt.InvalidArgument, match="threads is -1"):
        scanrt.device("host", -1)


def test_a_library_of_another_place(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import scanrt"],
        capture_output=True,
        text=True,
        env={**os.environ, "SCANRT_LIBRARY": str(tmp_path / "none.so")},
    )
    assert done.returncode != 0 and "none.so cannot be opened" in done.stderr


def test_nothing_is_written_where_a_call_is_refused():
    out = np.full(10, 7, "int32")
    with pytest.raises(scanrt.InvalidArgument):
        scanrt.scan(X, "plus", out=out)
    assert (out == 7).all()


def test_lists_become_arrays():
    assert scanrt.cumsum([1, 2, 3]).tolist() == [1, 3, 6]
