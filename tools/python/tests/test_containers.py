# SPDX-License-Identifier: BSD-2-Clause
"""Arrays with labels keep them, and JAX's arrays give JAX's. Tests are skipped if their library is missing."""

import numpy as np
import pytest
from conftest import same

import scanrt

A = np.arange(12, dtype="float32").reshape(3, 4)


def test_series_of_pandas_keep_index_and_name():
    pandas = pytest.importorskip("pandas")
    x = pandas.Series(A[0], index=list("wxyz"), name="speed")
    for got, expected in (
        (scanrt.scan(x), np.cumsum(A[0])),
        (scanrt.cumsum(a=x), np.cumsum(A[0])),
        (scanrt.cummax(x), A[0]),
        (scanrt.adjacent_difference(x), np.diff(A[0], prepend=np.float32(0))),
    ):
        pandas.testing.assert_series_equal(got, pandas.Series(expected, index=x.index, name="speed"))
    out = np.empty(4, "float32")
    assert scanrt.scan(x, out=out) is out
    assert type(scanrt.sort(x)) is np.ndarray and type(scanrt.select(x, x > 1)) is np.ndarray
    with pytest.raises(scanrt.InvalidArgument, match="object"):
        scanrt.scan(pandas.Series([1, None, 3], dtype="Int64").astype(object))


def test_frames_of_pandas_keep_index_and_columns():
    pandas = pytest.importorskip("pandas")
    x = pandas.DataFrame(A, index=[5, 6, 7], columns=list("abcd"))
    pandas.testing.assert_frame_equal(scanrt.cumsum(x, axis=0), x.cumsum())
    same(scanrt.cumsum(x), np.cumsum(A))  # a flattened result is not a frame


def test_arrays_of_xarray_keep_coordinates():
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(
        A, dims=("time", "x"), coords={"time": [10, 20, 30], "x": list("abcd")}, name="rain", attrs={"units": "mm"}
    )
    got = scanrt.cumsum(x, axis=0)
    xarray.testing.assert_identical(got.drop_attrs(), x.cumsum("time", keep_attrs=False).assign_coords(x.coords))
    assert got.attrs == x.attrs and got.name == "rain"
    assert type(scanrt.reduce(x)) is np.ndarray


def test_arrays_of_jax(random):
    jax = pytest.importorskip("jax")
    a = random.integers(-50, 50, 1000).astype("int32")
    x = jax.numpy.asarray(a)
    got = scanrt.scan(x)
    assert isinstance(got, jax.Array)
    same(got, np.cumsum(a, dtype="int32"))
    values, counts = scanrt.unique(x, return_counts=True)
    same(values, np.unique(a))
    assert isinstance(counts, jax.Array)
    same(scanrt.select((x, x), x > 3)[1], a[a > 3])
    same(scanrt.scan(x, segments=scanrt.Segments.offsets(jax.numpy.array([0, 1000]))), got)
    out = np.empty(1000, "int32")
    assert scanrt.scan(x, out=out) is out
    with pytest.raises(scanrt.InvalidArgument, match="JAX"):
        scanrt.scan(x, out=x)
    same(jax.jit(scanrt.scan)(x), got)
    with pytest.raises(scanrt.Unsupported, match="outside of JAX"):
        jax.jit(scanrt.sort)(x)


def test_bfloat16_of_jax(random):
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(random.standard_normal(1000), jax.numpy.bfloat16)
    got = scanrt.cumsum(x)
    assert isinstance(got, jax.Array) and got.dtype == jax.numpy.bfloat16
    same(got, scanrt.cumsum(np.asarray(x)))
    same(scanrt.scan(x, dtype="float32"), scanrt.scan(np.asarray(x).astype("float32")))


def test_results_that_jax_cannot_hold():
    jax = pytest.importorskip("jax")
    x = jax.numpy.full(10, 2**30, "int32")
    if jax.config.jax_enable_x64:
        pytest.skip("JAX holds int64")
    with pytest.raises(scanrt.InvalidArgument, match="jax_enable_x64"):
        scanrt.cumsum(x)
    same(scanrt.cumsum(x, dtype="int32"), np.cumsum(np.full(10, 2**30, "i4"), dtype="i4"))
