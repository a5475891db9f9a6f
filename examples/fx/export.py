"""Writes a PyTorch model as a torch.fx graph in JSON, in the form that README.md describes. Needs PyTorch.

    from export import export
    export(model, (images,), "model.json", runs=[(other_images,)])

or, for a function without arguments that returns the model and a tuple of inputs:

    python3 export.py package.module:function model.json

The program is traced with the inputs: where it branches on a size, the branch that they take is traced, and the node of the condition stays
in the graph and is listed under `branches`. The shapes of all nodes are recorded for the inputs and for each of `runs`. No weight is written.
"""

import importlib
import inspect
import json
import sys

import torch
from torch import fx


class TracerWithInputs(fx.Tracer):
    """A tracer that computes each node with the inputs as well, so that it can decide a branch."""

    def __init__(self, inputs, defaults):
        super().__init__()
        self.waiting, self.defaults, self.values, self.branches = list(inputs), list(defaults), {}, []
        self.computing = False

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if kind == "placeholder":
            # The inputs in order. A parameter that is left out has a default, which is fixed below.
            self.values[node] = self.waiting.pop(0) if self.waiting else self.defaults.pop(0)
        elif kind != "output":
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda used: self.values[used])
            self.computing = True
            with torch.no_grad():
                self.values[node] = self.computed(kind, target, args, kwargs)
            self.computing = False
        return node

    def computed(self, kind, target, args, kwargs):
        if kind == "get_attr":
            return found(self.root, target)
        if kind == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        if kind == "call_module":
            return self.root.get_submodule(target)(*args, **kwargs)
        return target(*args, **kwargs)

    def call_module(self, module, forward, args, kwargs):
        # The inside of a module is computed and not traced.
        return forward(*args, **kwargs) if self.computing else super().call_module(module, forward, args, kwargs)

    def getattr(self, name, value, cache):
        return value if self.computing else super().getattr(name, value, cache)

    def to_bool(self, condition):
        self.branches.append(condition.node)
        return bool(self.values[condition.node])

    def iter(self, sequence):
        return iter([sequence[place] for place in range(len(self.values[sequence.node]))])


class Recorder(fx.Interpreter):
    """Runs a graph, and keeps what each node gives."""

    def __init__(self, module):
        super().__init__(module)
        self.recorded = {}

    def run_node(self, node):
        result = super().run_node(node)
        self.recorded[node.name] = described(result)
        return result


def described(value):
    """Returns the record of a value: its kind and its sizes."""
    if isinstance(value, torch.Tensor):
        return {"kind": "tensor", "shape": list(value.shape), "dtype": str(value.dtype)}
    if isinstance(value, torch.Size):
        return {"kind": "size", "value": list(value)}
    if isinstance(value, (bool, int, float)):
        return {"kind": type(value).__name__, "value": value}
    if isinstance(value, (tuple, list)):
        return {"kind": type(value).__name__, "items": [described(each) for each in value]}
    if isinstance(value, dict):
        return {"kind": "dict", "items": {str(key): described(each) for key, each in value.items()}}
    return {"kind": "other", "repr": repr(value)}


def encoded(argument):
    """An argument of a node in JSON."""
    if isinstance(argument, fx.Node):
        return {"node": argument.name}
    if isinstance(argument, tuple):
        return {"tuple": [encoded(each) for each in argument]}
    if isinstance(argument, list):
        return [encoded(each) for each in argument]
    if isinstance(argument, slice):
        return {"slice": [encoded(argument.start), encoded(argument.stop), encoded(argument.step)]}
    if isinstance(argument, dict):
        return {"dict": {str(key): encoded(each) for key, each in argument.items()}}
    if isinstance(argument, torch.dtype):
        return {"dtype": str(argument)}
    if isinstance(argument, torch.device):
        return {"device": str(argument)}
    if argument is Ellipsis:
        return {"ellipsis": True}
    if isinstance(argument, float) and not (-float("inf") < argument < float("inf")):
        return {"float": str(argument)}
    if argument is None or isinstance(argument, (bool, int, float, str)):
        return argument
    return {"other": repr(argument)}


def parameters(module):
    """The plain values among the attributes of a module, on which its shapes depend, and whether it has a bias."""

    def plain(value):
        if isinstance(value, (tuple, list)):
            return all(map(plain, value))
        return value is None or isinstance(value, (bool, int, float, str))

    found = {}
    for name, value in vars(module).items():
        if not name.startswith("_") and name != "training" and plain(value):
            found[name] = list(value) if isinstance(value, tuple) else value
    if "bias" in module._parameters:
        found["bias"] = module.bias is not None
    return found


def found(root, path):
    """The attribute of a module at a path."""
    for step in path.split("."):
        root = getattr(root, step)
    return root


def attribute(root, path):
    """The parameter or buffer of a `get_attr` node."""
    value = found(root, path)
    kind = "parameter" if isinstance(value, torch.nn.Parameter) else "buffer"
    return {"kind": kind, "value": described(value)}


def written(node, module):
    """A node in JSON."""
    called = node.op == "call_function"
    target = fx.node._get_qualified_name(node.target) if called else str(node.target)
    result = {"name": node.name, "op": node.op, "target": target}
    result |= {"args": [encoded(each) for each in node.args]}
    result |= {"kwargs": {key: encoded(each) for key, each in node.kwargs.items()}}
    if node.op == "call_module":
        inner = module.get_submodule(node.target)
        result |= {"module": f"{type(inner).__module__}.{type(inner).__qualname__}", "params": parameters(inner)}
    if node.op == "get_attr":
        result["attr"] = attribute(module, node.target)
    return result


def run(module, inputs):
    recorder = Recorder(module)
    result = {"inputs": [described(each) for each in inputs], "shapes": recorder.recorded}
    try:
        with torch.no_grad():
            recorder.run(*inputs)
    except Exception as error:
        result["error"] = f"{type(error).__name__}: {error}"
    return result


def left_out(model, inputs):
    """The parameters of `forward` that no input is given for, with their defaults."""
    parameters = list(inspect.signature(model.forward).parameters.values())
    return {each.name: each.default for each in parameters[len(inputs) :] if each.default is not each.empty}


def erase_fixed(graph, inputs):
    """Erases the placeholders of parameters that have their default, and the checks of these that tracing adds."""
    fixed = [node for node in graph.nodes if node.op == "placeholder"][inputs:]
    for placeholder in fixed:
        for check in [placeholder, *placeholder.users]:
            for user in list(check.users):
                if "assert" in user.target.__name__:
                    graph.erase_node(user)
        for node in [*placeholder.users, placeholder]:
            if not node.users:
                graph.erase_node(node)


def export(model, inputs, path, runs=(), tracer=None):
    """Traces a model with the inputs (or with a tracer that is given) and writes its graph to a file."""
    model.eval()
    defaults = left_out(model, inputs)
    tracer = tracer or TracerWithInputs(inputs, defaults.values())
    graph = tracer.trace(model, concrete_args=defaults)
    erase_fixed(graph, len(inputs))
    module = fx.GraphModule(model, graph)
    first = run(module, inputs)
    nodes = [written(node, module) for node in graph.nodes]
    branches = [{"node": node.name, "in_graph": True} for node in getattr(tracer, "branches", [])]
    text = {
        "model": type(model).__name__,
        "source": "export.py",
        "torch": torch.__version__,
        "num_nodes": len(nodes),
        "nodes": nodes,
        "sample_input": first["inputs"],
        "shapes": first["shapes"],
        "runs": [run(module, each) for each in runs],
        "branches": branches,
    }
    with open(path, "w") as file:
        json.dump(text, file)


if __name__ == "__main__":
    if len(sys.argv) != 3 or ":" not in sys.argv[1]:
        sys.exit(__doc__)
    module, _, function = sys.argv[1].partition(":")
    sys.path.insert(0, ".")
    export(*getattr(importlib.import_module(module), function)(), sys.argv[2])
