//! Sections: lines that are repeated when the program runs.
//!
//! The lines are elaborated once. Data whose first axis is cut into batches is read as a tensor with an additional
//! axis, of which each step reads one position; an index from outside selects it (`Sol(idx)` of Def. 7.1).

mod order;

use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::{Function, Shape, TensorId};
use lozenge_vocabulary::program::{Cut, Evaluation, Late, Section, Source, Span, Turns, Values};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{DimTerm, RowTerm, Tag};

use super::cut::led_by;
use super::operation::{ERASE, Want};
use super::plan::Plan;
use super::requirement;
use super::scope::{Sort, Value};
use super::sizes::{self, Sizes};
use super::{Elaboration, Ended};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::parse::einsum::logic;
use crate::syntax::operator::Primitive;
use crate::syntax::{self, Block, EachEpoch, Expression, Labelled, Logic, Name};

/// A section whose lines are being elaborated.
pub(super) struct OpenSection {
    /// Its scope.
    scope: usize,
    training: bool,
    /// The batch of each tensor that is cut into batches.
    batches: BTreeMap<TensorId, TensorId>,
    /// The tensors of the lines above that are cut where the section reads them.
    led: HashMap<TensorId, usize>,
    /// The cuts that were made so far.
    cuts: Vec<Cut>,
    /// The number of batches, and the numbers of rows in each and behind all of them.
    rows: Option<Rows>,
    /// The label of the axis that is cut, with the size of the whole axis.
    whole: Option<(Labelled, Dim)>,
    /// True if an `each epoch:` block is being elaborated.
    evaluating: bool,
    evaluations: Vec<Evaluation>,
    /// The tensors that hold the numbers of the step and of the epoch.
    step: Option<TensorId>,
    epoch: Option<TensorId>,
}

/// The rows of an axis that is cut into batches.
#[derive(Clone, Copy)]
struct Rows {
    batches: u64,
    batch: u64,
    left_over: u64,
}

/// Tells whether a name has a predefined value in sections.
pub(super) fn is_word(name: &str) -> bool {
    matches!(name, "step" | "epoch" | "training")
}

impl<'a> Elaboration<'a, '_> {
    pub(super) fn section(&mut self, section: &'a syntax::Section<'a>) {
        if let Err(error) = self.section_may_stand_here(&section.header) {
            return self.report(error);
        }
        let turns = match self.turns_of(section) {
            Ok(Some(turns)) => turns,
            Ok(None) => return,
            Err(error) => return self.report(error),
        };
        if !self.deeper(&section.header) {
            return;
        }
        let (steps, requests) = (self.program.steps.len(), self.program.requests.len());
        self.open_scope(&section.body);
        self.section = Some(OpenSection {
            scope: self.scope,
            training: section.training,
            batches: BTreeMap::new(),
            led: HashMap::new(),
            cuts: Vec::new(),
            rows: None,
            whole: None,
            evaluating: false,
            evaluations: Vec::new(),
            step: None,
            epoch: None,
        });
        if let syntax::Turns::Epochs { label, .. } = &section.turns {
            self.cut(&turns, label);
        }
        self.block(&section.body, None);
        self.leave_scope();
        self.end_of_block(&section.body, Ended::Section);
        self.effort.levels -= 1;
        let (evaluations, all) = match self.section.take() {
            Some(open) => (open.evaluations, open.cuts),
            None => Default::default(),
        };
        let mut turns = turns;
        if let Turns::Epochs { cuts, .. } = &mut turns {
            *cuts = all;
        }
        let made = Section {
            span: section.header.clone(),
            steps: steps..self.program.steps.len(),
            requests: requests..self.program.requests.len(),
            evaluations,
            turns,
            training: section.training,
        };
        self.effort.work += self.program.steps.len() as u64;
        self.check_section(&made);
        self.program.sections.push(made);
    }

    fn section_may_stand_here(&self, header: &Span) -> Parsed<()> {
        let (message, help) = if self.section.is_some() {
            (
                "a section inside a section",
                "one section has epochs and steps; what is repeated a known number of times inside is `for i in 0..3:`",
            )
        } else if self.frames.len() > 1 {
            (
                "a section inside a function",
                "put it at the left margin; a function may have the lines inside it",
            )
        } else if self.scopes.all[self.scope].sort == Sort::Turn {
            (
                "a section inside a loop",
                "put it at the left margin: the loop is written out, and a section is repeated when the program runs",
            )
        } else {
            return Ok(());
        };
        Err(Diagnostic::new(header.clone(), message, "not at the left margin").help(help))
    }

    /// Evaluates the number of times that a section is repeated; `None` after an error that is reported.
    fn turns_of(&mut self, section: &'a syntax::Section<'a>) -> Parsed<Option<Turns>> {
        match &section.turns {
            syntax::Turns::Steps(steps) => {
                let steps = self.whole_count(steps, "a number of steps")?;
                Ok(steps.map(Turns::Steps))
            }
            syntax::Turns::Epochs {
                epochs,
                batch,
                label,
                shuffled,
            } => {
                let epochs = self.whole_count(epochs, "a number of epochs")?;
                let size = self.whole_count(batch, "the size of a batch")?;
                let (Some(epochs), Some(size)) = (epochs, size) else {
                    return Ok(None);
                };
                let rows = self.rows_cut(label)?.size();
                if size > rows {
                    let span = batch.root().span.clone();
                    let message = format!(
                        "a batch of {size} rows does not fit in the {rows} of `{}`",
                        label.text
                    );
                    return Err(Diagnostic::new(span, message, "too large")
                        .other(label.span.clone(), format!("{rows} rows"))
                        .help(format!("a batch has at most {rows} rows")));
                }
                Ok(Some(Turns::Epochs {
                    epochs,
                    batch: size,
                    batches: rows / size,
                    label: label.text.to_string(),
                    left_over: rows % size,
                    shuffled: *shuffled,
                    cuts: Vec::new(),
                }))
            }
        }
    }

    /// Evaluates a whole number of at least 1 that is known before inference; `None` after an error that is reported.
    fn whole_count(&mut self, expression: &'a Expression<'a>, what: &str) -> Parsed<Option<u64>> {
        let value = self.evaluate(expression, Want::Part);
        let span = expression.root().span.clone();
        match (&value, self.static_number(&value)) {
            (Value::Broken, _) => Ok(None),
            (_, Some(number)) => match sizes::whole(number) {
                Some(dim) => Ok(Some(dim.size())),
                None => Err(Diagnostic::new(
                    span,
                    format!("{what} is a whole number of at least 1"),
                    format!("this is {number}"),
                )
                .help("write a number such as 100, or the name of a size")),
            },
            (value, None) => Err(self.not_early(value, &span, what)),
        }
    }

    /// Finds the size of the axis that is cut into batches.
    fn rows_cut(&self, label: &Name<'a>) -> Parsed<Dim> {
        let shown = brief(label.text);
        let has = |(name, _): &&(String, TensorId)| name == label.text;
        match (
            self.scopes.size(self.scope, label.text),
            self.tensors.rows_of.iter().find(has),
        ) {
            (Some((DimTerm::Const(dim), _)), Some(_)) => Ok(dim),
            _ => {
                let message = format!("no data above has `{shown}` as its first axis");
                let error = Diagnostic::new(label.span.clone(), message, "cut into batches");
                let labels = self.tensors.rows_of.iter().map(|(name, _)| name.as_str());
                Err(match crate::diagnostic::nearest_name::nearest(label.text, labels) {
                    Some(near) => error.edit(format!("did you mean `{near}`?"), label.span.clone(), near),
                    None => error.help(format!(
                        "name the axis in the shape of the data: `data x : {shown}:100|->3 from \"x.csv\"`"
                    )),
                })
            }
        }
    }

    /// Cuts the data whose first axis has a label into batches. Inside the section, the label means the size of a
    /// batch.
    fn cut(&mut self, turns: &Turns, label: &Name<'a>) {
        let Turns::Epochs {
            batch,
            batches,
            left_over,
            ..
        } = turns
        else {
            return;
        };
        let Some((DimTerm::Const(whole), _)) = self.scopes.size(self.scope, label.text) else {
            return;
        };
        let sized = |size: u64| match &whole {
            Dim::Atom { basis, .. } => Dim::based(size, basis.clone()).unwrap_or(Dim::Unit),
            Dim::Unit => Dim::Unit,
        };
        let counted = Dim::based(*batches, Default::default()).unwrap_or(Dim::Unit);
        let axes = [DimTerm::Const(counted), DimTerm::Const(sized(*batch))];
        let same = self
            .tensors
            .rows_of
            .iter()
            .filter(|(name, _)| name == label.text);
        let tensors: Vec<TensorId> = same.map(|(_, id)| *id).collect();
        let led = match whole {
            Dim::Atom {
                basis: Basis::Default,
                ..
            } => led_by(&self.program, &tensors),
            _ => HashMap::new(),
        };
        for id in tensors {
            let of = self.program[id].clone();
            let values = Source::Data(Values::Batches(id));
            let name = self.unique(format!("{}.batches", of.name));
            let all = self.tensor(
                name,
                &of.span,
                values,
                led_shape(&of.shape, &axes),
                Tag::Leaf,
            );
            let name = self.unique(format!("{}.batch", of.name));
            let shape = led_shape(&of.shape, &axes[1..]);
            let one = self.tensor(name, &of.span, Source::Intermediate, shape, Tag::Interior);
            self.batch_of_step(Want::Into(one, of.span.clone()), id, all, &of.span);
        }
        let label = Labelled {
            name: label.text.into(),
            span: label.span.clone(),
        };
        let term = axes[1].clone();
        // The scope is new, so the name has another size in it only if a line of the section writes one.
        if let Some(error) = self.scopes.all[self.scope]
            .sizes
            .define(&label, term, "the section")
        {
            self.report(error);
        }
        if let Some(section) = &mut self.section {
            section.led = led;
            section.rows = Some(Rows {
                batches: *batches,
                batch: *batch,
                left_over: *left_over,
            });
            section.whole = Some((label, whole));
        }
    }

    /// Records the operation that takes the batch of a step from all batches of a tensor.
    fn batch_of_step(
        &mut self,
        want: Want,
        whole: TensorId,
        batches: TensorId,
        span: &Span,
    ) -> TensorId {
        let position = Index::Symbol("batch".into());
        let slice = |step| requirement::slice(vec![Some(position)], step);
        let batch = self.special(want, (batches, span.clone()), ERASE, slice, span);
        if let Some(section) = &mut self.section {
            section.cuts.push(Cut {
                whole,
                batches,
                batch,
            });
            section.batches.insert(whole, batch);
        }
        batch
    }

    /// Cuts a tensor of the lines above, which has so many batch axes, into batches, at the place where the section
    /// first reads it. All batches are made once, before the first step. Each axis has a label, so that the marker
    /// stands at the front, as in data.
    fn cut_computed(
        &mut self,
        whole: TensorId,
        axes: usize,
        rows: Rows,
        span: &Span,
    ) -> Option<TensorId> {
        let Rows {
            batches,
            batch,
            left_over,
        } = rows;
        let of = self.program[whole].clone();
        let rest: String = (1..axes).map(|axis| format!(", rest{axis}")).collect();
        let mut from = whole;
        if left_over > 0 {
            let full = batches * batch;
            let spec = format!("row:{full}^_{rest}|... -> ... => row{rest}|... -> ...");
            from = self.mapped(from, &spec, format!("{}.rows", of.name), span)?;
        }
        let spec =
            format!("(of:{batches}, row:{batch}){rest}|... -> ... => of, row{rest}|... -> ...");
        let all = self.mapped(from, &spec, format!("{}.batches", of.name), span)?;
        let name = self.unique(format!("{}.batch", of.name));
        let want = Want::Named(name, self.place(span));
        Some(self.batch_of_step(want, whole, all, span))
    }

    /// Maps a tensor by a spec that stands in no text.
    fn mapped(&mut self, of: TensorId, spec: &str, name: String, span: &Span) -> Option<TensorId> {
        let logic = match logic(spec, span.clone()) {
            Ok(Logic::Einsum(mut spec)) => {
                if let Some(spec) = Rc::get_mut(&mut spec) {
                    spec.used_at = Some(span.clone());
                }
                Logic::Einsum(spec)
            }
            Ok(other) => other,
            Err(error) => {
                self.report(error);
                return None;
            }
        };
        let plan = Plan {
            alternatives: false,
            primitive: Primitive::Function(&Function::Identity),
            operands: vec![(of, span.clone())],
            logic: Some(logic),
            accumulator: Some(ERASE),
            span: span.clone(),
        };
        let name = self.unique(name);
        let want = Want::Named(name, self.place(span));
        self.operation(want, plan)
    }

    /// Elaborates `each epoch:`.
    pub(super) fn each_epoch(&mut self, block: &'a EachEpoch<'a>) {
        let place = |message: &str, help: &str| {
            Diagnostic::new(block.header.clone(), message, "`each epoch:`").help(help)
        };
        let whole = match &mut self.section {
            Some(open) if open.scope == self.scope && open.whole.is_some() => {
                open.evaluating = true;
                open.whole.clone()
            }
            Some(open) if open.whole.is_none() => {
                return self.report(place(
                    "a section of steps has no epochs",
                    "write the lines below the section, or `epochs by 32 of n` in its header",
                ));
            }
            Some(_) => {
                return self.report(place(
                    "`each epoch:` stands in a loop",
                    "put it level with the lines of the section",
                ));
            }
            None => {
                return self.report(place(
                    "`each epoch:` stands in no section",
                    "it belongs among the lines of `train 20 epochs by 32 of n:`",
                ));
            }
        };
        if !self.deeper(&block.header) {
            return;
        }
        let (steps, requests) = (self.program.steps.len(), self.program.requests.len());
        self.open_scope(&block.body);
        if let Some((label, dim)) = whole {
            // Here the data is whole again.
            let error = self.scopes.all[self.scope]
                .sizes
                .define(&label, dim.into(), "the section");
            if let Some(error) = error {
                self.report(error);
            }
        }
        self.block(&block.body, None);
        self.leave_scope();
        self.effort.levels -= 1;
        let evaluation = Evaluation {
            steps: steps..self.program.steps.len(),
            requests: requests..self.program.requests.len(),
        };
        if let Some(section) = &mut self.section {
            section.evaluating = false;
            section.evaluations.push(evaluation);
        }
    }

    fn open_scope(&mut self, body: &'a Block<'a>) {
        let mut wrong = Vec::new();
        let sizes = Sizes::new(body, &mut wrong);
        for error in wrong {
            self.report(error);
        }
        self.enter_scope(sizes);
    }

    /// Returns the batch of the step in place of a tensor that a section cuts into batches.
    pub(super) fn in_section(&mut self, value: Value<'a>, span: &Span) -> Value<'a> {
        let (Value::Tensor(id), Some(section)) = (&value, &self.section) else {
            return value;
        };
        let id = *id;
        let batch = match (section.batches.get(&id).copied(), section.rows) {
            _ if section.evaluating => None,
            (Some(batch), _) => Some(batch),
            (None, Some(rows)) => match section.led.get(&id).copied() {
                Some(axes) => self.cut_computed(id, axes, rows, span),
                None => None,
            },
            (None, None) => None,
        };
        batch.map_or(value, Value::Tensor)
    }

    /// Finds the tensor whose batch of a step a tensor is.
    pub(super) fn batch_of(&self, batch: TensorId) -> Option<TensorId> {
        let section = self.section.as_ref()?;
        let mut all = section.batches.iter();
        all.find(|(_, one)| **one == batch).map(|(whole, _)| *whole)
    }

    /// Makes the value of `step`, `epoch` or `training`, unless the program defines the name.
    pub(super) fn of_section(&mut self, name: &str, span: &Span) -> Option<Value<'a>> {
        if !is_word(name) {
            return None;
        }
        let open = self.section.as_ref();
        if name == "training" {
            let training = open.is_some_and(|open| open.training && !open.evaluating);
            return Some(Value::Number(f64::from(training)));
        }
        let known = match (open, name) {
            (None, _) => {
                let message = format!("`{name}` has a value only in a section");
                let error = Diagnostic::new(span.clone(), message, "not in a section");
                self.report(error.help("use it among the lines of `train 100 steps:`, or give it a value: `let step = 0`"));
                return Some(Value::Broken);
            }
            (Some(open), "epoch") if open.whole.is_none() => {
                let error =
                    Diagnostic::new(span.clone(), "a section of steps has no epochs", "no epoch");
                self.report(error.help("`step` is the number of the step"));
                return Some(Value::Broken);
            }
            (Some(open), "step") => open.step,
            (Some(open), _) => open.epoch,
        };
        Some(Value::Tensor(match known {
            Some(id) => id,
            None => self.counter(name, span),
        }))
    }

    /// Returns the tensor that holds the number of the step or of the epoch.
    fn counter(&mut self, name: &str, span: &Span) -> TensorId {
        let full = self.unique(name.to_string());
        let id = self.tensor(
            full,
            span,
            Source::Intermediate,
            Shape::default(),
            Tag::Leaf,
        );
        let late = match name {
            "step" => Late::Step,
            _ => Late::Epoch,
        };
        self.filled(id, Function::Constant(0.0), Some(late), Vec::new(), span);
        if let Some(section) = &mut self.section {
            match name {
                "step" => section.step = Some(id),
                _ => section.epoch = Some(id),
            }
        }
        id
    }

    /// Finds the index from outside that a value stands for, if a slice is taken at it.
    pub(super) fn outer_index(&self, value: &Value<'a>) -> Option<&'static str> {
        let (Value::Tensor(id), Some(section)) = (value, &self.section) else {
            return None;
        };
        if section.step == Some(*id) {
            Some("step")
        } else if section.epoch == Some(*id) {
            Some("epoch")
        } else {
            None
        }
    }

    /// Returns the error that a name of a section is already defined above it.
    pub(super) fn new_in_section(&self, name: &Name<'a>, before: &Span) -> Option<Diagnostic> {
        let section = self.section.as_ref()?;
        let here = self.scope == section.scope || section.evaluating;
        here.then(|| {
            Diagnostic::new(
                name.span.clone(),
                format!(
                    "`{}` is defined above and would be new in each step",
                    brief(name.text)
                ),
                "new in each step",
            )
            .other(before.clone(), "defined above")
            .help("use another name here; what goes on from step to step is a `state`")
        })
    }

    /// Reports the uses of tensors that a section must not make, because its steps would then mean something else than
    /// its lines say.
    fn check_section(&mut self, section: &Section) {
        let schedule = section.schedule(&self.program).unwrap_or_default();
        let errors = [
            self.updated_lets(section),
            self.stale_reads(section, &schedule),
            self.early_reads(section, &schedule),
        ];
        for error in errors.into_iter().flatten() {
            self.report(error);
        }
    }
}

/// Replaces the first axis of a closed shape by others.
fn led_shape(shape: &Shape<RowTerm>, axes: &[DimTerm]) -> Shape<RowTerm> {
    let mut shape = shape.clone();
    let flank = match shape.batch.leading.is_empty() {
        true => &mut shape.batch.trailing,
        false => &mut shape.batch.leading,
    };
    flank.splice(0..flank.len().min(1), axes.iter().cloned());
    shape
}
