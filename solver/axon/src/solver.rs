//! The procedure as a value: simplification, entailment and forced values.

use lozenge_axon_vocabulary::{
    Assignment, Conclusion, Decide, DimId, DimNode, Equation, Goal, Op, Piece, Pool, Residual,
    Satisfiable, Simplified, Substitution, Word,
};

use crate::arithmetic::{Extra, is_positive};
use crate::decide::{Verdict, decide, names, satisfiable, stopped};
use crate::engine::Engine;
use crate::limits::Limits;
use crate::minimise::minimised;
use crate::stop::{Clash, Stop};

/// A decision procedure with its limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solver {
    /// The limits.
    pub limits: Limits,
}

impl Decide for Solver {
    fn simplify(&self, pool: &mut Pool, equations: &[Equation]) -> Simplified {
        let all: Vec<u32> = (0..equations.len() as u32).collect();
        let mut engine = Engine::new(pool);
        let verdict = match engine.assert_all(all.iter().copied().zip(equations)) {
            Err(stop) => stopped(&engine, stop),
            Ok(()) => {
                let given: Vec<&Equation> = equations.iter().collect();
                satisfiable(&mut engine, &given, &all, &[], &self.limits)
            }
        };
        let satisfiable = match verdict {
            Verdict::Unsatisfiable { given, clash } => {
                drop(engine);
                return self.refusal(pool, equations, given, clash);
            }
            Verdict::TooLarge(error) => return Simplified::TooLarge(error),
            Verdict::Satisfiable(assignment) => Satisfiable::Yes(assignment),
            Verdict::Unknown(why) => Satisfiable::Unknown(why),
        };
        if let Satisfiable::Yes(witness) = &satisfiable
            && let Err(stop) = self.use_forced(&mut engine, witness)
        {
            return stopped_late(stop, equations, satisfiable);
        }
        match solved(&mut engine, equations) {
            Ok((solved, residue, positive)) => Simplified::Solved {
                solved,
                residue,
                positive,
                satisfiable,
            },
            Err(stop) => stopped_late(stop, equations, satisfiable),
        }
    }

    fn entails(&self, pool: &mut Pool, equations: &[Equation], goal: &Goal) -> Conclusion {
        let all: Vec<u32> = (0..equations.len() as u32).collect();
        let mut unknown = None;
        for (more, extra) in violations(pool, goal) {
            let mut equations = equations.to_vec();
            let mut chosen = all.clone();
            chosen.extend(equations.len() as u32..(equations.len() + more.len()) as u32);
            equations.extend(more);
            match decide(pool, &equations, &chosen, &extra, &self.limits) {
                Verdict::Satisfiable(assignment) => return Conclusion::No(assignment),
                Verdict::Unsatisfiable { .. } => {}
                Verdict::Unknown(why) => unknown = Some(why),
                Verdict::TooLarge(error) => return Conclusion::TooLarge(error),
            }
        }
        unknown.map_or(Conclusion::Yes, Conclusion::Unknown)
    }
}

impl Solver {
    /// Gives names of the arithmetic that is left the one value which they have in all its solutions, if they have only
    /// one.
    fn use_forced(&self, engine: &mut Engine<'_>, witness: &Assignment) -> Result<(), Stop> {
        if engine.dims.left.is_empty() || engine.dims.left.len() > MOST_LEFT {
            return Ok(());
        }
        let mut equations = Vec::new();
        let mut behind = Vec::new();
        for left in engine.dims.left.clone() {
            let one = reduced(engine, left.sides.0)?;
            equations.push(Equation::Dims(one, reduced(engine, left.sides.1)?));
            behind.push(left.origin);
        }
        let (names, _) = names(engine.pool, &equations);
        if names.len() > MOST_LEFT {
            return Ok(());
        }
        for (dim, _) in engine.positive.clone() {
            let dim = reduced(engine, dim)?;
            let mut variables = engine.pool.variables(dim).into_iter();
            if variables.all(|name| names.binary_search(&name).is_ok()) {
                equations.push(Equation::Dims(dim, dim));
            }
        }
        let values = names
            .iter()
            .filter_map(|name| Some((*name, *witness.dims.get(name)?)));
        let witness = Assignment {
            dims: values.collect(),
            ..Assignment::default()
        };
        let forced = self.forced(engine.pool, &equations, &witness).values.dims;
        for (name, value) in forced {
            engine.give(name, value, behind.clone())?;
        }
        engine.settle()
    }

    fn refusal(
        &self,
        pool: &mut Pool,
        equations: &[Equation],
        given: Vec<u32>,
        clash: Clash,
    ) -> Simplified {
        let (reasons, clash, is_minimal) = minimised(pool, equations, given, clash, &self.limits);
        Simplified::Unsatisfiable {
            reasons,
            is_minimal,
            clash: clash.text,
            sides: clash.sides,
        }
    }

    /// Decides whether equations have a common solution, with facts beside them.
    pub(crate) fn admits(
        &self,
        pool: &mut Pool,
        equations: &[Equation],
        extra: &[Extra],
    ) -> Result<Option<Assignment>, String> {
        let all: Vec<u32> = (0..equations.len() as u32).collect();
        match decide(pool, equations, &all, extra, &self.limits) {
            Verdict::Satisfiable(assignment) => Ok(Some(assignment)),
            Verdict::Unsatisfiable { .. } => Ok(None),
            Verdict::Unknown(why) => Err(why),
            Verdict::TooLarge(error) => Err(error.to_string()),
        }
    }
}

/// The number of equations of dimensions, and of names in them, above which it is not asked for values that are forced.
const MOST_LEFT: usize = 16;

/// Returns the equations as they were given, where what follows from them cannot be written out.
fn stopped_late(stop: Stop, equations: &[Equation], satisfiable: Satisfiable) -> Simplified {
    let satisfiable = match (satisfiable, stop) {
        (_, Stop::TooLarge(error)) => return Simplified::TooLarge(error),
        (Satisfiable::Unknown(_), Stop::Limit(limit)) => Satisfiable::Unknown(limit),
        (satisfiable, _) => satisfiable,
    };
    Simplified::Solved {
        solved: Substitution::default(),
        residue: as_given(equations),
        positive: Vec::new(),
        satisfiable,
    }
}

fn as_given(equations: &[Equation]) -> Vec<Residual> {
    equations
        .iter()
        .enumerate()
        .map(|(index, equation)| Residual {
            equation: equation.clone(),
            reasons: vec![index as u32],
        })
        .collect()
}

type Parts = (Substitution, Vec<Residual>, Vec<DimId>);

/// Writes out the solved part, the equations that are left, and the terms that have to be at least 1.
fn solved(engine: &mut Engine<'_>, equations: &[Equation]) -> Result<Parts, Stop> {
    let mut substitution = Substitution::default();
    let (dims, shapes) = names(engine.pool, equations);
    let mut positive = Vec::new();
    for name in dims {
        if engine.dims.origin(name).is_some() {
            let dim = engine.pool.var(name);
            let term = reduced(engine, dim)?;
            substitution.dims.push((name, term));
            positive.push(dim);
        }
    }
    let known = engine.known_shapes();
    for name in shapes {
        if known.binary_search(&name).is_ok() {
            let word = written(engine, &[Piece::Shape(name)])?;
            substitution.shapes.push((name, word));
        }
    }
    let mut residue = Vec::new();
    let words: Vec<_> = engine.left_words().into_iter().cloned().collect();
    for left in words {
        let sides = (written(engine, &left.left)?, written(engine, &left.right)?);
        residue.push(Residual {
            equation: Equation::Shapes(sides.0, sides.1),
            reasons: engine.origins.given_behind([left.origin]),
        });
    }
    for left in engine.dims.left.clone() {
        let (one, other) = (
            reduced(engine, left.sides.0)?,
            reduced(engine, left.sides.1)?,
        );
        let equation = Equation::Dims(one, other);
        if residue.iter().all(|before| before.equation != equation) {
            residue.push(Residual {
                equation,
                reasons: engine.origins.given_behind([left.origin]),
            });
        }
    }
    positive.extend(engine.positive.clone().into_iter().map(|(dim, _)| dim));
    let mut left = Vec::new();
    for dim in positive {
        let form = engine
            .dims
            .reduced(engine.pool, &mut engine.origins, dim, &mut Vec::new())?;
        if !is_positive(&form) {
            left.push(engine.pool.term(&form));
        }
    }
    left.sort_unstable();
    left.dedup();
    Ok((substitution, residue, left))
}

fn reduced(engine: &mut Engine<'_>, dim: DimId) -> Result<DimId, Stop> {
    let form = engine
        .dims
        .reduced(engine.pool, &mut engine.origins, dim, &mut Vec::new())?;
    Ok(engine.pool.term(&form))
}

fn written(engine: &mut Engine<'_>, pieces: &[Piece]) -> Result<Word, Stop> {
    let mut word = Vec::new();
    for piece in engine.expanded(pieces, &mut Vec::new())? {
        word.push(match piece {
            Piece::Axis(dim) => Piece::Axis(reduced(engine, dim)?),
            name => name,
        });
    }
    Ok(Word(word))
}

/// The ways in which a statement can be violated: equations and facts each.
type Violations = Vec<(Vec<Equation>, Vec<Extra>)>;

fn violations(pool: &mut Pool, goal: &Goal) -> Violations {
    let mut ways: Violations = Vec::new();
    let dims = match goal {
        Goal::Holds(equation) => equation.dims(),
        Goal::AtLeast(dim, _) | Goal::Divides(_, dim) => vec![*dim],
    };
    for part in pool.with_parts(dims.iter().copied()) {
        if let DimNode::Op(Op::Divide, _, divisor) = pool.node(part) {
            ways.push((Vec::new(), vec![Extra::Zero(divisor)]));
        }
    }
    match goal {
        Goal::AtLeast(dim, number) => ways.push((Vec::new(), vec![Extra::Less(*dim, *number)])),
        Goal::Divides(number, dim) => {
            ways.push((Vec::new(), vec![Extra::DoesNotDivide(*number, *dim)]))
        }
        Goal::Holds(equation) => {
            for dim in dims {
                if !matches!(pool.node(dim), DimNode::Var(_)) {
                    ways.push((Vec::new(), vec![Extra::Less(dim, 1)]));
                }
            }
            match equation {
                Equation::Dims(one, other) => {
                    ways.push((Vec::new(), vec![Extra::Differ(*one, *other)]))
                }
                Equation::Shapes(left, right) => ways.extend(different(pool, left, right)),
            }
        }
    }
    ways
}

/// Returns the ways in which two shapes differ: after a common start one ends, or they go on differently.
fn different(pool: &mut Pool, left: &Word, right: &Word) -> Violations {
    let start = Word::name(pool.fresh_shape("start"));
    let rest = |pool: &mut Pool, axis: DimId| {
        let rest = Word::name(pool.fresh_shape("rest"));
        start.clone().append(&Word::list([axis])).append(&rest)
    };
    let [one, other] = ["one", "other"].map(|hint| {
        let name = pool.fresh_dim(hint);
        pool.var(name)
    });
    let (left_goes_on, right_goes_on) = (rest(pool, one), rest(pool, other));
    let is = |word: &Word, value: &Word| Equation::Shapes(word.clone(), value.clone());
    vec![
        (
            vec![is(left, &left_goes_on), is(right, &right_goes_on)],
            vec![Extra::Differ(one, other)],
        ),
        (vec![is(left, &left_goes_on), is(right, &start)], Vec::new()),
        (
            vec![is(left, &start), is(right, &right_goes_on)],
            Vec::new(),
        ),
    ]
}
