"""Records the node tests that the `onnx` package generates: `python node_tests.py FILE.jsonl.gz`.

The shapes of the outputs are those of the arrays that the tests carry. Inputs on whose values a shape may depend are made constants: integers
and truth values of rank 0 or 1, and the factors and ends of a few operators. Tests with a sequence, an optional or text are counted in
the first line and left out.
"""

import base64
import datetime
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from runtime import versions, write

VALUES = {"Range", "Resize", "Upsample", "Loop", "If", "ConstantOfShape", "TfIdfVectorizer"}


def shape_of(value):
    """The shape of an array, or of a tensor of a type that NumPy lacks; None for text and for what is no tensor."""
    if isinstance(value, onnx.TensorProto):
        return list(value.dims)
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind in "OUS":
        return None
    return list(value.shape)


def is_constant(operators, value):
    """Says whether a shape may depend on the value of an input."""
    if isinstance(value, onnx.TensorProto):
        return False
    small = value.ndim <= 1 and value.size <= 64
    return small and (value.dtype.kind in "iub" or bool(operators & VALUES))


def record(case):
    """The record of a test, or None if it has values other than tensors."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    operators = {node.op_type for node in model.graph.node}
    inputs, outputs = case.data_sets[0]
    if any(shape_of(each) is None for each in list(inputs) + list(outputs)):
        return None
    if any(each.type.WhichOneof("value") != "tensor_type" for each in list(model.graph.input) + list(model.graph.output)):
        return None
    shapes, kept = [], []
    for declared, value in zip(model.graph.input, inputs):
        if is_constant(operators, value):
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), declared.name))
        else:
            kept.append(declared)
            shapes.append(shape_of(value))
    kept = [onnx.helper.make_tensor_value_info(each.name, each.type.tensor_type.elem_type, [None] * len(shape)) for each, shape in zip(kept, shapes)]
    results = [onnx.helper.make_tensor_value_info(each.name, each.type.tensor_type.elem_type, None) for each in model.graph.output]
    # Declared sizes would give the answer away.
    del model.graph.input[:], model.graph.output[:], model.graph.value_info[:]
    model.graph.input.extend(kept)
    model.graph.output.extend(results)
    content = base64.b64encode(model.SerializeToString()).decode()
    return {"name": case.name, "model": content, "runs": [[shapes, [shape_of(each) for each in outputs]]]}


def main(path):
    cases = [case for case in collect_testcases(None) if case.data_sets]
    records = [(case, record(case)) for case in sorted(cases, key=lambda case: case.name)]
    left_out = [case.name for case, found in records if found is None]
    head = {"script": "fuzz/models/node_tests.py", "versions": versions("onnx", "numpy"), "date": datetime.date.today().isoformat(), "tests": len(records), "left_out": left_out}
    write(path, head, [found for _, found in records if found])
    print(len(records), "tests, left out", len(left_out))


if __name__ == "__main__":
    main(sys.argv[1])
