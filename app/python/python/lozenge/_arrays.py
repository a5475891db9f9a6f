"""Arrays that go into a run."""

from __future__ import annotations

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
    with np.errstate(over="ignore"):
        # `require` gives an array of rank 0 an axis.
        done: Array = np.require(array, dtype=dtype, requirements=["C", "A"]).reshape(array.shape)
    if array.dtype.kind == "f" and array.dtype.itemsize > dtype.itemsize:
        lost = np.isinf(done) & ~np.isinf(array)
        if lost.any():
            raise ValueError(f"`{name}` has a number that is too large for 32 bits: run(precision='f64')")
    return done
