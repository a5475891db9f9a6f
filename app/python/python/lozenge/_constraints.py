"""Constraint sets and the solver, for compilers that state their own constraints.

A set is a text in the notation of ``.rows`` files, or is made of terms: ``Size``, ``Dim`` and ``Row`` give constraints by ``equals`` and ``below``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lozenge import _arguments as arguments
from lozenge import _data as data
from lozenge import _lozenge
from lozenge._answers import frozen
from lozenge._errors import ShapeError, Unknown


@dataclass(frozen=True, slots=True)
class Constraint:
    """A comparison of two dimensions or of two rows, in the notation of ``.rows`` files.

    Attributes:
        text: The notation.

    Raises:
        TypeError, ValueError: ``text`` is no text, or one that cannot be written down.

    Example:
        >>> from lozenge import Dim, Size
        >>> str(Dim("n").equals(Size(3)))
        'n = 3'
    """

    text: str

    def __post_init__(self) -> None:
        arguments.text("text", self.text, "a constraint, as 'n = 3'")

    def __str__(self) -> str:
        return self.text


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name is a {type(name).__name__}: give a text")
    is_name = name != "" and not name[0].isdigit() and all(c.isalnum() or c in "_'" for c in name)
    if not is_name:
        raise ValueError(f"{name!r} is no name: write letters, digits, _ and ', not beginning with a digit")
    return name


@dataclass(frozen=True, slots=True)
class Size:
    """A dimension whose size is known.

    Attributes:
        size: The size, from 1.
        basis: What keeps it apart from other axes of this size; ``None`` for the default.

    Raises:
        ValueError, TypeError: ``size`` is no number from 1 to 2**64 - 1, or ``basis`` is no name.

    Example:
        >>> from lozenge import Size
        >>> str(Size(3, "rgb"))
        '3_rgb'
    """

    size: int
    basis: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 0 < self.size < 1 << 64:
            raise ValueError(f"the size is {self.size!r}: give a number from 1 to 2**64 - 1")
        if self.basis is not None:
            _name(self.basis)

    def __str__(self) -> str:
        return str(self.size) if self.basis is None else f"{self.size}_{self.basis}"

    def equals(self, other: Size | Dim) -> Constraint:
        """The constraint that both sizes are the same.

        Raises:
            TypeError: ``other`` is no dimension.

        Example:
            >>> from lozenge import Dim, Size
            >>> str(Size(3).equals(Dim("n")))
            '3 = n'
        """
        return Constraint(f"{self} = {_dimension(other)}")

    def below(self, operand: Size | Dim) -> Constraint:
        """The constraint that this size, that of the result, may be broadcast from that of the operand.

        Raises:
            TypeError: ``operand`` is no dimension.

        Example:
            >>> from lozenge import Dim, Size
            >>> str(Size(3).below(Dim("n")))
            '3 <= n'
        """
        return Constraint(f"{self} <= {_dimension(operand)}")


@dataclass(frozen=True, slots=True)
class Dim:
    """A dimension variable.

    Attributes:
        name: The name.

    Raises:
        ValueError, TypeError: ``name`` is no name.

    Example:
        >>> from lozenge import Dim
        >>> str(Dim("n").below(Dim("m")))
        'n <= m'
    """

    name: str

    def __post_init__(self) -> None:
        _name(self.name)

    def __str__(self) -> str:
        return self.name

    def equals(self, other: Size | Dim) -> Constraint:
        """The constraint that both sizes are the same.

        Raises:
            TypeError: ``other`` is no dimension.

        Example:
            >>> from lozenge import Dim, Size
            >>> str(Dim("n").equals(Size(3, "rgb")))
            'n = 3_rgb'
        """
        return Constraint(f"{self} = {_dimension(other)}")

    def below(self, operand: Size | Dim) -> Constraint:
        """The constraint that this size, that of the result, may be broadcast from that of the operand.

        Raises:
            TypeError: ``operand`` is no dimension.

        Example:
            >>> from lozenge import Dim
            >>> str(Dim("n").below(Dim("m")))
            'n <= m'
        """
        return Constraint(f"{self} <= {_dimension(operand)}")


def _dimension(term: object) -> Size | Dim:
    if isinstance(term, (Size, Dim)):
        return term
    raise TypeError(f"this is a {type(term).__name__}, and a dimension is a Size or a Dim")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of axes, which may be open: a variable stands for any number of axes.

    Attributes:
        leading: The axes in front of the variable, or of the marker.
        variable: The name of the variable; ``None`` for a closed row.
        trailing: The axes behind it.

    Raises:
        TypeError, ValueError: An axis is no ``Size`` and no ``Dim``, or ``variable`` is no name.

    Example:
        >>> from lozenge import Dim, Row, Size
        >>> str(Row([Size(3)], "rest", [Dim("c")]).below(Row([], "x")))
        '[3 <rest> c] <= [<x>]'
    """

    leading: tuple[Size | Dim, ...] = ()
    variable: str | None = None
    trailing: tuple[Size | Dim, ...] = ()

    def __init__(self, leading: Iterable[Size | Dim] = (), variable: str | None = None, trailing: Iterable[Size | Dim] = ()) -> None:
        axes = "axes, each a Size or a Dim"
        object.__setattr__(self, "leading", tuple(_dimension(axis) for axis in arguments.several("leading", leading, axes)))
        object.__setattr__(self, "variable", None if variable is None else _name(variable))
        object.__setattr__(self, "trailing", tuple(_dimension(axis) for axis in arguments.several("trailing", trailing, axes)))

    def __str__(self) -> str:
        before, after = ", ".join(map(str, self.leading)), ", ".join(map(str, self.trailing))
        marker = "<>" if self.variable is None else f"<{self.variable}>"
        return "[" + " ".join(part for part in (before, marker, after) if part) + "]"

    def equals(self, other: Row) -> Constraint:
        """The constraint that both have the same axes.

        Raises:
            TypeError: ``other`` is no row.

        Example:
            >>> from lozenge import Dim, Row
            >>> str(Row([Dim("n")], "x").equals(Row([], "y")))
            '[n <x>] ~ [<y>]'
        """
        return Constraint(f"{self} ~ {_row(other)}")

    def below(self, operand: Row) -> Constraint:
        """The constraint that this, the result, may be broadcast from the operand.

        Raises:
            TypeError: ``operand`` is no row.

        Example:
            >>> from lozenge import Dim, Row
            >>> str(Row([Dim("n")]).below(Row([], "y")))
            '[n <>] <= [<y>]'
        """
        return Constraint(f"{self} <= {_row(operand)}")


def _row(term: object) -> Row:
    if isinstance(term, Row):
        return term
    raise TypeError(f"this is a {type(term).__name__}, and a row is a Row")


@dataclass(frozen=True, slots=True)
class Solution:
    """Values of all variables of a set.

    Attributes:
        dims: The dimensions by the names of their variables, as ``"5"`` or ``"3_rgb"``.
        rows: The rows by the names of their variables, which are ``"<x>"``, as ``"[2, 3]"``.
        standing: What each value rests on: ``"forced"``, ``"placed"``, ``"chosen"`` or ``"free"``. Empty where that is not asked.

    Example:
        >>> import lozenge as lz
        >>> solution = lz.Solver("[n <x>] ~ [2, 3, 4]").solve()
        >>> solution.dims["n"], solution.rows["<x>"], solution.standing["n"]
        ('2', '[3, 4]', 'forced')
    """

    dims: Mapping[str, str]
    rows: Mapping[str, str]
    standing: Mapping[str, str] = field(default_factory=lambda: frozen({}))


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of complete mode.

    Attributes:
        verdict: ``"sat"`` or ``"unsat"``.
        solution: A solution, where there is one.
        forced: What all solutions share, where that was asked; ``None`` where not.
        cited: The constraints that have no solution by themselves, as texts.

    Example:
        >>> import lozenge as lz
        >>> decision = lz.Solver("a = 3\\na = 4\\nb = 5").decide()
        >>> decision.verdict, decision.cited
        ('unsat', ('a = 3', 'a = 4'))
    """

    verdict: str
    solution: Solution | None
    forced: Solution | None
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entailment:
    """The answer whether a constraint holds in all solutions.

    Attributes:
        holds: Whether it does.
        because: The constraints of the set from which it follows, as texts.
        counterexample: A solution in which it does not hold.
        certificate: What ``lozenge verify`` checks without any search, as JSON; ``None`` where there is none.

    Example:
        >>> import lozenge as lz
        >>> found = lz.Solver("a = 3").entails("b = 3")
        >>> found.holds, found.counterexample.dims["a"]
        (False, '3')
    """

    holds: bool
    because: tuple[str, ...]
    counterexample: Solution | None
    certificate: str | None

    def __bool__(self) -> bool:
        return self.holds


def _solution(found: Mapping[str, Any]) -> Solution:
    return Solution(frozen(found["dims"]), frozen(found["rows"]), frozen(found.get("standing", {})))


def _cited(found: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(str(one["text"]) for one in found)


def _text(constraints: str | Constraint | Iterable[str | Constraint]) -> str:
    help = "a text, a Constraint, or several"
    alone = isinstance(constraints, (str, Constraint))
    lines = [constraints] if alone else arguments.several("constraints", constraints, help)
    return "\n".join(arguments.text("constraints", str(one) if isinstance(one, Constraint) else one, help) for one in lines)


class Solver:
    """A set of constraints that grows, and its solutions.

    Args:
        constraints: A text in the notation of ``.rows`` files, a ``Constraint``, or several: comparisons of dimensions and of rows, which are shapes.
        branches: The largest number of branches of complete mode.
        work: The largest number of its steps.

    Raises:
        ProgramError: The text is not in the notation; with its place.
        TypeError, ValueError: ``constraints`` is none of these, or a limit is no number.

    Example:
        >>> import lozenge as lz
        >>> solver = lz.Solver("[n <x>] ~ [2, 3, 4]")
        >>> solver.solve().dims["n"]
        '2'
        >>> solver.snapshot()
        >>> solver.add("n = 5")
        >>> solver.decide().verdict
        'unsat'
        >>> solver.rollback()
        True
        >>> bool(solver.entails("n = 2"))
        True
    """

    __slots__ = ("_constraints", "__weakref__")
    _constraints: _lozenge.Constraints

    def __init__(
        self,
        constraints: str | Constraint | Iterable[str | Constraint] = "",
        *,
        branches: int | None = None,
        work: int | None = None,
    ) -> None:
        for name, limit in [("branches", branches), ("work", work)]:
            if limit is not None:
                arguments.number(name, limit, 0, (1 << 64) - 1)
        object.__setattr__(self, "_constraints", _lozenge.Constraints(_text(constraints), branches, work))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: a solver changes by `add`, `snapshot` and `rollback`")

    def __len__(self) -> int:
        return self._constraints.count()

    def __str__(self) -> str:
        return self._constraints.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<lozenge.Solver with {len(self)} constraints>"

    def add(self, constraints: str | Constraint | Iterable[str | Constraint]) -> None:
        """Adds constraints.

        Raises:
            ProgramError: The text is not in the notation; with its place.

        Example:
            >>> import lozenge as lz
            >>> solver = lz.Solver("n = 3")
            >>> solver.add("[m <x>] ~ [n, 4]")
            >>> solver.solve().rows["<x>"]
            '[4]'
        """
        self._constraints.add(_text(constraints))

    def snapshot(self) -> None:
        """Marks a place to which ``rollback`` returns.

        Raises:
            Nothing.

        Example:
            >>> import lozenge as lz
            >>> solver = lz.Solver("n = 3")
            >>> solver.snapshot()
            >>> solver.add("m = 4")
            >>> solver.rollback(), len(solver)
            (True, 1)
        """
        self._constraints.snapshot()

    def rollback(self) -> bool:
        """Takes back what was added since the last mark; ``False`` if there is none.

        Raises:
            Nothing.

        Example:
            >>> import lozenge as lz
            >>> lz.Solver("n = 3").rollback()
            False
        """
        return self._constraints.rollback()

    def solve(self, *, close: bool = False) -> Solution:
        """The solution of the set, as policy gives it; with ``close`` what is open is closed.

        Raises:
            ShapeError: There is none, or policy cannot find one: the message says which constraints cannot hold together.
            Unknown: A limit was reached.

        Example:
            >>> import lozenge as lz
            >>> dict(lz.Solver("[n <x>] ~ [2, 3, 4]").solve().rows)
            {'<x>': '[3, 4]'}
            >>> try:
            ...     lz.Solver("n = 3\\nn = 4").solve()
            ... except lz.ShapeError as error:
            ...     print(str(error).splitlines()[0])
            unsat: the dimensions 3 and 4 cannot be equal (de_clash)
        """
        found = data.read(self._constraints.solve(bool(close)))
        if found["verdict"] == "sat":
            return _solution(found)
        if found["verdict"] == "unknown":
            raise Unknown(found.get("limit") or found.get("text") or "the set is not decided")
        raise ShapeError(found["text"].rstrip("\n"))

    def decide(self, *, forced: bool = False) -> Decision:
        """Decides whether there is a solution, whatever policy would choose; with ``forced`` also what all solutions share.

        Raises:
            Unknown: A limit was reached, which the message names.

        Example:
            >>> import lozenge as lz
            >>> dict(lz.Solver("[a, b] ~ [2 <x>]\\n3 <= b").decide(forced=True).forced.dims)
            {'a': '2'}
        """
        found = data.read(self._constraints.decide(bool(forced)))
        if found["verdict"] == "unknown":
            raise Unknown(found["limit"] or "the set is not decided")
        solution = _solution(found) if "dims" in found else None
        if found.get("undecided"):
            name, limit = next(iter(found["undecided"].items()))
            raise Unknown(f"whether all solutions share `{name}` is not known: {limit}")
        shared = _solution(found["forced"]) if "forced" in found else None
        cited = found["cited"] or found.get("refusal", {}).get("chain", ())
        return Decision(found["verdict"], solution, shared, _cited(cited))

    def entails(self, constraint: str | Constraint) -> Entailment:
        """Decides whether a constraint holds in all solutions.

        Raises:
            Unknown: A limit was reached, which the message names.

        Example:
            >>> import lozenge as lz
            >>> found = lz.Solver("a = b\\nb = 3").entails("a = 3")
            >>> found.holds, sorted(found.because)
            (True, ['a = b', 'b = 3'])
        """
        answer, certificate = self._constraints.entails(_text(constraint))
        found = data.read(answer)
        if found["holds"] is None:
            raise Unknown(found["limit"])
        counterexample = _solution(found["in"]) if "in" in found else None
        return Entailment(found["holds"], _cited(found.get("because", ())), counterexample, certificate)

    def forced(self) -> Solution:
        """Returns the values that all solutions share.

        Raises:
            ShapeError: There is no solution.
            Unknown: A limit was reached.

        Example:
            >>> import lozenge as lz
            >>> dict(lz.Solver("[a, b] ~ [2 <x>]\\n3 <= b").forced().dims)
            {'a': '2'}
        """
        decision = self.decide(forced=True)
        if decision.forced is None:
            raise ShapeError("the set has no solution", notes=decision.cited)
        return decision.forced

    def certificate(self) -> str | None:
        """A certificate that there is no solution, for ``lozenge verify``, as JSON; ``None`` where none is written.

        Raises:
            Nothing.

        Example:
            >>> import lozenge as lz
            >>> lz.Solver("[3, 3 <r>] ~ [<r> 5, 5]").certificate() is None
            False
        """
        return self._constraints.certify()

    def explain(self, variable: str | Dim) -> str | None:
        """Derives the value of a variable, ``"n"`` or ``"<x>"``; ``None`` where it has none.

        Raises:
            ValueError, TypeError: ``variable`` is no variable.

        Example:
            >>> import lozenge as lz
            >>> s = lz.Solver("n = 3")
            >>> _ = s.solve()
            >>> "n" in s.explain("n")
            True
        """
        name = str(variable) if isinstance(variable, Dim) else arguments.text("variable", variable, "a Dim, or the name of a variable, as n or <x>")
        return self._constraints.explain(name)
