#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws throughput against n as SVG, from the output of `scanrt bench --json`: one panel for each type, operator, kind
and mode, or other case; one line for each device and subject.

usage: plot.py SCAN.json PLOT.svg    (- is standard input, or standard output)
"""
import json
import math
import sys
import textwrap
from xml.sax.saxutils import escape

WIDTH, LEFT, PLOT_WIDTH, PLOT_HEIGHT = 1080, 84, 700, 320
TITLE_HEIGHT, AXIS_HEIGHT, LEGEND_STEP, LINE_HEIGHT = 44, 66, 20, 18
PANEL_HEIGHT = TITLE_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT
X_TICKS, WRAP_COLUMNS = 11, 150
# Colours that people with any colour vision can distinguish (Okabe and Ito, 2008).
COLOURS = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9", "#7a4fbf"
MARKERS = ('<circle cx="{0:.1f}" cy="{1:.1f}" r="3.5" fill="{2}"/>',
           '<path d="M{0:.1f} {1:.1f}m-3.5-3.5h7v7h-7z" fill="{2}"/>',
           '<path d="M{0:.1f} {1:.1f}m0-5l4.5 8h-9z" fill="{2}"/>')
# The white rectangle is for viewers with a dark background.
PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<style>text{{font-family:sans-serif;fill:#222}}.title{{font-size:16px;font-weight:bold}}.label{{font-size:13px}}\
.tick{{font-size:12px}}.small{{font-size:10px;fill:#555}}.middle{{text-anchor:middle}}.end{{text-anchor:end}}\
.grid{{stroke:#ddd}}.axis{{stroke:#222}}.line{{fill:none;stroke-width:2;stroke-linejoin:round}}</style>
<rect width="{width}" height="{height}" fill="#fff"/>
{body}
</svg>
"""


def grouped(rows, *keys):
    """The rows grouped by the values of the keys, which may be missing, in order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row.get(key) for key in keys), []).append(row)
    return list(groups.values())


def text(x, y, words, classes, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}"{more}>{escape(words)}</text>'


def rule(x1, y1, x2, y2, attributes):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {attributes}/>'


def nice_step(value):
    """The tick step (1, 2 or 5 times a power of ten) that gives four to nine ticks up to the value."""
    step = 10 ** math.floor(math.log10(value / 4))
    return step * (5 if value / step > 20 else 2 if value / step > 9 else 1)


def in_binary_units(size):
    for unit in "B", "KiB", "MiB", "GiB":
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


def series_of(row):
    """The name of a line; for --select and --sort with the share, the length of runs or the shape."""
    return ", ".join(row[key] for key in ("series", "share", "run_length", "shape") if key in row)


def title_of(row, report):
    mode = ", CUDA graph" if row["mode"] == "graph" else ", eager calls"
    if "input_type" not in row:
        return row["case"] + mode
    widens = row["input_type"] != row["type"]
    return (f'{row["kind"]} {row["op"]} of {row["input_type"]}' + (f' to {row["type"]}' if widens else "") +
            (", checked for overflow" if row["check_overflow"] else "") + (", in place" if report["in_place"] else "") +
            (f', segments of {row["segment_length"]} by {row["segments"]}' if row["segments"] else "") +
            mode)


class Panel:
    """One coordinate system. Wrong results have no throughput, so their lines are empty."""

    def __init__(self, rows, y):
        self.rows, self.base, self.ceiling = rows, y + TITLE_HEIGHT + PLOT_HEIGHT, y + TITLE_HEIGHT
        exponents = [math.log2(row["n"]) for row in rows]
        self.low, self.high = min(exponents), max(exponents)
        if self.high - self.low < 1:
            self.low, self.high = self.low - 1, self.high + 1
        most = max((row["gb_per_s"] for row in rows if row["correct"]), default=0)
        self.step = nice_step(most or 1)
        self.ticks = math.floor(most / self.step) + 1

    def x(self, exponent):
        return LEFT + PLOT_WIDTH * (exponent - self.low) / (self.high - self.low)

    def y(self, value):
        return self.base - PLOT_HEIGHT * value / (self.ticks * self.step)

    def axes(self):
        first, last = math.ceil(self.low), math.floor(self.high)
        item_bytes = self.rows[0]["bytes"] / self.rows[0]["n"]
        for exponent in range(first, last + 1, (last - first) // X_TICKS + 1):
            x = self.x(exponent)
            yield rule(x, self.base, x, self.ceiling, 'class="grid"')
            yield (f'<text x="{x:.1f}" y="{self.base + 18}" class="tick middle">2<tspan dy="-6" font-size="9">{exponent}'
                   "</tspan></text>")
            yield text(x, self.base + 34, in_binary_units(item_bytes * 2 ** exponent), "small middle")
        yield text(LEFT + PLOT_WIDTH / 2, self.base + 54, "n, elements (below: bytes read and written)", "label middle")
        for tick in range(self.ticks + 1):
            y = self.y(tick * self.step)
            yield rule(LEFT, y, LEFT + PLOT_WIDTH, y, f'class="{"grid" if tick else "axis"}"')
            yield text(LEFT - 8, y + 4, f"{tick * self.step:.6g}", "tick end")
        middle = (self.base + self.ceiling) / 2
        yield text(24, middle, "GB/s", "label middle", f' transform="rotate(-90 24 {middle:.1f})"')

    def lines(self):
        """Draws lines and legend. A copy is dashed, without markers, in the colour of its device's first line."""
        lines = grouped(self.rows, "device", "series")
        own = [line[0] for line in lines if line[0]["role"] != "copy"]
        devices = [row["device"] for row in own]
        for index, line in enumerate(lines):
            first, is_copy = line[0], line[0]["role"] == "copy"
            place = devices.index(first["device"]) if is_copy and first["device"] in devices else \
                0 if is_copy else next(i for i, row in enumerate(own) if row is first)
            colour = COLOURS[place % len(COLOURS)]
            stroke = f'stroke="{colour}"' + (' stroke-dasharray="7 5"' if is_copy else "")
            points = [(self.x(math.log2(row["n"])), self.y(row["gb_per_s"]))
                      for row in sorted(line, key=lambda row: row["n"]) if row["correct"]]
            yield f'<polyline class="line" {stroke} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
            left, y = LEFT + PLOT_WIDTH + 24, self.ceiling + 10 + index * LEGEND_STEP
            yield rule(left, y, left + 34, y, stroke + ' stroke-width="2"')
            yield text(left + 42, y + 4, f'{first["device"]} {first["series"]}', "tick")
            for point in [] if is_copy else points + [(left + 17, y)]:
                yield MARKERS[index % len(MARKERS)].format(*point, colour)


def draw(report):
    """The page of a report. memcpy is omitted: for small n it stays in the caches, and would flatten all other
    lines."""
    rows = [row for row in report["rows"] if row["mode"] != "host" and row["role"] != "memcpy"]
    body, y = [], 0
    for row in rows:
        row["series"] = series_of(row)
    for panel_rows in grouped(rows, "case", "type", "input_type", "op", "kind", "segments", "segment_length", "mode"):
        panel = Panel(panel_rows, y)
        body.append(text(LEFT, y + TITLE_HEIGHT - 16, title_of(panel_rows[0], report), "title"))
        body += [*panel.axes(), *panel.lines()]
        y += PANEL_HEIGHT
    caption = [f'{device[0]["device"]}: {device[0]["device_name"]}; {device[0]["driver"]}'
               for device in grouped(rows, "device")]
    caption += [f'Medians of {report["reps"]}. Dashed: a copy of as many bytes in the same run. scanrt {report["version"]}',
                report["command"]]
    for words in caption:
        for line in textwrap.wrap(words, WRAP_COLUMNS):
            y += LINE_HEIGHT
            body.append(text(LEFT, y, line, "small"))
    return PAGE.format(width=WIDTH, height=y + LINE_HEIGHT, body="\n".join(body))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        with open(0 if sys.argv[1] == "-" else sys.argv[1], encoding="utf-8") as file:
            page = draw(json.load(file))
        with open(1 if sys.argv[2] == "-" else sys.argv[2], "w", encoding="utf-8") as file:
            file.write(page)
    except (OSError, ValueError) as fault:
        sys.exit(f"plot.py: {fault}")
    except KeyError as key:
        sys.exit(f"plot.py: {sys.argv[1]} has no {key}: throughput is what scanrt bench --json writes")


if __name__ == "__main__":
    main()
