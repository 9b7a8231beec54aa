# SPDX-License-Identifier: BSD-2-Clause
"""Parses command lines, and writes them again with small sizes."""

import re
import shlex
from dataclasses import dataclass, field

ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
SEPARATORS = {"|", "&&", ";", "||"}
PLACEHOLDER = re.compile(r"^([A-Z][A-Z_]*|\.\.\.)$")

# The values of options in a test: `None` keeps the value, unless it is a placeholder such as SEED or `...`.
BENCH = {
    "--n": "2^10", "--reps": "1", "--memory": "2^20", "--type": None, "--shape": None, "--seed": None, "--segment-length": None,
    "--op-source": None, "--threads": None, "--device": None, "--csv": None,
}  # fmt: skip
VERIFY = {"--soak": "0.002", "--threads": "2", "--largest": "65536", "--device": None, "--case": None, "--seed": None}
FILES = {"--memory": "2^20", "--device": None}
APPLICATION = {
    "--rounds": "1", "--laplacian": "6", "--random": "1000", "--particles": "1000", "--in-cell": None, "--n": "1000",
    "--bytes": "1000", "--samples": "12",
}  # fmt: skip
STANDS_FOR = {
    "--n": "2^10", "--type": "i32", "--shape": "random", "--seed": "7", "--segment-length": "10", "--op-source": "add",
    "--case": "1", "--in-cell": "2", "--threads": "2", "--csv": "table.csv", "FILE": "data.txt",
}  # fmt: skip


@dataclass
class Simple:
    """One command of a line: assignments, words, redirections, and the operator before the next command."""

    assignments: list = field(default_factory=list)
    words: list = field(default_factory=list)
    redirections: list = field(default_factory=list)
    joint: str = ""


def without_comment(line):
    return re.sub(r"(^|\s)#(\s.*)?$", "", line).strip()


def parse(line):
    """Returns the simple commands of a line. Raises ValueError if quotes do not match."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    commands, tokens = [Simple()], list(lexer)
    while tokens:
        token, command = tokens.pop(0), commands[-1]
        if token in SEPARATORS:
            command.joint = token
            commands.append(Simple())
        elif token in (">", "<", ">>") and tokens:
            command.redirections += [token, tokens.pop(0)]
        elif ASSIGNMENT.match(token) and not command.words:
            command.assignments.append(token)
        else:
            command.words.append(token)
    return commands


def as_text(commands):
    parts = []
    for command in commands:
        parts += [re.sub(r"=(.*)", lambda found: "=" + shlex.quote(found[1]), text, count=1) for text in command.assignments]
        parts += [shlex.quote(word) for word in command.words]
        parts += [text if text in (">", "<", ">>") else shlex.quote(text) for text in command.redirections]
        parts += [command.joint] if command.joint else []
    return " ".join(parts)


def small_n(value):
    """Returns a few sizes for a range or a list, and one for a single size."""
    if ".." in value:
        return "2^8..2^10" + (":2" if ":" in value else "")
    return ",".join(["2^10"] * (value.count(",") + 1))


def small_shape(value):
    """Returns extents of at most 24; names of the shapes of keys stay."""
    if re.match(r"^[\d^,]+$", value):
        return ",".join(str(24 - index) for index in range(value.count(",") + 1))
    return value


def small_value(option, value, table):
    if option == "--n" and table is BENCH:
        return small_n(value)
    if PLACEHOLDER.match(value) and option in STANDS_FOR:
        return STANDS_FOR[option]
    if option == "--shape":
        return small_shape(value)
    return table[option] or value


def shrink(words, table):
    """Returns the words with small values, without a final `...`, which stands for more options."""
    small, index = [], 0
    while index < len(words):
        word, following = words[index], words[index + 1 : index + 2]
        if word in table and following and not following[0].startswith("--"):
            small += [word, small_value(word, following[0], table)]
            index += 2
            continue
        if word != "...":
            small.append(word if word.startswith("-") else STANDS_FOR.get(word, word))
        index += 1
    return small


def with_default(words, option, *values, unless=()):
    if option in words or any(other in words for other in unless):
        return words
    return [*words, option, *values]


def replace_devices(words):
    """Returns the words with the host as the only device, and True if another device was named."""
    replaced, words = False, list(words)
    for index, word in enumerate(words[:-1]):
        if word == "--device" and words[index + 1] != "host":
            words[index + 1], replaced = "host", True
    seen, kept, index = False, [], 0
    while index < len(words):
        if words[index] == "--device" and index + 1 < len(words):
            if not seen:
                kept += words[index : index + 2]
            seen, index = True, index + 2
        else:
            kept.append(words[index])
            index += 1
    return kept, replaced
