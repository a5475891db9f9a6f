"""Texts of `help`."""

from __future__ import annotations

import inspect

import pytest

import lozenge as lz

NAMES = [name for name in lz.__all__ if not name.startswith("__")]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example(name: str) -> None:
    found = getattr(lz, name)
    text = inspect.getdoc(found) or ""
    assert len(text.split()) > 8, name
    if name == "testing":
        found = found.assert_sizes
        text = inspect.getdoc(found) or ""
    assert ">>> " in text, f"{name} has no example"


@pytest.mark.parametrize("name", NAMES)
def test_every_public_method_says_what_it_does(name: str) -> None:
    found = getattr(lz, name)
    if not inspect.isclass(found):
        assert inspect.ismodule(found) or "Raises:" in (inspect.getdoc(found) or ""), name
        return
    for method, value in vars(found).items():
        if not method.startswith("_") and (callable(value) or isinstance(value, property)):
            assert (inspect.getdoc(value) or "").strip(), f"{name}.{method}"

