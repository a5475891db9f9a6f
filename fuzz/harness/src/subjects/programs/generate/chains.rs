//! Chains of pointwise lines behind a reduction, and uses of what they make: slices, specs with `...`, reductions,
//! further pointwise lines. Each tensor is drawn with its axes, so that every program has shapes. The lines stand in
//! any order in which each follows those that it reads.

use arbitrary::{Result, Unstructured};

use super::draft::{Axes, paired, written};
use crate::subjects::statements::written_shape::shape;

const BATCH: usize = 0;
const INPUT: usize = 1;
const OUTPUT: usize = 2;

/// A line that defines one tensor, with the sizes of its batch, input and output axes.
#[derive(Clone, Debug)]
struct Line {
    name: String,
    text: String,
    /// The numbers of the lines whose tensors it reads.
    reads: Vec<usize>,
    axes: Axes,
    /// True if a spec wrote axes before a `...` of the tensor, behind which its marker then stands. Such a
    /// tensor pairs otherwise than data.
    moved: bool,
}

#[derive(Default)]
struct Draft {
    lines: Vec<Line>,
}

const UNARY: [&str; 12] = [
    "-{}",
    "exp({})",
    "tanh({})",
    "relu({})",
    "{} + 1",
    "{} *. 2",
    "2 - {}",
    "{} / 4",
    "max({}, 1)",
    "where({} > 1, {}, 2)",
    "where(1, {}, 0)",
    "square({}) - {}",
];

const BINARY: [&str; 8] = [
    "{a} + {b}",
    "{a} - {b}",
    "{a} *. {b}",
    "max({a}, {b})",
    "{a} < {b}",
    "where({b} > 3, {a}, {b})",
    "where({a} > {b}, 1, {b})",
    "{a} *. 2 + {b}",
];

/// Draws a tensor of data, mostly something that reduces or moves its axes, one to three pointwise lines behind it, and
/// up to five uses of all these.
///
/// # Errors
/// Never for lack of bytes.
pub fn chain(u: &mut Unstructured<'_>) -> Result<String> {
    let mut draft = Draft::default();
    draft.data(u, None)?;
    if u.ratio(7, 8)? {
        draft.head(u)?;
    }
    for _ in 0..u.int_in_range(1..=3)? {
        let last = draft.lines.len() - 1;
        draft.pointwise(u, last)?;
    }
    let chain = draft.lines.len();
    for _ in 0..u.int_in_range(1..=5)? {
        draft.used(u, chain)?;
    }
    draft.in_some_order(u)
}

impl Draft {
    fn fresh(&self) -> String {
        format!("t{}", self.lines.len())
    }

    fn define(&mut self, expression: &str, reads: &[usize], axes: Axes, moved: bool) {
        let name = self.fresh();
        self.lines.push(Line {
            text: format!("let {name} = {expression}"),
            name,
            reads: reads.to_vec(),
            axes,
            moved,
        });
    }

    /// Adds data with at least one batch axis, or with these axes.
    fn data(&mut self, u: &mut Unstructured<'_>, axes: Option<Axes>) -> Result<()> {
        let mut row = |least: usize, most: usize| -> Result<Vec<u64>> {
            let length = u.int_in_range(least..=most)?;
            (0..length).map(|_| u.int_in_range(2..=4)).collect()
        };
        let axes = match axes {
            Some(axes) => axes,
            None => [row(1, 3)?, row(0, 1)?, row(0, 2)?],
        };
        let count: u64 = axes.iter().flatten().product();
        let name = self.fresh();
        self.lines.push(Line {
            text: format!("data {name} : {} = range({count})", written(&axes)),
            name,
            reads: Vec::new(),
            axes,
            moved: false,
        });
        Ok(())
    }

    /// Writes the operation at the head of a chain, which reads the last tensor.
    fn head(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let of = self.lines.len() - 1;
        match u.int_in_range(0..=4)? {
            0 | 1 => self.statistic(u, of),
            2 => self.normalised(u, of),
            3 => self.composed(u, of),
            _ => self.under_a_spec(u, of),
        }
    }

    /// Adds a use of a tensor, mostly of one of the chain, which are the lines before this one.
    fn used(&mut self, u: &mut Unstructured<'_>, chain: usize) -> Result<()> {
        let lines = match u.ratio(3, 4)? {
            true => 1..=chain - 1,
            false => 0..=self.lines.len() - 1,
        };
        let of = u.int_in_range(lines)?;
        match u.int_in_range(0..=11)? {
            0..=4 => self.slice(u, of),
            5 | 6 => self.under_a_spec(u, of),
            7 => self.statistic(u, of),
            8 => self.normalised(u, of),
            9 => self.pointwise(u, of),
            10 => self.composed(u, of),
            _ => self.pair(u, of),
        }
    }

    /// Adds a reduction over the outputs, or over everything.
    fn statistic(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let Line {
            name, axes, moved, ..
        } = self.lines[of].clone();
        let word = *u.choose(&["mean", "sum", "max", "min"])?;
        if axes[OUTPUT].is_empty() {
            let axes = Default::default();
            self.define(&format!("{word}({name})"), &[of], axes, false);
        } else {
            let [batch, input, _] = axes;
            let axes = [batch, input, Vec::new()];
            self.define(&format!("{word}({name}, outputs)"), &[of], axes, moved);
        }
        Ok(())
    }

    /// Adds a function of the prelude that divides or subtracts a reduction.
    fn normalised(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let Line {
            name, axes, moved, ..
        } = self.lines[of].clone();
        if axes[OUTPUT].is_empty() {
            return self.statistic(u, of);
        }
        let expression = match u.int_in_range(0..=2)? {
            0 => format!("softmax({name})"),
            1 => format!("log_softmax({name})"),
            _ => format!("{name} - mean({name}, outputs)"),
        };
        self.define(&expression, &[of], axes, moved);
        Ok(())
    }

    /// Adds a linear map, whose shape is written, of a tensor.
    fn composed(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let Line {
            name, axes, moved, ..
        } = self.lines[of].clone();
        let [batch, input, output] = axes;
        if output.is_empty() || moved {
            return self.under_a_spec(u, of);
        }
        let made: Vec<u64> = match u.int_in_range(0..=2)? {
            0 => Vec::new(),
            _ => vec![u.int_in_range(2..=4)?],
        };
        self.data(u, Some([Vec::new(), output, made.clone()]))?;
        let map = self.lines.len() - 1;
        let expression = format!("{} * {name}", self.lines[map].name);
        self.define(&expression, &[map, of], [batch, input, made], false);
        Ok(())
    }

    fn pointwise(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let Line {
            name, axes, moved, ..
        } = self.lines[of].clone();
        let expression = u.choose(&UNARY)?.replace("{}", &name);
        self.define(&expression, &[of], axes, moved);
        Ok(())
    }

    /// Adds a pointwise function of a tensor and of one that it pairs with.
    fn pair(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let first = self.lines[of].clone();
        let fitting = |at: usize| {
            let second = &self.lines[at];
            let row = |kind: usize| paired(&first.axes[kind], &second.axes[kind]);
            let axes = [row(BATCH)?, row(INPUT)?, row(OUTPUT)?];
            let has_axes = |line: &Line| line.axes.iter().any(|row| !row.is_empty());
            let pairs_like_data = !first.moved && !second.moved;
            (pairs_like_data || at == of || !has_axes(second)).then_some((at, axes))
        };
        let partners: Vec<_> = (0..self.lines.len()).filter_map(fitting).collect();
        let (at, axes) = u.choose(&partners)?.clone();
        let (a, b) = match u.arbitrary()? {
            true => (of, at),
            false => (at, of),
        };
        let expression = u.choose(&BINARY)?;
        let expression = expression.replace("{a}", &self.lines[a].name);
        let expression = expression.replace("{b}", &self.lines[b].name);
        self.define(&expression, &[a, b], axes, first.moved);
        Ok(())
    }

    /// Adds an element along a batch axis.
    fn slice(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let Line {
            name,
            mut axes,
            moved,
            ..
        } = self.lines[of].clone();
        if axes[BATCH].is_empty() {
            return self.under_a_spec(u, of);
        }
        let axis = u.int_in_range(0..=1.min(axes[BATCH].len() - 1))?;
        let at = u.int_in_range(0..=axes[BATCH][axis] - 1)?;
        axes[BATCH].remove(axis);
        let expression = match axis {
            0 => format!("{name} @| {at}"),
            _ => format!("{name} @| (_, {at})"),
        };
        self.define(&expression, &[of], axes, moved);
        Ok(())
    }

    /// Adds a sum, an extreme or a permutation under a spec.
    fn under_a_spec(&mut self, u: &mut Unstructured<'_>, of: usize) -> Result<()> {
        let Line {
            name, axes, moved, ..
        } = self.lines[of].clone();
        let word = *u.choose(&["sum", "max", "min", "map", "map"])?;
        let spec = Spec::draw(u, &axes, word != "map")?;
        let spec_text = format!("\"{} => {}\"", shape(&spec.operand), shape(&spec.result));
        let moved = spec.moves || moved && spec.is_open;
        self.define(
            &format!("{word}({name}, {spec_text})"),
            &[of],
            spec.axes,
            moved,
        );
        Ok(())
    }

    /// Draws the lines in some order in which each follows those that it reads.
    fn in_some_order(self, u: &mut Unstructured<'_>) -> Result<String> {
        let mut left: Vec<usize> = (0..self.lines.len()).collect();
        let mut text = String::new();
        while !left.is_empty() {
            let is_ready = |at: &usize| {
                let mut reads = self.lines[*at].reads.iter();
                reads.all(|read| !left.contains(read))
            };
            let ready: Vec<usize> = left.iter().copied().filter(is_ready).collect();
            let next = *u.choose(&ready)?;
            left.retain(|at| *at != next);
            text += &self.lines[next].text;
            text.push('\n');
        }
        Ok(text)
    }
}

/// A spec of one operand, in its parts.
#[derive(Default)]
struct Spec {
    operand: [Vec<String>; 3],
    result: [Vec<String>; 3],
    /// The axes of the result.
    axes: Axes,
    /// True if an axis of the result stands before a row variable.
    moves: bool,
    /// True if the result has a row variable.
    is_open: bool,
}

/// A part of the operand's row with its axes: a label, or a row variable.
struct Part {
    name: String,
    axes: Vec<u64>,
    is_open: bool,
    kind: usize,
}

impl Spec {
    /// Draws a spec for an operand with these axes. Axes may be left out of the result if it `combines` them.
    fn draw(u: &mut Unstructured<'_>, axes: &[Vec<u64>; 3], combines: bool) -> Result<Spec> {
        let mut spec = Spec::default();
        let mut parts = Vec::new();
        let mut labels = 0..;
        for (kind, row) in axes.iter().enumerate() {
            let is_open = u.ratio(3, 4)?;
            let front = match is_open {
                true => u.int_in_range(0..=row.len().min(2))?,
                false => row.len(),
            };
            let back = match is_open {
                true => u.int_in_range(0..=(row.len() - front).min(1))?,
                false => 0,
            };
            let (before, rest) = row.split_at(front);
            let (within, behind) = rest.split_at(rest.len() - back);
            let mut label = |size: &u64| Part {
                name: labels.next().map_or_else(String::new, letter),
                axes: vec![*size],
                is_open: false,
                kind,
            };
            let mut own: Vec<Part> = before.iter().map(&mut label).collect();
            if is_open {
                own.push(Part {
                    name: "...".into(),
                    axes: within.to_vec(),
                    is_open,
                    kind,
                });
            }
            own.extend(behind.iter().map(&mut label));
            parts.extend(own);
        }
        for part in &mut parts {
            spec.place(u, part, combines)?;
        }
        for part in parts {
            spec.operand[part.kind].push(part.name);
        }
        Ok(spec)
    }

    /// Puts a part somewhere into the result, or leaves it out. A row variable that goes into another row gets a name.
    fn place(&mut self, u: &mut Unstructured<'_>, part: &mut Part, combines: bool) -> Result<()> {
        let has_variable = |row: &[String]| row.iter().any(|name| name.contains(".."));
        if combines && u.ratio(1, if part.is_open { 6 } else { 2 })? {
            return Ok(());
        }
        let kind = match u.ratio(3, 4)? {
            true => part.kind,
            false => u.int_in_range(0..=2)?,
        };
        // A row has one variable at most, and there is a place for each of three variables in three rows.
        let free = |kind: &usize| !part.is_open || !has_variable(&self.result[*kind]);
        let Some(kind) = [kind, 0, 1, 2].into_iter().find(free) else {
            return Ok(());
        };
        if part.is_open && kind != part.kind {
            part.name = format!("..{}..", ["r", "s", "v"][part.kind]);
        }
        let is_last = has_variable(&self.result[kind]) && u.ratio(2, 3)?;
        let row = &mut self.result[kind];
        if part.is_open || is_last || row.is_empty() {
            self.moves |= part.is_open && !row.is_empty();
            row.push(part.name.clone());
            self.axes[kind].extend(&part.axes);
        } else {
            self.moves |= has_variable(row);
            row.insert(0, part.name.clone());
            self.axes[kind].splice(0..0, part.axes.clone());
        }
        self.is_open |= part.is_open;
        Ok(())
    }
}

fn letter(at: usize) -> String {
    lozenge_testkit::generate::letter(b'a', at)
}
