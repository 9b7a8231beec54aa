# SPDX-License-Identifier: BSD-2-Clause
"""Types of arguments, for hints."""

from __future__ import annotations

from typing import Any, Literal, TypeVar, Union

A = TypeVar("A")  # an array: what goes in is what comes out
Array = Any  # an array of any of the libraries
DType = Any  # "float32", a NumPy dtype, or one of the array's library
Builtin = Literal["add", "mul", "min", "max", "and", "or", "xor"]
Order = Literal["numeric", "total"]
IndexDType = Union[Literal["int64", "uint64", "int32", "uint32"], Any]
Arrays = Union[A, "tuple[A, ...]"]
