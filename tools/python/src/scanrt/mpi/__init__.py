# SPDX-License-Identifier: BSD-2-Clause
"""scanrt.mpi: scans, sorts, splits, compaction and runs over the ranks of an MPI communicator of mpi4py's.

The arrays of all ranks, in their order, are one sequence. Each function gives every rank its part of what the
function of that name in scanrt gives for the whole on one device: the same bits, whatever the number of ranks and the
sizes of their parts. A rank's array may be empty.

Calls are collective: every rank of the communicator makes them, in the same order. If one rank fails, every rank raises
its error. Results are there when a call returns.

The module needs mpi4py, and libscanrt_mpi built with the MPI that mpi4py uses: libscanrt_mpi.so.0 where the system's
loader finds it, or the file that the environment variable SCANRT_MPI_LIBRARY names.
"""

from ._compact import select, unique_consecutive
from ._parts import Info, Part, free, info, offsets
from ._runs import reduce_by_key, run_length_encode, unique
from ._scans import cumsum, reduce, scan
from ._sorts import argsort, sort, sort_by_key
from ._splits import split

__all__ = [
    "Info",
    "Part",
    "argsort",
    "cumsum",
    "free",
    "info",
    "offsets",
    "reduce",
    "reduce_by_key",
    "run_length_encode",
    "scan",
    "select",
    "sort",
    "sort_by_key",
    "split",
    "unique",
    "unique_consecutive",
]
