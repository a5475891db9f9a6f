//! From statements to tensors and operations: names are looked up, parts of expressions become tensors.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, TensorId,
};
use lozenge_vocabulary::{DimTerm, RowTerm, RowVar, Tag};

use crate::cursor::{Parsed, brief};
use crate::data::fitting_shape;
use crate::diagnostic::Diagnostic;
use crate::operator::Primitive;
use crate::plan::Plan;
use crate::requirement;
use crate::shape::Written;
use crate::sizes::Sizes;
use crate::statement::Read;
use crate::suggestion::nearest;
use crate::syntax::{Axis, Expression, Logic, Name, Node, NodeKind, Open, Statement, TemplateRow};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::{Family, Program, Source, Step, Tensor, Values};

/// Looks up every name and makes the program. What is wrong is reported, and the program is then not to be used.
pub(crate) fn lower(read: &Read, errors: &mut Vec<Diagnostic>) -> Program {
    let mut lowering = Lowering {
        program: Program::default(),
        names: HashMap::new(),
        numbers: HashMap::new(),
        parts: HashMap::new(),
        broken: read.broken.clone(),
        later: later_definitions(&read.statements),
        sizes: Sizes::new(&read.statements, errors),
        requirements: HashMap::new(),
        written: definitions(&read.statements)
            .map(|name| name.text)
            .collect(),
        errors,
    };
    for statement in &read.statements {
        lowering.statement(statement);
    }
    lowering.program.tensors.shrink_to_fit();
    lowering.program.steps.shrink_to_fit();
    lowering.program
}

fn definitions<'s, 'a>(statements: &'s [Statement<'a>]) -> impl Iterator<Item = &'s Name<'a>> {
    statements.iter().filter(|s| s.defines()).map(|s| s.name())
}

/// Where each name is first defined, earlier or later.
fn later_definitions<'a>(statements: &[Statement<'a>]) -> HashMap<&'a str, Span> {
    let mut places = HashMap::new();
    for name in definitions(statements) {
        places.entry(name.text).or_insert_with(|| name.span.clone());
    }
    places
}

struct Lowering<'a, 'e> {
    program: Program,
    names: HashMap<&'a str, TensorId>,
    /// The tensors of numbers, by their bits: a number has one tensor.
    numbers: HashMap<u64, TensorId>,
    /// How many parts a tensor's expressions have so far.
    parts: HashMap<&'a str, usize>,
    /// Names whose definition has an error that is reported already.
    broken: HashSet<&'a str>,
    later: HashMap<&'a str, Span>,
    sizes: Sizes,
    /// What the operations of a family with so many operands require: most operations of a program share one of few lists.
    requirements: HashMap<(Family, usize), Arc<Vec<Requirement>>>,
    /// The names that are defined, earlier or later, in the order of the text.
    written: Vec<&'a str>,
    errors: &'e mut Vec<Diagnostic>,
}

impl<'a> Lowering<'a, '_> {
    fn statement(&mut self, statement: &Statement<'a>) {
        if statement.defines() && !self.is_new(statement.name()) {
            return;
        }
        match statement {
            Statement::Data {
                name,
                shape,
                values,
                place,
            } => match self.data(shape.as_ref(), values, place) {
                Ok(shape) => {
                    let source = Source::Data(values.clone());
                    let id = self.tensor(name.text.into(), &name.span, source, shape, Tag::Leaf);
                    self.names.insert(name.text, id);
                }
                Err(error) => self.breaks(name, error),
            },
            Statement::Param {
                name,
                shape,
                initial,
            } => {
                let source = Source::Param(*initial);
                self.leaf(name, shape.as_ref(), source, Tag::Param, *initial);
            }
            Statement::Constant { name, shape, value } => {
                let source = Source::Constant(*value);
                self.leaf(name, shape.as_ref(), source, Tag::Leaf, Some(*value));
            }
            Statement::Size { .. } => {}
            Statement::Let {
                name,
                shape,
                expression,
            } => {
                let before = self.program.steps.len();
                self.assignment(name, None, expression, None);
                if let Some(written) = shape
                    && self.program.steps.len() > before
                    && let Err(error) = self.checked(written)
                {
                    self.errors.push(error);
                }
            }
            Statement::Assign {
                name,
                accumulator,
                expression,
                logic,
            } => self.assignment(name, Some(*accumulator), expression, logic.as_ref()),
        }
    }

    /// The rows of data, whose shape is written or follows from the values.
    fn data(
        &self,
        shape: Option<&Written>,
        values: &Values,
        place: &Span,
    ) -> Parsed<Shape<RowTerm>> {
        let written = match shape {
            Some(written) => Some((self.sizes.closed(written)?, written.1.clone())),
            None => None,
        };
        let terms = |dims: &[Dim]| dims.iter().cloned().map(DimTerm::Const).collect();
        let shape = fitting_shape(written, values, place)?;
        Ok(shape.map(|_, (leading, trailing)| RowTerm::closed(terms(leading), terms(trailing))))
    }

    /// A parameter or a constant, and the operation that fills it.
    fn leaf(
        &mut self,
        name: &Name<'a>,
        shape: Option<&Written>,
        source: Source,
        tag: Tag,
        value: Option<f64>,
    ) {
        let id = match shape.map(|written| self.declared(name, written, tag)) {
            None => self.define(name, source, tag),
            Some(Ok(shape)) => {
                let id = self.tensor(name.text.into(), &name.span, source, shape, tag);
                self.names.insert(name.text, id);
                id
            }
            Some(Err(error)) => return self.breaks(name, error),
        };
        if let Some(value) = value {
            self.fill(id, value, &name.span);
        }
    }

    /// The rows of a parameter or a constant whose shape is written.
    fn declared(&self, name: &Name, (shape, _): &Written, tag: Tag) -> Parsed<Shape<RowTerm>> {
        let batch = &shape.batch;
        if tag == Tag::Param && (batch.open.is_some() || batch.axes().next().is_some()) {
            return Err(Diagnostic::new(
                batch_place(batch),
                "a parameter has no batch axes",
                "it is the same for every instance",
            )
            .help("leave the part before `|` out; a table with a row for each class is `c->p`"));
        }
        let row = |kind: Kind| {
            let open = format!("{}_{}", name.text, kind.word());
            self.sizes.term(shape.row(kind), &open, true)
        };
        Ok(Shape {
            batch: row(Kind::Batch)?,
            input: row(Kind::Input)?,
            output: row(Kind::Output)?,
        })
    }

    /// Requires of the last operation that its result has the written shape.
    fn checked(&mut self, (shape, _): &Written) -> Parsed<()> {
        let number = self.program.steps.len();
        let row = |kind: Kind| {
            let open = format!("{}'{number}", kind.word());
            self.sizes.term(shape.row(kind), &open, false)
        };
        let shape = Shape {
            batch: row(Kind::Batch)?,
            input: row(Kind::Input)?,
            output: row(Kind::Output)?,
        };
        if let Some(step) = self.program.steps.last_mut() {
            let requirements = Arc::make_mut(&mut step.operation.requirements);
            requirements.extend(requirement::written(shape));
        }
        Ok(())
    }

    /// Reports why a tensor cannot be defined; to use it is no further error.
    fn breaks(&mut self, name: &Name<'a>, error: Diagnostic) {
        self.errors.push(error);
        self.broken.insert(name.text);
    }

    fn is_new(&mut self, name: &Name<'a>) -> bool {
        let Some(id) = self.names.get(name.text) else {
            return true;
        };
        let before = self.program.tensor(*id).span.clone();
        let message = format!("`{}` is defined twice", brief(name.text));
        self.errors.push(
            Diagnostic::new(name.span.clone(), message, "defined again")
                .other(before, "first defined here")
                .help(
                    "use another name; `=+`, `=-`, `=max` and `=min` update a tensor that is there",
                ),
        );
        false
    }

    fn tensor(
        &mut self,
        name: String,
        span: &Span,
        source: Source,
        shape: Shape<RowTerm>,
        tag: Tag,
    ) -> TensorId {
        self.program.tensors.push(Tensor {
            name,
            span: span.clone(),
            source,
            shape,
            tag,
        });
        TensorId(self.program.tensors.len() - 1)
    }

    /// A tensor whose rows are unknown. A parameter has no batch axes: it is one and the same for every instance, and
    /// a leaf with an open batch row would grow over the batches of everything that it is broadcast to.
    fn unknown(&mut self, name: String, span: &Span, source: Source, tag: Tag) -> TensorId {
        let row = |kind: Kind| RowVar::new(&format!("{name}_{}", kind.word())).into();
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

    fn define(&mut self, name: &Name<'a>, source: Source, tag: Tag) -> TensorId {
        let id = self.unknown(name.text.into(), &name.span, source, tag);
        self.names.insert(name.text, id);
        id
    }

    /// The operation that writes one value into each cell.
    fn fill(&mut self, id: TensorId, value: f64, span: &Span) {
        self.program.steps.push(Step {
            operation: Operation {
                slots: vec![id],
                requirements: Arc::default(),
                pins: Default::default(),
                accumulator: ERASE,
                function: Function::Constant(value),
            },
            logic: Family::Fill,
            word: "",
            span: span.clone(),
            slot_spans: vec![span.clone()],
        });
    }

    /// `let` when there is no accumulator.
    fn assignment(
        &mut self,
        name: &Name<'a>,
        accumulator: Option<Accumulator>,
        expression: &Expression<'a>,
        logic: Option<&Logic>,
    ) {
        let defines = accumulator.is_none_or(|a| a.erase);
        let done = self
            .plan(name, accumulator, expression, logic)
            .and_then(|plan| {
                let target = if defines {
                    self.define(name, Source::Intermediate, Tag::Interior)
                } else {
                    self.updated(name)?
                };
                self.operation(target, &name.span, plan)
            });
        if done.is_none() && defines {
            self.broken.insert(name.text);
        }
    }

    /// Makes the parts of the expression, and plans the operation at its root. `None` after an error.
    fn plan<'s>(
        &mut self,
        name: &Name<'a>,
        accumulator: Option<Accumulator>,
        expression: &Expression<'a>,
        logic: Option<&'s Logic>,
    ) -> Option<Plan<'s>> {
        let root = expression.root();
        // In an assignment, parentheses around the whole ask for a tensor of its own.
        let whole_is_part = accumulator.is_some() && root.grouped
            || logic.is_some() && matches!(root.kind, NodeKind::Apply(Primitive::Transpose, _));
        let parts = match (&root.kind, whole_is_part) {
            (NodeKind::Apply(..), false) => expression.nodes.len() - 1,
            _ => expression.nodes.len(),
        };
        let made = self.parts(name, &expression.nodes[..parts])?;
        let read = |index: usize| (made[index], expression.nodes[index].span.clone());
        let (primitive, operands) = match &root.kind {
            NodeKind::Apply(primitive, operands) if parts < expression.nodes.len() => {
                (*primitive, operands.iter().map(|i| read(*i)).collect())
            }
            _ => (
                Primitive::Function(Function::Identity),
                vec![read(parts - 1)],
            ),
        };
        Some(Plan {
            primitive,
            operands,
            logic,
            accumulator,
            span: root.span.clone(),
        })
    }

    /// A tensor for each node. Every unknown name is reported, not only the first.
    fn parts(&mut self, target: &Name<'a>, nodes: &[Node<'a>]) -> Option<Vec<TensorId>> {
        let mut made: Vec<Option<TensorId>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let id = match &node.kind {
                NodeKind::Tensor(name) => self.look_up(name, &node.span),
                NodeKind::Number(value) => Some(self.number(*value, &node.span)),
                NodeKind::Apply(primitive, operands) => operands
                    .iter()
                    .map(|i| Some((made[*i]?, nodes[*i].span.clone())))
                    .collect::<Option<Vec<_>>>()
                    .and_then(|operands| self.part(target, *primitive, operands, &node.span)),
            };
            made.push(id);
        }
        made.into_iter().collect()
    }

    /// A tensor for a part of an expression, and the operation that writes it.
    fn part(
        &mut self,
        target: &Name<'a>,
        primitive: Primitive,
        operands: Vec<(TensorId, Span)>,
        span: &Span,
    ) -> Option<TensorId> {
        let count = self.parts.entry(target.text).or_default();
        *count += 1;
        let name = format!("{}'{count}", target.text);
        let id = self.unknown(name, span, Source::Intermediate, Tag::Interior);
        let plan = Plan {
            primitive,
            operands,
            logic: None,
            accumulator: None,
            span: span.clone(),
        };
        self.operation(id, span, plan)
    }

    /// The tensor of a number: its rows are empty, the top of the row order, so it requires nothing of a result.
    fn number(&mut self, value: f64, span: &Span) -> TensorId {
        if let Some(id) = self.numbers.get(&value.to_bits()) {
            return *id;
        }
        let source = Source::Constant(value);
        let id = self.tensor(value.to_string(), span, source, Shape::default(), Tag::Leaf);
        self.numbers.insert(value.to_bits(), id);
        self.fill(id, value, span);
        id
    }

    fn look_up(&mut self, name: &'a str, span: &Span) -> Option<TensorId> {
        match (self.names.get(name), self.sizes.of(name)) {
            (Some(id), None) => return Some(*id),
            (None, Some(size)) => {
                let value = size.size() as f64;
                return Some(self.number(value, span));
            }
            (Some(_), Some(_)) => {
                let error = self.ambiguous(name, span);
                self.errors.push(error);
                return None;
            }
            (None, None) => {}
        }
        if !self.broken.contains(name) {
            let error = self.unknown_tensor(name, span);
            self.errors.push(error);
        }
        None
    }

    fn ambiguous(&self, name: &str, span: &Span) -> Diagnostic {
        let shown = brief(name);
        let mut error = Diagnostic::new(
            span.clone(),
            format!("`{shown}` is a tensor and a size"),
            "which of them?",
        );
        if let Some(id) = self.names.get(name) {
            error = error.other(self.program.tensor(*id).span.clone(), "the tensor");
        }
        if let Some(place) = self.sizes.place(name) {
            error = error.other(place, "the size");
        }
        error.help("give one of them another name")
    }

    fn unknown_tensor(&self, name: &str, span: &Span) -> Diagnostic {
        let shown = brief(name);
        if let Some(later) = self.later.get(name) {
            return Diagnostic::new(
                span.clone(),
                format!("`{shown}` is used before it is defined"),
                "used here",
            )
            .other(later.clone(), "defined here")
            .help("lines run in order: put the definition first");
        }
        let error = Diagnostic::new(
            span.clone(),
            format!("there is no tensor `{shown}`"),
            "not defined",
        );
        match self.nearest(name) {
            // The suggestion is tried: only a name that is defined above can be read here.
            Some(near) if self.names.contains_key(near) => {
                error.edit(format!("did you mean `{near}`?"), span.clone(), near)
            }
            Some(near) => error.help(format!("did you mean `{near}`? It is defined further down")),
            None => error.help(format!(
                "define it first, for example `param {shown}` for a parameter whose shape is to be inferred"
            )),
        }
    }

    /// The name that was probably meant. Nobody reads the errors past the last that is shown: they are cheap.
    fn nearest(&self, name: &str) -> Option<&'a str> {
        if self.errors.len() >= crate::MAX_ERRORS {
            return None;
        }
        nearest(name, self.written.iter().copied())
    }

    /// The tensor that an assignment without a colon updates: a parameter or an intermediate.
    fn updated(&mut self, name: &Name<'a>) -> Option<TensorId> {
        let known = self.names.contains_key(name.text) || self.broken.contains(name.text);
        if !known && !self.later.contains_key(name.text) {
            let message = format!("there is no tensor `{}` to update", brief(name.text));
            let help = match self.nearest(name.text) {
                Some(near) => format!(
                    "did you mean `{near}`? To define a new tensor, put a colon after the `=`"
                ),
                None => "to define a new tensor, put a colon after the `=`: `=:+`".into(),
            };
            self.errors
                .push(Diagnostic::new(name.span.clone(), message, "not defined").help(help));
            return None;
        }
        let id = self.look_up(name.text, &name.span)?;
        let tensor = self.program.tensor(id);
        let what = match &tensor.source {
            Source::Data(_) => "data",
            Source::Constant(_) => "a constant",
            Source::Param(_) | Source::Intermediate => return Some(id),
        };
        let error = Diagnostic::new(
            name.span.clone(),
            format!("`{}` is {what} and cannot be written", brief(name.text)),
            "written here",
        )
        .other(tensor.span.clone(), "defined here")
        .help("use an assignment with a colon (`=:+`) and another name for a new tensor");
        self.errors.push(error);
        None
    }

    fn operation(&mut self, target: TensorId, at: &Span, plan: Plan) -> Option<TensorId> {
        let (logic, function) = match plan.family() {
            Ok(found) => found,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let number = self.program.steps.len() + 1;
        let required = match plan.logic {
            Some(Logic::Einsum(spec)) => requirement::einsum(spec, number, &self.sizes)
                .map(|(requirements, pins)| (requirements.into(), pins)),
            _ => {
                let key = (logic, plan.operands.len());
                let shared = self.requirements.entry(key);
                let shared = shared.or_insert_with(|| broadcasting(key.0, key.1).into());
                Ok((shared.clone(), Default::default()))
            }
        };
        let (requirements, pins) = match required {
            Ok(required) => required,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let (tensors, spans): (Vec<_>, Vec<_>) = plan.operands.into_iter().unzip();
        let sums = Accumulator {
            erase: true,
            combine: Combine::Add,
        };
        let usual = if logic == Family::Compose {
            sums
        } else {
            ERASE
        };
        self.program.steps.push(Step {
            operation: Operation {
                slots: [target].into_iter().chain(tensors).collect(),
                requirements,
                pins,
                accumulator: plan.accumulator.unwrap_or(usual),
                function,
            },
            logic,
            word: plan.primitive.word(),
            span: plan.span,
            slot_spans: [at.clone()].into_iter().chain(spans).collect(),
        });
        Some(target)
    }
}

/// The place of a batch row that is written.
fn batch_place(row: &TemplateRow) -> Span {
    let axis = row.axes().map(|axis| match axis {
        Axis::Label(label, _) => label.span.clone(),
        Axis::Position { span, .. } | Axis::Size(_, span) => span.clone(),
    });
    let open = row.open.iter().filter_map(|open| match open {
        Open::Variable(variable) => Some(variable.span.clone()),
        Open::Marker => None,
    });
    axis.chain(open)
        .reduce(|whole, next| whole.start.min(next.start)..whole.end.max(next.end))
        .unwrap_or_default()
}

const ERASE: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Replace,
};

fn broadcasting(family: Family, operands: usize) -> Vec<Requirement> {
    match family {
        Family::Pointwise => requirement::pointwise(operands),
        Family::Compose => requirement::compose(),
        Family::Transpose => requirement::transpose(),
        Family::Einsum | Family::Fill => Vec::new(),
    }
}
