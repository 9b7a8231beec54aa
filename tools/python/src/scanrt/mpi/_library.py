# SPDX-License-Identifier: BSD-2-Clause
"""Opens libscanrt_mpi: the file that the environment variable SCANRT_MPI_LIBRARY names, or the one that the system's
loader finds. The wheel has none, because it depends on the MPI of the machine.

libscanrt_mpi needs libscanrt.so.0. The loader takes the package's library for it, which has this SONAME and is open.
"""

import ctypes
import os
from types import SimpleNamespace

try:
    from mpi4py import MPI
except ImportError as fault:
    raise ImportError(f"scanrt.mpi takes the communicators of mpi4py, which cannot be imported: {fault}") from fault

from .._library import lib, text_of
from . import _structs as s

NAME = "libscanrt_mpi.so.0"
# MPI_Comm: a pointer in Open MPI, an int in MPICH.
_COMMUNICATOR = {ctypes.sizeof(t): t for t in (ctypes.c_void_p, ctypes.c_int)}[MPI._sizeof(MPI.Comm)]


def communicator(comm):
    """The MPI_Comm of a communicator of mpi4py's."""
    return _COMMUNICATOR.from_address(MPI._addressof(comm))


def _address(library, name: str):
    """The address of a function of a library, or of the libraries that it needs; None: there is none."""
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None


def _check(library, path: str) -> None:
    """Refuses a library of another MPI than mpi4py's, or of another libscanrt than the package's."""
    if _address(library, "MPI_Comm_dup") != _address(ctypes.CDLL(MPI.__file__), "MPI_Comm_dup"):
        own = MPI.Get_library_version().splitlines()[0].split(",")[0]
        raise ImportError(
            f"{path} was built with another MPI than mpi4py, which uses {own}: name one that was built with that MPI "
            "in the environment variable SCANRT_MPI_LIBRARY"
        )
    if _address(library, "scan_run_args") != _address(ctypes.CDLL(lib.path), "scan_run_args"):
        raise ImportError(
            f"{path} uses another libscanrt than {lib.path}, which this package has opened: install both of one version"
        )


def _open():
    path = os.environ.get("SCANRT_MPI_LIBRARY") or NAME
    try:
        library = ctypes.CDLL(path)
    except OSError as fault:
        raise ImportError(
            f"{path} cannot be opened: {fault}. Build scanrt with the MPI of mpi4py, and name its {NAME} in the "
            "environment variable SCANRT_MPI_LIBRARY"
        ) from fault
    _check(library, path)
    functions = SimpleNamespace(path=path)
    for name, (result, parameters) in s.functions(_COMMUNICATOR).items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path} has no {name}: it is of another version than this package") from None
        function.restype, function.argtypes = result, parameters
        setattr(functions, name, function)
    return functions


mpi = _open()


def last_error(handle=None) -> str:
    return text_of(mpi.scan_mpi_last_error(handle))
