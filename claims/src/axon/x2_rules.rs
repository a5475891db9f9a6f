//! The meaning that the rules of §5 are meant to keep, for each rule and for the algorithm.

use lozenge_axon_spec::{
    Constraint, Constraints, End, Options, Outcome, Reading, Rule, Strategy, explore, run,
};
use lozenge_axon_vocabulary::{Assignment, Equation, Set};

use super::case::{AxonCase, has_ragged, native, one, printed, read, sampled, solutions};
use crate::machinery::{Check, Claim, Effort, Finding};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<AxonCase>]] = &[RULES, ALGORITHM];

/// A rule that replaces a constraint: as printed it keeps the solutions, or it does so where its terms are sizes.
macro_rules! keeps {
    ($rule:literal) => {
        Claim::new(
            concat!("axon-rule ", $rule),
            concat!("The rule ", $rule, " keeps the solutions of a set."),
            &[Check::Search(|effort| kept(effort, $rule, false))],
        )
    };
    ($rule:literal, repaired) => {
        Claim::new(
            concat!("axon-rule ", $rule),
            concat!("The rule ", $rule, " keeps the solutions of a set."),
            &[Check::Search(|effort| kept(effort, $rule, false))],
        )
        .repaired(
            concat!("The rule ", $rule, " keeps the solutions of a set at which all terms of the constraint that it replaces are at least 1."),
            &[Check::Search(|effort| kept(effort, $rule, true))],
        )
    };
}

const RULES: &[Claim<AxonCase>] = &[
    keeps!("tautology", repaired),
    keeps!("substitute"),
    keeps!("constants_differ"),
    keeps!("constant_left"),
    keeps!("constant_name"),
    Claim::new(
        "axon-rule ragged_left",
        "The rule ragged_left keeps the solutions of a set.",
        &[Check::Nothing(
            "it turns `* = a` around, and a ragged dimension has no value of which a solution could consist (W17)",
        )],
    ),
    keeps!("operator_left"),
    keeps!("list_left"),
    keeps!("append_left"),
    keeps!("unpack"),
    keeps!("ranks_differ"),
    keeps!("empty_right"),
    keeps!("empty_left"),
    keeps!("last_axes"),
    keeps!("first_axes"),
    keeps!("too_many_left"),
    keeps!("too_many_right"),
    keeps!("simplify"),
    keeps!("times"),
    keeps!("plus", repaired),
    keeps!("minus", repaired),
    keeps!("partial_expression"),
];

const ALGORITHM: &[Claim<AxonCase>] = &[
    Claim::new(
        "axon-fail",
        "FAIL is sound: where an order of the rules fails, the set has no solution.",
        &[Check::Search(fail_is_sound)],
    ),
    Claim::new(
        "axon-fixed-point",
        "The rules run to a fixed point, in any order (§5).",
        &[Check::Search(every_order_ends)],
    )
    .repaired(
        "The rules run to a fixed point if those that fail go first.",
        &[Check::Search(failing_first_ends)],
    ),
    Claim::new(
        "axon-unique",
        "The fixed point does not depend on the order.",
        &[Check::Search(one_fixed_point)],
    )
    .repaired(
        "All fixed points have the same solutions, at which the terms of the set are at least 1.",
        &[Check::Search(equivalent_fixed_points)],
    ),
    Claim::new(
        "axon-verdict",
        "The verdict does not depend on the order.",
        &[Check::Search(one_verdict)],
    )
    .repaired(
        "The verdict of the native procedure does not depend on the order of the lines.",
        &[Check::Search(one_native_verdict)],
    ),
    Claim::new(
        "axon-acceptance",
        "A set that the rules accept has a solution.",
        &[Check::Search(acceptance)],
    )
    .repaired(
        "A set of names and constants that the rules solve, with nothing left, has a solution.",
        &[Check::Search(solved_sets)],
    ),
    Claim::new(
        "axon-principal",
        "A set has a most general solution that a substitution of names by shapes of Fig. 1 gives.",
        &[Check::Search(no_most_general_solution)],
    )
    .repaired(
        "A set is a substitution with a residue of equations, whose solutions are those of the set: the native procedure gives both.",
        &[Check::Search(substitution_and_residue)],
    ),
    Claim::new(
        "axon-erasure",
        "Without annotations of shapes a program has a type iff plain Hindley-Milner gives it one.",
        &[Check::Nothing(
            "it is about programs; the inference of the language unifies element types and functions as Hindley and Milner do, and gives every \
             shape to the constraints",
        )],
    ),
];

/// Returns the equations of constraints, with those that say that terms are at least 1.
fn equations(constraints: &Constraints, sizes: Option<&Constraint>) -> Vec<Equation> {
    let mut equations = constraints.to_equations();
    for side in sizes.iter().flat_map(|one| [&one.left, &one.right]) {
        equations.extend(side.dims().into_iter().map(|dim| Equation::Dims(dim, dim)));
    }
    equations
}

/// Returns the equations with one that gives each name of the set a place, so that all have the same names.
fn with_names(set: &mut Set, mut equations: Vec<Equation>, of: &[Equation]) -> Vec<Equation> {
    use lozenge_axon_vocabulary::{Variable, Word};
    let mut names: Vec<Variable> = of
        .iter()
        .flat_map(|equation| equation.variables(&set.pool))
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        equations.push(match name {
            Variable::Dim(name) => {
                let name = set.pool.var(name);
                Equation::Dims(name, name)
            }
            Variable::Shape(name) => Equation::Shapes(Word::name(name), Word::name(name)),
        });
    }
    equations
}

/// Compares solutions that may be found in different orders.
fn sorted(mut solutions: Vec<Assignment>) -> Vec<Assignment> {
    solutions.sort();
    solutions
}

fn kept(effort: Effort, name: &str, of_sizes: bool) -> Finding {
    let Some(rule) = Rule::named(name) else {
        return Finding::not_executable("there is no such rule");
    };
    sampled(effort, KNOWN, |set| keeps(set, rule, of_sizes))
}

/// Sets on which rules fire that random sets seldom reach, and the witnesses of findings.
const KNOWN: &[&str] = &[
    "3 = 4",
    "3 = a",
    "3 = (+ a 1)",
    "(+ b 1) = a",
    "0 = 0",
    "(- d 1) = 0",
    "(* d 2) = -4",
    "(* d 2) = 6",
    "(+ d -2) = 0",
    "(+ d 1) = 3",
    "(/ a 2) = 3\n[(+ (/ a 2) 1)] = s",
    "(+ a 1) = 2\n[(+ a 1)] = s",
    "[a,b] = s@[c,d]@t",
    "s@[c,d]@t = [a,b]",
    "s@[a,b] = t@[c]",
    "[a,b]@s = [c]@t",
    "s@[a,b] = [c]",
    "[c] = s@[a,b]",
    "[a] = [b,c]",
    "[a,2] = [b,c]",
    "[a] = s",
    "[a]@t = s",
    "d = (+ 1 (* 2 a))",
];

/// Applies a rule wherever it matches, and compares the solutions before and after.
fn keeps(set: &Set, rule: &Rule, of_sizes: bool) -> Option<Result<(), String>> {
    if has_ragged(set) {
        return None;
    }
    let mut set = set.clone();
    let given = set.equations.clone();
    let constraints = Constraints::of(&set);
    let mut applies = None;
    for index in 0..constraints.0.len() {
        let Some(outcome) = (rule.apply)(&mut set.pool, Reading::Literal, &constraints, index)
        else {
            continue;
        };
        let sizes = of_sizes.then(|| &constraints.0[index]);
        let before = with_names(&mut set, equations(&constraints, sizes), &given);
        let before = sorted(solutions(&set, &before)?);
        let after = match outcome {
            Outcome::Fail => Vec::new(),
            Outcome::Set(new) => {
                let after = with_names(&mut set, equations(&new, sizes), &given);
                sorted(solutions(&set, &after)?)
            }
        };
        if before != after {
            let lost = before.iter().any(|solution| !after.contains(solution));
            let what = if lost { "is lost" } else { "is made up" };
            return Some(Err(format!(
                "a solution {what}: {} before and {} after, of small ranks and sizes",
                before.len(),
                after.len()
            )));
        }
        applies = Some(Ok(()));
    }
    applies
}

fn fail_is_sound(effort: Effort) -> Finding {
    sampled(effort, KNOWN, |set| {
        if has_ragged(set) {
            return None;
        }
        let mut run_on = set.clone();
        let fails = [0, 1, 2, 3].map(|seed| {
            let options = Options {
                strategy: Strategy::Random(seed),
                steps: 300,
                ..Options::default()
            };
            matches!(run(&mut run_on, &options).end, End::Fail(_))
        });
        if !fails.contains(&true) {
            return None;
        }
        match solutions(set, &set.equations)?.is_empty() {
            true => Some(Ok(())),
            false => Some(Err("an order fails, and there is a solution".to_string())),
        }
    })
}

fn every_order_ends(_: Effort) -> Finding {
    let text = "3 = 4";
    let every = explore(&mut read(text), Reading::Literal, 100);
    let result = match every.has_cycle {
        false => Ok(()),
        true => Err(
            "a rule of reordering matches after itself, and swaps the sides for ever".to_string(),
        ),
    };
    one(text, result)
}

fn failing_first_ends(effort: Effort) -> Finding {
    sampled(effort, KNOWN, |set| {
        Some(match printed(set, Reading::Literal).as_str() {
            "no end" => Err("no fixed point within the limits".to_string()),
            _ => Ok(()),
        })
    })
}

fn one_fixed_point(_: Effort) -> Finding {
    let text = "s = t\nt = s@[1]";
    let every = explore(&mut read(text), Reading::Literal, 1_000);
    let result = match every.fixed_points.len() {
        0 | 1 => Ok(()),
        count => Err(format!("{count} sets are fixed points of some order")),
    };
    one(text, result)
}

fn equivalent_fixed_points(effort: Effort) -> Finding {
    sampled(
        effort,
        &["s = t\nt = s@[1]", "s = [3]@t\ns = t@[4]"],
        |set| {
            if has_ragged(set) || set.equations.len() > 2 {
                return None;
            }
            let mut set = set.clone();
            let given = set.equations.clone();
            let every = explore(&mut set, Reading::Literal, 300);
            if !every.is_complete || every.fixed_points.len() < 2 {
                return None;
            }
            let mut found: Vec<Vec<Assignment>> = Vec::new();
            for point in &every.fixed_points {
                let mut equations = Constraints(point.clone()).to_equations();
                for dim in given.iter().flat_map(Equation::dims) {
                    equations.push(Equation::Dims(dim, dim));
                }
                let equations = with_names(&mut set, equations, &given);
                found.push(sorted(solutions(&set, &equations)?));
            }
            Some(match found.windows(2).all(|pair| pair[0] == pair[1]) {
                true => Ok(()),
                false => Err("two fixed points have different solutions".to_string()),
            })
        },
    )
}

fn one_verdict(_: Effort) -> Finding {
    let text = "t@[1] = s\n[3] = s@t\nt = s";
    let every = explore(&mut read(text), Reading::Literal, 20_000);
    let result = match every.fails && !every.fixed_points.is_empty() {
        false => Ok(()),
        true => Err("one order fails, and another one accepts the set".to_string()),
    };
    one(text, result)
}

fn one_native_verdict(effort: Effort) -> Finding {
    sampled(effort, &["t@[1] = s\n[3] = s@t\nt = s"], |set| {
        let mut other = set.clone();
        other.equations.reverse();
        match (native(set), native(&other)) {
            (Ok(one), Ok(two)) if one == two => Some(Ok(())),
            (Ok(_), Ok(_)) => Some(Err("reversed, it has another verdict".to_string())),
            _ => None,
        }
    })
}

fn acceptance(effort: Effort) -> Finding {
    sampled(effort, &["s = [3]@s"], |set| {
        let accepted = !printed(set, Reading::Literal).starts_with("FAIL");
        match (accepted, native(set)) {
            (true, Ok(false)) => Some(Err(format!(
                "{}, and there is no solution",
                printed(set, Reading::Literal)
            ))),
            (true, Ok(true)) => Some(Ok(())),
            _ => None,
        }
    })
}

fn solved_sets(effort: Effort) -> Finding {
    sampled(effort, &[], |set| {
        use lozenge_axon_vocabulary::DimNode;
        let is_plain = |dim| match set.pool.node(dim) {
            DimNode::Number(number) => number >= 1,
            DimNode::Var(_) => true,
            DimNode::Op(..) | DimNode::Ragged(_) => false,
        };
        let mut dims = set.equations.iter().flat_map(Equation::dims);
        if !dims.all(is_plain) || printed(set, Reading::Literal) != "solved" {
            return None;
        }
        match native(set) {
            Ok(true) => Some(Ok(())),
            Ok(false) => Some(Err("it has no solution".to_string())),
            Err(_) => None,
        }
    })
}

fn no_most_general_solution(_: Effort) -> Finding {
    let text = "s@[d1,d3] = [e]@r";
    let empty = format!("{text}\ns = []");
    let longer = format!("{text}\nr = w@[d1,d3]");
    let both = format!("{empty}\nr = w@[d1,d3]");
    let verdicts = [&empty, &longer, &both].map(|text| native(&read(text)));
    let result = match verdicts {
        [Ok(true), Ok(true), Ok(false)] => Err(
            "with s = [] it follows that e = d1 and r = [d3], and otherwise that s = [e]@w and r = w@[d1,d3]: the two exclude each other, and no \
             shape of Fig. 1 has both as instances"
                .to_string(),
        ),
        _ => Ok(()),
    };
    one(text, result)
}

fn substitution_and_residue(effort: Effort) -> Finding {
    use lozenge_axon_solver::Solver;
    use lozenge_axon_vocabulary::{Decide, Simplified, Word};
    sampled(effort, &["s@[d1,d3] = [e]@r"], |set| {
        if has_ragged(set) {
            return None;
        }
        let mut set = set.clone();
        let given = set.equations.clone();
        let answer = Solver::default().simplify(&mut set.pool, &given);
        let Simplified::Solved {
            solved,
            residue,
            positive,
            ..
        } = answer
        else {
            return None;
        };
        let mut equations: Vec<Equation> = residue.into_iter().map(|left| left.equation).collect();
        for (name, value) in &solved.dims {
            equations.push(Equation::Dims(set.pool.var(*name), *value));
        }
        for (name, value) in &solved.shapes {
            equations.push(Equation::Shapes(Word::name(*name), value.clone()));
        }
        equations.extend(positive.iter().map(|dim| Equation::Dims(*dim, *dim)));
        let names = with_names(&mut set, Vec::new(), &given);
        let equations: Vec<Equation> = names.iter().cloned().chain(equations).collect();
        let before = with_names(&mut set, given.clone(), &given);
        let (before, after) = (solutions(&set, &before)?, solutions(&set, &equations)?);
        // The simplified set may have names of its own.
        let known = |after: &Assignment| {
            let mut shown = after.clone();
            let first = before.first();
            shown
                .dims
                .retain(|name, _| first.is_some_and(|one| one.dims.contains_key(name)));
            shown
                .shapes
                .retain(|name, _| first.is_some_and(|one| one.shapes.contains_key(name)));
            shown
        };
        let mut after: Vec<Assignment> = after.iter().map(known).collect();
        after.sort();
        after.dedup();
        Some(match sorted(before) == after {
            true => Ok(()),
            false => Err("the solutions differ".to_string()),
        })
    })
}
