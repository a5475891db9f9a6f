//! The admitted sizes that are nearest to a point that is refused.
//!
//! One axis is changed at a time where that helps. Where it does not, as few axes as possible change together: a
//! picture whose height and width are both wrong has a nearest height and a nearest width, and each belongs to an
//! admitted point.

use super::declared::{Contradiction, contradictions};
use super::{Answer, Point};
use crate::integers::Integers;
use crate::residual::SizeBox;
use crate::term::{Formula, Int, Rewriting, Symbol};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The nearest admitted sizes along one axis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nearest {
    /// The name of the axis.
    pub axis: String,
    /// The greatest admitted size below.
    pub below: Option<Int>,
    /// The least admitted size above.
    pub above: Option<Int>,
}

/// A smallest set of axes whose sizes have to change, while all others keep what was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The axes, each with its nearest sizes.
    pub axes: Vec<Nearest>,
    /// The sizes of all these axes at admitted points, one for each of the nearest sizes; nothing where every choice
    /// among those is admitted.
    pub together: Vec<Vec<(String, Int)>>,
}

/// The number of axes that change together at most, and of sets of axes that are tried.
const MAX_TOGETHER: usize = 4;
const MAX_SETS: usize = 400;

/// The number of sizes of one axis that are tried on each side where the others depend on it.
const MAX_TRIED: usize = 32;

type Values = BTreeMap<Symbol, Int>;

impl Answer {
    /// Returns the nearest admitted sizes below and above of each axis of a refused point that has to change, in the
    /// order of the axes.
    ///
    /// An axis is named where changing it helps: alone or, where no single axis helps, together with as few others as
    /// possible.
    #[must_use]
    pub fn nearest(&mut self, point: &Point) -> Vec<Nearest> {
        let mut all: Vec<Nearest> = Vec::new();
        for near in self
            .changes(point)
            .into_iter()
            .flat_map(|change| change.axes)
        {
            match all.iter_mut().find(|known| known.axis == near.axis) {
                None => all.push(near),
                Some(known) => {
                    known.below = known.below.max(near.below);
                    known.above = least(known.above, near.above);
                }
            }
        }
        all
    }

    /// Returns the smallest sets of axes whose change makes a refused point an admitted one.
    #[must_use]
    pub fn changes(&mut self, point: &Point) -> Vec<Change> {
        let mut declared = Vec::new();
        for contradiction in contradictions(&self.inputs, &self.options, point) {
            let Contradiction::Size {
                input,
                at,
                declared: size,
                given,
            } = contradiction
            else {
                return Vec::new();
            };
            let size = Int::from(size);
            declared.push(Nearest {
                axis: format!("{input}[{at}]"),
                below: (size < Int::from(given)).then_some(size),
                above: (size > Int::from(given)).then_some(size),
            });
        }
        let Some(values) = self.symbol_values(point) else {
            return Vec::new();
        };
        self.terms.allow(super::steps(&self.graph));
        let can_change = |symbol: &Symbol| {
            !self.inputs.is_rank(*symbol) && !self.inputs.is_derived(&self.terms, *symbol)
        };
        let axes: Vec<Symbol> = values.keys().copied().filter(can_change).collect();
        let mut changes: Vec<Change> = Vec::new();
        let fewest = usize::from(declared.is_empty());
        for count in fewest..=axes.len().min(MAX_TOGETHER) {
            for set in choices(axes.len(), count) {
                let set: Vec<Symbol> = set.into_iter().map(|at| axes[at]).collect();
                changes.extend(self.change(&values, &set));
            }
            if !changes.is_empty() {
                break;
            }
        }
        for change in &mut changes {
            change.axes.splice(0..0, declared.iter().cloned());
            let sizes = declared
                .iter()
                .filter_map(|near| Some((near.axis.clone(), near.below.or(near.above)?)));
            for point in &mut change.together {
                point.splice(0..0, sizes.clone());
            }
        }
        changes
    }

    /// Returns the nearest sizes where exactly these axes change; nothing if that does not help.
    fn change(&mut self, values: &Values, set: &[Symbol]) -> Option<Change> {
        let mut axes = Vec::new();
        let mut points: Vec<Values> = Vec::new();
        for symbol in set {
            let sides = [false, true].map(|up| self.beside(values, set, *symbol, up));
            let [below, above] = sides
                .each_ref()
                .map(|side| side.as_ref().map(|point| point[symbol]));
            axes.push(Nearest {
                axis: self.terms.name(*symbol).to_owned(),
                below,
                above,
            });
            points.extend(sides.into_iter().flatten());
        }
        if set.is_empty() {
            let stays = self.is_admitted(values);
            return stays.then_some(Change {
                axes,
                together: Vec::new(),
            });
        }
        if points.is_empty() {
            return None;
        }
        let together = match self.is_product(values, set, &axes) {
            true => Vec::new(),
            false => self.named(set, points),
        };
        Some(Change { axes, together })
    }

    /// Returns the sizes of the axes at points, each point once.
    fn named(&self, set: &[Symbol], points: Vec<Values>) -> Vec<Vec<(String, Int)>> {
        let points: BTreeSet<Vec<Int>> = points
            .iter()
            .map(|point| set.iter().map(|symbol| point[symbol]).collect())
            .collect();
        let name = |symbol: &Symbol| self.terms.name(*symbol).to_owned();
        points
            .into_iter()
            .map(|sizes| set.iter().map(name).zip(sizes).collect())
            .collect()
    }

    /// Says whether every choice among the nearest sizes is admitted.
    fn is_product(&mut self, values: &Values, set: &[Symbol], axes: &[Nearest]) -> bool {
        let mut points = vec![values.clone()];
        for (symbol, near) in set.iter().zip(axes) {
            let sides = [near.below, near.above].into_iter().flatten();
            points = points
                .iter()
                .flat_map(|point| {
                    sides.clone().map(|size| {
                        let mut point = point.clone();
                        point.insert(*symbol, size);
                        point
                    })
                })
                .collect();
        }
        points.iter().all(|point| self.is_admitted(point))
    }

    fn is_admitted(&mut self, values: &Values) -> bool {
        self.section(values)
            .iter()
            .any(|found| found.witness.is_some())
    }

    /// Returns the admitted point with the nearest size of an axis on one side, where the other axes of a set are as
    /// near as they can be then.
    fn beside(
        &mut self,
        values: &Values,
        set: &[Symbol],
        symbol: Symbol,
        up: bool,
    ) -> Option<Values> {
        let mut fixed = values.clone();
        set.iter().for_each(|symbol| {
            fixed.remove(symbol);
        });
        let size = self.nearest_size(&fixed, symbol, values[&symbol], &[up])?;
        fixed.insert(symbol, size);
        for other in set.iter().filter(|other| **other != symbol) {
            let size = self.nearest_size(&fixed, *other, values[other], &[false, true])?;
            fixed.insert(*other, size);
        }
        Some(fixed)
    }

    /// Returns the size of an axis that is nearest to a size, itself left out, on these sides, while some symbols have
    /// values and the others are free.
    fn nearest_size(
        &mut self,
        fixed: &Values,
        symbol: Symbol,
        from: Int,
        sides: &[bool],
    ) -> Option<Int> {
        let found = self.section(fixed);
        let mut best: Option<Int> = None;
        for part in &found {
            for up in sides {
                let mut size = from;
                for _ in 0..MAX_TRIED {
                    let domain = &part.domains[&symbol];
                    let next = match up {
                        true => domain.next(size.saturating_add(1)),
                        false => domain.previous(size.saturating_sub(1)),
                    };
                    let Some(next) = next else { break };
                    let is_nearer = |best: Int| next.abs_diff(from) < best.abs_diff(from);
                    if !best.is_none_or(is_nearer) {
                        break;
                    }
                    let is_alone = part.relations.is_empty() && part.equal.is_empty();
                    let mut with = fixed.clone();
                    with.insert(symbol, next);
                    if is_alone || self.is_admitted(&with) {
                        best = Some(next);
                        break;
                    }
                    size = next;
                }
            }
        }
        best
    }

    /// Returns the admitted sizes where some symbols have values. A part that is not decided keeps its conditions, so
    /// that its sizes can be tried one by one.
    fn section(&mut self, fixed: &Values) -> Vec<SizeBox> {
        let mut all = Vec::new();
        for case in 0..self.cases.len() {
            for at in 0..self.cases[case].boxes.len() {
                let found = &self.cases[case].boxes[at];
                let is_outside = |(symbol, domain): (&Symbol, &Integers)| {
                    fixed
                        .get(symbol)
                        .is_some_and(|value| !domain.contains(*value))
                };
                if found.domains.iter().any(is_outside) {
                    continue;
                }
                let found = found.clone();
                let mut formulas = found.relations.clone();
                for (dependent, term) in &found.equal {
                    let own = self.terms.of(*dependent);
                    formulas.push(self.terms.equal(own, *term));
                }
                for (symbol, value) in fixed {
                    if found.domains.contains_key(symbol) {
                        formulas = self.with(*symbol, *value, &formulas);
                    }
                }
                let free: BTreeMap<Symbol, Integers> = found
                    .domains
                    .into_iter()
                    .filter(|(symbol, _)| !fixed.contains_key(symbol))
                    .collect();
                match crate::residual::boxes(&mut self.terms, free.clone(), &formulas) {
                    Ok(boxes) => all.extend(boxes),
                    Err(_) => all.push(SizeBox {
                        domains: free,
                        equal: Vec::new(),
                        relations: formulas,
                        witness: None,
                    }),
                }
            }
        }
        all
    }

    /// Formulas with a value in place of a symbol.
    fn with(&mut self, symbol: Symbol, value: Int, formulas: &[Formula]) -> Vec<Formula> {
        let value = self.terms.number(value);
        let mut rewriting = Rewriting::symbol(&mut self.terms, symbol, value);
        formulas
            .iter()
            .map(|formula| rewriting.formula(&mut self.terms, *formula))
            .collect()
    }
}

fn least(one: Option<Int>, other: Option<Int>) -> Option<Int> {
    [one, other].into_iter().flatten().min()
}

/// Returns the sets of so many of the first numbers, in order, at most [`MAX_SETS`].
fn choices(of: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.iter().flat_map(|set: &Vec<usize>| {
            let from = set.last().map_or(0, |last| last + 1);
            (from..of).map(|next| [set.as_slice(), &[next]].concat())
        });
        all = longer.take(MAX_SETS).collect();
    }
    all
}
