//! The operations, sections, data and arithmetic that decide the bits of a run, and their digests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write};

use lozenge_backend::LoopNest;
use lozenge_lang::numpy::Numbers;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Late, Program, Section, Source, Turns};

use super::fnv::Fnv;
use super::identity::Identity;
use super::state::Execution;

impl Execution<'_> {
    /// Returns the identity of the run. It is computed when it is first asked for, since it looks at all data.
    pub(super) fn identity(&self) -> Identity {
        *self.identity.get_or_init(|| {
            let deciding = Deciding::of(self.program);
            Identity {
                program: deciding.program(self.program, self.nests),
                sections: deciding.sections(&self.program.sections),
                data: deciding.data(self.program, &self.data),
                rounding: digest(|text| text.put(&self.device.rounding())),
            }
        })
    }
}

/// The operations and tensors that decide the values of parameters and states.
struct Deciding {
    /// The operations, by their places, in ascending order.
    steps: Vec<usize>,
    /// A number for each tensor, in the order in which the operations name them.
    numbers: BTreeMap<TensorId, usize>,
}

impl Deciding {
    /// Follows the operations backwards from all parameters and states. One pass is enough: what a step of a section
    /// takes from the step before it is a parameter or a state, or is cut from data.
    fn of(program: &Program) -> Deciding {
        let states = program.tensors.iter().enumerate();
        let states = states.filter(|(_, tensor)| matches!(tensor.source, Source::Param(_)));
        let mut needed: BTreeSet<TensorId> = states.map(|(at, _)| TensorId(at)).collect();
        let cuts = || {
            program
                .sections
                .iter()
                .flat_map(|section| section.turns.cuts())
        };
        let mut steps = Vec::new();
        for (at, step) in program.steps.iter().enumerate().rev() {
            let slots = &step.operation.slots;
            if needed.contains(&slots[0]) {
                needed.extend(slots);
                steps.push(at);
            }
            // A batch is a part of the data that is cut.
            for cut in cuts() {
                if needed.contains(&cut.batch) || needed.contains(&cut.batches) {
                    needed.extend([cut.batches, cut.whole]);
                }
            }
        }
        steps.reverse();
        let mut numbers = BTreeMap::new();
        let mut number = |id: TensorId| {
            let next = numbers.len();
            numbers.entry(id).or_insert(next);
        };
        let slots = steps
            .iter()
            .flat_map(|at| &program.steps[*at].operation.slots);
        slots.copied().for_each(&mut number);
        needed.into_iter().for_each(&mut number);
        Deciding { steps, numbers }
    }

    /// Returns the digest of the operations.
    fn program(&self, program: &Program, nests: &[LoopNest]) -> u64 {
        digest(|text| {
            for at in &self.steps {
                let (step, nest) = (&program.steps[*at], &nests[*at]);
                text.put(&self.moment(program, *at));
                text.put(&(
                    nest.accumulator(),
                    nest.function(),
                    nest.initial(),
                    nest.write(),
                ));
                // The names of loops are for readers. A product of sizes stands in the function, and names its rows by
                // numbers that other lines shift.
                let loops = nest.factors().iter();
                text.put(
                    &loops
                        .map(|loop_| (loop_.size, loop_.reduced))
                        .collect::<Vec<_>>(),
                );
                let late = step.late.as_deref();
                text.put(&late.filter(|late| !matches!(late, Late::Product(_))));
                for (id, slot) in step.operation.slots.iter().zip(nest.slots()) {
                    text.put(&(self.numbers[id], &slot.map, &slot.sizes, &slot.guarded));
                }
            }
            for id in self.numbers.keys() {
                match &program[*id].source {
                    Source::Param(parameter) => {
                        text.put(&(self.numbers[id], &program[*id].name, parameter));
                    }
                    Source::Constant(value) => text.put(&(self.numbers[id], value.to_bits())),
                    Source::Data(_) | Source::Intermediate => {}
                }
            }
        })
    }

    /// Returns the section in which an operation runs, whether it does so after each epoch, and whether it computes
    /// first values.
    fn moment(&self, program: &Program, at: usize) -> (Option<usize>, bool, bool) {
        let section = program
            .sections
            .iter()
            .position(|section| section.steps.contains(&at));
        let is_evaluated = section.is_some_and(|section| {
            let parts = &program.sections[section].evaluations;
            parts.iter().any(|part| part.steps.contains(&at))
        });
        let is_first = program.firsts.iter().any(|first| first.steps.contains(&at));
        (section, is_evaluated, is_first)
    }

    /// Returns the digest of the sections. Their numbers of epochs are left out: a run may go on for longer.
    fn sections(&self, sections: &[Section]) -> u64 {
        digest(|text| {
            for Section {
                turns, training, ..
            } in sections
            {
                text.put(training);
                match turns {
                    Turns::Steps(steps) => text.put(steps),
                    Turns::Epochs {
                        batch,
                        batches,
                        left_over,
                        shuffled,
                        cuts,
                        ..
                    } => {
                        text.put(&(batch, batches, left_over, shuffled));
                        let cuts = cuts.iter().filter_map(|cut| self.numbers.get(&cut.batch));
                        text.put(&cuts.collect::<Vec<_>>());
                    }
                }
            }
        })
    }

    /// Returns the digest of the data.
    fn data(&self, program: &Program, data: &BTreeMap<TensorId, Numbers<'_>>) -> u64 {
        digest(|text| {
            for (id, values) in data.iter().filter(|(id, _)| self.numbers.contains_key(id)) {
                text.put(&program[*id].name);
                match values {
                    Numbers::Single(values) => values
                        .iter()
                        .for_each(|value| text.bytes(&value.to_le_bytes())),
                    Numbers::Double(values) => values
                        .iter()
                        .for_each(|value| text.bytes(&value.to_le_bytes())),
                }
            }
        })
    }
}

/// Returns the digest of everything that is put into it.
fn digest(put: impl FnOnce(&mut Digest)) -> u64 {
    let mut digest = Digest(Fnv::default());
    put(&mut digest);
    digest.0.sum()
}

/// A digest that takes values in the form in which they are shown to programmers.
struct Digest(Fnv);

impl Digest {
    /// Adds a value.
    fn put(&mut self, value: &dyn Debug) {
        // A digest refuses nothing.
        let _ = writeln!(self, "{value:?}");
    }

    /// Adds bytes.
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.add(bytes);
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.add(text.as_bytes());
        Ok(())
    }
}
