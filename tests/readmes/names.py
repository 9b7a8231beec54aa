# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the files, links, headings and identifiers in READMEs exist."""

import fnmatch
import os
import re

from markdown import SKIPPED_FOLDERS

SUFFIXES = "c h cl cu cuh cpp hpp sh py md txt svg f90 cmake inc json in toml abixml".split()
FILE = re.compile(r"^(?![-<])[\w.{},*/<>\[\]-]+\.(" + "|".join(SUFFIXES) + r")$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
IDENTIFIER = re.compile(r"^(scan_\w+|SCAN_\w+|SCANRT_\w+)(\*?)(\(\))?$")
GENERATED = ("build/", "/", "BUILD/")


def tree_files(root):
    """Returns the paths of the tree's files, without build folders."""
    found = []
    for folder, folders, names in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith("build-")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def anchor(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    headings, fenced = [], False
    for line in path.read_text(encoding="utf-8").split("\n"):
        fenced ^= line.lstrip().startswith("```")
        if not fenced and re.match(r"#+ ", line):
            headings.append(anchor(line.lstrip("#")))
    return headings


def check_links(root, readme):
    for number, line in readme.prose:
        for target in LINK.findall(re.sub(r"`[^`]*`(?!\])", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, place = target.partition("#")
            path = (root / readme.file).parent / name if name else root / readme.file
            if not path.exists():
                yield f"{readme.file}:{number}: the link '{target}' leads to no file"
            elif place and path.suffix == ".md" and place not in anchors(path):
                yield f"{readme.file}:{number}: the link '{target}' leads to no heading"


def expand(pattern):
    """Expands the first a{b,c} as shells do."""
    found = re.match(r"^(.*?)\{([^{}]*)\}(.*)$", pattern)
    return [found[1] + part + found[3] for part in found[2].split(",")] if found else [pattern]


def endings(files):
    """Returns each path, and each end of it without the first folders."""
    found = set()
    for file in files:
        parts = file.split("/")
        found.update("/".join(parts[index:]) for index in range(len(parts)))
    return found


def is_there(readme, name, ends):
    """True if `name` is a file relative to the README, or the end of a path. Wildcards and <name> are allowed."""
    folder = os.path.dirname(readme.file)
    for one in expand(re.sub(r"<\w+>", "*", name)):
        wanted = os.path.normpath(os.path.join(folder, one))
        if one not in ends and wanted not in ends and not ("*" in one and fnmatch.filter(ends, one)):
            return False
    return True


def check_files(readme, ends, allowed):
    for span in readme.spans:
        name = span.text
        if not FILE.match(name) or name.startswith(GENERATED):
            continue
        if not is_there(readme, name, ends) and not allowed(span, name):
            yield f"{span.place}: the tree has no file '{name}'"


def source_words(root, files):
    """Returns all identifiers of the sources with the project's prefixes, and the parts of those that macros join."""
    words = set()
    for file in files:
        if not file.endswith(".md") and not file.startswith("tests/readmes/"):
            text = (root / file).read_text(encoding="utf-8", errors="ignore")
            words.update(re.findall(r"\b(?:scan_|SCAN_|SCANRT_)\w*", text))
    return words


def check_identifiers(readme, words, allowed):
    for span in readme.spans:
        found = IDENTIFIER.match(span.text)
        if not found:
            continue
        name, is_prefix = found[1], found[2] or found[1].endswith("_")
        known = any(word.startswith(name) for word in words) if is_prefix else name in words
        if not known and not allowed(span, span.text):
            yield f"{span.place}: the sources have no '{span.text}'"


def check_names(root, readmes, allowed):
    files = tree_files(root)
    words, ends = source_words(root, files), endings(files)
    for readme in readmes:
        yield from check_links(root, readme)
        yield from check_files(readme, ends, allowed)
        yield from check_identifiers(readme, words, allowed)
