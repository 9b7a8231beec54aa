# SPDX-License-Identifier: BSD-2-Clause
"""The library that scanrt.mpi opens: others are refused, calls need MPI_Init, and layouts are those of the headers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_readme import PROJECT
from test_structs import run_layouts

import scanrt
from scanrt._library import lib

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def rank():
    pytest.importorskip("mpi4py")
    from mpi4py import MPI

    return MPI.COMM_WORLD.Get_rank()


def _renamed(path, folder, before, after):
    """A copy of a library with another name in its tables."""
    copy = folder / "copy.so"
    copy.write_bytes(Path(path).read_bytes().replace(before + b"\0", after + b"\0"))
    return copy


def _none(folder):
    return {"SCANRT_MPI_LIBRARY": folder / "none.so"}


def _of_another_mpi(folder):
    library = os.environ.get("SCANRT_TEST_OTHER_MPI_LIBRARY")
    if not library:
        pytest.skip("SCANRT_TEST_OTHER_MPI_LIBRARY names no libscanrt_mpi of another MPI")
    return {"SCANRT_MPI_LIBRARY": library}


def _of_another_scanrt(folder):
    return {"SCANRT_LIBRARY": _renamed(lib.path, folder, b"libscanrt.so.0", b"libscanrt.so.9")}


def _of_another_version(folder):
    library = _renamed(scanrt.mpi._library.mpi.path, folder, b"scan_mpi_sort", b"scan_mpi_tros")
    return {"SCANRT_MPI_LIBRARY": library}


@pytest.mark.parametrize(
    "environment, words",
    [
        (_none, "none.so cannot be opened"),
        (_of_another_mpi, "was built with another MPI than mpi4py"),
        (_of_another_scanrt, "uses another libscanrt than"),
        (_of_another_version, "has no scan_mpi_sort: it is of another version than this package"),
    ],
)
def test_libraries_that_are_refused(rank, tmp_path, environment, words):
    """In a process that does not call MPI_Init, since it is the child of a rank."""
    if rank:
        pytest.skip("rank 0 alone")
    text = "import mpi4py; mpi4py.rc.initialize = False; import scanrt.mpi"
    variables = {name: str(path) for name, path in environment(tmp_path).items()}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode != 0 and words in done.stderr


def test_calls_before_mpi_init(rank):
    if rank:
        pytest.skip("rank 0 alone")
    text = "import mpi4py; mpi4py.rc.initialize = False; import scanrt.mpi; scanrt.mpi.scan([1, 2])"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode != 0 and "MPI is not initialised" in done.stderr


def test_layouts_are_those_of_the_headers(tmp_path):
    """Of the structs and numbers of scan_mpi*.h, which the wheel has not."""
    headers = PROJECT / "include"
    if not (headers / "scanrt" / "scan_mpi.h").is_file():
        pytest.skip("the tests are not within the project's tree")
    from scanrt.mpi import _structs

    (tmp_path / "mpi.h").write_text("typedef int MPI_Comm;\n")
    structs = {"Part": "scan_mpi_part", "Facts": "scan_mpi_facts"}
    numbers = {f"SCAN_MPI_{name.upper()}": number for name, number in _structs.DISTRIBUTIONS.items()}
    run_layouts(tmp_path, [tmp_path, headers], ["scan_mpi_sort.h"], _structs, structs, numbers.items())
