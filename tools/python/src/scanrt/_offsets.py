# SPDX-License-Identifier: BSD-2-Clause
"""Offsets of segments, for sorts."""

from __future__ import annotations

from . import _structs as c
from ._errors import InvalidArgument
from ._memory import index_type
from ._scan import scan
from ._segments import check_offsets


def covering(place, segments, n, limit):
    """Offsets that cover all n elements, so that each one is in a segment.

    In host memory they must ascend from 0 to n, or with a limit to at most n. On a device they are not read back: 0 and
    n are added at the ends, and a running minimum from the end makes them ascend.
    """
    if getattr(segments, "kind", None) != c.SEGMENTS_OFFSETS:
        raise InvalidArgument("sorts are by segments of Segments.offsets")
    adapter = place.adapter
    offsets = place.take(segments.array, "offsets of segments")
    name, shape = place.name(offsets), place.shape(offsets)
    index_type(name or str(place.layout(offsets)[1]))
    if len(shape) != 1 or not shape[0]:
        raise InvalidArgument(
            f"offsets of segments have the shape {shape}: give the first index of each, and n at last"
        )
    if adapter.is_host(place.place):
        check_offsets(offsets, n, limit is not None)
        return offsets
    if adapter.library == "PyTorch" and name.startswith("u"):  # not supported by these functions
        offsets, name = adapter.cast(offsets, "int64"), "int64"
    ends = [adapter.arange(place.first, end, end + 1, 1, name) for end in (0, n)]
    return scan(adapter.joined([ends[0], offsets, ends[1]]), "min", reverse=True)
