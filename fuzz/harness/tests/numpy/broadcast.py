"""Writes broadcast.txt: shapes of operands, and what NumPy says of their broadcast.

    python3 fuzz/harness/tests/numpy/broadcast.py > fuzz/harness/tests/numpy/broadcast.txt
"""

import random

import numpy

random.seed(1)
print(f"# numpy {numpy.__version__}, numpy.broadcast_shapes: operands => result, or `clash`")
for _ in range(2000):
    result = [random.choice([1, 2, 3]) for _ in range(random.randrange(6))]
    operands = []
    for _ in range(random.randrange(1, 5)):
        shape = [random.choice([size, size, 1]) for size in result[random.randrange(len(result) + 1):]]
        if shape and random.random() < 0.5:
            shape[random.randrange(len(shape))] = random.choice([1, 2, 3])
        operands.append(tuple(shape))
    try:
        answer = "x".join(map(str, numpy.broadcast_shapes(*operands))) or "()"
    except ValueError:
        answer = "clash"
    print(" ".join("x".join(map(str, shape)) or "()" for shape in operands), "=>", answer)
