# SPDX-License-Identifier: BSD-2-Clause
"""Checks of single arguments. The errors state the value and the remedy."""

from __future__ import annotations

import operator

from ._errors import InvalidArgument


def index_of(value, what: str) -> int:
    """An integer of any type as a Python int."""
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
    """The first bit, and the one above the last. None: all bits."""
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
    """A value that must be an instance of a class of this package."""
    if not isinstance(value, kind):
        raise InvalidArgument(f"{what} is {value!r}: give a {kind.__name__}")
    return value


def outputs_given(out, names: str, number: int):
    """The caller's outputs, one for each result."""
    if not isinstance(out, (tuple, list)):
        raise InvalidArgument(f"out is no tuple: give ({names})")
    if len(out) != number:
        raise InvalidArgument(f"out has {len(out)} arrays: give ({names})")
    return out
