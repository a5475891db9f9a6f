"""Records what onnxruntime computes of models that others made.

    python record.py FOLDER          # needs numpy, onnx and onnxruntime

The folder holds the models as `.ci/setup` loads them, and the "light" models of the onnx package are taken from it. An input has numbers without a pattern: of a
pure tone `nmp` takes logarithms of what is left of zeros, which onnxruntime itself, with and without optimisations, computes 1e-3 apart. Outputs with many cells
are recorded at about 200 of them. The graphs run without optimisations.

In place of its weights a light model fills tensors with one number each, so that all its outputs are one number. Here each of these tensors is an input
with numbers of `weights`, and what the last `Softmax` takes is an output too: of large numbers it leaves nothing but ones and zeros.
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
    "ch_PP-OCRv4_rec_infer": [{"x": [1, 3, 48, 64]}],
    "nmp": [{"serving_default_input_2:0": [1, 43844, 1]}],
    "yolo_cls": [{"images": [1, 3, 640, 640]}],
}
LIGHT = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"


def spread(sizes):
    """Numbers from -1/2 to 1/2 without a pattern."""
    cells = np.arange(np.prod(sizes), dtype=np.uint32) * np.uint32(2654435761)
    cells ^= cells >> np.uint32(15)
    cells *= np.uint32(2246822519)
    cells ^= cells >> np.uint32(13)
    return cells.astype(np.float64).reshape(sizes) / 2**32 - 0.5


def weights(sizes):
    """Numbers that keep the scale of what goes through: about 1 on one axis, else a layer's usual first numbers."""
    return 1 + spread(sizes) if len(sizes) < 2 else spread(sizes) * 2 * np.sqrt(6 / np.prod(sizes[1:]))


def with_weights(path):
    """A light model with inputs in place of what it fills, and their sizes."""
    model = onnx.load(path)
    graph = model.graph
    constants = {t.name: [int(v) for v in onnx.numpy_helper.to_array(t)] for t in graph.initializer if t.data_type == onnx.TensorProto.INT64}
    filled = {}
    for node in [n for n in graph.node if n.op_type == "ConstantOfShape"]:
        (name,) = node.output
        filled[name] = constants[node.input[0]]
        graph.input.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, filled[name]))
        graph.node.remove(node)
    for node in graph.node:
        if node.op_type == "Softmax":
            graph.output.append(onnx.helper.make_tensor_value_info(node.input[0], onnx.TensorProto.FLOAT, None))
    return model.SerializeToString(), filled


def record(path, runs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    content, filled = (str(path), {}) if runs else with_weights(path)
    session = onnxruntime.InferenceSession(content, options)
    given = {k: weights(v).astype(np.float32) for k, v in filled.items()}
    runs = runs or [{i.name: i.shape for i in session.get_inputs() if i.name not in filled}]
    found = []
    for run in runs:
        outputs = session.run(None, {k: spread(v).astype(np.float32) for k, v in run.items()} | given)
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
