//! The inputs of the target `gradients`: a statement, how its results are combined, the function of what it reads, and
//! small whole numbers that often repeat.

use std::fmt::{self, Write};
use std::str::FromStr;

use arbitrary::{Result as Drawing, Unstructured};
use serde::{Deserialize, Serialize};

use crate::data;
use crate::subjects::statements::written_operation::{Sign, WrittenOperation, draw};
use crate::subjects::statements::written_shape::shape;

/// The combination of the values of the points of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Together {
    Sum,
    Largest,
    Smallest,
}

/// The function of the values that are read at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    pub(super) together: Together,
    pub(super) inner: Inner,
    /// A number that is added to every cell of the first operand.
    pub(super) shift: Option<f64>,
    /// The values of each operand.
    pub(super) operands: Vec<Vec<f64>>,
    pub(super) statement: WrittenOperation,
}

/// Draws a statement whose loss is convex, or concave, in each of its operands' cells: then a derivative from the left
/// that is that from the right tells that no point is at a kink. Its operands are parameters, which have no batch axes.
pub(super) fn drawn(u: &mut Unstructured<'_>) -> Drawing<Drawn> {
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
        operands.push(values.collect::<Drawing<_>>()?);
    }
    let shift = match u.arbitrary()? {
        true => Some(f64::from(u.int_in_range(-1..=1)?)),
        false => None,
    };
    Ok(Drawn {
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
) -> Drawing<Inner> {
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
    /// Returns the weight of each cell of the result.
    pub(super) fn weights(&self) -> Vec<f64> {
        let weight = |cell: u64| (cell * 5 % 7) as f64;
        (0..self.statement.cells(0)).map(weight).collect()
    }

    /// Returns every instance that is one step smaller: a smaller statement with the first values, no shift, or a value
    /// that is 0.
    pub(super) fn smaller(&self) -> Vec<Drawn> {
        let statements = self.statement.smaller().into_iter();
        let mut all: Vec<Drawn> = statements.map(|statement| self.with(statement)).collect();
        if self.shift.is_some() {
            all.push(Drawn {
                shift: None,
                ..self.clone()
            });
        }
        for (operand, values) in self.operands.iter().enumerate() {
            for cell in (0..values.len()).filter(|cell| values[*cell] != 0.0) {
                let mut other = self.clone();
                other.operands[operand][cell] = 0.0;
                all.push(other);
            }
        }
        all
    }

    /// Returns the instance with another statement of as many operands, each with its first values.
    fn with(&self, statement: WrittenOperation) -> Drawn {
        let operands = self.operands.iter().enumerate().map(|(number, values)| {
            let mut values = values.clone();
            values.resize(statement.cells(number + 1) as usize, 0.0);
            values
        });
        Drawn {
            operands: operands.collect(),
            statement,
            ..self.clone()
        }
    }

    /// Checks that each operand has a value for each cell, and the function as many operands as it takes.
    fn check(&self) -> Result<(), String> {
        self.statement.check()?;
        let count = self.statement.templates.len() - 1;
        let cells = (1..=count).map(|operand| self.statement.cells(operand) as usize);
        if !self.operands.iter().map(Vec::len).eq(cells.clone()) {
            let cells: Vec<usize> = cells.collect();
            return Err(format!("expected lists of {cells:?} values in `operands`"));
        }
        if !self
            .operands
            .iter()
            .flatten()
            .chain(&self.shift)
            .all(|value| value.abs() <= LARGEST)
        {
            return Err(format!("expected values of at most {LARGEST}"));
        }
        let takes = match self.inner {
            Inner::Value if self.statement.alternatives => count,
            Inner::Value | Inner::Negative | Inner::Relu | Inner::Abs => 1,
            Inner::Product | Inner::Sum | Inner::Larger | Inner::Smaller => 2,
        };
        let has_batch = self.statement.templates[1..]
            .iter()
            .any(|(_, batch)| *batch > 0);
        match (takes == count, has_batch) {
            (false, _) => Err(format!(
                "the function takes {takes} operands, and there are {count}"
            )),
            (_, true) => Err("parameters have no batch axes".into()),
            _ => Ok(()),
        }
    }

    /// Returns the parameter whose values an operand has.
    pub(super) fn parameter(&self, operand: usize) -> String {
        match (operand, self.shift) {
            (1, Some(_)) => "unshifted".into(),
            _ => WrittenOperation::name(operand),
        }
    }

    /// Returns the statement with parameters in place of data, a weight for each cell of the result, and the gradients
    /// of their sum.
    pub(super) fn program(&self) -> String {
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
        let written = statement.program();
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
        let cells = self.statement.cells(0);
        let _ = writeln!(
            text,
            "data weight : {axes} = range({cells})\nlet loss = sum({result} *. weight)\nbackward loss"
        );
        text
    }

    /// Writes the value that is computed at each point, as the program has it.
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

/// The largest value that is read.
const LARGEST: f64 = 1000.0;

/// The data below the program.
impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        data::print(f, &self.program(), self)
    }
}

impl FromStr for Drawn {
    type Err = String;

    fn from_str(text: &str) -> Result<Drawn, String> {
        let drawn: Drawn = data::read(text)?;
        drawn.check().map(|()| drawn)
    }
}
