# SPDX-License-Identifier: BSD-2-Clause
"""Fixtures: tests that take `side` run once for each array library, and compare with NumPy's values. Without the
library, or a device for it, they are skipped with the reason."""

import sys

import numpy as np
import pytest


class NumpySide:
    """Arrays of NumPy, computed on the host."""

    name, dtypes = (
        "numpy",
        ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"),
    )

    def put(self, a):
        return np.ascontiguousarray(a).copy()

    def get(self, x):
        return np.asarray(x)

    def empty(self, shape, dtype):
        return np.empty(shape, dtype)

    def reversed_view(self, x):
        """A view with a negative stride; None: the library has no such views."""
        return x[::-1]


class PyopenclSide(NumpySide):
    """Arrays of pyopencl on the first device that can run scans."""

    # Few dtypes, since the device's compiler builds a program for each.
    name, dtypes = "pyopencl", ("int32", "float32")

    def __init__(self):
        cl = pytest.importorskip("pyopencl")
        import pyopencl.array as array

        self.array = array
        try:
            platforms = cl.get_platforms()
        except cl.Error as fault:
            pytest.skip(f"no OpenCL platform: {fault}")
        found = [d for p in platforms for d in p.get_devices() if "llvmpipe" not in d.name]
        if not found:
            pytest.skip("no OpenCL device")
        found.sort(key=lambda d: d.type != cl.device_type.GPU)
        self.context = cl.Context(found[:1])
        self.queue = cl.CommandQueue(self.context)

    def put(self, a):
        return self.array.to_device(self.queue, np.ascontiguousarray(a))

    def get(self, x):
        return x.get(self.queue)

    def empty(self, shape, dtype):
        return self.array.empty(self.queue, shape, dtype)

    def reversed_view(self, x):
        return x[::-1]


class TorchSide(NumpySide):
    """Tensors of PyTorch on cuda:0."""

    name = "torch"

    def __init__(self, device="cuda:0"):
        self.torch = pytest.importorskip("torch")
        if device != "cpu" and not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no CUDA device")
        self.device = device

    def put(self, a):
        return self.torch.from_numpy(np.ascontiguousarray(a).copy()).to(self.device)

    def get(self, x):
        return x.cpu().numpy()

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=getattr(self.torch, np.dtype(dtype).name), device=self.device)

    def reversed_view(self, x):
        return None


class CupySide(NumpySide):
    """Arrays of CuPy on device 0."""

    name = "cupy"

    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        if not self.cupy.cuda.is_available():
            pytest.skip("CuPy sees no CUDA device")

    def put(self, a):
        return self.cupy.asarray(np.ascontiguousarray(a))

    def get(self, x):
        return x.get()

    def empty(self, shape, dtype):
        return self.cupy.empty(shape, dtype)

    def reversed_view(self, x):
        return x[::-1]


class TorchHostSide(TorchSide):
    """Tensors of PyTorch in host memory."""

    name = "torch_host"

    def __init__(self):
        super().__init__("cpu")


SIDES = {side.name: side for side in (NumpySide, PyopenclSide, TorchSide, CupySide, TorchHostSide)}


@pytest.fixture
def torch():
    """PyTorch, if it finds a CUDA device."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    return torch


@pytest.fixture(
    scope="session",
    params=[
        "numpy",
        pytest.param("pyopencl", marks=pytest.mark.opencl),
        pytest.param("torch", marks=pytest.mark.gpu),
        pytest.param("cupy", marks=pytest.mark.gpu),
        pytest.param("torch_host", marks=pytest.mark.gpu),
    ],
)
def side(request):
    return SIDES[request.param]()


@pytest.fixture
def random():
    return np.random.default_rng(5)


def values(random, dtype, shape):
    """Integers over their whole range, and floating-point numbers around 0."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def same(got, expected):
    """Asserts equal dtypes, shapes and bits."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


def pytest_runtest_logreport(report):
    """On several ranks of MPI, a test that fails on one ends all: the others may wait for it."""
    MPI = getattr(sys.modules.get("mpi4py"), "MPI", None)
    if report.failed and MPI is not None and MPI.COMM_WORLD.Get_size() > 1:
        print(
            f"\nrank {MPI.COMM_WORLD.Get_rank()}: {report.nodeid}\n{report.longreprtext}", file=sys.stderr, flush=True
        )
        MPI.COMM_WORLD.Abort(1)
