"""Constraint sets."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lozenge as lz
from lozenge import Dim, Row, Size


def test_terms_are_the_notation() -> None:
    n, c = Dim("n"), Dim("c")
    constraints = [
        Row([n, c]).equals(Row([Size(32), Size(3, "rgb")])),
        Row([n], "rest").below(Row([], "x", [c])),
        n.below(Size(32)),
    ]
    assert [str(one) for one in constraints] == ["[n, c <>] ~ [32, 3_rgb <>]", "[n <rest>] <= [<x> c]", "n <= 32"]
    solution = lz.Solver(constraints[:1]).solve()
    assert dict(solution.dims) == {"n": "32", "c": "3_rgb"} and solution.standing["n"] == "forced"
    assert pickle.loads(pickle.dumps(solution)) == solution
    assert {Size(3), Size(3), Dim("n")} == {Size(3), Dim("n")}


def test_refusals_cite_the_constraints() -> None:
    solver = lz.Solver("a = 3\na = b\nb = 4")
    with pytest.raises(lz.ShapeError, match="unsat") as caught:
        solver.solve()
    assert "b = 4" in str(caught.value)
    assert solver.decide().verdict == "unsat"


def test_snapshots() -> None:
    solver = lz.Solver("a = 3")
    assert solver.rollback() is False
    solver.snapshot()
    solver.add(Dim("a").equals(Size(4)))
    assert len(solver) == 2 and solver.decide().verdict == "unsat"
    assert solver.rollback() is True and len(solver) == 1
    assert solver.solve().dims["a"] == "3"


def test_entailment_with_a_counterexample_or_a_certificate(tmp_path: Path) -> None:
    solver = lz.Solver("a = b\nb = 3\nc <= b")
    holds = solver.entails("a = 3")
    assert holds and set(holds.because) == {"a = b", "b = 3"} and holds.certificate is not None
    fails = solver.entails("d = 3")
    assert not fails and fails.counterexample is not None and fails.counterexample.dims.get("d") != "3"
    (tmp_path / "set.rows").write_text(str(solver))
    (tmp_path / "why.json").write_text(holds.certificate)
    command = Path(sys.executable).parent / "lozenge"
    run = subprocess.run([command, "verify", tmp_path / "why.json", tmp_path / "set.rows"], capture_output=True, text=True)
    assert "the certificate is accepted" in run.stdout, run.stdout + run.stderr
    unsat = lz.Solver("[3, 3 <r>] ~ [<r> 5, 5]").certificate()
    assert unsat is not None and json.loads(unsat)


def test_what_all_solutions_share() -> None:
    assert lz.Solver("[a, b] ~ [2 <x>]\n3 <= b").forced().dims == {"a": "2"}
    with pytest.raises(lz.ShapeError, match="no solution"):
        lz.Solver("a = 3\na = 4").forced()


def test_wrong_texts_and_terms() -> None:
    with pytest.raises(lz.ProgramError, match="line 2"):
        lz.Solver("a = 3\na == 4")
    with pytest.raises(lz.ProgramError):
        lz.Solver("").add("[")
    with pytest.raises(lz.ProgramError, match="2 constraints: ask about one"):
        lz.Solver("a = 3").entails("a = 3\na = 4")
    values: list[Callable[[], object]] = [
        lambda: Size(0),
        lambda: Size(True),
        lambda: Dim("3"),
        lambda: Dim(""),
        lambda: Size(3, "a b"),
        lambda: Row([], "<x>"),
    ]
    for make in values:
        with pytest.raises(ValueError):
            make()
    wrong: Any = 3
    types: list[Callable[[], object]] = [
        lambda: Row([wrong]),
        lambda: Dim("a").equals(wrong),
        lambda: Dim(wrong),
        lambda: lz.Solver([wrong]),
    ]
    for make in types:
        with pytest.raises(TypeError):
            make()
    with pytest.raises(AttributeError):
        setattr(lz.Solver(""), "x", 1)
