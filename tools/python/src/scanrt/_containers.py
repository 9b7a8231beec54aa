# SPDX-License-Identifier: BSD-2-Clause
"""Arrays that are read-only or have labels: JAX's, pandas' and xarray's. If the first array is one of them, a function
gets a NumPy array of the same memory (on a GPU a CuPy or PyTorch array), and its results are converted back.

Calls with tensors that require a gradient go to the function of the same name in scanrt.torch, and calls with traced
arrays of JAX's to that in scanrt.jax.
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable, TypeVar

from ._arrays import known_types, of_dlpack
from ._compact import Bits
from ._errors import GradientRequired, InvalidArgument, Unsupported
from ._segments import Segments

F = TypeVar("F", bound=Callable[..., Any])

_WRITTEN = ("out", "rest", "count", "carry_out")  # arguments that a call writes to


def containers(labels: bool) -> Callable[[F], F]:
    """A decorator of functions of arrays. labels: True if results correspond to the first array's elements, and keep
    their index and coordinates."""

    def decorate(function):
        signature = inspect.signature(function)
        first = next(iter(signature.parameters))

        @functools.wraps(function)
        def call(*arguments, **named):
            if arguments and type(arguments[0]) in known_types:
                try:
                    return function(*arguments, **named)
                except GradientRequired:
                    pass  # handled below, outside of this exception
                return _call_for_torch(function, signature.bind(*arguments, **named))
            x = arguments[0] if arguments else named.get(first)
            if _is_jax(x[0] if isinstance(x, tuple) and x else x):
                return _call_for_jax(function, signature.bind(*arguments, **named))
            put_back = _labels_of(x) if labels else None
            if put_back and signature.bind(*arguments, **named).arguments.get("out") is None:
                return put_back(function(*arguments, **named))
            try:
                return function(*arguments, **named)
            except GradientRequired:
                pass
            return _call_for_torch(function, signature.bind(*arguments, **named))

        return call

    return decorate


def _is_of(x, library: str, *names: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(x, tuple(getattr(module, name) for name in names))


def _labels_of(x):
    """A function that gives an array of x's shape the labels of x; None: x has no labels."""
    if _is_of(x, "pandas", "Series"):
        return lambda y: type(x)(y, index=x.index, name=x.name) if y.shape == x.shape else y
    if _is_of(x, "pandas", "DataFrame"):
        return lambda y: type(x)(y, index=x.index, columns=x.columns) if y.shape == x.shape else y
    if _is_of(x, "xarray", "DataArray"):
        return lambda y: x.copy(data=y) if y.shape == x.shape else y
    return None


# ---- tensors that require a gradient, and traced arrays --------------------------------------------------------------


def _call_for_torch(function, bound):
    try:
        from . import torch
    except ImportError as fault:
        raise InvalidArgument(
            "the tensor requires a gradient, and scanrt.torch needs PyTorch 2.4: give x.detach()"
        ) from fault
    name = function.__name__
    if name not in torch.__all__:
        raise InvalidArgument(f"the tensor requires a gradient, and {name} computes none: give x.detach()")
    excess = _without_defaults(getattr(torch, name), bound)
    if excess:
        raise InvalidArgument(
            f"the tensor requires a gradient, and {name} computes none with {excess}=: omit it, or give x.detach()"
        )
    return getattr(torch, name)(*bound.args, **bound.kwargs)


def _call_for_tracers(function, bound):
    from . import jax

    name = function.__name__
    if name not in jax.__all__ or name in ("reduce_by_key", "select"):
        remedy = f"call scanrt.jax.{name}" if name in jax.__all__ else "call it outside of JAX's transformations"
        raise Unsupported(f"{name} has results of no fixed size or no traced form: {remedy}, or use jax.pure_callback")
    excess = _without_defaults(getattr(jax, name), bound)
    if excess:
        raise Unsupported(f"{name} takes no {excess}= with traced arrays: leave that out, or use jax.pure_callback")
    return getattr(jax, name)(*bound.args, **bound.kwargs)


def _without_defaults(function, bound):
    """Removes arguments that `function` does not have. Returns the name of one that is not its default, or None."""
    parameters = bound.signature.parameters
    for key in bound.arguments.keys() - inspect.signature(function).parameters.keys():
        if bound.arguments.pop(key) is not parameters[key].default:
            return key
    return None


# ---- JAX -------------------------------------------------------------------------------------------------------------


def _is_jax(x) -> bool:
    return _is_of(x, "jax", "Array")


def _is_traced(x):
    if isinstance(x, tuple):
        return any(map(_is_traced, x))
    return isinstance(x, sys.modules["jax"].core.Tracer)


def _call_for_jax(function, bound):
    if any(map(_is_traced, bound.arguments.values())):
        return _call_for_tracers(function, bound)
    written = []
    for name in _WRITTEN:
        given = bound.arguments.get(name)
        written += given if isinstance(given, tuple) else (given,)
        if any(map(_is_jax, written)):
            raise InvalidArgument(
                f"{name}= is an array of JAX's, which nothing writes to: leave it out, or give NumPy's"
            )
    results = function(*map(_from_jax, bound.args), **{name: _from_jax(x) for name, x in bound.kwargs.items()})
    return _to_jax(results, written)


def _from_jax(x):
    """The same memory as an array that the package supports. Other objects are returned unchanged."""
    if isinstance(x, tuple):
        return tuple(map(_from_jax, x))
    if isinstance(x, Segments):
        return Segments(x.kind, _from_jax(x.array))
    if isinstance(x, Bits):
        return Bits(_from_jax(x.array))
    if not _is_jax(x):
        return x
    if isinstance(x, sys.modules["jax"].core.Tracer):
        raise Unsupported("the segments, flags or operator are traced: call the functions of scanrt.jax")
    if all(device.platform == "cpu" for device in x.devices()):
        import numpy

        return numpy.asarray(x)
    return of_dlpack(x)[1]


def _to_jax(result, given):
    if isinstance(result, tuple):
        return tuple(_to_jax(part, given) for part in result)
    if any(result is x for x in given):
        return result
    jax = sys.modules["jax"]
    if not _is_of(result, "numpy", "ndarray"):
        return jax.dlpack.from_dlpack(result)
    narrow = {"i": "int32", "u": "uint32"}.get(result.dtype.kind)
    if narrow and result.dtype.itemsize == 8 and result.size and not jax.config.jax_enable_x64:
        if (result != result.astype(narrow)).any():
            raise InvalidArgument(
                f"results of {result.dtype} do not fit into {narrow}, which JAX makes of them: set jax_enable_x64, or "
                f'give dtype="{narrow}", which wraps around'
            )
        result = result.astype(narrow)
    return jax.numpy.asarray(result)
