"""Models: which sizes they take, and proofs that they take all sizes of a pattern."""

from __future__ import annotations

import html
import importlib
import io
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, Protocol

from lozenge import _data as data
from lozenge import _lozenge
from lozenge import _arguments as arguments
from lozenge._answers import Branch, ModelWarning, Point, Proof, Refusal, Shape, Story, Value, frozen
from lozenge._errors import ModelError, Unknown

Given = int | Sequence[int] | Any
"""The shape of an input, an array of that shape, or the number of an integer input."""


class Serializable(Protocol):
    """An object that gives its bytes, such as an ``onnx.ModelProto``."""

    def SerializeToString(self) -> bytes: ...


Source = str | os.PathLike[str] | bytes | bytearray | memoryview | Serializable | Any
"""A path, the content of a file, an ``onnx.ModelProto``, or a ``torch.export.ExportedProgram``."""


def _module(source: object) -> str:
    return type(source).__module__.partition(".")[0]


def _content(source: Source, example: Sequence[object] | None) -> tuple[bytes | None, str | None]:
    """The content of a model, or the path of its file."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if not isinstance(path, str):
            raise TypeError(f"the path of the model is {path!r}, which is no text")
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            raise ValueError(f"the path of the model is {path!r}, which is the name of no file") from None
        if "\0" in path:
            raise ValueError(f"the path of the model is {path!r}, which is the name of no file")
        if os.path.isdir(path):
            raise ModelError(f"{path} is a folder, not a model file")
        return None, path
    if callable(getattr(source, "SerializeToString", None)):
        content = source.SerializeToString()
        if not isinstance(content, bytes):
            raise TypeError(f"SerializeToString of a {type(source).__name__} gives no bytes")
        return content, None
    if hasattr(source, "mlir_module"):
        raise NotImplementedError(
            "models of jax.export are not read yet: docs/python/jax.md says what can be asked until they are"
        )
    if _is_exported(source) or (example is not None and callable(source)):
        return _exported(source, example), None
    raise TypeError(
        f"a {type(source).__name__} is no model: give a path, the bytes of a file, an onnx.ModelProto, "
        "a torch.export.ExportedProgram, or a torch module with example arguments"
    )


def _is_exported(source: object) -> bool:
    return hasattr(source, "graph_signature") and hasattr(source, "graph_module")


def _exported(source: Any, example: Sequence[object] | None) -> bytes:
    """Saves a program of torch.export to memory; a module is exported first, with every axis automatic."""
    torch: Any = importlib.import_module("torch")  # torch is imported only here
    if example is not None:
        if not isinstance(example, (tuple, list)):
            raise TypeError(f"the example arguments are a {type(example).__name__}: give a tuple")
        values: tuple[Any, ...] = tuple(example)
        automatic = tuple(
            {axis: torch.export.Dim.AUTO for axis in range(value.dim())} if isinstance(value, torch.Tensor) else None for value in values
        )
        source = torch.export.export(source, values, dynamic_shapes=automatic)
    file = io.BytesIO()
    torch.export.save(source, file)
    return file.getvalue()


def _conditions(where: str | Sequence[str]) -> str:
    texts = arguments.texts("where", where, "a text, as 'h % 32 = 0'")
    return ", ".join(text for text in texts if text.strip())


def _relaxed(relax: bool | str | Sequence[str]) -> bool | list[str]:
    if isinstance(relax, bool):
        return relax
    return arguments.texts("relax", relax, "names of inputs, or True for all")


class Sizes:
    """The sizes that a model takes: the whole set, and questions about points of it.

    ``lozenge.sizes`` makes it. It does not change, and can be pickled; several threads may ask it at once.

    Example:
        >>> import lozenge as lz
        >>> s = lz.sizes("examples/models/detector.onnx")
        >>> s.inputs
        {'image': '[b, 3, h, w]'}
        >>> s.admits(image=(1, 3, 28, 40))
        True
    """

    __slots__ = ("_model", "_source", "_relax", "_where", "_limits", "_report", "_text", "__weakref__")

    _model: _lozenge.Model
    _source: tuple[bytes | None, str | None, tuple[int, int] | None]
    _relax: bool | tuple[str, ...]
    _where: str
    _limits: Mapping[str, int]
    _report: dict[str, Any] | None
    _text: str | None

    def __init__(self) -> None:
        raise TypeError("lozenge.sizes(model) makes this object")

    @staticmethod
    def _made(
        source: tuple[bytes | None, str | None],
        relax: bool | list[str],
        where: str,
        limits: Mapping[str, int],
    ) -> Sizes:
        content, path = source
        stamp = _stamp(path)
        sizes = object.__new__(Sizes)
        sets = object.__setattr__
        sets(sizes, "_model", _lozenge.Model(content, path, relax, where, dict(limits)))
        sets(sizes, "_source", (content, path, stamp))
        sets(sizes, "_relax", relax if isinstance(relax, bool) else tuple(relax))
        sets(sizes, "_where", where)
        sets(sizes, "_limits", dict(limits))
        sets(sizes, "_report", None)
        sets(sizes, "_text", None)
        return sizes

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: the sizes of a model do not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be deleted: the sizes of a model do not change")

    def __reduce__(self) -> tuple[Any, ...]:
        content, path, stamp = self._source
        if content is None and path is not None:
            with open(path, "rb") as file:
                content = file.read()
            if _stamp(path) != stamp:
                raise ModelError(f"{path} has changed since it was read, so what was read cannot be pickled")
        relax = self._relax if isinstance(self._relax, bool) else list(self._relax)
        return (Sizes._made, ((content, None), relax, self._where, self._limits))

    def _given(self, sizes: Mapping[str, Given] | Given | None, named: Mapping[str, Given]) -> dict[str, Any]:
        """The sizes of inputs by their names. One without a name belongs to the only input."""
        given: dict[str, Any] = {}
        if isinstance(sizes, Mapping):
            given.update(arguments.mapping("inputs", sizes, "sizes by the names of inputs"))
        elif sizes is not None:
            inputs = self._model.inputs
            if len(inputs) != 1:
                raise TypeError(f"the model has several inputs: name them, as in {inputs[0] if inputs else 'x'}=(1, 3)")
            given[inputs[0]] = sizes
        for name, value in named.items():
            if name in given:
                raise TypeError(f"`{name}` is given twice")
            given[name] = value
        return {name: _kept(value) for name, value in given.items()}

    def _data(self) -> dict[str, Any]:
        if self._report is None:
            object.__setattr__(self, "_report", data.read(self._model.report()))
        assert self._report is not None
        return self._report

    def __str__(self) -> str:
        if self._text is None:
            object.__setattr__(self, "_text", self._model.text().rstrip("\n"))
        assert self._text is not None
        return self._text

    def __repr__(self) -> str:
        inputs = ", ".join(self._model.inputs)
        return f"<lozenge.Sizes of a model ({self._model.format}) with {self._model.node_count} nodes and the inputs {inputs}>"

    @property
    def verdict(self) -> str:
        """The verdict: ``"sat"`` where some sizes are admitted, ``"unsat"`` where none are, ``"unknown"``.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").verdict
            'sat'
        """
        return str(self._data()["verdict"])

    @property
    def inputs(self) -> Mapping[str, str]:
        """The shape of each input, in letters: ``{'image': '[b, 3, h, w]'}``. Shapes of several cases have `` or `` between them.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").inputs
            {'image': '[b, 3, h, w]'}
        """
        return self._shapes("inputs")

    @property
    def outputs(self) -> Mapping[str, str]:
        """The shape of each output as a function of the sizes of inputs: ``{'map': '[b, 1, 2*ceil(h/4), 2*ceil(w/4)]'}``.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").outputs
            {'map': '[b, 1, 2*ceil(h/4), 2*ceil(w/4)]'}
        """
        return self._shapes("outputs")

    def _shapes(self, which: str) -> Mapping[str, str]:
        shapes: dict[str, list[str]] = {}
        for case in self._data()["cases"]:
            for one in case[which]:
                known = shapes.setdefault(one["name"], [])
                if one["shape"] not in known:
                    known.append(one["shape"])
        return frozen({name: " or ".join(known) for name, known in shapes.items()})

    @property
    def warnings(self) -> tuple[ModelWarning, ...]:
        """Cases that are admitted and probably not meant.

        Example:
            >>> import lozenge as lz
            >>> [warning.kind for warning in lz.sizes("examples/models/detector.onnx").warnings]
            ['stretched', 'stretched']
        """
        found = self._data()["warnings"]
        return tuple(ModelWarning(one["kind"], one["words"], tuple(one["nodes"])) for one in found)

    @property
    def core(self) -> tuple[Refusal, ...]:
        """The nodes that together leave no sizes; empty where some are admitted.

        Example:
            >>> import lozenge as lz
            >>> s = lz.sizes("examples/models/detector.onnx", where="h = 30")
            >>> s.verdict, [refusal.node for refusal in s.core]
            ('unsat', ['', 'merge'])
        """
        return tuple(_refusal(one) for one in self._data()["core"])

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits that kept a part of the answer open; empty where the answer is complete.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").limits
            ()
        """
        return tuple(self._data()["limits"])

    def report(self) -> dict[str, Any]:
        """The whole answer as data, as ``lozenge sizes MODEL --format json`` gives it: cases with boxes, outputs and causes.

        Raises:
            Nothing.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").report()["cases"][0]["inputs"]
            [{'name': 'image', 'shape': '[b, 3, h, w]'}]
        """
        report: dict[str, Any] = data.read(self._model.report())
        return report

    def admits(self, sizes: Mapping[str, Given] | Given | None = None, /, **named: Given) -> bool:
        """Says whether these sizes are admitted.

        Shapes are tuples of numbers, arrays of such a shape, or the numbers of integer inputs, by the names of the inputs; names that are no
        Python names stand in a mapping. The shape of an only input needs no name. An input that is left out is free: the answer is then
        whether some sizes of it are admitted.

        Raises:
            Unknown: The answer is not known; the message names the limit. At size 0 it may not be specified.
            TypeError, ValueError: What is given is no shape, or the model has no such input.

        Example:
            >>> import lozenge as lz
            >>> s = lz.sizes("examples/models/detector.onnx")
            >>> s.admits((1, 3, 30, 40))
            False
        """
        given = self._given(sizes, named)
        admitted = self._model.admits(given)
        if admitted is None:
            raise Unknown(_why_unknown(data.read(self._model.at(given))))
        return admitted

    def at(self, sizes: Mapping[str, Given] | Given | None = None, /, **named: Given) -> Point:
        """Answers about these sizes: whether they are admitted, the sizes of the outputs, the nodes that refuse them.

        Raises:
            TypeError, ValueError: As for ``admits``.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").at((1, 3, 31, 40)).outputs
            {'map': (1, 1, 16, 20)}
        """
        given = self._given(sizes, named)
        found = data.read(self._model.at(given))
        outputs = {name: None if shape is None else tuple(shape) for name, shape in found["outputs"]}
        story = self._story(given, found)
        return Point(frozen({name: _value(value) for name, value in given.items()}), found["admitted"], frozen(outputs), story)

    def nearest(
        self, sizes: Mapping[str, Given] | Given | None = None, /, **named: Given
    ) -> dict[str, tuple[int | None, int | None]]:
        """The nearest admitted sizes below and above, of each axis that has to change: ``None`` where there is none.

        An axis changes by itself while the others stay; where no single axis helps, as few as possible change together.

        Raises:
            TypeError, ValueError: As for ``admits``.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").nearest((1, 3, 30, 40))["h"]
            (28, 31)
        """
        return self._nearest(self._given(sizes, named))

    def _nearest(self, given: dict[str, Any]) -> dict[str, tuple[int | None, int | None]]:
        found = data.read(self._model.nearest(given))
        return {one["axis"]: (one["below"], one["above"]) for one in found}

    def why(self, sizes: Mapping[str, Given] | Given | None = None, /, **named: Given) -> Story:
        """Explains why these sizes are refused: the nodes with reasons, and the nearest admitted sizes.

        Raises:
            TypeError, ValueError: As for ``admits``.

        Example:
            >>> import lozenge as lz
            >>> print(lz.sizes("examples/models/detector.onnx").why((1, 3, 30, 40)))
            refused
              `merge` (onnx.Add@17): axis -2 has the sizes 15 and 16, which are neither equal nor 1
              admitted with h = 28 or 31
        """
        given = self._given(sizes, named)
        return self._story(given, data.read(self._model.at(given)))

    def _story(self, given: dict[str, Any], found: dict[str, Any]) -> Story:
        nearest = {} if found["admitted"] is True else self._nearest(given)
        known = {axis: sides for axis, sides in nearest.items() if sides != (None, None)}
        refusals = tuple(_refusal(one) for one in found["refusals"])
        return Story(found["admitted"], refusals, frozen(known), tuple(found["limits"]))

    def layers(self, case: int = 0) -> dict[str, str]:
        """The shape of each value inside the model as a function of the sizes of inputs.

        Raises:
            ValueError: The answer has no such case.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").layers()["map"]
            '[b, 1, 2*ceil(h/4), 2*ceil(w/4)]'
        """
        case = arguments.number("case", case, 0, len(self._data()["cases"]) - 1)
        return {one["name"]: one["shape"] for one in data.read(self._model.layers(case))}

    def lock(self) -> str:
        """The set as the text of a lock file, for ``against`` of a later version of the model.

        Raises:
            Unknown: The set is not known, or an input has no declared rank.

        Example:
            >>> import lozenge as lz
            >>> s = lz.sizes("examples/models/detector.onnx")
            >>> s.against(s.lock())
            ()
        """
        text = self._model.lock()
        return text.replace('","', '",\n"') + "\n"

    def against(self, lock: str) -> tuple[tuple[str, dict[str, Value] | None], ...]:
        """The differences from a set that was written down: words, and sizes that show it. Empty where all that was admitted is admitted, with
        outputs of the same sizes.

        Raises:
            ValueError: The text is none that ``lock`` made.
            Unknown: One of the sets is not known.

        Example:
            >>> import lozenge as lz
            >>> s = lz.sizes("examples/models/detector.onnx")
            >>> s.against(s.lock())
            ()
        """
        found = data.read(self._model.against(arguments.text("lock", lock, "the text of a lock file")))
        return tuple((one["words"], _witness(one.get("witness"))) for one in found)

    def _repr_html_(self) -> str:
        rows = []
        for case in self._data()["cases"]:
            for box in case["boxes"]:
                for symbol in box["symbols"]:
                    values = symbol.get("equals") or symbol["values"]
                    zero = " (0 too)" if symbol.get("zero") else ""
                    rows.append((symbol["name"], values + zero))
                rows += [("", relation) for relation in box["relations"]]
            rows += [(one["name"], one["shape"]) for one in [*case["inputs"], *case["outputs"]]]
        cells = "".join(f"<tr><td><code>{html.escape(a)}</code></td><td>{html.escape(b)}</td></tr>" for a, b in rows)
        warnings = "".join(f"<li>{html.escape(str(warning))}</li>" for warning in self.warnings)
        told = f"<p>Admitted, and probably not meant:</p><ul>{warnings}</ul>" if warnings else ""
        nothing = "" if rows else f"<pre>{html.escape(str(self))}</pre>"
        return f"<table><tr><th>size</th><th>admitted</th></tr>{cells}</table>{nothing}{told}"


def _kept(given: Given) -> Any:
    """Keeps what is given, so that it can be read twice."""
    return tuple(itertools.islice(given, MOST_AXES + 1)) if isinstance(given, Iterator) else given


MOST_AXES = 1 << 16
"""The largest number of axes of a shape: more is an endless iterator."""


def _stamp(path: str | None) -> tuple[int, int] | None:
    if path is None:
        return None
    try:
        found = os.stat(path)
    except OSError as error:
        raise ModelError(f"{path}: the file cannot be read: {error.strerror}") from None
    return (found.st_size, found.st_mtime_ns)


def _refusal(one: Mapping[str, Any]) -> Refusal:
    return Refusal(one["node"], one["operator"], one["words"], tuple(one.get("nodes", ())))


def _value(given: Given) -> Value:
    if isinstance(given, int):
        return given
    shape = getattr(given, "shape", given)
    return tuple(int(size) for size in shape)


def _witness(given: Mapping[str, Any] | None) -> dict[str, Value] | None:
    if given is None:
        return None
    return {name: value if isinstance(value, int) else tuple(value) for name, value in given.items()}


def _why_unknown(found: Mapping[str, Any]) -> str:
    if found["limits"]:
        return "; ".join(found["limits"])
    if found["unknown"]:
        names = ", ".join(f"{operator} (`{node}`)" for operator, node in found["unknown"])
        return f"the shapes of these operators are not known: {names}"
    return "at size 0 the operators of the model do not specify what happens"


def sizes(
    model: Source,
    example: Sequence[object] | None = None,
    *,
    relax: bool | str | Sequence[str] = False,
    where: str | Sequence[str] = "",
    **limits: int,
) -> Sizes:
    """Returns the sizes that a model takes: all of them, from the file alone. Nothing of the model is run.

    Args:
        model: A path, the bytes of a file, an ``onnx.ModelProto``, a ``torch.export.ExportedProgram``, or a torch module with ``example``.
        example: Example arguments of a torch module, which is exported with every axis automatic.
        relax: Frees the declared sizes of these inputs, or of all with ``True``.
        where: Comparisons that hold of the sizes, such as ``"h % 32 = 0, x[1] <= 4"``.
        limits: ``max_file_bytes``, ``max_nodes``, ``max_levels``, ``max_values``: how much is read of a model.

    Raises:
        ModelError: This is no model, or it contradicts itself; with the place.
        ValueError: ``where`` or ``relax`` is wrong; with the place.
        TypeError: ``model`` is none of these.

    Example:
        >>> import lozenge as lz
        >>> lz.sizes("examples/models/detector.onnx").outputs["map"]
        '[b, 1, 2*ceil(h/4), 2*ceil(w/4)]'
        >>> lz.sizes("examples/models/detector.onnx", where="h = w").admits((1, 3, 4, 8))
        False
    """
    return Sizes._made(_content(model, example), _relaxed(relax), _conditions(where), limits)


def branches(
    model: Source | Sizes,
    /,
    *,
    relax: bool | str | Sequence[str] = False,
    where: str | Sequence[str] = "",
) -> tuple[Branch, ...]:
    """The conditions on which a model branches, each with whether all inputs that come to it lie on one side.

    Args:
        model: As for ``sizes``, or what ``sizes`` made.
        relax: As for ``sizes``.
        where: As for ``sizes``.

    Raises:
        ModelError, ValueError, TypeError: As for ``sizes``.

    Example:
        >>> import lozenge as lz
        >>> lz.branches("examples/models/detector.onnx")
        ()
    """
    made = _asked(model, relax, where)
    return tuple(
        Branch(
            one["node"],
            one.get("branch"),
            one["verdict"],
            tuple((frozen(_witness(witness["at"]) or {}), witness["value"]) for witness in one["witnesses"]),
            tuple(one.get("true_if", ())),
            tuple(one.get("false_if", ())),
            one.get("reason"),
        )
        for one in data.read(made._model.branches())["branches"]
    )


def migrate(
    model: Source | Sizes,
    /,
    *,
    relax: bool | str | Sequence[str] = False,
    where: str | Sequence[str] = "",
) -> dict[str, Any]:
    """The annotations that the inputs of a model may get, as ``lozenge migrate MODEL --format json`` gives them: for each rank the sizes that may be
    numbers, their ranges, and what refuses the sizes beyond.

    Args:
        model: As for ``sizes``, or what ``sizes`` made.
        relax: As for ``sizes``.
        where: As for ``sizes``.

    Raises:
        ModelError, ValueError, TypeError: As for ``sizes``.

    Example:
        >>> import lozenge as lz
        >>> [one["name"] for one in lz.migrate("examples/models/detector.onnx")["inputs"]]
        ['image']
    """
    found: dict[str, Any] = data.read(_asked(model, relax, where)._model.migrate())
    return found


def _asked(model: Source | Sizes, relax: bool | str | Sequence[str], where: str | Sequence[str]) -> Sizes:
    """The model with what is asked about it."""
    if not isinstance(model, Sizes):
        return sizes(model, relax=relax, where=where)
    if relax is not False or where:
        raise ValueError("`relax` and `where` are given to `sizes`, not to a question about what it made")
    return model


def check(
    model: Source | Sizes,
    /,
    *,
    where: str | Sequence[str] = "",
    returns: Mapping[str, str] | None = None,
    relax: bool | str | Sequence[str] = False,
    inputs: Mapping[str, str | int] | None = None,
    **patterns: str | int,
) -> Proof:
    """Proves that a model takes **all** sizes of a pattern, or raises with sizes that it refuses.

    Patterns are those of einops: axes with spaces between them, ``_`` for a size and ``...`` for axes that are as the model declares them,
    arithmetic in brackets. A name stands for every size from 1 on that ``where`` leaves, and for 0 only where ``where`` says so (``b >= 0``).

    Args:
        model: As for ``sizes``, or what ``sizes`` made.
        where: Comparisons that hold of the names, such as ``"h % 32 = 0, b >= 1"``.
        returns: Patterns of outputs, which are proved as well.
        relax: As for ``sizes``.
        inputs: Patterns of inputs whose names are no Python names, or names of other arguments.
        patterns: A pattern for each input, or the number of an integer input. An input without one is free as far as it is declared.

    Raises:
        ShapeError: With ``witness``, sizes of the pattern that are refused or have other outputs, and ``nodes`` that refuse them.
        Unknown: There is no proof within the limits, or an operator is not known.
        ValueError: A pattern is wrong; with the place.

    Example:
        >>> import lozenge as lz
        >>> lz.check("examples/models/detector.onnx", image="b 3 h w", where="h % 4 = 0, w % 4 = 0").assumed
        ()
        >>> try:
        ...     lz.check("examples/models/detector.onnx", image="b 3 h w")
        ... except lz.ShapeError as error:
        ...     error.nodes
        ('merge',)
    """
    if isinstance(model, Sizes):
        if model._where:
            raise ValueError("these sizes were asked for with `where`: give that to `check` instead")
        if relax is not False:
            raise ValueError("`relax` is given to `sizes`, not to a check of what it made")
        made = model
    else:
        made = sizes(model, relax=relax)
    asked: dict[str, str | int] = arguments.mapping("inputs", inputs, "patterns by the names of inputs")
    for name, pattern in patterns.items():
        if name in asked:
            raise TypeError(f"`{name}` is given twice")
        asked[name] = pattern
    for name, pattern in asked.items():
        if isinstance(pattern, str):
            arguments.text(name, pattern, "a pattern")
    outputs = arguments.mapping("returns", returns, "patterns by the names of outputs")
    for name, pattern in outputs.items():
        arguments.text(f"returns[{name!r}]", pattern, "a pattern, as 'b 3 h w'")
    conditions = _conditions(where)
    assumed = made._model.prove(asked, outputs, conditions)
    parts = [f"{name}: {pattern}" for name, pattern in [*asked.items(), *outputs.items()]]
    return Proof(", ".join([*parts, *([conditions] if conditions else [])]), tuple(assumed))
