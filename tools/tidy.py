#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tools/tidy.py BUILD JOBS FILE...
Runs clang-tidy on files of a build's compile_commands.json, JOBS at a time. A file without findings is skipped while
its preprocessed text, its flags, .clang-tidy and clang-tidy stay the same. Its stamp is in $SCANRT_IMAGE_CACHE/tidy,
else $XDG_CACHE_HOME/scanrt/tidy, else ~/.cache/scanrt/tidy; SCANRT_IMAGE_CACHE=off: there are no stamps."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cache_folder():
    given = os.environ.get("SCANRT_IMAGE_CACHE")
    if given == "off":
        return None
    caches = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = pathlib.Path(given) / "tidy" if given else caches / "scanrt" / "tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def text_of(entry):
    """The text that the compiler sees, without folders' names."""
    command = shlex.split(entry["command"])
    if "ccache" in pathlib.Path(command[0]).name:
        command = command[1:]
    if "-o" in command:
        at = command.index("-o")
        del command[at : at + 2]
    command = [word for word in command if word != "-c"] + ["-E", "-o", "-"]
    text = subprocess.run(command, cwd=entry["directory"], capture_output=True, check=True).stdout
    return re.sub(rb'"[^"\n]*/', b'"', text)


def tidy(build, folder, common, path, entries):
    """Returns clang-tidy's findings, or None. entries: the file's compile commands, all of which clang-tidy uses; none
    if the build does not compile the file: clang-tidy then uses the flags of another file, and no stamp is written."""
    stamp = None
    if folder and entries:
        state = hashlib.sha256(common)
        for entry in entries:
            flags = [word for word in shlex.split(entry["command"]) if word[:2] in ("-D", "-W", "-s", "-O", "-m", "-f")]
            state.update(" ".join(flags).encode() + text_of(entry))
        stamp = folder / state.hexdigest()
    if stamp and stamp.exists():
        stamp.touch()
        return None
    run = subprocess.run(["clang-tidy", "-p", build, "--quiet", path], cwd=ROOT, capture_output=True, text=True)
    if run.returncode != 0 or run.stdout.strip():
        return f"{path}\n{run.stdout}{run.stderr}"
    if stamp:
        stamp.touch()
    return None


def main():
    build, jobs, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    entries = {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        entries.setdefault(entry["file"], []).append(entry)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    if not any(str(ROOT / path) in entries for path in files):
        sys.exit(f"no compile command for any of {len(files)} files")
    folder = cache_folder()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        words = pool.map(lambda path: tidy(build, folder, common, path, entries.get(str(ROOT / path))), files)
        found = [said for said in words if said]
    print("\n".join(found) if found else f"{len(files)} files, nothing found")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
