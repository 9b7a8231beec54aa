# SPDX-License-Identifier: BSD-2-Clause
"""Single values that a caller gives, such as initial=, as the bytes that the library reads."""

from __future__ import annotations

import ctypes
import math
import numbers
import struct
from typing import Any

from ._errors import InvalidArgument

_INTEGERS = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
}
_FLOATS = {"float16": "e", "float32": "f", "float64": "d"}


def buffer_of(data: bytes):
    return (ctypes.c_char * len(data)).from_buffer_copy(data)


def packed_element(value, dtype) -> bytes:
    """One element of a NumPy dtype."""
    import numpy

    if isinstance(value, (bytes, bytearray)):
        data = bytes(value)
    else:
        try:
            data = numpy.array(value, dtype).tobytes()
        except (TypeError, ValueError, OverflowError) as fault:
            raise InvalidArgument(f"{value!r} is no element of {dtype}: {fault}") from None
    if len(data) != dtype.itemsize:
        raise InvalidArgument(f"{value!r} is {len(data)} bytes, and an element {dtype.itemsize}: give one element")
    return data


def number_of(value: Any, what: str = "the initial value"):
    """A Python int, float or complex for a number, or for an array of one element."""
    try:
        value = value.item()
    except AttributeError:
        pass
    except (TypeError, ValueError, RuntimeError):
        raise InvalidArgument(f"{what} is an array of several: give one number") from None
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        try:
            return float(value)
        except OverflowError:
            raise InvalidArgument(f"{what} {value!r} is outside of float64") from None
    if isinstance(value, numbers.Complex):
        return complex(value)
    raise InvalidArgument(f"{what} is {value!r}: give a number")


def number_bytes(value: Any, name: str):
    """A number as an element of a dtype. Integers are never truncated; floats are rounded as NumPy does."""
    number = number_of(value)
    if isinstance(number, complex):
        raise InvalidArgument(f"the initial value {value!r} is complex, and results are of {name}: give a real number")
    if name == "bool" or name in _INTEGERS:
        return buffer_of(_integer_bytes(number, name))
    return buffer_of(_float_bytes(number, name))


def _integer_bytes(number, name):
    if isinstance(number, float):
        if not number.is_integer():  # NaN and infinities are not integers either
            raise InvalidArgument(
                f"the initial value {number!r} is no whole number, and results are of {name}: "
                'give dtype="float64", or a whole number'
            )
        number = int(number)
    if name == "bool":
        low, high, code = 0, 1, "B"
    else:
        code = _INTEGERS[name]
        bits = 8 * struct.calcsize("=" + code)
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if name.startswith("i") else (0, (1 << bits) - 1)
    if not low <= number <= high:
        raise InvalidArgument(f"the initial value {number} is outside of {name}, {low} to {high}: give a wider dtype=")
    return struct.pack("=" + code, number)


def _float_bytes(number, name):
    try:
        if name == "bfloat16":
            return struct.pack("=H", _bfloat16_bits(float(number)))
        return struct.pack("=" + _FLOATS[name], float(number))
    except OverflowError:
        raise InvalidArgument(f"the initial value {number!r} is outside of {name}: give a wider dtype=") from None


def _bfloat16_bits(number):
    """The bits of a number rounded to bfloat16, to nearest, ties to even."""
    (bits,) = struct.unpack("=I", struct.pack("=f", number))
    if not math.isfinite(number):
        return bits >> 16
    bits += 0x7FFF + (bits >> 16 & 1)
    if bits & 0x7F800000 == 0x7F800000:
        raise OverflowError
    return bits >> 16
