"""Writes the .onnx files of this folder. Needs the `onnx` package: python3 make.py

They were written with onnx 1.23.2 on 2026-11-28. Each shows one thing that the format has.
"""

from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

HERE = Path(__file__).parent
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name, sizes, element=FLOAT):
    return helper.make_tensor_value_info(name, element, sizes)


def constant(name, values, element=np.int64):
    return numpy_helper.from_array(np.array(values, dtype=element), name)


def write(name, graph, functions=(), imports=(("", 17),), check=True):
    imports = [helper.make_opsetid(*each) for each in imports]
    model = helper.make_model(
        graph, functions=list(functions), opset_imports=imports, producer_name="make.py", ir_version=9
    )
    if check:
        checker.check_model(model)
    save(model, HERE / f"{name}.onnx")


def halves():
    """A block that halves the height and the width twice, and adds the coarse map, doubled, to the fine one."""
    weights = [
        constant("w1", np.zeros((8, 3, 3, 3)), np.float32),
        constant("w2", np.zeros((8, 8, 3, 3)), np.float32),
        constant("scales", [1, 1, 2, 2], np.float32),
    ]
    attributes = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["fine"], "conv1", **attributes),
        helper.make_node("Conv", ["fine", "w2"], ["coarse"], "conv2", **attributes),
        helper.make_node("Resize", ["coarse", "", "scales"], ["doubled"], "double", mode="nearest"),
        helper.make_node("Add", ["fine", "doubled"], ["sum"], "join"),
        helper.make_node("Relu", ["sum"], ["y"], "relu"),
    ]
    inputs = [value("x", ["batch", 3, "height", "width"])]
    outputs = [value("y", ["batch", 8, None, None])]
    write("halves", helper.make_graph(nodes, "halves", inputs, outputs, weights))


def flatten_by_hand():
    """The batch is read from the shape, and the rest is flattened by a Reshape."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["batch"], axis=0),
        helper.make_node("Unsqueeze", ["batch", "axes"], ["batch_list"]),
        helper.make_node("Concat", ["batch_list", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["flat"], "flatten"),
        helper.make_node("Gemm", ["flat", "w"], ["y"], "linear", transB=1),
    ]
    constants = [constant("zero", 0), constant("axes", [0]), constant("rest", [-1])]
    constants.append(constant("w", np.zeros((10, 48)), np.float32))
    graph = helper.make_graph(nodes, "flatten", [value("x", ["n", 3, "h", "w"])], [value("y", ["n", 10])], constants)
    write("flatten_by_hand", graph)


def branches():
    """An If in an If. The inner bodies use values of the outer ones, and both branches use one name."""

    def body(name, nodes, output):
        return helper.make_graph(nodes, name, [], [value(output, None)])

    inner_then = body("inner_then", [helper.make_node("Add", ["x", "doubled"], ["r"], "add")], "r")
    inner_else = body("inner_else", [helper.make_node("Sub", ["x", "doubled"], ["r"], "sub")], "r")
    outer_then = body(
        "outer_then",
        [
            helper.make_node("Add", ["x", "x"], ["doubled"], "double"),
            helper.make_node("If", ["second"], ["r"], "inner", then_branch=inner_then, else_branch=inner_else),
        ],
        "r",
    )
    outer_else = body("outer_else", [helper.make_node("Identity", ["x"], ["r"], "same")], "r")
    nodes = [
        helper.make_node("Equal", ["rate", "wanted"], ["first"], "equal"),
        helper.make_node("If", ["first"], ["y"], "outer", then_branch=outer_then, else_branch=outer_else),
    ]
    inputs = [value("x", ["n", 4]), value("rate", [], INT), value("second", [], BOOL)]
    write("branches", helper.make_graph(nodes, "branches", inputs, [value("y", None)], [constant("wanted", 16000)]), check=False)


def loops():
    """A Loop and a Scan, whose bodies have inputs."""
    step = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["go_on"], "keep"),
            helper.make_node("Concat", ["state", "x"], ["longer"], "append", axis=0),
        ],
        "step",
        [value("turn", [], INT), value("go", [], BOOL), value("state", None)],
        [value("go_on", [], BOOL), value("longer", None)],
    )
    scanned = helper.make_graph(
        [
            helper.make_node("Add", ["total", "row"], ["next_total"], "accumulate"),
            helper.make_node("Identity", ["next_total"], ["seen"], "show"),
        ],
        "scanned",
        [value("total", [4]), value("row", [4])],
        [value("next_total", [4]), value("seen", [4])],
    )
    nodes = [
        helper.make_node("Loop", ["turns", "", "x"], ["stacked"], "loop", body=step),
        helper.make_node("Scan", ["start", "stacked"], ["last", "all"], "scan", body=scanned, num_scan_inputs=1),
    ]
    inputs = [value("x", ["n", 4]), value("turns", [], INT), value("start", [4])]
    outputs = [value("last", [4]), value("all", ["m", 4])]
    write("loops", helper.make_graph(nodes, "loops", inputs, outputs), check=False)


def functions():
    """A function that calls another one, with attributes that are given, passed on, or left to their default."""
    scale = helper.make_function(
        "local",
        "Scale",
        ["x", "bias"],
        ["y"],
        [
            helper.make_node("Constant", [], ["factor"], "factor"),
            helper.make_node("Mul", ["x", "factor"], ["scaled"], "mul"),
            helper.make_node("Clip", ["scaled", "bias"], ["y"], "clip"),
        ],
        [helper.make_opsetid("", 18)],
        attributes=["factor"],
    )
    reference = scale.node[0].attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "value_float", "factor", 1
    block = helper.make_function(
        "local",
        "Block",
        ["x"],
        ["y", "kept"],
        [
            helper.make_node("Scale", ["x"], ["scaled"], "scale", domain="local"),
            helper.make_node("Softmax", ["scaled"], ["y"], "softmax"),
            helper.make_node("Identity", ["x"], ["kept"], "keep"),
        ],
        [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)],
        attributes=["factor"],
    )
    passed = block.node[0].attribute.add()
    passed.name, passed.ref_attr_name, passed.type = "factor", "factor", 1
    default = helper.make_attribute("axis", 1)
    block.attribute_proto.append(default)
    axis = block.node[1].attribute.add()
    axis.name, axis.ref_attr_name, axis.type = "axis", "axis", 2
    nodes = [
        helper.make_node("Block", ["x"], ["a", ""], "first", domain="local", factor=2.0),
        helper.make_node("Block", ["a"], ["y", "z"], "second", domain="local", factor=3.0, axis=0),
    ]
    graph = helper.make_graph(
        nodes, "functions", [value("x", ["n", 4])], [value("y", ["n", 4]), value("z", ["n", 4])]
    )
    # Functions import another version of the standard operators than the model, which the checker wants to be one.
    write("functions", graph, [block, scale], (("", 17), ("local", 1)), check=False)


def constants():
    """Constants of several types of elements, stored as bytes and as lists, too long to read, and outside of the file."""
    tensors = []
    for name in ["float16", "float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]:
        low = 0 if name.startswith("u") else -2
        tensors.append(constant(f"raw_{name}", [low, 1, 100], np.dtype(name)))
    tensors.append(constant("raw_bool", [True, False], np.bool_))
    listed = {
        "float32": (FLOAT, [0.5, -1.0]),
        "float16": (TensorProto.FLOAT16, [0.5, -1.0]),
        "bfloat16": (TensorProto.BFLOAT16, [0.5, -1.0]),
        "int4": (TensorProto.INT4, [-3, 5]),
        "uint64": (TensorProto.UINT64, [0, 2**63]),
        "bool": (BOOL, [True, False]),
        "string": (TensorProto.STRING, [b"a", b"b"]),
    }
    for name, (element, values) in listed.items():
        tensors.append(helper.make_tensor(f"list_{name}", element, [2], values))
    tensors.append(constant("long", np.zeros(70000), np.int8))
    tensors.append(constant("none", np.zeros((0, 5))))
    outside = TensorProto(name="outside", data_type=FLOAT, dims=[1000, 1000], data_location=TensorProto.EXTERNAL)
    entry = outside.external_data.add()
    entry.key, entry.value = "location", "weights.bin"
    tensors.append(outside)
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])], "constants", [value("x", [1])], [value("y", [1])], tensors
    )
    write("constants", graph, check=False)


def unknown():
    """Operators of other domains, types that are no tensors, sizes that are declared in every way."""
    sequence = helper.make_tensor_sequence_value_info("s", FLOAT, None)
    nodes = [
        helper.make_node("FusedConv", ["x"], ["y"], "fused", domain="com.microsoft", activation="Relu", alphas=[0.5]),
        helper.make_node("SequenceAt", ["s", "i"], ["z"]),
        helper.make_node("NoSuchOperator", ["y", "z"], ["r"]),
    ]
    inputs = [value("x", ["n", 3, None, -1, "?", ""]), sequence, value("i", [], INT)]
    imports = (("", 17), ("com.microsoft", 1))
    write("unknown", helper.make_graph(nodes, "unknown", inputs, [value("r", None)]), imports=imports, check=False)


for each in [halves, flatten_by_hand, branches, loops, functions, constants, unknown]:
    each()
