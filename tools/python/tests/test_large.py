# SPDX-License-Identifier: BSD-2-Clause
"""As many elements as a GPU's memory holds: SCANRT_TEST_LARGE=1 pytest -m gpu tests/test_large.py. PyTorch makes and
checks them in parts, so that no other array of their size is needed."""

import os

import pytest

import scanrt

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(os.environ.get("SCANRT_TEST_LARGE") != "1", reason="SCANRT_TEST_LARGE is not 1"),
]
PART = 1 << 28


@pytest.fixture
def torch(torch):
    """PyTorch with all memory released, before and after."""
    torch.cuda.empty_cache()
    yield torch
    torch.cuda.empty_cache()


def items_for(torch, bytes_each, share=0.85):
    """The number of elements of bytes_each bytes in a share of the free memory, minus the memory of the checks."""
    free = torch.cuda.mem_get_info()[0] - (3 << 30)
    return int(free * share) // bytes_each


def parts(n):
    for begin in range(0, n, PART):
        yield begin, min(n, begin + PART)


def numbers(torch, begin, end):
    """begin, begin + 1, ... modulo 2^32, as int32."""
    return torch.arange(begin, end, device="cuda", dtype=torch.int64).to(torch.int32)


def test_sums_in_place(torch):
    n = items_for(torch, 4)
    x = torch.ones(n, dtype=torch.int32, device="cuda")
    scanrt.scan(x, out=x)
    for begin, end in parts(n):
        assert torch.equal(x[begin:end], numbers(torch, begin + 1, end + 1)), begin


def test_float_sums_of_two_runs(torch):
    """Sums of whole numbers below 2^24 are exact; sums that round have equal bits in two runs."""
    n = items_for(torch, 8)
    x = torch.zeros(n, dtype=torch.float32, device="cuda")
    x[:: n // 1000] = 1
    out = scanrt.scan(x)
    assert int(out[-1]) == len(range(0, n, n // 1000))
    for begin, end in parts(n):
        marks = torch.arange(begin, end, device="cuda") // (n // 1000) + 1
        assert torch.equal(out[begin:end], marks.to(torch.float32)), begin
    x.uniform_()
    scanrt.scan(x, out=out)
    sums = [out[begin:end].view(torch.int32).sum(dtype=torch.int64) for begin, end in parts(n)]
    scanrt.scan(x, out=x)
    for (begin, end), was in zip(parts(n), sums):
        assert torch.equal(x[begin:end].view(torch.int32), out[begin:end].view(torch.int32)), begin
        assert x[begin:end].view(torch.int32).sum(dtype=torch.int64) == was


def test_kept_elements(torch):
    """Keeps every third one of more than 2^32 elements."""
    n = items_for(torch, 6)  # the elements, their flags, and as much for the kept ones
    n -= n % 3
    x = torch.empty(n, dtype=torch.int16, device="cuda")
    keep = torch.zeros(n, dtype=torch.bool, device="cuda")
    keep[::3] = True
    for begin, end in parts(n):
        x[begin:end] = (torch.arange(begin, end, device="cuda") % 30011).to(torch.int16)
    kept = scanrt.select(x, keep)
    assert kept.shape == (n // 3,)
    for begin, end in parts(n // 3):
        wanted = (torch.arange(begin, end, device="cuda") * 3 % 30011).to(torch.int16)
        assert torch.equal(kept[begin:end], wanted), begin


def test_sorted_bytes(torch):
    n = items_for(torch, 7)  # keys, sorted keys, and 4 bytes a key for the sort
    x = torch.empty(n, dtype=torch.uint8, device="cuda")
    counts = torch.zeros(256, dtype=torch.int64, device="cuda")
    for begin, end in parts(n):
        x[begin:end].random_(0, 256)
        counts += torch.bincount(x[begin:end].to(torch.int16), minlength=256)
    out = scanrt.sort(x)
    ends = torch.cumsum(counts, 0)
    for begin, end in parts(n):
        wanted = torch.searchsorted(ends, torch.arange(begin, end, device="cuda"), right=True)
        assert torch.equal(out[begin:end], wanted.to(torch.uint8)), begin
