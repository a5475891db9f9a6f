//! `axon`: the inputs that an inferred type admits, against those on which the function comes to its end.

use lozenge::axon::{self, Binding};
use lozenge_axon_solver::Solver;
use lozenge_axon_vocabulary::{Decide, Satisfiable, Set, Simplified};

use super::Text;
use super::concrete::{self, Stop, Value};
use super::conditions;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The largest size and rank of the inputs that are tried, by the number of inputs.
const SCOPES: [(i64, usize); 3] = [(4, 3), (3, 3), (2, 2)];

/// Compares the type of the last function of a program with the function. Programs beyond the checker of shapes are not
/// useful.
pub(super) fn axon(text: &Text, _: &mut Parties) -> Option<Comparison> {
    Some(compared(text).unwrap_or_else(beyond))
}

/// Compares them; none where the program has no such function, or one that is not followed.
fn compared(text: &Text) -> Option<Comparison> {
    let program = axon::parse(&text.0).ok()?;
    let function = axon::last_function(&program)?.to_string();
    let names = axon::parameters(&program, &function)?;
    let inferred = axon::infer(&program, &axon::Options::default());
    let binding = inferred
        .bindings
        .iter()
        .rev()
        .find(|binding| binding.name == function);
    let scheme = match (binding, inferred.errors.is_empty()) {
        (Some(binding), true) => Some(Scheme::of(binding)?),
        _ => None,
    };
    let (size, rank) = *SCOPES.get(names.len().checked_sub(1)?)?;
    let mut counts = [0_u64; 2];
    for inputs in all(names.len(), &shapes(size, rank)) {
        let found = match concrete::applied(&program, &inputs) {
            Ok(value) => Some(value),
            Err(Stop::Refused) => None,
            Err(Stop::Silent) => return None,
        };
        counts[usize::from(found.is_some())] += 1;
        let given: Vec<(String, &[i64])> = names
            .iter()
            .cloned()
            .zip(inputs.iter().map(Vec::as_slice))
            .collect();
        match differs(scheme.as_ref(), &given, found.as_ref()) {
            Ok(None) => {}
            Ok(Some(check)) => return disagreement(check, &inputs, binding),
            Err(why) => {
                return Some(Comparison {
                    outcome: Outcome::Unknown(why),
                    useful: true,
                    answer: "unknown",
                });
            }
        }
    }
    let answer = match (scheme.is_some(), counts) {
        (false, _) => "no type",
        (true, [_, 0]) => "no small inputs",
        (true, [0, _]) => "every input",
        (true, _) => "some inputs",
    };
    Some(Comparison {
        outcome: Outcome::Agree,
        useful: counts[1] > 0 || scheme.is_none(),
        answer,
    })
}

/// Returns the outcome for a program that the checker of shapes does not follow.
fn beyond() -> Comparison {
    Comparison {
        outcome: Outcome::Agree,
        useful: false,
        answer: "beyond the checker",
    }
}

/// Returns how a type and the function differ about inputs, if they do.
///
/// # Errors
/// The reason why it is not known whether the type admits the inputs.
fn differs(
    scheme: Option<&Scheme>,
    given: &[(String, &[i64])],
    found: Option<&Value>,
) -> Result<Option<&'static str>, String> {
    let Some(scheme) = scheme else {
        return Ok(found.map(|_| "a program without a type takes inputs"));
    };
    Ok(match (scheme.admits(given, found), found) {
        (Admits::Unknown(why), _) => return Err(why),
        (Admits::No, Some(_)) => Some("a type refuses what the function takes"),
        (Admits::Yes, None) => Some("a type admits what the function refuses"),
        _ => {
            let by_checks = scheme.by_checks(given);
            let differ = by_checks.is_some_and(|admitted| admitted != found.is_some());
            differ.then_some("the checks do not say what the type says")
        }
    })
}

fn disagreement(check: &str, inputs: &[Vec<i64>], binding: Option<&Binding>) -> Option<Comparison> {
    let shown = match binding {
        Some(binding) => {
            let checks = binding
                .checks
                .iter()
                .map(|check| format!("\n  {}", check.condition));
            format!("{}{}", binding.scheme(), checks.collect::<String>())
        }
        None => "no type".to_string(),
    };
    let disagreement = Disagreement::new(check)
        .answered("inference", shown)
        .answered("inputs", format!("{inputs:?}"));
    Some(Comparison {
        outcome: disagreement.into(),
        useful: true,
        answer: "disagreement",
    })
}

/// Returns every shape of sizes and ranks up to these.
fn shapes(size: i64, rank: usize) -> Vec<Vec<i64>> {
    let mut shapes = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..rank {
        let longer: Vec<Vec<i64>> = shapes[from..]
            .iter()
            .flat_map(|shape| (1..=size).map(|axis| [shape.as_slice(), &[axis]].concat()))
            .collect();
        from = shapes.len();
        shapes.extend(longer);
    }
    shapes
}

/// Returns every choice of shapes for inputs.
fn all(inputs: usize, shapes: &[Vec<i64>]) -> impl Iterator<Item = Vec<Vec<i64>>> {
    let count = shapes.len().pow(u32::try_from(inputs).unwrap_or(0));
    (0..count).map(move |mut number| {
        let mut chosen = Vec::new();
        for _ in 0..inputs {
            chosen.push(shapes[number % shapes.len()].clone());
            number /= shapes.len();
        }
        chosen
    })
}

/// A type as it is printed, taken apart.
struct Scheme {
    parameters: Vec<String>,
    /// The shapes of the results; empty where they are not all tensors.
    results: Vec<String>,
    conditions: Vec<String>,
    checks: Vec<String>,
}

/// The answer to whether a type admits inputs.
enum Admits {
    Yes,
    No,
    Unknown(String),
}

impl Scheme {
    /// Takes a type apart; none for one with functions or tuples as parameters.
    fn of(binding: &Binding) -> Option<Scheme> {
        let (parameters, results) = binding.shown.split_once(" -> ")?;
        let words = |text: &str| -> Option<Vec<String>> {
            parts(text).iter().map(|part| word(part)).collect()
        };
        Some(Scheme {
            parameters: words(parameters)?,
            results: words(results).unwrap_or_default(),
            conditions: binding.conditions.clone(),
            checks: binding
                .checks
                .iter()
                .map(|check| check.condition.clone())
                .collect(),
        })
    }

    /// Decides whether the type admits inputs with a result: its shapes are those of the inputs, its conditions hold,
    /// and so do its checks.
    fn admits(&self, inputs: &[(String, &[i64])], result: Option<&Value>) -> Admits {
        let mut text = String::new();
        for (word, (_, shape)) in self.parameters.iter().zip(inputs) {
            text += &equation(word, shape);
        }
        for condition in &self.conditions {
            text += &format!("{condition}\n");
        }
        let results = match result {
            Some(Value::Tuple(parts)) => parts.as_slice(),
            Some(only) => std::slice::from_ref(only),
            None => &[],
        };
        for (word, result) in self.results.iter().zip(results) {
            if let Value::Tensor(shape) = result {
                text += &equation(word, shape);
            }
        }
        for check in &self.checks {
            match conditions::holds(check, inputs) {
                Some(true) => {}
                Some(false) => return Admits::No,
                None => {
                    // A term that is no size of an input is at least 1 as a dimension is.
                    if let Some(term) = check.strip_suffix(" >= 1") {
                        text += &format!("[{term}] = [_]\n").replace('_', "least");
                    }
                }
            }
        }
        decided(&text)
    }

    /// Decides whether the checks alone admit inputs of which each fits its own shape; none where a condition is needed
    /// beside them, or a check is not about sizes of inputs alone.
    fn by_checks(&self, inputs: &[(String, &[i64])]) -> Option<bool> {
        if !self.conditions.is_empty() {
            return None;
        }
        for (word, (_, shape)) in self.parameters.iter().zip(inputs) {
            match decided(&equation(word, shape)) {
                Admits::Yes => {}
                Admits::No => return Some(false),
                Admits::Unknown(_) => return None,
            }
        }
        let held: Option<Vec<bool>> = self
            .checks
            .iter()
            .map(|check| conditions::holds(check, inputs))
            .collect();
        Some(held?.into_iter().all(|holds| holds))
    }
}

/// Splits a list of types at the commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// Returns the shape of a tensor's type; none for other types. A type of any kind, `?S`, is that of a tensor here,
/// since all inputs are.
fn word(text: &str) -> Option<String> {
    if let Some(any) = text.strip_prefix('?') {
        return Some(format!("any{any}"));
    }
    if text.starts_with('(') {
        return None;
    }
    Some(match text.split_once(' ') {
        Some((_, shape)) => shape.to_string(),
        None => "[]".to_string(),
    })
}

fn equation(word: &str, shape: &[i64]) -> String {
    let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("{word} = [{}]\n", sizes.join(","))
}

fn decided(text: &str) -> Admits {
    let Ok(mut set) = text.parse::<Set>() else {
        return Admits::Unknown(format!("the equations do not read back:\n{text}"));
    };
    match Solver::default().simplify(&mut set.pool, &set.equations) {
        Simplified::Unsatisfiable { .. } => Admits::No,
        Simplified::Solved {
            satisfiable: Satisfiable::Yes(_),
            ..
        } => Admits::Yes,
        Simplified::Solved {
            satisfiable: Satisfiable::Unknown(why),
            ..
        } => Admits::Unknown(why),
        Simplified::TooLarge(error) => Admits::Unknown(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use arbitrary::Unstructured;

    use super::super::drawn::drawn;
    use super::*;

    /// Returns so many programs, which depend on nothing but their numbers.
    fn programs(count: u64) -> impl Iterator<Item = Text> {
        (0..count).map(|number| {
            let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let bytes = (0..192).map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            });
            let bytes: Vec<u8> = bytes.collect();
            drawn(&mut Unstructured::new(&bytes)).expect("a program")
        })
    }

    /// The number of shapes from which on not all pairs are tried.
    const MANY: usize = 2000;

    /// Returns a shape whose names are all different, so that it says only which axes there are and which are constant.
    fn apart(word: &str) -> String {
        let mut count = 0;
        let mut name = |before: &str| {
            count += 1;
            format!("{before}{count}")
        };
        let shapes = word.split('@').map(|part| match part.strip_prefix('[') {
            None => name("s"),
            Some(axes) => {
                let axes = axes.trim_end_matches(']').split(',');
                let axes = axes.map(|axis| match axis.parse::<u64>() {
                    Ok(_) => axis.to_string(),
                    Err(_) if axis.is_empty() => String::new(),
                    Err(_) => name("n"),
                });
                format!("[{}]", axes.collect::<Vec<_>>().join(","))
            }
        });
        shapes.collect::<Vec<_>>().join("@")
    }

    /// Returns a shape, and those that differ from it by one axis.
    fn near(shape: &[i64]) -> Vec<Vec<i64>> {
        let mut near = vec![shape.to_vec()];
        for (place, size) in shape.iter().enumerate() {
            for size in [size - 1, size + 1] {
                near.extend((size > 0).then(|| {
                    let mut other = shape.to_vec();
                    other[place] = size;
                    other
                }));
            }
        }
        near
    }

    /// Returns the checks that no inputs violate alone: each input has the axes of its own shape, and the other checks
    /// hold. With many shapes only those near the first one are tried for the second.
    fn idle(scheme: &Scheme, names: &[String], shapes: &[Vec<i64>]) -> Vec<String> {
        let fitting = scheme.parameters.iter().map(|word| {
            let fits = |shape: &&Vec<i64>| {
                let equation = equation(&apart(word), shape);
                matches!(decided(&equation), Admits::Yes)
            };
            shapes.iter().filter(fits).cloned().collect()
        });
        let fitting: Vec<Vec<Vec<i64>>> = fitting.collect();
        let mut idle = scheme.checks.clone();
        let every = fitting.get(1).cloned().unwrap_or_else(|| vec![Vec::new()]);
        for one in &fitting[0] {
            let second = match shapes.len() < MANY {
                true => every.clone(),
                false => near(one),
            };
            for other in &second {
                if idle.is_empty() {
                    return idle;
                }
                let shapes = [one.as_slice(), other.as_slice()];
                let given: Vec<(String, &[i64])> = names.iter().cloned().zip(shapes).collect();
                let mut violated = scheme.checks.iter().filter(|check| {
                    let holds = conditions::holds(check, &given);
                    holds == Some(false)
                });
                if let (Some(only), None) = (violated.next(), violated.next()) {
                    idle.retain(|check| check != only);
                }
            }
        }
        idle
    }

    /// A check that follows from the others is violated by no inputs that fulfil these.
    #[test]
    fn every_check_of_a_random_program_is_needed() {
        let (mut seen, mut follow) = (0, Vec::new());
        for text in programs(1500) {
            let program = axon::parse(&text.0).expect("it is a program");
            let inferred = axon::infer(&program, &axon::Options::default());
            let (Some(binding), Some(names)) =
                (inferred.bindings.last(), axon::parameters(&program, "f"))
            else {
                continue;
            };
            let Some(scheme) = Scheme::of(binding) else {
                continue;
            };
            if !scheme.conditions.is_empty() || names.len() > 2 {
                continue;
            }
            // That a divisor is at least 1 is needed before it divides, although only such a quotient may be a size.
            let divides = |check: &String| check.contains("(/ ") && check.contains("))");
            let is_guard =
                |check: &String| check.contains(" >= ") && scheme.checks.iter().any(divides);
            let mut idle_checks = scheme.checks.clone();
            idle_checks.retain(|check| !is_guard(check));
            // Some checks are about larger sizes, or more axes.
            for (size, rank) in [(3, 3), (14, 2), (2, 5), (9, 3), (3, 4), (9, 4)] {
                if !idle_checks.is_empty() {
                    let idle = idle(&scheme, &names, &shapes(size, rank));
                    idle_checks.retain(|check| idle.contains(check));
                }
            }
            seen += scheme.checks.len();
            follow.extend(idle_checks.into_iter().map(|check| {
                format!(
                    "{}{}\n  {}\n  {check}",
                    text.0,
                    binding.scheme(),
                    scheme.checks.join("\n  ")
                )
            }));
        }
        println!("{seen} checks");
        assert!(seen >= 300, "only {seen} checks");
        assert!(
            follow.is_empty(),
            "{} of {seen}:\n{}",
            follow.len(),
            follow.join("\n\n")
        );
    }
}
