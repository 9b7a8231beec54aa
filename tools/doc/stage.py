#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""usage: tools/doc/stage.py FOLDER
Puts the pages of the site into FOLDER, where Sphinx reads them: those of tools/doc/site/, and the READMEs and the
notebook of the tree, which become pages of the site under the names of PAGES. Links between them are rewritten to lead
from page to page; a link to any other file of the tree makes that file a download, and one to a public header leads to
its page of the API. A page that has not changed is not written again, so that Sphinx reads what is new."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "tools/doc/site"

# The tree's Markdown files and their pages; measurements/*.md are notebook/*.
PAGES = {
    "README.md": "overview",
    "include/README.md": "guide",
    "CHANGELOG.md": "changelog",
    "tools/python/README.md": "reference/python",
    "runtime/fortran/README.md": "reference/fortran",
    "tools/README.md": "reference/tool",
    "runtime/README.md": "inside/library",
    "kernels_cl/README.md": "inside/kernels",
    "kernels_cu/README.md": "inside/cuda",
    "tests/README.md": "inside/tests",
    "tests/model/README.md": "inside/models",
    "tools/packaging/README.md": "inside/packaging",
    "tools/packaging/XSDK.md": "inside/xsdk",
    ".github/SECURITY.md": "inside/security",
    ".github/CONTRIBUTING.md": "inside/contributing",
    "tools/doc/measurements/README.md": "notebook/index",
}
# The page of the API that has a header.
HEADERS = {
    "scan.h": "scans", "scan_types.h": "scans", "scan_spec.h": "scans", "scan_op.h": "operators",
    "scan_op_loops.h": "operators", "scan_stream.h": "streams", "scan_array.h": "arrays",
    "scan_composite.h": "composites", "scan_cuda.h": "queues", "scan_opencl.h": "queues", "scan_mpi.h": "ranks",
    "scan_mpi_sort.h": "ranks", "scan_mpi_runs.h": "ranks", "scan_tiles.h": "ranks",
    "scan_select.h": "compaction", "scan_partition.h": "compaction", "scan_runs.h": "runs", "scan_sort.h": "sorting",
    "scan_split.h": "splits", "scan_difference.h": "scans", "scan_reduce.h": "reduce", "scan_device.h": "device",
}  # fmt: skip
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def page_of(path):
    """The name of the page that a file of the tree becomes, or None."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    if path.is_relative_to(SITE) and path.suffix == ".md":
        return path.relative_to(SITE).with_suffix("").as_posix()
    if name.startswith("tools/doc/measurements/") and name not in PAGES:
        return f"notebook/{path.stem}" if path.suffix == ".md" else None
    if name.startswith("include/scanrt/") and path.name in HEADERS:
        return f"api/{HEADERS[path.name]}"
    return PAGES.get(name)


def relinked(text, source, page):
    """The text of a file with the targets of its links as they are seen from its page."""

    def replace(found):
        target, _, place = found[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        path = Path(os.path.normpath(source.parent / target))
        if path.is_dir():
            path = path / "README.md"
        other = page_of(path)
        if other is None:
            new = os.path.relpath(path, folder / Path(page).parent)
        else:
            new = os.path.relpath(f"{other}.md", Path(page).parent) + (f"#{place}" if place else "")
        return found[1] + new + found[3]

    folder = Path(sys.argv[1]).resolve()
    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        lines.append(line if fenced else LINK.sub(replace, line))
    return "\n".join(lines)


def sources():
    """(file, page) of all pages."""
    files = [ROOT / name for name in PAGES] + sorted((ROOT / "tools/doc/measurements").glob("*.md"))
    for path in dict.fromkeys([*sorted(SITE.rglob("*.md")), *files]):
        yield path, page_of(path)


def contents(text):
    """The notebook's index with a list of its pages for the side bar."""
    pages = sorted(path.stem for path in (ROOT / "tools/doc/measurements").glob("*.md") if path.name != "README.md")
    return "\n".join([text, ":::{toctree}", ":hidden:", "", *pages, ":::", ""])


def write(path, text):
    """Writes a page that is new or has changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n")[0])
    folder, wanted = Path(sys.argv[1]), set()
    for source, page in sources():
        path = folder / f"{page}.md"
        wanted.add(path)
        text = relinked(source.read_text(encoding="utf-8"), source, page)
        write(path, contents(text) if page == "notebook/index" else text)
    for path in folder.rglob("*.md"):
        if path not in wanted:
            path.unlink()


if __name__ == "__main__":
    main()
