# SPDX-License-Identifier: BSD-2-Clause
"""Stable sorts over the ranks."""

from __future__ import annotations

from typing import Any

from .._arrays import array_of
from .._checks import outputs_given
from .._errors import InvalidArgument
from .._memory import head, index_type
from .._sort import SortCall, take_along
from .._typing import A, IndexDType, Order
from . import _structs as s
from ._library import mpi
from ._ordering import Ordering, run
from ._parts import with_part
from ._ranks import Ranks
from ._typing import Distribution


def _ordering(keys, values, descending, order, bits, distribution, out, indices=None, drops_keys=False):
    """The call, from the arguments of `sort_by_key`. indices: their dtype, if they are wanted."""
    _, keys = array_of(keys)
    call = SortCall(keys, descending, bits, order, words=_words_of(keys, values))
    spec, args = call.spec, call.args
    spec.drops_keys = drops_keys
    ordering = Ordering(mpi.scan_mpi_sort, call.place, spec, args, call.n, distribution, out)
    if not drops_keys:
        ordering.gives_keys(call.keys)
    if values is not None:
        ordering.gives_values(take_along(call.place, spec, args, values, call.n))
    if indices is not None:
        name, spec.index_type = index_type(indices)
        ordering.gives_indices(name)
    ordering.keeps.append(call)
    return ordering


def _words_of(keys, values):
    """The words of a key: 2 for an array of the shape (n, 2), for which there are values."""
    adapter, keys = array_of(keys)
    shape = tuple(adapter.layout(keys)[2])
    if len(shape) != 1 and not (values is not None and len(shape) == 2 and shape[1] == 2):
        two = ", or the shape (n, 2)" if values is not None else ""
        raise InvalidArgument(f"keys have one axis{two}, not the shape {shape}: flatten the array")
    return len(shape)


def _results(call, part: s.Part) -> tuple:
    return tuple(head(call.place.adapter, out, part.count) for out in call.outs)


def sort(
    a: A,
    *,
    distribution: Distribution = "as_given",
    descending: bool = False,
    return_indices: bool = False,
    index_dtype: IndexDType = "int64",
    order: Order | None = None,
    bits: tuple[int, int] | None = None,
    out: A | None = None,
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """Sorts the keys of all ranks, as `scanrt.sort` sorts the ranks' arrays one behind the other: stable, and with the
    same bytes. Each rank gets a part of the sorted sequence. Collective.

    Args:
        a: this rank's keys, with one axis; it may be empty.
        distribution: how many each rank gets. "as_given": as many as it gives. "even": as many as the others, or one
            more. "by_key": about as many as the others, with all equal keys on one rank.
        descending, return_indices, index_dtype, order, bits: as in `scanrt.sort`. Indices count the keys of all ranks.
        out: array of a's dtype with room for this rank's results; with "as_given" it may be a.
        return_part: True: also returns where the results lie in the sorted sequence, as a `Part`.
        comm: an intracommunicator of mpi4py's; None: MPI.COMM_WORLD.

    Returns:
        the keys, or a tuple (keys[, indices][, part]): this rank's. They are there when the call returns.
    """

    def prepare():
        if out is not None and return_indices:
            raise InvalidArgument("out= is for keys alone: omit return_indices=, or out=")
        indices = index_dtype if return_indices else None
        return _ordering(a, None, descending, order, bits, distribution, None if out is None else (out,), indices)

    call, part = run(Ranks(comm), "sort", prepare)
    return with_part(_results(call, part), part, return_part)


def argsort(
    a: A,
    *,
    distribution: Distribution = "as_given",
    descending: bool = False,
    dtype: IndexDType = "int64",
    order: Order | None = None,
    bits: tuple[int, int] | None = None,
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """The indices that sort the keys of all ranks, counted over all ranks. Arguments as in `sort`. Collective."""

    def prepare():
        return _ordering(a, None, descending, order, bits, distribution, None, dtype, drops_keys=True)

    call, part = run(Ranks(comm), "argsort", prepare)
    return with_part(_results(call, part), part, return_part)


def sort_by_key(
    keys: A,
    *values: A,
    distribution: Distribution = "as_given",
    descending: bool = False,
    order: Order | None = None,
    bits: tuple[int, int] | None = None,
    out: tuple[A, ...] | None = None,
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """Sorts the keys of all ranks, and brings arrays into the same order, as `scanrt.sort_by_key`. Collective.

    Args:
        keys: this rank's keys, with one axis, or of the shape (n, 2), as in `scanrt.sort_by_key`.
        values: up to eight arrays with as many elements, of the same dtypes on all ranks.
        out: (keys, values, ...) with room for this rank's results.
        distribution, descending, order, bits, return_part, comm: as in `sort`.

    Returns:
        (keys, values, ...[, part]).
    """

    def prepare():
        given = None if out is None else outputs_given(out, "keys, values, ...", 1 + len(values))
        return _ordering(keys, values, descending, order, bits, distribution, given)

    call, part = run(Ranks(comm), "sort_by_key", prepare)
    results = _results(call, part)
    return with_part(results, part, return_part) if return_part else results
