#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tests/readmes/check.py names | numbers | commands BUILD [--keep-devices] | snippets BUILD    [--root FOLDER]

Checks the READMEs of the tree (tests/README.md, "Other checks"):
  names     the files, links, headings and identifiers in READMEs exist
  numbers   numbers about the tree are right (figures.py)
  commands  each command runs with small sizes on the host, is checked without being run, or is listed in not_run.txt;
            with --keep-devices it runs on the devices that it names
  snippets  each block of C, C++, Fortran and Python compiles; C programs are run
Prints every fault; exits 1 if there is one.
"""

import argparse
import sys
from pathlib import Path

from allowed import Allowed
from commands import check_commands
from figures import check_numbers
from markdown import read_readmes
from names import check_names
from snippets import check_snippets

HERE = Path(__file__).resolve().parent


def run(options, readmes, allowed):
    """Returns the faults, and a text that says what was checked."""
    if options.what == "names":
        return list(check_names(options.root, readmes, allowed)), f"{sum(len(r.spans) for r in readmes)} code spans"
    if options.what == "numbers":
        return check_numbers(options.root, readmes)
    if options.what == "commands":
        return check_commands(options.root, options.build, readmes, allowed, options.keep_devices)
    return check_snippets(options.root, options.build, readmes)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[0].removeprefix("usage: "))
    parser.add_argument("what", choices=["names", "numbers", "commands", "snippets"])
    parser.add_argument("build", nargs="?", type=Path)
    parser.add_argument("--keep-devices", action="store_true")
    parser.add_argument("--root", type=Path, default=HERE.parents[1])
    options = parser.parse_args()
    if options.what in ("commands", "snippets") and options.build is None:
        parser.error(f"{options.what} needs the build folder")
    options.root, options.build = options.root.resolve(), options.build and options.build.resolve()
    readmes = read_readmes(options.root)
    allowed = Allowed(HERE / "not_run.txt", options.what)
    faults, words = run(options, readmes, allowed)
    if options.root == HERE.parents[1]:
        faults = list(faults) + allowed.unused()
    for fault in faults:
        print(fault)
    print(f"{len(readmes)} READMEs, {words}: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
