# SPDX-License-Identifier: BSD-2-Clause
"""scanrt.jax: results and gradients under jax.jit and jax.vmap, compared with JAX's own and with finite differences.
On the host, and with -m gpu on a GPU, where the bits are compared with the host's, too."""

import ctypes
import functools
import shutil
import subprocess

import numpy as np
import pytest

import scanrt
from scanrt import Segments

jax = pytest.importorskip("jax")
if not hasattr(jax, "ffi"):
    pytest.skip("scanrt.jax needs JAX 0.5", allow_module_level=True)

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import scanrt.jax as traced  # noqa: E402
from scanrt.jax import _interface  # noqa: E402

check_gradients = functools.partial(check_grads, order=1, modes=["rev"], atol=0.1, rtol=0.1)


@pytest.fixture(autouse=True, params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request):
    try:
        found = jax.devices(request.param)[0]
    except RuntimeError as fault:
        pytest.skip(f"JAX has no {request.param}: {fault}")
    with jax.default_device(found):
        yield found


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def distinct(random, *shape):
    """Numbers that are far enough apart for finite differences."""
    return jnp.asarray(random.permutation(np.prod(shape)).reshape(shape) / 7.0, "float32")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("op", ["add", "max", "min"])
def test_scans_and_their_gradients(random, op, exclusive, reverse):
    far = {"add": None, "max": -100.0, "min": 100.0}[op]
    for shape, axis in ((6,), 0), ((3, 5, 2), 1):
        x, keys = distinct(random, *shape), random.integers(0, 2, shape, "int8")
        for kind in None, Segments.flags, Segments.keys:
            for initial in far if exclusive else None, 0.2:
                options = {"op": op, "axis": axis, "exclusive": exclusive, "reverse": reverse, "initial": initial}
                segments, of_host = (kind and kind(array) for array in (jnp.asarray(keys), keys))
                call = functools.partial(traced.scan, segments=segments, **options)
                host = scanrt.scan(np.asarray(x), segments=of_host, **options)
                assert np.array_equal(jax.jit(call)(x), host)
        check_gradients(call, (x,))


@pytest.mark.parametrize("name", ["cumsum", "cummax", "cummin"])
@pytest.mark.parametrize("axis", [0, 1])
def test_gradients_are_those_of_jax(random, name, axis):
    x = jnp.asarray(random.standard_normal((7, 300)), "float32")
    weights = jnp.asarray(random.standard_normal((7, 300)), "float32")
    results = []
    for call in getattr(traced, name), jnp.cumsum if name == "cumsum" else getattr(jax.lax, name):
        y, back = jax.vjp(jax.jit(lambda x: call(x, axis)), x)  # noqa: B023
        results.append((y, *back(weights)))
    for got, expected in zip(*results):
        np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-3)


def test_dtypes(random):
    for dtype in "bool", "int8", "uint8", "int32", "float16", "bfloat16", "complex64":
        x = jnp.asarray(random.integers(0, 2, 50)).astype(dtype)
        got = traced.cumsum(x)
        assert got.dtype == jax.dtypes.canonicalize_dtype(scanrt.cumsum(np.asarray(x)).dtype)
        assert np.array_equal(got, jnp.cumsum(x))
    assert traced.scan(jnp.ones(3, "int8"), dtype="float32").dtype == "float32"
    assert traced.scan(jnp.ones(3, "int8"), "xor").dtype == "int8"


def test_dtypes_of_64_bits(random, x64):
    for dtype in "bool", "int32", "uint32", "int64", "float64":
        x = jnp.asarray(random.integers(0, 2, 50)).astype(dtype)
        got = traced.cumsum(x)
        assert got.dtype == jax.dtypes.canonicalize_dtype(scanrt.cumsum(np.asarray(x)).dtype)
        assert np.array_equal(got, jnp.cumsum(x))
    check_gradients(traced.linear_recurrence, (jnp.linspace(0.1, 0.9, 7), jnp.linspace(-1, 1, 7)))
    kept, count = traced.select(x, x > 0)
    assert count.dtype == "int64" and int(count) == int((x > 0).sum()) == int(kept.sum())


@pytest.mark.parametrize("reverse", [False, True])
def test_recurrences(random, reverse):
    a, b = (jnp.asarray(random.random((3, 6, 2)), "float32") for _ in range(2))
    flags = jnp.asarray(random.random((3, 6, 2)) < 0.4)
    for axis in 0, 1, 2:
        _, expected = jax.lax.associative_scan(lambda f, g: (f[0] * g[0], f[1] * g[0] + g[1]), (a, b), reverse, axis)
        call = functools.partial(traced.linear_recurrence, axis=axis, reverse=reverse)
        np.testing.assert_allclose(jax.jit(call)(a, b), expected, rtol=1e-5)
        check_gradients(call, (a, b))
        check_gradients(functools.partial(call, segments=flags), (a, b))
        initial = jnp.take(a, 0, axis=axis)
        check_gradients(lambda a, b, initial: call(a, b, initial=initial), (a, b, initial))  # noqa: B023
    check_gradients(call, (a, b), order=2)
    first = -1 if reverse else 0
    holed = a.at[:, :, first].set(jnp.nan)  # the first coefficient is not applied
    assert np.array_equal(call(holed, b), call(a, b))
    assert traced.linear_recurrence(a.astype("bfloat16"), b.astype("bfloat16")).dtype == "bfloat16"


def test_moves(random):
    x, rows = distinct(random, 9), distinct(random, 9, 2)
    keys = jnp.array([1, 1, 2, 2, 2, 1, 5, 5, 5])
    for keep, size in (keys == 2, None), (keys != 2, 4), (keys == 7, 3), (keys < 7, 0):
        got, count = jax.jit(functools.partial(traced.select, size=size))(rows, keep)
        expected = np.asarray(rows)[np.asarray(keep)][:size]
        assert int(count) == int(keep.sum())
        assert np.array_equal(got[: len(expected)], expected) and not got[len(expected) :].any()
        check_gradients(lambda x: traced.select(x, keep, size=size)[0], (rows,))  # noqa: B023
    for size in None, 4, 2:
        found, sums, count = jax.jit(functools.partial(traced.reduce_by_key, size=size))(keys, x)
        expected = scanrt.reduce_by_key(np.asarray(keys), np.asarray(x))
        assert int(count) == 4
        for got, host in zip((found, sums), expected):
            assert np.array_equal(got[:4], host[:size]) and not got[4:].any()
        check_gradients(lambda x: traced.reduce_by_key(keys, x, size=size)[1], (x,))  # noqa: B023
    expected = scanrt.sort_by_key(*map(np.asarray, (keys, x, rows)))
    for got, host in zip(jax.jit(traced.sort_by_key)(keys, x, rows), expected):
        assert np.array_equal(got, host)
    check_gradients(lambda x: traced.sort_by_key(keys, x)[1], (x,))
    check_gradients(lambda k, x: traced.sort_by_key(k, x, descending=True), (distinct(random, 9), x), order=2)


def test_empty_arrays():
    x = jnp.zeros((3, 0))
    for call in traced.scan, functools.partial(traced.scan, op="max"), lambda x: traced.linear_recurrence(x, x):
        assert jax.grad(lambda x: call(x).sum())(x).shape == x.shape  # noqa: B023


def test_vmap(random):
    x = jnp.asarray(random.standard_normal((4, 5, 6)), "float32")
    same = np.testing.assert_array_equal
    same(jax.vmap(traced.scan)(x), traced.scan(x))
    same(jax.vmap(lambda x: traced.cumsum(x, 0), in_axes=1, out_axes=1)(x), traced.cumsum(x, 0))
    flags = x[0] > 0
    same(
        jax.vmap(lambda x: traced.scan(x, segments=flags))(x), traced.scan(x, segments=jnp.broadcast_to(flags, x.shape))
    )
    same(jax.vmap(traced.linear_recurrence)(x, x), traced.linear_recurrence(x, x))
    kept, counts = jax.vmap(traced.select)(x[0], x[0] > 0)
    same(counts, (x[0] > 0).sum(1))
    assert kept.shape == (5, 6)


def test_functions_of_scanrt_in_programs():
    x = jnp.arange(6.0)
    assert np.array_equal(jax.jit(scanrt.cumsum)(x), jnp.cumsum(x))
    assert np.array_equal(jax.grad(lambda x: scanrt.scan(x, reverse=True).sum())(x), jnp.arange(1.0, 7))
    for call, words in (
        (lambda x: scanrt.scan(x, out=np.empty(6)), "no out="),
        (lambda x: scanrt.select(x, x > 2), "scanrt.jax.select"),
        (lambda x: scanrt.sort(x), "outside of JAX"),
    ):
        with pytest.raises(scanrt.Unsupported, match=words):
            jax.jit(call)(x)


def test_refusals():
    x = jnp.ones(6)
    for call, words in (
        (lambda: traced.scan(x, "xor"), "'xor' is not defined on float32"),
        (lambda: traced.scan(x, axis=1), "axis 1"),
        (lambda: traced.linear_recurrence(x, x, segments=x > 0, initial=0.0), "do not go together"),
        (lambda: traced.linear_recurrence(jnp.ones(3, int), jnp.ones(3, int)), "floating-point"),
        (lambda: traced.select(x, x), "flags of float32"),
        (lambda: traced.reduce_by_key(x, x, "max"), "adds the values"),
        (lambda: traced.sort_by_key(x, *[x] * 8), "up to 7"),
    ):
        with pytest.raises(scanrt.InvalidArgument, match=words):
            call()
    with pytest.raises(NotImplementedError, match="'mul' has no gradient"):
        jax.grad(lambda x: traced.scan(x, "mul").sum())(x)
    # An error of the library while a program runs is an error of JAX's.
    with jax.default_device(jax.devices("cpu")[0]):
        with pytest.raises(Exception, match="InvalidArgument: offsets of segments go from 1"):
            jax.block_until_ready(traced.scan(jnp.ones(6), segments=Segments.offsets(jnp.array([1, 6]))))


def test_the_same_bits_in_each_run_and_on_the_host(random):
    a, b, weights = (random.standard_normal((20, 30_000)).astype("float32") for _ in range(3))

    @jax.jit
    def every(a, b, weights):
        h, back = jax.vjp(traced.linear_recurrence, a, b)
        y, back_of_sum = jax.vjp(traced.scan, b)
        z, back_of_max = jax.vjp(functools.partial(traced.scan, op="max"), b)
        return h, *back(weights), y, *back_of_sum(weights), z, *back_of_max(weights)

    first = every(a, b, weights)
    for _ in range(3):
        assert all(map(np.array_equal, every(a, b, weights), first))
    with jax.default_device(jax.devices("cpu")[0]):
        assert all(map(np.array_equal, every(a, b, weights), first))


# ---- XLA's interface -------------------------------------------------------------------------------------------------

_STRUCTS = {
    "XLA_FFI_Api_Version": _interface.Version,
    "XLA_FFI_Error_Create_Args": _interface.ErrorCreateArgs,
    "XLA_FFI_Stream_Get_Args": _interface.StreamGetArgs,
    "XLA_FFI_Buffer": _interface.Buffer,
    "XLA_FFI_ByteSpan": _interface.ByteSpan,
    "XLA_FFI_Metadata": _interface.Metadata,
}
_FIELDS = {
    ("XLA_FFI_Args", "args"): _interface.Arrays.items,
    ("XLA_FFI_Rets", "rets"): _interface.Arrays.items,
    ("XLA_FFI_Attrs", "types"): _interface.Attributes.types,
    ("XLA_FFI_Attrs", "attrs"): _interface.Attributes.items,
    ("XLA_FFI_CallFrame", "api"): _interface.CallFrame.api,
    ("XLA_FFI_CallFrame", "ctx"): _interface.CallFrame.ctx,
    ("XLA_FFI_CallFrame", "args"): _interface.CallFrame.args,
    ("XLA_FFI_CallFrame", "rets"): _interface.CallFrame.rets,
    ("XLA_FFI_CallFrame", "attrs"): _interface.CallFrame.attrs,
    ("XLA_FFI_Api", "XLA_FFI_Error_Create"): _interface.Api.error_create,
    ("XLA_FFI_Api", "XLA_FFI_Stream_Get"): _interface.Api.stream_get,
    ("XLA_FFI_Metadata_Extension", "metadata"): _interface.MetadataExtension.metadata,
}


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_structs_are_those_of_the_header(tmp_path):
    """The header's offsets, printed by a program."""
    wanted = dict(_FIELDS)
    for name, struct in _STRUCTS.items():
        for field, _ in struct._fields_:
            wanted[name, field] = getattr(struct, field)
    lines = "".join(f'printf("%zu\\n", offsetof({name}, {field}));' for name, field in wanted)
    text = f"#include <stddef.h>\n#include <stdio.h>\n#include <xla/ffi/api/c_api.h>\nint main(void) {{ {lines} }}\n"
    (tmp_path / "offsets.c").write_text(text)
    command = ["cc", "-w", f"-I{jax.ffi.include_dir()}", "offsets.c", "-o", "offsets"]
    subprocess.run(command, cwd=tmp_path, check=True)
    found = subprocess.run([tmp_path / "offsets"], capture_output=True, text=True, check=True).stdout
    assert [int(line) for line in found.split()] == [field.offset for field in wanted.values()]


def test_calls_on_a_device(monkeypatch):
    """The frame of a call on a device, as XLA makes it: the stream and the memory that the call gets."""
    seen, errors = [], []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_interface.StreamGetArgs))
    def stream_get(args):
        assert args.contents.ctx == 77
        args.contents.stream = 4096
        return None

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_interface.ErrorCreateArgs))
    def error_create(args):
        errors.append((args.contents.message, args.contents.errc))
        return 1234

    def execute(arrays, results, word):
        seen.append((arrays, results, word))
        if word == "fail":
            raise scanrt.Unsupported("as asked")

    monkeypatch.setitem(_interface.EXECUTE, "test", execute)
    api = _interface.Api(
        stream_get=ctypes.cast(stream_get, ctypes.c_void_p), error_create=ctypes.cast(error_create, ctypes.c_void_p)
    )
    dims = (ctypes.c_int64 * 2)(3, 5)
    buffer = _interface.Buffer(dtype=11, data=8192, rank=2, dims=dims)
    items = (ctypes.POINTER(_interface.Buffer) * 1)(ctypes.pointer(buffer))

    def run(word):
        text = f'{{"function": "test", "word": "{word}"}}'.encode()
        span = _interface.ByteSpan(ctypes.cast(text, ctypes.c_void_p), len(text))
        attributes = (ctypes.c_void_p * 1)(ctypes.addressof(span))
        frame = _interface.CallFrame(api=ctypes.pointer(api), ctx=77)
        frame.args.size, frame.args.items = 1, items
        frame.attrs.size, frame.attrs.items = 1, attributes
        frame.attrs.types = (ctypes.c_int * 1)(4)
        return _interface._handlers["CUDA"](ctypes.addressof(frame))

    assert run("pass") is None
    ((array,), results, word) = seen[0]
    assert (array.pointer, array.shape, array.dtype, array.stream) == (8192, (3, 5), "float32", 4096)
    assert (results, word) == ([], "pass")
    adapter, same = scanrt._arrays.array_of(array)
    assert same is array and adapter.byte_strides(array) == (20, 4) and adapter.flat(array).shape == (15,)
    assert run("fail") == 1234
    assert errors == [(b"Unsupported: as asked", 12)]
