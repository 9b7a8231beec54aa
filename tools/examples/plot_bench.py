#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Plots `scanrt bench --json` with matplotlib, in cells (`# %%`) like a notebook: throughput, time and percent of a
copy against n, and the speed relative to the peers and loops measured beside it. Editors that support cells (VS Code,
Spyder, Jupyter's jupytext) run them one by one. As a program:

    scanrt bench --device cuda:0 --n 2^10..2^28 --type i32 --type f32 --mode both --json > scan.json
    plot_bench.py scan.json scan.png [TITLE]        # or .svg, .pdf; without a file it shows a window

tools/plot.py draws only throughput, and needs only Python.
"""
# %% What is drawn
import json
import sys

import matplotlib

arguments = sys.argv[1:]
if len(arguments) not in (1, 2, 3):
    sys.exit(__doc__)
source, target, title = (arguments + [None, None])[:3]
if target is not None:
    matplotlib.use("Agg")  # no window
matplotlib.rcParams["svg.fonttype"] = "none"  # keeps text as text

import matplotlib.pyplot as plt

with open(0 if source == "-" else source, encoding="utf-8") as file:
    report = json.load(file)

# Wrong results have no figures. memcpy is omitted: its copies of small n stay in the caches, and would flatten all
# other lines.
rows = [row for row in report["rows"] if row["correct"] and row["mode"] != "host" and row["role"] != "memcpy"]
if not rows:
    sys.exit(f"{source} has no rows: scanrt bench --json writes them")


# %% Lines: one for each device, subject, type and mode, against n
def lines_of(rows, value):
    """{label: [(n, value), ...]} of the rows that have the value, in the order of the report."""
    lines = {}
    many = {key: len({row[key] for row in rows}) > 1 for key in ("device", "type", "mode", "kind", "op")}
    for row in rows:
        if value(row) is not None:
            words = [row["series"] if row["role"] != "scan" else f"scanrt {row['series']}"]
            words += [row[key] for key, several in many.items() if several]
            lines.setdefault(" ".join(words), []).append((row["n"], value(row)))
    return lines


def is_copy(label):
    return label.startswith("copy")


labels = list(lines_of(rows, lambda row: row["gb_per_s"]))
# Colours that people with any colour vision can distinguish (Okabe and Ito, 2008).
wheel = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9", "#7a4fbf", "#444444"
colours = {label: wheel[k % len(wheel)] for k, label in enumerate(labels)}


# %% One panel
def panel(axes, value, words, *, logarithmic=False, copies=True):
    for label, points in lines_of(rows, value).items():
        if copies or not is_copy(label):
            points.sort()
            axes.plot(
                *zip(*points),
                label=label,
                color=colours[label],
                linestyle="--" if is_copy(label) else "-",
                marker=None if is_copy(label) else "o",
                markersize=3,
            )
    axes.set_xscale("log", base=2)
    if logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("n, elements")
    axes.set_ylabel(words)
    axes.grid(color="#ddd")
    axes.spines[["top", "right"]].set_visible(False)


# %% All of them
figure, ((throughput, times), (percent, factor)) = plt.subplots(2, 2, figsize=(12, 8), constrained_layout=True)
panel(throughput, lambda row: row["gb_per_s"], "GB/s read and written")
panel(times, lambda row: row["median_us"], "median time, microseconds", logarithmic=True)
panel(percent, lambda row: row["percent_of_copy"], "percent of a copy's speed", copies=False)
peer = next((row["peer"] for row in rows if "peer" in row), None)
if peer:
    panel(factor, lambda row: row.get("times_peer"), f"times as fast as {peer}")
elif any("times_plain_loop" in row for row in rows):
    panel(factor, lambda row: row.get("times_plain_loop"), "times as fast as a plain loop", logarithmic=True)
else:  # nothing else was measured
    panel(factor, lambda row: row["n"] / row["median_us"] / 1e3, "billions of elements a second", logarithmic=True)
if factor.get_ylabel().startswith("times"):
    factor.axhline(1, color="#222", linewidth=0.8)
handles, names = throughput.get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)
devices = sorted({f"{row['device']}: {row['device_name']}, {row['driver']}" for row in rows})
figure.suptitle(
    "\n".join(
        ([title] if title else [])
        + ["; ".join(devices), f"{report['command']}   (scanrt {report['version']}, medians of {report['reps']})"]
    ),
    fontsize=9,
)

# %% To a file, or on the screen
if target is None:
    plt.show()
else:
    figure.savefig(target, dpi=150)
