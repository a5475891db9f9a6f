"""Runs models of .libs/models at many input sizes, and prints which sizes onnxruntime admits.

    PYTHONPATH=.libs/onnx python3 app/cli/tests/models/sweep.py NAME          the sweeps of sweeps.json, as recorded in sweeps/NAME.json.gz
    PYTHONPATH=.libs/onnx python3 app/cli/tests/models/sweep.py --record      all of them, written anew
    PYTHONPATH=.libs/onnx python3 app/cli/tests/models/sweep.py FILE.onnx <POINTS     points from standard input

A point is a line of JSON: {"relax": false, "at": {"x": [1, 3, 40, 64], "sr": 16000}}, where a list is a shape and a number the value of an
integer input; `relax` frees the declared sizes first. The answer is the same line with `admitted` and `outputs` (name to sizes), or with
`node`, the node that failed (null where the runtime refused the inputs themselves) and the `error`. Where the runtime ends its process,
`admitted` is null. `"because": "buffer"` marks a refusal that is the runtime's own: it took two values for equally large because declared names say
so, and wants to put one into the memory of the other. The same graph without the names is admitted there.

Optimisations of the graph are off: with them the runtime names nodes that it made itself. Values are zeros, since sizes are asked about.
The committed records were made with onnxruntime 1.32.0 on 2026-11-28.
"""

import gzip
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODELS = HERE.parents[3] / ".libs" / "models"
NAMES = re.compile(r"while running \w+ node\. Name:'([^']*)'")


def points(sweep):
    """The points of a sweep: each combination of values of its letters."""

    def values(given):
        if isinstance(given, str):
            first, last = given.split("..")
            return range(int(first), int(last) + 1)
        return given if isinstance(given, list) else [given]

    letters = list(sweep["for"])
    for chosen in itertools.product(*(values(sweep["for"][letter]) for letter in letters)):
        known = dict(zip(letters, chosen))
        fill = lambda part: known.get(part, part) if isinstance(part, str) else part
        at = {name: [fill(axis) for axis in given] if isinstance(given, list) else fill(given) for name, given in sweep["at"].items()}
        yield {"relax": sweep.get("relax", False), "at": at}


class Worker:
    """A process that runs a model, and another one after the runtime ended it."""

    def __init__(self, path):
        self.path, self.process = path, None

    def ask(self, point):
        if self.process is None:
            command = [sys.executable, __file__, "--worker", str(self.path)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(point) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            return json.loads(answer)
        self.process.wait()
        status, self.process = self.process.returncode, None
        return {**point, "admitted": None, "error": f"the runtime ended the process with status {status}"}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def work(path):
    """Answers points from standard input, a line each."""
    import numpy as np
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    sessions = {}

    def session(relax):
        if relax not in sessions:
            model = onnx.load(path)
            if relax:
                free(model.graph)
            sessions[relax] = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        return sessions[relax]

    types = {"float": np.float32, "double": np.float64, "bool": np.bool_, "float16": np.float16}

    def array(kind, given):
        kind = kind.removeprefix("tensor(").removesuffix(")")
        element = types.get(kind) or np.dtype(kind)
        return np.zeros(given, element) if isinstance(given, list) else np.array(given, element)

    for line in sys.stdin:
        point = json.loads(line)
        runtime = session(point["relax"])
        inputs = {each.name: array(each.type, point["at"][each.name]) for each in runtime.get_inputs()}
        try:
            outputs = runtime.run(None, inputs)
        except Exception as error:
            text = str(error).splitlines()[0]
            found = NAMES.search(text)
            answer = {"admitted": False, "node": found and found[1], "error": text}
            if "re-use buffer" in text:
                answer["because"] = "buffer"
        else:
            named = zip(runtime.get_outputs(), outputs)
            answer = {"admitted": True, "outputs": {each.name: list(output.shape) for each, output in named}}
        print(json.dumps({**point, **answer}), flush=True)


def free(graph):
    """Takes away the declared sizes of inputs, and all that is declared of other values."""
    for given in graph.input:
        for axis in given.type.tensor_type.shape.dim:
            axis.Clear()
    for output in graph.output:
        output.type.tensor_type.ClearField("shape")
    del graph.value_info[:]


def sweep(name):
    """The answers to all points of a model."""
    worker = Worker(MODELS / f"{name}.onnx")
    for each in json.loads((HERE / "sweeps.json").read_text())[name]:
        for point in points(each):
            yield worker.ask(point)
    worker.close()


def record(name):
    answers = list(sweep(name))
    # The messages change with every version of the runtime.
    lines = [json.dumps({key: each[key] for key in each if key != "error"}) + "\n" for each in answers]
    (HERE / "sweeps").mkdir(exist_ok=True)
    (HERE / "sweeps" / f"{name}.json.gz").write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))
    admitted = sum(1 for each in answers if each["admitted"])
    died = sum(1 for each in answers if each["admitted"] is None)
    print(f"{name}: {len(answers)} points, {admitted} admitted, {died} ended the process", flush=True)


def main(argument, *rest):
    if argument == "--worker":
        work(rest[0])
    elif argument == "--record":
        for name in rest or json.loads((HERE / "sweeps.json").read_text()):
            record(name)
    elif argument.endswith(".onnx"):
        worker = Worker(argument)
        for line in sys.stdin:
            print(json.dumps(worker.ask({"relax": False, **json.loads(line)})), flush=True)
        worker.close()
    else:
        for answer in sweep(argument):
            print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
