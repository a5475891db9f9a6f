"""Makes the small models of this folder, and records what onnxruntime computes of them.

    python make.py          # needs numpy, onnx and onnxruntime

Each model is a few nodes that show one operator in one use. Inputs are whole or half numbers that a formula gives, so that a reader can compute a cell by
hand. `recorded.json` holds for each model its inputs, and the outputs of onnxruntime with graph optimisations off. The versions are in it.
"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent
CASES = []


def numbers(*sizes, times=1.0, shift=0.0, dtype=np.float32):
    """Numbers that are not in order: 7 steps of the residues of 11."""
    count = int(np.prod(sizes))
    values = (np.arange(count) * 7 + 3) % 11 - 5
    return (values * times + shift).reshape(sizes).astype(dtype)


def case(name, nodes, inputs, constants=(), opset=17, outputs=1, free=()):
    """A model: nodes as (operator, inputs, outputs, attributes); values are called x, y, ... by the nodes."""
    made = [helper.make_node(op, list(i), list(o), name=f"n{k}", **a) for k, (op, i, o, a) in enumerate(nodes)]
    outs = [o for o in made[-1].output][:outputs]
    shape = lambda k, v: [f"{k}{a}" if (k, a) in free else s for a, s in enumerate(v.shape)]
    graph = helper.make_graph(
        made,
        name,
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, shape(k, v)) for k, v in inputs.items()],
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outs],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in dict(constants).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8, producer_name="make.py")
    CASES.append((name, model, inputs))


def one(name, op, inputs, constants=(), opset=17, free=(), **attributes):
    order = attributes.pop("order", [*inputs, *dict(constants)])
    case(name, [(op, order, ["y"], attributes)], inputs, constants, opset, free=free)


def ints(*values):
    return np.array(values, np.int64)


x24 = numbers(2, 3, 4)
map1 = numbers(1, 2, 7)
map2 = numbers(2, 4, 5, 6)

# Linear.
one("matmul", "MatMul", {"a": numbers(2, 3), "b": numbers(3, 4)})
one("matmul_batch_stretched", "MatMul", {"a": numbers(2, 1, 3, 4), "b": numbers(5, 4, 2)})
one("matmul_row", "MatMul", {"a": numbers(4), "b": numbers(2, 4, 3)})
one("matmul_column", "MatMul", {"a": numbers(2, 3, 4), "b": numbers(4)})
one("matmul_dot", "MatMul", {"a": numbers(4), "b": numbers(4)})
one("gemm", "Gemm", {"a": numbers(3, 2)}, {"b": numbers(4, 3), "c": numbers(4)}, transA=1, transB=1, alpha=0.5, beta=2.0)
one("gemm_plain", "Gemm", {"a": numbers(2, 3), "b": numbers(3, 4)})
one("gemm_column", "Gemm", {"a": numbers(2, 3), "b": numbers(3, 4)}, {"c": numbers(2, 1)})

# Cell by cell.
for op in ["Add", "Sub", "Mul", "Max", "Min"]:
    one(f"{op.lower()}_stretched", op, {"a": numbers(2, 1, 4), "b": numbers(3, 1)})
one("add_three_ranks", "Sum", {"a": numbers(2, 3, 4), "b": numbers(4), "c": numbers(3, 1)})
one("div_number", "Div", {"a": x24}, {"b": np.float32(3)})
one("number_minus", "Sub", {"b": x24}, {"a": np.array([0.1], np.float32)}, order=["a", "b"])
one("number_of_more_axes", "Mul", {"a": numbers(3)}, {"b": np.full((1, 1), 2, np.float32)})
one("pow", "Pow", {"a": numbers(2, 3, shift=6)}, {"b": np.float32(1.5)})
one("mean", "Mean", {"a": numbers(2, 3), "b": numbers(3)})
for op, name, attributes in [
    ("Relu", "relu", {}), ("Sigmoid", "sigmoid", {}), ("Tanh", "tanh", {}), ("Exp", "exp", {}), ("Neg", "neg", {}), ("Abs", "abs", {}),
    ("Floor", "floor", {}), ("Ceil", "ceil", {}), ("Round", "round", {}), ("Sin", "sin", {}), ("Cos", "cos", {}), ("Erf", "erf", {}),
    ("Reciprocal", "reciprocal", {}), ("Sign", "sign", {}), ("HardSigmoid", "hard_sigmoid", {"alpha": 0.25, "beta": 0.4}), ("HardSwish", "hard_swish", {}),
    ("LeakyRelu", "leaky_relu", {"alpha": 0.2}), ("Elu", "elu", {"alpha": 1.5}), ("Selu", "selu", {}), ("Celu", "celu", {"alpha": 2.0}),
    ("Softplus", "softplus", {}), ("Softsign", "softsign", {}), ("ThresholdedRelu", "thresholded_relu", {"alpha": 1.25}),
]:
    one(name, op, {"x": numbers(2, 11, times=0.75, shift=0.125)}, **attributes)
one("mish", "Mish", {"x": numbers(11)}, opset=18)
one("gelu", "Gelu", {"x": numbers(11, times=0.5)}, opset=20)
one("gelu_tanh", "Gelu", {"x": numbers(11, times=0.5)}, opset=20, approximate="tanh")
one("log", "Log", {"x": numbers(11, shift=5.5)})
one("sqrt", "Sqrt", {"x": numbers(11, shift=5)})
one("prelu", "PRelu", {"x": numbers(2, 3, 4)}, {"s": numbers(3, 1, times=0.1)})
one("clip", "Clip", {"x": x24}, {"low": np.float32(-1.5), "high": np.float32(2)})
one("clip_above", "Clip", {"x": x24}, {"high": np.float32(2)}, order=["x", "", "high"])
one("clip_old", "Clip", {"x": x24}, opset=7, min=-1.0, max=3.0)
case("where", [("Greater", ["a", "b"], ["c"], {}), ("Where", ["c", "a", "zero"], ["y"], {})], {"a": numbers(2, 3), "b": numbers(3)}, {"zero": np.float32(0)})
case(
    "where_stretched",
    [("Equal", ["a", "b"], ["c"], {}), ("Not", ["c"], ["d"], {}), ("Where", ["d", "a", "e"], ["y"], {})],
    {"a": numbers(2, 1), "b": numbers(3), "e": numbers(2, 2, 3)},
)
case("cast_of_truth", [("Less", ["a", "b"], ["c"], {}), ("Cast", ["c"], ["y"], {"to": TensorProto.FLOAT})], {"a": numbers(2, 3), "b": numbers(2, 3, shift=1, times=-1)})
one("dropout", "Dropout", {"x": x24})

# Windows.
one("conv", "Conv", {"x": map2}, {"w": numbers(3, 4, 3, 3), "b": numbers(3)})
one("conv_strides_pads_dilations", "Conv", {"x": map2}, {"w": numbers(3, 4, 3, 2)}, strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2])
one("conv_pointwise", "Conv", {"x": map2}, {"w": numbers(3, 4, 1, 1)})
one("conv_pointwise_strided", "Conv", {"x": map2}, {"w": numbers(3, 4, 1, 1)}, strides=[2, 2])
one("conv_depthwise", "Conv", {"x": map2}, {"w": numbers(4, 1, 3, 3), "b": numbers(4)}, group=4, pads=[1, 1, 1, 1])
one("conv_depthwise_wider", "Conv", {"x": map2}, {"w": numbers(8, 1, 2, 2)}, group=4)
one("conv_groups", "Conv", {"x": map2}, {"w": numbers(6, 2, 3, 3)}, group=2, pads=[1, 1, 1, 1])
one("conv_groups_to_one", "Conv", {"x": map2}, {"w": numbers(2, 2, 3, 3)}, group=2)
one("conv_one_axis", "Conv", {"x": map1}, {"w": numbers(3, 2, 3)}, strides=[2], pads=[1, 1])
one("conv_three_axes", "Conv", {"x": numbers(1, 2, 3, 4, 3)}, {"w": numbers(2, 2, 2, 2, 2)})
one("conv_same_upper", "Conv", {"x": map2}, {"w": numbers(3, 4, 2, 3)}, auto_pad="SAME_UPPER", strides=[2, 2])
one("conv_same_lower", "Conv", {"x": map2}, {"w": numbers(3, 4, 2, 3)}, auto_pad="SAME_LOWER", strides=[1, 1])
one("max_pool", "MaxPool", {"x": numbers(1, 2, 5, 6, shift=-9)}, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0])
one("max_pool_ceil", "MaxPool", {"x": numbers(1, 2, 6, 6)}, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
one("max_pool_ceil_outside", "MaxPool", {"x": numbers(1, 1, 4, 4)}, kernel_shape=[1, 1], strides=[2, 2], ceil_mode=1)
one("max_pool_dilated", "MaxPool", {"x": numbers(1, 2, 7)}, kernel_shape=[2], dilations=[3])
one("max_pool_larger_than_the_map", "MaxPool", {"x": numbers(1, 2, 1, 5)}, kernel_shape=[2, 2], strides=[2, 2])
one("average_pool_larger_than_the_map", "AveragePool", {"x": numbers(1, 2, 2, 5)}, kernel_shape=[3, 2], strides=[2, 1])
one("average_pool", "AveragePool", {"x": numbers(1, 2, 4, 6)}, kernel_shape=[2, 2], strides=[2, 2])
one("average_pool_padded", "AveragePool", {"x": numbers(1, 2, 5, 6)}, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
one("average_pool_counting", "AveragePool", {"x": numbers(1, 2, 5, 6)}, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1)
one("average_pool_ceil", "AveragePool", {"x": numbers(1, 1, 6, 6)}, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, opset=19)
one("global_average_pool", "GlobalAveragePool", {"x": map2})
one("global_max_pool", "GlobalMaxPool", {"x": map2})
one("lrn", "LRN", {"x": numbers(1, 6, 2, 2)}, size=5, alpha=0.02, beta=0.6, bias=1.5)

# Normalisations.
channels = {"scale": numbers(4), "shift": numbers(4, times=0.5), "mean": numbers(4, times=0.25), "var": numbers(4, shift=6)}
one("batch_normalization", "BatchNormalization", {"x": map2}, channels, epsilon=0.01)
one("instance_normalization", "InstanceNormalization", {"x": map2}, {"scale": numbers(4), "shift": numbers(4)})
one("layer_normalization", "LayerNormalization", {"x": x24}, {"scale": numbers(4), "shift": numbers(4)})
one("layer_normalization_two_axes", "LayerNormalization", {"x": x24}, {"scale": numbers(3, 4)}, axis=1)
one("softmax", "Softmax", {"x": x24}, axis=1)
one("softmax_old", "Softmax", {"x": x24}, opset=11, axis=1)
one("log_softmax", "LogSoftmax", {"x": x24})

# Reductions.
for op in ["Sum", "Mean", "Max", "Min", "L1", "L2", "SumSquare"]:
    one(f"reduce_{op.lower()}", f"Reduce{op}", {"x": x24}, **({"axes": [0, -1]} if op != "Sum" else {}))
one("reduce_sum_axes", "ReduceSum", {"x": x24}, {"axes": ints(1)}, keepdims=0)
one("reduce_mean_new", "ReduceMean", {"x": x24}, {"axes": ints(-1, 0)}, opset=18, keepdims=0)
one("reduce_nothing", "ReduceSum", {"x": x24}, {"axes": ints()}, noop_with_empty_axes=1)

# Layout.
one("reshape_product", "Reshape", {"x": x24}, {"s": ints(0, -1)})
one("reshape_factors", "Reshape", {"x": numbers(6, 4)}, {"s": ints(2, 3, 2, 2)})
one("reshape_crossing", "Reshape", {"x": numbers(4, 6)}, {"s": ints(3, 8)})
one("reshape_units", "Reshape", {"x": numbers(1, 6, 1)}, {"s": ints(2, 1, 3, 1)})
one("reshape_to_scalar", "Reshape", {"x": numbers(1, 1)}, {"s": ints()})
one("flatten", "Flatten", {"x": map2}, axis=2)
one("flatten_all", "Flatten", {"x": x24}, axis=0)
one("squeeze", "Squeeze", {"x": numbers(1, 3, 1, 2)}, {"axes": ints(0, 2)})
one("squeeze_old", "Squeeze", {"x": numbers(1, 3, 1, 2)}, opset=11)
one("unsqueeze", "Unsqueeze", {"x": numbers(3, 2)}, {"axes": ints(0, -1)})
one("transpose", "Transpose", {"x": x24}, perm=[2, 0, 1])
one("transpose_reversed", "Transpose", {"x": x24})
one("expand", "Expand", {"x": numbers(3, 1)}, {"s": ints(2, 1, 4)})
one("concat", "Concat", {"a": numbers(2, 3), "b": numbers(2, 1), "c": numbers(2, 2)}, axis=-1)
one("slice", "Slice", {"x": numbers(5, 6)}, {"starts": ints(1, -4), "ends": ints(4, 2**62)})
one("slice_steps", "Slice", {"x": numbers(5, 6)}, {"starts": ints(0, 5), "ends": ints(5, -7), "axes": ints(0, 1), "steps": ints(2, -2)})
one("pad", "Pad", {"x": numbers(2, 3)}, {"pads": ints(1, 0, 0, 2)})
one("pad_reflect", "Pad", {"x": numbers(2, 4)}, {"pads": ints(0, 3, 1, 2)}, mode="reflect")
one("gather", "Gather", {"x": numbers(4, 3)}, {"places": ints(2, 0, -1, 2)}, order=["x", "places"])
one("gather_one", "Gather", {"x": numbers(4, 3)}, {"place": np.int64(-2)}, axis=1)
case("split", [("Split", ["x", "s"], ["a", "b"], {"axis": 1}), ("Concat", ["b", "a"], ["y"], {"axis": 1})], {"x": numbers(2, 5)}, {"s": ints(2, 3)})
case("split_equal", [("Split", ["x"], ["a", "b", "c"], {"axis": 0}), ("Sub", ["c", "a"], ["y"], {})], {"x": numbers(6, 2)})

# Sizes as numbers, and sizes that the model leaves free.
case(
    "sizes_as_numbers",
    [
        ("Shape", ["x"], ["s"], {}),
        ("Gather", ["s", "zero"], ["b"], {}),
        ("Unsqueeze", ["b", "zeros"], ["b1"], {}),
        ("Slice", ["s", "one", "three"], ["rest"], {}),
        ("ReduceProd", ["rest"], ["p"], {"keepdims": 1}),
        ("Concat", ["b1", "p"], ["to"], {"axis": 0}),
        ("Reshape", ["x", "to"], ["y"], {}),
    ],
    {"x": x24},
    {"zero": np.int64(0), "zeros": ints(0), "one": ints(1), "three": ints(3)},
    free=[("x", 0), ("x", 2)],
)
case("filled", [("Shape", ["x"], ["s"], {}), ("ConstantOfShape", ["s"], ["f"], {"value": numpy_helper.from_array(np.array([2.5], np.float32))}), ("Mul", ["x", "f"], ["y"], {})], {"x": x24})
case("infinity_beside_a_chosen_cell", [("Div", ["x", "zero"], ["i"], {}), ("Concat", ["i", "x"], ["c"], {"axis": 0}), ("Gather", ["c", "places"], ["y"], {})], {"x": numbers(3, 2, shift=9)}, {"zero": np.float32(0), "places": ints(5, 3)})


def main():
    recorded = {"made by": f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}, numpy {np.__version__}", "cases": {}}
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    tensor = lambda a: {"sizes": list(a.shape), "values": [float(v) if np.isfinite(v) else str(v) for v in np.asarray(a, np.float32).ravel()]}
    for name, model, inputs in CASES:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        outputs = session.run(None, inputs)
        (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())
        names = [output.name for output in session.get_outputs()]
        recorded["cases"][name] = {"inputs": {k: tensor(v) for k, v in inputs.items()}, "outputs": dict(zip(names, map(tensor, outputs)))}
    lines = [f'  {json.dumps(k)}: {json.dumps(v)}' for k, v in recorded["cases"].items()]
    text = "{\n" + f'"made by": {json.dumps(recorded["made by"])},\n"cases": {{\n' + ",\n".join(lines) + "\n}\n}\n"
    (FOLDER / "recorded.json").write_text(text)
    print(len(CASES), "models")


main()
