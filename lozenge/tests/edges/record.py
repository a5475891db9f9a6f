"""Records what NumPy, PyTorch and JAX give where functions have an edge: at zeros, ties, infinities, NaN, tiny and large numbers.

    python3 record.py

writes `edges.json` beside this file: for each case a line of the language, the same in each library, and the values and gradients of the
libraries. The tests of lozenge read that file and need no library. A gradient is that of the sum of all values; "under 0" is that of the sum
multiplied by 0.
"""

import datetime
import json
import math
import pathlib
import platform
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
inf, nan = math.inf, math.nan

POINTS = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, 1e-8, -1e-8, 1, -1, 3, -3, 20, -20, 100, -100, 8388609, 1e8, -1e8, inf, -inf, nan]
SHORT = [0.0, -0.0, 1, -1, 0.5, 2.5, -3, 1e-8, 1e8, inf, -inf, nan]
ROWS = [[0, -0.0, 1], [1, 1, 1], [0.5, 1.5, 2.5], [-1, -2, 3], [1e-8, 2e-8, -1e-8], [1e8, -1e8, 3], [inf, 1, 0], [nan, -inf, 2]]
FINITE = [[0, -0.0, 1], [1, 1, 1], [0.5, 1.5, 2.5], [-1, -2, 3], [1e-8, 2e-8, -1e-8], [8, -9, 3], [0, 0, 0], [-2.5, 7, 2]]
RULED = [[-inf, 0, 0], [0, -inf, 1], [1, 1, 1], [100, -100, 0], [1e8, -1e8, 3], [-inf, -inf, 2], [0, 0, 0], [1e-8, 0, -1e-8]]
TARGETS = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0.5, 0.5, 0], [0, 1, 0]]
FAR = [[1e6, 1e6 + 1, 1e6 + 2], [-1e6, -1e6 - 1, -1e6 - 2], [0, 0, 0], [0.1, 0.1, 0.1], [1e8, 1e8 + 8, 1e8 + 16], [1e-8, 2e-8, 3e-8], [1, -1, 0.5], [3, 3, 4]]
EMPTY = [[-inf, -inf, -inf], [inf, 0, 1], [inf, -inf, 0], [1000, 1000, 1000], [-1000, -1001, -1002], [nan, 0, 1], [0, 0, 0], [1, 2, 3]]
CLASSES = [[0, -1, -2], [1, 0, 0], [2, 2, 1], [0, 0, 0], [1, 1, 0.5], [2, -3, 1], [-0.0, -5, -1], [1, 1, 1]]

INPUTS = {
    "points": ("25", POINTS),
    "first": ("144", [x for x in SHORT for _ in SHORT]),
    "second": ("144", [y for _ in SHORT for y in SHORT]),
    "rows": ("8|->3", ROWS),
    "finite": ("8|->3", FINITE),
    "ruled": ("8|->3", RULED),
    "targets": ("8|->3", TARGETS),
    "far": ("8|->3", FAR),
    "empty": ("8|->3", EMPTY),
    "classes": ("8|->3", CLASSES),
    "labels": ("8|", [1, 2, 0, 0, 0, 2, 0, 1]),
    "square": ("3->3", [[0, -0.0, 1], [1e-8, 1e8, -1], [0.5, 1, 2.5]]),
}

CASES = []


def case(name, line, numpy=None, pytorch=None, jax=None, inputs=None, covers=None):
    """Adds a case for each choice of inputs. `covers` are the names that it is about, by default the name itself."""
    for given in inputs or [{"x": "points"}]:
        functions = {"NumPy": numpy, "PyTorch": pytorch, "JAX": jax}
        CASES.append((name, covers or [name], line, given, {k: f for k, f in functions.items() if f}))


def same(name, line, function, inputs=None, covers=None):
    """A case that is written in the same way in all three: `function` is given the library."""
    case(name, line, *(lambda *a, m=m: function(m, *a) for m in (np, torch, jnp)), inputs=inputs, covers=covers)


PAIR = [{"x": "first", "y": "second"}]
MATRIX = [{"x": "rows"}, {"x": "finite"}]
LATER = [{"x": "finite"}]


def t_max(x, axis):
    return torch.amax(x, axis)


def n_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def n_logsumexp(x, axis=-1):
    m = x.max(axis, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(x - m).sum(axis)) + m.squeeze(axis)


# In NumPy and PyTorch 0 times -inf is NaN: the double choice that has to be written there.
def t_ruled(t, a):
    return torch.where((t == 0) & torch.isinf(a), torch.zeros(()), a)


def j_ruled(t, a):
    return jnp.where((t == 0) & jnp.isinf(a), 0, a)


def floats(m, x):
    return x.float() if m is torch else x.astype(np.float32)


# The functions of one value.
case("relu", "relu(x)", lambda x: np.maximum(x, 0), F.relu, jax.nn.relu)
same("exp", "exp(x)", lambda m, x: m.exp(x))
same("log", "log(x)", lambda m, x: m.log(x))
same("sqrt", "sqrt(x)", lambda m, x: m.sqrt(x))
same("square", "square(x)", lambda m, x: m.square(x))
case("recip", "recip(x)", np.reciprocal, torch.reciprocal, jnp.reciprocal)
same("neg", "neg(x)", lambda m, x: -x)
same("abs", "abs(x)", lambda m, x: m.abs(x))
same("floor", "floor(x)", lambda m, x: m.floor(x))
same("sin", "sin(x)", lambda m, x: m.sin(x))
same("cos", "cos(x)", lambda m, x: m.cos(x))
same("tanh", "tanh(x)", lambda m, x: m.tanh(x))
case("sigmoid", "sigmoid(x)", lambda x: 1 / (1 + np.exp(-x)), torch.sigmoid, jax.nn.sigmoid)
case("erf", "erf(x)", None, torch.erf, jax.scipy.special.erf)
same("log1p", "log1p(x)", lambda m, x: m.log1p(x))
same("expm1", "expm1(x)", lambda m, x: m.expm1(x))
same("round", "round(x)", lambda m, x: m.round(x))

# The functions of two and three values, and the operators.
same("max", "max(x, y)", lambda m, x, y: m.maximum(x, y), PAIR)
same("min", "min(x, y)", lambda m, x, y: m.minimum(x, y), PAIR)
case("fmod", "fmod(x, y)", np.fmod, torch.fmod, jnp.fmod, PAIR)
case("mod", "mod(x, y)", np.mod, torch.remainder, jnp.mod, PAIR)
case("where", "where(x, y, 2 *. y)", lambda x, y: np.where(x != 0, y, 2 * y), lambda x, y: torch.where(x != 0, y, 2 * y), lambda x, y: jnp.where(x != 0, y, 2 * y), PAIR)
same("+", "x + y", lambda m, x, y: x + y, PAIR)
same("-", "x - y", lambda m, x, y: x - y, PAIR)
same("*.", "x *. y", lambda m, x, y: x * y, PAIR)
same("/", "x / y", lambda m, x, y: x / y, PAIR)
case("**", "x ** y", np.power, torch.pow, jnp.power, PAIR)
same("==", "x == y", lambda m, x, y: floats(m, x == y), PAIR)
same("!=", "x != y", lambda m, x, y: floats(m, x != y), PAIR)
same("<", "x < y", lambda m, x, y: floats(m, x < y), PAIR)
same("<=", "x <= y", lambda m, x, y: floats(m, x <= y), PAIR)
same(">", "x > y", lambda m, x, y: floats(m, x > y), PAIR)
same(">=", "x >= y", lambda m, x, y: floats(m, x >= y), PAIR)
same("*", "w * x", lambda m, x, w: x @ w, [{"x": "finite", "w": "square"}])
same("transpose", "transpose(w)", lambda m, w: w.T, [{"w": "square"}])

# The functions of tensors.
same("sum", 'sum(x, "n|->c => n|")', lambda m, x: x.sum(-1), MATRIX)
case("max over", 'max(x, "n|->c => n|")', lambda x: x.max(-1), lambda x: t_max(x, -1), lambda x: x.max(-1), MATRIX)
case("min over", 'min(x, "n|->c => n|")', lambda x: x.min(-1), lambda x: torch.amin(x, -1), lambda x: x.min(-1), MATRIX)
same("map", 'map(x, "n|->c => ->c, n")', lambda m, x: x.T, MATRIX)
same("count", 'sum(x, "n|->c => n|") / count(x, "n|->c => n|")', lambda m, x: x.sum(-1) / 3, MATRIX)
same("range", "x *. range(3)", lambda m, x: x * (torch.arange(3.0) if m is torch else m.arange(3, dtype=np.float32)), MATRIX)
same("stack", "stack([x, x])", lambda m, x: m.stack([x, x], 1), MATRIX)
case("concat", "concat(x, x)", lambda x: np.concatenate([x, x], 1), lambda x: torch.cat([x, x], 1), lambda x: jnp.concatenate([x, x], 1), MATRIX)
same("append", "append([x, x], x)[2]", lambda m, x: x, MATRIX)

# The prelude.
ROWWISE = MATRIX + [{"x": "far"}]
same("mean", "mean(x, outputs)", lambda m, x: x.mean(-1), ROWWISE)
case("var", "var(x, outputs)", lambda x: x.var(-1), lambda x: torch.var(x, -1, correction=0), lambda x: x.var(-1), ROWWISE)
case("std", "std(x, outputs)", lambda x: x.std(-1), lambda x: torch.std(x, -1, correction=0), lambda x: x.std(-1), ROWWISE)
case("var over columns", 'var(x, "n|->c => ->c")', lambda x: x.var(0), lambda x: torch.var(x, 0, correction=0), lambda x: x.var(0), LATER)
case("norm", "norm(x, outputs)", lambda x: np.linalg.norm(x, axis=-1), lambda x: torch.linalg.vector_norm(x, dim=-1), lambda x: jnp.linalg.norm(x, axis=-1), ROWWISE)
case("square of a norm", "square(norm(x, outputs))", lambda x: np.linalg.norm(x, axis=-1) ** 2, lambda x: torch.linalg.vector_norm(x, dim=-1) ** 2, lambda x: jnp.linalg.norm(x, axis=-1) ** 2, LATER)
case("centre", "centre(x)", lambda x: x - x.max(-1, keepdims=True), lambda x: x - torch.amax(x, -1, keepdim=True), lambda x: x - x.max(-1, keepdims=True), MATRIX)
case("softmax", "square(softmax(x))", lambda x: n_softmax(x) ** 2, lambda x: torch.softmax(x, -1) ** 2, lambda x: jax.nn.softmax(x) ** 2, MATRIX + [{"x": "ruled"}, {"x": "empty"}])
case("log_softmax", "log_softmax(x) *. range(3)", None, lambda x: F.log_softmax(x, -1) * torch.arange(3.0), lambda x: jax.nn.log_softmax(x) * jnp.arange(3.0), MATRIX + [{"x": "empty"}])
case("cross_entropy", "cross_entropy(x, t)", None, lambda x, t: -(t * t_ruled(t, F.log_softmax(x, -1))).sum(-1), lambda x, t: -(t * j_ruled(t, jax.nn.log_softmax(x))).sum(-1), [{"x": "ruled", "t": "targets"}, {"x": "finite", "t": "targets"}])
case("cross_entropy of class numbers", "cross_entropy(x, one_hot(c, 3))", None, lambda x, c: F.cross_entropy(x, c.long(), reduction="none"), None, [{"x": "ruled", "c": "labels"}])
same("mse", "mse(x, t)", lambda m, x, t: m.square(x - t).mean(), [{"x": "finite", "t": "targets"}])
case("one_hot", "one_hot(c, 3)", lambda c: np.eye(3)[c.astype(int)], lambda c: F.one_hot(c.long(), 3).float(), lambda c: jax.nn.one_hot(c.astype(int), 3), [{"c": "labels"}])
same("argmax", "argmax(x, 3)", lambda m, x: floats(m, m.argmax(x, -1)), MATRIX)
same("argmin", "argmin(x, 3)", lambda m, x: floats(m, m.argmin(x, -1)), MATRIX)
same("accuracy", "accuracy(x, t)", lambda m, x, t: floats(m, m.argmax(x, -1) == m.argmax(t, -1)).mean(), [{"x": "finite", "t": "targets"}])
case("clamp", "clamp(x, -1, 1.5)", lambda x: np.clip(x, -1, 1.5), lambda x: torch.clamp(x, -1, 1.5), lambda x: jnp.clip(x, -1, 1.5))
case("gelu", "gelu(x)", None, F.gelu, lambda x: jax.nn.gelu(x, approximate=False))
case("silu", "silu(x)", lambda x: x / (1 + np.exp(-x)), F.silu, jax.nn.silu)
case("leaky_relu", "leaky_relu(x)", None, F.leaky_relu, jax.nn.leaky_relu)
case("elu", "elu(x)", None, F.elu, jax.nn.elu)
case("softplus", "softplus(x)", lambda x: np.logaddexp(x, np.float32(0)), F.softplus, jax.nn.softplus)
case("layer_norm", "layer_norm()(x) *. range(3)", None, lambda x: F.layer_norm(x, (3,)) * torch.arange(3.0), None, MATRIX)
same("causal", 'sum(causal(3) * x, "s|->t; n|->t => n|->s")', lambda m, x: x @ m.tril(m.ones((3, 3), dtype=m.float32)).T, LATER)
case("detach", "detach(x) *. x", None, lambda x: x.detach() * x, lambda x: jax.lax.stop_gradient(x) * x)
case("normalize", "normalize(x) *. range(3)", None, lambda x: F.normalize(x, dim=-1) * torch.arange(3.0), None, MATRIX)
case("cosine_similarity", "cosine_similarity(x, t)", None, lambda x, t: F.cosine_similarity(x, t, -1), None, [{"x": "finite", "t": "targets"}, {"x": "rows", "t": "targets"}])
case("logsumexp", "logsumexp(x, outputs)", n_logsumexp, lambda x: torch.logsumexp(x, -1), lambda x: jax.nn.logsumexp(x, -1), MATRIX + [{"x": "ruled"}, {"x": "empty"}])
same("prod", "prod(x, outputs)", lambda m, x: x.prod(-1), MATRIX)
same("cumsum", 'cumsum(x, 8)', lambda m, x: m.cumsum(x, 0), MATRIX)

# The lines of docs/coming-from.md, by their first words.


def there(word, line, numpy=None, pytorch=None, jax=None, inputs=None):
    case(f"there: {word}", line, numpy, pytorch, jax, inputs or MATRIX, covers=[f"there: {word}"])


def there_same(word, line, function, inputs=None):
    there(word, line, *(lambda *a, m=m: function(m, *a) for m in (np, torch, jnp)), inputs=inputs)


there_same("matmul", 'sum(x * x, "n|->i; n|->j => i->j")', lambda m, x: x.T @ x, LATER)
there_same("reshape", 'map(x, "n|->c => ->(n, c)")', lambda m, x: x.reshape(24))
there_same("permute", 'map(x, "n|->c => c|->n")', lambda m, x: x.T)
there_same("unsqueeze", 'map(x, "n|->c => n|->0:1, c")', lambda m, x: x[:, None])
there_same("squeeze", 'map(x, "n|->0 => n|->")', lambda m, x: x[:, 0])
there("cat", 'concat(x, x, "n|->a; n|->b => n|->a^b")', lambda x: np.concatenate([x, x], 1), lambda x: torch.cat([x, x], 1), lambda x: jnp.concatenate([x, x], 1))
there_same("zeros", "where(x, 1, 1)", lambda m, x: m.ones_like(x))
there_same("arange", "range(3) / 2 + 0 *. x", lambda m, x: m.arange(3) / 2 + 0 * x, LATER)
there_same("product", 'prod(x, "n|->c => n|")', lambda m, x: x.prod(-1))
there_same("scan", "cumsum(x, 8)", lambda m, x: m.cumsum(x, 0))
there("sort", 'max(x, "n|->c => n|")', lambda x: x.max(-1), lambda x: t_max(x, -1), lambda x: x.max(-1))
there_same("gather", "x @| 2", lambda m, x: x[2])
there("batch_norm", '(x - mean(x, "n|->c => ->c")) / sqrt(mean(square(x - mean(x, "n|->c => ->c")), "n|->c => ->c") + 1e-5)', lambda x: (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), lambda x: F.batch_norm(x, None, None, training=True), None, LATER)
there("conv", 'sum(x, "n|->y+u:2 => n|->y")', lambda x: x[:, :-1] + x[:, 1:], lambda x: F.conv1d(x[:, None], torch.ones(1, 1, 2))[:, 0], lambda x: x[:, :-1] + x[:, 1:], LATER)
there("max_pool1d", 'max(x, "n|->floor(2*y+u:2) => n|->y")', lambda x: x[:, :2].max(-1, keepdims=True), lambda x: F.max_pool1d(x[:, None], 2)[:, 0], lambda x: x[:, :2].max(-1, keepdims=True))
there("pow", "x ** 2", lambda x: np.power(x, 2), lambda x: torch.pow(x, 2), lambda x: jnp.power(x, 2))
there("maximum", "max(x, 0)", lambda x: np.maximum(x, 0), lambda x: torch.maximum(x, torch.zeros(())), lambda x: jnp.maximum(x, 0))
there("minimum", "min(x, 0)", lambda x: np.minimum(x, 0), lambda x: torch.minimum(x, torch.zeros(())), lambda x: jnp.minimum(x, 0))
there_same("multiply", "x *. x", lambda m, x: x * x)
there("CrossEntropyLoss", "mean(cross_entropy(x, one_hot(max(x, outputs), 3)))", None, lambda x: F.cross_entropy(x, x.amax(-1).detach().long()), None, [{"x": "classes"}])
there_same("mse_loss", "mse(x, x)", lambda m, x: m.square(x - x).mean(), LATER)
there_same("flip", 'map(range(3) == 2 - range(3), "i; j => i->j") * x', lambda m, x: m.flip(x, (1,)), LATER)
there_same("split", 'map(x, "n|->(g:3, c) => g, n|->c") @| 0', lambda m, x: x[:, :1])
there("tile", 'map(x, "n|->c => n|->(c, k:2)")', lambda x: np.repeat(x, 2, 1), lambda x: torch.repeat_interleave(x, 2, 1), lambda x: jnp.repeat(x, 2, 1))
there_same("trace", 'sum(sum(x * x, "n|->i; n|->j => i->j"), "i->i => ")', lambda m, x: m.trace(x.T @ x), LATER)
there_same("diag", 'map(sum(x * x, "n|->i; n|->j => i->j"), "i->i => ->i")', lambda m, x: m.diagonal(x.T @ x), LATER)
there_same("eye", 'map(range(3) == range(3), "i; j => i->j") + 0 *. sum(x)', lambda m, x: m.eye(3) + 0 * x.sum(), LATER)
there_same("tril", "causal(8) + 0 *. sum(x)", lambda m, x: m.tril(m.ones((8, 8))) + 0 * x.sum(), LATER)
there_same("cov", 'sum((x - mean(x, "n|->c => ->c")) * (x - mean(x, "n|->c => ->c")), "n|->i; n|->j => i->j") / 8', lambda m, x: (x - x.mean(0)).T @ (x - x.mean(0)) / 8, LATER)
there("cdist", 'norm(map(x - x, "n|->c; m|->c => n, m|->c"), "n, m|->c => n|->m")', lambda x: np.linalg.norm(x[:, None] - x[None], axis=-1), lambda x: torch.linalg.vector_norm(x[:, None] - x[None], dim=-1), lambda x: jnp.linalg.norm(x[:, None] - x[None], axis=-1), LATER)
there_same("sign", "(x > 0) - (x < 0)", lambda m, x: m.sign(x))
there_same("rint", "round(x)", lambda m, x: m.round(x))
there_same("ceil", "-floor(-x)", lambda m, x: m.ceil(x))
there("remainder", "mod(x, 3)", lambda x: np.mod(x, np.float32(3)), lambda x: torch.remainder(x, 3), lambda x: jnp.mod(x, 3))
there("floor_divide", "floor(x / 3)", lambda x: np.floor_divide(x, np.float32(3)), lambda x: torch.floor_divide(x, 3), lambda x: jnp.floor_divide(x, 3))
there("exp2", "2 ** x", np.exp2, torch.exp2, jnp.exp2)
there("log2", "log(x) / log(2)", np.log2, torch.log2, jnp.log2)
there("tan", "sin(x) / cos(x)", np.tan, torch.tan, jnp.tan)
there("sinh", "(expm1(x) - expm1(-x)) / 2", np.sinh, torch.sinh, jnp.sinh)
there_same("isnan", "x != x", lambda m, x: floats(m, m.isnan(x)))
there_same("logical_and", "min(x > 0, x < 2)", lambda m, x: floats(m, m.logical_and(x > 0, x < 2)))
there_same("logical_or", "max(x > 0, x < 2)", lambda m, x: floats(m, m.logical_or(x > 0, x < 2)))
there_same("logical_not", "1 - (x > 0)", lambda m, x: floats(m, m.logical_not(x > 0)))
there("masked_fill", "where(x > 0, x, -1e9)", lambda x: np.where(x > 0, x, np.float32(-1e9)), lambda x: x.masked_fill(~(x > 0), -1e9), lambda x: jnp.where(x > 0, x, -1e9))
there("swish", "silu(x)", None, F.silu, jax.nn.silu)
there("huber_loss", "min(abs(x), 1) *. (abs(x) - min(abs(x), 1) / 2)", None, lambda x: F.huber_loss(x, torch.zeros_like(x), reduction="none"), None)
there("bce", "mean(softplus(x) - x *. (x > 0))", None, lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).float()), None, LATER)
there("bincount", 'sum(one_hot(max(x, outputs), 24), "n|->k => ->k")', lambda x: np.bincount(x.max(-1).astype(int), minlength=24), lambda x: torch.bincount(x.amax(-1).long(), minlength=24).float(), lambda x: jnp.bincount(x.max(-1).astype(int), length=24), [{"x": "classes"}])
there("vmap", "relu(x)", None, F.relu, jax.vmap(jax.nn.relu))
there_same("grad", "mean(square(x))", lambda m, x: m.square(x).mean(), LATER)

# Names that have no row of their own, with the reason.
WITHOUT = {
    "uniform": "random",
    "normal": "random",
    "params": "a list of parameters",
    "fan_in": "a number of inputs",
    "beside": "a spec; `var` and `logsumexp` use it",
    "whole": "a spec",
    "outputs": "a spec",
    "linear": "`*` and `+` with random values",
    "dense": "`*` and `+` with random values",
    "attention": "`softmax`, `where` and `*` with random values",
    "dropout": "random; a file of values shows the rates 0 and 1",
    "clip": "made for gradients; a file of values shows it at 0",
    "sgd": "an update",
    "momentum": "an update",
    "adam": "an update",
    "deviations": "a part of `var`",
    "root": "a part of `norm` and `std`",
    "exponentials": "a part of `logsumexp`",
    "factors": "a part of `prod`",
    "expectation": "a part of `cross_entropy`",
    "where_chosen": "a part of `cumsum` and `reverse`",
    "reverse": "a permutation; a file of values shows it",
    "class_numbers": "the same numbers; what is no class stops the run, which tests of classes show",
    "largest": "a part of `argmax` and `accuracy`",
    "there: embedding": "`*` with random values",
    "there: Linear": "`*` and `+` with random values",
    "there: LayerNorm": "`layer_norm`, which has a row",
    "there: shape": "a number of cells",
    "there: randn": "random",
    "there: pad": "the largest of the cells that exist",
    "there: MultiheadAttention": "`attention` with random values",
    "there: RNN": "`tanh`, `*` and `+` with random values",
}


def plain(values):
    return [{True: "NaN"}.get(math.isnan(v), "inf" if v == inf else "-inf" if v == -inf else v) for v in map(float, np.asarray(values, np.float32).ravel())]


def of_numpy(function, given):
    return {"value": plain(function(*given.values()))}


def of_pytorch(function, given):
    out = {}
    for label, factor in (("", 1), (" under 0", 0)):
        tensors = {k: torch.tensor(v, requires_grad=True) for k, v in given.items()}
        value = function(*tensors.values())
        out["value"] = plain(value.detach())
        if value.requires_grad:
            try:
                (value.sum() * factor).backward()
            except RuntimeError as error:
                if "derivative" not in str(error):
                    raise
                return out
        for k, tensor in tensors.items():
            out[f"{k}.grad{label}"] = plain(torch.zeros_like(tensor) if tensor.grad is None else tensor.grad)
    return out


def of_jax(function, given):
    out = {}
    for label, factor in (("", 1), (" under 0", 0)):
        arrays = [jnp.asarray(v) for v in given.values()]
        out["value"] = plain(function(*arrays))
        loss = lambda *a: (function(*a).astype(jnp.float32)).sum() * factor
        gradients = jax.grad(loss, tuple(range(len(arrays))))(*arrays)
        for k, gradient in zip(given, gradients):
            out[f"{k}.grad{label}"] = plain(gradient)
    return out


def main():
    ways = {"NumPy": of_numpy, "PyTorch": of_pytorch, "JAX": of_jax}
    arrays = {name: np.array(values, np.float32) for name, (_, values) in INPUTS.items()}
    cases = []
    for name, covers, line, given, functions in CASES:
        of_case = {k: arrays[v] for k, v in given.items()}
        try:
            results = {library: ways[library](function, of_case) for library, function in functions.items()}
        except Exception as error:
            raise RuntimeError(name) from error
        cases.append({"name": name, "covers": covers, "line": line, "inputs": given, "results": results})
    whole = {
        "recorded": {
            "on": datetime.date.today().isoformat(),
            "Python": platform.python_version(),
            "NumPy": np.__version__,
            "PyTorch": torch.__version__.split("+")[0],
            "JAX": jax.__version__,
        },
        "inputs": {name: {"shape": shape, "values": plain(values)} for name, (shape, values) in INPUTS.items()},
        "without": WITHOUT,
    }
    text = json.dumps(whole, indent=1)[:-2] + ',\n "cases": [\n' + ",\n".join("  " + json.dumps(one) for one in cases) + "\n ]\n}\n"
    (pathlib.Path(__file__).parent / "edges.json").write_text(text)


if __name__ == "__main__":
    main()
