# SPDX-License-Identifier: BSD-2-Clause
"""Functions of PyTorch's tensors with gradients, as operators of torch.library, which torch.compile keeps.

They have the arguments of the functions of the same names in scanrt, which call them for tensors that require a
gradient, without those that name outputs or counts in device memory. Gradients have the same bits in every run, and
need no atomic operation.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _structs as c
from .._call import axis_of
from .._checks import bits_of
from .._errors import InvalidArgument
from .._memory import INDEX_TYPES
from .._segments import Segments
from ._moves import reduce_by_key_op, select_op, sort_by_key_op
from ._recurrence import recurrence_op
from ._scans import scan_op
from ._tracing import trace

__all__ = ["cummax", "cummin", "cumsum", "linear_recurrence", "reduce_by_key", "scan", "select", "sort_by_key"]

_DIFFERENTIABLE = ("add", "max", "min")


def _check_op(op, differentiable, *tensors):
    """Refuses operators without a gradient for tensors that require one, and objects such as Op."""
    if not isinstance(op, str) or op not in c.OPS:
        raise InvalidArgument(
            f"op is {op!r}, and scanrt.torch takes the names of operators ({', '.join(c.OPS)}): give scanrt.scan "
            "x.detach() for an Op, which has no gradient"
        )
    if op not in differentiable and torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        raise InvalidArgument(
            f"the tensor requires a gradient, and scanrt has gradients for {', '.join(differentiable)}, not for "
            f"{op!r}: give x.detach()"
        )


def _marks_of(segments):
    """The array and the kind of segments."""
    if segments is None:
        return None, c.SEGMENTS_NONE
    if isinstance(segments, Segments):
        return segments.array, segments.kind
    return segments, c.SEGMENTS_FLAGS


def _dtype_of(dtype) -> torch.dtype | None:
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    found = getattr(torch, dtype, None) if isinstance(dtype, str) else None
    if not isinstance(found, torch.dtype):
        raise InvalidArgument(f"{dtype!r} is no dtype of PyTorch's: give one such as torch.float32")
    return found


def scan(
    x: Tensor,
    op: str = "add",
    axis: int | None = -1,
    exclusive: bool = False,
    reverse: bool = False,
    *,
    segments: Segments | Tensor | None = None,
    dtype: Any = None,
    initial: int | float | bool | None = None,
) -> Tensor:
    """As scanrt.scan. Gradients: of "add", "max" and "min". The gradient of a maximum or minimum goes to the element
    that is the result, of several equal ones to the last one that the scan has met."""
    _check_op(op, _DIFFERENTIABLE, x)
    if axis is None or x.ndim == 0:
        x, axis = x.reshape(-1), 0
    marks, kind = _marks_of(segments)
    return scan_op(x, op, axis_of(axis, x.ndim), bool(exclusive), bool(reverse), marks, kind, _dtype_of(dtype), initial)


def cumsum(a: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    """As scanrt.cumsum: axis None flattens the tensor, and sums of integers are int64, as torch.cumsum's are."""
    if dtype is None and not (a.is_floating_point() or a.is_complex()):
        dtype = torch.int64
    return scan(a, "add", axis, dtype=dtype)


def cummax(a: Tensor, axis: int | None = None) -> Tensor:
    """As scanrt.cummax: the values of torch.cummax. Gradients as those of scan."""
    return scan(a, "max", axis)


def cummin(a: Tensor, axis: int | None = None) -> Tensor:
    """As scanrt.cummin: the values of torch.cummin. Gradients as those of scan."""
    return scan(a, "min", axis)


def linear_recurrence(
    a: Tensor,
    b: Tensor,
    axis: int = -1,
    reverse: bool = False,
    *,
    segments: Segments | Tensor | None = None,
    initial: Tensor | None = None,
) -> Tensor:
    """h[t] = a[t] h[t - 1] + b[t] along an axis, in one scan. On a CUDA device it reads a and b where they lie, and the
    backward pass writes both gradients by one scan; elsewhere they are put into a temporary array of pairs.

    Args:
        a, b: floating-point tensors, broadcast to one shape. float16 and bfloat16 are computed in float32.
        axis: the axis of t.
        reverse: h[t] = a[t] h[t + 1] + b[t], from the last element on.
        segments: as in scan; each segment begins with h = b.
        initial: h before the first element, of the shape without the axis; None: 0. Not with segments.

    Returns:
        h, of the dtype and shape of a * b. All three tensors have gradients.
    """
    for x, name in (a, "a"), (b, "b"), (initial, "initial"):
        if x is not None and not (isinstance(x, Tensor) and x.is_floating_point()):
            raise InvalidArgument(f"{name} is no tensor of floating-point numbers: give one")
    dtype = torch.promote_types(a.dtype, b.dtype)
    a, b = torch.broadcast_tensors(a.to(dtype), b.to(dtype))
    axis = axis_of(axis, b.ndim)
    if initial is not None:
        if segments is not None:
            raise InvalidArgument("initial= and segments= do not go together: each segment begins with h = b")
        initial = initial.to(dtype).expand(b.shape[:axis] + b.shape[axis + 1 :])
    marks, kind = _marks_of(segments)
    return recurrence_op(a, b, initial, axis, bool(reverse), False, marks, kind)


def reduce_by_key(keys: Tensor, values: Tensor, op: str = "add", *, dtype: Any = None) -> tuple[Tensor, Tensor]:
    """As scanrt.reduce_by_key, by "add" alone. The values have a gradient."""
    if op != "add":
        raise InvalidArgument(f"scanrt has a gradient of reduce_by_key for 'add', not for {op!r}: give values.detach()")
    return reduce_by_key_op(keys.detach(), values, _dtype_of(dtype))


def select(x: Tensor | tuple[Tensor, ...], keep: Tensor) -> Any:
    """As scanrt.select, by flags. x has a gradient: 0 for elements that are not kept."""
    if isinstance(x, tuple):
        return tuple(select(part, keep) for part in x)
    if not isinstance(keep, Tensor):
        raise InvalidArgument(
            "the tensor requires a gradient, and select computes one for a tensor of flags alone: give x.detach()"
        )
    if keep.ndim != 1 and keep.shape == x.shape:
        x = x.reshape(-1)
    return select_op(x, keep.reshape(-1))


def sort_by_key(
    keys: Tensor,
    *values: Tensor,
    descending: bool = False,
    order: str | None = None,
    bits: tuple[int, int] | None = None,
    segments: Segments | None = None,
) -> tuple[Tensor, ...]:
    """As scanrt.sort_by_key, with up to seven values. Keys and values have gradients, which return to their places."""
    if len(values) >= c.MOST_ARRAYS:
        raise InvalidArgument(
            f"{len(values)} arrays go with the keys: with gradients a call moves up to {c.MOST_ARRAYS - 1}"
        )
    first_bit, end_bit = bits_of(bits)
    offsets = None
    if segments is not None:
        if not isinstance(segments, Segments) or segments.kind != c.SEGMENTS_OFFSETS:
            raise InvalidArgument("segments of a sort are given by Segments.offsets")
        offsets = segments.array
        if str(offsets.dtype).rpartition(".")[2] not in INDEX_TYPES:
            raise InvalidArgument(f"offsets are int64, uint64, int32 or uint32, not {offsets.dtype}")
    found = sort_by_key_op(keys, list(values), bool(descending), order, first_bit, end_bit, offsets)
    return tuple(found[:-1])


for _function in cummax, cummin, cumsum, reduce_by_key, scan, select, sort_by_key:
    trace(_function)
