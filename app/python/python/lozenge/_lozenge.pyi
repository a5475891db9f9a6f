"""
The compiled part of the package `lozenge`. Its names are no interface: those of `lozenge` are.
"""

from _typeshed import SupportsGetItem
from typing import Any, Final, SupportsIndex, final

__all__ = ["VERSION", "Binding", "Constraints", "Matcher", "Model", "Outcome", "Text", "command", "panics"]

VERSION: Final[str]
"""
The version of the package.
"""

@final
class Binding:
    """
    The values of the names of sizes in a call.
    """

@final
class Constraints:
    """
    A set of constraints that grows, with its solution.
    """
    def __new__(cls, /, text: str, branches: SupportsIndex | None, work: SupportsIndex | None) -> Constraints:
        """
        Reads a set of constraints.
        """
    def add(self, /, text: str) -> None:
        """
        Adds constraints.
        """
    def certify(self, /) -> str:
        """
        The certificate of what complete mode decides, as JSON.
        """
    def count(self, /) -> int:
        """
        Counts the constraints.
        """
    def decide(self, /, with_forced: bool) -> str:
        """
        Decides in complete mode whether there is a solution, as JSON, with what all solutions share if that is asked
        for.
        """
    def entails(self, /, text: str) -> str:
        """
        Decides whether a constraint holds in all solutions, as JSON.
        """
    def explain(self, /, name: str) -> str | None:
        """
        The derivation of a value; nothing where there is none.
        """
    def rollback(self, /) -> bool:
        """
        Returns to the last place that was marked; false if there is none.
        """
    def snapshot(self, /) -> None:
        """
        Marks a place to which `rollback` returns.
        """
    def solve(self, /, close: bool) -> str:
        """
        Solves or closes, and returns the values with what they rest on, or the refusal, as JSON.
        """
    def text(self, /) -> str:
        """
        The constraints as a text.
        """

@final
class Matcher:
    """
    The patterns of a function: for some of its parameters, and for its results.
    """
    def __new__(cls, /, function: str, inputs: SupportsGetItem[int, str], outputs: str | None, parameters: SupportsGetItem[int, tuple[SupportsIndex, str]]) -> Matcher:
        """
        Reads the patterns of a function. `parameters` are positions and names of its parameters; each of `inputs`
        belongs to one of them.
        """
    def enter(self, /, args: "tuple[object, ...]", kwargs: "dict[str, object]") -> Binding:
        """
        Looks at the arguments of a call.

        # Errors
        `ShapeError` where a shape does not fit; `TypeError` where an argument has no shape.
        """
    def leave(self, /, binding: Binding, result: Any) -> None:
        """
        Looks at what a call returns.

        # Errors
        `ShapeError` where a shape does not fit; `TypeError` where a result has no shape.
        """

@final
class Model:
    """
    A model with the sizes that it takes.
    """
    def __new__(cls, /, content: "bytes | None", path: "str | None", relax: "list[str] | bool", conditions: "str", limits: "dict[str, int]") -> Model:
        """
        Reads a model, from a file or from the content of one, and computes which sizes it takes.
        """
    def admits(self, /, given: "dict[str, object]") -> "bool | None":
        """
        Says whether these sizes are admitted; nothing where that is not known.
        """
    def against(self, /, lock: str) -> str:
        """
        The differences from a set that was written down, as JSON.

        # Errors
        `ValueError` where the text is none that `lock` made; `Unknown` where one of the sets is not known.
        """
    def at(self, /, given: "dict[str, object]") -> str:
        """
        Answers about these sizes, as JSON.
        """
    def branches(self, /) -> str:
        """
        The conditions on which the model branches, with what is known about each, as JSON.
        """
    @property
    def format(self, /) -> str:
        """
        The kind of file: `onnx`, `torch.export`, `torch.fx` or `grad`.
        """
    @property
    def inputs(self, /) -> list[str]:
        """
        The names of the inputs.
        """
    def layers(self, /, case: SupportsIndex) -> str:
        """
        The shapes of all values of a case in input symbols, as JSON.
        """
    def lock(self, /) -> str:
        """
        The set as it is written into a lock file, as JSON.

        # Errors
        `Unknown` where the set is not known, or has an input of undeclared rank.
        """
    def migrate(self, /) -> str:
        """
        The annotations that the inputs may get, as JSON.
        """
    def nearest(self, /, given: "dict[str, object]") -> str:
        """
        The nearest admitted sizes along each axis, as JSON.
        """
    @property
    def node_count(self, /) -> int:
        """
        Counts the nodes of the graph.
        """
    def prove(self, /, patterns: "dict[str, str | int]", outputs: "dict[str, str]", conditions: "str") -> list[tuple[str, str]]:
        """
        Proves that all sizes of a pattern are admitted, and returns what was taken for granted.

        # Errors
        `ShapeError` with sizes that are refused, `Unknown` where a limit is reached.
        """
    def report(self, /) -> str:
        """
        The answer as JSON.
        """
    def text(self, /) -> str:
        """
        The answer for people, as the command prints it.
        """

@final
class Outcome:
    """
    The results of a run.
    """
    @property
    def epochs(self, /) -> list[str]:
        """
        Returns the output of each epoch, as JSON.
        """
    @property
    def names(self, /) -> list[str]:
        """
        The texts behind `print`, and the names that were asked for.
        """
    def tensor(self, /, at: SupportsIndex) -> tuple[list[int], int, bytearray]:
        """
        The values of a tensor by its place: its shape, the size of a number in bytes, and the bytes of its numbers.
        """

@final
class Text:
    """
    A program that is accepted.
    """
    def __new__(cls, /, source: "str", name: "str", folder: "str | None", sizes: "dict[str, int]") -> Text:
        """
        Reads a program, and infers its shapes and loops.
        """
    def loops(self, /) -> list[tuple[str, int, str]]:
        """
        The loop nest of each operation: the tensor that it writes, the line of the program, and the text.
        """
    def run(self, /, given: "dict[str, tuple[tuple[int, ...], bytes]]", show: "list[str]", wide: "bool", seed: "int", epochs: "int | None", limits: "tuple[int | None, int | None]", progress: "object") -> "Outcome":
        """
        Runs the program. `given` holds the shape and the bytes of the numbers of each tensor whose values come from
        outside.

        # Errors
        `ShapeError` where an array has another shape, `ValueError` where one is missing or unknown, `Unknown` at a
        limit.
        """
    def tensors(self, /) -> list[tuple[str, str, list[int], str, bool]]:
        """
        The tensors: the name, the shape as a program writes it, the sizes in the order of memory, where the values come
        from, and whether it is a parameter.
        """
    def warnings(self, /) -> list[str]:
        """
        The warnings, as the command prints them.
        """

def command(words: SupportsGetItem[int, str]) -> int:
    """
    Runs the command `lozenge` with the words of a command line, of which the first is the name of the program, and
    returns its status.
    """

def panics(in_thread: bool) -> None:
    """
    Ends with a panic while answering, so that a test sees what becomes of one.

    # Errors
    Always, with `InternalError`.
    """
