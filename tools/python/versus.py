#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times the package beside NumPy on the host and beside pyopencl on an OpenCL device, and adds the rows to those of
`scanrt bench --versus --json`: how many times as fast, the lowest ratio first.

    python3 versus.py --device host
    python3 versus.py --device opencl:pocl --n 2^16 --n 2^20
    python3 versus.py --device host --rows versus.json       # rows of `scanrt bench --versus --json`, too
    python3 versus.py --device none --rows versus.json       # those rows alone
    python3 versus.py --device none --rows pocl.json --beside host.json   # the host's times as those of a peer

NumPy's sort is the default one (x86-simd-sort on AVX-512 and AVX2), which is not stable. Times are medians of rounds in
which both take turns, by the clock, with outputs that are there before; results are compared once.
"""

import argparse
import json
import statistics
import time

import numpy as np

import scanrt

TYPES = {"i32": "i4", "u32": "u4", "i64": "i8", "u64": "u8", "f32": "f4", "f64": "f8"}
SORT_SHAPES = ("random", "and3", "reversed", "bits27")
KEEP = "static inline int keep(uint x, ulong i) { (void)i; return x < 0x80000000u; }"


def count(text):
    base, caret, power = text.partition("^")
    return int(base) ** int(power) if caret else int(text)


def keys_of(shape, dtype, n):
    """Keys as those of `scanrt bench --sort`; floating point without NaN."""
    random = np.random.default_rng(1)
    bits = [random.integers(0, 1 << 64, n, "u8") for _ in range(3 if shape == "and3" else 1)]
    key = np.bitwise_and.reduce(bits)
    width = np.dtype(dtype).itemsize * 8
    if dtype[0] == "f":
        return random.standard_normal(n).astype(dtype)
    if shape == "bits27":
        return (key >> np.uint64(64 - 27)).astype(dtype)
    if shape == "reversed":
        step = (1 << width) // n
        return (np.arange(n - 1, -1, -1, dtype="u8") * np.uint64(step)).astype(dtype)
    return (key >> np.uint64(64 - width)).astype(dtype)


def host_cases(n):
    """Yields primitive, type, options, and the calls of both libraries, which return their output."""
    for name, dtype in TYPES.items():
        x = keys_of("random", dtype, n)
        out = np.empty_like(x)
        yield "inclusive", name, f"--inclusive --type {name}", {
            "scanrt": lambda x=x, out=out: scanrt.scan(x, out=out),
            "numpy": lambda x=x, out=out: np.cumsum(x, dtype=x.dtype, out=out),
        }
        for shape in SORT_SHAPES if name[0] == "u" else ("random",):
            keys = keys_of(shape, dtype, n)

            def sort(keys=keys, out=out):
                np.copyto(out, keys)
                out.sort()
                return out

            yield "sort", name, f"--sort keys --shape {shape} --type {name}", {
                "scanrt": lambda keys=keys, out=out: scanrt.sort(keys, out=out),
                "numpy": sort,
            }


def device_cases(queue, n):
    import pyopencl.algorithm
    import pyopencl.array
    import pyopencl.scan

    context = queue.context
    x = keys_of("random", "u4", n)
    device_x = pyopencl.array.to_device(queue, x)
    out = pyopencl.array.empty_like(device_x)
    kept = pyopencl.array.zeros(queue, 1, "i8")
    predicate = scanrt.Predicate.from_source(KEEP, "keep", "u4", type="uint")
    scans = {
        "inclusive": pyopencl.scan.InclusiveScanKernel(context, "u4", "a + b"),
        "exclusive": pyopencl.scan.ExclusiveScanKernel(context, "u4", "a + b", "0"),
    }
    for kind, kernel in scans.items():
        yield kind, "u32", f"--{kind} --type u32", {
            "scanrt": lambda kind=kind: scanrt.scan(device_x, exclusive=kind == "exclusive", out=out),
            "pyopencl": lambda kernel=kernel: kernel(device_x, out) and out,
        }
    sorter = pyopencl.algorithm.RadixSort(context, "unsigned *keys", "keys", ["keys"], key_dtype="u4")
    yield "sort", "u32", "--sort keys --shape random --type u32", {
        "scanrt": lambda: scanrt.sort(device_x, out=out),
        "pyopencl": lambda: sorter(device_x, key_bits=32)[0][0],
    }
    m = int((x < 0x80000000).sum())
    yield "select", "u32", "--select predicate --kept 50% --payload 4", {
        "scanrt": lambda: scanrt.select(device_x, predicate, out=out, count=kept)[:m],
        "pyopencl": lambda: pyopencl.algorithm.copy_if(device_x, "ary[i] < 0x80000000u", queue=queue)[0][:m],
    }


def to_host(y):
    return y if isinstance(y, np.ndarray) else y.get()


def is_same(a, b):
    a, b = to_host(a), to_host(b)
    return np.allclose(a, b, rtol=1e-3, atol=1e-2 * np.sqrt(len(a))) if a.dtype.kind == "f" else np.array_equal(a, b)


def time_calls(calls, finish, rounds, seconds):
    """Median seconds of each call. A round ends early when both took `seconds` together."""
    times = {who: [] for who in calls}
    repeats = {}
    for who, call in calls.items():
        call()
        finish()
        begin = time.perf_counter()
        call()
        finish()
        repeats[who] = max(1, int(2e-3 / (time.perf_counter() - begin)))
    begun = time.perf_counter()
    for _ in range(rounds):
        for who, call in calls.items():
            begin = time.perf_counter()
            for _ in range(repeats[who]):
                call()
            finish()
            times[who].append((time.perf_counter() - begin) / repeats[who])
        if time.perf_counter() - begun > seconds:
            break
    return {who: statistics.median(t) for who, t in times.items()}


def measure(device, cases, finish, n, options):
    for primitive, dtype, case, calls in cases:
        (own, peer) = calls
        same = is_same(to_host(calls[own]()).copy(), calls[peer]())
        medians = time_calls(calls, finish, options.reps, options.row_limit)
        row = {"device": device, "primitive": primitive, "case": case, "mode": "eager", "type": dtype, "n": n}
        version = np.__version__ if peer == "numpy" else __import__(peer).VERSION_TEXT
        row |= {"peer": f"{peer} {version}", "correct": bool(same), "times_peer": medians[peer] / medians[own]}
        yield row | {"median_us": medians[own] * 1e6, "peer_us": medians[peer] * 1e6}


def open_queue(selector):
    """A queue of the device whose platform's or own name has the word behind "opencl:"."""
    import pyopencl

    word = selector.partition(":")[2].lower()
    for platform in pyopencl.get_platforms():
        for device in platform.get_devices():
            if word in f"{platform.name} {platform.vendor} {device.name}".lower().replace("portable computing language", "pocl"):
                return pyopencl.CommandQueue(pyopencl.Context([device]))
    raise SystemExit(f"versus.py: no OpenCL device is called '{word}'")


def rows_of(names):
    for name in names:
        with open(name) as file:
            yield from json.load(file)["rows"]


def rows_beside(rows, others):
    """Each case of `rows` once, beside the library's own time of the same case on another device. `correct` there is
    about peers; a wrong result of the library's own ends `scanrt bench` with a failure."""
    own = {(row["case"], row["n"]): row for row in rows}
    other = {(row["case"], row["n"]): row for row in others}
    for key in own.keys() & other.keys():
        peer = {"peer": f"scanrt on {other[key]['device']}", "peer_us": other[key]["median_us"], "correct": True}
        yield own[key] | peer | {"times_peer": peer["peer_us"] / own[key]["median_us"]}


def all_rows(options):
    yield from rows_beside(rows_of(options.rows), rows_of(options.beside)) if options.beside else rows_of(options.rows)
    queue = None if options.device in ("none", "host") else open_queue(options.device)
    for n in options.n if options.device != "none" else []:
        cases = device_cases(queue, n) if queue else host_cases(n)
        yield from measure(options.device, cases, queue.finish if queue else lambda: None, n, options)


def line(row):
    ratio = f"{row['times_peer']:7.3f} {row['median_us']:11.2f} {row['peer_us']:11.2f}" if row["correct"] else "  WRONG"
    return f"{row['case']:56} {row['n']:10} {row['peer']:26} {ratio}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="host", help="host, opencl:NAME or none (default host)")
    parser.add_argument("--n", type=count, action="append", help="number of elements (default 2^10, 2^16, 2^20, 2^24)")
    parser.add_argument("--rows", action="append", default=[], help="JSON of `scanrt bench --versus --json`")
    parser.add_argument("--beside", action="append", default=[], help="JSON of another device: its own times are the peer's")
    parser.add_argument("--reps", type=int, default=7, help="rounds at most")
    parser.add_argument("--row-limit", type=float, default=2, help="seconds of the rounds of a case")
    parser.add_argument("--json", action="store_true", help="JSON instead of the table")
    options = parser.parse_args()
    options.n = options.n or [1 << 10, 1 << 16, 1 << 20, 1 << 24]
    rows = sorted(all_rows(options), key=lambda row: row["times_peer"] if row["correct"] else 0)
    if options.json:
        print(json.dumps({"version": scanrt.version(), "rows": rows}, indent=2))
        return
    print(f"{'case':56} {'n':>10} {'peer':26} {'ratio':>7} {'us':>11} {'peer us':>11}")
    print(*map(line, rows), sep="\n")
    right = [row["times_peer"] for row in rows if row["correct"]]
    below = sum(ratio < 1 for ratio in right)
    median = statistics.median(right) if right else float("nan")
    print(f"\n{len(rows)} rows, median ratio {median:.3f}, {below} below 1, {len(rows) - len(right)} wrong")
    print(*map(line, rows[:10]), sep="\n")


main()
