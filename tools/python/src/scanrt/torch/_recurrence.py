# SPDX-License-Identifier: BSD-2-Clause
"""The operator scanrt::linear_recurrence: h[t] = a[t] h[t - 1] + b[t]."""

from typing import Optional, Tuple

import torch
from torch import Tensor
from torch.library import custom_op

from .. import _scan
from .._recurrence import affine_arrays_op, affine_gradients_op, affine_op
from ._scans import segments_of, shifted, starts_of

_PAIRS = {torch.float32: torch.complex64, torch.float64: torch.complex128}
_NAMES = {torch.float32: "float32", torch.float64: "float64"}


@custom_op("scanrt::linear_recurrence", mutates_args=())
def recurrence_op(
    a: Tensor,
    b: Tensor,
    initial: Optional[Tensor],
    axis: int,
    reverse: bool,
    shift: bool,
    marks: Optional[Tensor],
    marks_kind: int,
) -> Tensor:
    """h along axis, which counts from 0. a, b: of one shape and dtype.

    shift: h[t] = a[t - 1] h[t - 1] + b[t] instead, and with reverse h[t] = a[t + 1] h[t + 1] + b[t].
    """
    dtype = torch.float64 if b.dtype == torch.float64 else torch.float32
    n = b.shape[axis]
    if b.numel() == 0:
        return torch.empty(b.shape, dtype=b.dtype, device=b.device)
    a, b_dtype, b = a.to(dtype), b.dtype, b.to(dtype)
    if b.is_cuda:
        return _recurrence_of_arrays(a, b, initial, axis, reverse, shift, marks, marks_kind).to(b_dtype)
    pairs = torch.empty(b.shape, dtype=_PAIRS[dtype], device=b.device)
    coefficients, terms = torch.view_as_real(pairs).unbind(-1)
    first, rest, source = (n - 1, 0, 1) if reverse else (0, 1, 0)
    if shift:
        torch.complex(a.narrow(axis, source, n - 1), b.narrow(axis, rest, n - 1), out=pairs.narrow(axis, rest, n - 1))
        terms.select(axis, first).copy_(b.select(axis, first))
    else:
        torch.complex(a, b, out=pairs)
    if initial is not None:
        terms.select(axis, first).addcmul_(a.select(axis, first), initial.to(dtype))
    # A first coefficient multiplies the identity's 0, so that one that is infinite or NaN would make a NaN of it.
    coefficients.select(axis, first).zero_()
    if marks is not None:
        coefficients.masked_fill_(_starts(marks, marks_kind, a, axis, reverse), 0)
    op, segments = affine_op(_NAMES[dtype]), segments_of(marks, marks_kind)
    h = _scan.scan(torch.view_as_real(pairs), op, axis, reverse=reverse, segments=segments).select(-1, 1)
    return h.to(b_dtype, memory_format=torch.contiguous_format).contiguous()


def _recurrence_of_arrays(a, b, initial, axis, reverse, shift, marks, marks_kind):
    """h of float32 or float64, by a scan that reads a and b where they lie."""
    a, b = a.resolve_neg().contiguous(), b.resolve_neg()
    if initial is not None:
        b = b.clone(memory_format=torch.contiguous_format)
        first = b.shape[axis] - 1 if reverse else 0
        b.select(axis, first).addcmul_(a.select(axis, first), initial.to(b.dtype))
    op = affine_arrays_op(_NAMES[b.dtype], (1 if reverse else -1) if shift else 0)
    return _scan.scan((b, a), op, axis, reverse=reverse, segments=segments_of(marks, marks_kind))


@recurrence_op.register_fake
def _(a, b, initial, axis, reverse, shift, marks, marks_kind):
    return torch.empty(b.shape, dtype=b.dtype, device=b.device)


@custom_op("scanrt::linear_recurrence_gradients", mutates_args=())
def gradients_op(
    a: Tensor, h: Tensor, grad: Tensor, initial: Optional[Tensor], axis: int, reverse: bool
) -> Tuple[Tensor, Tensor]:
    """The gradients of b and a of a recurrence h without segments, of float32 or float64 on a CUDA device."""
    op = affine_gradients_op(_NAMES[grad.dtype], -1 if reverse else 1)
    arrays = grad.resolve_neg(), a.resolve_neg().contiguous(), h.contiguous()
    to_b, to_a = _scan.scan(arrays, op, axis, reverse=not reverse)
    first = a.shape[axis] - 1 if reverse else 0
    if initial is not None:
        torch.mul(to_b.select(axis, first), initial.to(a.dtype), out=to_a.select(axis, first))
    elif reverse:
        to_a.select(axis, first).zero_()
    return to_b, to_a


@gradients_op.register_fake
def _(a, h, grad, initial, axis, reverse):
    return torch.empty(grad.shape, dtype=grad.dtype, device=grad.device), torch.empty(
        grad.shape, dtype=grad.dtype, device=grad.device
    )


def _save(ctx, inputs, output):
    a, _, initial, ctx.axis, ctx.reverse, ctx.shift, marks, ctx.marks_kind = inputs
    ctx.save_for_backward(a, initial, marks, output)


def _gradient(ctx, grad):
    a, initial, marks, h = ctx.saved_tensors
    axis, step = ctx.axis, -1 if ctx.reverse else 1
    if _has_gradients_op(ctx, a, grad, marks):
        to_b, to_a = gradients_op(a, h, grad, initial, axis, ctx.reverse)
        to_initial = None
        if initial is not None:
            first = a.shape[axis] - 1 if ctx.reverse else 0
            to_initial = a.select(axis, first) * to_b.select(axis, first)
        return to_a, to_b, to_initial, None, None, None, None, None
    # The transpose of the recurrence runs from the other end, with each coefficient one place further.
    to_b = recurrence_op(a, grad, None, axis, not ctx.reverse, not ctx.shift, marks, ctx.marks_kind)
    to_a = to_initial = None
    if a.shape[axis] == 0:
        return torch.zeros_like(a), to_b, None if initial is None else torch.zeros_like(initial), *[None] * 5
    first = a.shape[axis] - 1 if ctx.reverse else 0
    if ctx.needs_input_grad[0]:
        if ctx.shift:
            to_a = _times_previous(h, to_b, axis, -step, None)
            if marks is not None:
                ends = _starts(marks, ctx.marks_kind, a, axis, not ctx.reverse)
                to_a = to_a.masked_fill(ends, 0)
        else:
            to_a = _times_previous(to_b, h, axis, step, initial)
            if marks is not None:
                to_a = to_a.masked_fill(_starts(marks, ctx.marks_kind, a, axis, ctx.reverse), 0)
    if initial is not None:
        to_initial = a.select(axis, first) * to_b.select(axis, first)
    return to_a, to_b, to_initial, None, None, None, None, None


def _has_gradients_op(ctx, a, grad, marks):
    """True if one scan computes both gradients: not if a gradient of them is wanted."""
    plain = grad.is_cuda and a.dtype == grad.dtype and grad.dtype in _PAIRS and grad.numel() > 0
    return plain and ctx.needs_input_grad[0] and marks is None and not ctx.shift and not torch.is_grad_enabled()


def _starts(marks, marks_kind, x, axis, reverse):
    """True at the first element of each segment, or with reverse at the last one."""
    starts = starts_of(marks, marks_kind, x, axis)
    return shifted(~starts, axis, -1).logical_not() if reverse else starts


def _times_previous(x, y, axis, step, initial):
    """x[t] y[t - step], where the element before the first one is initial, or 0."""
    n = x.shape[axis]
    first, rest, source = (0, 1, 0) if step == 1 else (n - 1, 0, 1)
    later = x.narrow(axis, rest, n - 1), y.narrow(axis, source, n - 1)
    start = x.narrow(axis, first, 1)
    start = torch.zeros_like(start) if initial is None else start * initial.unsqueeze(axis).to(x.dtype)
    if torch.is_grad_enabled():  # a gradient of the gradient is wanted
        parts = [start, later[0] * later[1]]
        return torch.cat(parts if step == 1 else parts[::-1], axis)
    out = torch.empty_like(x)
    torch.mul(*later, out=out.narrow(axis, rest, n - 1))
    out.narrow(axis, first, 1).copy_(start)
    return out


recurrence_op.register_autograd(_gradient, setup_context=_save)
