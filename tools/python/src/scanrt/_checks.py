# SPDX-License-Identifier: BSD-2-Clause
"""Checks of single arguments, which say what they are and what to give."""

from __future__ import annotations

import operator

from ._errors import InvalidArgument


def index_of(value, what: str) -> int:
    """An integer of any kind as Python's."""
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidArgument(f"{what} is {value!r}: give one integer") from None


def count_of(value, what: str, most: int = (1 << 64) - 1) -> int:
    count = index_of(value, what)
    if not 0 <= count <= most:
        raise InvalidArgument(f"{what} is {count}: give 0 to {most}")
    return count


def bits_of(bits) -> tuple[int, int]:
    """The first bit, and the one above the last; None: all of them."""
    if bits is None:
        return 0, 0
    try:
        first, end = bits
    except (TypeError, ValueError):
        raise InvalidArgument(f"bits is {bits!r}: give (first, end)") from None
    return count_of(first, "the first bit", 128), count_of(end, "the end of bits", 128)


def text_given(value, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidArgument(f"{what} is {value!r}: give text")
    return value


def kind_given(value, kind, what: str):
    """A value of a class of this package's."""
    if not isinstance(value, kind):
        raise InvalidArgument(f"{what} is {value!r}: give a {kind.__name__}")
    return value


def outputs_given(out, names: str, number: int):
    """Outputs of the caller's, as many as results."""
    if not isinstance(out, (tuple, list)):
        raise InvalidArgument(f"out is no tuple: give ({names})")
    if len(out) != number:
        raise InvalidArgument(f"out has {len(out)} arrays: give ({names})")
    return out
