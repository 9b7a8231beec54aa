# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154
# Shared by the tests of `scanrt verify`, which source it: the tool with right and wrong devices, and checks of its
# reports. Takes their arguments: the tool, and the one with the library whose kernels take further options. Enters an
# empty folder.
. "$(dirname "$0")/checks.sh"

if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -x "$2" ]; then
  echo "usage: $0 SCANRT_BINARY SCANRT_TESTING" >&2
  exit 2
fi
scanrt=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
testing=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
enter_work_folder
unset SCANRT_STRATEGY SCANRT_LOG SCANRT_DEVICE SCANRT_TUNE SCANRT_TEST_BUILD_OPTIONS

verify() {
  "$scanrt" verify "$@" >stdout 2>stderr
  status=$?
}

# verify_wrong OPTIONS ARGUMENT...: runs `scanrt verify` with OpenCL kernels built with further options.
verify_wrong() {
  wrong=$1
  shift
  SCANRT_TEST_BUILD_OPTIONS=$wrong "$testing" verify "$@" >stdout 2>stderr
  status=$?
}

# ends NAME STATUS: checks for this status.
ends() { if [ "$status" -eq "$2" ]; then pass; else fail "$1: status, not $2"; fi; }

# says NAME TEXT: checks for TEXT in standard output.
says() { if grep -qF -- "$2" stdout; then pass; else fail "$1: no '$2'"; fi; }

# refuses NAME MESSAGE: checks for status 2 and this line on standard error.
refuses() {
  echo "scanrt verify: $2 (see scanrt verify --help)" >expected
  if [ "$status" -eq 2 ] && cmp -s stderr expected && [ ! -s stdout ]; then pass; else fail "$1"; fi
}

# ---- checking the reports ----

if command -v python3 >/dev/null 2>&1 && python3 -c 'import json, html.parser' 2>/dev/null; then
  has_python=1
else
  has_python=0
  echo "skipped: the contents of JSON and HTML, as there is no python3"
fi

cat >check_json.py <<'PYTHON'
"""usage: check_json.py FILE: the counts agree with each other; prints passed, failed and disagreements."""
import json
import sys

report = json.load(open(sys.argv[1]))
for name in ("passed", "failed", "not_applicable"):
    assert report[name] == sum(row[name] for row in report["rows"]), name
    assert report[name] == sum(device[name] for device in report["devices"]), name
assert report["disagreements"] == sum(pair["different"] for pair in report["agreement"])
selectors = [device["device"] for device in report["devices"]]
assert len(report["agreement"]) == len(selectors) * (len(selectors) - 1) // 2
for row in report["rows"]:
    assert row["device"] in selectors
    assert row["not_applicable"] == 0 or row["reason"], row
for failure in report["failures"]:
    assert failure["command"].startswith("scanrt verify "), failure
print(report["passed"], report["failed"], report["disagreements"])
PYTHON

cat >check_html.py <<'PYTHON'
"""usage: check_html.py FILE: every element is closed, every inner link leads somewhere, nothing is loaded."""
import html.parser
import sys


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links = [], set(), set()

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        for name, value in attributes:
            assert name not in ("src", "onclick"), (tag, name)
            if name == "id":
                assert value not in self.ids, value
                self.ids.add(value)
            if name == "href":
                assert value.startswith("#"), value
                self.links.add(value[1:])
        assert tag not in ("link", "iframe"), tag

    def handle_startendtag(self, tag, attributes):
        assert tag == "meta", tag

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())


text = open(sys.argv[1], encoding="ascii").read()
assert "://" not in text and "url(" not in text and "@import" not in text
assert "prefers-color-scheme: dark" in text
checker = Checker()
checker.feed(text)
checker.close()
assert not checker.open, checker.open
assert checker.links <= checker.ids, checker.links - checker.ids
PYTHON

cat >draw.js <<'SCRIPT'
// usage: draw.js PAGE DRAWN: what a browser makes of the page, without its scripts; the page's JSON goes to DRAWN.json.
"use strict";
const fs = require("fs");
const whole = fs.readFileSync(process.argv[2], "utf8");
const script = /<script>([^]*)<\/script>/.exec(whole)[1];
const json = /<script type="application\/json" id="report">([^]*?)<\/script>/.exec(whole)[1];
const elements = { report: { textContent: json }, page: {} };
const document = { getElementById: id => elements[id] };
new Function("document", script)(document);
const kept = whole.slice(0, whole.indexOf("<script"));
fs.writeFileSync(process.argv[3], kept.replace(/<title>[^]*<\/title>/, () => `<title>${document.title}</title>`)
  .replace(/<main id="page">[^]*<\/main>/, () => `<main id="page">${elements.page.innerHTML}</main></body></html>`));
fs.writeFileSync(process.argv[3] + ".json", json);
SCRIPT
if command -v node >/dev/null 2>&1; then has_node=1; else has_node=0; echo "skipped: drawing the page, as there is no node"; fi

# page_is_sound NAME FILE
page_is_sound() {
  if [ "$has_python" -eq 1 ]; then
    if python3 check_html.py "$2" >stdout 2>stderr; then pass; else fail "$1: HTML, $2"; fi
  fi
  if command -v xmllint >/dev/null 2>&1; then
    if xmllint --noout "$2" >stdout 2>stderr; then pass; else fail "$1: XML, $2"; fi
  fi
}

# reports NAME: checks report.json and report.html, and writes the page that the latter's script draws to drawn.html.
reports() {
  if [ "$has_python" -eq 1 ]; then
    if python3 check_json.py report.json >counts 2>stderr; then pass; else fail "$1: JSON"; fi
  fi
  page_is_sound "$1" report.html
  [ "$has_node" -eq 1 ] || return 0
  if node draw.js report.html drawn.html >stdout 2>stderr; then pass; else fail "$1: the page's script"; fi
  page_is_sound "$1" drawn.html
  if cmp -s drawn.html.json report.json; then pass; else fail "$1: the page has another JSON"; fi
}

# draws NAME TEXT: checks that the drawn page has this text.
draws() {
  [ "$has_node" -eq 1 ] || return 0
  if grep -qF -- "$2" drawn.html; then pass; else fail "$1: the page does not draw '$2'"; fi
}

