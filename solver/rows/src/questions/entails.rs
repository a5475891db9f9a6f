//! Facts that hold in every solution: entailment of a constraint, and forced values.
//!
//! A constraint follows from others iff none of the cases in which it does not hold has a solution together with them
//! ([`crate::complete::decide::cases`]). Each case is decided like a set, by complete mode, and without a bound on
//! lengths.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use lozenge_vocabulary::{Constraint, Dim, DimTerm, Ground, Order, Row, RowTerm, Var, Verdict};
use serde::{Deserialize, Serialize};

use crate::complete::decide::{
    Alphabet, Answer, Certificate, EntailmentCertificate, Found, Normalised, NormalisedSet,
    Reached, cases, certificate, cited, decide, most_cases,
};
use crate::complete::decision::{Decision, effort};
use crate::explain::refusal::Cited;
use crate::ids::{AssertedId, Id};
use crate::options::Limits;
use crate::problem::Problem;
use crate::solver::Solver;
use crate::term::Term;

/// The answer whether a constraint holds in every solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entailment {
    /// It does, because of these constraints.
    Holds(Vec<Cited>),
    /// It does not hold in this solution.
    Fails(Ground),
    /// That is not decided: the reason, and the flag that raises a limit.
    Unknown(String),
}

/// The values that are the same in every solution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// The variables that have one value in all solutions, and that value.
    pub values: Ground,
    /// The variables of which this is not decided, and why.
    pub undecided: BTreeMap<Var, String>,
}

/// The constraints of a problem and one more that may follow from them.
struct Question {
    problem: Problem,
    statements: NormalisedSet,
    goal: Normalised,
    alphabet: Alphabet,
}

impl Question {
    fn new(mut problem: Problem, constraint: &Constraint) -> Question {
        let count = problem.len();
        problem.push(constraint);
        let mut statements = NormalisedSet::of(&problem);
        let goal = statements.list[AssertedId::at(count)].clone();
        statements.remove_last();
        let sides = statements.list.values().flat_map(|s| &s.sides);
        let written = sides.chain(&goal.sides).flat_map(|side| side.atoms());
        let dim = |term: Term, problem: &Problem| problem.constants.dim(term.constant_id()).clone();
        // In the order of the vocabulary, which the checker of certificates has as well.
        let atoms: BTreeMap<Dim, Term> = written.map(|term| (dim(term, &problem), term)).collect();
        let others = unused(atoms.keys()).map(|size| problem.intern_size(size));
        Question {
            alphabet: Alphabet {
                atoms: atoms.into_values().collect(),
                others,
            },
            problem,
            statements,
            goal,
        }
    }
}

/// Returns the two least sizes from 2 on that no atom has.
fn unused<'a>(atoms: impl Iterator<Item = &'a Dim>) -> [NonZeroU64; 2] {
    let used: BTreeSet<u64> = atoms.map(Dim::size).collect();
    let mut free = (2..=u64::MAX).filter(|size| !used.contains(size));
    let mut next = || free.next().and_then(NonZeroU64::new);
    let (one, other) = (next(), next());
    [one, other].map(|size| size.unwrap_or(NonZeroU64::MIN))
}

/// Decides whether a constraint follows, with the certificate if it does.
fn entails(
    problem: &Problem,
    constraint: &Constraint,
    limits: Limits,
) -> (Entailment, Option<EntailmentCertificate>) {
    let is_of_sizes = matches!(
        constraint,
        Constraint::Window(_)
            | Constraint::Composite(_)
            | Constraint::Elements(_)
            | Constraint::Flat(_)
            | Constraint::AtLeast { .. }
    );
    if is_of_sizes {
        let why = "what follows is decided of `=`, `<=` and `~`, not of windows, concatenations, products and bounds";
        return (Entailment::Unknown(why.into()), None);
    }
    let question = Question::new(problem.asserted_only(), constraint);
    match question.decide(limits) {
        Ok(Decided::Holds { because, proofs }) => {
            let lines = problem.lines();
            let because = because
                .iter()
                .map(|index| Cited::new(problem, &lines, *index));
            let proofs = proofs
                .map(|proofs| EntailmentCertificate::new(problem.order(), constraint, proofs));
            (Entailment::Holds(because.collect()), proofs)
        }
        Ok(Decided::Fails(found)) => (question.failing(&found, constraint, limits), None),
        Err(reached) => (Entailment::Unknown(reached.named(limits)), None),
    }
}

enum Decided {
    Holds {
        because: BTreeSet<usize>,
        /// A refutation of each case; `None` where a number does not fit the format.
        proofs: Option<Vec<Certificate>>,
    },
    Fails(Found),
}

impl Question {
    fn decide(&self, limits: Limits) -> Result<Decided, Reached> {
        // Every case is read anew.
        let size = self.statements.list.len() as u64 + 1;
        let most = most_cases(self.alphabet.atoms.len());
        if most.saturating_mul(size) > limits.work {
            return Err(Reached::Work);
        }
        let mut left = effort(limits);
        let mut because = BTreeSet::new();
        let mut proofs = Some(Vec::new());
        let cases = cases(&self.goal, &self.statements, &self.alphabet)?;
        let count = cases.len();
        for case in cases {
            let statements = self.statements.with(case);
            let (answer, done) = decide(&statements, left);
            left.branches -= done.branches.min(left.branches);
            left.clauses -= done.clauses.min(left.clauses);
            match answer {
                Answer::Refuted(refutation) => {
                    let own = |index: &usize| *index < self.statements.list.len();
                    because.extend(cited(&refutation).into_iter().filter(own));
                    let proof = certificate(&refutation, &self.problem);
                    proofs = proofs.zip(proof).map(|(mut proofs, proof)| {
                        proofs.push(proof);
                        proofs
                    });
                }
                Answer::Open(reached) => return self.whatever_case(count, limits).ok_or(reached),
                Answer::Found(found) => return Ok(Decided::Fails(found)),
            }
        }
        Ok(Decided::Holds { because, proofs })
    }

    /// Refutes every one of so many cases at once where the other constraints have no solution by themselves. A case is
    /// not always easier to decide than the set without it.
    fn whatever_case(&self, count: usize, limits: Limits) -> Option<Decided> {
        let Answer::Refuted(refutation) = decide(&self.statements, effort(limits)).0 else {
            return None;
        };
        let proof = certificate(&refutation, &self.problem);
        Some(Decided::Holds {
            because: cited(&refutation).into_iter().collect(),
            proofs: proof.map(|proof| vec![proof; count]),
        })
    }

    /// Returns a solution in which the constraint does not hold, checked by the definition of satisfaction (Def. 3.4).
    fn failing(&self, found: &Found, constraint: &Constraint, limits: Limits) -> Entailment {
        if found.longest() > u64::from(limits.rank) {
            let why = "it does not hold in a solution whose rows are too long to be spelled out; --rank raises that limit";
            return Entailment::Unknown(why.into());
        }
        let ground = found.ground(&self.problem);
        let set = self.problem.to_set();
        let (asked, order) = (set.constraints.len() - 1, self.problem.order());
        let given = &set.constraints[..asked];
        if ground.first_violated(given, order).is_none()
            && ground.satisfies(constraint, order) == Some(false)
        {
            return Entailment::Fails(ground);
        }
        let why = match self.problem.has_sizes() {
            true => "sizes are related by windows, concatenations, products or bounds",
            false => "a solution did not pass its check, which is a defect of lozenge",
        };
        Entailment::Unknown(why.into())
    }
}

/// Returns the equations that give a variable its value.
fn equations(ground: &Ground, var: &Var) -> Vec<Constraint> {
    match var {
        Var::Dim(dim) => match ground.dims.get(dim) {
            Some(value) => {
                let value = DimTerm::Const(value.clone());
                vec![Constraint::DimEq(DimTerm::Var(dim.clone()), value)]
            }
            None => Vec::new(),
        },
        Var::Row(row) => match ground.rows.get(row) {
            Some(value) => {
                let (row, value) = (
                    RowTerm::open(Vec::new(), row.clone(), Vec::new()),
                    written(value),
                );
                let below = Constraint::RowLe(row.clone(), value.clone());
                vec![below, Constraint::RowLe(value, row)]
            }
            None => Vec::new(),
        },
    }
}

/// Returns a row as a term.
fn written(row: &Row) -> RowTerm {
    let terms = |axes: &[Dim]| axes.iter().cloned().map(DimTerm::Const).collect();
    RowTerm::closed(terms(&row.leading), terms(&row.trailing))
}

/// Returns the variables whose values all solutions share, given one solution. Of rows, with their markers; the
/// one-shot order does not see those, so that no row is forced in it.
fn forced(problem: &Problem, solution: &Ground, limits: Limits) -> Forced {
    let mut forced = Forced::default();
    let dims = solution.dims.keys().cloned().map(Var::Dim);
    let rows = solution.rows.keys().cloned().map(Var::Row);
    let rows = rows.filter(|_| problem.order() == Order::Marked);
    let mut open: BTreeSet<Var> = dims.chain(rows).collect();
    while let Some(var) = open.pop_first() {
        let equations = equations(solution, &var);
        let answers = equations
            .iter()
            .map(|equation| entails(problem, equation, limits).0);
        match answers
            .into_iter()
            .find(|answer| !matches!(answer, Entailment::Holds(_)))
        {
            // A variable that differs there is not forced either.
            Some(Entailment::Fails(other)) => open.retain(|var| is_same(solution, &other, var)),
            Some(Entailment::Unknown(why)) => {
                forced.undecided.insert(var, why);
            }
            Some(Entailment::Holds(_)) | None => keep(&mut forced.values, solution, &var),
        }
    }
    forced
}

fn is_same(one: &Ground, other: &Ground, var: &Var) -> bool {
    match var {
        Var::Dim(dim) => one.dims.get(dim) == other.dims.get(dim),
        Var::Row(row) => one.rows.get(row) == other.rows.get(row),
    }
}

fn keep(values: &mut Ground, from: &Ground, var: &Var) {
    match var {
        Var::Dim(dim) => {
            if let Some(value) = from.dims.get(dim) {
                values.dims.insert(dim.clone(), value.clone());
            }
        }
        Var::Row(row) => {
            if let Some(value) = from.rows.get(row) {
                values.rows.insert(row.clone(), value.clone());
            }
        }
    }
}

impl Solver {
    /// Decides whether a constraint holds in every solution of the problem, from the constraints alone, with a
    /// certificate if it does. Its variables need not occur in the problem. If the problem has no solution, everything
    /// holds.
    ///
    /// ```
    /// use lozenge_solver::{Entailment, Problem, Solver};
    ///
    /// let solver = Solver::new(Problem::parse("3 <= a\na <= b\n<r> <= [<s> b]\n<r> <= [7, 2]")?);
    /// let asked = |text: &str| solver.entails(&text.parse().unwrap()).0;
    /// assert!(matches!(asked("b <= 1_"), Entailment::Holds(_)));
    /// assert!(matches!(asked("b = 3"), Entailment::Fails(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn entails(&self, constraint: &Constraint) -> (Entailment, Option<EntailmentCertificate>) {
        if self.problem().has_summands() {
            let why = "what follows is not decided where a part of an axis may be 0 (`summand`)";
            return (Entailment::Unknown(why.into()), None);
        }
        if !self.problem().flats.is_empty() {
            let why =
                "what follows from rows side by side (`++`) is decided by `lozenge oracle` alone";
            return (Entailment::Unknown(why.into()), None);
        }
        entails(self.problem(), constraint, self.options().limits)
    }

    /// Returns the values that all solutions share, from what complete mode has decided; none if it has found no
    /// solution.
    pub fn forced(&self, decision: &Decision) -> Forced {
        match (&decision.verdict, &decision.solution) {
            (Verdict::Sat, Some(solution)) if self.problem().has_summands() => {
                let why =
                    "what is forced is not decided where a part of an axis may be 0 (`summand`)";
                let dims = solution.dims.keys().chain(&solution.zeros);
                let rows = solution.rows.keys().cloned().map(Var::Row);
                let vars = dims.cloned().map(Var::Dim).chain(rows);
                Forced {
                    undecided: vars.map(|var| (var, why.to_string())).collect(),
                    ..Forced::default()
                }
            }
            (Verdict::Sat, Some(solution)) => {
                forced(self.problem(), solution, self.options().limits)
            }
            _ => Forced::default(),
        }
    }
}
