//! Searches of two kinds: through all choices of some types, and through the programs of the survey.

use lozenge_gradual_vocabulary::Program;
use lozenge_testkit::gradual::smaller;
use lozenge_testkit::minimise::least;

use super::population::survey;
use crate::machinery::{Effort, Finding, Witness};

/// The result of a search: the instances that it decided, and the first that is against the statement.
#[derive(Default)]
pub struct Search {
    instances: u64,
    witness: Option<Witness>,
}

impl Search {
    /// Decides one instance. The text of a contradiction is made only where the statement does not hold.
    pub fn holds(&mut self, holds: bool, witness: impl FnOnce() -> (String, String)) {
        self.instances += 1;
        if !holds && self.witness.is_none() {
            let (text, why) = witness();
            self.witness = Some(Witness::new(text, why));
        }
    }

    /// Returns the finding.
    pub fn over(self, scope: &str) -> Finding {
        Finding::exhaustive(scope, self.instances, self.witness)
    }
}

/// A property of programs, as of the survey.
pub type OfProgram = fn(&Program) -> Option<Result<(), String>>;

/// Decides a property for the programs of the survey. A witness is made minimal.
pub fn on_programs(effort: Effort, property: OfProgram) -> Finding {
    let population = survey(effort);
    let (mut instances, mut first) = (0, None);
    'families: for family in &population.families {
        for unit in 0..family.units() {
            for program in family.instances(unit) {
                match property(&program) {
                    None => {}
                    Some(Ok(())) => instances += 1,
                    Some(Err(_)) => {
                        instances += 1;
                        first = Some(program);
                        break 'families;
                    }
                }
            }
        }
    }
    let fails = |program: &Program| matches!(property(program), Some(Err(_)));
    let witness = first.map(|first| {
        let minimal = least(&first, smaller, |one| Some(fails(one)));
        let why = property(&minimal).and_then(Result::err).unwrap_or_default();
        Witness::new(minimal.to_string().trim_end(), why)
    });
    Finding::exhaustive(population.scope, instances, witness)
}
