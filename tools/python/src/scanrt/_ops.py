# SPDX-License-Identifier: BSD-2-Clause
"""Operators, predicates and bucket functions from C source, and the composites of the library.

OpenCL and NVRTC compile the text for devices. For the host a C compiler of the machine compiles the same text on first
use.
"""

from __future__ import annotations

import ctypes
import itertools
from ctypes import addressof, byref
from collections.abc import Sequence
from typing import Any

from . import _structs as c
from ._checks import count_of, text_given
from ._errors import InvalidArgument
from ._host_compiler import compile_for_host
from ._library import lib, text_of
from ._values import buffer_of, number_bytes, packed_element

_C_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "uint16": "uint16_t",
    "int32": "int32_t",
    "uint32": "uint32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
    "float32": "float",
    "float64": "double",
}


def value_bytes(op, value, name):
    """A value as the library reads it: an element of an Op, or a number of the dtype `name`."""
    if isinstance(op, Op):
        return buffer_of(packed_element(value, op.dtype))
    return number_bytes(value, name)


class _Side:
    """A type of the text, with its NumPy dtype."""

    def __init__(self, dtype, name, what):
        import numpy

        try:
            self.dtype = numpy.dtype(dtype)
        except (TypeError, ValueError) as fault:
            raise InvalidArgument(f"{dtype!r} is no dtype: {fault}") from None
        self.name = name or _C_TYPES.get(self.dtype.name)
        if self.name is None:
            raise InvalidArgument(f"the C type of {self.dtype} is not known: name it as the text does ({what}=)")
        self.bytes = self.dtype.itemsize
        # A packed structured dtype has no alignment of its own; only align=True gives the layout of C's structs.
        if self.dtype.fields and not self.dtype.isalignedstruct:
            raise InvalidArgument(f"{self.dtype} may have no padding where C has some: make it with align=True")
        self.align = self.dtype.alignment
        self.key = self.name, self.bytes, self.align


class _Members:
    """The members of a struct that lie in arrays of their own, in the order of the arrays."""

    def __init__(self, side, members, what):
        self.dtypes, rows = [], []
        for member in members:
            name, shift = member if isinstance(member, tuple) else (member, 0)
            if not side.dtype.fields or name not in side.dtype.fields:
                raise InvalidArgument(f"{what} names {name!r}, which is no field of {side.dtype}")
            dtype, offset = side.dtype.fields[name][:2]
            self.dtypes.append(dtype)
            rows.append((offset, dtype.itemsize, shift))
        if len(rows) > c.MOST_MEMBERS:
            raise InvalidArgument(f"{what} names {len(rows)} fields, and a struct has up to {c.MOST_MEMBERS} in arrays")
        self.key = tuple(rows)
        self.array = (c.OpMember * max(1, len(rows)))(*[c.OpMember(*row) for row in rows])

    def __len__(self):
        return len(self.dtypes)


class _Source:
    """A source that is compiled once for each context that uses it."""

    def handle(self, context):
        """The scan_op of a context, created on first use and kept as long as the context."""
        found = context.operators.get(self._key)
        if found is None:
            found = ctypes.c_void_p()
            source, keeps = self._source(context.is_host)
            context.call(self._create, source, byref(found))
            del keeps
            found = context.operators[self._key] = found.value
        return found


def _fill(struct_, keeps, **texts):
    for field, text in texts.items():
        if text is not None:
            data = ctypes.create_string_buffer(text.encode())
            keeps.append(data)
            setattr(struct_, field, addressof(data))


class Op(_Source):
    """An operator on elements of a user-defined type, for `scan`, `reduce` and `reduce_by_key`. Create it with `Op.from_source`
    or `Op.composite`. It must be associative, and need not be commutative."""

    _create = staticmethod(lib.scan_op_create)

    def __init__(self):
        self.dtype = self.input_dtype = self.output_dtype = None
        self.input_bytes = self.output_bytes = 0
        self.input_members = self.output_members = ()
        self._key = self._source = None

    @classmethod
    def from_source(
        cls,
        text: str,
        combine: str,
        dtype: Any,
        *,
        type: str | None = None,
        identity: Any = None,
        map: str | None = None,
        input_dtype: Any = None,
        input_type: str | None = None,
        emit: str | None = None,
        output_dtype: Any = None,
        output_type: str | None = None,
        input_members: Sequence[str | tuple[str, int]] = (),
        output_members: Sequence[str] = (),
    ) -> Op:
        """An operator from C source.

        Args:
            text: C that defines the element type (unless it is a number) and the functions, as scan_op.h says.
            combine: the name of `value combine(value a, value b)`, where a precedes b.
            dtype: NumPy dtype of an element, 1 to 64 bytes; structured ones with align=True.
            type: the element type's name in the text; numbers have theirs ("float", "int32_t").
            identity: an element that combine leaves others unchanged by: the start of exclusive scans without
                `initial`.
            map: the name of `value map(input x, uint64_t index)`, which converts an array element of input_dtype
                (input_type in the text) to a value.
            emit: the name of `output emit(value inclusive, value exclusive, input x, uint64_t index)`, which computes
                the stored result, of output_dtype (output_type in the text).
            input_members: fields of the input's dtype that lie in arrays of their own: `scan` takes a tuple of arrays,
                in this order. (name, shift) reads the element `shift` places further along the axis; outside of the
                line there are zeros.
            output_members: fields of the output's dtype for which `scan` returns an array each.

        A NumPy array has items of these dtypes. In arrays of numbers, such as PyTorch's tensors, the last axes form one
        element: a tensor (n, 2) of float32 is n elements of 8 bytes.

        For the host the text is compiled on first use, by $CC or cc, gcc or clang.
        """
        self = cls()
        text_given(text, "text"), text_given(combine, "combine")
        value = _Side(dtype, type, "type")
        taken = _Side(input_dtype, input_type, "input_type") if input_dtype is not None else value
        given = _Side(output_dtype, output_type, "output_type") if output_dtype is not None else value
        if taken is not value and map is None:
            raise InvalidArgument("input_dtype= goes with map=, which makes elements of it")
        if given is not value and emit is None:
            raise InvalidArgument("output_dtype= goes with emit=, which makes it of elements")
        self.dtype, self.input_dtype, self.output_dtype = value.dtype, taken.dtype, given.dtype
        self.input_bytes, self.output_bytes = taken.bytes, given.bytes
        if input_members:
            self.input_members = _Members(taken, input_members, "input_members")
            self.input_bytes = self.input_members.dtypes[0].itemsize
        if output_members:
            self.output_members = _Members(given, output_members, "output_members")
            self.output_bytes = self.output_members.dtypes[0].itemsize
        members = {"input": self.input_members, "output": self.output_members}
        start = None if identity is None else packed_element(identity, value.dtype)
        self._key = (text, combine, value.key, map, taken.key, emit, given.key, start)
        self._key += tuple(m.key if m else () for m in members.values())

        def source(is_host):
            made, keeps = c.OpSource(value_bytes=value.bytes, value_align=value.align), []
            _fill(
                made,
                keeps,
                text=text,
                type=value.name,
                combine=combine,
                map=map,
                emit=emit,
                input_type=taken.name if taken is not value else None,
                output_type=given.name if given is not value else None,
            )
            if start is not None:
                keeps.append(buffer_of(start))
                made.identity = addressof(keeps[-1])
            if taken is not value:
                made.input_bytes, made.input_align = taken.bytes, taken.align
            if given is not value:
                made.output_bytes, made.output_align = given.bytes, given.align
            for what, listed in members.items():
                if listed:
                    setattr(made, f"{what}_members", addressof(listed.array))
                    setattr(made, f"{what}_member_count", len(listed))
            if is_host:
                lines = [f"SCAN_OP_HOST(own_combine, {value.name}, {combine});"]
                sets = ["s->host = own_combine;", "s->loops = &own_combine_loops;"]
                if map is not None:
                    lines.append(f"SCAN_MAP_HOST(own_map, {taken.name}, {value.name}, {map});")
                    sets += ["s->map_host = own_map;", "s->map_loop = own_map_loop;"]
                if emit is not None:
                    lines.append(f"SCAN_EMIT_HOST(own_emit, {value.name}, {taken.name}, {given.name}, {emit});")
                    sets += ["s->emit_host = own_emit;", "s->emit_loop = own_emit_loop;"]
                compile_for_host("scan_op", "scan_op_source", text, lines, sets, made)
            return byref(made), keeps

        self._source = source
        return self

    @classmethod
    def composite(cls, name: str) -> Op:
        """A composite of scan_composite.h by its name: "affine_f32", "argmin_i64", "logsumexp_f64", "compensated_f32",
        "matrix2_f64", "complex_f32", "sum_i128", ... Its dtype is `op.dtype`. The host needs no compiler for it.
        """
        which = ctypes.c_int()
        text_given(name, "the composite's name")
        if lib.scan_composite_parse(ctypes.create_string_buffer(name.encode()), byref(which)):
            names = [
                text_of(facts.contents.name)
                for facts in itertools.takewhile(bool, map(lib.scan_composite_get, itertools.count(1)))
            ]
            raise InvalidArgument(f"there is no composite {name!r}: give one of {', '.join(names)}")
        self = cls()
        self.dtype = self.input_dtype = self.output_dtype = _composite_dtype(name)
        self.input_bytes = self.output_bytes = lib.scan_composite_get(which.value).contents.value_bytes
        if name.startswith("wide_sum"):
            self.input_dtype, self.input_bytes = self.dtype["high"], 8
        self._key = name
        self._create = lib.scan_composite_create
        self._source = lambda is_host: (which.value, [])
        return self

    def new_output(self, adapter, x, shape=None):
        """A new array for results of x, with this operator's output dtype. shape: that of its elements; None: x's."""
        whole, size = tuple(adapter.layout(x)[2]), adapter.item_bytes(x)
        outer = whole
        while size < self.input_bytes and outer:
            size, outer = size * outer[-1], outer[:-1]
        shape = outer if shape is None else shape
        if self.input_dtype == self.output_dtype:
            return adapter.empty_of(x, shape + whole[len(outer) :])
        if adapter.library == "NumPy":
            return adapter.numpy.empty(shape, self.output_dtype)
        if self.output_dtype.name in c.TYPES:
            return adapter.empty(x, shape, self.output_dtype.name)
        raise InvalidArgument(f"new arrays of {self.output_dtype} are made of NumPy's arrays alone: give out=")


_FIELDS = {
    "affine": ("a", "b"),
    "complex": ("re", "im"),
    "complex_sum": ("re", "im"),
    "logsumexp": ("max", "sum"),
    "compensated": ("high", "low"),
}
_ARITHMETIC = {"f32": "f4", "f64": "f8", "u32": "u4", "i32": "i4", "i64": "i8"}


def _composite_dtype(name):
    """The NumPy dtype of a composite's element, with the field names of its struct."""
    import numpy

    family, _, kind = name.rpartition("_")
    if kind.endswith("128") or family == "wide_sum":
        return numpy.dtype([("low", "u8"), ("high", kind[0] + "8")], align=True)
    number = _ARITHMETIC[kind]
    if family.startswith("matrix"):
        return numpy.dtype([("m", number, (int(family[-1]) ** 2,))], align=True)
    if family.startswith("arg"):
        return numpy.dtype([("value", number), ("index", "u" + number[1])], align=True)
    return numpy.dtype([(field, number) for field in _FIELDS[family]], align=True)


class _Function(_Source):
    """A function of elements, with optional parameters: the base of predicates and bucket functions."""

    def __init__(self, text, name, dtype, type, params_dtype, params_type, **more):
        text_given(text, "text"), text_given(name, "the function's name")
        element = _Side(dtype, type, "type")
        params = _Side(params_dtype, params_type, "params_type") if params_dtype is not None else None
        self.dtype, self.element_bytes = element.dtype, element.bytes
        self.params_dtype = params.dtype if params else None
        self._key = (text, name, element.key, params and params.key, *more.values())

        def source(is_host):
            made, keeps = self._struct(element_bytes=element.bytes, element_align=element.align, **more), []
            texts = {"text": text, "type": element.name, self._field: name, "params_type": params and params.name}
            _fill(made, keeps, **texts)
            if params:
                made.params_bytes, made.params_align = params.bytes, params.align
            if is_host:
                types = f"{element.name}, {params.name}" if params else element.name
                macro = f"SCAN_{self._macro()}{'_PARAMS' if params else ''}_HOST"
                lines, sets = [f"{macro}(own, {types}, {name});"], ["s->host = own;"]
                compile_for_host(self._header, self._c_name, text, lines, sets, made)
            return byref(made), keeps

        self._source = source


class Predicate(_Function):
    """Decides which elements `select` and `partition` keep. Create one with `Predicate.from_source`."""

    _create = staticmethod(lib.scan_predicate_create)
    _struct, _c_name, _field, _header = c.PredicateSource, "scan_predicate_source", "keep", "scan_select"

    def _macro(self):
        return "SAME" if self.is_pair else "KEEP"

    @classmethod
    def from_source(
        cls,
        text: str,
        keep: str,
        dtype: Any,
        *,
        type: str | None = None,
        params_dtype: Any = None,
        params_type: str | None = None,
        is_pair: bool = False,
    ) -> Predicate:
        """A predicate from C source.

        Args:
            text: C that defines `int keep(element x, uint64_t index)`, optionally with a third parameter of
                params_dtype (params_type in the text), whose value is given in each call. A nonzero result keeps the
                element.
            dtype: NumPy dtype of an element (type: its name in the text), as in `Op.from_source`.
            is_pair: defines `int same(element before, element x)` instead, which is nonzero if two neighbours are in
                one run, for `unique_consecutive`.
        """
        self = cls(text, keep, dtype, type, params_dtype, params_type, is_pair=is_pair)
        self.is_pair = is_pair
        return self


class Bucket(_Function):
    """Computes the bucket of each element, for `split` and `histogram`. Create one with `Bucket.from_source`."""

    _create = staticmethod(lib.scan_bucket_create)
    _struct, _c_name, _field, _header = c.BucketSource, "scan_bucket_source", "bucket", "scan_split"

    def _macro(self):
        return "BUCKET"

    @classmethod
    def from_source(
        cls,
        text: str,
        bucket: str,
        dtype: Any,
        buckets: int,
        *,
        type: str | None = None,
        params_dtype: Any = None,
        params_type: str | None = None,
    ) -> Bucket:
        """A bucket function from C source.

        Args:
            text: C that defines `uint32_t bucket(element x, uint64_t index)`, optionally with a third parameter, as for
                predicates.
            buckets: number of buckets, 1 to 256; larger results count as the last bucket.
            dtype, type, params_dtype, params_type: as in `Predicate.from_source`.
        """
        self = cls(text, bucket, dtype, type, params_dtype, params_type)
        self.buckets = count_of(buckets, "buckets", 256)
        return self


def params_of(function, params):
    """The parameters of a predicate or bucket function as bytes; None: it has none."""
    if function.params_dtype is None:
        if params is not None:
            raise InvalidArgument("the function takes no parameters, and params= is given")
        return None
    if params is None:
        raise InvalidArgument("the function takes parameters: give params=")
    return buffer_of(packed_element(params, function.params_dtype))
