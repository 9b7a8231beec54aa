# SPDX-License-Identifier: BSD-2-Clause
"""Stable splits over the ranks."""

from __future__ import annotations

from typing import Any

from .. import _structs as c
from .._errors import InvalidArgument
from .._memory import Place, head, index_type
from .._ops import Bucket
from .._sort import bucketed, take_along
from .._typing import A, IndexDType
from ._library import mpi
from ._ordering import Ordering, run
from ._parts import with_part
from ._ranks import Ranks
from ._typing import Distribution


def split(
    keys: A,
    *values: A,
    bits: tuple[int, int] | None = None,
    bucket: Bucket | None = None,
    params: Any = None,
    descending: bool = False,
    return_indices: bool = False,
    index_dtype: IndexDType = "int64",
    distribution: Distribution = "as_given",
    return_part: bool = False,
    comm: Any = None,
) -> Any:
    """A stable split of the elements of all ranks into buckets, as `scanrt.split` of the ranks' arrays one behind the
    other. Each rank gets a part of the result. Collective.

    Args:
        keys, values, bits, bucket, params, descending, return_indices, index_dtype: as in `scanrt.split`, of this rank.
            Indices count the elements of all ranks; the index that a bucket function gets counts this rank's.
        distribution: as in `sort`; "by_key": each bucket is on one rank.
        return_part, comm: as in `sort`.

    Returns:
        (keys, values, ...[, indices], offsets[, part]): bucket b of all ranks goes from offsets[b] up to, without,
        offsets[b + 1], on every rank.
    """

    def prepare():
        place = Place(keys)
        taken = place.take(keys, "keys")
        items = place.shape(taken)[0] if place.shape(taken) else 1
        spec, args = c.SplitSpec(), c.SplitArgs(keys_in=place.mem(taken))
        call = Ordering(mpi.scan_mpi_split, place, spec, args, items, distribution, None)
        width, data = bucketed(place, spec, args, taken, items, bits, bucket, params, descending)
        buckets = bucket.buckets if width is None else 1 << width
        if buckets > 256:
            raise InvalidArgument(f"{width} bits are more than a split takes: give 8 or fewer")
        if return_indices and values:
            raise InvalidArgument("return_indices= goes with keys alone")
        call.gives_keys(taken)
        call.gives_values(take_along(place, spec, args, values, items))
        if return_indices:
            name, spec.index_type = index_type(index_dtype)
            call.gives_indices(name)
        call.offsets = place.adapter.empty(place.first, (buckets + 1,), "int64")
        args.offsets = place.mem(call.offsets)
        call.keeps.append((taken, data))
        return call

    call, part = run(Ranks(comm), "split", prepare)
    results = (*(head(call.place.adapter, out, part.count) for out in call.outs), call.offsets)
    return with_part(results, part, return_part)
