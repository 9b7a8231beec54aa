# SPDX-License-Identifier: BSD-2-Clause
"""The structs, numbers and functions of scan_mpi.h, scan_mpi_sort.h and scan_mpi_runs.h, for ctypes."""

from ctypes import Structure, c_int, c_uint64, c_void_p

from .._structs import Mem, Sized, fields_of

DISTRIBUTIONS = {"as_given": 0, "even": 1, "by_key": 2}
UNSET = 2**64 - 1  # a total that no call sets


class Part(Structure):
    _fields_ = fields_of("u64 count offset total")


class Facts(Sized):
    _fields_ = fields_of("size struct_bytes; char transport[16] reason[160]")


def functions(communicator):
    """Every function that the package calls, with its result and its arguments. communicator: the type of MPI_Comm."""
    pointer, number = c_void_p, c_uint64
    call = (c_int, [pointer, pointer, number, pointer])
    return {
        "scan_mpi_create": (c_int, [pointer, communicator, pointer]),
        "scan_mpi_destroy": (None, [pointer]),
        "scan_mpi_last_error": (pointer, [pointer]),
        "scan_mpi_info": (c_int, [pointer, pointer]),
        "scan_mpi_takes_device_memory": (c_int, [pointer]),
        "scan_mpi_sent_bytes": (number, [pointer]),
        "scan_mpi_overflow_index": (c_int, [pointer, pointer]),
        "scan_mpi_offsets": (c_int, [communicator, number, pointer, pointer]),
        "scan_mpi_run_args": call,
        "scan_mpi_run_array": (c_int, [pointer, pointer, pointer, Mem, Mem]),
        "scan_mpi_select": (c_int, [*call[1], pointer, pointer]),
        "scan_mpi_sort": (c_int, [pointer, pointer, c_int, number, number, pointer, pointer]),
        "scan_mpi_split": (c_int, [pointer, pointer, c_int, number, number, pointer, pointer]),
        "scan_mpi_run_length_encode": (c_int, [*call[1], pointer]),
        "scan_mpi_reduce_by_key": (c_int, [*call[1], pointer]),
    }
