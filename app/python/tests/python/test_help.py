"""Texts of `help`: of every public name, and of every method and property of it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator

import pytest

import lozenge as lz


def names() -> Iterator[tuple[str, object]]:
    """Lists what users see: the names of the package, and the methods and properties of its classes."""
    for name in lz.__all__:
        found = getattr(lz, name)
        if inspect.ismodule(found):
            yield from ((f"{name}.{inner}", getattr(found, inner)) for inner in found.__all__)
        elif not name.startswith("__"):
            yield name, found
        if inspect.isclass(found):
            yield from ((f"{name}.{inner}", value) for inner, value in members(found))


def members(found: type) -> Iterator[tuple[str, object]]:
    """Lists the methods and properties of a class that are its own, and no fields."""
    fields = {field.name for field in dataclasses.fields(found)} if dataclasses.is_dataclass(found) else set()
    for name, value in vars(found).items():
        is_public = name == "__call__" or not name.startswith("_")
        if is_public and name not in fields and (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
            yield name, value


PUBLIC = dict(names())

# Classes that users call themselves. The others are answers, exceptions, and what functions of the package make.
MADE_BY_USERS = {"Constraint", "Dim", "Row", "Size", "Solver"}

# Words of annotations of which one stands for arrays or for their sizes.
SHAPED = ("Array", "Given", "Shape", "Sizes", "Serializable", "AxonProgram", "Gradient", "Result", "Row", "Size", "Sequence[int]")


def test_the_names_are_those_of_the_package() -> None:
    assert len(PUBLIC) > 75
    assert {"Sizes.admits", "Gradient.__call__", "Story.html", "testing.assert_sizes"} <= PUBLIC.keys()
    assert not {"Story.admitted", "Sizes._data"} & PUBLIC.keys()


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_says_what_it_is_and_has_an_example(name: str) -> None:
    text = inspect.getdoc(PUBLIC[name]) or ""
    first, _, rest = text.partition("\n")
    assert len(first.split()) > 1 and first.rstrip(".:")[:1].isupper(), first
    assert "Example:" in rest and ">>> " in rest, f"{name} has no example"


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_that_is_called_names_its_errors(name: str) -> None:
    found = PUBLIC[name]
    if isinstance(found, property) or (inspect.isclass(found) and name not in MADE_BY_USERS):
        return
    text = inspect.getdoc(found) or ""
    assert "Raises:\n    " in text, name


@pytest.mark.parametrize("name", PUBLIC)
def test_whatever_takes_or_gives_arrays_speaks_of_shapes(name: str) -> None:
    found = PUBLIC[name]
    called = found.fget if isinstance(found, property) else found
    if inspect.isclass(called) or not callable(called):
        return
    annotations = " ".join(str(one) for one in inspect.get_annotations(called).values())
    if any(word in annotations for word in SHAPED):
        words = (inspect.getdoc(found) or "").lower()
        assert any(word in words for word in ("shape", "size", "row", "axes")), f"{name}: {annotations}"
