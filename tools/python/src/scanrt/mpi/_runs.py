# SPDX-License-Identifier: BSD-2-Clause
"""Runs of equal keys over the ranks."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from .._memory import head
from .._ops import Op
from .._runs import ReduceByKeyCall, RunLengthCall
from .._typing import A, Builtin, DType, IndexDType
from . import _structs as s
from ._compact import unique_consecutive
from ._library import mpi
from ._parts import with_part
from ._ranks import Ranks
from ._sorts import sort


def run_length_encode(
    keys: A, *, starts: bool = False, dtype: IndexDType = "int64", return_part: bool = False, comm: Any = None
) -> Any:
    """The first key of each run of equal keys of all ranks, and its length. Runs go on from rank to rank; the rank that
    has the first key of a run gets it, with its length on all ranks. Collective.

    Args:
        keys, starts, dtype: as in `scanrt.run_length_encode`. Starts count the keys of all ranks.
        return_part, comm: as in `sort`.

    Returns:
        (keys, lengths[, starts][, part]), with one element for each run of this rank.
    """
    call, handle = Ranks(comm).enter("run_length_encode", lambda: RunLengthCall(keys, starts, dtype, None, None))
    return _run(call, handle, mpi.scan_mpi_run_length_encode, return_part)


def reduce_by_key(
    keys: A,
    values: A,
    op: Builtin | Op = "add",
    *,
    dtype: DType | None = None,
    initial: Any = None,
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """Combines the values of each run of equal keys of all ranks into one. The rank that has the last key of a run gets
    it, with the result of its values on all ranks, in the bits of one device. Collective.

    Args:
        keys, values, op, dtype, initial: as in `scanrt.reduce_by_key`.
        return_part, comm: as in `sort`.

    Returns:
        (keys, results[, part]), with one element for each run of this rank.
    """

    def prepare():
        return ReduceByKeyCall(keys, values, op, dtype, initial, None, None)

    call, handle = Ranks(comm).enter("reduce_by_key", prepare)
    return _run(call, handle, mpi.scan_mpi_reduce_by_key, return_part)


def _run(call, handle, function, return_part):
    part = s.Part()
    handle.call(function, byref(call.spec), call.items, byref(call.args), byref(part))
    return with_part(tuple(head(call.place.adapter, out, part.count) for out in call.out), part, return_part)


def unique(ar: A, return_counts: bool = False, *, return_part: bool = False, comm: Any = None) -> Any:
    """The sorted unique values of the arrays of all ranks, as `scanrt.unique` of the whole, about as many on each rank.
    Collective.

    Args:
        ar: this rank's array, with one axis.
        return_counts: True: also returns the number of elements with each value.
        return_part, comm: as in `sort`.

    Returns:
        values, or a tuple (values[, counts][, part]).
    """
    values = sort(ar, distribution="even", comm=comm)
    if return_counts:
        return run_length_encode(values, return_part=return_part, comm=comm)
    return unique_consecutive(values, return_part=return_part, comm=comm)
