# SPDX-License-Identifier: BSD-2-Clause
"""What sorts and splits over the ranks share: outputs of as many elements as a rank gets."""

from __future__ import annotations

from ctypes import byref

from .._checks import text_given
from .._errors import InvalidArgument
from . import _structs as s


def distribution_of(name) -> int:
    if text_given(name, "distribution") not in s.DISTRIBUTIONS:
        raise InvalidArgument(f"there is no distribution {name!r}: give one of {', '.join(s.DISTRIBUTIONS)}")
    return s.DISTRIBUTIONS[name]


class Ordering:
    """A call of scan_mpi_sort or scan_mpi_split. function: that. spec and args have the inputs already. given: the
    caller's outputs, or None."""

    def __init__(self, function, place, spec, args, n, distribution, given):
        self.function, self.place, self.context = function, place, place.context
        self.spec, self.args, self.n = spec, args, n
        self.distribution, self.route = distribution_of(distribution), f" {distribution}"
        self.given = None if given is None else list(given)
        self.results, self.outs, self.keeps = [], [], []
        self.room = 0

    def gives_keys(self, keys):
        self.results.append((keys, None, lambda mem: setattr(self.args, "keys_out", mem)))

    def gives_values(self, values):
        for k, x in enumerate(values):
            self.results.append((x, None, lambda mem, k=k: self.args.out.__setitem__(k, mem)))

    def gives_indices(self, name):
        self.results.append((None, name, lambda mem: self.args.out.__setitem__(0, mem)))

    def outputs(self, room: int):
        """Sets the outputs: those that the caller gave, or new ones of `room` elements."""
        if self.given is None:
            self.outs = [self._new(like, name, room) for like, name, _ in self.results]
            self.room = room
        else:
            self.outs = [self._check(out, like) for out, (like, _, _) in zip(self.given, self.results)]
            self.room = min(self.place.shape(out)[0] for out in self.outs)
        for out, (_, _, put) in zip(self.outs, self.results):
            put(self.place.mem(out))
        return self

    def _new(self, like, name, room):
        adapter, room = self.place.adapter, max(room, 1)
        if like is None:
            return adapter.empty(self.place.first, (room,), name)
        return adapter.empty_of(like, (room, *self.place.shape(like)[1:]))

    def _check(self, out, like):
        place = self.place
        place.given(out, "out", (place.name(like),))
        self.spec.in_place |= out is like
        if place.shape(out)[1:] != place.shape(like)[1:] or not place.shape(out):
            raise InvalidArgument(f"out has elements of the shape {place.shape(out)[1:]}, not {place.shape(like)[1:]}")
        return out

    def call(self, handle) -> s.Part:
        part = s.Part(total=s.UNSET)
        self.part = part
        arguments = byref(self.spec), self.distribution, self.n, max(self.room, 1), byref(self.args), byref(part)
        handle.call(self.function, *arguments)
        return part

    def check_room(self):
        """Refuses outputs of the caller's that are too short."""
        if self.given is not None and self.part.count > self.room:
            raise InvalidArgument(
                f"out has room for {self.room} elements, and this rank gets {self.part.count} of {self.part.total}"
            )


def run(ranks, name, prepare):
    """Makes the call, with outputs of the size that the distribution asks for. prepare(): the Ordering. Returns the
    outputs' parts that are written, and this rank's Part."""

    def begin():
        call = prepare()
        return call.outputs(call.n) if call.distribution == s.DISTRIBUTIONS["as_given"] else call

    call, handle = ranks.enter(name, begin)
    if call.distribution != s.DISTRIBUTIONS["as_given"]:
        total = ranks.sum(call.n)
        share = (total + ranks.size - 1 - ranks.rank) // ranks.size
        if call.distribution == s.DISTRIBUTIONS["by_key"]:
            share += share // 8 + 64  # cuts move to the ends of equal keys
        ranks.agree(name, lambda: call.outputs(share))
    try:
        part = call.call(handle)
    except InvalidArgument:
        if not ranks.sum(call.part.total != s.UNSET and call.part.count > call.room):
            raise
        ranks.agree(name, call.check_room)
        ranks.agree(name, lambda: call.outputs(call.part.count))
        part = call.call(handle)
    return call, part
