"""Writes sonnets.npy: the text in pieces of 32 characters, each with the one that follows, as numbers."""

import numpy as np

SIGNS = "\n !',-.:;?abcdefghijklmnopqrstuvwxyz"

text = open("sonnets.txt", encoding="utf-8").read().lower()
numbers = np.array([SIGNS.index(sign) for sign in text], "u1")
pieces = (len(numbers) - 1) // 32
np.save("sonnets.npy", np.stack([numbers[32 * at : 32 * at + 33] for at in range(pieces)]))
print(len(SIGNS), "signs,", pieces, "pieces")
