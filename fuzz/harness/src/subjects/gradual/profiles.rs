//! `gradual_profiles`: a program at one rank of each input. The native procedure is held against Z3, which is asked about all sizes of these ranks; an input that it
//! finds is run.

use std::sync::Arc;

use lozenge_gradual_oracle::{Answer, Limits, runs};
use lozenge_gradual_solver::{Migration, Options, Verdict};
use lozenge_gradual_spec::universe::choices;
use lozenge_gradual_vocabulary::{Condition, Declaration, Program, Quantity, Relation, Sum};

use super::native::{conditions, graph};
use super::standing::{Standing, shown};
use super::transcribed::replayed;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The largest rank of an input that is declared with none.
const RANK: usize = 4;

/// Compares.
pub fn profiles(program: &Program, _: &mut Parties) -> Option<Comparison> {
    let graph = Arc::new(graph(program)?);
    let ranks = profile(program)?;
    let mut asked = conditions(program);
    let declarations = program.declarations.iter().zip(&ranks);
    asked.extend(declarations.map(|(declaration, rank)| Condition {
        left: Sum::of(Quantity::Rank(declaration.name.clone())),
        relation: Relation::Equal,
        right: Sum::number(i128::try_from(*rank).unwrap_or(0)),
    }));
    let options = Options {
        conditions: asked,
        ..Options::default()
    };
    let found = Migration::of(graph, &options);
    let by_z3 = runs(program, &ranks, Limits::default());
    let wrong = |what: &str, z3: String| {
        let wrong = Disagreement::new(what)
            .answered("the ranks", format!("{ranks:?}"))
            .answered("oracle", z3)
            .answered("solver", format!("{:?}: {:?}", found.verdict, found.limits));
        Outcome::from(wrong)
    };
    let outcome = match (&by_z3, found.verdict) {
        (Answer::Holds(input), verdict) => match (replayed(program, input), verdict) {
            (Err(why), _) => wrong("an input that Z3 finds does not run", why),
            (Ok(()), Verdict::Unsat) => wrong("ranks that have a run are refused", shown(input)),
            (Ok(()), Verdict::Unknown) => left_open(&found),
            (Ok(()), Verdict::Sat) => Outcome::Agree,
        },
        (Answer::Never, Verdict::Sat) => {
            wrong("ranks that have no run are admitted", "never".to_string())
        }
        (Answer::Never, Verdict::Unknown) => left_open(&found),
        (Answer::Never, Verdict::Unsat) => Outcome::Agree,
        (Answer::Unknown(words), _) => Outcome::Unknown(format!("oracle: {words}")),
    };
    let standing = Standing {
        runs: match by_z3 {
            Answer::Holds(_) => Some(true),
            Answer::Never => Some(false),
            Answer::Unknown(_) => None,
        },
        ..Standing::default()
    };
    Some(Comparison {
        outcome,
        useful: program.body.expressions().len() > 1,
        answer: crate::subject::Answer::word(&standing),
    })
}

/// Returns the outcome where the native procedure does not decide, with the limits that it reached.
fn left_open(found: &Migration) -> Outcome {
    Outcome::Unknown(format!("solver: {}", found.limits.join("; ")))
}

/// Chooses one of the profiles of a program, by its text.
fn profile(program: &Program) -> Option<Vec<usize>> {
    let ranks = |declaration: &Declaration| match declaration.annotation.rank() {
        Some(rank) => vec![rank],
        None => (0..=RANK).collect(),
    };
    let all: Vec<Vec<usize>> = choices(&program.declarations, ranks);
    let text = program.to_string();
    let number = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let count = u64::try_from(all.len()).ok().filter(|count| *count > 0)?;
    let place = usize::try_from((number >> 16) % count).ok()?;
    all.into_iter().nth(place)
}
