//! Random programs with a loss and its gradients. They are made of sums, differences and products, so that the loss is
//! a polynomial; or of maxima, minima and other functions with kinks as well, so that it is one in pieces.

use std::fmt::Write;

use lozenge_testkit::random::Random;

/// The largest degree of a loss in one cell of a parameter.
pub const DEGREE: u32 = 4;

/// The largest number of cells of a tensor.
const MOST_CELLS: u64 = 48;
/// The largest number of axes of a tensor.
const MOST_AXES: usize = 5;

/// Sizes of axes by row: batch, input, output.
type Axes = [Vec<u64>; 3];

/// A tensor with its axes and a bound of its degree in each cell of a parameter.
#[derive(Clone)]
struct Known {
    name: String,
    axes: Axes,
    degree: u32,
}

struct Draft {
    text: String,
    tensors: Vec<Known>,
    names: usize,
    random: Random,
    sort: Sort,
}

/// The sort of a program's loss.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A polynomial.
    Smooth,
    /// A polynomial in pieces, which meet in kinks.
    Kinked,
}

/// Returns the text of a program: data, parameters, up to seven statements, a loss, and `backward`.
pub fn text(sort: Sort, index: u64) -> String {
    let mut draft = Draft {
        sort,
        text: String::new(),
        tensors: Vec::new(),
        names: 0,
        random: Random::seeded(7, index),
    };
    let axes = [draft.row(0, 2), draft.row(0, 1), draft.row(1, 2)];
    let first = draft.leaf(axes, false);
    draft.tensors.push(first);
    draft.composed(false);
    for _ in 0..draft.random.below(7) {
        draft.statement();
    }
    draft.loss();
    draft.text
}

fn cells(axes: &Axes) -> u64 {
    axes.iter().flatten().product()
}

/// Returns the rows as a shape or a spec writes them.
fn shape<T: ToString>(rows: &[Vec<T>; 3]) -> String {
    let row = |row: &Vec<T>| {
        let axes: Vec<String> = row.iter().map(T::to_string).collect();
        axes.join(", ")
    };
    format!("{}|{}->{}", row(&rows[0]), row(&rows[1]), row(&rows[2]))
}

/// Returns the rows with a label in place of each axis, numbered from `from`.
fn labels(stem: &str, axes: &Axes) -> [Vec<String>; 3] {
    let mut number = 0;
    axes.each_ref().map(|row| {
        let named = row.iter().map(|_| {
            number += 1;
            format!("{stem}{number}")
        });
        named.collect()
    })
}

impl Draft {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn row(&mut self, from: usize, to: usize) -> Vec<u64> {
        let length = from + self.random.below(to - from + 1);
        (0..length)
            .map(|_| 2 + self.random.below(2) as u64)
            .collect()
    }

    fn any(&mut self) -> Known {
        let at = self.random.below(self.tensors.len());
        self.tensors[at].clone()
    }

    /// Makes data or a parameter with these axes.
    fn leaf(&mut self, axes: Axes, learns: bool) -> Known {
        let written = shape(&axes);
        let name = self.fresh(if learns { "p" } else { "d" });
        if learns {
            self.line(&format!("param {name} : {written} = 1"));
        } else {
            let values: Vec<String> = (0..cells(&axes))
                .map(|_| (self.random.below(5) as i64 - 2).to_string())
                .collect();
            self.line(&format!(
                "data {name} : {written} = [{}]",
                values.join(", ")
            ));
        }
        Known {
            name,
            axes,
            degree: u32::from(learns),
        }
    }

    fn define(&mut self, axes: Axes, degree: u32, expression: &str) {
        let name = self.fresh("t");
        self.line(&format!("let {name} = {expression}"));
        self.tensors.push(Known { name, axes, degree });
    }

    /// Tells whether a tensor with these axes and this degree may be made.
    fn fits(axes: &Axes, degree: u32) -> bool {
        let rank = axes.iter().map(Vec::len).sum::<usize>();
        degree <= DEGREE && rank <= MOST_AXES && cells(axes) <= MOST_CELLS
    }

    fn statement(&mut self) {
        if self.sort == Sort::Kinked && self.random.below(2) == 0 {
            return self.kink();
        }
        match self.random.below(12) {
            0 | 1 => self.beside(),
            2 => self.composed(false),
            3 => self.composed(true),
            4 => self.reduced(),
            5 | 6 => self.product(),
            7 => self.slice(),
            8 => self.window(),
            9 => self.parts(),
            10 => self.diagonal(),
            _ => self.updated(),
        }
    }

    /// Adds a pointwise operation with a tensor whose rows are ends of those of the other, so that it is broadcast.
    fn beside(&mut self) {
        let a = self.any();
        let learns = self.random.below(2) == 0;
        let mut axes = a.axes.clone();
        for (kind, row) in axes.iter_mut().enumerate() {
            let from = self.random.below(row.len() + 1);
            row.drain(..from);
            if learns && kind == 0 {
                row.clear();
            }
        }
        let sign = *self.random.pick(&["+", "-", "*."]);
        let degree = match sign {
            "*." => a.degree + u32::from(learns),
            _ => a.degree.max(u32::from(learns)),
        };
        if degree <= DEGREE {
            let b = self.leaf(axes, learns);
            self.define(a.axes, degree, &format!("{} {sign} {}", a.name, b.name));
        }
    }

    /// Adds the composition of a parameter, transposed or not, with a tensor.
    fn composed(&mut self, transposed: bool) {
        let a = self.any();
        let outputs = self.row(1, 2);
        let axes = [a.axes[0].clone(), a.axes[1].clone(), outputs.clone()];
        if a.axes[2].is_empty() || !Self::fits(&axes, a.degree + 1) {
            return;
        }
        let (input, output, open) = match transposed {
            true => (outputs, a.axes[2].clone(), ""),
            false => (a.axes[2].clone(), outputs, "transpose"),
        };
        let w = self.leaf([Vec::new(), input, output], true);
        let map = match open {
            "" => format!("transpose({})", w.name),
            _ => w.name,
        };
        self.define(axes, a.degree + 1, &format!("{map} * {}", a.name));
    }

    /// Adds a sum over some axes, with the others in other rows.
    fn reduced(&mut self) {
        let a = self.any();
        let operand = labels("a", &a.axes);
        let (spec, axes) = self.result(&operand, &a.axes, 3);
        let spec = format!("{} => {spec}", shape(&operand));
        self.define(axes, a.degree, &format!("sum({}, \"{spec}\")", a.name));
    }

    /// Returns each axis with its label, left out of the result once in `rarely`, in some row.
    fn result(&mut self, labels: &[Vec<String>; 3], axes: &Axes, rarely: usize) -> (String, Axes) {
        let (mut written, mut kept): ([Vec<String>; 3], Axes) = Default::default();
        let all = labels.iter().flatten().zip(axes.iter().flatten());
        for (label, size) in all {
            let row = self.random.below(3);
            if self.random.below(rarely) > 0 && !written.iter().flatten().any(|w| w == label) {
                written[row].push(label.clone());
                kept[row].push(*size);
            }
        }
        (shape(&written), kept)
    }

    /// Adds two operands under a spec, multiplied, added or subtracted in the loop. Axes of equal sizes may have one
    /// label.
    fn product(&mut self) {
        let (a, b) = (self.any(), self.any());
        let sign = *self.random.pick(&["*", "*", "+", "-"]);
        let degree = match sign {
            "*" => a.degree + b.degree,
            _ => a.degree.max(b.degree),
        };
        let first = labels("a", &a.axes);
        let mut second = labels("b", &b.axes);
        let known = first.iter().flatten().zip(a.axes.iter().flatten());
        let known: Vec<(&String, u64)> = known.map(|(label, size)| (label, *size)).collect();
        let sizes = b.axes.iter().flatten();
        for (label, size) in second.iter_mut().flatten().zip(sizes) {
            let same = known.iter().find(|(_, other)| other == size);
            if let Some((shared, _)) = same.filter(|_| self.random.below(2) == 0) {
                *label = (*shared).clone();
            }
        }
        let windowed = self.random.below(4) == 0;
        let pair = [a.axes.clone(), b.axes.clone()];
        let all = pair.each_ref().map(|axes| axes.iter().flatten().copied());
        let [left, right] = all;
        let joined: Axes = [left.chain(right).collect(), Vec::new(), Vec::new()];
        let named = first.iter().chain(&second).flatten().cloned().collect();
        let (spec, axes) = self.result(&[named, Vec::new(), Vec::new()], &joined, 2);
        if !Self::fits(&axes, degree) || cells(&a.axes) * cells(&b.axes) > 1500 {
            return;
        }
        // A window that leaves its axis at some points, at which the other operand is not read either.
        if windowed && let Some(last) = second[2].last_mut() {
            *last = format!("same({last} + w:2)");
        }
        let spec = format!("{}; {} => {spec}", shape(&first), shape(&second));
        let expression = format!("sum({} {sign} {}, \"{spec}\")", a.name, b.name);
        self.define(axes, degree, &expression);
    }

    fn slice(&mut self) {
        let a = self.any();
        let Some(size) = a.axes[0].first().copied() else {
            return;
        };
        let at = self.random.below(size as usize);
        let [batch, input, output] = a.axes;
        let axes = [batch[1..].to_vec(), input, output];
        self.define(axes, a.degree, &format!("{} @| {at}", a.name));
    }

    /// Adds windows over the last output axis, read or written.
    fn window(&mut self) {
        let a = self.any();
        let Some(size) = a.axes[2].last().copied() else {
            return;
        };
        let windows = [
            ("y + u:2", "y", size - 1),
            ("same(y + u:2)", "y", size),
            ("pad(y + u:3, 1)", "y", size),
            ("floor(2*y + u:2)", "y", size / 2),
            ("y", "2*y + u:2", 2 * size),
            ("y", "y + u:2", size + 1),
        ];
        let (read, written, made) = *self.random.pick(&windows);
        let mut axes = a.axes.clone();
        let mut operand = labels("a", &a.axes);
        let mut result = operand.clone();
        for (row, label) in [(&mut operand, read), (&mut result, written)] {
            row[2].pop();
            row[2].push(label.into());
        }
        axes[2].pop();
        axes[2].push(made);
        if Self::fits(&axes, a.degree) {
            let spec = format!("{} => {}", shape(&operand), shape(&result));
            self.define(axes, a.degree, &format!("sum({}, \"{spec}\")", a.name));
        }
    }

    /// Adds the last output axis without its first cell, or joined with another tensor's.
    fn parts(&mut self) {
        let a = self.any();
        let Some(size) = a.axes[2].last().copied() else {
            return;
        };
        let mut axes = a.axes.clone();
        axes[2].pop();
        let (made, expression) = match self.random.below(2) {
            0 => (2 * size, format!("concat({0}, {0} *. 3)", a.name)),
            _ => {
                let result = labels("a", &a.axes);
                let mut operand = result.clone();
                if let Some(last) = operand[2].last_mut() {
                    *last = format!("_:1^{last}");
                }
                let spec = format!("{} => {}", shape(&operand), shape(&result));
                (size - 1, format!("map({}, \"{spec}\")", a.name))
            }
        };
        axes[2].push(made);
        if Self::fits(&axes, a.degree) {
            self.define(axes, a.degree, &expression);
        }
    }

    /// Adds the diagonal of two axes of equal sizes, or its sum.
    fn diagonal(&mut self) {
        let a = self.any();
        let output = &a.axes[2];
        if output.len() != 2 || output[0] != output[1] {
            return;
        }
        let mut operand = labels("a", &a.axes);
        operand[2][1] = operand[2][0].clone();
        let mut axes = a.axes.clone();
        axes[2].pop();
        let mut result = operand.clone();
        result[2].pop();
        if self.random.below(2) == 0 {
            result[2].pop();
            axes[2].pop();
        }
        let spec = format!("{} => {}", shape(&operand), shape(&result));
        self.define(axes, a.degree, &format!("sum({}, \"{spec}\")", a.name));
    }

    /// Adds a function with a kink. A maximum or a minimum reads copies that nothing else reads, so that their
    /// gradients are what it hands back.
    fn kink(&mut self) {
        let word = *self.random.pick(&["max", "min"]);
        match self.random.below(5) {
            0 => self.extreme(word),
            1 => self.pooled(word),
            2 => {
                let (a, b) = (self.any(), self.any());
                if a.axes == b.axes {
                    let (one, other) = (self.copy(&a), self.copy(&b));
                    let degree = a.degree.max(b.degree);
                    self.define(a.axes, degree, &format!("{word}({one}, {other})"));
                }
            }
            3 => {
                let a = self.any();
                let b = self.leaf(Axes::default(), true);
                let one = self.copy(&a);
                let degree = a.degree.max(1);
                self.define(a.axes, degree, &format!("{word}({one}, {})", b.name));
            }
            _ => {
                let a = self.any();
                let name = &a.name;
                let forms = [
                    format!("relu({name})"),
                    format!("abs({name})"),
                    format!("where({name} > 0, {name}, -{name})"),
                ];
                let form = self.random.pick(&forms).clone();
                self.define(a.axes, a.degree, &form);
            }
        }
    }

    fn copy(&mut self, of: &Known) -> String {
        let name = self.fresh("c");
        self.line(&format!("let {name} = {} + 0", of.name));
        name
    }

    /// Adds the largest or the smallest over some axes, with the others in other rows.
    fn extreme(&mut self, word: &str) {
        let a = self.any();
        let operand = labels("a", &a.axes);
        let (spec, axes) = self.result(&operand, &a.axes, 2);
        let copy = self.copy(&a);
        let spec = format!("{} => {spec}", shape(&operand));
        self.define(axes, a.degree, &format!("{word}({copy}, \"{spec}\")"));
    }

    /// Adds the largest or the smallest in windows over the last output axis, which overlap or reach beyond it.
    fn pooled(&mut self, word: &str) {
        let a = self.any();
        let Some(size) = a.axes[2].last().copied().filter(|size| *size > 1) else {
            return;
        };
        let windows = [
            ("y + u:2", size - 1),
            ("same(y + u:3)", size),
            ("pad(y + 2*u:2, 1)", size),
            ("ceil(2*y + u:2)", size.div_ceil(2)),
            ("2*y + u:2 + v:2", size / 2),
        ];
        let (read, made) = *self.random.pick(&windows);
        let mut axes = a.axes.clone();
        let mut operand = labels("a", &a.axes);
        let mut result = operand.clone();
        for (row, label) in [(&mut operand, read), (&mut result, "y")] {
            row[2].pop();
            row[2].push(label.into());
        }
        axes[2].pop();
        axes[2].push(made);
        let copy = self.copy(&a);
        let spec = format!("{} => {}", shape(&operand), shape(&result));
        self.define(axes, a.degree, &format!("{word}({copy}, \"{spec}\")"));
    }

    /// Adds a tensor to which another one is added afterwards, or from which it is subtracted.
    fn updated(&mut self) {
        let (a, b) = (self.any(), self.any());
        if a.axes != b.axes {
            return;
        }
        let name = self.fresh("t");
        self.line(&format!("{name} =: {} \".\"", a.name));
        let sign = *self.random.pick(&["=+", "=-"]);
        self.line(&format!("{name} {sign} {} \".\"", b.name));
        self.tensors.push(Known {
            name,
            axes: a.axes,
            degree: a.degree.max(b.degree),
        });
    }

    /// Adds the sum of the last tensor that depends on a parameter, squared where its degree allows it.
    fn loss(&mut self) {
        let learns = self.tensors.iter().rev();
        let Some(of) = learns.clone().find(|tensor| tensor.degree > 0).cloned() else {
            return;
        };
        let name = &of.name;
        let expression = match 2 * of.degree <= DEGREE {
            true => format!("sum(square({name}) + {name})"),
            false => format!("sum({name})"),
        };
        self.line(&format!("let loss = {expression}"));
        self.line("backward loss");
    }
}
