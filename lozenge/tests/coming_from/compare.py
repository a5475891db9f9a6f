#!/usr/bin/env python3
"""Runs both sides of docs/coming-from.md and compares their numbers.

    python3 lozenge/tests/coming_from/compare.py target/release/lozenge

It needs `numpy`, `einops`, `jax` and `torch`. Each line of a Python block is run as the page prints it, on the values that the
tensors of the program beside it have. What the page leaves open, such as the weights of a layer, is in GIVEN.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import einops
import jax
import numpy as np
import torch

PAGE = Path(__file__).parents[3] / "docs" / "coming-from.md"

# For each program the tensors that are read from it and the names that Python has for them. `tensor` has the values of a tensor of
# the program, with its axes in the order batch, input, output; `matrix` has the outputs of a matrix before its inputs.
GIVEN = {
    1: ("a b c", "a, b = tensor('a'), tensor('b')"),
    2: ("a b c", "a, b = torch.tensor(matrix('a')), torch.tensor(matrix('b'))"),
    3: ("a b c", "a, b = tensor('a'), tensor('b')"),
    4: ("x m", "x = tensor('x')"),
    5: ("x p", "x = torch.tensor(tensor('x')) if 'torch' in line else tensor('x')"),
    6: ("x y y.linear.w y.linear.b", "x = torch.tensor(tensor('x')); w, b = (torch.tensor(tensor('y.linear.' + name)) for name in 'wb')"),
    7: ("a b d", "a, b = torch.tensor(tensor('a')), torch.tensor(tensor('b'))"),
    8: ("x y", "x = tensor('x')"),
    9: ("m t d", "m = tensor('m')"),
    10: (
        "x y " + " ".join("y.attention." + name for name in ("wq", "wk", "wv", "linear.w", "linear.b")),
        "x, d = torch.tensor(tensor('x')), 4\n"
        "if 'q, k' in line: wq, wk, wv = (weights('y.attention.' + name, 16) for name in ('wq', 'wk', 'wv'))\n"
        "wo = weights('y.attention.linear.w', 32, 'y.attention.linear.b')",
    ),
    11: ("x t loss net.dense.w net.dense.b net.dense2.w net.dense2.b", "x, t = torch.tensor(tensor('x')), torch.tensor(tensor('t')).long()"),
    12: ("x w c p d", "x, w = torch.tensor(tensor('x')), torch.tensor(tensor('w')).permute(3, 0, 1, 2)"),
    13: ("x h d f s r c", "x, h = torch.tensor(tensor('x')), torch.tensor(tensor('h'))"),
}

# The weights and biases of the layers that a program makes, in their order.
LAYERS = {6: [("y.linear.w", "y.linear.b")], 11: [("net.dense.w", "net.dense.b"), ("net.dense2.w", "net.dense2.b")]}

# The results that Python stores with the outputs before the inputs.
MATRICES = {(2, "c")}

# Lines that do not run outside of their library's frame.
NOT_RUN = {"y = flax.linen.Dense(10)(x)": "a layer of Flax is called inside of a module"}

# The classes of program 11 are numbers below 10.
CLASSES = 'data t : 100|    = range(100)'


def programs():
    """The number, the Python lines and the program of lozenge under each numbered heading."""
    for section in re.split(r"^## (?=\d+\. )", PAGE.read_text(), flags=re.M)[1:]:
        number = int(section.split(".")[0])
        python = re.search(r"```python\n(.*?)```", section, re.S).group(1)
        program = re.search(r"```loz\n(.*?)```", section, re.S).group(1)
        yield number, python.splitlines(), program


def run(lozenge, program, names):
    """The values of the named tensors of a program."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "classes.npy"), np.arange(100, dtype=np.float32) % 10)
        program = program.replace(CLASSES, 'data t : 100| from "classes.npy"')
        file = Path(folder, "program.loz")
        file.write_text(program)
        show = [word for name in names for word in ("--show", name)]
        command = [lozenge, "run", str(file), "--device", "interpreter", "--format", "json", *show]
        answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    if answer["errors"]:
        sys.exit(f"{program}\n{json.dumps(answer['errors'], indent=1)}")
    return {name: array(answer["tensors"][name]) for name in names}


def array(tensor):
    rows = [tensor["shape"][row]["axes"] for row in ("batch", "input", "output")]
    sizes = [axis["size"] if isinstance(axis, dict) else axis for row in rows for axis in row]
    return np.array(tensor["values"], dtype=np.float32).reshape(sizes)


def compare(number, lines, values):
    """Returns the number of compared results of the lines of a program. Ends the process at one that differs."""
    tensor = values.__getitem__

    def matrix(name):
        return np.ascontiguousarray(np.swapaxes(tensor(name), 1, 2))

    def weights(name, inputs, bias=None):
        matrix = torch.tensor(tensor(name)).reshape(inputs, -1)
        return lambda x: x @ matrix + (torch.tensor(tensor(bias)) if bias else 0)

    class Linear(torch.nn.Linear):
        """A layer with the weights of the program in place of random ones."""

        def __init__(self, inputs, outputs):
            super().__init__(inputs, outputs)
            weight, bias = layers.pop(0)
            self.weight.data, self.bias.data = torch.tensor(tensor(weight)).T, torch.tensor(tensor(bias))

    layers = list(LAYERS.get(number, []))
    known = {"np": np, "jax": jax, "torch": torch, "einops": einops, "tensor": tensor, "matrix": matrix, "weights": weights}
    compared = 0
    for line in lines:
        code = line.split("#")[0].strip()
        if code in NOT_RUN:
            print(f"{number:>2}  not run: {code} ({NOT_RUN[code]})")
            continue
        exec(GIVEN[number][1], known | {"line": line}, scope := {"line": line})
        known |= {name: value for name, value in scope.items() if name not in known or name in values}
        with mock.patch.object(torch.nn, "Linear", Linear):
            exec(code, known)
        for name in re.findall(r"(?:^|[;,] *)(\w+)(?=(?:, *\w+)* = )", code):
            if name in values:
                result = known[name].detach().numpy() if isinstance(known[name], torch.Tensor) else np.asarray(known[name])
                expected = matrix(name) if (number, name) in MATRICES else values[name]
                if result.shape != expected.shape or not np.allclose(result, expected, rtol=1e-4, atol=1e-4):
                    sys.exit(f"{number}: `{code}` gives {result.shape}, lozenge {expected.shape}\n{result}\n{expected}")
                compared += 1
    return compared


def main():
    compared = 0
    for number, lines, program in programs():
        count = compare(number, lines, run(sys.argv[1], program, GIVEN[number][0].split()))
        if count == 0:
            sys.exit(f"nothing of program {number} was compared")
        compared += count
    versions = ", ".join(f"{module.__name__} {module.__version__}" for module in (np, einops, jax, torch))
    print(f"{compared} results are equal ({versions})")


main()
