"""Writes the files of this folder. They are as NumPy 2 writes them; the tests read them."""

import numpy as np

table = np.arange(12).reshape(4, 3) * 0.5 - 1
np.save("double.npy", table)
np.save("fortran.npy", np.asfortranarray(table.astype("f4")))
np.save("cube.npy", np.asfortranarray(np.arange(24).reshape(2, 3, 4)))
np.save("big.npy", np.array([1, -2, 300], ">i2"))
np.save("half.npy", np.array([1, -0.5, 65504, 2.0**-24, np.inf], "f2"))
np.save("truth.npy", np.array([[True], [False]]))
np.save("scalar.npy", np.float32(2.5))
np.save("complex.npy", np.zeros(3, "c8"))
np.save("text.npy", np.array(["a", "bc"]))
np.save("record.npy", np.zeros(2, [("a", "f4"), ("b", "i4")]))
np.save("huge.npy", np.array([1.0, 1e300]))
np.savez("two.npz", images=table.astype("f4"), labels=np.arange(4))
np.savez_compressed("one.npz", only=np.zeros((40, 3)))
