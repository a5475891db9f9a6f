"""Records what onnxruntime computes of models that others made.

    python record.py FOLDER          # needs numpy, onnx and onnxruntime

The folder holds the models as `.ci/setup` loads them, and the "light" models of the onnx package are taken from it. An input has the sines of the numbers of its
cells. Outputs with many cells are recorded at about 200 of them. The graphs run without optimisations.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

FOLDER = pathlib.Path(__file__).parent
MANY = 200
RUNS = {
    "ch_ppocr_mobile_v2.0_cls_infer": [{"x": [1, 3, 48, 192]}, {"x": [2, 3, 21, 34]}],
    "nmp": [{"serving_default_input_2:0": [1, 43844, 1]}],
}
LIGHT = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"


def sines(sizes):
    return np.sin(np.arange(np.prod(sizes), dtype=np.float64)).astype(np.float32).reshape(sizes)


def record(path, runs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options)
    runs = runs or [{i.name: i.shape for i in session.get_inputs()}]
    found = []
    for run in runs:
        outputs = session.run(None, {k: sines(v) for k, v in run.items()})
        recorded = {}
        for info, output in zip(session.get_outputs(), outputs):
            step = max(1, output.size // MANY)
            recorded[info.name] = {
                "sizes": list(output.shape),
                "step": step,
                "largest": float(np.abs(output).max()),
                "values": [float(v) for v in output.ravel()[::step]],
            }
        found.append({"inputs": run, "outputs": recorded})
    return found


def main():
    models = {}
    paths = [pathlib.Path(sys.argv[1]) / f"{name}.onnx" for name in RUNS] + sorted(LIGHT.glob("*.onnx"))
    for path in paths:
        models[path.stem] = record(path, RUNS.get(path.stem))
        print(path.stem, flush=True)
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in models.items()]
    made = f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}, numpy {np.__version__}"
    (FOLDER / "models.json").write_text('{\n"made by": ' + json.dumps(made) + ',\n"models": {\n' + ",\n".join(lines) + "\n}\n}\n")


main()
