# SPDX-License-Identifier: BSD-2-Clause
"""The calls that XLA's programs make of scanrt. Each gets the arrays, the results to fill and its options."""

import numpy as np

from .. import _compact, _runs, _scan, _sort
from .._recurrence import affine_arrays_op, affine_op
from .._segments import Segments


def _segments_of(arrays, kind):
    return Segments(kind, arrays[-1]) if kind else None


def _scan_to(arrays, results, op, axis, exclusive, reverse, kind, initial):
    (out,) = results
    _scan.scan(
        arrays[0],
        op,
        axis,
        exclusive,
        reverse,
        out,
        _segments_of(arrays, kind),
        initial=initial,
    )


def _recurrence(arrays, results, axis, reverse, kind):
    """arrays: coefficients, terms and perhaps marks."""
    a, b = arrays[:2]
    (out,) = results
    segments = _segments_of(arrays, kind)
    if isinstance(b, np.ndarray):
        op = affine_op(b.dtype.name)
        pairs = np.empty(b.shape, op.dtype)
        pairs["a"], pairs["b"] = a, b
        out[...] = _scan.scan(pairs, op, axis, reverse=reverse, segments=segments)["b"]
    else:
        _scan.scan((b, a), affine_arrays_op(b.dtype, 0), axis, reverse=reverse, out=out, segments=segments)


def _count_in(words):
    """Two words of uint32, which JAX has without 64-bit integers, as one int64."""
    return words.view("int64") if isinstance(words, np.ndarray) else words.view("int64", (1,))


def _select(arrays, results):
    x, keep = arrays
    out, count = results
    _compact.select(x, keep, out=out, count=_count_in(count))


def _reduce_by_key(arrays, results):
    keys, values = arrays
    *out, count = results
    _runs.reduce_by_key(keys, values, "add", out=tuple(out), count=_count_in(count))


def _sort_by_key(arrays, results, descending, order):
    _sort.sort_by_key(*arrays, descending=descending, order=order, out=tuple(results))


EXECUTE = {
    "scan": _scan_to,
    "recurrence": _recurrence,
    "select": _select,
    "reduce_by_key": _reduce_by_key,
    "sort_by_key": _sort_by_key,
}
