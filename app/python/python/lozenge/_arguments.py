"""Checks of arguments: an exception names the argument, whatever it was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def kind(value: object) -> str:
    """The name of the type of a value, for messages."""
    return type(value).__name__


def text(name: str, value: object, help: str) -> str:
    """A text, which has to be one that can be written down."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is a {kind(value)}: give {help}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"`{name}` has half a character at position {error.start}, {value[error.start]!r}: give {help}") from None
    return value


def texts(name: str, value: object, help: str) -> list[str]:
    """Texts; one alone is a list of one."""
    if isinstance(value, str):
        return [text(name, value, help)]
    return [text(name, one, help) for one in several(name, value, help)]


def several(name: str, value: object, help: str) -> list[Any]:
    """Returns the items of something iterable, or refuses it with the help."""
    try:
        return list(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise TypeError(f"`{name}` is a {kind(value)}: give {help}") from None


def mapping(name: str, value: object, help: str) -> dict[str, Any]:
    """A mapping from names; nothing is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"`{name}` is a {kind(value)}: give {help}")
    return {text(f"a name in {name}", key, "a text"): one for key, one in value.items()}


def number(name: str, value: object, least: int, most: int) -> int:
    """A number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        bounds = f"from {least} on" if most >= (1 << 62) else f"from {least} to {most}"
        raise ValueError(f"`{name}` is {short(value)}: give a number {bounds}")
    return value


def precision(value: object) -> None:
    """Refuses what is no precision."""
    if not isinstance(value, str) or value not in ("f32", "f64"):
        raise ValueError(f"`precision` is {short(value)}: it is 'f32' or 'f64'")


def arrays(inputs: object, more: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of a mapping and of keywords together."""
    given = mapping("inputs", inputs, "arrays by the names of tensors")
    for name, array in more.items():
        if name in given:
            raise TypeError(f"`{name}` is given twice")
        given[name] = array
    return given


def short(value: object) -> str:
    """The value as it is written, if that is short."""
    written = repr(value)
    return written if len(written) <= 60 and "\n" not in written else f"a {kind(value)}"
