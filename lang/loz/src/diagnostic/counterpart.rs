//! Functions and modules of NumPy, PyTorch and JAX that have another name here, with the line to write in their place.

/// Finds the counterpart of a function that the language does not have under this name. `x` stands for an operand of
/// the shape `8|->3`.
pub(crate) fn function(name: &str) -> Option<&'static Counterpart> {
    COUNTERPARTS
        .iter()
        .find(|entry| entry.words.contains(&name))
}

/// Tells whether a name is customary for a module of another library, so that `name.f(x)` means the function `f`.
pub(crate) fn is_module(name: &str) -> bool {
    matches!(
        name,
        "np" | "numpy" | "torch" | "nn" | "F" | "jnp" | "jax" | "tf" | "optax" | "math"
    )
}

/// The names of arguments that say in other libraries which axes a function is over.
pub(crate) const AXES: [&str; 5] = ["axis", "dim", "axes", "keepdims", "keepdim"];

/// The advice for an argument that names axes.
pub(crate) const AXES_HELP: &str = "a spec says which axes stay: `mean(x, \"n|->c => ->c\")` is over `n`, and `mean(x, \"n|->c => n|\")` is over `c`; `softmax(x)` is over the outputs";

/// The functions of linear algebra that solve equations or decompose a matrix, with the advice for them: no line
/// replaces one.
const ABSENT: [(&[&str], &str); 3] = [
    (
        &["inverse", "inv", "pinv"],
        "an inverse is a loop of Newton's steps, `let y = transpose(a) / sum(square(a))` and then `for i in 0..30 carry y: let y = 2 *. y - y * a * y`: it doubles the right digits in each turn",
    ),
    (
        &["solve", "lstsq", "cho_solve", "solve_triangular"],
        "the solution of `a * x = b` is `y * b` with the inverse `y` of `a`, by Newton's steps: `let y = transpose(a) / sum(square(a))` and then `for i in 0..30 carry y: let y = 2 *. y - y * a * y`",
    ),
    (
        &[
            "det",
            "slogdet",
            "cholesky",
            "qr",
            "svd",
            "eig",
            "eigh",
            "eigvals",
            "lu",
            "expm",
            "matrix_power",
        ],
        "the language has no decompositions; a power of a matrix is a loop: `for i in 0..8 carry p: let p = p * a`",
    ),
];

/// Returns the advice for a function that is not in the language, and that no line replaces.
pub(crate) fn absent(name: &str) -> Option<&'static str> {
    let mut all = ABSENT.iter();
    all.find(|(words, _)| words.contains(&name))
        .map(|(_, advice)| *advice)
}

/// Functions that other libraries have, and a line of the language that does the same.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// The names that the function has elsewhere.
    pub words: &'static [&'static str],
    /// An expression of the language; `x` is an operand of the shape `8|->3`.
    pub line: &'static str,
    /// A further remark, as the end of the sentence that names the line. May be empty.
    pub remark: &'static str,
}

impl Counterpart {
    /// Writes one sentence with the line to write in backticks.
    pub(crate) fn help(&self) -> String {
        format!("write for example `{}`{}", self.line, self.remark)
    }
}

/// Lists all functions that have another name elsewhere, or none of their own here.
#[must_use]
pub fn counterparts() -> &'static [Counterpart] {
    COUNTERPARTS
}

const fn entry(
    words: &'static [&'static str],
    line: &'static str,
    remark: &'static str,
) -> Counterpart {
    Counterpart {
        words,
        line,
        remark,
    }
}

/// The counterparts. Each line is inferred by a test.
static COUNTERPARTS: &[Counterpart] = &[
    entry(
        &[
            "matmul",
            "dot",
            "mm",
            "bmm",
            "mv",
            "einsum",
            "tensordot",
            "inner",
            "outer",
            "contract",
        ],
        r#"sum(x * x, "n|->i; n|->j => i->j")"#,
        ": a spec names the axes, and those that the result leaves out are summed; `w * x` applies a matrix `w`",
    ),
    entry(
        &[
            "reshape",
            "view",
            "flatten",
            "ravel",
            "rearrange",
            "unflatten",
        ],
        r#"map(x, "n|->c => ->(n, c)")"#,
        ": `(n, c)` is one axis made of two, on either side of the arrow",
    ),
    entry(
        &[
            "permute", "swapaxes", "moveaxis", "swapdims", "movedim", "T",
        ],
        r#"map(x, "n|->c => c|->n")"#,
        ": a spec says where each axis goes; `transpose(w)` exchanges inputs and outputs",
    ),
    entry(
        &["unsqueeze", "expand_dims", "newaxis"],
        r#"map(x, "n|->c => n|->0:1, c")"#,
        " for an axis of length 1, which pairs with another one of length 1 only; `0:1_` in its place broadcasts, but so does a missing axis",
    ),
    entry(
        &["squeeze"],
        r#"map(x, "n|->0 => n|->")"#,
        ": position 0 of an axis, which the result leaves out",
    ),
    entry(
        &["cat", "concatenate", "hstack", "vstack"],
        r#"concat(x, x, "n|->a; n|->b => n|->a^b")"#,
        ": the result names the axis that is made of both",
    ),
    entry(
        &[
            "zeros",
            "ones",
            "full",
            "zeros_like",
            "ones_like",
            "full_like",
        ],
        "where(x, 1, 1)",
        ", or `const z : 3->4 = 1` on a line of its own; a number fits anywhere and usually needs no tensor",
    ),
    entry(
        &["arange", "linspace", "iota"],
        "range(3) / 2",
        ": `range(n)` counts from 0",
    ),
    entry(
        &["product"],
        r#"prod(x, "n|->c => n|")"#,
        ": the values that meet in a cell are multiplied; as an assignment it is `t =:* x`",
    ),
    entry(
        &["scan", "cumprod", "cummax"],
        "cumsum(x, 8)",
        " for the sums along the last batch axis, here of 8 positions; a product up to each position and any other recurrence is a loop, `for i in 0..8 carry h:`, where `x @| i` is a position",
    ),
    entry(
        &[
            "sort", "argsort", "topk", "unique", "nonzero", "median", "quantile",
        ],
        r#"max(x, "n|->c => n|")"#,
        " for the largest; nothing else of an order is in the language",
    ),
    entry(
        &["gather", "take", "index_select", "scatter"],
        "x @| 2",
        ": a slice of the batch, by a number or by the turn of a loop; to choose by data, multiply by `one_hot(tokens, k)`",
    ),
    entry(
        &["embedding", "Embedding"],
        r#"linear()(one_hot(max(x, outputs), 24)) + x"#,
        ": an embedding is a linear map of one-hot tokens, here 24 of them; `dense(h)` gives it a width",
    ),
    entry(
        &["Linear", "Dense", "fc"],
        "dense(4)(x)",
        ": first the width, then the tensor; `linear()` is as wide as its use says",
    ),
    entry(
        &["LayerNorm", "layernorm"],
        "layer_norm()(x)",
        ": a layer has two lists, first its configuration",
    ),
    entry(
        &["batch_norm", "BatchNorm1d", "BatchNorm2d", "batchnorm"],
        r#"(x - mean(x, "n|->c => ->c")) / sqrt(mean(square(x - mean(x, "n|->c => ->c")), "n|->c => ->c") + 1e-5)"#,
        "",
    ),
    entry(
        &["conv", "conv1d", "conv2d", "conv3d", "Conv1d", "Conv2d"],
        r#"sum(x, "n|->y+u:2 => n|->y")"#,
        ": a window is part of a spec; with weights `param k` and two operands `\"n|->same(y+u:3), c; u, c->f:6 => n|->y, f\"`",
    ),
    entry(
        &[
            "max_pool1d",
            "max_pool2d",
            "MaxPool2d",
            "avg_pool2d",
            "AvgPool2d",
            "pool",
        ],
        r#"max(x, "n|->floor(2*y+u:2) => n|->y")"#,
        ": a window is part of a spec; `2*y` moves it by two",
    ),
    entry(&["pow", "power"], "x ** 2", ""),
    entry(
        &["shape", "len", "numel", "ndim"],
        r#"count(x, "n|->c => ")"#,
        " for the number of cells; a shape gives a size a name, `data x : n|->3`, and `lozenge infer --shapes` prints all",
    ),
    entry(
        &["randn", "rand", "normal_like", "rand_like", "randn_like"],
        "normal() *. x",
        ": `normal()` and `uniform()` give a number for each cell; a parameter begins so, `param w = normal()`",
    ),
    entry(&["maximum", "fmax", "amax"], "max(x, 0)", ""),
    entry(&["minimum", "fmin", "amin"], "min(x, 0)", ""),
    entry(
        &["multiply", "mul"],
        "x *. x",
        ": `*.` multiplies cell by cell",
    ),
    entry(
        &["CrossEntropyLoss", "nll_loss"],
        "mean(cross_entropy(x, one_hot(max(x, outputs), 3)))",
        ": scores first, then one-hot targets",
    ),
    entry(&["mse_loss", "MSELoss"], "mse(x, x)", ""),
    entry(
        &["split", "chunk", "unbind", "tensor_split", "array_split"],
        r#"map(x, "n|->(g:3, c) => g, n|->c") @| 0"#,
        ": the parts are the slices of an axis that is split in two, here three parts of one output",
    ),
    entry(
        &["tile", "expand", "broadcast_to", "upsample", "interpolate"],
        r#"map(x, "n|->c => n|->(c, k:2)")"#,
        " for each value twice, and `(k:2, c)` for all of them twice; to broadcast nothing is needed, since a missing axis broadcasts",
    ),
    entry(
        &["pad"],
        r#"map(x, "pad(n, 1)|->c => n|->c")"#,
        " for one more cell at both ends, which is 0; a convolution pads by itself, `same(y+u:3)`",
    ),
    entry(
        &["flip", "fliplr", "flipud"],
        r#"map(range(3) == 2 - range(3), "i; j => i->j") * x"#,
        ": the map of 3 outputs that is 1 where the places add up to 2; `reverse(x, 8)` turns the 8 positions of the last batch axis",
    ),
    entry(
        &["trace"],
        r#"sum(sum(x * x, "n|->i; n|->j => i->j"), "i->i => ")"#,
        ": a label that stands twice is the diagonal",
    ),
    entry(
        &["diag", "diagonal"],
        r#"map(sum(x * x, "n|->i; n|->j => i->j"), "i->i => ->i")"#,
        ": a label that stands twice is the diagonal",
    ),
    entry(
        &["eye", "identity"],
        r#"map(range(3) == range(3), "i; j => i->j")"#,
        ": 1 where the two positions are equal",
    ),
    entry(
        &["tril", "triu", "causal_mask"],
        "causal(8)",
        ": 1 for each earlier position and itself, as a map of positions",
    ),
    entry(
        &["cov", "cov_matrix", "corrcoef"],
        r#"sum((x - mean(x, "n|->c => ->c")) * (x - mean(x, "n|->c => ->c")), "n|->i; n|->j => i->j") / 8"#,
        ", for a batch of 8",
    ),
    entry(
        &["cdist", "pairwise_distance"],
        r#"norm(map(x - x, "n|->c; m|->c => n, m|->c"), "n, m|->c => n|->m")"#,
        ": a spec with a shape for each operand makes all pairs",
    ),
    entry(&["sign", "sgn"], "(x > 0) - (x < 0)", ""),
    entry(
        &["rint"],
        "round(x)",
        ": of two whole numbers that are equally near, the even one",
    ),
    entry(&["ceil"], "-floor(-x)", ""),
    entry(
        &["remainder"],
        "mod(x, 3)",
        ": with the sign of the divisor; `fmod(x, 3)` has that of `x`",
    ),
    entry(&["floor_divide"], "floor(x / 3)", ""),
    entry(&["exp2"], "2 ** x", ""),
    entry(&["log2", "log10"], "log(x) / log(2)", ""),
    entry(&["tan"], "sin(x) / cos(x)", ""),
    entry(
        &["sinh", "cosh"],
        "(expm1(x) - expm1(-x)) / 2",
        "; the cosine is `(exp(x) + exp(-x)) / 2`",
    ),
    entry(&["isnan"], "x != x", ""),
    entry(
        &["logical_and", "bitwise_and", "all"],
        "min(x > 0, x < 2)",
        ": a comparison is 1 where it holds, else 0; `min(c, \"n|->c => n|\")` is 1 where all hold",
    ),
    entry(
        &["logical_or", "bitwise_or", "any"],
        "max(x > 0, x < 2)",
        ": a comparison is 1 where it holds, else 0; `max(c, \"n|->c => n|\")` is 1 where one holds",
    ),
    entry(&["logical_not"], "1 - (x > 0)", ""),
    entry(&["masked_fill", "select"], "where(x > 0, x, -1e9)", ""),
    entry(&["swish", "SiLU"], "silu(x)", ""),
    entry(
        &["huber_loss", "smooth_l1_loss", "huber"],
        "min(abs(x), 1) *. (abs(x) - min(abs(x), 1) / 2)",
        ", where `x` is the difference",
    ),
    entry(
        &[
            "bce",
            "binary_cross_entropy",
            "BCELoss",
            "bce_loss",
            "BCEWithLogitsLoss",
        ],
        "mean(softplus(x) - x *. (x > 0))",
        ", where `x` is the score and `x > 0` stands for the target",
    ),
    entry(
        &["bincount", "histogram", "bin_count"],
        r#"sum(one_hot(max(x, outputs), 24), "n|->k => ->k")"#,
        ": how often each of 24 numbers appears",
    ),
    entry(
        &[
            "MultiheadAttention",
            "multihead_attention",
            "MultiHeadAttention",
        ],
        "attention(2, 4)(x) + x",
        ": the number of heads and their width, then the tensor; the last batch axis is the position",
    ),
    entry(
        &["RNN", "GRU", "LSTM", "RNNCell", "GRUCell", "LSTMCell"],
        "tanh(dense(4)(x))",
        ": a recurrence is a loop over slices, `for i in 0..8 carry h:` and `let h = tanh(dense(4)(xs @| i) + again(h))` with `let again = linear()` above it",
    ),
    entry(
        &["vmap", "jit"],
        "relu(x)",
        ": what is written for one instance is done for the whole batch, and programs are always compiled",
    ),
    entry(
        &["grad", "value_and_grad"],
        "mean(square(x))",
        " as `loss`, then `backward loss` on a line of its own: `w.grad` is the gradient of a parameter `w`",
    ),
];
