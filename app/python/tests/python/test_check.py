"""Proofs that a model takes all sizes of a pattern."""

from __future__ import annotations

import pytest
from conftest import visible

import lozenge as lz


def test_a_pattern_that_is_inside_is_proved(detector: bytes) -> None:
    proof = lz.check(detector, image="b 3 h w", where="h % 4 = 0, w % 4 = 0, b >= 1")
    assert proof.assumed == () and "b 3 h w" in proof.pattern
    lz.check(detector, image="b 3 (4*h) (4*w)")
    lz.check(detector, image="b 3 (4*h - 1) (4*h)")
    lz.check(detector, image="... 4 4")
    lz.check(detector, image="b _ 4 4")
    lz.check(lz.sizes(detector), image="_ _ 8 8")


def test_a_pattern_that_sticks_out_is_refuted_with_a_witness(detector: bytes) -> None:
    with pytest.raises(lz.ShapeError, match="the model refuses image=") as caught:
        lz.check(detector, image="b 3 h w", where="w % 4 = 0")
    error = caught.value
    assert error.nodes == ("merge",) and error.witness is not None
    shape = error.witness["image"]
    assert isinstance(shape, tuple) and shape[1] == 3 and shape[3] % 4 == 0
    assert not lz.sizes(detector).admits(image=shape)
    assert "admitted with h" in error.story and "<pre>" in error.html


def test_one_size_in_a_million_is_found(detector: bytes) -> None:
    lz.check(detector, image="b 3 h w", where="h % 4 = 0, w % 4 = 0, h < 1000000")
    lz.check(detector, image="b 3 (h + 999998) 4", where="h <= 2")
    with pytest.raises(lz.ShapeError) as caught:
        lz.check(detector, image="b 3 (h + 999998) 4", where="h <= 3")
    assert caught.value.witness == {"image": (1, 3, 1000001, 4)}


@pytest.mark.parametrize("size", range(1, 30))
def test_proofs_agree_with_points(detector: bytes, size: int) -> None:
    s = lz.sizes(detector)
    try:
        lz.check(s, image=f"b 3 {size} 4")
        proved = True
    except lz.ShapeError:
        proved = False
    assert proved == s.admits((1, 3, size, 4))


def test_size_0_is_claimed_only_where_it_is_named(detector: bytes) -> None:
    # A batch of 0 is admitted, a height of 0 is refused or not specified.
    assert lz.sizes(detector).admits((0, 3, 4, 4))
    lz.check(detector, image="b 3 4 4", where="b >= 0")
    lz.check(detector, image="b 3 (4*h) 4")
    with pytest.raises(lz.ShapeError) as caught:
        lz.check(detector, image="b 3 (4*h) 4", where="h >= 0")
    assert caught.value.witness == {"image": (1, 3, 0, 4)}


def test_outputs_are_proved_as_well(detector: bytes) -> None:
    lz.check(detector, image="b 3 (4*h) (4*w)", returns={"map": "b 1 (2*h) (2*w)"})
    lz.check(detector, image="b 3 (4*h) (4*w)", returns={"map": "b ... (2*w)"})
    with pytest.raises(lz.ShapeError, match=r"the output `map` is .* is not \[b 1 h \(2\*w\)\]") as caught:
        lz.check(detector, image="b 3 (4*h) (4*w)", returns={"map": "b 1 h (2*w)"})
    assert caught.value.witness is not None
    with pytest.raises(lz.ShapeError, match="the output `map`"):
        lz.check(detector, image="b 3 (4*h) (4*w)", returns={"map": "b 1 (2*h)"})
    with pytest.raises(ValueError, match="no output `x`: its outputs are map"):
        lz.check(detector, image="b 3 4 4", returns={"x": "b"})


def test_patterns_that_cannot_be_asked(detector: bytes) -> None:
    for pattern, where, words in [
        ("b 3 (h", "", r"here a `\)` is missing\n  b 3 \(h\n        \^"),
        ("b 3 h", "", "has 4 axes in the model, and the pattern has 3"),
        ("b 3 h w", "q = 1", "where: nothing is called `q`"),
        ("b 3 h v", "w % 4 = 0", "where: nothing is called `w`"),
        ("b 3 h w", "h < 1", "no sizes are those of the pattern"),
        ("b 3 (h*w) h", "", "a product of sizes"),
        ("b 3 h w, b", "", "more than one shape"),
        ("b 3 h w -> b", "", "more than one shape"),
        ("b 3 (h + w) 4", "", "no axis tells `[hw]`"),
    ]:
        with pytest.raises(ValueError, match=words):
            lz.check(detector, image=pattern, where=where)
    with pytest.raises(ValueError, match="no input `y`"):
        lz.check(detector, y="b")
    with pytest.raises(TypeError, match="`image` is a list"):
        lz.check(detector, image=[1, 3])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="give that to `check`"):
        lz.check(lz.sizes(detector, where="h = w"), image="b 3 4 4")


def test_the_public_question_about_a_voice_detector() -> None:
    model = visible("silero_vad.onnx")
    lz.check(model, input="b n", state="2 b 128", sr=16000, where="n >= 192, n <= 703")
    lz.check(model, input="b n", state="2 b 128", sr=8000, where="n >= 96, n <= 351")
    with pytest.raises(lz.ShapeError) as caught:
        lz.check(model, input="b n", state="2 b 128", sr=16000, where="n >= 192, n <= 704")
    assert caught.value.witness is not None and caught.value.witness["input"][1] == 704  # type: ignore[index]
    with pytest.raises(lz.ShapeError):
        lz.check(model, input="b n", state="2 c 128", sr=16000, where="n >= 192, n <= 703")


def test_the_text_detector_of_others() -> None:
    model = visible("ch_PP-OCRv4_det_infer.onnx")
    lz.check(model, x="b 3 h w", where="h % 32 == 0, w % 32 == 0, b >= 1")
    with pytest.raises(lz.ShapeError):
        lz.check(model, x="b 3 h w", where="h % 16 == 0, w % 32 == 0")
