//! Every solution in a finite universe (Def. 3.4), by trying all values: slow, but independent of the rules of the
//! calculus.

use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::Var;
use lozenge_vocabulary::verdict::Order;

/// A finite universe: its dimensions, and the highest rank of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Universe {
    /// The dimensions.
    pub dims: Vec<Dim>,
    /// The highest rank.
    pub rank: usize,
}

impl Universe {
    /// Returns the universe of the dimensions with these names, up to a rank.
    ///
    /// # Panics
    /// When a name is not that of a dimension.
    pub fn of(dims: &[&str], rank: usize) -> Universe {
        let dim = |name: &&str| -> Dim {
            let parsed = name.parse();
            parsed.unwrap_or_else(|_| panic!("`{name}` is no dimension"))
        };
        Universe {
            dims: dims.iter().map(dim).collect(),
            rank,
        }
    }

    /// Lists every row over the dimensions with every place of its marker, shortest first.
    pub fn rows(&self) -> Vec<Row> {
        words(&self.dims, self.rank)
            .iter()
            .flat_map(|word| Row::placements(word).collect::<Vec<_>>())
            .collect()
    }
}

/// Lists every word over the letters up to a length, shortest first.
pub fn words(letters: &[Dim], longest: usize) -> Vec<Vec<Dim>> {
    let mut all = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..longest {
        let end = all.len();
        for at in start..end {
            for letter in letters {
                let mut word = all[at].clone();
                word.push(letter.clone());
                all.push(word);
            }
        }
        start = end;
    }
    all
}

/// An iterator over the solutions of a constraint set in a universe.
#[derive(Debug)]
pub struct Solutions<'a> {
    set: &'a ConstraintSet,
    order: Order,
    dims: &'a [Dim],
    rows: Vec<Row>,
    vars: Vec<Var>,
    /// For each variable, the constraints whose last variable it is: checked as soon as it has a value.
    checks: Vec<Vec<usize>>,
    /// The current candidate of each variable that has a value.
    at: Vec<usize>,
    gamma: Ground,
    done: bool,
}

impl<'a> Solutions<'a> {
    /// Returns all solutions on the variables of the set. Rows that differ only in their markers count as different.
    pub fn new(set: &'a ConstraintSet, universe: &'a Universe, order: Order) -> Solutions<'a> {
        let vars: Vec<Var> = set.vars().into_iter().collect();
        let mut checks = vec![Vec::new(); vars.len()];
        let mut gamma_free = Vec::new();
        for (index, constraint) in set.constraints.iter().enumerate() {
            let last = vars.iter().rposition(|var| constraint.mentions(var));
            match last {
                Some(var) => checks[var].push(index),
                None => gamma_free.push(index),
            }
        }
        let gamma = Ground::default();
        let done = gamma_free
            .iter()
            .any(|i| gamma.satisfies(&set.constraints[*i], order) != Some(true));
        Solutions {
            set,
            order,
            dims: &universe.dims,
            rows: universe.rows(),
            vars,
            checks,
            at: Vec::new(),
            gamma,
            done,
        }
    }

    /// Says whether 0 is a candidate of the variable, the last one.
    fn may_be_zero(&self, var: usize) -> bool {
        matches!(&self.vars[var], Var::Dim(name) if self.set.summands.contains(name))
    }

    /// Gives the variable its first candidate from `from` on that passes its checks.
    fn advance(&mut self, var: usize, from: usize) -> Option<usize> {
        let count = if matches!(self.vars[var], Var::Dim(_)) {
            self.dims.len() + usize::from(self.may_be_zero(var))
        } else {
            self.rows.len()
        };
        (from..count).find(|candidate| {
            if let Var::Dim(name) = &self.vars[var] {
                self.gamma.zeros.remove(name);
            }
            match &self.vars[var] {
                Var::Dim(name) if *candidate == self.dims.len() => {
                    self.gamma.dims.remove(name);
                    self.gamma.zeros.insert(name.clone());
                }
                Var::Dim(name) => drop(
                    self.gamma
                        .dims
                        .insert(name.clone(), self.dims[*candidate].clone()),
                ),
                Var::Row(name) => drop(
                    self.gamma
                        .rows
                        .insert(name.clone(), self.rows[*candidate].clone()),
                ),
            }
            let holds = |i: &usize| {
                self.gamma.satisfies(&self.set.constraints[*i], self.order) == Some(true)
            };
            self.checks[var].iter().all(holds)
        })
    }
}

impl Iterator for Solutions<'_> {
    type Item = Ground;

    fn next(&mut self) -> Option<Ground> {
        if self.done {
            return None;
        }
        // After a solution, go on from the last variable; at the start, from the first.
        let mut from = match self.at.pop() {
            Some(last) => last + 1,
            None if self.vars.is_empty() => {
                self.done = true;
                return Some(self.gamma.clone());
            }
            None => 0,
        };
        loop {
            match self.advance(self.at.len(), from) {
                Some(candidate) => {
                    self.at.push(candidate);
                    from = 0;
                    if self.at.len() == self.vars.len() {
                        return Some(self.gamma.clone());
                    }
                }
                None => match self.at.pop() {
                    Some(last) => from = last + 1,
                    None => {
                        self.done = true;
                        return None;
                    }
                },
            }
        }
    }
}
