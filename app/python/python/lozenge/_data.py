"""Answers of the compiled part, which come as JSON."""

from __future__ import annotations

import json
from typing import Any

AT_ONCE = 1 << 20
"""The number of characters that are read at once. No Ctrl-C is heard while the ``json`` of Python reads; this many take a few milliseconds."""

DEEPEST = 3
"""The depth of nesting down to which a longer text is read piece by piece."""

_decoder = json.JSONDecoder()


def read(text: str) -> Any:
    """Reads JSON without spaces. A long text is read piece by piece, so that Ctrl-C is heard in between."""
    return json.loads(text) if len(text) <= AT_ONCE else _read(text, 0, DEEPEST)[0]


def _read(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The value that begins at a place, and the place behind it."""
    if depth == 0 or text[at] not in "[{" or text[at + 1] in "]}":
        return _decoder.raw_decode(text, at)
    if text[at] == "[":
        items: list[Any] = []
        while text[at] != "]":
            item, at = _read(text, at + 1, depth - 1)
            items.append(item)
        return items, at + 1
    fields: dict[str, Any] = {}
    while text[at] != "}":
        name, at = _decoder.raw_decode(text, at + 1)
        # A colon stands between both.
        fields[name], at = _read(text, at + 1, depth - 1)
    return fields, at + 1
