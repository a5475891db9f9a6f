//! `gradual_types`: the repaired type rules of a program, held against its runs, its migrations, and the solutions of
//! its constraints.

use std::collections::BTreeMap;

use lozenge_gradual_spec::constraints::{self, TypeVariable, solutions};
use lozenge_gradual_spec::migration::migrations;
use lozenge_gradual_spec::relations::{context, precise, precise_programs};
use lozenge_gradual_spec::run::{is_allowed, run_all};
use lozenge_gradual_spec::typing::{PRINTED, REPAIRED, Reading, Rule, convolution_of};
use lozenge_gradual_spec::universe::Universe;
use lozenge_gradual_vocabulary::{Expression, ExpressionId, Program, Type};

use super::standing::{Standing, shown};
use super::transcribed::{count_of, has_conditional, inputs, named};
use crate::features::Features;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The reading of the rules. The repaired rules are the same in each.
const READING: &Reading = &Reading::ALL[0];

/// The most inputs of a program that are run.
const INPUTS: u128 = 2_000;

/// The most expressions and types of a program whose constraints are solved by enumeration.
const EXPRESSIONS: usize = 4;
const TYPES: u128 = 60;

/// Compares. The paper has no type rule for a conditional.
pub fn types(program: &Program, _: &mut Parties) -> Option<Comparison> {
    let typable = !has_conditional(&program.body) && REPAIRED.accepts(READING, program);
    let outcome = match has_conditional(&program.body) {
        true => Ok(()),
        false => against_runs(program, typable).and_then(|()| against_migrations(program, typable)),
    };
    let standing = Standing {
        typable: Some(typable),
        ..Standing::default()
    };
    Some(Comparison {
        outcome: outcome.map_or_else(Outcome::from, |()| Outcome::Agree),
        useful: !program.body.expressions().is_empty(),
        answer: crate::subject::Answer::word(&standing),
    })
}

/// Checks that every run has shapes of which the types say nothing wrong, and a program that is refused has no run.
fn against_runs(program: &Program, typable: bool) -> Result<(), Disagreement> {
    let sizes = [(4, 0..=2u64), (3, 0..=3), (2, 0..=3), (1, 0..=3)];
    let mut universes = sizes
        .map(|(rank, sizes)| Universe::new(rank, sizes))
        .into_iter();
    let Some(universe) = universes.find(|one| count_of(one, program) <= INPUTS) else {
        return Ok(());
    };
    let Some(context) = context(&program.declarations) else {
        return Ok(());
    };
    let types = REPAIRED.types(READING, &context, &program.body);
    for shapes in inputs(&universe, program) {
        let input = named(program, &shapes);
        if !is_allowed(program, &input) {
            continue;
        }
        let ran = run_all(&input, &program.body);
        let input = || {
            shown(
                &input
                    .iter()
                    .map(|(name, shape)| ((*name).to_string(), shape.clone()))
                    .collect(),
            )
        };
        if !typable && ran.last().is_some_and(Result::is_ok) {
            let refused = Disagreement::new("a program that runs is refused by the type rules");
            return Err(refused.answered("the input", input()));
        }
        for ((at, _), (ran, types)) in program.body.iter().zip(ran.iter().zip(&types)) {
            let Ok(shape) = ran else { continue };
            let says_wrong = |one: &Type| !precise(one, &Type::of_shape(shape));
            if types.is_empty() || types.iter().any(says_wrong) {
                return Err(
                    Disagreement::new("a run has a shape that the types exclude")
                        .answered("the expression", program.body.part(at))
                        .answered("the run", format!("{shape:?} for {}", input()))
                        .answered("the types", format!("{types:?}")),
                );
            }
        }
    }
    Ok(())
}

/// Checks that the migrations of a program have it as the least, if it is one, and correspond to the solutions of its
/// constraints.
fn against_migrations(program: &Program, typable: bool) -> Result<(), Disagreement> {
    if program.body.expressions().len() > EXPRESSIONS {
        return Ok(());
    }
    let Some(universe) = small_universe(program) else {
        return Ok(());
    };
    let found = migrations(&REPAIRED, READING, &universe, program);
    if typable == found.is_empty()
        || typable && found.iter().any(|one| !precise_programs(program, one))
    {
        let wrong = Disagreement::new("the migrations do not have the program as their least");
        return Err(wrong
            .answered("migrations", found.len())
            .answered("typable", typable));
    }
    let translation = constraints::Translation {
        ranks: 0..=largest_rank(program, &universe),
        ..constraints::REPAIRED
    };
    let Some(solved) = solutions(&translation, READING.modulo_zero, &universe, program) else {
        return Ok(());
    };
    let annotated = |one: &Program| -> Vec<Type> {
        one.declarations
            .iter()
            .map(|d| d.annotation.clone())
            .collect()
    };
    let mut of_solutions: BTreeMap<Vec<Type>, usize> = BTreeMap::new();
    for solution in &solved {
        let types =
            (0..program.declarations.len()).map(|at| solution[&TypeVariable::Declared(at)].clone());
        *of_solutions.entry(types.collect()).or_default() += 1;
    }
    let missing = found
        .iter()
        .map(annotated)
        .find(|types| of_solutions.remove(types) != Some(1));
    let wrong = Disagreement::new("migrations and solutions do not correspond");
    match (missing, of_solutions.pop_first()) {
        (None, None) => Ok(()),
        (Some(types), _) => {
            Err(wrong.answered("a migration without one solution", format!("{types:?}")))
        }
        (None, Some((types, _))) => {
            Err(wrong.answered("a solution without a migration", format!("{types:?}")))
        }
    }
}

/// Returns the largest of some universes in which a program has few annotations.
fn small_universe(program: &Program) -> Option<Universe> {
    let mut universes = [4usize, 2, 1]
        .into_iter()
        .map(|rank| Universe::new(rank, [1, 2]));
    universes.find(|one| {
        let with_dyn = Universe::new(one.rank, 0..=one.sizes.len() as u64);
        count_of(&with_dyn, program) <= TYPES
    })
}

/// Returns the largest rank of a type in a program, which the constraints need a case for.
fn largest_rank(program: &Program, universe: &Universe) -> usize {
    let targets = program
        .body
        .expressions()
        .iter()
        .filter_map(|one| match one {
            Expression::Reshape { target, .. } => target.rank(),
            _ => None,
        });
    let declared = program
        .declarations
        .iter()
        .filter_map(|one| one.annotation.rank());
    targets
        .chain(declared)
        .chain([universe.rank, 4])
        .max()
        .unwrap_or(4)
}

/// Returns the names of the type rules, as printed.
pub(super) fn rules() -> Vec<&'static str> {
    let reshape = PRINTED.reshape.iter().map(|rule| rule.name);
    let convolution = PRINTED.convolution.iter().map(|rule| rule.name);
    let addition = PRINTED.addition.iter().map(|rule| rule.name);
    reshape.chain(convolution).chain(addition).collect()
}

/// Returns the printed type rules that conclude something about the expressions of a program, each behind its parts.
pub(super) fn features(program: &Program) -> Features {
    let mut features = Features::default();
    let Some(context) = context(&program.declarations) else {
        return features;
    };
    let types = PRINTED.types(READING, &context, &program.body);
    let least = |at: &ExpressionId| types[at.index()].first().cloned();
    for expression in program.body.expressions() {
        match expression {
            Expression::Reshape { of, target } => {
                let reads = least(of).map(|of| (of, target.clone()));
                features.fired.extend(concluding(PRINTED.reshape, reads));
            }
            Expression::Conv2d { of, .. } => {
                let reads = least(of).zip(convolution_of(expression));
                features
                    .fired
                    .extend(concluding(PRINTED.convolution, reads));
            }
            Expression::Add(left, right) => {
                let reads = least(left).zip(least(right));
                features.fired.extend(concluding(PRINTED.addition, reads));
            }
            Expression::Variable(_) => {}
            Expression::If { .. } => features.others.push("a conditional".to_string()),
        }
    }
    features
}

/// Returns the names of the rules that conclude something from what they read.
fn concluding<Reads>(rules: &[Rule<Reads>], reads: Option<Reads>) -> Vec<&'static str> {
    let Some(reads) = reads else {
        return Vec::new();
    };
    let concluding = rules
        .iter()
        .filter(|rule| (rule.conclude)(READING, &reads).is_some());
    concluding.map(|rule| rule.name).collect()
}
