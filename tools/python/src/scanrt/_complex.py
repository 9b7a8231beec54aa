# SPDX-License-Identifier: BSD-2-Clause
"""Sums and products of complex numbers."""

from __future__ import annotations

from ._dtypes import COMPLEX, SUMS
from ._errors import InvalidArgument
from ._ops import Op
from ._values import number_of

_PRODUCTS = {"complex64": "complex_f32", "complex128": "complex_f64"}  # composites


def scan_complex(adapter, x, out, types, op, initial, segments, run):
    """Scans complex numbers. A sum scans real and imaginary parts separately, and has their bits; a product uses the
    library's composite.

    run(op, x, out, initial) scans arrays of real numbers, or with an Op pairs in the last axis.
    """
    if types.result not in COMPLEX:
        raise InvalidArgument(f"results of {types.result} have no imaginary part: give x.real, or another dtype=")
    if op not in SUMS:
        raise InvalidArgument(f"{op!r} is not defined on complex numbers: they are added and multiplied")
    start = None if initial is None else complex(number_of(initial))
    if types.source != types.result:
        x = adapter.cast(x, types.result)
    taken, given = adapter.floats(x), adapter.floats(out)
    if op == "mul":
        pair = None if start is None else (start.real, start.imag)
        run(Op.composite(_PRODUCTS[types.result]), taken, given, pair)
        return out
    for part in 0, 1:
        value = None if start is None else (start.real, start.imag)[part]
        source, target = taken[..., part], given[..., part]
        if segments is None:
            run("add", source, target, value)
        else:  # offsets need arrays without gaps
            adapter.assign(target, run("add", adapter.packed(source), None, value))
    return out
