#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares scanrt with PyTorch and CuPy on one CUDA device, in one run: times, correct results, equal bits in reruns,
and the host's time for a call.

    python3 bench.py                              # everything: about 12 GiB on the device
    python3 bench.py --scale 16 --only cumsum     # sizes divided by 16
    python3 bench.py --tool path/to/scanrt        # also `scanrt bench` of the same scan, beside the package's
    python3 bench.py --torch                      # sums and recurrences with their gradients, beside PyTorch's
    python3 bench.py --json figures.json

Each time is the median of rounds, each of which runs all candidates in turn. Calls that do not wait are timed by events
around several calls enqueued ahead; calls that wait for a number of elements are timed by the clock.
"""

import argparse
import functools
import json
import statistics
import subprocess
import sys
import time

import numpy as np
import torch

import scanrt

try:
    import cupy
except ImportError:
    cupy = None

AHEAD_CYCLES = 16_000_000  # cycles for which the device is kept busy while calls are enqueued: about 8 ms


def by_events(call, repeats):
    """Milliseconds of a call that does not wait."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(AHEAD_CYCLES)
    begin.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / repeats


def by_clock(call, repeats):
    """Milliseconds of a call that waits."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) * 1e3 / repeats


def same_bits(a, b):
    a, b = (x.flatten().contiguous().view(torch.uint8) for x in (a, b))
    return a.shape == b.shape and bool(torch.equal(a, b))


def as_cupy(x):
    return cupy.from_dlpack(x) if cupy else None


def as_torch(y):
    if isinstance(y, (tuple, list)):
        return [as_torch(part) for part in y]
    return [
        y
        if isinstance(y, torch.Tensor)
        else torch.from_dlpack(y)
        if not isinstance(y, np.ndarray)
        else torch.from_numpy(y)
    ]


def flat(results):
    out = []
    for r in results:
        out += flat(r) if isinstance(r, list) else [r]
    return out


class Case:
    """One line of the table: calls that compute the same result."""

    def __init__(self, name, calls, host, waits, reruns):
        self.name, self.host, self.waits, self.reruns = name, host, waits, reruns
        self.calls = {who: call for who, call in calls.items() if call is not None}

    def run(self, rounds, repeats):
        measure = by_clock if self.waits else by_events
        times = {who: [] for who in self.calls}
        for call in self.calls.values():
            measure(call, 1)
        for _ in range(rounds):
            for who, call in self.calls.items():
                times[who].append(measure(call, repeats))
        row = {
            "case": self.name,
            "median_ms": {who: statistics.median(t) for who, t in times.items()},
            "least_ms": {who: min(t) for who, t in times.items()},
        }
        own = row["median_ms"]["scanrt"]
        row["times"] = {who: t / own for who, t in row["median_ms"].items() if who != "scanrt"}
        row["reruns_that_differ"] = {who: self.differing(call) for who, call in self.calls.items()}
        row["equals_host"] = self.equals_host()
        torch.cuda.empty_cache()
        return row

    def differing(self, call):
        """The number of reruns whose bits differ from those of the first run."""
        first = flat(as_torch(call()))
        count = 0
        for _ in range(self.reruns):
            again = flat(as_torch(call()))
            count += not all(same_bits(a, b) for a, b in zip(first, again))
        return count

    def equals_host(self):
        """True if scanrt's results equal those of the host, bit for bit."""
        own = flat(as_torch(self.calls["scanrt"]()))
        host = flat(as_torch(self.host()))
        return all(same_bits(a.cpu(), b) for a, b in zip(own, host))


def sizes(options):
    scale = options.scale
    return {"2^28": (1 << 28) // scale, "50 million": 50_000_000 // scale, "side": int(16384 / scale**0.5)}


def random_floats(options, *shape):
    return torch.rand(shape, generator=options.generator, device=options.name) * 2 - 1


def where(condition, call):
    """The call, if its library is there; else None."""
    return call if condition is not None else None


def sum_case(options, label, x, axis):
    c, host = as_cupy(x), x.cpu().numpy()
    calls = {
        "scanrt": lambda: scanrt.cumsum(x, axis),
        "torch": lambda: torch.cumsum(x, axis),
        "cupy": where(c, lambda: cupy.cumsum(c, axis)),
    }
    return Case(f"cumsum f32 {label}", calls, lambda: scanrt.cumsum(host, axis), False, options.reruns)


def total_case(options, label, x, axis):
    c, host = as_cupy(x), x.cpu().numpy()
    calls = {
        "scanrt": lambda: scanrt.reduce(x, axis=axis),
        "torch": lambda: torch.sum(x, axis),
        "cupy": where(c, lambda: cupy.sum(c, axis)),
    }
    return Case(f"sum f32 {label}", calls, lambda: scanrt.reduce(host, axis=axis), False, options.reruns)


def sums(options):
    size = sizes(options)
    for label in "2^28", "50 million":
        yield sum_case(options, label, random_floats(options, size[label]), 0)
    side = size["side"]
    x = random_floats(options, side, side)
    for axis in 0, 1:
        yield sum_case(options, f"{side} x {side}, axis {axis}", x, axis)
        yield total_case(options, f"{side} x {side}, axis {axis}", x, axis)


def segments(options):
    """Totals of segments of equal lengths. PyTorch's kernel gives each segment to one thread."""
    x = random_floats(options, sizes(options)["2^28"])
    host = x.cpu().numpy()
    for length in 1, 10, 100, 1000, 10**6:
        offsets = torch.arange(0, len(x) + length, length, device=options.name).clamp_(max=len(x))
        calls = {
            "scanrt": functools.partial(scanrt.segment_reduce, x, offsets),
            "torch": functools.partial(torch.segment_reduce, x, "sum", offsets=offsets, unsafe=True),
        }
        on_host = functools.partial(scanrt.segment_reduce, host, offsets.cpu().numpy())
        yield Case(f"segment_reduce f32 2^28, of {length}", calls, on_host, False, min(options.reruns, 5))


def compactions(options):
    x = random_floats(options, sizes(options)["2^28"])
    keep = x > 0
    c, ck = as_cupy(x), as_cupy(keep.view(torch.uint8))
    ck = where(ck, ck.view(bool) if ck is not None else None)
    host, host_keep = x.cpu().numpy(), keep.cpu().numpy()
    calls = {
        "scanrt": lambda: scanrt.select(x, keep),
        "torch": lambda: torch.masked_select(x, keep),
        "cupy": where(c, lambda: c[ck]),
    }
    yield Case("masked_select f32 2^28", calls, lambda: host[host_keep], True, options.reruns)
    calls = {
        "scanrt": lambda: scanrt.flatnonzero(keep),
        "torch": lambda: torch.nonzero(keep),
        "cupy": where(c, lambda: cupy.flatnonzero(ck)),
    }
    yield Case("nonzero 2^28", calls, lambda: np.flatnonzero(host_keep), True, options.reruns)


def sorts(options):
    count = sizes(options)["2^28"]
    keys = torch.randint(-(2**31), 2**31, (count,), generator=options.generator, device=options.name, dtype=torch.int32)
    c, host = as_cupy(keys), keys.cpu().numpy()
    reruns = min(options.reruns, 5)
    peers = {"torch": lambda: torch.sort(keys, stable=True), "cupy": where(c, lambda: cupy.argsort(c))}
    for dtype in "int64", "int32":
        arguments = {"return_indices": True, "index_dtype": dtype}
        calls = {"scanrt": functools.partial(scanrt.sort, keys, **arguments)} | peers
        own = functools.partial(scanrt.sort, host, **arguments)
        yield Case(f"sort i32 2^28 with {dtype} indices", calls, own, False, reruns)
    calls = {
        "scanrt": lambda: scanrt.sort(keys),
        "torch": lambda: torch.sort(keys),
        "cupy": where(c, lambda: cupy.sort(c)),
    }
    yield Case("sort i32 2^28", calls, lambda: scanrt.sort(host), False, reruns)


def with_gradients(call, inputs, weights):
    """Runs a call and its backward pass. Returns the result and the gradients."""
    y = call(*inputs)
    return [y.detach(), *torch.autograd.grad(y, inputs, weights)]


def gradients(options):
    """Forward and backward passes together."""
    yield sum_case_with_gradient(options)
    yield recurrence_case(options)


def sum_case_with_gradient(options):
    x = random_floats(options, sizes(options)["2^28"]).requires_grad_()
    weights = random_floats(options, *x.shape)
    host = x.detach().cpu().requires_grad_(), weights.cpu()
    calls = {
        "scanrt": lambda: with_gradients(lambda x: scanrt.cumsum(x, 0), (x,), weights),
        "torch": lambda: with_gradients(lambda x: torch.cumsum(x, 0), (x,), weights),
    }
    own = functools.partial(with_gradients, lambda x: scanrt.cumsum(x, 0), host[:1], host[1])
    return Case("cumsum f32 2^28, both passes", calls, own, False, options.reruns)


def compose(f, g):
    """The map x -> a x + b after another one."""
    return f[0] * g[0], f[1] * g[0] + g[1]


class CompiledRecurrence(torch.autograd.Function):
    """A recurrence along the last axis by torch.compile and associative_scan, one graph for each pass."""

    forward_graph = backward_graph = None

    @classmethod
    def compile(cls):
        from torch._higher_order_ops import associative_scan

        def forward(a, b):
            return associative_scan(compose, (a, b), dim=1)[1]

        def backward(a, h, weights):
            later = torch.nn.functional.pad(a[:, 1:], (0, 1))
            to_b = associative_scan(compose, (later, weights), dim=1, reverse=True)[1]
            return to_b * torch.nn.functional.pad(h[:, :-1], (1, 0)), to_b

        cls.forward_graph, cls.backward_graph = torch.compile(forward), torch.compile(backward)

    @staticmethod
    def forward(ctx, a, b):
        h = CompiledRecurrence.forward_graph(a, b)
        ctx.save_for_backward(a, h)
        return h

    @staticmethod
    def backward(ctx, weights):
        return CompiledRecurrence.backward_graph(*ctx.saved_tensors, weights)


def recurrence_case(options):
    """associative_scan's own gradient takes memory for each pair of steps, so that the peer's is written out."""
    import scanrt.torch as differentiable

    side = sizes(options)["side"]
    shape = side // 4, side
    a = random_floats(options, *shape).requires_grad_()
    b, weights = random_floats(options, *shape).requires_grad_(), random_floats(options, *shape)
    host = [x.detach().cpu() for x in (a, b, weights)]
    CompiledRecurrence.compile()
    calls = {
        "scanrt": lambda: with_gradients(differentiable.linear_recurrence, (a, b), weights),
        "torch": lambda: with_gradients(CompiledRecurrence.apply, (a, b), weights),
    }

    def own():
        inputs = host[0].requires_grad_(), host[1].requires_grad_()
        return with_gradients(differentiable.linear_recurrence, inputs, host[2])

    for got, expected in zip(calls["scanrt"](), calls["torch"]()):
        torch.testing.assert_close(got, expected, rtol=1e-3, atol=1e-3)
    return Case(f"recurrence f32 {shape[0]} x {shape[1]}, both passes", calls, own, False, options.reruns)


def host_cost(options):
    """Microseconds that the host takes for a call that only enqueues, on an idle device."""
    x = torch.rand(1024, device=f"cuda:{options.device}")
    out = torch.empty_like(x)
    wide = torch.rand(64, 64, device=f"cuda:{options.device}")
    c = as_cupy(x)
    keep, count = x > 0.5, torch.empty(1, dtype=torch.int64, device=x.device)
    calls = {
        "scanrt.cumsum(tensor)": lambda: scanrt.cumsum(x),
        "scanrt.scan(tensor)": lambda: scanrt.scan(x),
        "scanrt.scan(tensor, out=)": lambda: scanrt.scan(x, out=out),
        "scanrt.cumsum(matrix, 0)": lambda: scanrt.cumsum(wide, 0),
        "torch.cumsum": lambda: torch.cumsum(x, 0),
        "scanrt.select(out=, count=)": lambda: scanrt.select(x, keep, out=out, count=count),
        "scanrt.sort(tensor)": lambda: scanrt.sort(x),
    }
    if cupy:
        calls |= {"scanrt.cumsum(CuPy)": lambda: scanrt.cumsum(c), "cupy.cumsum": lambda: cupy.cumsum(c)}
    found = {}
    for who, call in calls.items():
        rounds = []
        for _ in range(15):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(200):
                call()
            rounds.append((time.perf_counter() - begin) / 200 * 1e6)
        torch.cuda.synchronize()
        found[who] = statistics.median(rounds)
    return found


def beside_tool(options):
    """Microseconds of the package's scan of 2^28 f32 and of that of `scanrt bench`, in turn."""
    n = sizes(options)["2^28"]
    x = torch.rand(n, device=f"cuda:{options.device}")
    out = torch.empty_like(x)
    own, tool = [], []
    for _ in range(3):
        by_events(lambda: scanrt.scan(x, out=out), 3)
        own.append(statistics.median(by_events(lambda: scanrt.scan(x, out=out), 10) * 1e3 for _ in range(9)))
        command = [
            options.tool,
            "bench",
            "--device",
            options.name,
            "--type",
            "f32",
            "--n",
            str(n),
            "--no-peers",
            "--json",
        ]
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows = [row for row in report["rows"] if row["role"] == "scan"]
        tool.append(rows[0]["median_us"])
    return {"package_us": own, "tool_us": tool, "package_over_tool": statistics.median(own) / statistics.median(tool)}


def show(row):
    times = "  ".join(f"{who} {ms:9.4f}" for who, ms in row["median_ms"].items())
    factors = "  ".join(f"{who} {factor:6.2f}x" for who, factor in row["times"].items())
    differ = "  ".join(f"{who} {count}" for who, count in row["reruns_that_differ"].items())
    print(
        f"{row['case']:34} ms: {times}  | {factors}  | reruns that differ: {differ}  | equals host: "
        f"{row['equals_host']}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=int, default=0, help="number of the CUDA device")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=5, help="calls a round")
    parser.add_argument("--reruns", type=int, default=20, help="runs whose bits are compared with a first one's")
    parser.add_argument("--scale", type=int, default=1, help="sizes are divided by this")
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument("--torch", action="store_true", help="only the cases with gradients")
    parser.add_argument("--tool", help="the program scanrt, to compare with its bench")
    parser.add_argument("--json", help="file for all figures")
    options = parser.parse_args()
    torch.cuda.set_device(options.device)
    options.name = f"cuda:{options.device}"
    options.generator = torch.Generator(options.name).manual_seed(7)
    report = {
        "device": torch.cuda.get_device_name(options.device),
        "torch": torch.__version__,
        "cupy": cupy.__version__ if cupy else None,
        "scanrt": scanrt.__version__,
        "scale": options.scale,
        "python": sys.version.split()[0],
        "rounds": options.rounds,
        "rows": [],
    }
    print(", ".join(f"{key} {report[key]}" for key in ("device", "torch", "cupy", "scanrt", "python")))
    ok = True
    families = (gradients,) if options.torch else (sums, segments, compactions, sorts)
    for case in (case for family in families for case in family(options)):
        if options.only in case.name:
            row = case.run(options.rounds, options.repeats)
            show(row)
            report["rows"].append(row)
            ok = ok and row["equals_host"] and row["reruns_that_differ"]["scanrt"] == 0
    if options.only in "host cost" and not options.torch:
        report["host_us"] = host_cost(options)
        for who, us in report["host_us"].items():
            print(f"{who:34} {us:7.2f} us of the host a call")
    if options.tool:
        report["tool"] = beside_tool(options)
        print("beside scanrt bench:", report["tool"])
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    sys.exit(0 if ok else "scanrt's results differ from run to run, or from the host's")


if __name__ == "__main__":
    main()
