# SPDX-License-Identifier: BSD-2-Clause
"""Tests that need a GPU: bits compared with PyTorch, CuPy, the host and NVIDIA's OpenCL; streams; calls that do not
wait.

pytest -m gpu
"""

import gc

import numpy as np
import pytest
from conftest import same, values

import scanrt

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy(torch):
    return pytest.importorskip("cupy")


def nvidia_opencl():
    for device in scanrt.devices():
        if device["selector"].startswith("opencl") and "NVIDIA" in device["vendor"] and not device["refusal"]:
            return device["selector"]
    return None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_are_those_of_the_host_and_of_opencl(torch, random, dtype):
    """PyTorch's own sums are only close; for large arrays they differ even between two runs."""
    n = 20_000_000
    a = values(random, dtype, n)
    x = torch.from_numpy(a).cuda()
    first = scanrt.scan(x)
    host = scanrt.scan(a)
    same(first.cpu().numpy(), host)
    for _ in range(20):
        assert torch.equal(scanrt.scan(x).view(torch.uint8), first.view(torch.uint8))
    np.testing.assert_allclose(host, torch.cumsum(x.double(), 0).cpu().numpy(), rtol=1e-2, atol=0.5)
    selector = nvidia_opencl()
    if selector is not None:
        with scanrt.device(selector):
            same(scanrt.scan(a), host)


@pytest.mark.parametrize("axis", [0, 1])
def test_matrices(torch, random, axis):
    a = values(random, "float32", (1500, 2100))
    x = torch.from_numpy(a).cuda()
    same(scanrt.cumsum(x, axis).cpu().numpy(), scanrt.cumsum(a, axis))
    np.testing.assert_allclose(scanrt.cumsum(x, axis).cpu(), torch.cumsum(x, axis).cpu(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves_on_the_device_and_the_host(torch, name):
    x = torch.randn(100_000, device="cuda").to(getattr(torch, name))
    y = scanrt.scan(x)
    assert y.dtype == x.dtype
    assert torch.equal(y.cpu().view(torch.int16), scanrt.scan(x.cpu()).view(torch.int16))
    assert scanrt.cumsum(x, dtype=torch.float32).dtype == torch.float32


def test_dtypes_are_pytorchs(torch):
    for name in "bool", "int8", "uint8", "int16", "int32", "int64":
        x = (torch.arange(1000, device="cuda") % 5).to(getattr(torch, name))
        got, expected = scanrt.cumsum(x), torch.cumsum(x, 0)
        assert got.dtype == expected.dtype and torch.equal(got, expected), name
    x = torch.arange(10, device="cuda")
    assert scanrt.cumsum(x, dtype=torch.float64).dtype == torch.float64
    assert scanrt.cumsum(x, dtype="int32").dtype == torch.int32


def test_compaction_beside_pytorch(torch):
    x = torch.randn(3_000_000, device="cuda")
    keep = x > 0.3
    assert torch.equal(scanrt.select(x, keep), torch.masked_select(x, keep))
    assert torch.equal(scanrt.flatnonzero(keep), torch.nonzero(keep).flatten())
    assert torch.equal(scanrt.nonzero(keep.view(1000, 3000))[1], torch.nonzero(keep.view(1000, 3000))[:, 1])
    keys = torch.randint(0, 50, (1_000_000,), device="cuda")
    for got, expected in zip(scanrt.run_length_encode(keys), torch.unique_consecutive(keys, return_counts=True)):
        assert torch.equal(got, expected)
    got, expected = scanrt.unique(keys, return_inverse=True), torch.unique(keys, return_inverse=True)
    assert torch.equal(got[0], expected[0]) and torch.equal(got[1], expected[1])


def test_sorts_beside_pytorch(torch):
    for x in (
        torch.randint(-1000, 1000, (2_000_000,), device="cuda", dtype=torch.int32),
        torch.randn(300, 4000, device="cuda"),
    ):
        for descending in False, True:
            got = scanrt.sort(x, return_indices=True, descending=descending)
            expected = torch.sort(x, stable=True, descending=descending)
            assert torch.equal(got[0], expected[0]) and torch.equal(got[1], expected[1])


def test_the_current_stream_is_used(torch):
    """Waits for long work on one stream, and does not wait for it on another."""
    x = torch.ones(1_000_000, device="cuda")
    slow, other = torch.cuda.Stream(), torch.cuda.Stream()
    for stream in slow, other:  # contexts and kernels are created in advance
        with torch.cuda.stream(stream):
            scanrt.scan(x)
    torch.cuda.synchronize()
    y = torch.zeros(1_000_000, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(slow):
        torch.cuda._sleep(500_000_000)
        y.fill_(1)
        behind = scanrt.scan(y)
    with torch.cuda.stream(other):
        at_once = scanrt.scan(y)
        other.synchronize()
    assert not slow.query()
    assert float(at_once[-1]) == 0
    slow.synchronize()
    assert float(behind[-1]) == 1_000_000


def test_nothing_waits(torch):
    """Calls return while the device is still busy with earlier work."""
    x = torch.randn(1_000_000, device="cuda")
    keep = x > 0
    out, count = torch.empty_like(x), torch.empty(1, dtype=torch.int64, device="cuda")
    matrix = x.view(1000, 1000)
    calls = [
        lambda: scanrt.cumsum(x),
        lambda: scanrt.cumsum(matrix, 0),
        lambda: scanrt.sort(x),
        lambda: scanrt.select(x, keep, out=out, count=count),
        lambda: scanrt.partition(x, keep),
        lambda: scanrt.split(x, bits=(0, 8)),
        lambda: scanrt.histogram(x),
        lambda: scanrt.reduce(x),
        lambda: scanrt.run_length_encode(x, count=count),
    ]
    for call in calls:
        call()
    for call in calls:
        torch.cuda.synchronize()
        torch.cuda._sleep(200_000_000)
        call()
        assert not torch.cuda.current_stream().query()
    torch.cuda.synchronize()


def test_in_a_cuda_graph(torch):
    """Recording works after a first call on the recording stream."""
    x, out = torch.randn(1_000_000, device="cuda"), torch.empty(1_000_000, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        scanrt.scan(x, out=out)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        scanrt.scan(x, out=out)
    x.normal_()
    graph.replay()
    torch.cuda.synchronize()
    same(out.cpu().numpy(), scanrt.scan(x.cpu().numpy()))


def test_gradients(torch):
    x = torch.ones(10, device="cuda", requires_grad=True)
    scanrt.scan(x).sum().backward()
    assert torch.equal(x.grad.cpu(), torch.arange(10.0, 0, -1))
    with pytest.raises(scanrt.InvalidArgument, match="detach"):
        scanrt.scan(x, "mul")
    with torch.no_grad():
        assert float(scanrt.scan(x)[-1]) == 10


def test_memory_is_given_back(torch):
    """Scratch of sorts comes from PyTorch's allocator; no call keeps memory."""
    x = torch.randn(4_000_000, device="cuda")
    for call in (lambda: scanrt.sort(x)), (lambda: scanrt.scan(x)):
        call()
        torch.cuda.synchronize()
        gc.collect()
        before = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
        for _ in range(20):
            call()
        torch.cuda.synchronize()
        assert torch.cuda.memory_allocated() == before[0]
        assert torch.cuda.mem_get_info()[0] >= before[1] - (1 << 26)


def test_cupy_and_pytorch_share_memory(torch, cupy, random):
    a = values(random, "float32", 300_000)
    x = cupy.asarray(a)
    same(scanrt.scan(x).get(), scanrt.scan(a))
    same(scanrt.scan(torch.from_dlpack(x)).cpu().numpy(), scanrt.scan(a))


def test_cupy_streams(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.ones(1_000_000, "float32")
        y = scanrt.cumsum(x)
    stream.synchronize()
    assert float(y[-1]) == 1_000_000


class Interface:
    """An array of a library unknown to scanrt, which shows only its memory."""

    def __init__(self, x):
        self.x = x
        self.__cuda_array_interface__ = x.__cuda_array_interface__


class Dlpack:
    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_cuda_array_interface(cupy, random):
    a = values(random, "float32", (200, 300))
    x, out = cupy.asarray(a), cupy.empty((200, 300), "float32")
    assert isinstance(scanrt.scan(Interface(x), axis=0, out=Interface(out)), Interface)
    cupy.cuda.Device().synchronize()
    same(out.get(), scanrt.scan(a, axis=0))
    same(scanrt.scan(Interface(x), axis=1).get(), scanrt.scan(a, axis=1))
    same(
        scanrt.scan(Interface(x[::2, ::3]), axis=0, out=Interface(out[::2, ::3])).x.get(),
        scanrt.scan(a[::2, ::3], axis=0),
    )


def test_memory_of_pools_goes_with_other_memory(cupy, random):
    """Memory of a stream-ordered pool has no context of its own."""
    a, flags = values(random, "float32", 1000), random.integers(0, 2, 1000, "uint8")
    x, out = cupy.asarray(a), cupy.empty(1000, "float32")
    with cupy.cuda.using_allocator(cupy.cuda.MemoryAsyncPool().malloc):
        of_pool = cupy.asarray(flags)
    scanrt.scan(Interface(x), segments=Interface(of_pool), out=Interface(out))
    cupy.cuda.Device().synchronize()
    same(out.get(), scanrt.scan(a, segments=flags))


def test_dlpack(cupy, random):
    a = values(random, "float32", 1000)
    same(scanrt.scan(Dlpack(cupy.asarray(a))).get(), scanrt.scan(a))
    same(scanrt.scan(Dlpack(a)), scanrt.scan(a))


def test_overflow_is_told_by_the_wait(torch):
    x = torch.full((10,), 2**30, dtype=torch.int32, device="cuda")
    scanrt.scan(x, check_overflow=True)
    with pytest.raises(scanrt.Overflow) as told:
        scanrt.synchronize(x)
    assert told.value.index == 1


def test_operators_from_source_have_the_hosts_bits(torch, random):
    text = """
typedef struct affine { float a, b; } affine;
static inline affine compose(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }
"""
    pair = np.dtype([("a", "f4"), ("b", "f4")], align=True)
    op = scanrt.Op.from_source(text, "compose", pair, type="affine", identity=(1, 0))
    steps = np.zeros(1_000_000, pair)
    steps["a"], steps["b"] = 0.5, values(random, "float32", 1_000_000)
    x = torch.from_numpy(steps.view("f4").reshape(-1, 2)).cuda()
    try:
        got = scanrt.scan(x, op)
    except scanrt.Unsupported as fault:
        pytest.skip(str(fault))
    same(got.cpu().numpy(), scanrt.scan(steps, op).view("f4").reshape(-1, 2))


def test_tensors_that_are_conjugated_when_read(torch):
    x = torch.tensor([1 + 2j, 3 - 1j], device="cuda")
    with pytest.raises(scanrt.Unsupported, match="resolve_conj"):
        scanrt.cumsum(x.conj())
    with pytest.raises(scanrt.Unsupported, match="resolve_neg"):
        scanrt.scan(x.conj().imag)
    same(scanrt.cumsum(x.conj().resolve_conj()).cpu().numpy(), np.cumsum(np.array([1 - 2j, 3 + 1j], "complex64")))


def test_memory_comes_from_pytorch(torch):
    """A context's workspaces are memory of PyTorch's caching allocator."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.ones(1000, dtype=torch.int32, device="cuda")
        before = torch.cuda.memory_allocated()
        y = scanrt.scan(x)
        stream.synchronize()
    assert torch.equal(y, torch.arange(1, 1001, dtype=torch.int32, device="cuda"))
    results = y.untyped_storage().nbytes()
    assert torch.cuda.memory_allocated() - before > (results + 511) // 512 * 512


def test_memory_comes_from_cupy(cupy):
    pool = cupy.get_default_memory_pool()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.ones(1000, dtype=cupy.int32)
        before = pool.used_bytes()
        y = scanrt.scan(x)
        stream.synchronize()
    assert int(y[-1]) == 1000
    assert pool.used_bytes() - before > (y.nbytes + 511) // 512 * 512
