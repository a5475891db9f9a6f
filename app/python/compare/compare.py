#!/usr/bin/env python3
"""Compares the decorator of lozenge with jaxtyping and einops: each row is tried, and the answer of each package printed as a table.

Needs lozenge, numpy, jaxtyping, beartype and einops. It is run by hand; docs/python/patterns.md keeps what it printed, with the date.
"""


import importlib.metadata
import time
from collections.abc import Callable
from typing import Any

import einops
import numpy as np
from beartype import beartype
from jaxtyping import Float, jaxtyped

import lozenge as lz

checked = jaxtyped(typechecker=beartype)
A = np.ndarray


def zeros(*shape: int) -> Any:
    return np.zeros(shape)


def tried(call: Callable[[], object]) -> str | None:
    """The message with which a call is refused; nothing where it is accepted."""
    try:
        call()
    except Exception as error:
        return str(error) or type(error).__name__
    return None


@lz.shapes("b t d, d h -> b t h")
def own(x: Any, w: Any) -> Any:
    return x @ w


@checked
def other(x: Float[A, "b t d"], w: Float[A, "d h"]) -> Float[A, "b t h"]:
    return x @ w


def third(x: Any, w: Any) -> Any:
    # einops has no decorator: it parses a shape, and reshapes. This is what its users write.
    sizes = einops.parse_shape(x, "b t d")
    einops.rearrange(w, "d h -> d h", d=sizes["d"])
    result = x @ w
    einops.rearrange(result, "b t h -> b t h", b=sizes["b"], t=sizes["t"])
    return result


def cost(function: Callable[..., Any]) -> str:
    """The microseconds that a call costs beyond the work of the function."""
    x, w = zeros(2, 5, 8), zeros(8, 4)

    def seconds(call: Callable[..., Any]) -> float:
        best = float("inf")
        for _ in range(15):
            begin = time.perf_counter()
            for _ in range(4_000):
                call(x, w)
            best = min(best, time.perf_counter() - begin)
        return best

    return f"{(seconds(function) - seconds(lambda x, w: x @ w)) / 4_000 * 1e6:.1f} µs"


def refuses(call: Callable[[], object]) -> str:
    return "yes" if tried(call) is not None else "no"


def names(call: Callable[[], object], *words: str) -> str:
    message = tried(call) or ""
    return "yes" if all(word in message for word in words) else "no"


def rows() -> list[tuple[str, str, str, str]]:
    bad = zeros(2, 5, 8), zeros(7, 4)
    found = [("two arguments that disagree are refused", refuses(lambda: own(*bad)), refuses(lambda: other(*bad)), refuses(lambda: third(*bad)))]
    # Both sizes, and both arguments.
    words = ("`d` is 8 in `x`", "7")
    found.append(("the message says which argument had the other size", names(lambda: own(*bad), *words), names(lambda: other(*bad), "d=8", "x"), names(lambda: third(*bad), "8", "x")))

    @lz.shapes("b n -> b n")
    def turned(x: Any) -> Any:
        return x.T

    @checked
    def turned_other(x: Float[A, "b n"]) -> Float[A, "b n"]:
        return x.T

    found.append(("results are checked", refuses(lambda: turned(zeros(2, 3))), refuses(lambda: turned_other(zeros(2, 3))), "by hand"))

    @lz.shapes("b (2*h)")
    def even(x: Any) -> Any:
        return x

    @checked
    def even_other(x: Float[A, "b 2*h"]) -> Any:
        return x

    def even_third(x: Any) -> Any:
        return einops.rearrange(x, "b (two h) -> b two h", two=2)

    def solved(call: Callable[[Any], object]) -> str:
        return "yes" if tried(lambda: call(zeros(1, 6))) is None and tried(lambda: call(zeros(1, 7))) is not None else "no"

    found.append(("`2*h` tells `h`, and refuses 7", solved(even), solved(even_other), solved(even_third)))

    @lz.shapes("(h + 1), h")
    def longer(x: Any, y: Any) -> Any:
        return x

    @checked
    def longer_other(x: Float[A, "h+1"], y: Float[A, "h"]) -> Any:
        return x

    def in_order(call: Callable[..., Any]) -> str:
        return "yes" if tried(lambda: call(zeros(5), zeros(4))) is None and tried(lambda: call(zeros(5), zeros(5))) is not None else "no"

    found.append(("`h + 1` may stand in front of `h`", in_order(longer), in_order(longer_other), "no"))

    @lz.shapes("... c, ... d")
    def batched(x: Any, y: Any) -> Any:
        return x

    @checked
    def batched_other(x: Float[A, "*batch c"], y: Float[A, "*batch d"]) -> Any:
        return x

    apart = zeros(2, 3, 4), zeros(2, 2, 5)
    found.append(("leading axes of any number are the same in both", refuses(lambda: batched(*apart)), refuses(lambda: batched_other(*apart)), "no"))
    found.append(("a wrong pattern is refused where the function is defined", refuses(lambda: lz.shapes("b (t")(lambda x: x)), refuses(lambda: checked(_wrong())), "no"))

    @checked
    def broadcast(x: Float[A, "#b n"], y: Float[A, "b n"]) -> Any:
        return x

    found.append(("a size may be 1 for broadcasting", "no", "yes" if tried(lambda: broadcast(zeros(1, 3), zeros(2, 3))) is None else "no", "no"))
    integers = np.zeros((2, 5, 8), dtype=int), np.zeros((8, 4), dtype=int)
    found.append(("the type of numbers is checked", refuses(lambda: own(*integers)), refuses(lambda: other(*integers)), refuses(lambda: third(*integers))))
    found.append(("the pattern is a type annotation, which editors show", "no", "yes", "no"))
    found.append(("the same pattern is proved of a model file for all sizes", "yes (`lz.check`)", "no", "no"))
    found.append(("a call with two arguments and a result costs", cost(own), cost(other), cost(third)))
    return found


def _wrong() -> Any:
    def function(x: Float[A, "b (t"]) -> Any:
        return x

    function.__annotations__ = {"x": Float[A, "b (t"]}
    return function


if __name__ == "__main__":
    version = importlib.metadata.version
    jaxtyping = f"jaxtyping {version('jaxtyping')} with beartype {version('beartype')}"
    print(f"| | lozenge | {jaxtyping} | einops {version('einops')} |\n|---|---|---|---|")
    for row in rows():
        print(f"| {' | '.join(row)} |")
