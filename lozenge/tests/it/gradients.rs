//! Gradients against differences of the loss, in `f64`: on the interpreter, and by kernels of an OpenCL device.

use std::collections::BTreeMap;
use std::path::Path;

use lozenge::vocabulary::operation::TensorId;
use lozenge::vocabulary::program::{Program, Source};
use lozenge::{Inference, Options, Reading};

fn read(source: &str) -> Reading {
    lozenge::read(source, &Options::default()).unwrap_or_else(|errors| {
        let shown = errors
            .iter()
            .map(|error| error.render(source, "p.loz", false));
        panic!("{}", shown.collect::<Vec<_>>().join("\n"))
    })
}

/// Returns the values of data, and values without any symmetry for every parameter.
fn values(program: &Program, inference: &Inference) -> BTreeMap<TensorId, Vec<f64>> {
    let data = lozenge::load(program, Path::new("")).expect("the values stand in the program");
    let mut given: BTreeMap<TensorId, Vec<f64>> = data
        .into_iter()
        .map(|(id, values)| (id, values.into_iter().map(f64::from).collect()))
        .collect();
    for (at, tensor) in program.tensors.iter().enumerate() {
        if matches!(tensor.source, Source::Param(parameter) if !parameter.state) {
            let count: u64 = lozenge::sizes(&inference.shapes[at]).iter().product();
            let value = |cell: u64| {
                0.3 + 0.07 * ((cell * 7 + at as u64 * 3) % 11) as f64 + 0.013 * at as f64
            };
            given.insert(TensorId(at), (0..count).map(value).collect());
        }
    }
    given
}

/// Values of some tensors.
pub(crate) type Given = BTreeMap<TensorId, Vec<f64>>;

/// The values of all tensors of a program from those of its data and parameters.
pub(crate) type Run<'r> = &'r mut dyn FnMut(&Reading, &Given) -> Vec<Vec<f64>>;

/// Returns the largest error of the gradients of all parameters, relative to the largest of them; and how many values
/// were compared. The loss is called `loss`.
pub(crate) fn largest_error(source: &str, run: Run<'_>) -> (f64, usize) {
    let reading = read(source);
    let (program, inference) = (&reading.program, &reading.inference);
    let given = values(program, inference);
    let mut run = |given: &Given| run(&reading, given);
    let loss = program.find("loss").expect("a loss");
    let tensors = run(&given);
    let (mut largest, mut scale, mut compared) = (0f64, 0f64, 0);
    for (id, values) in &given {
        if !matches!(program[*id].source, Source::Param(_)) {
            continue;
        }
        let name = format!("{}.grad", program[*id].name);
        let gradient = &tensors[program.find(&name).expect("a gradient").0];
        assert_eq!(
            gradient.len(),
            values.len(),
            "a gradient has the shape of its tensor"
        );
        for (cell, found) in gradient.iter().enumerate() {
            let mut at = |by: f64| {
                let mut moved = given.clone();
                moved.get_mut(id).expect("a parameter")[cell] += by;
                run(&moved)[loss.0][0]
            };
            // The error of this difference of fourth order is of the order of the step to the fourth power.
            let step = 1e-3;
            let near = at(step) - at(-step);
            let far = at(2.0 * step) - at(-2.0 * step);
            let difference = (8.0 * near - far) / (12.0 * step);
            largest = largest.max((found - difference).abs());
            scale = scale.max(difference.abs());
            compared += 1;
        }
    }
    assert!(scale > 1e-6, "the loss depends on its parameters");
    (largest / scale, compared)
}

#[track_caller]
fn agrees(source: &str) {
    agrees_by(source, &mut precisely);
}

/// Returns the values by the interpreter in 64 bits.
pub(crate) fn precisely(reading: &Reading, given: &Given) -> Vec<Vec<f64>> {
    let (program, inference) = (&reading.program, &reading.inference);
    lozenge::run_precise(program, inference, given).expect("it runs")
}

#[track_caller]
fn agrees_by(source: &str, run: Run<'_>) {
    let (error, compared) = largest_error(source, run);
    assert!(
        error < 1e-6,
        "{error:e} over {compared} values in\n{source}"
    );
}

const DATA: &str = "data x : n:3|->c:4 = [1, 2, 0.5, 3, 0.7, 1.1, 2.2, 0.4, 1.9, 0.2, 1.3, 0.8]\ndata t : n|->c = [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]\n";

#[test]
fn every_scalar_function() {
    for expression in [
        "p",
        "-p",
        "neg(p)",
        "relu(p - 0.6)",
        "exp(p)",
        "log(p)",
        "sqrt(p)",
        "square(p)",
        "recip(p)",
        "abs(p - 0.6)",
        "sin(p)",
        "cos(p)",
        "tanh(p)",
        "sigmoid(p)",
        "erf(p)",
        "p + x",
        "x - p",
        "p *. x",
        "x / p",
        "p / x",
        "max(p, x)",
        "min(p, x)",
        "p ** x",
        "x ** p",
        "where(x > 1, p, square(p))",
        "p *. (x > 1)",
        "p + floor(x)",
    ] {
        agrees(&format!(
            "{DATA}param p : c = 0.5\nlet y = ({expression}) *. x\nlet loss = sum(square(y) + y)\nbackward loss\n"
        ));
    }
}

/// A point at which the window of one operand is outside of its axis is skipped: it contributes nothing to the gradient
/// of the other operand either, although its value is not needed there.
#[test]
fn a_point_that_does_not_exist_contributes_to_no_gradient() {
    const OP: &str =
        "op left(v1, v2) \"i; same(i + u:3) => u\":\n  v =:+ v1 + 0 *. v2\n  g1 =+ g\n";
    for y in [
        "sum(p + q, \"i; same(i + u:3) => u\")",
        "sum(p - q, \"pad(i + u:3, 1); i => i\")",
        "max(p + q, \"i; same(i + u:3) => u\")",
        "left(p, q)",
    ] {
        agrees(&format!(
            "{OP}param p : 4 = 1\nparam q : 4 = 1\nlet y = {y}\nlet loss = sum(square(y))\nbackward loss\n"
        ));
    }
}

/// The regions of a concatenation write cells that nothing else has written, so that a maximum over one of them has a
/// gradient, with gaps between the parts too, which hold no number.
#[test]
fn the_largest_of_a_concatenation_with_gaps_has_a_gradient() {
    for (statement, kept) in [
        ("q =:max concat(t, r) \"i; j => i^j\"", "max(q, -9)"),
        ("q =:max concat(t, r) \"i; j => i^_:2^j\"", "max(q, -9)"),
        ("q =:min concat(r, t) \"i; j => _:1^j^_:2^i\"", "min(q, 9)"),
        ("q =:max concat(t, r) \"2*i + u:2; j => i^j\"", "max(q, -9)"),
        ("q =:max concat(r, t) \"j; 2*i + u:2 => j^i\"", "max(q, -9)"),
        (
            "q =:min concat(r, t) \"j; i + u:3 => i^_:1^j\"",
            "min(q, 9)",
        ),
        ("q =:max concat(r, t) \"j; (i:2, u) => j^i\"", "max(q, -9)"),
        (
            "q =:max concat(r, t) \"j; (u:2, i) => _:2^j^i\"",
            "max(q, -9)",
        ),
    ] {
        agrees(&format!(
            "data d : 4 = [3, 1, 4, 2]\nparam p : 4 = 1\nparam r : 3 = 1\nlet t = p *. d\n{statement}\nlet y = {kept}\nlet loss = sum(square(y))\nbackward loss\n"
        ));
    }
    let update = "param p : 2 = 1\nparam r : 3 = 1\ndata s : 5 = [1, 2, 3, 4, 5]\nq =: s \"a => a\"\nq =max concat(p, r) \"i; j => i^j\"\nlet loss = sum(q)\nbackward loss\n";
    let errors = lozenge::parse(update).expect_err("an update by a maximum is refused");
    let message = errors[0].to_string();
    let says = message.contains("an update by `=max` or `=min` has no gradient");
    assert!(says, "{message}");
}

/// The position that attains the maximum is determined per point of the record: the intermediate values of an operator,
/// whatever their names, are computed at each point, so an input that lies in several windows may win in one and lose
/// in another.
#[test]
fn which_input_has_won() {
    const OP: &str = "op largest(v1) \"n|->2*a + u:3 => n|->a\":\n  v =:max v1\n  won_rhs1 =: v1 == v\n  g1 =+ where(won_rhs1, g, 0)\n\
        op smallest(v1) \"n|->a + u:2 => n|->a\":\n  v =:min v1\n  won_rhs1 =: v1 == v\n  g1 =+ g * won_rhs1\n";
    const ROWS: &str =
        "data x : n:2|->i:7 = [1, 2, 0.5, 3, 0.7, 1.1, 2.2, 0.4, 1.9, 0.2, 1.3, 0.8, 1.7, 0.6]\n";
    for y in [
        "largest(x *. p)",
        "smallest(x *. p)",
        "largest(p *. x) *. sum(smallest(largest(x *. p)))",
    ] {
        agrees(&format!(
            "{OP}{ROWS}param p : i = 1\nlet y = {y}\nlet loss = sum(square(y) + y)\nbackward loss\n"
        ));
    }
}

/// An operator divides among the points that attain its value if its gradient says so; only a maximum or a minimum has
/// such points.
#[test]
fn the_ties_of_an_operator() {
    let program = |value: &str, gradient: &str| {
        format!(
            "op largest(v1) \"a + u:2 => a\":\n  v =:{value} v1\n  g1 =+ {gradient}\n\
             data x : 3 = [5, 5, 1]\nparam p : -> = 1\nlet loss = sum(largest(x *. p))\nbackward loss\n"
        )
    };
    let slope = |gradient: &str| {
        let reading = read(&program("max", gradient));
        let given = values(&reading.program, &reading.inference);
        let tensors = precisely(&reading, &given);
        tensors[reading.program.find("p.grad").expect("a gradient").0][0]
    };
    assert_eq!(slope("where(v1 == v, g / ties, 0)"), 10.0);
    assert_eq!(slope("where(v1 == v, g, 0)"), 15.0);
    let source = program("+", "g / ties");
    let errors = lozenge::parse(&source).expect_err("a sum has no ties");
    let shown = errors[0].render(&source, "p.loz", false);
    assert!(shown.contains("v1, `g` and `v`"), "{shown}");
}

/// The gradient of a slice that keeps an axis goes to the cells from which the slice was taken.
#[test]
fn slices_of_further_batch_axes() {
    agrees(
        "data x : 2, 3|->4 = [1, 2, 0.5, 3, 0.7, 1.1, 2.2, 0.4, 1.9, 0.2, 1.3, 0.8, 1.7, 0.6, 2, 1, 0.3, 0.9, 1.2, 1.4, 0.1, 2.5, 0.6, 1.5]\n\
         param p : 4 = 1\nlet z = p *. x\nlet y = (z @| (_, 1)) *. (z @| (_, 2)) + z @| (1, 0)\nlet loss = sum(square(y))\nbackward loss\n",
    );
}

/// Two parameters as the operands of one operation, and one parameter as both.
#[test]
fn both_operands() {
    for expression in [
        "p + q",
        "p - q",
        "p *. q",
        "p / q",
        "max(p, q)",
        "min(p, q)",
        "p ** q",
        "p *. p",
        "where(x > 1, p, q)",
    ] {
        let rest = if expression.contains('q') { "" } else { " + q" };
        agrees(&format!(
            "{DATA}param p : c = 0.5\nparam q : -> = 0.5\nlet y = ({expression}{rest}) *. x\nlet loss = sum(square(y))\nbackward loss\n"
        ));
    }
}

#[test]
fn compositions_transpositions_specs_slices_and_stacks() {
    for lines in [
        "param w : ...->3 = 1\nlet y = w * x\n",
        "param w : c->2 = 1\nparam v : 2->3 = 1\nlet y = (v * w) * x\n",
        "param w : 5->c = 1\nlet y = transpose(w) * x\n",
        "param p : c, 2 = 1\nlet y = sum(x * p, \"n|->c; c, k => n|->k\")\n",
        "param p : c, c = 1\ntrace =:+ p \"i, i => \"\nlet y = trace *. x\n",
        "param p : c = 1\nlet y = max(x *. p, \"n|->c => n|\")\n",
        "param p : c = 1\nlet y = min(x *. p + x, \"n|->c => n|\")\n",
        "param p : c = 1\nd =:- p \"c => \"\nlet y = d *. x\n",
        "param p : c = 1\nlet z = p *. x\nlet y = (z @| 1) *. (z @| 2)\n",
        "param p : c = 1\nlet y = stack([p *. x, x / p, p + x])\n",
        "param p : c = 1\nlet y = map(p *. x, \"n|->c => c|->n\")\n",
        "param p : c = 1\ny =: p *. x\ny =+ p\ny =- square(p)\n",
        "param p : c = 1\nlet y = sum(p / x, \"->c; n|->c => n|\")\n",
        "param p : c, 2 = 1\nparam q : 2 = 1\nlet y = sum(x * p * q, \"n|->c; c, k; k => n|->k\")\n",
        "param p : c = 1\nparam q : c = 1\nlet y = max(x * p * q, \"n|->c; c; c => n|\")\n",
        "param p : c = 1\ny =:- x * p * p \"n|->c; c; c => n|\"\n",
        "param p : c = 1\ndata one : 1_ = [2]\nlet y = (p *. x) *. one\n",
    ] {
        agrees(&format!(
            "{DATA}{lines}let loss = sum(square(y) + y)\nbackward loss\n"
        ));
    }
}

/// Windows that are read and windows that are written, within their axes and beyond them.
#[test]
fn windows() {
    const ROWS: &str =
        "data x : n:2|->i:7 = [1, 2, 0.5, 3, 0.7, 1.1, 2.2, 0.4, 1.9, 0.2, 1.3, 0.8, 1.7, 0.6]\n";
    for lines in [
        "param w : u:3->2 = 1\nlet y = sum(x * w, \"n|->same(a + u); u->f => n|->a, f\")\n",
        "param w : u:3->2 = 1\nlet y = sum(x * w, \"n|->a + u; u->f => n|->a, f\")\n",
        "param w : u:3 = 1\nlet y = sum(x * w, \"n|->2*a + u; u => n|->a\")\n",
        "param w : u:2 = 1\nlet y = sum(x * w, \"n|->ceil(2*a + u); u => n|->a\")\n",
        "param w : u:3 = 1\nlet y = sum(x * w, \"n|->same_lower(2*a + 2*u); u => n|->a\")\n",
        "param w : u:4 = 1\nlet y = sum(x * w, \"n|->pad(3*a + u, 1, 2); u => n|->a\")\n",
        "param w : u:3 = 1\nlet y = sum(x * w, \"n|->a; u => n|->2*a + u\")\n",
        "param w : u:4 = 1\nlet y = sum(x * w, \"n|->a; u => n|->pad(2*a + u, 1)\")\n",
        "param p : i = 1\nlet y = max(x *. p, \"n|->same(2*a + u:3) => n|->a\")\n",
        "param p : i = 1\nlet y = sum(square(x *. p), \"n|->floor(2*a + u:3, 1) => n|->a\")\n",
        "param p : i = 1\nlet q = map(x *. p, \"n|->a => n|->2*a + 1\")\nlet y = sum(q, \"n|->7*a + u:7 => n|->a\")\n",
        "size s = 2\nsize k = 3\nparam w : u:k->2 = 1\nlet y = sum(x * w, \"n|->floor(s*a + u, 1); u->f => n|->a, f\")\n",
    ] {
        agrees(&format!(
            "{ROWS}{lines}let loss = sum(square(y) + y)\nbackward loss\n"
        ));
    }
}

/// Parts and products of axes that are read and written.
#[test]
fn parts_and_products() {
    const ROWS: &str =
        "data x : n:2|->i:6 = [1, 2, 0.5, 3, 0.7, 1.1, 2.2, 0.4, 1.9, 0.2, 1.3, 0.8]\n";
    for lines in [
        "param p : i = 1\nlet y = concat(x *. p, square(x *. p))\n",
        "param p : a:2 = 1\nparam q : b:3 = 1\ny =: concat(p, x, q) \"a; n|->i; b => n|->b^i^a\"\n",
        "param p : i = 1\ny =: (x *. p) \"n|->a:2^b => n|->b^a\"\n",
        "param p : i = 1\ny =: (x *. p) \"n|->_:1^a^_:2 => n|->_:3^a\"\n",
        "param p : i = 1\ny =:+ x * p \"n|->a^b:4; a^b => b^a\"\n",
        "param p : 2 = 1\nparam q : 3 = 1\nlet m = concat(p, q, \"a; c => a^c\")\nlet y = concat(m, 2 *. m, p, \"a; b; c => a^b^c\")\n",
        "param p : i = 1\nlet y = map(x *. p, \"n|->(a:2, b) => n|->b, a\")\n",
        "param p : i = 1\nlet y = map(x *. p, \"n|->i => (i, n)\")\n",
        "param p : i = 1\nlet y = sum(x *. p, \"n|->(a:3, 1:2) => a\")\n",
        "param p : b:3 = 1\nlet y = sum(x * p, \"n|->(a, b); b => n|->a\")\n",
        "param p : a:2, b:2 = 1\np1 =: concat(p, 2 *. p, 3 *. p, p *. p) \"a, c; a, d; b, c; b, d => a^b, c^d\"\nlet y = p1\n",
    ] {
        let loss = "let loss = sum(square(y) + y)\nbackward loss\n";
        agrees(&format!("{ROWS}{lines}{loss}"));
    }
}

/// Networks that concatenate, downsample and upsample with skip connections, flatten, and split heads.
#[test]
fn networks_of_parts_and_products() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/parts");
    for name in ["unet.loz", "heads.loz"] {
        agrees(&std::fs::read_to_string(examples.join(name)).expect("the example is there"));
    }
    const IMAGE: &str = "data x : n:1|->6, 6 = range(36)\ndata t : n|->2 = range(2)\n";
    for lines in [
        "param k : u:3, v:3->c:2 = 1\nlet a = tanh(sum((x / 36) * k, \"n|->y + u, z + v; u, v->c => n|->y, z, c\"))\n\
         let p = max(a, \"n|->2*y + u:2, 2*z + v:2, c => n|->y, z, c\")\n\
         let flat = map(p, \"n|->y, z, c => n|->(y, z, c)\")\nlet loss = mse(linear()(tanh(dense(3)(flat))), t)\n",
        "def grow(g)(x):\n  param k : u:3, ...->c:g = 1\n  let h = tanh(sum(x * k, \"n|->same(y + u), a; u, a->c => n|->y, c\"))\n  concat(x, h, \"n|->y, a; n|->y, b => n|->y, a^b\")\n\
         let d = grow(2)(grow(1)(x / 36))\nlet loss = mse(sum(d, \"n|->y, c => n|->c\"), 1)\n",
    ] {
        agrees(&format!("{IMAGE}{lines}backward loss\n"));
    }
}

#[test]
fn whole_programs() {
    for lines in [
        "let y = dense(3)(tanh(dense(5)(x)))\nlet loss = mean(square(y))\n",
        "let y = dense(4)(x)\nlet loss = mean(cross_entropy(y, t))\n",
        "let y = layer_norm()(x)\nlet loss = mean(y *. x *. x)\n",
        "let y = attention(2, 3)(x, causal(3)) + x\nlet loss = mse(y, t)\n",
        "def block(heads, d)(x):\n  let y = x + attention(heads, d)(layer_norm()(x), causal(3))\n  y + dense(4)(gelu(dense(6)(layer_norm()(y))))\n\
         let y = x\nfor i in 0..2 carry y:\n  let y = block(2, 2)(y)\nlet loss = mse(y, t)\n",
        "def digits(h, k)(x): dense(k)(tanh(dense(h)(x / 16)))\nlet loss = mean(cross_entropy(digits(5, 4)(x), t))\n",
        "let f = dense(4)\nlet y = f(f(x))\nlet loss = mean(square(y)) + mean(f(x))\n",
    ] {
        agrees(&format!("{DATA}{lines}backward loss\n"));
    }
}

#[test]
fn every_function_of_the_prelude() {
    for expression in [
        "mean(y)",
        "mean(y, \"n|->c => ->c\")",
        "var(y)",
        "var(y, outputs)",
        "std(y)",
        "std(y, outputs)",
        "norm(y)",
        "norm(y, outputs)",
        "centre(y)",
        "softmax(y)",
        "log_softmax(y)",
        "cross_entropy(y, t)",
        "mse(y, t)",
        "y *. argmax(y, 4)",
        "y *. argmin(y, 4)",
        "y + accuracy(y, t)",
        "clamp(y, 0.5, 0.9)",
        "gelu(y - 0.6)",
        "silu(y - 0.6)",
        "leaky_relu(y - 0.6)",
        "leaky_relu(y - 0.6, slope = 0.3)",
        "elu(y - 0.6)",
        "softplus(y - 0.6)",
        "softplus(40 *. y)",
        "linear()(y) + x",
        "dense(3)(y)",
        "layer_norm()(y) *. x",
        "attention(2, 3)(y) + x",
        "y + dropout(y, 0.5)",
        "y *. mean(one_hot(sum(0 *. t, outputs), 4))",
        "attention(2, 3)(y, causal(3)) + x",
    ] {
        agrees(&format!(
            "{DATA}param p : c = 0.5\nlet y = p *. x\nlet v = {expression}\nlet loss = sum(square(v) + v)\nbackward loss\n"
        ));
    }
}

#[test]
fn operators_of_the_program() {
    let source = format!(
        "{DATA}op mul(v1, v2) \"@\":\n  v =:+ v1 * v2\n  g1 =+ g * v2\n  g2 =+ v1 * g\n\
         op cube(v1) \".\":\n  v =: v1 *. v1 *. v1\n  g1 =+ 3 *. g *. square(v1)\n\
         op smooth(v1) \".\":\n  t =: 1 + exp(-v1)\n  v =: v1 / t\n  g1 =+ g * (1 / t + v * (1 - 1 / t))\n\
         param w : c->2 = 1\nlet y = cube(smooth(mul(w, x)))\nlet loss = sum(y)\nbackward loss\n"
    );
    agrees(&source);
    let wrong = source.replace("g1 =+ 3", "g1 =+ 2");
    assert!(
        largest_error(&wrong, &mut precisely).0 > 1e-2,
        "a wrong derivative is found"
    );
}

/// Broadcasting becomes summation by the index maps alone: nothing in the backward operation says so.
#[test]
fn the_gradient_of_a_broadcast_operand_is_summed_by_its_index_map() {
    let reading = read(&format!(
        "{DATA}param p : c = 1\nlet y = p + x\nlet loss = sum(y *. x)\nbackward loss\n"
    ));
    let p = reading.program.find("p.grad").expect("a gradient");
    let steps = reading.program.steps.iter().zip(&reading.inference.nests);
    let (_, nest) = steps
        .filter(|(step, _)| step.record.is_some())
        .find(|(step, _)| step.operation.slots[0] == p)
        .expect("what adds to the gradient of p");
    assert_eq!(
        nest.to_string()
            .lines()
            .filter(|line| line.contains("+="))
            .count(),
        1,
        "{nest}"
    );
    assert!(
        nest.to_string().contains("p.grad[j] += y.grad[i, j]"),
        "{nest}"
    );
}

/// Each operation of the backward program has the index maps of its forward record, and no statements of its own.
#[test]
fn the_maps_of_the_backward_program_are_those_of_the_forward_record() {
    let reading = read(&format!(
        "{DATA}let y = x + attention(2, 3)(layer_norm()(x), causal(3))\nlet loss = mse(dense(4)(y), t)\nbackward loss\n"
    ));
    let mut seen = 0;
    for (step, nest) in reading.program.steps.iter().zip(&reading.inference.nests) {
        let Some(record) = &step.record else { continue };
        seen += 1;
        assert!(step.operation.requirements.is_empty());
        let forward = &reading.inference.nests[record.step];
        for (slot, of) in nest.slots().iter().zip(&record.slots) {
            assert_eq!(slot.map, forward.slots()[*of].map);
            assert_eq!(slot.sizes, forward.slots()[*of].sizes);
        }
        let extents = |nest: &lozenge::backend::LoopNest| -> Vec<u64> {
            nest.factors().iter().map(|factor| factor.size).collect()
        };
        assert_eq!(extents(nest), extents(forward));
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn training_by_a_loop_lowers_the_loss() {
    for optimiser in ["sgd(0.05)", "momentum(0.02)", "adam(0.05)"] {
        let source = format!(
            "{DATA}let net = dense(4)\nlet first = mean(cross_entropy(net(x), t))\n\
             for i in 0..30:\n  let loss = mean(cross_entropy(net(x), t))\n  backward loss\n  for q in params(net):\n    {optimiser}(q, q.grad)\n\
             let last = mean(cross_entropy(net(x), t))\n"
        );
        let reading = read(&source);
        let data = lozenge::load(&reading.program, Path::new(""))
            .expect("the values stand in the program");
        let mut device = lozenge::backend::Interpreter::new(Default::default());
        let tensors = lozenge::run(&reading.program, &reading.inference, &data, &mut device)
            .expect("it runs");
        let value =
            |name: &str| tensors[reading.program.find(name).expect("a tensor").0].values()[0];
        assert!(
            value("last") < 0.8 * value("first"),
            "{optimiser}: {} to {}",
            value("first"),
            value("last")
        );
    }
}

#[test]
fn what_has_no_gradient_is_said() {
    for (lines, message) in [
        ("let y = x + 1\nbackward y\n", "`y` depends on no parameter"),
        (
            "param p : c = 1\nlet y = p *. x\nbackward y\n",
            "a loss has no axes, `y` is `3|->4`",
        ),
        (
            "param p : c = 1\nlet y = sum(p)\nlet g = p.grad\n",
            "there is no gradient yet",
        ),
        (
            "param p : c = 1\nparam q : c = 1\nlet y = sum(p)\nbackward y\nlet g = q.grad\n",
            "`y` does not depend on `q`",
        ),
        (
            "param p : c = 1\nz =: p \"c => \"\nlet loss = sum(z)\nbackward loss\n",
            "the last of them stays, which has no gradient",
        ),
    ] {
        let source = format!("{DATA}{lines}");
        let errors = lozenge::read(&source, &Options::default()).expect_err("refused");
        assert!(
            errors[0].message.contains(message),
            "{}",
            errors[0].render(&source, "p.loz", false)
        );
    }
}

/// Computes the values by kernels in 64 bits. Only the loss and the gradients are needed, so that kernels are fused,
/// and constants folded.
#[cfg(feature = "opencl")]
fn by_kernels(
    device: &mut dyn lozenge::backend::Device,
    Reading {
        program, inference, ..
    }: &Reading,
    given: &Given,
) -> Vec<Vec<f64>> {
    use lozenge::backend::Tensor;
    struct Nobody;
    impl lozenge::Watch for Nobody {}
    let (mut data, mut parameters) = (BTreeMap::new(), lozenge::Checkpoint::default());
    for (id, values) in given {
        let tensor = &program[*id];
        if matches!(tensor.source, Source::Param(_)) {
            let shape = lozenge::sizes(&inference.shapes[id.0]);
            let values = Tensor::wide(shape, values.clone()).expect("a tensor");
            parameters.tensors.insert(tensor.name.to_string(), values);
        } else {
            data.insert(
                *id,
                values
                    .iter()
                    .map(|value| *value as f32)
                    .collect::<Vec<f32>>(),
            );
        }
    }
    let tensors = program.tensors.iter().enumerate();
    let needed = tensors.filter(|(_, one)| *one.name == *"loss" || one.name.ends_with(".grad"));
    let settings = lozenge::Settings {
        begin: lozenge::Begin::Given(parameters),
        keep: Some(needed.map(|(at, _)| TensorId(at)).collect()),
        ..Default::default()
    };
    let found = lozenge::train(program, inference, &data, device, &settings, &mut Nobody);
    let tensors = found.expect("it runs").into_iter();
    tensors
        .map(|tensor| tensor.wide_values().into_owned())
        .collect()
}

/// Kernels of a device compute the gradients: fused ones, sums in another order, windows with margins, and gradients
/// that are not filled first.
#[cfg(feature = "opencl")]
#[test]
fn kernels_compute_the_gradients() {
    use lozenge::backend::{Arithmetic, Engine, Limits, Numerics, Precision, open_with};
    for (place, numerics) in [Numerics::Fast, Numerics::Exact].into_iter().enumerate() {
        let arithmetic = Arithmetic {
            numerics,
            tensors: Precision::F64,
            sums: Precision::F64,
        };
        let mut device = match open_with(Engine::OpenCl, Limits::default(), arithmetic) {
            Ok(device) => device,
            Err(error) => {
                let required = std::env::var_os("LOZENGE_REQUIRE_OPENCL");
                assert!(required.is_none_or(|value| value != "1"), "{error}");
                return;
            }
        };
        let mut run =
            |reading: &Reading, given: &Given| by_kernels(device.as_mut(), reading, given);
        // Every second program: they compile 130 kernels.
        for lines in [
            "let y = dense(4)(tanh(dense(2)(x)))\nlet loss = mean(cross_entropy(y, t))\n",
            "let y = layer_norm()(x)\nlet loss = mean(y *. x *. x)\n",
            "param w : u:3->2 = 1\nlet y = sum(x * w, \"n|->same(a + u); u->f => n|->a, f\")\nlet loss = sum(square(y) + 3 *. y)\n",
            "param p : c, 2 = 1\nparam q : 2 = 1\nlet y = sum(x * p * q, \"n|->c; c, k; k => n|->k\")\nlet loss = sum(square(y) / 2)\n",
        ]
        .into_iter()
        .skip(place)
        .step_by(2)
        {
            agrees_by(&format!("{DATA}{lines}backward loss\n"), &mut run);
        }
    }
}
