#!/usr/bin/env python3
"""Measures the Python package that is installed: the figures of docs/python/figures.md. Run by hand, with the wheel of a release.

The argument is the wheel. The command is that of the wheel, whose time is counted without the start of Python: by `lozenge --version`.
"""

import gc
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lozenge as lz

ROOT = Path(__file__).resolve().parents[3]


def best(call: Callable[[], object], turns: int = 7) -> float:
    """The seconds of the fastest of some turns."""
    found = []
    for _ in range(turns):
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return min(found)


def python(script: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)


def imported() -> float:
    """The seconds that the import takes, beyond those of an interpreter that imports nothing."""
    return best(python("import lozenge"), 20) - best(python("pass"), 20)


def models() -> list[tuple[str, float, float]]:
    """For each visible model the seconds of the command, without its start, and those of the same question in Python."""
    command = str(Path(sys.executable).parent / "lozenge")

    def seconds(*words: str) -> float:
        return best(lambda: subprocess.run([command, *words], check=False, stdout=subprocess.DEVNULL), 5)

    start = seconds("--version")
    found = []
    for file in sorted((ROOT / ".libs/models").glob("*.onnx")):
        found.append((file.name, seconds("sizes", str(file)) - start, best(lambda: str(lz.sizes(file)), 5)))
    return found


def decorator(calls: int) -> float:
    """The seconds that calls cost with the decorator, beyond those without."""

    def plain(x: Any, w: Any) -> Any:
        return x

    checked = lz.shapes("b t d, d h -> b t d")(plain)
    x, w = np.zeros((2, 5, 8)), np.zeros((8, 4))

    def loop(function: Callable[[Any, Any], Any]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                function(x, w)

        return run

    return best(loop(checked), 5) - best(loop(plain), 5)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def stays(call: Callable[[], object], times: int) -> tuple[int, int]:
    """The bytes that Python has allocated more, and those of the process, after a call was repeated."""
    for _ in range(max(100, times // 100)):
        call()
    gc.collect()
    tracemalloc.start()
    before, memory = tracemalloc.get_traced_memory()[0], resident()
    for _ in range(times):
        call()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return grown, resident() - memory


def main() -> None:
    wheel = Path(sys.argv[1])
    print("| figure | goal | measured |\n|---|---|---|")
    print(f"| the wheel | < 6 MB | {wheel.stat().st_size / 1e6:.2f} MB |")
    print(f"| `import lozenge` | < 50 ms | {imported() * 1e3:.0f} ms |")
    both = models()
    ratio = sum(own for _, _, own in both) / sum(of_command for _, of_command, _ in both)
    own = sum(own for _, _, own in both)
    print(f"| `lz.sizes` of {len(both)} models of others, beside the command | ≤ 1.2 times | {ratio:.2f} times; {own * 1e3:.0f} ms together |")
    print(f"| 100,000 calls with the decorator | < 0.5 s | {decorator(100_000):.2f} s |")
    program, x = lz.program("data x : ->3\nlet y = square(x)\nprint y"), np.ones(3, dtype="f4")
    grown, memory = stays(lambda: program.run(x=x), 1000)
    print(f"| 1000 runs of a small program | nothing stays | {grown} bytes of Python, {memory} of the process |")
    function, array = lz.shapes("b c -> b")(lambda a: a[:, 0]), np.ones((2, 3))
    references = sys.getrefcount(array)
    grown, memory = stays(lambda: function(array), 1_000_000)
    print(
        f"| 1,000,000 calls with the decorator | no reference is lost | {sys.getrefcount(array) - references} references, "
        f"{grown} bytes of Python, {memory} of the process |"
    )
    s = lz.sizes(ROOT / "examples/models/detector.onnx")
    grown, memory = stays(lambda: s.admits((1, 3, 30, 40)), int(os.environ.get("LOZENGE_CALLS", "100000")))
    print(f"| 100,000 calls of `admits` | nothing stays | {grown} bytes of Python, {memory} of the process |")


if __name__ == "__main__":
    main()
