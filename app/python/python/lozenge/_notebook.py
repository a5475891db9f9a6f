"""The cell magics ``%%loz`` and ``%%axon`` of notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lozenge._axon import AxonProgram
    from lozenge._programs import Program, Result


def loz(line: str, cell: str, shell: Any) -> Program:
    """Runs a cell as a program: data without values is filled with the arrays of the notebook that have its names.

    Names on the line are tensors that are shown beside what is printed. The result is that of the last run, also as the variable ``_loz``.
    """
    from lozenge._reading import program

    made = program(cell, language="loz", name="<cell>")
    result = made.run(_variables("data", made.inputs, shell), show=line.split())
    _show("_loz", result, shell)
    return made


def axon(line: str, cell: str, shell: Any) -> AxonProgram:
    """Runs a cell as a program of Axon: what it prints, or where it prints nothing, its last function with the arrays of the notebook that have the names of its parameters.

    A name on the line is the function that is called instead. The result is that of the last run, also as the variable ``_axon``.
    """
    from lozenge._reading import program

    made = program(cell, language="axon", name="<cell>")
    words = line.split()
    if len(words) > 1:
        raise ValueError(f"%%axon takes the name of one function, and {line!r} are {len(words)}")
    function = words[0] if words else None
    known = made.inputs if function is None else made.functions.get(function, ())
    result = made.run(_variables("parameter", known, shell), function=function)
    _show("_axon", result, shell)
    return made


def _variables(what: str, names: Iterable[str], shell: Any) -> dict[str, Any]:
    """The variables of the notebook with these names."""
    variables: Mapping[str, Any] = shell.user_ns
    names = list(names)
    missing = [name for name in names if name not in variables]
    if missing:
        raise NameError(f"the {what} `{missing[0]}` has no values: the notebook has no variable of that name")
    return {name: variables[name] for name in names}


def _show(variable: str, result: Result, shell: Any) -> None:
    for name, array in result.items():
        print(f"{name} =\n{array}" if array.ndim else f"{name} = {array}")
    shell.user_ns[variable] = result


def register(shell: Any) -> None:
    """Adds the magics to a notebook."""

    def loz_magic(line: str, cell: str) -> Any:
        return loz(line, cell, shell)

    def axon_magic(line: str, cell: str) -> Any:
        return axon(line, cell, shell)

    shell.register_magic_function(loz_magic, magic_kind="cell", magic_name="loz")
    shell.register_magic_function(axon_magic, magic_kind="cell", magic_name="axon")
