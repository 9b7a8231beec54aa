# SPDX-License-Identifier: BSD-2-Clause
"""Prepared calls of compactions: a call with arrays of known layouts is kept, and runs again on other memory."""

from __future__ import annotations

from ctypes import addressof
from typing import Any

from . import _structs as c
from ._arrays import array_of
from ._contexts import on_fork
from ._library import lib
from ._memory import head

MOST_CALLS = 1024  # prepared calls kept


class _Prepared:
    """A prepared compaction of one array, or to indices, by flags, for known layouts. Only the memory is given
    later."""

    __slots__ = ("context", "fills", "arguments", "keeps", "shape", "name")

    def __init__(self, call, shape, name):
        """call: a call that has run. shape, name: of new outputs."""
        args = c.SelectArgs.from_buffer_copy(call.args)
        self.context, self.shape, self.name = call.place.context, shape, name
        moved = args.in_[0] if call.spec.arrays else None
        self.fills = moved, args.marks, args.out[0], args.count
        self.keeps = call.spec, args
        self.arguments = self.context.handle, addressof(call.spec), call.n, addressof(args)

    def run(self, adapter, *arrays):
        with self.context.lock:
            for mem, x in zip(self.fills, arrays):
                if mem is not None:
                    adapter.fill(mem, x)
            status = lib.scan_select(*self.arguments)
            if status:
                self.context.fail(status)


_prepared: dict[Any, _Prepared] = {}
on_fork.append(_prepared.clear)


def key_of(what, x, marks, out, count):
    """The key of a compaction in the table of prepared calls, and the arrays' library; (None, None): not kept."""
    if isinstance(x, tuple):
        return None, None
    library, layouts = array_of(x)[0], []
    for array in (x, marks, out, count):
        adapter, same = (library, None) if array is None else array_of(array)
        if adapter is not library or same is not array:
            return None, None
        layouts.append(same if same is None else adapter.layout(same))
    return (library, what, out is x, *layouts), library


def run_prepared(key, adapter, x, marks, out, count):
    """The result of the prepared call with that key; None: there is none."""
    found = _prepared.get(key)
    if found is None:
        return None
    for given in out, count:
        if given is not None and not adapter.is_writable(given):
            return None  # the unprepared call words the error
    result = out
    if out is None:
        if count is not None:
            result = adapter.zeros(x, found.shape, found.name) if found.name else adapter.zeros_like(x)
        else:
            result = adapter.empty(x, found.shape, found.name) if found.name else adapter.empty_of(x, found.shape)
    total = adapter.empty(x, (1,), "int64") if count is None else count
    found.run(adapter, x, marks, result, total)
    return (result, count) if count is not None else head(adapter, result, adapter.item(total))


def keep_prepared(key, call, x, marks, shape, name):
    """Stores a call that has run as prepared, if its arrays were used without copies."""
    place = call.place
    if key is None or call.n == 0 or call.args.capacity == c.NO_CAPACITY:
        return
    if all(place.take(array, "") is array for array in (x, marks)):
        if len(_prepared) >= MOST_CALLS:
            _prepared.clear()
        _prepared[key] = _Prepared(call, shape, name)
