#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tools/check_layers.py [BUILD_DIR]

Checks the layers of runtime/: base < device < strategy < core < ops < api. runtime/mpi/ is a library of its own, which uses
only include/ and itself, and which no other code uses.
  1. A file includes only headers of its own layer and of those below.
  2. With a BUILD_DIR, where the library is built: an object of the library uses only symbols of its own layer and of
     those below (nm on the objects), and no two of its files use each other, directly or through others.
  3. With a BUILD_DIR: no two files of one program or library of tools/ or runtime/mpi/ use each other either. Targets
     of the build folder that are not built are named and left out.
Prints every violation; exits 1 where there is one.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["base", "device", "strategy", "core", "ops", "api"]
APART = "mpi"
LIBRARY = ["scanrt_objects", "scanrt_images"]
HOST = "scanrt_host_"  # followed by the instruction set that the host's loops are compiled for
UNLAYERED = ["tools", f"runtime/{APART}"]


def layer_of(file):
    """The layer of runtime/LAYER/...; generated sources are tables declared in base/embedded.h."""
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
    """target -> {source file: its object}, from the compile commands of the build folder."""
    targets = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["directory"])
        found = re.search(r"\s-o\s+(\S*CMakeFiles/([\w.+-]+)\.dir/\S+\.o)\b", entry["command"])
        if found:
            source = (path / entry["file"]).resolve()
            base = ROOT if source.is_relative_to(ROOT) else build.resolve()
            targets.setdefault(found[2], {})[str(source.relative_to(base))] = path / found[1]
    return targets


def is_built(objects):
    return bool(objects) and all(path.exists() for path in objects.values())


def is_unlayered(files):
    """True if all sources of a target are in folders without layers."""
    return all(any(Path(file).is_relative_to(folder) for folder in UNLAYERED) for file in files)


def read_symbols(objects):
    """Two tables: file -> symbols that it uses; symbol -> file that defines it."""
    used, defined = {}, {}
    for file, path in objects:
        used.setdefault(file, set())
        listing = subprocess.run(["nm", "-P", "-g", str(path)], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            name, kind = line.split()[:2]
            if kind in "Uw":
                used[file].add(name)
            else:
                defined[name] = file
    return used, defined


def arrows_of(objects):
    """file -> {other file: symbols of that file which it uses}."""
    used, defined = read_symbols(objects)
    arrows = {file: {} for file in used}
    for file, names in used.items():
        for name in sorted(names):
            if defined.get(name, file) != file:
                arrows[file].setdefault(defined[name], []).append(name)
    return arrows


def circles_of(arrows):
    """Groups of files in which each file reaches all others."""

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


def check_layers(arrows):
    faults = []
    for file, others in arrows.items():
        for other, names in others.items():
            if layer_of(other) > layer_of(file):
                faults.append(f"{file} uses {', '.join(names)} of {other}, a layer above")
    return faults


def check_circles(target, arrows):
    faults = []
    for circle in sorted(circles_of(arrows), key=sorted):
        faults.append(f"{target}: circle of {len(circle)} files:")
        for file in sorted(circle):
            for other in sorted(circle & arrows[file].keys()):
                faults.append(f"  {file} uses {', '.join(arrows[file][other])} of {other}")
    return faults


def check_library(targets):
    """Checks the library's objects, which must exist."""
    library = LIBRARY + ([name for name in targets if name.startswith(HOST)] or [HOST])
    absent = [name for name in library if not is_built(targets.get(name, {}))]
    if absent:
        sys.exit(f"check_layers: not built: {', '.join(absent)}; build the target scanrt first")
    arrows = arrows_of([pair for name in library for pair in targets[name].items()])
    return check_layers(arrows) + check_circles("scanrt", arrows)


def check_unlayered(targets):
    """Checks each target of the other folders separately, since programs may define the same symbol."""
    faults, absent = [], []
    for name, objects in sorted(targets.items()):
        if not is_unlayered(objects):
            continue
        if is_built(objects):
            faults += check_circles(name, arrows_of(objects.items()))
        else:
            absent.append(name)
    if absent:
        print(f"check_layers: not built, and not checked: {', '.join(absent)}")
    return faults


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1].startswith("-")):
        sys.exit(__doc__)
    faults = check_includes()
    if len(sys.argv) == 2:
        targets = objects_of(Path(sys.argv[1]))
        faults += check_library(targets) + check_unlayered(targets)
    print("\n".join(faults) if faults else "layers: no arrow upward, no circle")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
