"""Writes the programs of this folder that people typed before they had seen how lozenge works, with the values that NumPy computes of
the same formulas: python3 first_programs.py (NumPy 2.4.6, 2026-11-28)."""

import os
import re

import numpy as np

OUT = os.path.dirname(os.path.abspath(__file__))


def prog(name, what, text, **values):
    """Writes a program; each printed expression has its values in `values`."""
    lines = []
    for line in text.strip("\n").split("\n"):
        if line.startswith("print "):
            names = [n.strip() for n in re.split(r",\s*(?![^()\[\]\"]*[\)\"\]])", line[6:])]
            vals = []
            for n in names:
                v = np.asarray(values[n], dtype=np.float64).reshape(-1)
                vals.append(" ".join(repr(round(float(x), 7)) for x in v))
            line = f"{line}  #= {'; '.join(vals)}"
        lines.append(line)
    open(os.path.join(OUT, name + ".loz"), "w").write(f"# {what} Values from NumPy.\n" + "\n".join(lines) + "\n")


def sm(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


r = lambda *s: np.arange(np.prod(s), dtype=float).reshape(s)

x = np.array([[1, 200], [2, 100], [3, 400], [6, 300]], float)
z = (x - x.mean(0)) / x.std(0)
prog(
    "columns-are-standardised",
    "Each column loses its mean and is divided by its deviation.",
    """
data x : 4|->2 = [1, 200, 2, 100, 3, 400, 6, 300]
let m = mean(x, "n|->c => ->c")
let s = std(x, "n|->c => ->c")
let z = (x - m) / s
print m, s
print z
print z @| 0
""",
    m=x.mean(0),
    s=x.std(0),
    z=z,
    **{"z @| 0": z[0]},
)

x = np.array([[1, 2, 0], [2, 1, 5], [3, 5, 1], [4, 3, 2]], float)
prog(
    "a-correlation-matrix",
    "The correlations of three columns.",
    """
data x : 4|->3 = [1, 2, 0, 2, 1, 5, 3, 5, 1, 4, 3, 2]
let c = x - mean(x, "n|->c => ->c")
let cov = sum(c * c, "n|->i; n|->j => i->j") / 4
let sd = sqrt(sum(cov, "i->i => ->i"))
let r = cov / sum(sd * sd, "->i; ->j => i->j")
print r
""",
    r=np.corrcoef(x.T),
)

q = r(2, 3, 4) / 10
k = (r(2, 3, 4) % 5) / 3
s = np.einsum("bte,bue->btu", q, k)
p = sm(s)
prog(
    "weights-of-attention-in-rows",
    "Scores of all pairs of places, a softmax over the second.",
    """
data q : 2, 3|->4 = range(24)
data k : 2, 3|->4 = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3]
let s = sum(q / 10 * (k / 3), "b, t|->e; b, u|->e => b, t|->u")
let p = softmax(s)
let total = sum(p, "b, t|->u => b, t|")
print p
print total
print p @| 1
""",
    p=p,
    total=p.sum(-1),
    **{"p @| 1": p[1]},
)

a = r(3, 2)
b = r(4, 2) / 2
d = ((a[:, None] - b[None]) ** 2).sum(-1)
prog(
    "distances-of-all-pairs",
    "Squared distances of each of three points to each of four.",
    """
data a : 3|->2 = range(6)
data b : 4|->2 = range(8)
let half = b / 2
let aa = sum(square(a), "n|->c => n|")
let bb = sum(square(half), "m|->c => ->m")
let ab = sum(a * half, "n|->c; m|->c => n|->m")
let d = aa - 2 *. ab + bb
print d
print min(d, "n|->m => n|")
print argmin(d, 4)
""",
    d=d,
    **{'min(d, "n|->m => n|")': d.min(1), "argmin(d, 4)": d.argmin(1)},
)

X = np.array([[1, 2], [-1, 0.5], [3, -2], [0, 1]], float)
y = np.array([1, 0, 1, 0], float)
pr = 1 / (1 + np.exp(-X @ np.zeros(2)))
g = X.T @ (pr - y) / 4
prog(
    "logistic-regression-at-zero",
    "The gradient of the mean loss of a logistic regression whose weights are all zero.",
    """
data x : 4|->2 = [1, 2, -1, 0.5, 3, -2, 0, 1]
data t : 4|->1 = [1, 0, 1, 0]
param w : 2->1 = 0
param b : ->1 = 0
let p = sigmoid(w * x + b)
let loss = -mean(t *. log(p) + (1 - t) *. log(1 - p))
backward loss
print loss
print w.grad
print b.grad
""",
    loss=np.log(2),
    **{"w.grad": g, "b.grad": (pr - y).mean()},
)

w = np.array([1, 0, 2, 1], float)
v = np.array([[3, 1], [5, 2], [1, 9], [4, 4]], float)
prog(
    "a-weighted-mean",
    "Rows are averaged with weights.",
    """
data w : 4| = [1, 0, 2, 1]
data v : 4|->2 = [3, 1, 5, 2, 1, 9, 4, 4]
let m = sum(w * v, "n|; n|->c => ->c") / sum(w)
print m
""",
    m=(w[:, None] * v).sum(0) / w.sum(),
)

x = np.array([3, 1, 4, 1, 5, 9, 2, 6], float)
prog(
    "a-moving-average",
    "Means of three neighbours, and the largest of each pair.",
    """
data t : ->8 = [3, 1, 4, 1, 5, 9, 2, 6]
let avg = sum(t, "->i+k:3 => ->i") / 3
let top = max(t, "->2*i+k:2 => ->i")
print avg
print top
print avg - mean(avg)
""",
    avg=np.convolve(x, np.ones(3) / 3, "valid"),
    top=x.reshape(4, 2).max(1),
    **{"avg - mean(avg)": (lambda a: a - a.mean())(np.convolve(x, np.ones(3) / 3, "valid"))},
)

A = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], float)
prog(
    "trace-and-powers-of-a-matrix",
    "The trace, the diagonal, the square and the cube.",
    """
data a : 3->3 = [2, 1, 0, 1, 3, 1, 0, 1, 4]
let tr = sum(a, "i->i => ")
let d = map(a, "i->i => ->i")
let a2 = a * a
let a3 = a * a2
print tr
print d
print a2
print sum(a3, "i->i => ")
""",
    tr=9,
    d=[2, 3, 4],
    a2=A @ A,
    **{'sum(a3, "i->i => ")': np.trace(A @ A @ A)},
)

im = (r(5, 5) * 7) % 11
K = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], float)
sob = np.array([[(im[i : i + 3, j : j + 3] * K).sum() for j in range(3)] for i in range(3)])
prog(
    "a-sobel-filter",
    "A picture of five by five and a kernel of three by three.",
    """
data im : ->5, 5 = range(25)
data k : ->3, 3 = [-1, 0, 1, -2, 0, 2, -1, 0, 1]
let p = im *. 7 - 11 *. floor(im *. 7 / 11)
let e = sum(p * k, "->y+u, x+v; ->u, v => ->y, x")
let s = sum(abs(e))
print e
print s
""",
    e=sob,
    s=np.abs(sob).sum(),
)

x = r(2, 4) ** 1.5
ln = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
prog(
    "layer-norm-by-hand",
    "The mean and the variance of each row, by hand.",
    """
data x : 2|->4 = range(8)
let y = x ** 1.5
let m = mean(y, "n|->c => n|")
let v = mean(square(y - m), "n|->c => n|")
let z = (y - m) / sqrt(v + 0.00001)
print z
print m, v
print sum(z, "n|->c => n|")
""",
    z=ln,
    m=x.mean(-1),
    v=x.var(-1),
    **{'sum(z, "n|->c => n|")': ln.sum(-1)},
)

a = np.array([[1, 2, 2], [0, 1, 0], [3, 0, 4]], float)
nn = np.linalg.norm(a, axis=1)
cs = (a @ a.T) / np.outer(nn, nn)
prog(
    "cosine-similarity-of-rows",
    "The cosine of the angle of each pair of rows.",
    """
data a : 3|->3 = [1, 2, 2, 0, 1, 0, 3, 0, 4]
let len = sqrt(sum(square(a), "n|->c => n|"))
let u = a / len
let c = sum(u * u, "n|->c; m|->c => n|->m")
print len
print c
print c @| 2
""",
    len=nn,
    c=cs,
    **{"c @| 2": cs[2]},
)

v = np.ones(3)
for _ in range(8):
    v = A @ v
    v = v / np.linalg.norm(v)
prog(
    "power-iteration",
    "The largest eigenvalue of a symmetric matrix, by eight turns of a loop.",
    """
data a : 3->3 = [2, 1, 0, 1, 3, 1, 0, 1, 4]
data one : ->3 = [1, 1, 1]
let v = one
for i in 0..8 carry v:
  let u = a * v
  let v = u / sqrt(sum(square(u)))
print v
print sum(v *. (a * v))
""",
    v=v,
    **{"sum(v *. (a * v))": v @ A @ v},
)

e = np.array([-3, -1, -0.5, 0, 0.5, 1, 3])
d = 1.0
hub = np.where(np.abs(e) <= 1, 0.5 * e * e, np.abs(e) - 0.5)
hg = np.clip(e, -1, 1)
prog(
    "huber-loss",
    "Quadratic near zero and linear far away, with its slope.",
    """
data e : ->7 = [-3, -1, -0.5, 0, 0.5, 1, 3]
param z : ->7 = 0
let x = e + z
let h = where(abs(x) <= 1, 0.5 *. square(x), abs(x) - 0.5)
let total = sum(h)
backward total
print h
print z.grad
""",
    h=hub,
    **{"z.grad": hg},
)

s = np.array([[2, 1, 0], [0, 0, 3], [1, 1, 1.5]])
y = np.array([0, 1, 2])
m = s - s[np.arange(3), y][:, None] + 1
m[np.arange(3), y] = 0
hl = np.maximum(m, 0).sum(1)
G = (m > 0).astype(float)
G[np.arange(3), y] = -G.sum(1)
prog(
    "multiclass-hinge",
    "Each wrong class has to stay below the right one by 1.",
    """
data s : 3|->3 = [2, 1, 0, 0, 0, 3, 1, 1, 1.5]
data y : 3| = [0, 1, 2]
param z : ->3 = 0
let x = s + z
let t = one_hot(y, 3)
let right = sum(x *. t, "n|->c => n|")
let m = relu(x - right + 1) *. (1 - t)
let loss = sum(m, "n|->c => n|")
let total = sum(loss)
backward total
print loss
print z.grad
""",
    loss=hl,
    **{"z.grad": G.sum(0)},
)

p = sm(np.array([[1, 2, 3, 4], [0, 0, 0, 0]], float))
q = sm(np.array([[1, 1, 2, 2], [3, 1, 0, 0]], float))
prog(
    "divergence-of-distributions",
    "The divergence of two distributions a row, and the entropy.",
    """
data a : 2|->4 = [1, 2, 3, 4, 0, 0, 0, 0]
data b : 2|->4 = [1, 1, 2, 2, 3, 1, 0, 0]
let p = softmax(a)
let kl = sum(p *. (log_softmax(a) - log_softmax(b)), "n|->c => n|")
let h = -sum(p *. log(p), "n|->c => n|")
print kl
print h
print kl @| 0
""",
    kl=(p * np.log(p / q)).sum(1),
    h=-(p * np.log(p)).sum(1),
    **{"kl @| 0": (p * np.log(p / q)).sum(1)[0]},
)

x = np.array([[100, 101], [-100, -101], [0, 0]], float)
lse = np.logaddexp(x[:, 0], x[:, 1])
prog(
    "a-stable-logsumexp",
    "The logarithm of a sum of exponentials of large numbers.",
    """
data x : 3|->2 = [100, 101, -100, -101, 0, 0]
let m = max(x, "n|->c => n|")
let l = m + log(sum(exp(x - m), "n|->c => n|"))
print l
print x - l
""",
    l=lse,
    **{"x - l": x - lse[:, None]},
)

E = r(5, 3)
ids = np.array([4, 0, 2])
prog(
    "rows-of-a-table",
    "Rows of a table are looked up by their numbers, and counted.",
    """
data table : 5->3 = range(15)
data ids : 3| = [4, 0, 2]
let e = table * one_hot(ids, 5)
let n = sum(one_hot(ids, 5), "n|->c => ->c")
print e
print n
""",
    e=E[ids],
    n=np.bincount(ids, minlength=5),
)

x = r(2, 3, 4)
h = x.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3)
prog(
    "heads-are-split",
    "Four features become two heads of two, which move to the front.",
    """
data x : 2, 3|->4 = range(24)
let h = map(x, "b, t|->(h:2, d) => b, h, t|->d")
let back = map(h, "b, h, t|->d => b, t|->(h, d)")
print h
print back
""",
    h=h,
    back=x,
)

im = r(4, 4)
prog(
    "average-pooling",
    "Means of blocks of two by two.",
    """
data im : ->4, 4 = range(16)
let a = sum(im, "->2*y+u:2, 2*x+v:2 => ->y, x") / 4
print a
""",
    a=im.reshape(2, 2, 2, 2).mean((1, 3)),
)

X = np.array([0, 1, 2, 3], float)
Y = 2 * X + 1
w = b = 0.0
for _ in range(5):
    e = w * X + b - Y
    gw = (2 * e * X).mean()
    gb = (2 * e).mean()
    w -= 0.1 * gw
    b -= 0.1 * gb
prog(
    "five-steps-of-descent",
    "A line is fitted by five steps of gradient descent.",
    """
data x : 4| = [0, 1, 2, 3]
data t : 4| = [1, 3, 5, 7]
param w : -> = 0
param b : -> = 0
for i in 0..5:
  let loss = mean(square(w *. x + b - t))
  backward loss
  w =: w - 0.1 *. w.grad
  b =: b - 0.1 *. b.grad
print w
print b
""",
    w=w,
    b=b,
)

s = np.array([[1, 2, 3], [1, 1, 1]], float)
y = np.array([2, 0])
pp = sm(s)
oh = np.eye(3)[y]
prog(
    "slope-of-cross-entropy",
    "The gradient is the difference of the probabilities and the targets.",
    """
data s : 2|->3 = [1, 2, 3, 1, 1, 1]
data y : 2| = [2, 0]
param z : ->3 = 0
let l = sum(cross_entropy(s + z, one_hot(y, 3)))
backward l
print l
print z.grad
""",
    l=-(oh * np.log(pp)).sum(),
    **{"z.grad": (pp - oh).sum(0)},
)

pred = np.array([0, 2, 1, 2, 2])
true = np.array([0, 1, 1, 2, 0])
C = np.zeros((3, 3))
np.add.at(C, (true, pred), 1)
prog(
    "a-confusion-matrix",
    "How often each class is taken for each other one.",
    """
data pred : 5| = [0, 2, 1, 2, 2]
data true : 5| = [0, 1, 1, 2, 0]
let c = sum(one_hot(true, 3) * one_hot(pred, 3), "n|->t; n|->p => t->p")
let recall = sum(c, "i->i => ->i") / sum(c, "i->j => ->i")
print c
print recall
""",
    c=C,
    recall=np.diag(C) / C.sum(1),
)

x = np.array([-1, 0.5, 2])
prog(
    "horner",
    "A polynomial by Horner's rule, and by powers.",
    """
data x : ->3 = [-1, 0.5, 2]
let y = x *. 0 + 2
for c in 0..3 carry y:
  let y = y *. x + c
print y
print 2 *. x ** 3 + x + 2
""",
    y=((2 * x + 0) * x + 1) * x + 2,
    **{"2 *. x ** 3 + x + 2": 2 * x**3 + x + 2},
)

x = np.array([[1, 5, 0], [4, 2, 9]], float)
m = np.array([[1, 1, 0], [1, 0, 0]], float)
prog(
    "a-mean-of-what-is-not-padding",
    "The mean over the places that a mask lets through.",
    """
data x : 2|->3 = [1, 5, 0, 4, 2, 9]
data m : 2|->3 = [1, 1, 0, 1, 0, 0]
let n = sum(m, "b|->t => b|")
let y = sum(x *. m, "b|->t => b|") / n
let c = where(m, x - y, 0)
print y
print c
print c @| 0
""",
    y=(x * m).sum(1) / m.sum(1),
    c=np.where(m > 0, x - ((x * m).sum(1) / m.sum(1))[:, None], 0),
    **{"c @| 0": [-2, 2, 0]},
)

p = np.array([0.9, 0.2, 0.6])
t = np.array([1, 0, 1.0])
prog(
    "dice-score",
    "Twice the overlap over the sum of the sizes.",
    """
data p : ->3 = [0.9, 0.2, 0.6]
data t : ->3 = [1, 0, 1]
let dice = 2 *. sum(p *. t) / (sum(p) + sum(t))
print 1 - dice
""",
    **{"1 - dice": 1 - 2 * (p * t).sum() / (p.sum() + t.sum())},
)

Adj = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], float) + np.eye(3)
dg = 1 / np.sqrt(Adj.sum(1))
An = dg[:, None] * Adj * dg[None]
H = r(3, 2)
W = np.array([[1, 0.5], [-1, 2]])
prog(
    "a-graph-convolution",
    "Neighbours are averaged with the degrees and mixed by weights.",
    """
data adj : 3->3 = [1, 1, 1, 1, 1, 0, 1, 0, 1]
data h : ->3, 2 = range(6)
data w : 2->2 = [1, 0.5, -1, 2]
let deg = sum(adj, "i->j => ->j")
let d = 1 / sqrt(deg)
let mixed = sum(adj * d * d * h, "i->j; ->i; ->j; ->i, c => ->j, c")
let y = relu(sum(mixed * w, "->j, c; c->f => ->j, f"))
print y
""",
    y=np.maximum(An @ H @ W, 0),
)

M = np.array([[0, 0.5, 1], [0.5, 0, 0], [0.5, 0.5, 0]])
v = np.ones(3) / 3
for _ in range(20):
    v = 0.15 / 3 + 0.85 * M @ v
prog(
    "page-rank",
    "Twenty steps of a walk between three pages.",
    """
data m : 3->3 = [0, 0.5, 0.5, 0.5, 0, 0.5, 1, 0, 0]
data one : ->3 = [1, 1, 1]
let v = one / 3
for i in 0..20 carry v:
  let v = 0.05 + 0.85 *. (m * v)
print v
print sum(v)
""",
    v=v,
    **{"sum(v)": v.sum()},
)
x = r(2, 3) + 1
prog(
    "slices-of-a-chain",
    "Slices of a chain of cell by cell lines, in the order in which they came to mind.",
    """
data x : 2|->3 = [1, 2, 3, 4, 5, 6]
let m = mean(x, outputs)
let c = m - 1
let d = c *. 2 + m
let first = d @| 0
let second = m @| 1
let e = exp(c - second)
let f = e @| 1
print d
print first
print second
print f
print x - d
""",
    d=(x.mean(1) - 1) * 2 + x.mean(1),
    first=4,
    second=5,
    f=np.exp(4 - 5.0),
    **{"x - d": x - ((x.mean(1) - 1) * 2 + x.mean(1))[:, None]},
)

x = np.array([[1, 3, 2], [5, 5, 1]], float)
prog(
    "how-far-from-the-best",
    "Each score beside the best of its row, and the best of all.",
    """
data x : 2|->3 = [1, 3, 2, 5, 5, 1]
let best = max(x, outputs)
let gap = best - x
let all = max(best, "n| => ")
let worst = gap @| 1
print gap
print all
print worst
""",
    gap=x.max(1)[:, None] - x,
    all=5,
    worst=[0, 0, 4],
)
x = r(2, 3)
prog(
    "rows-are-turned-round",
    "A table is read backwards and its halves are swapped.",
    """
data x : 2|->4 = range(8)
data turn : 4->4 = [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0]
let y = turn * x
let s = map(x, "n|->a:2^b => n|->b^a")
print y
print s
""",
    y=r(2, 4)[:, ::-1],
    s=np.concatenate([r(2, 4)[:, 2:], r(2, 4)[:, :2]], 1),
)
t = np.array([20, 21, 19, 25, 30, 28], float)
dl = np.diff(t)
prog(
    "the-days-from-the-second",
    "A series without its first value.",
    """
data t : 6| = [20, 21, 19, 25, 30, 28]
let d = map(t, "_:1^i| => i|")
print d
""",
    d=t[1:],
)
t = np.array([20, 21, 19, 25, 30, 28], float)
prog(
    "changes-of-a-series",
    "The change from one day to the next by a window with two weights.",
    """
data t : ->6 = [20, 21, 19, 25, 30, 28]
data k : ->2 = [-1, 1]
let d = sum(t * k, "->i+u; ->u => ->i")
let m = max(d)
print d
print m
print map(d, "->3 => ")
""",
    d=np.diff(t),
    m=6,
    **{'map(d, "->3 => ")': 5},
)
p = np.array([0.1, 0.4, 0.5])
prog(
    "an-expected-value",
    "The mean and the variance of a die with three sides.",
    """
data p : ->3 = [0.1, 0.4, 0.5]
data v : ->3 = [1, 2, 6]
let m = sum(p *. v)
let var1 = sum(p *. square(v - m))
print m, var1
print sqrt(var1)
""",
    m=(p * [1, 2, 6]).sum(),
    var1=(p * (np.array([1, 2, 6]) - (p * [1, 2, 6]).sum()) ** 2).sum(),
    **{"sqrt(var1)": np.sqrt((p * (np.array([1, 2, 6]) - (p * [1, 2, 6]).sum()) ** 2).sum())},
)
x = np.array([[0, 0], [0, 1], [4, 4], [5, 5]], float)
c = np.array([[0, 0], [5, 5]], float)
for _ in range(1):
    a = ((x[:, None] - c[None]) ** 2).sum(-1).argmin(1)
    c = np.array([x[a == k].mean(0) for k in range(2)])
prog(
    "a-step-of-k-means",
    "Points go to the nearer centre, and centres to the mean of their points.",
    """
data x : 4|->2 = [0, 0, 0, 1, 4, 4, 5, 5]
data c : 2->2 = [0, 0, 5, 5]
let d = sum(square(c), "k->f => ->k") - 2 *. sum(x * c, "n|->f; k->f => n|->k")
let near = one_hot(argmin(d, 2), 2)
let sums = sum(near * x, "n|->k; n|->f => k->f")
let counts = sum(near, "n|->k => k->")
let centres = map(sums, "k->f => k->f") / map(counts, "k-> => k->f:2")
print argmin(d, 2)
print counts
""",
    **{"argmin(d, 2)": a, "counts": np.bincount(a)},
)
x = np.array([1, 2, 3, 4], float)
prog(
    "running-totals",
    "The sum of all values so far.",
    """
data x : ->4 = [1, 2, 3, 4]
data tri : 4->4 = [1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1]
let s = sum(x * tri, "->i; i->j => ->j")
print s
""",
    s=np.cumsum(x),
)
a = np.array([3, -1, 0, 2], float)
prog(
    "the-largest-of-ties",
    "The slope of the largest value, shared by three that are equal.",
    """
data x : ->4 = [2, 2, 1, 2]
param z : ->4 = 0
let m = max(x + z)
let l = square(m)
backward l
print m
print sum(z.grad)
""",
    m=2,
    **{"sum(z.grad)": 4},
)
X = np.array([[1, 2], [-1, 3]], float)
W = np.array([[1, -1], [0, 1]], float)
V = np.array([[2, -1]], float)
H = np.maximum(X @ W.T, 0)
Y = H @ V.T
prog(
    "a-relu-network-by-hand",
    "Two layers with written weights: the output and both gradients.",
    """
data x : 2|->2 = [1, 2, -1, 3]
data w0 : 2->2 = [1, 0, -1, 1]
param dw : 2->2 = 0
data v0 : 2->1 = [2, -1]
param dv : 2->1 = 0
let h = relu((w0 + dw) * x)
let y = (v0 + dv) * h
let l = sum(square(y))
backward l
print h
print y
print dv.grad
print dw.grad
""",
    h=H,
    y=Y,
    **{"dv.grad": (2 * Y.T @ H).T, "dw.grad": (((2 * Y @ V) * (H > 0)).T @ X).T},
)
x = np.array([[1, 2], [3, 4], [5, 7]], float)
a = x - x.mean(1, keepdims=True)
b = a - a.mean(0)
prog(
    "centred-twice",
    "Rows lose their mean, then columns lose theirs.",
    """
data x : 3|->2 = [1, 2, 3, 4, 5, 7]
let a = x - mean(x, outputs)
let b = a - mean(a, "n|->c => ->c")
let top = b @| 0
let col = map(b, "n|->1 => n|")
print b
print top
print col
print mean(x, outputs) @| 2
""",
    b=b,
    top=b[0],
    col=b[:, 1],
    **{"mean(x, outputs) @| 2": x.mean(1)[2]},
)
x = np.array([[1, 2], [3, 4], [5, 7]], float)
w = np.array([2, 1, 1.0])
s = np.array([[0.5, 2, 1], [1, 1, 1]])
prog(
    "top-score-and-runner-up",
    "The best and the second best of each row.",
    """
data s : 2|->3 = [0.5, 2, 1, 1, 3, 1.5]
let best = max(s, outputs)
let hit = one_hot(argmax(s, 3), 3)
let rest = max(where(hit == 1, -1000, s), outputs)
print best
print rest
print best - rest
print (best - rest) @| 1
""",
    best=[2, 3],
    rest=[1, 1.5],
    **{"best - rest": [1, 1.5], "(best - rest) @| 1": 1.5},
)
y = np.array([0.0, 1, 2, 3, 4])
prog(
    "trapezoids",
    "The area below a curve by trapezoids.",
    """
data x : ->5 = range(5)
let f = x *. x
data half : ->2 = [0.5, 0.5]
let area = sum(f * half, "->i+u; ->u => ")
print area
""",
    area=np.trapezoid(y * y, y),
)
g = r(3, 3)
lap = np.zeros((3, 3))
gp = np.pad(g * g, 1)
lap = gp[:-2, 1:-1] + gp[2:, 1:-1] + gp[1:-1, :-2] + gp[1:-1, 2:] - 4 * gp[1:-1, 1:-1]
prog(
    "a-heat-step",
    "The sum of four neighbours less four times the cell, with zeros outside.",
    """
data g : ->3, 3 = range(9)
let f = square(g)
data k : ->3, 3 = [0, 1, 0, 1, -4, 1, 0, 1, 0]
let l = sum(f * k, "->same(y+u), same(x+v); ->u, v => ->y, x")
print l
print map(l, "->y, 0 => ->y")
""",
    l=lap,
    **{'map(l, "->y, 0 => ->y")': lap[:, 0]},
)

known = np.array([[0, 0], [1, 0], [0, 1], [5, 5], [6, 5]], float)
query = np.array([[0.2, 0.1], [5.2, 5.1]])
dist = np.sqrt(((query[:, None] - known[None]) ** 2).sum(-1))
vote = np.eye(2)[np.array([0, 0, 0, 1, 1])[dist.argmin(1)]]
prog(
    "the-nearest-neighbour",
    "Each query gets the class of the point that is nearest to it.",
    """
data known : n:5|->2 = [0, 0, 1, 0, 0, 1, 5, 5, 6, 5]
data labels : n| = [0, 0, 0, 1, 1]
data query : m:2|->2 = [0.2, 0.1, 5.2, 5.1]
let dot = sum(query * known, "m|->d; n|->d => m|->n")
let qq = sum(square(query), "m|->d => m|")
let kk = sum(square(known), "n|->d => ->n")
let dist = sqrt(qq + kk - dot *. 2)
let best = dist <= min(dist, "m|->n => m|")
let vote = sum(best * one_hot(labels, 2), "m|->n; n|->c => m|->c")
print dist
print vote
""",
    dist=dist,
    vote=vote,
)

s = r(3, 4, 5) / 60
lab = np.array([[0, 1, 2, 3], [1, 2, 0, 0], [4, 0, 0, 0]])
n = np.array([4, 2, 1])
lp = s - np.log(np.exp(s).sum(-1, keepdims=True))
per = -np.take_along_axis(lp, lab[..., None], -1)[..., 0]
mask = (n[:, None] > np.arange(4)).astype(float)
prog(
    "a-loss-over-sequences-of-different-lengths",
    "Only the places before the end of a sequence count.",
    """
data scores : n:3, t:4|->5 = range(60)
data labels : n, t| = [0, 1, 2, 3, 1, 2, 0, 0, 4, 0, 0, 0]
data length : n| = [4, 2, 1]
data pos : ->t = range(4)
let mask = map(length > pos, "n|->t => n, t|")
let per = cross_entropy(scores / 60, one_hot(labels, 5))
let loss = sum(per *. mask) / sum(mask)
print per
print loss
print per @| 1
""",
    per=per,
    loss=(per * mask).sum() / mask.sum(),
    **{"per @| 1": per[1]},
)

rew = np.array([1, 0, 2, 3], float)
ret = np.zeros(4)
acc = 0.0
for i in reversed(range(4)):
    acc = rew[i] + 0.9 * acc
    ret[i] = acc
prog(
    "discounted-returns",
    "Rewards count less the later they come, by powers of a discount.",
    """
data r : ->4 = [1, 0, 2, 3]
data t : ->4 = range(4)
let lag = map(t, "i => i->") - map(t, "j => ->j")
let d = where(lag <= 0, 0.9 ** (0 - lag), 0)
let g = sum(d * r, "i->j; ->j => ->i")
print g
""",
    g=ret,
)

m = np.array([[1, 2], [0, 1]], float)
prog(
    "a-power-of-a-matrix-by-a-loop",
    "A shear to the fifth power.",
    """
data m : 2->2 = [1, 0, 2, 1]
data eye : 2->2 = [1, 0, 0, 1]
let p = eye
for i in 0..5 carry p:
  let p = m * p
print p
""",
    p=np.linalg.matrix_power(m, 5).T,
)

z = np.array([2.0, 9, 100])
y = z.copy()
for _ in range(8):
    y = (y + z / y) / 2
prog(
    "square-roots-by-newton",
    "Eight steps of Newton's method for three square roots.",
    """
data z : ->3 = [2, 9, 100]
let y = z
for i in 0..8 carry y:
  let y = (y + z / y) / 2
print y
print y - sqrt(z)
""",
    y=y,
    **{"y - sqrt(z)": y - np.sqrt(z)},
)
