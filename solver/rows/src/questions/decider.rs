//! Complete mode over a problem that grows and is taken back.
//!
//! Propagation goes on from what it has concluded, and the search over lengths from its branches: a clash that was
//! excluded stays excluded, and a branch that was closed stays closed, as long as the constraints are there that they
//! rest on. A snapshot shares the search, which is copied when it goes on.

use std::borrow::Cow;
use std::sync::Arc;

use lozenge_vocabulary::{Constraint, Verdict};

use crate::complete::decide::{Certificate, NormalisedSet, Reached, Search, certificate};
use crate::complete::decision::{Decision, effort, found_by, refuted_by};
use crate::options::Options;
use crate::problem::{Problem, Size};
use crate::solver::Solver;
use crate::state::engine::Engine;

/// A problem that complete mode decides again and again, as constraints are added and taken back.
///
/// It answers like [`Solver::decide`]: the verdict is the same and so is the least total rank, but of several solutions
/// of least rank it may return another one, and it may decide what that leaves open at a limit, or the other way round.
/// The limits count for each question by itself. A problem with windows, concatenations, products or bounds is decided
/// from the beginning each time.
///
/// ```
/// use lozenge_solver::{Decider, Problem};
/// use lozenge_vocabulary::Verdict;
///
/// let mut decider = Decider::new(Problem::parse("[3 <r>] ~ [<r> 3]\n<r> <= [1_, 1_ <>]")?);
/// assert_eq!(decider.decide().rank, Some(2));
/// decider.snapshot();
/// decider.add(&"<r> <= [1_, 5 <>]".parse()?);
/// assert_eq!(decider.decide().verdict, Verdict::Unsat);
/// decider.rollback();
/// decider.add(&"<r> <= [<> 1_]".parse()?);
/// assert_eq!(decider.decide().rank, Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decider {
    /// Propagates, and takes no step of policy.
    engine: Engine,
    /// The constraints alone, as far as they were read. The rows that propagation adds to its problem are not in it.
    plain: Problem,
    search: Option<Arc<Search<'static>>>,
    /// The refusal by propagation, if there is one.
    refused: Option<Decision>,
    marks: Vec<Mark>,
}

/// The state at a snapshot, without the engine's.
#[derive(Clone, Debug)]
struct Mark {
    plain: Size,
    search: Option<Arc<Search<'static>>>,
    refused: Option<Decision>,
}

impl Decider {
    /// Decides a problem in the marked order.
    pub fn new(problem: Problem) -> Decider {
        let plain = problem.subset(&[]);
        Decider {
            engine: Engine::new(problem),
            plain,
            ..Decider::default()
        }
    }

    /// Decides a problem with options.
    pub fn with(problem: Problem, options: Options) -> Decider {
        Decider::new(problem.with_options(options))
    }

    /// Returns the problem as it stands.
    pub fn problem(&self) -> &Problem {
        &self.engine.problem
    }

    /// Returns the problem, to be added to. A constraint that is added counts from the next question on. No other
    /// problem may be put in its place.
    pub fn problem_mut(&mut self) -> &mut Problem {
        &mut self.engine.problem
    }

    /// Adds a constraint. It counts from the next question on.
    pub fn add(&mut self, constraint: &Constraint) {
        self.engine.problem.push(constraint);
    }

    /// Decides the problem as it stands.
    pub fn decide(&mut self) -> Decision {
        if self.problem().has_sizes() {
            return self.anew().decide();
        }
        match &self.refused {
            Some(refused) if refused.verdict == Verdict::Unsat => return refused.clone(),
            // A limit stopped propagation somewhere in its work.
            Some(_) => return self.anew().decide(),
            None => {}
        }
        self.engine.begin_work();
        if let Err(failure) = self.engine.propagate() {
            let decision = self.engine.undecided(&failure);
            self.refused = Some(decision.clone());
            return decision;
        }
        // To see what is open, equations are tried.
        self.engine.snapshot();
        let settled = self.engine.settled();
        self.engine.rollback();
        settled.unwrap_or_else(|| self.search())
    }

    /// Decides the problem from the constraints alone, and says why there is no solution in a form that a small program
    /// can check. The certificate is there where the answer is `unsat`.
    pub fn certify(&mut self) -> (Decision, Option<Certificate>) {
        if self.problem().has_sizes() {
            return self.anew().certify();
        }
        let decision = self.search();
        let closed = self.search.as_ref();
        let closed = closed.filter(|_| decision.verdict == Verdict::Unsat);
        let refutation = closed.map(|search| Search::clone(search).refutation());
        let proof = refutation.and_then(|refutation| certificate(&refutation, &self.plain));
        (decision, proof)
    }

    /// Returns a solver of the problem as it stands, which knows nothing of what was decided.
    fn anew(&self) -> Solver {
        Solver::new(self.problem().clone())
    }

    /// Goes on with the search over lengths.
    fn search(&mut self) -> Decision {
        self.read();
        let (statements, limits) = (NormalisedSet::of(&self.plain), self.options().limits);
        let shared = self
            .search
            .get_or_insert_with(|| Arc::new(Search::new(Cow::Owned(NormalisedSet::default()))));
        let search = Arc::make_mut(shared);
        search.grow(statements);
        let answer = search.go_on(effort(limits));
        let done = search.done();
        let decision = match answer {
            Ok(Some(found)) => found_by(&found, &self.plain, search.statements(), limits),
            Ok(None) => refuted_by(&search.clone().refutation()),
            Err(reached) => self.stopped(reached),
        };
        decision.after(done)
    }

    /// Returns a search that a limit has stopped begins anew with the next question.
    fn stopped(&mut self, reached: Reached) -> Decision {
        self.search = None;
        Decision::unknown(reached.named(self.options().limits))
    }

    /// Reads the constraints that were added since the last time.
    fn read(&mut self) {
        let (from, to) = (self.plain.len(), self.engine.problem.len());
        for constraint in (from..to).filter_map(|at| self.engine.problem.constraint(at)) {
            self.plain.push(&constraint);
        }
    }

    /// Remembers the state. Snapshots nest.
    pub fn snapshot(&mut self) {
        self.read();
        self.engine.snapshot();
        self.marks.push(Mark {
            plain: self.plain.size_now(),
            search: self.search.clone(),
            refused: self.refused.clone(),
        });
    }

    /// Takes everything back to the last snapshot: constraints, names and what was concluded from them. False when
    /// there is none.
    pub fn rollback(&mut self) -> bool {
        let Some(mark) = self.marks.pop() else {
            return false;
        };
        self.plain.truncate(mark.plain);
        self.search = mark.search;
        self.refused = mark.refused;
        self.engine.rollback()
    }

    /// Gives up the last snapshot and keeps what was added since. False when there is none.
    pub fn keep(&mut self) -> bool {
        let open = self.marks.pop().is_some();
        if open {
            self.engine.commit();
        }
        open
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.problem().options
    }
}
