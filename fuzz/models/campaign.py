"""Draws graphs of one to four operators, and records what onnxruntime does with them: `python campaign.py SEED COUNT [FILE.jsonl.gz]`.

Without a file, the records go to standard output, a line each. A file is compared by `LOZENGE_RECORDS=FILE cargo test -p lozenge-gradual-solver --test it
records_that_are_named`. Inputs have ranks 0 to 3 and free
sizes; all shapes of sizes 1 to 4 are run where they are few, otherwise a sample. The graph depends on the seed alone.
"""

import datetime
import itertools
import json
import random
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from runtime import Runtime, versions, write

MOST_SHAPES = 64


class Drawn:
    """A graph that is being drawn: values are kept with the rank that they have if the graph is accepted."""

    def __init__(self, draw):
        self.draw = draw
        self.inputs, self.nodes, self.constants, self.values = [], [], [], []
        # True if the rank is not known before the run. Kernels of reductions then take any axis of a tensor of rank 0.
        self.is_rank_open = False
        # True if a value may have no elements. A join leaves such values out.
        self.may_be_empty = False
        for at in range(draw.choice([1, 1, 2])):
            self.inputs.append(helper.make_tensor_value_info(f"x{at}", TensorProto.FLOAT, [None] * draw.choice([0, 1, 1, 2, 2, 3, 3])))
            self.values.append((f"x{at}", len(self.inputs[-1].type.tensor_type.shape.dim)))

    def ints(self, *numbers):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(numbers, np.int64).reshape(len(numbers)), name))
        return name

    def floats(self, *shape):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ones(shape, np.float32), name))
        return name

    def add(self, operator, inputs, rank=None, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{at}" for at in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name=f"n{len(self.nodes)}", **attributes))
        if rank is not None:
            self.values.extend((name, rank) for name in names)
        return names[0]

    def value(self, least=0):
        fitting = [value for value in self.values if value[1] >= least]
        return self.draw.choice(fitting or self.values)

    def target(self):
        """A shape as a value: numbers, the sizes of another value, or some of both."""
        draw = self.draw
        kind = draw.randrange(4)
        if kind == 0:
            name, rank = self.value()
            return self.add("Shape", [name]), rank
        numbers = [draw.choice([-1, 0, 1, 2, 3, 4, 6]) for _ in range(draw.randrange(4))]
        if kind == 1:
            name, rank = self.value(1)
            shape = self.add("Shape", [name])
            size = self.add("Gather", [shape, self.ints(draw.randrange(-2, 2))], axis=0)
            if draw.random() < 0.5:
                size = self.add(draw.choice(["Mul", "Add", "Sub", "Div"]), [size, self.ints(draw.choice([1, 2, 2, 3]))])
            return self.add("Concat", [size, self.ints(*numbers[:2])], axis=0), 1 + len(numbers[:2])
        return self.ints(*numbers), len(numbers)

    def step(self):
        draw = self.draw
        name, rank = self.value(draw.choice([0, 1, 1, 2]))
        axis = draw.randrange(-rank - 1, rank + 1) if draw.random() < 0.1 or not rank else draw.randrange(-rank, rank)
        kind = draw.choice("unary add where matmul gemm reshape reshape transpose flatten squeeze unsqueeze expand tile concat split slice slice pad reduce gather conv pool pool norm softmax shape resize arg depth cumsum".split())
        # Known differences: see `docs/runtimes.md`.
        self.may_be_empty |= kind in ("slice", "split", "pad", "pool", "gather", "expand", "shape", "resize", "reshape")
        if kind == "concat" and self.may_be_empty:
            kind = "unary"
        if kind in ("pad", "resize") and (rank == 0 or self.is_rank_open) or kind == "reduce" and self.is_rank_open:
            kind = "unary"
        if kind == "unary":
            self.add(draw.choice(["Relu", "Identity", "Neg"]), [name], rank)
        elif kind == "add":
            other, second = self.value()
            if draw.random() < 0.3:
                sizes = [draw.choice([1, 2, 3]) for _ in range(draw.randrange(3))]
                other, second = self.floats(*sizes), len(sizes)
            self.add(draw.choice(["Add", "Mul", "Max"]), draw.choice([[name, other], [other, name]]), max(rank, second))
        elif kind == "where":
            other, second = self.value()
            condition = self.add("Less", [name, other])
            self.add("Where", [condition, other, name], max(rank, second))
        elif kind == "matmul":
            other, second = self.value(1)
            if draw.random() < 0.4:
                sizes = [draw.choice([1, 2, 3]) for _ in range(draw.choice([1, 2, 2]))]
                other, second = self.floats(*sizes), len(sizes)
            self.add("MatMul", [name, other], max(rank, second) - (rank == 1) - (second == 1) if min(rank, second) > 1 or rank != second else 0)
        elif kind == "gemm":
            other, _ = self.value(2)
            self.add("Gemm", [name, other], 2, transA=draw.randrange(2), transB=draw.randrange(2))
        elif kind == "reshape":
            target, count = self.target()
            self.add("Reshape", [name, target], count, allowzero=draw.choice([0, 0, 1]))
        elif kind == "transpose":
            perm = list(range(rank))
            draw.shuffle(perm)
            self.add("Transpose", [name], rank, **({"perm": perm} if perm else {}))
        elif kind == "flatten":
            self.add("Flatten", [name], 2, axis=axis)
        elif kind == "squeeze":
            names = [self.ints(axis)] if draw.random() < 0.7 else []
            self.is_rank_open |= not names
            self.add("Squeeze", [name, *names], max(rank - 1, 0))
        elif kind == "unsqueeze":
            self.add("Unsqueeze", [name, self.ints(axis)], rank + 1)
        elif kind == "expand":
            target, count = self.target()
            self.add("Expand", [name, target], max(rank, count))
        elif kind == "tile":
            self.add("Tile", [name, self.ints(*(draw.choice([1, 1, 2, 3]) for _ in range(rank)))], rank)
        elif kind == "concat":
            other, _ = self.value(rank)
            self.add("Concat", [name, other], rank, axis=axis)
        elif kind == "split":
            if draw.random() < 0.5:
                self.add("Split", [name], rank, outputs=2, axis=axis, num_outputs=2)
            else:
                self.add("Split", [name, self.ints(draw.choice([1, 2]), draw.choice([0, 1, 2]))], rank, outputs=2, axis=axis)
        elif kind == "slice":
            ends = [draw.choice([-5, -2, -1, 0, 1, 2, 3, 9]) for _ in range(2)]
            end = self.ints(ends[1])
            if draw.random() < 0.3:
                other, second = self.value(1)
                end = self.add("Gather", [self.add("Shape", [other]), self.ints(draw.randrange(-1, 1))], axis=0)
            self.add("Slice", [name, self.ints(ends[0]), end, self.ints(axis), self.ints(draw.choice([1, 1, 2, -1, -2]))], rank)
        elif kind == "pad":
            mode = draw.choice(["constant", "constant", "reflect", "edge"])
            pads = [draw.choice([0, 0, 1, 2, -1] if mode == "constant" else [0, 0, 1, 2]) for _ in range(2 * rank)]
            self.add("Pad", [name, self.ints(*pads)], rank, mode=mode)
        elif kind == "reduce":
            keep = draw.randrange(2)
            self.add(draw.choice(["ReduceSum", "ReduceMean"]), [name, self.ints(axis)], rank if keep else max(rank - 1, 0), keepdims=keep)
        elif kind == "gather":
            index = self.ints(*(draw.choice([-2, -1, 0, 0, 1]) for _ in range(draw.randrange(3))))
            self.add("Gather", [name, index], rank, axis=axis)
        elif kind == "conv":
            taps = draw.choice([1, 2, 3])
            kernel = self.floats(draw.choice([2, 4]), draw.choice([1, 2, 3]), *[taps] * max(rank - 2, 1))
            self.add("Conv", [name, kernel], rank, **self.window(max(rank - 2, 1), taps), group=draw.choice([1, 1, 2]))
        elif kind == "pool":
            taps = draw.choice([1, 2, 3])
            axes = max(rank - 2, 1)
            self.add(draw.choice(["MaxPool", "AveragePool"]), [name], rank, kernel_shape=[taps] * axes, ceil_mode=draw.randrange(2), **self.window(axes, taps))
        elif kind == "norm":
            self.add("LayerNormalization", [name, self.floats(draw.choice([1, 2, 3]))], rank, axis=-1)
        elif kind == "softmax":
            self.add("Softmax", [name], rank, axis=axis)
        elif kind == "shape":
            self.add("ConstantOfShape", [self.add("Shape", [name], start=draw.randrange(-1, 2))], rank)
        elif kind == "resize":
            self.add("Resize", [name, "", self.scales(rank)], rank, mode="nearest")
        elif kind == "arg":
            picked = self.add("ArgMax", [name], axis=axis, keepdims=1)
            self.add("Cast", [picked], rank, to=TensorProto.FLOAT)
        elif kind == "depth":
            wide = self.add("Unsqueeze", [name, self.ints(0)], rank + 1)
            self.add(draw.choice(["DepthToSpace", "SpaceToDepth"]), [wide], rank + 1, blocksize=draw.choice([1, 2]))
        elif kind == "cumsum":
            constant = numpy_helper.from_array(np.array(axis, np.int64), f"c{len(self.constants)}")
            self.constants.append(constant)
            self.add("CumSum", [name, constant.name], rank)

    def scales(self, rank):
        name = f"c{len(self.constants)}"
        factors = [self.draw.choice([0.5, 1, 1, 1.5, 2]) for _ in range(rank)]
        self.constants.append(numpy_helper.from_array(np.array(factors, np.float32), name))
        return name

    def window(self, axes, taps):
        draw = self.draw
        if draw.random() < 0.2:
            return {"auto_pad": draw.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]), "strides": [draw.choice([1, taps])] * axes}
        return {"strides": [draw.choice([1, 1, 2, 3])] * axes, "pads": [draw.randrange(taps) for _ in range(2 * axes)], "dilations": [1] * axes}

    def model(self):
        used = {name for node in self.nodes for name in node.input}
        made = [name for node in self.nodes for name in node.output if name not in used]
        outputs = [helper.ValueInfoProto(name=name) for name in made]
        graph = helper.make_graph(self.nodes, "graph", self.inputs, outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=8)


def record(seed, runtime):
    draw = random.Random(seed)
    drawn = Drawn(draw)
    for _ in range(draw.choice([1, 2, 2, 3, 3, 4])):
        drawn.step()
    ranks = [len(each.type.tensor_type.shape.dim) for each in drawn.inputs]
    axes = sum(ranks)
    if 4**axes <= MOST_SHAPES:
        points = list(itertools.product(range(1, 5), repeat=axes))
    else:
        points = sorted({tuple(draw.randrange(1, 5) for _ in range(axes)) for _ in range(MOST_SHAPES)})
    shapes = []
    for point in points:
        left = iter(point)
        shapes.append([[next(left) for _ in range(rank)] for rank in ranks])
    return runtime.record(f"graph {seed}", drawn.model(), shapes)


def main(seed, count, path=None):
    runtime = Runtime()
    records = (record(f"{seed}/{at}", runtime) for at in range(int(count)))
    fine = (each for each in records if "lacks" not in each and each["runs"])
    if path is None:
        for each in fine:
            print(json.dumps(each, separators=(",", ":")))
        return
    found = list(fine)
    runs = sum(len(each["runs"]) for each in found)
    accepted = sum(outputs is not None for each in found for _, outputs in each["runs"])
    head = {"script": "fuzz/models/campaign.py", "versions": versions("onnx", "onnxruntime", "numpy"), "date": datetime.date.today().isoformat(), "seed": seed, "graphs": len(found), "runs": runs, "accepted": accepted}
    write(path, head, found)
    print(head)


if __name__ == "__main__":
    main(*sys.argv[1:])
