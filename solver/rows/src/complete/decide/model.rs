//! A solution, given by the lengths of rows and the atoms of their places: written out, or checked run by run where it
//! is too long for that.

use lozenge_sizes::Form;
use lozenge_vocabulary::{Dim, DimTerm, Ground, Row};

use crate::complete::decide::atoms::AtomRun;
use crate::complete::decide::normalised::{At, Normalised, NormalisedSet, Side};
use crate::complete::decide::search::Found;
use crate::explain::in_runs::{InRuns, RowInRuns};
use crate::ids::RowVarId;
use crate::problem::Problem;
use crate::term::Term;

/// The numbers of axes of a row in front of its marker and behind it.
pub(crate) struct Length {
    pub(crate) row: RowVarId,
    pub(crate) lead: u32,
    pub(crate) trail: u32,
}

impl Found {
    /// Returns the sum of all ranks.
    pub(crate) fn total(&self) -> u64 {
        let ranks = self.lengths.0.values();
        ranks.map(|[x, y]| (x + y).unsigned_abs()).sum()
    }

    /// Returns the longest rank.
    pub(crate) fn longest(&self) -> u64 {
        let ranks = self.lengths.0.values();
        ranks
            .map(|[x, y]| (x + y).unsigned_abs())
            .max()
            .unwrap_or(0)
    }

    fn value(&self, term: Term) -> Term {
        match term.is_var() {
            true => self.dims[term.id()].unwrap_or(Term::UNIT),
            false => term,
        }
    }

    /// Returns the values of all variables of the problem, axis by axis.
    pub(crate) fn ground(&self, problem: &Problem) -> Ground {
        let dim = |term: Term| problem.constants.dim(term.constant_id()).clone();
        let mut ground = Ground::default();
        for (id, atom) in self.dims.iter() {
            if let DimTerm::Var(var) = problem.show_dim(Term::var(id)) {
                if problem.zeros.contains(&id) {
                    ground.zeros.insert(var);
                    continue;
                }
                ground.dims.insert(var, dim(atom.unwrap_or(Term::UNIT)));
            }
        }
        let lengths = self.lengths.0.iter().take(problem.row_names.len());
        for (row, [x, y]) in lengths {
            let mut flat = vec![Dim::Unit; (x + y) as usize];
            for (from, until, atom) in &self.rows[row] {
                flat[*from as usize..*until as usize].fill(dim(*atom));
            }
            let trailing = flat.split_off(*x as usize);
            let var = problem.row_var(row);
            ground.rows.insert(var, Row::new(flat, trailing));
        }
        ground
    }

    /// Returns the lengths of the rows of the problem, none of which is longer than a number of 32 bits.
    pub(crate) fn lengths_of(&self, problem: &Problem) -> Vec<Length> {
        let lengths = self.lengths.0.iter().take(problem.row_names.len());
        let short = |length: i64| u32::try_from(length).unwrap_or(u32::MAX);
        let length = |(row, [lead, trail]): (_, &[i64; 2])| Length {
            row,
            lead: short(*lead),
            trail: short(*trail),
        };
        lengths.map(length).collect()
    }

    /// Returns the values of all variables of the problem, rows in runs.
    pub(crate) fn in_runs(&self, problem: &Problem) -> InRuns {
        let dim = |term: Term| problem.constants.dim(term.constant_id()).clone();
        let mut values = InRuns::default();
        for (id, atom) in self.dims.iter() {
            if let DimTerm::Var(var) = problem.show_dim(Term::var(id))
                && !problem.zeros.contains(&id)
            {
                values
                    .dims
                    .insert(var.to_string(), dim(atom.unwrap_or(Term::UNIT)));
            }
        }
        for (row, lengths) in self.lengths.0.iter().take(problem.row_names.len()) {
            let runs = self.rows[row].iter();
            let atoms = runs.map(|(from, until, atom)| (*from, *until, dim(*atom)));
            let value = RowInRuns::new(*lengths, atoms);
            values.rows.insert(problem.row_var(row).to_string(), value);
        }
        values
    }

    /// Says whether every constraint is satisfied (Defs. 1.2, 2.3 and 2.9).
    pub(crate) fn satisfies(&self, statements: &NormalisedSet) -> bool {
        statements.list.ids().all(|number| {
            let lengths = statements.lengths(number);
            let fit = |forms: Vec<Form>| {
                forms.iter().all(|form| {
                    form.value(|variable| self.lengths.of(variable))
                        .is_ok_and(|value| value >= 0)
                })
            };
            lengths.is_ok_and(fit) && self.atoms_fit(&statements.list[number])
        })
    }

    fn atoms_fit(&self, statement: &Normalised) -> bool {
        let [left, right] = &statement.sides;
        let (low, high) = (self.in_runs_of(left), self.in_runs_of(right));
        let (below, above) = (self.shown(left), self.shown(right));
        let (rank, rank_above) = (below[0] + below[1], above[0] + above[1]);
        let fits = |from: i64, until: i64, shift: i64, exactly: bool| {
            let facing = |(a, b, atom): &AtomRun| {
                let (first, last) = ((*a).max(from) + shift, (*b).min(until) + shift);
                // The runs of the other row that face this one.
                let start = low.partition_point(|run| run.1 <= first);
                let others = low[start..].iter().take_while(|run| run.0 < last);
                let same = |run: &AtomRun| run.2 == *atom || (!exactly && *atom == Term::UNIT);
                first >= last || others.clone().all(same)
            };
            high.iter().all(facing)
        };
        match statement.is_equation {
            true => rank == rank_above && fits(0, rank, 0, true),
            false => {
                fits(0, above[0], 0, false) && fits(above[0], rank_above, rank - rank_above, false)
            }
        }
    }

    fn shown(&self, side: &Side) -> [i64; 2] {
        let inner = side.var.map_or([0; 2], |row| self.lengths.0[row]);
        [
            side.lead.len() as i64 + inner[0],
            side.trail.len() as i64 + inner[1],
        ]
    }

    /// Returns the flat content of a row term, in runs.
    fn in_runs_of(&self, side: &Side) -> Vec<AtomRun> {
        let mut word = Vec::new();
        let lead = side.lead.len() as i64;
        let [front, back] = self.shown(side);
        let content = front + back - side.trail.len() as i64;
        let axes = |at: At| match at {
            At::Trail(k) => content + i64::from(k),
            At::Lead(k) => i64::from(k),
            At::Content => 0,
        };
        let written = side
            .axes()
            .map(|(at, term)| (axes(at), axes(at) + 1, self.value(term)));
        word.extend(written);
        let mut free = lead;
        if let Some(row) = side.var {
            for (from, until, atom) in &self.rows[row] {
                if lead + from > free {
                    word.push((free, lead + from, Term::UNIT));
                }
                word.push((lead + from, lead + until, *atom));
                free = lead + until;
            }
        }
        if free < content {
            word.push((free, content, Term::UNIT));
        }
        word.sort_unstable();
        word
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Limits;
    use crate::complete::decide::{Answer, decide};
    use crate::complete::decision::effort;

    const SETS: &str = include_str!("../../../tests/answers/sets.txt");

    /// A solution of all constraints but one may satisfy that one or not.
    #[test]
    fn what_is_checked_run_by_run_is_what_the_definition_of_satisfaction_says() {
        let limits = Limits {
            work: 1 << 16,
            ..Limits::default()
        };
        let mut found = [0, 0];
        for text in SETS.split("----\n") {
            // Some of the texts are no sets.
            let problem = Problem::parse(text).ok();
            let Some(problem) = problem.filter(|problem| !problem.has_sizes()) else {
                continue;
            };
            let constraints = problem.to_set().constraints;
            for left_out in 0..constraints.len() {
                let chosen: BTreeSet<usize> = (0..constraints.len())
                    .filter(|at| *at != left_out)
                    .collect();
                let statements = NormalisedSet::of(&problem);
                let some = NormalisedSet::of(&problem).only(&chosen);
                let Answer::Found(mut solution) = decide(&some, effort(limits)).0 else {
                    continue;
                };
                let mut check = |solution: &Found| {
                    let ground = solution.ground(&problem);
                    let violated = ground.first_violated(&constraints, problem.order());
                    let message = format!("{text}without {left_out}: {ground}");
                    assert_eq!(
                        solution.satisfies(&statements),
                        violated.is_none(),
                        "{message}"
                    );
                    found[usize::from(violated.is_none())] += 1;
                };
                check(&solution);
                // A place that no run covers has the unit.
                for row in solution.rows.clone().iter().map(|(row, _)| row) {
                    for at in 0..solution.rows[row].len() {
                        let run = solution.rows[row].remove(at);
                        check(&solution);
                        solution.rows[row].insert(at, run);
                    }
                }
            }
        }
        assert!(found.iter().all(|count| *count > 50), "{found:?}");
    }
}
