//! The operations that made the value of a tensor, and the tensors that they read.

use hashbrown::HashSet;
use std::collections::BinaryHeap;
use std::ops::Range;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Assignment, Program, Source, Span};

use super::Elaboration;
use super::derivative::Read;

/// The operations that write each tensor, in their order. The lists are brought up to date when they are asked for, so
/// that programs without gradients do not pay for it.
#[derive(Default)]
pub(super) struct Writers {
    of: Vec<Vec<usize>>,
    /// The number of operations of the program that are recorded.
    seen: usize,
}

impl Writers {
    pub(super) fn update(&mut self, program: &Program) {
        self.of.resize_with(program.tensors.len(), Vec::new);
        for (at, step) in program.steps.iter().enumerate().skip(self.seen) {
            self.of[step.operation.slots[0].0].push(at);
        }
        self.seen = program.steps.len();
    }

    /// Returns the operations before operation `end` that write a tensor.
    fn before(&self, tensor: TensorId, end: usize) -> &[usize] {
        let all = &self.of[tensor.0];
        &all[..all.partition_point(|at| *at < end)]
    }

    /// Returns the operations from operation `start` on that write a tensor.
    fn from(&self, tensor: TensorId, start: usize) -> &[usize] {
        let all = &self.of[tensor.0];
        &all[all.partition_point(|at| *at < start)..]
    }
}

/// The tensors and operations on which a tensor depends.
pub(super) struct Dependence {
    /// The tensor itself and those on which it depends.
    pub tensors: HashSet<TensorId>,
    /// The operations that made its value, in their order.
    pub steps: Vec<usize>,
}

impl Elaboration<'_, '_> {
    /// Finds the tensors and operations on which a tensor depends. The values with which parameters were filled or
    /// updated do not count. The work is that of the operations that are found, however long the program is. `None` if
    /// it reaches a limit, which is reported.
    pub(super) fn dependence(&mut self, of: TensorId, span: &Span) -> Option<Dependence> {
        self.gradients.writers.update(&self.program);
        let mut found = Dependence {
            tensors: HashSet::new(),
            steps: Vec::new(),
        };
        // The last operation comes first, so that a tensor is found where it is last read.
        let mut open = BinaryHeap::new();
        self.needs(of, usize::MAX, &mut found, &mut open);
        while let Some(at) = open.pop() {
            if !self.works(span) {
                return None;
            }
            found.steps.push(at);
            for operand in 1..self.program.steps[at].operation.slots.len() {
                let tensor = self.program.steps[at].operation.slots[operand];
                self.needs(tensor, at, &mut found, &mut open);
            }
        }
        found.steps.reverse();
        Some(found)
    }

    /// Notes that a tensor is read by operation `at`. The operations that wrote it before are open then.
    fn needs(
        &self,
        tensor: TensorId,
        at: usize,
        found: &mut Dependence,
        open: &mut BinaryHeap<usize>,
    ) {
        let is_made = matches!(self.program[tensor].source, Source::Intermediate);
        if found.tensors.insert(tensor) && is_made {
            open.extend(self.gradients.writers.before(tensor, at));
        }
    }

    /// Finds the operation that has changed a value which operation `at` read or wrote, if there is one.
    pub(super) fn changed_since(&self, at: usize, read: Read) -> Option<usize> {
        let step = &self.program.steps[at];
        let slots = &step.operation.slots;
        match read {
            Read::Gradient | Read::Ties => None,
            // An operation that updates what it reads has changed it.
            Read::Operand(operand) => self
                .gradients
                .writers
                .from(slots[operand + 1], at)
                .first()
                .copied(),
            // The other regions of a statement write other cells of its result.
            Read::Result => {
                let mut later = self
                    .gradients
                    .writers
                    .from(slots[0], at + 1)
                    .iter()
                    .copied();
                later.find(|other| !regions_of_one_statement(step, &self.program.steps[*other]))
            }
        }
    }
}

/// Finds the operations that together make the results of operation `at`: those of the regions of its statement.
pub(super) fn statement_of(program: &Program, at: usize) -> Range<usize> {
    let step = &program.steps[at];
    let is_of_it = |other: &&Assignment| {
        regions_of_one_statement(step, other) && step.operation.slots[0] == other.operation.slots[0]
    };
    let before = program.steps[..at]
        .iter()
        .rev()
        .take_while(is_of_it)
        .count();
    let behind = program.steps[at + 1..].iter().take_while(is_of_it).count();
    at - before..at + 1 + behind
}

/// Tells whether two operations write two regions of the result of one statement.
pub(super) fn regions_of_one_statement(one: &Assignment, other: &Assignment) -> bool {
    let regions = one.operation.region.is_some() && other.operation.region.is_some();
    regions && one.span == other.span && one.call == other.call
}
