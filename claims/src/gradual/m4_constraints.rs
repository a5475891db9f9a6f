//! Constraints and their solutions (Figs. 4 and 5, Appendix E, Theorem 4.1).

use lozenge_gradual_spec::constraints::{self, Solution, Translation, TypeVariable, solutions};
use lozenge_gradual_spec::migration::{migrations, with_annotations};
use lozenge_gradual_spec::relations::{context, precise};
use lozenge_gradual_spec::typing::{Calculus, PRINTED, REPAIRED, Reading};
use lozenge_gradual_spec::universe::Universe;
use lozenge_gradual_vocabulary::{Dimension, Expression, Program, Type};

use super::searching::on_programs;
use super::typed::Typed;
use crate::machinery::{Check, Claim, Effort, Finding};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Typed>]] = &[
    &[
        Claim::new(
            "Thm. 4.1",
            "For all P: (Mig(P), ⊑) and (Sol(Gen(P)), ≤) are order-isomorphic, by the map that annotates the declarations of P by a solution.",
            &[Check::Search(as_printed)],
        )
        .repaired(
            "The same for the repaired rules and the repaired translation of constraints, where a bound on ranks holds of migrations as of solutions, and φ ≤ φ' compares the \
             types of declarations and expressions, but not those that apply-broadcasting makes.",
            &[Check::Search(as_repaired)],
        ),
        Claim::new(
            "Def. 2",
            "The order-isomorphism holds for ≤ as defined: pointwise ⊑ on all of the domain, for the repaired rules and translation.",
            &[Check::Search(over_the_whole_domain)],
        )
        .repaired(
            "It holds where φ ≤ φ' compares the types of declarations and expressions.",
            &[Check::Search(as_repaired)],
        ),
        Claim::new(
            "Thm. 12(ii)",
            "A solution of the repaired constraints is determined by its types of the declarations.",
            &[Check::Search(determined)],
        ),
    ],
    &[
        Claim::new(
            "App. E(i)",
            "The constraint |v| ≤ 4 says that v is Dyn or has a rank from 1 to 4; with it the solutions are the migrations whose ranks are at most 4.",
            &[Check::Search(ranks)],
        )
        .repaired(
            "The same with the ranks from 0 to 4.",
            &[Check::Search(of_variables)],
        ),
        Claim::new(
            "App. E(ii)",
            "The translation of [[e]] = ⟨e1⟩ ⊔* ⟨e2⟩ has the solutions of the constraint. The cases of the ranks are joined by \"for all\".",
            &[Check::Search(bounds)],
        )
        .repaired(
            "The same with a case for some rank.",
            &[Check::Search(of_additions)],
        ),
        Claim::new(
            "App. E(iii)",
            "The translation of can-reshape to a target without Dyn has the solutions of the type rule.",
            &[Check::Search(to_static_targets)],
        )
        .repaired(
            "The same with equal products where the source has no Dyn, at each rank.",
            &[Check::Search(of_static_targets)],
        ),
        Claim::new(
            "App. E(iv)",
            "The translation of can-reshape to a target with one Dyn has the solutions of the type rule.",
            &[Check::Search(to_open_targets)],
        )
        .repaired(
            "The same where the product of the target divides that of the source, and no number of the target is 0.",
            &[Check::Search(of_open_targets)],
        ),
        Claim::new(
            "App. E(v)",
            "The translation of calc-conv has the solutions of the function: ((ζ - 1)·(κ[0] - 1) - 1) + 1 for the third and the fourth entry.",
            &[Check::Search(convolved)],
        )
        .repaired(
            "The same with ζ - (κ[i] - 1), which is not 0.",
            &[Check::Search(of_convolutions)],
        ),
        Claim::new(
            "App. E(vi)",
            "The translation of apply-broadcasting has the solutions of the function.",
            &[Check::Search(broadcast)],
        )
        .repaired(
            "The same where an entry that is 1 becomes the other one, also Dyn, and an entry that is not 1 stays.",
            &[Check::Search(of_additions)],
        ),
    ],
    &[
        Claim::new(
            "§4(i)",
            "Satisfiability of constraints without mod is decidable and NP-complete; with mod its status is unknown.",
            &[Check::Nothing(
                "it is about a class of formulas and not about an instance; no bound on ranks or sizes is needed by the native procedure, which answers unknown \
                 where products remain",
            )],
        ),
        Claim::new(
            "§4(ii)",
            "Of the 50 operations of the tool only Reshape, View and Flatten need constraints with mod.",
            &[Check::Nothing(
                "it is about the tool of the paper and not about the calculus, which has three operations",
            )],
        ),
    ],
];

/// Two sets of rules, and the measure by which their solutions are compared.
struct Comparison<'c> {
    calculus: &'static Calculus,
    reading: Reading,
    translation: &'c Translation,
    /// True if the order of solutions compares the types that apply-broadcasting makes.
    compares_sides: bool,
    /// True if a solution has to give the types of the rules to expressions.
    compares_types: bool,
}

/// The most expressions of a program whose constraints are solved, and the most dimensions of its annotations that are
/// open.
const EXPRESSIONS: usize = 4;
const OPEN: usize = 3;

/// Returns the annotations that are tried.
fn universe() -> Universe {
    Universe::new(2, [1, 2])
}

/// Tells whether a program has few enough migrations in the universe.
fn is_small(program: &Program) -> bool {
    let open = |of: &Type| match of {
        Type::Dyn => 2,
        Type::Tensor(entries) => entries.iter().filter(|one| **one == Dimension::Dyn).count(),
    };
    let is_listed = |one: &Expression| match one {
        Expression::Reshape { target, .. } => target.rank().is_some_and(|rank| rank <= 4),
        Expression::If { .. } => false,
        _ => true,
    };
    let ranks = program
        .declarations
        .iter()
        .filter_map(|one| one.annotation.rank());
    program.body.expressions().len() <= EXPRESSIONS
        && program.body.expressions().iter().all(is_listed)
        && ranks.max().unwrap_or(0) <= 4
        && program.restrictions.is_empty()
        && program
            .declarations
            .iter()
            .map(|one| open(&one.annotation))
            .sum::<usize>()
            <= OPEN
}

/// Returns the types that a solution gives to the declarations.
fn declared(program: &Program, solution: &Solution) -> Vec<Type> {
    let places = 0..program.declarations.len();
    places
        .map(|at| solution[&TypeVariable::Declared(at)].clone())
        .collect()
}

fn words(types: &[Type]) -> String {
    let types: Vec<String> = types.iter().map(ToString::to_string).collect();
    types.join(", ")
}

/// Compares the migrations of a program with the solutions of its constraints.
fn isomorphic(by: &Comparison<'_>, program: &Program) -> Option<Result<(), String>> {
    if !is_small(program) {
        return None;
    }
    let universe = universe();
    let found = migrations(by.calculus, &by.reading, &universe, program);
    let solved = solutions(by.translation, by.reading.modulo_zero, &universe, program)?;
    let annotations = |one: &Program| {
        one.declarations
            .iter()
            .map(|one| one.annotation.clone())
            .collect()
    };
    let of_migrations: Vec<Vec<Type>> = found.iter().map(annotations).collect();
    let solved: Vec<(Vec<Type>, &Solution)> = solved
        .iter()
        .map(|one| (declared(program, one), one))
        .collect();
    let wrong = not_bijective(&solved, &of_migrations)
        .or_else(|| {
            let mut all = solved.iter().filter(|_| by.compares_types);
            all.find_map(|(types, one)| mistyped(by, program, one, types))
        })
        .or_else(|| not_ordered(by, &solved));
    Some(wrong.map_or(Ok(()), Err))
}

/// Returns why solutions and migrations are not one for one.
fn not_bijective(solved: &[(Vec<Type>, &Solution)], migrations: &[Vec<Type>]) -> Option<String> {
    let mut solutions = solved.iter().map(|(types, _)| types);
    if let Some(types) = solutions.find(|types| !migrations.contains(types)) {
        return Some(format!(
            "a solution annotates {}, and that is no migration",
            words(types)
        ));
    }
    migrations.iter().find_map(|types| {
        let with = solved.iter().filter(|(own, _)| own == types).count();
        match with {
            0 => Some(format!(
                "no solution annotates {}, which is a migration",
                words(types)
            )),
            1 => None,
            _ => Some(format!("{with} solutions annotate {}", words(types))),
        }
    })
}

/// Returns two solutions that are not in the order of their annotations.
fn not_ordered(by: &Comparison<'_>, solved: &[(Vec<Type>, &Solution)]) -> Option<String> {
    let mut pairs = solved
        .iter()
        .flat_map(|less| solved.iter().map(move |more| (less, more)));
    pairs.find_map(|((less, low), (more, high))| {
        let annotations = less.iter().zip(more).all(|(less, more)| precise(less, more));
        let words = |is: bool, order: &str| format!("are {}{order}", if is { "" } else { "not " });
        (annotations != is_below(by, low, high)).then(|| {
            format!(
                "of the solutions that annotate {} and {}, the annotations {}, and the solutions {}",
                self::words(less),
                self::words(more),
                words(annotations, "⊑"),
                words(!annotations, "≤")
            )
        })
    })
}

/// Returns an expression to which a solution gives another type than the rules.
fn mistyped(
    by: &Comparison<'_>,
    program: &Program,
    solution: &Solution,
    annotations: &[Type],
) -> Option<String> {
    let annotated = with_annotations(program, annotations.to_vec());
    let context = context(&annotated.declarations)?;
    let types = by.calculus.types(&by.reading, &context, &annotated.body);
    annotated
        .body
        .iter()
        .zip(types)
        .find_map(|((at, _), types)| {
            let found = solution.get(&TypeVariable::Of(at))?;
            let wrong = !types.contains(found);
            wrong.then(|| {
                format!(
                    "a solution gives {} the type {found}, which the rules do not give it",
                    annotated.body.part(at)
                )
            })
        })
}

/// Says whether `φ ≤ φ'`
fn is_below(by: &Comparison<'_>, less: &Solution, more: &Solution) -> bool {
    let is_side = |of: &TypeVariable| matches!(of, TypeVariable::Left(_) | TypeVariable::Right(_));
    less.iter().all(|(variable, of)| {
        (!by.compares_sides && is_side(variable))
            || more.get(variable).is_some_and(|more| precise(of, more))
    })
}

/// Compares migrations and solutions under the repaired rules and a translation of which one rule may be the printed
/// one.
fn corresponds(translation: &Translation, program: &Program) -> Option<Result<(), String>> {
    let by = Comparison {
        calculus: &REPAIRED,
        reading: Reading::ALL[0],
        translation,
        compares_sides: false,
        compares_types: true,
    };
    isomorphic(&by, program)
}

fn as_printed(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let by = Comparison {
            calculus: &PRINTED,
            reading: Reading::ALL[0],
            translation: &constraints::PRINTED,
            compares_sides: true,
            compares_types: false,
        };
        isomorphic(&by, program)
    })
}

fn as_repaired(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        corresponds(&constraints::REPAIRED, program)
    })
}

/// Compares under the repaired rules, for programs that have such an expression.
fn repaired_of(program: &Program, is_such: fn(&Expression) -> bool) -> Option<Result<(), String>> {
    let mut expressions = program.body.expressions().iter();
    match expressions.any(is_such) {
        true => corresponds(&constraints::REPAIRED, program),
        false => None,
    }
}

fn of_variables(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let is_alone = program.body.expressions().len() == 1;
        is_alone.then(|| corresponds(&constraints::REPAIRED, program))?
    })
}

fn of_additions(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        repaired_of(program, |one| matches!(one, Expression::Add(..)))
    })
}

fn of_convolutions(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        repaired_of(program, |one| matches!(one, Expression::Conv2d { .. }))
    })
}

fn of_static_targets(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        repaired_of(
            program,
            |one| matches!(one, Expression::Reshape { target, .. } if target.is_static()),
        )
    })
}

fn of_open_targets(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        repaired_of(
            program,
            |one| matches!(one, Expression::Reshape { target, .. } if !target.is_static()),
        )
    })
}

fn over_the_whole_domain(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let by = Comparison {
            calculus: &REPAIRED,
            reading: Reading::ALL[0],
            translation: &constraints::REPAIRED,
            compares_sides: true,
            compares_types: false,
        };
        isomorphic(&by, program)
    })
}

fn determined(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        if !is_small(program) {
            return None;
        }
        let solved = solutions(
            &constraints::REPAIRED,
            Reading::ALL[0].modulo_zero,
            &universe(),
            program,
        )?;
        let mut types: Vec<Vec<Type>> = solved.iter().map(|one| declared(program, one)).collect();
        types.sort();
        let twice = types.windows(2).find(|pair| pair[0] == pair[1]);
        Some(twice.map_or(Ok(()), |twice| {
            Err(format!("two solutions have the types {:?}", twice[0]))
        }))
    })
}

fn ranks(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let translation = Translation {
            ranks: constraints::PRINTED.ranks,
            ..constraints::REPAIRED
        };
        corresponds(&translation, program)
    })
}

fn bounds(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let translation = Translation {
            bound_for_all_ranks: true,
            ..constraints::REPAIRED
        };
        corresponds(&translation, program)
    })
}

fn to_static_targets(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let translation = Translation {
            can_reshape_static: constraints::PRINTED.can_reshape_static,
            ..constraints::REPAIRED
        };
        corresponds(&translation, program)
    })
}

fn to_open_targets(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let translation = Translation {
            can_reshape_open: constraints::PRINTED.can_reshape_open,
            ..constraints::REPAIRED
        };
        corresponds(&translation, program)
    })
}

fn convolved(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let translation = Translation {
            convolved_entry: constraints::PRINTED.convolved_entry,
            ..constraints::REPAIRED
        };
        corresponds(&translation, program)
    })
}

fn broadcast(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let translation = Translation {
            broadcast_entry: constraints::PRINTED.broadcast_entry,
            ..constraints::REPAIRED
        };
        corresponds(&translation, program)
    })
}
