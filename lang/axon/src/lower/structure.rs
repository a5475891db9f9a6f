//! Operators that take functions, and those that take tensors apart along their outermost axis.

use lozenge_diagnostic::Parsed;

use super::elements;
use super::machine::{Frame, Machine, unfit};
use super::operators::{Operation, axes, binary, both, labels};
use super::rows::{Elements, collected};
use super::value::{MapAxis, Tensor, Value};
use crate::Span;
use crate::syntax::Source;

/// A reduction by a function: every axis but the reduced one is a map around the calls.
pub(super) struct Fold {
    function: Value,
    over: Tensor,
    next: u64,
    /// The maps that were opened for it.
    opened: usize,
    span: Span,
    so_far: Option<Value>,
}

/// A `loop`.
pub(super) struct Loop {
    function: Value,
    over: Elements,
    next: u64,
    outputs: Vec<Tensor>,
    span: Span,
    state: Option<Value>,
}

/// Computes a function for each element of the outermost axis, all at once: the axis becomes that of a map.
pub(super) fn map(
    machine: &mut Machine<'_>,
    function: Value,
    over: Tensor,
    span: &Span,
) -> Parsed<Option<Value>> {
    let Some((size, shape)) = over.shape.split_first() else {
        return Err(unfit(span, "`map` is given a scalar"));
    };
    let axis = machine.maps.len();
    machine.maps.push(*size);
    let mut maps = over.maps.clone();
    maps.push(axis);
    let element = Value::Tensor(Tensor {
        id: over.id,
        maps,
        shape: shape.to_vec(),
        elements: over.elements,
    });
    machine.push(Frame::Map {
        axis,
        span: span.clone(),
    });
    machine.apply(function, vec![element], span)
}

impl Machine<'_> {
    /// Ends a `map`: its axis becomes the outermost one of the shape.
    pub(super) fn mapped(
        &mut self,
        axis: MapAxis,
        span: &Span,
        returned: Option<Value>,
    ) -> Parsed<Option<Value>> {
        let element = match returned {
            Some(Value::Tensor(element)) => element,
            Some(Value::Rows(_)) => {
                return Err(unfit(span, "`map` gives a ragged tensor for each element"));
            }
            _ => return Err(unfit(span, "the function of `map` gives no tensor")),
        };
        let mut maps = element.maps.clone();
        if !maps.contains(&axis) {
            maps.push(axis);
        }
        let mut whole = self.repeated(&element, &maps, span);
        whole.maps.retain(|map| *map != axis);
        whole.shape.insert(0, self.maps[axis]);
        self.maps.truncate(axis);
        Ok(Some(Value::Tensor(whole)))
    }

    /// Makes a tensor depend on more maps, whose elements it is repeated for.
    pub(super) fn repeated(&mut self, tensor: &Tensor, maps: &[MapAxis], span: &Span) -> Tensor {
        let mut repeated = tensor.clone();
        for map in maps.iter().filter(|map| !tensor.maps.contains(map)) {
            let zeros = self.zeros(self.maps[*map], span);
            let zeros = Tensor {
                maps: vec![*map],
                shape: Vec::new(),
                ..zeros
            };
            repeated = self.cells("{0} + {1}", &repeated, &zeros, span);
        }
        repeated
    }

    fn zeros(&mut self, size: u64, span: &Span) -> Tensor {
        if let Some(known) = self.zeros.get(&size) {
            return known.clone();
        }
        let id = self.lines.tensor();
        // A range minus itself: a list would have as many numbers as the axis has cells.
        let range = self.lines.tensor();
        self.lines.data(range, &[size], Source::Range(size), span);
        let operands = [range, range];
        self.lines.operation(
            id,
            "=:",
            "{0} - {1}",
            &operands,
            "i; i => i".to_string(),
            span,
        );
        let made = Tensor {
            id,
            maps: Vec::new(),
            shape: vec![size],
            elements: elements::Elements::number(0.0),
        };
        self.zeros.insert(size, made.clone());
        made
    }

    /// Goes on with a reduction by a function.
    pub(super) fn fold(
        &mut self,
        mut fold: Fold,
        returned: Option<Value>,
    ) -> Parsed<Option<Value>> {
        if returned.is_some() {
            fold.so_far = returned;
        }
        let span = fold.span.clone();
        let Some(so_far) = fold.so_far.clone() else {
            return Err(unfit(&span, "a reduction has no first value"));
        };
        let (size, first) = (fold.over.shape[0], self.maps.len() - fold.opened);
        if fold.next == size {
            let Value::Tensor(result) = so_far else {
                return Err(unfit(&span, "the function of `reduce` gives no tensor"));
            };
            let opened: Vec<MapAxis> = (first..self.maps.len()).collect();
            let mut whole = self.repeated(&result, &both(&result.maps, &opened), &span);
            whole.shape = self.maps[first..].to_vec();
            whole.maps.retain(|map| *map < first);
            self.maps.truncate(first);
            return Ok(Some(Value::Tensor(whole)));
        }
        let mut element = element(self, &fold.over, fold.next, &span);
        element.maps.extend(first..self.maps.len());
        element.shape.clear();
        fold.next += 1;
        let function = fold.function.clone();
        self.push(Frame::Fold(fold));
        self.apply(function, vec![so_far, Value::Tensor(element)], &span)
    }

    /// Goes on with a `loop`.
    pub(super) fn iterate(
        &mut self,
        mut state: Loop,
        returned: Option<Value>,
    ) -> Parsed<Option<Value>> {
        let span = state.span.clone();
        if let Some(value) = returned {
            let (next, output) = match &value {
                Value::Tuple(parts) if parts.len() == 2 => (parts[0].clone(), parts[1].clone()),
                _ => {
                    return Err(unfit(
                        &span,
                        "the function of `loop` gives no state and output",
                    ));
                }
            };
            let Value::Tensor(output) = output else {
                return Err(unfit(
                    &span,
                    "the output of the function of `loop` is no tensor",
                ));
            };
            state.outputs.push(output);
            state.state = Some(next);
        }
        let Some(now) = state.state.clone() else {
            return Err(unfit(&span, "a loop has no state"));
        };
        if state.next == state.over.count() {
            let outputs = collected(self, state.outputs, &span)?;
            return Ok(Some(Value::Tuple([now, outputs].into())));
        }
        let element = state.over.at(self, state.next, &span);
        state.next += 1;
        let function = state.function.clone();
        self.push(Frame::Loop(state));
        self.apply(function, vec![now, Value::Tensor(element)], &span)
    }
}

/// Combines the elements of the outermost axis.
pub(super) fn reduce(
    machine: &mut Machine<'_>,
    function: Value,
    first: Tensor,
    over: Tensor,
    span: &Span,
) -> Parsed<Option<Value>> {
    let Some((_, rest)) = over.shape.split_first() else {
        return Err(unfit(span, "`reduce` is given a scalar"));
    };
    if let Value::Operator(name) = &function
        && let Some((expression, Some((accumulator, _)))) = binary(name)
    {
        let all = labels('i', over.shape.len());
        let operation = Operation {
            accumulator,
            expression: "{0}",
            operands: &[(&over, all.clone())],
            result: all[1..].to_vec(),
            shape: rest.to_vec(),
        };
        let reduced = machine.operation(operation, span);
        return Ok(Some(Value::Tensor(
            machine.cells(expression, &reduced, &first, span),
        )));
    }
    let opened = rest.len();
    machine.maps.extend(rest);
    machine.push(Frame::Fold(Fold {
        function,
        over,
        next: 0,
        opened,
        span: span.clone(),
        so_far: Some(Value::Tensor(first)),
    }));
    Ok(None)
}

/// Computes a function for each element of the outermost axis, one after the other, with a state between them.
pub(super) fn repeat(
    machine: &mut Machine<'_>,
    state: Value,
    function: Value,
    over: Elements,
    span: &Span,
) -> Parsed<Option<Value>> {
    if over.count() == 0 {
        return Err(unfit(span, "`loop` is given a scalar"));
    }
    machine.push(Frame::Loop(Loop {
        function,
        over,
        next: 0,
        outputs: Vec::new(),
        span: span.clone(),
        state: Some(state),
    }));
    Ok(None)
}

/// Reads one element of the outermost axis.
pub(super) fn element(machine: &mut Machine<'_>, of: &Tensor, place: u64, span: &Span) -> Tensor {
    let rest = labels('i', of.shape.len() - 1);
    let mut read = vec![place.to_string()];
    read.extend(rest.clone());
    let operation = Operation {
        accumulator: "=:",
        expression: "{0}",
        operands: &[(of, read)],
        result: rest,
        shape: of.shape[1..].to_vec(),
    };
    machine.operation(operation, span)
}

/// Writes tensors of one shape behind each other along a new outermost axis.
pub(super) fn stacked(machine: &mut Machine<'_>, parts: &[Tensor], span: &Span) -> Parsed<Tensor> {
    let Some(first) = parts.first() else {
        return Err(unfit(span, "a loop over nothing has no output"));
    };
    let maps = parts
        .iter()
        .fold(Vec::new(), |maps, part| both(&maps, &part.maps));
    let (count, rest) = (parts.len(), labels('i', first.shape.len()));
    let id = machine.lines.tensor();
    for (place, part) in parts.iter().enumerate() {
        let part = machine.repeated(part, &maps, span);
        let mut result = vec![format!("{place}:{count}")];
        result.extend(rest.clone());
        let spec = format!("{} => {}", axes(&maps, &rest), axes(&maps, &result));
        let accumulator = if place == 0 { "=:" } else { "=+" };
        machine
            .lines
            .operation(id, accumulator, "{0}", &[part.id], spec, span);
    }
    let mut shape = vec![count as u64];
    shape.extend(&first.shape);
    let elements = parts.iter().map(|part| part.elements);
    let elements = elements.fold(first.elements, |all, part| elements::Elements {
        bound: all.bound.max(part.bound),
        ..all
    });
    Ok(Tensor {
        id,
        maps,
        shape,
        elements,
    })
}

/// Turns the outermost axis round: each element is written to its place from the other end.
pub(super) fn reversed(machine: &mut Machine<'_>, of: &Tensor, span: &Span) -> Tensor {
    let (count, rest) = (of.shape[0], labels('i', of.shape.len() - 1));
    let id = machine.lines.tensor();
    for place in 0..count {
        let with = |label: String| {
            let mut all = vec![label];
            all.extend(rest.clone());
            axes(&of.maps, &all)
        };
        let from = count - 1 - place;
        let spec = format!(
            "{} => {}",
            with(from.to_string()),
            with(format!("{place}:{count}"))
        );
        let accumulator = if place == 0 { "=:" } else { "=+" };
        machine
            .lines
            .operation(id, accumulator, "{0}", &[of.id], spec, span);
    }
    Tensor { id, ..of.clone() }
}

/// Computes a step of a long short-term memory: the gates are input, forget, output and cell.
pub(super) fn lstm(machine: &mut Machine<'_>, given: &[Tensor], span: &Span) -> Parsed<Value> {
    let [x, h, c, rest @ ..] = given else {
        return Err(unfit(span, "`lstmStep` takes 15 tensors"));
    };
    let [inputs @ .., _, _, _, _, _, _, _, _] = rest else {
        return Err(unfit(span, "`lstmStep` takes 15 tensors"));
    };
    if inputs.len() != 4 {
        return Err(unfit(span, "`lstmStep` takes 15 tensors"));
    }
    let mut gates = Vec::new();
    for (gate, name) in ["sigmoid({0})", "sigmoid({0})", "sigmoid({0})", "tanh({0})"]
        .iter()
        .enumerate()
    {
        let (w, r, b) = (&rest[gate], &rest[4 + gate], &rest[8 + gate]);
        let from_input = of_vector(machine, w, x, span);
        let from_state = of_vector(machine, r, h, span);
        let sum = machine.cells("{0} + {1}", &from_input, &from_state, span);
        let sum = machine.cells("{0} + {1}", &sum, b, span);
        gates.push(machine.cell(name, &sum, span));
    }
    let kept = machine.cells("{0} * {1}", &gates[1], c, span);
    let new = machine.cells("{0} * {1}", &gates[0], &gates[3], span);
    let cell = machine.cells("{0} + {1}", &kept, &new, span);
    let squashed = machine.cell("tanh({0})", &cell, span);
    let hidden = machine.cells("{0} * {1}", &gates[2], &squashed, span);
    Ok(Value::Tuple(
        [Value::Tensor(hidden), Value::Tensor(cell)].into(),
    ))
}

/// Multiplies a matrix by a vector.
fn of_vector(machine: &mut Machine<'_>, matrix: &Tensor, vector: &Tensor, span: &Span) -> Tensor {
    let list = |labels: &[&str]| labels.iter().map(|label| label.to_string()).collect();
    let operation = Operation {
        accumulator: "=:+",
        expression: "{0} * {1}",
        operands: &[(matrix, list(&["i", "k"])), (vector, list(&["k"]))],
        result: list(&["i"]),
        shape: matrix.shape[..1].to_vec(),
    };
    machine.operation(operation, span)
}
