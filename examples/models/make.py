#!/usr/bin/env python3
"""Makes the models of this folder. Needs the package onnx (1.23 made the files that are here).

    python3 examples/models/make.py
"""

import pathlib

import onnx
from onnx import TensorProto, helper

HERE = pathlib.Path(__file__).parent


def save(name, nodes, inputs, outputs, weights):
    """Writes a model whose weights are zeros: sizes do not depend on them."""
    tensors = [helper.make_tensor(key, TensorProto.FLOAT, sizes, bytes(4 * product(sizes)), raw=True) for key, sizes in weights.items()]
    integers = [helper.make_tensor(key, TensorProto.INT64, [len(values)], values) for key, values in CONSTANTS.items() if used(key, nodes)]
    scales = [helper.make_tensor(key, TensorProto.FLOAT, [len(values)], values) for key, values in SCALES.items() if used(key, nodes)]
    info = lambda values: [helper.make_tensor_value_info(key, TensorProto.FLOAT, sizes) for key, sizes in values.items()]
    graph = helper.make_graph(nodes, name, info(inputs), info(outputs), initializer=tensors + integers + scales)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="make.py")
    onnx.checker.check_model(model)
    onnx.save(model, HERE / f"{name}.onnx")


CONSTANTS = {"flat": [0, -1]}
SCALES = {"twice": [1.0, 1.0, 2.0, 2.0]}


def used(key, nodes):
    return any(key in node.input for node in nodes)


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def conv(name, x, y, stride, kernel=3):
    pad = kernel // 2
    return helper.make_node("Conv", [x, f"{name}.weight"], [y], name=name, strides=[stride] * 2, pads=[pad] * 4, kernel_shape=[kernel] * 2)


def detector():
    """Two scales of an image, of which the coarser one is enlarged and added to the finer one, as in many detectors of text."""
    nodes = [
        conv("stem", "image", "a", 2),
        helper.make_node("Relu", ["a"], ["fine"], name="stem.act"),
        conv("down", "fine", "b", 2),
        helper.make_node("Relu", ["b"], ["coarse"], name="down.act"),
        helper.make_node("Resize", ["coarse", "", "twice"], ["enlarged"], name="enlarge", mode="nearest"),
        helper.make_node("Add", ["fine", "enlarged"], ["merged"], name="merge"),
        conv("head", "merged", "map", 1, kernel=1),
    ]
    weights = {"stem.weight": [8, 3, 3, 3], "down.weight": [8, 8, 3, 3], "head.weight": [1, 8, 1, 1]}
    save("detector", nodes, {"image": ["b", 3, "h", "w"]}, {"map": ["b", 1, "oh", "ow"]}, weights)


def classifier():
    """A network whose last layer wants a certain number of cells, so that it takes images of few sizes."""
    nodes = [
        conv("conv", "image", "a", 2),
        helper.make_node("MaxPool", ["a"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Reshape", ["p", "flat"], ["cells"], name="flatten"),
        helper.make_node("MatMul", ["cells", "fc.weight"], ["scores"], name="fc"),
    ]
    weights = {"conv.weight": [4, 1, 3, 3], "fc.weight": [196, 10]}
    save("classifier", nodes, {"image": ["batch", 1, "h", "w"]}, {"scores": ["batch", 10]}, weights)


detector()
classifier()
