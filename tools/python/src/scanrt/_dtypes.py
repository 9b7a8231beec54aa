# SPDX-License-Identifier: BSD-2-Clause
"""The dtypes that a built-in operator reads, computes in and writes, by NumPy's rules."""

from __future__ import annotations

import functools
from typing import NamedTuple

from . import _structs as c
from ._adapters import SIZES, type_of
from ._errors import InvalidArgument
from ._library import lib

COMPLEX = {"complex64": "float32", "complex128": "float64"}  # dtype of their parts
SUMS = ("add", "mul")  # operators that turn bools into numbers

_SUM_TYPES = {
    "bool": "int64",
    "int8": "int64",
    "int16": "int64",
    "int32": "int64",
    "uint8": "uint64",
    "uint16": "uint64",
    "uint32": "uint64",
}
# PyTorch's dtype of sums: int64 for all integers.
_TORCH_SUM_TYPES = dict.fromkeys(_SUM_TYPES, "int64")


class Dtypes(NamedTuple):
    """Names of dtypes: of the input, of the computed results, and of the output array."""

    source: str
    result: str
    out: str


def check_op(op) -> None:
    if not isinstance(op, str) or op not in c.OPS:
        raise InvalidArgument(f"there is no operator {op!r}: give one of {', '.join(c.OPS)}, or an Op")


def sum_name(adapter, name: str) -> str:
    """The dtype of numpy.cumsum for a dtype; for tensors that of torch.cumsum."""
    types = _TORCH_SUM_TYPES if adapter.library == "PyTorch" else _SUM_TYPES
    return types.get(name, name)


@functools.cache
def promoted(a: str, b: str) -> str:
    """The dtype that holds both, as numpy.result_type does. Integers with bfloat16 give bfloat16, unlike float16."""
    if a == b:
        return a
    if "bfloat16" in (a, b):
        other = a if b == "bfloat16" else b
        return "float32" if other == "float16" else other if other.startswith(("float", "complex")) else "bfloat16"
    import numpy

    return numpy.result_type(a, b).name


def dtypes_of(adapter, op, own_dtype, dtype, out_layout, sums=False) -> Dtypes:
    """The dtypes of a call.

    Without dtype= results have the input's dtype, or with `sums` NumPy's dtype of sums; sums of bools are int64. With
    out= they are computed in the dtype that holds the input and out, and finally converted to out's.
    """
    check_op(op)
    source = adapter.name(own_dtype)
    if not source:
        raise InvalidArgument(
            f"arrays of dtype {own_dtype} are not scanned: give integers or floating-point numbers of "
            "the machine's own byte order, or an Op.from_source for elements of your own"
        )
    out = adapter.name(out_layout[1]) if out_layout else None
    if out == "":
        raise InvalidArgument(f"out is of dtype {out_layout[1]}, which no results are of: give an array of numbers")
    if dtype is not None:
        result = dtype_name(adapter, dtype)
        if out and out != result:
            raise InvalidArgument(f"out is of dtype {out_layout[1]}, and the results of {result}")
        return Dtypes(source, result, result)
    result = promoted(source, out) if out else sum_name(adapter, source) if sums else source
    if result == "bool" and op in SUMS:
        result = "int64"
    return Dtypes(source, result, out or result)


def dtype_name(adapter, dtype) -> str:
    """The name of a dtype, given as a name, as a dtype of the library, or as anything NumPy converts."""
    name = ""
    if not isinstance(dtype, (str, type)):
        try:
            name = adapter.name(dtype)
        except (AttributeError, TypeError):  # not a dtype of the library
            pass
    if not name:
        if isinstance(dtype, str) and dtype in c.TYPES:
            return dtype
        import numpy

        try:
            found = numpy.dtype(dtype)
        except (TypeError, ValueError) as fault:
            raise InvalidArgument(f"{dtype!r} is no dtype: {fault}") from None
        name = found.name if found.isnative else str(found)
    if name not in c.TYPES and name not in COMPLEX:
        raise InvalidArgument(f"scans have no results of dtype {name}: give one of {', '.join((*c.TYPES, *COMPLEX))}")
    return name


def scan_types(in_name: str, out_name: str):
    """The scan_types of input and results. A bool is read as int8 if results are wider and signed, so that sums of
    bools need no copy of the input."""
    out_type = type_of(out_name)
    if in_name == "bool" and out_name in ("int32", "int64"):
        return c.TYPES["int8"], out_type
    return type_of(in_name), out_type


def defined(op: str, in_name: str, out_name: str) -> bool:
    """True if the library scans `in_name` by `op` with results of `out_name`."""
    in_type, out_type = scan_types(in_name, out_name)
    return bool(out_type and in_type and lib.scan_spec_defined(out_type, in_type, c.OPS[op]))


def convertible(op: str, in_name: str, out_name: str) -> bool:
    """True if the input must first be converted to the results' dtype, since the library does not support the pair."""
    return in_name != out_name and not defined(op, in_name, out_name) and defined(op, out_name, out_name)


def check_defined(op: str, in_name: str, out_name: str) -> None:
    if defined(op, in_name, out_name):
        return
    between = f" with results of {out_name}" if in_name != out_name else ""
    remedy = "and, or and xor take integers and bools" if op in ("and", "or", "xor") else "see scan's dtype"
    if in_name in COMPLEX or out_name in COMPLEX:
        remedy = "cumsum, cumprod, scan and reduce add and multiply them"
    raise InvalidArgument(f"{op!r} is not defined on {in_name}{between}: {remedy}")


def typed_values(place, op, values, dtype, out, what):
    """The values as a built-in operator reads them, converted if the library does not support the pair of dtypes; their
    dtype, and that of the results. out: the caller's output, which is named `what`, or None."""
    target = None if out is None else place.layout(place.given(out, what))
    types = dtypes_of(place.adapter, op, place.layout(values)[1], dtype, target)
    source, result = types.source, types.result
    if types.out != result:
        raise InvalidArgument(f"{what} is of dtype {types.out}, and the results of {result}: give one of that")
    if convertible(op, source, result):
        values, source = place.adapter.cast(values, result), result
    check_defined(op, source, result)
    return values, source, result


def carry_bytes(name: str) -> int:
    """Bytes of a carry: float32 for results of 16 bits."""
    return 4 if name in ("float16", "bfloat16") else SIZES[name]
