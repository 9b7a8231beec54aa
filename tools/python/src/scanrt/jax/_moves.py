# SPDX-License-Identifier: BSD-2-Clause
"""select, reduce_by_key and sort_by_key in JAX's programs, whose results have a fixed size. Gradients are gathered from
the results, or written to places of which each one is written once."""

import functools
from typing import NamedTuple, Optional

import jax
import jax.numpy as jnp

from ._interface import call
from ._scans import Scan, scan


def _index_dtype(n):
    return "int32" if n < 1 << 31 else "int64"


def _counted(words, results):
    """The number in two words, and the results with 0 behind that many."""
    count = words[0].astype(jnp.int32)
    if jax.config.jax_enable_x64:
        count = words[0].astype(jnp.int64) | (words[1].astype(jnp.int64) << 32)

    def cleared(x):
        is_there = jnp.arange(x.shape[0]) < count
        return jnp.where(is_there.reshape(-1, *[1] * (x.ndim - 1)), x, 0)

    return [cleared(x) for x in results], count


def _gathered(grad, places, is_there):
    """grad[places], and 0 where is_there is false."""
    is_there = (is_there & (places < grad.shape[0])).reshape(-1, *[1] * (grad.ndim - 1))
    if grad.shape[0] == 0:
        return jnp.zeros((places.shape[0], *grad.shape[1:]), grad.dtype)
    return jnp.where(is_there, jnp.take(grad, places, axis=0, mode="clip"), 0)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def select(size, x, keep):
    """The first `size` rows whose flag is set, and their number."""
    results = jax.ShapeDtypeStruct((size, *x.shape[1:]), x.dtype), jax.ShapeDtypeStruct((2,), jnp.uint32)
    out, words = call("select", results, x, keep, batches=False)
    (out,), count = _counted(words, [out])
    return out, count


def _select_forward(size, x, keep):
    return select(size, x, keep), keep


def _select_backward(size, keep, grads):
    ranks = scan(Scan("add", -1, False, False, 0, _index_dtype(len(keep))), keep.astype(jnp.int8), None) - 1
    return _gathered(grads[0], ranks, keep != 0), None


select.defvjp(_select_forward, _select_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def reduce_by_key(size, dtype, keys, values):
    """The keys and sums of the first `size` runs, and the number of runs."""
    results = (
        jax.ShapeDtypeStruct((size,), keys.dtype),
        jax.ShapeDtypeStruct((size,), dtype),
        jax.ShapeDtypeStruct((2,), jnp.uint32),
    )
    *results, words = call("reduce_by_key", results, keys, values, batches=False)
    results, count = _counted(words, results)
    return (*results, count)


def _sums_forward(size, dtype, keys, values):
    return reduce_by_key(size, dtype, keys, values), (keys, jnp.zeros(0, values.dtype))


def _sums_backward(size, dtype, saved, grads):
    keys, like = saved
    differs = jnp.concatenate([jnp.zeros(1, bool), keys[1:] != keys[:-1]])[: len(keys)].astype(jnp.int8)
    runs = scan(Scan("add", -1, False, False, 0, _index_dtype(len(keys))), differs, None)
    return None, _gathered(grads[1], runs, True).astype(like.dtype)


reduce_by_key.defvjp(_sums_forward, _sums_backward)


class Sort(NamedTuple):
    descending: bool
    order: Optional[str]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def sort_by_key(options, keys, values):
    arrays = keys, *values
    results = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arrays)
    return tuple(call("sort_by_key", results, *arrays, batches=False, **options._asdict()))


def _sort_forward(options, keys, values):
    indices = jnp.arange(len(keys), dtype=_index_dtype(len(keys)))
    *results, indices = sort_by_key(options, keys, (*values, indices))
    return tuple(results), indices


def _sort_backward(options, indices, grads):
    def moved_back(grad):
        if grad.dtype == jax.dtypes.float0:
            return None
        return jnp.zeros_like(grad).at[indices].set(grad, unique_indices=True, mode="promise_in_bounds")

    return moved_back(grads[0]), tuple(moved_back(grad) for grad in grads[1:])


sort_by_key.defvjp(_sort_forward, _sort_backward)
