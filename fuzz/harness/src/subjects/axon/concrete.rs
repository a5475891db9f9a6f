//! A program followed on shapes alone: what each operator does to shapes that are known. Nothing is inferred here.

use std::collections::BTreeMap;
use std::rc::Rc;

use lozenge::axon::syntax::{
    Dim, FunctionId, NameId, NodeId, NodeKind, Part, Pattern, Program, Shape, Type,
};

/// The most functions that may be open at once.
const DEEPEST: usize = 64;

/// A value, of which the shapes are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Tensor(Vec<i64>),
    Tuple(Vec<Value>),
    Operator(Rc<str>),
    Function(FunctionId, Rc<BTreeMap<NameId, Value>>),
}

/// The reason for which a program has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Shapes do not fit.
    Refused,
    /// The program is beyond what is followed here.
    Silent,
}

/// Applies the last function of a program to tensors of the given shapes.
pub(super) fn applied(program: &Program, inputs: &[Vec<i64>]) -> Result<Value, Stop> {
    let mut run = Run { program, work: 0 };
    let top = run.body(0..program.nodes.len(), BTreeMap::new(), None, 0)?;
    let last = program
        .nodes
        .iter()
        .rev()
        .find_map(|node| match &node.kind {
            NodeKind::Bind(Pattern::Name(name), value) if is_function(program, *value) => {
                Some(*name)
            }
            _ => None,
        });
    let function = last
        .and_then(|name| top.names.get(&name))
        .ok_or(Stop::Silent)?;
    let arguments = inputs.iter().cloned().map(Value::Tensor).collect();
    run.call(&function.clone(), arguments, 0)
}

fn is_function(program: &Program, node: NodeId) -> bool {
    matches!(program.nodes[node].kind, NodeKind::Function(_))
}

struct Run<'p> {
    program: &'p Program,
    work: usize,
}

/// The values of nodes and names.
struct Values {
    nodes: BTreeMap<NodeId, Value>,
    names: BTreeMap<NameId, Value>,
}

impl Run<'_> {
    /// Follows nodes, those of functions inside left out.
    fn body(
        &mut self,
        nodes: std::ops::Range<NodeId>,
        names: BTreeMap<NameId, Value>,
        own: Option<FunctionId>,
        depth: usize,
    ) -> Result<Values, Stop> {
        let mut values = Values {
            nodes: BTreeMap::new(),
            names,
        };
        let mut node = nodes.start;
        while node < nodes.end {
            self.work += 1;
            if self.work > 100_000 || depth > DEEPEST {
                return Err(Stop::Silent);
            }
            let value = |values: &Values, node: &NodeId| -> Result<Value, Stop> {
                values.nodes.get(node).cloned().ok_or(Stop::Silent)
            };
            let found = match &self.program.nodes[node].kind {
                NodeKind::Number(_) => Value::Tensor(Vec::new()),
                NodeKind::Operator(name) => Value::Operator((&**name).into()),
                NodeKind::Name(name) => values.names.get(name).cloned().ok_or(Stop::Silent)?,
                NodeKind::Tuple(parts) => {
                    let parts: Result<Vec<Value>, Stop> =
                        parts.iter().map(|part| value(&values, part)).collect();
                    Value::Tuple(parts?)
                }
                NodeKind::Call { callee, arguments } => {
                    let callee = value(&values, callee)?;
                    let arguments: Result<Vec<Value>, Stop> =
                        arguments.iter().map(|part| value(&values, part)).collect();
                    self.call(&callee, arguments?, depth)?
                }
                NodeKind::Enter(function) if Some(*function) != own => {
                    node = self.program.functions[*function].body.end;
                    continue;
                }
                NodeKind::Function(function) => {
                    Value::Function(*function, Rc::new(values.names.clone()))
                }
                NodeKind::Bind(pattern, bound) => {
                    let bound = value(&values, bound)?;
                    bind(pattern, bound, &mut values.names)?;
                    node += 1;
                    continue;
                }
                NodeKind::Enter(_) | NodeKind::Print(_) => {
                    node += 1;
                    continue;
                }
                NodeKind::Data(_) => return Err(Stop::Silent),
            };
            values.nodes.insert(node, found);
            node += 1;
        }
        Ok(values)
    }

    fn call(&mut self, callee: &Value, arguments: Vec<Value>, depth: usize) -> Result<Value, Stop> {
        match callee {
            Value::Operator(name) => self.operator(name, &arguments, depth),
            Value::Function(function, around) => {
                let made = &self.program.functions[*function];
                if made.parameters.len() != arguments.len() {
                    return Err(Stop::Refused);
                }
                let mut written = Written::default();
                let mut names = (**around).clone();
                for (parameter, argument) in made.parameters.iter().zip(arguments) {
                    if let Some(annotation) = &parameter.annotation {
                        written.meet(annotation, &argument)?;
                    }
                    names.insert(parameter.name, argument);
                }
                let (body, result) = (made.body.clone(), made.result);
                let values = self.body(body, names, Some(*function), depth + 1)?;
                let result = values.nodes.get(&result).cloned().ok_or(Stop::Silent)?;
                if let Some(annotation) = &self.program.functions[*function].result_type {
                    written.meet(annotation, &result)?;
                }
                written.settle()?;
                Ok(result)
            }
            Value::Tensor(_) | Value::Tuple(_) => Err(Stop::Refused),
        }
    }

    fn operator(&mut self, name: &str, given: &[Value], depth: usize) -> Result<Value, Stop> {
        match (name, given) {
            ("reduce", [function, Value::Tensor(first), Value::Tensor(over)]) => {
                let rest = over.get(1..).ok_or(Stop::Refused)?;
                let scalar = Value::Tensor(Vec::new());
                let combined =
                    self.call(function, vec![scalar.clone(), scalar.clone()], depth + 1)?;
                match first.is_empty() && combined == scalar {
                    true => Ok(Value::Tensor(rest.to_vec())),
                    false => Err(Stop::Refused),
                }
            }
            ("map", [function, Value::Tensor(over)]) => {
                let (size, rest) = over.split_first().ok_or(Stop::Refused)?;
                let element = Value::Tensor(rest.to_vec());
                match self.call(function, vec![element], depth + 1)? {
                    Value::Tensor(result) => Ok(Value::Tensor(stacked(*size, &result))),
                    _ => Err(Stop::Refused),
                }
            }
            ("loop", [state, function, Value::Tensor(over)]) => {
                let (size, rest) = over.split_first().ok_or(Stop::Refused)?;
                let element = Value::Tensor(rest.to_vec());
                match self.call(function, vec![state.clone(), element], depth + 1)? {
                    Value::Tuple(parts) => match parts.as_slice() {
                        [next, Value::Tensor(output)] if next == state => Ok(Value::Tuple(vec![
                            next.clone(),
                            Value::Tensor(stacked(*size, output)),
                        ])),
                        _ => Err(Stop::Refused),
                    },
                    _ => Err(Stop::Refused),
                }
            }
            (_, [Value::Tensor(of)]) => of_one(name, of).map(Value::Tensor),
            (_, [Value::Tensor(left), Value::Tensor(right)]) => {
                of_two(name, left, right).map(Value::Tensor)
            }
            _ => Err(Stop::Refused),
        }
    }
}

fn stacked(size: i64, element: &[i64]) -> Vec<i64> {
    std::iter::once(size)
        .chain(element.iter().copied())
        .collect()
}

fn bind(pattern: &Pattern, value: Value, names: &mut BTreeMap<NameId, Value>) -> Result<(), Stop> {
    match (pattern, value) {
        (Pattern::Ignored(_), _) => Ok(()),
        (Pattern::Name(name), value) => {
            names.insert(*name, value);
            Ok(())
        }
        (Pattern::Tuple(patterns, _), Value::Tuple(parts)) if patterns.len() == parts.len() => {
            let mut pairs = patterns.iter().zip(parts);
            pairs.try_for_each(|(pattern, part)| bind(pattern, part, names))
        }
        (Pattern::Tuple(..), _) => Err(Stop::Refused),
    }
}

fn of_one(name: &str, of: &[i64]) -> Result<Vec<i64>, Stop> {
    let mut shape = of.to_vec();
    let rank = shape.len();
    match name {
        "exp" | "log" | "sqrt" | "tanh" | "sigmoid" | "relu" | "neg" => Ok(shape),
        "reverse" if rank >= 1 => Ok(shape),
        "transpose" if rank >= 2 => {
            shape.swap(rank - 1, rank - 2);
            Ok(shape)
        }
        _ => Err(Stop::Refused),
    }
}

fn of_two(name: &str, left: &[i64], right: &[i64]) -> Result<Vec<i64>, Stop> {
    let fits = match name {
        "+" | "*" | "max" | "min" => left == right,
        "-" | "/" => left.ends_with(right),
        "matmul" => {
            let (one, other) = (left.len(), right.len());
            one == other
                && one >= 2
                && left[..one - 2] == right[..one - 2]
                && left[one - 1] == right[one - 2]
        }
        "concat" => !left.is_empty() && !right.is_empty() && left[1..] == right[1..],
        "conv" => {
            left.len() == 4
                && right.len() == 4
                && left[1] == right[1]
                && left[2] >= right[2]
                && left[3] >= right[3]
        }
        _ => false,
    };
    if !fits {
        return Err(Stop::Refused);
    }
    let mut shape = left.to_vec();
    match name {
        "matmul" => shape[left.len() - 1] = right[right.len() - 1],
        "concat" => shape[0] += right[0],
        "conv" => {
            shape[1] = right[0];
            shape[2] = left[2] - right[2] + 1;
            shape[3] = left[3] - right[3] + 1;
        }
        _ => {}
    }
    Ok(shape)
}

/// The names of the types that a function writes, with their values.
#[derive(Default)]
struct Written {
    dims: BTreeMap<String, i64>,
    shapes: BTreeMap<String, Vec<i64>>,
    /// Sizes of axes with the terms that they have to be.
    terms: Vec<(i64, Dim)>,
}

impl Written {
    /// Holds a value against a written type.
    fn meet(&mut self, written: &Type, value: &Value) -> Result<(), Stop> {
        match (written, value) {
            (Type::Tensor { shape, .. }, Value::Tensor(sizes)) => self.meet_shape(shape, sizes),
            (Type::Tuple(types, _), Value::Tuple(parts)) if types.len() == parts.len() => {
                let mut pairs = types.iter().zip(parts);
                pairs.try_for_each(|(written, part)| self.meet(written, part))
            }
            (Type::Function(..) | Type::Any(_), _) => Err(Stop::Silent),
            _ => Err(Stop::Refused),
        }
    }

    /// Holds sizes against a written shape, which has at most one part whose rank is not known.
    fn meet_shape(&mut self, shape: &Shape, sizes: &[i64]) -> Result<(), Stop> {
        let known = |part: &Part| match part {
            Part::Axes(axes) => Some(axes.len()),
            Part::Name(word) => self.shapes.get(&*word.text).map(Vec::len),
            Part::Any(_) => None,
        };
        let ranks: Vec<Option<usize>> = shape.parts.iter().map(known).collect();
        let open = ranks.iter().filter(|rank| rank.is_none()).count();
        let sum: usize = ranks.iter().flatten().sum();
        if open > 1 {
            return Err(Stop::Silent);
        }
        let rest = sizes.len().checked_sub(sum).ok_or(Stop::Refused)?;
        if open == 0 && rest != 0 {
            return Err(Stop::Refused);
        }
        let mut from = 0;
        for (part, rank) in shape.parts.iter().zip(ranks) {
            let here = &sizes[from..from + rank.unwrap_or(rest)];
            from += here.len();
            match part {
                Part::Any(_) => {}
                Part::Name(word) => {
                    let known = self.shapes.entry(word.text.to_string());
                    if known.or_insert_with(|| here.to_vec()) != here {
                        return Err(Stop::Refused);
                    }
                }
                Part::Axes(axes) => {
                    for (axis, size) in axes.iter().zip(here) {
                        self.meet_axis(axis, *size)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn meet_axis(&mut self, axis: &Dim, size: i64) -> Result<(), Stop> {
        let fits = match axis {
            Dim::Number(number, _) => *number == size,
            Dim::Any(_) => true,
            Dim::Name(word) => *self.dims.entry(word.text.to_string()).or_insert(size) == size,
            Dim::Operator(..) => {
                self.terms.push((size, axis.clone()));
                true
            }
            Dim::Ragged(_) | Dim::Runtime(_) => return Err(Stop::Silent),
        };
        if fits { Ok(()) } else { Err(Stop::Refused) }
    }

    /// Checks the terms, once every other name has its value. A name that stands in terms alone may have any one; small
    /// sizes are terms of small ones.
    fn settle(&mut self) -> Result<(), Stop> {
        const MOST: usize = 2;
        let mut open = Vec::new();
        for (_, term) in &self.terms {
            names(term, &mut open);
        }
        open.retain(|name| !self.dims.contains_key(name));
        open.sort_unstable();
        open.dedup();
        if open.len() > MOST {
            return Err(Stop::Silent);
        }
        let largest = largest(self.terms.iter().any(|(_, term)| divides(term)));
        let count = largest.pow(open.len() as u32);
        for mut number in 0..count {
            for name in &open {
                self.dims.insert(name.clone(), number % largest + 1);
                number /= largest;
            }
            let mut holds = true;
            for (size, term) in &self.terms {
                holds = holds && self.value(term)? == Some(*size);
            }
            if holds {
                return Ok(());
            }
        }
        Err(Stop::Refused)
    }

    /// Returns the value of a term; none where it divides by 0. Types nest at most as deep as the parser lets them.
    fn value(&self, term: &Dim) -> Result<Option<i64>, Stop> {
        Ok(match term {
            Dim::Number(number, _) => Some(*number),
            Dim::Name(word) => Some(*self.dims.get(&*word.text).ok_or(Stop::Silent)?),
            Dim::Operator(sign, left, right, _) => {
                let (Some(left), Some(right)) = (self.value(left)?, self.value(right)?) else {
                    return Ok(None);
                };
                match sign {
                    '+' => left.checked_add(right),
                    '-' => left.checked_sub(right),
                    '*' => left.checked_mul(right),
                    _ => quotient(left, right),
                }
            }
            Dim::Ragged(_) | Dim::Any(_) | Dim::Runtime(_) => return Err(Stop::Silent),
        })
    }
}

/// Collects the names of a term.
fn names(term: &Dim, found: &mut Vec<String>) {
    match term {
        Dim::Name(word) => found.push(word.text.to_string()),
        Dim::Operator(_, left, right, _) => {
            names(left, found);
            names(right, found);
        }
        Dim::Number(..) | Dim::Any(_) | Dim::Ragged(_) | Dim::Runtime(_) => {}
    }
}

/// Returns the largest value that is tried for a name that may be chosen. Axes have up to 4 cells. Such a size is the
/// third of one of up to 14; by a name of this size it is the quotient of one of up to 70.
pub(super) fn largest(divides: bool) -> i64 {
    if divides { 72 } else { 24 }
}

/// Tells whether a term divides by something else than a number.
fn divides(term: &Dim) -> bool {
    match term {
        Dim::Operator(sign, left, right, _) => {
            let by_a_name = *sign == '/' && !matches!(**right, Dim::Number(..));
            by_a_name || divides(left) || divides(right)
        }
        Dim::Name(_) | Dim::Number(..) | Dim::Any(_) | Dim::Ragged(_) | Dim::Runtime(_) => false,
    }
}

/// Returns a quotient, rounded down; none by 0.
pub(super) fn quotient(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    Some(match left % right != 0 && (left < 0) != (right < 0) {
        true => quotient - 1,
        false => quotient,
    })
}
