# SPDX-License-Identifier: BSD-2-Clause
"""Lets torch.compile keep the functions of scanrt, too, by tracing those of scanrt.torch in their place."""

import inspect
import sys

import torch

from .._compact import Bits
from .._ops import Op, Predicate


def trace(differentiable):
    """Traces a function of scanrt.torch where torch.compile meets the one of that name in scanrt. A call that only
    scanrt's takes, such as one with out=, interrupts the graph as before."""
    substitute = getattr(torch.compiler, "substitute_in_graph", None)
    if substitute is None:  # PyTorch before 2.6: all calls of scanrt's functions interrupt the graph
        return
    function = getattr(sys.modules["scanrt"], differentiable.__name__)
    parameters = inspect.signature(differentiable).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    most = 8 if any(p.kind == p.VAR_POSITIONAL for p in positional) else len(positional)
    names = tuple(p.name for p in parameters)
    undecorated = function.__wrapped__

    def traced(*arguments, **named):
        fits = 0 < len(arguments) <= most and isinstance(arguments[0], (torch.Tensor, tuple))
        for name, value in named.items():
            fits = fits and name in names and not isinstance(value, Op)
        for value in arguments:
            fits = fits and not isinstance(value, (Bits, Op, Predicate))
        return (differentiable if fits else undecorated)(*arguments, **named)

    substitute(function, skip_signature_check=True)(traced)
