"""Sizes that a model takes, asked from Python."""

from __future__ import annotations

import concurrent.futures
import copy
import gzip
import itertools
import json
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import DETECTOR, ROOT, visible

import lozenge as lz


def test_the_text_is_that_of_the_command() -> None:
    command = Path(sys.executable).parent / "lozenge"
    printed = subprocess.run([command, "sizes", str(DETECTOR)], capture_output=True, text=True, check=True).stdout
    assert str(lz.sizes(DETECTOR)) == printed.rstrip("\n")


def test_membership_is_that_of_a_sweep(detector: bytes) -> None:
    # By hand: `merge` adds the halves, rounded up, to twice the quarters, rounded up; sizes are equal, or one of them is 1.
    def fits(size: int) -> bool:
        half, doubled = -(-size // 2), 2 * -(-size // 4)
        return half == doubled or half == 1

    s = lz.sizes(detector)
    for size in range(1, 200):
        assert s.admits((2, 3, size, 4)) == fits(size), size
        assert s.at(image=(2, 3, 4, size)).admitted == fits(size), size


def test_nearest_sizes_and_the_story(detector: bytes) -> None:
    s = lz.sizes(detector)
    assert s.nearest(image=(1, 3, 30, 40))["h"] == (28, 31)
    story = s.why(image=(1, 3, 30, 40))
    assert story.nodes == ("merge",)
    assert "admitted with h = 28 or 31" in str(story)
    assert "<pre>" in story.html and "28 or 31" in story.html
    assert s.why(image=(1, 3, 31, 40)).admitted is True


def test_shapes_warnings_and_layers(detector: bytes) -> None:
    s = lz.sizes(detector)
    assert dict(s.inputs) == {"image": "[b, 3, h, w]"}
    assert dict(s.outputs) == {"map": "[b, 1, 2*ceil(h/4), 2*ceil(w/4)]"}
    assert [warning.kind for warning in s.warnings] == ["stretched", "stretched"]
    assert s.layers()["map"] == s.outputs["map"]
    assert s.verdict == "sat" and s.core == () and s.limits == ()


def test_whatever_holds_the_model_gives_the_same_answer(detector: bytes) -> None:
    class Proto:
        def SerializeToString(self) -> bytes:
            return detector

    texts = {str(lz.sizes(source)) for source in [DETECTOR, str(DETECTOR), detector, bytearray(detector), memoryview(detector), Proto()]}
    assert len(texts) == 1


def test_a_proto_of_onnx_is_read(detector: bytes) -> None:
    onnx = pytest.importorskip("onnx")
    assert str(lz.sizes(onnx.load(DETECTOR))) == str(lz.sizes(detector))


class Recorded:
    """The part of torch that the package uses, which is not installed where tests run: it saves the file that torch
    2.15 saved."""

    def __init__(self, file: Path) -> None:
        self.content = file.read_bytes()
        self.calls: list[tuple[str, object]] = []
        self.Tensor = RecordedTensor
        # `torch.export` is a module with the function `export`.
        self.export = self

    class Dim:
        AUTO = "automatic"

    def save(self, program: object, file: Any) -> None:
        self.calls.append(("save", program))
        file.write(self.content)

    def __call__(self, module: object, arguments: object, dynamic_shapes: object) -> object:
        self.calls.append(("export", dynamic_shapes))
        return module


class RecordedTensor:
    """An example argument."""

    def dim(self) -> int:
        return 4


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    recorded = Recorded(ROOT / "examples/torch_export/unet.pt2")
    monkeypatch.setitem(sys.modules, "torch", recorded)
    return recorded


def test_an_exported_program_is_saved_by_torch_and_read_here(torch: Recorded) -> None:
    class Exported:
        graph_signature = graph_module = None

    program = Exported()
    s = lz.sizes(program)
    assert s.admits((1, 1, 32, 36)) and not s.admits((1, 1, 30, 36))
    assert torch.calls == [("save", program)]
    assert str(s) == str(lz.sizes("examples/torch_export/unet.pt2"))


def test_a_module_is_exported_with_every_axis_automatic(torch: Recorded) -> None:
    def module(x: object) -> object:
        return x

    lz.check(lz.sizes(module, (RecordedTensor(), 3)), x="b 1 (4*h) (4*w)")
    assert torch.calls == [("export", ({0: "automatic", 1: "automatic", 2: "automatic", 3: "automatic"}, None)), ("save", module)]
    with pytest.raises(TypeError, match="a function is no model"):
        lz.sizes(module)
    with pytest.raises(TypeError, match="the example arguments are a RecordedTensor: give a tuple"):
        lz.sizes(module, RecordedTensor())  # type: ignore[arg-type]


def test_branches_and_annotations_are_those_of_the_command(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "lozenge"
    for name in ["ConvControlFlow", "ReshapeControlFlow"]:
        file = tmp_path / "model.json"
        file.write_bytes(gzip.decompress((ROOT / f"examples/fx/{name}.json.gz").read_bytes()))

        def printed(word: str) -> Any:
            return json.loads(subprocess.run([command, word, file, "--format", "json"], capture_output=True, text=True).stdout)

        found = lz.branches(file)
        of_command = printed("branches")["branches"]
        assert len(found) > 0
        assert [(one.node, one.verdict, one.true_if) for one in found] == [
            (one["node"], one["verdict"], tuple(one.get("true_if", ()))) for one in of_command
        ]
        assert all({value for _, value in one.witnesses} == {True, False} for one in found if one.verdict == "depends")
        assert lz.branches(lz.sizes(file)) == found == pickle.loads(pickle.dumps(found))
        assert lz.migrate(file)["inputs"] == printed("migrate")["inputs"]
    with pytest.raises(ValueError, match="`relax` and `where` are given to `sizes`"):
        lz.branches(lz.sizes(file), where="x.rank = 4")


def test_models_of_jax_name_the_page() -> None:
    class Exported:
        def mlir_module(self) -> str:
            return ""

    with pytest.raises(NotImplementedError, match="docs/python/jax.md"):
        lz.sizes(Exported())


def test_relaxed_and_restricted_sizes(detector: bytes) -> None:
    assert lz.sizes(detector, relax=True).inputs["image"] == "[b, c, h, w]"
    restricted = lz.sizes(detector, where=["h = w", "h <= 4"])
    assert restricted.admits((1, 3, 4, 4)) and not restricted.admits((1, 3, 8, 8))
    with pytest.raises(ValueError, match=r"where: nothing is called `q`.*there are the sizes b, h, w"):
        lz.sizes(detector, where="q = 1")
    with pytest.raises(ValueError, match="no input `y`: its inputs are image"):
        lz.sizes(detector, relax="y")
    with pytest.raises(ValueError, match=r"where: .*\n  h %% 2\n"):
        lz.sizes(detector, where="h %% 2")


def test_sizes_do_not_change_and_can_be_pickled(tmp_path: Path, detector: bytes) -> None:
    s = lz.sizes(detector, where="h = w")
    for name in ["_model", "inputs", "new"]:
        with pytest.raises(AttributeError):
            setattr(s, name, 1)
    again = pickle.loads(pickle.dumps(s))
    assert str(again) == str(s) == str(copy.deepcopy(s))
    assert pickle.loads(pickle.dumps(s.at((1, 3, 30, 30)))) == s.at((1, 3, 30, 30))
    with pytest.raises(TypeError):
        s.inputs["image"] = ""  # type: ignore[index]
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(s.at((1, 3, 30, 30)))

    file = tmp_path / "model.onnx"
    file.write_bytes(detector)
    from_file = lz.sizes(file)
    assert str(pickle.loads(pickle.dumps(from_file))) == str(from_file)
    file.write_bytes(detector + b"\x00")
    with pytest.raises(lz.ModelError, match="has changed since it was read"):
        pickle.dumps(from_file)


def test_shapes_are_read_once_and_are_no_truth_values(detector: bytes) -> None:
    s = lz.sizes(detector)
    assert s.why(iter((1, 3, 30, 40))).nearest == s.why((1, 3, 30, 40)).nearest != {}
    assert hash(s.at((1, 3, 30, 40))) == hash(s.at((1, 3, 30, 40)))
    with pytest.raises(TypeError, match="`image` is a shape with a bool at axis 0"):
        s.admits((True, 3, 4, 4))
    with pytest.raises(ValueError, match="`image`: a shape has at most 65536 axes"):
        s.admits(image=itertools.repeat(1))
    with pytest.raises(ValueError, match="the path of the model is 'a.x00b'"):
        lz.sizes("a\0b")


def test_a_model_that_changes_while_it_is_read_is_read_or_refused(tmp_path: Path, detector: bytes) -> None:
    file, other = tmp_path / "model.onnx", (ROOT / "examples/onnx/branches.onnx").read_bytes()
    answers = {str(lz.sizes(detector)), str(lz.sizes(other))}
    done = threading.Event()

    def change() -> None:
        for turn in itertools.count():
            if done.is_set():
                return
            content = [detector, other, detector[:100]][turn % 3]
            with file.open("wb") as to:
                to.write(content[: len(content) // 2])
                to.flush()
                to.write(content[len(content) // 2 :])
            time.sleep(0.0005)
            if turn % 7 == 0:
                file.unlink()

    thread = threading.Thread(target=change)
    thread.start()
    read = refused = 0
    end = time.monotonic() + 20
    try:
        while (read < 5 or refused < 5) and time.monotonic() < end:
            try:
                assert str(lz.sizes(file)) in answers
                read += 1
            except lz.ModelError:
                refused += 1
    finally:
        done.set()
        thread.join()
    assert read >= 5 and refused >= 5, (read, refused)


def test_a_hundred_threads_ask_one_object(detector: bytes) -> None:
    s = lz.sizes(detector)
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        found = list(pool.map(lambda size: (s.admits((1, 3, size, 4)), str(s)), range(1, 301)))
    assert [admitted for admitted, _ in found] == [lz.sizes(detector).admits((1, 3, size, 4)) for size in range(1, 301)]
    assert len({text for _, text in found}) == 1


def test_a_lock_file_notices_a_change(tmp_path: Path, detector: bytes) -> None:
    s = lz.sizes(detector)
    file = tmp_path / "detector.sizes"
    file.write_text(s.lock(), encoding="utf-8")
    lz.testing.assert_sizes(detector, against=file)
    ((words, witness),) = lz.sizes(detector, where="h != 7").against(s.lock())
    assert "refused" in words and witness is not None and witness["image"][2] == 7  # type: ignore[index]
    with pytest.raises(ValueError, match="no lock file"):
        s.against("{}")


def test_the_notebook_shows_a_table(detector: bytes) -> None:
    page = lz.sizes(detector)._repr_html_()
    assert page.startswith("<table>") and "<td><code>h</code></td><td>3, 4, 7, 8, 11, 12, … and 1, 2</td>" in page
    assert page.count("<li>") == 2


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        # Inputs that onnxruntime runs, and inputs that it refuses.
        ("ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 736, 1280)}, {"x": (1, 3, 700, 1280)}),
        ("silero_vad.onnx", {"input": (1, 639), "state": (2, 1, 128), "sr": 16000}, {"input": (1, 704), "state": (2, 1, 128), "sr": 16000}),
        ("yolo_cls.onnx", {"images": (1, 3, 640, 640)}, {"images": (2, 3, 640, 640)}),
    ],
)
def test_models_of_others(name: str, inside: dict[str, Any], outside: dict[str, Any]) -> None:
    s = lz.sizes(visible(name))
    assert s.admits(inside) and not s.admits(outside)


def test_the_nearest_sizes_of_the_detector_of_others() -> None:
    s = lz.sizes(visible("ch_PP-OCRv4_det_infer.onnx"))
    assert s.nearest(x=(1, 3, 700, 992))["h"] == (672, 701)
    assert s.nearest(x=(1, 3, 704, 1000))["w"] == (992, 1021)
    both = s.nearest(x=(1, 3, 700, 1000))
    assert (both["h"], both["w"]) == ((672, 701), (992, 1021))


def test_files_that_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "pickle").write_bytes(b"\x80\x04K\x01.")
    for source, words in [
        (tmp_path / "empty", "the file is empty"),
        (tmp_path / "pickle", "a pickle, which is never opened"),
        (tmp_path / "missing", "No such file"),
        (tmp_path, "is a folder"),
        (b"GGUF", "GGUF"),
        (b"\x08\x08\xff", ""),
        (ROOT / "README.md", "no file of a known kind"),
    ]:
        with pytest.raises(lz.ModelError) as caught:
            lz.sizes(source)
        assert words in str(caught.value), source
    with pytest.raises(lz.ModelError, match="max_nodes") as caught:
        lz.sizes(DETECTOR, max_nodes=1)
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args
