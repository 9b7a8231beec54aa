# SPDX-License-Identifier: BSD-2-Clause
"""The ranks of a communicator: how they agree, so that an error of one is raised on all, and their handles of
libscanrt_mpi."""

from __future__ import annotations

import ctypes
import functools
import zlib
from array import array
from ctypes import byref
from typing import Any, Callable, TypeVar

from mpi4py import MPI

from .. import _structs as c
from .._contexts import Context
from .._errors import InvalidArgument, Overflow, ScanError, error_of
from ._library import communicator, last_error, mpi

T = TypeVar("T")

MOST_HANDLES = 16  # of a communicator; the oldest one is destroyed first
_ALL = (1 << 64) - 1
_NO_FAULT = 1 << 63


class Handle:
    """A scan_mpi: a context of this rank, one of each other rank, and a communicator."""

    __slots__ = ("context", "address")

    def __init__(self, context: Context, comm):
        self.context = context
        address = ctypes.c_void_p()
        with context.lock:
            status = mpi.scan_mpi_create(context.handle, communicator(comm), byref(address))
            if status:
                raise error_of(status, last_error())
        self.address = address.value

    def call(self, function, *arguments) -> None:
        """Calls function(mpi, arguments). Collective."""
        with self.context.lock:
            status = function(self.address, *arguments)
            if status:
                self._fail(status)

    def _fail(self, status: int):
        error = error_of(status, last_error(self.address))
        if isinstance(error, Overflow):
            index = ctypes.c_uint64()
            mpi.scan_mpi_overflow_index(self.address, byref(index))
            error.index = index.value
        raise error

    def destroy(self) -> None:
        with self.context.lock:
            mpi.scan_mpi_destroy(self.address)


def _destroy_all(_comm, _key, handles) -> None:
    while handles:
        handles.pop(0).destroy()


@functools.cache
def _key() -> int:
    """The attribute by which a communicator keeps its handles. All ranks have made the same ones in the same order.
    MPI_Comm_free, which is collective, destroys them."""
    return MPI.Comm.Create_keyval(delete_fn=_destroy_all)


class Ranks:
    """The ranks of a communicator of mpi4py's; None: of MPI.COMM_WORLD."""

    def __init__(self, comm):
        if not MPI.Is_initialized() or MPI.Is_finalized():
            raise InvalidArgument("MPI is not initialised, or has been finalised: call MPI.Init() of mpi4py before")
        comm = MPI.COMM_WORLD if comm is None else comm
        if not isinstance(comm, MPI.Intracomm) or comm == MPI.COMM_NULL:
            raise InvalidArgument(f"comm is {comm!r}: give an intracommunicator of mpi4py's")
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()
        self.handles = comm.Get_attr(_key())
        if self.handles is None:
            self.handles = []
            comm.Set_attr(_key(), self.handles)

    def agree(self, name: str, step: Callable[[], T]) -> T:
        """What step() returns on this rank. If it fails on a rank, every rank raises that rank's error. Collective."""
        return self._agree(name, step, None)[0]

    def enter(self, name: str, prepare: Callable[[], T]) -> tuple[T, Handle]:
        """As agree, for a step that returns an object with a `context`, and perhaps a `route`, which all ranks must
        take: the object, and the handle of that context. Collective."""
        call, shared = self._agree(name, prepare, lambda call: self._with(call.context))
        if shared:
            return call, self.handles[(shared & -shared).bit_length() - 1]
        if len(self.handles) == MOST_HANDLES:
            self.handles.pop(0).destroy()
        self.handles.append(Handle(call.context, self.comm))
        return call, self.handles[-1]

    def sum(self, number: int) -> int:
        """The sum of all ranks' numbers. Collective."""
        return self.comm.allreduce(number, MPI.SUM)

    def free(self) -> None:
        """Destroys the handles. Collective."""
        _destroy_all(self.comm, None, self.handles)

    def _with(self, context) -> int:
        """The handles of a context, as bits."""
        return sum(1 << k for k, handle in enumerate(self.handles) if handle.context is context)

    def _agree(self, name, step, mask_of):
        """The step's result, and the bits that all ranks have in mask_of(result)."""
        result, fault, mask = None, None, 0
        try:
            result = step()
            mask = mask_of(result) if mask_of else 0
            name += getattr(result, "route", "")
        except Exception as error:
            fault = error
        # The ranks call the same function if its tag, and the tag's complement, survive the AND of all.
        tag = zlib.crc32(name.encode())
        votes = array("Q", [0 if fault else mask | _NO_FAULT, tag, tag ^ _ALL])
        self.comm.Allreduce(MPI.IN_PLACE, votes, MPI.BAND)
        if not votes[0] & _NO_FAULT:
            self._raise(fault)
        if votes[1] != votes[2] ^ _ALL:
            raise InvalidArgument(f"the ranks make different calls, and rank {self.rank} calls scanrt.mpi.{name}")
        return result, votes[0] ^ _NO_FAULT

    def _raise(self, fault):
        """Raises the error of the first rank that has one."""
        first = self.comm.allreduce(self.size if fault is None else self.rank, MPI.MIN)
        status, words = self.comm.bcast(_report_of(fault) if first == self.rank else None, first)
        if first == self.rank and not isinstance(fault, ScanError):
            raise fault
        raise error_of(status, f"rank {first}: {words}") from fault


def _report_of(fault) -> tuple[Any, str]:
    """The status and words of an error for other ranks."""
    if isinstance(fault, ScanError):
        return fault.status, str(fault)
    kinds = {MemoryError: c.OUT_OF_MEMORY, TypeError: c.INVALID_ARGUMENT, ValueError: c.INVALID_ARGUMENT}
    status = next((status for kind, status in kinds.items() if isinstance(fault, kind)), c.DEVICE_ERROR)
    return status, f"{type(fault).__name__}: {fault}"
