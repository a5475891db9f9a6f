//! The search for lengths of least total rank at which no clash is left.
//!
//! Branches are looked at in the order of the least total rank that the linear inequalities allow in them, so that the
//! first point without a clash has the least rank of all. A branch in which they have no solution is closed with a
//! combination that refutes them; a refutation that does not use what a branch assumes closes what lies above it. A
//! clash adds a clause: one of its conditions fails. The branches of a clause assume that its first condition fails, or
//! that the first holds and the second fails, and so on.
//!
//! A search goes on when constraints are added. Its conclusions still hold: a clause rests on the constraints of
//! its walks, a closed branch stays closed, and the total rank of a branch is not less than it was.

mod clauses;
mod closing;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use lozenge_sizes::{Combination, Form, Int, Overflow, Simplex, Stopped, Variable};

use self::clauses::{Clause, Condition};
use crate::complete::decide::atoms::{AtomRun, Atoms, Lengths, Occurrences, find};
use crate::complete::decide::normalised::{NormalisedSet, leading, trailing};
use crate::complete::decide::scheme::{Bodies, Quotients, Scheme, rounded, scheme};
use crate::ids::{
    AssertedId, BranchId, ClauseId, DimVarId, Id, IdVec, ProofId, QuotientId, RowVarId, all,
};
use crate::options::Limits;
use crate::term::Term;

/// The limits of the search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Branches that are opened.
    pub(crate) branches: u64,
    /// Clauses that are learned.
    pub(crate) clauses: u64,
    /// Terms of linear forms that are read or written.
    pub(crate) work: u64,
    /// The number of runs of equal atoms that there may be at one point.
    pub(crate) runs: usize,
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    Branches,
    Clauses,
    Work,
    Runs,
    /// A number is too large for the arithmetic.
    Numbers,
}

/// A solution: the lengths of rows, and the atoms that reach their places.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) lengths: Lengths,
    /// By row, where a run begins, where it ends, and its atom; what is left out is the unit.
    pub(crate) rows: IdVec<RowVarId, Vec<AtomRun>>,
    pub(crate) dims: IdVec<DimVarId, Option<Term>>,
}

/// The answer.
#[derive(Debug)]
pub(crate) enum Answer {
    Found(Found),
    Refuted(Refutation),
    Open(Reached),
}

/// The work that was done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) branches: u64,
    pub(crate) clauses: u64,
}

/// The origin of an inequality of a refutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A demand of a constraint on lengths: its number, and which of its forms.
    Length(AssertedId, usize),
    /// A length is not negative.
    Natural(Variable),
    /// An assumption beyond the constraints, by its number.
    Case(usize),
    /// The definition of a quotient: its number, and which of its forms.
    Quotient(QuotientId, usize),
    /// An assumption of a branch.
    Assumed,
    /// The condition that is tried, before it is known in which branches.
    Tried,
}

/// A step of a refutation.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// A combination of inequalities, by their numbers, that is a negative number.
    Sum(Combination),
    /// All conditions of a clause are assumed: its walks clash.
    Clash(ClauseId),
    /// A form is negative, or it is not: the numbers of both assumptions, and the two refutations.
    Split {
        form: Form,
        assumed: [u32; 2],
        parts: [ProofId; 2],
    },
}

/// A refutation of all lengths.
#[derive(Debug)]
pub(crate) struct Refutation {
    pub(crate) schemes: IdVec<ClauseId, Scheme>,
    pub(crate) quotients: Quotients,
    pub(crate) sources: Vec<Source>,
    pub(crate) proofs: IdVec<ProofId, Proof>,
    pub(crate) root: ProofId,
}

/// A refutation of a branch, with the assumptions that it uses.
#[derive(Clone, Debug)]
struct Closed {
    proof: ProofId,
    used: BTreeSet<u32>,
}

#[derive(Clone, Debug)]
enum Child {
    Open,
    Closed(Closed),
}

/// The division of a branch: child k assumes that the first k forms are not negative and that form k is.
#[derive(Clone, Debug)]
struct Division {
    forms: Vec<Form>,
    /// The number of the assumption that the first form is negative; then that it is not; then those of the next form.
    first: u32,
    children: Vec<Child>,
    /// The last child assumes that no form is negative: a clash by that clause, or a branch.
    clause: Option<ClauseId>,
    /// Children from here on are not needed.
    until: usize,
}

#[derive(Clone, Debug)]
struct Node {
    /// The branch that was divided, and which child of it this is.
    parent: Option<(BranchId, usize)>,
    depth: usize,
    /// The number of divisions above it that were made because a least point was no integer.
    halved: u32,
    division: Option<Division>,
    is_closed: bool,
}

/// The part of the statements that has been asserted.
#[derive(Clone, Copy, Debug, Default)]
struct Stated {
    rows: usize,
    constraints: usize,
    assumed: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Search<'a> {
    statements: Cow<'a, NormalisedSet>,
    stated: Stated,
    occurrences: Occurrences,
    effort: Effort,
    done: Done,
    simplex: Simplex,
    total: Form,
    sources: Vec<Source>,
    proofs: IdVec<ProofId, Proof>,
    quotients: Quotients,
    bodies: Bodies,
    schemes: IdVec<ClauseId, Scheme>,
    clauses: IdVec<ClauseId, Clause>,
    nodes: IdVec<BranchId, Node>,
    /// The branches from the root to where the simplex stands, the root left out.
    path: Vec<BranchId>,
    heap: BinaryHeap<Reverse<(Int, Reverse<BranchId>)>>,
}

impl Reached {
    /// Returns the limit with its value, and what raises it: a field of [`Limits`], which the command line has as a
    /// flag.
    pub(crate) fn named(self, limits: Limits) -> String {
        let (limit, of, field) = match self {
            Reached::Branches => (limits.branches, "branches", "branches"),
            Reached::Clauses => (limits.clauses, "excluded clashes", "clauses"),
            Reached::Work => (limits.work, "steps of arithmetic", "work"),
            Reached::Runs => (limits.runs.into(), "runs of equal axes", "runs"),
            Reached::Numbers => {
                return "a number has more than 126 bits, up to which arithmetic is exact; no flag raises that".into();
            }
        };
        format!("the limit of {limit} {of} was reached; --{field} raises it")
    }
}

impl From<Stopped> for Reached {
    fn from(stopped: Stopped) -> Reached {
        match stopped {
            Stopped::Overflow => Reached::Numbers,
            Stopped::Work => Reached::Work,
        }
    }
}

impl From<Overflow> for Reached {
    fn from(_: Overflow) -> Reached {
        Reached::Numbers
    }
}

/// After so many divisions at points that are no integers, divisions are thorough, so that they come to an end.
const HALVED: u32 = 8;

/// The branch that assumes nothing: all others lie below it.
const ROOT: BranchId = BranchId::FIRST;

/// The number of the source that a condition has while it is tried.
const TRIED: u32 = 0;

/// Decides whether there are lengths without a clash.
pub(crate) fn decide(statements: &NormalisedSet, effort: Effort) -> (Answer, Done) {
    let mut search = Search::new(Cow::Borrowed(statements));
    let answer = search.go_on(effort);
    let done = search.done;
    let answer = match answer {
        Ok(Some(found)) => Answer::Found(found),
        Ok(None) => Answer::Refuted(search.refutation()),
        Err(reached) => Answer::Open(reached),
    };
    (answer, done)
}

impl<'a> Search<'a> {
    pub(crate) fn new(statements: Cow<'a, NormalisedSet>) -> Search<'a> {
        let mut search = Search {
            occurrences: Occurrences::of(&statements),
            statements,
            stated: Stated::default(),
            effort: Effort::default(),
            done: Done::default(),
            simplex: Simplex::default(),
            total: Form::default(),
            sources: vec![Source::Tried],
            proofs: IdVec::default(),
            quotients: Quotients::default(),
            bodies: Bodies::default(),
            schemes: IdVec::default(),
            clauses: IdVec::default(),
            nodes: IdVec::default(),
            path: Vec::new(),
            heap: BinaryHeap::new(),
        };
        let root = search.nodes.push(Node {
            parent: None,
            depth: 0,
            halved: 0,
            division: None,
            is_closed: false,
        });
        search.heap.push(Reverse((0, Reverse(root))));
        search
    }

    /// Puts more statements in the place of those that there are, which are the first of them.
    pub(crate) fn grow(&mut self, statements: NormalisedSet) {
        self.occurrences = Occurrences::of(&statements);
        self.statements = Cow::Owned(statements);
    }

    /// Searches, as far as the effort reaches, for lengths of least total rank without a clash; `None` where there are
    /// none. Where constraints are added, the search can go on, but not after it reached a limit: it was stopped at any
    /// point of its work.
    pub(crate) fn go_on(&mut self, effort: Effort) -> Result<Option<Found>, Reached> {
        self.effort = effort;
        self.simplex.work = effort.work;
        self.done = Done::default();
        self.run()
    }

    /// Returns the statements that there are.
    pub(crate) fn statements(&self) -> &NormalisedSet {
        &self.statements
    }

    /// Returns the work that was done since the search was asked to go on.
    pub(crate) fn done(&self) -> Done {
        self.done
    }

    /// Returns the proof that there are no lengths without a clash, of a search that has found that there are none.
    pub(crate) fn refutation(self) -> Refutation {
        Refutation {
            root: ProofId::at(self.proofs.len() - 1),
            schemes: self.schemes,
            quotients: self.quotients,
            sources: self.sources,
            proofs: self.proofs,
        }
    }

    /// Returns a solution, or `None` when every branch is closed; the last proof is then that of the root.
    fn run(&mut self) -> Result<Option<Found>, Reached> {
        if self.nodes[ROOT].is_closed {
            return Ok(None);
        }
        self.total = self.statements.total()?;
        self.go_to(ROOT)?;
        let refuted = match self.state()? {
            Some(refuted) => Some(refuted),
            None => self.simplex.check()?,
        };
        if let Some(combination) = refuted {
            let closed = self.sum(combination);
            self.close(ROOT, closed);
            return Ok(None);
        }
        while let Some(Reverse((least, Reverse(node)))) = self.heap.pop() {
            if self.is_needed(node)
                && let Some(found) = self.look_at(node, least)?
            {
                self.heap.push(Reverse((least, Reverse(node))));
                return Ok(Some(found));
            }
            if self.nodes[ROOT].is_closed {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Asserts what the constraints ask of lengths, as far as that has not been done.
    fn state(&mut self) -> Result<Option<Combination>, Reached> {
        let stated = self.stated;
        self.stated = Stated {
            rows: self.statements.rows,
            constraints: self.statements.list.len(),
            assumed: self.statements.assumed.len(),
        };
        for row in all(self.stated.rows).skip(stated.rows) {
            for variable in [leading(row), trailing(row)] {
                let form = Form::variable(variable);
                if let Some(refuted) = self.assert_new(&form, Source::Natural(variable))? {
                    return Ok(Some(refuted));
                }
            }
        }
        for constraint in all(self.stated.constraints).skip(stated.constraints) {
            for (part, form) in self.statements.lengths(constraint)?.iter().enumerate() {
                let source = Source::Length(constraint, part);
                if let Some(refuted) = self.assert_new(form, source)? {
                    return Ok(Some(refuted));
                }
            }
        }
        for number in stated.assumed..self.stated.assumed {
            let form = self.statements.assumed[number].clone();
            if let Some(refuted) = self.assert_new(&form, Source::Case(number))? {
                return Ok(Some(refuted));
            }
        }
        Ok(None)
    }

    fn assert_new(&mut self, form: &Form, source: Source) -> Result<Option<Combination>, Reached> {
        let number = self.sources.len() as u32;
        self.sources.push(source);
        Ok(self.simplex.assert(form, number)?)
    }

    /// Says whether no branch above was closed, and none was found not to be needed.
    fn is_needed(&self, node: BranchId) -> bool {
        let mut at = node;
        loop {
            if self.nodes[at].is_closed {
                return false;
            }
            let Some((parent, child)) = self.nodes[at].parent else {
                return true;
            };
            let division = self.nodes[parent].division.as_ref();
            if division.is_none_or(|division| child >= division.until) {
                return false;
            }
            at = parent;
        }
    }

    /// Brings the simplex to the assumptions of a branch.
    fn go_to(&mut self, node: BranchId) -> Result<(), Reached> {
        let mut wanted = Vec::with_capacity(self.nodes[node].depth);
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            wanted.push(at);
            at = parent;
        }
        self.simplex.spend(wanted.len())?;
        wanted.reverse();
        let both = self.path.iter().zip(&wanted);
        let same = both.take_while(|(a, b)| a == b).count();
        while self.path.len() > same {
            self.path.pop();
            self.simplex.pop();
        }
        for node in &wanted[same..] {
            self.simplex.push();
            self.path.push(*node);
            if let Some((parent, child)) = self.nodes[*node].parent {
                self.assume(parent, child)?;
            }
        }
        Ok(())
    }

    /// Asserts what a child assumes: that the forms before its own hold, and that its own does not.
    fn assume(&mut self, parent: BranchId, child: usize) -> Result<Option<Combination>, Reached> {
        let Some(division) = &self.nodes[parent].division else {
            return Ok(None);
        };
        let mut refuted = None;
        let forms = division.forms.iter().zip((division.first..).step_by(2));
        for (number, (form, assumption)) in forms.enumerate().take(child + 1) {
            let found = match number < child {
                true => self.simplex.assert(form, assumption + 1)?,
                false => self.simplex.assert(&negative(form)?, assumption)?,
            };
            refuted = refuted.or(found);
        }
        Ok(refuted)
    }

    /// Looks at the least point of a branch: divides the branch, or finds a solution. A branch whose least total rank
    /// is greater than it was thought to be is put back.
    fn look_at(&mut self, node: BranchId, least: Int) -> Result<Option<Found>, Reached> {
        self.go_to(node)?;
        if let Some(combination) = self.simplex.check()? {
            let closed = self.sum(combination);
            self.close(node, closed);
            return Ok(None);
        }
        let now = self.simplex.minimise(&self.total)?;
        if let Some(now) = now.map(|value| value.ceil()).filter(|now| *now > least) {
            self.heap.push(Reverse((now, Reverse(node))));
            return Ok(None);
        }
        let near = self.nearest(node)?;
        let thorough = self.nodes[node].halved >= HALVED;
        if let Some(form) = self.simplex.division(thorough)? {
            match near {
                Some(clause) => {
                    let conditions = self.clauses[clause].conditions.clone();
                    self.divide(node, conditions, Some(clause))?;
                }
                None => self.divide(node, vec![(form, None)], None)?,
            }
            return Ok(None);
        }
        let violated = self.violated()?;
        let clause = match violated {
            Some(clause) => clause,
            None => {
                let lengths = self.lengths()?;
                let runs = self.effort.runs;
                match find(&self.statements, &self.occurrences, &lengths, runs) {
                    Atoms::Found(rows, dims) => {
                        return Ok(Some(Found {
                            lengths,
                            rows,
                            dims,
                        }));
                    }
                    Atoms::TooMany => return Err(Reached::Runs),
                    Atoms::Clash(clash) => {
                        let before = self.quotients.list.len();
                        let (quotients, bodies) = (&mut self.quotients, &mut self.bodies);
                        let scheme = scheme(&self.statements, &lengths, &clash, quotients, bodies);
                        let scheme = scheme.ok_or(Reached::Numbers)?;
                        self.learn(scheme, before)?
                    }
                }
            }
        };
        self.go_to(node)?;
        let conditions = self.clauses[clause].conditions.clone();
        self.divide(node, conditions, Some(clause))?;
        Ok(None)
    }

    /// Returns the value of a variable at a point whose values are integers.
    fn integer(&self, variable: Variable) -> Int {
        self.simplex.value(variable).floor()
    }

    fn lengths(&self) -> Result<Lengths, Reached> {
        let part = |variable| {
            let value = self.integer(variable);
            // Sums of a few lengths still fit a word.
            match value < 1 << 56 {
                true => Ok(value as i64),
                false => Err(Reached::Numbers),
            }
        };
        let lengths: Result<IdVec<RowVarId, [i64; 2]>, Reached> = all(self.statements.rows)
            .map(|row| Ok([part(leading(row))?, part(trailing(row))?]))
            .collect();
        Ok(Lengths(lengths?))
    }

    /// Divides a branch into cases by the signs of some forms. In child `i` form `i` is negative and the forms before
    /// it are not. In a last child no form is negative; if the forms are the conditions of a clause, this case is the
    /// clash that the clause excludes, so this child is left out.
    fn divide(
        &mut self,
        node: BranchId,
        forms: Vec<Condition>,
        clause: Option<ClauseId>,
    ) -> Result<(), Reached> {
        let first = self.sources.len() as u32;
        let count = forms.len();
        self.sources
            .resize(self.sources.len() + 2 * count, Source::Assumed);
        let children = count + usize::from(clause.is_none());
        let (forms, refuted): (Vec<Form>, Vec<Option<Combination>>) = forms.into_iter().unzip();
        self.nodes[node].division = Some(Division {
            forms,
            first,
            children: (0..children).map(|_| Child::Open).collect(),
            clause,
            until: count + 1,
        });
        for (child, refuted) in refuted.into_iter().chain([None]).enumerate().take(children) {
            self.simplex.push();
            let mut refuted = match refuted {
                Some(combination) => Some(clauses::assumed(combination, first, child)),
                None => self.assume(node, child)?,
            };
            if refuted.is_none() {
                refuted = self.simplex.check()?;
            }
            let mut least = 0;
            if refuted.is_none() {
                least = self
                    .simplex
                    .minimise(&self.total)?
                    .map_or(0, |value| value.ceil());
            }
            self.simplex.pop();
            match refuted {
                Some(combination) => {
                    let closed = self.sum(combination);
                    self.close_child(node, child, closed);
                    let until = self.nodes[node].division.as_ref().map_or(0, |d| d.until);
                    if self.nodes[node].is_closed || child + 1 >= until {
                        return Ok(());
                    }
                }
                None => self.open(node, child, least)?,
            }
        }
        // All children may be closed already.
        self.assemble(node);
        Ok(())
    }

    fn open(&mut self, parent: BranchId, child: usize, least: Int) -> Result<(), Reached> {
        self.done.branches += 1;
        if self.done.branches > self.effort.branches {
            return Err(Reached::Branches);
        }
        let division = self.nodes[parent].division.as_ref();
        let is_half = division.is_some_and(|division| division.clause.is_none());
        let halved = self.nodes[parent].halved + u32::from(is_half);
        let node = Node {
            parent: Some((parent, child)),
            depth: self.nodes[parent].depth + 1,
            halved,
            division: None,
            is_closed: false,
        };
        let number = self.nodes.push(node);
        self.heap.push(Reverse((least, Reverse(number))));
        Ok(())
    }
}

/// Returns the form that is at least 0 where a form is negative.
fn negative(form: &Form) -> Result<Form, Overflow> {
    rounded(form).scaled(-1)?.shifted(-1)
}
