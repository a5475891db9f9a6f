//! Programs with the forms that are elaborated before inference: functions, layers, loops, lists, slices, reductions,
//! windows, operators, gradients and sections. They are well-typed by construction, because each tensor is drawn with
//! its axes.

use arbitrary::{Result, Unstructured};

use super::draft::{Axes, Draft, Tensor, written};
use crate::subjects::statements::written_shape::shape;

/// The program, to which statements are added.
struct Statements(Draft);

/// The functions that every program has: a plain one, one with a default, one with two results, a layer, a layer of
/// layers, and an operator.
const FUNCTIONS: &str = "\
def plain(a): relu(a) + 1
def scaled(a, by = 2): a *. by
def both(a, b):
  let total = a + b
  total, total *. 2
def layer(h, start = 0.5)(a):
  param w : ...->h = start
  param b : h = 0.25
  tanh(w * a + b)
def block(h)(a):
  let inner = layer(h)(a)
  layer(h)(inner) + inner
op gated(v1, v2) \".\":
  v =: v1 * sigmoid(v2)
  g1 =+ g * sigmoid(v2)
  g2 =+ g * v1 * sigmoid(v2) * (1 - sigmoid(v2))
";

/// Draws a program: the functions, up to 3 tensors of data, up to 6 statements; then, occasionally, a gradient with a
/// step of an optimiser, or a section.
///
/// # Errors
/// Never for lack of bytes.
pub fn language(u: &mut Unstructured<'_>) -> Result<String> {
    let mut draft = Statements(Draft {
        text: FUNCTIONS.into(),
        names: 1,
        ..Draft::default()
    });
    for _ in 0..u.int_in_range(1..=3)? {
        draft.data(u)?;
    }
    for _ in 0..u.int_in_range(1..=6)? {
        draft.statement(u, true)?;
    }
    match u.int_in_range(0..=5)? {
        0 | 1 => {}
        2 | 3 => draft.gradient(u)?,
        4 => draft.section(u, "train 2 steps:")?,
        _ => draft.section(u, "repeat 2 steps:")?,
    }
    Ok(draft.0.text)
}

impl Statements {
    fn data(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut row = |from: usize, to: usize| -> Result<Vec<u64>> {
            let length = u.int_in_range(from..=to)?;
            (0..length).map(|_| u.int_in_range(2..=4)).collect()
        };
        let axes = [row(0, 2)?, row(0, 1)?, row(0, 2)?];
        let count: u64 = axes.iter().flatten().product();
        let name = self.0.fresh("d");
        self.0.line(&format!(
            "data {name} : {} = range({count})",
            written(&axes)
        ));
        self.0.known(name, axes, false);
        Ok(())
    }

    /// Adds a statement; `whole` says whether it may have a block.
    fn statement(&mut self, u: &mut Unstructured<'_>, whole: bool) -> Result<()> {
        match u.int_in_range(0..=if whole { 13 } else { 10 })? {
            0 => self.pointwise(u),
            1 => self.called(u),
            2 | 3 => self.layer(u),
            4 => self.slice(u),
            5 | 6 => self.reduction(u),
            7 => self.window(u),
            8 => self.list(u),
            9 => self.of_the_prelude(u),
            10 => self.product(u),
            11 => self.shared(u),
            _ => self.repeated(u),
        }
    }

    fn pointwise(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let name = &a.name;
        let expression = match u.int_in_range(0..=6)? {
            0 => format!("where({name} > 1, {name}, 2)"),
            1 => format!("{name} if 2 < 3 else {name} + 1"),
            2 => format!("-{name} ** 2"),
            3 => format!("max({name}, 1) / 2"),
            4 => format!("gated({name}, {name})"),
            5 => format!("{name} *. {name}"),
            _ => format!("exp({name} / 100)"),
        };
        self.0.define(a.axes, a.learns, &expression);
        Ok(())
    }

    /// Adds a call of a plain function, or of one with several results.
    fn called(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        match u.int_in_range(0..=2)? {
            0 => self.0.define(
                a.axes,
                a.learns,
                &format!("plain(scaled({}, by = 3))", a.name),
            ),
            1 => self
                .0
                .define(a.axes, a.learns, &format!("scaled({})", a.name)),
            _ => {
                let (p, q) = (self.0.fresh("t"), self.0.fresh("t"));
                self.0.line(&format!("let {p}, {q} = both({}, 1)", a.name));
                self.0.known(p, a.axes.clone(), a.learns);
                self.0.known(q, a.axes, a.learns);
            }
        }
        Ok(())
    }

    /// Returns the shape of the result of a layer with this many outputs.
    fn through(of: &Tensor, width: u64) -> Axes {
        [of.axes[0].clone(), of.axes[1].clone(), vec![width]]
    }

    fn layer(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let width = u.int_in_range(2..=4)?;
        let name = *u.choose(&["layer", "block", "dense"])?;
        let axes = Self::through(&a, width);
        self.0
            .define(axes, true, &format!("{name}({width})({})", a.name));
        Ok(())
    }

    /// Adds an instance with a name, called twice.
    fn shared(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let width = u.int_in_range(2..=4)?;
        let net = self.0.fresh("net");
        self.0
            .line(&format!("let {net} = layer({width}, start = 0.125)"));
        let axes = Self::through(&a, width);
        let of = &a.name;
        self.0
            .define(axes, true, &format!("{net}({of}) - {net}({of} + 1)"));
        Ok(())
    }

    fn slice(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let Some(size) = a.axes[0].first().copied() else {
            return self.pointwise(u);
        };
        let at = u.int_in_range(0..=size - 1)?;
        let [batch, input, output] = a.axes;
        let axes = [batch[1..].to_vec(), input, output];
        self.0
            .define(axes, a.learns, &format!("{} @| {at}", a.name));
        Ok(())
    }

    /// Adds a reduction over some axes, or a permutation of them.
    fn reduction(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let mut labels = 0;
        let rows = a.axes.clone().map(|row| {
            let named = row.iter().map(|size| {
                labels += 1;
                (format!("a{labels}"), *size)
            });
            named.collect::<Vec<_>>()
        });
        let word = *u.choose(&["sum", "max", "min", "map", "mean"])?;
        let mut result: [Vec<(String, u64)>; 3] = Default::default();
        for axis in rows.iter().flatten() {
            if word == "map" || u.ratio(2, 3)? {
                let row: usize = u.int_in_range(0..=2)?;
                result[row].push(axis.clone());
            }
        }
        let written = |rows: &[Vec<(String, u64)>; 3]| {
            shape(
                &rows
                    .each_ref()
                    .map(|row| row.iter().map(|(name, _)| name.clone()).collect()),
            )
        };
        let spec = format!("{} => {}", written(&rows), written(&result));
        let axes = result.map(|row| row.into_iter().map(|(_, size)| size).collect());
        self.0
            .define(axes, a.learns, &format!("{word}({}, \"{spec}\")", a.name));
        Ok(())
    }

    /// Windows over the last output axis.
    fn window(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let [batch, input, output] = a.axes;
        let Some((size, before)) = output.split_last() else {
            return Ok(());
        };
        let size = *size;
        if size < 2 {
            return Ok(());
        }
        let (window, made) = match u.int_in_range(0..=4)? {
            0 => ("y + u:2", size - 1),
            1 => ("same(y + u:2)", size),
            2 => ("pad(y + u:3, 1)", size),
            3 if size % 2 == 0 => ("2*y + u:2", size / 2),
            _ => ("floor(2*y + u:2)", size / 2),
        };
        let labels = |stem: &str, row: &[u64]| -> Vec<String> {
            (0..row.len()).map(|at| format!("{stem}{at}")).collect()
        };
        let (b, i, o) = (
            labels("b", &batch),
            labels("i", &input),
            labels("o", before),
        );
        let with = |last: &str| {
            let mut row = o.clone();
            row.push(last.into());
            shape(&[b.clone(), i.clone(), row])
        };
        let word = *u.choose(&["sum", "max"])?;
        let spec = format!("{} => {}", with(window), with("y"));
        let mut output = before.to_vec();
        output.push(made);
        let axes = [batch, input, output];
        self.0
            .define(axes, a.learns, &format!("{word}({}, \"{spec}\")", a.name));
        Ok(())
    }

    fn list(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let count = u.int_in_range(1..=3)?;
        let [mut batch, input, output] = a.axes;
        batch.push(count);
        let expression = match u.int_in_range(0..=1)? {
            0 => format!("stack([{} + i for i in 0..{count}])", a.name),
            _ => {
                let items = vec![a.name.as_str(); count as usize - 1].join(", ");
                format!("stack(append([{items}], {}))", a.name)
            }
        };
        self.0.define([batch, input, output], a.learns, &expression);
        Ok(())
    }

    fn of_the_prelude(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let [batch, input, output] = a.axes.clone();
        let statistic = [batch, input, Vec::new()];
        let name = &a.name;
        // A reduction over the outputs is refused where there are none (R6).
        let first = if output.is_empty() { 3 } else { 0 };
        match u.int_in_range(first..=5)? {
            0 => self
                .0
                .define(a.axes.clone(), a.learns, &format!("softmax({name})")),
            1 => self
                .0
                .define(statistic, a.learns, &format!("mean({name}, outputs)")),
            2 => self
                .0
                .define(statistic, a.learns, &format!("var({name}, outputs)")),
            3 => self.0.define(
                Default::default(),
                a.learns,
                &format!("mean(square({name}))"),
            ),
            4 => self
                .0
                .define(Default::default(), a.learns, &format!("mse({name}, 1)")),
            _ => self
                .0
                .define(a.axes.clone(), a.learns, &format!("gelu({name})")),
        }
        Ok(())
    }

    /// Adds two or three factors under a spec, in which axes have different labels except for some of the same size.
    fn product(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let factors: Vec<Tensor> = (0..u.int_in_range(2..=3)?)
            .map(|_| self.0.any(u))
            .collect::<Result<_>>()?;
        let mut sizes: Vec<u64> = Vec::new();
        let mut written = Vec::new();
        for factor in &factors {
            let mut rows: [Vec<String>; 3] = Default::default();
            for (row, axes) in rows.iter_mut().zip(&factor.axes) {
                for size in axes {
                    let known = sizes.iter().position(|known| known == size);
                    let label = match known.filter(|_| sizes.len() > 3) {
                        Some(label) => label,
                        None => {
                            sizes.push(*size);
                            sizes.len() - 1
                        }
                    };
                    row.push(format!("a{label}"));
                }
            }
            written.push(shape(&rows));
        }
        let kept = u.int_in_range(0..=sizes.len().min(2))?;
        let result: Vec<String> = (0..kept).map(|label| format!("a{label}")).collect();
        let spec = format!(
            "{} => {}",
            written.join("; "),
            shape(&[Vec::new(), Vec::new(), result])
        );
        let names: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
        let learns = factors.iter().any(|factor| factor.learns);
        let axes = [Vec::new(), Vec::new(), sizes[..kept].to_vec()];
        self.0.define(
            axes,
            learns,
            &format!("sum({}, \"{spec}\")", names.join(" * ")),
        );
        Ok(())
    }

    /// Adds a loop that carries a tensor whose shape its body preserves.
    fn repeated(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let name = self.0.fresh("t");
        self.0.line(&format!("let {name} = {}", a.name));
        let turns = u.int_in_range(0..=2)?;
        self.0.line(&format!("for i in 0..{turns} carry {name}:"));
        self.0.depth += 1;
        let width = match a.axes[2].as_slice() {
            [width] => Some(*width),
            _ => None,
        };
        let (line, learns) = match (u.int_in_range(0..=2)?, width) {
            (0, Some(width)) => (format!("layer({width})({name}) + i"), true),
            (1, Some(width)) => (format!("{name} + dense({width})({name})"), true),
            _ => (format!("plain({name}) / (i + 1)"), a.learns),
        };
        let before = self.0.tensors.len();
        if u.ratio(1, 3)? {
            self.statement(u, false)?;
        }
        self.0.tensors.truncate(before);
        self.0.line(&format!("let {name} = {line}"));
        self.0.depth -= 1;
        self.0.known(name, a.axes, learns && turns > 0 || a.learns);
        Ok(())
    }

    /// Draws the mean square of a tensor that depends on a parameter.
    fn loss(&mut self, u: &mut Unstructured<'_>) -> Result<String> {
        if !self.0.tensors.iter().any(|tensor| tensor.learns) {
            self.layer(u)?;
        }
        let learns = self.0.tensors.iter().filter(|tensor| tensor.learns);
        let all: Vec<Tensor> = learns.cloned().collect();
        let of = u.choose(&all)?.name.clone();
        let name = self.0.fresh("loss");
        self.0.line(&format!("let {name} = mean(square({of}))"));
        Ok(name)
    }

    fn gradient(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let loss = self.loss(u)?;
        self.0.line(&format!("backward {loss}"));
        let optimiser = *u.choose(&["sgd(0.1)", "momentum(0.1)", "adam(0.1)"])?;
        self.0
            .line(&format!("for q in params({loss}): {optimiser}(q, q.grad)"));
        Ok(())
    }

    /// Adds a section: its tensors are computed in each step, by a layer that persists.
    fn section(&mut self, u: &mut Unstructured<'_>, header: &str) -> Result<()> {
        let net = self.0.fresh("net");
        let of = self.0.tensors[0].clone();
        let width = u.int_in_range(2..=3)?;
        self.0.line(&format!("let {net} = layer({width})"));
        self.0.line(header);
        self.0.depth += 1;
        let before = self.0.tensors.len();
        self.0.tensors.truncate(1);
        let axes = Self::through(&of, width);
        self.0
            .define(axes, true, &format!("{net}({} + step)", of.name));
        for _ in 0..u.int_in_range(0..=2)? {
            self.statement(u, false)?;
        }
        let loss = self.loss(u)?;
        self.0.line(&format!("backward {loss}"));
        self.0
            .line(&format!("for q in params({loss}): sgd(0.1)(q, q.grad)"));
        self.0.line(&format!("print {loss}"));
        self.0.depth -= 1;
        self.0.tensors.truncate(before);
        Ok(())
    }
}
