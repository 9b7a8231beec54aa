# SPDX-License-Identifier: BSD-2-Clause
"""Opens libscanrt: the one in the wheel, beside this file, or the one named by the environment variable
SCANRT_LIBRARY."""

import ctypes
import os
from pathlib import Path
from types import SimpleNamespace

from . import _structs as c
from ._errors import error_of

FOLDER = Path(__file__).resolve().parent
HEADERS = FOLDER / "include"
if not HEADERS.is_dir():  # not installed: inside the project's tree
    HEADERS = FOLDER.parents[3] / "include"


def _path() -> str:
    given = os.environ.get("SCANRT_LIBRARY")
    if given:
        return given
    found = sorted((FOLDER / "lib").glob("libscanrt.so*"))
    if not found:
        raise ImportError(
            f"{FOLDER / 'lib'} holds no libscanrt.so: install the wheel, or name the library in the "
            "environment variable SCANRT_LIBRARY"
        )
    return str(found[0])


def _open():
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as fault:
        raise ImportError(f"the library {path} cannot be opened: {fault}") from fault
    functions = SimpleNamespace(path=path)
    for name, (result, parameters) in c.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"the library {path} has no {name}: it is of another version than this package") from None
        function.restype, function.argtypes = result, parameters
        setattr(functions, name, function)
    return functions


lib = _open()


def text_of(address) -> str:
    """The text at an address; "" for a null address."""
    return ctypes.string_at(address).decode("utf-8", "replace") if address else ""


def check_free(status: int) -> None:
    """Raises the error of a call without a context."""
    if status != c.SUCCESS:
        raise error_of(status, text_of(lib.scan_last_error(None)))
