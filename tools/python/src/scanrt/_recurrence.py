# SPDX-License-Identifier: BSD-2-Clause
"""The operators of linear recurrences."""

import functools

from ._ops import Op

_TEXT = """
typedef struct affine { NUMBER a, b; } affine;
typedef struct term { NUMBER h; } term;
static inline affine compose(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }
static inline term value_of(affine inclusive, affine exclusive, affine x, uint64_t index) {
  term y;
  y.h = inclusive.b;
  return y;
}
"""

_GRADIENT_TEXT = """
typedef struct affine { NUMBER a, b; } affine;
typedef struct input { NUMBER gradient, a, h; } input;
typedef struct output { NUMBER to_b, to_a; } output;
static inline affine compose(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }
static inline affine step_of(input x, uint64_t index) { affine f; f.a = x.a; f.b = x.gradient; return f; }
static inline output both(affine inclusive, affine exclusive, input x, uint64_t index) {
  output y;
  y.to_b = inclusive.b;
  y.to_a = IS_FIRST ? 0 : inclusive.b * x.h;
  return y;
}
"""


@functools.cache
def affine_op(name: str) -> Op:
    """The composition of maps x -> a x + b of float32 or float64, the library's own."""
    return Op.composite(f"affine_f{name[-2:]}")


@functools.cache
def affine_arrays_op(name: str, shift: int) -> Op:
    """h[t] = a[t + shift] h before it + b[t] of arrays (b, a), with the bits of affine_op. On the host it needs a
    compiler. Without an identity: what a is for the first element of a line or segment does not matter."""
    import numpy

    return Op.from_source(
        _TEXT.replace("NUMBER", _number(name)),
        "compose",
        numpy.dtype([("a", name), ("b", name)], align=True),
        type="affine",
        emit="value_of",
        output_dtype=numpy.dtype([("h", name)], align=True),
        output_type="term",
        input_members=["b", ("a", shift)],
        output_members=["h"],
    )


@functools.cache
def affine_gradients_op(name: str, step: int) -> Op:
    """The gradients of b and a of arrays (gradient, a, h), for a recurrence that goes by `step` along the axis: to_b[t]
    = a[t + step] to_b[t + step] + gradient[t], to_a[t] = to_b[t] h[t - step]. If step is 1, to_a[0] is 0."""
    import numpy

    return Op.from_source(
        _GRADIENT_TEXT.replace("NUMBER", _number(name)).replace("IS_FIRST", "index == 0" if step == 1 else "0"),
        "compose",
        numpy.dtype([("a", name), ("b", name)], align=True),
        type="affine",
        map="step_of",
        input_dtype=numpy.dtype([("gradient", name), ("a", name), ("h", name)], align=True),
        input_type="input",
        emit="both",
        output_dtype=numpy.dtype([("to_b", name), ("to_a", name)], align=True),
        output_type="output",
        input_members=["gradient", ("a", step), ("h", -step)],
        output_members=["to_b", "to_a"],
    )


def _number(name):
    return "float" if name == "float32" else "double"
