//! The atoms of all places at given lengths, by reachability: which places are below which atom.
//!
//! Only an atom itself is below it, so that atoms travel from operands to results along `<=`, and both ways along
//! `~` (Defs. 1.2, 2.3, 2.9). A place that two different atoms reach, or a written axis that an atom reaches and that
//! is another one or the unit, is a clash. Without a clash there is a solution: each place is the atom that reaches it,
//! or else the unit.
//!
//! The places of a row that one atom reaches in one way are a *run*, and runs of one atom that touch go on together, so
//! that a row of a million equal axes costs as much as one of two.

use std::collections::{BTreeMap, VecDeque};

use lozenge_sizes::{Form, Int, Variable};

use crate::complete::decide::normalised::{At, NormalisedSet, Side, row_of};
use crate::ids::{AssertedId, DimVarId, IdVec, RowVarId};
use crate::term::Term;

/// The way in which a constraint carries an atom from one of its sides to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cross {
    /// The same place from the left, in the leading axes of the operand.
    Lead,
    /// The same place from the right, in the trailing axes of the operand.
    Trail,
    /// The same place in two equal rows.
    Equal,
}

/// One step of a walk: an atom goes from a place of one side of a constraint to a place of the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) constraint: AssertedId,
    /// The side that it comes from.
    pub(crate) from: usize,
    pub(crate) enter: At,
    pub(crate) cross: Cross,
    pub(crate) land: At,
}

/// Two walks of different atoms to one place, or one walk that ends on a written axis that is not its atom.
#[derive(Clone, Debug)]
pub(crate) struct Clash {
    pub(crate) walks: Vec<Vec<Step>>,
}

/// The lengths of all row variables: how many axes are in front of the marker, and behind it.
#[derive(Clone, Debug)]
pub(crate) struct Lengths(pub(crate) IdVec<RowVarId, [i64; 2]>);

impl Lengths {
    /// Returns the value of the variable that a length is in linear forms.
    pub(crate) fn of(&self, variable: Variable) -> Int {
        let parts = self.0[row_of(variable)];
        Int::from(parts[variable.0 as usize % 2])
    }
}

/// The place of a walk before a step.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// On the written atom that it begins with.
    Start,
    Dim(DimVarId),
    /// In that row, so much further left than after the step.
    Row(RowVarId, i64),
}

/// Places of a row that an atom reaches by one step from places that it reached before: up to `until`, which is left
/// out.
#[derive(Clone, Copy, Debug)]
struct Run {
    until: i64,
    atom: Term,
    step: Step,
    before: Before,
}

/// The place from which an atom goes on.
#[derive(Clone, Copy, Debug)]
enum Due {
    Dim(DimVarId),
    Row(RowVarId),
}

/// Places with one atom: where they begin, where they end, and the atom.
pub(crate) type AtomRun = (i64, i64, Term);

/// The result of propagating atoms.
#[derive(Debug)]
pub(crate) enum Atoms {
    /// By row, the atoms: where a run begins, where it ends, and the atom. By dimension variable, the atom.
    Found(IdVec<RowVarId, Vec<AtomRun>>, IdVec<DimVarId, Option<Term>>),
    Clash(Clash),
    /// More runs than that.
    TooMany,
}

/// A site from which an atom can go on: a constraint, a side of it, and where in that.
type Site = (AssertedId, usize, At);

/// The places of each variable, on the sides that atoms leave from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrences {
    rows: IdVec<RowVarId, Vec<(AssertedId, usize)>>,
    dims: IdVec<DimVarId, Vec<Site>>,
    atoms: Vec<(Site, Term)>,
}

impl Occurrences {
    pub(crate) fn of(statements: &NormalisedSet) -> Occurrences {
        let mut found = Occurrences {
            rows: IdVec::of(statements.rows, Vec::new()),
            dims: IdVec::of(statements.dims, Vec::new()),
            atoms: Vec::new(),
        };
        for (number, statement) in statements.list.iter() {
            for (from, side) in statement.sides.iter().enumerate() {
                if from == 0 && !statement.is_equation {
                    continue;
                }
                if let Some(row) = side.var {
                    found.rows[row].push((number, from));
                }
                for (at, term) in side.axes() {
                    if term.is_var() {
                        found.dims[term.id()].push((number, from, at));
                    } else if term != Term::UNIT {
                        found.atoms.push(((number, from, at), term));
                    }
                }
            }
        }
        found
    }
}

struct Search<'a> {
    statements: &'a NormalisedSet,
    occurrences: &'a Occurrences,
    lengths: &'a Lengths,
    due: VecDeque<Due>,
    /// By row, the runs by where they begin.
    runs: IdVec<RowVarId, BTreeMap<i64, Run>>,
    count: usize,
    /// By row, what atoms have reached and not gone on from.
    fresh: IdVec<RowVarId, Vec<AtomRun>>,
    dims: IdVec<DimVarId, Option<Run>>,
}

/// Finds the atoms at given lengths, with at most so many runs.
pub(crate) fn find(
    statements: &NormalisedSet,
    occurrences: &Occurrences,
    lengths: &Lengths,
    most: usize,
) -> Atoms {
    let mut search = Search {
        statements,
        occurrences,
        lengths,
        due: VecDeque::new(),
        runs: IdVec::of(statements.rows, BTreeMap::new()),
        count: 0,
        fresh: IdVec::of(statements.rows, Vec::new()),
        dims: IdVec::of(statements.dims, None),
    };
    match search.run(most) {
        Ok(()) => search.found(),
        Err(Stop::Clash(walks)) => Atoms::Clash(Clash { walks }),
        Err(Stop::TooMany) => Atoms::TooMany,
    }
}

enum Stop {
    Clash(Vec<Vec<Step>>),
    TooMany,
}

impl Search<'_> {
    fn run(&mut self, most: usize) -> Result<(), Stop> {
        for ((constraint, from, at), atom) in &self.occurrences.atoms {
            self.leave((*constraint, *from, *at), (0, 0), *atom, Before::Start)?;
        }
        while let Some(due) = self.due.pop_front() {
            if self.count > most {
                return Err(Stop::TooMany);
            }
            match due {
                Due::Dim(dim) => {
                    let Some(Run { atom, .. }) = self.dims[dim] else {
                        continue;
                    };
                    for site in &self.occurrences.dims[dim] {
                        self.leave(*site, (0, 0), atom, Before::Dim(dim))?;
                    }
                }
                Due::Row(row) => {
                    let fresh = std::mem::take(&mut self.fresh[row]);
                    for (from, until, atom) in joined(fresh) {
                        for (constraint, side) in &self.occurrences.rows[row] {
                            let site = (*constraint, *side, At::Content);
                            self.leave(site, (from, until), atom, Before::Row(row, 0))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn side(&self, constraint: AssertedId, side: usize) -> &Side {
        &self.statements.list[constraint].sides[side]
    }

    /// Returns the value of a place.
    fn value(&self, place: &Form) -> Result<i64, Stop> {
        let value = place.value(|variable| self.lengths.of(variable));
        let value = value.ok().and_then(|value| i64::try_from(value).ok());
        value.ok_or(Stop::TooMany)
    }

    /// Returns the axes in front of the marker and behind it.
    fn shown(&self, side: &Side) -> [i64; 2] {
        let inner = side.var.map_or([0; 2], |row| self.lengths.0[row]);
        [
            side.lead.len() as i64 + inner[0],
            side.trail.len() as i64 + inner[1],
        ]
    }

    /// Lets an atom go on from places of a row variable, or from a written axis, through one constraint.
    fn leave(
        &mut self,
        (constraint, from, enter): Site,
        places: (i64, i64),
        atom: Term,
        before: Before,
    ) -> Result<(), Stop> {
        let statement = &self.statements.list[constraint];
        let (source, target) = (&statement.sides[from], &statement.sides[1 - from]);
        let (shown, other) = (self.shown(source), self.shown(target));
        let (rank, rank_of_target) = (shown[0] + shown[1], other[0] + other[1]);
        let (first, last) = match enter {
            At::Lead(k) => (i64::from(k), i64::from(k) + 1),
            At::Content => {
                let lead = source.lead.len() as i64;
                (lead + places.0, lead + places.1)
            }
            At::Trail(k) => {
                let at = rank - source.trail.len() as i64 + i64::from(k);
                (at, at + 1)
            }
        };
        let crossings: &[(Cross, i64, i64, i64)] = match (statement.is_equation, &statement.place) {
            (true, None) => &[(Cross::Equal, 0, rank, 0)],
            (true, Some(place)) => {
                let place = self.value(place)?;
                match from {
                    0 => &[(Cross::Equal, place, place + rank_of_target, -place)],
                    _ => &[(Cross::Equal, 0, rank, place)],
                }
            }
            (false, _) => &[
                (Cross::Lead, 0, shown[0], 0),
                (Cross::Trail, shown[0], rank, rank_of_target - rank),
            ],
        };
        for (cross, least, most, shift) in crossings {
            let reached = (first.max(*least) + shift, last.min(*most) + shift);
            let before = match before {
                Before::Row(row, _) => {
                    let leads = target.lead.len() as i64 - source.lead.len() as i64;
                    Before::Row(row, shift - leads)
                }
                other => other,
            };
            self.arrive((constraint, from, enter), *cross, reached, atom, before)?;
        }
        Ok(())
    }

    /// Lets an atom reach the places from `low` up to `high` of the other side of a constraint: written axes, places of
    /// the row variable, or some of both.
    fn arrive(
        &mut self,
        (constraint, from, enter): Site,
        cross: Cross,
        (low, high): (i64, i64),
        atom: Term,
        before: Before,
    ) -> Result<(), Stop> {
        let target = &self.statements.list[constraint].sides[1 - from];
        let step = |land| Step {
            constraint,
            from,
            enter,
            cross,
            land,
        };
        let shown = self.shown(target);
        let lead = target.lead.len() as i64;
        let content = shown[0] + shown[1] - target.trail.len() as i64;
        for at in low..high.min(lead) {
            self.reach_axis(step(At::Lead(at as u32)), atom, before)?;
        }
        if let Some(row) = target.var
            && low.max(lead) < high.min(content)
        {
            let run = Run {
                until: high.min(content) - lead,
                atom,
                step: step(At::Content),
                before,
            };
            self.reach_row(row, low.max(lead) - lead, run)?;
        }
        for at in low.max(content)..high {
            self.reach_axis(step(At::Trail((at - content) as u32)), atom, before)?;
        }
        Ok(())
    }

    /// Lets an atom reach a written axis.
    fn reach_axis(&mut self, step: Step, atom: Term, before: Before) -> Result<(), Stop> {
        let Some(term) = self.side(step.constraint, 1 - step.from).axis(step.land) else {
            return Ok(());
        };
        let run = Run {
            until: 0,
            atom,
            step,
            before,
        };
        if !term.is_var() {
            return match term == atom {
                true => Ok(()),
                false => Err(Stop::Clash(vec![self.walk(run, self.position(step))])),
            };
        }
        match self.dims[term.id()] {
            None => {
                self.dims[term.id()] = Some(run);
                self.due.push_back(Due::Dim(term.id()));
                Ok(())
            }
            Some(known) if known.atom == atom => Ok(()),
            Some(known) => Err(Stop::Clash(vec![
                self.walk(run, self.position(step)),
                self.walk(known, self.position(known.step)),
            ])),
        }
    }

    /// Lets an atom reach places of a row. Those that it has reached before are left out.
    fn reach_row(&mut self, row: RowVarId, from: i64, run: Run) -> Result<(), Stop> {
        let runs = &self.runs[row];
        let begins_before = runs.range(..=from).next_back();
        let inside = runs
            .range(from + 1..)
            .take_while(|(low, _)| **low < run.until);
        let known = begins_before.into_iter().chain(inside);
        let mut free = from;
        let mut gaps = Vec::new();
        for (low, other) in known.filter(|(_, other)| other.until > from) {
            if other.atom != run.atom {
                let at = (*low).max(from);
                return Err(Stop::Clash(vec![self.walk(run, at), self.walk(*other, at)]));
            }
            if *low > free {
                gaps.push((free, *low));
            }
            free = other.until;
        }
        if free < run.until {
            gaps.push((free, run.until));
        }
        for (from, until) in gaps {
            self.count += 1;
            self.runs[row].insert(from, Run { until, ..run });
            let fresh = &mut self.fresh[row];
            if fresh.is_empty() {
                self.due.push_back(Due::Row(row));
            }
            fresh.push((from, until, run.atom));
        }
        Ok(())
    }

    /// Returns the written axis that a step lands on, as a place of the row variable beside it, to the left or the
    /// right of it.
    fn position(&self, step: Step) -> i64 {
        let side = self.side(step.constraint, 1 - step.from);
        let [front, back] = self.shown(side);
        match step.land {
            At::Lead(k) => i64::from(k) - side.lead.len() as i64,
            At::Trail(k) => {
                front + back - (side.lead.len() + side.trail.len()) as i64 + i64::from(k)
            }
            At::Content => 0,
        }
    }

    /// Returns the steps by which an atom came to a place of a run.
    fn walk(&self, run: Run, position: i64) -> Vec<Step> {
        let (mut run, mut position) = (run, position);
        let mut steps = vec![run.step];
        loop {
            let before = match run.before {
                Before::Start => None,
                Before::Dim(dim) => {
                    let run = self.dims[dim];
                    position = run.map_or(position, |run| self.position(run.step));
                    run
                }
                Before::Row(row, shift) => {
                    position -= shift;
                    let found = self.runs[row].range(..=position).next_back();
                    found.map(|(_, run)| *run)
                }
            };
            match before {
                Some(before) => run = before,
                None => break,
            }
            steps.push(run.step);
        }
        steps.reverse();
        steps
    }

    fn found(self) -> Atoms {
        let of_row = |runs: &BTreeMap<i64, Run>| {
            let runs = runs.iter().map(|(from, run)| (*from, run.until, run.atom));
            joined(runs.collect())
        };
        let rows = self.runs.values().map(of_row).collect();
        let dims = self.dims.values();
        Atoms::Found(rows, dims.map(|run| run.map(|run| run.atom)).collect())
    }
}

/// Runs in order, those of one atom that touch made one.
fn joined(mut runs: Vec<AtomRun>) -> Vec<AtomRun> {
    runs.sort_unstable();
    runs.dedup_by(|next, run| {
        let touch = run.1 == next.0 && run.2 == next.2;
        if touch {
            run.1 = next.1;
        }
        touch
    });
    runs
}
