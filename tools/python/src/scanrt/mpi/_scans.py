# SPDX-License-Identifier: BSD-2-Clause
"""Scans and totals over the ranks."""

from __future__ import annotations

from ctypes import byref
from typing import Any

from .. import _structs as c
from .._arrays import array_of, items_of
from .._call import Side, axis_of, lines_of, spec_of
from .._dtypes import COMPLEX, carry_bytes, sum_name, typed_values
from .._errors import InvalidArgument, Unsupported
from .._memory import Place
from .._ops import Op
from .._scan import carry_of
from .._segments import Segments, marks_of
from .._typing import A, Array, Builtin, DType
from ._library import mpi
from ._ranks import Ranks


class _Scan:
    """A scan of this rank's part of the elements, or of its pieces of lines, in C's terms."""

    def __init__(self, x, op, axis, out, dtype, initial, *, kind, reverse=False, check_overflow=False, strategy="auto"):
        if isinstance(x, tuple):
            raise InvalidArgument("a scan over ranks takes one array: an Op without input_members")
        adapter, x = array_of(x)
        layout = adapter.layout(x)
        x = adapter.flat(x) if axis is None or not len(layout[2]) else x
        self.place = place = Place(x)
        self.context, self.kind, self.x = place.context, kind, x
        in_name, self.name = self._typed(op, out, dtype)
        self.value_bytes = carry_bytes(self.name) if self.name else op.dtype.itemsize
        if isinstance(op, Op) and (check_overflow or dtype is not None):
            raise InvalidArgument("dtype= and check_overflow= are not for an operator from source, which has its types")
        self.taken = taken = Side(adapter, self.x, op.input_bytes if isinstance(op, Op) else None)
        self.axis, self.shape = axis_of(0 if axis is None else axis, len(taken.shape)), taken.shape
        self.route = f" of {len(self.shape)} axes"
        self.out = self._output(op, taken) if out is None else out
        self.given = Side(adapter, self.out, op.output_bytes if isinstance(op, Op) else None)
        if kind == c.TOTAL and items_of(self.given.shape) != 1:
            raise InvalidArgument(f"out has the shape {self.given.shape}: give an array of one element")
        if kind != c.TOTAL and self.given.shape != self.shape:
            raise InvalidArgument(f"out has the shape {self.given.shape}, and the input {self.shape}")
        self.spec, self.keeps = spec_of(
            op, in_name, self.name, kind, reverse, check_overflow, initial, strategy, self.context
        )
        self.args = c.Args()
        if len(self.shape) == 1:
            self.x = place.take(self.x, "x")
            place.given(self.out, "out")
        self.args.in_, self.args.out = place.mem(self.x), place.mem(self.out)

    def _typed(self, op, out, dtype):
        """The names of the dtypes that are read and written; "" for an Op."""
        place = self.place
        if isinstance(op, Op):
            if op.input_members or op.output_members:
                raise InvalidArgument("a scan over ranks takes an Op that reads and writes one array each")
            return "", ""
        if place.name(self.x) in COMPLEX:
            raise Unsupported(
                "complex numbers are not scanned over ranks: give Op.composite('complex_sum_f32') or its like"
            )
        self.x, in_name, name = typed_values(place, op, self.x, dtype, out, "out")
        return in_name, name

    def _output(self, op, taken):
        adapter = self.place.adapter
        single = (1,) if adapter.library == "pyopencl" else ()
        shape = single if self.kind == c.TOTAL else taken.shape
        if isinstance(op, Op):
            return op.new_output(adapter, self.x, shape)
        return adapter.empty(self.x, shape, self.name)

    def marked(self, segments, carry_in, carry_out):
        """Sets segments and carries, which are for elements in one line."""
        layout = self.place.layout(self.x)
        if len(self.shape) != 1:
            if segments is not None or carry_in is not None or carry_out is not None:
                raise InvalidArgument("segments=, carry_in= and carry_out= are for arrays with one axis")
            return self
        marks, described = marks_of(segments, self.place.adapter, layout[0], self.shape, of_rank=True)
        self.spec.segments, self.spec.key_type, self.args.mark_count = described
        if marks is not None:
            self.args.marks = self.place.mem(marks)
        for field, carry in ("carry_in", carry_in), ("carry_out", carry_out):
            if carry is not None:
                setattr(self.args, field, carry_of(self.place.adapter, layout, carry, field, self.value_bytes))
        self.keeps.append((marks, carry_in, carry_out))
        return self

    def run(self, handle):
        if len(self.shape) == 1:
            handle.call(mpi.scan_mpi_run_args, byref(self.spec), self.shape[0], byref(self.args))
            return self.out
        lines = lines_of(self.axis, self.taken, self.given)
        handle.call(mpi.scan_mpi_run_array, byref(self.spec), byref(lines), self.args.in_, self.args.out)
        return self.out


def scan(
    x: A,
    op: Builtin | Op = "add",
    axis: int | None = -1,
    exclusive: bool = False,
    reverse: bool = False,
    out: A | None = None,
    segments: Segments | Array | None = None,
    *,
    dtype: DType | None = None,
    initial: Any = None,
    check_overflow: bool = False,
    carry_in: A | None = None,
    carry_out: A | None = None,
    strategy: str = "auto",
    comm: Any = None,
) -> A:
    """Prefix scan of the arrays of all ranks, joined along the axis in the ranks' order. The results have the bits
    of `scanrt.scan` of the whole on one device, whatever the number of ranks and their parts. Collective.

    Args:
        x: this rank's part, which may be empty. Arrays with several axes are joined along `axis`, and have the same
            lengths along the others on all ranks; they cross the network twice.
        axis: None: each rank's array is flattened.
        segments: a `Segments`, or flags, of this rank's elements. A rank's first element continues the segment that is
            open. Keys are compared with the last key of the rank before, too. Offsets are the indices of the elements
            that begin a segment, ascending, from 0 to the number of elements, which says that the next rank begins one.
        carry_in: of rank 0; those of other ranks are not read. carry_out: each rank that gives one gets the same.
        op, exclusive, reverse, out, dtype, initial, check_overflow, strategy: as in `scanrt.scan`, the same on all
            ranks, but for out. An Op needs an identity.
        comm: an intracommunicator of mpi4py's; None: MPI.COMM_WORLD.

    Returns:
        out, or a new array of x's shape: this rank's results. They are there when the call returns.

    Raises:
        ScanError: on all ranks, if one fails, with the number of that rank. `Overflow.index` counts the elements of all
            ranks.
    """
    kind = c.EXCLUSIVE if exclusive else c.INCLUSIVE
    options = {"kind": kind, "reverse": reverse, "check_overflow": check_overflow, "strategy": strategy}

    def prepare():
        return _Scan(x, op, axis, out, dtype, initial, **options).marked(segments, carry_in, carry_out)

    call, handle = Ranks(comm).enter("scan", prepare)
    return call.run(handle)


def cumsum(a: A, axis: int | None = None, dtype: DType | None = None, out: A | None = None, *, comm: Any = None) -> A:
    """Cumulative sum over all ranks, as `scanrt.cumsum` of the whole. Arguments as in `scan`. Collective."""

    def prepare():
        adapter, x = array_of(a)
        wide = sum_name(adapter, adapter.name(adapter.layout(x)[1])) if dtype is None and out is None else dtype
        return _Scan(x, "add", axis, out, wide or None, None, kind=c.INCLUSIVE)

    call, handle = Ranks(comm).enter("cumsum", prepare)
    return call.run(handle)


def reduce(
    x: A,
    op: Builtin | Op = "add",
    *,
    reverse: bool = False,
    dtype: DType | None = None,
    initial: Any = None,
    out: A | None = None,
    comm: Any = None,
) -> A:
    """Combines the elements of all ranks into one, which each rank gets: the bits of `scanrt.reduce` of the whole on
    one device. Collective.

    Args:
        x: this rank's part, flattened in C order.
        op, reverse, dtype, initial: as in `scan`. out: an array of one element.

    Returns:
        an array without axes (pyopencl: with one element).
    """
    options = {"kind": c.TOTAL, "reverse": reverse}
    call, handle = Ranks(comm).enter("reduce", lambda: _Scan(x, op, None, out, dtype, initial, **options))
    return call.run(handle)
