# SPDX-License-Identifier: BSD-2-Clause
"""Compares numbers about the tree in READMEs with the tree. A number that cannot be counted must not be stated, unless
it is a measurement, which says how it was made."""

import re

WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
NUMBER = r"(\d[\d,]*|[A-Za-z]+)"
LINES = re.compile(rf"`([\w./]+\.\w+)`[^`|.]{{0,60}}?\b{NUMBER} lines\b")
GRAPH = "tools/examples/data/facebook_combined.txt"


def text_of(root, file):
    return (root / file).read_text(encoding="utf-8")


def occurrences(file, pattern):
    """Counts the lines of a file that match."""
    return lambda root: len(re.findall(pattern, text_of(root, file), re.M))


def layers(root):
    return len(re.search(r"^LAYERS = \[(.*)\]", text_of(root, "tools/check_layers.py"), re.M)[1].split(","))


def vertices(root):
    return len(set(text_of(root, GRAPH).split()))


def applications(root):
    return len(re.search(r"foreach\(app IN ITEMS ([^)]*)\)", text_of(root, "tools/examples/CMakeLists.txt"))[1].split())


# (README, text before the number, text after it, how it is counted)
FACTS = [
    ("README.md", r"the library in ", r" layers", layers),
    ("runtime/README.md", r"C11\. ", r" layers", layers),
    ("tools/examples/data/README.md", "", r" vertices", vertices),
    ("tools/examples/data/README.md", "", r" edges", occurrences(GRAPH, r"^\d+ \d+$")),
    ("tools/examples/data/README.md", "", r" bytes", lambda root: len(text_of(root, GRAPH))),
    ("tools/examples/data/README.md", "", r" row offsets", lambda root: vertices(root) + 1),
    ("tools/examples/data/README.md", r"the last of them ", r"\.", lambda root: 2 * occurrences(GRAPH, r"^\d+ \d+$")(root)),
    ("tools/README.md", r"`apps/`, ", r" applications", applications),
    ("tools/packaging/README.md", r"tries ", r" changes", occurrences("tests/release/test_abi.sh", r"^change ")),
    ("tools/packaging/README.md", r"of which ", r" must fail", occurrences("tests/release/test_abi.sh", r"^change fails ")),
]


def value_of(text):
    """Returns the value of a number in digits or words, or None for another word."""
    text = text.lower().replace(",", "")
    return int(text) if text.isdigit() else WORDS.index(text) if text in WORDS else None


def joined(readme):
    return re.sub(r"\s+", " ", " ".join(line for _, line in readme.prose))


def check_facts(root, readmes):
    texts = {readme.file: joined(readme) for readme in readmes}
    for file, before, behind, count in FACTS:
        stated = [value_of(found) for found in re.findall(rf"(?<![\w,]){before}{NUMBER}{behind}", texts.get(file, ""))]
        stated = [value for value in stated if value is not None]
        if not stated:
            yield f"{file}: the number between '{before}' and '{behind}' is stated no more: take it out of FACTS (figures.py)"
        yield from (
            f"{file}: '{before}{value:,}{behind}', but there are {count(root):,}" for value in stated if value != count(root)
        )


def check_lines(root, readmes):
    """Checks N in each `FILE` ... in N lines."""
    for readme in readmes:
        for name, number in LINES.findall(joined(readme)):
            paths = [path for path in (root / name, *root.glob(f"tools/**/{name.split('/')[-1]}")) if path.is_file()]
            if paths and value_of(number) is not None:
                count = paths[0].read_text(encoding="utf-8").count("\n")
                if count != value_of(number):
                    yield f"{readme.file}: '{name}' has {count} lines, not {number}"


def check_numbers(root, readmes):
    """Returns the faults, and a text that says what was counted."""
    faults = list(check_facts(root, readmes)) + list(check_lines(root, readmes))
    return faults, f"{len(FACTS)} facts"
