//! What the target `gradients` draws: a statement, how its results are combined, the function of what it reads, and small whole numbers that
//! often repeat.

use std::fmt::Write;

use arbitrary::{Result, Unstructured};

use crate::written_operation::{Sign, WrittenOperation, draw};
use crate::written_shape::shape;

/// How the values of the points come together in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    Sum,
    Largest,
    Smallest,
}

/// The function of what is read at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    Value,
    Negative,
    Relu,
    Abs,
    Product,
    Sum,
    Larger,
    Smaller,
}

/// A statement with its values. The loss is a sum of its results, each times a weight that is not negative.
pub(super) struct Drawn {
    pub statement: WrittenOperation,
    pub together: Together,
    pub inner: Inner,
    /// The values of each operand.
    pub operands: Vec<Vec<f64>>,
    /// The weight of each cell of the result.
    pub weights: Vec<f64>,
    /// A number that is added to every cell of the first operand.
    pub shift: Option<f64>,
}

/// A statement whose loss is convex, or concave, in each of its operands' cells: then a derivative from the left that is that from the right
/// tells that no point is at a kink. Its operands are parameters, which have no batch axes.
pub(super) fn drawn(u: &mut Unstructured<'_>) -> Result<Drawn> {
    let mut statement = draw(u)?;
    statement.sign = Sign::Add;
    statement.templates[1..]
        .iter_mut()
        .for_each(|(_, batch)| *batch = 0);
    let together = *u.choose(&[
        Together::Sum,
        Together::Largest,
        Together::Largest,
        Together::Smallest,
    ])?;
    let inner = inner(u, &statement, together)?;
    let count = statement.templates.len();
    let mut operands = Vec::new();
    for operand in 1..count {
        let reach = *u.choose(&[0, 1, 2, 4])?;
        let cells = 0..statement.cells(operand);
        let values = cells.map(|_| Ok(f64::from(u.int_in_range(-reach..=reach)?)));
        operands.push(values.collect::<Result<_>>()?);
    }
    let weight = |cell: u64| (cell * 5 % 7) as f64;
    let shift = match u.arbitrary()? {
        true => Some(f64::from(u.int_in_range(-1..=1)?)),
        false => None,
    };
    Ok(Drawn {
        weights: (0..statement.cells(0)).map(weight).collect(),
        statement,
        together,
        inner,
        operands,
        shift,
    })
}

fn inner(
    u: &mut Unstructured<'_>,
    statement: &WrittenOperation,
    together: Together,
) -> Result<Inner> {
    let one_by_one = statement.alternatives || statement.templates.len() == 2;
    Ok(match (one_by_one, together) {
        (true, _) if statement.alternatives => Inner::Value,
        (true, Together::Smallest) => *u.choose(&[Inner::Value, Inner::Negative])?,
        (true, _) => *u.choose(&[Inner::Value, Inner::Negative, Inner::Relu, Inner::Abs])?,
        (false, Together::Sum) => {
            *u.choose(&[Inner::Product, Inner::Sum, Inner::Larger, Inner::Smaller])?
        }
        (false, Together::Largest) => *u.choose(&[Inner::Product, Inner::Sum, Inner::Larger])?,
        (false, Together::Smallest) => *u.choose(&[Inner::Product, Inner::Sum, Inner::Smaller])?,
    })
}

impl Drawn {
    /// The parameter whose values an operand has.
    pub fn parameter(&self, operand: usize) -> String {
        match (operand, self.shift) {
            (1, Some(_)) => "unshifted".into(),
            _ => WrittenOperation::name(operand),
        }
    }

    /// The statement with parameters in place of data, a weight for each cell of the result, and the gradients of their sum.
    pub fn program(&self) -> String {
        let statement = &self.statement;
        let mut text = String::new();
        if self.shift.is_some() {
            text.push_str("param shift : -> = 1\n");
        }
        for operand in 1..statement.templates.len() {
            let sizes: Vec<String> = statement.axes(operand).iter().map(u64::to_string).collect();
            let (name, axes) = (
                self.parameter(operand),
                shape(&[Vec::new(), Vec::new(), sizes]),
            );
            let _ = writeln!(text, "param {name} : {axes} = 1");
        }
        if self.shift.is_some() {
            text.push_str("let x1 = unshifted + shift\n");
        }
        let written = statement.to_string();
        let spec = written.split('"').nth(1).unwrap_or_default();
        let sign = match self.together {
            Together::Sum => "=:+",
            Together::Largest => "=:max",
            Together::Smallest => "=:min",
        };
        let result = WrittenOperation::name(0);
        let _ = writeln!(text, "{result} {sign} {} \"{spec}\"", self.value());
        let mut sizes: Vec<String> = statement.axes(0).iter().map(u64::to_string).collect();
        let output = sizes.split_off(statement.templates[0].1);
        let axes = shape(&[sizes, Vec::new(), output]);
        let cells = self.weights.len();
        let _ = writeln!(
            text,
            "data weight : {axes} = range({cells})\nlet loss = sum({result} *. weight)\nbackward loss"
        );
        text
    }

    /// What is computed at each point, as the program writes it.
    fn value(&self) -> String {
        let names: Vec<String> = (1..self.statement.templates.len())
            .map(WrittenOperation::name)
            .collect();
        let call = |function: &str| format!("{function}({})", names.join(", "));
        match self.inner {
            _ if self.statement.alternatives => call("concat"),
            Inner::Value => names.concat(),
            Inner::Negative => call("neg"),
            Inner::Relu => call("relu"),
            Inner::Abs => call("abs"),
            Inner::Product => names.join(" * "),
            Inner::Sum => names.join(" + "),
            Inner::Larger => call("max"),
            Inner::Smaller => call("min"),
        }
    }
}
