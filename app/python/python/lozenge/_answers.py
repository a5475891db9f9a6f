"""The answers about models, as data: immutable, and equal where they say the same."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Shape = tuple[int, ...]
Value = int | Shape


def frozen(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy of a mapping that nobody can change."""
    return Frozen(mapping)


class Frozen(Mapping[str, Any]):
    """A mapping that does not change, and that can be pickled."""

    __slots__ = ("_items",)
    _items: Mapping[str, Any]

    def __init__(self, items: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_items", MappingProxyType(dict(items)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("the mapping does not change")

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(dict(self._items))

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Frozen, (dict(self._items),))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal of sizes by a node.

    Attributes:
        node: The name of the node.
        operator: Its operator, such as ``onnx.Add@14``.
        words: The reason.
        nodes: All nodes that refuse for the same reason.

    Example:
        >>> import lozenge as lz
        >>> (refusal,) = lz.sizes("examples/models/detector.onnx").why((1, 3, 30, 40)).refusals
        >>> refusal.node, refusal.operator
        ('merge', 'onnx.Add@17')
    """

    node: str
    operator: str
    words: str
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"`{self.node}` ({self.operator}): {self.words}" if self.node else self.words


@dataclass(frozen=True, slots=True)
class ModelWarning:
    """Something that is admitted and probably not meant.

    Attributes:
        kind: One of ``stretched``, ``ignored``, ``mixed``, ``free_but_fixed``, ``declared_but_free`` and ``not_enforced``.
        words: The warning.
        nodes: The nodes that it is about.

    Example:
        >>> import lozenge as lz
        >>> print(lz.sizes("examples/models/detector.onnx").warnings[0])
        h : 1, 2: admitted only because a size 1 is stretched (`merge`)
    """

    kind: str
    words: str
    nodes: tuple[str, ...] = ()

    def __str__(self) -> str:
        names = ", ".join(f"`{node}`" for node in self.nodes)
        return f"{self.words} ({names})" if names else self.words


@dataclass(frozen=True, slots=True)
class Story:
    """The reasons why sizes are refused. ``str`` gives it for people, ``html`` for pages.

    Attributes:
        admitted: ``True`` where they are admitted after all, ``None`` where that is not known or not specified.
        refusals: The nodes that refuse them, with reasons.
        nearest: The nearest admitted sizes of each axis that has to change, by itself, or else with as few others as possible.
        limits: The limits that kept the answer open.

    Example:
        >>> import lozenge as lz
        >>> story = lz.sizes("examples/models/detector.onnx").why((1, 3, 30, 40))
        >>> story.nodes, story.nearest["h"]
        (('merge',), (28, 31))
    """

    admitted: bool | None
    refusals: tuple[Refusal, ...]
    nearest: Mapping[str, tuple[int | None, int | None]] = field(default_factory=lambda: frozen({}))
    limits: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").why((1, 3, 30, 40)).nodes
            ('merge',)
        """
        return tuple(refusal.node for refusal in self.refusals if refusal.node)

    def __str__(self) -> str:
        word = {True: "admitted", False: "refused", None: "unknown" if self.limits else "not specified"}
        lines = [word[self.admitted], *(f"  {refusal}" for refusal in self.refusals)]
        lines += [f"  {limit}" for limit in self.limits]
        for axis, sides in self.nearest.items():
            known = [str(size) for size in sides if size is not None]
            if known:
                lines.append(f"  admitted with {axis} = {' or '.join(known)}")
        return "\n".join(lines)

    @property
    def html(self) -> str:
        """The story for a page.

        Example:
            >>> import lozenge as lz
            >>> lz.sizes("examples/models/detector.onnx").why((1, 3, 30, 40)).html[:12]
            '<pre>refused'
        """
        return f"<pre>{html.escape(str(self))}</pre>"

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True, slots=True)
class Point:
    """The answer about sizes of the inputs.

    Attributes:
        at: The sizes that were asked about, by the names of the inputs.
        admitted: Whether they are admitted; ``None`` where that is not known, or not specified.
        outputs: The sizes of each output; ``None`` for one whose sizes are not known.
        story: Why they are refused; it says so too where they are admitted.

    Example:
        >>> import lozenge as lz
        >>> point = lz.sizes("examples/models/detector.onnx").at((1, 3, 31, 40))
        >>> point.admitted, point.outputs["map"]
        (True, (1, 1, 16, 20))
    """

    at: Mapping[str, Value]
    admitted: bool | None
    outputs: Mapping[str, Shape | None]
    story: Story

    def __bool__(self) -> bool:
        raise TypeError("a point is neither true nor false: ask for `.admitted`, which is None where the answer is not known")


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition on which a model branches.

    Attributes:
        node: The node that computes it, or the input or constant that is it.
        taken_by: The node that takes one branch or the other; ``None`` in a traced program, which took one already.
        verdict: ``"always"``, ``"never"``, ``"depends"``, ``"unreachable"`` or ``"unknown"``.
        witnesses: Sizes of inputs that come to it, each with whether it holds there; two where it depends.
        true_if: Conditions on sizes and ranks, each of which makes it hold.
        false_if: Conditions, each of which makes it fail.
        reason: Why it is not known.

    Example:
        >>> import lozenge as lz
        >>> outer, inner = lz.branches("examples/onnx/branches.onnx")
        >>> outer.verdict, outer.true_if, outer.false_if
        ('depends', ('rate = 16000',), ('rate <= 15999', 'rate >= 16001'))
    """

    node: str
    taken_by: str | None
    verdict: str
    witnesses: tuple[tuple[Mapping[str, Value], bool], ...]
    true_if: tuple[str, ...] = ()
    false_if: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that a model takes all sizes of a pattern.

    Attributes:
        pattern: What was proved.
        assumed: What was taken for granted about data, each with the name of a node; empty where nothing was.

    Example:
        >>> import lozenge as lz
        >>> lz.check("examples/models/detector.onnx", image="b 3 4 4")
        Proof(pattern='image: b 3 4 4', assumed=())
    """

    pattern: str
    assumed: tuple[tuple[str, str], ...] = ()
