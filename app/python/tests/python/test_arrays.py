"""Arrays go in and come out without a copy."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import lozenge as lz
from lozenge import _arrays, _lozenge
from lozenge._arrays import ready

SINGLE = np.dtype(np.float32)


def place(array: Any) -> int:
    """The address of the first number."""
    return int(array.__array_interface__["data"][0])


class Foreign:
    """An array of another package."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_numbers_are_read_where_they_are() -> None:
    array = np.arange(6, dtype="f4").reshape(2, 3)
    fixed = array.copy()
    fixed.flags.writeable = False
    for given, own in [(array, array), (fixed, fixed), (Foreign(array), array), (array[1], array[1]), (array[:1], array), (array[0, 0:1], array)]:
        assert _lozenge.address(ready("x", given, SINGLE)) == place(own)
    for copied in [
        array.T,
        array[:, ::2],
        array.astype("f8"),
        array.astype(">f4"),
        array.astype("i4"),
        np.frombuffer(b"\0" + array.tobytes(), dtype="f4", offset=1),
    ]:
        done = ready("x", copied, SINGLE)
        assert _lozenge.address(done) == place(done) != place(copied)
        np.testing.assert_array_equal(done, copied)


def test_parts_that_are_copied_one_by_one_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_arrays, "AT_ONCE", 7)
    for shape in [(), (1,), (0,), (3,), (20,), (3, 5), (20, 3), (2, 9, 4), (3, 0, 20), (2, 2, 2, 30)]:
        array = np.arange(math.prod(shape), dtype=">f8").reshape(shape)
        for given in [array, array.T, array[..., ::-1] if shape else array]:
            done = ready("x", given, SINGLE)
            assert done.shape == given.shape and done.dtype == SINGLE and done.flags.c_contiguous
            np.testing.assert_array_equal(done, given)
    late = np.zeros(20)
    late[19] = 1e300
    with pytest.raises(ValueError, match="`x` has a number that is too large for 32 bits"):
        ready("x", late, SINGLE)


def test_what_has_no_numbers_or_would_lose_some_is_refused() -> None:
    p = lz.program("data x : 2|->3\nprint x")
    whole = np.arange(6.0).reshape(2, 3)
    for wrong in [whole.astype(object), whole.astype(complex), np.full((2, 3), "a"), np.zeros((2, 3), "M8[s]"), np.zeros((2, 3), "f4,f4"), None]:
        with pytest.raises(TypeError, match="`x` is an array of"):
            p.run(x=wrong)
    with pytest.raises(TypeError, match="`x` is a masked array"):
        p.run(x=np.ma.masked_array(whole, mask=whole > 2))
    for other in [np.float32(1), np.zeros((0, 3)), np.zeros((2, 3, 1)), np.zeros(6)]:
        with pytest.raises(lz.ShapeError, match="the array for `x` has the shape"):
            p.run(x=other)
    scalar = lz.program("data s : ->\nprint s + 1")
    for one in [2, 2.0, np.float64(2), np.array(2, dtype=">i2")]:
        assert scalar.run(s=one)["s + 1"] == 3
    with pytest.raises(lz.ShapeError):
        scalar.run(s=[2])


def test_results_own_their_memory_and_share_it_with_nothing() -> None:
    p = lz.program("data x : n:4|->3\nparam w : 3->2\nlet y = w * x\nprint y\nprint x\nprint w")
    x, w = np.arange(12, dtype="f4").reshape(4, 3), np.ones((3, 2), dtype="f4")
    before = x.copy(), w.copy()
    r = p.run(x=x, w=w, show=["x", "y"])
    for name, array in r.items():
        assert not any(np.shares_memory(array, other) for other in [x, w])
        assert not any(np.shares_memory(array, r[other]) for other in r if other != name)
        assert array.flags.writeable and array.flags.c_contiguous and array.flags.aligned
        array[...] = 7
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(w, before[1])
    np.testing.assert_array_equal(p.run(x=x, w=w)["y"], x @ w)


def test_results_are_memory_of_the_compiled_part_and_go_out_by_dlpack() -> None:
    y = lz.program("data x : ->3\nlet y = square(x)\nprint y").run(x=[1, 2, 3])["y"]
    assert not y.flags.owndata
    owner: object = y
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert type(owner).__name__ == "PySliceContainer"
    shared = np.from_dlpack(y)
    assert place(shared) == place(y)
    np.testing.assert_array_equal(lz.program("data x : ->3\nprint x").run(x=Foreign(y))["x"], [1, 4, 9])


def test_a_tensor_that_is_written_again_is_returned_as_it_was_printed() -> None:
    for text in [
        'data x : ->3\nparam y : ->3 = 0\ny =+ x "c => c"\nprint y\ny =+ x "c => c"\nprint y + 0\n',
        'data x : ->3\ny =: x "c => c"\nprint y\ny =+ x "c => c"\nprint y + 0\n',
    ]:
        r = lz.program(text).run(x=[1, 2, 3])
        assert r["y"].tolist() == [1, 2, 3] and r["y + 0"].tolist() == [2, 4, 6]


MEMORY = """
import sys
import numpy as np
import lozenge as lz

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024

precision, text, sizes = sys.argv[1], sys.argv[2], eval(sys.argv[3])
p = lz.program(text)
small = lz.program("data x : ->3\\nprint x + 1")
small.run(x=np.ones(3), precision=precision)
x = np.ones(sizes, dtype="f4" if precision == "f32" else "f8")
before = peak()
r = p.run(x=x, precision=precision)
print(peak() - before, x.nbytes, sum(array.nbytes for array in r.values()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_a_run_takes_no_memory_for_what_goes_in_and_once_what_comes_out(precision: str) -> None:
    def grown(text: str, sizes: tuple[int, ...]) -> tuple[int, int, int]:
        script = [sys.executable, "-c", MEMORY, precision, text, repr(sizes)]
        done = subprocess.run(script, capture_output=True, text=True, check=True)
        peak, given, returned = map(int, done.stdout.split())
        return peak, given, returned

    # Only one row of the array is read, so that the run is short.
    peak, given, _ = grown('data x : 6000, 2000\ny =: x "0, c => c"\nprint y', (6000, 2000))
    assert given >= 48_000_000 and peak < given / 8, (peak, given)
    peak, _, returned = grown("data x : ->1000000\nlet y = x + 1\nprint y", (1_000_000,))
    assert returned >= 4_000_000 and peak < 1.3 * returned, (peak, returned)
