//! Constraint sets from bytes. All randomness is in the bytes: the same bytes give the same set, on every machine.

pub mod appended;
pub mod growing;
pub mod large;
pub mod plausible;
pub mod sets;
pub mod systems;
pub mod windows;

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, RowTerm, RowVar, Tag, Var,
};

use crate::random::Random;

/// Parameters of generated constraint sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// The most constraints; there is at least one.
    pub constraints: usize,
    /// The most axes that a flank has.
    pub flank: usize,
    /// The number of dimension variables.
    pub dim_vars: usize,
    /// The number of row variables.
    pub row_vars: usize,
    /// The number of atoms beside the unit. Few atoms make constraints interact.
    pub atoms: u64,
    /// True if variables may be declared leaves and parameters.
    pub tags: bool,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs {
            constraints: 4,
            flank: 2,
            dim_vars: 2,
            row_vars: 2,
            atoms: 2,
            tags: false,
        }
    }
}

/// Draws a constraint set of mostly row constraints, since these lead to dimension constraints.
///
/// # Errors
/// Never for lack of bytes: then the simplest choices are taken.
pub fn constraint_set(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<ConstraintSet> {
    let count = u.int_in_range(1..=knobs.constraints.max(1))?;
    let constraints = (0..count)
        .map(|_| constraint(u, knobs))
        .collect::<Result<Vec<_>>>()?;
    declared(u, knobs, constraints)
}

/// Draws the set of the constraints, with declared variables if the knobs say so.
fn declared(
    u: &mut Unstructured<'_>,
    knobs: &Knobs,
    constraints: Vec<Constraint>,
) -> Result<ConstraintSet> {
    let mut set = ConstraintSet::from_iter(constraints);
    if knobs.tags {
        for var in set.vars() {
            let tag = *u.choose(&[Tag::Interior, Tag::Interior, Tag::Leaf, Tag::Param])?;
            if tag != Tag::Interior {
                set.tags.insert(var, tag);
            }
        }
    }
    Ok(set)
}

fn constraint(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<Constraint> {
    Ok(match u.int_in_range(0..=9)? {
        0 => Constraint::DimEq(dim(u, knobs)?, dim(u, knobs)?),
        1 => Constraint::DimLe(dim(u, knobs)?, dim(u, knobs)?),
        2..=4 => Constraint::RowEq(row(u, knobs)?, row(u, knobs)?),
        _ => Constraint::RowLe(row(u, knobs)?, row(u, knobs)?),
    })
}

fn dim(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<DimTerm> {
    Ok(match u.int_in_range(0..=4)? {
        0 => DimTerm::Const(Dim::Unit),
        1 | 2 if knobs.dim_vars > 0 => {
            let number = u.int_in_range(0..=knobs.dim_vars - 1)?;
            DimTerm::Var(DimVar::new(&letter(b'a', number)))
        }
        // Sizes 2, 3, …, because readers easily mistake an atom of size 1 for the unit.
        _ => match Dim::new(2 + u.int_in_range(0..=knobs.atoms.saturating_sub(1))?) {
            Some(atom) => DimTerm::Const(atom),
            None => DimTerm::Const(Dim::Unit),
        },
    })
}

fn row(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<RowTerm> {
    let open = knobs.row_vars > 0 && u.ratio(3, 4)?;
    let var = if open {
        Some(RowVar::new(&letter(
            b'r',
            u.int_in_range(0..=knobs.row_vars - 1)?,
        )))
    } else {
        None
    };
    Ok(RowTerm {
        leading: flank(u, knobs)?,
        var,
        trailing: flank(u, knobs)?,
    })
}

fn flank(u: &mut Unstructured<'_>, knobs: &Knobs) -> Result<Vec<DimTerm>> {
    let length = u.int_in_range(0..=knobs.flank)?;
    (0..length).map(|_| dim(u, knobs)).collect()
}

/// Returns the name with this number: the letters from the given one on, then the same letters with numbers appended.
pub fn letter(first: u8, number: usize) -> String {
    let span = usize::from(b'z' - first) + 1;
    let name = char::from(first + (number % span) as u8);
    if number < span {
        name.to_string()
    } else {
        format!("{name}{}", number / span)
    }
}

/// Returns the bytes of one input of a campaign: they depend on the seed and the index alone.
pub fn bytes(seed: u64, index: u64, length: usize) -> Vec<u8> {
    Random::seeded(seed, index).bytes(length)
}

/// Returns the constraint set of one input of a campaign.
pub fn indexed(seed: u64, index: u64, knobs: &Knobs) -> ConstraintSet {
    let bytes = bytes(seed, index, 256);
    constraint_set(&mut Unstructured::new(&bytes), knobs).unwrap_or_default()
}

/// Returns the variables of a set, counted by sort: dimension variables, row variables.
pub fn variables(set: &ConstraintSet) -> (usize, usize) {
    let vars = set.vars();
    let rows = vars.iter().filter(|var| matches!(var, Var::Row(_))).count();
    (vars.len() - rows, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_depend_on_seed_and_index_alone() {
        let knobs = Knobs {
            tags: true,
            ..Knobs::default()
        };
        assert_eq!(indexed(1, 7, &knobs), indexed(1, 7, &knobs));
        assert_ne!(indexed(1, 7, &knobs), indexed(1, 8, &knobs));
        assert_ne!(indexed(1, 7, &knobs), indexed(2, 7, &knobs));
    }

    #[test]
    fn generated_sets_keep_to_the_knobs() {
        let knobs = Knobs {
            constraints: 3,
            flank: 1,
            dim_vars: 1,
            row_vars: 30,
            atoms: 1,
            tags: true,
        };
        for index in 0..2000 {
            let set = indexed(3, index, &knobs);
            assert!((1..=3).contains(&set.constraints.len()));
            assert_eq!(set.to_string().parse::<ConstraintSet>().as_ref(), Ok(&set));
            assert!(variables(&set).0 <= 1);
        }
    }
}
