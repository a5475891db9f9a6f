"""Runs two ONNX models on the same random inputs and compares their outputs bit for bit: same.py MODEL OTHER POINT...

A point is JSON: the sizes of each input, or the value of one that is an integer. Needs onnxruntime and numpy.
"""

import json
import sys

import numpy as np
import onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}


def value(argument, given, random):
    element = TYPES[argument.type]
    if not isinstance(given, list):
        return np.array(given, dtype=element)
    return random.random(given, dtype=np.float32).astype(element)


def main():
    onnxruntime.set_default_logger_severity(4)
    sessions = [onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]) for path in sys.argv[1:3]]
    random = np.random.default_rng(0)
    for text in sys.argv[3:]:
        point = json.loads(text)
        feeds = {one.name: value(one, point[one.name], random) for one in sessions[0].get_inputs()}
        first, second = [session.run(None, feeds) for session in sessions]
        for one, other in zip(first, second, strict=True):
            if not np.array_equal(one, other):
                sys.exit(f"{text}: the outputs differ")
    print(f"{len(sys.argv) - 3} points, the same outputs")


main()
