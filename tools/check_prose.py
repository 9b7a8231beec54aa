#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tools/check_prose.py
Checks the wording of comments and of Markdown files:
- Comments that begin with a word such as Of, What or Whether do not name their subject. A folder has no more of them
  than LIMITS says. Lower the number when you rewrite some.
- A line of prose in a Markdown file has at most 120 characters; tables, code and links in a line of their own may have
  more.
- runtime/README.md defines each term of its glossary once."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENING = re.compile(r"/\*\*?<?\s*(?:\* )?(?:@file \S+ )?(?:@brief )?(?:Of|What|Whether|The same|Where|Likewise|Nobody|Whoever)\b")
LIMITS = {"include": 0, "runtime": 0, "kernels_cl": 0, "kernels_cu": 0, "tools": 0, "tests": 0}
WIDTH = 120


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines()]


def check_openings():
    for folder, limit in LIMITS.items():
        count = 0
        for path in tracked(*(f"{folder}/*.{end}" for end in ("c", "h", "cpp", "hpp", "cl", "cu", "cuh", "inc"))):
            count += len(OPENING.findall(path.read_text(errors="replace")))
        print(f"{folder}: {count} comments begin without a subject, at most {limit} may")
        if count > limit:
            yield f"{folder}/: {count} comments begin with Of, What, Whether, The same, Where ...: at most {limit} may"


def check_width():
    for path in tracked("*.md"):
        name = str(path.relative_to(ROOT))
        in_code = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.lstrip().startswith("```"):
                in_code = not in_code
            is_free = in_code or line.lstrip().startswith(("|", "#", "[", "![", "<!--")) or " " not in line.strip()
            if len(line) > WIDTH and not is_free:
                yield f"{name}:{number}: {len(line)} characters"


def check_glossary():
    text = (ROOT / "runtime/README.md").read_text().split("## Glossary", 1)[1].split("\n## ", 1)[0]
    seen = set()
    for row in re.findall(r"^\| ([^|]+) \|", text, re.M)[2:]:
        for term in row.split(", "):
            if term in seen:
                yield f"runtime/README.md: the glossary defines '{term}' twice"
            seen.add(term)
    if not seen:
        yield "runtime/README.md has no glossary"


def main():
    faults = [fault for check in (check_openings, check_width, check_glossary) for fault in check()]
    print("\n".join(faults) if faults else "prose: nothing found")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
