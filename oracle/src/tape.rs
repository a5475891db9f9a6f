//! Equations between open rows: which values share one word, and when that word is periodic.
//!
//! `l·w_ρ·r ≈ l'·w_σ·r'` lays the two values on one line, at places that differ by `|l| - |l'|`. Values that are connected by
//! such equations form a *tape*: along a spanning tree each value gets a place, and where all of them lie (the *core*, of
//! length K) they have the same letters. An equation outside the tree that wants another place, off by d, gives the core the period |d|.
//! By the theorem of Fine and Wilf, a core with periods d₁ … dₖ and K ≥ 2·max dᵢ has their greatest common divisor as a period.
//! So the letters at the two ends of such a core are tied together by K modulo that divisor, however long it is.

use lozenge_spec::Constraint;

use crate::formula::{Facing, Guard, Letter, Measure};
use crate::planted::{Defect, planted};
use crate::symbols::{Symbols, Word};

/// A tape whose core is periodic once it is long.
#[derive(Clone, Debug)]
pub(crate) struct Periodic {
    /// The variable by whose rank the core is measured.
    pub var: u32,
    /// The core's length is the variable's rank less this.
    pub overhang: u32,
    /// The period, once the core is at least `from` long.
    pub period: u32,
    /// The least length of the core from which the period holds.
    pub from: u32,
    /// Where the core begins in the variable's value, from its front.
    front: u32,
    /// Where the core ends in the variable's value, from its back.
    back: u32,
}

/// What the equations of a set say about tapes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tapes {
    pub periodic: Vec<Periodic>,
    /// A rank that a value need not exceed on account of equations between open rows.
    pub reach: u32,
}

struct Link {
    to: usize,
    /// place of `to` less place of the other
    place: i64,
    /// rank of `to` less rank of the other
    rank: i64,
}

#[derive(Clone, Copy)]
struct Laid {
    place: i64,
    rank: i64,
}

/// The tapes of the equations among the constraints.
pub(crate) fn tapes<'a>(
    constraints: impl Iterator<Item = &'a Constraint>,
    symbols: &mut Symbols,
) -> Tapes {
    let links = links(constraints, symbols);
    let mut laid: Vec<Option<Laid>> = vec![None; links.len()];
    let mut tapes = Tapes::default();
    for root in 0..links.len() {
        if laid[root].is_none() && !links[root].is_empty() {
            let members = lay(root, &links, &mut laid);
            tapes.add(root, &members, &links, &laid);
        }
    }
    tapes
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
        let (a, b) = (symbols.word(a), symbols.word(b));
        let (Some(from), Some(to)) = (a.var, b.var) else {
            continue;
        };
        links.resize_with(symbols.rows.len().max(links.len()), Vec::new);
        links[from as usize].push(link(&a, &b, to));
        links[to as usize].push(link(&b, &a, from));
    }
    links
}

fn link(from: &Word, to: &Word, var: u32) -> Link {
    Link {
        to: var as usize,
        place: to.leading.len() as i64 - from.leading.len() as i64,
        rank: from.explicit() as i64 - to.explicit() as i64,
    }
}

/// Lays out everything that is connected to the root; returns it.
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

impl Tapes {
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
        // K = N_root + end - start; another value of the tape is longer than the core by its own overhang.
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
    /// The letters that are the same when the core is long and its length leaves `residue` modulo the period.
    pub fn facing(&self, residue: u32, window: u32) -> Vec<Facing> {
        let residue = (residue + u32::from(planted(Defect::ResidueShifted))) % self.period;
        let mut pairs = Vec::new();
        for i in 0..self.period {
            // i from the front is K - 1 - i from the back: modulo the period, residue - 1 - i
            let j = (residue + 2 * self.period - 1 - i) % self.period;
            let misplaced = u32::from(planted(Defect::CoreMisplaced));
            let (front, back) = (self.front + i + misplaced, self.back + j);
            if front < window && back < window {
                pairs.push(same(
                    Letter::Front(self.var, front),
                    Letter::Back(self.var, back),
                ));
            }
        }
        pairs
    }

    /// The letters that are the same because they are one period apart, where the core reaches so far.
    pub fn repeats(&self, window: u32) -> Vec<Facing> {
        let mut pairs = Vec::new();
        for i in 0..window {
            let inside = Guard::Exceeds(Measure::Rank, self.var, self.overhang + i + self.period);
            let inside = (!planted(Defect::PeriodBeyondCore)).then_some(inside);
            let ends = [
                (Letter::Front as fn(u32, u32) -> Letter, self.front),
                (Letter::Back, self.back),
            ];
            for (letter, start) in ends {
                if start + i + self.period < window {
                    pairs.push(Facing {
                        guards: [inside, None, None],
                        low: letter(self.var, start + i),
                        high: letter(self.var, start + i + self.period),
                    });
                }
            }
        }
        pairs
    }
}

fn same(low: Letter, high: Letter) -> Facing {
    Facing {
        guards: [None; 3],
        low,
        high,
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
