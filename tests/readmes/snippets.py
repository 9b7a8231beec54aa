# SPDX-License-Identifier: BSD-2-Clause
"""Blocks of C, C++, Fortran and Python in the READMEs compile; programs of C and C++ are run. So are programs of Fortran
and Python behind which a block says what they print, <!-- prints -->, and the output is compared.

A block without `main` is a fragment: its #include lines and the macros that define functions go to the head of a file, the
rest into a function. Names that it takes for granted are those of GRANTED, and what a comment before the block declares:
<!-- given: uint32_t *keys; -->. Blocks of CMake are built by tests/consumer/run.sh; tests/fortran runs the programs of
Fortran of READMEs, and tools/python/tests/test_readme.py all of Python."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from commands import COMMAND_KINDS, MPI_ENVIRONMENT

MEMORY = (
    "in out mem keys values flags count keys_out lengths sorted sorted_values split offsets sums_out image table total carry row_offsets"
)
GRANTED = f"""
static scan_ctx *ctx;
static uint64_t n, local_n, rows, columns;
static scan_mem {", ".join(MEMORY.split())};
"""
KINDS = ("c", "cpp", "c++", "fortran", "python", "cmake", "text")
PYTHON_KINDS = ("python", "python opencl", "python gpu", "python torch", "python jax", "python mpi")
FILE_SCOPE = re.compile(r"^(SCAN_OP_TEXT|SCAN_\w+_HOST)\(|^(static|typedef|template|struct|using)\b")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused", "-Wunused-parameter", "-Wno-uninitialized", "-Wno-overlength-strings"]


class Build:
    """A build: values of its CMakeCache.txt, and what was built."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.environment = {  # of programs: the host, with the package of the tree and this build's library for Python
            **os.environ,
            **MPI_ENVIRONMENT,
            "SCANRT_DEVICE": "host",
            "SCANRT_LIBRARY": self.library() or "",
            "PYTHONPATH": str(root / "tools/python/src"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.python = self.find_python()
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
        self.cache = dict(re.findall(r"^([\w.]+):\w+=(.*)$", cache, re.M))
        modules = sorted(folder.rglob("scanrt.mod"))
        self.modules = modules[0].parent if modules else None

    def compiler(self, name):
        value = self.cache.get(name, "")
        return value if value and not value.endswith("NOTFOUND") else None

    def library(self, stem="libscanrt"):
        for name in (f"{stem}.so", f"{stem}.a"):
            if (self.folder / "lib" / name).is_file():
                return str(self.folder / "lib" / name)
        return None

    def mpirun(self):
        """The command that starts three ranks, of the MPI that the library was built with; None where there is none."""
        program = shutil.which(self.cache.get("MPIEXEC_EXECUTABLE", "")) if self.library("libscanrt_mpi") else None
        return [program, "-n", "3"] if program else None

    def find_python(self):
        """A Python that has NumPy, and can open the library: that of the package's tests, or this one; else None."""
        shared = (self.library() or "").endswith(".so")
        for program in (self.folder / "python/venv/bin/python", sys.executable):
            if shared and os.access(program, os.X_OK) and call([program, "-c", "import numpy"], "") is None:
                return str(program)
        return None


def statements(block):
    """Returns (number, lines) of each statement at file scope. It ends when its brackets are closed, with `;` or `}`; a
    # directive ends with the line."""
    group, depth, first = [], 0, block.line + 1
    for number, line in enumerate(block.lines, block.line + 1):
        first = first if group else number
        group.append(line)
        depth += line.count("(") + line.count("{") - line.count(")") - line.count("}")
        if depth == 0 and (line.startswith("#") or line.rstrip().endswith((";", "}", "*/")) or not line.strip()):
            yield first, group
            group = []
    if group:
        yield first, group


def scopes(block):
    """Returns a fragment in three parts: # directives, file scope, function. Messages name the README's lines."""
    parts = [[], [], []]
    for number, group in statements(block):
        part = 0 if group[0].startswith("#") else 1 if FILE_SCOPE.match(group[0]) else 2
        parts[part] += [f'#line {number} "{block.file}"', *group]
    return ["\n".join(part) for part in parts]


def headers(root, block, with_mpi):
    names = sorted(path.name for path in (root / "include/scanrt").glob("*.h"))
    names = [name for name in names if with_mpi or not name.startswith("scan_mpi")]
    if block.kind != "c" and "scanrt::" in block.text:
        names.append("scan.hpp")
    return "".join(f"#include <scanrt/{name}>\n" for name in names)


def fragment(root, block, with_mpi):
    """Returns the text of a file that contains the fragment."""
    includes, outer, inner = scopes(block)
    return (
        f"{includes}\n{headers(root, block, with_mpi)}{GRANTED}\n{outer}\n"
        "void fragment(void);\nvoid fragment(void) {\n"
        f'#line {block.line - 1} "{block.file}"\n{block.given}\n{{\n{inner}\n}}\n}}\n'
    )


def call(arguments, text, environment=None, prints=None):
    """What is wrong with the status of a command, or with its output where `prints` says what it must be; else None."""
    done = subprocess.run(arguments, input=text, text=True, capture_output=True, timeout=120, env=environment)
    if done.returncode != 0:
        return (done.stderr or done.stdout or f"status {done.returncode}").strip()
    if prints is not None and lines_of(done.stdout) != lines_of(prints):
        return f"prints\n{done.stdout}and not\n{prints}"
    return None


def lines_of(output):
    return [line.rstrip() for line in output.rstrip().split("\n")]


def links_to(library):
    return [library, f"-Wl,-rpath,{os.path.dirname(library)}"]


def check_program(build, compiler, language, block, with_mpi):
    """A whole program is compiled, linked and run on the host, one of MPI by three ranks. As another language than its own
    it is only compiled."""
    flags = ["-x", language, f"-I{build.root}/include", *WARNINGS]
    if language == "c++" and block.kind == "c":
        return call([compiler, *flags, "-fsyntax-only", "-"], block.text)
    libraries = [build.library("libscanrt_mpi")] if with_mpi else []
    libraries.append(build.library())
    start = build.mpirun() if with_mpi else []
    if None in libraries or start is None:
        return None
    with tempfile.TemporaryDirectory(prefix="scanrt_readmes_") as folder:
        program = f"{folder}/program"
        links = [word for library in libraries for word in links_to(library)] + ["-lm", "-ldl", "-lpthread"]
        arguments = [compiler, *flags, "-", "-o", program, "-x", "none", *links]
        return call(arguments, block.text) or call([*start, program], "", build.environment, block.prints)


def check_c(build, block):
    """Compiles C blocks as C11 and C++17, and C++ blocks as C++17."""
    with_mpi = "MPI" in block.text or "scan_mpi" in block.text
    languages = {"c": [("c", "-std=c11"), ("c++", "-std=c++17")]}.get(block.kind, [("c++", "-std=c++17")])
    faults, looked = [], 0
    for language, standard in languages:
        name = {"c": "C", "c++": "CXX"}[language]
        compiler = build.compiler(f"MPI_{name}_COMPILER" if with_mpi else f"CMAKE_{name}_COMPILER")
        if compiler is None:
            continue
        looked += 1
        if re.search(r"\bmain\s*\(", block.text):
            fault = check_program(build, compiler, language, block, with_mpi)
        else:
            text = fragment(build.root, block, with_mpi)
            flags = WARNINGS if language == "c" else ["-w"]
            fault = call(
                [compiler, "-x", language, standard, "-fsyntax-only", f"-I{build.root}/include", *flags, "-"], text
            )
        if fault:
            faults.append(f"{block.place}: as {standard[5:]}: {fault}")
    return faults, looked > 0


def check_fortran(build, block):
    compiler = build.compiler("CMAKE_Fortran_COMPILER")
    if compiler is None or build.modules is None:
        return [], False
    text = block.text
    if not re.match(r"\s*(program|module|subroutine)\b", text):
        text = f"program fragment\nuse scanrt\nimplicit none\n{block.given}\n{text}\nend program fragment\n"
    with tempfile.TemporaryDirectory(prefix="scanrt_readmes_") as folder:
        source = Path(folder) / "block.f90"
        source.write_text(text, encoding="utf-8")
        modules = [f"-I{build.modules}", f"-J{folder}", str(source)]
        libraries = [build.library("libscanrt_fortran"), build.library()]
        if block.prints is None or None in libraries:
            fault = call([compiler, "-fsyntax-only", *modules], "")
        else:
            links = [word for library in libraries for word in links_to(library)]
            fault = call([compiler, *modules, "-o", f"{folder}/program", *links], "") or call(
                [f"{folder}/program"], "", build.environment, block.prints
            )
    return ([f"{block.place}: {fault}"] if fault else []), True


def check_python(build, block):
    if block.info not in PYTHON_KINDS:
        return [f"{block.place}: '{block.info}' is none of {', '.join(PYTHON_KINDS)}"], True
    try:
        compile(block.text, block.place, "exec")
    except SyntaxError as error:
        return [f"{block.place}: {error}"], True
    python = build.python if block.prints is not None else None
    fault = call([python, "-"], block.text, build.environment, block.prints) if python else None
    return ([f"{block.place}: {fault}"] if fault else []), block.prints is None or python is not None


CHECKS = {"c": check_c, "cpp": check_c, "c++": check_c, "fortran": check_fortran, "python": check_python}


def check_block(build, block):
    if block.info in COMMAND_KINDS:
        return [], None
    if block.kind not in KINDS:
        return [f"{block.place}: '{block.info}' is no language that is checked: {', '.join(KINDS)}, or none for commands"], None
    check = CHECKS.get(block.kind)
    return check(build, block) if check else ([], None)


def check_snippets(root, folder, readmes):
    """Returns the faults, and a text that says how many blocks were compiled."""
    build = Build(root, folder)
    blocks = [block for readme in readmes for block in readme.blocks]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda block: check_block(build, block), blocks))
    faults = [fault for found, _ in results for fault in found]
    looked = [was for _, was in results]
    return faults, f"{looked.count(True)} blocks compiled, {looked.count(False)} without a compiler, MPI or modules here"
