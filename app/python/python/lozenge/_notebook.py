"""The cell magic ``%%loz`` of notebooks."""

from __future__ import annotations

from typing import Any


def loz(line: str, cell: str, shell: Any) -> Any:
    """Runs a cell as a program: data without values is filled with the arrays of the notebook that have its names.

    Names on the line are tensors that are shown beside what is printed. The result is that of the last run, also as the variable ``_loz``.
    """
    from lozenge._programs import program

    made = program(cell, name="<cell>")
    variables = shell.user_ns
    missing = [name for name in made.inputs if name not in variables]
    if missing:
        raise NameError(f"the data `{missing[0]}` has no values: the notebook has no variable of that name")
    result = made.run({name: variables[name] for name in made.inputs}, show=line.split())
    for name, array in result.items():
        print(f"{name} =\n{array}" if array.ndim else f"{name} = {array}")
    variables["_loz"] = result
    return made


def register(shell: Any) -> None:
    """Adds the magic to a notebook."""

    def magic(line: str, cell: str) -> Any:
        return loz(line, cell, shell)

    shell.register_magic_function(magic, magic_kind="cell", magic_name="loz")
