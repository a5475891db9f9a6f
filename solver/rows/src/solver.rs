//! The solver that a program embeds.

use lozenge_vocabulary::{Constraint, Tag, Var, Verdict};
use serde::{Deserialize, Serialize};

use crate::complete::decide::Certificate;
use crate::complete::decision::{Decision, certified, certified_of};
use crate::explain::derivation::Derivation;
use crate::explain::known::Known;
use crate::explain::refusal::{Cited, Goal, Refusal};
use crate::explain::solution::Solution;
use crate::options::Options;
use crate::problem::handle::{ProblemError, RowRef};
use crate::problem::{Problem, Size};
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Failure;

/// A problem and everything that has been concluded of it. Constraints may be added between solves.
///
/// An answer is a function of the constraints: it does not depend on what was asked before. Consequences of constraints
/// are kept when others are added. Choices of policy are not kept, since they were made for fewer constraints: then all
/// of them are solved anew, which takes as long as the first time.
///
/// ```
/// use lozenge_solver::{Problem, Solver};
///
/// let problem = Problem::parse("<c> <= <a>\n<c> <= <b>\n[5, 3] <= <a>\n<c> ~ [2, 5, 3]")?;
/// let mut solver = Solver::new(problem);
/// solver.close()?;
/// assert_eq!(solver.solution().row("c").unwrap().to_string(), "[2, 5, 3]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Solver {
    engine: Engine,
    /// The problem, once it has been solved anew: the engine has a copy of it, and solving adds to that copy alone.
    stated: Option<Box<Problem>>,
    refused: Option<Refusal>,
    /// The question that the last run refused; the engine is half done then.
    refused_to: Option<Goal>,
    /// The solver of the case that the last solve found, where parts of axes may be 0: its solution is that of the
    /// problem.
    case: Option<Box<Solver>>,
    /// The state of the solver at each open snapshot.
    stood_at: Vec<Stood>,
}

/// The state of the solver at a snapshot.
#[derive(Clone, Debug)]
struct Stood {
    refused: Option<Refusal>,
    refused_to: Option<Goal>,
    case: Option<Box<Solver>>,
    /// The size to which the problem had grown, where the engine has a copy of it.
    stated: Option<Size>,
    /// The engine of that time, once the problem has been solved anew since.
    engine: Option<Box<Engine>>,
}

/// The work of a solve, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// The markers that policy placed.
    pub placements: u64,
    /// The deferred equations that policy resolved.
    pub resolutions: u64,
    /// The conclusions on record, each with its reasons.
    pub inferences: usize,
    /// The dimension variables, those made up for axes of rows included.
    pub dims: usize,
    /// The inequalities on record between dimension variables that were unsolved at the time.
    pub dim_inequalities: usize,
    /// The row variables, those made up included.
    pub rows: usize,
    /// The places in which the axes of row variables lie; rows that share their axes have one place for them.
    pub axes: usize,
    /// The bytes of the solver's state beyond the problem.
    pub bytes: usize,
    /// The work done so far, in the steps of [`Limits::policy_work`](crate::Limits::policy_work); a rollback takes none
    /// of it back.
    pub steps: u64,
}

impl std::error::Error for Refusal {}

impl Solver {
    /// Returns a solver of a problem, in the marked order and with the usual limits; a problem that comes from another
    /// solver keeps the settings that it had there.
    pub fn new(problem: Problem) -> Solver {
        Solver {
            engine: Engine::new(problem),
            ..Solver::default()
        }
    }

    /// Returns a solver with options.
    ///
    /// In the one-shot order `R ⊑¹ S` is read as `⟨f⟩ ≈ R` and `⟨f⟩ ⊑ S` for a new f: some row with R's content is
    /// below S, wherever its marker stands (Rem. 2.15(ii)). Policy mode commits the markers of both, so that it refuses
    /// more than in the marked order; complete mode decides.
    ///
    /// ```
    /// use lozenge_solver::{Options, Problem, Solver};
    /// use lozenge_vocabulary::{Order, Verdict};
    ///
    /// let problem = Problem::parse("[3 <> 5] <= [3, 5 <>]")?;
    /// assert_eq!(Solver::new(problem.clone()).verdict(), Verdict::Unsat);
    /// let options = Options { order: Order::OneShot, ..Options::default() };
    /// assert_eq!(Solver::with(problem, options).verdict(), Verdict::Sat);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with(problem: Problem, options: Options) -> Solver {
        Solver::new(problem.with_options(options))
    }

    /// Returns the problem as it stands.
    pub fn problem(&self) -> &Problem {
        match &self.stated {
            Some(stated) => stated,
            None => &self.engine.problem,
        }
    }

    /// Returns the problem, to be added to. A constraint that is added counts from the next solve on. The solver refers
    /// to what it has read of the problem, so no other problem may be put in its place: make a solver of its own for
    /// that one.
    pub fn problem_mut(&mut self) -> &mut Problem {
        match &mut self.stated {
            Some(stated) => stated,
            None => &mut self.engine.problem,
        }
    }

    /// Adds a constraint. It counts from the next solve on.
    pub fn add(&mut self, constraint: &Constraint) {
        self.problem_mut().push(constraint);
    }

    /// Declares a variable.
    ///
    /// # Errors
    /// The tag that it has already, when that is another one.
    pub fn declare(&mut self, var: &Var, tag: Tag) -> Result<(), Tag> {
        self.problem_mut().declare(var, tag)
    }

    /// Brings the problem to a solved form (Def. 5.3), deferred equations resolved by policy. Only what was added
    /// since the last time is worked on.
    ///
    /// # Errors
    /// The refusal. `unsat` stands until a rollback, every other one until a constraint is added. Its verdict is
    /// `Unknown` where a limit of [`crate::Limits`] was reached.
    pub fn solve(&mut self) -> Result<(), Box<Refusal>> {
        self.solve_so_far()?;
        match self.witnessed() {
            Ok(()) => Ok(()),
            Err(failure) => {
                // Nothing is half done, and closing may do what solving cannot.
                let refusal = self.engine.refusal(&failure, Goal::Solve);
                self.refused = Some(refusal.clone());
                Err(Box::new(refusal))
            }
        }
    }

    /// Solves a problem that will get more constraints, or that is closed next. Unlike [`Solver::solve`] it does not
    /// fail where an open row in a product may need more axes than are known of it.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_so_far(&mut self) -> Result<(), Box<Refusal>> {
        self.run(Goal::Solve)
    }

    /// Gives back the memory that only more constraints would need. They may be added all the same.
    pub fn shrink(&mut self) {
        self.engine.shrink();
    }

    /// Solves and closes (Def. 6.1): leaves downward, the rest upward.
    ///
    /// # Errors
    /// The refusal, as of [`Solver::solve`]. Where a size is open it proposes what may be stated
    /// ([`Refusal::proposed`]).
    pub fn close(&mut self) -> Result<(), Box<Refusal>> {
        let is_refused = self.standing(Goal::Close).is_some();
        self.run(Goal::Close).map_err(|mut refusal| {
            if !is_refused {
                self.propose(&mut refusal);
                self.refused = Some(Refusal::clone(&refusal));
            }
            refusal
        })
    }

    /// Concludes which sizes all constraints together force. Solving concludes what one constraint forces, which is all
    /// that it needs to know that there is a solution; whoever shows the values asks for the rest once. This chooses
    /// nothing, and does nothing where the problem is refused or very many sizes are open.
    ///
    /// ```
    /// use lozenge_solver::{DimVar, Problem, Solver};
    ///
    /// let mut solver = Solver::new(Problem::parse("t = a ^ b\nu = b ^ a ^ a\nt = 5\nu = 7")?);
    /// solver.solve()?;
    /// let is_forced = |solver: &Solver| solver.solution().solved_form().forced.dims.contains_key(&DimVar::new("a"));
    /// assert!(!is_forced(&solver));
    /// solver.conclude_sizes();
    /// assert!(is_forced(&solver));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conclude_sizes(&mut self) {
        match &mut self.case {
            _ if self.refused.is_some() => {}
            Some(case) => case.engine.conclude_sizes(),
            None => self.engine.conclude_sizes(),
        }
    }

    pub(crate) fn set_case(&mut self, case: Option<Solver>) {
        self.case = case.map(Box::new);
    }

    /// Returns the engine whose conclusions are those of the problem.
    fn concluding(&self) -> &Engine {
        self.case.as_ref().map_or(&self.engine, |case| &case.engine)
    }

    /// Asks whether rows whose elements are counted need no more axes than are known of them.
    pub(crate) fn witnessed(&self) -> EngineResult {
        self.concluding().witnessed()
    }

    pub(crate) fn run(&mut self, goal: Goal) -> Result<(), Box<Refusal>> {
        if let Some(refusal) = self.standing(goal) {
            return Err(Box::new(refusal.clone()));
        }
        self.begin(goal)?;
        self.case = None;
        if self.problem().has_summands() && !self.engine.takes_rests() {
            return self.run_cases(goal).inspect_err(|refusal| {
                self.refused = Some(Refusal::clone(refusal));
                self.refused_to = Some(goal);
            });
        }
        match self.engine.run_to(goal) {
            Ok(()) => Ok(()),
            Err(failure) => Err(Box::new(self.refuse(&failure, goal))),
        }
    }

    /// Returns the refusal that answers what is asked now as well.
    fn standing(&self, goal: Goal) -> Option<&Refusal> {
        let (refusal, refused_to) = (self.refused.as_ref()?, self.refused_to?);
        let is_asked_again = refused_to == goal || goal == Goal::Close;
        let is_unsat = refusal.verdict == Verdict::Unsat;
        let stands = match self.is_behind() {
            // With more constraints the rules may come to another end, since an equation can be taken up otherwise.
            true => is_unsat && !self.engine.has_equations(),
            false => is_unsat || is_asked_again,
        };
        stands.then_some(refusal)
    }

    /// Says whether the engine has not taken in all that has been stated.
    fn is_behind(&self) -> bool {
        let (problem, copy) = (self.problem(), &self.engine.problem);
        problem.len() > self.engine.progress.entered
            || problem.declared()
                != self
                    .engine
                    .progress
                    .declared_when_closed
                    .unwrap_or(problem.declared())
            || self.stated.is_some()
                && (problem.declared() != copy.declared()
                    || problem.summands.len() != copy.summands.len())
    }

    /// Makes the engine ready to go on with: a new one where policy has chosen something for fewer constraints than
    /// there are now, or would choose it for what it has concluded of them bit by bit.
    fn begin(&mut self, goal: Goal) -> Result<(), Box<Refusal>> {
        self.refused = None;
        if let Some(stated) = &self.stated {
            self.engine.problem.take_words_from(stated);
        }
        let is_half_done = self.refused_to.take().is_some();
        let is_behind = self.is_behind();
        let is_chosen = self.stated.is_some() || self.engine.has_chosen();
        if is_half_done || is_behind && is_chosen {
            self.begin_anew();
        } else if is_behind && self.engine.progress.entered > 0 && !self.problem().has_summands() {
            self.engine.begin_work();
            match self.engine.propagate() {
                // Taken up in another order, the equations may leave something to be chosen first.
                Err(_) if self.engine.has_equations() => self.begin_anew(),
                Err(failure) => return Err(Box::new(self.refuse(&failure, goal))),
                Ok(()) if self.engine.is_late() || self.engine.is_to_choose() => self.begin_anew(),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Puts a new engine in the place of the one there is, which is kept for the snapshot that was taken of it.
    fn begin_anew(&mut self) {
        let stated = match self.stated.take() {
            Some(stated) => stated,
            None => Box::new(self.engine.problem.as_stated()),
        };
        let mut engine = Engine::new(Problem::clone(&stated));
        engine.meter.steps = self.engine.meter.steps;
        let before = std::mem::replace(&mut self.engine, engine);
        if let Some(stood) = self.stood_at.last_mut()
            && stood.engine.is_none()
        {
            stood.engine = Some(Box::new(before));
        }
        self.stated = Some(stated);
    }

    fn refuse(&mut self, failure: &Failure, goal: Goal) -> Refusal {
        let refusal = self.engine.refusal(failure, goal);
        self.refused = Some(refusal.clone());
        self.refused_to = Some(goal);
        refusal
    }

    /// Returns `sat`, `unsat` or `rejected`: the answer of policy mode (solved form, nothing closed); `unknown` where a
    /// limit was reached.
    pub fn verdict(&mut self) -> Verdict {
        match self.solve() {
            Ok(()) => Verdict::Sat,
            Err(refusal) => refusal.verdict,
        }
    }

    /// Decides the problem in complete mode, from the beginning: what policy has chosen plays no part. Where
    /// neither a marker nor a deferred equation is in question nothing is branched on.
    pub fn decide(&self) -> Decision {
        let mut engine = Engine::new(self.problem().asserted_only());
        if engine.problem.has_summands() && !engine.takes_rests() {
            return self.decide_cases();
        }
        self.cited_here(engine.decide(self.options().limits))
    }

    /// Returns the decision with its constraints cited by the lines of this problem's text, which the constraints alone
    /// do not have.
    fn cited_here(&self, mut decision: Decision) -> Decision {
        if let Some(refusal) = &mut decision.refusal {
            let (problem, lines) = (self.problem(), self.problem().lines());
            let here = |cited: &Cited| Cited::new(problem, &lines, cited.index);
            refusal.chain = refusal.chain.iter().map(here).collect();
        }
        decision
    }

    /// Decides the problem like [`decide`](Solver::decide), from the constraints alone, and says why there is no
    /// solution in a form that a small program can check. The certificate is there where the answer is `unsat`.
    pub fn certify(&self) -> (Decision, Option<Certificate>) {
        // The format of certificates has no 0.
        if self.problem().has_summands() || !self.problem().flats.is_empty() {
            return (self.decide(), None);
        }
        let asserted = self.problem().asserted_only();
        let (decision, certificate) = certified(&asserted, self.options().limits);
        (self.cited_here(decision), certificate)
    }

    /// Constraints of the problem by their numbers, from 0, as refusals cite them. A number that no constraint has is
    /// left out.
    pub fn cited(&self, indices: &[usize]) -> Vec<Cited> {
        let (problem, lines) = (self.problem(), self.problem().lines());
        let indices = indices.iter().filter(|index| **index < problem.len());
        indices
            .map(|index| Cited::new(problem, &lines, *index))
            .collect()
    }

    /// Returns a proof that the constraints behind a refusal of this problem have no solution, in a form that a small
    /// program can check. `None` where the refusal is none for all solutions (it rests on policy, or on a limit), or
    /// rests on constraints of sizes.
    pub fn certify_refusal(&self, refusal: &Refusal) -> Option<Certificate> {
        if refusal.verdict != Verdict::Unsat || self.problem().has_summands() {
            return None;
        }
        let chosen = refusal.chain.iter().map(|cited| cited.index).collect();
        let problem = self.problem().asserted_only();
        certified_of(&problem, &chosen, self.options().limits)
    }

    /// Returns the values as they stand; what is still free stands at its top. Meaningful once solved or closed.
    pub fn solution(&self) -> Solution<'_> {
        Solution::new(self.concluding()).of_problem(self.stated.as_deref())
    }

    /// Returns the facts about a row since the last solve, in time proportional to its axes and independent of the size
    /// of the problem.
    ///
    /// The axes of the row are written down for this, each once, so that one row after the other of a growing problem
    /// can be asked for. A value does not change by being asked for.
    ///
    /// ```
    /// use lozenge_solver::{Problem, Solver};
    ///
    /// let mut solver = Solver::new(Problem::parse("<sum> <= <x>\n<sum> <= <w>\n<x> ~ [8, 3]\nparam <w>")?);
    /// solver.solve()?;
    /// let [sum, w] = ["sum", "w"].map(|name| solver.problem_mut().row(&[], Some(name), &[]).unwrap());
    /// assert_eq!(solver.known(sum)?.row.to_string(), "[8, 3]");
    /// // Nothing says yet how long w is: closing decides.
    /// assert_eq!(solver.known(w)?.row.to_string(), "[]");
    /// assert!(!solver.known(w)?.is_settled());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the row belongs to another problem.
    pub fn known(&mut self, row: RowRef) -> Result<Known, ProblemError> {
        if let Some(case) = &mut self.case {
            return case.known(row);
        }
        let own = match (self.engine.problem.own_row(row), &self.stated) {
            (Err(_), Some(stated)) => {
                // It was made after the copy was taken that the engine has.
                let row = stated.shown_row(stated.own_row(row)?);
                self.engine.problem.intern_row_term(&row)
            }
            (own, _) => own?,
        };
        self.engine.begin_work();
        if let Err(failure) = self.engine.write_row(own) {
            self.refuse(&failure, Goal::Solve);
        }
        let (open, unplaced) = self.engine.end_of(own);
        let solution = self.solution();
        Ok(Known {
            row: solution.row_of(row)?,
            open,
            unplaced,
            unknown_sizes: solution.unknown_sizes(own),
        })
    }

    /// Returns the refusal of the last solve.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refused.as_ref()
    }

    /// Derives the value of a variable; `None` when the problem does not mention it.
    pub fn explain(&self, var: &Var) -> Option<Derivation> {
        let (derivation, _) = self.explain_first(var, usize::MAX)?;
        Some(derivation)
    }

    /// Returns the same with no more than the first `most` steps, and how many steps there are in all. In a deep
    /// program the derivations of all variables are as long as the square of its length, so whoever shows many of them
    /// does not want each step in words. `None` when the problem does not mention the variable.
    pub fn explain_first(&self, var: &Var, most: usize) -> Option<(Derivation, usize)> {
        self.concluding().derivation(var, most)
    }

    /// Returns the constraints that [`Solver::explain`] cites, by their numbers, each once, those of its last steps
    /// first: what a caller needs who shows few of them. `None` when the problem does not mention the variable.
    pub fn constraints_behind(&self, var: &Var) -> Option<Vec<usize>> {
        self.concluding().constraints_behind(var)
    }

    /// Remembers the state. Snapshots nest.
    pub fn snapshot(&mut self) {
        self.engine.snapshot();
        self.stood_at.push(Stood {
            refused: self.refused.clone(),
            refused_to: self.refused_to,
            case: self.case.clone(),
            stated: self.stated.as_ref().map(|stated| stated.size_now()),
            engine: None,
        });
    }

    /// Takes everything back to the last snapshot: conclusions, constraints, names and declarations. The purposes
    /// of variables stay. False when there is none.
    pub fn rollback(&mut self) -> bool {
        let Some(stood) = self.stood_at.pop() else {
            return false;
        };
        (self.refused, self.refused_to) = (stood.refused, stood.refused_to);
        self.case = stood.case;
        if let Some(engine) = stood.engine {
            let steps = self.engine.meter.steps;
            self.engine = *engine;
            self.engine.meter.steps = steps;
        }
        match (&mut self.stated, stood.stated) {
            (Some(stated), Some(size)) => stated.truncate(size),
            (Some(stated), None) => {
                self.engine.problem.take_words_from(stated);
                self.stated = None;
            }
            (None, _) => {}
        }
        self.engine.rollback()
    }

    /// Gives up the last snapshot and keeps what was done since.
    pub fn keep(&mut self) {
        let Some(stood) = self.stood_at.pop() else {
            return;
        };
        let Some(mut engine) = stood.engine else {
            return self.engine.commit();
        };
        engine.commit();
        if let Some(around) = self.stood_at.last_mut()
            && around.engine.is_none()
        {
            around.engine = Some(engine);
        }
    }

    /// Returns the work done so far, in numbers.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            placements: self.engine.progress.counters.placements,
            resolutions: self.engine.progress.counters.resolutions,
            inferences: self.engine.inferences.len(),
            dims: self.engine.dims.len(),
            dim_inequalities: self.engine.dims.inequalities(),
            rows: self.engine.rows.nodes.len(),
            axes: self.engine.rows.places(),
            bytes: self.engine.bytes(),
            steps: self.engine.meter.steps,
        }
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.problem().options
    }
}
