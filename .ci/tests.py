#!/usr/bin/env python3
"""Builds all tests of the workspace with the given arguments of cargo and runs their programs beside each other, one for each core.

cargo runs the programs one after the other, and most of them keep one core busy: kernels are compiled one at a time within a process, and many
programs have one long test. A runner that starts a process for each test was no help, since each would open the OpenCL device anew.
What a program prints is shown as a whole when it has ended. All of them run, also after one has failed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

START = time.monotonic()
ROOT = Path(__file__).resolve().parent.parent


def compiles_kernels(folder):
    """Says whether tests of the package in this folder ask for a device."""
    return any("LOZENGE_REQUIRE_OPENCL" in test.read_text() for test in folder.glob("tests/**/*.rs"))


def programs(arguments):
    """The test programs as pairs of a path and the folder of their package. Those that compile most kernels come first, since none of them can use
    two cores; then large ones, which hold most of the project."""
    command = ["cargo", "test", "--no-run", "--message-format=json-render-diagnostics", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as build:
        found = []
        for line in build.stdout:
            message = json.loads(line)
            if message["reason"] == "compiler-artifact" and message["executable"] and message["profile"]["test"]:
                found.append((Path(message["executable"]), Path(message["manifest_path"]).parent))
    if build.returncode != 0:
        sys.exit(build.returncode)

    def place(one):
        path, folder = one
        return not compiles_kernels(folder), -path.stat().st_size, path.name

    return sorted(found, key=place)


def without_examples():
    """Arguments of cargo that leave out packages whose documentation shows no code, since looking for it takes seconds for each."""
    metadata = subprocess.check_output(["cargo", "metadata", "--no-deps", "--locked", "--format-version=1"], cwd=ROOT)
    for package in json.loads(metadata)["packages"]:
        sources = (Path(package["manifest_path"]).parent / "src").glob("**/*.rs")
        texts = [source.read_text() for source in sources]
        if not any("```" in text or "doc = include_str" in text for text in texts):
            yield from ["--exclude", package["name"]]


def fast_linker(folder):
    """Makes `ld` in this folder the gold linker, where there is one. PoCL has clang link each kernel, some 2000 in a run, and gold takes less
    time for one than the usual linker."""
    gold = shutil.which("ld.gold")
    if gold:
        (Path(folder) / "ld").symlink_to(gold)


def environment(folder, tools):
    """Returns the environment that cargo sets for a test program, as far as tests read it. Most kernels are not
    optimised, since compiling them takes most of the time: tests of training ask for optimised ones, as users have
    them."""
    z3 = os.environ.get("Z3_LIBRARY_PATH_OVERRIDE", str(ROOT / ".libs" / "z3"))
    paths = [z3, os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        "LOZENGE_KERNEL_OPTIMISATION": "off",
        **os.environ,
        # As .cargo/config.toml says to cargo: a kernel of an earlier run is no test of this one.
        "LOZENGE_KERNEL_CACHE": "off",
        # Clang looks for a linker here first.
        "COMPILER_PATH": tools,
        "CARGO_MANIFEST_DIR": str(folder),
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, paths)),
    }


def run(name, command, folder, env):
    """Runs a command and returns its name, its status, its seconds and all that it printed."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        output.seek(0)
        return name, done.returncode, time.monotonic() - begin, output.read().decode(errors="replace")


def main():
    arguments = sys.argv[1:]
    tests = programs(arguments)
    print(f"\n== {len(tests)} test programs", flush=True)
    failed = []
    with tempfile.TemporaryDirectory() as tools, ThreadPoolExecutor(os.cpu_count()) as pool:
        fast_linker(tools)
        jobs = [pool.submit(run, "documentation tests", ["cargo", "test", "--doc", *arguments, *without_examples()], ROOT, None)]
        for path, folder in tests:
            name = f"{folder.relative_to(ROOT)}: {path.name.rpartition('-')[0]}"
            jobs.append(pool.submit(run, name, [str(path)], folder, environment(folder, tools)))
        for number, job in enumerate(as_completed(jobs), 1):
            name, status, seconds, text = job.result()
            print(f"\n== {time.monotonic() - START:.0f} s, {number} of {len(jobs)}, {name}: {seconds:.1f} s\n{text}", end="", flush=True)
            if status != 0:
                failed.append(name)
    if failed:
        sys.exit(f"\nFAILED: {', '.join(failed)}")


if __name__ == "__main__":
    main()
