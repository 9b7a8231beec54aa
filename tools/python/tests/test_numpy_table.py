# SPDX-License-Identifier: BSD-2-Clause
# ruff: noqa: B023 (a cell's functions are called before the loop goes on)
"""Compares every function that adds, multiplies or compares with NumPy, on every dtype and with every argument. A cell
of the table has NumPy's values and dtype, or is refused with a message. Sums and products of these values are exact, so
that their order does not matter."""

import itertools
import warnings

import numpy as np
import pytest

import scanrt

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
OPS = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
SHAPE = (4, 6)
INITIALS = [0, 1, True, 2.0, 0.5, -3, np.nan, 300, np.int8(5), np.float32(1.5), 1 + 2j, 10**30, "1", None]


def is_defined(op, dtype):
    """True if a cell without other arguments must give NumPy's result."""
    kind = np.dtype(dtype).kind
    return {"f": op not in ("and", "or", "xor"), "c": op in ("add", "mul")}.get(kind, True)


def data(dtype, op, shape=SHAPE):
    """Values whose sums exceed the range of int8 and uint8, and are exact in float16; so are their products."""
    random = np.random.default_rng(DTYPES.index(dtype))
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.8
    if op == "mul":
        x = random.choice([1, 1, 2] if dtype.kind == "u" else [1, 1, -1, 2], shape)
        return x * random.choice([1, 1, 1j], shape).astype(dtype) if dtype.kind == "c" else x.astype(dtype)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -60, 80, shape).astype(dtype)
    x = random.integers(-32, 32, shape) / 4
    return (x + 1j * random.integers(-32, 32, shape) / 4 if dtype.kind == "c" else x).astype(dtype)


def layouts(x):
    """The same shape in several memory layouts."""
    wide = np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)
    yield "C order", x
    yield "Fortran's order", np.asfortranarray(x)
    yield "gaps", wide[::2, ::3]
    yield "backwards", x[::-1, ::-1].copy()[::-1, ::-1]


class Table:
    """Wrong cells and refused cells."""

    def __init__(self):
        self.wrong, self.refused, self.cells = [], 0, 0

    def cell(self, what, call, expected, must=False):
        """Checks one cell: call() must equal expected(), or be refused unless `must` is set."""
        self.cells += 1
        try:
            got = call()
        except scanrt.ScanError as fault:
            self.refused += 1
            words = str(fault)
            if must or len(words.split()) < 5 or "argument must" in words or "format" in words:
                self.wrong.append(f"{what}: refused: {words}")
            return
        except Exception as fault:
            self.wrong.append(f"{what}: {type(fault).__name__}: {fault}")
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = np.asarray(expected())
        except (TypeError, ValueError, OverflowError) as fault:
            self.wrong.append(f"{what}: NumPy refuses it ({fault}), and scanrt gives {got}")
            return
        got = np.asarray(got)
        same = got.dtype == wanted.dtype and got.shape == wanted.shape and np.array_equal(got, wanted, equal_nan=True)
        # A bool must be a byte of 0 or 1.
        if not same or (got.dtype == bool and (got.view("u1") > 1).any()):
            self.wrong.append(
                f"{what}: {got.dtype} {got.ravel()[:6]}, and NumPy's is {wanted.dtype} {wanted.ravel()[:6]}"
            )

    def check(self):
        assert self.cells
        assert not self.wrong, f"{len(self.wrong)} of {self.cells} cells:\n" + "\n".join(self.wrong[:20])


@pytest.fixture
def table():
    with warnings.catch_warnings():
        # NumPy warns about lossy conversions, which scanrt makes, too.
        warnings.simplefilter("ignore")
        found = Table()
        yield found
        found.check()


def result_dtype(op, x, dtype=None):
    """The dtype of scan without out=: that of x; for sums of bools NumPy's."""
    if dtype is not None:
        return np.dtype(dtype)
    return np.dtype("i8") if x.dtype == bool and op in ("add", "mul") else x.dtype


def identity(op, dtype):
    if op in ("add", "or", "xor"):
        return 0
    if op == "mul":
        return 1
    if op == "and":
        return True if dtype.kind == "b" else -1 if dtype.kind == "i" else np.iinfo(dtype).max
    if dtype.kind == "b":
        return op == "min"
    if dtype.kind == "f":
        return np.inf if op == "min" else -np.inf
    return np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min


def loop(op, x, axis=-1, exclusive=False, reverse=False, dtype=None, initial=None):
    """The expected result of `scan`, by NumPy's accumulate. An initial value outside the dtype's range promotes it."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    dtype = result_dtype(op, x, dtype)
    if initial is not None:
        if np.dtype(dtype).kind in "biu" and (
            isinstance(initial, (complex, float)) or np.asarray(initial).dtype.kind == "f"
        ):
            if not float(np.real(initial)).is_integer() or np.imag(initial):
                dtype = np.result_type(dtype, np.asarray(initial).dtype)
        start = np.asarray(int(initial) if np.dtype(dtype).kind in "iu" else initial).astype(dtype)
        if start != initial and initial == initial:
            raise ValueError("the dtype does not hold the initial value")
    elif exclusive:
        start = np.asarray(identity(op, dtype)).astype(dtype)
    else:
        start = None
    x = np.flip(x, axis) if reverse else x
    if start is not None:
        shape = [1 if a == axis % x.ndim else size for a, size in enumerate(x.shape)]
        x = np.concatenate([np.full(shape, start), x.astype(dtype)], axis=axis)
    y = OPS[op].accumulate(x, axis=axis, dtype=dtype)
    if start is not None:
        y = np.take(y, range(y.shape[axis] - 1) if exclusive else range(1, y.shape[axis]), axis=axis)
    return np.flip(y, axis) if reverse else y


@pytest.mark.parametrize("source", DTYPES)
def test_scan(table, source):
    for op in OPS:
        x = data(source, op)
        for axis, exclusive, reverse in itertools.product([None, 0, 1], [False, True], [False, True]):
            what = f"scan({source}, {op!r}, {axis}, {exclusive}, {reverse})"
            for lies, y in layouts(x):
                table.cell(
                    f"{what} of {lies}",
                    lambda: scanrt.scan(y, op, axis, exclusive, reverse),
                    lambda: loop(op, x, axis, exclusive, reverse),
                    must=is_defined(op, source),
                )
        for initial in INITIALS:
            for exclusive in False, True:
                table.cell(
                    f"scan({source}, {op!r}, exclusive={exclusive}, initial={initial!r})",
                    lambda: scanrt.scan(x, op, 1, exclusive, initial=initial),
                    lambda: loop(op, x, 1, exclusive, initial=initial),
                    must=initial in (0, 1, None) and not isinstance(initial, bool) and is_defined(op, source),
                )
        for dtype in DTYPES:
            table.cell(
                f"scan({source}, {op!r}, dtype={dtype})",
                lambda: scanrt.scan(x, op, dtype=dtype),
                lambda: OPS[op].accumulate(x, axis=-1, dtype=dtype),
            )


def into(function, x, dtype, shape=None):
    out = np.full(x.shape if shape is None else shape, 7).astype(dtype)
    given = function(x, out)
    return given if given is not None else out


@pytest.mark.parametrize("source", DTYPES)
def test_out(table, source):
    def of(call):
        def own(x, out):
            assert call(x, out) is out

        return own

    for target, op in itertools.product(DTYPES, ("add", "mul", "max", "or")):
        x = data(source, op)
        # NumPy's reduce converts the first element to out's dtype.
        y = abs(x) if np.dtype(target).kind == "u" and np.dtype(source).kind in "if" else x
        kinds = np.dtype(source).kind + np.dtype(target).kind
        table.cell(
            f"scan({source}, {op!r}, out={target})",
            lambda: into(of(lambda a, out: scanrt.scan(a, op, 1, out=out)), x, target),
            lambda: into(lambda a, out: OPS[op].accumulate(a, axis=1, out=out), x, target),
            must=op in ("add", "mul") and "c" not in kinds,
        )
        table.cell(
            f"reduce({source}, {op!r}, out={target})",
            lambda: into(of(lambda a, out: scanrt.reduce(a, op, out=out)), y, target, (1,)),
            lambda: into(lambda a, out: OPS[op].reduce(a.reshape(-1), out=out, keepdims=True), y, target, (1,)),
        )
    for target in DTYPES:
        for own, theirs in (scanrt.cumsum, np.cumsum), (scanrt.cumprod, np.cumprod):
            x = data(source, "mul" if own is scanrt.cumprod else "add")
            table.cell(
                f"{own.__name__}({source}, 0, out={target})",
                lambda: into(of(lambda a, out: own(a, 0, out=out)), x, target),
                lambda: into(lambda a, out: theirs(a, 0, out=out), x, target),
            )
        for own, theirs in (scanrt.cummax, np.maximum), (scanrt.cummin, np.minimum):
            x = data(source, "max")
            table.cell(
                f"{own.__name__}({source}, 0, out={target})",
                lambda: into(of(lambda a, out: own(a, 0, out=out)), x, target),
                lambda: into(lambda a, out: theirs.accumulate(a, axis=0, out=out), x, target),
            )


@pytest.mark.parametrize("source", DTYPES)
def test_numpys_names(table, source):
    for own, theirs in (scanrt.cumsum, np.cumsum), (scanrt.cumprod, np.cumprod):
        x = data(source, "mul" if own is scanrt.cumprod else "add")
        for axis, dtype in itertools.product([None, 0, 1, -1, 2, (0, 1), 1.0, "0"], [None, *DTYPES]):
            table.cell(
                f"{own.__name__}({source}, {axis}, {dtype})",
                lambda: own(x, axis, dtype),
                lambda: theirs(x, axis, dtype),
                must=dtype is None and axis in (None, 0, 1, -1) and not isinstance(axis, float),
            )
        for y in x[:0], x[:, :0], x[0, 0], x.tolist():
            table.cell(f"{own.__name__} of {y!r}", lambda: own(y), lambda: theirs(y), must=True)
    for own, theirs, start in (
        (scanrt.cumulative_sum, np.cumsum, 0),
        (scanrt.cumulative_prod, np.cumprod, 1),
    ):
        x = data(source, "add" if start == 0 else "mul")
        for dtype in None, *DTYPES:
            result = theirs(x[:1], 0, dtype).dtype
            first = np.full((4, 1), start, result)
            table.cell(
                f"{own.__name__}({source}, axis=1, dtype={dtype}, include_initial=True)",
                lambda: own(x, axis=1, dtype=dtype, include_initial=True),
                lambda: np.concatenate([first, theirs(x, 1, dtype)], axis=1),
                must=dtype is None,
            )
    for own, theirs in (scanrt.cummax, np.maximum), (scanrt.cummin, np.minimum):
        x = data(source, "max")
        for axis in 0, 1:
            table.cell(
                f"{own.__name__}({source}, {axis})",
                lambda: own(x, axis),
                lambda: theirs.accumulate(x, axis=axis),
                must=np.dtype(source).kind != "c",
            )


@pytest.mark.parametrize("source", DTYPES)
def test_reduce(table, source):
    for op in OPS:
        x = data(source, op)
        must = is_defined(op, source)
        for lies, y in layouts(x):
            for reverse in False, True:
                table.cell(
                    f"reduce({source}, {op!r}, reverse={reverse}) of {lies}",
                    lambda: scanrt.reduce(y, op, reverse=reverse),
                    lambda: loop(op, x, None)[-1],
                    must,
                )
            for axis in range(y.ndim):
                table.cell(
                    f"reduce({source}, {op!r}, {axis}) of {lies}",
                    lambda: scanrt.reduce(y, op, axis),
                    lambda: np.take(loop(op, y, axis), -1, axis),
                    must,
                )
        for initial in INITIALS:
            table.cell(
                f"reduce({source}, {op!r}, initial={initial!r})",
                lambda: scanrt.reduce(x, op, initial=initial),
                lambda: loop(op, x, None, initial=initial)[-1],
            )
        for dtype in DTYPES:
            table.cell(
                f"reduce({source}, {op!r}, dtype={dtype})",
                lambda: scanrt.reduce(x, op, dtype=dtype),
                lambda: OPS[op].reduce(x.reshape(-1), dtype=dtype),
                must=must and dtype == "f8" and source not in ("c8", "c16") and op in ("add", "mul"),
            )


@pytest.mark.parametrize("source", DTYPES)
def test_reduce_by_key(table, source):
    keys = np.repeat(np.arange(6), [1, 9, 2, 5, 3, 4]).astype("i4")
    starts = np.flatnonzero(np.diff(keys, prepend=-1))

    def runs(op, x, dtype=None, initial=None):
        return np.array([loop(op, part, 0, dtype=dtype, initial=initial)[-1] for part in np.split(x, starts[1:])])

    for op in OPS:
        x = data(source, op).reshape(-1)
        must = is_defined(op, source) and np.dtype(source).kind != "c"
        table.cell(
            f"reduce_by_key({source}, {op!r})", lambda: scanrt.reduce_by_key(keys, x, op)[1], lambda: runs(op, x), must
        )
        for dtype in DTYPES:
            table.cell(
                f"reduce_by_key({source}, {op!r}, dtype={dtype})",
                lambda: scanrt.reduce_by_key(keys, x, op, dtype=dtype)[1],
                lambda: OPS[op].reduceat(x, starts, dtype=dtype),
            )
            table.cell(
                f"reduce_by_key({source}, {op!r}, out={dtype})",
                lambda: scanrt.reduce_by_key(keys, x, op, out=(keys.copy(), np.zeros(24, dtype)))[1],
                lambda: into(lambda a, out: OPS[op].reduceat(a, starts, out=out), x, dtype, (6,)),
            )
        for initial in INITIALS:
            table.cell(
                f"reduce_by_key({source}, {op!r}, initial={initial!r})",
                lambda: scanrt.reduce_by_key(keys, x, op, initial=initial)[1],
                lambda: runs(op, x, initial=initial),
            )


@pytest.mark.parametrize("source", DTYPES)
def test_adjacent_difference(table, source):
    x = data(source, "add").reshape(-1)
    wide = x.astype("i8") if source == "?" else x
    zero = wide.dtype.type(0)
    must = np.dtype(source).kind != "c"

    def differences(reverse=False):
        return -np.diff(wide, append=zero) if reverse else np.diff(wide, prepend=zero)

    for reverse in False, True:
        table.cell(
            f"adjacent_difference({source}, reverse={reverse})",
            lambda: scanrt.adjacent_difference(x, reverse=reverse),
            lambda: differences(reverse),
            must,
        )
    for target in DTYPES:
        table.cell(
            f"adjacent_difference({source}, out={target})",
            lambda: scanrt.adjacent_difference(x, out=np.zeros(24, target)),
            lambda: differences().astype(target),
        )


@pytest.mark.parametrize("source", DTYPES)
def test_segments_and_streams(table, source):
    begins = np.zeros(24, bool)
    begins[[0, 3, 4, 17]] = True
    offsets = np.append(np.flatnonzero(begins), 24)
    for op in "add", "mul", "max":
        x = data(source, op).reshape(-1)
        must = is_defined(op, source)
        for initial in None, 1, 0.5:
            expected = [loop(op, part, 0, initial=initial) for part in np.split(x, offsets[1:-1])]
            for segments in begins, scanrt.Segments.offsets(offsets), scanrt.Segments.keys(np.cumsum(begins)):
                table.cell(
                    f"scan({source}, {op!r}, segments, initial={initial!r})",
                    lambda: scanrt.scan(x, op, segments=segments, initial=initial),
                    lambda: np.concatenate(expected),
                    must and initial is None,
                )
            table.cell(
                f"scan_stream({source}, {op!r}, initial={initial!r})",
                lambda: scanrt.scan_stream(x, op, initial=initial, chunk_items=7),
                lambda: loop(op, x, 0, initial=initial),
                must and initial is None and np.dtype(source).kind != "c" and (source, op) != ("?", "mul"),
            )
