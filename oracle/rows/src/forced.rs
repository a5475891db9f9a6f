//! `forced`: the values that all solutions have in common.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_vocabulary::satisfaction::ZERO;
use lozenge_vocabulary::{ConstraintSet, Dim, DimVar, RowVar, Var};
use serde::Serialize;
use z3::ast::{Bool, Int};

use crate::formula::{Axis, Facing, Guard, Relation};
use crate::limits::{Clock, Reason};
use crate::model::Solution;
use crate::oracle::Oracle;
use crate::scope::Scope;
use crate::session::{CheckResult, Sealed, Session};

/// The values that all solutions of a satisfiable set have in common.
///
/// For each entry, "some solution differs" was refuted at every rank, not only inside a window. A variable that is
/// neither listed nor [`Forced::undetermined`] has different values in two solutions that were found.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Forced {
    /// Dimension variables with one possible value.
    pub dims: BTreeMap<DimVar, Dim>,
    /// Dimension variables that are 0 in every solution.
    pub zeros: BTreeSet<DimVar>,
    /// Dimension variables with one possible size and more than one basis. Empty for a set that relates no sizes.
    pub sizes: BTreeMap<DimVar, u64>,
    /// Row variables with one possible rank.
    pub ranks: BTreeMap<RowVar, usize>,
    /// Row variables with one possible flat content.
    pub contents: BTreeMap<RowVar, Vec<Dim>>,
    /// Variables for which it is not known whether they vary, with the reason.
    pub undetermined: Vec<(Var, Reason)>,
}

/// A value that all solutions share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ForcedValue {
    /// A dimension.
    Dim(Dim),
    /// `"0"`: the variable, which is declared `summand`, is 0.
    #[serde(serialize_with = "zero")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    Zero,
    /// A number of axes.
    Rank(usize),
    /// The size of a dimension whose basis is open.
    Size(u64),
}

/// Writes a value that is 0.
fn zero<S: serde::Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(ZERO)
}

impl Forced {
    /// Returns the map of the notation: `"a"` to its value, `"size a"` to its size, `"rank <r>"` to its rank.
    pub fn map(&self) -> BTreeMap<String, ForcedValue> {
        let dims = self.dims.iter();
        let dims = dims.map(|(var, dim)| (var.to_string(), ForcedValue::Dim(dim.clone())));
        let ranks = self.ranks.iter();
        let ranks = ranks.map(|(var, &rank)| (format!("rank {var}"), ForcedValue::Rank(rank)));
        let sizes = self.sizes.iter();
        let sizes = sizes.map(|(var, &size)| (format!("size {var}"), ForcedValue::Size(size)));
        let zeros = self.zeros.iter();
        let zeros = zeros.map(|var| (var.to_string(), ForcedValue::Zero));
        dims.chain(ranks).chain(sizes).chain(zeros).collect()
    }
}

/// A value that may be the same in every solution.
#[derive(Clone, Debug)]
enum Candidate {
    Dim(u32, Dim),
    Zero(u32),
    Size(u32, u64),
    Rank(u32, usize),
    Content(u32, Vec<Dim>),
}

impl Oracle {
    /// Finds the values that all solutions of the set have in common; `None` when there is no solution.
    ///
    /// # Errors
    /// When a limit is reached before anything is known.
    pub fn forced(&self, set: &ConstraintSet) -> Result<Option<Forced>, Reason> {
        let clock = self.start();
        self.forced_of(&clock, &Scope::of(set))
    }

    pub(crate) fn forced_of(
        &self,
        clock: &Clock,
        scope: &Scope<'_>,
    ) -> Result<Option<Forced>, Reason> {
        let mut partial: Option<Forced> = None;
        let outcome = self.deepen(
            clock,
            scope,
            |_| None,
            |smt, window| {
                let mut session = self.encode(smt, clock, scope, window)?;
                let sealed = session.seal();
                match sealed.check(&session, &[])? {
                    CheckResult::Refuted => return Ok(Some(None)),
                    CheckResult::Open => return Ok(None),
                    CheckResult::Found => {}
                }
                let forced = common(&mut session, &sealed)?;
                if forced.undetermined.is_empty() {
                    return Ok(Some(Some(forced)));
                }
                partial = Some(forced);
                Ok(None)
            },
        );
        match (outcome, partial) {
            (Err(reason), Some(mut forced)) => {
                let doubts = forced.undetermined.iter_mut();
                doubts.for_each(|(_, why)| *why = reason.clone());
                Ok(Some(forced))
            }
            (outcome, _) => outcome,
        }
    }
}

/// Finds the values that the solutions of a session have in common, with candidates from the solution that was just
/// found.
fn common(session: &mut Session<'_>, sealed: &Sealed) -> Result<Forced, Reason> {
    let solution = session.solution()?;
    let mut forced = Forced::default();
    let first = candidates(session, &solution);
    let mut kept = settle(session, sealed, first, &mut forced)?;
    let contents = content_candidates(session, &solution, &kept)?;
    kept.extend(settle(session, sealed, contents, &mut forced)?);
    for candidate in kept {
        match candidate {
            Candidate::Dim(var, dim) => {
                let name = session.symbols.dims[var as usize].clone();
                forced.dims.insert(name, dim);
            }
            Candidate::Zero(var) => {
                forced
                    .zeros
                    .insert(session.symbols.dims[var as usize].clone());
            }
            Candidate::Size(var, size) => {
                let name = session.symbols.dims[var as usize].clone();
                forced.sizes.insert(name, size);
            }
            Candidate::Rank(var, rank) => {
                let name = session.symbols.rows[var as usize].clone();
                forced.ranks.insert(name, rank);
            }
            Candidate::Content(var, content) => {
                let name = session.symbols.rows[var as usize].clone();
                forced.contents.insert(name, content);
            }
        }
    }
    let Forced { dims, sizes, .. } = &mut forced;
    sizes.retain(|var, _| !dims.contains_key(var));
    Ok(forced)
}

/// Returns the dimensions and ranks of a solution. A made-up atom is not a candidate, since any other one could take
/// its place.
fn candidates(session: &Session<'_>, solution: &Solution) -> Vec<Candidate> {
    let ground = &solution.ground;
    let dims = session.symbols.dims.iter().zip(0..).filter_map(|(var, k)| {
        let dim = ground.dims.get(var)?;
        (!solution.fresh.contains(dim)).then(|| Candidate::Dim(k, dim.clone()))
    });
    let rows = session.symbols.rows.iter().zip(0..);
    let ranks = rows.filter_map(|(var, k)| Some(Candidate::Rank(k, ground.rows.get(var)?.rank())));
    let is_sized = session.setting.smt.is_sized();
    let sizes = session.symbols.dims.iter().zip(0..).filter_map(|(var, k)| {
        let size = ground.dims.get(var)?.size();
        is_sized.then_some(Candidate::Size(k, size))
    });
    let zeros = session.symbols.dims.iter().zip(0..);
    let zeros = zeros.filter(|(var, _)| ground.zeros.contains(*var));
    let zeros = zeros.map(|(_, k)| Candidate::Zero(k));
    dims.chain(ranks).chain(sizes).chain(zeros).collect()
}

/// Returns the flat contents of the row variables whose rank is known to be forced.
fn content_candidates(
    session: &Session<'_>,
    solution: &Solution,
    kept: &[Candidate],
) -> Result<Vec<Candidate>, Reason> {
    let mut contents = Vec::new();
    for candidate in kept {
        let &Candidate::Rank(var, rank) = candidate else {
            continue;
        };
        let row = &solution.ground.rows[&session.symbols.rows[var as usize]];
        let content = row.flat();
        if content.iter().any(|dim| solution.fresh.contains(dim)) {
            continue;
        }
        session.setting.clock.spend(2 * rank)?;
        session.link_at(var, rank as u32);
        contents.push(Candidate::Content(var, content));
    }
    Ok(contents)
}

/// Drops every candidate in which another solution differs; undecided ones go to `forced.undetermined`.
fn settle(
    session: &mut Session<'_>,
    sealed: &Sealed,
    mut candidates: Vec<Candidate>,
    forced: &mut Forced,
) -> Result<Vec<Candidate>, Reason> {
    while !candidates.is_empty() {
        match differ(session, sealed, &candidates)? {
            CheckResult::Found => drop_differing(session, &mut candidates)?,
            CheckResult::Refuted => return Ok(candidates),
            CheckResult::Open => return one_by_one(session, sealed, candidates, forced),
        }
    }
    Ok(candidates)
}

fn one_by_one(
    session: &mut Session<'_>,
    sealed: &Sealed,
    candidates: Vec<Candidate>,
    forced: &mut Forced,
) -> Result<Vec<Candidate>, Reason> {
    let mut kept = Vec::new();
    for candidate in candidates {
        match differ(session, sealed, std::slice::from_ref(&candidate))? {
            CheckResult::Found => {}
            CheckResult::Refuted => kept.push(candidate),
            CheckResult::Open => {
                let var = candidate.var(session);
                let reason = Reason::Window(session.setting.window);
                forced.undetermined.push((var, reason));
            }
        }
    }
    Ok(kept)
}

/// Looks for a solution that differs from at least one candidate.
fn differ(
    session: &mut Session<'_>,
    sealed: &Sealed,
    candidates: &[Candidate],
) -> Result<CheckResult, Reason> {
    let ways: Vec<Bool> = candidates.iter().map(|c| c.differs(session)).collect();
    session.keep_distinct();
    let flag = session.fresh_flag();
    session.setting.smt.assert(flag.implies(Bool::or(&ways)));
    sealed.check(session, &[flag])
}

fn drop_differing(session: &Session<'_>, candidates: &mut Vec<Candidate>) -> Result<(), Reason> {
    let other = session.solution()?.ground;
    let before = candidates.len();
    candidates.retain(|candidate| match candidate {
        Candidate::Dim(var, dim) => {
            other.dims.get(&session.symbols.dims[*var as usize]) == Some(dim)
        }
        Candidate::Zero(var) => other.zeros.contains(&session.symbols.dims[*var as usize]),
        Candidate::Size(var, size) => {
            let value = other.dims.get(&session.symbols.dims[*var as usize]);
            value.map(Dim::size) == Some(*size)
        }
        Candidate::Rank(var, rank) => {
            other.rows[&session.symbols.rows[*var as usize]].rank() == *rank
        }
        Candidate::Content(var, content) => {
            other.rows[&session.symbols.rows[*var as usize]].flat() == *content
        }
    });
    if candidates.len() == before {
        return Err(Reason::Solver(
            "a solution that should differ does not; this is a defect of the oracle".to_owned(),
        ));
    }
    Ok(())
}

impl Candidate {
    fn var(&self, session: &Session<'_>) -> Var {
        match self {
            Candidate::Dim(var, _) | Candidate::Zero(var) | Candidate::Size(var, _) => {
                Var::Dim(session.symbols.dims[*var as usize].clone())
            }
            Candidate::Rank(var, _) | Candidate::Content(var, _) => {
                Var::Row(session.symbols.rows[*var as usize].clone())
            }
        }
    }

    /// Returns the formula that a solution differs from the candidate.
    fn differs(&self, session: &mut Session<'_>) -> Bool {
        let smt = session.setting.smt;
        match self {
            Candidate::Dim(var, dim) => {
                let constant = session.symbols.constant(dim);
                smt.same(Axis::Dim(*var), constant).not()
            }
            Candidate::Zero(var) => smt.is_zero(Axis::Dim(*var)).not(),
            Candidate::Size(var, size) => smt.size(Axis::Dim(*var)).eq(Int::from_u64(*size)).not(),
            Candidate::Rank(var, rank) => smt.guard(Guard::RankIs(*var, *rank as u32)).not(),
            Candidate::Content(var, content) => {
                let pairs = content.iter().zip(0..).map(|(dim, i)| Facing {
                    guards: [None; 3],
                    low: Axis::Front(*var, i),
                    high: session.symbols.constant(dim),
                });
                let ways: Vec<Bool> = pairs.map(|f| smt.fails(Relation::Same, &f)).collect();
                Bool::or(&ways)
            }
        }
    }
}
