//! The order of computation: a stack of the nodes that are being computed, so that calls of any depth take no stack of
//! the machine.

use std::rc::Rc;

use lozenge_diagnostic::{Diagnostic, Parsed};
use rustc_hash::FxHashMap;

use super::elements::Elements;
use super::lines::Lines;
use super::value::{self, Closure, MapAxis, Shown, Tensor, TensorId, Value, tensors};
use super::{Lowered, Stopped, operators, rows, structure};
use crate::Span;
use crate::syntax::{
    Dim, FunctionId, NameId, NodeId, NodeKind, Number, Part, Pattern, Program, Source, Type,
};
use crate::table::Table;
use crate::values::{self, counted};

/// The largest number of operations at the sizes that are given.
const LARGEST: usize = 50_000;

/// The largest number of values that are being computed at once.
const DEEPEST: usize = 100_000;

/// The state of the machine while it follows a program.
pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) lines: Lines,
    stack: Vec<Frame>,
    globals: FxHashMap<NameId, Value>,
    /// The sizes of the maps around what is computed, the outermost first.
    pub(super) maps: Vec<u64>,
    /// Tensors of zeros, by their sizes: they repeat what does not depend on an element.
    pub(super) zeros: FxHashMap<u64, Tensor>,
    printed: Vec<Shown>,
    /// The data without values, and their tensors.
    inputs: Vec<(NameId, TensorId)>,
    /// The first operation that its elements do not have.
    pub(super) trouble: Option<Diagnostic>,
    /// The wish to compute in 64 bits: an element type of data is not `f32`.
    is_wide: bool,
    /// The fact that the program has more operations than are followed.
    is_beyond: bool,
    pub(super) table: Table,
    /// The values of masks, in the order in which they are computed, and how many were used.
    pub(super) known: &'p [Vec<f64>],
    pub(super) used: usize,
    /// A mask that has to be computed before the program can be followed further.
    pub(super) asked: Option<Shown>,
}

/// Something that is being computed.
pub(super) enum Frame {
    /// The nodes of a function, or those at the top.
    Body(Body),
    /// A `map`, whose function is being computed with one more axis.
    Map { axis: MapAxis, span: Span },
    /// A reduction by a function.
    Fold(structure::Fold),
    /// A `loop`.
    Loop(structure::Loop),
    /// A `map` of a ragged tensor.
    Each(rows::Each),
}

/// The nodes of a function.
pub(super) struct Body {
    function: Option<FunctionId>,
    next: NodeId,
    values: FxHashMap<NodeId, Value>,
    names: FxHashMap<NameId, Value>,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, table: Table, known: &'p [Vec<f64>]) -> Machine<'p> {
        Machine {
            program,
            lines: Lines::default(),
            stack: Vec::new(),
            globals: FxHashMap::default(),
            maps: Vec::new(),
            zeros: FxHashMap::default(),
            printed: Vec::new(),
            inputs: Vec::new(),
            trouble: None,
            is_wide: false,
            is_beyond: false,
            table,
            known,
            used: 0,
            asked: None,
        }
    }

    /// Follows the program to its end.
    pub(super) fn run(mut self) -> Result<Lowered, Stopped> {
        let followed = self.follow();
        followed.map_err(|message| Stopped {
            message,
            is_limit: self.is_beyond,
        })
    }

    fn follow(&mut self) -> Parsed<Lowered> {
        self.stack.push(Frame::Body(Body {
            function: None,
            next: 0,
            values: FxHashMap::default(),
            names: FxHashMap::default(),
        }));
        let mut returned = None;
        while let Some(frame) = self.stack.pop() {
            returned = match frame {
                Frame::Body(body) => self.body(body, returned)?,
                Frame::Map { axis, span } => self.mapped(axis, &span, returned)?,
                Frame::Fold(fold) => self.fold(fold, returned)?,
                Frame::Loop(state) => self.iterate(state, returned)?,
                Frame::Each(each) => self.each(each, returned)?,
            };
            if self.asked.is_some() {
                break;
            }
            if let Some(trouble) = self.trouble.take() {
                return Err(trouble);
            }
        }
        let is_partial = self.asked.is_some();
        let printed = match self.asked.take() {
            Some(mask) => vec![mask],
            None => std::mem::take(&mut self.printed),
        };
        let (text, spans) = self.lines.text();
        let inputs = self.inputs.iter().map(|(name, tensor)| {
            let written = self.program.names[*name].text.to_string();
            (written, self.lines.name_of(*tensor))
        });
        Ok(Lowered {
            text,
            printed,
            spans,
            inputs: inputs.collect(),
            is_wide: self.is_wide,
            is_partial,
        })
    }

    /// Puts something on the stack.
    pub(super) fn push(&mut self, frame: Frame) {
        self.stack.push(frame);
    }

    /// Goes on with the nodes of a function until one has to be computed elsewhere.
    fn body(&mut self, mut body: Body, returned: Option<Value>) -> Parsed<Option<Value>> {
        if let Some(value) = returned {
            body.values.insert(body.next, value);
            body.next += 1;
        }
        let program = self.program;
        let end = match body.function {
            Some(function) => program.functions[function].body.end,
            None => program.nodes.len(),
        };
        while body.next < end {
            let node = &program.nodes[body.next];
            let value = match &node.kind {
                NodeKind::Call { callee, arguments } => {
                    let callee = value_of(&body, *callee, &node.span)?;
                    let arguments: Parsed<Vec<Value>> = arguments
                        .iter()
                        .map(|argument| value_of(&body, *argument, &node.span))
                        .collect();
                    let (arguments, span) = (arguments?, node.span.clone());
                    self.stack.push(Frame::Body(body));
                    return self.apply(callee, arguments, &span);
                }
                NodeKind::Enter(function) => {
                    body.next = program.functions[*function].body.end;
                    continue;
                }
                NodeKind::Number(number) => Some(self.number(*number, &node.span)),
                NodeKind::Operator(name) => Some(Value::Operator((&**name).into())),
                NodeKind::Name(name) => Some(self.named(&body, *name, &node.span)?),
                NodeKind::Tuple(parts) => {
                    let parts: Parsed<Rc<[Value]>> = parts
                        .iter()
                        .map(|part| value_of(&body, *part, &node.span))
                        .collect();
                    Some(Value::Tuple(parts?))
                }
                NodeKind::Function(function) => Some(self.closure(&body, *function, &node.span)?),
                NodeKind::Bind(pattern, value) => {
                    let value = value_of(&body, *value, &node.span)?;
                    self.bind(&mut body, pattern, value)?;
                    None
                }
                NodeKind::Data(data) => {
                    self.data(*data)?;
                    None
                }
                NodeKind::Print(values) => {
                    for shown in values {
                        let value = value_of(&body, *shown, &node.span)?;
                        self.print(&value, &program.nodes[*shown].span);
                    }
                    None
                }
            };
            if let Some(value) = value {
                body.values.insert(body.next, value);
            }
            body.next += 1;
        }
        match body.function {
            Some(function) => {
                let result = program.functions[function].result;
                Ok(Some(value_of(&body, result, &program.nodes[result].span)?))
            }
            None => Ok(None),
        }
    }

    /// Applies a function. Its value is returned, or something is on the stack that will return it.
    pub(super) fn apply(
        &mut self,
        callee: Value,
        arguments: Vec<Value>,
        span: &Span,
    ) -> Parsed<Option<Value>> {
        if self.lines.len() > LARGEST || self.stack.len() > DEEPEST {
            self.is_beyond = true;
            return Err(Diagnostic::new(
                span.clone(),
                format!("the program has more than {LARGEST} operations at these sizes"),
                "this call goes beyond",
            )
            .help("`loop` and reductions by functions repeat their function for each element; take smaller ones"));
        }
        match callee {
            Value::Operator(name) => operators::apply(self, &name, arguments, span),
            Value::Function(closure) => {
                let function = &self.program.functions[closure.function];
                if function.parameters.len() != arguments.len() {
                    return Err(unfit(
                        span,
                        "a function is given another number of arguments",
                    ));
                }
                let mut names = closure.captured.clone();
                let given = function.parameters.iter().zip(arguments);
                names.extend(given.map(|(parameter, value)| (parameter.name, value)));
                self.stack.push(Frame::Body(Body {
                    function: Some(closure.function),
                    next: function.body.start,
                    values: FxHashMap::default(),
                    names,
                }));
                Ok(None)
            }
            Value::Tensor(_) | Value::Rows(_) | Value::Tuple(_) => {
                Err(unfit(span, "a value that is no function is called"))
            }
        }
    }

    fn named(&self, body: &Body, name: NameId, span: &Span) -> Parsed<Value> {
        let value = body.names.get(&name).or_else(|| self.globals.get(&name));
        value
            .cloned()
            .ok_or_else(|| unfit(span, "a name has no value"))
    }

    fn closure(&self, body: &Body, function: FunctionId, span: &Span) -> Parsed<Value> {
        let mut captured = FxHashMap::default();
        for name in &self.program.functions[function].captured {
            captured.insert(*name, self.named(body, *name, span)?);
        }
        Ok(Value::Function(Rc::new(Closure { function, captured })))
    }

    fn bind(&mut self, body: &mut Body, pattern: &Pattern, value: Value) -> Parsed<()> {
        match pattern {
            Pattern::Ignored(_) => {}
            Pattern::Name(name) => {
                if body.function.is_none()
                    && let Value::Tensor(tensor) = &value
                {
                    self.lines.name(tensor.id, &self.program.names[*name].text);
                }
                match body.function {
                    None => self.globals.insert(*name, value),
                    Some(_) => body.names.insert(*name, value),
                };
            }
            Pattern::Tuple(patterns, span) => {
                let Value::Tuple(parts) = &value else {
                    return Err(unfit(span, "one value is taken apart"));
                };
                for (pattern, part) in patterns.iter().zip(parts.iter()) {
                    self.bind(body, pattern, part.clone())?;
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, number: Number, span: &Span) -> Value {
        let id = self.lines.tensor();
        self.lines
            .data(id, &[], Source::Values(vec![number.value]), span);
        Value::Tensor(Tensor {
            id,
            maps: Vec::new(),
            shape: Vec::new(),
            elements: match number.is_float {
                true => Elements::FLOAT,
                false => Elements::number(number.value),
            },
        })
    }

    fn data(&mut self, data: usize) -> Parsed<()> {
        let data = &self.program.data[data];
        let Type::Tensor { element, shape } = &data.annotation else {
            return Err(unfit(&data.span, "data are one tensor"));
        };
        let is_outside = data.source == Source::Outside;
        self.is_wide |= !is_outside && &*element.text != "f32";
        if let Source::Rows(rows) = &data.source {
            return self.ragged(data, rows);
        }
        let mut sizes = Vec::new();
        for part in &shape.parts {
            let Part::Axes(axes) = part else {
                return Err(unfit(&data.span, "the shape of data is not constant"));
            };
            for axis in axes {
                match axis {
                    Dim::Number(size, _) => sizes.push(u64::try_from(*size).unwrap_or(0)),
                    _ => return Err(unfit(&axis.span(), "data have sizes that are numbers")),
                }
            }
        }
        counted(data, &sizes)?;
        self.readable(data, element)?;
        let id = self.lines.tensor();
        self.lines.data(id, &sizes, data.source.clone(), &data.span);
        self.lines.name(id, &self.program.names[data.name].text);
        if is_outside {
            self.inputs.push((data.name, id));
        }
        let value = Value::Tensor(Tensor {
            id,
            maps: Vec::new(),
            shape: sizes,
            elements: match is_outside {
                true => Elements::FLOAT,
                false => Elements::of_type(&element.text, bound(data)),
            },
        });
        self.globals.insert(data.name, value);
        Ok(())
    }

    /// Makes ragged data: a tensor for each element.
    fn ragged(&mut self, data: &crate::syntax::Data, rows: &[Vec<f64>]) -> Parsed<()> {
        let Type::Tensor { element, shape } = &data.annotation else {
            return Err(unfit(&data.span, "data are one tensor"));
        };
        let sizes = values::ragged_sizes(shape);
        let shapes = values::ragged(data, &sizes)?;
        let mut elements = Vec::new();
        for (row, shape) in rows.iter().zip(shapes) {
            let id = self.lines.tensor();
            let bound = row
                .iter()
                .fold(0.0, |most: f64, value| value.abs().max(most));
            self.lines
                .data(id, &shape, Source::Values(row.clone()), &data.span);
            elements.push(Tensor {
                id,
                maps: Vec::new(),
                shape,
                elements: Elements::of_type(&element.text, bound),
            });
        }
        let value = rows::collected(self, elements, &data.span)?;
        self.globals.insert(data.name, value);
        Ok(())
    }

    /// Refuses integers of a file: it is not known here whether they are such, and how large.
    fn readable(&self, data: &crate::syntax::Data, element: &crate::syntax::Word) -> Parsed<()> {
        let is_integer = matches!(&*element.text, "i32" | "i64");
        if !is_integer || !matches!(data.source, Source::File(_)) {
            return Ok(());
        }
        let message = format!("data of `{}` are written in the text", element.text);
        Err(
            Diagnostic::new(element.span.clone(), message, "these elements").help(
                "a file may have numbers that are no integers, or too large ones; `f64` takes all",
            ),
        )
    }

    fn print(&mut self, value: &Value, span: &Span) {
        let tensors = tensors(value);
        for tensor in &tensors {
            self.lines.print(tensor.id, span);
        }
        let named = tensors
            .iter()
            .map(|tensor| (self.lines.name_of(tensor.id), tensor.shape.clone()));
        let shown = Shown {
            span: span.clone(),
            tensors: named.collect(),
            rows: value::rows(value),
        };
        self.printed.push(shown);
    }
}

/// Returns a number that no absolute value of data exceeds.
fn bound(data: &crate::syntax::Data) -> f64 {
    match &data.source {
        Source::Values(values) => values.iter().fold(0.0, |most, value| value.abs().max(most)),
        Source::Range(count) => *count as f64,
        Source::Rows(_) | Source::File(_) | Source::Outside => f64::INFINITY,
    }
}

fn value_of(body: &Body, node: NodeId, span: &Span) -> Parsed<Value> {
    let value = body.values.get(&node).cloned();
    value.ok_or_else(|| unfit(span, "a part has no value"))
}

/// Makes the error for what no program does whose types were inferred.
pub(super) fn unfit(span: &Span, message: &str) -> Diagnostic {
    Diagnostic::new(span.clone(), message, "here")
        .help("`lozenge infer` says what the types of the program are")
}
