# SPDX-License-Identifier: BSD-2-Clause
"""Scans, and NumPy's names for them."""

from __future__ import annotations

from ctypes import addressof
from typing import Any

from . import _structs as c
from ._arrays import array_of, is_packed, items_of, mem_of
from ._call import Side, axis_of, check_out, prepare, spec_of
from ._checks import index_of
from ._complex import scan_complex
from ._contexts import on_fork
from ._dtypes import COMPLEX, carry_bytes, check_defined, convertible, dtype_name, dtypes_of, sum_name
from ._errors import InvalidArgument
from ._memory import Clamp
from ._ops import Op
from ._segments import Segments, marks_of
from ._typing import A, Array, Builtin, DType

MOST_CALLS = 1024  # prepared calls kept
_calls: dict[Any, Any] = {}
on_fork.append(_calls.clear)


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
    n: Array | Clamp | None = None,
    strategy: str = "auto",
) -> A:
    """Prefix scan along an axis: out[i] = x[0] op ... op x[i].

    Args:
        x: array of any shape and strides, of NumPy, CuPy, PyTorch or pyopencl, or anything with
            `__cuda_array_interface__` or DLPack. dtypes: bool, int8 to uint64, float16, bfloat16, float32, float64;
            complex64 and complex128 with "add" and "mul". It is read in place, without a copy.
            For an `Op` with input_members a tuple of arrays of one shape, all but the first in C order.
        op: "add", "mul", "min", "max"; for integers also "and", "or", "xor"; or an `Op`.
        axis: the axis to scan along; None: the array flattened in C order.
        exclusive: out[i] covers x[0] to x[i - 1], and out[0] is `initial`, or the operator's identity.
        reverse: scans from the last element to the first: out[i] covers x[i] to x[-1].
        out: array for the results, of x's shape on the same device and stream; it may be x. None: a new array. As in
            NumPy results are computed in the dtype that holds both x's and out's, and finally converted to out's.
        segments: a `Segments`, or an array of bools, true where a segment begins. Each segment is scanned by itself.
        dtype: of the results, as a name or a dtype of x's library; default: x's, but int64 for sums and products of
            bools. Sums widen: bool and int8 to int32 or int64, uint8 to uint32 or uint64, int32 to int64, uint32 to
            uint64, float32 to float64, float16 and bfloat16 to float32. For other pairs x is converted first.
        initial: a value from which each line and segment begins. For integers a whole number that the dtype holds.
        check_overflow: for integers: raises `Overflow` if a sum or product overflows the dtype; on devices
            `synchronize` raises it.
        carry_in, carry_out: arrays of one value on the same device, of the results' dtype (float32 for 16-bit results,
            an element for an Op). The scan begins from carry_in instead of `initial`, and writes carry_out, from which
            the next piece of a long scan begins, without waiting in between. For arrays with one axis. Both may be one
            array.
        n: array of one uint64 or int64 on the same device, such as a count of `select`: the first n elements are
            scanned, and no other element of out is written. For arrays with one axis. As in `select`.
        strategy: the strategy, as in scan_types.h; results are the same.

    Returns:
        out, or a new array of x's shape; a tuple of them for an `Op` with several output_members. On a device the call returns when the work is enqueued on the current stream
        or on the array's queue.

    Raises:
        ScanError: with the library's sentence; InvalidArgument also is a ValueError, Unsupported a NotImplementedError,
            OutOfMemory a MemoryError, Overflow an OverflowError.
    """
    if isinstance(x, tuple) or (isinstance(op, Op) and (op.input_members or op.output_members)):
        if check_overflow or any(given is not None for given in (dtype, carry_in, carry_out, n)):
            raise InvalidArgument("several arrays go without dtype=, check_overflow=, carry_in=, carry_out= and n=")
        return scan_members(x, op, axis, exclusive, reverse, out, segments, initial, strategy)
    options = (op, axis, exclusive, reverse, dtype, check_overflow, strategy, False)
    extras = NO_EXTRAS if carry_in is None and carry_out is None and n is None else (carry_in, carry_out, n)
    return _scan(x, out, segments, initial, options, extras)


NO_EXTRAS = None, None, None  # carry_in, carry_out, n


def _scan(x, out, segments, initial, options, extras=NO_EXTRAS):
    """Scans. options are (op, axis, exclusive, reverse, dtype, check_overflow, strategy, sums); with `sums` results
    have the dtype that NumPy and PyTorch give sums. extras: carry_in, carry_out, n."""
    if options[1] is not None and type(options[1]) is not int:  # such as 1.0, which would match 1 below
        options = (options[0], index_of(options[1], "axis"), *options[2:])
    adapter, x = array_of(x)
    layout = adapter.layout(x)
    if len(layout[2]) != 1 and (options[1] is None or not layout[2]):
        x = adapter.flat(x)
        layout = adapter.layout(x)
    out_layout = None if out is None else check_out(adapter, layout, out)
    key = None
    if segments is None and initial is None and extras is NO_EXTRAS:
        # The short way: prepared calls for known layouts.
        key = (adapter, layout, out_layout, options)
        try:
            found = _calls.get(key)
        except TypeError:  # an argument without a hash, which is refused below
            key = found = None
        if found is not None:
            call, name = found
            if out is None:
                out = adapter.empty_like(x, name)
            call(adapter.fill, x, out, None)
            return out
    return _scan_new(adapter, x, layout, out, out_layout, segments, initial, options, extras, key)


def _scan_new(adapter, x, layout, out, out_layout, segments, initial, options, extras, key):
    """Prepares and runs a scan. key: of the prepared call; None: it is not kept."""
    op, axis, exclusive, reverse, dtype, check_overflow, strategy, sums = options
    place, own_dtype, shape, _ = layout
    axis = 0 if axis is None else axis
    if isinstance(op, Op):
        if dtype is not None or check_overflow:
            raise InvalidArgument("dtype= and check_overflow= are not for an operator from source, which has its types")
        in_name = name = ""
        in_bytes, out_bytes = op.input_bytes, op.output_bytes
        key = None
        if out is None:
            out = op.new_output(adapter, x)
    else:
        types = dtypes_of(adapter, op, own_dtype, dtype, out_layout, sums)
        in_name, name = types.source, types.result
        in_bytes = out_bytes = None
        axis = axis_of(axis, len(shape))
        if out is not None and tuple(out_layout[2]) != tuple(shape):
            raise InvalidArgument(f"out has the shape {tuple(out_layout[2])}, and the input {tuple(shape)}")
        if types.out != name or in_name in COMPLEX or name in COMPLEX:
            return _scan_indirect(adapter, x, out, types, segments, initial, (op, axis, *options[2:]), extras)
        if convertible(op, in_name, name):
            # As in NumPy; if the results are new, the converted array is scanned in place.
            x, key, in_name = adapter.cast(x, name), None, name
            out = x if out is None else out
        check_defined(op, in_name, name)
        if out is None:
            out = adapter.empty_like(x, name)
    if items_of(shape) == 0 and extras[0] is None and extras[1] is None:
        return out
    context = adapter.context(place)
    taken, given = Side(adapter, x, in_bytes), Side(adapter, out, out_bytes)
    marks, described = marks_of(segments, adapter, place, taken.shape)
    kind = c.EXCLUSIVE if exclusive else c.INCLUSIVE
    spec, keeps = spec_of(op, in_name, name, kind, reverse, check_overflow, initial, strategy, context)
    n = _number_of(adapter, layout, extras[2], spec)
    call = prepare(context, spec, keeps, axis, taken, given, described)
    if n is not None:
        call.args.n_from = n
    for field, carry in zip(("carry_in", "carry_out"), extras):
        if carry is not None:
            value_bytes = carry_bytes(name) if name else op.dtype.itemsize
            setattr(call.args, field, carry_of(adapter, layout, carry, field, value_bytes))
    call(adapter.fill, x, out, marks)
    if key is not None:
        if len(_calls) >= MOST_CALLS:
            _calls.clear()
        _calls[key] = call, name if name != in_name else None
    return out


def scan_members(x, op, axis, exclusive, reverse, out, segments, initial, strategy):
    """A scan by an Op with members in arrays of their own. x, out: tuples, or the only array."""
    if not isinstance(op, Op):
        raise InvalidArgument("a tuple of arrays is for an Op with input_members")
    xs, outs = x if isinstance(x, tuple) else (x,), out if isinstance(out, tuple) else (out,)
    wanted, given = max(1, len(op.input_members)), max(1, len(op.output_members))
    if out is None:
        outs = (None,) * given
    if len(xs) != wanted or len(outs) != given:
        raise InvalidArgument(f"the operator reads {wanted} arrays and writes {given}, not {len(xs)} and {len(outs)}")
    adapter, first = array_of(xs[0])
    layout = adapter.layout(first)
    if out is None and not op.output_members:
        outs = (op.new_output(adapter, first),)
    elif out is None:
        outs = tuple(adapter.empty(first, tuple(layout[2]), dtype.name) for dtype in op.output_members.dtypes)
    if out is not None:
        check_out(adapter, layout, outs[0])
    sides = [Side(adapter, y, bytes_) for y, bytes_ in zip((first, outs[0]), (op.input_bytes, op.output_bytes))]
    if items_of(sides[0].shape) == 0:
        return outs if given > 1 else outs[0]
    context = adapter.context(layout[0])
    marks, described = marks_of(segments, adapter, layout[0], sides[0].shape)
    kind = c.EXCLUSIVE if exclusive else c.INCLUSIVE
    spec, keeps = spec_of(op, "", "", kind, reverse, False, initial, strategy, context)
    call = prepare(context, spec, keeps, axis, *sides, described)
    for field, arrays, members in ("more_in", xs, op.input_members), ("more_out", outs, op.output_members):
        if len(arrays) > 1:
            if field == "more_out" and out is not None:
                for y in arrays:
                    check_out(adapter, layout, y)
            own = [_member_of(adapter, layout, y, m.itemsize, sides[0]) for y, m in zip(arrays[1:], members.dtypes[1:])]
            keeps.append((c.Mem * len(own))(*own))
            setattr(call.args, field, addressof(keeps[-1]))
    call(adapter.fill, first, outs[0], marks)
    return outs if given > 1 else outs[0]


def _member_of(adapter, layout, y, item_bytes, side):
    """The memory of an array of a member."""
    other, same = array_of(y)
    if other is not adapter or adapter.layout(same)[0] != layout[0]:
        raise InvalidArgument(f"the arrays of members are of one library, {adapter.library}, on one device and stream")
    y, shape = same, adapter.layout(same)[2]
    if tuple(shape) != side.shape or adapter.item_bytes(y) != item_bytes:
        raise InvalidArgument(
            f"an array of a member has the shape {tuple(shape)} and items of {adapter.item_bytes(y)} bytes: give one of "
            f"the shape {side.shape} with {item_bytes} bytes an item"
        )
    if not is_packed(tuple(shape), adapter.byte_strides(y), item_bytes):
        raise InvalidArgument("the arrays of members but the first are read in C order: give arrays without gaps")
    return mem_of(adapter, adapter.context(layout[0]), shape, y)


def _scan_indirect(adapter, x, out, types, segments, initial, options, extras):
    """A scan whose results are finally converted to out's dtype, or a scan of complex numbers."""
    op, axis, exclusive, reverse, _, check_overflow, strategy, _ = options
    if extras is not NO_EXTRAS:
        raise InvalidArgument(
            "carry_in=, carry_out= and n= are not for complex numbers"
            if types.out == types.result
            else f"carry_in=, carry_out= and n= take no out= of dtype {types.out}: results are of {types.result}"
        )
    if types.out != types.result:
        options = (op, axis, exclusive, reverse, types.result, check_overflow, strategy, False)
        adapter.assign(out, _scan(x, None, segments, initial, options))
        return out
    if check_overflow:
        raise InvalidArgument("check_overflow= is for integers, not for complex numbers")

    def run(part_op, part, part_out, start):
        return _scan(part, part_out, segments, start, (part_op, axis, exclusive, reverse, None, False, strategy, False))

    out = adapter.empty_like(x, types.result) if out is None else out
    return scan_complex(adapter, x, out, types, op, initial, segments, run)


def _number_of(adapter, layout, n, spec):
    """The memory of `n`, and the flags that read it; None: n is not given."""
    if n is None:
        return None
    spec.flags |= c.N_FROM
    if isinstance(n, Clamp):
        spec.flags |= c.N_FROM_CLAMP
        n = n.array
    _, dtype, shape, _ = check_out(adapter, layout, n, "n")
    if adapter.name(dtype) not in ("int64", "uint64") or items_of(shape) != 1:
        raise InvalidArgument("n is an array of one uint64 or int64, such as a count")
    return mem_of(adapter, adapter.context(layout[0]), shape, n)


def carry_of(adapter, layout, carry, what, value_bytes):
    """The memory of a carry, which is one value."""
    _, _, shape, _ = check_out(adapter, layout, carry, what)
    if items_of(shape) * adapter.item_bytes(carry) != value_bytes:
        raise InvalidArgument(f"{what} must be one value of {value_bytes} bytes")
    return mem_of(adapter, adapter.context(layout[0]), shape, carry)


# ---- NumPy's names ---------------------------------------------------------------------------------------------------


def cumsum(a: A, axis: int | None = None, dtype: DType | None = None, out: A | None = None) -> A:
    """Cumulative sum, as numpy.cumsum. Integers smaller than int64 become int64 (uint64) unless dtype or out is given.
    axis None: the array is flattened.

    For float16 and bfloat16 the sum is kept in float32, and each result is rounded. Floating-point results have the
    same bits on every device and in every run.
    """
    return _scan(a, out, None, None, ("add", axis, False, False, dtype, False, "auto", True))


def cumprod(a: A, axis: int | None = None, dtype: DType | None = None, out: A | None = None) -> A:
    """Cumulative product, as numpy.cumprod. dtypes as in `cumsum`."""
    return _scan(a, out, None, None, ("mul", axis, False, False, dtype, False, "auto", True))


def cummax(a: A, axis: int | None = None, out: A | None = None) -> A:
    """Cumulative maximum, as numpy.maximum.accumulate, but axis is None by default, as in `cumsum`. After a NaN all
    results are NaN."""
    return scan(a, "max", axis, out=out)


def cummin(a: A, axis: int | None = None, out: A | None = None) -> A:
    """Cumulative minimum, as numpy.minimum.accumulate, but axis is None by default, as in `cumsum`. After a NaN all
    results are NaN."""
    return scan(a, "min", axis, out=out)


def _cumulative(op, x, axis, dtype, out, include_initial):
    adapter, x = array_of(x)
    shape = adapter.layout(x)[2]
    if axis is None:
        if len(shape) > 1:
            raise InvalidArgument(f"the array has {len(shape)} axes: name the one to scan along (axis=)")
        axis = 0
    if not include_initial:
        return _scan(x, out, None, None, (op, axis, False, False, dtype, False, "auto", True))
    axis = axis_of(axis, len(shape))
    longer = tuple(size + (a == axis) for a, size in enumerate(shape))
    if out is None:
        name = adapter.name(adapter.layout(x)[1])
        name = sum_name(adapter, name) if dtype is None else dtype_name(adapter, dtype)
        out = adapter.empty(x, longer, name)
    elif tuple(check_out(adapter, adapter.layout(x), out)[2]) != longer:
        raise InvalidArgument(f"out must have the shape {longer}: one more than the input along the axis")
    before = (slice(None),) * axis
    out[before + (slice(0, 1),)] = 0 if op == "add" else 1
    scan(x, op, axis, out=out[before + (slice(1, None),)], dtype=dtype)
    return out


def cumulative_sum(
    x: A, /, *, axis: int | None = None, dtype: DType | None = None, out: A | None = None, include_initial: bool = False
) -> A:
    """As numpy.cumulative_sum (the array API's). axis is required unless there is only one; include_initial adds a 0
    before each line."""
    return _cumulative("add", x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: A, /, *, axis: int | None = None, dtype: DType | None = None, out: A | None = None, include_initial: bool = False
) -> A:
    """As numpy.cumulative_prod. See `cumulative_sum`."""
    return _cumulative("mul", x, axis, dtype, out, include_initial)
