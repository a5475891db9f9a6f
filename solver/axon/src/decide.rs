//! One question: whether equations and facts beside them have a common solution.

use lozenge_axon_vocabulary::{
    Assignment, DimId, DimNode, DimVar, Equation, Piece, Pool, ShapeVar, TooLarge, Undecided,
    Variable, Word,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arithmetic::{Answer, Arithmetic, Extra};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::nielsen::Found;
use crate::stop::{Clash, Stop};
use crate::{bounded, nielsen};

/// The most divisors whose signs are tried both ways.
const MOST_OPEN_SIGNS: usize = 6;

/// The answer to a question.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    Satisfiable(Assignment),
    /// The given equations with these indices have no common solution.
    Unsatisfiable {
        given: Vec<u32>,
        clash: Clash,
    },
    Unknown(String),
    TooLarge(TooLarge),
}

/// Decides whether the chosen equations have a common solution that the extra facts admit.
pub(crate) fn decide(
    pool: &mut Pool,
    equations: &[Equation],
    chosen: &[u32],
    extra: &[Extra],
    limits: &Limits,
) -> Verdict {
    let mut engine = Engine::new(pool);
    let given = chosen
        .iter()
        .map(|index| (*index, &equations[*index as usize]));
    if let Err(stop) = engine.assert_all(given.clone()) {
        return stopped(&engine, stop);
    }
    let given: Vec<&Equation> = given.map(|(_, equation)| equation).collect();
    satisfiable(&mut engine, &given, chosen, extra, limits)
}

/// Returns the verdict of a derivation that ended early.
pub(crate) fn stopped(engine: &Engine<'_>, stop: Stop) -> Verdict {
    match stop {
        Stop::Clash { origin, clash } => Verdict::Unsatisfiable {
            given: engine.origins.given_behind([origin]),
            clash: *clash,
        },
        Stop::TooLarge(error) => Verdict::TooLarge(error),
        Stop::Limit(limit) => Verdict::Unknown(limit),
    }
}

/// Decides whether what propagation left has a solution.
pub(crate) fn satisfiable(
    engine: &mut Engine<'_>,
    equations: &[&Equation],
    given: &[u32],
    extra: &[Extra],
    limits: &Limits,
) -> Verdict {
    let mut signs = 0;
    loop {
        let (verdict, open) = match with_signs(engine, equations, given, extra, limits, signs) {
            Ok(answer) => answer,
            Err(stop) => return stopped(engine, stop),
        };
        match verdict {
            Verdict::Unsatisfiable { .. } if open == 0 => return verdict,
            Verdict::Unsatisfiable { .. } if open > MOST_OPEN_SIGNS => {
                return Verdict::Unknown(format!("{open} divisors may have either sign"));
            }
            Verdict::Unsatisfiable { clash, .. } => {
                signs += 1;
                if signs >> open > 0 {
                    // Each choice of signs has its own refutation; all equations are behind the whole.
                    return Verdict::Unsatisfiable {
                        given: given.to_vec(),
                        clash,
                    };
                }
            }
            other => return other,
        }
    }
}

/// Decides for one choice of the signs of divisors. Returns how many of them are open.
fn with_signs(
    engine: &mut Engine<'_>,
    equations: &[&Equation],
    given: &[u32],
    extra: &[Extra],
    limits: &Limits,
    signs: u32,
) -> Result<(Verdict, usize), Stop> {
    let mut arithmetic = Arithmetic::new(engine, limits.work, signs)?;
    for extra in extra {
        arithmetic.assert_extra(engine, extra)?;
    }
    let words: Vec<(Vec<Piece>, Vec<Piece>)> = engine
        .left_words()
        .into_iter()
        .map(|equation| (equation.left.clone(), equation.right.clone()))
        .collect();
    // A branch drops its facts when it is left, so what defines quotients and products is stated before there are any.
    let pieces = words
        .iter()
        .flat_map(|(left, right)| left.iter().chain(right));
    for piece in pieces {
        if let Piece::Axis(dim) = piece {
            arithmetic.term(engine, *dim, &mut Vec::new())?;
        }
    }
    let base = arithmetic.check();
    let verdict = match base {
        Answer::Unsatisfiable(origins) => Verdict::Unsatisfiable {
            given: engine.origins.given_behind(origins),
            clash: Clash::said("no sizes satisfy the arithmetic"),
        },
        Answer::Unknown(why) if words.is_empty() => Verdict::Unknown(why),
        Answer::Satisfiable if words.is_empty() => {
            solution(engine, &mut arithmetic, equations, Vec::new())?
        }
        Answer::Satisfiable | Answer::Unknown(_) => {
            match search(engine, &mut arithmetic, words, limits)? {
                Found::Solution(steps) => solution(engine, &mut arithmetic, equations, steps)?,
                Found::Nothing => Verdict::Unsatisfiable {
                    given: given.to_vec(),
                    clash: Clash::said("no shapes satisfy these equations"),
                },
                Found::Unknown(why) => Verdict::Unknown(why),
            }
        }
    };
    Ok((verdict, arithmetic.open_signs))
}

/// Searches for values of the names in word equations.
fn search(
    engine: &mut Engine<'_>,
    arithmetic: &mut Arithmetic,
    words: Vec<(Vec<Piece>, Vec<Piece>)>,
    limits: &Limits,
) -> Result<Found, Stop> {
    match nielsen::search(engine, arithmetic, words.clone(), limits)? {
        Found::Unknown(why) => {
            if words.len() > 1 && one_has_none(engine, arithmetic, &words, limits)? {
                return Ok(Found::Nothing);
            }
            let found = bounded::search(engine, arithmetic, &words, limits)?;
            Ok(match found {
                Found::Unknown(_) => Found::Unknown(why),
                found => found,
            })
        }
        found => Ok(found),
    }
}

/// Tells whether some word equation alone has no solution.
fn one_has_none(
    engine: &mut Engine<'_>,
    arithmetic: &mut Arithmetic,
    words: &[(Vec<Piece>, Vec<Piece>)],
    limits: &Limits,
) -> Result<bool, Stop> {
    let limits = &limits.for_a_smaller_set();
    for one in words {
        let clean = arithmetic.store.snapshot();
        let found = nielsen::search(engine, arithmetic, vec![one.clone()], limits)?;
        if arithmetic.store.rollback(clean).is_err() {
            return Err(Stop::Limit("the arithmetic lost its facts".to_string()));
        }
        if matches!(found, Found::Nothing) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the values of all names of the equations, after they were checked by the definition.
fn solution(
    engine: &mut Engine<'_>,
    arithmetic: &mut Arithmetic,
    equations: &[&Equation],
    steps: Vec<(ShapeVar, Word)>,
) -> Result<Verdict, Stop> {
    let mut values = Values {
        dims: FxHashMap::default(),
        shapes: FxHashMap::default(),
    };
    for (name, word) in steps.into_iter().rev() {
        let value = values.shape(engine, arithmetic, &word.0)?;
        values.shapes.insert(name, value);
    }
    let mut assignment = Assignment::default();
    let mut seen = FxHashSet::default();
    for equation in equations {
        for variable in equation.variables(engine.pool) {
            if !seen.insert(variable) {
                continue;
            }
            match variable {
                Variable::Dim(name) => {
                    let dim = engine.pool.var(name);
                    if let Some(value) = values.dim(engine, arithmetic, dim)? {
                        assignment.dims.insert(name, value);
                    }
                }
                Variable::Shape(name) => {
                    let value = values.shape(engine, arithmetic, &[Piece::Shape(name)])?;
                    if let Some(value) = value.into_iter().collect() {
                        assignment.shapes.insert(name, value);
                    }
                }
            }
        }
    }
    // Ragged dimensions are no integers, so an equation with one is not checked.
    let checked: Vec<Equation> = equations
        .iter()
        .filter(|equation| !has_ragged(engine.pool, equation))
        .map(|equation| (*equation).clone())
        .collect();
    Ok(match assignment.satisfies(engine.pool, &checked) {
        Ok(true) | Err(Undecided::NoValue(_)) if checked.len() < equations.len() => {
            Verdict::Satisfiable(assignment)
        }
        Ok(true) => Verdict::Satisfiable(assignment),
        Ok(false) => {
            Verdict::Unknown("a solution did not pass its check, which is a defect".to_string())
        }
        Err(error) => Verdict::Unknown(error.to_string()),
    })
}

fn has_ragged(pool: &Pool, equation: &Equation) -> bool {
    let parts = pool.with_parts(equation.dims());
    parts
        .into_iter()
        .any(|part| matches!(pool.node(part), DimNode::Ragged(_)))
}

/// The values of a solution.
struct Values {
    dims: FxHashMap<DimId, Option<i64>>,
    /// The values of names without value in the engine; a ragged axis has none.
    shapes: FxHashMap<ShapeVar, Vec<Option<i64>>>,
}

impl Values {
    /// Returns the value of a dimension; none if it is ragged.
    fn dim(
        &mut self,
        engine: &mut Engine<'_>,
        arithmetic: &mut Arithmetic,
        dim: DimId,
    ) -> Result<Option<i64>, Stop> {
        if let Some(value) = self.dims.get(&dim) {
            return Ok(*value);
        }
        let form = engine
            .dims
            .reduced(engine.pool, &mut engine.origins, dim, &mut Vec::new())?;
        let term = engine.pool.term(&form);
        let mut assignment = Assignment::default();
        for name in engine.pool.variables(term) {
            let Some(value) = arithmetic.value(name) else {
                return Err(Stop::Limit("the arithmetic has no model".to_string()));
            };
            assignment.dims.insert(name, value);
        }
        let value = match assignment.value(engine.pool, term) {
            Ok(Some(value)) => i64::try_from(value).map_err(|_| too_large(engine.pool, dim))?,
            Err(Undecided::Ragged(_)) => {
                self.dims.insert(dim, None);
                return Ok(None);
            }
            Ok(None) => {
                return Err(Stop::Limit(
                    "a solution divides by 0, which is a defect".to_string(),
                ));
            }
            Err(_) => return Err(too_large(engine.pool, dim)),
        };
        self.dims.insert(dim, Some(value));
        Ok(Some(value))
    }

    fn shape(
        &mut self,
        engine: &mut Engine<'_>,
        arithmetic: &mut Arithmetic,
        pieces: &[Piece],
    ) -> Result<Vec<Option<i64>>, Stop> {
        let mut axes = Vec::new();
        for piece in engine.expanded(pieces, &mut Vec::new())? {
            match piece {
                Piece::Axis(dim) => axes.push(self.dim(engine, arithmetic, dim)?),
                // A name that nothing restricts is empty.
                Piece::Shape(name) => axes.extend(self.shapes.get(&name).into_iter().flatten()),
            }
        }
        Ok(axes)
    }
}

fn too_large(pool: &Pool, dim: DimId) -> Stop {
    Stop::Limit(format!(
        "the value of `{}` does not fit 64 bits",
        pool.show(dim)
    ))
}

/// Returns the names of dimensions and shapes of some equations, each once.
pub(crate) fn names(pool: &Pool, equations: &[Equation]) -> (Vec<DimVar>, Vec<ShapeVar>) {
    let (mut dims, mut shapes) = (FxHashSet::default(), FxHashSet::default());
    for equation in equations {
        for variable in equation.variables(pool) {
            match variable {
                Variable::Dim(name) => dims.insert(name),
                Variable::Shape(name) => shapes.insert(name),
            };
        }
    }
    let (mut dims, mut shapes): (Vec<_>, Vec<_>) =
        (dims.into_iter().collect(), shapes.into_iter().collect());
    dims.sort_unstable();
    shapes.sort_unstable();
    (dims, shapes)
}
