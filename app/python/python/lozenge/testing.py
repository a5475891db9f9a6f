"""Assertions for tests of models.

With pytest a failure prints the story, and ``--update-sizes`` writes lock files anew.
"""

from __future__ import annotations

import os
from pathlib import Path

from lozenge._models import Sizes, Source, sizes

_update = False


def assert_sizes(model: Source | Sizes, *, against: str | os.PathLike[str]) -> None:
    """Asserts that a model takes all sizes that it took when the lock file was written, with outputs of the same sizes.

    The file is written where it is missing and ``--update-sizes`` is given to pytest, or ``LOZENGE_UPDATE_SIZES=1`` is set.

    Raises:
        AssertionError: The set has shrunk or an output has changed, with sizes that show it; or the file is missing.
        ModelError, Unknown: As for ``lozenge.sizes``.

    Example:
        >>> import lozenge as lz
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "detector.sizes"
        >>> _ = file.write_text(lz.sizes("examples/models/detector.onnx").lock())
        >>> lz.testing.assert_sizes("examples/models/detector.onnx", against=file)
    """
    found = model if isinstance(model, Sizes) else sizes(model)
    file = Path(against)
    if _update or os.environ.get("LOZENGE_UPDATE_SIZES"):
        file.write_text(found.lock(), encoding="utf-8")
        return
    if not file.exists():
        raise AssertionError(f"{file} is missing: pytest --update-sizes writes it")
    differences = found.against(file.read_text(encoding="utf-8"))
    if not differences:
        return
    lines = []
    for words, witness in differences:
        lines.append(words if witness is None else f"{words}: {witness}")
        if witness is not None and "refused" in words:
            lines += str(found.why(witness)).split("\n")[1:]
    lines.append(f"if this is meant: pytest --update-sizes writes {file} anew")
    raise AssertionError("\n".join(lines))


__all__ = ["assert_sizes"]
