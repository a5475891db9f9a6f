//! The workloads of the backend benchmark: programs, with the same computation in NumPy and PyTorch.

/// A program that is measured.
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// The program. Its data come from `values`, in place of the files that it names.
    pub program: String,
    /// The tensor that it computes.
    pub result: &'static str,
    /// Floating-point operations, a multiply-add counted as two; 0 if only bytes count.
    pub flops: f64,
    /// Bytes of operands and result, each counted once; 0 if only operations count.
    pub bytes: f64,
    /// The required figure.
    pub figure: &'static str,
    /// The same computation in NumPy, on arrays with the names of the data tensors.
    pub numpy: &'static str,
    /// The same in PyTorch.
    pub torch: &'static str,
}

impl Workload {
    /// Returns the operations or the bytes of a run.
    pub fn amount(&self) -> f64 {
        self.flops + self.bytes
    }
}

/// Returns the values of a program's data tensor, by its number: between -0.5 and 0.5, computed from the place only, so
/// that other programs can use the same values.
pub fn values(tensor: usize, count: usize) -> Vec<f32> {
    let mixed = |at: u32| {
        let mixed = at
            .wrapping_add(7919 * (tensor as u32 + 1))
            .wrapping_mul(2_654_435_761);
        (mixed >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count as u32).map(mixed).collect()
}

const MATMUL: &str = "at least 0.6 of multiply-add, at most 1.3 times torch";
const CONTRACTION: &str = "faster than numpy.einsum";
const ELEMENTWISE: &str = "at least 0.9 of copy";
const CONVOLUTION: &str = "at least 0.6 of multiply-add";

/// Lists all workloads.
pub fn workloads() -> Vec<Workload> {
    let mut all: Vec<Workload> = [64, 128, 256, 512, 1024, 2048]
        .into_iter()
        .map(matmul)
        .collect();
    all.extend([
        contraction(
            "batched 1024 x 64^3",
            "data a : 1024, 64|->64 from \"a\"\ndata b : 1024, 64|->64 from \"b\"\nlet c = sum(a * b, \"n, i|->k; n, k|->j => n, i|->j\")\n",
            2.0 * 1024.0 * 64f64.powi(3),
            CONTRACTION,
            ["np.matmul(a, b)", "torch.matmul(a, b)"],
        ),
        contraction(
            "K split 64 x 65536 x 64",
            "data a : 64|->65536 from \"a\"\ndata b : 65536|->64 from \"b\"\nlet c = sum(a * b, \"i|->k; k|->j => i|->j\")\n",
            2.0 * 64.0 * 64.0 * 65536.0,
            CONTRACTION,
            ["np.einsum('ik,kj->ij', a, b, optimize=True)", "torch.einsum('ik,kj->ij', a, b)"],
        ),
        contraction(
            "skinny 4096 x 4096 x 8",
            "data a : 4096|->4096 from \"a\"\ndata b : 4096|->8 from \"b\"\nlet c = sum(a * b, \"i|->k; k|->j => i|->j\")\n",
            2.0 * 4096.0 * 4096.0 * 8.0,
            CONTRACTION,
            ["np.einsum('ik,kj->ij', a, b, optimize=True)", "torch.einsum('ik,kj->ij', a, b)"],
        ),
        contraction(
            "matvec 4096",
            "data a : 4096|->4096 from \"a\"\ndata b : 4096 from \"b\"\nlet c = sum(a * b, \"i|->k; k => i|->\")\n",
            2.0 * 4096.0 * 4096.0,
            "at most 1.6 times numpy.einsum",
            ["np.einsum('ik,k->i', a, b, optimize=True)", "torch.einsum('ik,k->i', a, b)"],
        ),
        contraction(
            "abcde,cbf->adef",
            "data a : 16, 32, 32|->16, 16 from \"a\"\ndata b : 32, 32|->256 from \"b\"\nlet c = sum(a * b, \"a, b, c|->d, e; c, b|->f => a|->d, e, f\")\n",
            2.0 * 16.0 * 32.0 * 32.0 * 256.0 * 256.0,
            CONTRACTION,
            ["np.einsum('abcde,cbf->adef', a, b, optimize=True)", "torch.einsum('abcde,cbf->adef', a, b)"],
        ),
        contraction(
            "abcd,cd,bd->ab",
            "data a : 64, 64|->64, 64 from \"a\"\ndata b : 64|->64 from \"b\"\ndata d : 64|->64 from \"d\"\nlet e = sum(a * b, \"a, b|->c, d; c|->d => a, b|->d\")\nlet c = sum(e * d, \"a, b|->d; b|->d => a|->b\")\n",
            2.0 * 64f64.powi(4) + 2.0 * 64f64.powi(3),
            CONTRACTION,
            ["np.einsum('abcd,cd,bd->ab', a, b, d, optimize=True)", "torch.einsum('abcd,cd,bd->ab', a, b, d)"],
        ),
        contraction(
            "ijk,jr,kr->ir",
            "data a : 128|->128, 128 from \"a\"\ndata b : 128|->64 from \"b\"\ndata d : 128|->64 from \"d\"\nlet e = sum(a * d, \"i|->j, k; k|->r => i, j|->r\")\nlet c = sum(e * b, \"i, j|->r; j|->r => i|->r\")\n",
            2.0 * 128f64.powi(3) * 64.0 + 2.0 * 128.0 * 128.0 * 64.0,
            CONTRACTION,
            ["np.einsum('ijk,jr,kr->ir', a, b, d, optimize=True)", "torch.einsum('ijk,jr,kr->ir', a, b, d)"],
        ),
    ]);
    all.extend([
        convolution(1, 56, 64, 64),
        convolution(8, 56, 64, 64),
        convolution(64, 8, 32, 64),
        padded_convolution(),
        transposed_convolution(),
    ]);
    all.extend(cell_by_cell());
    all.extend(reductions());
    all.extend(permutations());
    all
}

fn contraction(
    name: &'static str,
    program: &str,
    flops: f64,
    figure: &'static str,
    [numpy, torch]: [&'static str; 2],
) -> Workload {
    Workload {
        name,
        program: program.to_string(),
        result: "c",
        flops,
        bytes: 0.0,
        figure,
        numpy,
        torch,
    }
}

fn matmul(n: u64) -> Workload {
    let program = format!(
        "data a : {n}|->{n} from \"a\"\ndata b : {n}|->{n} from \"b\"\nlet c = sum(a * b, \"i|->k; k|->j => i|->j\")\n"
    );
    let name = match n {
        64 => "matmul 64",
        128 => "matmul 128",
        256 => "matmul 256",
        512 => "matmul 512",
        1024 => "matmul 1024",
        _ => "matmul 2048",
    };
    let figure = match n {
        1024 | 2048 => MATMUL,
        64 => "",
        _ => CONTRACTION,
    };
    let flops = 2.0 * (n as f64).powi(3);
    contraction(name, &program, flops, figure, ["a @ b", "a @ b"])
}

/// Returns a convolution of 3 by 3 that keeps the size, channels last.
fn convolution(images: u64, side: u64, channels: u64, filters: u64) -> Workload {
    let program = format!(
        "data a : {images}|->{side}, {side}, {channels} from \"a\"\ndata b : 3, 3, {channels}|->{filters} from \"b\"\nlet c = sum(a * b, \"n|->same(y + u), same(z + v), i; u, v, i|->f => n|->y, z, f\")\n"
    );
    let name = match (images, side) {
        (1, _) => "conv 3x3 1 x 56^2 x 64",
        (8, _) => "conv 3x3 8 x 56^2 x 64",
        _ => "conv 3x3 64 x 8^2 x 32",
    };
    let flops = 2.0 * 9.0 * (images * side * side * channels * filters) as f64;
    contraction(
        name,
        &program,
        flops,
        CONVOLUTION,
        [
            "np.tensordot(np.lib.stride_tricks.sliding_window_view(np.pad(a, ((0,0),(1,1),(1,1),(0,0))), (3, 3), (1, 2)).transpose(0,1,2,4,5,3), b, 3)",
            "torch.conv2d(a.permute(0, 3, 1, 2), b.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last), padding=1).permute(0, 2, 3, 1)",
        ],
    )
}

/// Returns the second convolution, of images that have their margins already: no index leaves its axis.
fn padded_convolution() -> Workload {
    contraction(
        "conv 3x3 8 x 58^2 x 64 without guards",
        "data a : 8|->58, 58, 64 from \"a\"\ndata b : 3, 3, 64|->64 from \"b\"\nlet c = sum(a * b, \"n|->y + u, z + v, i; u, v, i|->f => n|->y, z, f\")\n",
        2.0 * 9.0 * (8 * 56 * 56 * 64 * 64) as f64,
        "at most 1.3 times as fast as with guards",
        [
            "np.tensordot(np.lib.stride_tricks.sliding_window_view(a, (3, 3), (1, 2)).transpose(0,1,2,4,5,3), b, 3)",
            "torch.conv2d(a.permute(0, 3, 1, 2), b.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)).permute(0, 2, 3, 1)",
        ],
    )
}

/// Returns a transposed convolution with stride 2, which has as many multiply-adds as the second convolution: several
/// windows write one cell, so each cell gathers what they write.
fn transposed_convolution() -> Workload {
    contraction(
        "transposed conv 3x3 8 x 56^2 x 64",
        "data a : 8|->56, 56, 64 from \"a\"\ndata b : 3, 3, 64|->64 from \"b\"\nlet c = sum(a * b, \"n|->y, z, i; u, v, i|->f => n|->2*y + u, 2*z + v, f\")\n",
        2.0 * 9.0 * (8 * 56 * 56 * 64 * 64) as f64,
        "at least half as fast as the convolution",
        [
            "np.tensordot(np.lib.stride_tricks.sliding_window_view(np.pad((lambda z: (z.__setitem__((slice(None), slice(None, None, 2), slice(None, None, 2)), a), z)[1])(np.zeros((8, 111, 111, 64), np.float32)), ((0,0),(2,2),(2,2),(0,0))), (3, 3), (1, 2)).transpose(0,1,2,4,5,3), b[::-1, ::-1], 3)",
            "torch.conv_transpose2d(a.permute(0, 3, 1, 2), b.permute(2, 3, 0, 1), stride=2).permute(0, 2, 3, 1)",
        ],
    )
}

const MB64: f64 = (1u64 << 26) as f64;
const SQUARE: &str = "4096|->4096";
const SUMS: &str = "at least 0.9 of copy";
const ROWS: &str = "at least 0.6 of copy";

/// Returns a workload that is limited by memory bandwidth, on a tensor `a` with these axes.
fn of_memory(
    name: &'static str,
    axes: &str,
    line: &str,
    bytes: f64,
    figure: &'static str,
    [numpy, torch]: [&'static str; 2],
) -> Workload {
    Workload {
        name,
        program: format!("data a : {axes} from \"a\"\n{line}\n"),
        result: "c",
        flops: 0.0,
        bytes,
        figure,
        numpy,
        torch,
    }
}

/// Returns the workloads that go cell by cell.
fn cell_by_cell() -> Vec<Workload> {
    vec![
        of_memory(
            "relu 64 MB",
            SQUARE,
            "let c = relu(a)",
            2.0 * MB64,
            ELEMENTWISE,
            ["np.maximum(a, 0)", "torch.relu(a)"],
        ),
        of_memory(
            "relu 256 MB",
            "8192|->8192",
            "let c = relu(a)",
            8.0 * MB64,
            ELEMENTWISE,
            ["np.maximum(a, 0)", "torch.relu(a)"],
        ),
        of_memory(
            "add 64 MB",
            "4096|->4096 from \"a\"\ndata b : 4096|->4096",
            "let c = a + b",
            3.0 * MB64,
            ELEMENTWISE,
            ["a + b", "a + b"],
        ),
        of_memory(
            "broadcast add 64 MB",
            "4096|->4096 from \"a\"\ndata b : 4096",
            "let c = a + b",
            2.0 * MB64,
            ELEMENTWISE,
            ["a + b", "a + b"],
        ),
        of_memory(
            "relu(a * c + b) 64 MB",
            "4096|->4096 from \"a\"\ndata b : 4096|->4096",
            "let c = relu(a *. 0.5 + b)",
            3.0 * MB64,
            ELEMENTWISE,
            [
                "np.maximum(a * np.float32(0.5) + b, 0)",
                "torch.relu(a * 0.5 + b)",
            ],
        ),
    ]
}

/// Sums over some or all axes, and what is normalised by them.
fn reductions() -> Vec<Workload> {
    vec![
        of_memory(
            "sum over last axis 64 MB",
            SQUARE,
            "let c = sum(a, \"i|->j => i|\")",
            MB64,
            SUMS,
            ["a.sum(1)", "a.sum(1)"],
        ),
        of_memory(
            "sum over first axis 64 MB",
            SQUARE,
            "let c = sum(a, \"i|->j => ->j\")",
            MB64,
            SUMS,
            ["a.sum(0)", "a.sum(0)"],
        ),
        of_memory(
            "sum of all 64 MB",
            SQUARE,
            "let c = sum(a, \"i|->j => \")",
            MB64,
            SUMS,
            ["a.sum()", "a.sum()"],
        ),
        of_memory(
            "softmax 16384 x 1024",
            "16384|->1024",
            "let c = softmax(a)",
            2.0 * MB64,
            ROWS,
            [
                "(lambda e: e / e.sum(1, keepdims=True))(np.exp(a - a.max(1, keepdims=True)))",
                "torch.softmax(a, 1)",
            ],
        ),
        of_memory(
            "layer norm 16384 x 1024",
            "16384|->1024",
            "let m = a - mean(a, \"n|->c => n|->\")\nlet c = m / sqrt(mean(square(m), \"n|->c => n|->\") + 0.00001)",
            2.0 * MB64,
            ROWS,
            [
                "(lambda m: m / np.sqrt((m * m).mean(1, keepdims=True) + np.float32(0.00001)))(a - a.mean(1, keepdims=True))",
                "torch.layer_norm(a, (1024,))",
            ],
        ),
    ]
}

/// Returns the workloads with other orders of the axes.
fn permutations() -> Vec<Workload> {
    vec![
        of_memory(
            "permute (0,2,1) 16 x 1024 x 1024",
            "16|->1024, 1024",
            "c =: a \"n|->i, j => n|->j, i\"",
            2.0 * MB64,
            "at least 0.55 of copy, at least 3 times torch",
            [
                "np.ascontiguousarray(a.transpose(0, 2, 1))",
                "a.permute(0, 2, 1).contiguous()",
            ],
        ),
        of_memory(
            "permute (1,0,2) 1024 x 256 x 64",
            "1024|->256, 64",
            "c =: a \"n|->i, j => i|->n, j\"",
            2.0 * MB64,
            "at least 0.8 of copy",
            [
                "np.ascontiguousarray(a.transpose(1, 0, 2))",
                "a.permute(1, 0, 2).contiguous()",
            ],
        ),
    ]
}
