//! Systems of projection equations: those of a closed operation, occasionally with one equation that does not belong to
//! it.

use std::num::NonZeroU64;

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::Index;

use crate::system::System;

/// Draws up to 3 slots with up to 3 axes of sizes 1 to 3. Mostly, axes that are made equal have the same size and
/// result axes are iterated; some axes are pinned.
///
/// # Errors
/// Never for lack of bytes.
pub fn system(u: &mut Unstructured<'_>) -> Result<System> {
    let mut system = System::default();
    for _ in 0..u.int_in_range(1..=3)? {
        let axes = u.int_in_range(0..=3)?;
        let sizes = (0..axes).map(|_| u.int_in_range(1..=3));
        system.sizes.push(sizes.collect::<Result<_>>()?);
    }
    let axes: Vec<AxisId> = system.axes().collect();
    if axes.is_empty() {
        return Ok(system);
    }
    for axis in axes.iter().filter(|axis| axis.slot == 0) {
        if !u.ratio(1, 5)? {
            system.equations.push(Equation::Iter(Atom::Proj(*axis)));
        }
    }
    for _ in 0..u.int_in_range(0..=6)? {
        let equation = equation(u, &system, &axes)?;
        system.equations.push(equation);
    }
    if u.ratio(1, 3)? {
        for _ in 0..u.int_in_range(1..=2)? {
            let equation = derivation(u, &axes)?;
            system.equations.push(equation);
        }
    }
    let places = 0..=system.equations.len().saturating_sub(1);
    if !system.equations.is_empty() {
        let turned = u.int_in_range(places)?;
        system.equations.rotate_left(turned);
    }
    Ok(system)
}

fn equation(u: &mut Unstructured<'_>, system: &System, axes: &[AxisId]) -> Result<Equation> {
    let axis = *u.choose(axes)?;
    let size = system.size(axis).unwrap_or(1);
    Ok(match u.int_in_range(0..=11)? {
        0 => Equation::Iter(Atom::Proj(axis)),
        1 => Equation::Eq(Atom::Proj(axis), symbol(u)?),
        2 => {
            let position = u.int_in_range(0..=size - 1)?;
            Equation::Eq(Atom::Sol(Index::Fix(position)), Atom::Proj(axis))
        }
        3 => Equation::Eq(Atom::Proj(axis), Atom::Proj(*u.choose(axes)?)),
        4 if u.ratio(1, 8)? => Equation::Eq(symbol(u)?, symbol(u)?),
        _ => {
            let alike = |other: &&AxisId| system.size(**other) == Some(size);
            let others: Vec<&AxisId> = axes.iter().filter(alike).collect();
            Equation::Eq(Atom::Proj(axis), Atom::Proj(**u.choose(&others)?))
        }
    })
}

/// Draws a derived index over up to two axes.
fn derivation(u: &mut Unstructured<'_>, axes: &[AxisId]) -> Result<Equation> {
    let axis = *u.choose(axes)?;
    let mut terms = Vec::new();
    for _ in 0..u.int_in_range(0..=2)? {
        let coefficient = u.int_in_range(1..=3)?;
        let coefficient = NonZeroU64::new(coefficient).unwrap_or(NonZeroU64::MIN);
        terms.push((coefficient, *u.choose(axes)?));
    }
    let offset = u.int_in_range(-1..=1)?;
    Ok(Equation::Derive(axis, Sum { terms, offset }))
}

fn symbol(u: &mut Unstructured<'_>) -> Result<Atom> {
    let name = *u.choose(&["i", "j"])?;
    Ok(Atom::Sol(Index::Symbol(name.into())))
}
