//! Strips: which ends of a graph that is invariant under shift reach which, by its length.

use crate::machinery::{Effort, Finding, Witness};

/// An edge from row `from` to row `to`, by -1, 0 or 1 places to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    from: usize,
    to: usize,
    shift: i32,
}

/// All graphs of so many rows with at most so many edges.
struct Family {
    rows: usize,
    most_edges: usize,
}

fn families(effort: Effort) -> Vec<Family> {
    let most_edges = match effort {
        Effort::Quick => 3,
        Effort::Full | Effort::Long => 5,
    };
    vec![
        Family {
            rows: 1,
            most_edges: 3,
        },
        Family {
            rows: 2,
            most_edges: 12,
        },
        Family {
            rows: 3,
            most_edges,
        },
    ]
}

/// Returns the length from which on the relation of the ends is periodic.
const fn periodic_from(rows: usize) -> usize {
    rows * rows + 1
}

/// Returns a multiple of the lengths of all cycles of so many rows: lcm(1..n).
const fn period(rows: usize) -> usize {
    match rows {
        0 | 1 => 1,
        2 => 2,
        _ => 6,
    }
}

/// Decides Decision.15.
pub fn periodic(effort: Effort) -> Finding {
    let (mut instances, mut witness) = (0, None);
    let mut scopes = Vec::new();
    for family in families(effort) {
        let Family { rows, most_edges } = family;
        let edges = all_edges(rows);
        let most = most_edges.min(edges.len());
        each_choice(edges.len(), most, &mut |chosen| {
            instances += 1;
            let graph: Vec<Edge> = chosen.iter().map(|at| edges[*at]).collect();
            if let Some(length) = changes_late(&graph, rows, periodic_from(rows), period(rows)) {
                let why = format!("lengths {length} and {} differ", length + period(rows));
                witness = witness
                    .take()
                    .or_else(|| Some(Witness::new(format!("{graph:?}"), why)));
            }
        });
        scopes.push(match most == edges.len() {
            true => format!("every graph of {rows} rows"),
            false => format!("every graph of {rows} rows with at most {most} edges"),
        });
    }
    let scope = format!(
        "{}; edges by at most one place; lengths from n² + 1 to n² + 2 · lcm(1, …, n)",
        scopes.join(", ")
    );
    Finding::exhaustive(scope, instances, witness)
}

fn all_edges(rows: usize) -> Vec<Edge> {
    let pairs = (0..rows).flat_map(|from| (0..rows).map(move |to| (from, to)));
    let edges = pairs.flat_map(|(from, to)| [-1, 0, 1].map(|shift| Edge { from, to, shift }));
    edges.collect()
}

/// Calls a function for every choice of at most `most` of `count` things.
fn each_choice(count: usize, most: usize, found: &mut impl FnMut(&[usize])) {
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        found(&chosen);
        let next = chosen.last().map_or(0, |last| last + 1);
        if chosen.len() < most && next < count {
            chosen.push(next);
            continue;
        }
        // The last one that can go one further.
        loop {
            match chosen.pop() {
                None => return,
                Some(last) if last + 1 < count => {
                    chosen.push(last + 1);
                    break;
                }
                Some(_) => {}
            }
        }
    }
}

/// Finds the first length from `first` on at which the relation differs from the one a period later, if there is one: a
/// counterexample to the period.
fn changes_late(graph: &[Edge], rows: usize, first: usize, period: usize) -> Option<usize> {
    let relations: Vec<Vec<u64>> = (first..first + 2 * period)
        .map(|length| ends(rows, graph, length))
        .collect();
    let at = (0..period).find(|at| relations[*at] != relations[at + period]);
    at.map(|at| first + at)
}

/// Returns, for each node of the first and of the last column, the nodes of both columns that it reaches: a bit for
/// each.
fn ends(rows: usize, graph: &[Edge], length: usize) -> Vec<u64> {
    let inside = (1u64 << length) - 1;
    let columns = [0, length - 1];
    let starts = columns
        .iter()
        .flat_map(|column| (0..rows).map(move |row| (row, *column)));
    starts
        .map(|(row, column)| {
            let mut reached = vec![0u64; rows];
            reached[row] = 1 << column;
            loop {
                let before = reached.clone();
                for edge in graph {
                    let moved = match edge.shift {
                        -1 => reached[edge.from] >> 1,
                        0 => reached[edge.from],
                        _ => reached[edge.from] << 1,
                    };
                    reached[edge.to] |= moved & inside;
                }
                if before == reached {
                    break;
                }
            }
            let ends = reached
                .iter()
                .map(|row| (row & 1) | (row >> (length - 1)) << 1);
            ends.fold(0, |bits, end| bits << 2 | end)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the graphs of so many rows and edges that are not periodic from there on with that period.
    fn refuted(rows: usize, most: usize, first: usize, period: usize) -> usize {
        let edges = all_edges(rows);
        let mut count = 0;
        each_choice(edges.len(), most, &mut |chosen| {
            let graph: Vec<Edge> = chosen.iter().map(|at| edges[*at]).collect();
            count += usize::from(changes_late(&graph, rows, first, period).is_some());
        });
        count
    }

    #[test]
    fn neither_a_shorter_period_nor_an_earlier_start_is_enough() {
        assert_eq!(refuted(2, 12, periodic_from(2), period(2)), 0);
        // A cycle through two rows has drift 2, which one place at a time does not see.
        assert!(refuted(2, 12, periodic_from(2), 1) > 0);
        assert!(refuted(3, 3, periodic_from(3), 2) > 0);
        assert!(refuted(2, 12, 1, period(2)) > 0);
        assert!(refuted(3, 4, 2, period(3)) > 0);
    }
}
