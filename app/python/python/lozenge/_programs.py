"""Programs of the language lozenge: shapes, loops, and runs on arrays."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from lozenge import _arguments as arguments
from lozenge import _data as data
from lozenge import _lozenge
from lozenge._answers import Shape, frozen
from lozenge._arrays import ready
from lozenge._errors import ProgramError

if TYPE_CHECKING:
    from lozenge._arrays import Array


@dataclass(frozen=True, slots=True)
class Epoch:
    """The output of an epoch of a section.

    Attributes:
        section: The number of the section, from 0.
        epoch: How many epochs are done.
        epochs: How many there are.
        step: How many steps are done.
        printed: What it printed, the mean over its steps where it is a number at each.

    Example:
        >>> import lozenge as lz
        >>> text = "data x : n:4|->1 = range(4)\\ntrain 3 epochs by 2 of n:\\n  print mean(x)"
        >>> [(epoch.epoch, dict(epoch.printed)) for epoch in lz.program(text).run().epochs][:1]
        [(1, {'mean(x)': 1.5})]
    """

    section: int
    epoch: int
    epochs: int
    step: int
    printed: Mapping[str, float]


def _epoch(line: str) -> Epoch:
    found = data.read(line)
    printed = {name: float("nan") if value is None else float(value) for name, value in found["printed"].items()}
    return Epoch(found["section"], found["epoch"], found["epochs"], found["step"], frozen(printed))


class Result(Mapping[str, "Array"]):
    """The output of a program: arrays by the texts behind ``print``, and by the names in ``show``.

    Attributes:
        epochs: What each epoch printed, in order.

    Example:
        >>> import lozenge as lz
        >>> result = lz.program("data x : ->3 = [1, 2, 3]\\nprint square(x)").run()
        >>> result["square(x)"]
        array([1., 4., 9.], dtype=float32)
    """

    __slots__ = ("_arrays", "epochs")
    _arrays: dict[str, Array]
    epochs: tuple[Epoch, ...]

    def __init__(self, arrays: Mapping[str, Array], epochs: Sequence[Epoch]) -> None:
        object.__setattr__(self, "_arrays", dict(arrays))
        object.__setattr__(self, "epochs", tuple(epochs))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: a result does not change")

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            known = ", ".join(map(repr, self._arrays)) or "nothing"
            raise KeyError(f"{name!r} was not printed, but {known}: print it in the program, or run(show=[{name!r}])") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Result, (self._arrays, self.epochs))

    def __repr__(self) -> str:
        arrays = ", ".join(f"{name!r}: {list(array.shape)}" for name, array in self._arrays.items())
        return f"<lozenge.Result {{{arrays}}}>"


class Program:
    """A program that is accepted: its shapes, its loops, and its runs. ``lozenge.program`` makes it; it does not change, and can be pickled.

    Example:
        >>> import numpy as np
        >>> import lozenge as lz
        >>> p = lz.program("data x : 2|->3\\nlet y = square(x)\\nprint y")
        >>> p.shapes["y"]
        '2|->3'
        >>> p.run(x=np.ones((2, 3)) * 2)["y"].tolist()
        [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    """

    __slots__ = ("_text", "_made_of", "__weakref__")
    _text: _lozenge.Text
    _made_of: tuple[str, str, str | None, dict[str, int]]

    def __init__(self) -> None:
        raise TypeError("lozenge.program(text) makes this object")

    @staticmethod
    def _made(source: str, name: str, folder: str | None, sizes: dict[str, int]) -> Program:
        program = object.__new__(Program)
        object.__setattr__(program, "_text", _lozenge.Text(source, name, folder, sizes))
        object.__setattr__(program, "_made_of", (source, name, folder, dict(sizes)))
        return program

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: a program does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Program._made, self._made_of)

    def __repr__(self) -> str:
        return f"<lozenge.Program with {len(self._text.tensors())} tensors>"

    def __str__(self) -> str:
        width = max((len(name) for name in self.shapes), default=0)
        return "\n".join(f"{name:{width}}  {shape}" for name, shape in self.shapes.items())

    @property
    def source(self) -> str:
        """The text.

        Example:
            >>> import lozenge as lz
            >>> lz.program("data x : 2|->3").source
            'data x : 2|->3'
        """
        return self._made_of[0]

    @property
    def shapes(self) -> Mapping[str, str]:
        """The shape of each tensor, as a program writes it: ``batch|input->output``.

        Example:
            >>> import lozenge as lz
            >>> dict(lz.program("data x : 2|->3\\nlet y = square(x)").shapes)
            {'x': '2|->3', 'y': '2|->3'}
        """
        return frozen({name: shape for name, shape, _, _, _ in self._text.tensors()})

    @property
    def sizes(self) -> Mapping[str, Shape]:
        """The shape of each tensor as an array has it: the axes of the batch, the input and the output row, in this order.

        Example:
            >>> import lozenge as lz
            >>> lz.program("data x : 2|->3").sizes["x"]
            (2, 3)
        """
        return frozen({name: tuple(sizes) for name, _, sizes, _, _ in self._text.tensors()})

    @property
    def inputs(self) -> Mapping[str, Shape]:
        """The shapes of the arrays that ``run`` needs: the tensors whose values come from outside.

        Example:
            >>> import lozenge as lz
            >>> dict(lz.program("data x : 2|->3\\ndata z : ->2 = [1, 2]").inputs)
            {'x': (2, 3)}
        """
        return frozen({name: tuple(sizes) for name, _, sizes, origin, _ in self._text.tensors() if origin == "outside"})

    @property
    def parameters(self) -> Mapping[str, Shape]:
        """The shapes of the parameters. ``run`` begins with the value that the program gives to one, or with an array of this name.

        Example:
            >>> import lozenge as lz
            >>> lz.program("data x : 4|->3\\nlet y = dense(2)(x)").parameters
            {'y.dense.w': (3, 2), 'y.dense.b': (2,)}
        """
        return frozen({name: tuple(sizes) for name, _, sizes, _, is_parameter in self._text.tensors() if is_parameter})

    @property
    def loops(self) -> str:
        """The loops of each operation, with the line of the program.

        Example:
            >>> import lozenge as lz
            >>> print(lz.program("data x : 2|->3 = range(6)\\nlet y = square(x)").loops)
            y (line 2)
              for i in 0..2:
                for j in 0..3:
                  y[i, j] = x[i, j] * x[i, j]
        """
        texts = []
        for name, line, nest in self._text.loops():
            body = "\n".join(f"  {row}" for row in nest.rstrip("\n").split("\n"))
            texts.append(f"{name} (line {line})\n{body}")
        return "\n\n".join(texts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings, as the command prints them.

        Example:
            >>> import lozenge as lz
            >>> lz.program("data x : 2|->3").warnings
            ()
        """
        return tuple(self._text.warnings())

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        /,
        *,
        show: Sequence[str] = (),
        precision: Literal["f32", "f64"] = "f32",
        seed: int = 0,
        epochs: int | None = None,
        progress: Callable[[Epoch], object] | None = None,
        max_bytes: int | None = None,
        max_points: int | None = None,
        **arrays: Any,
    ) -> Result:
        """Runs the program on the interpreter, and returns what it prints as arrays.

        Args:
            inputs: Arrays by name, for names that are no Python names or those of other arguments.
            show: The names of more tensors that are returned.
            precision: ``"f32"`` or ``"f64"``. An array of another type of numbers, order of bytes or order of axes is copied once; others are
                read where they are, and must not be changed while the program runs. Parameters are copied.
            seed: The number on which random values depend.
            epochs: The number of epochs, in place of what the program says.
            progress: Called after each epoch; an exception of it stops the run.
            max_bytes: The largest number of bytes that tensors take.
            max_points: The largest number of points of the loops of an operation.
            arrays: Arrays of NumPy, or what has ``__dlpack__`` or can become an array, for data without values and for parameters.

        Raises:
            ShapeError: An array has another shape.
            ProgramError: An assertion of the program does not hold, or its data cannot be read.
            Unknown: A limit is reached.
            ValueError, TypeError: An array is missing, unknown, or none; the message names it.

        Example:
            >>> import numpy as np
            >>> import lozenge as lz
            >>> p = lz.program("data x : 2|->3\\nlet y = square(x)\\nprint y")
            >>> p.run(x=np.ones((2, 3)))["y"].shape
            (2, 3)
            >>> try:
            ...     p.run(x=np.ones((3, 2)))
            ... except lz.ShapeError as error:
            ...     print(error)
            the array for `x` has the shape [3, 2], and `x` is 2|->3, with the sizes [2, 3]
        """
        import numpy as np

        arguments.precision(precision)
        shown = arguments.texts("show", show, "names of tensors")
        if progress is not None and not callable(progress):
            raise TypeError(f"`progress` is a {type(progress).__name__}, which cannot be called")
        for name, value, least in [("seed", seed, 0), ("epochs", epochs, 1), ("max_bytes", max_bytes, 0), ("max_points", max_points, 0)]:
            if value is not None:
                arguments.number(name, value, least, (1 << 64) - 1)
        given = arguments.arrays(inputs, arrays)
        wide = precision == "f64"
        dtype = np.dtype(np.float64 if wide else np.float32)
        numbers: dict[str, object] = {name: ready(name, array, dtype) for name, array in given.items()}

        def told(line: str) -> object:
            assert progress is not None
            return progress(_epoch(line))

        found, lines = self._text.run(
            numbers, shown, wide, seed, epochs, (max_bytes, max_points), None if progress is None else told
        )
        return Result(cast("dict[str, Array]", dict(found)), [_epoch(line) for line in lines])

    def gradient(self, loss: str, /) -> Gradient:
        """The derivatives of a tensor without axes with respect to the parameters on which it depends, as a callable.

        Raises:
            ProgramError: The program has no such tensor, it has axes, or it depends on no parameter.

        Example:
            >>> import numpy as np
            >>> import lozenge as lz
            >>> p = lz.program("data x : 2|->3\\nparam w : 3->1\\nlet loss = sum(w * x)")
            >>> slope = p.gradient("loss")
            >>> value, by = slope(x=np.arange(6).reshape(2, 3), w=np.ones((3, 1)))
            >>> value, by["w"].tolist()
            (15.0, [[3.0], [5.0], [7.0]])
        """
        return Gradient._made(self, arguments.text("loss", loss, "the name of a tensor"))

    def _repr_html_(self) -> str:
        page = html.escape(self._text.page(), quote=True)
        return f'<iframe srcdoc="{page}" title="the program" style="width:100%;height:30em;border:0"></iframe>'


class Gradient:
    """The derivatives of a tensor of a program. ``Program.gradient`` makes it; it does not change, and can be pickled.

    Attributes:
        loss: The name of the tensor.

    Example:
        >>> import lozenge as lz
        >>> lz.program("data x : 2|->3\\nlet loss = mean(dense(1)(x))").gradient("loss").parameters
        ('loss.dense.w', 'loss.dense.b')
    """

    __slots__ = ("_program", "loss", "_of")
    _program: Program
    _of: Program
    loss: str

    def __init__(self) -> None:
        raise TypeError("Program.gradient(loss) makes this object")

    @staticmethod
    def _made(program: Program, loss: str) -> Gradient:
        source, name, folder, sizes = program._made_of
        if loss not in program.shapes:
            raise ProgramError(f"the program has no tensor `{loss}`")
        gradient = object.__new__(Gradient)
        object.__setattr__(gradient, "_of", program)
        object.__setattr__(gradient, "loss", loss)
        object.__setattr__(gradient, "_program", Program._made(f"{source.rstrip()}\nbackward {loss}\n", name, folder, sizes))
        return gradient

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: a gradient does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Gradient._made, (self._of, self.loss))

    def __repr__(self) -> str:
        return f"<lozenge.Gradient of {self.loss} by {', '.join(self.parameters)}>"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters on which the tensor depends.

        Example:
            >>> import lozenge as lz
            >>> slope = lz.program("data x : 2|->3\\nlet loss = mean(dense(1)(x))").gradient("loss")
            >>> slope.parameters
            ('loss.dense.w', 'loss.dense.b')
        """
        known = self._program.shapes
        return tuple(name for name in self._program.parameters if f"{name}.grad" in known)

    def __call__(self, inputs: Mapping[str, Any] | None = None, /, **arguments: Any) -> tuple[float, Mapping[str, Array]]:
        """The value of the tensor, and its derivative by each parameter, which has the shape of the parameter.

        The arguments are those of ``Program.run``, and so are the exceptions.

        Raises:
            ShapeError, ProgramError, Unknown, ValueError, TypeError: As for ``Program.run``.

        Example:
            >>> import numpy as np
            >>> import lozenge as lz
            >>> slope = lz.program("data x : 2|->3\\nparam w : 3->1\\nlet loss = sum(w * x)").gradient("loss")
            >>> value, by = slope(x=np.ones((2, 3)), w=np.ones((3, 1)))
            >>> value, by["w"].shape
            (6.0, (3, 1))
        """
        if "show" in arguments:
            raise TypeError("`show` belongs to Program.run")
        parameters = self.parameters
        result = self._program.run(inputs, show=[self.loss, *(f"{name}.grad" for name in parameters)], **arguments)
        return float(result[self.loss]), frozen({name: result[f"{name}.grad"] for name in parameters})
