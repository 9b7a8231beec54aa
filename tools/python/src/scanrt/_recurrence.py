# SPDX-License-Identifier: BSD-2-Clause
"""The operator of linear recurrences."""

import functools

from ._ops import Op

_TEXT = """
typedef struct affine { NUMBER a, b; } affine;
static inline affine compose(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }
static inline NUMBER constant_term(affine inclusive, affine exclusive, affine x, uint64_t index) { return inclusive.b; }
"""


@functools.cache
def affine_op(name: str, emits: bool) -> Op:
    """The composition of maps x -> a x + b of float32 or float64, the library's own. emits: an operator with the same
    bits that stores b alone; on the host it needs a compiler."""
    bits, number = name[-2:], "float" if name == "float32" else "double"
    if not emits:
        return Op.composite(f"affine_f{bits}")
    import numpy

    return Op.from_source(
        _TEXT.replace("NUMBER", number),
        "compose",
        numpy.dtype([("a", name), ("b", name)], align=True),
        type="affine",
        identity=(1, 0),
        emit="constant_term",
        output_dtype=name,
        output_type=number,
    )
