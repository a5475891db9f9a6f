//! The constraints in the form that the decision procedure reads, and the inequalities between lengths that they imply.
//!
//! A row variable r has X leading and Y trailing axes. A constraint between dimensions is one between rows of one
//! leading axis. A [`Case`] adds inequalities, and axes at places that are linear in the lengths.

use std::collections::BTreeSet;

use lozenge_sizes::{Form, Overflow, Variable};
use lozenge_vocabulary::Order;

use crate::ids::{AssertedId, Id, IdVec, RowTermId, RowVarId, all};
use crate::problem::{Asserted, Problem};
use crate::term::Term;

/// One side of a constraint: a row term.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    pub(crate) lead: Vec<Term>,
    pub(crate) trail: Vec<Term>,
    pub(crate) var: Option<RowVarId>,
}

/// A constraint. The result is the first side, the operand the second.
#[derive(Clone, Debug)]
pub(crate) struct Normalised {
    pub(crate) is_equation: bool,
    /// True if it is between dimensions, so that it asks nothing of lengths.
    pub(crate) is_of_dims: bool,
    /// The result and the operand.
    pub(crate) sides: [Side; 2],
    /// The second side is the one axis of the first side that is so many places from the left.
    pub(crate) place: Option<Form>,
}

/// Further conditions on a solution. They may mention a position, which is any nonnegative integer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// Forms that are at least 0.
    pub(crate) assumed: Vec<Form>,
    /// Of these sides the axis so many places from the left is that constant.
    pub(crate) axes: Vec<(Side, Form, Term)>,
}

/// The rank of a row: that of another row, if it is one, and a number of axes.
type RankOf = (Option<RowVarId>, i64);

/// All constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct NormalisedSet {
    pub(crate) list: IdVec<AssertedId, Normalised>,
    pub(crate) rows: usize,
    pub(crate) dims: usize,
    order: Order,
    /// The assumptions beyond the constraints: forms that are at least 0.
    pub(crate) assumed: Vec<Form>,
    /// By row, its rank as that of another row or none, and a number of axes, as far as equations between rows say.
    ranks: IdVec<RowVarId, RankOf>,
}

/// The place of an axis in a row term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum At {
    /// An axis of the leading flank, counted from the left.
    Lead(u32),
    /// A place in the content of the row variable.
    Content,
    /// An axis of the trailing flank, counted from the left.
    Trail(u32),
}

/// Returns the number of leading axes of a row variable.
pub(crate) fn leading(row: RowVarId) -> Variable {
    Variable(2 * row.number())
}

/// Returns the number of its trailing axes.
pub(crate) fn trailing(row: RowVarId) -> Variable {
    Variable(2 * row.number() + 1)
}

/// Returns the row whose number of leading or of trailing axes a variable is.
pub(crate) fn row_of(length: Variable) -> RowVarId {
    RowVarId::of(length.0 / 2)
}

impl Side {
    fn of_dim(term: Term) -> Side {
        Side {
            lead: vec![term],
            trail: Vec::new(),
            var: None,
        }
    }

    pub(crate) fn axis(&self, at: At) -> Option<Term> {
        match at {
            At::Lead(k) => self.lead.get(k as usize).copied(),
            At::Trail(k) => self.trail.get(k as usize).copied(),
            At::Content => None,
        }
    }

    /// Returns the axes that are written out, with their places.
    pub(crate) fn axes(&self) -> impl Iterator<Item = (At, Term)> + '_ {
        let lead = self.lead.iter().zip(0..);
        let trail = self.trail.iter().zip(0..);
        lead.map(|(term, k)| (At::Lead(k), *term))
            .chain(trail.map(|(term, k)| (At::Trail(k), *term)))
    }

    /// Returns a number of axes, and of the row variable the leading ones, the trailing ones or both.
    fn length(&self, axes: usize, parts: [bool; 2]) -> Result<Form, Overflow> {
        let mut form = Form::constant(axes as i128);
        if let Some(row) = self.var {
            for (variable, is_part) in [leading(row), trailing(row)].into_iter().zip(parts) {
                if is_part {
                    form = form.plus(1, &Form::variable(variable))?;
                }
            }
        }
        Ok(form)
    }

    /// Returns the number of axes in front of the marker.
    pub(crate) fn front(&self) -> Result<Form, Overflow> {
        self.length(self.lead.len(), [true, false])
    }

    /// Returns the number of axes behind it.
    pub(crate) fn back(&self) -> Result<Form, Overflow> {
        self.length(self.trail.len(), [false, true])
    }

    /// Returns the number of axes in front of the trailing flank.
    pub(crate) fn before_trail(&self) -> Result<Form, Overflow> {
        self.length(self.lead.len(), [true, true])
    }

    /// Returns the number of axes.
    pub(crate) fn rank(&self) -> Result<Form, Overflow> {
        self.length(self.lead.len() + self.trail.len(), [true, true])
    }
}

impl Normalised {
    /// Returns a constraint that always holds.
    fn nothing() -> Normalised {
        Normalised {
            is_equation: true,
            is_of_dims: true,
            sides: [Side::default(), Side::default()],
            place: None,
        }
    }
}

impl NormalisedSet {
    pub(crate) fn of(problem: &Problem) -> NormalisedSet {
        let side = |id: RowTermId| {
            let row = problem.rows[id.index()];
            let axes = |from: u32, count: u32| {
                problem.terms[from as usize..(from + count) as usize].to_vec()
            };
            Side {
                lead: axes(row.start, row.lead),
                trail: axes(row.start + row.lead, row.trail),
                var: row.var,
            }
        };
        let list = problem.asserted.iter().map(|asserted| {
            let (is_equation, is_of_dims, sides) = match *asserted {
                Asserted::DimEq(a, b) => (true, true, [Side::of_dim(a), Side::of_dim(b)]),
                Asserted::DimLe(a, b) => (false, true, [Side::of_dim(a), Side::of_dim(b)]),
                Asserted::RowEq(at) => (true, false, [side(at), side(at.right())]),
                Asserted::RowLe(at) => (false, false, [side(at), side(at.right())]),
                // Constraints of sizes are left out: a set that has no solution without them has none with them.
                Asserted::Window(_)
                | Asserted::Composite(_)
                | Asserted::Elements(_)
                | Asserted::Flat(_)
                | Asserted::AtLeast(..) => (true, true, [Side::default(), Side::default()]),
            };
            Normalised {
                is_equation,
                is_of_dims,
                sides,
                place: None,
            }
        });
        let list: IdVec<AssertedId, Normalised> = list.collect();
        NormalisedSet {
            ranks: ranks(&list, problem.row_names.len()),
            list,
            rows: problem.row_names.len(),
            dims: problem.dim_names.len(),
            order: problem.order(),
            assumed: Vec::new(),
        }
    }

    /// Returns the chosen constraints. The others say nothing, and keep their numbers.
    pub(crate) fn only(self, chosen: &BTreeSet<usize>) -> NormalisedSet {
        self.part(|number| chosen.contains(&number.index()), Side::clone)
    }

    /// Returns the chosen constraints with other sides. The others say nothing, and keep their numbers.
    pub(crate) fn part(
        mut self,
        is_chosen: impl Fn(AssertedId) -> bool,
        side: impl Fn(&Side) -> Side,
    ) -> NormalisedSet {
        for number in self.list.ids() {
            let statement = &mut self.list[number];
            match is_chosen(number) {
                true => statement.sides = statement.sides.each_ref().map(&side),
                false => *statement = Normalised::nothing(),
            }
        }
        self.ranks = ranks(&self.list, self.rows);
        self
    }

    /// Leaves out the last constraint.
    pub(crate) fn remove_last(&mut self) {
        self.list.truncate(self.list.len().saturating_sub(1));
        self.ranks = ranks(&self.list, self.rows);
    }

    /// Returns the position of a case: it counts as the number of leading axes of one row more.
    pub(crate) fn position(&self) -> Variable {
        leading(RowVarId::at(self.rows))
    }

    /// Returns these constraints and the conditions of a case.
    pub(crate) fn with(&self, case: Case) -> NormalisedSet {
        let mut all = self.clone();
        all.rows += 1;
        all.ranks.push((Some(RowVarId::at(self.rows)), 0));
        all.assumed = case.assumed;
        for (side, place, value) in case.axes {
            all.list.push(Normalised {
                is_equation: true,
                is_of_dims: false,
                sides: [side, Side::of_dim(value)],
                place: Some(place),
            });
        }
        all
    }

    /// Returns a form of the same value, in which as few ranks as possible occur: rows that an equation makes equal
    /// have one.
    pub(crate) fn by_ranks(&self, form: &Form) -> Result<Form, Overflow> {
        let mut reduced = form.clone();
        for variable in form.variables() {
            let row = row_of(variable);
            let Some((root, more)) = self.ranks.get(row).copied() else {
                continue;
            };
            if variable != trailing(row) || root == Some(row) {
                continue;
            }
            let mut value = Form::constant(more.into()).plus(-1, &Form::variable(leading(row)))?;
            if let Some(root) = root {
                value = value.plus(1, &Form::variable(leading(root)))?;
                value = value.plus(1, &Form::variable(trailing(root)))?;
            }
            reduced = reduced.substituted(variable, &value)?;
        }
        Ok(reduced)
    }

    /// Returns the demands of a constraint on lengths: each form is at least 0 (Defs. 2.3 and 2.9; Rem. 2.15(ii) for
    /// the one-shot order).
    pub(crate) fn lengths(&self, constraint: AssertedId) -> Result<Vec<Form>, Overflow> {
        self.lengths_of(&self.list[constraint])
    }

    pub(crate) fn lengths_of(&self, statement: &Normalised) -> Result<Vec<Form>, Overflow> {
        if statement.is_of_dims {
            return Ok(Vec::new());
        }
        let [left, right] = &statement.sides;
        let surplus = |a: Form, b: Form| a.plus(-1, &b);
        if let Some(place) = &statement.place {
            let behind = surplus(left.rank()?, place.clone())?.shifted(-1)?;
            return Ok(vec![place.clone(), behind]);
        }
        if statement.is_equation {
            let form = surplus(left.rank()?, right.rank()?)?;
            let other = form.scaled(-1)?;
            return Ok(vec![form, other]);
        }
        match self.order {
            Order::Marked => Ok(vec![
                surplus(left.front()?, right.front()?)?,
                surplus(left.back()?, right.back()?)?,
            ]),
            Order::OneShot => Ok(vec![surplus(left.rank()?, right.rank()?)?]),
        }
    }

    /// Returns the sum of all ranks.
    pub(crate) fn total(&self) -> Result<Form, Overflow> {
        let mut total = Form::default();
        for row in all(self.rows) {
            for variable in [leading(row), trailing(row)] {
                total = total.plus(1, &Form::variable(variable))?;
            }
        }
        Ok(total)
    }
}

/// Returns the rank of each row by that of the first row that equations connect it with, or as a number.
fn ranks(list: &IdVec<AssertedId, Normalised>, rows: usize) -> IdVec<RowVarId, RankOf> {
    let mut equal: IdVec<RowVarId, Vec<(RowVarId, i64)>> = IdVec::of(rows, Vec::new());
    let mut known: IdVec<RowVarId, Option<RankOf>> = IdVec::of(rows, None);
    let mut due = Vec::new();
    let equations = list.values().filter(|s| s.is_equation && !s.is_of_dims);
    for statement in equations {
        let [left, right] = &statement.sides;
        let axes = |side: &Side| (side.lead.len() + side.trail.len()) as i64;
        let more = axes(right) - axes(left);
        match (left.var, right.var) {
            (Some(a), Some(b)) => {
                equal[a].push((b, -more));
                equal[b].push((a, more));
            }
            (Some(row), None) => due.push((row, None, more)),
            (None, Some(row)) => due.push((row, None, -more)),
            (None, None) => {}
        }
    }
    // Rows of known rank come first, then the first row of those that are left.
    let mut firsts = known.ids();
    loop {
        while let Some((row, root, more)) = due.pop() {
            if known[row].is_some() {
                continue;
            }
            known[row] = Some((root, more));
            let others = equal[row].iter();
            due.extend(others.map(|(other, by)| (*other, root, more + by)));
        }
        match firsts.next() {
            Some(first) => due.push((first, Some(first), 0)),
            None => break,
        }
    }
    known.values().copied().flatten().collect()
}
