#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tests/readmes/test_check.py BUILD

Tests that check.py finds mistakes in READMEs that are made here, and reports nothing in right ones."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = sys.argv[1]

# (check, lines of a README, words of the fault, or nothing for a right README)
CASES = [
    ("commands", "```\nscanrt bench --n 2^28 --svg scan.svg\n```", "unknown option '--svg'"),
    ("commands", "```\nscanrt bench --n 2^28 --reps 31 --device cuda:0    # a comment\n```", ""),
    ("commands", "```\nscanrt bench --strategy pipelined --device cuda:0 --n 2^28\n```", ""),
    ("commands", "```\nscanrt bench --strategy pipelined --device host --n 2^28\n```", "it is CUDA's"),
    ("commands", "```\nscanrt sort --type f32 -r data.txt | tail -n 1\n```", ""),
    ("commands", "```\nscanrt sort --tpye f32 -r data.txt | tail -n 1\n```", "unknown option '--tpye'"),
    ("commands", "```console\n$ scanrt sort --type f32 \\\n  --tpye data.txt\n0\n```", "unknown option '--tpye'"),
    ("commands", "```\nscanrt verify --soak 15 --threads 4 --seed S\n```", ""),
    ("commands", "```\nmake everything\n```", "neither run nor checked"),
    ("commands", "```\ncmake --preset release\n```", ""),
    ("commands", "```\ncmake --preset fast\n```", "no preset 'fast'"),
    ("commands", "```\ncmake -S . -B build/x -DSCANRT_WONDERS=ON\n```", "SCANRT_WONDERS"),
    ("commands", "```\ntools/quickstart.sh demo\n```", "does not name 'demo'"),
    ("commands", "```\ntools/quickstart.sh run\n```", ""),
    ("commands", "Run `ctest -R '^nothing_of_that'`.", "no test matches"),
    ("commands", "Run `ctest -R '^unit'`, then `.ci/run no_stage`.", ".ci/run has no stage 'no_stage'"),
    ("commands", "Run `scanrt unqiue --count FILE`.", "no command 'unqiue'"),
    ("commands", "Run `SCANRT_NOTHING=1 scanrt bench --n 2^24`.", "SCANRT_NOTHING"),
    ("commands", "Run `wonder --fast data.npy`.", "neither run nor checked"),
    ("commands", "| n | `scanrt bench --exclusive --device cuda:0` and |\n| --- | --- |\n| 1 | `--n 2^28 --tpye i8` |", "'--tpye'"),
    ("names", "See [this](tools/nothing.md).", "leads to no file"),
    ("names", "# One\nSee [above](#one), [this](#two).", "'#two' leads to no heading"),
    ("names", "See `tools/nothing.sh`.", "no file 'tools/nothing.sh'"),
    ("names", "See `quickstart.sh`, `scan_*.h`, `scan_run`, `SCAN_SORT_*`.", ""),
    ("names", "Call `scan_wonders`.", "no 'scan_wonders'"),
    ("numbers", "`tools/examples/minimal.c` is a program in 1 lines.", "lines, not 1"),
    ("snippets", "```c\nscan_run(ctx, &spec, n, in, out);\n```", "README.md:2"),
    ("snippets", "<!-- given: scan_spec spec; -->\n```c\nscan_run(ctx, &spec, n, in, out);\n```", ""),
    ("snippets", "```c\nint main(void) { return 3; }\n```", "status 3"),
    ("snippets", "```c\n#include <stdio.h>\nint main(void) { return puts(\"1\") < 0; }\n```\n<!-- prints -->\n```text\n1\n```", ""),
    ("snippets", "```c\n#include <stdio.h>\nint main(void) { return puts(\"1\") < 0; }\n```\n<!-- prints -->\n```text\n2\n```", "and not"),
    ("snippets", "```python\nx = = 1\n```", "invalid syntax"),
    ("snippets", "```python tpu\nx = 1\n```", "'python tpu' is none of"),
    ("snippets", "```rust\nlet x = 1;\n```", "no language that is checked"),
]


def make_tree(folder, text):
    """Makes a tree of links to all files but READMEs, and one README with this text."""
    root = HERE.parents[1]
    for name in ("include", "tools", "tests", "runtime", ".ci", "CMakePresets.json", "CMakeLists.txt"):
        (folder / name).symlink_to(root / name)
    (folder / "README.md").write_text(text + "\n", encoding="utf-8")


def said_of(check, text):
    """Returns the output of check.py for a tree whose only README has this text."""
    with tempfile.TemporaryDirectory(prefix="scanrt_readmes_") as name:
        make_tree(Path(name), text)
        arguments = [sys.executable, "-B", str(HERE / "check.py"), check, BUILD, "--root", name]
        done = subprocess.run(arguments, text=True, capture_output=True)
        return done.returncode, done.stdout + done.stderr


def main():
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: said_of(*case[:2]), CASES))
    for (check, text, wanted), (status, said) in zip(CASES, results):
        right = (status == 1 and wanted in said) if wanted else status == 0
        if not right:
            failed += 1
            print(f"{check} of\n{text}\nshould say '{wanted or 'nothing'}' and says ({status}):\n{said}")
    print(f"{len(CASES)} cases, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
