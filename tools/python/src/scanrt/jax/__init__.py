# SPDX-License-Identifier: BSD-2-Clause
"""Functions of JAX's arrays that jax.jit, jax.vmap and reverse-mode differentiation take, on hosts and NVIDIA's GPUs.

Programs call scanrt by XLA's foreign function interface (jax.ffi). Arguments are those of the functions of the same
names in scanrt; results have fixed sizes. Gradients have the same bits in every run.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from .. import _dtypes
from .. import _structs as c
from .._call import axis_of
from .._checks import count_of
from .._errors import InvalidArgument
from .._segments import Segments
from . import _moves, _scans

__all__ = ["cummax", "cummin", "cumsum", "linear_recurrence", "reduce_by_key", "scan", "select", "sort_by_key"]


def _marks_of(segments):
    """The array and the kind of segments."""
    if segments is None:
        return None, c.SEGMENTS_NONE
    if isinstance(segments, Segments):
        return jnp.asarray(segments.array), segments.kind
    return jnp.asarray(segments), c.SEGMENTS_FLAGS


def scan(
    x: jax.Array,
    op: str = "add",
    axis: int | None = -1,
    exclusive: bool = False,
    reverse: bool = False,
    *,
    segments: Segments | jax.Array | None = None,
    dtype: Any = None,
    initial: int | float | bool | None = None,
) -> jax.Array:
    """As scanrt.scan. Gradients: of "add", "max" and "min". The gradient of a maximum or minimum goes to the element
    that is the result, of several equal ones to the last one that the scan has met. initial is a number of Python's."""
    x = jnp.asarray(x)
    if not isinstance(op, str) or op not in c.OPS:
        raise InvalidArgument(f"op is {op!r}: scanrt.jax takes the names of operators, one of {', '.join(c.OPS)}")
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0
    if dtype is None:
        dtype = jnp.asarray(0).dtype if x.dtype == bool and op in _dtypes.SUMS else x.dtype
    dtype = jnp.dtype(dtype)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        if op != "add" or initial is not None or dtype != x.dtype:
            raise InvalidArgument("of complex numbers scanrt.jax has sums in their dtype, without initial=")
        options = {"exclusive": exclusive, "reverse": reverse, "segments": segments}
        return jax.lax.complex(*(scan(part, "add", axis, **options) for part in (x.real, x.imag)))
    if not _dtypes.defined(op, x.dtype.name, dtype.name):
        x = x.astype(dtype)
        _dtypes.check_defined(op, dtype.name, dtype.name)
    marks, kind = _marks_of(segments)
    options = _scans.Scan(op, axis_of(axis, x.ndim) - x.ndim, bool(exclusive), bool(reverse), kind, dtype.name, initial)
    return _scans.scan(options, x, marks)


def cumsum(a: jax.Array, axis: int | None = None, dtype: Any = None) -> jax.Array:
    """As scanrt.cumsum: axis None flattens the array, and integers become int64 or uint64, without jax_enable_x64 int32
    or uint32, which wrap around."""
    a = jnp.asarray(a)
    if dtype is None:
        dtype = jax.dtypes.canonicalize_dtype(_dtypes._SUM_TYPES.get(a.dtype.name, a.dtype))
    return scan(a, "add", axis, dtype=dtype)


def cummax(a: jax.Array, axis: int | None = None) -> jax.Array:
    """As jax.lax.cummax; axis None flattens the array."""
    return scan(a, "max", axis)


def cummin(a: jax.Array, axis: int | None = None) -> jax.Array:
    """As jax.lax.cummin; axis None flattens the array."""
    return scan(a, "min", axis)


def linear_recurrence(
    a: jax.Array,
    b: jax.Array,
    axis: int = -1,
    reverse: bool = False,
    *,
    segments: Segments | jax.Array | None = None,
    initial: jax.Array | None = None,
) -> jax.Array:
    """h[t] = a[t] h[t - 1] + b[t] along an axis, in one scan of pairs of a and b, which are put into a temporary array.

    Args:
        a, b: floating-point arrays, broadcast to one shape. float16 and bfloat16 are computed in float32.
        axis: the axis of t.
        reverse: h[t] = a[t] h[t + 1] + b[t], from the last element on.
        segments: as in scan; each segment begins with h = b.
        initial: h before the first element, of the shape without the axis; None: 0. Not with segments.
    """
    dtype = jnp.result_type(a, b)
    if not jnp.issubdtype(dtype, jnp.floating):
        raise InvalidArgument(f"a and b are of {dtype}: give floating-point numbers")
    computed = jnp.promote_types(dtype, jnp.float32)
    a, b = jnp.broadcast_arrays(jnp.asarray(a, computed), jnp.asarray(b, computed))
    axis = axis_of(axis, b.ndim)
    if initial is not None:
        if segments is not None:
            raise InvalidArgument("initial= and segments= do not go together: each segment begins with h = b")
        if b.shape[axis]:
            first = (slice(None),) * axis + (-1 if reverse else 0,)
            b = b.at[first].add(a[first] * jnp.asarray(initial, computed))
    marks, kind = _marks_of(segments)
    return _scans.recurrence(_scans.Recurrence(axis - b.ndim, bool(reverse), kind), a, b, marks).astype(dtype)


def select(x: jax.Array, keep: jax.Array, *, size: int | None = None) -> tuple[jax.Array, jax.Array]:
    """The elements that are kept, in order, as scanrt.select by flags.

    Args:
        x: array, whose elements along the first axis are moved; or its items, if keep has its shape.
        keep: a bool (or byte) for each element.
        size: the length of the result; None: as long as x.

    Returns:
        (kept, count): the kept elements, followed by zeros, and the number of flags that are set.
    """
    x, keep = jnp.asarray(x), jnp.asarray(keep)
    if keep.ndim != 1 and keep.shape == x.shape:
        x = x.reshape(-1)
    keep = keep.reshape(-1)
    if keep.dtype not in (jnp.bool_, jnp.uint8, jnp.int8) or x.ndim == 0 or len(keep) != len(x):
        raise InvalidArgument(f"keep has {keep.size} flags of {keep.dtype}: give a bool for each element of x")
    return _moves.select(len(x) if size is None else count_of(size, "size"), x, keep)


def reduce_by_key(
    keys: jax.Array, values: jax.Array, op: str = "add", *, size: int | None = None, dtype: Any = None
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Sums the values of each run of equal keys, as scanrt.reduce_by_key.

    Args:
        keys, values: arrays with one axis. Only op "add".
        size: the length of the results; None: as long as keys.

    Returns:
        (keys, sums, count): one element a run, followed by zeros, and the number of runs.
    """
    keys, values = jnp.asarray(keys), jnp.asarray(values)
    if op != "add":
        raise InvalidArgument(f"scanrt.jax adds the values of runs, and op is {op!r}")
    if keys.ndim != 1 or keys.shape != values.shape:
        raise InvalidArgument(f"keys and values have the shapes {keys.shape} and {values.shape}: give one axis each")
    if dtype is None:
        dtype = jnp.asarray(0).dtype if values.dtype == bool else values.dtype
    dtype = jnp.dtype(dtype)
    if not _dtypes.defined("add", values.dtype.name, dtype.name):
        values = values.astype(dtype)
    size = len(keys) if size is None else count_of(size, "size")
    return _moves.reduce_by_key(size, dtype.name, jax.lax.stop_gradient(keys), values)


def sort_by_key(
    keys: jax.Array, *values: jax.Array, descending: bool = False, order: str | None = None
) -> tuple[jax.Array, ...]:
    """As scanrt.sort_by_key, with up to seven values. Keys and values have gradients, which return to their places."""
    if len(values) >= c.MOST_ARRAYS:
        raise InvalidArgument(f"{len(values)} arrays go with the keys: a call moves up to {c.MOST_ARRAYS - 1}")
    arrays = tuple(map(jnp.asarray, values))
    return _moves.sort_by_key(_moves.Sort(bool(descending), order), jnp.asarray(keys), arrays)
