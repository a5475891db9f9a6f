//! The operators at given sizes: each is a line, or a few.

use lozenge_diagnostic::{Diagnostic, Parsed};

use super::elements::Elements;
use super::machine::{Machine, unfit};
use super::value::{MapAxis, Tensor, Value, shape_text};
use super::{kept, rows, structure};
use crate::Span;
use crate::table::Table;

/// The functions of one tensor, with what computes them.
const POINTWISE: &[(&str, &str)] = &[
    ("exp", "exp({0})"),
    ("log", "log({0})"),
    ("sqrt", "sqrt({0})"),
    ("tanh", "tanh({0})"),
    ("sigmoid", "sigmoid({0})"),
    ("relu", "relu({0})"),
    ("neg", "-{0}"),
];

/// Returns the expression of an operator of two tensors, with the accumulator and the neutral element of a reduction by
/// it.
pub(super) fn binary(name: &str) -> Option<(&'static str, Option<(&'static str, f64)>)> {
    Some(match name {
        "+" => ("{0} + {1}", Some(("=:+", 0.0))),
        "-" => ("{0} - {1}", None),
        "*" => ("{0} * {1}", None),
        "/" => ("{0} / {1}", None),
        "max" => ("max({0}, {1})", Some(("=:max", f64::NEG_INFINITY))),
        "min" => ("min({0}, {1})", Some(("=:min", f64::INFINITY))),
        _ => return None,
    })
}

/// Applies an operator.
pub(super) fn apply(
    machine: &mut Machine<'_>,
    name: &str,
    arguments: Vec<Value>,
    span: &Span,
) -> Parsed<Option<Value>> {
    if arguments
        .iter()
        .any(|given| matches!(given, Value::Rows(_)))
    {
        return rows::apply(machine, name, &arguments, span);
    }
    match (name, arguments.as_slice()) {
        ("compress", [Value::Tensor(mask), Value::Tensor(of)]) => {
            return kept::compress(machine, mask, of, span);
        }
        ("map", [function, Value::Tensor(over)]) => {
            return structure::map(machine, function.clone(), over.clone(), span);
        }
        ("reduce", [function, Value::Tensor(first), Value::Tensor(over)]) => {
            return structure::reduce(machine, function.clone(), first.clone(), over.clone(), span);
        }
        ("loop", [state, function, Value::Tensor(over)]) => {
            let over = rows::Elements::Of(over.clone());
            return structure::repeat(machine, state.clone(), function.clone(), over, span);
        }
        _ => {}
    }
    let tensors: Vec<Tensor> = arguments
        .into_iter()
        .filter_map(|argument| match argument {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        })
        .collect();
    if let ("lstmStep", [_, _, _, ..]) = (name, tensors.as_slice()) {
        return super::structure::lstm(machine, &tensors, span).map(Some);
    }
    let made = match tensors.as_slice() {
        [only] => unary(machine, name, only, span)?,
        [left, right] => of_two(machine, name, left, right, span)?,
        _ => {
            return Err(unfit(
                span,
                "an operator is given other arguments than it takes",
            ));
        }
    };
    Ok(Some(Value::Tensor(made)))
}

/// Returns labels for the axes of a shape.
pub(super) fn labels(letter: char, count: usize) -> Vec<String> {
    (0..count).map(|place| format!("{letter}{place}")).collect()
}

/// Returns the axes of maps, in a spec, with those of a shape behind them.
pub(super) fn axes(maps: &[MapAxis], labels: &[String]) -> String {
    let maps = maps.iter().map(|map| format!("m{map}"));
    let all: Vec<String> = maps.chain(labels.iter().cloned()).collect();
    all.join(", ")
}

/// Returns the maps on which one of two tensors depends.
pub(super) fn both(left: &[MapAxis], right: &[MapAxis]) -> Vec<MapAxis> {
    let mut maps = [left, right].concat();
    maps.sort_unstable();
    maps.dedup();
    maps
}

/// An operation on tensors: the labels of each operand, and those of the result with its shape.
pub(super) struct Operation<'o> {
    pub(super) accumulator: &'static str,
    pub(super) expression: &'o str,
    pub(super) operands: &'o [(&'o Tensor, Vec<String>)],
    pub(super) result: Vec<String>,
    pub(super) shape: Vec<u64>,
}

impl Machine<'_> {
    /// Adds an operation, and returns what it writes.
    pub(super) fn operation(&mut self, operation: Operation<'_>, span: &Span) -> Tensor {
        let empty = Vec::new();
        let maps = operation
            .operands
            .iter()
            .fold(empty, |maps, (tensor, _)| both(&maps, &tensor.maps));
        let operands: Vec<String> = operation
            .operands
            .iter()
            .map(|(tensor, labels)| axes(&tensor.maps, labels))
            .collect();
        let spec = format!(
            "{} => {}",
            operands.join("; "),
            axes(&maps, &operation.result)
        );
        let ids: Vec<_> = operation
            .operands
            .iter()
            .map(|(tensor, _)| tensor.id)
            .collect();
        let elements = self.elements(&operation, span);
        let id = self.lines.tensor();
        self.lines.operation(
            id,
            operation.accumulator,
            operation.expression,
            &ids,
            spec,
            span,
        );
        Tensor {
            id,
            maps,
            shape: operation.shape,
            elements,
        }
    }

    /// Returns the elements of an operation. The first operation that integers do not have, or not exactly, is noted.
    fn elements(&mut self, operation: &Operation<'_>, span: &Span) -> Elements {
        let operands = operation.operands.iter();
        let operands: Vec<Elements> = operands.map(|(tensor, _)| tensor.elements).collect();
        let found = Elements::of(operation.expression, &operands, added(operation));
        let message = match found.map(|found| (found, found.exceeded())) {
            None => "integers have no such operation".to_string(),
            Some((found, None)) => return found,
            Some((_, Some(largest))) => format!("integers here may exceed {largest}"),
        };
        let trouble = || {
            Diagnostic::new(span.clone(), message, "this call")
                .help("take `f32` or `f64` elements, or smaller integers")
        };
        self.trouble.get_or_insert_with(trouble);
        Elements::FLOAT
    }

    /// Adds an operation on cells: the right operand may lack the first axes of the left one.
    pub(super) fn cells(
        &mut self,
        expression: &str,
        left: &Tensor,
        right: &Tensor,
        span: &Span,
    ) -> Tensor {
        let all = labels('i', left.shape.len());
        let last = all[all.len().saturating_sub(right.shape.len())..].to_vec();
        let operation = Operation {
            accumulator: "=:",
            expression,
            operands: &[(left, all.clone()), (right, last)],
            result: all,
            shape: left.shape.clone(),
        };
        self.operation(operation, span)
    }

    /// Adds an operation on the cells of one tensor.
    pub(super) fn cell(&mut self, expression: &str, of: &Tensor, span: &Span) -> Tensor {
        let all = labels('i', of.shape.len());
        let operation = Operation {
            accumulator: "=:",
            expression,
            operands: &[(of, all.clone())],
            result: all,
            shape: of.shape.clone(),
        };
        self.operation(operation, span)
    }
}

/// Returns how many values an operation adds up for each cell of its result.
fn added(operation: &Operation<'_>) -> f64 {
    if operation.accumulator != "=:+" {
        return 1.0;
    }
    let mut counted: Vec<&str> = Vec::new();
    let mut count = 1.0;
    for (tensor, labels) in operation.operands {
        for (label, size) in labels.iter().zip(&tensor.shape) {
            // An index of several labels, `y + r`, has those of the other operand.
            let is_new = !operation.result.contains(label) && !counted.contains(&label.as_str());
            if is_new && !label.contains(' ') {
                counted.push(label);
                count *= *size as f64;
            }
        }
    }
    count
}

/// Makes the error for arguments that do not fit.
fn refused(name: &str, shapes: &[&Tensor], span: &Span) -> Diagnostic {
    let shapes: Vec<String> = shapes
        .iter()
        .map(|tensor| shape_text(&tensor.shape))
        .collect();
    let message = format!(
        "`{name}` is given {}, which does not fit",
        shapes.join(" and ")
    );
    Diagnostic::new(span.clone(), message, "this call")
        .help("`lozenge infer` says what the types of the program are")
}

pub(super) fn unary(
    machine: &mut Machine<'_>,
    name: &str,
    of: &Tensor,
    span: &Span,
) -> Parsed<Tensor> {
    if let Some((_, expression)) = POINTWISE.iter().find(|(known, _)| *known == name) {
        return Ok(machine.cell(expression, of, span));
    }
    let rank = of.shape.len();
    match name {
        "transpose" if rank >= 2 => {
            let all = labels('i', rank);
            let (mut result, mut shape) = (all.clone(), of.shape.clone());
            result.swap(rank - 1, rank - 2);
            shape.swap(rank - 1, rank - 2);
            let operation = Operation {
                accumulator: "=:",
                expression: "{0}",
                operands: &[(of, all)],
                result,
                shape,
            };
            Ok(machine.operation(operation, span))
        }
        "reverse" if rank >= 1 => Ok(structure::reversed(machine, of, span)),
        _ => Err(refused(name, &[of], span)),
    }
}

pub(super) fn of_two(
    machine: &mut Machine<'_>,
    name: &str,
    left: &Tensor,
    right: &Tensor,
    span: &Span,
) -> Parsed<Tensor> {
    if let Some((expression, _)) = binary(name) {
        let fits = match name {
            "-" | "/" => left.shape.ends_with(&right.shape),
            _ if machine.table == Table::Broadcast => left.shape.ends_with(&right.shape),
            _ => left.shape == right.shape,
        };
        return match fits {
            true => Ok(machine.cells(expression, left, right, span)),
            false => Err(refused(name, &[left, right], span)),
        };
    }
    let made = match name {
        "matmul" => matmul(machine, left, right, span),
        "concat" => concat(machine, left, right, span),
        "conv" => conv(machine, left, right, span),
        _ => None,
    };
    made.ok_or_else(|| refused(name, &[left, right], span))
}

fn matmul(machine: &mut Machine<'_>, left: &Tensor, right: &Tensor, span: &Span) -> Option<Tensor> {
    let rank = left.shape.len();
    let batch = rank.checked_sub(2)?;
    let fits = right.shape.len() == rank
        && left.shape[..batch] == right.shape[..batch]
        && left.shape[rank - 1] == right.shape[batch];
    if !fits {
        return None;
    }
    let with = |last: [&str; 2]| {
        let mut all = labels('s', batch);
        all.extend(last.map(String::from));
        all
    };
    let mut shape = left.shape.clone();
    shape[rank - 1] = right.shape[rank - 1];
    let operation = Operation {
        accumulator: "=:+",
        expression: "{0} * {1}",
        operands: &[(left, with(["i", "k"])), (right, with(["k", "j"]))],
        result: with(["i", "j"]),
        shape,
    };
    Some(machine.operation(operation, span))
}

fn concat(machine: &mut Machine<'_>, left: &Tensor, right: &Tensor, span: &Span) -> Option<Tensor> {
    let (first, rest) = left.shape.split_first()?;
    let (second, others) = right.shape.split_first()?;
    if rest != others {
        return None;
    }
    let maps = both(&left.maps, &right.maps);
    let left = machine.repeated(left, &maps, span);
    let right = machine.repeated(right, &maps, span);
    let with = |label: &str| {
        let mut all = vec![label.to_string()];
        all.extend(labels('i', rest.len()));
        all
    };
    let mut shape = vec![first.checked_add(*second)?];
    shape.extend(rest);
    let operation = Operation {
        accumulator: "=:",
        expression: "concat({0}, {1})",
        operands: &[(&left, with("a")), (&right, with("b"))],
        result: with("a^b"),
        shape,
    };
    Some(machine.operation(operation, span))
}

fn conv(machine: &mut Machine<'_>, image: &Tensor, filter: &Tensor, span: &Span) -> Option<Tensor> {
    let (&[n, c, h, w], &[k, channels, r, s]) = (image.shape.as_slice(), filter.shape.as_slice())
    else {
        return None;
    };
    let (rows, columns) = ((h + 1).checked_sub(r)?, (w + 1).checked_sub(s)?);
    if c != channels || rows == 0 || columns == 0 {
        return None;
    }
    let list = |labels: [&str; 4]| labels.map(String::from).to_vec();
    let operation = Operation {
        accumulator: "=:+",
        expression: "{0} * {1}",
        operands: &[
            (image, list(["n", "c", "y + r", "x + s"])),
            (filter, list(["k", "c", "r", "s"])),
        ],
        result: list(["n", "k", "y", "x"]),
        shape: vec![n, k, rows, columns],
    };
    Some(machine.operation(operation, span))
}
