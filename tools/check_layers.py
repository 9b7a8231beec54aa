#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tools/check_layers.py [BUILD_DIR]

Checks the layers of runtime/: base < device < strategy < core < api. runtime/mpi/ is a library of its own, which sees
include/ and itself alone, and which nobody else sees.
  1. A file includes only headers of its own layer and of those below.
  2. With a BUILD_DIR, where the library is built: an object uses only symbols of its own layer and of those below (nm on the objects), and no two
     files use each other, directly or through others.
Prints every violation; exits 1 where there is one.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["base", "device", "strategy", "core", "api"]
APART = "mpi"
TARGETS = ["scanrt_objects", "scanrt_images", "scanrt_host_kernels"]


def layer_of(file):
    """The layer of runtime/LAYER/...; generated sources are tables that base/embedded.h declares."""
    parts = Path(file).parts
    return LAYERS.index(parts[1]) if parts[0] == "runtime" else LAYERS.index("base")


def check_includes():
    faults = []
    for path in sorted((ROOT / "runtime").rglob("*")):
        if path.suffix not in (".c", ".h", ".inc"):
            continue
        file = str(path.relative_to(ROOT))
        apart = Path(file).parts[1] == APART
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"(\w+)/', line)
            if found and (found[1] == APART) != apart and (apart or found[1] == APART):
                faults.append(f"{file}:{number}: {APART}/ and the layers see nothing of each other: {line.split()[-1]}")
            elif not apart and found and found[1] in LAYERS and LAYERS.index(found[1]) > layer_of(file):
                faults.append(f"{file}:{number}: {LAYERS[layer_of(file)]} includes {line.split()[-1]} of {found[1]}")
    return faults


def objects_of(build):
    """Pairs of source file and object of the library as the build folder compiles it now."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        found = re.search(r"CMakeFiles/(\w+)\.dir/(\S+)\.o\b", entry["command"])
        if found and found[1] in TARGETS:
            yield found[2], build / found[0]


def read_symbols(build):
    """Two tables: file -> symbols that it uses, symbol -> file that defines it."""
    used, defined = {}, {}
    for file, path in objects_of(build):
        if not path.exists():
            sys.exit(f"check_layers: there is no {path}: build scanrt_objects first")
        used[file] = set()
        listing = subprocess.run(["nm", "-P", "-g", str(path)], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            name, kind = line.split()[:2]
            if kind in "Uw":
                used[file].add(name)
            else:
                defined[name] = file
    return used, defined


def arrows_of(used, defined):
    """file -> {other file: symbols of it that the file uses}."""
    arrows = {file: {} for file in used}
    for file, names in used.items():
        for name in sorted(names):
            if defined.get(name, file) != file:
                arrows[file].setdefault(defined[name], []).append(name)
    return arrows


def circles_of(arrows):
    """Groups of files each of which reaches all others of its group."""

    def reached_from(start):
        seen, stack = set(), [start]
        while stack:
            for other in arrows[stack.pop()]:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        return seen

    reached = {file: reached_from(file) for file in arrows}
    return {frozenset(o for o in reached[file] if file in reached[o]) for file in arrows if file in reached[file]}


def check_objects(build):
    arrows = arrows_of(*read_symbols(build))
    faults = []
    for file, others in arrows.items():
        for other, names in others.items():
            if layer_of(other) > layer_of(file):
                faults.append(f"{file} uses {', '.join(names)} of {other}, a layer above")
    for circle in sorted(circles_of(arrows), key=sorted):
        faults.append(f"circle of {len(circle)} files:")
        for file in sorted(circle):
            for other in sorted(circle & arrows[file].keys()):
                faults.append(f"  {file} uses {', '.join(arrows[file][other])} of {other}")
    return faults


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1].startswith("-")):
        sys.exit(__doc__)
    faults = check_includes()
    if len(sys.argv) == 2:
        faults += check_objects(Path(sys.argv[1]))
    print("\n".join(faults) if faults else "layers: no arrow upward, no circle")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
