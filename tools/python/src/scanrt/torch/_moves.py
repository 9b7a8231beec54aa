# SPDX-License-Identifier: BSD-2-Clause
"""Operators that move elements: scanrt::select, scanrt::sort_by_key, and scanrt::reduce_by_key, which adds those of a
run. Their gradients move back to the elements' places, each of which is written once."""

from typing import List, Optional, Tuple  # noqa: UP035 (what torch.library reads)

import torch
from torch import Tensor
from torch.library import custom_op, get_ctx

from .. import _compact, _runs, _sort
from .._scan import cumsum
from .._segments import Segments

# ---- select ----------------------------------------------------------------------------------------------------------


@custom_op("scanrt::select", mutates_args=())
def select_op(x: Tensor, keep: Tensor) -> Tensor:
    """The rows of x whose flag is set; keep has one axis."""
    return _compact.select(x.resolve_conj().resolve_neg(), keep)


@select_op.register_fake
def _(x, keep):
    return x.new_empty((get_ctx().new_dynamic_size(), *x.shape[1:]))


@custom_op("scanrt::spread", mutates_args=())
def spread_op(x: Tensor, keep: Tensor) -> Tensor:
    """The rows of x at the places whose flag is set, in order, and zeros elsewhere: the transpose of select."""
    out = x.new_zeros((keep.shape[0], *x.shape[1:]))
    if x.shape[0]:
        count = torch.empty(1, dtype=torch.int64, device=x.device)
        places = torch.empty(x.shape[0], dtype=torch.int64, device=x.device)
        _compact.flatnonzero(keep, out=places, count=count)
        out.index_copy_(0, places, x)
    return out


@spread_op.register_fake
def _(x, keep):
    return x.new_empty((keep.shape[0], *x.shape[1:]))


def _save_keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[1])


select_op.register_autograd(lambda ctx, grad: (spread_op(grad, *ctx.saved_tensors), None), setup_context=_save_keep)
spread_op.register_autograd(lambda ctx, grad: (select_op(grad, *ctx.saved_tensors), None), setup_context=_save_keep)

# ---- reduce_by_key ---------------------------------------------------------------------------------------------------


@custom_op("scanrt::reduce_by_key", mutates_args=())
def reduce_by_key_op(keys: Tensor, values: Tensor, dtype: Optional[torch.dtype]) -> Tuple[Tensor, Tensor]:  # noqa: UP006
    """The key and the sum of each run of equal keys."""
    return _runs.reduce_by_key(keys, values, "add", dtype=dtype)


@reduce_by_key_op.register_fake
def _(keys, values, dtype):
    runs = get_ctx().new_dynamic_size()
    if dtype is None:
        dtype = torch.int64 if values.dtype == torch.bool else values.dtype
    return keys.new_empty((runs,)), values.new_empty((runs,), dtype=dtype)


@custom_op("scanrt::spread_runs", mutates_args=())
def spread_runs_op(keys: Tensor, sums: Tensor) -> Tensor:
    """For each key the element of sums of its run: the transpose of reduce_by_key."""
    n = keys.shape[0]
    runs = torch.zeros(n, dtype=torch.int64, device=keys.device)
    if n > 1:
        cumsum(keys[1:] != keys[:-1], out=runs[1:])
    return sums.index_select(0, runs)


@spread_runs_op.register_fake
def _(keys, sums):
    return sums.new_empty(keys.shape)


def _save_keys(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.dtype = inputs[1].dtype


def _gradient_of_sums(ctx, _, grad):
    return None, spread_runs_op(*ctx.saved_tensors, grad.contiguous()).to(ctx.dtype), None


def _gradient_of_runs(ctx, grad):
    return None, reduce_by_key_op(*ctx.saved_tensors, grad.contiguous(), None)[1]


reduce_by_key_op.register_autograd(_gradient_of_sums, setup_context=_save_keys)
spread_runs_op.register_autograd(_gradient_of_runs, setup_context=_save_keys)

# ---- sort_by_key -----------------------------------------------------------------------------------------------------


@custom_op("scanrt::sort_by_key", mutates_args=())
def sort_by_key_op(
    keys: Tensor,
    values: List[Tensor],  # noqa: UP006
    descending: bool,
    order: Optional[str],
    first_bit: int,
    end_bit: int,
    offsets: Optional[Tensor],
) -> List[Tensor]:  # noqa: UP006
    """Sorted keys, values in their order, and int64 indices of the elements. end_bit 0: all bits."""
    indices = torch.arange(keys.shape[0], device=keys.device)
    return list(
        _sort.sort_by_key(
            keys,
            *(value.resolve_conj().resolve_neg() for value in values),
            indices,
            descending=descending,
            order=order,
            bits=(first_bit, end_bit) if end_bit else None,
            segments=None if offsets is None else Segments.offsets(offsets),
        )
    )


@sort_by_key_op.register_fake
def _(keys, values, descending, order, first_bit, end_bit, offsets):
    indices = keys.new_empty((keys.shape[0],), dtype=torch.int64)
    return [x.new_empty(x.shape) for x in (keys, *values)] + [indices]


def _save_indices(ctx, inputs, output):
    ctx.save_for_backward(output[-1])
    ctx.mark_non_differentiable(output[-1])
    ctx.is_float = inputs[0].is_floating_point()


def _gradient_of_sort(ctx, grads):
    (indices,) = ctx.saved_tensors

    def moved_back(grad):
        return None if grad is None else torch.index_copy(torch.zeros_like(grad), 0, indices, grad)

    key_grad, *value_grads, _ = grads
    return (
        moved_back(key_grad) if ctx.is_float else None,
        [moved_back(grad) for grad in value_grads],
        None,
        None,
        None,
        None,
        None,
    )


sort_by_key_op.register_autograd(_gradient_of_sort, setup_context=_save_indices)
