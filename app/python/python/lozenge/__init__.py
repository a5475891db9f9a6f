"""Shapes of tensor programs and models: inferred, proved and explained.

=====================  ==============================================================================================
``sizes(model)``       which sizes a model takes, all of them; ``.admits``, ``.at``, ``.nearest``, ``.why``, ``.lock``
``branches(model)``    on which side of each condition all inputs lie; ``migrate(model)``: the annotations that inputs may get
``check(model, …)``    proves that a model takes all sizes of a pattern, or raises with sizes that it refuses
``shapes(pattern)``    a decorator that checks the shapes of arrays when a function is called
``program(text)``      a program of the language lozenge, or of Axon: its shapes, its loops, and runs on NumPy arrays
``Solver(set)``        constraint sets of compilers: solutions, decisions, entailments, certificates
``testing``            assertions for tests of models; a plugin of pytest comes with the package
=====================  ==============================================================================================

>>> import lozenge as lz
>>> s = lz.sizes("examples/models/detector.onnx")
>>> s.nearest(image=(1, 3, 30, 40))["h"]
(28, 31)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lozenge._answers import Branch, ModelWarning, Point, Proof, Refusal, Story
from lozenge._axon import AxonProgram, Check
from lozenge._constraints import Constraint, Decision, Dim, Entailment, Row, Size, Solution, Solver
from lozenge._errors import InternalError, ModelError, ProgramError, ShapeError, Unknown
from lozenge._lozenge import VERSION as __version__
from lozenge._models import Sizes, branches, check, migrate, sizes
from lozenge._patterns import shapes
from lozenge._programs import Epoch, Gradient, Program, Result
from lozenge._reading import program

if TYPE_CHECKING:
    from lozenge import testing as testing

__all__ = [
    "AxonProgram",
    "Branch",
    "Check",
    "Constraint",
    "Decision",
    "Dim",
    "Entailment",
    "Epoch",
    "Gradient",
    "InternalError",
    "ModelError",
    "ModelWarning",
    "Point",
    "Program",
    "ProgramError",
    "Proof",
    "Refusal",
    "Result",
    "Row",
    "ShapeError",
    "Size",
    "Sizes",
    "Solution",
    "Solver",
    "Story",
    "Unknown",
    "__version__",
    "branches",
    "check",
    "migrate",
    "program",
    "shapes",
    "sizes",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name == "testing":
        import importlib

        return importlib.import_module("lozenge.testing")
    raise AttributeError(f"module 'lozenge' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """Adds the cell magics ``%%loz`` and ``%%axon`` to a notebook: ``%load_ext lozenge``."""
    from lozenge._notebook import register

    register(shell)
