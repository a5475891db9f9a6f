"""Records small models as exporters write them, at all sizes from 1 to 6: `python kinds.py FILE.jsonl.gz`.

A model is text for `onnx.parser`. An axis whose name begins with a letter is free; an input of an integer of rank 0, or of a list of them of stated length,
is a value or as many, from -1 to 6. Where
there are too many points, a sample is taken that depends on the name of the model alone.
"""

import datetime
import itertools
import random
import sys

import onnx.parser

from runtime import Runtime, versions, write

MOST = 150
SIZES = range(1, 7)
VALUES = range(-1, 7)

MODELS = {}


def model(name, text, version=20, more=""):
    MODELS[name] = f'<ir_version: 8, opset_import: ["" : {version}, "own" : 1]>\n{text}\n{more}'


def numbers(name, *values):
    return f"{name} = Constant <value = int64[{len(values)}] {{{', '.join(map(str, values))}}}> ()\n"


def number(name, value):
    return f"{name} = Constant <value = int64 {{{value}}}> ()\n"


def floats(name, shape, value=1):
    count = 1
    for size in shape:
        count *= size
    sizes = ",".join(map(str, shape))
    return f"{name} = Constant <value = float[{sizes}] {{{', '.join([str(float(value))] * count)}}}> ()\n"


def graph(inputs, body, outputs="y"):
    results = ", ".join(f"float {name}" for name in outputs.split())
    return f"g ({inputs}) => ({results}) {{\n{body}\n}}"


model("reshape by own sizes", graph("float[a,b,c] x", "s = Shape(x)" + numbers("i", 0) + "n = Gather(s, i)" + numbers("m", -1) + "t = Concat <axis = 0> (n, m)\ny = Reshape(x, t)"))
model("heads", graph("float[b,t,c] x", "s = Shape <start = 0, end = 2> (x)\n" + numbers("h", 2, 3) + "t = Concat <axis = 0> (s, h)\nq = Reshape(x, t)\np = Transpose <perm = [0, 2, 1, 3]> (q)\nk = Transpose <perm = [0, 2, 3, 1]> (q)\ny = MatMul(p, k)"))
model("windows", graph("float[b,h,w,c] x", numbers("zero", 0) + numbers("one", 1) + numbers("two", 2) + numbers("last", -1) + "s = Shape(x)\nb = Gather(s, zero)\nh = Gather(s, one)\nw = Gather(s, two)\nk = Div(h, two)\nl = Div(w, two)\nt = Concat <axis = 0> (b, k, two, l, two, last)\nq = Reshape(x, t)\np = Transpose <perm = [0, 1, 3, 2, 4, 5]> (q)\nu = Concat <axis = 0> (last, two, two, last)\nv = Shape <start = 5> (p)\nf = Concat <axis = 0> (last, two, two, v)\ny = Reshape(p, f)"))
model("pad to a multiple", graph("float[b,n] x", "s = Shape <start = 1> (x)\n" + numbers("four", 4) + numbers("z", 0, 0, 0) + "r = Mod(s, four)\nd = Sub(four, r)\np = Mod(d, four)\na = Concat <axis = 0> (z, p)\nq = Pad(x, a)\n" + numbers("t", 0, -1, 4) + "y = Reshape(q, t)"))
model("slice backwards", graph("float[a,b] x", numbers("st", -1) + numbers("en", -5) + numbers("ax", 1) + numbers("sp", -2) + "u = Slice(x, st, en, ax, sp)\n" + numbers("st2", 9) + numbers("en2", -9) + numbers("sp2", -1) + "v = Slice(x, st2, en2, ax, sp2)\ny = Add(u, v)"))
model("slice by a size", graph("float[a,b] x, float[c,d] z", "s = Shape <start = 0, end = 1> (z)\n" + numbers("one", 1) + "e = Sub(s, one)\n" + numbers("zero", 0) + "p = Slice(x, zero, e, zero)\ny = Add(p, z)"))
model("the shorter of two", graph("float[a,b] x, float[c,b2] z", "s = Shape <start = 0, end = 1> (x)\nt = Shape <start = 0, end = 1> (z)\nm = Min(s, t)\n" + numbers("zero", 0) + "p = Slice(x, zero, m, zero)\nq = Slice(z, zero, m, zero)\ny = Mul(p, q)"))
model("resize by a scale and add", graph("float[b,c,h,w] x, float[b2,c2,h2,w2] z", "r = Constant <value = float[0] {}> ()\n" + "s = Constant <value = float[4] {1.0, 1.0, 2.0, 2.0}> ()\nu = Resize <mode = \"nearest\"> (x, r, s)\ny = Add(u, z)"))
model("half and back", graph("float[b,c,h,w] x", "r = Constant <value = float[0] {}> ()\n" + "s = Constant <value = float[4] {1.0, 1.0, 0.5, 0.5}> ()\nt = Constant <value = float[4] {1.0, 1.0, 2.0, 2.0}> ()\nu = Resize <mode = \"nearest\"> (x, r, s)\nv = Resize <mode = \"nearest\"> (u, r, t)\ny = Concat <axis = 1> (v, x)"))
model("resize to the sizes of another", graph("float[b,c,h,w] x, float[b2,c2,h2,w2] z", "s = Shape <start = 2> (z)\nt = Shape <end = 2> (x)\nu = Concat <axis = 0> (t, s)\nv = Resize <mode = \"nearest\"> (x, , , u)\ny = Add(v, z)"))
model("resize by computed floats", graph("float[b,c,h,w] x", "s = Shape <start = 2> (x)\nf = Cast <to = 1> (s)\nh = Constant <value = float {0.5}> ()\nm = Mul(f, h)\nd = Floor(m)\ni = Cast <to = 7> (d)\nt = Shape <end = 2> (x)\nu = Concat <axis = 0> (t, i)\ny = Resize <mode = \"nearest\"> (x, , , u)"))
model("einsum of matrices", graph("float[b,i,j] x, float[b2,j2,k] z", "y = Einsum <equation = \"bij,bjk->bik\"> (x, z)"))
model("einsum with a repeated label", graph("float[b,i,j] x", "y = Einsum <equation = \"bii->bi\"> (x)"))
model("einsum with an ellipsis", graph("float[p,i,j] x, float[q,j2,k] z", "y = Einsum <equation = \"...ij,...jk->...ik\"> (x, z)"))
model("einsum without an arrow", graph("float[i,j] x, float[j2,k] z", "y = Einsum <equation = \"ij,jk\"> (x, z)"))
model("einsum to a number", graph("float[i,j] x, float[i2,j2] z", "y = Einsum <equation = \"ij,ij->\"> (x, z)"))
model("transposed convolution to a given size", graph("float[b,c,h,w] x", floats("k", (2, 3, 3, 3)) + "y = ConvTranspose <strides = [2, 2], output_shape = [8, 9]> (x, k)"))
model("transposed convolution and back", graph("float[b,c,n] x", floats("k", (2, 3, 3)) + floats("l", (2, 3, 3)) + "u = ConvTranspose <strides = [2], output_padding = [1], pads = [1, 1], dilations = [1]> (x, k)\nv = Conv <strides = [2], pads = [1, 1]> (u, l)\ny = Add(v, x)"))
model("transposed convolution in groups", graph("float[b,c,n] x", floats("k", (4, 1, 2)) + "y = ConvTranspose <group = 2, dilations = [2], auto_pad = \"SAME_UPPER\", strides = [2]> (x, k)"))
model("convolution and pool joined", graph("float[b,c,h,w] x", floats("k", (2, 3, 3, 3)) + "u = Conv <auto_pad = \"SAME_UPPER\", strides = [2, 2]> (x, k)\nv = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (x)\ny = Concat <axis = 1> (u, v)"))
model("convolution with holes", graph("float[b,c,n] x", floats("k", (4, 2, 3)) + "u = Conv <group = 2, dilations = [2], pads = [1, 0]> (x, k)\nv = AveragePool <kernel_shape = [3], count_include_pad = 1, pads = [1, 1], ceil_mode = 1, strides = [2]> (u)\ny = Relu(v)"))
model("kernel from an input", graph("float[b,c,n] x, float[o,i,k] w", "y = Conv(x, w)"))
model("recurrent, both directions", graph("float[s,b,3] x", floats("w", (2, 8, 3)) + floats("r", (2, 8, 2)) + "h, c, d = LSTM <hidden_size = 2, direction = \"bidirectional\"> (x, w, r)\np = Transpose <perm = [0, 2, 1, 3]> (h)\n" + numbers("t", 0, 0, -1) + "y = Reshape(p, t)"))
model("recurrent with a state", graph("float[s,b,c] x, float[d,e,f] z", floats("w", (1, 6, 3)) + floats("r", (1, 6, 2)) + "h, y = GRU <hidden_size = 2> (x, w, r, , , z)"))
model("loop over the first axis", graph("float[n,c] x", "s = Shape <end = 1> (x)\n" + numbers("zero", 0) + "t = Squeeze(s, zero)\nk = Constant <value = bool {1}> ()\n" + floats("start", (1,), 0) + "o, y = Loop (t, k, start) <body = b (int64 i, bool c, float[m] v) => (bool c2, float[m] v2, float[m] w) { c2 = Identity(c)\n r = Gather(x, i)\n v2 = Add(v, start)\n w = Mul(r, v2) }>"))
model("loop whose state grows", graph("int64 n, float[a] x", "k = Constant <value = bool {1}> ()\ny = Loop (n, k, x) <body = b (int64 i, bool c, float[m] v) => (bool c2, float[l] v2) { c2 = Identity(c)\n v2 = Concat <axis = 0> (v, x) }>"))
model("scan along an axis", graph("float[a,b] x, float[c] z", "o, y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1], body = b (float[m] v, float[k] e) => (float[m] v2, float[k] w) { v2 = Identity(v)\n w = Add(v, e) }> (z, x)"))
model("grid", graph("float[b,c,h,w] x, float[n,p,q,t] z", "y = GridSample(x, z)"))
model("a mask is broadcast", graph("bool[a,b] m, float[c,d,e] x", "k = Cast <to = 9> (m)\nz = Constant <value = float {0.0}> ()\ny = Where(k, x, z)"))
model("range of an input", graph("int64 n, float[a,b] x", number("zero", 0) + number("one", 1) + "r = Range(zero, n, one)\nf = Cast <to = 1> (r)\ny = Add(x, f)"))
model("range of a size", graph("float[b,t,c] x", "s = Shape <start = 1, end = 2> (x)\n" + numbers("zeros", 0) + number("zero", 0) + number("one", 1) + "n = Squeeze(s, zeros)\nr = Range(zero, n, one)\n" + floats("table", (4, 3)) + "p = Gather(table, r)\ny = Add(x, p)"))
model("tile by an input", graph("int64 n, float[a,b] x", numbers("zeros", 0) + numbers("one", 1) + "u = Unsqueeze(n, zeros)\nr = Concat <axis = 0> (u, one)\ny = Tile(x, r)"))
model("the best, as many as an input says", graph("int64 n, float[a,b] x", numbers("zeros", 0) + "u = Unsqueeze(n, zeros)\ny, i = TopK <axis = -1> (x, u)"))
model("pad by an input", graph("int64 n, float[a,b] x", numbers("zeros", 0) + numbers("z", 0, 0, 0) + "u = Unsqueeze(n, zeros)\np = Concat <axis = 0> (z, u)\nq = Pad(x, p)\n" + numbers("t", -1, 3) + "y = Reshape(q, t)"))
model("slice by an input", graph("int64 n, float[a,b] x, float[c] z", numbers("zeros", 0) + numbers("one", 1) + "u = Unsqueeze(n, zeros)\nq = Slice(x, zeros, u, one)\ny = Add(q, z)"))
model("split by an input", graph("int64 n, float[a,b] x", numbers("zeros", 0) + "u = Unsqueeze(n, zeros)\ns = Shape <start = 1> (x)\nr = Sub(s, u)\nl = Concat <axis = 0> (u, r)\ny, z = Split <axis = 1> (x, l)", "y z"))
model("branch by an input", graph("int64 n, float[a,b] x", number("two", 2) + "c = Greater(n, two)\ny = If (c) <then_branch = p () => (float[k,l] u) { u = Transpose(x) }, else_branch = q () => (float[k,l] v) { v = Add(x, x) }>"))
model("branch by a size", graph("float[a,b] x", "s = Shape <end = 1> (x)\n" + numbers("three", 3) + "e = Equal(s, three)\n" + numbers("zeros", 0) + "c = Squeeze(e, zeros)\ny = If (c) <then_branch = p () => (float[k,l] u) { t = Constant <value = int64[2] {-1, 6}> ()\n u = Reshape(x, t) }, else_branch = q () => (float[k,l] v) { v = MatMul(x, x) }>"))
model("scatter into places", graph("float[a,b] x, float[n,m] u", "i = Constant <value = int64[2,1] {0, 2}> ()\ny = ScatterND(x, i, u)"))
model("gather places in a batch", graph("float[a,b,c] x, int64[d,n,k] i", "y = GatherND <batch_dims = 1> (x, i)"))
model("gather elements", graph("float[a,b] x, int64[c,d] i", "y = GatherElements <axis = 1> (x, i)"))
model("depth to space and back", graph("float[b,c,h,w] x", "u = DepthToSpace <blocksize = 2, mode = \"CRD\"> (x)\nv = SpaceToDepth <blocksize = 3> (u)\ny = Relu(v)"))
model("split in three", graph("float[a,b] x", "p, q, r = Split <axis = 1, num_outputs = 3> (x)\ny = Add(p, r)"))
model("expand as exporters write it", graph("float[a,1] x, float[c,d] z", "s = Shape(z)\n" + numbers("m", -1, -1) + numbers("o", 1, 1) + "e = Equal(s, m)\nt = Where(e, o, s)\ny = Expand(x, t)"))
model("nearest by reshapes", graph("float[b,c,h] x", numbers("three", 3) + "u = Unsqueeze(x, three)\n" + numbers("t", 1, 1, 1, 2) + "e = Expand(u, t)\n" + numbers("r", 0, 0, -1) + "f = Reshape(e, r)\nz = Constant <value = float[0] {}> ()\ny = Concat <axis = 1> (f, x)"))
model("product of sizes", graph("float[a,b,c] x", "s = Shape <start = 1> (x)\n" + numbers("zero", 0) + "p = ReduceProd <keepdims = 1> (s, zero)\n" + numbers("m", -1) + "t = Concat <axis = 0> (m, p)\nq = Reshape(x, t)\n" + floats("w", (6, 2)) + "y = MatMul(q, w)"))
model("constant of a size", graph("float[a,b] x", "n = Size(x)\n" + numbers("zeros", 0) + "u = Unsqueeze(n, zeros)\nc = ConstantOfShape <value = float[1] {1.0}> (u)\n" + numbers("t", 4, -1) + "y = Reshape(c, t)"))
model("causal mask", graph("float[b,t,u] x", "s = Shape <start = 1, end = 2> (x)\n" + numbers("zeros", 0) + number("zero", 0) + number("one", 1) + numbers("ones", 1) + "n = Squeeze(s, zeros)\nr = Range(zero, n, one)\nq = Unsqueeze(r, ones)\nm = Less(q, r)\nz = Constant <value = float {0.0}> ()\ny = Where(m, x, z)"))
model("positions up to a bound", graph("int64 n, float[b,c] x", floats("table", (4, 3)) + "p = Gather(table, n)\ny = Add(x, p)"))
model("one hot", graph("int64[a,b] x, float[c,d,e] z", number("depth", 4) + "v = Constant <value = float[2] {0.0, 1.0}> ()\no = OneHot <axis = 1> (x, depth, v)\ny = Add(o, z)"))
model("norms", graph("float[b,c,h] x", floats("s", (4,)) + floats("t", (4,)) + "u = InstanceNormalization(x, s, t)\nv = GroupNormalization <num_groups = 2> (u, s, t)\n" + floats("l", (4, 2)) + "y = LayerNormalization <axis = -2> (v, l)", ), 21)
model("reduce to a number and squeeze", graph("float[a,b,c] x", numbers("t", -1) + "u = ReduceMax <keepdims = 1> (x, t)\nv = Squeeze(u, t)\ny = MatMul(v, v)"))
model("squeeze what is 1", graph("float[a,b,c] x", numbers("t", 1) + "u = Squeeze(x, t)\n" + floats("w", (3, 2)) + "y = MatMul(u, w)"))
model("vector and batch of matrices", graph("float[k] x, float[b,k2,n] z", "y = MatMul(x, z)"))
model("gemm with a bias", graph("float[a,b] x, float[c,d] z, float[e] w", "y = Gemm <transB = 1> (x, z, w)"))
model("triangle", graph("float[a,b,c] x", number("k", 1) + "u = Trilu <upper = 0> (x, k)\ny = MatMul(u, u)"))
model("function of one's own", graph("float[a,b] x, float[c,d] z", "y = own.glue (x, z)"), more='<domain: "own", opset_import: ["" : 20]>\nglue (p, q) => (r) { t = Transpose(q)\n r = Concat <axis = 1> (p, t) }')
model("function with an attribute", graph("float[a,b] x, float[c,d] z", "y = own.join <at = 0> (x, z)"), more='<domain: "own", opset_import: ["" : 20]>\njoin <at> (p, q) => (r) { r = Concat <axis : int = @at> (p, q) }')
model("old slice and pad", graph("float[a,b] x", "u = Slice <axes = [1], starts = [1], ends = [-1]> (x)\nv = Pad <pads = [0, 1, 0, 2]> (u)\nw = Unsqueeze <axes = [0]> (v)\nz = Squeeze <axes = [0]> (w)\ny = Add(z, x)"), 9)
model("old upsample", graph("float[b,c,h,w] x", "s = Constant <value = float[4] {1.0, 1.0, 2.0, 3.0}> ()\nu = Upsample <mode = \"nearest\"> (x, s)\np, q = Split <axis = 2, split = [2, 4]> (u)\ny = Softmax <axis = 1> (q)"), 9)
model("old softmax and flatten", graph("float[a,b,c] x", "u = Softmax <axis = 2> (x)\nv = Flatten <axis = -1> (u)\n" + floats("w", (4, 3)) + "y = Gemm(v, w)"), 11)
model("old matmul of a dropout", graph("float[a,b] x, float[c,d] z", "u = Dropout <ratio = 0.5> (x)\nm = ReduceSum <axes = [1], keepdims = 1> (u)\ny = Mul(m, z)"), 8)
model("indices of two axes", graph("float[a,b,c] x", "i = Constant <value = int64[2,2] {0, -1, 2, 1}> ()\nu = Gather <axis = -2> (x, i)\n" + numbers("t", 0, 4, -1) + "y = Reshape(u, t)"))
model("zero copies and zero is zero", graph("float[a,b,c] x", numbers("t", 0, -1, 2) + "u = Reshape <allowzero = 0> (x, t)\n" + numbers("r", 3, 0) + "y = Reshape <allowzero = 0> (u, r)"))
model("reverse and sum up", graph("float[t,b,c] x", numbers("l", 1, 2) + "u = ReverseSequence <batch_axis = 1, time_axis = 0> (x, l)\n" + number("k", -1) + "v = CumSum(u, k)\ny = Add(v, x)"))
model("two pools of one map", graph("float[b,c,h,w] x", "u = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (x)\nv = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (x)\ny = Add(u, v)"))
model("squeeze and excite", graph("float[b,c,h,w] x", "u = GlobalAveragePool(x)\n" + floats("k", (2, 3, 1, 1)) + floats("l", (3, 2, 1, 1)) + "v = Conv(u, k)\nw = Conv(v, l)\ny = Mul(x, w)"))
model("patches", graph("float[b,c,h,w] x", floats("k", (2, 1, 2, 2)) + "u = Conv <strides = [2, 2]> (x, k)\ns = Shape <end = 2> (u)\n" + numbers("m", -1) + "t = Concat <axis = 0> (s, m)\nf = Reshape(u, t)\np = Transpose <perm = [0, 2, 1]> (f)\n" + floats("e", (1, 4, 2)) + "y = Add(p, e)"))
model("shuffled channels", graph("float[b,c,n] x", "s = Shape(x)\n" + numbers("two", 2) + "b, c, n = Split <num_outputs = 3> (s)\nk = Div(c, two)\nt = Concat <axis = 0> (b, two, k, n)\nu = Reshape(x, t)\nv = Transpose <perm = [0, 2, 1, 3]> (u)\ny = Reshape(v, s)"))
model("attention with a cache", graph("float[b,t,d] x, float[b2,p,d2] z", "k = Concat <axis = 1> (z, x)\nr = Transpose <perm = [0, 2, 1]> (k)\na = MatMul(x, r)\nw = Softmax(a)\ny = MatMul(w, k)"))


def inputs_of(made):
    """The names of types and axes of the inputs."""
    for each in made.graph.input:
        tensor = each.type.tensor_type
        yield tensor.elem_type, [dim.dim_value or dim.dim_param for dim in tensor.shape.dim]


def record(name, text, runtime):
    return record_model(name, onnx.parser.parse_model(text), runtime)


def record_model(name, made, runtime):
    """Runs a model at all points, or at a sample of them that depends on its name alone."""
    for each in made.graph.output:
        each.ClearField("type")
    kinds = list(inputs_of(made))
    choices = []
    for kind, axes in kinds:
        count = values_of(kind, axes)
        choices.extend([[axis] if isinstance(axis, int) else SIZES for axis in axes] if count is None else [VALUES] * count)
    count = 1
    for each in choices:
        count *= len(each)
    draw = random.Random(name)
    if count <= MOST:
        points = list(itertools.product(*choices))
    else:
        points = sorted({tuple(draw.choice(each) for each in choices) for _ in range(MOST)} | tied(choices, draw))
    shapes = []
    for point in points:
        left = iter(point)
        shapes.append([given(left, kind, axes) for kind, axes in kinds])
    return runtime.record(name, made, shapes)


def values_of(kind, axes):
    """The number of values of an input; nothing where it has sizes."""
    if kind != onnx.TensorProto.INT64 or len(axes) > 1 or not all(isinstance(axis, int) for axis in axes):
        return None
    return axes[0] if axes else 1


def given(left, kind, axes):
    """The sizes or the values that the next numbers are for an input."""
    count = values_of(kind, axes)
    numbers = [next(left) for _ in range(len(axes) if count is None else count)]
    if count is None:
        return numbers
    return {"values": numbers} if axes else numbers[0]


def tied(choices, draw):
    """Points in which few sizes occur, for sizes that have to be equal seldom are by chance."""
    points = set()
    for _ in range(MOST):
        few = [draw.choice(SIZES) for _ in range(2)]
        points.add(tuple(draw.choice([size for size in few if size in each] or list(each)) for each in choices))
    return points


def main(path):
    runtime = Runtime()
    found, lacking = [], {}
    for name, text in MODELS.items():
        each = record(name, text, runtime)
        if "lacks" in each:
            lacking[name] = each.pop("lacks")
        if each["runs"]:
            found.append(each)
    runs = sum(len(each["runs"]) for each in found)
    accepted = sum(outputs is not None for each in found for _, outputs in each["runs"])
    for each in found:
        print(each["name"], len(each["runs"]), sum(outputs is not None for _, outputs in each["runs"]), each.get("ended", [])[:2])
    head = {"script": "fuzz/models/kinds.py", "versions": versions("onnx", "onnxruntime", "numpy"), "date": datetime.date.today().isoformat(), "models": len(found), "runs": runs, "accepted": accepted, "lacking": lacking}
    write(path, head, found)
    print(head)


if __name__ == "__main__":
    main(sys.argv[1])
