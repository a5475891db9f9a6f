//! R3: a row of a parameter was closed to no axes, and nothing in the program determines that it has none.
//!
//! A row without axes is determined by a written row, or by a closed row of a tensor that depends on data and not on
//! the parameter, if constraints connect it with the parameter's row through row variables.

use std::collections::{HashMap, HashSet};

use lozenge_lang::{Diagnostic, Help};
use lozenge_vocabulary::operation::{Kind, Requirement, Side, TensorId};
use lozenge_vocabulary::program::{Family, Program, Source, Tensor};
use lozenge_vocabulary::{RowTerm, RowVar};

use crate::diagnose::conflict::undetermined::propose;
use crate::diagnose::fix::instance;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;
use crate::infer::Shapes;
use crate::options::MAX_REFUSALS;

/// Returns the messages about parameters with these shapes. Only rows that `concerns` accepts are looked at.
pub(crate) fn check(
    text: Text<'_>,
    shapes: &Shapes,
    concerns: &mut dyn FnMut((TensorId, Kind)) -> bool,
) -> Vec<Proposed> {
    let program = text.program;
    let open = |id: usize, kind: Kind| {
        let row = program.tensors[id].shape.row(kind);
        row.var.is_some() && shapes[id].row(kind).rank() == 0
    };
    let params = (0..program.tensors.len())
        .filter(|id| matches!(program.tensors[*id].source, Source::Param(_)));
    let mut in_question = params.filter(|id| open(*id, Kind::Output) || open(*id, Kind::Input));
    if in_question.next().is_none() {
        return Vec::new();
    }
    let mut connected = Connected::new(program);
    let mut problems = Vec::new();
    let mut propagated = 0;
    for (id, tensor) in program.tensors.iter().enumerate() {
        if !matches!(tensor.source, Source::Param(_)) || problems.len() == MAX_REFUSALS {
            continue;
        }
        let mut dependent = None;
        let kinds = [Kind::Output, Kind::Input].into_iter();
        for kind in kinds.filter(|kind| open(id, *kind)) {
            let (written, results) = connected.anchors(tensor.shape.row(kind));
            if written || !concerns((TensorId(id), kind)) {
                continue;
            }
            // Finding the tensors that depend on a parameter takes a pass over the program, so it is done for few
            // parameters only.
            if propagated > 4 * MAX_REFUSALS {
                break;
            }
            let depends = dependent.get_or_insert_with(|| {
                propagated += 1;
                depends_on(program, TensorId(id))
            });
            if !results
                .iter()
                .any(|result| !depends[result.0] && connected.on_data[result.0])
            {
                problems.push(message(text, shapes, TensorId(id), kind));
                break;
            }
        }
    }
    problems
}

fn message(text: Text<'_>, shapes: &Shapes, id: TensorId, kind: Kind) -> Proposed {
    let tensor = &text.program[id];
    let headline = format!("nothing says which {}s `{}` has", kind.word(), tensor.name);
    let label = match instance::maker(text, id) {
        Some(layer) => format!("no axes would be taken; `{layer}` made it"),
        None => "no axes would be taken".to_string(),
    };
    let mut diagnostic = Diagnostic::new(tensor.span.clone(), headline, label);
    let use_of = text
        .program
        .steps
        .iter()
        .find(|step| step.operation.slots[1..].contains(&id));
    if let Some(step) = use_of {
        let result = &text.program[step.operation.slots[0]];
        let made = match result.name.contains('\'') {
            true => "this".to_string(),
            false => format!("`{}`", result.name),
        };
        diagnostic = diagnostic.other(
            step.span.clone(),
            format!("{made} has as many as `{}`", tensor.name),
        );
    }
    let number = Help {
        text: format!("a number is written `{} : ->`", text.declared(id)),
        edits: text.shape_edit(id, "->"),
    };
    let rows = |tensor: TensorId, kind: Kind| shapes[tensor.0].row(kind).clone();
    let proposed = propose(diagnostic.into(), text, (id, kind), None, &rows);
    if !text.is_declared(id) {
        return proposed;
    }
    match (use_of, is_state(tensor)) {
        (Some(_), false) => proposed.or(number.text, number.edits),
        // A state in which a program counts or averages is a number more often than not.
        (Some(_), true) => Proposed {
            candidates: Vec::new(),
            ..proposed.clone()
        }
        .or(number.text, number.edits)
        .or_all(proposed.candidates),
        (None, _) => {
            let before = match text.is_mentioned(id) {
                true => "",
                false => "no line uses it; ",
            };
            Proposed::from(proposed.diagnostic).or(format!("{before}{}", number.text), number.edits)
        }
    }
}

fn is_state(tensor: &Tensor) -> bool {
    matches!(tensor.source, Source::Param(parameter) if parameter.state)
}

/// Classes of rows that the constraints connect, and the closed rows with which they are related.
struct Connected {
    parents: Vec<usize>,
    vars: HashMap<RowVar, usize>,
    /// True for a class that is related to a row of data, or to one that is written in a shape or in the spec of an
    /// operand.
    written: Vec<bool>,
    /// The tensors whose rows are closed by the spec of a result, for each class.
    results: Vec<Vec<TensorId>>,
    /// True for a tensor that depends on data.
    on_data: Vec<bool>,
    /// The tensors that hold the batch of data of a step: their rows are those of data.
    batches: HashSet<TensorId>,
}

impl Connected {
    fn new(program: &Program) -> Connected {
        let mut connected = Connected {
            parents: Vec::new(),
            vars: HashMap::new(),
            written: Vec::new(),
            results: Vec::new(),
            batches: program
                .sections
                .iter()
                .flat_map(|section| section.turns.batches())
                .collect(),
            on_data: program
                .tensors
                .iter()
                .map(|tensor| matches!(tensor.source, Source::Data(_)))
                .collect(),
        };
        for step in &program.steps {
            let slots = &step.operation.slots;
            if slots[1..].iter().any(|slot| connected.on_data[slot.0]) {
                connected.on_data[slots[0].0] = true;
            }
            for requirement in step.operation.requirements.iter() {
                if let Requirement::Equal(left, right) | Requirement::Below(left, right) =
                    requirement
                {
                    let spec = step.logic == Family::Einsum;
                    connected.connect(program, slots, spec, [left, right]);
                }
            }
        }
        connected
    }

    fn connect(&mut self, program: &Program, slots: &[TensorId], spec: bool, sides: [&Side; 2]) {
        let rows = sides.map(|side| match side {
            Side::Slot(slot, kind) => program[slots[*slot]].shape.row(*kind),
            Side::Template(row) => row,
        });
        match (&rows[0].var, &rows[1].var) {
            (Some(left), Some(right)) => {
                let (left, right) = (self.class(left), self.class(right));
                self.unite(left, right);
            }
            (Some(var), None) => self.meets(program, slots, spec, var, sides),
            (None, Some(var)) => self.meets(program, slots, spec, var, [sides[1], sides[0]]),
            (None, None) => {}
        }
    }

    /// Records that a row variable is related to a closed row, the second of `sides`.
    fn meets(
        &mut self,
        program: &Program,
        slots: &[TensorId],
        spec: bool,
        var: &RowVar,
        sides: [&Side; 2],
    ) {
        let class = self.class(var);
        match sides {
            [_, Side::Slot(slot, _)] => {
                let id = slots[*slot];
                let source = &program[id].source;
                self.written[class] |= matches!(source, Source::Data(_) | Source::Param(_))
                    || self.batches.contains(&id);
            }
            // The spec of an update states the rows of the parameter that is updated.
            [Side::Slot(0, _), Side::Template(_)]
                if spec && !matches!(program[slots[0]].source, Source::Param(_)) =>
            {
                self.results[class].push(slots[0]);
            }
            [_, Side::Template(_)] => self.written[class] = true,
        }
    }

    fn class(&mut self, var: &RowVar) -> usize {
        if let Some(id) = self.vars.get(var) {
            return self.root(*id);
        }
        let id = self.parents.len();
        self.vars.insert(var.clone(), id);
        self.parents.push(id);
        self.written.push(false);
        self.results.push(Vec::new());
        id
    }

    fn root(&mut self, mut id: usize) -> usize {
        while self.parents[id] != id {
            self.parents[id] = self.parents[self.parents[id]];
            id = self.parents[id];
        }
        id
    }

    fn unite(&mut self, left: usize, right: usize) {
        if left == right {
            return;
        }
        // The shorter list is moved into the longer one.
        let (from, into) = match self.results[left].len() > self.results[right].len() {
            true => (right, left),
            false => (left, right),
        };
        self.parents[from] = into;
        self.written[into] |= self.written[from];
        let moved = std::mem::take(&mut self.results[from]);
        self.results[into].extend(moved);
    }

    /// Returns the closed rows related to the class of a row: whether there is data or a written row, and the closed
    /// results.
    fn anchors(&mut self, row: &RowTerm) -> (bool, Vec<TensorId>) {
        match &row.var {
            Some(var) => {
                let class = self.class(var);
                (self.written[class], self.results[class].clone())
            }
            None => (true, Vec::new()),
        }
    }
}

/// Returns, for each tensor, whether it depends on a parameter.
fn depends_on(program: &Program, parameter: TensorId) -> Vec<bool> {
    let mut depends = vec![false; program.tensors.len()];
    depends[parameter.0] = true;
    for step in &program.steps {
        let slots = &step.operation.slots;
        if slots[1..].iter().any(|slot| depends[slot.0]) {
            depends[slots[0].0] = true;
        }
    }
    depends
}
