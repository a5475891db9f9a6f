//! Taking in what has been stated.
//!
//! Row inequalities are registered in the order of the variables of their results. What a search along them touches
//! next then lies where the next variable does, in whatever order they were stated: a search through a million
//! inequalities that lie in a random order waits for the memory at each of them.

use lozenge_spec::Rule;

use crate::engine::{Engine, Step};
use crate::facts::Why;
use crate::planted::{Defect, planted};
use crate::problem::Stated;
use crate::term::NONE;

impl Engine {
    /// Enters every constraint that has been stated since the last time; dimension constraints take effect at once.
    pub(crate) fn take_in(&mut self) -> Step {
        self.dims.grow(self.problem.dim_names.len());
        self.rows.grow(self.problem.row_names.len());
        let first = self.taken as u32;
        while self.taken < self.problem.stated.len() {
            let index = self.taken as u32;
            self.taken += 1;
            let why = Why::constraint(index);
            match self.problem.stated[index as usize] {
                Stated::DimEq(a, b) => self.dims.equal(a, b, Rule::DeBind, why, &mut self.facts)?,
                Stated::DimLe(a, b) => self.dims.below(a, b, why, &mut self.facts)?,
                Stated::RowEq(_) | Stated::RowLe(_) => {}
            }
        }
        self.take_in_inequalities(first);
        Ok(())
    }

    /// The next equation to look at: those that have been stated come first, in that order.
    pub(crate) fn next_equation(&mut self) -> Option<(u32, Why, u32)> {
        while self.equated < self.taken {
            let index = self.equated;
            self.equated += 1;
            if let Stated::RowEq(row) = self.problem.stated[index] {
                return Some((row, Why::constraint(index as u32), NONE));
            }
        }
        self.equations_due.pop_front()
    }

    fn take_in_inequalities(&mut self, first: u32) {
        let stated = self.problem.stated[first as usize..].iter().zip(first..);
        let rows: Vec<(u32, u32)> = stated
            .filter_map(|(stated, index)| match stated {
                Stated::RowLe(row) => Some((*row, index)),
                _ => None,
            })
            .collect();
        self.rows.inequalities.reserve(rows.len());
        self.lengths_due.reserve(rows.len());
        // Markers are placed in the order in which inequalities ask about them.
        let in_order = self.rows.contents.len() > 0
            || rows.is_sorted_by_key(|(row, _)| self.problem.rows[*row as usize].var);
        if in_order {
            for (row, index) in rows {
                self.register(row, Why::constraint(index), [0; 2]);
            }
        } else {
            self.register_by_result(&rows);
        }
    }

    /// Registers inequalities by the variable of the result, those of one variable in the order given, and those with
    /// a closed result last.
    fn register_by_result(&mut self, rows: &[(u32, u32)]) {
        let places = self.places_by_result(rows);
        let start = self.rows.inequalities.len() as u32;
        let blank = self.inequality(rows[0].0, Why::NONE, [0; 2]);
        rows.iter().for_each(|_| {
            self.rows.inequalities.push(blank);
        });
        for ((row, index), place) in rows.iter().zip(places) {
            let inequality = self.inequality(*row, Why::constraint(*index), [0; 2]);
            self.rows.inequalities.set(start + place, inequality);
        }
        (start..start + rows.len() as u32).for_each(|at| self.link(at));
    }

    /// The place of each inequality in that order.
    fn places_by_result(&self, rows: &[(u32, u32)]) -> Vec<u32> {
        let vars = self.rows.nodes.len();
        let key = |row: u32| (self.row(row).var as usize).min(vars);
        let mut places = vec![0; rows.len()];
        if rows.len() < vars / 8 {
            let mut order: Vec<u32> = (0..rows.len() as u32).collect();
            order.sort_by_key(|at| key(rows[*at as usize].0));
            for (place, at) in order.into_iter().enumerate() {
                places[at as usize] = place as u32;
            }
            return places;
        }
        let mut next = vec![0; vars + 2];
        for (row, _) in rows {
            next[key(*row) + 1] += 1;
        }
        for var in 0..=vars {
            next[var + 1] += next[var];
        }
        for ((row, _), place) in rows.iter().zip(&mut places) {
            let next = &mut next[key(*row)];
            *place = *next;
            *next += u32::from(!planted(Defect::InequalityOverwritten));
        }
        places
    }
}
