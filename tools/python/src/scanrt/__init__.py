# SPDX-License-Identifier: BSD-2-Clause
"""scanrt: prefix scans, compaction, runs of equal keys, sorts and splits on GPUs (CUDA, OpenCL) and hosts.

Every function takes arrays of NumPy (computed on the host), CuPy, PyTorch and pyopencl in place, without copies, and
enqueues on the current stream or the array's queue. Results have the same bits on every device, floating-point results
included.
"""

import importlib

from ._compact import Bits, flatnonzero, nonzero, partition, partition3, select, select_both, unique_consecutive
from ._containers import containers
from ._contexts import device, devices, version
from ._device import device_state_bytes, device_state_check, device_state_init, device_text
from ._errors import (
    BuildFailed,
    Cancelled,
    DeviceError,
    InvalidArgument,
    NoDevice,
    NoProgress,
    OutOfMemory,
    Overflow,
    ScanError,
    Unsupported,
)
from ._memory import Clamp
from ._ops import Bucket, Op, Predicate
from ._runs import reduce_by_key, run_length_encode, unique
from ._scan import cummax, cummin, cumprod, cumsum, cumulative_prod, cumulative_sum, scan
from ._segments import Segments
from ._sort import argsort, histogram, sort, sort_by_key, split
from ._stream import scan_stream
from ._totals import adjacent_difference, reduce, segment_reduce, synchronize

# Results of the first group correspond to the elements, and keep their labels.
for _names, _labels in (
    ("adjacent_difference cummax cummin cumprod cumsum cumulative_prod cumulative_sum scan scan_stream", True),
    ("argsort flatnonzero histogram nonzero partition partition3 reduce reduce_by_key run_length_encode select", False),
    ("segment_reduce select_both sort sort_by_key split unique unique_consecutive", False),
):
    for _name in _names.split():
        globals()[_name] = containers(labels=_labels)(globals()[_name])


def __getattr__(name):
    """Imports scanrt.torch, scanrt.jax and scanrt.mpi on first use."""
    if name in ("jax", "mpi", "torch"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = version()
__all__ = [
    "Bits",
    "Bucket",
    "BuildFailed",
    "Cancelled",
    "Clamp",
    "DeviceError",
    "InvalidArgument",
    "NoDevice",
    "NoProgress",
    "Op",
    "OutOfMemory",
    "Overflow",
    "Predicate",
    "ScanError",
    "Segments",
    "Unsupported",
    "adjacent_difference",
    "argsort",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "device",
    "device_state_bytes",
    "device_state_check",
    "device_state_init",
    "device_text",
    "devices",
    "flatnonzero",
    "histogram",
    "nonzero",
    "partition",
    "partition3",
    "reduce",
    "reduce_by_key",
    "run_length_encode",
    "scan",
    "scan_stream",
    "segment_reduce",
    "select",
    "select_both",
    "sort",
    "sort_by_key",
    "split",
    "synchronize",
    "unique",
    "unique_consecutive",
    "version",
]
