# SPDX-License-Identifier: BSD-2-Clause
"""Reads the READMEs of the tree: fenced blocks, code spans, table rows, headings and links."""

import re
from dataclasses import dataclass, field
from pathlib import Path

SKIPPED_FOLDERS = {"build", "shared", ".git", ".deps"}
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
GIVEN = re.compile(r"^\s*<!--\s*given:(.*?)-->\s*$", re.S)
PRINTS = re.compile(r"^\s*<!--\s*prints\s*-->\s*$")


@dataclass
class Block:
    """A fenced block: `info` is the text behind the backticks, `given` that of a comment `<!-- given: ... -->` before it.
    A block behind `<!-- prints -->` is what the block before it prints, which is that one's `prints`."""

    file: str
    line: int
    info: str
    lines: list
    given: str = ""
    prints: str = None

    @property
    def kind(self):
        return self.info.split()[0] if self.info.split() else ""

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def place(self):
        return f"{self.file}:{self.line}"


@dataclass
class Span:
    """A code span. In a table, `header` has the spans of the first row, and `row` those before this one in its row."""

    file: str
    line: int
    text: str
    header: list = field(default_factory=list)
    row: list = field(default_factory=list)

    @property
    def place(self):
        return f"{self.file}:{self.line}"


@dataclass
class Readme:
    file: str
    blocks: list = field(default_factory=list)
    spans: list = field(default_factory=list)
    prose: list = field(default_factory=list)  # (number, line) of all lines outside of blocks


def find_readmes(root):
    """Returns all .md files below `root`, without build folders and CHANGELOG.md, which describes the past."""
    found = []
    for path in sorted(root.rglob("*.md")):
        folders = path.relative_to(root).parts[:-1]
        is_skipped = any(name in SKIPPED_FOLDERS or name.startswith("build-") for name in folders)
        if not is_skipped and path.name != "CHANGELOG.md":
            found.append(path)
    return found


def is_fence(line):
    return line.lstrip().startswith("```")


def read_blocks(readme, lines):
    """Fills `blocks` and `prose`; a block that is not closed is an error."""
    block, comment, is_printed = None, "", False
    for number, line in enumerate(lines, 1):
        if block is not None:
            if is_fence(line):
                if is_printed and readme.blocks:
                    readme.blocks[-1].prints = block.text
                readme.blocks.append(block)
                block, is_printed = None, False
            else:
                block.lines.append(line)
        elif is_fence(line):
            block = Block(readme.file, number, line.strip().lstrip("`").strip(), [], comment)
            comment = ""
        else:
            found = GIVEN.match(line)
            comment, is_printed = found[1].strip() if found else "", bool(PRINTS.match(line))
            readme.prose.append((number, line))
    if block is not None:
        raise ValueError(f"{block.place}: the block is not closed")


def spans_of(readme, number, text):
    return [
        Span(readme.file, number + text.count("\n", 0, found.start()), " ".join(found[2].split()))
        for found in SPAN.finditer(text)
    ]


def read_table(readme, rows):
    header = None
    for number, line in rows:
        spans = spans_of(readme, number, line)
        if header is None:
            header = spans
        else:
            for index, span in enumerate(spans):
                span.header, span.row = header, spans[:index]
        readme.spans += spans


def read_paragraph(readme, rows):
    readme.spans += spans_of(readme, rows[0][0], "\n".join(line for _, line in rows))


def read_spans(readme):
    """Fills `spans`, paragraph by paragraph and table by table."""
    group, last = [], 0
    for number, line in readme.prose + [(0, "")]:
        is_row = line.startswith("|")
        if group and (number != last + 1 or not line.strip() or is_row != group[0][1].startswith("|")):
            (read_table if group[0][1].startswith("|") else read_paragraph)(readme, group)
            group = []
        if line.strip():
            group.append((number, line))
        last = number


def read_readme(root, path):
    readme = Readme(str(path.relative_to(root)))
    read_blocks(readme, path.read_text(encoding="utf-8").split("\n"))
    read_spans(readme)
    return readme


def read_readmes(root):
    return [read_readme(root, path) for path in find_readmes(Path(root))]
