//! Programs that are well-typed by construction. Then some shapes are removed (a parameter or a constant replaces
//! data), and occasionally a line or a word is changed.

use arbitrary::{Result, Unstructured};

use super::draft::{Axes, Draft, Tensor, paired, written};
use crate::subjects::statements::written_shape::shape;

/// The program, to which statements are added.
#[derive(Default)]
struct Statements(Draft);

const UNARY: [&str; 8] = [
    "relu", "neg", "square", "relu", "neg", "exp", "sqrt", "recip",
];
const INFIX: [&str; 8] = ["+", "-", "*.", "==", "<", "+", "*.", "/"];
const ACCUMULATORS: [&str; 6] = ["=:+", "=:*", "=:max", "=:min", "=:-", "=:"];

/// Draws one operation on data whose shapes are all written.
///
/// # Errors
/// Never for lack of bytes.
pub fn operation(u: &mut Unstructured<'_>) -> Result<String> {
    let mut draft = Statements::default();
    draft.data(u)?;
    draft.statement(u)?;
    Ok(draft.0.text)
}

/// Draws up to 3 given tensors and up to 5 statements. A quarter of the programs are changed in one place, if the
/// result is still a program.
///
/// # Errors
/// Never for lack of bytes.
pub fn program(u: &mut Unstructured<'_>) -> Result<String> {
    let mut draft = Statements::default();
    for _ in 0..u.int_in_range(1..=3)? {
        draft.data(u)?;
    }
    for _ in 0..u.int_in_range(1..=5)? {
        draft.statement(u)?;
    }
    let text = draft.0.text;
    if u.ratio(1, 4)? {
        let other = changed(u, &text)?;
        if lozenge_lang::parse(&other).is_ok() {
            return Ok(other);
        }
    }
    Ok(text)
}

/// Draws the text with a line left out or duplicated, or with a word replaced by another word of the program.
fn changed(u: &mut Unstructured<'_>, text: &str) -> Result<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = u.int_in_range(0..=lines.len().max(1) - 1)?;
    match u.int_in_range(0..=2)? {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at]),
        _ => {
            let words: Vec<&str> = text.split_whitespace().collect();
            let (old, new) = (*u.choose(&words)?, *u.choose(&words)?);
            return Ok(text.replacen(old, new, 1));
        }
    }
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

fn all_joined(a: &Tensor, b: &Tensor) -> Option<Axes> {
    let row = |at: usize| paired(&a.axes[at], &b.axes[at]);
    Some([row(0)?, row(1)?, row(2)?])
}

impl Statements {
    /// Adds a given tensor: mostly data; else a parameter or a constant, which is data whose shape was removed.
    fn data(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut row = |longest: usize| -> Result<Vec<u64>> {
            let length = u.int_in_range(0..=longest)?;
            (0..length).map(|_| u.int_in_range(2..=3)).collect()
        };
        let axes = [row(1)?, row(1)?, row(2)?];
        let given = !self.0.tensors.is_empty() && u.ratio(1, 3)?;
        match (given, axes[0].is_empty()) {
            (true, true) => self.declare("param", axes),
            (true, false) => self.declare("const", axes),
            (false, _) => self.listed(u, axes)?,
        }
        Ok(())
    }

    fn declare(&mut self, word: &str, axes: Axes) {
        let name = self.0.fresh(&word[..1]);
        self.0.line(&format!("{word} {name} = 0.5"));
        self.0.known(name, axes, false);
    }

    fn listed(&mut self, u: &mut Unstructured<'_>, axes: Axes) -> Result<()> {
        let name = self.0.fresh("d");
        let count: u64 = axes.iter().flatten().product();
        let first: i64 = u.int_in_range(-4..=4)?;
        let value = |at: u64| ((first + at as i64 * 3) % 7 - 2).to_string();
        let values: Vec<String> = (0..count).map(value).collect();
        self.0.line(&format!(
            "data {name} : {} = [{}]",
            written(&axes),
            values.join(", ")
        ));
        self.0.known(name, axes, false);
        Ok(())
    }

    fn statement(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=9)? {
            0 => self.unary(u),
            1 | 2 => self.pointwise(u),
            3 => self.composition(u),
            4 => self.moved(u),
            5 => self.joined(u),
            6 => self.made(u),
            _ => self.einsum(u),
        }
    }

    fn unary(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let of = self.0.any(u)?;
        let word = *u.choose(&UNARY)?;
        self.0
            .write(of.axes, |name| format!("let {name} = {word}({})", of.name));
        Ok(())
    }

    /// Lets whole rows change places, by `transpose` or by a spec of row variables; one of them may be reduced.
    fn moved(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let Tensor { name: of, axes, .. } = self.0.any(u)?;
        let [batch, input, output] = axes;
        let turned = [batch.clone(), output.clone(), input.clone()];
        match u.int_in_range(0..=2)? {
            0 => self
                .0
                .write(turned, |name| format!("let {name} = transpose({of})")),
            1 => self.0.write(turned, |name| {
                format!("{name} =: {of} \"...|..i..->..o.. => ...|..o..->..i..\"")
            }),
            _ => self.0.write([batch, Vec::new(), output], |name| {
                format!("{name} =:+ {of} \"...|..i..->..o.. => ...|->..o..\"")
            }),
        }
        Ok(())
    }

    fn pointwise(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let fits = |b: &&Tensor| all_joined(&a, b).is_some();
        let partners: Vec<&Tensor> = self.0.tensors.iter().filter(fits).collect();
        let b = (*u.choose(&partners)?).clone();
        let axes = all_joined(&a, &b).unwrap_or_default();
        let (a, b) = (a.name, b.name);
        let expression = match u.int_in_range(0..=9)? {
            0 => format!("max({a}, {b})"),
            1 => format!("min({a}, {b})"),
            _ => format!("{a} {} {b}", u.choose(&INFIX)?),
        };
        self.0
            .write(axes, |name| format!("let {name} = {expression}"));
        Ok(())
    }

    /// Applies a new linear map to an existing tensor.
    fn composition(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let x = self.0.any(u)?;
        let output = (0..u.int_in_range(0..=1)?).map(|_| u.int_in_range(2..=3));
        let output: Vec<u64> = output.collect::<Result<_>>()?;
        let axes = [Vec::new(), x.axes[2].clone(), output.clone()];
        if output.is_empty() && u.ratio(1, 2)? {
            self.declare("const", axes);
        } else {
            self.listed(u, axes)?;
        }
        let map = self.0.tensors.last().map(|map| map.name.clone());
        let map = map.unwrap_or_default();
        let result = [x.axes[0].clone(), x.axes[1].clone(), output];
        self.0
            .write(result, |name| format!("let {name} = {map} * {}", x.name));
        Ok(())
    }

    /// Adds the concatenation of two tensors that agree except for their last output axes.
    fn joined(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let a = self.0.any(u)?;
        let Some((last, first)) = a.axes[2].split_last() else {
            return self.unary(u);
        };
        let fits = |b: &&Tensor| {
            let [batch, input, output] = &b.axes;
            let alike = [batch, input] == [&a.axes[0], &a.axes[1]];
            alike && output.split_last().is_some_and(|(_, other)| other == first)
        };
        let partners: Vec<&Tensor> = self.0.tensors.iter().filter(fits).collect();
        let b = (*u.choose(&partners)?).clone();
        let other = b.axes[2].last().copied().unwrap_or(1);
        let written = |last: &str| {
            let mut labels = 0..;
            let mut row = |axes: &[u64]| -> Vec<String> {
                let labels = axes.iter().zip(&mut labels);
                labels.map(|(_, label)| name_of(label)).collect()
            };
            let mut rows = [row(&a.axes[0]), row(&a.axes[1]), row(first)];
            rows[2].push(last.to_string());
            shape(&rows)
        };
        let whole = *u.choose(&["a^b", "b^a", "a^b^_:2", "_:2^a^b"])?;
        let more = if whole.contains("_:2") { 2 } else { 0 };
        let mut axes = a.axes.clone();
        axes[2].pop();
        axes[2].push(last + other + more);
        let spec = format!("{}; {} => {}", written("a"), written("b"), written(whole));
        let accumulator = *u.choose(&["=:", "=:", "=:+", "=:max"])?;
        self.0.write(axes, |name| {
            format!(
                "{name} {accumulator} concat({}, {}) \"{spec}\"",
                a.name, b.name
            )
        });
        Ok(())
    }

    /// Splits the last output axis into two parts that are exchanged or of which one is kept, splits it into factors,
    /// or merges it with the axis before it.
    fn made(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let x = self.0.any(u)?;
        let output = &x.axes[2];
        let (Some(last), true) = (output.last().copied(), u.ratio(7, 8)?) else {
            return self.unary(u);
        };
        let mut axes = x.axes.clone();
        axes[2].pop();
        let (from, to): (Vec<&str>, Vec<&str>) = match u.int_in_range(0..=3)? {
            0 if last > 1 => {
                axes[2].push(last);
                (vec!["a:1^b"], vec!["b^a"])
            }
            1 if last > 1 => {
                axes[2].push(last - 1);
                (vec!["_:1^a"], vec!["a"])
            }
            2 if last > 2 && last % 2 == 0 => {
                axes[2].extend([last / 2, 2]);
                (vec!["(a:2, b)"], vec!["b", "a"])
            }
            _ if output.len() > 1 => {
                let before = axes[2].pop().unwrap_or(1);
                axes[2].push(before * last);
                (vec!["a", "b"], vec!["(a, b)"])
            }
            _ => {
                axes[2].push(last);
                (vec!["b^a:1"], vec!["a^b"])
            }
        };
        let kept = output.len() - if from.len() == 2 { 2 } else { 1 };
        let written = |last: &[&str]| {
            let mut labels = 0..;
            let mut row = |count: usize| -> Vec<String> {
                let labels = (&mut labels).take(count);
                labels.map(name_of).collect()
            };
            let mut rows = [row(x.axes[0].len()), row(x.axes[1].len()), row(kept)];
            rows[2].extend(last.iter().map(|label| label.to_string()));
            shape(&rows)
        };
        let spec = format!("{} => {}", written(&from), written(&to));
        let accumulator = *u.choose(&["=:", "=:", "=:+"])?;
        self.0.write(axes, |name| {
            format!("{name} {accumulator} {} \"{spec}\"", x.name)
        });
        Ok(())
    }

    /// Adds an einsum of one or two operands. Axes of the same size occasionally share a label.
    fn einsum(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let operands: Vec<Tensor> = (0..u.int_in_range(1..=2)?)
            .map(|_| self.0.any(u))
            .collect::<Result<_>>()?;
        let mut labels: Vec<u64> = Vec::new();
        let mut written = Vec::new();
        for operand in &operands {
            let mut rows: [Vec<String>; 3] = Default::default();
            for (row, sizes) in rows.iter_mut().zip(&operand.axes) {
                for size in sizes {
                    row.push(name_of(label(u, &mut labels, *size)?));
                }
            }
            written.push(shape(&rows));
        }
        let mut axes: [Vec<u64>; 3] = Default::default();
        let mut rows: [Vec<String>; 3] = Default::default();
        for (at, size) in labels.iter().enumerate() {
            if !u.ratio(1, 3)? {
                let row = u.int_in_range(0..=2)?;
                axes[row].push(*size);
                rows[row].push(name_of(at));
            }
        }
        let names: Vec<&str> = operands.iter().map(|known| known.name.as_str()).collect();
        let sign = *u.choose(&["*", "*", "+", "-"])?;
        let expression = names.join(&format!(" {sign} "));
        let accumulator = *u.choose(&ACCUMULATORS)?;
        let spec = format!("{} => {}", written.join("; "), shape(&rows));
        self.0.write(axes, |name| {
            format!("{name} {accumulator} {expression} \"{spec}\"")
        });
        Ok(())
    }
}

fn name_of(label: usize) -> String {
    lozenge_testkit::generate::letter(b'i', label)
}

/// Draws a label of this size: a new one, or an existing one.
fn label(u: &mut Unstructured<'_>, labels: &mut Vec<u64>, size: u64) -> Result<usize> {
    let alike: Vec<usize> = (0..labels.len()).filter(|at| labels[*at] == size).collect();
    if !alike.is_empty() && u.ratio(2, 5)? {
        return u.choose(&alike).copied();
    }
    labels.push(size);
    Ok(labels.len() - 1)
}
