# SPDX-License-Identifier: BSD-2-Clause
"""The operator scanrt::scan, with gradients of sums, maxima and minima."""

from typing import Optional, Union

import torch
from torch import Tensor
from torch.library import custom_op

from .. import _scan
from .. import _structs as c
from .._segments import Segments

Number = Union[int, float, bool]


@custom_op("scanrt::scan", mutates_args=())
def scan_op(
    x: Tensor,
    op: str,
    axis: int,
    exclusive: bool,
    reverse: bool,
    marks: Optional[Tensor],
    marks_kind: int,
    dtype: Optional[torch.dtype],
    initial: Optional[Number],
) -> Tensor:
    """scanrt.scan along axis, which counts from 0. marks, marks_kind: array and kind of a Segments."""
    x = x.resolve_conj().resolve_neg()
    return _scan.scan(
        x, op, axis, exclusive, reverse, segments=segments_of(marks, marks_kind), dtype=dtype, initial=initial
    )


@scan_op.register_fake
def _(x, op, axis, exclusive, reverse, marks, marks_kind, dtype, initial):
    if dtype is None and x.dtype == torch.bool and op in ("add", "mul"):
        dtype = torch.int64
    return torch.empty_like(x, dtype=dtype)


def segments_of(marks, marks_kind):
    return None if marks is None else Segments(marks_kind, marks)


def starts_of(marks, marks_kind, x, axis):
    """Bools of x's shape, true at the first element of each segment and of each line."""
    ones = torch.ones(x.shape, dtype=torch.uint8, device=x.device)
    return scan_op(ones, "max", axis, True, False, marks, marks_kind, None, 0) == 0


def shifted(x, axis, by):
    """x with each element moved by one place along an axis, up (by=1) or down (by=-1). The free place is 0."""
    free = torch.zeros_like(x.narrow(axis, 0, 1))
    kept = x.narrow(axis, 0 if by == 1 else 1, x.shape[axis] - 1)
    return torch.cat([free, kept] if by == 1 else [kept, free], axis)


def _save(ctx, inputs, output):
    x, ctx.op, ctx.axis, ctx.exclusive, ctx.reverse, marks, ctx.marks_kind, _, initial = inputs
    ctx.dtype, ctx.has_initial = x.dtype, initial is not None
    if ctx.op == "add":
        ctx.save_for_backward(marks)
    else:
        ctx.save_for_backward(marks, x, output)


def _gradient(ctx, grad):
    if ctx.op == "add":
        (marks,) = ctx.saved_tensors
        # The transpose of a sum is the sum from the other end.
        result = scan_op(grad, "add", ctx.axis, ctx.exclusive, not ctx.reverse, marks, ctx.marks_kind, None, None)
    elif ctx.op in ("max", "min"):
        result = _gradient_of_extreme(ctx, grad)
    else:
        raise NotImplementedError(f"a scan by {ctx.op!r} has no gradient")
    return result.to(ctx.dtype), None, None, None, None, None, None, None, None


def _gradient_of_extreme(ctx, grad):
    """Each element's gradient: the sum over the results that it is. An element is the result from its own place on, in
    the order of the scan, up to the next element that is as large (as small) or NaN. So these sums are one segmented
    scan in the other direction."""
    marks, x, y = ctx.saved_tensors
    axis, step = ctx.axis, -1 if ctx.reverse else 1
    if x.shape[axis] == 0:
        return grad
    holds = (x >= y if ctx.op == "max" else x <= y) | (x != x)
    starts = None
    if marks is not None and (ctx.exclusive or ctx.has_initial):
        starts = starts_of(marks, ctx.marks_kind, x, axis)
        if ctx.reverse:  # a scan from the end begins at the last element of a segment
            starts = shifted(~starts, axis, -1).logical_not()
    # begins: the places, in the order of the scan, at which another element becomes the result.
    begins = shifted(holds, axis, step) if ctx.exclusive else holds
    if starts is not None:
        begins = begins | starts
    # Segments are marked at their first elements in memory.
    flags = shifted(begins, axis, 1) if ctx.reverse else begins
    flags = flags.contiguous()
    sums = scan_op(grad, "add", axis, False, not ctx.reverse, flags, c.SEGMENTS_FLAGS, None, None)
    if ctx.exclusive:
        if starts is not None:
            sums = sums.masked_fill(starts, 0)
        sums = shifted(sums, axis, -step)
    return torch.where(holds, sums, 0)


scan_op.register_autograd(_gradient, setup_context=_save)
