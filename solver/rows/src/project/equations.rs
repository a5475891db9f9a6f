//! Def. 7.3 on a list of equations.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Projections;

use super::classes::{Classes, Conflict, Node, Reason};
use super::error::EquationConflict;
use super::label::{Underived, label};
use super::windows::Derived;

/// Solves equations over axes of given sizes, slot by slot; a size is at least 1.
///
/// # Errors
/// The first conflict of Thm. 7.4 that the equations run into, in their order.
pub fn solve_equations(
    equations: &[Equation],
    sizes: &[Vec<u64>],
) -> Result<Projections, EquationConflict> {
    let mut classes = Classes::default();
    let mut starts = Vec::with_capacity(sizes.len());
    for slot in sizes {
        starts.push(classes.node_count());
        for size in slot {
            classes.node(*size);
        }
    }
    let mut derived = Vec::new();
    let node = |equation: usize, axis: &AxisId| {
        let known = sizes
            .get(axis.slot)
            .is_some_and(|slot| axis.axis < slot.len());
        match known {
            true => Ok(starts[axis.slot] + axis.axis as Node),
            false => Err(EquationConflict::NoAxis {
                equation,
                axis: *axis,
            }),
        }
    };
    for (number, equation) in equations.iter().enumerate() {
        let reason = Reason {
            rule: Rule::P1,
            requirement: number as u32,
        };
        let done = match equation {
            Equation::Eq(Atom::Proj(p), Atom::Proj(q)) => {
                let (p, q) = (node(number, p)?, node(number, q)?);
                classes.unite(p, q, reason)
            }
            Equation::Eq(Atom::Proj(p), Atom::Sol(index))
            | Equation::Eq(Atom::Sol(index), Atom::Proj(p)) => {
                classes.pin(node(number, p)?, index, reason)
            }
            Equation::Eq(Atom::Sol(a), Atom::Sol(b)) if a == b => Ok(()),
            Equation::Eq(Atom::Sol(a), Atom::Sol(b)) => {
                Err(Conflict::Pins(0, a.clone(), b.clone()))
            }
            Equation::Iter(Atom::Proj(p)) => {
                classes.iterate(node(number, p)?);
                Ok(())
            }
            Equation::Iter(Atom::Sol(_)) => Ok(()),
            Equation::Derive(axis, sum) => {
                let terms = sum.terms.iter();
                let terms = terms.map(|(c, id)| Ok((c.get(), node(number, id)?)));
                derived.push(Derived {
                    axis: node(number, axis)?,
                    terms: terms.collect::<Result<_, EquationConflict>>()?,
                    offset: sum.offset,
                    requirement: number,
                });
                Ok(())
            }
        };
        done.map_err(|conflict| in_equation(number, conflict))?;
    }
    let labelled = label(sizes, &mut classes, &mut Vec::new(), &derived);
    labelled.map_err(|conflict| in_derived(&derived, conflict))
}

/// Returns a conflict in the equation of this number.
fn in_equation(equation: usize, conflict: Conflict) -> EquationConflict {
    match conflict {
        Conflict::Sizes(_, m, _, n) => EquationConflict::Sizes {
            equation,
            sizes: [m, n],
        },
        Conflict::Pins(_, a, b) => EquationConflict::Pins {
            equation,
            places: [a, b],
        },
    }
}

/// Returns a conflict in one of the derived axes.
fn in_derived(derived: &[Derived], conflict: Underived) -> EquationConflict {
    match conflict {
        Underived::Nested(at) | Underived::Supplied(at) | Underived::TooFar(at) => {
            EquationConflict::Argument {
                equation: derived[at].requirement,
            }
        }
        Underived::Two(at, places) => EquationConflict::Pins {
            equation: derived[at].requirement,
            places,
        },
    }
}
