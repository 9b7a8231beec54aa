# SPDX-License-Identifier: BSD-2-Clause
# ruff: noqa: B023 (functions are called before the loop goes on)
"""scanrt.torch: gradients compared with finite differences and with PyTorch's own, operators checked by
torch.library.opcheck, and torch.compile. On the host, and with -m gpu on a GPU."""

import functools
import shutil

import pytest

import scanrt
from scanrt import Segments
from scanrt._recurrence import affine_arrays_op, affine_gradients_op, affine_op

torch = pytest.importorskip("torch")
if not hasattr(torch.library, "custom_op"):
    pytest.skip("scanrt.torch needs PyTorch 2.4", allow_module_level=True)

from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch.library import opcheck  # noqa: E402

import scanrt.torch as differentiable  # noqa: E402
from scanrt.torch._moves import reduce_by_key_op, select_op, sort_by_key_op, spread_op, spread_runs_op  # noqa: E402
from scanrt.torch._recurrence import gradients_op, recurrence_op  # noqa: E402
from scanrt.torch._scans import scan_op  # noqa: E402


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    torch.manual_seed(7)
    return request.param


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def doubles(device, *shape):
    return torch.randn(shape, dtype=torch.float64, device=device, requires_grad=True)


def floats(device, *shape):
    return torch.randn(shape, device=device, requires_grad=True)


def segmentations(x, axis):
    """No segments, flags and keys, and for one axis offsets."""
    flags = torch.rand(x.shape, device=x.device) < 0.4
    yield None
    yield flags
    yield Segments.keys((torch.rand(x.shape, device=x.device) * 3).int())
    if x.ndim == 1:
        yield Segments.offsets(torch.tensor([0, 2, 2, 5, x.shape[0]], device=x.device))


# ---- scans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("op", ["add", "max", "min"])
def test_gradients_of_scans(device, op, exclusive, reverse):
    far = {"add": None, "max": -100.0, "min": 100.0}[op]  # finite, which finite differences need
    for shape, axis in ((6,), 0), ((3, 5, 2), 0), ((3, 5, 2), 1), ((3, 5, 2), -1):
        x = doubles(device, *shape)
        for segments in segmentations(x, axis):
            for initial in far if exclusive else None, 0.2:
                options = {"exclusive": exclusive, "reverse": reverse, "segments": segments, "initial": initial}
                assert gradcheck(lambda x: differentiable.scan(x, op, axis, **options), (x,))
    assert gradgradcheck(lambda x: differentiable.scan(x, op, axis, **options), (x,))
    assert gradcheck(lambda x: differentiable.scan(x, op, None, exclusive, reverse, initial=far), (x,))


@pytest.mark.parametrize("name", ["cumsum", "cummax", "cummin"])
@pytest.mark.parametrize("axis", [0, 1])
def test_gradients_are_those_of_pytorch(device, name, axis):
    x = floats(device, 70, 3000)
    weights = torch.randn(70, 3000, device=device)
    own = getattr(scanrt, name)(x, axis)
    theirs = getattr(torch, name)(x, axis)
    theirs = theirs if name == "cumsum" else theirs.values
    got, expected = (torch.autograd.grad((y * weights).sum(), x)[0] for y in (own, theirs))
    torch.testing.assert_close(own, theirs, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-3)


def test_of_equal_extremes_the_last_one_has_the_gradient(device):
    x = torch.tensor([1.0, 3, 3, 2, 3], device=device, requires_grad=True)
    for reverse, expected in (False, [1.0, 1, 2, 0, 1]), (True, [0.0, 2, 1, 0, 2]):
        (got,) = torch.autograd.grad(scanrt.scan(x, "max", reverse=reverse).sum(), x)
        assert torch.equal(got.cpu(), torch.tensor(expected))
    (expected,) = torch.autograd.grad(torch.cummax(x, 0).values.sum(), x)
    assert torch.equal(torch.autograd.grad(scanrt.cummax(x).sum(), x)[0], expected)


def test_dtypes_and_gradients(device):
    x = torch.randn(100, device=device, dtype=torch.bfloat16, requires_grad=True)
    y = scanrt.cumsum(x, dtype=torch.float32)
    assert y.dtype == torch.float32
    (got,) = torch.autograd.grad(y.sum(), x)
    assert got.dtype == torch.bfloat16 and float(got[-1]) == 1
    assert differentiable.cumsum(torch.ones(3, dtype=torch.int32, device=device)).dtype == torch.int64
    assert differentiable.scan(torch.ones(3, dtype=torch.bool, device=device)).dtype == torch.int64
    z = torch.randn(20, device=device, dtype=torch.complex128, requires_grad=True)
    assert gradcheck(differentiable.cumsum, (z,))


def test_empty_tensors(device):
    for shape in (0,), (3, 0):
        x = floats(device, *shape)
        for op in "add", "max":
            scanrt.scan(x, op).sum().backward()
        differentiable.linear_recurrence(x, x).sum().backward()
        assert x.grad.shape == x.shape
    x = floats(device, 0)
    none = torch.empty(0, device=device)
    scanrt.select(x, none.bool()).sum().backward()
    scanrt.reduce_by_key(none.int(), x)[1].sum().backward()
    scanrt.sort_by_key(none.int(), x)[1].sum().backward()


# ---- recurrences -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_recurrences(device, reverse):
    def call(a, b, initial=None, segments=None):
        return differentiable.linear_recurrence(a, b, axis, reverse, segments=segments, initial=initial)

    for shape, axis in ((6,), 0), ((3, 5, 2), 0), ((3, 5, 2), 1), ((3, 5, 2), -1):
        a, b = doubles(device, *shape), doubles(device, *shape)
        for segments in segmentations(a, axis):
            assert gradcheck(lambda a, b: call(a, b, segments=segments), (a, b))
        initial = doubles(device, *b.movedim(axis, -1).shape[:-1])
        assert gradcheck(call, (a, b, initial))
    assert gradgradcheck(call, (a, b, initial))
    assert gradgradcheck(lambda a, b: call(a, b, segments=segments), (a, b))
    assert gradcheck(call, (doubles(device, 5, 1), b, initial))  # broadcast


def loop(a, b, initial=None):
    h, results = torch.zeros_like(b[..., 0]) if initial is None else initial, []
    for t in range(b.shape[-1]):
        h = a[..., t] * h + b[..., t]
        results.append(h)
    return torch.stack(results, -1)


def test_recurrences_beside_a_loop(device):
    a, b, initial = torch.rand(40, 700, device=device), floats(device, 40, 700), floats(device, 40)
    a.requires_grad_()
    weights = torch.randn(40, 700, device=device)
    own, theirs = differentiable.linear_recurrence(a, b, initial=initial), loop(a, b, initial)
    torch.testing.assert_close(own, theirs, rtol=1e-4, atol=1e-4)
    got, expected = (torch.autograd.grad((h * weights).sum(), (a, b, initial)) for h in (own, theirs))
    torch.testing.assert_close(got, expected, rtol=1e-3, atol=1e-3)
    assert differentiable.linear_recurrence(a.half(), b.half()).dtype == torch.float16


@pytest.mark.parametrize("reverse", [False, True])
def test_first_coefficients_are_not_applied(device, reverse):
    a, b = torch.full((2, 7), 0.5, device=device), torch.ones(2, 7, device=device)
    a[:, -1 if reverse else 0] = float("nan")
    call = functools.partial(differentiable.linear_recurrence, axis=1, reverse=reverse)
    expected = torch.tensor([1, 1.5, 1.75, 1.875, 1.9375, 1.96875, 1.984375])
    assert torch.equal(call(a, b).cpu(), (expected.flip(0) if reverse else expected).expand(2, 7))
    a[:, 3], flags = float("nan"), torch.zeros(2, 7, dtype=torch.bool, device=device)
    flags[:, 4 if reverse else 3] = True
    expected = torch.tensor([1.875, 1.75, 1.5, 1, 1.75, 1.5, 1] if reverse else [1, 1.5, 1.75, 1, 1.5, 1.75, 1.875])
    assert torch.equal(call(a, b, segments=flags).cpu(), expected.expand(2, 7))


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_operators_of_devices_have_the_bits_of_the_composite(dtype):
    """On devices they read and write arrays of their own. They are compiled for the host here."""
    a, b, weights = torch.randn(3, 3, 5000, dtype=getattr(torch, dtype)).unbind()
    a, b = a.requires_grad_(), b.requires_grad_()
    for reverse in False, True:
        h = differentiable.linear_recurrence(a, b, 1, reverse)
        to_a, to_b = torch.autograd.grad(h, (a, b), weights)
        arrays = a.detach(), b.detach(), h.detach()
        assert torch.equal(scanrt.scan(arrays[1::-1], affine_arrays_op(dtype, 0), 1, reverse=reverse), h)
        op = affine_gradients_op(dtype, -1 if reverse else 1)
        got = scanrt.scan((weights, arrays[0], arrays[2]), op, 1, reverse=not reverse)
        assert torch.equal(got[0], to_b) and torch.equal(got[1], to_a)


# ---- moves -----------------------------------------------------------------------------------------------------------


def test_gradients_of_moves(device):
    x, rows = doubles(device, 9), doubles(device, 9, 2)
    keys = torch.tensor([1, 1, 2, 2, 2, 1, 5, 5, 5], device=device)
    for keep in keys == 2, keys != 2, keys == 7, keys < 7:
        assert gradcheck(lambda x, rows: scanrt.select((x, rows), keep), (x, rows))
    assert gradcheck(lambda x: scanrt.select(x, keys.view(3, 3) != 2), (doubles(device, 3, 3),))
    assert gradcheck(lambda x: scanrt.reduce_by_key(keys, x)[1], (x,))
    assert gradcheck(lambda x: scanrt.sort_by_key(keys, x)[1], (x,))
    assert gradcheck(lambda k, x, rows: scanrt.sort_by_key(k, x, rows, descending=True), (doubles(device, 9), x, rows))
    offsets = Segments.offsets(torch.tensor([0, 4, 9], device=device))
    assert gradcheck(lambda x: scanrt.sort_by_key(keys, x, bits=(0, 2), segments=offsets)[1], (x,))
    for call in (
        lambda x: scanrt.select(x, keys == 2),
        lambda x: scanrt.reduce_by_key(keys, x)[1],
        lambda x: scanrt.sort_by_key(keys, x)[1],
    ):
        assert gradgradcheck(call, (x,))


# ---- operators, torch.compile and determinism ------------------------------------------------------------------------


def test_operators(device):
    x, a = floats(device, 3, 50), floats(device, 3, 50)
    flags, initial = torch.rand(3, 50, device=device) < 0.1, floats(device, 50)
    for op in "add", "max":
        opcheck(scan_op, (x, op, 1, False, True, flags, 1, None, None))
        opcheck(scan_op, (x.t(), op, 0, True, False, None, 0, None, 0.5))
    opcheck(scan_op, (x.detach().int(), "mul", 0, True, False, None, 0, torch.int64, 2))
    opcheck(recurrence_op, (a, x, initial, 0, True, False, None, 0))
    opcheck(recurrence_op, (a, x, None, 1, False, True, flags, 1))
    if x.is_cuda:
        plain = [y.detach() for y in (a, x, x)]
        opcheck(gradients_op, (*plain, None, 1, True))
        opcheck(gradients_op, (*plain, initial.detach(), 0, False))
    keys, value, rows = torch.randint(0, 3, (50,), device=device).float(), floats(device, 50), floats(device, 50, 2)
    keep = keys == 1
    opcheck(select_op, (rows, keep))
    opcheck(spread_op, (floats(device, int(keep.sum()), 2), keep))
    opcheck(reduce_by_key_op, (keys, value, None))
    opcheck(spread_runs_op, (keys, floats(device, scanrt.reduce_by_key(keys, keys)[0].shape[0])))
    opcheck(sort_by_key_op, (value, [value, rows], False, None, 0, 0, None))
    # Tensors with other strides.
    opcheck(scan_op, (x[:, ::3], "add", 1, False, False, None, 0, None, None))
    opcheck(scan_op, (initial.expand(3, 50), "max", 0, False, False, None, 0, None, None))
    opcheck(recurrence_op, (a.t(), x.t(), None, 0, False, False, None, 0))
    opcheck(sort_by_key_op, (value[::2], [x.t()[:25]], True, None, 0, 0, None))
    opcheck(select_op, (x.t(), keep))


@pytest.mark.parametrize("names", [differentiable, scanrt])
@torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
def test_compiled_graphs_keep_the_operators(device, names):
    if names is scanrt and not hasattr(torch.compiler, "substitute_in_graph"):
        pytest.skip("this PyTorch interrupts the graph at scanrt's functions")
    x, keep = floats(device, 4, 60), torch.rand(60, device=device) < 0.5
    keys = torch.randint(0, 3, (60,), device=device)

    def every(x):
        h = differentiable.linear_recurrence(names.cumsum(x, 1).sigmoid(), names.cummax(x, 0), 1)
        sums = names.reduce_by_key(keys, h[0])[1]
        return names.scan(h, reverse=True)[0], names.select(h[1], keep) * 2, sums, names.sort_by_key(keys, h[3])[1]

    results = []
    for call in every, torch.compile(every, fullgraph=True, backend="aot_eager"):
        found = call(x)
        (gradient,) = torch.autograd.grad(sum((y * y).sum() for y in found), x)
        results.append((*found, gradient))
    torch.testing.assert_close(*results)


def test_calls_that_only_scanrt_takes_interrupt_the_graph():
    x, out = torch.ones(4), torch.empty(4)
    call = torch.compile(lambda x: scanrt.scan(x * 2, out=out) + 1, backend="eager")
    assert float(call(x)[-1]) == 9


def test_the_same_bits_in_each_run(device, deterministic):
    n = 300_000
    x, a = floats(device, n), torch.rand(n, device=device).requires_grad_()
    keys = torch.randint(0, 3, (n,), device=device)
    weights = torch.randn(n, device=device)

    def gradients():
        found = []
        for y in (
            scanrt.cumsum(x),
            scanrt.cummax(x),
            differentiable.linear_recurrence(a, x),
            scanrt.select(x, keys > 0),
            scanrt.reduce_by_key(keys, x)[1],
            scanrt.sort_by_key(keys, x)[1],
        ):
            found += [y, torch.autograd.grad((y * weights[: len(y)]).sum(), x)[0]]
        return found

    first = gradients()
    for _ in range(3):
        assert all(torch.equal(got, expected) for got, expected in zip(gradients(), first))


@pytest.mark.gpu
@pytest.mark.parametrize("op", ["add", "max"])
def test_gradients_have_the_hosts_bits(op):
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    x, weights, a = torch.randn(30, 20_000), torch.randn(30, 20_000), torch.rand(30, 20_000)
    results = []
    for device in "cpu", "cuda":
        y, g, b = (t.to(device) for t in (x, weights, a))
        y.requires_grad_(), b.requires_grad_()
        found = [scanrt.scan(y, op), differentiable.linear_recurrence(b, y)]
        found += torch.autograd.grad(found[0], y, g)
        found += torch.autograd.grad(found[1], (b, y), g)
        results.append([t.detach().cpu() for t in found])
    assert all(torch.equal(a, b) for a, b in zip(*results))


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: scanrt.scan(x, "mul"), "add, max, min, not for 'mul'"),
        (lambda x: scanrt.scan(x, scanrt.Op.composite("affine_f32")), "an Op, which has no gradient"),
        (lambda x: scanrt.scan(x, out=torch.empty(6)), "computes none with out="),
        (lambda x: scanrt.scan(x.detach(), out=x), "computes none with out="),
        (lambda x: scanrt.sort(x), "sort computes none: give x.detach"),
        (lambda x: scanrt.select(x, scanrt.Bits(torch.zeros(1, dtype=torch.int32))), "a tensor of flags"),
        (lambda x: scanrt.reduce_by_key(torch.ones(6), x, "max"), "not for 'max'"),
        (lambda x: scanrt.sort_by_key(torch.ones(6), *[x] * 8), "up to 7"),
        (lambda x: differentiable.scan(x, dtype="float31"), "no dtype of PyTorch's"),
        (lambda x: differentiable.linear_recurrence(x, x.int()), "b is no tensor of floating-point"),
        (lambda x: differentiable.linear_recurrence(x, x, 1), "axis 1"),
        (lambda x: differentiable.linear_recurrence(x, x, segments=x > 0, initial=x[0]), "do not go together"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(scanrt.InvalidArgument, match=words):
        call(torch.ones(6, requires_grad=True))


def test_without_gradients_nothing_changes():
    x = torch.ones(6, requires_grad=True)
    with torch.no_grad():
        assert not scanrt.scan(x).requires_grad
    assert not scanrt.scan(x.detach(), "mul").requires_grad
