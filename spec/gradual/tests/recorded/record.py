"""Records what PyTorch's operators do to shapes at the edges: sizes 0, scalars, negative axes, axes that do not exist.

Run with torch 2.x: `python record.py > edges.json`. A case is a call in the form of a torch.fx graph, the shapes of its tensors, and the
shape of the result, or null where PyTorch refuses.
"""
import json, operator, sys, warnings
import torch

warnings.filterwarnings("ignore")
cases = []


def case(op, target, shapes, args=(), kwargs=None, params=None, integers=()):
    tensors = [torch.zeros(s, dtype=torch.long if i in integers else torch.float) for i, s in enumerate(shapes)]

    def real(a):
        if isinstance(a, dict) and "node" in a:
            return tensors[int(a["node"][1:])]
        if isinstance(a, dict) and "tuple" in a:
            return tuple(real(x) for x in a["tuple"])
        if isinstance(a, dict) and "slice" in a:
            return slice(*a["slice"])
        if isinstance(a, dict) and "ellipsis" in a:
            return ...
        if isinstance(a, list):
            return [real(x) for x in a]
        return a

    args = [{"node": "t0"}] + list(args) if target != "torch.cat" else list(args)
    kwargs = kwargs or {}
    try:
        values, named = [real(a) for a in args], {k: real(v) for k, v in kwargs.items()}
        if op == "call_method":
            if target == "masked_fill_":
                values[1] = values[1].bool()
            result = getattr(values[0], target)(*values[1:], **named)
        elif op == "call_function":
            f = operator.getitem if target == "_operator.getitem" else getattr(operator, target.split(".")[1]) if target.startswith("_operator") else eval(target)
            result = f(*values, **named)
        else:
            result = getattr(torch.nn, target)(**params).eval()(*values)
        result = list(result.shape) if hasattr(result, "shape") else {"value": result if not isinstance(result, torch.Size) else list(result)}
    except (RuntimeError, IndexError, ValueError, TypeError):
        result = None
    cases.append({"op": op, "target": target, "shapes": [list(s) for s in shapes], "args": args, "kwargs": kwargs, "params": params or {}, "result": result})


T = lambda i: {"node": f"t{i}"}
tup = lambda *a: {"tuple": list(a)}
sl = lambda *a: {"slice": (list(a) + [None, None, None])[:3]}
ELL = {"ellipsis": True}
method = lambda name, shape, *args: case("call_method", name, [shape], args)
f = "torch.nn.functional."

for shape, kernel, padding, channels in [((1, 1, 0, 3), 1, 1, 1), ((1, 1, 0, 3), 1, 0, 1), ((0, 1, 0, 3), 1, 1, 1), ((1, 0, 3), 1, 0, 1), ((1, 3, 3), 1, 0, 1), ((0, 3, 3), 1, 0, 0), ((1, 0, 3), 1, 1, 1), ((1, 0, 3, 3), 1, 0, 0), ((1, 1, 2, 2), 3, 1, 1), ((0, 1, 2, 2), 3, 0, 1), ((1, 3, 0, 5), 3, 2, 3), ((0, 3, 0, 5), 3, 2, 3), ((3, 3), 1, 0, 3), ((1, 1, 1, 3, 3), 1, 0, 1), ((1, 2, 5, 5), 3, 0, 3), ((2, 3, 7, 9), [3, 2], [1, 0], 3)]:
    for stride, dilation in [(1, 1), (2, 1), (1, 2)]:
        case("call_module", "Conv2d", [shape], params=dict(in_channels=channels, out_channels=2, kernel_size=kernel, padding=padding, stride=stride, dilation=dilation))
for padding in ["same", "valid"]:
    for stride in [1, 2]:
        for side in [0, 5]:
            case("call_module", "Conv2d", [(1, 1, side, 5)], params=dict(in_channels=1, out_channels=2, kernel_size=2, padding=padding, stride=stride))
case("call_module", "Conv2d", [(1, 4, 5, 5)], params=dict(in_channels=4, out_channels=2, kernel_size=1, groups=2))
for shape in [(0, 1, 3, 3), (1, 0, 3, 3), (0, 3, 3), (1, 0, 3), (1, 1, 0, 3), (1, 1, 1, 1), (1, 1, 3, 3), (0, 0, 3, 3), (0, 1, 1, 1), (3, 5, 6), (5, 5), (2, 2, 4, 7)]:
    for kernel, stride, padding, ceil in [(2, 2, 0, False), (2, 2, 1, False), (2, 2, 2, False), (2, 2, 0, True), (3, 2, 1, True), (1, 3, 0, True), (3, None, 0, False), (2, 3, 1, True)]:
        params = dict(kernel_size=kernel, padding=padding, ceil_mode=ceil)
        if stride is not None:
            params["stride"] = stride
        case("call_module", "MaxPool2d", [shape], params=params)
for shape in [(0, 1, 3, 3), (1, 0, 3, 3), (0, 3, 3), (1, 0, 3), (1, 1, 0, 3), (3, 3), (1, 1, 1, 3, 3), (2, 3, 5, 5)]:
    for size in [2, [2, None], [0, 2], [7, 9]]:
        case("call_module", "AdaptiveAvgPool2d", [shape], params=dict(output_size=size))
for shape in [(0, 2, 3, 3), (1, 2, 0, 3), (1, 1, 3, 3), (2, 3, 3), (1, 2, 1, 1)]:
    case("call_module", "BatchNorm2d", [shape], params=dict(num_features=2))
for shape in [(3,), (), (0, 3), (2, 0, 3), (3, 2)]:
    case("call_module", "Linear", [shape], params=dict(in_features=3, out_features=2))
for shape in [(2, 3), (3,), (4, 2, 3), (0, 2, 3), (2, 4), ()]:
    case("call_module", "LayerNorm", [shape], params=dict(normalized_shape=[2, 3]))
for shape in [(0,), (2,), (), (1, 2, 3, 4)]:
    case("call_module", "Embedding", [shape], params=dict(num_embeddings=4, embedding_dim=3), integers=[0])
for a, b in [((2,), (2,)), ((2,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((), (2,)), ((2,), ()), ((2, 0), (0, 3)), ((0, 2, 3), (3, 1)), ((2, 1, 2, 3), (4, 3, 1)), ((2, 2, 3), (3, 3, 1)), ((3,), (5, 3, 2)), ((5, 2, 3), (3,)), ((2, 3), (2, 3))]:
    case("call_function", "torch.matmul", [a, b], [T(1)])
for a, b in [((0, 2, 3), (0, 3, 1)), ((1, 2, 3), (2, 3, 1)), ((2, 0, 3), (2, 3, 0)), ((2, 2, 0), (2, 0, 3)), ((2, 3), (3, 2)), ((2, 2, 3), (2, 2, 3))]:
    case("call_function", "torch.bmm", [a, b], [T(1)])
for shape in [(), (0, 3), (2, 3)]:
    for dim in [0, -1, 1, -2, 2, -3]:
        case("call_function", f + "softmax", [shape], kwargs=dict(dim=dim))
        case("call_function", "torch.cumsum", [shape], kwargs=dict(dim=dim))
        method("size", shape, dim)
    method("size", shape)
    method("dim", shape)
for shape, dim, index in [((3, 2), 0, (2,)), ((3, 2), 1, ()), ((3, 2), -1, (0,)), ((3, 2), 0, (1, 1)), ((), 0, (1,)), ((), 0, (2,)), ((), 0, ()), ((0, 2), 0, (0,)), ((0, 2), 0, (2,)), ((), -1, (1,)), ((0, 2), 1, (2,)), ((3, 2), 2, (2,))]:
    case("call_method", "index_select", [shape, index], [dim, T(1)], integers=[1])
for shape in [(), (2, 3, 4), (0, 3), (5,)]:
    for bounds in [(), (1,), (-1,), (2, 1), (0, -1), (1, -1), (3,), (0, 0), (-2, -1)]:
        case("call_function", "torch.flatten", [shape], bounds)
for shape, sizes in [((1,), (0,)), ((3,), (0,)), ((1, 3), (2, -1)), ((3,), (-1, 3)), ((3,), (2, -1)), ((1, 3), (3,)), ((), (2, 3)), ((1,), (-1, 1)), ((0, 1), (0, 5)), ((2,), (-1,)), ((3, 4), (1, 4)), ((3,), (2, 2))]:
    method("expand", shape, *sizes)
for own, mask in [((2, 3), (3,)), ((2, 1), (2, 3)), ((3,), (2, 3)), ((2, 3), ()), ((0, 3), (1, 3)), ((1, 3), (0, 3)), ((), ()), ((2, 3), (1, 2, 3)), ((2, 3), (1, 1)), ((2, 3), (2, 2))]:
    case("call_method", "masked_fill_", [own, mask], [T(1), 1])
for shape, pad in [((2, 3, 4), [0, 0, 0, 1, 0, 0]), ((2, 3, 4), [-4, 0]), ((2, 3, 4), [-5, 0]), ((2,), [1, 1, 1, 1]), ((0, 3), [1, 0]), ((0, 3), [0, 0, 1, 0]), ((3, 4), [1]), ((2, 3, 4), [0, 0, 0, -3]), ((2, 3), [-1, -2])]:
    case("call_function", f + "pad", [shape], [pad])
for shapes, dim in [([(2, 3), (1, 3)], 0), ([(2, 3), (0,)], 0), ([(0,), (0,)], 0), ([(2, 3), (2,)], 0), ([(), ()], 0), ([(2, 3), (2, 4)], -1), ([(2, 3), (2, 4)], 0), ([(0, 3), (2, 3)], 0), ([(0,), (2, 3)], 1), ([(0,), (2, 3)], 2)]:
    case("call_function", "torch.cat", shapes, [[T(i) for i in range(len(shapes))]], dict(dim=dim))
for shape, index in [((3, 4), tup(None, None, sl(), sl())), ((3, 4), tup(sl(), 5)), ((3, 4), tup(sl(), -4)), ((3, 4), tup(sl(), -5)), ((3, 4), tup(sl(), 4)), ((3,), sl(5, 9)), ((3,), sl(2, 1)), ((3,), sl(-9, 2)), ((3,), sl(-2)), ((3, 4), tup(ELL, 0)), ((2, 3, 4), tup(0, ELL, 1)), ((3,), tup(0, 0)), ((), tup(None)), ((), tup(0)), ((0,), 0), ((3, 4), sl(None, None, 2)), ((3, 4), 0), ((3, 4), tup(sl(), sl(0, -1))), ((3, 4), tup(sl(), None, 1))]:
    case("call_function", "_operator.getitem", [shape], [index])
for shape, axes in [((2, 3), (0, 1)), ((2, 3), (0, 2)), ((2, 3), (-1, -2)), ((), (0, 0)), ((), (-1, 0)), ((), (0, 1)), ((2,), (0, -1)), ((2, 3, 4), (0, -1))]:
    method("transpose", shape, *axes)
for shape, axes in [((2, 3), (1, 0)), ((2, 3), (1, 1)), ((2, 3), (1, -1)), ((2, 3), (0,)), ((2, 3), (-1, 0)), ((2, 3), (1, 2)), ((2, 3, 4), (2, 0, 1))]:
    method("permute", shape, *axes)
for name in ["view", "reshape"]:
    for shape, sizes in [((0, 5), (0, 7)), ((0, 5), (0, -1)), ((4,), (-2, -2)), ((4,), (2, 2)), ((2, 3), (6,)), ((2, 3), (4, -1)), ((2, 3), (-1,)), ((2, 3), (-1, -1)), ((), (1,)), ((), (-1,)), ((5,), (0, -1)), ((0, 5), (-1, 5)), ((6,), (3, 3)), ((0,), (-1,))]:
        method(name, shape, *sizes)
        case("call_method", name, [shape], [tup(*sizes)])
for a, b in [((0,), (1,)), ((0,), (0,)), ((), (2,)), ((), ()), ((0,), (2,)), ((3, 1), (4,)), ((2, 3), (3, 2)), ((1, 0), (5, 1))]:
    for name in ["add", "mul", "sub", "truediv", "lt", "gt"]:
        case("call_function", "_operator." + name, [a, b], [T(1)])
json.dump({"torch": torch.__version__, "cases": cases}, sys.stdout, separators=(",", ":"))
