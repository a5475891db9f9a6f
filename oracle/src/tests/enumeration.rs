//! Solutions by trying everything: `Ground::satisfies` over all values of a finite universe, and nothing else.

use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, Ground, Order, Row, Var};

/// The values that are tried.
pub(crate) struct Universe {
    dims: Vec<Dim>,
    rows: Vec<Row>,
}

impl Universe {
    /// The dimensions given, and all rows of them up to a rank.
    pub fn new(dims: &[&str], rank: usize) -> Universe {
        let dims: Vec<Dim> = dims
            .iter()
            .map(|d| d.parse().expect("a dimension"))
            .collect();
        let mut words: Vec<Vec<Dim>> = vec![Vec::new()];
        let mut last = words.clone();
        for _ in 0..rank {
            last = last
                .iter()
                .flat_map(|word| {
                    dims.iter().map(|dim| {
                        let mut longer = word.clone();
                        longer.push(dim.clone());
                        longer
                    })
                })
                .collect();
            words.extend(last.iter().cloned());
        }
        let rows = words
            .iter()
            .flat_map(|word| Row::placements(word))
            .collect();
        Universe { dims, rows }
    }

    /// Calls `found` with each solution in the universe until it returns `false`.
    pub fn solutions(
        &self,
        set: &ConstraintSet,
        order: Order,
        found: &mut dyn FnMut(&Ground) -> bool,
    ) {
        let vars: Vec<Var> = set.vars().into_iter().collect();
        // A constraint is tried as soon as its last variable has a value.
        let mut ready: Vec<Vec<&Constraint>> = vec![Vec::new(); vars.len() + 1];
        for constraint in &set.constraints {
            let last = vars.iter().rposition(|var| constraint.vars().contains(var));
            ready[last.map_or(0, |at| at + 1)].push(constraint);
        }
        let holds = |ground: &Ground, depth: usize| {
            ready[depth]
                .iter()
                .all(|c| ground.satisfies(c, order) == Some(true))
        };
        let mut ground = Ground::default();
        if holds(&ground, 0) {
            self.assign(&vars, 0, &mut ground, &holds, found);
        }
    }

    fn assign(
        &self,
        vars: &[Var],
        depth: usize,
        ground: &mut Ground,
        holds: &dyn Fn(&Ground, usize) -> bool,
        found: &mut dyn FnMut(&Ground) -> bool,
    ) -> bool {
        match vars.get(depth) {
            None => found(ground),
            Some(Var::Dim(var)) => self.dims.iter().all(|dim| {
                ground.dims.insert(var.clone(), dim.clone());
                !holds(ground, depth + 1) || self.assign(vars, depth + 1, ground, holds, found)
            }),
            Some(Var::Row(var)) => self.rows.iter().all(|row| {
                ground.rows.insert(var.clone(), row.clone());
                !holds(ground, depth + 1) || self.assign(vars, depth + 1, ground, holds, found)
            }),
        }
    }

    /// The first `limit` solutions.
    pub fn some_solutions(&self, set: &ConstraintSet, order: Order, limit: usize) -> Vec<Ground> {
        let mut solutions = Vec::new();
        self.solutions(set, order, &mut |ground| {
            solutions.push(ground.clone());
            solutions.len() < limit
        });
        solutions
    }
}
