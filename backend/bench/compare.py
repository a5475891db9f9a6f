#!/usr/bin/env python3
"""Times the workloads of `lozenge bench backend` in NumPy with opt_einsum (and PyTorch on request) on the same values, taking turns.

Usage: backend/bench/compare.py [--lozenge PATH] [--device NAME] [--rounds N] [--seconds N] [--only TEXT]...
                                [--torch | --cuda] [--no-numpy] [--json FILE]

It installs what it needs into a virtual environment of its own (backend/bench/.venv, which git ignores), and starts itself there.
Each round times a slice of lozenge, then a slice of each contender; the least time of a run counts. Every value of the result is held
against NumPy's, so that nobody is timed on another computation. `of ceiling` is what `lozenge bench backend` says: the share of the
multiply-adds or of the copy of the device. `cpu` is the ratio of the times on a core: other programs on the machine disturb it less.
Below 1 lozenge takes less time. `torch first` is PyTorch's convolution of images that have their channels first, its usual layout;
`torch` has them last, as lozenge does.

With --cuda PyTorch computes on the GPU, in 32 bits without TF32, and a run is one of several that are queued, between two events; so is
lozenge's where its device is no processor. This installs nothing: NumPy and PyTorch must be there for the Python that runs the script,
and without opt_einsum its column is left out. With --no-numpy NumPy runs once, to check the result, and is not timed.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SLICE = 0.03
# Runs that are queued together take this long, so that what it takes to wait for them does not count much.
BATCH = 0.004
MOST_QUEUED = 1024


def environment(torch):
    """Starts this script in its own environment, unless it runs there."""
    folder = HERE / ".venv"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    packages = ["numpy", "opt_einsum"]
    found = subprocess.run([str(python), "-c", "import numpy, opt_einsum"], capture_output=True)
    if found.returncode:
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    if torch:
        found = subprocess.run([str(python), "-c", "import torch"], capture_output=True)
        if found.returncode:
            install = [str(python), "-m", "pip", "install", "--quiet", "torch"]
            index = ["--index-url", "https://download.pytorch.org/whl/cpu"]
            if subprocess.run([*install, *index]).returncode:
                # Where that server cannot be reached, the usual one has it too, with far more to download.
                subprocess.run(install, check=True)
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        # Threads that wait must not spin, or they disturb whoever has the next turn.
        wished = {"OMP_WAIT_POLICY": "PASSIVE", "LOZENGE_COMPARE": "1"}
        os.execve(str(python), [str(python), str(pathlib.Path(sys.argv[0]).resolve()), *sys.argv[1:]], {**os.environ, **wished})


def with_cuda():
    """PyTorch with its GPU, which computes in 32 bits and rounds nothing to fewer."""
    missing = [name for name in ("numpy", "torch") if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"--cuda installs nothing, and {sys.executable} has no {' and no '.join(missing)}")
    import torch

    if not torch.cuda.is_available():
        sys.exit(f"--cuda: PyTorch {torch.__version__} finds no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return torch


def values(np, tensor, count):
    """The values that `lozenge bench` gives to a tensor, by its number."""
    at = np.arange(count, dtype=np.uint32) + np.uint32(7919 * (tensor + 1) % 2**32)
    mixed = at * np.uint32(2654435761)
    return (mixed >> np.uint32(8)).astype(np.float32) / np.float32(1 << 24) - np.float32(0.5)


def operands(np, program):
    """The data of a program, by name: lines such as `data a : 4|->8 from "a"`."""
    found = {}
    for line in program.splitlines():
        if not line.startswith("data "):
            continue
        name, shape = line[5:].split(" from ")[0].split(" : ")
        sizes = [int(size) for size in shape.replace("|->", ",").replace("|", ",").split(",") if size.strip()]
        count = 1
        for size in sizes:
            count *= size
        found[name] = values(np, len(found), count).reshape(sizes)
    return found


def timed(run):
    """The least time of a run and the mean time on a core, in a slice of time."""
    start, cpu, least, runs = time.perf_counter(), time.process_time(), float("inf"), 0
    while True:
        before = time.perf_counter()
        run()
        now = time.perf_counter()
        least, runs = min(least, now - before), runs + 1
        if now - start > SLICE:
            return least, (time.process_time() - cpu) / runs


def timed_by_events(torch, run):
    """The least time of a run among several that are queued on the GPU, in a slice of time. It has no time on a core."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start, least, times = time.perf_counter(), float("inf"), 1
    while time.perf_counter() - start < SLICE:
        begin.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        took = begin.elapsed_time(end) / 1e3
        least = min(least, took / times)
        if took < BATCH:
            times = min(2 * times, MOST_QUEUED)
    return least, float("nan")


def channels_first(torch, text, tensors):
    """A convolution of PyTorch with the channels before the places, its operands laid out so before the clock starts."""
    image = tensors["a"].permute(0, 3, 1, 2).contiguous()
    weights = tensors["b"].permute(3, 2, 0, 1).contiguous()
    padding = 1 if "padding=1" in text else 0
    return lambda: torch.conv2d(image, weights, padding=padding)


def contenders(np, args, torch, opt_einsum, one, data):
    """Returns the libraries that take turns with lozenge, by name, each with the function that times it."""
    found = {}
    if args.numpy:
        found["numpy"] = (timed, lambda: eval(one["numpy"], {"np": np, **data}))
        if opt_einsum and "np.einsum('" in one["numpy"]:
            rest = one["numpy"].split("np.einsum(", 1)[1].replace(", optimize=True", "")
            found["opt_einsum"] = (timed, lambda: eval("contract(" + rest, {"contract": opt_einsum.contract, **data}))
    if torch:
        device = "cuda" if args.cuda else "cpu"
        tensors = {name: torch.from_numpy(value).to(device) for name, value in data.items()}
        clock = (lambda run: timed_by_events(torch, run)) if args.cuda else timed
        # Reading the text takes longer than a small kernel of a GPU.
        text = compile(one["torch"], one["name"], "eval") if args.cuda else one["torch"]
        found["torch"] = (clock, lambda: eval(text, {"torch": torch, **tensors}))
        if "torch.conv2d(" in one["torch"]:
            found["torch first"] = (clock, channels_first(torch, one["torch"], tensors))
    return found


class Lost(Exception):
    """lozenge ended, or did not answer in time."""


class Server:
    """`lozenge bench backend --serve`, which is started again after it was lost."""

    def __init__(self, command, patience):
        self.command, self.patience, self.process = command, patience, None

    def tell(self, line):
        """Writes a line that is not answered, or not yet."""
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.lose("ended")

    def ask(self, line):
        """Writes a line, and reads the answer."""
        self.tell(line)
        # An answer is one line, and nothing is written without a question.
        if not select.select([self.process.stdout], [], [], self.patience)[0]:
            self.lose(f"no answer in {self.patience:.0f} s")
        answer = self.process.stdout.readline()
        if not answer:
            self.lose("ended")
        return json.loads(answer)

    def lose(self, reason):
        """Gives up a process; the next question goes to another one."""
        self.process.kill()
        self.process.wait()
        self.process = None
        raise Lost(reason)

    def end(self):
        """Lets the process end, which has no more to answer."""
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def mistake(np, server, one, expected, data):
    """Describes the first difference between the values of lozenge and those of NumPy; None if there is none."""
    with tempfile.NamedTemporaryFile() as file:
        server.ask(f"values\t{file.name}\t{one['name']}")
        found = np.fromfile(file.name, dtype=np.float32)
    expected = expected.ravel()
    if found.size != expected.size:
        return f"lozenge has {found.size} values, NumPy {expected.size}"
    scale = float(np.abs(expected).mean(dtype=np.float64)) + 1e-30
    # A sum of very many values that cancel is only as exact as the sum of their magnitudes allows.
    least = 1e-3 * scale + 1e-8 * float(np.abs(next(iter(data.values()))).sum(dtype=np.float64)) / expected.size
    piece = 1 << 20
    for start in range(0, found.size, piece):
        ours, theirs = found[start : start + piece], expected[start : start + piece]
        # A value that is not a number counts as wrong too, so the comparison asks for nearness and negates it.
        wrong = ~(np.abs(ours - theirs) <= 1e-3 * np.abs(theirs) + least)
        if wrong.any():
            at = int(wrong.argmax())
            return f"value {start + at} of lozenge is {ours[at]}, of NumPy {theirs[at]}"
    return None


def least_of(one, other):
    """The lesser of two times, or nan if one is unknown."""
    return one + other if one != one or other != other else min(one, other)


class Found:
    """The findings about a workload: the least times by who took them, the device of lozenge with its ceiling, and what
    is wrong."""

    def __init__(self):
        self.least, self.device, self.ceiling, self.wrong = {}, "", 0.0, None

    def turn(self, server, one, runs):
        """A slice of lozenge, then one of each contender."""
        found = server.ask(one["name"])
        self.device, self.ceiling = found["device"], max(self.ceiling, found["ceiling"])
        cpu = found["cpu_seconds"]
        turns = {"lozenge": (found["seconds"], float("nan") if cpu is None else cpu)}
        for name, (clock, run) in runs.items():
            turns[name] = clock(run)
        for name, times in turns.items():
            known = self.least.get(name, (float("inf"), float("inf")))
            self.least[name] = tuple(least_of(x, y) for x, y in zip(known, times))

    def row(self, one):
        """As a value of JSON, which has no nan."""
        wall, cpu = ({name: times[at] for name, times in self.least.items()} for at in (0, 1))
        cpu = {name: None if seconds != seconds else seconds for name, seconds in cpu.items()}
        return {"name": one["name"], "seconds": wall, "cpu_seconds": cpu, "ceiling": self.ceiling, "wrong": self.wrong}


def compared(np, args, server, one, runs, expected, data, seconds):
    """Takes turns, in fewer rounds where the time does not suffice, and checks the result."""
    start, found = time.perf_counter(), Found()
    for turn in range(args.rounds):
        if turn and time.perf_counter() - start > seconds:
            break
        found.turn(server, one, runs)
    found.wrong = mistake(np, server, one, expected, data)
    server.tell("forget " + one["name"])
    return found


def number(seconds):
    """Microseconds as text, with a digit more where they are few."""
    us = seconds * 1e6
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def line_of(one, names, least, ceiling, by_cpu):
    """A line of the table."""
    seconds = least["lozenge"][0]
    share = (one["flops"] + one["bytes"]) / seconds / ceiling
    line = f"{one['name']:<32} {number(seconds):>11} {share:>10.2f} "
    for name in names:
        ratios = [least["lozenge"][at] / least[name][at] if name in least else float("nan") for at in (0, 1)]
        texts = ["-" if ratio != ratio else f"{ratio:.2f}" for ratio in ratios]
        line += f"{number(least[name][0]) if name in least else '-':>14} {texts[0]:>6} "
        line += f"{texts[1]:>6} " if by_cpu else ""
    return line.rstrip()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lozenge", default="target/release/lozenge", help="the program (default: %(default)s)")
    parser.add_argument("--device", help="the device of lozenge, such as opencl:0 (default: as `lozenge bench backend`)")
    parser.add_argument("--rounds", type=int, default=8, help="how often they take turns for each workload (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after about this time: fewer rounds, then fewer workloads")
    parser.add_argument("--patience", type=float, default=120, metavar="SECONDS", help="how long to wait for an answer of lozenge (default: %(default)s)")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--torch", action="store_true", help="PyTorch too: a large download")
    parser.add_argument("--cuda", action="store_true", help="PyTorch on the GPU; installs nothing")
    parser.add_argument("--no-numpy", dest="numpy", action="store_false", help="do not time NumPy and opt_einsum")
    parser.add_argument("--json", metavar="FILE", help="write the measurements to this file, too")
    return parser.parse_args()


def main():
    start = time.perf_counter()
    args = arguments()
    if not args.cuda:
        environment(args.torch)
    torch = with_cuda() if args.cuda else importlib.import_module("torch") if args.torch else None
    import numpy as np

    opt_einsum = importlib.import_module("opt_einsum") if importlib.util.find_spec("opt_einsum") else None
    only = [word for text in args.only for word in ("--only", text)]
    bench = [args.lozenge, "bench", "backend", *only]
    listed = subprocess.run([*bench, "--list", "--format", "json"], check=True, capture_output=True, text=True)
    workloads = json.loads(listed.stdout)["backend"]["workloads"]
    device = ["--device", args.device] if args.device else []
    server = Server([*bench, "--serve", *device], args.patience)

    versions = [f"numpy {np.__version__}"] + ([f"opt_einsum {opt_einsum.__version__}"] if opt_einsum and args.numpy else [])
    versions += [f"torch {torch.__version__}"] if torch else []
    versions += [f"on {torch.cuda.get_device_name()} without TF32"] if args.cuda else []
    print(f"load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores, {', '.join(versions)}")
    names = ["numpy"] * args.numpy + ["opt_einsum"] * bool(opt_einsum and args.numpy) + ["torch", "torch first"] * bool(torch)
    rows, faults, shown = [], [], False
    for number_of, one in enumerate(workloads):
        left = args.seconds - (time.perf_counter() - start)
        if left < 0:
            faults.append(f"{one['name']}: not measured, no time left")
            continue
        data = operands(np, one["program"])
        expected = np.asarray(eval(one["numpy"], {"np": np, **data}), dtype=np.float32)
        runs = contenders(np, args, torch, opt_einsum, one, data)
        try:
            found = compared(np, args, server, one, runs, expected, data, left / (len(workloads) - number_of))
        except Lost as lost:
            faults.append(f"{one['name']}: lozenge was lost: {lost}")
            print(faults[-1], flush=True)
            continue
        if not shown:
            shown = True
            head = " ".join(f"{name + ' us':>14} {'ratio':>6}" + ("" if args.cuda else f" {'cpu':>6}") for name in names)
            print(f"{found.device}\n{'workload':<32} {'lozenge us':>11} {'of ceiling':>10} {head}")
        print(line_of(one, names, found.least, found.ceiling, not args.cuda), flush=True)
        if found.wrong:
            faults.append(f"{one['name']}: {found.wrong}")
            print(f"  WRONG: {found.wrong}", flush=True)
        rows.append(found.row(one))
    server.end()
    print(f"load {os.getloadavg()[0]:.1f} at the end, {time.perf_counter() - start:.0f} s")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
