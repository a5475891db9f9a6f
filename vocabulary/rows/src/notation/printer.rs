//! Printing in the notation.

use std::fmt::{self, Display, Formatter};

use crate::composite::Composite;
use crate::constraint::{Constraint, ConstraintSet, SUMMAND, Tag};
use crate::dim::{Basis, Dim};
use crate::elements::{Elements, Factor};
use crate::flat::Flat;
use crate::row::Row;
use crate::term::{DimTerm, DimVar, RowTerm, Var};
use crate::window::{Mode, Window};

impl Display for DimTerm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DimTerm::Var(var) => var.fmt(f),
            DimTerm::Const(dim) => dim.fmt(f),
        }
    }
}

fn separated<T: Display>(items: &[T], f: &mut Formatter<'_>) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

/// Writes `[leading MARKER trailing]`; a marker at the very front of a closed row is left out.
fn row<T: Display>(
    leading: &[T],
    var: Option<&str>,
    trailing: &[T],
    f: &mut Formatter<'_>,
) -> fmt::Result {
    f.write_str("[")?;
    separated(leading, f)?;
    if !leading.is_empty() {
        f.write_str(" ")?;
    }
    match var {
        Some(name) => write!(f, "<{name}>")?,
        None if !leading.is_empty() => f.write_str("<>")?,
        None => {}
    }
    if !trailing.is_empty() && (var.is_some() || !leading.is_empty()) {
        f.write_str(" ")?;
    }
    separated(trailing, f)?;
    f.write_str("]")
}

impl Display for RowTerm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.var {
            Some(var) if self.explicit() == 0 => var.fmt(f),
            var => row(
                &self.leading,
                var.as_ref().map(|v| v.name()),
                &self.trailing,
                f,
            ),
        }
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        row(&self.leading, None, &self.trailing, f)
    }
}

impl Display for Constraint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Constraint::DimEq(a, b) => write!(f, "{a} = {b}"),
            Constraint::DimLe(a, b) => write!(f, "{a} <= {b}"),
            Constraint::RowEq(a, b) => write!(f, "{a} ~ {b}"),
            Constraint::RowLe(a, b) => write!(f, "{a} <= {b}"),
            Constraint::Window(window) => window.fmt(f),
            Constraint::Composite(composite) => composite.fmt(f),
            Constraint::Elements(elements) => elements.fmt(f),
            Constraint::Flat(flat) => flat.fmt(f),
            Constraint::AtLeast { dim, size } => write!(f, "{dim} >= {size}"),
        }
    }
}

impl Display for Flat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                f.write_str(" ++ ")?;
            }
            row.fmt(f)?;
        }
        f.write_str(" ~ [")?;
        separated(&self.axes, f)?;
        f.write_str("]")
    }
}

/// A bare size as the first factor would be read as the stride of a window, so it is written with its basis.
impl Display for Composite {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.whole)?;
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                write!(f, " {} ", self.composition.sign())?;
            }
            factor(part, at == 0, f)?;
        }
        Ok(())
    }
}

fn factor(part: &DimTerm, is_first: bool, f: &mut Formatter<'_>) -> fmt::Result {
    match part {
        DimTerm::Const(Dim::Atom {
            size,
            basis: Basis::Default,
        }) if is_first => write!(f, "{size}_default"),
        part => part.fmt(f),
    }
}

/// The first factor is written as in a product of axes, although a row among the factors shows that it is no stride.
impl Display for Elements {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.whole)?;
        for (at, own) in self.factors.iter().enumerate() {
            if at > 0 {
                f.write_str(" * ")?;
            }
            match own {
                Factor::Axis(part) => factor(part, at == 0, f)?,
                Factor::Row(row) => write!(f, "|{row}|")?,
            }
        }
        Ok(())
    }
}

impl Display for Window {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.axis)?;
        let margins = [self.low, self.high];
        if self.mode == Mode::Exact && margins == [0, 0] {
            // A lone variable would be read as an equality.
            return summands(self, self.taps.is_empty(), f);
        }
        write!(f, "{}(", self.mode.word())?;
        summands(self, false, f)?;
        match margins {
            [0, 0] => {}
            [low, high] if low == high => write!(f, ", {low}")?,
            [low, high] => write!(f, ", {low}, {high}")?,
        }
        f.write_str(")")
    }
}

/// Writes summands with their coefficients; a coefficient 1 is written before a size, which would otherwise be read as
/// a phase, and where `in_full` demands it.
fn summands(window: &Window, in_full: bool, f: &mut Formatter<'_>) -> fmt::Result {
    for (at, (coefficient, term)) in window.terms().enumerate() {
        if at > 0 {
            f.write_str(" + ")?;
        }
        match term {
            DimTerm::Var(var) if coefficient.get() == 1 && !in_full => var.fmt(f)?,
            term => write!(f, "{coefficient}*{term}")?,
        }
    }
    match window.phase {
        0 => Ok(()),
        phase => write!(f, " + {phase}"),
    }
}

/// The constraints, a line each, then the declarations, a line for each tag that occurs, and one for the summands.
impl Display for ConstraintSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for constraint in &self.constraints {
            writeln!(f, "{constraint}")?;
        }
        for tag in [Tag::Leaf, Tag::Param, Tag::Interior] {
            let vars: Vec<&Var> = self
                .tags
                .iter()
                .filter(|(_, t)| **t == tag)
                .map(|(var, _)| var)
                .collect();
            if !vars.is_empty() {
                write!(f, "{} ", tag.word())?;
                separated(&vars, f)?;
                writeln!(f)?;
            }
        }
        if !self.summands.is_empty() {
            let summands: Vec<&DimVar> = self.summands.iter().collect();
            write!(f, "{SUMMAND} ")?;
            separated(&summands, f)?;
            writeln!(f)?;
        }
        Ok(())
    }
}
