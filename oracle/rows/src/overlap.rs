//! Equations between open rows: which values overlap, and when the overlap is periodic.
//!
//! `l·w_ρ·r ≈ l'·w_σ·r'` lays the two values on one line, at places that differ by `|l| - |l'|`. Values that are
//! connected by such equations form a *group*, in which each value gets a place along a spanning tree. The part of the
//! line on which all of them lie is their *overlap*, of length K; they have the same axes there. An equation outside
//! the tree that demands a place that differs by d gives the overlap the period |d|. By the theorem of Fine and Wilf,
//! an overlap with periods d₁ … dₖ and K ≥ 2·max dᵢ has their greatest common divisor as a period. So the axes at the
//! two ends of such an overlap are related by K modulo that divisor, however long the overlap is.

use lozenge_vocabulary::Constraint;

use crate::formula::{Axis, Facing, Guard, Measure};
use crate::symbols::{SymbolicRow, Symbols};

/// An overlap that is periodic if it is long enough.
#[derive(Clone, Debug)]
pub(crate) struct Periodic {
    /// The variable by whose rank the overlap is measured.
    pub var: u32,
    /// The overlap's length is the variable's rank less this.
    pub overhang: u32,
    /// The period, once the overlap is at least `from` long.
    pub period: u32,
    /// The least length of the overlap from which the period holds.
    pub from: u32,
    /// The beginning of the overlap in the variable's value, from its front.
    front: u32,
    /// The end of the overlap in the variable's value, from its back.
    back: u32,
}

/// The facts about overlaps that the equations of a set entail.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlaps {
    pub periodic: Vec<Periodic>,
    /// A rank that equations between open rows never force a value to exceed.
    pub reach: u32,
}

struct Link {
    to: usize,
    /// The place of `to` minus the place of the other value.
    place: i64,
    /// The rank of `to` minus the rank of the other value.
    rank: i64,
}

#[derive(Clone, Copy)]
struct Laid {
    place: i64,
    rank: i64,
}

/// Returns the overlaps of the equations among the constraints.
pub(crate) fn overlaps<'a>(
    constraints: impl Iterator<Item = &'a Constraint>,
    symbols: &mut Symbols,
) -> Overlaps {
    let links = links(constraints, symbols);
    let mut laid: Vec<Option<Laid>> = vec![None; links.len()];
    let mut overlaps = Overlaps::default();
    for root in 0..links.len() {
        if laid[root].is_none() && !links[root].is_empty() {
            let members = lay(root, &links, &mut laid);
            overlaps.add(root, &members, &links, &laid);
        }
    }
    overlaps
}

fn links<'a>(
    constraints: impl Iterator<Item = &'a Constraint>,
    symbols: &mut Symbols,
) -> Vec<Vec<Link>> {
    let mut links: Vec<Vec<Link>> = Vec::new();
    for constraint in constraints {
        let Constraint::RowEq(a, b) = constraint else {
            continue;
        };
        let (a, b) = (symbols.symbolic_row(a), symbols.symbolic_row(b));
        let (Some(from), Some(to)) = (a.var, b.var) else {
            continue;
        };
        links.resize_with(symbols.rows.len().max(links.len()), Vec::new);
        links[from as usize].push(link(&a, &b, to));
        links[to as usize].push(link(&b, &a, from));
    }
    links
}

fn link(from: &SymbolicRow, to: &SymbolicRow, var: u32) -> Link {
    Link {
        to: var as usize,
        place: to.leading.len() as i64 - from.leading.len() as i64,
        rank: from.explicit() as i64 - to.explicit() as i64,
    }
}

/// Lays out every value that is connected to the root, and returns these values.
fn lay(root: usize, links: &[Vec<Link>], laid: &mut [Option<Laid>]) -> Vec<usize> {
    let mut members = Vec::new();
    let mut waiting = vec![root];
    laid[root] = Some(Laid { place: 0, rank: 0 });
    while let Some(at) = waiting.pop() {
        members.push(at);
        let Some(here) = laid[at] else { continue };
        for link in &links[at] {
            if laid[link.to].is_none() {
                laid[link.to] = Some(Laid {
                    place: here.place + link.place,
                    rank: here.rank + link.rank,
                });
                waiting.push(link.to);
            }
        }
    }
    members
}

impl Overlaps {
    fn add(&mut self, root: usize, members: &[usize], links: &[Vec<Link>], laid: &[Option<Laid>]) {
        let placed: Vec<(usize, Laid)> = members
            .iter()
            .filter_map(|&m| Some((m, laid[m]?)))
            .collect();
        let (mut period, mut largest) = (0, 0);
        for &(member, here) in &placed {
            for link in &links[member] {
                let Some(there) = laid[link.to] else { continue };
                if there.rank != here.rank + link.rank {
                    return; // no ranks satisfy the equations: the facts about lengths say so
                }
                let shift = (there.place - here.place - link.place).unsigned_abs() as u32;
                period = gcd(period, shift);
                largest = largest.max(shift);
            }
        }
        let start = placed.iter().map(|(_, l)| l.place).max().unwrap_or(0);
        let end = placed
            .iter()
            .map(|(_, l)| l.place + l.rank)
            .min()
            .unwrap_or(0);
        // K = N_root + end - start; every other value of the group extends beyond the overlap by its overhang.
        let longest = placed.iter().map(|(_, l)| l.rank).max().unwrap_or(0);
        let overhang = (longest + start - end) as u32;
        self.reach = self.reach.max(overhang + 2 * largest + period);
        if period > 0 {
            self.periodic.push(Periodic {
                var: root as u32,
                overhang: (start - end) as u32,
                period,
                from: 2 * largest,
                front: start as u32,
                back: (-end) as u32,
            });
        }
    }
}

impl Periodic {
    /// Returns the axes that are the same when the overlap is long and its length leaves `residue` modulo the period.
    pub fn facing(&self, residue: u32, window: u32) -> Vec<Facing> {
        let mut pairs = Vec::new();
        for i in 0..self.period {
            // i from the front is K - 1 - i from the back: modulo the period, residue - 1 - i
            let j = (residue + self.period - 1 - i) % self.period;
            let front = self.front + i;
            let back = self.back + j;
            if front < window && back < window {
                pairs.push(same(
                    Axis::Front(self.var, front),
                    Axis::Back(self.var, back),
                ));
            }
        }
        pairs
    }

    /// Returns the axes that are the same because they are one period apart, under the condition that the overlap is
    /// long enough.
    pub fn repeats(&self, window: u32) -> Vec<Facing> {
        let mut pairs = Vec::new();
        for i in 0..window {
            let inside = Guard::Exceeds(Measure::Rank, self.var, self.overhang + i + self.period);
            let ends = [
                (Axis::Front as fn(u32, u32) -> Axis, self.front),
                (Axis::Back, self.back),
            ];
            for (axis, start) in ends {
                if start + i + self.period < window {
                    pairs.push(Facing {
                        guards: [Some(inside), None, None],
                        low: axis(self.var, start + i),
                        high: axis(self.var, start + i + self.period),
                    });
                }
            }
        }
        pairs
    }
}

fn same(low: Axis, high: Axis) -> Facing {
    Facing {
        guards: [None; 3],
        low,
        high,
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::set;

    /// Returns the reach that the equations give, and the overhang, period, least length and place of each periodic
    /// overlap.
    fn said(text: &str) -> (u32, Vec<[u32; 5]>) {
        let overlaps = overlaps(set(text).constraints.iter(), &mut Symbols::default());
        let cores = overlaps.periodic.iter();
        let cores = cores.map(|t| [t.overhang, t.period, t.from, t.front, t.back]);
        (overlaps.reach, cores.collect())
    }

    #[test]
    fn equations_lay_values_on_a_line() {
        let table: &[(&str, u32, &[[u32; 5]])] = &[
            // No cycle, no period: values overhang the overlap.
            ("[3, 5 <r> 7] ~ <s>", 3, &[]),
            ("[3 <r>] ~ [<s> 5]", 1, &[]),
            // Shifted by 2: periodic from twice the shift on.
            ("[3, 5 <r>] ~ [<r> 3, 5]", 6, &[[0, 2, 4, 0, 0]]),
            // Shifted by 4 and by 6: the greatest common divisor, from twice the larger shift on.
            (
                "[a, a, a, a <r>] ~ [<r> a, a, a, a]\n[a, a, a, a, a, a <r>] ~ [<r> a, a, a, a, a, a]",
                12 + 2,
                &[[0, 2, 12, 0, 0]],
            ),
            // The overlap is all of r, which lies in s, the first value, two places from its front and one from its
            // back.
            (
                "<s> ~ [7, 7 <r> 7]\n[3, 5 <r>] ~ [<r> 3, 5]",
                3 + 6,
                &[[3, 2, 4, 2, 1]],
            ),
            // The overlap is all of r, the first value; t is longer by 2.
            (
                "[7 <r>] ~ <s>\n[<s> 7] ~ <t>\n[3, 5 <r>] ~ [<r> 3, 5]",
                2 + 6,
                &[[0, 2, 4, 0, 0]],
            ),
            // The cycle of two equations shifts s by 1.
            ("[3 <r>] ~ <s>\n[<r> 3] ~ <s>", 1 + 3, &[[0, 1, 2, 0, 0]]),
            // No ranks satisfy the equation: nothing is said.
            ("[3 <r>] ~ <r>", 0, &[]),
            // Two lines: the reach is the larger one.
            ("[3 <r>] ~ <s>\n[3, 5 <t>] ~ <u>", 2, &[]),
        ];
        for (text, reach, cores) in table {
            assert_eq!(said(text), (*reach, cores.to_vec()), "{text}");
        }
    }

    /// Overlaps with each period, at different places in their values.
    fn cores() -> impl Iterator<Item = Periodic> {
        let places = [(0, 0), (1, 0), (0, 2), (3, 1)];
        places.into_iter().flat_map(|(front, back)| {
            (1..5).map(move |period| Periodic {
                var: 0,
                overhang: front + back,
                period,
                from: 2 * period,
                front,
                back,
            })
        })
    }

    /// The ends of an overlap are tied exactly where the same axis of a period is in the window from either end.
    #[test]
    fn the_ends_of_an_overlap_are_tied_by_its_length_modulo_the_period() {
        for overlap in cores() {
            for (residue, window) in (0..overlap.period).flat_map(|r| (1..9).map(move |w| (r, w))) {
                let length = 10 * overlap.period + residue;
                let mut tied = Vec::new();
                for i in 0..overlap.period {
                    for j in 0..overlap.period {
                        let (front, back) = (overlap.front + i, overlap.back + j);
                        let alike = i % overlap.period == (length - 1 - j) % overlap.period;
                        if alike && front < window && back < window {
                            tied.push(same(Axis::Front(0, front), Axis::Back(0, back)));
                        }
                    }
                }
                let found = overlap.facing(residue, window);
                assert_eq!(found, tied, "{overlap:?}, {residue}, {window}");
            }
        }
    }

    /// Two places of the window that are one period apart have the same axis if the value is long enough for both to be
    /// in the overlap.
    #[test]
    fn an_overlap_repeats_as_far_as_it_reaches() {
        for (overlap, window) in
            cores().flat_map(|overlap| (0..9_u32).map(move |w| (overlap.clone(), w)))
        {
            let ends = [
                (
                    Axis::Front as fn(u32, u32) -> Axis,
                    overlap.front,
                    overlap.back,
                ),
                (Axis::Back, overlap.back, overlap.front),
            ];
            let mut alike = Vec::new();
            for (axis, outside, beyond) in ends {
                for place in outside..window.saturating_sub(overlap.period) {
                    let other = place + overlap.period;
                    let reached = Guard::Exceeds(Measure::Rank, 0, other + beyond);
                    alike.push(Facing {
                        guards: [Some(reached), None, None],
                        low: axis(0, place),
                        high: axis(0, other),
                    });
                }
            }
            let mut found = overlap.repeats(window);
            found.sort_by_key(|pair| (pair.low, pair.high));
            assert_eq!(found, alike, "{overlap:?}, {window}");
        }
    }
}
