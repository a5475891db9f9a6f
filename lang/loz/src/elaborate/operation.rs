//! Tensors, and the operations that write them.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_vocabulary::operation::{
    Accumulator, Combine, Formula, Function, Instruction, Kind, Operation, Region, Requirement,
    Shape, TensorId,
};
use lozenge_vocabulary::program::{Assignment, Check, Family, Late, Source, Span, Tensor};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{DimVar, RowTerm, RowVar, Tag};

use super::Elaboration;
use super::plan::Plan;
use super::requirement::{self, Required};
use super::scope::{Builtin, Value};
use super::shape::variable;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::operator::Primitive;
use crate::syntax::region;
use crate::syntax::{Logic, Spec};

/// The accumulator that overwrites every cell.
pub(super) const ERASE: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Replace,
};

/// The accumulator that adds results to the present value.
pub(super) const ADD: Accumulator = Accumulator {
    erase: false,
    combine: Combine::Add,
};

/// The destination of the value of an expression. The spans are places of the program.
#[derive(Clone)]
pub(super) enum Want {
    /// A tensor without a name of its own.
    Part,
    /// A new tensor with this full name, defined at this place.
    Named(Arc<str>, Span),
    /// An existing tensor, written at this place.
    Into(TensorId, Span),
}

impl<'a> Elaboration<'a, '_> {
    /// Makes a name that no tensor and no call has yet: the given one, if necessary with a number appended.
    pub(super) fn unique(&mut self, name: String) -> Arc<str> {
        if !self.names.taken.contains(name.as_str()) {
            let name: Arc<str> = name.into();
            self.names.taken.insert(name.clone());
            return name;
        }
        // A name that is taken stays taken, so that the search goes on where it ended the last time.
        let mut number = self.names.numbered.get(&name).map_or(2, |last| last + 1);
        loop {
            let other: Arc<str> = format!("{name}_{number}").into();
            if self.names.taken.insert(other.clone()) {
                self.names.numbered.insert(name, number);
                return other;
            }
            number += 1;
        }
    }

    pub(super) fn tensor(
        &mut self,
        name: impl Into<Arc<str>>,
        span: &Span,
        source: Source,
        shape: Shape<RowTerm>,
        tag: Tag,
    ) -> TensorId {
        self.program.tensors.push(Tensor {
            name: name.into(),
            span: self.place(span),
            source,
            shape,
            tag,
        });
        self.tensors.last_use.push(None);
        TensorId(self.program.tensors.len() - 1)
    }

    /// Makes a tensor whose rows are unknown. A parameter has no batch axes: it is the same for every element of a
    /// batch, and a leaf with an open batch row would grow to the batch axes of everything to which it is broadcast.
    pub(super) fn unknown(
        &mut self,
        name: Arc<str>,
        span: &Span,
        source: Source,
        tag: Tag,
    ) -> TensorId {
        let prefix = variable(&name);
        let row = |kind: Kind| RowVar::new(&[&prefix, "_", kind.word()].concat()).into();
        let batch = match source {
            Source::Param(_) => RowTerm::default(),
            _ => row(Kind::Batch),
        };
        let shape = Shape {
            batch,
            input: row(Kind::Input),
            output: row(Kind::Output),
        };
        self.tensor(name, span, source, shape, tag)
    }

    /// Makes the name of the next part of the statement.
    pub(super) fn part_name(&mut self) -> String {
        let frame = self.frame();
        let target = frame.within(&frame.path, &frame.label);
        let count = self.names.parts.entry_ref(&target).or_default();
        *count += 1;
        [&target, "'", &count.to_string()].concat()
    }

    /// Records the operation that writes one value into each cell.
    pub(super) fn fill(&mut self, id: TensorId, value: f64, span: &Span) {
        self.filled(id, Function::Constant(value), None, Vec::new(), span);
    }

    pub(super) fn filled(
        &mut self,
        id: TensorId,
        function: Function,
        late: Option<Late>,
        requirements: Vec<Requirement>,
        span: &Span,
    ) {
        let span = self.place(span);
        let call = self.frame().call;
        self.tensors.last_use[id.0] = Some((self.program.steps.len(), 0));
        self.program.steps.push(Assignment {
            operation: Operation {
                slots: vec![id],
                requirements: requirements.into(),
                pins: Default::default(),
                region: Default::default(),
                accumulator: ERASE,
                function,
            },
            logic: Family::Fill,
            word: "",
            span: span.clone(),
            slot_spans: vec![span],
            call,
            late: late.map(Box::new),
            record: None,
        });
    }

    /// Returns the tensor of a number. Its rows are empty, the top of the row order, so it imposes nothing on a result.
    pub(super) fn number(&mut self, value: f64, span: &Span) -> TensorId {
        if let Some(id) = self.tensors.numbers.get(&value.to_bits()) {
            return *id;
        }
        let source = Source::Constant(value);
        let id = self.tensor(value.to_string(), span, source, Shape::default(), Tag::Leaf);
        self.tensors.numbers.insert(value.to_bits(), id);
        self.tensors.statics.insert(id, value);
        self.fill(id, value, span);
        id
    }

    /// Makes the tensor of a number that inference finds.
    pub(super) fn late_number(
        &mut self,
        rows: &[RowTerm],
        requirements: Vec<Requirement>,
        span: &Span,
    ) -> TensorId {
        let name = self.part_name();
        let source = Source::Intermediate;
        let id = self.tensor(name, span, source, Shape::default(), Tag::Leaf);
        let late = Late::Product(rows.to_vec());
        self.filled(id, Function::Constant(1.0), Some(late), requirements, span);
        id
    }

    /// Makes a value a tensor; `None` after an error, which is reported.
    pub(super) fn tensor_of(&mut self, value: &Value<'a>, span: &Span) -> Option<TensorId> {
        let error = match value {
            Value::Broken => return None,
            Value::Tensor(id) => return Some(*id),
            Value::Number(number) => return Some(self.number(*number, span)),
            Value::Size(dim) => return Some(self.number(dim.size() as f64, span)),
            Value::Late(rows) => return Some(self.late_number(rows, Vec::new(), span)),
            Value::Builtin(builtin) => {
                let word = builtin.word();
                Diagnostic::new(
                    span.clone(),
                    format!("`{word}` is a function"),
                    "its operands are missing",
                )
                .help(format!("write `{word}(…)` with the operands in parentheses"))
            }
            Value::Function(function) => {
                let word = brief(function.definition.name.text);
                Diagnostic::new(
                    span.clone(),
                    format!("`{word}` is a function"),
                    "its operands are missing",
                )
                .help(format!("write `{word}(…)` with the operands in parentheses"))
            }
            Value::Operator(operator) => {
                let word = brief(operator.definition.name.text);
                Diagnostic::new(
                    span.clone(),
                    format!("`{word}` is an operator"),
                    "its operands are missing",
                )
                .help(format!("write `{word}(…)` with the operands in parentheses"))
            }
            Value::Instance(instance) => {
                let word = brief(instance.function.definition.name.text);
                Diagnostic::new(
                    span.clone(),
                    format!("`{word}` has two lists, and only the first is given"),
                    "the tensors are missing",
                )
                .help(format!("write `{word}(…)(x)`: configuration first, then tensors"))
            }
            Value::Nothing => Diagnostic::new(
                span.clone(),
                "this function gives nothing back",
                "no value",
            )
            .help("the last line of a function is its result: write the expression alone"),
            Value::Text(_) | Value::List(_) | Value::Several(_) | Value::Module(_) => Diagnostic::new(
                span.clone(),
                format!("{} is no tensor", value.word()),
                "a tensor is needed here",
            )
            .help(match value {
                Value::Text(_) if self.frame().label == "print" => "`print` shows tensors, each with its name: `print y`",
                Value::Text(_) => "a spec stands in a reduction, `sum(x, \"n|->c => n|\")`, or behind an assignment",
                Value::Module(_) => "a point stands between a file and what it defines: `layers.dense`",
                Value::List(list) if list.iter().all(|value| matches!(value, Value::Number(_))) => {
                    "the values of a tensor are data: write `data v : 3 = [1, 2, 3]` on a line above, and `v` here; `xs[0]` is an element of a list"
                }
                Value::List(_) => "`xs[0]` is an element, `stack(xs)` all of them as one tensor",
                _ => "give each of them a name: `let h, c = cell(x, h, c)`",
            }),
        };
        self.report(error);
        None
    }

    /// Returns the number that a value is, if it is known before inference.
    pub(super) fn static_number(&self, value: &Value<'a>) -> Option<f64> {
        match value {
            Value::Number(number) => Some(*number),
            Value::Size(dim) => Some(dim.size() as f64),
            Value::Tensor(id) => self.tensors.statics.get(id).copied(),
            _ => None,
        }
    }

    /// Determines the tensor that an operation writes, new or existing, with its place in the program.
    fn target(&mut self, want: Want, span: &Span) -> (TensorId, Span) {
        let (name, at) = match want {
            Want::Into(id, at) => return (id, at),
            Want::Named(name, at) => (name, at),
            Want::Part => (self.part_name().into(), self.place(span)),
        };
        let id = self.unknown(name, &at, Source::Intermediate, Tag::Interior);
        // The place of a tensor of a function in another text is the line that calls the function.
        self.program.tensors[id.0].span = at.clone();
        (id, at)
    }

    /// Records an operation with requirements of its own.
    pub(super) fn special(
        &mut self,
        want: Want,
        operand: (TensorId, Span),
        accumulator: Accumulator,
        require: impl FnOnce(usize) -> Required,
        span: &Span,
    ) -> TensorId {
        let (target, at) = self.target(want, span);
        let (requirements, pins) = require(self.program.steps.len() + 1);
        let read = self.place(&operand.1);
        let step = self.program.steps.len();
        self.tensors.last_use[target.0] = Some((step, 0));
        self.tensors.last_use[operand.0.0] = Some((step, 1));
        let (span, call) = (self.place(span), self.frame().call);
        self.program.steps.push(Assignment {
            operation: Operation {
                slots: vec![target, operand.0],
                requirements: requirements.into(),
                pins,
                region: Default::default(),
                accumulator,
                function: Function::Identity,
            },
            logic: Family::Einsum,
            word: "",
            span,
            slot_spans: vec![at, read],
            call,
            late: None,
            record: None,
        });
        target
    }

    pub(super) fn operation(&mut self, want: Want, mut plan: Plan) -> Option<TensorId> {
        let (logic, function) = match plan.family() {
            Ok(found) => found,
            Err(error) => {
                self.report(error);
                return None;
            }
        };
        let required = self.required(&plan, logic);
        let required = required.and_then(|required| match want {
            Want::Into(target, _) if reads_its_past(&plan, &required.2, target) => {
                self.keep(target, &mut plan);
                // Requirements bear the number of their operation, and the copy has come before it.
                self.required(&plan, logic)
            }
            _ => Ok(required),
        });
        let (requirements, pins, regions) = match required {
            Ok(required) => required,
            Err(error) => {
                self.report(error);
                return None;
            }
        };
        let (target, at) = self.target(want, &plan.span);
        let mut slots = Vec::with_capacity(1 + plan.operands.len());
        let mut slot_spans = Vec::with_capacity(1 + plan.operands.len());
        slots.push(target);
        slot_spans.push(at);
        for (tensor, span) in plan.operands {
            slot_spans.push(self.place(&span));
            slots.push(tensor);
        }
        let accumulator = plan.accumulator.unwrap_or_else(|| usual(logic));
        let word = match plan.alternatives {
            true => "concat",
            false => plan.primitive.word(),
        };
        let (span, call) = (self.place(&plan.span), self.frame().call);
        for (number, region) in regions.into_iter().enumerate() {
            let step = self.program.steps.len();
            for (slot, tensor) in slots.iter().enumerate().rev() {
                self.tensors.last_use[tensor.0] = Some((step, slot));
            }
            let function = match plan.alternatives {
                true => one_of(slots.len() - 1, &region),
                false => function.clone(),
            };
            self.program.steps.push(Assignment {
                operation: Operation {
                    slots: slots.clone(),
                    requirements: Arc::clone(&requirements),
                    pins: BTreeMap::clone(&pins),
                    // Each region overwrites its own cells, or the first one all cells, so that the others need not.
                    accumulator: Accumulator {
                        erase: accumulator.erase && (number == 0 || region.completed),
                        ..accumulator
                    },
                    region: (region != Region::default()).then(|| Box::new(region)),
                    function,
                },
                logic,
                word,
                span: span.clone(),
                slot_spans: slot_spans.clone(),
                call,
                late: None,
                record: None,
            });
        }
        Some(target)
    }

    /// Copies a tensor, so that an operation which updates it region by region reads what was there before. The copy
    /// has the rows of the tensor, not rows to which the tensor broadcasts.
    fn keep(&mut self, tensor: TensorId, plan: &mut Plan) {
        let name = self.part_name();
        let shape = self.program[tensor].shape.clone();
        let copy = self.tensor(name, &plan.span, Source::Intermediate, shape, Tag::Interior);
        let want = Want::Into(copy, self.place(&plan.span));
        self.copy(tensor, &plan.span, want);
        for (operand, _) in &mut plan.operands {
            if *operand == tensor {
                *operand = copy;
            }
        }
    }

    /// Determines the requirements of an operation, its pins and its regions.
    fn required(&mut self, plan: &Plan, logic: Family) -> Parsed<Regional> {
        if let Some(Logic::Einsum(spec)) = &plan.logic {
            return self.einsum(spec, plan).map_err(|error| spec.placed(error));
        }
        let key = (logic, plan.operands.len());
        let shared = self.tensors.requirements.entry(key);
        let shared = shared.or_insert_with(|| broadcasting(key.0, key.1).into());
        Ok((shared.clone(), Default::default(), vec![Region::default()]))
    }

    /// Determines the requirements of an operation with a spec, and its regions. The regions share their variables,
    /// which have the number of the last region.
    fn einsum(&self, spec: &Spec, plan: &Plan) -> Parsed<Regional> {
        let before = self.program.steps.len();
        let operands: Vec<Span> = plan.operands.iter().map(|(_, span)| span.clone()).collect();
        let first = requirement::einsum(spec, before + 1, &self.meaning())?;
        let most = self.program.surroundings.limits.choices;
        let mut regions =
            region::regions(spec, &first.concats, plan.alternatives, &operands, most)?;
        let stated = match regions.len() {
            1 => first,
            count => requirement::einsum(spec, before + count, &self.meaning())?,
        };
        let rests = stated.rests();
        for region in &mut regions {
            region.rests = rests.clone();
        }
        Ok((stated.requirements.into(), stated.pins, regions))
    }

    /// Requires that a tensor has a written shape.
    pub(super) fn require(
        &mut self,
        id: TensorId,
        shape: Shape<RowTerm>,
        (span, written, asserted): (&Span, &Span, bool),
    ) {
        if self.tensors.last_use[id.0].is_none() {
            // No operation uses the tensor yet, and a requirement belongs to an operation.
            let plan = Plan {
                alternatives: false,
                primitive: Primitive::Function(&Function::Identity),
                operands: vec![(id, span.clone())],
                logic: None,
                accumulator: None,
                span: span.clone(),
            };
            self.operation(Want::Part, plan);
        }
        if let Some((step, slot)) = self.tensors.last_use[id.0] {
            let requirements = &mut self.program.steps[step].operation.requirements;
            let first = requirements.len();
            Arc::make_mut(requirements).extend(requirement::written(slot, shape));
            let check = Check {
                requirements: first..requirements.len(),
                span: self.place(span),
                shape: self.place(written),
                asserted,
                call: self.frame().call,
            };
            self.program.checks.insert((step, first), check);
        }
    }
}

/// The requirements of an operation, the positions that it fixes, and its regions.
type Regional = (Arc<Vec<Requirement>>, BTreeMap<DimVar, Index>, Vec<Region>);

/// Tells whether a later region of an operation reads the tensor that the earlier ones have written.
fn reads_its_past(plan: &Plan, regions: &[Region], target: TensorId) -> bool {
    let reads = |region: &Region| {
        let mut operands = plan.operands.iter().enumerate();
        operands.any(|(at, (operand, _))| *operand == target && !region.unread.contains(&(at + 1)))
    };
    regions.iter().skip(1).any(reads)
}

/// Returns the function that returns the operand which a region reads, of `operands` operands.
fn one_of(operands: usize, region: &Region) -> Function {
    let read = (0..operands).find(|operand| !region.unread.contains(&(operand + 1)));
    let code = vec![Instruction::Read(read.unwrap_or_default())];
    match Formula::new(operands, code) {
        Some(formula) if operands > 1 => Function::Formula(Box::new(formula)),
        _ => Function::Identity,
    }
}

fn broadcasting(family: Family, operands: usize) -> Vec<Requirement> {
    match family {
        Family::Pointwise => requirement::pointwise(operands),
        Family::Compose => requirement::compose(),
        Family::Transpose => requirement::transpose(),
        Family::Einsum | Family::Fill => Vec::new(),
    }
}

/// Computes the value of a scalar function of known numbers; `None` if the value should be computed by the run.
pub(super) fn fold(primitive: Primitive, values: &[f64]) -> Option<f64> {
    let function = match primitive {
        Primitive::Function(function) => function,
        Primitive::Star => &Function::Multiply,
        Primitive::Transpose | Primitive::Product(_) => return None,
    };
    let truth = |holds: bool| f64::from(holds);
    let value = match (function, values) {
        (Function::Negate, [x]) => -x,
        (Function::Relu, [x]) => x.max(0.0),
        (Function::Exp, [x]) => x.exp(),
        (Function::Log, [x]) => x.ln(),
        (Function::Sqrt, [x]) => x.sqrt(),
        (Function::Square, [x]) => x * x,
        (Function::Reciprocal, [x]) => 1.0 / x,
        (Function::Abs, [x]) => x.abs(),
        (Function::Floor, [x]) => x.floor(),
        (Function::Round, [x]) => x.round_ties_even(),
        (Function::Log1p, [x]) => x.ln_1p(),
        (Function::Expm1, [x]) => x.exp_m1(),
        (Function::Fmod, [x, y]) => x % y,
        (Function::Add, [x, y]) => x + y,
        (Function::Subtract, [x, y]) => x - y,
        (Function::Multiply, [x, y]) => x * y,
        (Function::Divide, [x, y]) => x / y,
        (Function::Max, [x, y]) => x.max(*y),
        (Function::Min, [x, y]) => x.min(*y),
        (Function::Power, [x, y]) => x.powf(*y),
        (Function::Equal, [x, y]) => truth(x == y),
        (Function::NotEqual, [x, y]) => truth(x != y),
        (Function::Less, [x, y]) => truth(x < y),
        (Function::LessEqual, [x, y]) => truth(x <= y),
        (Function::Greater, [x, y]) => truth(x > y),
        (Function::GreaterEqual, [x, y]) => truth(x >= y),
        _ => return None,
    };
    (value as f32).is_finite().then_some(value)
}

impl Builtin {
    /// Finds the function of the language with this name.
    pub(super) fn named(name: &str) -> Option<Builtin> {
        let primitive = crate::syntax::operator::FUNCTIONS
            .iter()
            .find(|(word, _)| *word == name);
        if let Some((word, primitive)) = primitive {
            return Some(Builtin::Primitive(word, *primitive));
        }
        let words = crate::syntax::operator::TENSOR_FUNCTIONS.iter();
        let mut found = words.filter(|word| **word == name);
        found.next().map(|word| Builtin::Named(word))
    }
}

/// Returns the accumulator of an operation for which no other one is written: a composition sums its results.
fn usual(logic: Family) -> Accumulator {
    match logic {
        Family::Compose => Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        _ => ERASE,
    }
}
