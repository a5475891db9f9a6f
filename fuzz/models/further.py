"""Records models that somebody wrote by hand who had not seen the other ones: `python further.py NAME FILE.jsonl.gz`, for those of `NAME.txt`.

`further` has some of each kind; in `values` the values of inputs decide sizes, axes and branches; `layers` has layers of families that were thin.

A model begins with a line `=== NAME VERSION`, where the version is that of the operator set. A tensor with sizes and without a value that no node makes is
a weight of ones. The points are chosen as in `kinds.py`.
"""

import datetime
import os
import sys

import numpy
import onnx.helper
import onnx.numpy_helper
import onnx.parser

import kinds
from runtime import Runtime, versions, write


def models(of):
    """The names and texts of the models of a file."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{of}.txt")) as file:
        blocks = ("\n" + file.read()).split("\n=== ")[1:]
    for block in blocks:
        head, _, body = block.partition("\n")
        name, version = head.split()
        yield name, f'<ir_version: 9, opset_import: ["" : {version}]>\n{body}'


def with_weights(text):
    """The model with a weight of ones for each tensor that nothing makes."""
    made = onnx.parser.parse_model(text)
    graph = made.graph
    made_names = {name for node in graph.node for name in node.output} | {each.name for each in [*graph.input, *graph.initializer]}
    for each in [each for each in graph.value_info if each.name not in made_names]:
        tensor = each.type.tensor_type
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        ones = numpy.ones([dim.dim_value for dim in tensor.shape.dim], kind)
        graph.initializer.append(onnx.numpy_helper.from_array(ones, each.name))
        graph.value_info.remove(each)
    return made


def main(of, path):
    runtime = Runtime()
    found, lacking = [], {}
    for name, text in models(of):
        each = kinds.record_model(name, with_weights(text), runtime)
        if "lacks" in each:
            lacking[name] = each.pop("lacks")
        if each["runs"]:
            found.append(each)
    runs = sum(len(each["runs"]) for each in found)
    accepted = sum(outputs is not None for each in found for _, outputs in each["runs"])
    head = {"script": f"fuzz/models/further.py {of}", "versions": versions("onnx", "onnxruntime", "numpy"), "date": datetime.date.today().isoformat(), "models": len(found), "runs": runs, "accepted": accepted, "lacking": lacking}
    write(path, head, found)
    print(head)


if __name__ == "__main__":
    main(*sys.argv[1:])
