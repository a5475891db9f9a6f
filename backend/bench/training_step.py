#!/usr/bin/env python3
"""Times a training step of examples/digits/mlp.loz (64-64-10, batches of 32) beside the same step in PyTorch, eager, taking turns.

Usage: backend/bench/training_step.py [--lozenge PATH] [--rounds N] [--cuda]

A step of lozenge is the difference of a training of 61 epochs and one of 1, by the number of steps, so that starting, reading and
compiling do not count; evaluating after each epoch does. The least of all rounds counts.
"""

import argparse
import pathlib
import subprocess
import time

from compare import environment

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BATCH = 32
ROWS = 1437
EPOCHS = 60


def lozenge(path, device):
    """Microseconds of a step."""

    def seconds(epochs):
        command = [path, "train", str(ROOT / "examples/digits/mlp.loz"), "--epochs", str(epochs), *device]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - start

    least = [min(seconds(epochs) for _ in range(3)) for epochs in (1, 1 + EPOCHS)]
    return (least[1] - least[0]) / (EPOCHS * (ROWS // BATCH)) * 1e6


def torch_step(cuda):
    """Microseconds of a step: forward, backward, momentum."""
    import torch

    def wait():
        if cuda:
            torch.cuda.synchronize()

    torch.manual_seed(0)
    place = "cuda" if cuda else "cpu"
    images, digits = torch.rand(ROWS, 64, device=place), torch.randint(0, 10, (ROWS,), device=place)
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)).to(place)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    loss = torch.nn.CrossEntropyLoss()
    steps = ROWS // BATCH
    wait()
    start = time.perf_counter()
    for step in range(steps):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        optimizer.zero_grad()
        loss(net(images[rows]), digits[rows]).backward()
        optimizer.step()
    wait()
    return (time.perf_counter() - start) / steps * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lozenge", default=str(ROOT / "target/release/lozenge"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cuda", action="store_true", help="both on the GPU, with the PyTorch of this interpreter")
    parser.add_argument("--device", help="the device of lozenge")
    args = parser.parse_args()
    if not args.cuda:
        environment(True)
    device = ["--device", args.device] if args.device else []
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(lozenge(args.lozenge, device))
        theirs.append(min(torch_step(args.cuda) for _ in range(20)))
    print(f"lozenge {min(ours):.0f} us, torch {min(theirs):.0f} us, ratio {min(ours) / min(theirs):.2f}")


if __name__ == "__main__":
    main()
