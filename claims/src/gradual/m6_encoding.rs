//! The encoding of constraints for Z3 and the two algorithms that use it (§4, §5).

use std::collections::BTreeSet;

use lozenge_gradual_oracle::{Limits, ModuloZero, Question, Text, Typed as Answer, typed};
use lozenge_gradual_spec::constraints::{self, Translation, TypeVariable, solutions};
use lozenge_gradual_spec::migration::with_annotations;
use lozenge_gradual_spec::operations;
use lozenge_gradual_spec::relations::context;
use lozenge_gradual_spec::typing::{self, Calculus, PRINTED, REPAIRED, Reading};
use lozenge_gradual_spec::universe::Universe;
use lozenge_gradual_vocabulary::{Dimension, Expression, Program, Type};

use super::searching::{Search, on_programs};
use super::typed::Typed;
use crate::machinery::{Check, Claim, Effort, Finding};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Typed>]] = &[
    &[
        Claim::new(
            "Enc",
            "The encoding for Z3, with a constructor for Dyn and one for each rank from 1 to 4, and a pair of a flag and a number for a dimension, has a solution iff \
             the constraints have one, for the constraints as printed.",
            &[Check::Search(encoded_from_rank_1)],
        )
        .repaired(
            "The same with a constructor for rank 0, for the constraints as printed and as repaired; the types of the declarations in the solution of Z3 are those of \
             a solution of the constraints.",
            &[Check::Search(encoded)],
        ),
    ],
    &[
        Claim::new(
            "Alg. 1",
            "A program that is annotated by a solution of its constraints is ok.",
            &[Check::Search(annotated_as_printed)],
        )
        .repaired(
            "The same for the repaired rules and constraints.",
            &[Check::Search(annotated_as_repaired)],
        ),
        Claim::new(
            "Alg. 2",
            "If C ∧ ¬c has no solution the conditional is replaced by its first branch, and if C ∧ c has none by its second; then some input takes the branch \
             that is left.",
            &[Check::Search(eliminated)],
        )
        .repaired(
            "The same where C, what runs before the condition, has a solution.",
            &[Check::Search(eliminated_where_something_runs)],
        ),
    ],
];

/// The readings that Z3 is asked in.
const READING: Reading = Reading {
    at_least_one: typing::Occurrence::Union,
    modulo_zero: typing::ModuloZero::ForZero,
};

/// Lists the types that declarations may have, beside their annotations and what is more precise.
fn universe() -> Universe {
    Universe::new(2, [1, 2])
}

/// Lists the types of each declaration, as `solutions` tries them.
fn tried(program: &Program) -> Vec<Vec<Type>> {
    let universe = universe();
    let declarations = program.declarations.iter();
    let types = declarations.map(|declaration| {
        let mut types = universe.types();
        types.extend(universe.migrations(&declaration.annotation));
        types
    });
    types.collect()
}

/// Returns whether a program is small enough for the solutions of its constraints to be listed: annotations and
/// targets have three entries together, or those
/// of an image.
fn is_small(program: &Program) -> bool {
    let expressions = program.body.expressions();
    let is_listed = |one: &Expression| match one {
        Expression::Reshape { target, .. } => target.rank().is_some_and(|rank| rank <= 4),
        Expression::If { .. } => false,
        _ => true,
    };
    let ranks = program.declarations.iter();
    let ranks = ranks.filter_map(|one| one.annotation.rank());
    let targets = expressions.iter().map(|one| match one {
        Expression::Reshape { target, .. } => target.rank().unwrap_or(0),
        _ => 0,
    });
    let images = expressions
        .iter()
        .any(|one| matches!(one, Expression::Conv2d { .. }));
    let most = match images {
        true => 4,
        false => 3,
    };
    expressions.len() <= 4
        && expressions.iter().all(is_listed)
        && ranks.chain(targets).sum::<usize>() <= most
}

/// Asks Z3 for a solution whose declarations have types that are tried; nothing where it reached a limit.
fn asked(program: &Program, text: Text, least_rank: u64) -> Option<Option<Vec<Type>>> {
    let within = tried(program);
    let question = Question {
        text,
        modulo_zero: ModuloZero::ForZero,
        least_rank,
        within: Some(&within),
    };
    match typed(program, &question, Limits::default()) {
        Answer::Annotated(types) => Some(Some(types)),
        Answer::Never => Some(None),
        Answer::Unknown(_) | Answer::NoRule => None,
    }
}

/// Compares the answer of Z3 with the solutions that are listed.
fn compared(program: &Program, text: Text, least_rank: u64) -> Option<Result<(), String>> {
    if !is_small(program) {
        return None;
    }
    let translation = match text {
        Text::Printed => &constraints::PRINTED,
        Text::Repaired => &constraints::REPAIRED,
    };
    let found = solutions(translation, READING.modulo_zero, &universe(), program)?;
    let by_z3 = asked(program, text, least_rank)?;
    let declared = |place: usize| TypeVariable::Declared(place);
    Some(match by_z3 {
        None => match found.iter().next() {
            None => Ok(()),
            Some(_) => {
                Err("the constraints have a solution, and the encoding has none".to_string())
            }
        },
        Some(types) => {
            let is_one = found.iter().any(|solution| {
                let mut places = types.iter().enumerate();
                places.all(|(place, of)| solution.get(&declared(place)) == Some(of))
            });
            match is_one {
                true => Ok(()),
                false => Err(format!(
                    "the encoding has a solution that annotates {}, and the constraints have none",
                    words(&types)
                )),
            }
        }
    })
}

fn words(types: &[Type]) -> String {
    let types: Vec<String> = types.iter().map(ToString::to_string).collect();
    types.join(", ")
}

fn encoded_from_rank_1(effort: Effort) -> Finding {
    on_programs(effort, |program| compared(program, Text::Printed, 1))
}

fn encoded(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let printed = compared(program, Text::Printed, 0)?;
        Some(printed.and(compared(program, Text::Repaired, 0)?))
    })
}

/// Tells whether the rules type the program that each solution annotates.
fn annotated(
    program: &Program,
    calculus: &Calculus,
    translation: &Translation,
) -> Option<Result<(), String>> {
    if !is_small(program) {
        return None;
    }
    let found = solutions(translation, READING.modulo_zero, &universe(), program)?;
    let declarations = 0..program.declarations.len();
    for solution in &found {
        let types = declarations.clone();
        let types: Vec<Type> = types
            .filter_map(|place| solution.get(&TypeVariable::Declared(place)).cloned())
            .collect();
        let annotated = with_annotations(program, types.clone());
        let context = context(&annotated.declarations)?;
        let of_expressions = calculus.types(&READING, &context, &annotated.body);
        if of_expressions.iter().any(BTreeSet::is_empty) {
            let words = words(&types);
            return Some(Err(format!("it is not ok where it is annotated {words}")));
        }
    }
    Some(Ok(()))
}

fn annotated_as_printed(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        annotated(program, &PRINTED, &constraints::PRINTED)
    })
}

fn annotated_as_repaired(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        annotated(program, &REPAIRED, &constraints::REPAIRED)
    })
}

/// Counts the branches that inputs take, by their number: those for which the condition holds, and the others.
fn taken(annotation: &Type, target: &Type, number: u64) -> [usize; 2] {
    let inputs = Universe::new(2, 0..=4).concretisations(annotation);
    let mut counts = [0, 0];
    for shape in inputs {
        if let Some(size) =
            operations::reshape(&shape, target).and_then(|shape| shape.first().copied())
        {
            counts[usize::from(size != number)] += 1;
        }
    }
    counts
}

/// Decides the conditionals on the first size of a reshaped input, those alone to which something comes if that is
/// asked.
fn conditionals(something_runs: bool) -> Finding {
    let dimensions = || (1..=4).map(Dimension::Size).chain([Dimension::Dyn]);
    let vectors = || dimensions().map(|size| Type::Tensor(vec![size]));
    let targets =
        vectors().chain(dimensions().map(|size| Type::Tensor(vec![size, Dimension::Size(2)])));
    let targets: Vec<Type> = targets.collect();
    let mut search = Search::default();
    for annotation in vectors().chain([Type::Dyn]) {
        for target in &targets {
            for number in 1..=4 {
                let [first, second] = taken(&annotation, target, number);
                if something_runs && first + second == 0 {
                    continue;
                }
                // The algorithm looks at the second branch first.
                let left = match (first, second) {
                    (_, 0) => Some(first),
                    (0, _) => Some(second),
                    _ => None,
                };
                search.holds(left != Some(0), || {
                    (
                        format!("x : {annotation}\nreturn if size(reshape(x, {target}))[0] = {number} then x else add(x, x)"),
                        "no input comes to the condition, and the first branch replaces the conditional".to_string(),
                    )
                });
            }
        }
    }
    search.over("all conditionals on the first size of a vector, or of any tensor of rank up to 2 with sizes up to 4, that is reshaped to a vector or a matrix with 2 columns")
}

fn eliminated(_: Effort) -> Finding {
    conditionals(false)
}

fn eliminated_where_something_runs(_: Effort) -> Finding {
    conditionals(true)
}
