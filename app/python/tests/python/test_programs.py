"""Programs of the language on arrays."""

from __future__ import annotations

import html
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import lozenge as lz

LAYER = """data x : n:4|->3
data w : 3->2
let y = w * x
print y
print y + 1
"""


def test_shapes_loops_and_a_run() -> None:
    p = lz.program(LAYER)
    assert p.shapes["y"] == "4|->2" and p.sizes["w"] == (3, 2) and dict(p.inputs) == {"x": (4, 3), "w": (3, 2)}
    assert "for i in 0..4" in p.loops or "for n in 0..4" in p.loops
    x, w = np.arange(12.0).reshape(4, 3), np.arange(6.0).reshape(3, 2)
    r = p.run(x=x, w=w)
    assert list(r) == ["y", "y + 1"]
    np.testing.assert_array_equal(r["y"], (x @ w).astype("f4"))
    np.testing.assert_array_equal(r["y + 1"], (x @ w + 1).astype("f4"))
    assert r["y"].dtype == np.float32 and r["y"].flags.writeable
    wide = p.run(x=x / 3, w=w, precision="f64")["y"]
    np.testing.assert_allclose(wide, x / 3 @ w, rtol=1e-15)
    with pytest.raises(KeyError, match="was not printed"):
        r["x"]
    np.testing.assert_array_equal(p.run(x=x, w=w, show=["x"])["x"], x.astype("f4"))


def test_arrays_of_every_kind_go_in() -> None:
    p = lz.program("data x : 2->3\nprint x")
    plain = np.arange(6.0).reshape(2, 3)
    for array in [
        plain,
        plain.astype("f4"),
        plain.astype(">f8"),
        plain.astype("i2"),
        plain.astype(bool) * 1,
        np.asfortranarray(plain),
        np.arange(24.0).reshape(4, 6)[::2, ::2][:, :3] * 0 + plain,
        plain.tolist(),
    ]:
        np.testing.assert_array_equal(p.run(x=array)["x"], np.asarray(array, dtype="f4"))
    strided = np.arange(12.0).reshape(2, 6)[:, ::2]
    np.testing.assert_array_equal(p.run(x=strided)["x"], strided)
    plain.flags.writeable = False
    np.testing.assert_array_equal(p.run(x=plain)["x"], plain)
    number = lz.program("data x : ->\nprint x + 1").run(x=np.float64(2))
    assert number["x + 1"].shape == () and number["x + 1"] == 3


def test_arrays_by_dlpack() -> None:
    class Foreign:
        """An array of another package."""

        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack__(self, **arguments: Any) -> Any:
            return self.array.__dlpack__()

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    array = np.arange(6.0, dtype="f4").reshape(2, 3)
    np.testing.assert_array_equal(lz.program("data x : 2->3\nprint x").run(x=Foreign(array))["x"], array)


def test_arrays_that_do_not_fit_are_named() -> None:
    p = lz.program(LAYER)
    x, w = np.zeros((4, 3)), np.zeros((3, 2))
    with pytest.raises(lz.ShapeError, match=r"the array for `x` has the shape \[3, 4\], and `x` is 4\|->3, with the sizes \[4, 3\]"):
        p.run(x=x.T, w=w)
    with pytest.raises(lz.ShapeError, match=r"the array for `x` has the shape \[0, 3\]"):
        p.run(x=x[:0], w=w)
    with pytest.raises(ValueError, match="`w` has no values: give it an array of the shape"):
        p.run(x=x)
    with pytest.raises(ValueError, match="`v` is no tensor of the program: those whose values come from outside are x, w"):
        p.run(x=x, w=w, v=w)
    with pytest.raises(ValueError, match="`y` has its values in the program"):
        p.run(x=x, w=w, y=w)
    for bad in ["a", object(), np.array(["a"]), np.array([None]), np.array([1j]), np.array([(1,)], dtype=[("a", "f4")]), {}]:
        with pytest.raises(TypeError, match="`x` is a"):
            p.run(x=bad, w=w)
    with pytest.raises(ValueError, match="too large for 32 bits"):
        p.run(x=x + 1e300, w=w)
    p.run(x=x + 1e300, w=w, precision="f64")
    with pytest.raises(ValueError, match="`precision` is 'f16'"):
        p.run(x=x, w=w, precision="f16")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`seed` is -1"):
        p.run(x=x, w=w, seed=-1)
    with pytest.raises(ValueError, match="show: the program has no tensor `q`"):
        p.run(x=x, w=w, show=["q"])


def test_wrong_programs_have_their_place() -> None:
    with pytest.raises(lz.ProgramError) as text:
        lz.program("let y = x", name="mine.loz")
    assert (text.value.line, text.value.column) == (1, 9) and "mine.loz:1:9" in str(text.value)
    with pytest.raises(lz.ShapeError, match="`w` takes 5 inputs, `x` gives 4"):
        lz.program("data x : 6|->4 = range(24)\ndata w : 5->3 = range(15)\nlet y = w * x")
    with pytest.raises(lz.ProgramError, match="an assertion does not hold"):
        lz.program("data x : ->2 = [1, 0]\nassert x > 0\nprint x").run()
    with pytest.raises(lz.Unknown, match="max_points"):
        lz.program("data x : 6|->4 = range(24)\nprint square(x)").run(max_points=3)
    with pytest.raises(ValueError, match="`save` writes a file"):
        lz.program('data x : ->2 = [1, 0]\nsave x to "x.npy"').run()


TRAIN = """data x : n:4|->1 = [0, 1, 2, 3]
data t : n|->1 = [1, 3, 5, 7]
let line = dense(1)
train 40 epochs by 2 of n shuffled:
  let loss = mse(line(x), t)
  backward loss
  for q in params(loss): sgd(0.05)(q, q.grad)
  print loss
"""


def test_training_reports_epochs() -> None:
    p = lz.program(TRAIN)
    seen: list[lz.Epoch] = []
    r = p.run(progress=seen.append, seed=1)
    assert tuple(seen) == r.epochs and len(seen) == 40
    assert seen[-1].printed["loss"] < seen[0].printed["loss"] / 100
    assert p.run(seed=1).epochs == r.epochs
    assert len(p.run(epochs=3).epochs) == 3

    def stop(epoch: lz.Epoch) -> None:
        if epoch.epoch == 2:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        p.run(progress=stop)


def test_gradients_are_those_of_differences() -> None:
    p = lz.program("data x : n:4|->3\nparam w : 3->2\nlet y = tanh(w * x)\nlet loss = mean(y *. y)")
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(4, 3)), rng.normal(size=(3, 2))
    slope = p.gradient("loss")
    value, by = slope(x=x, w=w, precision="f64")
    assert slope.parameters == ("w",) and value == pytest.approx(np.mean(np.tanh(x @ w) ** 2))
    small = 1e-6
    for cell in np.ndindex(w.shape):
        moved = w.copy()
        moved[cell] += small
        change = slope(x=x, w=moved, precision="f64")[0] - value
        assert by["w"][cell] == pytest.approx(change / small, abs=1e-4)
    assert pickle.loads(pickle.dumps(slope))(x=x, w=w, precision="f64")[0] == value
    with pytest.raises(lz.ProgramError, match="no tensor `q`"):
        p.gradient("q")
    with pytest.raises(lz.ProgramError, match="`x` depends on no parameter"):
        lz.program("data x : ->").gradient("x")


def test_training_by_hand_goes_on_from_parameters() -> None:
    p = lz.program("data x : n:4|->1 = [0, 1, 2, 3]\ndata t : n|->1 = [1, 3, 5, 7]\nlet loss = mse(dense(1)(x), t)")
    slope = p.gradient("loss")
    values = {name: np.zeros(shape) for name, shape in p.parameters.items()}
    losses = []
    for _ in range(100):
        loss, by = slope(values)
        losses.append(loss)
        values = {name: value - 0.1 * by[name] for name, value in values.items()}
    assert losses[-1] < losses[0] / 1000
    with pytest.raises(lz.ShapeError, match="the array for `loss.dense.w`"):
        slope({"loss.dense.w": np.zeros(3)})


def test_programs_and_results_are_pickled() -> None:
    p = lz.program(LAYER)
    again = pickle.loads(pickle.dumps(p))
    x, w = np.ones((4, 3)), np.ones((3, 2))
    r = pickle.loads(pickle.dumps(again.run(x=x, w=w)))
    np.testing.assert_array_equal(r["y"], p.run(x=x, w=w)["y"])
    with pytest.raises(AttributeError):
        p.source = ""  # type: ignore[misc]


def test_a_notebook_shows_the_page_of_view() -> None:
    shown = lz.program("size n = 2\ndata x : n|->3 = 1\nlet y = relu(x)\n", n=5)._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    page = html.unescape(shown.split('"')[1])
    assert "<!DOCTYPE html>" in page
    assert "relu" in page and "5|-&gt;3" in page


def test_sizes_from_outside_and_files(tmp_path: Any) -> None:
    p = lz.program("size n = 2\ndata x : n|->3\nprint x", n=5)
    assert p.inputs["x"] == (5, 3)
    (tmp_path / "x.csv").write_text("1,2\n3,4\n")
    p = lz.program('data x : 2|->2 from "x.csv"\nprint x', folder=tmp_path)
    assert p.run()["x"].tolist() == [[1, 2], [3, 4]]


class Shell:
    """The part of a notebook that the magic uses."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function


def test_the_cell_magic(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    lz.load_ipython_extension(shell)
    shell.user_ns["x"] = np.arange(3.0)
    made = shell.magics["loz"]("", "data x : ->3\nprint square(x)")
    assert "square(x) =\n[0. 1. 4.]" in capsys.readouterr().out
    assert isinstance(made, lz.Program) and shell.user_ns["_loz"]["square(x)"].tolist() == [0, 1, 4]
    with pytest.raises(NameError, match="the notebook has no variable of that name"):
        shell.magics["loz"]("", "data q : ->3\nprint q")
