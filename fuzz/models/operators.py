"""The operators of the sweep: attributes, constant inputs, and the ranks and sizes of the free ones."""

from dataclasses import dataclass, field

import numpy as np
from onnx import TensorProto

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
SMALL = (0, 1, 2, 3, 4)
FEW = (0, 1, 2, 3)
SOME = (1, 2, 3)


@dataclass
class Free:
    """An input of which ranks and sizes are tried."""

    ranks: tuple = (0, 1, 2, 3, 4)
    sizes: tuple = SMALL
    kind: int = FLOAT


@dataclass
class Entry:
    operator: str
    inputs: list
    attributes: dict = field(default_factory=dict)
    version: int = 20
    outputs: int = 1

    @property
    def name(self):
        words = [f"{self.operator}@{self.version}"]
        words += [f"{key}={value}" for key, value in self.attributes.items()]
        for argument in self.inputs:
            if argument is None:
                words.append("-")
            elif isinstance(argument, np.ndarray):
                words.append(str(argument.tolist()) if argument.size <= 12 else str(list(argument.shape)))
        return " ".join(words)


ENTRIES = []


def entry(operator, *inputs, version=20, outputs=1, **attributes):
    ENTRIES.append(Entry(operator, list(inputs), attributes, version, outputs))


def ints(*numbers):
    return np.array(numbers, np.int64).reshape(len(numbers))


def ones(*shape):
    return np.ones(shape, np.float32)


X = Free()
Y = Free((0, 1, 2, 3), FEW)
Z = Free((0, 1, 2), FEW)
B = Free((0, 1, 2), FEW, BOOL)
I = Free((0, 1, 2), FEW, INT64)

# Kept shapes.
for name in ["Relu", "Erf", "Identity", "Sigmoid", "Neg", "Celu", "Mish"]:
    entry(name, Free((0, 1, 2)))
entry("Dropout", X, outputs=2)
for axis in [-3, -1, 0, 1, 2]:
    entry("Softmax", X, axis=axis)
    entry("Hardmax", Free((0, 1, 2, 3)), axis=axis)
    entry("CumSum", Free((0, 1, 2, 3)), np.array(axis, np.int64))
    entry("LpNormalization", Free((0, 1, 2, 3)), axis=axis, p=2)
for axis in [0, 1, 3]:
    entry("Softmax", X, axis=axis, version=11)
entry("Trilu", X)
entry("MeanVarianceNormalization", X)
entry("LRN", X, size=3)
entry("EyeLike", Free((0, 1, 2, 3)))
entry("ReverseSequence", Free((0, 1, 2, 3), FEW), Free((0, 1, 2), FEW, INT64))
entry("QuantizeLinear", Free((0, 1, 2, 3), FEW), Free((0, 1), FEW), version=13)
entry("DequantizeLinear", Free((0, 1, 2, 3), FEW, TensorProto.UINT8), Free((0, 1), FEW), version=13)

# Broadcasts.
for name in ["Add", "Mul", "Pow"]:
    entry(name, Y, Y)
entry("Where", B, Z, Z)
entry("Max", Z, Z, Z)
entry("PRelu", Y, Y)
entry("Less", Z, Z)
entry("Sum", Z)

# Products.
entry("MatMul", Free((0, 1, 2, 3, 4), FEW), Free((0, 1, 2, 3), FEW))
for a, b in [(0, 0), (0, 1), (1, 0), (1, 1)]:
    entry("Gemm", Free((1, 2, 3), FEW), Free((1, 2, 3), FEW), transA=a, transB=b)
entry("Gemm", Free((2,), SOME), Free((2,), SOME), Z)
entry("Gemm", Free((2,), SOME), Free((2,), SOME), Z, version=7)
for equation in ["ij,jk->ik", "ij,jk", "bij,bjk->bik", "...ij,jk->...ik", "ii->i", "ii", "ij->ji", "i,i->", "i,j->ij", "ij,ij->", "ba", "...i->...", "ij,kl->il"]:
    count = equation.split("->")[0].count(",") + 1
    entry("Einsum", *[Free((0, 1, 2, 3), FEW) for _ in range(count)], equation=equation)

# Windows.
IMAGE = Free((2, 3, 4), SMALL)
LINE = Free((1, 2, 3, 4), SMALL)
for kernel, strides, dilations, pads in [
    ((1,), (1,), (1,), (0, 0)),
    ((2,), (1,), (1,), (0, 0)),
    ((3,), (2,), (1,), (0, 0)),
    ((3,), (2,), (1,), (1, 1)),
    ((2,), (3,), (1,), (0, 1)),
    ((2,), (1,), (2,), (0, 0)),
    ((3,), (2,), (2,), (2, 0)),
    ((2, 3), (1, 2), (1, 1), (0, 1, 0, 0)),
    ((3, 1), (2, 1), (1, 2), (1, 0, 2, 0)),
]:
    shared = {"strides": strides, "dilations": dilations, "pads": pads}
    free = LINE if len(kernel) == 1 else Free((3, 4, 5), SMALL)
    entry("Conv", free, ones(2, 3, *kernel), **shared)
    entry("ConvTranspose", free, ones(3, 2, *kernel), **shared)
    for mode in [0, 1]:
        entry("MaxPool", free, kernel_shape=kernel, ceil_mode=mode, **shared)
        entry("AveragePool", free, kernel_shape=kernel, ceil_mode=mode, **shared)
    entry("MaxPool", free, kernel_shape=kernel, outputs=2, **shared)
    entry("LpPool", free, kernel_shape=kernel, version=18, **shared)
for auto in ["SAME_UPPER", "SAME_LOWER", "VALID"]:
    for stride in [1, 2, 3]:
        entry("Conv", LINE, ones(2, 3, 3), auto_pad=auto, strides=[stride])
        entry("MaxPool", LINE, kernel_shape=[3], auto_pad=auto, strides=[stride])
        entry("AveragePool", LINE, kernel_shape=[2], auto_pad=auto, strides=[stride])
        entry("ConvTranspose", LINE, ones(3, 2, 3), auto_pad=auto, strides=[stride])
entry("MaxPool", LINE, kernel_shape=[3], auto_pad="VALID", strides=[2], ceil_mode=1)
entry("MaxPool", LINE, kernel_shape=[2], auto_pad="SAME_UPPER", strides=[2], ceil_mode=1)
entry("MaxPool", LINE, kernel_shape=[2], auto_pad="SAME_UPPER", strides=[3])
entry("Conv", LINE, ones(4, 2, 2), group=2)
entry("Conv", LINE, ones(3, 2, 2), group=2)
entry("Conv", LINE, ones(2, 3, 1), kernel_shape=[2])
entry("Conv", Free((3,), SOME), Free((2, 3, 4), SOME))
entry("Conv", Free((3,), SOME), Free((3,), SOME), Free((0, 1, 2), SOME))
entry("Conv", Free((2, 3), SMALL), ones(2, 3))
entry("ConvTranspose", LINE, ones(3, 2, 3), strides=[2], output_padding=[1])
entry("ConvTranspose", LINE, ones(3, 2, 3), strides=[3], output_shape=[7])
entry("ConvTranspose", LINE, ones(4, 2, 3), group=2)
entry("ConvTranspose", Free((3,), SOME), Free((3,), SOME), Free((1,), SOME))
for name in ["GlobalAveragePool", "GlobalMaxPool"]:
    entry(name, X)
entry("GlobalLpPool", X, p=2)

# Normalisations.
entry("BatchNormalization", X, ones(3), ones(3), ones(3), ones(3), version=15)
entry("BatchNormalization", Free((2, 3), SOME), Free((0, 1, 2), SOME), ones(2), ones(2), ones(2), version=15)
entry("InstanceNormalization", X, ones(3), ones(3))
for axis in [-2, -1, 0, 1]:
    entry("LayerNormalization", Free((1, 2, 3), FEW), Free((0, 1, 2), FEW), axis=axis, version=17)
entry("LayerNormalization", Free((2, 3), SOME), ones(3), Free((0, 1, 2), SOME), version=17)
entry("LayerNormalization", Free((2, 3), SOME), ones(2, 3), axis=-2, outputs=3, version=17)
entry("GroupNormalization", Free((2, 3, 4), SMALL), ones(4), ones(4), num_groups=2, version=21)

# Reductions.
for name in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"]:
    for axes in [(0,), (-1,), (0, 1), (1, 1), (0, -1), ()]:
        for keep in [0, 1]:
            entry(name, Free((0, 1, 2, 3)), ints(*axes), keepdims=keep, version=18)
    entry(name, Free((0, 1, 2)), version=18)
    entry(name, Free((0, 1, 2)), ints(), noop_with_empty_axes=1, version=18)
for axes in [(0,), (1,), (-1, 0)]:
    entry("ReduceMean", Free((0, 1, 2, 3)), axes=axes, version=13)
    entry("ReduceMax", Free((0, 1, 2, 3)), axes=axes, version=13)
for axis in [-2, 0, 1]:
    for keep in [0, 1]:
        entry("ArgMax", Free((0, 1, 2, 3)), axis=axis, keepdims=keep)

# Layout.
for target in [(), (1,), (0,), (-1,), (2, 3), (-1, 2), (0, -1), (2, 0), (0, 0, -1), (-1, -1), (1, -1, 3), (4, -1, 0), (-1, 0), (0, 0, 0, 0), (-2, 2)]:
    for zero in [0, 1]:
        entry("Reshape", X, ints(*target), allowzero=zero)
for axis in [-2, -1, 0, 1, 2, 3]:
    entry("Flatten", X, axis=axis)
for axes in [(0,), (1, 0), (0, 1), (2, 0, 1), (0, 2, 1, 3), (0, 0), (1, -1)]:
    entry("Transpose", X, perm=axes)
entry("Transpose", X)
for axes in [(), (0,), (-1,), (0, 2), (1, 1), (0, -1)]:
    entry("Squeeze", X, ints(*axes))
    entry("Unsqueeze", Free((0, 1, 2, 3)), ints(*axes))
entry("Squeeze", X)
entry("Squeeze", X, axes=[1], version=11)
entry("Unsqueeze", Free((0, 1, 2)), axes=[0, 2], version=11)
for target in [(), (1,), (3,), (2, 3), (0,), (1, 1, 4), (2, 1), (-1,), (2, 0)]:
    entry("Expand", Free((0, 1, 2, 3)), ints(*target))
for times in [(), (2,), (1, 3), (0, 2), (2, 1, 2), (-1,)]:
    entry("Tile", Free((0, 1, 2, 3)), ints(*times))
for axis in [-2, -1, 0, 1]:
    entry("Concat", Y, Y, axis=axis)
entry("Concat", Z, Z, Z, axis=0)
for axis in [0, 1, -1]:
    entry("Split", Free((0, 1, 2, 3)), axis=axis, num_outputs=2, outputs=2, version=18)
    entry("Split", Free((0, 1, 2, 3)), axis=axis, num_outputs=3, outputs=3, version=18)
    entry("Split", Free((0, 1, 2, 3)), axis=axis, outputs=2, version=13)
    entry("Split", Free((0, 1, 2, 3)), ints(1, 2), axis=axis, outputs=2, version=13)
    entry("Split", Free((0, 1, 2, 3)), ints(0, 3), axis=axis, outputs=2, version=18)
entry("Split", Free((1,), tuple(range(9))), num_outputs=4, outputs=4, version=18)
entry("Split", Free((1,), tuple(range(9))), num_outputs=3, outputs=3, version=18)
entry("Split", Free((1, 2)), ints(-1, 3), outputs=2, version=18)
for mode in ["constant", "reflect", "edge", "wrap"]:
    for pads in [(1, 0), (0, 2), (1, -1), (-2, 1), (-1, -1), (3, 3), (0, 0, 1, 1), (1, 0, 0, 2), (0, 0)]:
        entry("Pad", Free((0, 1, 2, 3)), ints(*pads), mode=mode, version=19)
entry("Pad", Free((0,)), ints(), mode="edge", version=19)
entry("Pad", Free((1, 2, 3)), ints(1, 2), None, ints(-1), version=19)
entry("Pad", Free((1, 2, 3)), ints(1, 2, 0, 1), None, ints(0, 1), version=19)
for block in [1, 2]:
    entry("DepthToSpace", Free((3, 4), SMALL), blocksize=block)
    entry("SpaceToDepth", Free((3, 4), SMALL), blocksize=block)
for starts, ends, axes, steps in [
    ((0,), (2,), None, None),
    ((1,), (-1,), None, None),
    ((-2,), (9,), (0,), None),
    ((-9,), (3,), (-1,), (2,)),
    ((3,), (0,), (1,), (-1,)),
    ((-1,), (-9,), (0,), (-2,)),
    ((0, 1), (2, 3), (0, 1), (1, 2)),
    ((2,), (1,), (0,), (1,)),
    ((0,), (2**63 - 1,), (1,), (3,)),
    ((2**63 - 1,), (-(2**63),), (0,), (-1,)),
    ((0, 0), (2, 1), (0, 0), (1, 1)),
    ((0,), (2,), (0,), (0,)),
    ((0, 1), (2, 3), None, None),
    ((-5,), (-9,), (0,), (-1,)),
    ((-3,), (-5,), (-1,), (-2,)),
]:
    entry("Slice", Free((0, 1, 2, 3)), ints(*starts), ints(*ends), None if axes is None else ints(*axes), None if steps is None else ints(*steps))

# Indices. The data's own axis of size 0 has no index, so free indices are tried on other sizes.
for axis in [-1, 0, 1]:
    for index in [np.array(0), np.array(-1), np.array(2), np.array(-3), ints(), ints(0, 1), ints(1, -2, 0), np.array([[0], [-1]])]:
        entry("Gather", Free((0, 1, 2, 3)), index.astype(np.int64), axis=axis)
    entry("Gather", Free((1, 2, 3), SOME), Free((0, 1, 2), FEW, INT64), axis=axis)
    entry("GatherElements", Free((0, 1, 2, 3), SOME), Free((0, 1, 2, 3), FEW, INT64), axis=axis)
    entry("ScatterElements", Free((1, 2), SOME), Free((1, 2), FEW, INT64), Free((1, 2), FEW), axis=axis)
for batch in [0, 1]:
    entry("GatherND", Free((1, 2, 3), SOME), Free((1, 2, 3), FEW, INT64), batch_dims=batch)
entry("ScatterND", Free((1, 2), SOME), Free((1, 2), SOME, INT64), Free((0, 1, 2), FEW))
for axis in [-2, -1, 0, 1]:
    entry("OneHot", Free((0, 1, 2), FEW, INT64), np.array(3, np.int64), ones(2), axis=axis)
entry("OneHot", Free((0, 1), FEW, INT64), ints(2), ones(2))
for k in [0, 1, 3]:
    for axis in [-1, 0]:
        entry("TopK", Free((0, 1, 2, 3)), ints(k), axis=axis, outputs=2)

# Sizes as values.
entry("Shape", X)
entry("Shape", X, start=1)
entry("Shape", X, start=-2, end=-1)
entry("Shape", X, start=3, end=1)
entry("Size", X)
for shape in [(), (2,), (0, 3), (-1,)]:
    entry("ConstantOfShape", ints(*shape))
for start, limit, delta in [(0, 5, 1), (0, 5, 2), (5, 0, -2), (0, -3, 1), (1, 1, 1), (0, 3, 0)]:
    entry("Range", *(np.array(each, np.int64) for each in (start, limit, delta)))
entry("Range", *(np.array(each, np.float32) for each in (0.5, 3.25, 0.75)))

# Resizes.
for scales in [(1, 1, 2, 2), (1, 1, 0.5, 1.5), (1, 2), (2,), (1, 1, 0.6, 0.26), (1, 1, 1)]:
    for mode in ["nearest", "linear"]:
        entry("Resize", Free((0, 1, 2, 3, 4), SMALL), None, np.array(scales, np.float32), mode=mode, version=13)
entry("Resize", Free((0,)), None, np.array([], np.float32), mode="nearest", version=13)
entry("Resize", X, None, None, ints(1, 2, 3, 5), version=13)
entry("Resize", Free((2, 4)), None, None, ints(3, 5), axes=[-2, -1], version=18)
entry("Resize", Free((2, 4)), None, np.array([2, 0.5], np.float32), axes=[0, 1], version=18)
entry("Upsample", X, np.array([1, 1, 2, 2], np.float32), version=9)
entry("Upsample", X, np.array([1, 1, 1.5, 1.5], np.float32), version=9)
for policy in ["not_larger", "not_smaller"]:
    entry("Resize", Free((2, 4), SOME), None, None, ints(3, 5), axes=[-2, -1], keep_aspect_ratio_policy=policy, version=18)
entry("GridSample", Free((3, 4), FEW), Free((3, 4), SOME), version=16)
entry("GridSample", Free((4,), SOME), np.zeros((2, 3, 3, 2), np.float32), version=16)

# Recurrent layers; a batch of 0 ends the process.
for name, gates in [("LSTM", 4), ("GRU", 3), ("RNN", 1)]:
    for direction in ["forward", "bidirectional"]:
        both = 2 if direction == "bidirectional" else 1
        outputs = 3 if name == "LSTM" else 2
        kernels = ones(both, 2 * gates, 3), ones(both, 2 * gates, 2)
        entry(name, Free((2, 3), SOME), *kernels, hidden_size=2, direction=direction, outputs=outputs, version=14)
    entry(name, Free((3,), SOME), Free((3,), (1, 2, gates, 2 * gates)), ones(1, 2 * gates, 2), hidden_size=2, version=14)
    entry(name, np.ones((2, 3, 3), np.float32), *(ones(1, 2 * gates, 3), ones(1, 2 * gates, 2)), None, None, Free((2, 3), SOME), hidden_size=2, version=14)
