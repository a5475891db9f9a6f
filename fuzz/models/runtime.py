"""Runs ONNX models with onnxruntime in a child process, and notes which shapes come out or that the run is refused.

A record is a line of JSON: `name`, `model` (base64), and `runs`, each a list of the shapes of the inputs, in their order, and either the list of
the shapes of the outputs or null where the runtime refuses. A run that ends the child process is left out; its message goes to `ended`.
Graph optimisations are off, so that no node is left out or joined with another. onnxruntime has kernels for some types of elements only;
a model for which it has none is left out.
"""

import base64
import gzip
import json
import os
import subprocess
import sys

KINDS = {1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64"}


def array(np, kind, shape):
    """Numbers whose values no shape depends on: ones, or zeros where they may be indices. An integer in place of a shape is the value of a tensor of rank 0, and
    a mapping with the key `values` has those of one of rank 1."""
    name = KINDS[kind]
    if isinstance(shape, int):
        return np.array(shape, name)
    if isinstance(shape, dict):
        return np.array(shape["values"], name)
    return np.ones(shape, name) if name.startswith("float") else np.zeros(shape, name)


def serve():
    """Answers requests on standard input, a line each, until it ends."""
    import numpy as np
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(answer):
        out.write(json.dumps(answer) + "\n")
        out.flush()

    for line in sys.stdin:
        request = json.loads(line)
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            session = ort.InferenceSession(base64.b64decode(request["model"]), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            words = str(error)
            lacks = "NOT_IMPLEMENTED" in words or "Could not find an implementation" in words or "is not supported" in words
            for _ in request["shapes"]:
                say({"lacks": words[:300]} if lacks else {"refused": words[:300]})
            continue
        for shapes in request["shapes"]:
            feed = {name: array(np, kind, shape) for (name, kind), shape in zip(request["inputs"], shapes)}
            try:
                say({"outputs": [list(getattr(each, "shape", ())) for each in session.run(None, feed)]})
            except Exception as error:
                words = str(error)
                lacks = "NOT_IMPLEMENTED" in words or "not implemented" in words.lower() or "not supported" in words
                say({"lacks": words[:300]} if lacks else {"refused": words[:300]})


class Runtime:
    """A child process that is started again whenever a model ends it."""

    def __init__(self):
        self.child = None

    def start(self):
        command = [sys.executable, os.path.abspath(__file__), "serve"]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def answers(self, model, inputs, shapes):
        """The answer for each tuple of shapes: a mapping with the one key `outputs`, `refused`, `lacks` or `ended`."""
        answers = []
        while len(answers) < len(shapes):
            if self.child is None or self.child.poll() is not None:
                self.start()
            request = {"model": base64.b64encode(model).decode(), "inputs": inputs, "shapes": shapes[len(answers):]}
            try:
                self.child.stdin.write(json.dumps(request) + "\n")
                self.child.stdin.flush()
                for _ in range(len(shapes) - len(answers)):
                    line = self.child.stdout.readline()
                    if not line:
                        break
                    answers.append(json.loads(line))
            except BrokenPipeError:
                pass
            if len(answers) < len(shapes):
                answers.append({"ended": self.child.wait()})
        return answers

    def record(self, name, model, shapes):
        """The record of a model, or None if the runtime has no kernel for it."""
        inputs = [(each.name, each.type.tensor_type.elem_type) for each in model.graph.input]
        content = model.SerializeToString()
        answers = self.answers(content, inputs, shapes)
        runs = [[shape, answer.get("outputs")] for shape, answer in zip(shapes, answers) if "outputs" in answer or "refused" in answer]
        record = {"name": name, "model": base64.b64encode(content).decode(), "runs": runs}
        ended = [shape for shape, answer in zip(shapes, answers) if "ended" in answer]
        lacks = [answer["lacks"] for answer in answers if "lacks" in answer]
        if ended:
            record["ended"] = ended
        if lacks:
            record["lacks"] = lacks[0]
        return record


def versions(*names):
    """The versions of packages, for the first line of a recorded file."""
    from importlib.metadata import version

    return {name: version(name) for name in names}


def write(path, head, records):
    """Writes a first line that says how the file was made, and the records. The same content gives the same bytes."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        for each in [head, *records]:
            packed.write((json.dumps(each, separators=(",", ":")) + "\n").encode())


if __name__ == "__main__" and sys.argv[1:] == ["serve"]:
    serve()
