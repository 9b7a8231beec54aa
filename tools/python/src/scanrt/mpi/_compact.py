# SPDX-License-Identifier: BSD-2-Clause
"""Compaction over the ranks."""

from __future__ import annotations

from ctypes import byref
from typing import Any, Literal

from .._compact import Bits, Compaction, arrays_of, outputs_of
from .._memory import head, new_room_like
from .._ops import Predicate
from .._typing import A, Array, Arrays
from . import _structs as s
from ._library import mpi
from ._parts import Part
from ._ranks import Ranks


def select(
    x: Arrays[A],
    keep: Array | Bits | Predicate,
    *,
    out: Arrays[A] | None = None,
    params: Any = None,
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """The elements of this rank that are kept, and where they lie among those that all ranks keep. Collective.

    Args:
        x, keep, out, params: as in `scanrt.select`, of this rank; out has room for all that are kept.
        return_part: True: also returns the place of this rank's elements among all that are kept, as a `Part`.
        comm: an intracommunicator of mpi4py's; None: MPI.COMM_WORLD.

    Returns:
        the kept elements (or a tuple of arrays), or (kept, part).
    """
    return _run("select", x, lambda arrays: Compaction(arrays).by(keep, params), out, return_part, comm)


def unique_consecutive(
    x: Arrays[A],
    *,
    keep: Literal["first", "last"] = "first",
    keys: A | None = None,
    same: Predicate | None = None,
    params: Any = None,
    out: Arrays[A] | None = None,
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """One element of each run of equal neighbours of all ranks, whose runs go on from rank to rank. Collective.

    Args:
        x, keep, keys, same, params, out: as in `scanrt.unique_consecutive`, of this rank. The rank that has the first
            (last) element of a run keeps it.
        return_part, comm: as in `select`.

    Returns:
        as `select`.
    """
    by_runs = lambda arrays: Compaction(arrays).by_runs(keys, keep, same, params)  # noqa: E731
    return _run("unique_consecutive", x, by_runs, out, return_part, comm)


def _run(name, x, criterion, out, return_part, comm):
    """criterion(arrays): the compaction of arrays, with its criterion."""
    arrays, several = arrays_of(x)

    def prepare():
        call = criterion(arrays)
        call.outs = call.moves(outputs_of(out, several), lambda place, y: new_room_like(place, y, None))
        call.context = call.place.context
        return call

    call, handle = Ranks(comm).enter(name, prepare)
    part = s.Part()
    handle.call(mpi.scan_mpi_select, byref(call.spec), call.n, byref(call.args), byref(part), None)
    kept = tuple(head(call.place.adapter, y, part.count) for y in call.outs)
    result = kept if several else kept[0]
    return (result, Part.of(part)) if return_part else result
