"""Programs of both languages, from texts and from files."""

from __future__ import annotations

import os
from typing import Literal, overload

from lozenge import _arguments as arguments
from lozenge._axon import AxonProgram, Table
from lozenge._errors import ProgramError
from lozenge._programs import Program

Language = Literal["loz", "axon"]


@overload
def program(
    text: str | os.PathLike[str],
    /,
    *,
    language: Literal["axon"],
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    table: Table = "paper",
) -> AxonProgram: ...


@overload
def program(
    text: str,
    /,
    *,
    language: Literal["loz"] | None = None,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    table: None = None,
    **sizes: int,
) -> Program: ...


@overload
def program(
    text: os.PathLike[str],
    /,
    *,
    language: Literal["loz"],
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    table: None = None,
    **sizes: int,
) -> Program: ...


@overload
def program(
    text: os.PathLike[str],
    /,
    *,
    language: None = None,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    table: None = None,
    **sizes: int,
) -> Program | AxonProgram: ...


def program(
    text: str | os.PathLike[str],
    /,
    *,
    language: Language | None = None,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    table: Table | None = None,
    **sizes: int,
) -> Program | AxonProgram:
    """Reads a program of the language lozenge or of Axon, and infers the shapes of all its tensors, or the types of its functions.

    Args:
        text: The program, or its file: a ``pathlib.Path``, or a text of one line that ends in ``.loz`` or ``.axon``.
        language: ``"loz"`` or ``"axon"``. If it is not given, a file that ends in ``.axon`` is one of Axon, and everything else is not.
        name: What messages call it; that of the file, if there is one.
        folder: Where the files are that it reads; the folder of its own file, if there is one. Without one no file is read.
        table: The signatures of operators of an Axon program: ``"paper"``, ``"printed"`` or ``"broadcast"``.
        sizes: Sizes from outside, in place of its ``size`` lines.

    Returns:
        A ``Program``, or an ``AxonProgram``.

    Raises:
        ProgramError: The text is wrong; with line and column.
        ShapeError: The shapes do not fit; the message marks both places.
        OSError: The file cannot be read.

    Example:
        >>> import lozenge as lz
        >>> lz.program("data x : 6|->4 = range(24)\\nlet y = dense(3)(x)").shapes["y"]
        '6|->3'
        >>> lz.program("examples/axon/batched.axon").shapes["attention"]
        'f32 a@[b,c], f32 a@[d,c], f32 a@[d,e], f32 -> f32 a@[b,e]'
    """
    if not isinstance(text, (str, os.PathLike)):
        raise TypeError(f"`text` is a {type(text).__name__}: give the text of a program, or a path")
    path = _file(text)
    if path is None:
        source = arguments.text("text", text, "the text of a program")
    else:
        source = _read(path)
        name = path if name is None else name
        folder = os.path.dirname(path) or "." if folder is None else folder
    name = "<program>" if name is None else arguments.text("name", name, "a text")
    if folder is not None and not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"`folder` is a {type(folder).__name__}: give a path")
    place = None if folder is None else arguments.text("folder", os.fspath(folder), "a path")
    if language is None:
        language = "axon" if path is not None and path.endswith(".axon") else "loz"
    if not isinstance(language, str) or language not in ("loz", "axon"):
        raise ValueError(f"`language` is {arguments.short(language)}: it is 'loz' or 'axon'")
    if language == "axon":
        for one in sizes:
            raise TypeError(f"`{one}` is given, and an Axon program takes no sizes from outside: at({one}=(…)) takes shapes")
        if table is not None and (not isinstance(table, str) or table not in ("paper", "printed", "broadcast")):
            raise ValueError(f"`table` is {arguments.short(table)}: it is 'paper', 'printed' or 'broadcast'")
        return AxonProgram._made(source, name, place, table or "paper")
    if isinstance(table, str):
        raise TypeError("`table` is for programs of Axon: language='axon'")
    if table is not None:
        sizes["table"] = table
    for one, size in sizes.items():
        arguments.number(one, size, 1, (1 << 63) - 1)
    return Program._made(source, name, place, dict(sizes))


def _file(text: str | os.PathLike[str]) -> str | None:
    """The path of a program; nothing if the program itself is given."""
    if not isinstance(text, str):
        return arguments.text("text", os.fspath(text), "a path that is a text")
    is_path = "\n" not in text and text.endswith((".loz", ".axon")) and "#" not in text
    return arguments.text("text", text, "a path") if is_path else None


def _read(path: str) -> str:
    with open(path, "rb") as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProgramError(f"{path}: byte {error.start} is not UTF-8") from None
