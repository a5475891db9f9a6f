//! What people call by another name elsewhere: functions and modules of NumPy, PyTorch and JAX, with what to write here.

/// What to write for a function that the language does not have under this name. `x` stands for an operand of the shape `8|->3`.
pub(crate) fn function(name: &str) -> Option<&'static Counterpart> {
    COUNTERPARTS
        .iter()
        .find(|entry| entry.words.contains(&name))
}

/// Whether a name is customary for a module of another library, so that `name.f(x)` means the function `f`.
pub(crate) fn is_module(name: &str) -> bool {
    matches!(
        name,
        "np" | "numpy" | "torch" | "nn" | "F" | "jnp" | "jax" | "tf" | "optax" | "math"
    )
}

/// Functions that other libraries have, and a line of the language that does the same.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// The names that the function has elsewhere.
    pub words: &'static [&'static str],
    /// An expression of the language; `x` is an operand of the shape `8|->3`.
    pub line: &'static str,
    /// What else to know, as the end of the sentence that names the line. May be empty.
    pub remark: &'static str,
}

impl Counterpart {
    /// One sentence with the line to write in backticks.
    pub(crate) fn help(&self) -> String {
        format!("write for example `{}`{}", self.line, self.remark)
    }
}

/// All functions that have another name elsewhere, or none of their own here.
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

/// Each line is inferred by a test.
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
        " for an axis of length 1; to broadcast none is needed, since a missing axis broadcasts",
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
        "x *. 0 + 1",
        ", or `const z : 3->4 = 1` on a line of its own; a number fits anywhere and usually needs no tensor",
    ),
    entry(
        &["arange", "linspace", "iota"],
        "range(3) / 2",
        ": `range(n)` counts from 0",
    ),
    entry(
        &["prod", "product"],
        r#"exp(sum(log(abs(x) + 1e-9), "n|->c => n|"))"#,
        ": values are combined by `sum`, `max` and `min` only",
    ),
    entry(
        &["cumsum", "scan"],
        r#"sum(causal(8) * x, "s|->t; t|->c => s|->c")"#,
        ": `causal(n)` is 1 for each earlier position and itself; a recurrence is a loop, `for i in 0..8 carry h:`",
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
];
