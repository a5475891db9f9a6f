//! Sets of equations of shapes as instances of claims, and the searches that the claims share.

use std::time::Duration;

use arbitrary::Unstructured;
use lozenge_axon_oracle::{Bounds, Enumerated, enumerate};
use lozenge_axon_solver::Solver;
use lozenge_axon_spec::{End, Options, Reading, run};
use lozenge_axon_vocabulary::{
    Assignment, Decide, DimNode, Equation, Satisfiable, Set, Simplified,
};
use lozenge_testkit::equations::smaller;
use lozenge_testkit::generate::appended::appended;
use lozenge_testkit::generate::bytes;
use lozenge_testkit::minimise::least;

use crate::machinery::{Effort, Finding, Population, Subject, Witness};

/// A set under one reading of the printed rules.
pub struct AxonCase {
    set: Set,
    reading: Lists,
}

/// The printed rules in one reading of a list: it is no append, or it is an append with nothing before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lists(Reading);

impl std::fmt::Display for Lists {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Reading::Literal => "the printed rules",
            Reading::Unit => "the printed rules, a list being an append with nothing before it",
        })
    }
}

impl Subject for AxonCase {
    type Instance = Set;
    type Rules = Lists;

    const RULES: &'static [Lists] = &[Lists(Reading::Literal), Lists(Reading::Unit)];

    fn new(instance: Set) -> AxonCase {
        AxonCase {
            set: instance,
            reading: Lists(Reading::Literal),
        }
    }

    fn under(&self, rules: Lists) -> AxonCase {
        AxonCase {
            set: self.set.clone(),
            reading: rules,
        }
    }

    fn instance(&self) -> &Set {
        &self.set
    }

    fn shared_time(&self) -> Duration {
        Duration::ZERO
    }

    fn outcome(&self) -> String {
        printed(&self.set, self.reading.0)
    }

    fn smaller(instance: &Set) -> Vec<Set> {
        smaller(instance)
    }
}

/// Returns no instances: each check has its own search.
pub fn no_survey(_: Effort) -> Population<Set> {
    Population {
        families: Vec::new(),
        scope: "nothing".to_string(),
    }
}

/// Returns how the printed rules end, those that fail first.
pub fn printed(set: &Set, reading: Reading) -> String {
    let options = Options {
        reading,
        ..Options::default()
    };
    let mut set = set.clone();
    match run(&mut set, &options).end {
        End::Fail(rule) => format!("FAIL by {rule}"),
        End::Solved => "solved".to_string(),
        End::Stuck => "no rule matches what is left".to_string(),
        End::NoFixedPoint => "no end".to_string(),
    }
}

/// Returns a set that is written in the source code. A text that cannot be read gives the empty set, of which nothing
/// is found.
pub fn read(text: &str) -> Set {
    text.parse().unwrap_or_default()
}

/// The values that are tried.
const BOUNDS: Bounds = Bounds {
    rank: 2,
    size: 4,
    tries: 1 << 14,
};

/// Returns the solutions of some equations within small ranks and sizes; none if there are too many values to be tried.
pub fn solutions(set: &Set, equations: &[Equation]) -> Option<Vec<Assignment>> {
    let Enumerated {
        solutions,
        is_complete,
    } = enumerate(&set.pool, equations, &BOUNDS, 1 << 10);
    (is_complete && solutions.len() < 1 << 10).then_some(solutions)
}

/// Tells whether a dimension of a set is ragged.
pub fn has_ragged(set: &Set) -> bool {
    let dims = set.equations.iter().flat_map(Equation::dims);
    let parts = set.pool.with_parts(dims);
    parts
        .into_iter()
        .any(|part| matches!(set.pool.node(part), DimNode::Ragged(_)))
}

/// Returns the verdict of the native procedure, with the reason for `unknown`.
pub fn native(set: &Set) -> Result<bool, String> {
    let mut set = set.clone();
    match Solver::default().simplify(&mut set.pool, &set.equations) {
        Simplified::Unsatisfiable { .. } => Ok(false),
        Simplified::TooLarge(error) => Err(error.to_string()),
        Simplified::Solved { satisfiable, .. } => match satisfiable {
            Satisfiable::Yes(_) => Ok(true),
            Satisfiable::Unknown(why) => Err(why),
        },
    }
}

/// Tries a property on random sets, and makes the first one smaller that is against it. Sets to which it does not apply
/// are not counted.
pub fn sampled(
    effort: Effort,
    known: &[&str],
    property: impl Fn(&Set) -> Option<Result<(), String>>,
) -> Finding {
    let count = match effort {
        Effort::Quick => 500,
        Effort::Full => 4_000,
        Effort::Long => 100_000,
    };
    let drawn = (0..count).map(|index| {
        let data = bytes(11, index, 160);
        appended(&mut Unstructured::new(&data)).unwrap_or_default()
    });
    let mut decided = 0;
    let mut against = None;
    for set in known.iter().map(|text| read(text)).chain(drawn) {
        match property(&set) {
            None => {}
            Some(Ok(())) => decided += 1,
            Some(Err(_)) => {
                decided += 1;
                against = Some(set);
                break;
            }
        }
    }
    let witness = against.map(|set| {
        let is_against = |set: &Set| Some(matches!(property(set), Some(Err(_))));
        let least = least(&set, smaller, is_against);
        let why = match property(&least) {
            Some(Err(why)) => why,
            _ => String::new(),
        };
        Witness::new(least.to_string().trim_end(), why)
    });
    let scope = format!(
        "{count} random sets of one to four equations; solutions of ranks up to {} and sizes up to {}",
        BOUNDS.rank, BOUNDS.size
    );
    Finding::sampled(scope, decided, witness)
}

/// Returns the finding about one set that a statement is about: it is as the statement says, or this is against it.
pub fn one(text: &str, result: Result<(), String>) -> Finding {
    let witness = result.err().map(|why| Witness::new(text, why));
    Finding::exhaustive("the set that the statement is about", 1, witness)
}
