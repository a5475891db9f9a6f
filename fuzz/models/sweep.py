"""Records what onnxruntime does with small shapes: `python sweep.py FILE.jsonl.gz`.

For each entry of `operators.ENTRIES`, and each choice of ranks of its inputs, one model of one node with all sizes free is run on shapes of sizes 0 to 4,
all of them where they are few, otherwise a sample that depends on the name of the entry only.
"""

import datetime
import itertools
import random
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from operators import ENTRIES
from runtime import Runtime, versions, write

MOST_AN_ENTRY = 700
MOST_A_MODEL = 160


def model(entry, ranks):
    """The model of an entry whose free inputs have these ranks."""
    kinds = iter(ranks)
    inputs, constants, names = [], [], []
    for at, argument in enumerate(entry.inputs):
        name = f"x{at}"
        if argument is None:
            names.append("")
        elif isinstance(argument, np.ndarray):
            constants.append(numpy_helper.from_array(argument, name))
            names.append(name)
        else:
            inputs.append(helper.make_tensor_value_info(name, argument.kind, [None] * next(kinds)))
            names.append(name)
    outputs = [f"y{at}" for at in range(entry.outputs)]
    node = helper.make_node(entry.operator, names, outputs, name="node", **entry.attributes)
    results = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs]
    for each in results:
        each.ClearField("type")
    graph = helper.make_graph([node], "graph", inputs, results, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", entry.version)], ir_version=8)


def sample(draw, items, most):
    items = list(items)
    return items if len(items) <= most else sorted(draw.sample(items, most))


def records(entry, runtime):
    free = [argument for argument in entry.inputs if argument is not None and not isinstance(argument, np.ndarray)]
    draw = random.Random(entry.name)
    ranks = list(itertools.product(*(argument.ranks for argument in free)))
    most = max(12, min(MOST_A_MODEL, MOST_AN_ENTRY // len(ranks)))
    for choice in ranks:
        axes = [size for argument, rank in zip(free, choice) for size in [argument.sizes] * rank]
        count = 1
        for sizes in axes:
            count *= len(sizes)
        if count <= most:
            points = list(itertools.product(*axes))
        else:
            points = sorted({tuple(draw.choice(sizes) for sizes in axes) for _ in range(most)})
        shapes = []
        for point in points:
            left = iter(point)
            shapes.append([[next(left) for _ in range(rank)] for rank in choice])
        name = f"{entry.name} {' '.join(map(str, choice))}"
        yield runtime.record(name, model(entry, choice), shapes)


def main(path):
    runtime = Runtime()
    found, lacking = [], {}
    for entry in ENTRIES:
        for record in records(entry, runtime):
            if "lacks" in record:
                lacking[entry.name] = record.pop("lacks")
            if record["runs"]:
                found.append(record)
    runs = sum(len(record["runs"]) for record in found)
    refused = sum(outputs is None for record in found for _, outputs in record["runs"])
    head = {"script": "fuzz/models/sweep.py", "versions": versions("onnx", "onnxruntime", "numpy"), "date": datetime.date.today().isoformat(), "entries": len(ENTRIES), "runs": runs, "refused": refused, "lacking": lacking}
    write(path, head, found)
    print(len(ENTRIES), "entries", len(found), "models", runs, "runs", refused, "refused", lacking)


if __name__ == "__main__":
    main(sys.argv[1])
