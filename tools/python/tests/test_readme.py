# SPDX-License-Identifier: BSD-2-Clause
"""The Python lines of all READMEs and of the site run as they are; so does the example that plots."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import PyopenclSide, TorchSide

import scanrt

PACKAGE = Path(__file__).resolve().parents[1]
PROJECT = PACKAGE.parents[1]


def blocks(path, kind=""):
    return re.findall(rf"^```python{kind}\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)


def readmes():
    """The package's, and where the tests are within the project's tree, all others and the pages of the site."""
    if not (PROJECT / "include" / "scanrt").is_dir():
        return [PACKAGE / "README.md"]
    folders = [PROJECT / name for name in ("include", "runtime", "kernels_cl", "kernels_cu", "tests", "tools")]
    site = sorted((PROJECT / "tools" / "doc" / "site").rglob("*.md"))
    return [PROJECT / "README.md", *(path for folder in folders for path in sorted(folder.rglob("README.md"))), *site]


def run(kind=""):
    """Runs the blocks of a kind, in order within each README, and returns their number."""
    count = 0
    for path in readmes():
        names = {"np": np, "scanrt": scanrt}
        for text in blocks(path, kind):
            exec(compile(text, str(path), "exec"), names)
        count += len(blocks(path, kind))
    return count


def test_the_lines():
    assert run() >= 3


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_lines_of_other_libraries(library):
    pytest.importorskip(library)
    assert run(f" {library}") >= 1 or not (PROJECT / "include" / "scanrt").is_dir()


@pytest.mark.opencl
def test_the_opencl_lines():
    PyopenclSide()
    assert run(" opencl") >= 1


@pytest.mark.gpu
def test_the_gpu_lines():
    TorchSide()
    assert run(" gpu") >= 1


def test_the_example_that_plots(tmp_path):
    pytest.importorskip("matplotlib")
    tool = os.environ.get("SCANRT_TEST_TOOL")
    if not tool:
        pytest.skip("SCANRT_TEST_TOOL does not name the program scanrt")
    made = subprocess.run(
        [tool, *"bench --device host --n 2^10..2^12 --type i32 --reps 3 --json".split()],
        check=True,
        capture_output=True,
    )
    script = PROJECT / "tools" / "examples" / "plot_bench.py"
    subprocess.run([sys.executable, script, "-", tmp_path / "scan.svg"], input=made.stdout, check=True)
    picture = (tmp_path / "scan.svg").read_text()
    rows = [row for row in json.loads(made.stdout)["rows"] if row["correct"] and row["role"] != "memcpy"]
    beside = [row["peer"] for row in rows if "peer" in row] + [
        "a plain loop" for row in rows if "times_plain_loop" in row
    ]
    assert (f"times as fast as {beside[0]}" if beside else "billions of elements a second") in picture
