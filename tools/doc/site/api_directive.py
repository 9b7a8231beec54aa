# SPDX-License-Identifier: BSD-2-Clause
"""The directive `api` of the site, and links to what it describes.

    :::{api} scan_run scan_spec          these names, in this order
    :::{api} scan_sort.h                 all names of a header
    :::{api} about scan_sort.h           the comment at the head of a header

What a name is (function, struct, macro, ...) is looked up in Doxygen's XML."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

KINDS = ("function", "struct", "union", "enum", "enumvalue", "typedef", "define")
NAME = re.compile(r"^((?:scan|SCAN)_\w+)(?:\(\))?$")
WORD = re.compile(r"\b((?:scan|SCAN)_\w+)")
UNSEEN = {"SCAN_API"}  # of the headers' own machinery


def read_header(path):
    """(header, {name: kind}) of one file of the XML, in the order of the header."""
    compound = ElementTree.parse(path).getroot().find("compounddef")
    names = {}
    for member in compound.iter("memberdef"):
        name, kind = member.findtext("name"), member.get("kind")
        if kind == "enum" and not name or name.startswith("@"):
            names.update((value.findtext("name"), "enumvalue") for value in member.findall("enumvalue"))
        elif name not in UNSEEN:
            names[name] = kind
    for struct in compound.findall("innerclass"):
        names[struct.text] = struct.get("refid").partition("scan")[0]
    return compound.findtext("compoundname"), names


class Headers:
    """All public names, by header."""

    def __init__(self, folder):
        self.of = dict(read_header(path) for path in sorted(Path(folder).glob("scan*_8h.xml")))
        self.kinds = {name: kind for names in self.of.values() for name, kind in names.items()}

    def in_order(self, header):
        """Functions first, but those that fill in a struct, which come behind the structs and their initialisers."""

        def place(name):
            kind = self.kinds[name]
            return len(KINDS) if kind == "function" and name.endswith("_init") else KINDS.index(kind)

        return sorted(self.of[header], key=place)


def headers_of(app):
    if not hasattr(app, "scanrt_headers"):
        app.scanrt_headers = Headers(app.config.breathe_projects["scanrt"])
    return app.scanrt_headers


def markdown_of(name, kind):
    options = [":members:"] if kind == "struct" else []
    return [f"```{{doxygen{kind}}} {name}", *options, "```", ""]


def about(header):
    return [f"```{{doxygenfile}} {header}", ":sections: detaileddescription", "```", ""]


class Api(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        headers, lines = headers_of(self.env.app), []
        words = " ".join([self.arguments[0], *self.content]).split()
        if words[0] == "about":
            lines = about(words[1])
        else:
            names = [name for word in words for name in self.names_of(headers, word)]
            lines = [line for name in names for line in markdown_of(name, headers.kinds[name])]
        node = nodes.container(classes=["api"])
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), self.content_offset, node)
        return [node]

    def names_of(self, headers, word):
        if word in headers.of:
            return headers.in_order(word)
        if word not in headers.kinds:
            raise self.error(f"no header has the name '{word}'")
        return [word]


def api_parts(doctree):
    """What the directives of a page have made."""
    return [part for part in doctree.findall(nodes.container) if "api" in part["classes"]]


def read_as_c(_app, doctree):
    """Examples in the headers' comments are C."""
    for part in api_parts(doctree):
        for block in part.findall(nodes.literal_block):
            block["language"] = "c"


class Links:
    """Links from one page to the descriptions of names."""

    def __init__(self, app, page):
        self.app, self.page = app, page
        self.places = {entry[0]: (entry[3], entry[4]) for entry in app.env.domains["c"].get_objects()}

    def to(self, name, child):
        page, anchor = self.places[name]
        uri = "" if page == self.page else self.app.builder.get_relative_uri(self.page, page)
        return nodes.reference("", "", child, internal=True, refuri=f"{uri}#{anchor}")

    def in_text(self, text):
        """The text as a list of nodes, with links in the place of names."""
        parts = []
        for part in WORD.split(text):
            parts.append(self.to(part, nodes.Text(part)) if part in self.places else nodes.Text(part))
        return parts


def is_linkable(node):
    parent = node.parent
    while parent is not None:
        if isinstance(parent, (nodes.reference, nodes.title, nodes.literal_block, addnodes.desc_signature)):
            return False
        parent = parent.parent
    return True


def link_names(app, doctree, page):
    """A name of the API in a code span, and in the comments of the headers, leads to its description."""
    links = Links(app, page)
    for literal in list(doctree.findall(nodes.literal)):
        found = NAME.match(literal.astext())
        if found and found[1] in links.places and is_linkable(literal):
            literal.replace_self(links.to(found[1], literal.deepcopy()))
    for content in api_parts(doctree):
        for text in list(content.findall(nodes.Text)):
            if WORD.search(text) and isinstance(text.parent, nodes.paragraph) and is_linkable(text):
                text.parent.replace(text, links.in_text(text.astext()))


def check_complete(app, error):
    """Every public name has a description."""
    if error is None:
        described = {entry[0].split(".")[-1] for entry in app.env.domains["c"].get_objects()}
        missing = sorted(set(headers_of(app).kinds) - described)
        if missing:
            raise ExtensionError(f"no page of tools/doc/site/api has {', '.join(missing)}")


def setup(app):
    app.add_directive("api", Api)
    app.connect("doctree-read", read_as_c)
    app.connect("doctree-resolved", link_names)
    app.connect("build-finished", check_complete)
    return {"parallel_read_safe": True}
