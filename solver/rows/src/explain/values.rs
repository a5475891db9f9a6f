//! The values of all named variables one after the other, for whoever writes them down.

use std::rc::Rc;

use hashbrown::HashMap;
use lozenge_vocabulary::{Dim, DimVar, Row, RowVar, Var};
use rustc_hash::FxBuildHasher;

use crate::explain::residual::Standing;
use crate::explain::solution::Solution;
use crate::explain::sorter::{Footing, Sorter};
use crate::ids::{DimVarId, Id, IdVec, RowVarId, all};
use crate::problem::names::Names;
use crate::state::engine::Engine;
use crate::term::Term;

/// The named variables of a problem, each with its value. The values are made as they are asked for, so that a large
/// solution is never held as a whole.
///
/// ```
/// use lozenge_solver::{Footing, Problem, Solver};
///
/// let mut solver = Solver::new(Problem::parse("b = 3\n4 <= a\n<r> ~ [b, 5]")?);
/// solver.solve()?;
/// let mut values = solver.solution().values();
/// values.arrange_dims(&[1, 0]);
/// let dims: Vec<String> = values.dims().map(|(name, dim)| format!("{name} = {dim}")).collect();
/// assert_eq!(dims, ["a = 1_", "b = 3"]);
/// let rows: Vec<String> = values.rows().map(|(name, row)| format!("{name} ~ {row}")).collect();
/// assert_eq!(rows, ["r ~ [3, 5]"]);
/// assert_eq!(values.dim_names(Footing::Free).collect::<Vec<_>>(), ["a"]);
/// assert_eq!(values.row_names(Footing::Placed).collect::<Vec<_>>(), ["r"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Values<'a> {
    engine: &'a Engine,
    dims: Vec<(DimVarId, Footing)>,
    /// The variables that are 0.
    zeros: Vec<(DimVarId, Footing)>,
    rows: Vec<(RowVarId, Footing)>,
    /// The values of row variables in the order of their numbers, in which they lie together in memory.
    texts: TextsOfRows,
}

impl<'a> Solution<'a> {
    /// Returns the named variables with their values. They are in the order in which the problem first mentions them;
    /// the row variables of a large text that mentions them in no order are in the natural order of their names as far
    /// as these end with a number.
    pub fn values(&self) -> Values<'a> {
        let engine = self.engine();
        let mut sorter = Sorter::new(engine);
        let problem = &engine.problem;
        let is_dim = |id: &DimVarId| !self.is_0(*id);
        let dims = named(&problem.dim_names, engine.dims.len()).filter(is_dim);
        let rests = engine.sizes.rests.iter().copied();
        let mut zeros: Vec<DimVarId> = rests.filter(|id| self.is_0(*id)).collect();
        zeros.extend(&problem.zeros);
        zeros.sort_unstable();
        let zeros = zeros.into_iter();
        let zeros = zeros.map(|id| (id, sorter.dim(Term::var(id)))).collect();
        let rows = named(&engine.problem.row_names, engine.rows.nodes.len());
        let mut texts = TextsOfRows::default();
        Values {
            engine,
            zeros,
            dims: dims.map(|id| (id, sorter.dim(Term::var(id)))).collect(),
            rows: rows
                .map(|id| {
                    texts.add(id, self);
                    (id, sorter.row(id))
                })
                .collect(),
            texts,
        }
    }
}

/// Returns the numbers below a bound that have a name.
fn named<I: Id + Eq>(names: &Names<I>, bound: usize) -> impl Iterator<Item = I> {
    all(bound).filter(|id| names.is_named(*id))
}

impl<'a> Values<'a> {
    /// Returns the names of all dimension variables, in their order.
    pub fn all_dim_names(&self) -> impl Iterator<Item = &'a str> + Clone {
        let names = &self.engine.problem.dim_names;
        self.dims.iter().map(|(id, _)| names.name(*id))
    }

    /// Returns the names of all row variables, in their order.
    pub fn all_row_names(&self) -> impl Iterator<Item = &'a str> + Clone {
        let names = &self.engine.problem.row_names;
        self.rows.iter().map(|(id, _)| names.name(*id))
    }

    /// Puts the dimension variables in another order, given by their places in the present one. A place that does not
    /// exist is passed over.
    pub fn arrange_dims(&mut self, places: &[u32]) {
        self.dims = arranged(&self.dims, places);
    }

    /// Puts the row variables in another order, as [`arrange_dims`](Self::arrange_dims) does.
    pub fn arrange_rows(&mut self, places: &[u32]) {
        self.rows = arranged(&self.rows, places);
    }

    /// Puts the dimension variables in the natural order of their names, `x2` before `x10`, if all of them are a word
    /// and a number and few numbers are missing between them. Returns whether they are.
    pub fn arrange_numbered_dims(&mut self) -> bool {
        let names = &self.engine.problem.dim_names;
        arrange_numbered(&mut self.dims, names)
    }

    /// Puts the row variables in the natural order of their names, as
    /// [`arrange_numbered_dims`](Self::arrange_numbered_dims) does.
    pub fn arrange_numbered_rows(&mut self) -> bool {
        let names = &self.engine.problem.row_names;
        arrange_numbered(&mut self.rows, names)
    }

    /// Returns the dimension variables with their values.
    pub fn dims(&self) -> impl Iterator<Item = (&'a str, Dim)> {
        self.of_dims(self.dims.iter().map(|(id, _)| *id))
    }

    /// Returns the names of the variables that are 0.
    pub fn zeros(&self) -> impl Iterator<Item = &'a str> {
        let names = &self.engine.problem.dim_names;
        self.zeros.iter().map(|(id, _)| names.name(*id))
    }

    /// Lists the names of the variables that are 0 and whose values have one footing.
    pub fn zeros_on(&self, footing: Footing) -> impl Iterator<Item = &'a str> {
        let names = &self.engine.problem.dim_names;
        of(&self.zeros, footing).map(|id| names.name(id))
    }

    /// Returns the row variables with their values in the notation.
    pub fn rows(&self) -> impl Iterator<Item = (&'a str, Rc<str>)> {
        self.of_rows(self.rows.iter().map(|(id, _)| *id))
    }

    /// Lists the dimension variables whose values have one footing.
    pub fn dims_on(&self, footing: Footing) -> impl Iterator<Item = (&'a str, Dim)> {
        self.of_dims(of(&self.dims, footing))
    }

    /// Lists the row variables whose values have one footing, as [`Values::rows`] gives them.
    pub fn rows_on(&self, footing: Footing) -> impl Iterator<Item = (&'a str, Rc<str>)> {
        self.of_rows(of(&self.rows, footing))
    }

    fn of_dims(
        &self,
        dims: impl Iterator<Item = DimVarId>,
    ) -> impl Iterator<Item = (&'a str, Dim)> {
        let (names, solution) = (&self.engine.problem.dim_names, Solution::new(self.engine));
        dims.map(move |id| (names.name(id), solution.value(Term::var(id))))
    }

    fn of_rows(
        &self,
        rows: impl Iterator<Item = RowVarId>,
    ) -> impl Iterator<Item = (&'a str, Rc<str>)> {
        let (names, solution) = (&self.engine.problem.row_names, Solution::new(self.engine));
        let (mut row, mut texts) = (Row::default(), Texts::default());
        rows.map(move |id| {
            let text = self.texts.of(id).unwrap_or_else(|| {
                solution.constants_of(id, &mut row);
                texts.of(&row, &solution)
            });
            (names.name(id), text)
        })
    }

    /// Returns the names of the dimension variables whose values rest on one thing.
    pub fn dim_names(&self, footing: Footing) -> impl Iterator<Item = &'a str> {
        of(&self.dims, footing).map(|id| self.engine.problem.dim_names.name(id))
    }

    /// Returns the names of the row variables whose values rest on one thing.
    pub fn row_names(&self, footing: Footing) -> impl Iterator<Item = &'a str> {
        of(&self.rows, footing).map(|id| self.engine.problem.row_names.name(id))
    }

    /// Lists the bounds of the free variables, from the first on, until ten thousand constraints are cited.
    pub fn bounds(&self) -> Vec<(Var, Standing)> {
        let dims = self.dim_names(Footing::Free).map(DimVar::new);
        let rows = self.row_names(Footing::Free).map(RowVar::new);
        let vars = dims.map(Var::Dim).chain(rows.map(Var::Row));
        self.engine.bounds_of(vars)
    }
}

/// The texts of rows. Many rows of a large solution have one of a few values, which are compared as numbers of
/// constants and spelled out once.
#[derive(Default)]
struct Texts {
    known: HashMap<Row<Term>, Rc<str>, FxBuildHasher>,
}

impl Texts {
    /// The number of texts that are kept, and the largest number of axes of a row whose text is kept.
    const MOST: usize = 1 << 10;
    const AXES: usize = 16;

    fn of(&mut self, row: &Row<Term>, solution: &Solution<'_>) -> Rc<str> {
        if let Some(text) = self.known.get(row) {
            return text.clone();
        }
        let text: Rc<str> = solution.spelled(row).to_string().into();
        if row.explicit() <= Texts::AXES {
            if self.known.len() == Texts::MOST {
                self.known.clear();
            }
            self.known.insert(row.clone(), text.clone());
        }
        text
    }
}

/// The texts of the values of row variables, as far as these have no more different values than are kept.
#[derive(Debug, Default)]
struct TextsOfRows {
    numbers: HashMap<Row<Term>, u32, FxBuildHasher>,
    texts: Vec<Rc<str>>,
    /// Of each variable the number of its text.
    of: IdVec<RowVarId, Option<u32>>,
    row: Row<Term>,
}

impl TextsOfRows {
    /// Adds the next variable.
    fn add(&mut self, var: RowVarId, solution: &Solution<'_>) {
        if self.texts.len() == Texts::MOST {
            return;
        }
        solution.constants_of(var, &mut self.row);
        if self.row.explicit() > Texts::AXES {
            return;
        }
        let number = match self.numbers.get(&self.row) {
            Some(number) => *number,
            None => {
                let number = self.texts.len() as u32;
                let text = solution.spelled(&self.row).to_string();
                self.texts.push(text.into());
                self.numbers.insert(self.row.clone(), number);
                number
            }
        };
        self.of.resize(var.index() + 1, None);
        self.of[var] = Some(number);
    }

    fn of(&self, var: RowVarId) -> Option<Rc<str>> {
        let number = (*self.of.get(var)?)?;
        Some(self.texts[number as usize].clone())
    }
}

/// Puts variables in the natural order of their names, where the table of names has that order.
fn arrange_numbered<I: Id + Eq>(vars: &mut Vec<(I, Footing)>, names: &Names<I>) -> bool {
    let Some(in_order) = names.in_natural_order() else {
        return false;
    };
    let mut footings = IdVec::of(names.len(), None);
    for (id, footing) in &*vars {
        footings[*id] = Some(*footing);
    }
    vars.clear();
    vars.extend(in_order.filter_map(|id| Some((id, footings[id]?))));
    true
}

fn of<I: Id>(vars: &[(I, Footing)], footing: Footing) -> impl Iterator<Item = I> {
    let of = vars.iter().filter(move |(_, other)| *other == footing);
    of.map(|(id, _)| *id)
}

fn arranged<T: Copy>(vars: &[T], places: &[u32]) -> Vec<T> {
    let vars = places.iter().filter_map(|place| vars.get(*place as usize));
    vars.copied().collect()
}
