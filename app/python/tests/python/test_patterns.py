"""The decorator."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import lozenge as lz


def zeros(*shape: int) -> Any:
    return np.zeros(shape)


def test_names_are_the_same_size_within_a_call() -> None:
    @lz.shapes("b t d, d h -> b t h")
    def project(x: Any, w: Any) -> Any:
        """Projects."""
        return x @ w

    assert project(zeros(2, 5, 8), zeros(8, 4)).shape == (2, 5, 4)
    assert project(x=zeros(3, 1, 7), w=zeros(7, 4)).shape == (3, 1, 4)
    assert (project.__name__, project.__doc__) == ("project", "Projects.")
    with pytest.raises(lz.ShapeError, match=r"project: `w` is \[7, 4\], and its pattern is `d h`: `d` is 8 in `x`, and axis 0 has the size 7"):
        project(zeros(2, 5, 8), zeros(7, 4))
    with pytest.raises(lz.ShapeError, match=r"`x` is \[2, 5\], and its pattern is `b t d`: it has 2 axes, and the pattern has 3"):
        project(zeros(2, 5), zeros(7, 4))


def test_results_are_looked_at() -> None:
    @lz.shapes("b n -> b n")
    def wrong(x: Any) -> Any:
        return x.T

    assert wrong(zeros(3, 3)).shape == (3, 3)
    with pytest.raises(lz.ShapeError, match=r"wrong: `result` is \[4, 3\]"):
        wrong(zeros(3, 4))

    @lz.shapes("b n", returns="b, n")
    def two(x: Any) -> Any:
        return x.sum(1), x.sum(0)

    assert len(two(zeros(3, 4))) == 2

    @lz.shapes("b n -> b, n, 1")
    def three(x: Any) -> Any:
        return x.sum(1), x.sum(0)

    with pytest.raises(lz.ShapeError, match="it returns 2 results, and the pattern has 3"):
        three(zeros(3, 4))


@pytest.mark.parametrize(
    ("pattern", "shapes", "fits"),
    [
        ("... c", [(3,)], True),
        ("... c", [()], False),
        ("... c, ... d", [(2, 3, 4), (2, 3, 5)], True),
        ("... c, ... d", [(2, 3, 4), (2, 2, 5)], False),
        ("a ... b", [(1, 2, 3, 4)], True),
        ("b (2*h) h", [(1, 8, 4)], True),
        ("b (2*h) h", [(1, 8, 3)], False),
        ("b (2*h)", [(1, 7)], False),
        ("(h + 1), h", [(5,), (4,)], True),
        ("(h + 1), h", [(5,), (5,)], False),
        ("(h w), h, w", [(6,), (2,), (3,)], True),
        ("(h w), h, w", [(7,), (2,), (3,)], False),
        ("(h*w) h", [(6, 2)], True),
        ("(2*a + 3*b) a b", [(13, 2, 3)], True),
        ("(2*a + 3*b) a b", [(12, 2, 3)], False),
        ("_ 3", [(9, 3)], True),
        ("_ 3", [(9, 4)], False),
        ("", [()], True),
        ("", [(1,)], False),
        ("n n", [(4, 4)], True),
        ("n n", [(4, 5)], False),
        ("größe größe", [(4, 4)], True),
        ("n", [(0,)], True),
    ],
)
def test_patterns_and_shapes(pattern: str, shapes: list[tuple[int, ...]], fits: bool) -> None:
    names = "abc"[: len(shapes)]
    function = lz.shapes(pattern)(eval(f"lambda {', '.join(names)}: None"))
    arrays = [zeros(*shape) for shape in shapes]
    if fits:
        function(*arrays)
    else:
        with pytest.raises(lz.ShapeError):
            function(*arrays)


def test_methods_keywords_and_defaults() -> None:
    class Layer:
        @lz.shapes("b d")
        def __call__(self, x: Any) -> Any:
            return x

    assert Layer()(zeros(2, 3)).shape == (2, 3)

    @lz.shapes(x="b n", mask="b n", returns="b")
    def masked(x: Any, *, scale: float = 1.0, mask: Any = None) -> Any:
        return x.sum(1) * scale

    masked(zeros(2, 3))
    masked(zeros(2, 3), mask=zeros(2, 3), scale=2.0)
    with pytest.raises(lz.ShapeError, match="`mask`"):
        masked(zeros(2, 3), mask=zeros(3, 3))


def test_whatever_has_a_shape_is_an_array() -> None:
    class Tensor:
        def __init__(self, *shape: int) -> None:
            self.shape = list(shape)

    function = lz.shapes("a b")(lambda x: None)
    function(Tensor(1, 2))
    with pytest.raises(TypeError, match="`x` is a list, which has no shape"):
        function([1, 2])
    with pytest.raises(TypeError, match="`x` is a NoneType"):
        function(None)


def test_wrong_patterns_are_told_where_the_function_is_defined() -> None:
    for pattern, words in [
        ("b (t", r"pattern: here a `\)` is missing\n  b \(t\n      \^"),
        ("b + t", "this belongs to no axis|here a name or a number is missing"),
        ("... ...", "`...` once"),
        ("b, b", "has 1 parameters, and the pattern `b, b` has 2 shapes"),
        ("(h w)", "cannot be told apart"),
        ("99999999999999999999", "is no size"),
        ("a -> b -> c", "belongs to no axis"),
    ]:
        with pytest.raises(ValueError, match=words):
            lz.shapes(pattern)(lambda x: None)
    with pytest.raises(ValueError, match="has no parameter `y`: it has x"):
        lz.shapes(y="b")(lambda x: None)
    with pytest.raises(TypeError, match="give a pattern"):
        lz.shapes()
    with pytest.raises(TypeError, match="`pattern` is a int"):
        lz.shapes(3)  # type: ignore[arg-type]


def test_a_call_costs_little() -> None:
    def plain(x: Any, w: Any) -> Any:
        return x

    checked = lz.shapes("b t d, d h -> b t d")(plain)
    x, w = zeros(2, 5, 8), zeros(8, 4)

    def seconds(function: Any) -> float:
        begin = time.process_time()
        for _ in range(10_000):
            function(x, w)
        return time.process_time() - begin

    cost = min(seconds(checked) for _ in range(5)) - min(seconds(plain) for _ in range(5))
    # The wheel of the tests is built without optimisation, and they run beside others.
    assert cost / 10_000 < 100e-6
