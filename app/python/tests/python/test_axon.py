"""Programs of Axon."""

from __future__ import annotations

import html
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from test_programs import Shell

import lozenge as lz

SOFTMAX = "softmax = fn(x) { e = exp(x - reduce(max, -inf, x)); e / reduce(+, 0f, e) }\n"


def test_types_and_a_call() -> None:
    p = lz.program(SOFTMAX, language="axon")
    assert p.shapes == {"softmax": "f32 [a]@b -> f32 [a]@b"} and p.functions == {"softmax": ("x",)} and p.inputs == ("x",)
    x = np.random.default_rng(1).normal(size=(5, 2, 3))
    e = np.exp(x)
    expected = e / e.sum(0)
    r = p.run(x=x)
    assert list(r) == ["softmax"] and r["softmax"].dtype == np.float32
    np.testing.assert_allclose(r["softmax"], expected, rtol=1e-5)
    np.testing.assert_allclose(p.run({"x": x}, precision="f64")["softmax"], expected, rtol=1e-14)


def test_the_examples_are_those_of_numpy() -> None:
    p = lz.program("examples/axon/batched.axon")
    assert isinstance(p, lz.AxonProgram)
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(2, 2, 4)), rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 2))
    scores = np.exp(q @ k.transpose(0, 2, 1) / 2)
    expected = scores / scores.sum(-1, keepdims=True) @ v
    assert p.functions["attention"] == ("Q", "K", "V", "root")
    r = p.run(Q=q, K=k, V=v, root=2.0, precision="f64", function="attention")
    np.testing.assert_allclose(r["attention"], expected, rtol=1e-12)
    printed = p.run()
    assert list(printed) == ["attention(Q, K, V, sqrt(4f))"]
    np.testing.assert_allclose(printed["attention(Q, K, V, sqrt(4f))"][0, 0], [2, 3], rtol=1e-6)


def test_files_tell_their_language(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "soft.axon"
    file.write_text(SOFTMAX)
    both: list[pathlib.Path | str] = [file, str(file)]
    for given in both:
        p = lz.program(given)
        assert isinstance(p, lz.AxonProgram) and p.source == SOFTMAX
    (tmp_path / "plain.loz").write_text('data x : 2|->2 from "x.csv"\nprint x')
    (tmp_path / "x.csv").write_text("1,2\n3,4\n")
    plain = lz.program(str(tmp_path / "plain.loz"))
    assert isinstance(plain, lz.Program) and plain.run()["x"].tolist() == [[1, 2], [3, 4]]
    (tmp_path / "d.axon").write_text('data x : f32 [2,2] from "x.csv"\nprint x + x')
    read = lz.program(tmp_path / "d.axon")
    assert isinstance(read, lz.AxonProgram) and read.run()["x + x"].tolist() == [[2, 4], [6, 8]]
    with pytest.raises(FileNotFoundError, match="none.axon"):
        lz.program("none.axon")
    (tmp_path / "bad.axon").write_bytes(b"\xff")
    with pytest.raises(lz.ProgramError, match="byte 0 is not UTF-8"):
        lz.program(tmp_path / "bad.axon")


def test_at_given_shapes_there_are_loops_and_gradients() -> None:
    p = lz.program("loss = fn(x : f32 [n,k], w : f32 [k]) { matmul(x, transpose(x)) }\nf = fn(x, y) { matmul(x, y) }", language="axon")
    at = p.at(x=(2, 3), y=(3, 4))
    assert isinstance(at, lz.Program) and dict(at.inputs) == {"x": (2, 3), "y": (3, 4)}
    assert "+= x[" in at.loops
    with pytest.raises(ValueError, match="prints nothing"):
        p.loops
    with pytest.raises(ValueError, match="`f` takes `y`, of which no shape is given"):
        p.at(x=(2, 3))
    with pytest.raises(ValueError, match="`f` takes no `z`"):
        p.at(x=(2, 3), y=(3, 4), z=(1,))
    assert p.at({"x": (2, 3), "w": (3,)}, function="loss").inputs.keys() == {"x"}


def test_what_the_program_prints() -> None:
    p = lz.program("data x : i32 [2,3] = range(6)\nprint x + x, x * x", language="axon")
    assert p.inputs == () and "for" in p.loops and "(line 2)" in p.loops
    r = p.run()
    assert r["x + x"].dtype == np.float64 and r["x * x"].tolist() == [[0, 1, 4], [9, 16, 25]]


def test_parts_of_tuples_ragged_results_and_late_sizes() -> None:
    both = lz.program("both = fn(x, y) { x + y, x * y }", language="axon").run(x=[1, 2], y=[3, 4])
    assert both["both.0"].tolist() == [4, 6] and both["both.1"].tolist() == [3, 8]
    ragged = lz.program("examples/axon/ragged.axon").run()
    assert [part.tolist() for part in ragged["weights(x)"]] == [[0.5, 0.5], [1], [0.25] * 4]
    late = lz.program("examples/axon/compress.axon").run()
    assert late["positive(x)"].tolist() == [3, 4, 5] and late["mean(positive(x))"] == 4
    keep = lz.program("keep = fn(m : f32 [n], x : f32 [n]) { compress(m, x) }", language="axon")
    assert keep.run(m=[0, 1, 1], x=[5, 6, 7])["keep"].tolist() == [6, 7]
    with pytest.raises(lz.ShapeError, match="known when it has run"):
        keep.at(m=(3,), x=(3,))


def test_parameters_whose_names_mean_something_in_the_other_language() -> None:
    p = lz.program("f = fn(sum, x', data, v_1) { sum + x' * data - v_1 }", language="axon")
    r = p.run({"x'": [10.0, 20.0]}, sum=[1.0, 2.0], data=[3.0, 4.0], v_1=[5.0, 7.0])
    assert r["f"].tolist() == [1 + 30 - 5, 2 + 80 - 7]
    unused = lz.program("f = fn(x, y) { x + x }", language="axon")
    assert unused.run(x=[1.0], y=[2.0, 3.0])["f"].tolist() == [2]
    same = lz.program("data x : f32 [2] = [1, 2]\nf = fn(y) { g = fn(x) { x + y }; g(x) }\nh = fn(x) { x * f(x) }", language="axon")
    assert same.run(x=[10.0, 20.0], function="h")["h"].tolist() == [10 * 11, 20 * 22]


def test_errors_have_their_places() -> None:
    with pytest.raises(lz.ProgramError) as text:
        lz.program("f = fn(x { x }", language="axon", name="mine.axon")
    assert (text.value.line, text.value.column) == (1, 10) and "mine.axon:1:10" in str(text.value)
    with pytest.raises(lz.ShapeError, match=r"<program>:3:5"):
        lz.program("data x : f32 [2] = [1, 2]\ndata y : f32 [3] = range(3)\nz = x + y", language="axon")
    p = lz.program("f = fn(x : f32 [n], y : f32 [n]) { x + y }", language="axon")
    with pytest.raises(lz.ShapeError, match="3 and 2 have to be equal"):
        p.run(x=np.ones(2), y=np.ones(3))
    for bad in ["a", object(), np.array(["a"]), np.array([1j])]:
        with pytest.raises(TypeError, match="`x` is a"):
            p.run(x=bad, y=np.ones(2))
    with pytest.raises(ValueError, match="`f` takes `y`"):
        p.run(x=np.ones(2))
    with pytest.raises(ValueError, match="the functions at the top of the program are f"):
        p.run(function="g")
    with pytest.raises(ValueError, match="nothing to compute"):
        lz.program("data x : f32 [2] = [1, 2]", language="axon").run()
    with pytest.raises(TypeError, match="`x` is i32, and numbers of arrays are floats"):
        lz.program("f = fn(x : i32 [n]) { x + x }", language="axon").run(x=[1])
    with pytest.raises(lz.Unknown, match="max_points"):
        p.run(x=np.ones(2), y=np.ones(2), max_points=1)
    with pytest.raises(ValueError, match="too large for 32 bits"):
        p.run(x=np.full(2, 1e300), y=np.ones(2))
    with pytest.raises(ValueError, match="`language` is 'python'"):
        lz.program("x", language="python")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="`table` is 'none'"):
        lz.program("x", language="axon", table="none")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="takes no sizes from outside"):
        lz.program("x", language="axon", n=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="`table` is for programs of Axon"):
        lz.program("data x : ->2", table="paper")  # type: ignore[call-overload]


def test_checks_and_warnings_and_pickles() -> None:
    p = lz.program("halves = fn(x : f32 [(* n 2)]) { x + x }", language="axon")
    check = p.checks["halves"][0]
    assert (check.condition, check.line) == ("dim(x,0) % 2 = 0", 1)
    again = pickle.loads(pickle.dumps(p))
    assert again.shapes == p.shapes and again.run(x=[1, 2])["halves"].tolist() == [2, 4]
    with pytest.raises(lz.ShapeError):
        p.run(x=[1, 2, 3])
    with pytest.raises(AttributeError):
        p.shapes = {}  # type: ignore[misc]
    assert any("n" in one for one in lz.program("f = fn(x : f32 [n], y : f32 [4]) { x + y }", language="axon").warnings)
    wide = lz.program("f = fn(x, y) { x + y }", language="axon", table="broadcast")
    assert wide.run(x=np.ones((2, 3)), y=np.ones(3))["f"].tolist() == [[2, 2, 2], [2, 2, 2]]


def test_a_notebook_shows_the_types() -> None:
    shown = lz.program(SOFTMAX, language="axon")._repr_html_()
    page = html.unescape(shown.split('"')[1])
    assert "<!DOCTYPE html>" in page and "f32 [a]@b -&gt; f32 [a]@b" in page


def test_the_cell_magic(capsys: pytest.CaptureFixture[str]) -> None:
    shell: Any = Shell()
    lz.load_ipython_extension(shell)
    shell.user_ns["x"] = np.zeros((2, 1))
    made = shell.magics["axon"]("", SOFTMAX)
    assert "softmax =\n[[0.5]\n [0.5]]" in capsys.readouterr().out
    assert isinstance(made, lz.AxonProgram) and shell.user_ns["_axon"]["softmax"].tolist() == [[0.5], [0.5]]
    shell.magics["axon"]("double", "double = fn(x) { x + x }\n" + SOFTMAX)
    assert list(shell.user_ns["_axon"]) == ["double"]
    with pytest.raises(NameError, match="the parameter `q` has no values"):
        shell.magics["axon"]("", "f = fn(q) { q }")
    with pytest.raises(ValueError, match="the name of one function"):
        shell.magics["axon"]("a b", SOFTMAX)
