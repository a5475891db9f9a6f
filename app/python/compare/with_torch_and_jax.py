#!/usr/bin/env python3
"""Asks the package about modules of torch and arrays of JAX themselves, where the tests of the repository have recorded objects.

Needs lozenge, numpy, torch and jax, which take 6 GB, so it is run by hand. with_torch_and_jax.txt beside it is what it printed, with the date.
"""

import datetime
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

import lozenge as lz


class UNet(torch.nn.Module):
    """A network that halves twice, doubles twice, and joins."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.second = torch.nn.Conv2d(4, 8, 3, padding=1)
        self.last = torch.nn.Conv2d(12, 2, 3, padding=1)

    def forward(self, x: Any) -> Any:
        fine = torch.relu(self.first(x))
        coarse = torch.relu(self.second(torch.nn.functional.max_pool2d(fine, 2)))
        wide = torch.nn.functional.interpolate(coarse, scale_factor=2.0, mode="nearest")
        return self.last(torch.cat([fine, wide], dim=1))


class Classifier(torch.nn.Module):
    """A network with a fixed last layer behind an adaptive pooling, which takes each size that its windows fit into."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 5), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        self.head = torch.nn.Linear(8, 10)

    def forward(self, x: Any) -> Any:
        return self.head(self.body(x))


def runs(module: Any, *shape: int) -> tuple[int, ...] | None:
    """The shape of the result of eager torch; nothing where it refuses."""
    try:
        with torch.no_grad():
            return tuple(module(torch.zeros(shape)).shape)
    except RuntimeError:
        return None


def swept(module: Any, channels: int, largest: int) -> str:
    """Compares each size of a sweep with eager torch."""
    s = lz.sizes(module, (torch.zeros(2, channels, 32, 48),))
    print(s)
    taken = 0
    for b in (1, 2):
        for h in range(1, largest):
            for w in range(1, largest):
                found, eager = s.at((b, channels, h, w)), runs(module, b, channels, h, w)
                assert found.admitted == (eager is not None), (b, h, w, found, eager)
                if eager is not None:
                    assert list(found.outputs.values()) == [eager], (found, eager)
                    taken += 1
    total = 2 * (largest - 1) ** 2
    return f"{total} sizes as eager torch does: {taken} taken, {total - taken} refused"


def with_torch() -> None:
    print(f"torch {torch.__version__}\n")
    print("UNet:", swept(UNet().eval(), 1, 17), "\n")
    print("Classifier:", swept(Classifier().eval(), 3, 17), "\n")
    exported = torch.export.export(UNet().eval(), (torch.zeros(1, 1, 32, 32),), dynamic_shapes=({2: torch.export.Dim("h") * 2, 3: torch.export.Dim.AUTO},))
    print("an ExportedProgram:", lz.sizes(exported).inputs)
    s = lz.sizes(UNet().eval(), (torch.zeros(2, 1, 32, 48),))
    print("proved:", lz.check(s, x="b 1 (2*h) (2*w)"))
    try:
        lz.check(s, x="b 1 h w")
    except lz.ShapeError as error:
        print("refuted:", error, error.nodes)

    @lz.shapes("b t d, d h -> b t h")
    def project(x: Any, w: Any) -> Any:
        return x @ w

    print("decorator:", tuple(project(torch.zeros(2, 5, 8), torch.zeros(8, 4)).shape))
    try:
        project(torch.zeros(2, 5, 8), torch.zeros(7, 4))
    except lz.ShapeError as error:
        print("decorator:", error)
    result = lz.program("data x : 2->3\nprint square(x)").run(x=torch.arange(6.0).reshape(2, 3))["square(x)"]
    print("a tensor into a program, and back:", torch.from_numpy(result).tolist())


def with_jax() -> None:
    print(f"\njax {jax.__version__}\n")

    @lz.shapes("b t d, d h -> b t h")
    def project(x: Any, w: Any) -> Any:
        return x @ w

    print("decorator under jit:", jax.jit(project)(jnp.zeros((2, 5, 8)), jnp.zeros((8, 4))).shape)
    try:
        jax.jit(project)(jnp.zeros((2, 5, 8)), jnp.zeros((7, 4)))
    except lz.ShapeError as error:
        print("decorator under jit:", error)
    result = lz.program("data x : 2->3\nprint square(x)").run(x=jnp.arange(6.0).reshape(2, 3))["square(x)"]
    print("an array into a program, and back:", jnp.asarray(result).tolist())
    exported = jax.export.export(jax.jit(lambda x: x @ x.T))(jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 3"), np.float32))
    try:
        lz.sizes(exported)
    except NotImplementedError as error:
        print("jax.export:", error)


if __name__ == "__main__":
    print(f"{datetime.date.today()}, Python {sys.version.split()[0]}, lozenge {lz.__version__}\n")
    with_torch()
    with_jax()
