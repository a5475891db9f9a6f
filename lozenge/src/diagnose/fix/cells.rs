//! The check that the specs of a changed program read and write the same cells as those of the program before.
//!
//! A size of a whole axis may change: the loop over it is as long as the axis. A size beside a position, of a window,
//! of a part or of a factor decides which cells are read, and so do positions and the numbers of windows.

use std::collections::BTreeMap;

use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::window::Window;
use lozenge_vocabulary::{Constraint, DimTerm};

/// Tells whether no operation of the changed program reads or writes other cells. A program with other operations is
/// another program, whose change is judged by its words.
pub(crate) fn keeps_the_cells(before: &Program, after: &Program) -> bool {
    let steps = before.steps.iter().zip(&after.steps);
    let mut operations = steps.map(|(before, after)| (&before.operation, &after.operation));
    before.steps.len() != after.steps.len() || operations.all(|(one, other)| is_alike(one, other))
}

fn is_alike(before: &Operation, after: &Operation) -> bool {
    if before.slots.len() != after.slots.len() {
        return true;
    }
    let (sizes, other_sizes) = (partial_sizes(before), partial_sizes(after));
    let is_kept = |(name, size): (&String, &u64)| {
        let other = other_sizes.get(name);
        other.is_none_or(|other| other == size)
    };
    sizes.iter().all(is_kept)
        && positions(before) == positions(after)
        && windows(before).eq(windows(after))
}

/// Returns the positions that an operation fixes, in ascending order.
fn positions(operation: &Operation) -> Vec<&Index> {
    let mut positions: Vec<&Index> = operation.pins.values().collect();
    positions.sort();
    positions
}

/// Returns the windows of an operation without their axes.
fn windows(operation: &Operation) -> impl Iterator<Item = Window<()>> {
    constraints(operation).filter_map(|constraint| match constraint {
        Constraint::Window(window) => Some(window.map(|_| ())),
        _ => None,
    })
}

fn constraints(operation: &Operation) -> impl Iterator<Item = &Constraint> {
    let requirements = operation.requirements.iter();
    requirements.filter_map(|requirement| match requirement {
        Requirement::Template(constraint) => Some(constraint),
        _ => None,
    })
}

/// Returns the sizes that a spec states of axes which it does not run over from end to end, by the names of their
/// variables.
fn partial_sizes(operation: &Operation) -> BTreeMap<String, u64> {
    let mut partial: Vec<&DimTerm> = Vec::new();
    for constraint in constraints(operation) {
        match constraint {
            Constraint::Window(window) => partial.extend(window.axes()),
            Constraint::Composite(composite) => partial.extend(composite.axes()),
            Constraint::Elements(elements) => partial.extend(elements.axes()),
            _ => {}
        }
    }
    let stated = constraints(operation).filter_map(|constraint| match constraint {
        Constraint::DimEq(term @ DimTerm::Var(var), DimTerm::Const(dim)) => {
            let is_partial = operation.pins.contains_key(var) || partial.contains(&term);
            is_partial.then(|| (var.name().to_string(), dim.size()))
        }
        _ => None,
    });
    stated.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells whether an operation with the second spec reads and writes the cells of one with the first.
    fn are_kept(before: &str, after: &str) -> bool {
        let [before, after] = [before, after].map(|spec| {
            let source = format!("data x : 6|->8, 3\nlet y = max(x, \"{spec}\")\n");
            crate::parse(&source).unwrap_or_else(|errors| panic!("{source}{errors:?}"))
        });
        keeps_the_cells(&before, &after)
    }

    #[test]
    fn the_size_of_a_whole_axis_changes_no_cells() {
        assert!(are_kept("n|->i, c:3 => n|->i", "n|->i, c:4 => n|->i"));
        assert!(are_kept("n|->i, c => n|->i", "m|->j, d => m|->j"));
    }

    #[test]
    fn another_position_is_another_cell() {
        assert!(!are_kept("n|->i, 1 => n|->i", "n|->i, 2 => n|->i"));
        assert!(!are_kept(
            "n|->i, c => n|->0:2, i",
            "n|->i, c => n|->1:2, i"
        ));
    }

    #[test]
    fn a_size_beside_a_position_of_a_window_or_of_a_part_decides_which_cells_are_read() {
        assert!(!are_kept(
            "n|->i, c => n|->0:1, i",
            "n|->i, c => n|->0:3, i"
        ));
        assert!(!are_kept(
            "n|->2*i + u:2, c => n|->i",
            "n|->2*i + u:4, c => n|->i"
        ));
        assert!(!are_kept("n|->_:2^i, c => n|->i", "n|->_:3^i, c => n|->i"));
        assert!(!are_kept(
            "n|->(k:2, i), c => n|->k",
            "n|->(k:4, i), c => n|->k"
        ));
        assert!(!are_kept(
            "n|->2*i + u:2, c => n|->i",
            "n|->3*i + u:2, c => n|->i"
        ));
    }
}
