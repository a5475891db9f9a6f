"""The exceptions of the package."""

from __future__ import annotations

import html
import sys
from collections.abc import Mapping, Sequence
from typing import Any

Sizes = Mapping[str, "int | tuple[int, ...]"]


def _noted(error: BaseException, notes: Sequence[str]) -> None:
    """Adds notes, which a traceback prints below the message; Python 3.10 has none, and they stand in the message."""
    if sys.version_info >= (3, 11):
        for note in notes:
            error.add_note(note)
    elif notes:
        error.args = ("\n".join([str(error.args[0]), *notes]), *error.args[1:])


class ShapeError(ValueError):
    """Sizes that do not fit.

    Attributes:
        nodes: The names of the nodes of a model that refuse them; empty where there are none.
        witness: Sizes of the inputs that are refused, by the names of the inputs; ``None`` where there are none.

    Example:
        >>> import lozenge as lz
        >>> try:
        ...     lz.program("data x : 2->3 = range(6)\\nlet y = x * x")
        ... except lz.ShapeError as error:
        ...     print(str(error).splitlines()[0])
        error: `x` takes 2 inputs, `x` gives 3
    """

    nodes: tuple[str, ...]
    witness: dict[str, int | tuple[int, ...]] | None

    def __init__(
        self,
        message: str,
        nodes: Sequence[str] = (),
        witness: Sizes | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self._message = message
        self.nodes = tuple(nodes)
        self.witness = None if witness is None else dict(witness)
        self._notes_given = tuple(notes)
        _noted(self, notes)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._message, self.nodes, self.witness, self._notes_given))

    @property
    def story(self) -> str:
        """The message with its notes, line by line.

        Example:
            >>> import lozenge as lz
            >>> try:
            ...     lz.check("examples/models/detector.onnx", image="b 3 h w")
            ... except lz.ShapeError as error:
            ...     print(error.story.splitlines()[0])
            the model refuses image=[1, 3, 1, 5]
        """
        return "\n".join([self._message, *self._notes_given])

    @property
    def html(self) -> str:
        """The story for a page.

        Example:
            >>> import lozenge as lz
            >>> try:
            ...     lz.check("examples/models/detector.onnx", image="b 3 h w")
            ... except lz.ShapeError as error:
            ...     print(error.html[:22])
            <pre>the model refuses
        """
        return f"<pre>{html.escape(self.story)}</pre>"


class Unknown(Exception):
    """A question whose answer is not known: the message names the limit that was reached.

    Example:
        >>> import lozenge as lz
        >>> issubclass(lz.Unknown, ValueError)
        False
    """


class ModelError(ValueError):
    """A file that is no model, or one that contradicts itself.

    Attributes:
        place: The place in the file, such as a byte or a node; ``None`` where it is the file as a whole.
        help: What to do about it; ``None`` where nothing is known.

    Example:
        >>> import lozenge as lz
        >>> try:
        ...     lz.sizes(b"GGUF")
        ... except lz.ModelError as error:
        ...     print(error)
        the first bytes are those of a GGUF file, which holds weights and no graph
    """

    place: str | None
    help: str | None

    def __init__(self, message: str, place: str | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self._message = message
        self.place = place
        self.help = help
        if help is not None:
            _noted(self, [help])

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._message, self.place, self.help))


class ProgramError(ValueError):
    """A program whose text is wrong, or whose run goes wrong.

    Attributes:
        line: The line of the first message, from 1.
        column: The column of the first message, from 1.

    Example:
        >>> import lozenge as lz
        >>> try:
        ...     lz.program("let y = x")
        ... except lz.ProgramError as error:
        ...     print(error.line, error.column)
        1 9
    """

    line: int | None
    column: int | None

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.line, self.column))


class InternalError(RuntimeError):
    """A defect of lozenge: a part of it ended where it should have answered. The message says what reproduces it.

    Example:
        >>> import lozenge as lz
        >>> issubclass(lz.InternalError, RuntimeError)
        True
    """
