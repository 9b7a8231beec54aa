# SPDX-License-Identifier: BSD-2-Clause
"""Where the elements of a rank lie among those of all ranks; facts about the ranks."""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any, NamedTuple

from .._checks import count_of
from .._contexts import host_place, of_host
from .._errors import error_of
from .._memory import Place
from .._typing import Array
from . import _structs as s
from ._library import communicator, last_error, mpi
from ._ranks import Ranks


class Part(NamedTuple):
    """The place of a rank's elements among those of all ranks."""

    count: int  # type: ignore[assignment] # elements of this rank; a tuple has a method of this name
    offset: int  # elements of the ranks before
    total: int  # elements of all ranks

    @classmethod
    def of(cls, part: s.Part) -> Part:
        return cls(part.count, part.offset, part.total)


class Info(NamedTuple):
    """Facts of `info`."""

    transport: str  # how elements go to other ranks: "mpi", "peer", "nccl" or "staged"
    reason: str  # why no faster transport is used; "" if this is the first choice
    takes_device_memory: bool  # True if MPI takes addresses of the arrays' memory
    sent_bytes: int  # bytes that this rank has sent to others in the last call


def with_part(results: tuple, part: s.Part, return_part: bool) -> Any:
    """The results of a call: an only one by itself. return_part: True: the `Part` follows."""
    if return_part:
        return (*results, Part.of(part))
    return results if len(results) > 1 else results[0]


def offsets(count: int, *, comm: Any = None) -> Part:
    """The place of this rank's `count` things among those of all ranks: an exclusive sum, and the total. Collective.

    Args:
        count: of this rank, 0 or more.
        comm: an intracommunicator of mpi4py's; None: MPI.COMM_WORLD.
    """
    ranks = Ranks(comm)
    own = ranks.agree("offsets", lambda: count_of(count, "count"))
    offset, total = ctypes.c_uint64(), ctypes.c_uint64()
    status = mpi.scan_mpi_offsets(communicator(ranks.comm), own, byref(offset), byref(total))
    if status:
        raise error_of(status, last_error())
    return Part(own, offset.value, total.value)


def info(x: Array = None, *, comm: Any = None) -> Info:
    """How elements of arrays like this rank's x go to other ranks. Collective.

    Args:
        x: an array on the device of this rank; None: NumPy's.
        comm: as in `offsets`.
    """
    ranks = Ranks(comm)
    _, handle = ranks.enter("info", lambda: _OfArray(x))
    facts = s.Facts()
    handle.call(mpi.scan_mpi_info, byref(facts))
    return Info(
        facts.transport.decode(),
        facts.reason.decode("utf-8", "replace"),
        bool(mpi.scan_mpi_takes_device_memory(handle.address)),
        mpi.scan_mpi_sent_bytes(handle.address),
    )


class _OfArray:
    """The context that computes an array."""

    def __init__(self, x):
        self.context = of_host(host_place()) if x is None else Place(x).context


def free(comm: Any = None) -> None:
    """Frees what the calls on a communicator have made, which it keeps for the next ones. comm.Free() does so, too.
    Collective."""
    Ranks(comm).free()
