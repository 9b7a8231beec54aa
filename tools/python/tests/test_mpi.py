# SPDX-License-Identifier: BSD-2-Clause
"""scanrt.mpi on several ranks (tests/mpi/run.sh starts them): every rank has the whole, and compares its part of the
results with what scanrt computes of the whole."""

import numpy as np
import pytest
from conftest import PyopenclSide, same, values
from test_readme import PROJECT, run

import scanrt
from scanrt import Segments

pytestmark = pytest.mark.mpi

SIZES = [0, 1, 5, 3000, 50_000]
DISTRIBUTIONS = ["as_given", "even", "by_key"]


class Ranks:
    """The communicator, and parts of whole arrays. All ranks draw the same random numbers."""

    def __init__(self):
        from mpi4py import MPI

        self.MPI, self.mpi = MPI, scanrt.mpi
        self.rank, self.size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()

    def cuts(self, random, n):
        """Where the ranks' parts begin, and n: some have none."""
        inner = random.integers(0, n, self.size - 1, endpoint=True)
        return np.concatenate([[0], np.sort(inner), [n]])

    def part(self, whole, cuts):
        return whole[cuts[self.rank] : cuts[self.rank + 1]]

    def joined(self, part):
        """The parts of all ranks, one behind the other."""
        return np.concatenate(self.MPI.COMM_WORLD.allgather(np.asarray(part)))

    def is_even(self, count, total):
        return count == (total + self.size - 1 - self.rank) // self.size


@pytest.fixture(scope="module")
def ranks():
    pytest.importorskip("mpi4py")
    return Ranks()


# ---- scans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype, op", [("float32", "add"), ("float64", "add"), ("int32", "max"), ("uint8", "xor")])
def test_scans(ranks, random, n, dtype, op):
    whole = values(random, dtype, n)
    for options in {}, {"exclusive": True}, {"reverse": True}, {"initial": 3}:
        cuts = ranks.cuts(random, n)
        got = ranks.mpi.scan(ranks.part(whole, cuts), op, **options)
        same(got, ranks.part(scanrt.scan(whole, op, **options), cuts))
    same(ranks.mpi.reduce(ranks.part(whole, cuts), op), scanrt.reduce(whole, op))


def test_scans_in_place_and_widened(ranks, random):
    whole = values(random, "int32", 10_000)
    cuts = ranks.cuts(random, len(whole))
    part = ranks.part(whole, cuts).copy()
    assert ranks.mpi.scan(part, out=part) is part
    same(part, ranks.part(scanrt.scan(whole), cuts))
    part = ranks.part(whole, cuts)
    same(ranks.mpi.scan(part, dtype="int64"), ranks.part(scanrt.scan(whole, dtype="int64"), cuts))
    same(ranks.mpi.cumsum(part), ranks.part(scanrt.cumsum(whole), cuts))
    same(ranks.mpi.cumsum(part > 0), ranks.part(scanrt.cumsum(whole > 0), cuts))
    apart = np.repeat(part, 2)[::2]
    same(ranks.mpi.scan(apart), ranks.part(scanrt.scan(whole), cuts))


@pytest.mark.parametrize("n", SIZES[1:])
def test_segments(ranks, random, n):
    whole = values(random, "float32", n)
    keys = random.integers(0, 3, n).astype("int32")
    flags = random.integers(0, 20, n) == 0
    begins = np.flatnonzero(flags)
    cuts = ranks.cuts(random, n)
    x, here = ranks.part(whole, cuts), ranks.part(flags, cuts)
    expected = ranks.part(scanrt.scan(whole, segments=flags), cuts)
    same(ranks.mpi.scan(x, segments=here), expected)
    words = np.packbits(np.pad(here, (0, -len(here) % 32)), bitorder="little").view("uint32")
    same(ranks.mpi.scan(x, segments=Segments.bits(words)), expected)
    own = begins[(begins >= cuts[ranks.rank]) & (begins < cuts[ranks.rank + 1])] - cuts[ranks.rank]
    for dtype in "int64", "uint32":
        same(ranks.mpi.scan(x, segments=Segments.offsets(own.astype(dtype))), expected)
    got = ranks.mpi.scan(x, exclusive=True, segments=Segments.keys(ranks.part(keys, cuts)))
    same(got, ranks.part(scanrt.scan(whole, exclusive=True, segments=Segments.keys(keys)), cuts))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lines(ranks, random, axis):
    whole = values(random, "float32", (60, 50))
    cuts = ranks.cuts(random, whole.shape[axis])
    part = np.moveaxis(ranks.part(np.moveaxis(whole, axis, 0), cuts), 0, axis)
    got = ranks.mpi.scan(part, "add", axis)
    same(got, np.moveaxis(ranks.part(np.moveaxis(scanrt.scan(whole, "add", axis), axis, 0), cuts), 0, axis))


def test_carries(ranks, random):
    whole = values(random, "int64", 5000)
    carry = np.array([7], "int64")
    for piece in whole[:2000], whole[2000:]:
        cuts = ranks.cuts(random, len(piece))
        first = carry[0]
        got = ranks.mpi.scan(ranks.part(piece, cuts), carry_in=carry, carry_out=carry)
        same(got, ranks.part(first + np.cumsum(piece), cuts))
    assert carry[0] == 7 + whole.sum()


def test_operators(ranks, random):
    compose = scanrt.Op.composite("affine_f32")
    whole = random.standard_normal((9000, 2)).astype("float32").view(compose.dtype)[:, 0]
    cuts = ranks.cuts(random, len(whole))
    got = ranks.mpi.scan(ranks.part(whole, cuts), compose)
    same(got.view("float32"), ranks.part(scanrt.scan(whole, compose), cuts).view("float32"))
    assert ranks.mpi.reduce(ranks.part(whole, cuts), compose).tobytes() == scanrt.reduce(whole, compose).tobytes()


def test_overflow_names_the_element_of_all(ranks, random):
    whole = np.ones(1000, "int8")
    cuts = ranks.cuts(random, len(whole))
    with pytest.raises(scanrt.Overflow) as fault:
        ranks.mpi.scan(ranks.part(whole, cuts), check_overflow=True)
    assert fault.value.index == 127


# ---- sorts and splits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sorts(ranks, random, n, distribution):
    for dtype, most in ("uint32", None), ("float32", None), ("int64", 7), ("uint8", 0):
        whole = values(random, dtype, n) if most is None else random.integers(0, most, n, dtype, endpoint=True)
        cuts = ranks.cuts(random, n)
        part = ranks.part(whole, cuts)
        keys, indices, place = ranks.mpi.sort(part, distribution=distribution, return_indices=True, return_part=True)
        order = np.argsort(whole, kind="stable")
        same(keys, whole[order][place.offset : place.offset + place.count])
        same(indices, order[place.offset : place.offset + place.count])
        same(ranks.joined(keys), whole[order])
        assert place.total == n
        if distribution == "as_given":
            assert place.count == len(part)
        elif distribution == "even":
            assert ranks.is_even(place.count, n)
        else:
            assert sum(len(np.unique(k)) for k in ranks.MPI.COMM_WORLD.allgather(keys)) == len(np.unique(whole))
        same(ranks.joined(ranks.mpi.sort(part, distribution=distribution)), whole[order])
        got = ranks.mpi.argsort(part, distribution=distribution, dtype="uint32")
        same(ranks.joined(got), order.astype("uint32"))


def test_sorts_with_arrays(ranks, random):
    keys = random.integers(-20, 20, 6000).astype("int16")
    rows, marks = values(random, "float32", (6000, 3)), values(random, "uint8", 6000)
    cuts = ranks.cuts(random, len(keys))
    parts = [ranks.part(x, cuts) for x in (keys, rows, marks)]
    expected = scanrt.sort_by_key(keys, rows, marks, descending=True)
    for distribution in DISTRIBUTIONS:
        got = ranks.mpi.sort_by_key(*parts, descending=True, distribution=distribution)
        for x, y in zip(got, expected):
            same(ranks.joined(x), y)
    own = tuple(x.copy() for x in parts)
    for x, given, y in zip(ranks.mpi.sort_by_key(*own, descending=True, out=own), own, expected):
        assert np.shares_memory(x, given) or not len(x)
        same(x, ranks.part(y, cuts))
    pairs = random.integers(0, 9, (4000, 2)).astype("uint32")
    cuts = ranks.cuts(random, len(pairs))
    got = ranks.mpi.sort_by_key(ranks.part(pairs, cuts), np.arange(cuts[ranks.rank], cuts[ranks.rank + 1]))
    for x, y in zip(got, scanrt.sort_by_key(pairs, np.arange(4000))):
        same(x, ranks.part(y, cuts))


def test_sorts_by_some_bits(ranks, random):
    whole = values(random, "uint32", 3000)
    cuts = ranks.cuts(random, len(whole))
    same(ranks.mpi.sort(ranks.part(whole, cuts), bits=(4, 12)), ranks.part(scanrt.sort(whole, bits=(4, 12)), cuts))


def test_all_keys_of_one_rank_and_equal(ranks):
    n = 5000
    keys = np.full(n if ranks.rank == ranks.size - 1 else 0, 3, "uint32")
    got, place = ranks.mpi.sort(keys, distribution="by_key", return_part=True)
    assert sum(count > 0 for count in ranks.MPI.COMM_WORLD.allgather(place.count)) == 1
    same(ranks.joined(got), np.full(n, 3, "uint32"))
    assert ranks.is_even(len(ranks.mpi.sort(keys, distribution="even")), n)


def test_splits(ranks, random):
    whole, more = values(random, "uint32", 20_000), values(random, "float64", 20_000)
    cuts = ranks.cuts(random, len(whole))
    part = ranks.part(whole, cuts)
    for distribution in DISTRIBUTIONS:
        got = ranks.mpi.split(part, ranks.part(more, cuts), bits=(3, 7), distribution=distribution)
        expected = scanrt.split(whole, more, bits=(3, 7))
        for x, y in zip(got[:-1], expected):
            same(ranks.joined(x), y)
        same(got[-1], expected[-1])
    keys, indices, offsets, place = ranks.mpi.split(part, bits=(0, 1), return_indices=True, return_part=True)
    expected = scanrt.split(whole, bits=(0, 1), return_indices=True)
    for x, y in zip((keys, indices, offsets), expected):
        same(x if x is offsets else ranks.joined(x), y)
    assert place.total == len(whole) and place.count == len(part)
    bucket = scanrt.Bucket.from_source(
        "static uint32_t third(uint32_t x, uint64_t i) { return x % 3; }", "third", "u4", 3
    )
    keys, offsets = ranks.mpi.split(part, bucket=bucket)
    same(ranks.joined(keys), whole[np.argsort(whole % 3, kind="stable")])


# ---- compaction and runs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_compaction(ranks, random, n):
    whole = values(random, "int32", n)
    cuts = ranks.cuts(random, n)
    part = ranks.part(whole, cuts)
    got, place = ranks.mpi.select(part, part > 0, return_part=True)
    same(got, part[part > 0])
    assert place.total == (whole > 0).sum() and place.offset == (whole[: cuts[ranks.rank]] > 0).sum()
    one, two = ranks.mpi.select((part, -part), part > 0)
    same(one, got)
    same(two, -got)
    runs = np.sort(whole % 50)
    got = ranks.mpi.unique_consecutive(ranks.part(runs, cuts), keep="last")
    same(ranks.joined(got), scanrt.unique_consecutive(runs))


@pytest.mark.parametrize("n", SIZES)
def test_runs(ranks, random, n):
    keys = np.repeat(random.integers(0, 3, n), random.integers(1, 2000, n))[:n].astype("uint16")
    whole = values(random, "float32", n)
    cuts = ranks.cuts(random, n)
    part = ranks.part(keys, cuts)
    *got, place = ranks.mpi.run_length_encode(part, starts=True, return_part=True)
    expected = scanrt.run_length_encode(keys, starts=True)
    for x, y in zip(got, expected):
        same(x, y[place.offset : place.offset + place.count])
        same(ranks.joined(x), y)
    for op in "add", "min":
        got = ranks.mpi.reduce_by_key(part, ranks.part(whole, cuts), op)
        for x, y in zip(got, scanrt.reduce_by_key(keys, whole, op)):
            same(ranks.joined(x), y)
    found, counts = ranks.mpi.unique(part, return_counts=True)
    for x, y in zip((found, counts), np.unique(keys, return_counts=True)):
        same(ranks.joined(x), y)
    same(ranks.joined(ranks.mpi.unique(part)), np.unique(keys))


# ---- ranks and their errors ------------------------------------------------------------------------------------------


def test_offsets(ranks):
    place = ranks.mpi.offsets(ranks.rank + 1)
    assert place == (ranks.rank + 1, sum(range(ranks.rank + 1)), sum(range(ranks.size + 1)))


def test_info(ranks):
    found = ranks.mpi.info()
    assert found.transport == "mpi" and found.takes_device_memory
    ranks.mpi.sort(np.arange(1000, 0, -1, dtype="uint32") - ranks.rank)
    assert (ranks.mpi.info().sent_bytes > 0) == (ranks.size > 1)


def test_an_error_of_one_rank_is_raised_on_all(ranks):
    last = ranks.size - 1
    is_last = ranks.rank == last
    x, bad = np.arange(10, dtype="int32"), np.array(["a"])
    read_only = x.copy()
    read_only.flags.writeable = False
    for call, words in (
        (lambda: ranks.mpi.scan(bad if is_last else x), "not scanned"),
        (lambda: ranks.mpi.scan(x, out=read_only if is_last else None), "read-only"),
        (lambda: ranks.mpi.scan(x, segments=x[:3] > 0 if is_last else None), "3 marks for 10"),
        (lambda: ranks.mpi.scan(x, segments=Segments.offsets(x + 2 * is_last)), "must ascend"),
        (lambda: ranks.mpi.sort(x[:, None] if is_last else x), "one axis"),
        (lambda: ranks.mpi.sort(x, distribution="odd" if is_last else "even"), "no distribution 'odd'"),
        (lambda: ranks.mpi.sort_by_key(x, x[:4] if is_last else x), "10 elements"),
        (lambda: ranks.mpi.split(x, bits=(0, 9) if is_last else (0, 2)), "9 bits"),
        (lambda: ranks.mpi.select(x, x if is_last else x > 0), "flags"),
        (lambda: ranks.mpi.reduce_by_key(x, x[:4] if is_last else x), "10 keys"),
        (lambda: ranks.mpi.offsets(-1 if is_last else 1), "count is -1"),
    ):
        with pytest.raises(scanrt.InvalidArgument, match=f"rank {last}: .*{words}"):
            call()
    assert ranks.mpi.reduce(x) == 45 * ranks.size


def test_errors_of_other_kinds(ranks):
    """The rank that has it raises Python's error; the others its words."""

    class Odd:
        def __array__(self, *_, **__):
            raise RuntimeError("no array today")

    x = np.arange(10, dtype="int32")
    with pytest.raises(RuntimeError, match="no array today"):
        ranks.mpi.scan(Odd() if ranks.rank == 0 else x)


def test_errors_of_the_library(ranks):
    """Specs that differ, and a rank without room for its results."""
    if ranks.size == 1:
        pytest.skip("one rank")
    x = np.arange(10, dtype="int32")
    with pytest.raises(scanrt.InvalidArgument, match="rank 1: spec"):
        ranks.mpi.scan(x, "max" if ranks.rank == 1 else "add")
    with pytest.raises(scanrt.InvalidArgument, match="different calls"):
        (ranks.mpi.sort if ranks.rank == 1 else ranks.mpi.scan)(x)
    with pytest.raises(scanrt.InvalidArgument, match="different calls"):
        ranks.mpi.scan(x if ranks.rank == 1 else x.reshape(2, 5))
    for distribution in DISTRIBUTIONS:
        short = np.full(3, 7, "int32") if ranks.rank == 1 else None
        with pytest.raises(scanrt.InvalidArgument, match="rank 1: "):
            ranks.mpi.sort(x, distribution=distribution, out=short)
        assert short is None or (short == 7).all()
    assert ranks.mpi.reduce(x, "max") == 9


def test_communicators(ranks, random):
    MPI = ranks.MPI
    half = MPI.COMM_WORLD.Split(ranks.rank % 2, ranks.rank)
    x = values(random, "int32", 50)
    same(ranks.mpi.reduce(x, comm=half), scanrt.reduce(np.tile(x, half.Get_size())))
    backwards = MPI.COMM_WORLD.Split(0, -ranks.rank)
    assert ranks.mpi.offsets(1, comm=backwards).offset == ranks.size - 1 - ranks.rank
    assert ranks.mpi.scan(np.array([1]), comm=backwards)[0] == ranks.size - ranks.rank
    for comm in half, backwards:
        comm.Free()
    same(ranks.mpi.scan(x, comm=MPI.COMM_SELF), scanrt.scan(x))
    for comm in MPI.COMM_NULL, 5:
        with pytest.raises(scanrt.InvalidArgument, match="give an intracommunicator"):
            ranks.mpi.scan(x, comm=comm)


def test_ranks_change_their_devices(ranks, random):
    """A handle is made for each combination of the ranks' contexts."""
    x = values(random, "int32", 100)
    expected = scanrt.reduce(np.tile(x, ranks.size))
    for threads in 1, 2, 3, 1, 2:
        with scanrt.device("host", threads if ranks.rank % 2 else 1):
            same(ranks.mpi.reduce(x), expected)
    ranks.mpi.free()
    for threads in range(1, 20):
        with scanrt.device("host", threads):
            same(ranks.mpi.reduce(x), expected)


def test_containers(ranks):
    n = 10
    expected = np.cumsum(np.arange(n * ranks.size))[ranks.rank * n : (ranks.rank + 1) * n]
    own = np.arange(n) + ranks.rank * n
    assert ranks.mpi.scan(own.tolist()).tolist() == expected.tolist()
    jax = pytest.importorskip("jax")
    got = ranks.mpi.scan(jax.numpy.asarray(own))
    assert np.asarray(got).tolist() == expected.tolist()


@pytest.mark.opencl
def test_opencl(ranks, random):
    side = PyopenclSide()
    try:
        scanrt.scan(side.put(np.ones(1, "int32")))
    except scanrt.Unsupported as fault:
        if "built without" not in str(fault):
            raise
        pytest.skip(str(fault))
    for dtype in "int32", "float32":
        whole = values(random, dtype, 4000)
        cuts = np.linspace(0, 4000, ranks.size + 1).astype(int)
        x = side.put(ranks.part(whole, cuts))
        same(side.get(ranks.mpi.scan(x)), ranks.part(scanrt.scan(whole), cuts))
        same(ranks.joined(side.get(ranks.mpi.sort(x, distribution="even"))), scanrt.sort(whole))
    assert ranks.mpi.info(x).transport == "staged"


def test_the_lines_of_the_tutorial(ranks):
    assert run(" mpi") >= 1 or not (PROJECT / "include" / "scanrt").is_dir()
