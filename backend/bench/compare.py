#!/usr/bin/env python3
"""Times the workloads of `lozenge bench backend` in NumPy with opt_einsum (and PyTorch on request) on the same values, taking turns.

Usage: backend/bench/compare.py [--lozenge PATH] [--rounds N] [--only TEXT]... [--torch] [--json FILE]

It installs what it needs into a virtual environment of its own (backend/bench/.venv, which git ignores), and starts itself there.
Each round times a slice of lozenge, then a slice of each contender; the least time of a run counts. The first values and the sum of
the result are held against NumPy's, so that nobody is timed on another computation. `cpu` is the ratio of the times on a core: other
programs on the machine disturb it less. Below 1 lozenge takes less time. `torch first` is PyTorch's convolution of images that have their
channels first, its usual layout; `torch` has them last, as lozenge does.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SLICE = 0.03


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
    """The least time of a run and the mean time on a core, in a slice of time, with the last result."""
    start, cpu, least, runs = time.perf_counter(), time.process_time(), float("inf"), 0
    while True:
        before = time.perf_counter()
        result = run()
        now = time.perf_counter()
        least, runs = min(least, now - before), runs + 1
        if now - start > SLICE:
            return least, (time.process_time() - cpu) / runs, result


def channels_first(torch, text, tensors):
    """A convolution of PyTorch with the channels before the places, its operands laid out so before the clock starts."""
    image = tensors["a"].permute(0, 3, 1, 2).contiguous()
    weights = tensors["b"].permute(3, 2, 0, 1).contiguous()
    padding = 1 if "padding=1" in text else 0
    return lambda: torch.conv2d(image, weights, padding=padding)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lozenge", default="target/release/lozenge", help="the program (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--torch", action="store_true", help="PyTorch too: a large download")
    parser.add_argument("--json", metavar="FILE", help="write the measurements to this file, too")
    args = parser.parse_args()
    environment(args.torch)
    import numpy as np
    import opt_einsum

    only = [word for text in args.only for word in ("--only", text)]
    listed = subprocess.run(
        [args.lozenge, "bench", "backend", "--list", "--format", "json", *only], check=True, capture_output=True, text=True
    )
    workloads = json.loads(listed.stdout)["backend"]["workloads"]
    server = subprocess.Popen(
        [args.lozenge, "bench", "backend", "--serve", *only], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def ask(line):
        server.stdin.write(line + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())

    names = ["numpy", "opt_einsum"] + (["torch", "torch first"] if args.torch else [])
    print(f"load {os.getloadavg()[0]:.1f} at the start, {os.cpu_count()} cores, numpy {np.__version__}, opt_einsum {opt_einsum.__version__}")
    print(f"{'workload':<32} {'lozenge us':>11} " + " ".join(f"{name + ' us':>14} {'ratio':>6} {'cpu':>6}" for name in names))
    rows = []
    for one in workloads:
        data = operands(np, one["program"])
        runs = {"numpy": lambda: eval(one["numpy"], {"np": np, **data})}
        if "np.einsum('" in one["numpy"]:
            rest = one["numpy"].split("np.einsum(", 1)[1].replace(", optimize=True", "")
            runs["opt_einsum"] = lambda: eval("contract(" + rest, {"contract": opt_einsum.contract, **data})
        if args.torch:
            import torch

            tensors = {name: torch.from_numpy(value) for name, value in data.items()}
            runs["torch"] = lambda: eval(one["torch"], {"torch": torch, **tensors})
            if "torch.conv2d(" in one["torch"]:
                runs["torch first"] = channels_first(torch, one["torch"], tensors)
        least = {}
        for _ in range(args.rounds):
            found = ask(one["name"])
            turns = {"lozenge": (found["seconds"], found["cpu_seconds"])}
            for name, run in runs.items():
                wall, cpu, result = timed(run)
                turns[name] = (wall, cpu)
                if name == "numpy":
                    expected = np.asarray(result, dtype=np.float64)
            for name, turn in turns.items():
                known = least.get(name, (float("inf"), float("inf")))
                least[name] = tuple(min(x, y) for x, y in zip(known, turn))
        server.stdin.write("forget " + one["name"] + "\n")
        first = expected.ravel()[:8]
        scale = np.abs(expected).mean() + 1e-30
        # A sum of very many values that cancel is only as exact as the sum of their magnitudes allows.
        allowed = 1e-3 * (np.abs(first) + scale) + 1e-8 * np.abs(next(iter(data.values()))).sum() / expected.size
        if np.any(np.abs(np.array(found["first"])[: len(first)] - first) > allowed):
            sys.exit(f"{one['name']}: lozenge has {found['first']}, NumPy {first.tolist()}")
        line = f"{one['name']:<32} {least['lozenge'][0] * 1e6:>11.0f} "
        for name in names:
            if name in least:
                wall, cpu = (least["lozenge"][at] / least[name][at] for at in (0, 1))
                line += f"{least[name][0] * 1e6:>14.0f} {wall:>6.2f} {cpu:>6.2f} "
            else:
                line += f"{'-':>14} {'-':>6} {'-':>6} "
        print(line.rstrip(), flush=True)
        rows.append({"name": one["name"], "seconds": {name: turn[0] for name, turn in least.items()}, "cpu_seconds": {name: turn[1] for name, turn in least.items()}})
    server.stdin.close()
    print(f"load {os.getloadavg()[0]:.1f} at the end")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
