"""The decorator that checks the shapes of arrays when a function is called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from lozenge import _arguments as arguments
from lozenge import _lozenge

P = ParamSpec("P")
R = TypeVar("R")


def shapes(pattern: str | None = None, /, *, returns: str | None = None, **named: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Checks the shapes of arguments and results at each call, in a few microseconds.

    The pattern has a shape for each parameter in order, and behind ``->`` one for each result. Patterns may be given by the names of
    parameters instead. Whatever has a ``shape`` is an array: those of NumPy, torch and JAX are. Within a call a name stands for one size, and
    ``...`` for the same axes wherever it stands.

    Raises:
        ShapeError: At a call: a shape does not fit. The message names the argument, and where the other size comes from.
        TypeError: At a call: an argument has no shape.
        ValueError: Where the function is defined: the pattern is wrong, or belongs to no parameter.

    Example:
        >>> import numpy as np
        >>> import lozenge as lz
        >>> @lz.shapes("b t d, d h -> b t h")
        ... def project(x, w):
        ...     return x @ w
        >>> project(np.zeros((2, 5, 8)), np.zeros((8, 4))).shape
        (2, 5, 4)
        >>> try:
        ...     project(np.zeros((2, 5, 8)), np.zeros((7, 4)))
        ... except lz.ShapeError as error:
        ...     print(error)
        project: `w` is [7, 4], and its pattern is `d h`: `d` is 8 in `x`, and axis 0 has the size 7
    """
    for name, text in [("pattern", pattern), ("returns", returns), *named.items()]:
        if text is not None:
            arguments.text(name, text, "a pattern, as \"b t d\"")
    if pattern is None and returns is None and not named:
        raise TypeError("give a pattern, as in @shapes(\"b t d, d h -> b t h\")")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        if not callable(function):
            raise TypeError(f"`function` is a {type(function).__name__}, which cannot be called")
        matcher = _matcher(function, pattern, returns, named)
        enter, leave = matcher.enter, matcher.leave

        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            binding = enter(args, kwargs)
            result = function(*args, **kwargs)
            leave(binding, result)
            return result

        return checked

    return decorate


def _matcher(function: Callable[..., Any], pattern: str | None, returns: str | None, named: dict[str, str]) -> _lozenge.Matcher:
    name = getattr(function, "__name__", type(function).__name__)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError as error:
        raise ValueError(f"`function`: its parameters are not known: {error}") from None
    positions = {one.name: at for at, one in enumerate(parameters) if one.kind in kinds}
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            positions[parameter.name] = len(parameters)
    inputs: list[str] = []
    chosen: list[tuple[int, str]] = []
    if pattern is not None:
        before, arrow, after = pattern.partition("->")
        if arrow:
            if returns is not None:
                raise ValueError(f"`{name}`: the results have a pattern twice: behind `->`, and in `returns`")
            returns = after
        count = before.count(",") + 1
        own = [one for one in positions if not (positions[one] == 0 and one in ("self", "cls"))]
        if len(own) < count:
            raise ValueError(f"`{name}` has {len(own)} parameters, and the pattern `{pattern}` has {count} shapes")
        inputs.append(before)
        chosen += [(positions[one], one) for one in own[:count]]
    for one, text in named.items():
        if one not in positions:
            raise ValueError(f"`{name}` has no parameter `{one}`: it has {', '.join(positions) or 'none'}")
        if any(one == other for _, other in chosen):
            raise ValueError(f"`{name}`: the parameter `{one}` has two patterns")
        inputs.append(text)
        chosen.append((positions[one], one))
    return _lozenge.Matcher(name, inputs, returns, chosen)
