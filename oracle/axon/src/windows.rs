//! The encoding by windows: lengths as integers, and of each name its first letters.

use lozenge_axon_vocabulary::{Assignment, Equation, Piece, Pool, ShapeVar, Word};
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Int};

use crate::arithmetic::Question;
use crate::{Oracle, Verdict};

/// A name: its length and its first letters.
struct Name {
    length: Int,
    letters: Vec<Int>,
}

/// A letter of a side: its position, the condition that it is there, and its value.
struct Letter {
    position: Int,
    is_there: Bool,
    value: Int,
}

/// Asks whether equations have a common solution.
pub(crate) fn decide(oracle: &Oracle, pool: &Pool, equations: &[Equation]) -> Verdict {
    let question = Question::new(oracle.time, pool, equations);
    let mut names: FxHashMap<ShapeVar, Name> = FxHashMap::default();
    for variable in equations.iter().flat_map(shapes) {
        names.entry(variable).or_insert_with(|| {
            let name = Name {
                length: Int::new_const(format!("length{}", variable.0)),
                letters: (0..oracle.window)
                    .map(|at| Int::new_const(format!("s{}_{at}", variable.0)))
                    .collect(),
            };
            question.session.assert(name.length.ge(Int::from_i64(0)));
            name
        });
    }
    let mut comparisons = 0;
    for equation in equations {
        match equation {
            Equation::Dims(left, right) => {
                question
                    .session
                    .assert(question.term(*left).eq(question.term(*right)));
            }
            Equation::Shapes(left, right) => {
                let (left, length) = letters(&question, &names, left);
                let (right, other) = letters(&question, &names, right);
                comparisons += left.len() * right.len();
                if comparisons > oracle.comparisons {
                    return Verdict::Unknown(format!(
                        "more than {} letters are compared",
                        oracle.comparisons
                    ));
                }
                question.session.assert(length.eq(other));
                for one in &left {
                    for other in &right {
                        let meet =
                            one.position.eq(&other.position) & &one.is_there & &other.is_there;
                        question
                            .session
                            .assert(meet.implies(one.value.eq(&other.value)));
                    }
                }
            }
        }
    }
    match question.check() {
        Ok(false) => return Verdict::Unsatisfiable,
        Err(why) => return Verdict::Unknown(why.to_string()),
        Ok(true) => {}
    }
    for name in names.values() {
        question
            .session
            .assert(name.length.le(Int::from_i64(oracle.window as i64)));
    }
    match question.check() {
        Ok(true) => Verdict::Satisfiable(solution(&question, &names)),
        Ok(false) => Verdict::Unknown(format!("no solution has ranks up to {}", oracle.window)),
        Err(why) => Verdict::Unknown(why.to_string()),
    }
}

fn shapes(equation: &Equation) -> Vec<ShapeVar> {
    match equation {
        Equation::Dims(..) => Vec::new(),
        Equation::Shapes(left, right) => left.shapes().chain(right.shapes()).collect(),
    }
}

/// Returns the letters of a side that windows show, and its length.
fn letters(
    question: &Question,
    names: &FxHashMap<ShapeVar, Name>,
    word: &Word,
) -> (Vec<Letter>, Int) {
    let mut letters = Vec::new();
    let mut start = Int::from_i64(0);
    for piece in &word.0 {
        match piece {
            Piece::Axis(dim) => {
                letters.push(Letter {
                    position: start.clone(),
                    is_there: Bool::from_bool(true),
                    value: question.term(*dim),
                });
                start += Int::from_i64(1);
            }
            Piece::Shape(variable) => {
                let Name {
                    length,
                    letters: window,
                } = &names[variable];
                for (at, value) in (0_i64..).zip(window) {
                    letters.push(Letter {
                        position: &start + Int::from_i64(at),
                        is_there: length.gt(Int::from_i64(at)),
                        value: value.clone(),
                    });
                }
                start += length;
            }
        }
    }
    (letters, start)
}

/// Reads the solution. A letter that is no size is one that no term equals, and becomes 1.
fn solution(question: &Question, names: &FxHashMap<ShapeVar, Name>) -> Option<Assignment> {
    let model = question.session.model()?;
    let value = |int: &Int| model.eval(int, true)?.as_i64();
    let mut assignment = Assignment::default();
    for (name, int) in &question.names {
        assignment.dims.insert(*name, value(int)?);
    }
    for (variable, name) in names {
        let length = usize::try_from(value(&name.length)?).ok()?;
        let letters: Option<Vec<i64>> = name.letters.iter().take(length).map(value).collect();
        let sizes = letters?.into_iter().map(|letter| letter.max(1)).collect();
        assignment.shapes.insert(*variable, sizes);
    }
    Some(assignment)
}
