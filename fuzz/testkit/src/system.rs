//! Systems of projection equations over axes of given sizes (Def. 7.1), with a notation:
//!
//! ```text
//! slot 2 3        # the sizes of the axes of slot 0
//! slot 3          # of slot 1
//! 0.1 = 1.0       # Eq(Proj(0.1), Proj(1.0))
//! iter 0.0        # Iter(Proj(0.0))
//! 0.0 = @k        # Eq(Proj(0.0), Sol(k)): a symbol supplied from outside
//! 1.0 = 2         # Eq(Proj(1.0), Sol(2)): a fixed position
//! ```

use std::fmt;
use std::str::FromStr;

use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::Index;

/// The axes of an operation, by slot, and the equations between their indices.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct System {
    /// The sizes of the axes of each slot.
    pub sizes: Vec<Vec<u64>>,
    /// The equations.
    pub equations: Vec<Equation>,
}

impl System {
    /// Lists every axis, slot by slot.
    pub fn axes(&self) -> impl Iterator<Item = AxisId> + '_ {
        self.sizes
            .iter()
            .enumerate()
            .flat_map(|(slot, sizes)| (0..sizes.len()).map(move |axis| AxisId { slot, axis }))
    }

    /// Returns the size of an axis, if there is such an axis.
    pub fn size(&self, id: AxisId) -> Option<u64> {
        self.sizes.get(id.slot)?.get(id.axis).copied()
    }
}

fn write_atom(f: &mut fmt::Formatter<'_>, atom: &Atom) -> fmt::Result {
    match atom {
        Atom::Proj(id) => write!(f, "{}.{}", id.slot, id.axis),
        Atom::Sol(Index::Fix(position)) => write!(f, "{position}"),
        Atom::Sol(Index::Symbol(name)) => write!(f, "@{name}"),
        // An iterator is never supplied from outside; it is printed so that nothing is hidden.
        Atom::Sol(Index::Iter(factor)) => write!(f, "%{factor}"),
        Atom::Sol(index @ Index::Affine(_)) => write!(f, "%({index})"),
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sizes in &self.sizes {
            f.write_str("slot")?;
            for size in sizes {
                write!(f, " {size}")?;
            }
            f.write_str("\n")?;
        }
        for equation in &self.equations {
            match equation {
                Equation::Eq(left, right) => {
                    write_atom(f, left)?;
                    f.write_str(" = ")?;
                    write_atom(f, right)?;
                }
                Equation::Iter(atom) => {
                    f.write_str("iter ")?;
                    write_atom(f, atom)?;
                }
                Equation::Derive(axis, sum) => {
                    write!(f, "{}.{} := ", axis.slot, axis.axis)?;
                    for (c, axis) in &sum.terms {
                        write!(f, "{c}*{}.{} + ", axis.slot, axis.axis)?;
                    }
                    write!(f, "{}", sum.offset)?;
                }
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}

fn read_atom(text: &str) -> Option<Atom> {
    let text = text.trim();
    if let Some(name) = text.strip_prefix('@') {
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        return plain.then(|| Atom::Sol(Index::Symbol(name.into())));
    }
    if let Some(factor) = text.strip_prefix('%') {
        return Some(Atom::Sol(Index::Iter(factor.parse().ok()?)));
    }
    match text.contains('.') {
        true => Some(Atom::Proj(read_axis(text)?)),
        false => Some(Atom::Sol(Index::Fix(text.parse().ok()?))),
    }
}

fn read_axis(text: &str) -> Option<AxisId> {
    let (slot, axis) = text.trim().split_once('.')?;
    Some(AxisId {
        slot: slot.parse().ok()?,
        axis: axis.parse().ok()?,
    })
}

/// Reads `2*1.0 + 1*1.1 + -1`: coefficients with axes, and the offset.
fn read_sum(text: &str) -> Option<Sum> {
    let (terms, offset) = match text.rsplit_once('+') {
        Some((terms, offset)) => (Some(terms), offset),
        None => (None, text),
    };
    let term = |term: &str| {
        let (coefficient, axis) = term.split_once('*')?;
        Some((coefficient.trim().parse().ok()?, read_axis(axis)?))
    };
    let terms = terms.into_iter().flat_map(|terms| terms.split('+'));
    Some(Sum {
        terms: terms.map(term).collect::<Option<_>>()?,
        offset: offset.trim().parse().ok()?,
    })
}

fn read_line(line: &str, system: &mut System) -> Option<()> {
    if let Some(sizes) = line.strip_prefix("slot") {
        let sizes: Option<Vec<u64>> = sizes
            .split_whitespace()
            .map(|size| size.parse().ok().filter(|size| *size > 0))
            .collect();
        system.sizes.push(sizes?);
    } else if let Some(atom) = line.strip_prefix("iter ") {
        system.equations.push(Equation::Iter(read_atom(atom)?));
    } else if let Some((axis, sum)) = line.split_once(":=") {
        let equation = Equation::Derive(read_axis(axis)?, read_sum(sum)?);
        system.equations.push(equation);
    } else {
        let (left, right) = line.split_once('=')?;
        let equation = Equation::Eq(read_atom(left)?, read_atom(right)?);
        system.equations.push(equation);
    }
    Some(())
}

impl FromStr for System {
    type Err = String;

    fn from_str(text: &str) -> Result<System, String> {
        let mut system = System::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() && read_line(line, &mut system).is_none() {
                return Err(format!(
                    "line {}: expected `slot SIZES`, `iter ATOM`, `ATOM = ATOM` or `AXIS := 2*AXIS + 1*AXIS + -1`, where an atom is an axis, SLOT.AXIS, a position or @SYMBOL",
                    number + 1
                ));
            }
        }
        Ok(system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_read_as_they_are_printed() {
        let text = "slot 2 3\nslot\nslot 3\n0.1 = 2.0\niter 0.0\n0.0 = @k\n2.0 = 2\n0.0 := 2*0.1 + 1*2.0 + -1\n2.0 := 1\n";
        let system: System = text.parse().unwrap();
        assert_eq!(system.to_string(), text);
        assert_eq!(system.axes().count(), 3);
        let last = AxisId { slot: 2, axis: 0 };
        assert_eq!(system.size(last), Some(3));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        for wrong in [
            "slot 0",
            "0.1 = ",
            "iter",
            "0.x = 1",
            "@ = 1",
            "0.1 := 2*",
            "0.0 := 0*0.1 + 1",
        ] {
            let error = format!("slot 2\n{wrong}").parse::<System>().unwrap_err();
            assert!(error.starts_with("line 2: expected"), "{wrong}: {error}");
        }
    }
}
