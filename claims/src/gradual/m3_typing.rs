//! The type rules and what is said of them (Figs. 3 and 12; Theorems 3.1, 3.2, 12; Lemma 7), and what the paper does
//! not say of them: that a static program which is ok runs, and that a rule accepts what some run accepts.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_gradual_spec::evaluation::{Environment, evaluate};
use lozenge_gradual_spec::lifting::least_approximation;
use lozenge_gradual_spec::migration::with_annotations;
use lozenge_gradual_spec::relations::{context, precise};
use lozenge_gradual_spec::run::run;
use lozenge_gradual_spec::static_typing::{is_static, static_type_of};
use lozenge_gradual_spec::typing::{Reading, convolution_of};
use lozenge_gradual_spec::universe::{Universe, approximations, choices};
use lozenge_gradual_vocabulary::{Dimension, Expression, Program, Type};

use super::searching::Search;
use super::typed::{Rules, Runs, Typed};
use crate::machinery::{Check, Claim, Effort, Finding, Property};

/// Returns the check of a property under the printed rules, in each reading.
const fn printed(property: Property<Typed>) -> [Check<Typed>; 6] {
    let all = Reading::ALL;
    [
        Check::Survey(Rules::Printed(all[0]), property),
        Check::Survey(Rules::Printed(all[1]), property),
        Check::Survey(Rules::Printed(all[2]), property),
        Check::Survey(Rules::Printed(all[3]), property),
        Check::Survey(Rules::Printed(all[4]), property),
        Check::Survey(Rules::Printed(all[5]), property),
    ]
}

/// Returns the checks of a property under the repaired rules.
const fn repaired(property: Property<Typed>) -> [Check<Typed>; 2] {
    [
        Check::Survey(Rules::Repaired, property),
        Check::Sample(Rules::Repaired, property),
    ]
}

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Typed>]] = &[
    &[
        Claim::new(
            "Thm. 3.1",
            "For all p, p': if ⊢ p : ok and p' ⊑ p then ⊢ p' : ok.",
            &printed(monotone),
        )
        .repaired(
            "The same under the repaired rules.",
            &repaired(monotone),
        ),
        Claim::new(
            "Thm. D.1",
            "For all p, p', Γ: if Γ ⊢ p : ok and p' ⊑ p then Γ ⊢ p' : ok.",
            &printed(monotone),
        )
        .repaired(
            "The same under the repaired rules.",
            &repaired(monotone),
        ),
        Claim::new(
            "Lemma 7",
            "Suppose Γ ⊢ e : τ. Then for Γ' ⊑ Γ: Γ' ⊢ e : τ' with τ' ⊑ τ.",
            &printed(types_are_monotone),
        )
        .repaired(
            "The same under the repaired rules.",
            &repaired(types_are_monotone),
        ),
        Claim::new(
            "Thm. 3.2",
            "For all static p: ⊢st p : ok iff ⊢ p : ok.",
            &printed(conservative),
        ),
        Claim::new(
            "Thm. 13",
            "For all static Γ, p: Γ ⊢st p : ok iff Γ ⊢ p : ok.",
            &printed(conservative),
        ),
        Claim::new(
            "Thm. 12",
            "Gradual tensor types are unique.",
            &printed(unique),
        ),
    ],
    &[
        Claim::new(
            "§2(i)",
            "The migration space of an ill-typed program is empty.",
            &printed(ill_typed_is_empty),
        )
        .repaired(
            "The same under the repaired rules.",
            &repaired(ill_typed_is_empty),
        ),
        Claim::new(
            "§2(ii)",
            "The migration space of a well-typed program contains the program itself.",
            &printed(well_typed_is_inside),
        ),
        Claim::new(
            "Listing 2",
            "The program of Listing 2 is typable and has no static migration, and its second dimension alone has to stay Dyn.",
            &[Check::Search(listing_2)],
        ),
    ],
    &[
        Claim::new(
            "Snd",
            "If p is static and ⊢st p : ok, then p evaluates with E = 0 in each environment of its annotations.",
            &printed(static_runs),
        )
        .repaired(
            "If p is static and ok by the repaired rules, then it runs by PyTorch's operations for inputs of the shapes of its annotations, to a tensor of its \
             type.",
            &repaired(static_runs_repaired),
        ),
        Claim::new(
            "Opt",
            "An application of one operator to inputs, the target of a `reshape` being a list of dimensions, is ok exactly if it runs by PyTorch's operations for some inputs of which its annotations say nothing wrong.",
            &printed(accepts_some_run),
        )
        .repaired(
            "The same under the repaired rules; and the type is right of each such run.",
            &repaired(accepts_some_run),
        ),
        Claim::new(
            "Opt(add)",
            "The type of an `add` of inputs is the least upper approximation of the shapes of its runs.",
            &[Check::Survey(Rules::Printed(Reading::ALL[0]), least_of_addition)],
        ),
    ],
];

fn annotations(program: &Program) -> Vec<Type> {
    program
        .declarations
        .iter()
        .map(|one| one.annotation.clone())
        .collect()
}

fn types_in_words(program: &Program) -> String {
    let declarations = program.declarations.iter();
    let declarations: Vec<String> = declarations.map(ToString::to_string).collect();
    declarations.join(", ")
}

/// The most programs that are less precise, which only random programs have more of.
const MOST: usize = 256;

/// Returns every program that is at most as precise, the least precise first.
fn less_precise(program: &Program) -> impl Iterator<Item = Program> + '_ {
    let choices = choices(&annotations(program), approximations);
    choices
        .into_iter()
        .map(|types| with_annotations(program, types))
        .take(MOST)
}

fn monotone(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    if !typed.accepts(program) {
        return None;
    }
    let lost = less_precise(program).find(|less| !typed.accepts(less));
    Some(lost.map_or(Ok(()), |less| {
        Err(format!(
            "it is ok, and with {} it is not",
            types_in_words(&less)
        ))
    }))
}

fn types_are_monotone(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    let of = typed.type_of(program)?;
    for less in less_precise(program) {
        let found = typed.type_of(&less);
        if !found.as_ref().is_some_and(|found| precise(found, &of)) {
            let found = found.map_or("no type".to_string(), |found| found.to_string());
            let with = types_in_words(&less);
            return Some(Err(format!("e : {of}, and with {with} it has {found}")));
        }
    }
    Some(Ok(()))
}

fn conservative(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable().filter(|program| is_static(program))?;
    let (alone, gradual) = (static_type_of(program), typed.type_of(program));
    Some(match alone == gradual {
        true => Ok(()),
        false => Err(format!(
            "statically its type is {alone:?}, and gradually {gradual:?}"
        )),
    })
}

fn unique(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    let context = context(&program.declarations)?;
    let rules = typed.rules();
    let types = rules
        .calculus()
        .types(&rules.reading(), &context, &program.body);
    let several = types.iter().find(|types| types.len() > 1);
    Some(several.map_or(Ok(()), |several| {
        Err(format!("an expression has the types {several:?}"))
    }))
}

/// Returns the annotations of a small universe that are at least as precise.
fn more_precise(program: &Program) -> Vec<Program> {
    let universe = Universe::new(2, [0, 1, 2, 3]);
    let open = |of: &Type| match of {
        Type::Dyn => 3,
        Type::Tensor(entries) => entries.iter().filter(|one| **one == Dimension::Dyn).count(),
    };
    // The rest would take too long, and what is found is found here.
    if annotations(program).iter().map(open).sum::<usize>() > 4 {
        return Vec::new();
    }
    lozenge_gradual_spec::migration::annotated(&universe, program)
}

fn ill_typed_is_empty(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    if typed.accepts(program) {
        return None;
    }
    let inside = more_precise(program)
        .into_iter()
        .find(|more| typed.accepts(more));
    Some(inside.map_or(Ok(()), |more| {
        Err(format!(
            "it is ill-typed, and {} is a migration",
            types_in_words(&more)
        ))
    }))
}

fn well_typed_is_inside(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    if !typed.accepts(program) {
        return None;
    }
    let itself = lozenge_gradual_spec::relations::precise_programs(program, program);
    Some(
        itself
            .then_some(())
            .ok_or_else(|| "it is not below itself".to_string()),
    )
}

/// Reads a committed program.
fn committed(text: &str) -> Program {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn listing_2(_: Effort) -> Finding {
    let program =
        committed("x : [?, ?, ?, ?]\nreturn add(conv2d(2, 1, (1, 1), x), conv2d(4, 1, (1, 1), x))");
    let universe = Universe::new(4, 0..=4);
    let mut search = Search::default();
    for rules in <Typed as crate::machinery::Subject>::RULES {
        let (calculus, reading) = (rules.calculus(), rules.reading());
        let found =
            lozenge_gradual_spec::migration::migrations(calculus, &reading, &universe, &program);
        let at = |at: usize| {
            let of = |one: &Program| {
                one.declarations[0]
                    .annotation
                    .dimensions()
                    .map(|all| all[at])
            };
            found.iter().filter_map(of).collect::<Vec<_>>()
        };
        let may_be_known = [0, 2, 3]
            .iter()
            .all(|axis| at(*axis).iter().any(|one| *one != Dimension::Dyn));
        let stays = at(1).iter().all(|one| *one == Dimension::Dyn);
        search.holds(!found.is_empty() && stays && may_be_known, || {
            (
                program.to_string(),
                format!("under the rules {rules} it has {} migrations", found.len()),
            )
        });
    }
    search.over("all annotations of rank 4 with sizes 0 to 4, under all readings of the rules and the repaired ones")
}

/// Returns the inputs of a static program.
fn inputs(program: &Program) -> Option<Environment<'_>> {
    let declarations = program.declarations.iter();
    let shapes = declarations.map(|one| Some((one.name.as_str(), one.annotation.shape()?)));
    shapes.collect()
}

fn static_runs(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable().filter(|program| is_static(program))?;
    let of = static_type_of(program)?;
    let result = evaluate(&inputs(program)?, &program.body);
    Some(match result {
        Some(result) if !result.failed => Ok(()),
        Some(_) => Err(format!("its type is {of}, and E = 1")),
        None => Err(format!("its type is {of}, and no rule applies")),
    })
}

fn static_runs_repaired(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable().filter(|program| is_static(program))?;
    let of = typed.type_of(program)?;
    let result = run(&inputs(program)?, &program.body);
    Some(match result {
        Ok(shape) if Type::of_shape(&shape) == of => Ok(()),
        other => Err(format!("its type is {of}, and it runs to {other:?}")),
    })
}

/// Returns the shapes of the runs of one operator applied to inputs, for inputs of all ranks and sizes that tell its
/// results apart.
fn runs_of_one(program: &Program) -> Runs {
    let expressions = program.body.expressions();
    let operators = expressions.iter().filter(|one| !one.parts().is_empty());
    let is_list = |one: &Expression| {
        !matches!(
            one,
            Expression::Reshape {
                target: Type::Dyn,
                ..
            }
        )
    };
    if operators.count() != 1
        || !program.restrictions.is_empty()
        || !expressions.iter().all(is_list)
    {
        return None;
    }
    let is_convolution = |one: &Expression| matches!(one, Expression::Conv2d { .. });
    let product = expressions.iter().filter_map(target_product).max();
    let mut sizes: BTreeSet<u64> = (0..=4).collect();
    // A source of `reshape` has the number of elements of the target, or a divisor of it in one axis.
    sizes.extend(product.iter().flat_map(|product| divisors(*product)));
    for with in expressions.iter().filter_map(convolution_of) {
        sizes.extend(with.kernel.iter().chain([&with.in_channels]));
    }
    let ranks = program
        .declarations
        .iter()
        .filter_map(|one| one.annotation.rank());
    let rank = match (product, expressions.iter().any(is_convolution)) {
        // Rank 1 has every number of elements.
        (Some(_), _) => 1,
        (None, true) => 4,
        // A sum has as many axes as the tensor that has more.
        (None, false) => ranks.max().unwrap_or(0) + 1,
    };
    let universe = Universe::new(rank, sizes);
    let each = choices(&annotations(program), |of| universe.concretisations(of));
    let names = program.declarations.iter().map(|one| one.name.as_str());
    let shapes = each.into_iter().filter_map(|shapes| {
        let input: BTreeMap<&str, Vec<u64>> = names.clone().zip(shapes).collect();
        run(&input, &program.body).ok()
    });
    Some(shapes.collect())
}

fn target_product(one: &Expression) -> Option<u64> {
    let Expression::Reshape { target, .. } = one else {
        return None;
    };
    let sizes = target.dimensions().unwrap_or_default().iter();
    sizes
        .filter_map(|one| one.size())
        .try_fold(1u64, |product, size| product.checked_mul(size))
}

fn divisors(of: u64) -> impl Iterator<Item = u64> {
    (1..=of).filter(move |by| of.is_multiple_of(*by))
}

fn accepts_some_run(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    let runs = typed.runs(runs_of_one).as_ref()?;
    Some(match (typed.type_of(program), runs.first()) {
        (Some(of), None) => Err(format!("it is ok, of type {of}, and never runs")),
        (None, Some(shape)) => Err(format!("it is ill-typed, and runs to {shape:?}")),
        (None, None) => Ok(()),
        (Some(of), Some(_)) => {
            let wrong = runs
                .iter()
                .find(|shape| !precise(&of, &Type::of_shape(shape)));
            wrong.map_or(Ok(()), |shape| {
                Err(format!("its type is {of}, and it runs to {shape:?}"))
            })
        }
    })
}

fn least_of_addition(typed: &Typed) -> Option<Result<(), String>> {
    let program = typed.typable()?;
    let adds = |one: &Expression| matches!(one, Expression::Add(..));
    // Of two equal inputs that are one, the runs know more than the rule, which sees two types.
    if !program.body.expressions().iter().any(adds) || program.declarations.len() < 2 {
        return None;
    }
    let mut used: Vec<&Expression> = program.body.expressions().iter().collect();
    used.dedup();
    if used.len() < 3 {
        return None;
    }
    let least = least_approximation(typed.runs(runs_of_one).clone()?);
    let found = typed.type_of(program);
    Some(match found == least {
        true => Ok(()),
        false => Err(format!("its type is {found:?}, and the least is {least:?}")),
    })
}
