"""Ctrl-C ends every call that takes long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lozenge as lz

# Each is a text that defines `call`, which takes minutes.
LONG = {
    "a run": """
text = "data x : 400->400\\nlet y0 = x * x\\n" + "".join(f"let y{i + 1} = x * y{i}\\nprint y{i + 1}\\n" for i in range(60))
program, x = lz.program(text), np.ones((400, 400), dtype="f4")
call = lambda: program.run(x=x)
""",
    "a run in double precision": """
program, x = lz.program("data x : 2000->2000\\nprint x * x"), np.ones((2000, 2000))
call = lambda: program.run(x=x, precision="f64")
""",
    "a call of Axon": """
program, x = lz.program("f = fn(x) { matmul(x, x) }", language="axon"), np.ones((2000, 2000), dtype="f4")
call = lambda: program.run(x=x)
""",
    "training": """
text = (
    "data x : n:4096|->64 = 1\\ndata t : n|->1 = 1\\nlet line = dense(1)\\ntrain 1000000 epochs by 4096 of n:\\n"
    "  let loss = mse(line(relu(dense(64)(x))), t)\\n  backward loss\\n  for q in params(loss): sgd(0.05)(q, q.grad)\\n"
)
program = lz.program(text)
call = lambda: program.run()
""",
    "sizes of a model": """
def field(number, content):
    size, length = len(content), b""
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content

def value(name):
    axis = field(1, field(2, b"n"))
    return field(1, name) + field(2, field(1, b"\\x08\\x01" + field(2, axis)))

nodes = b"".join(field(1, field(1, b"v%d" % i) + field(2, b"v%d" % (i + 1)) + field(4, b"Relu")) for i in range(400_000))
graph = nodes + field(2, b"g") + field(11, value(b"v0")) + field(12, value(b"v400000"))
model = b"\\x08\\x08" + field(7, graph) + field(8, b"\\x10\\x11")
call = lambda: lz.sizes(model, max_nodes=1_000_000)
""",
    "a program": """
text = "data x : n:4|->3\\nlet y0 = x\\n" + "".join(f"let y{i + 1} = dense(3)(y{i})\\n" for i in range(100_000))
call = lambda: lz.program(text)
""",
    "a solution": """
text = "\\n".join(f"[a{i} <r{i}>] ~ [a{i + 1} <r{i + 1}>]" for i in range(1_000_000)) + "\\na0 = 3"
call = lambda: lz.Solver(text).solve()
""",
    "an entailment": """
solver = lz.Solver("\\n".join(f"[a{i} <r{i}>] ~ [a{i + 1} <r{i + 1}>]" for i in range(20_000)))
call = lambda: solver.entails("[<r5>] ~ [<r9000>]")
""",
    "types of Axon": """
text = "f = fn(x) { " + " + ".join(["x"] * 400_000) + " }"
call = lambda: lz.program(text, language="axon")
""",
    "a page": """
text = "data x : n:4|->3\\nlet y0 = x\\n" + "".join(f"let y{i + 1} = dense(3)(y{i})\\n" for i in range(5_000))
program = lz.program(text)
call = lambda: program._repr_html_()
""",
}

CHILD = """
import sys, time
import numpy as np
import lozenge as lz
{define}
print("ready", flush=True)
try:
    call()
except KeyboardInterrupt:
    late = time.monotonic()
    # The rest of the package still answers.
    assert lz.program("data x : ->2 = [1, 2]\\nprint x").run()["x"].tolist() == [1, 2]
    print(late, flush=True)
else:
    print("done", flush=True)
"""


def interrupted(define: str) -> float:
    """The seconds from Ctrl-C to the exception."""
    child = subprocess.Popen([sys.executable, "-c", CHILD.replace("{define}", define)], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        line: Any = child.stdout.readline()
        assert child.wait(60) == 0
        assert line != "done\n", "it did not take long"
    return float(line) - sent


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="clocks of two processes are compared")
@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_what_takes_long(what: str) -> None:
    # 100 ms where the machine has time: the least of some turns, since other work delays any of them.
    most, late = 0.1, []
    for _ in range(int(os.environ.get("LOZENGE_TURNS", "5"))):
        late.append(interrupted(LONG[what]))
        if late[-1] < most:
            return
    assert min(late) < most, late


def test_a_run_that_was_stopped_computes_no_further() -> None:
    script = LONG["a run in double precision"] + (
        "import os, signal, threading, time\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    call()\nexcept KeyboardInterrupt:\n    pass\n"
        "time.sleep(1)\nbegin = time.process_time()\ntime.sleep(1)\nprint(time.process_time() - begin)\n"
    )
    done = subprocess.run([sys.executable, "-c", "import numpy as np, lozenge as lz\n" + script], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.3, done.stdout


def longest(call: Callable[[], object]) -> float:
    """The longest time in which Python looks at no signal."""
    heard = [time.monotonic()]
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(time.monotonic()))
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    heard.append(time.monotonic())
    return max(later - earlier for earlier, later in zip(heard, heard[1:]))


def many_lines() -> lz.Program:
    return lz.program("data x : n:4|->3\nlet y0 = x\n" + "".join(f"let y{i + 1} = dense(3)(y{i})\n" for i in range(5_000)))


def many_functions() -> lz.AxonProgram:
    return lz.program("\n".join(f"f{i} = fn(x : f32 [a,b], y) {{ matmul(x, y) }}" for i in range(5_000)), language="axon")


def many_equations() -> lz.Solver:
    return lz.Solver("\n".join(f"[a{i} <r{i}>] ~ [a{i + 1} <r{i + 1}>]" for i in range(200_000)))


def large() -> tuple[lz.Program, Any]:
    return lz.program("data x : 6000->6000\nprint x"), np.ones((6000, 6000))


def not_a_model(content: bytes) -> None:
    with pytest.raises(lz.ModelError):
        lz.sizes(content)


# The object that is made beforehand, and the question about it.
ANSWERS: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "loops": (many_lines, lambda program: program.loops),
    "shapes": (many_lines, lambda program: program.shapes),
    "types of Axon": (many_functions, lambda program: (program.shapes, program.checks, program.functions)),
    "a solution": (many_equations, lambda solver: solver.solve()),
    "an array that is copied": (large, lambda both: both[0].run(x=both[1])),
    "the bytes of a model": (lambda: bytes(1_000_000_000), not_a_model),
}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
@pytest.mark.parametrize("what", ANSWERS)
def test_signals_are_looked_at_while_an_answer_is_large(what: str) -> None:
    make, ask = ANSWERS[what]
    about = make()
    turns = int(os.environ.get("LOZENGE_TURNS", "5"))
    assert any(longest(lambda: ask(about)) < 0.1 for _ in range(turns))
