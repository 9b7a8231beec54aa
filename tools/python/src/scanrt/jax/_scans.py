# SPDX-License-Identifier: BSD-2-Clause
"""Scans and linear recurrences in JAX's programs, with their gradients. Axes count from the end, so that vmap may put
others in front."""

import functools
from typing import NamedTuple, Union

import jax
import jax.numpy as jnp

from .. import _structs as c
from ._interface import call


class Scan(NamedTuple):
    """What does not change between runs of a program."""

    op: str
    axis: int
    exclusive: bool
    reverse: bool
    kind: int  # of segments
    dtype: str
    initial: Union[int, float, bool, None] = None


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def scan(options, x, marks):
    """The scan of x; marks: array of a Segments, or None."""
    return _run(options, x, marks)


def _run(options, x, marks):
    arrays = (x,) if marks is None else (x, marks)
    result = jax.ShapeDtypeStruct(x.shape, options.dtype)
    known = {key: value for key, value in options._asdict().items() if key != "dtype"}
    return call("scan", result, *arrays, **known)


def _forward(options, x, marks):
    y = scan(options, x, marks)
    return y, (None if options.op == "add" else (x, y), marks, jnp.zeros(0, x.dtype))


def _backward(options, saved, grad):
    values, marks, like = saved
    if options.op == "add":
        # The transpose of a sum is the sum from the other end.
        transposed = options._replace(reverse=not options.reverse, initial=None)
        result = scan(transposed, grad, marks)
    elif options.op in ("max", "min"):
        result = _gradient_of_extreme(options, *values, marks, grad)
    else:
        raise NotImplementedError(f"a scan by {options.op!r} has no gradient: use jax.lax.stop_gradient")
    return result.astype(like.dtype), None


scan.defvjp(_forward, _backward)


def shifted(x, axis, by):
    """x with each element moved by one place along an axis, up (by=1) or down (by=-1). The free place is 0."""
    n = x.shape[axis]
    kept = jax.lax.slice_in_dim(x, 0 if by == 1 else 1, n - 1 if by == 1 else n, axis=axis % x.ndim)
    free = jnp.zeros_like(jax.lax.slice_in_dim(x, 0, 1, axis=axis % x.ndim))
    return jnp.concatenate([free, kept] if by == 1 else [kept, free], axis)


def starts_of(marks, kind, shape, axis, reverse):
    """True at the first element of each segment and line; with reverse at the last one."""
    ones = jnp.ones(shape, jnp.uint8)
    starts = scan(Scan("max", axis, True, False, kind, "uint8", 0), ones, marks) == 0
    return ~shifted(~starts, axis, -1) if reverse else starts


def _gradient_of_extreme(options, x, y, marks, grad):
    """As in scanrt.torch: segmented sums over the results that an element is."""
    _, axis, exclusive, reverse, kind, dtype, initial = options
    if x.shape[axis] == 0:
        return grad
    step = -1 if reverse else 1
    holds = (x >= y if options.op == "max" else x <= y) | (x != x)
    starts = None
    if marks is not None and (exclusive or initial is not None):
        starts = starts_of(marks, kind, x.shape, axis, reverse)
    begins = shifted(holds, axis, step) if exclusive else holds
    if starts is not None:
        begins = begins | starts
    flags = shifted(begins, axis, 1) if reverse else begins
    sums = scan(Scan("add", axis, False, not reverse, c.SEGMENTS_FLAGS, dtype), grad, flags)
    if exclusive:
        if starts is not None:
            sums = jnp.where(starts, 0, sums)
        sums = shifted(sums, axis, -step)
    return jnp.where(holds, sums, 0)


class Recurrence(NamedTuple):
    axis: int
    reverse: bool
    kind: int


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def recurrence(options, a, b, marks):
    """h[t] = a[t] h[t - 1] + b[t] of float32 or float64."""
    arrays = (a, b) if marks is None else (a, b, marks)
    return call("recurrence", jax.ShapeDtypeStruct(b.shape, b.dtype), *arrays, **options._asdict())


def _recurrence_forward(options, a, b, marks):
    h = recurrence(options, a, b, marks)
    return h, (a, marks, h)


def _recurrence_backward(options, saved, grad):
    a, marks, h = saved
    axis, reverse, kind = options
    if a.shape[axis] == 0:
        return a, grad, None
    step = -1 if reverse else 1
    # The transpose of the recurrence runs from the other end, with each coefficient one place further.
    to_b = recurrence(Recurrence(axis, not reverse, kind), shifted(a, axis, -step), grad, marks)
    to_a = to_b * shifted(h, axis, step)
    if marks is not None:
        to_a = jnp.where(starts_of(marks, kind, a.shape, axis, reverse), 0, to_a)
    return to_a, to_b, None


recurrence.defvjp(_recurrence_forward, _recurrence_backward)
