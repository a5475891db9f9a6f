//! The check that the numbers in a program refer to its own tensors, operations and slots. A program that was read from
//! a text is always right; one that is put together by hand may have a number of another program.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::{Program, Source, Values};
use crate::operation::{Operation, Requirement, Side, TensorId};

/// A number in a program that refers to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Foreign {
    /// The part of the program in which the number is, such as `operation 3`.
    pub place: String,
    /// The mistake, such as `there is no tensor 7: there are 5, from 0`.
    pub message: String,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Foreign {}

/// The number of things of one kind in a program.
#[derive(Clone, Copy)]
struct Counted {
    what: &'static str,
    count: usize,
}

impl Counted {
    fn of(what: &'static str, count: usize) -> Counted {
        Counted { what, count }
    }

    fn has(self, number: usize, place: impl FnOnce() -> String) -> Result<(), Foreign> {
        let Counted { what, count } = self;
        match number < count {
            true => Ok(()),
            false => Err(Foreign {
                place: place(),
                message: format!("there is no {what} {number}: there are {count}, from 0"),
            }),
        }
    }

    /// Checks that the numbers of a range are in ascending order, not below `from`, and all there.
    fn has_range(
        self,
        range: &Range<usize>,
        from: usize,
        place: impl FnOnce() -> String,
    ) -> Result<(), Foreign> {
        let Counted { what, count } = self;
        match from <= range.start && range.start <= range.end && range.end <= count {
            true => Ok(()),
            false => Err(Foreign {
                place: place(),
                message: format!(
                    "{range:?} are no {what}s here: they are a part of {from}..{count}"
                ),
            }),
        }
    }
}

impl Operation {
    /// Returns a slot that a requirement, or the choice of a region, mentions and the operation does not have. An
    /// operation has at least slot 0.
    pub fn foreign_slot(&self) -> Option<usize> {
        let side = |side: &Side| match side {
            Side::Slot(slot, _) => Some(*slot),
            Side::Template(_) => None,
        };
        let mentioned = self.requirements.iter().flat_map(|stated| match stated {
            Requirement::Equal(left, right) | Requirement::Below(left, right) => {
                [side(left), side(right)]
            }
            Requirement::Template(_) => [None, None],
        });
        let mut all = std::iter::once(0)
            .chain(mentioned.flatten())
            .chain(self.region().unread.iter().copied());
        all.find(|slot| *slot >= self.slots.len())
    }
}

impl Program {
    /// Checks that every number in the program refers to one of its own tensors, operations, slots, calls or requests.
    ///
    /// # Errors
    /// The first number that refers to nothing.
    pub fn check(&self) -> Result<(), Foreign> {
        let tensors = Counted::of("tensor", self.tensors.len());
        let tensor = |id: TensorId, place: &dyn Fn() -> String| tensors.has(id.0, place);
        for (at, one) in self.tensors.iter().enumerate() {
            if let Source::Data(Values::Batches(whole)) = &one.source {
                tensor(*whole, &|| format!("tensor {at}"))?;
            }
        }
        for at in 0..self.steps.len() {
            self.check_operation(at)?;
        }
        let calls = Counted::of("call", self.calls.len());
        for (at, call) in self.calls.iter().enumerate() {
            if let Some(outer) = call.within {
                calls.has(outer, || format!("call {at}"))?;
            }
        }
        let steps = Counted::of("operation", self.steps.len());
        for (at, one) in self.predefined.iter().enumerate() {
            let place = || format!("predefined call {at}");
            if let Some(outer) = one.call {
                calls.has(outer, place)?;
            }
            steps.has_range(&one.steps, 0, place)?;
            for (argument, _) in &one.arguments {
                tensor(*argument, &place)?;
            }
        }
        for (at, (loss, _)) in self.losses.iter().enumerate() {
            tensor(*loss, &|| format!("loss {at}"))?;
        }
        for (at, request) in self.requests.iter().enumerate() {
            tensor(request.tensor, &|| format!("request {at}"))?;
        }
        for (at, first) in self.firsts.iter().enumerate() {
            let place = || format!("first value {at}");
            tensor(first.tensor, &place)?;
            steps.has_range(&first.steps, 0, place)?;
        }
        self.check_sections()
    }

    /// Checks the numbers in one operation, by its place in [`Program::steps`].
    ///
    /// # Errors
    /// The first number that refers to nothing.
    pub fn check_operation(&self, at: usize) -> Result<(), Foreign> {
        let place = || format!("operation {at}");
        let Some(step) = self.steps.get(at) else {
            return Counted::of("operation", self.steps.len()).has(at, || "the program".into());
        };
        let slots = Counted::of("slot", step.operation.slots.len());
        if let Some(slot) = step.operation.foreign_slot() {
            slots.has(slot, place)?;
        }
        let tensors = Counted::of("tensor", self.tensors.len());
        for id in &step.operation.slots {
            tensors.has(id.0, place)?;
        }
        // A place in the text for each slot.
        let spans = Counted::of("slot", step.slot_spans.len());
        spans.has(step.operation.slots.len() - 1, || {
            format!("the list of the places of operation {at}")
        })?;
        if let Some(call) = step.call {
            let calls = Counted::of("call", self.calls.len());
            calls.has(call, place)?;
        }
        let Some(record) = &step.record else {
            return Ok(());
        };
        // The loop nest of the other operation is built before this one.
        let before = Counted::of("operation", at);
        let of_record = || format!("the record of operation {at}");
        before.has(record.step, of_record)?;
        let forward = self.steps[record.step].operation.slots.len();
        for slot in &record.slots {
            Counted::of("slot", forward).has(*slot, of_record)?;
        }
        Ok(())
    }

    /// Sections follow one another, and an evaluation is a part of its section.
    fn check_sections(&self) -> Result<(), Foreign> {
        let tensors = Counted::of("tensor", self.tensors.len());
        let (mut steps, mut requests) = (0, 0);
        for (at, section) in self.sections.iter().enumerate() {
            let place = || format!("section {at}");
            let all_steps = Counted::of("operation", self.steps.len());
            let all_requests = Counted::of("request", self.requests.len());
            all_steps.has_range(&section.steps, steps, place)?;
            all_requests.has_range(&section.requests, requests, place)?;
            (steps, requests) = (section.steps.end, section.requests.end);
            for evaluation in &section.evaluations {
                let place = || format!("an evaluation of section {at}");
                all_steps.has_range(&evaluation.steps, 0, place)?;
                all_requests.has_range(&evaluation.requests, 0, place)?;
            }
            for cut in section.turns.cuts() {
                for id in [cut.whole, cut.batches, cut.batch] {
                    tensors.has(id.0, place)?;
                }
            }
        }
        Ok(())
    }
}
