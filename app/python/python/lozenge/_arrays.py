"""Arrays that go into a run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]


def array_of(name: str, value: Any) -> Array:
    """The array of numbers that a value is, or becomes. One of another package shares its memory."""
    import numpy as np

    try:
        if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
            array: Array = np.asarray(value)
        else:
            array = np.from_dlpack(value)
    except Exception as error:
        raise TypeError(f"`{name}` is a {type(value).__name__}, which is no array: {error}") from None
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"`{name}` is a masked array, whose mask would be lost: give {name}.filled(…)")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"`{name}` is an array of {array.dtype}: give one of numbers, integers or truth values")
    return array


def ready(name: str, value: Any, dtype: Any) -> Array:
    """The array as the compiled part reads it: contiguous in the order of C, aligned, in this precision and the byte order of the machine.

    An array that is so already is returned itself, and one of another package whose ``__dlpack__`` is so shares its memory; what is not is copied
    once.
    """
    import numpy as np

    array = array_of(name, value)
    if array.dtype == dtype and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned:
        return array
    done: Array = np.empty(array.shape, dtype)
    narrows = array.dtype.kind == "f" and array.dtype.itemsize > dtype.itemsize
    for part in _parts(array.shape):
        with np.errstate(over="ignore"):
            done[part] = array[part]
        if narrows and (np.isinf(done[part]) & ~np.isinf(array[part])).any():
            raise ValueError(f"`{name}` has a number that is too large for 32 bits: run(precision='f64')")
    return done


AT_ONCE = 1 << 20
"""The number of elements that are copied at once. No Ctrl-C is heard while NumPy copies; this many take a few milliseconds."""


def _parts(shape: tuple[int, ...]) -> Iterator[tuple[int | slice, ...]]:
    """Parts of an array of this shape that together are the array, none with many elements."""
    below = 1
    for axis in range(len(shape) - 1, -1, -1):
        if below * shape[axis] > AT_ONCE:
            break
        below *= shape[axis]
    else:
        yield ()
        return
    step = max(1, AT_ONCE // below)
    for before in itertools.product(*map(range, shape[:axis])):
        for at in range(0, shape[axis], step):
            yield (*before, slice(at, at + step))
