"""Answers that are read piece by piece."""

from __future__ import annotations

import json

import pytest

from lozenge import _data


@pytest.mark.parametrize("at_once", [0, 1 << 20])
def test_pieces_of_json_are_the_whole(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_data, "AT_ONCE", at_once)
    deep: object = {"é": [1, -2.5e-7, None, True, "\\u2028 \"]} , : {", "\\"], "": {}}
    for _ in range(8):
        deep = [deep, {"a": deep, "b,": [], "c": "]"}]
        whole = [deep, [], {}, "", 0, [[]], {"x": {}}]
        for value in [*whole, whole, {"all": whole, "none": None}]:
            for ascii_only in [False, True]:
                text = json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
                assert _data.read(text) == value
