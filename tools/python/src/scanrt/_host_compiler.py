# SPDX-License-Identifier: BSD-2-Clause
"""The host's functions of operators, predicates and bucket functions, which a C compiler of the machine compiles."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ._errors import BuildFailed, Unsupported
from ._library import HEADERS

_built = {}  # compiled libraries by text; they stay open, since operators point into them


def _compiler() -> str:
    for name in filter(None, (os.environ.get("CC"), "cc", "gcc", "clang")):
        if shutil.which(name.split()[0]):
            return name
    raise Unsupported(
        "an operator from source needs a C compiler on the host, and there is no cc, gcc or clang: install "
        "one, or name it in the environment variable CC"
    )


def compile_for_host(header, struct_name, text, lines, sets, made):
    """Compiles functions for the host, and sets them in the struct."""
    program = "\n".join(
        [
            "#include <stdint.h>",
            f"#include <scanrt/{header}.h>",
            '#line 1 "operator"',
            text,
            '#line 1 "scanrt"',
            *lines,
            f'__attribute__((visibility("default"))) void own_set({struct_name} *s) {{',
            *sets,
            "}",
            "",
        ]
    )
    functions = _built.get(program)
    if functions is None:
        with tempfile.TemporaryDirectory(prefix="scanrt-") as folder:
            functions = _built[program] = ctypes.CDLL(str(_build(Path(folder), program)))
    functions.own_set.argtypes = [ctypes.c_void_p]
    functions.own_set(ctypes.addressof(made))


def _build(folder, program):
    source, library = folder / "operator.c", folder / "operator.so"
    source.write_text(program)
    command = [
        *_compiler().split(),
        "-std=c11",
        "-O3",
        "-march=native",
        "-ffp-contract=off",
        "-fvisibility=hidden",
        "-shared",
        "-fPIC",
        f"-I{HEADERS}",
        str(source),
        "-o",
        str(library),
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BuildFailed(f"the host's compiler refuses the text:\n{done.stderr.strip()}")
    return library
