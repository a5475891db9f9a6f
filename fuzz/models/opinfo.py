"""Records PyTorch's own samples of operators, and the inputs that it says must be refused: `python opinfo.py FILE.jsonl.gz`.

A sample becomes a torch.fx graph of one node in the JSON of `examples/fx/export.py`; its tensors are the inputs of the graph. Each sample is run, and the
shapes of the tensors that come out are recorded. Samples with arguments that the JSON has no form for are left out, and so are refusals
for the type or the value of elements, of which no shape tells.
"""

import base64
import datetime
import json
import re
import sys

import torch
from torch.testing._internal.common_methods_invocations import op_db

from runtime import versions, write

NAMES = """
add sub mul div pow maximum where masked_fill matmul mm bmm addmm baddbmm einsum view reshape view_as reshape_as flatten unflatten permute transpose
t unsqueeze squeeze expand expand_as repeat tile cat stack split split_with_sizes chunk unbind roll flip index_select gather topk sort mean sum amax argmax cumsum
softmax nn.functional.conv1d nn.functional.conv2d nn.functional.conv_transpose1d nn.functional.conv_transpose2d nn.functional.max_pool1d
nn.functional.max_pool2d nn.functional.avg_pool1d nn.functional.avg_pool2d nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d
nn.functional.adaptive_max_pool2d nn.functional.layer_norm nn.functional.batch_norm nn.functional.group_norm nn.functional.instance_norm nn.functional.embedding
nn.functional.linear nn.functional.pad nn.functional.scaled_dot_product_attention nn.functional.interpolate norm triu tril select max min
""".split()
METHODS = {"view", "view_as", "reshape_as", "expand", "expand_as", "repeat", "masked_fill"}
NO_SHAPE = re.compile("dtype|type|complex|float|integral|device|inplace|out of (range|bounds)|index out|non-negative|grad|contiguous|strides? must|layout|expected.*(bool|int)|probability", re.I)


class NoForm(Exception):
    """An argument that the JSON has no form for."""


def encoded(value, tensors):
    """The JSON of an argument. Tensors are appended to the list, and become inputs."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return {"node": f"x{len(tensors) - 1}"}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": repr(value)} if value != value or value in (float("inf"), float("-inf")) else value
    if isinstance(value, (list, torch.Size)) or type(value) is tuple:
        items = [encoded(each, tensors) for each in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    raise NoForm(type(value).__name__)


# The arguments of the operator from those of its sample, where the sample has them in another order.
ORDER = {
    "einsum": lambda tensors, equation: (equation, *tensors),
    "nn.functional.embedding": lambda table, indices: (indices, table),
    "where": lambda first, condition, second: (condition, first, second),
}


def shapes(result):
    """The shapes of the tensors that come out, in order."""
    if isinstance(result, torch.Tensor):
        return [list(result.shape)]
    return [shape for each in result for shape in shapes(each)]


def record(info, name, sample, refused):
    tensors = []
    given = ORDER.get(info.name, lambda *given: given)(sample.input, *sample.args)
    args = [encoded(each, tensors) for each in given]
    kwargs = {key: encoded(value, tensors) for key, value in sample.kwargs.items()}
    is_single = True
    try:
        result = info(sample.input, *sample.args, **sample.kwargs)
        is_single = isinstance(result, torch.Tensor)
        outputs = shapes(result)
    except Exception as error:
        if NO_SHAPE.search(str(error)):
            return None
        outputs = None
    if refused != (outputs is None):
        return None
    if not tensors or "out" in kwargs:
        return None
    short = info.name.rsplit(".", 1)[-1]
    method = info.name in METHODS
    target = short if method else f"torch.{info.name}"
    node = {"name": "node", "op": "call_method" if method else "call_function", "target": target, "args": args, "kwargs": kwargs}
    places = [{"name": f"x{at}", "op": "placeholder", "target": f"x{at}", "args": [], "kwargs": {}} for at in range(len(tensors))]
    count = 1 if outputs is None or is_single else len(outputs)
    items = [{"name": f"item{at}", "op": "call_function", "target": "_operator.getitem", "args": [{"node": "node"}, at], "kwargs": {}} for at in range(0 if count == 1 and is_single else count)]
    ends = {"tuple": [{"node": each["name"]} for each in items]} if items else {"node": "node"}
    output = {"name": "output", "op": "output", "target": "output", "args": [ends], "kwargs": {}}
    content = json.dumps({"nodes": [*places, node, *items, output]}).encode()
    return {"name": name, "model": base64.b64encode(content).decode(), "runs": [[[list(each.shape) for each in tensors], outputs]]}


def main(path):
    torch.manual_seed(0)
    found, refused = [], 0
    for info in op_db:
        if info.name not in NAMES:
            continue
        samples = [(sample, False) for sample in info.sample_inputs("cpu", torch.float32)]
        if info.error_inputs_func is not None:
            samples += [(error.sample_input, True) for error in info.error_inputs("cpu")]
        for at, (sample, is_error) in enumerate(samples):
            try:
                each = record(info, f"{info.name} {info.variant_test_name} {at}".replace("  ", " "), sample, is_error)
            except NoForm:
                continue
            if each is not None:
                found.append(each)
                refused += is_error
    head = {"script": "fuzz/models/opinfo.py", "versions": versions("torch"), "date": datetime.date.today().isoformat(), "samples": len(found), "refused": refused}
    write(path, head, found)
    print(head, len({each["name"].split()[0] for each in found}), "operators")


if __name__ == "__main__":
    main(sys.argv[1])
