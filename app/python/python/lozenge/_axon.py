"""Programs of the language Axon: the types of functions, and runs at the sizes of arrays."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from lozenge import _arguments as arguments
from lozenge import _lozenge
from lozenge._answers import Shape, frozen
from lozenge._arrays import array_of, ready
from lozenge._programs import Program, Result

if TYPE_CHECKING:
    from lozenge._arrays import Array

Table = Literal["paper", "printed", "broadcast"]


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on the sizes of inputs that no type says.

    Attributes:
        condition: The condition, such as ``dim(x,0) % 2 = 0``.
        why: The reason for which it has to hold.
        line: The line that needs it.
        decided: The time at which it can be decided.

    Example:
        >>> import lozenge as lz
        >>> lz.program("halves = fn(x : f32 [(* n 2)]) { x + x }", language="axon").checks["halves"][0].condition
        'dim(x,0) % 2 = 0'
    """

    condition: str
    why: str
    line: int
    decided: str


class AxonProgram:
    """A program of the language Axon that has types. ``lozenge.program(text, language="axon")`` makes it, or a path that ends in ``.axon``; it does not change, and can be pickled.

    Example:
        >>> import numpy as np
        >>> import lozenge as lz
        >>> p = lz.program("softmax = fn(x) { e = exp(x - reduce(max, -inf, x)); e / reduce(+, 0f, e) }", language="axon")
        >>> p.shapes["softmax"]
        'f32 [a]@b -> f32 [a]@b'
        >>> p.run(x=np.zeros((4, 3)))["softmax"][0]
        array([0.25, 0.25, 0.25], dtype=float32)
    """

    __slots__ = ("_axon", "_made_of", "__weakref__")
    _axon: _lozenge.Axon
    _made_of: tuple[str, str, str | None, Table]

    def __init__(self) -> None:
        raise TypeError('lozenge.program(text, language="axon") makes this object')

    @staticmethod
    def _made(source: str, name: str, folder: str | None, table: Table) -> AxonProgram:
        program = object.__new__(AxonProgram)
        object.__setattr__(program, "_axon", _lozenge.Axon(source, name, folder, table))
        object.__setattr__(program, "_made_of", (source, name, folder, table))
        return program

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: a program does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return (AxonProgram._made, self._made_of)

    def __repr__(self) -> str:
        return f"<lozenge.AxonProgram with {', '.join(self.shapes) or 'nothing'}>"

    def __str__(self) -> str:
        return self.source

    @property
    def source(self) -> str:
        """The text.

        Example:
            >>> import lozenge as lz
            >>> lz.program("f = fn(x) { x + x }", language="axon").source
            'f = fn(x) { x + x }'
        """
        return self._made_of[0]

    @property
    def shapes(self) -> Mapping[str, str]:
        """The type of each name at the top of the program, with the shapes of inputs and results.

        Example:
            >>> import lozenge as lz
            >>> lz.program("f = fn(x, y) { matmul(x, y) }", language="axon").shapes["f"]
            't a@[b,c], t a@[c,d] -> t a@[b,d]'
        """
        return frozen({name: shown for name, shown, _, _ in self._axon.types()})

    @property
    def checks(self) -> Mapping[str, tuple[Check, ...]]:
        """The conditions that are left to be checked for each input, by the names at the top.

        Example:
            >>> import lozenge as lz
            >>> p = lz.program("halves = fn(x : f32 [(* n 2)]) { x + x }", language="axon")
            >>> [check.condition for check in p.checks["halves"]]
            ['dim(x,0) % 2 = 0']
        """
        return frozen({name: tuple(Check(*check) for check in checks) for name, _, _, checks in self._axon.types()})

    @property
    def functions(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the parameters of each function at the top.

        Example:
            >>> import lozenge as lz
            >>> lz.program("f = fn(x, y) { x + y }", language="axon").functions["f"]
            ('x', 'y')
        """
        return frozen({name: tuple(parameters) for name, parameters in self._axon.functions()})

    @property
    def inputs(self) -> tuple[str, ...]:
        """The arrays that ``run`` takes without ``function``: none where the program prints, else the parameters of its last function.

        Example:
            >>> import lozenge as lz
            >>> lz.program("f = fn(x, y) { x + y }", language="axon").inputs
            ('x', 'y')
        """
        last = self._axon.last_function()
        return () if last is None or self._axon.prints() else self.functions[last]

    @property
    def loops(self) -> str:
        """The loops of what the program prints, with the line of each. Those of a function depend on sizes: ``at(x=(2, 3)).loops``.

        Raises:
            ValueError: The program prints nothing: the loops of a function depend on the shapes of its arguments.

        Example:
            >>> import lozenge as lz
            >>> p = lz.program("data x : f32 [3] = [1, 2, 3]\\nprint x + x", language="axon")
            >>> print(p.loops)
            v_1 (line 2)
              for i0 in 0..3:
                v_1[i0] = x[i0] + x[i0]
        """
        if self._called(None, {}) is not None:
            raise ValueError("the program prints nothing, and loops of a function depend on sizes: at(name=(…)).loops")
        return _loops(self._axon.at(None, {}).loops())

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings, as the command prints them.

        Example:
            >>> import lozenge as lz
            >>> lz.program("f = fn(x) { x + x }", language="axon").warnings
            ()
        """
        return tuple(self._axon.warnings())

    def at(self, shapes: Mapping[str, Sequence[int]] | None = None, /, *, function: str | None = None, **more: Sequence[int]) -> Program:
        """A function at the given shapes of its arguments, as a program of the other language: with the shape and the loops of each tensor, gradients, and runs.

        Args:
            shapes: Shapes by the names of parameters, for names that are no Python names.
            function: The function; the last one at the top of the program if it is not given.
            more: Shapes by the names of parameters.

        Raises:
            ShapeError: The function does not take these shapes.
            ValueError: A shape is missing, or the function has no such parameter.

        Example:
            >>> import lozenge as lz
            >>> p = lz.program("f = fn(x : f32 [m,n], y : f32 [n,k]) { matmul(x, y) }", language="axon").at(x=(2, 3), y=(3, 4))
            >>> dict(p.inputs)
            {'x': (2, 3), 'y': (3, 4)}
        """
        given = arguments.mapping("shapes", shapes, "shapes by the names of parameters")
        given |= more
        sizes = {name: _sizes(name, shape) for name, shape in given.items()}
        name = self._function(function)
        text = self._axon.at(name, sizes).text()
        return Program._made(text, f"{self._made_of[1]} at given shapes", self._made_of[2], {})

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        /,
        *,
        function: str | None = None,
        precision: Literal["f32", "f64"] = "f32",
        max_bytes: int | None = None,
        max_points: int | None = None,
        **arrays: Any,
    ) -> Result:
        """Calls a function with arrays, or computes what the program prints.

        With arrays, or with ``function``, the function is called: the last one at the top if none is named. Its result has its name, and the
        parts of a tuple ``name.0``, ``name.1``. Without arrays the program runs as the command runs it: the names of the results are the texts
        behind ``print``. A ragged result is an array of objects, which are the arrays of its elements.

        Args:
            inputs: Arrays by the names of parameters, for names that are no Python names.
            function: The function that is called.
            precision: ``"f32"`` or ``"f64"``. A program with data of ``f64``, ``i32`` or ``i64`` is computed in 64 bits.
            max_bytes: The largest number of bytes that tensors take.
            max_points: The largest number of points of the loops of an operation.
            arrays: Arrays of NumPy, or what has ``__dlpack__`` or can become an array, by the names of parameters.

        Raises:
            ShapeError: The function does not take these shapes.
            Unknown: A limit is reached.
            ValueError, TypeError: An array is missing, unknown, or none; the message names it.

        Example:
            >>> import numpy as np
            >>> import lozenge as lz
            >>> p = lz.program("both = fn(x, y) { x + y, x * y }", language="axon")
            >>> r = p.run(x=np.array([1, 2]), y=np.array([3, 4]))
            >>> r["both.0"].tolist(), r["both.1"].tolist()
            ([4.0, 6.0], [3.0, 8.0])
        """
        import numpy as np

        arguments.precision(precision)
        for limit, value in [("max_bytes", max_bytes), ("max_points", max_points)]:
            if value is not None:
                arguments.number(limit, value, 0, (1 << 64) - 1)
        given = arguments.arrays(inputs, arrays)
        name = self._called(function, given)
        seen = {key: array_of(key, value) for key, value in given.items()}
        sized = self._axon.at(name, {key: list(array.shape) for key, array in seen.items()})
        wide = precision == "f64" or sized.is_wide()
        dtype = np.dtype(np.float64 if wide else np.float32)
        numbers: dict[str, object] = {key: ready(key, array, dtype) for key, array in seen.items()}
        found: dict[str, Array] = {}
        for text, is_ragged, values in sized.run(numbers, wide, (max_bytes, max_points)):
            parts = cast("list[Array]", values)
            found[text] = _ragged(parts) if is_ragged else parts[0]
        return Result(found, ())

    def _function(self, function: str | None) -> str:
        """The function that is asked for, or the last one."""
        name = self._axon.last_function() if function is None else arguments.text("function", function, "the name of a function")
        if name is None:
            raise ValueError("`function` is not given, and the program binds no function at its top")
        if name not in self.functions:
            known = ", ".join(self.functions) or "none"
            raise ValueError(f"`function` is {name!r}: the functions at the top of the program are {known}")
        return name

    def _called(self, function: str | None, given: Mapping[str, Any]) -> str | None:
        """The function that a run calls; none where it computes what is printed."""
        if function is None and not given and (self._axon.prints() or not self.functions):
            if not self._axon.prints():
                raise ValueError("the program binds no function and prints nothing: there is nothing to compute")
            return None
        return self._function(function)

    def _repr_html_(self) -> str:
        page = html.escape(self._axon.page(), quote=True)
        return f'<iframe srcdoc="{page}" title="the program" style="width:100%;height:30em;border:0"></iframe>'


def _loops(nests: Sequence[tuple[str, int, str]]) -> str:
    texts = []
    for name, line, nest in nests:
        body = "\n".join(f"  {row}" for row in nest.rstrip("\n").split("\n"))
        texts.append(f"{name} (line {line})\n{body}")
    return "\n\n".join(texts)


def _sizes(name: str, shape: object) -> list[int]:
    """The sizes of a shape."""
    sizes: Shape = tuple(arguments.several(name, shape, "a shape, such as (2, 3)"))
    return [arguments.number(f"{name}[{axis}]", size, 1, (1 << 63) - 1) for axis, size in enumerate(sizes)]


def _ragged(parts: Sequence[Array]) -> Array:
    """An array of the elements of a ragged tensor."""
    import numpy as np

    array = np.empty(len(parts), dtype=object)
    for at, part in enumerate(parts):
        array[at] = part
    return array
