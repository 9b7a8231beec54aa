# SPDX-License-Identifier: BSD-2-Clause
"""Types for annotations of arguments."""

from __future__ import annotations

from typing import Any, Literal, TypeVar, Union

A = TypeVar("A")  # an array; a result has the type of the argument
Array = Any  # an array of any supported library
DType = Any  # a name such as "float32", a NumPy dtype, or a dtype of the array's library
Builtin = Literal["add", "mul", "min", "max", "and", "or", "xor"]
Order = Literal["numeric", "total"]
IndexDType = Union[Literal["int64", "uint64", "int32", "uint32"], Any]
Arrays = Union[A, "tuple[A, ...]"]
