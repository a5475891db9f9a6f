"""Writes the models of the node tests that the `onnx` package generates, and summary.json, which says what `onnx` reads in each of them.

    PYTHONPATH=.libs/onnx python3 node_tests.py FOLDER
"""

import json
import sys
import warnings
from pathlib import Path

from onnx.backend.test.case.node import collect_testcases


def sizes(value):
    """The declared sizes of a tensor: numbers, names, or null; null for a value without."""
    if value.type.WhichOneof("value") != "tensor_type" or not value.type.tensor_type.HasField("shape"):
        return None
    axes = value.type.tensor_type.shape.dim
    return [getattr(axis, axis.WhichOneof("value")) if axis.WhichOneof("value") else None for axis in axes]


def summary(graph):
    constants = {constant.name for constant in graph.initializer}
    constants |= {constant.values.name for constant in graph.sparse_initializer}
    return {
        "inputs": [[each.name, sizes(each)] for each in graph.input if each.name not in constants],
        "constants": sorted([constant.name, list(constant.dims)] for constant in graph.initializer),
        "outputs": [each.name for each in graph.output],
        "nodes": [[node.op_type, list(node.input), list(node.output), sorted(each.name for each in node.attribute)] for node in graph.node],
    }


# Some tests compute what overflows, and NumPy says so.
warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
summaries = {}
for test in collect_testcases():
    (folder / f"{test.name}.onnx").write_bytes(test.model.SerializeToString())
    summaries[test.name] = summary(test.model.graph)
(folder / "summary.json").write_text(json.dumps(summaries))
