//! Comparison of the native procedure's further answers, beside its verdict, with the solutions that enumeration finds.

use std::num::NonZeroU64;

use lozenge_axon_oracle::{Bounds, enumerate};
use lozenge_axon_solver::Solver;
use lozenge_axon_vocabulary::{
    Assignment, Conclusion, Decide as _, Equation, Goal, Pool, Satisfiable, Set, Simplified,
    Variable, Word,
};

use super::super::parties::{ENUMERATION, NATIVE, has_ragged};
use super::super::{ShapeSet, shown};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The most solutions that are looked at, each way.
const SOLUTIONS: usize = 6;

/// The values that are tried.
const BOUNDS: Bounds = Bounds {
    rank: 3,
    size: 4,
    tries: 1 << 13,
};

/// Checks the simplified set, the forced values, what follows, and that the verdict does not depend on the order or the
/// names.
pub(in super::super) fn shapes_answers(instance: &ShapeSet, _: &mut Parties) -> Option<Comparison> {
    if has_ragged(instance) {
        return None;
    }
    let mut set = instance.set();
    let answer = Solver::default().simplify(&mut set.pool, &set.equations);
    let found = enumerate(&set.pool, &set.equations, &BOUNDS, SOLUTIONS).solutions;
    let word = word(&answer);
    let checked = [
        restated(instance, &answer),
        simplified(&mut set, &answer, &found),
        forced(&mut set, &answer, &found),
        followed(instance),
    ];
    let mut outcome = match word {
        "unknown" => Outcome::Unknown(format!("{}: a limit", NATIVE.name)),
        _ => Outcome::Agree,
    };
    if let Some(disagreement) = checked.into_iter().flatten().next() {
        outcome = disagreement.into();
    }
    Some(Comparison {
        outcome,
        useful: !matches!(&answer, Simplified::Unsatisfiable { reasons, .. } if reasons.is_empty()),
        answer: word,
    })
}

fn word(answer: &Simplified) -> &'static str {
    match answer {
        Simplified::Unsatisfiable { .. } => "unsat",
        Simplified::Solved {
            satisfiable: Satisfiable::Yes(_),
            ..
        } => "sat",
        Simplified::Solved { .. } | Simplified::TooLarge(_) => "unknown",
    }
}

/// Asks about the equations from the last to the first, sides exchanged, with the names in the other order.
fn restated(instance: &ShapeSet, answer: &Simplified) -> Option<Disagreement> {
    let mut other = renamed(instance)?;
    other.equations.reverse();
    for equation in &mut other.equations {
        *equation = match equation.clone() {
            Equation::Dims(left, right) => Equation::Dims(right, left),
            Equation::Shapes(left, right) => Equation::Shapes(right, left),
        };
    }
    let second = Solver::default().simplify(&mut other.pool, &other.equations);
    match (word(answer), word(&second)) {
        ("unknown", _) | (_, "unknown") => None,
        (one, other) if one == other => None,
        (one, two) => Some(
            Disagreement::new("the verdict depends on the order or the names")
                .answered("as given", one)
                .answered("restated", two)
                .answered("restated as", other.to_string()),
        ),
    }
}

/// Reads the set again with its names in the other order of the alphabet.
fn renamed(instance: &ShapeSet) -> Option<Set> {
    let text: String = instance
        .to_string()
        .lines()
        .map(|line| match line.strip_prefix("dim ") {
            Some(names) => format!("dim {}\n", turned(names)),
            None => format!("{}\n", turned(line)),
        })
        .collect();
    text.parse().ok()
}

/// Turns the alphabet around.
fn turned(text: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' => char::from(b'a' + b'z' - letter as u8),
        other => other,
    };
    text.chars().map(letter).collect()
}

/// Returns the equations that the simplified set is.
fn equations_of(pool: &mut Pool, answer: &Simplified) -> Option<Vec<Equation>> {
    let Simplified::Solved {
        solved,
        residue,
        positive,
        ..
    } = answer
    else {
        return None;
    };
    let mut equations: Vec<Equation> = residue.iter().map(|left| left.equation.clone()).collect();
    for (name, value) in &solved.dims {
        let name = pool.var(*name);
        equations.push(Equation::Dims(name, *value));
    }
    for (name, value) in &solved.shapes {
        equations.push(Equation::Shapes(Word::name(*name), value.clone()));
    }
    equations.extend(positive.iter().map(|dim| Equation::Dims(*dim, *dim)));
    Some(equations)
}

/// Compares the solutions of the set and of the simplified set, which may have more names.
fn simplified(set: &mut Set, answer: &Simplified, found: &[Assignment]) -> Option<Disagreement> {
    let Some(equations) = equations_of(&mut set.pool, answer) else {
        return match (answer, found.first()) {
            (Simplified::Unsatisfiable { .. }, Some(solution)) => Some(
                Disagreement::new("a refused set has a solution")
                    .answered(ENUMERATION.name, shown(&set.pool, solution)),
            ),
            _ => None,
        };
    };
    let told = |what: &str, pool: &Pool, solution: &Assignment| {
        let lines = equations.iter();
        let lines: String = lines
            .map(|equation| format!("{}\n", equation.show(pool)))
            .collect();
        Disagreement::new(what)
            .answered("the simplified set", lines)
            .answered(ENUMERATION.name, shown(pool, solution))
    };
    for solution in found {
        let mut fixed = values(&mut set.pool, solution);
        fixed.extend(equations.iter().cloned());
        let kept = enumerate(&set.pool, &fixed, &BOUNDS, 1);
        if kept.solutions.is_empty() && kept.is_complete {
            return Some(told("a solution is lost", &set.pool, solution));
        }
    }
    for solution in enumerate(&set.pool, &equations, &BOUNDS, SOLUTIONS).solutions {
        let mut fixed = values(&mut set.pool, &solution);
        fixed.extend(set.equations.iter().cloned());
        let kept = enumerate(&set.pool, &fixed, &BOUNDS, 1);
        if kept.solutions.is_empty() && kept.is_complete {
            return Some(told("a solution is made up", &set.pool, &solution));
        }
    }
    None
}

/// Returns the equations that say that names have these values.
fn values(pool: &mut Pool, solution: &Assignment) -> Vec<Equation> {
    let mut equations = Vec::new();
    for (name, value) in &solution.dims {
        let (name, value) = (pool.var(*name), pool.number(*value));
        equations.push(Equation::Dims(name, value));
    }
    for (name, sizes) in &solution.shapes {
        let axes: Vec<_> = sizes.iter().map(|size| pool.number(*size)).collect();
        equations.push(Equation::Shapes(Word::name(*name), Word::list(axes)));
    }
    equations
}

/// Checks that a forced value is the value of every solution that was found.
fn forced(set: &mut Set, answer: &Simplified, found: &[Assignment]) -> Option<Disagreement> {
    let Simplified::Solved {
        satisfiable: Satisfiable::Yes(witness),
        ..
    } = answer
    else {
        return None;
    };
    let forced = Solver::default().forced(&mut set.pool, &set.equations, witness);
    let other = found.iter().find(|solution| {
        let mut dims = forced.values.dims.iter();
        let mut shapes = forced.values.shapes.iter();
        dims.any(|(name, value)| solution.dims.get(name) != Some(value))
            || shapes.any(|(name, value)| solution.shapes.get(name) != Some(value))
    })?;
    Some(
        Disagreement::new("a forced value is not forced")
            .answered(NATIVE.name, shown(&set.pool, &forced.values))
            .answered(ENUMERATION.name, shown(&set.pool, other)),
    )
}

/// Asks whether the last equation follows from the others, and whether the first axis is at least 2 and even in all
/// solutions.
fn followed(instance: &ShapeSet) -> Option<Disagreement> {
    let (last, others) = instance.equations().split_last()?;
    let mut set = instance.set();
    let mut disagreement = concluded(&mut set, others, &Goal::Holds(last.clone()));
    let all = instance.equations();
    if let Some(dim) = all.iter().flat_map(Equation::dims).next() {
        let goals = [Goal::AtLeast(dim, 2), Goal::Divides(TWO, dim)];
        disagreement = goals.iter().fold(disagreement, |found, goal| {
            found.or_else(|| concluded(&mut set, all, goal))
        });
    }
    disagreement
}

const TWO: NonZeroU64 = NonZeroU64::MIN.saturating_add(1);

fn concluded(set: &mut Set, equations: &[Equation], goal: &Goal) -> Option<Disagreement> {
    let told = |what: &str, pool: &Pool, solution: &Assignment| {
        Disagreement::new(what)
            .answered("goal", shown_goal(pool, goal))
            .answered("values", shown(pool, solution))
    };
    match Solver::default().entails(&mut set.pool, equations, goal) {
        Conclusion::Unknown(_) | Conclusion::TooLarge(_) => None,
        Conclusion::No(values) => {
            let satisfies = values.satisfies(&set.pool, equations);
            if satisfies == Ok(false) {
                return Some(told("a counterexample is no solution", &set.pool, &values));
            }
            let holds = holds(&set.pool, &values, goal);
            (holds == Some(true)).then(|| told("a counterexample is none", &set.pool, &values))
        }
        Conclusion::Yes => {
            // The names of the goal get values too: every equation says something of its own sides.
            let mut all = equations.to_vec();
            all.extend(trivial(&mut set.pool, goal));
            let found = enumerate(&set.pool, &all, &BOUNDS, SOLUTIONS).solutions;
            let violating = found
                .iter()
                .find(|solution| holds(&set.pool, solution, goal) == Some(false))?;
            Some(told("what follows does not", &set.pool, violating))
        }
    }
}

/// Returns equations that hold for all values of the names of a goal.
fn trivial(pool: &mut Pool, goal: &Goal) -> Vec<Equation> {
    let names: Vec<Variable> = match goal {
        Goal::Holds(equation) => equation.variables(pool),
        Goal::AtLeast(dim, _) | Goal::Divides(_, dim) => pool
            .variables(*dim)
            .into_iter()
            .map(Variable::Dim)
            .collect(),
    };
    let equation = |name: Variable| match name {
        Variable::Dim(name) => {
            let name = pool.var(name);
            Equation::Dims(name, name)
        }
        Variable::Shape(name) => Equation::Shapes(Word::name(name), Word::name(name)),
    };
    names.into_iter().map(equation).collect()
}

/// Tells whether a goal holds for values, by the definition; none where a name has no value.
fn holds(pool: &Pool, values: &Assignment, goal: &Goal) -> Option<bool> {
    match goal {
        Goal::Holds(equation) => values.satisfies(pool, std::slice::from_ref(equation)).ok(),
        Goal::AtLeast(dim, number) => {
            let value = values.value(pool, *dim).ok()?;
            Some(value.is_some_and(|value| value >= i128::from(*number)))
        }
        Goal::Divides(number, dim) => {
            let value = values.value(pool, *dim).ok()?;
            Some(value.is_some_and(|value| value % i128::from(number.get()) == 0))
        }
    }
}

fn shown_goal(pool: &Pool, goal: &Goal) -> String {
    match goal {
        Goal::Holds(equation) => equation.show(pool).to_string(),
        Goal::AtLeast(dim, number) => format!("{} >= {number}", pool.show(*dim)),
        Goal::Divides(number, dim) => format!("{number} divides {}", pool.show(*dim)),
    }
}
