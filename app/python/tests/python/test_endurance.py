"""Panics, Ctrl-C, misuse, and memory."""

from __future__ import annotations

import concurrent.futures
import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import lozenge as lz
from lozenge import _lozenge


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_panic_becomes_an_exception(in_thread: bool, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(lz.InternalError, match="a panic for a test\nPlease report it with what reproduces it: a test"):
        _lozenge.panics(in_thread)


def slow() -> lz.Program:
    """A program that runs for minutes."""
    text = "data x : 400->400\nlet y0 = x * x\n" + "".join(f"let y{i + 1} = x * y{i}\nprint y{i + 1}\n" for i in range(60))
    return lz.program(text)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_ctrl_c_is_heard() -> None:
    program = slow()
    x = np.ones((400, 400), dtype="f4") / 400
    sent: list[float] = []

    def press() -> None:
        time.sleep(0.5)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        program.run(x=x)
    late = time.perf_counter() - sent[0]
    thread.join()
    # 100 ms on a machine that does nothing else.
    assert late < 5.0, late


class Alarm(BaseException):
    """The exception of a handler of a signal: like KeyboardInterrupt no Exception."""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_signals_at_any_time_leave_objects_whole(detector: bytes) -> None:
    s, p = lz.sizes(detector), lz.program("data x : ->3\nprint square(x)")
    choose, rung = random.Random(5), 0

    def ring(number: int, frame: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        for turn in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, choose.uniform(0.0001, 0.02))
                while True:
                    lz.sizes(detector, where="h = w").admits((1, 3, 30, 30))
                    s.why((1, 3, 30, 30 + turn))
                    p.run(x=np.ones(3))
            except Alarm:
                rung += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == 200
    assert s.admits((1, 3, 4, 4)) and not s.admits((1, 3, 30, 4)) and p.run(x=np.ones(3))["square(x)"].sum() == 3


def test_other_threads_run_while_a_question_is_answered() -> None:
    program = lz.program("data x : 120->120\nlet y = x * x\nprint y")
    done = threading.Event()

    def work() -> None:
        program.run(x=np.ones((120, 120)))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 5


def misuses() -> list[Any]:
    return [
        None, 0, -1, 1.5, 2**70, True, "", "x", "b c", b"", b"abc", object(), [], [1], [-1], [2**70], ["a"], (), (1, 3, 4, 4), {}, {"image": 3},
        {"image": (1, 3, 4, 4)}, {"": ()}, {1: 2}, np.zeros(3), np.zeros((1, 3, 4, 4)), np.array([None]), np.float64(3), range(3), iter([1]), float("nan"),
        lambda: None, int, lz, set(), slice(3), Ellipsis, type("Shape", (), {"shape": 3})(), type("Shape", (), {"shape": ["a"]})(), "\ud800", "b (h", "1 2",
    ]  # fmt: skip


Call = Callable[[lz.Sizes, lz.Program, Any, Any], object]

AXON = lz.program("f = fn(x, y) { x + y }", language="axon")

# The call, and words of which one has to stand in the message of each exception: the arguments that are wrong.
CALLS: list[tuple[str, Call]] = [
    ("model", lambda s, p, a, b: lz.sizes(a)),
    ("model", lambda s, p, a, b: lz.sizes(b"\x08", example=a)),
    ("relax|input", lambda s, p, a, b: lz.sizes(s._source[0], relax=a)),
    ("where", lambda s, p, a, b: lz.sizes(s._source[0], where=a)),
    ("max_nodes", lambda s, p, a, b: lz.sizes(s._source[0], max_nodes=a)),
    ("image|input", lambda s, p, a, b: s.admits(a)),
    ("image", lambda s, p, a, b: s.admits(image=a)),
    ("image|input", lambda s, p, a, b: s.at(a, image=b)),
    ("image", lambda s, p, a, b: s.nearest(image=a)),
    ("image", lambda s, p, a, b: s.why(image=a)),
    ("lock", lambda s, p, a, b: s.against(a)),
    ("case", lambda s, p, a, b: s.layers(a)),
    ("image|where|pattern", lambda s, p, a, b: lz.check(s, image=a, where=b)),
    ("returns|output", lambda s, p, a, b: lz.check(s, image="b 3 4 4", returns=a)),
    ("inputs|image|input", lambda s, p, a, b: lz.check(s, inputs=a)),
    ("model|image", lambda s, p, a, b: lz.check(a, image=b)),
    ("model|relax|where|input", lambda s, p, a, b: lz.branches(s._source[0], relax=a, where=b)),
    ("model|`relax` and `where`", lambda s, p, a, b: lz.migrate(s, relax=a, where=b)),
    ("text", lambda s, p, a, b: lz.program(a)),
    ("name|folder", lambda s, p, a, b: lz.program("data x : ->2 = [1, 2]", name=a, folder=b)),
    ("`n`", lambda s, p, a, b: lz.program("size n = 2\ndata x : ->n = range(2)", n=a)),
    ("text|language|path|file", lambda s, p, a, b: lz.program(a, language=b)),
    ("text|table|name|folder", lambda s, p, a, b: lz.program("f = fn(x) { x }", language="axon", table=a, folder=b)),
    ("inputs|function|`f`|`x`|`y`", lambda s, p, a, b: AXON.run(a, function=b)),
    ("`x`|`y`", lambda s, p, a, b: AXON.run(x=a, y=b)),
    ("shapes|`f`|`x|`y|`image|function", lambda s, p, a, b: AXON.at(a, function=b)),
    ("`x|`y|`f`", lambda s, p, a, b: AXON.at(x=a, y=b)),
    ("precision|max_bytes", lambda s, p, a, b: AXON.run(x=[1], y=[1], precision=a, max_bytes=b)),
    ("inputs|`x`|tensor", lambda s, p, a, b: p.run(a)),
    ("`x`", lambda s, p, a, b: p.run(x=a)),
    ("seed|epochs", lambda s, p, a, b: p.run(x=np.ones(3), seed=a, epochs=b)),
    ("show", lambda s, p, a, b: p.run(x=np.ones(3), show=a)),
    ("precision|progress", lambda s, p, a, b: p.run(x=np.ones(3), precision=a, progress=b)),
    ("max_bytes|max_points", lambda s, p, a, b: p.run(x=np.ones(3), max_bytes=a, max_points=b)),
    ("loss", lambda s, p, a, b: p.gradient(a)),
    ("pattern", lambda s, p, a, b: lz.shapes(a)),
    ("pattern|function", lambda s, p, a, b: lz.shapes(a)(b)),
    ("`x`", lambda s, p, a, b: lz.shapes("b c")(lambda x: b)(a)),
    ("result", lambda s, p, a, b: lz.shapes("b -> c")(lambda x: b)(np.ones(3))),
    ("inputs", lambda s, p, a, b: setattr(s, "inputs", a)),
    ("Sizes|sizes", lambda s, p, a, b: lz.Sizes()),
    ("model|against", lambda s, p, a, b: lz.testing.assert_sizes(a, against=b)),
    ("constraints", lambda s, p, a, b: lz.Solver(a)),
    ("branches|work", lambda s, p, a, b: lz.Solver("n = 3", branches=a, work=b)),
    ("constraint", lambda s, p, a, b: lz.Solver("n = 3").entails(a)),
    ("variable", lambda s, p, a, b: lz.Solver("n = 3").explain(a)),
    ("size|basis|name", lambda s, p, a, b: lz.Size(a, b)),
    ("leading|name|dimension", lambda s, p, a, b: lz.Row(a, b)),
    # Objects that nobody made.
    ("", lambda s, p, a, b: object.__new__(lz.Sizes).admits(a)),
    ("", lambda s, p, a, b: lz.check(object.__new__(lz.Sizes), image=a)),
    ("", lambda s, p, a, b: object.__new__(lz.Program).run(x=a)),
    ("", lambda s, p, a, b: object.__new__(lz.AxonProgram).run(x=a)),
    ("", lambda s, p, a, b: _lozenge.Axon(a, "n", b, "paper")),
    ("", lambda s, p, a, b: _lozenge.address(a)),
    ("", lambda s, p, a, b: object.__new__(lz.Solver).add(a)),
    ("", lambda s, p, a, b: _lozenge.Model(a, b, False, "", {})),
    ("", lambda s, p, a, b: _lozenge.Matcher("f", a, b, [])),
    ("", lambda s, p, a, b: _lozenge.Text(a, "n", b, {})),
]


def misuse(seed: int, count: int, s: lz.Sizes, p: lz.Program) -> tuple[int, list[str]]:
    """Counts the refused calls among some random ones, and lists the messages that name no argument."""
    choose, raised, nameless = random.Random(seed), 0, []
    for _ in range(count):
        words, call = choose.choice(CALLS)
        values = misuses()
        first, second = choose.choice(values), choose.choice(values)
        try:
            call(s, p, first, second)
        except lz.InternalError:
            raise
        except (lz.ModelError, lz.ProgramError, lz.ShapeError):
            raised += 1  # a text or a model that could be one, with its place
        except Exception as error:  # an Exception, not what ends a process
            raised += 1
            if not str(error) or not any(word in str(error) for word in words.split("|")):
                nameless.append(f"{words}: {type(error).__name__}: {error} ({first!r}, {second!r})")
    return raised, nameless


def test_misuse_ends_in_an_exception_that_names_the_argument(detector: bytes, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    s, p = lz.sizes(detector), lz.program("data x : ->3\nprint x")
    raised, nameless = misuse(7, 10_000, s, p)
    assert nameless == [], "\n".join(nameless)
    assert raised > 5_000
    assert s.admits((1, 3, 4, 4)) and p.run(x=np.ones(3))["x"].sum() == 3


def test_misuse_from_a_hundred_threads(detector: bytes, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    s, p = lz.sizes(detector), lz.program("data x : ->3\nprint x")
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        found = list(pool.map(lambda seed: misuse(seed, 20, s, p), range(100)))
    assert sum(raised for raised, _ in found) > 1_000
    assert s.admits((1, 3, 4, 4)) and p.run(x=np.ones(3))["x"].sum() == 3


def test_calls_leave_nothing_behind(detector: bytes) -> None:
    count = int(os.environ.get("LOZENGE_CALLS", "300"))
    s = lz.sizes(detector)
    p = lz.program("data x : ->3\nlet y = square(x)\nprint y")
    x = np.ones(3, dtype="f4")
    function = lz.shapes("b c -> b")(lambda a: a.sum(1))
    array = np.ones((2, 3))

    def calls() -> None:
        s.admits(image=(1, 3, 30, 40))
        s.at((1, 3, 4, 4))
        p.run(x=x)
        function(array)
        try:
            p.run(x=array)
        except lz.ShapeError:
            pass
        try:
            function(x)
        except lz.ShapeError:
            pass

    for _ in range(50):
        calls()
    gc.collect()
    objects, memory = len(gc.get_objects()), resident()
    references = sys.getrefcount(None), sys.getrefcount(x), sys.getrefcount(array)
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        calls()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert sys.getrefcount(x) <= references[1] + 1 and sys.getrefcount(array) <= references[2] + 1
    assert len(gc.get_objects()) - objects < 200
    assert grown < 100_000, grown
    assert resident() - memory < 20_000_000


def resident() -> int:
    """The bytes of memory that the process has; 0 where nobody knows."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def test_the_command_has_the_statuses_of_the_binary() -> None:
    command = os.path.join(os.path.dirname(sys.executable), "lozenge")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([command, *words], capture_output=True, text=True, cwd=ROOT)

    assert run("--version").stdout.startswith("lozenge")
    assert run("sizes", "examples/models/detector.onnx", "--at", "image=[1,3,30,40]").returncode == 1
    assert run("sizes", "README.md").returncode == 2
    assert run("nonsense").returncode == 2
    assert "3->4" in run("infer", "--shapes", "examples/first/layer.loz").stdout or run("infer", "examples/first/layer.loz").returncode == 0


def test_the_import_brings_little() -> None:
    script = "import sys; import lozenge; print([m for m in ('numpy', 'torch', 'onnx', 'jax', 'pytest') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_the_plugin_writes_lock_files_and_tells_the_story(pytester: pytest.Pytester, detector: bytes) -> None:
    pytester.path.joinpath("model.onnx").write_bytes(detector)
    pytester.makepyfile(
        """
        import lozenge as lz

        def test_model():
            lz.testing.assert_sizes("model.onnx", against="model.sizes")

        def test_smaller():
            lz.testing.assert_sizes(lz.sizes("model.onnx", where="h != 7"), against="model.sizes")
        """
    )
    first = pytester.runpytest_subprocess("-k", "test_model")
    first.stdout.fnmatch_lines(["*model.sizes is missing: pytest --update-sizes writes it*"])
    pytester.runpytest_subprocess("--update-sizes", "-k", "test_model").assert_outcomes(passed=1)
    later = pytester.runpytest_subprocess()
    later.assert_outcomes(passed=1, failed=1)
    later.stdout.fnmatch_lines(["*sizes that were admitted are refused*"])
