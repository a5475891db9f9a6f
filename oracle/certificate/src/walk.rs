//! Walks of atoms, with the conditions on lengths under which they can be taken.
//!
//! A walk proves of one place after another that its axis is the atom with which the walk begins. It begins at a
//! written atom. It may step from the operand of `<=` to the result, since only the atom itself is below an atom
//! (Defs. 1.2 and 2.3), and in both directions between the sides of an equation (Def. 2.9).

use lozenge_vocabulary::{Dim, DimTerm, DimVar, RowTerm, RowVar};

use crate::format::{At, By, Part, Side, Step};
use crate::linear::Form;
use crate::{Rejected, Statement, rejected};

/// The place of a walk, where the axis is its atom.
#[derive(Clone, Debug)]
enum Place {
    /// Nowhere yet.
    Start,
    Dim(DimVar),
    /// A place so far from the left in the value of a row variable.
    Row(RowVar, Form),
    /// A written dimension.
    Written(Dim),
}

/// Returns a number of written axes plus the lengths of some flanks of a variable's value.
fn length(axes: usize, var: Option<&RowVar>, parts: &[&str]) -> Result<Form, Rejected> {
    let mut form = Form::number(axes as i128);
    for (part, var) in parts.iter().flat_map(|part| var.map(|var| (part, var))) {
        form = form.plus(1, &Form::variable(&format!("{part}{var}")))?;
    }
    Ok(form)
}

/// Returns the number of axes in front of the marker.
pub(crate) fn front(row: &RowTerm) -> Result<Form, Rejected> {
    length(row.leading.len(), row.var.as_ref(), &["X"])
}

/// Returns the number of axes behind the marker.
pub(crate) fn back(row: &RowTerm) -> Result<Form, Rejected> {
    length(row.trailing.len(), row.var.as_ref(), &["Y"])
}

/// Returns the number of all axes.
pub(crate) fn rank(row: &RowTerm) -> Result<Form, Rejected> {
    length(row.explicit(), row.var.as_ref(), &["X", "Y"])
}

/// Returns the number of axes in front of the trailing flank.
fn before_trailing(row: &RowTerm) -> Result<Form, Rejected> {
    length(row.leading.len(), row.var.as_ref(), &["X", "Y"])
}

struct Run<'a> {
    statements: &'a [Statement],
    atom: Option<Dim>,
    place: Place,
    /// Forms that are at least 0 where the walk can be taken.
    conditions: Vec<Form>,
}

/// Returns the conditions under which walks clash: one walk that ends on a written dimension other than its atom, or
/// two walks of different atoms that end at the same place.
pub(crate) fn conditions(
    walks: &[Vec<Part>],
    statements: &[Statement],
) -> Result<Vec<Form>, Rejected> {
    let mut ends = Vec::new();
    let mut conditions = Vec::new();
    for walk in walks {
        let mut run = Run {
            statements,
            atom: None,
            place: Place::Start,
            conditions: Vec::new(),
        };
        for part in walk {
            run.part(part)?;
        }
        conditions.append(&mut run.conditions);
        match run.atom {
            Some(atom) => ends.push((atom, run.place)),
            None => return rejected("a walk has no step"),
        }
    }
    match ends.as_slice() {
        [(atom, Place::Written(other))] if atom != other => {}
        [(a, Place::Dim(at)), (b, Place::Dim(other))] if a != b && at == other => {}
        [(a, Place::Row(row, at)), (b, Place::Row(other, there))] if a != b && row == other => {
            let distance = at.plus(-1, there)?;
            conditions.push(distance.times(-1)?);
            conditions.push(distance);
        }
        _ => return rejected("the walks do not clash"),
    }
    let mut left = Vec::new();
    for condition in conditions {
        match condition.as_number() {
            Some(number) if number < 0 => return rejected("a step can never be taken"),
            Some(_) => {}
            None => left.push(condition.rounded()),
        }
    }
    Ok(left)
}

impl Run<'_> {
    fn part(&mut self, part: &Part) -> Result<(), Rejected> {
        match part {
            Part::Step(step) => self.step(step),
            Part::Loop {
                steps,
                drift,
                times,
            } => self.rounds(steps, i128::from(*drift), &Form::read(times)),
        }
    }

    fn at_least_zero(&mut self, form: Form) {
        self.conditions.push(form);
    }

    fn zero(&mut self, form: Form) -> Result<(), Rejected> {
        self.conditions.push(form.times(-1)?);
        self.conditions.push(form);
        Ok(())
    }

    /// Takes `times` times a round of steps that leads from a row back to it, `drift` places further. Each round begins
    /// at another place, and the conditions of its steps are linear in that place. So they hold in all rounds if they
    /// hold in the first and in the last one.
    fn rounds(&mut self, steps: &[Step], drift: i128, times: &Form) -> Result<(), Rejected> {
        let Place::Row(row, first) = self.place.clone() else {
            return rejected("a loop begins in a row");
        };
        // A step on a written axis would lose the dependence on the place where the round began.
        let stays = |step: &Step| step.enter == At::Content && step.land == At::Content;
        if !steps.iter().all(stays) {
            return rejected("a loop stays in rows");
        }
        self.at_least_zero(times.shifted(-1)?);
        let after = first.plus(drift, times)?;
        for (is_first, begin) in [(true, &first), (false, &after.shifted(-drift)?)] {
            self.place = Place::Row(row.clone(), begin.clone());
            for step in steps {
                self.step(step)?;
            }
            match &self.place {
                Place::Row(end, at) if *end == row => {
                    let distance = at.plus(-1, begin)?.shifted(-drift)?;
                    if is_first {
                        self.zero(distance)?;
                    }
                }
                _ => return rejected("a loop ends in the row in which it begins"),
            }
        }
        self.place = Place::Row(row, after);
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), Rejected> {
        let statements = self.statements;
        let Some(statement) = statements.get(step.constraint) else {
            return rejected(format!("there is no constraint {}", step.constraint));
        };
        let [left, right] = &statement.sides;
        let (source, target) = match step.from {
            Side::Left => (left, right),
            Side::Right => (right, left),
        };
        let mut index = self.enter(step, source)?;
        match (step.by, statement.is_equation, step.from) {
            (By::Equal, true, side) => {
                if let Some(place) = &statement.place {
                    let sign = if side == Side::Left { -1 } else { 1 };
                    index = index.plus(sign, place)?;
                }
            }
            (By::Leading, false, Side::Right) => {
                self.at_least_zero(front(source)?.plus(-1, &index)?.shifted(-1)?);
            }
            (By::Trailing, false, Side::Right) => {
                self.at_least_zero(index.plus(-1, &front(source)?)?);
                index = index.plus(1, &rank(target)?)?.plus(-1, &rank(source)?)?;
            }
            _ => return rejected("a constraint does not carry an atom in that way"),
        }
        self.land(step, target, &index)
    }

    /// Returns the place of the flat content of a side at which the walk is.
    fn enter(&mut self, step: &Step, source: &RowTerm) -> Result<Form, Rejected> {
        let index = match step.enter {
            At::Leading(k) => Form::number(i128::from(k)),
            At::Trailing(k) => before_trailing(source)?.shifted(i128::from(k))?,
            At::Content => {
                return match &self.place {
                    Place::Row(row, at) if source.var.as_ref() == Some(row) => {
                        at.shifted(source.leading.len() as i128)
                    }
                    _ => rejected("a step begins in another row than the walk is in"),
                };
            }
        };
        match (axis(source, step.enter), &self.place) {
            (Some(DimTerm::Const(atom)), Place::Start) if atom.is_atom() => {
                self.atom = Some(atom.clone());
                Ok(index)
            }
            (Some(DimTerm::Var(var)), Place::Dim(at)) if var == at => Ok(index),
            _ => rejected("a step does not begin where the walk is"),
        }
    }

    fn land(&mut self, step: &Step, target: &RowTerm, index: &Form) -> Result<(), Rejected> {
        let expected = match step.land {
            At::Leading(k) => Form::number(i128::from(k)),
            At::Trailing(k) => before_trailing(target)?.shifted(i128::from(k))?,
            At::Content => {
                let Some(row) = &target.var else {
                    return rejected("a step lands in a row that is not there");
                };
                let at = index.shifted(-(target.leading.len() as i128))?;
                self.at_least_zero(at.clone());
                self.at_least_zero(before_trailing(target)?.plus(-1, index)?.shifted(-1)?);
                self.place = Place::Row(row.clone(), at);
                return Ok(());
            }
        };
        self.zero(index.plus(-1, &expected)?)?;
        self.place = match axis(target, step.land) {
            Some(DimTerm::Const(dim)) => Place::Written(dim.clone()),
            Some(DimTerm::Var(var)) => Place::Dim(var.clone()),
            None => return rejected("a step lands on an axis that is not there"),
        };
        Ok(())
    }
}

fn axis(row: &RowTerm, at: At) -> Option<&DimTerm> {
    match at {
        At::Leading(k) => row.leading.get(k as usize),
        At::Trailing(k) => row.trailing.get(k as usize),
        At::Content => None,
    }
}
