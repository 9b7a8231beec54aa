# SPDX-License-Identifier: BSD-2-Clause
"""Checks commands that a test must not run, because they build, install or take minutes: their words must exist."""

import json
import os
import re
import subprocess
from functools import cached_property

from names import tree_files


class Tree:
    """The names that commands may use: scripts, options, variables, presets, tests and targets."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        self.files = tree_files(root)

    def text_of(self, is_wanted):
        """Returns the text of the sources that are wanted."""
        files = [file for file in self.files if not file.endswith(".md") and not file.startswith("tests/readmes/")]
        wanted = [self.root / file for file in files if is_wanted(file)]
        return "\n".join(path.read_text(encoding="utf-8", errors="ignore") for path in wanted)

    @cached_property
    def cmake_text(self):
        return self.text_of(lambda file: file.endswith((".cmake", "CMakeLists.txt")))

    @cached_property
    def variables(self):
        return set(re.findall(r"\b(?:SCANRT|SCAN|FAKE)_[A-Z0-9_]+", self.text_of(lambda file: True)))

    @cached_property
    def options(self):
        text = self.text_of(lambda file: file.startswith("tools/") and not file.endswith(".cmake"))
        return set(re.findall(r"--[a-z][a-z0-9-]*", text))

    def preset_names(self, kind):
        presets = json.loads((self.root / "CMakePresets.json").read_text())
        return {preset["name"] for preset in presets[kind] if not preset.get("hidden")}

    @cached_property
    def tests(self):
        """Returns the names of the build's tests."""
        listed = subprocess.run(
            ["ctest", "--test-dir", str(self.build), "--show-only=json-v1"], capture_output=True, text=True, check=True
        )
        return [test["name"] for test in json.loads(listed.stdout)["tests"]]

    def script(self, word, readme):
        """Returns the script that a word names, relative to the root, the README's folder or tools/, or None."""
        for folder in ("", os.path.dirname(readme), "tools"):
            file = os.path.normpath(os.path.join(folder, word))
            path = self.root / file
            if file.endswith((".sh", ".py")) and path.is_file() and file in self.files:
                return path
        return self.root / ".ci/run" if word == ".ci/run" and (self.root / ".ci/run").is_file() else None


def check_definition(tree, word):
    """Checks that -DNAME=VALUE is an option of the project or of CMake."""
    name = re.match(r"-D([A-Za-z_]\w*)", word)
    if not name or name[1].startswith("CMAKE_"):
        return None
    known = re.search(rf"\b{name[1]}\b", tree.cmake_text) or name[1] in tree.variables
    return None if known else f"no CMake file and no source names '{name[1]}'"


def check_cmake(tree, command, _readme):
    words = command.words
    kind = "buildPresets" if "--build" in words else "configurePresets"
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        fault = check_definition(tree, word) if word.startswith("-D") else None
        if word == "--preset" and following not in tree.preset_names(kind):
            fault = f"CMakePresets.json has no preset '{following}' among its {kind}"
        if word == "--install" and following.split("/")[-1] not in tree.preset_names("configurePresets"):
            fault = f"no preset builds in '{following}'"
        if word == "--target" and not re.search(rf"\b{re.escape(following)}\b", tree.cmake_text):
            fault = f"no CMake file names the target '{following}'"
        if fault:
            yield fault


def check_ctest(tree, command, _readme):
    """Checks that each pattern matches a test of this build, or that the tests' CMake files have its first letters."""
    names = tree.tests
    for option, pattern in zip(command.words, command.words[1:]):
        if option not in ("-R", "-E", "--tests-regex", "--exclude-regex"):
            continue
        literal = re.match(r"[\^(]*([A-Za-z_]*)", pattern)[1]
        if not any(re.search(pattern, name) for name in names) and not (
            literal and re.search(rf"\b{literal}\b", tree.cmake_text)
        ):
            yield f"no test matches '{pattern}'"


def check_script(tree, command, readme):
    """Checks that the script is executable, its head names the sub-command, and its text contains the options."""
    path = tree.script(command.words[0], readme)
    if not os.access(path, os.X_OK):
        yield f"{command.words[0]} is not executable"
    text = path.read_text(encoding="utf-8")
    head = "\n".join(text.split("\n")[:30])
    for index, word in enumerate(command.words[1:]):
        if word.startswith("--") and word.split("=")[0] not in text:
            yield f"{command.words[0]} has no option '{word}'"
        elif path.name == "run" and path.parent.name == ".ci" and re.match(r"[a-z_]+$", word):
            if f"stage_{word}()" not in text and not re.search(rf"\b{word}\b", head):
                yield f".ci/run has no stage '{word}'"
        elif index == 0 and re.match(r"[a-z][a-z_]*$", word) and not re.search(rf"\b{word}\b", head):
            yield f"the usage of {command.words[0]} does not name '{word}'"


def check_python(tree, command, readme):
    """Checks that the script of python3 SCRIPT exists."""
    for word in command.words[1:2]:
        if word.endswith(".py") and not tree.script(word, readme):
            yield f"the tree has no script '{word}'"


CHECKED = {"cmake": check_cmake, "ctest": check_ctest, "python3": check_python}


def check_assignments(tree, command):
    """Checks that variables with the project's prefixes are read by a source."""
    for text in command.assignments:
        name = text.split("=")[0]
        if re.match(r"(SCANRT|SCAN|FAKE)_", name) and name not in tree.variables:
            yield f"no source reads the variable '{name}'"


def check_elsewhere(tree, command, readme):
    """Returns the faults of a command that is not run, or None for an unknown one."""
    if not command.words:
        return list(check_assignments(tree, command))
    word = command.words[0]
    check = check_script if tree.script(word, readme) else CHECKED.get(word)
    if check is None:
        return None
    return list(check_assignments(tree, command)) + list(check(tree, command, readme))
