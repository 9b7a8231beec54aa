#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A model of the cost of calls over ranks, for numbers of ranks beyond those that can be run.

usage: model.py --check COSTS.json...         compares calls and bytes of MPI with the model's; fails if they differ
       model.py COSTS.json... [--svg FILE]    fits the model to times; prints tables and draws the figure

COSTS.json has the lines of `mpi_costs`, each file of some numbers of ranks with one MPI."""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plot import COLOURS, LEFT, MARKERS, PAGE, PLOT_HEIGHT, PLOT_WIDTH, WIDTH, rule, text  # noqa: E402

# Constants of runtime/mpi: sort.h, handle.c, sort.c, sort_cuts.c, sort_parts.c.
MOST_COUNTS, MOST_SPLIT_RANKS, LEAST_PART_ITEMS, LAUNCH_BYTES = 1 << 16, 128, 1 << 22, 1 << 16
GROUP_ITEMS = 1 << 20  # of float32, kernels_cl/README.md

# Bits and bytes of the keys, and bytes of the columns, of the sorts of mpi_costs.c.
SORTS = {"sort u32": (32, 4, (4,)), "sort u64": (64, 8, (8,)), "sort u64 with 8 bytes": (64, 8, (8, 8)),
         "split u32": (8, 4, (4,))}

# ---- what is asked of MPI ------------------------------------------------------------------------------------------


def digit_bits(ranks):
    bits = 8
    while bits > 1 and ranks << bits > MOST_COUNTS:
        bits -= 1
    return bits


def rounds_of(ranks, n, bits):
    """The rounds that search for the cuts of n random keys a rank: pairs of intervals and bits of a digit. A cut is
    found when no key of its interval comes before it: of intervals of t keys on average, all but (1 - e^-t) / t stay
    open."""
    depth, rounds, wanted = 0, [(1, min(digit_bits(ranks), bits))], ranks - 1
    while True:
        depth += rounds[-1][1]
        keys = ranks * n / 2.0 ** depth
        is_open = 1 - (1 - math.exp(-keys)) / keys
        slots = min(wanted, 2 ** depth) * is_open
        if depth == bits or slots < 0.5:
            return rounds, round(wanted * is_open)
        rounds.append((slots, min(digit_bits(ranks), bits - depth)))


def parts_of(ranks, n):
    return 2 if n >= LEAST_PART_ITEMS and ranks <= MOST_SPLIT_RANKS else 1


def sort_counts(name, ranks, n):
    """Calls of MPI and their bytes in a run of a sort or a split over ranks in host memory."""
    bits, _, columns = SORTS[name]
    rounds, ties = rounds_of(ranks, n, bits)
    counts = [slots * 2 ** digit + 1 for slots, digit in rounds] + ([257] if name.startswith("split") else [])
    agreements = 3 if ranks <= MOST_SPLIT_RANKS else 2
    moves = parts_of(ranks, n) * len(columns)
    return {"allreduce": (len(counts) + agreements + 1 + 3 * moves,
                          8 * sum(counts) + 4 * (agreements + 1) + 16 * moves),
            "allgather": (1, 16 * ranks), "alltoall": (1, 16 * ranks),
            "exscan": (1, 8 * ties) if ties else (0, 0),
            "send": (moves * (ranks - 1), n * (ranks - 1) / ranks * sum(columns))}


def check(rows):
    """Compares counts. Keys are random, so that a few cuts are found a round sooner or later than on average."""
    faults = 0
    for row in rows:
        if row["call"] not in SORTS or row["ranks"] == 1:
            continue
        for kind, (calls, bytes_) in sort_counts(row["call"], row["ranks"], row["n"]).items():
            got = row[kind]
            near = abs(got[0] - calls) <= 1 and abs(got[1] - bytes_) <= 0.12 * bytes_ + 2 * 2056
            faults += not near
            if not near:
                print(f'{row["call"]}, {row["ranks"]} ranks, n {row["n"]}: {kind} {got}, the model says '
                      f"{calls:.0f} calls, {bytes_:.0f} bytes")
    print(f"{len(rows)} measurements, {faults} differ from the model")
    return faults or not rows


# ---- times ---------------------------------------------------------------------------------------------------------


def steps_of(ranks):
    return math.ceil(math.log2(ranks))


def terms_of(row):
    """The model's terms of a measured call: seconds of a rank alone, steps of collective calls, bytes, messages. More
    ranks than processors wait for each other."""
    share = max(1, row["ranks"] / PROCESSORS)
    collectives = sum(row[kind][0] for kind in ("allreduce", "bcast", "allgather", "alltoall", "exscan"))
    bytes_ = row["send"][1] + 2 * row["allreduce"][1] + row["allgather"][1] + row["alltoall"][1]
    return (row["alone"], share * collectives * steps_of(row["ranks"]), share * bytes_, share * row["send"][0])


def fit(rows):
    """Fits non-negative factors of the terms by least squares of relative errors. Each call has a factor of its own for
    the time of a rank alone."""
    names = list(dict.fromkeys(row["call"] for row in rows))
    lines = []
    for row in rows:
        alone, *others = terms_of(row)
        line = [0.0] * len(names) + others
        line[names.index(row["call"])] = alone
        lines.append([value / row["seconds"] for value in line])
    scales = [max(line[k] for line in lines) or 1 for k in range(len(lines[0]))]
    lines = [[value / scale for value, scale in zip(line, scales)] for line in lines]
    x = [0.0] * len(scales)
    for _ in range(3000):  # coordinate descent
        for k in range(len(x)):
            rest = [1 - sum(a * b for j, (a, b) in enumerate(zip(line, x)) if j != k) for line in lines]
            square = sum(line[k] ** 2 for line in lines)
            x[k] = max(0.0, sum(line[k] * r for line, r in zip(lines, rest)) / square) if square else 0.0
    factors = [value / scale for value, scale in zip(x, scales)]
    return {"local": dict(zip(names, factors)), "step": factors[-3], "byte": factors[-2], "message": factors[-1]}


def predict(fitted, row):
    alone, steps, bytes_, messages = terms_of(row)
    return (fitted["local"][row["call"]] * alone + fitted["step"] * steps + fitted["byte"] * bytes_ +
            fitted["message"] * messages)


# ---- beyond --------------------------------------------------------------------------------------------------------

PROCESSORS = 2  # of the machine that mpi_costs ran on
# A rank with an H200 of its own. Measured (runtime.md, sorting.md): sorts, the part of a sort over ranks that is no
# exchange, scans, folds, a launch, a probe of a binary search. Assumed: the network, copies to the host.
GPU = {"key": 3.74e-3 / 2 ** 28, "local": 1.4, "element": 1.024e-3 / 2 ** 28, "fold": 2e-9, "launch": 5e-6,
       "step": 3e-6, "byte": 1 / 25e9, "message": 0.5e-6, "reduce": 1 / 8e9, "copy": 1 / 10e9, "probe": 6e-9}


def search_cost(ranks, n, bits, key_bytes, counts_on_device, gpu):
    """Seconds in which a rank counts digits: a launch an interval and round on the device, binary searches on the
    host."""
    rounds, _ = rounds_of(ranks, n, bits)
    if counts_on_device:
        return gpu["launch"] * sum(slots for slots, _ in rounds)
    depth, seconds = 0, n * key_bytes * gpu["copy"]
    for slots, digit in rounds:
        items = n / 2.0 ** depth
        if items > 1:
            seconds += gpu["probe"] * slots * min(2 ** digit, items) * math.log2(items)
        depth += digit
    return seconds


def device_counts(ranks, n, bits, key_bytes):
    return ranks <= MOST_SPLIT_RANKS or ranks * math.ceil(bits / digit_bits(ranks)) <= n * key_bytes / LAUNCH_BYTES


def sort_cost(ranks, n, gpu, always_on_device=False, name="sort u32"):
    bits, key_bytes, columns = SORTS[name]
    counts = sort_counts(name, ranks, n)
    agreements = sum(counts[kind][0] for kind in ("allreduce", "allgather", "exscan"))
    alltoall = min(ranks * gpu["message"], steps_of(ranks) * (gpu["step"] + 8 * ranks * gpu["byte"]))
    on_device = always_on_device or device_counts(ranks, n, bits, key_bytes)
    return {"sorts of a rank": (gpu["local"] if ranks <= MOST_SPLIT_RANKS else 2) * gpu["key"] * n + 30e-6,
            "bytes of the exchange": counts["send"][1] * gpu["byte"],
            "messages of the exchange": counts["send"][0] * gpu["message"],
            "digits counted on a rank": search_cost(ranks, n, bits, key_bytes, on_device, gpu),
            "collective calls": agreements * steps_of(ranks) * gpu["step"] + alltoall +
                                counts["allreduce"][1] * (2 * gpu["byte"] + gpu["reduce"])}


def scan_cost(ranks, n, gpu, is_exact):
    blocks = ranks if is_exact else ranks * max(1, n / GROUP_ITEMS)
    return {"scans of a rank": 1.5 * gpu["element"] * n + 10e-6,
            "values of all ranks": blocks * (gpu["fold"] + 4 * gpu["byte"]),
            "collective calls": 7 * steps_of(ranks) * gpu["step"] + 24 * ranks * gpu["byte"]}


# ---- tables and figure ---------------------------------------------------------------------------------------------

RANKS = (2, 16, 128, 256, 1024, 4096, 16384, 100000)


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}"


def print_table(title, costs):
    print(f"\n{title}, ms:\n")
    print("| ranks | " + " | ".join(costs[0][1]) + " | together |")
    print("| --- " * (len(costs[0][1]) + 2) + "|")
    for ranks, parts in costs:
        print(f"| {ranks} | " + " | ".join(milliseconds(value) for value in parts.values()) +
              f" | {milliseconds(sum(parts.values()))} |")


def print_fit(rows, fitted):
    print(f'Fitted: {fitted["step"] * 1e6:.2f} us a step of a collective call, {1e-9 / fitted["byte"]:.2f} GB/s, '
          f'{fitted["message"] * 1e6:.2f} us a message; times of a rank alone count ' +
          ", ".join(f"{value:.2f} ({name})" for name, value in fitted["local"].items()))
    errors = sorted(abs(predict(fitted, row) / row["seconds"] - 1) for row in rows)
    print(f"Error: median {100 * errors[len(errors) // 2]:.0f} %, 90 % of rows below "
          f"{100 * errors[len(errors) * 9 // 10]:.0f} %\n")
    print("| sort u32, ms: measured, model | " + " | ".join(f"{r} ranks" for r in sorted({x["ranks"] for x in rows})) +
          " |\n" + "| --- " * (1 + len({x["ranks"] for x in rows})) + "|")
    for n in sorted({row["n"] for row in rows}):
        cells = [next((f'{milliseconds(row["seconds"])}, {milliseconds(predict(fitted, row))}' for row in rows
                       if (row["call"], row["n"], row["ranks"]) == ("sort u32", n, r)), "")
                 for r in sorted({x["ranks"] for x in rows})]
        print(f"| n {n} | " + " | ".join(cells) + " |")


class LogPanel:
    """Coordinates with the logarithm of the ranks and of milliseconds."""

    def __init__(self, top, low, high):
        self.top, self.base, self.low, self.high = top, top + PLOT_HEIGHT, math.log10(low), math.log10(high)
        self.last = math.log10(RANKS[-1])

    def x(self, ranks):
        return LEFT + PLOT_WIDTH * math.log10(ranks) / self.last

    def y(self, ms):
        return self.base - PLOT_HEIGHT * (max(self.low, math.log10(ms)) - self.low) / (self.high - self.low)

    def axes(self, title):
        yield text(LEFT, self.top - 16, title, "title")
        for exponent in range(int(self.last) + 1):
            x = self.x(10 ** exponent)
            yield rule(x, self.base, x, self.top, 'class="grid"')
            yield text(x, self.base + 18, f"{10 ** exponent:,}", "tick middle")
        for exponent in range(round(self.low), round(self.high) + 1):
            y = self.y(10.0 ** exponent)
            yield rule(LEFT, y, LEFT + PLOT_WIDTH, y, f'class="{"axis" if y == self.base else "grid"}"')
            yield text(LEFT - 8, y + 4, f"{10.0 ** exponent:g}", "tick end")
        yield text(LEFT + PLOT_WIDTH / 2, self.base + 38, "ranks", "label middle")
        middle = (self.base + self.top) / 2
        yield text(24, middle, "ms", "label middle", f' transform="rotate(-90 24 {middle:.1f})"')

    def line(self, index, name, points, is_dashed=False):
        stroke = f'stroke="{COLOURS[index % len(COLOURS)]}"' + (' stroke-dasharray="7 5"' if is_dashed else "")
        path = " ".join(f"{self.x(ranks):.1f},{self.y(1e3 * seconds):.1f}" for ranks, seconds in points if seconds > 0)
        y, left = self.top + 10 + 20 * index, LEFT + PLOT_WIDTH + 24
        yield f'<polyline class="line" {stroke} points="{path}"/>'
        yield rule(left, y, left + 34, y, stroke + ' stroke-width="2"')
        yield text(left + 42, y + 4, name, "tick")


def measured_panel(rows, fitted):
    panel = LogPanel(44, 0.01, 1000)
    yield from panel.axes("sort u32 on 2 cores: measured (points) and fitted (lines)")
    for index, n in enumerate(sorted({row["n"] for row in rows})):
        found = sorted((row for row in rows if row["call"] == "sort u32" and row["n"] == n), key=lambda r: r["ranks"])
        yield from panel.line(index, f"{n} keys a rank", [(row["ranks"], predict(fitted, row)) for row in found])
        for row in found:
            yield MARKERS[index % len(MARKERS)].format(panel.x(row["ranks"]), panel.y(1e3 * row["seconds"]),
                                                       COLOURS[index % len(COLOURS)])


def beyond_panel(top, n):
    panel = LogPanel(top, 0.01, 100000)
    yield from panel.axes(f"sort u32 of 2^{n.bit_length() - 1} keys a rank, each an H200: model")
    ranks = sorted({round(2 ** (k / 4)) for k in range(4, 67)} | {RANKS[-1]})
    costs = [(r, sort_cost(r, n, GPU)) for r in ranks]
    for index, name in enumerate(costs[0][1]):
        yield from panel.line(index, name, [(r, parts[name]) for r, parts in costs])
    before = [(r, sort_cost(r, n, GPU, True)["digits counted on a rank"]) for r in ranks]
    yield from panel.line(len(costs[0][1]), "digits, by launches alone", before, True)


def draw(rows, fitted):
    step = PLOT_HEIGHT + 110
    body = [*measured_panel(rows, fitted), *beyond_panel(44 + step, 1 << 28), *beyond_panel(44 + 2 * step, 1 << 20)]
    return PAGE.format(width=WIDTH, height=3 * step, body="\n".join(body))


def main():
    arguments = sys.argv[1:]
    svg = arguments.pop(arguments.index("--svg") + 1) if "--svg" in arguments[:-1] else None
    options = [a for a in arguments if a.startswith("--")]
    paths = [a for a in arguments if not a.startswith("--")]
    if not paths or options not in ([], ["--check"], ["--svg"]):
        sys.exit(__doc__)
    rows = [json.loads(line) for path in paths for line in pathlib.Path(path).read_text().splitlines()]
    if options == ["--check"]:
        sys.exit(check(rows))
    rows = [row for row in rows if row["ranks"] > 1]
    fitted = fit(rows)
    print_fit(rows, fitted)
    for n in 1 << 28, 1 << 20:
        print_table(f"sort u32 of 2^{n.bit_length() - 1} keys a rank", [(r, sort_cost(r, n, GPU)) for r in RANKS])
    print_table("scan of 2^28 float32 a rank", [(r, scan_cost(r, 1 << 28, GPU, False)) for r in RANKS])
    print_table("scan of 2^28 int32 a rank", [(r, scan_cost(r, 1 << 28, GPU, True)) for r in RANKS])
    if svg:
        pathlib.Path(svg).write_text(draw(rows, fitted), encoding="utf-8")


if __name__ == "__main__":
    main()
