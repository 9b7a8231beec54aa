# SPDX-License-Identifier: BSD-2-Clause
"""ctypes' structs equal those that a C compiler makes of the headers, and memory has the library's names."""

import ctypes
import re
import shutil
import subprocess

import pytest

from scanrt import _structs
from scanrt._library import HEADERS, lib

FIELDS = {"in_": "in"}
# Each struct by its name in the headers: SelectSpec is scan_select_spec.
STRUCTS = {
    name: "scan_" + re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    for name, what in vars(_structs).items()
    if isinstance(what, type) and issubclass(what, (ctypes.Structure, ctypes.Union)) and hasattr(what, "_fields_")
}


def _program(headers, module, structs, numbers):
    lines = ["#include <stddef.h>", "#include <stdio.h>", *(f"#include <scanrt/{name}>" for name in headers)]
    lines += ["int main(void) {"]
    for name, c_name in structs.items():
        lines.append(f'  printf("{name} %zu\\n", sizeof({c_name}));')
        for field, *_ in getattr(module, name)._fields_:
            place = f"{c_name}, {FIELDS.get(field, field)}"
            lines.append(
                f'  printf("{name}.{field} %zu %zu\\n", offsetof({place}), sizeof((({c_name} *)0)->'
                f"{FIELDS.get(field, field)}));"
            )
    lines += [f'  printf("{name} %d\\n", (int){name});' for name, _ in numbers]
    return "\n".join([*lines, "  return 0;", "}", ""])


def _enumerators():
    """Enumerators of the headers, with the package's numbers."""
    types = {"int": "I", "uint": "U", "float": "F", "bfloat": "BF"}
    for name, number in _structs.TYPES.items():
        word = name.rstrip("0123456789")
        yield f"SCAN_{types[word]}{name[len(word) :]}", number
    for name, number in _structs.OPS.items():
        yield f"SCAN_{name.upper()}", number
    for name, number in _structs.ORDERS.items():
        yield f"SCAN_SORT_{name.upper()}_ORDER", number
    for name in (
        "SUCCESS INVALID_ARGUMENT UNSUPPORTED NO_DEVICE OUT_OF_MEMORY BUILD_FAILED DEVICE_ERROR NO_PROGRESS "
        "CANCELLED OVERFLOW INCLUSIVE EXCLUSIVE TOTAL BACKWARD CHECK_OVERFLOW N_FROM_CLAMP MEM_NONE MEM_HOST "
        "MEM_CUDA MEM_OPENCL SEGMENTS_NONE SEGMENTS_FLAGS SEGMENTS_BITS SEGMENTS_KEYS SEGMENTS_OFFSETS "
        "SELECT_FLAGS SELECT_BITS SELECT_FIRST SELECT_LAST SELECT_PREDICATE REST_BEHIND REST_APART "
        "BACKEND_HOST"
    ).split():
        yield f"SCAN_{name}", getattr(_structs, name)
    yield "SCAN_SELECT_MOST_ARRAYS", _structs.MOST_ARRAYS
    yield "SCAN_SORT_MOST_ARRAYS", _structs.MOST_ARRAYS
    yield "SCAN_ARRAY_MAX_AXES", _structs.MOST_AXES
    yield "SCAN_OP_MOST_MEMBERS", _structs.MOST_MEMBERS


def _expected(module, structs, numbers):
    for name in structs:
        struct = getattr(module, name)
        yield f"{name} {ctypes.sizeof(struct)}"
        for field, *_ in struct._fields_:
            place = getattr(struct, field)
            yield f"{name}.{field} {place.offset} {place.size}"
    for name, number in numbers:
        yield f"{name} {number}"


def run_layouts(folder, includes, headers, module, structs, numbers):
    """Compares a module's structs, by their names in the headers, and its numbers with those of a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    source, program, numbers = folder / "layout.c", folder / "layout", list(numbers)
    source.write_text(_program(headers, module, structs, numbers))
    flags = [f"-I{folder}" for folder in includes]
    subprocess.run([compiler, "-std=c11", *flags, str(source), "-o", str(program)], check=True)
    found = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    assert found == list(_expected(module, structs, numbers))


def test_layouts_and_numbers_are_those_of_the_headers(tmp_path):
    # Without the headers of ranks, which the wheel lacks and which need an MPI's header.
    headers = [
        header.name for header in sorted((HEADERS / "scanrt").glob("*.h")) if not header.name.startswith("scan_mpi")
    ]
    assert len(STRUCTS) > 20
    run_layouts(tmp_path, [HEADERS], headers, _structs, STRUCTS, _enumerators())


def test_memory_is_named_as_the_library_names_it():
    buffer = ctypes.create_string_buffer(64)
    address = ctypes.addressof(buffer)
    for own, made in (
        (_structs.Mem(kind=_structs.MEM_HOST, handle=address), lib.scan_host(address)),
        (_structs.Mem(kind=_structs.MEM_CUDA, handle=4096), lib.scan_cuda_mem(4096, 0)),
        (_structs.Mem(kind=_structs.MEM_OPENCL, handle=4096, offset_bytes=8), lib.scan_opencl_mem(4096, 8)),
    ):
        for name, *_ in own._fields_:  # compares fields, not bytes: padding is undefined
            assert getattr(own, name) == getattr(made, name), name
