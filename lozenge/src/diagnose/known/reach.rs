//! The reach of a mistake: the rows that could be otherwise once the operations that contradict the others are fixed.

use std::collections::{HashMap, HashSet};

use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Program, Source};
use lozenge_vocabulary::{DimTerm, RowTerm, Var};

use super::{is_on_batches, stated};

/// The rows that constraints connect with operations that were retracted, and the tensors whose shapes come only from
/// operations that were not.
pub(crate) struct Reach {
    parents: Vec<usize>,
    ids: HashMap<Var, usize>,
    touched: HashSet<usize>,
    certain: Vec<bool>,
}

/// An operation that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Retracted {
    pub step: usize,
    /// True if its requirements on batch rows stayed.
    pub only_rows: bool,
}

impl Reach {
    /// Returns the reach of the operations that were retracted, in the order of the program.
    pub(crate) fn new(program: &Program, retracted: &[Retracted]) -> Reach {
        let mut reach = Reach {
            parents: Vec::new(),
            ids: HashMap::new(),
            touched: HashSet::new(),
            certain: certain(program, retracted),
        };
        if retracted.is_empty() {
            return reach;
        }
        for step in 0..program.steps.len() {
            for constraint in stated(program, step) {
                reach.unite(constraint.vars());
            }
        }
        for one in retracted {
            let operation = &program.steps[one.step].operation;
            let constraints = stated(program, one.step);
            let stated = operation.requirements.iter().zip(constraints);
            let left_out =
                stated.filter(|(requirement, _)| !(one.only_rows && is_on_batches(requirement)));
            for var in left_out.flat_map(|(_, constraint)| constraint.vars()) {
                let class = reach.class(var);
                reach.touched.insert(class);
            }
        }
        reach
    }

    /// Returns the reach of no operation at all: every shape is known.
    pub(crate) fn of_nothing(program: &Program) -> Reach {
        Reach {
            parents: Vec::new(),
            ids: HashMap::new(),
            touched: HashSet::new(),
            certain: vec![true; program.tensors.len()],
        }
    }

    /// Tells whether a row is connected with an operation that was retracted.
    pub(crate) fn reaches(&mut self, row: &RowTerm) -> bool {
        let vars: Vec<Var> = variables(row).collect();
        vars.iter().any(|var| self.touches(var))
    }

    /// Tells whether a variable is connected with an operation that was retracted.
    pub(crate) fn touches(&mut self, var: &Var) -> bool {
        let class = self.class(var.clone());
        self.touched.contains(&class)
    }

    /// Tells whether the shape of a tensor follows from operations that were not retracted, from above: an interior
    /// tensor closes at its top, so that nothing that is done with it changes its shape.
    pub(crate) fn is_certain(&self, tensor: TensorId) -> bool {
        self.certain.get(tensor.0).copied().unwrap_or_default()
    }

    fn class(&mut self, var: Var) -> usize {
        let next = self.parents.len();
        let mut id = *self.ids.entry(var).or_insert(next);
        if id == next {
            self.parents.push(next);
        }
        while self.parents[id] != id {
            self.parents[id] = self.parents[self.parents[id]];
            id = self.parents[id];
        }
        id
    }

    fn unite(&mut self, vars: impl IntoIterator<Item = Var>) {
        let mut first = None;
        for var in vars {
            let class = self.class(var);
            let root = *first.get_or_insert(class);
            self.parents[class] = root;
        }
    }
}

/// Returns the variables of a row term.
fn variables(row: &RowTerm) -> impl Iterator<Item = Var> {
    let axes = row.axes().filter_map(DimTerm::var);
    axes.chain(row.var.iter().cloned().map(Var::Row))
}

/// Returns, for each tensor, whether it is computed from written shapes alone, by operations that were not retracted.
fn certain(program: &Program, retracted: &[Retracted]) -> Vec<bool> {
    let closed = |row: &RowTerm| variables(row).next().is_none();
    let given = program.tensors.iter().map(|tensor| {
        let computed = matches!(tensor.source, Source::Intermediate);
        computed
            || Kind::ALL
                .into_iter()
                .all(|kind| closed(tensor.shape.row(kind)))
    });
    let mut certain: Vec<bool> = given.collect();
    // A later update may concern what an earlier operation reads.
    for _ in 0..2 {
        let mut retracted = retracted.iter().peekable();
        for (at, step) in program.steps.iter().enumerate() {
            let left_out = retracted.next_if(|next| next.step == at).is_some();
            let slots = &step.operation.slots;
            let follows = !left_out
                && step.late.is_none()
                && step.record.is_none()
                && slots[1..].iter().all(|slot| certain[slot.0]);
            certain[slots[0].0] &= follows;
        }
    }
    certain
}
