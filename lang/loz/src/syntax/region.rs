//! The regions of a spec with concatenated axes: which parts are visited together.
//!
//! A *choice* picks one named part of every concatenation of the spec, or, if the operands are alternatives, of those
//! of the result and of one operand. A label is *live* if it is an axis of its own somewhere, or is picked. A choice is
//! a region if in each concatenation the picked label is the only live one. So labels, not positions, determine which
//! parts belong together.

use hashbrown::HashSet;
use std::collections::{BTreeMap, BTreeSet};

use lozenge_vocabulary::DimVar;
use lozenge_vocabulary::operation::Region;
use lozenge_vocabulary::program::Span;

use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Axis, Labelled, Spec, Template};

/// A concatenation of a spec.
pub(crate) struct Concat<'s> {
    /// The requirement that states it.
    pub requirement: usize,
    /// The slot of its axis.
    pub slot: usize,
    /// The parts of the axis that have neither a label nor a size.
    pub rests: Vec<DimVar>,
    /// Its parts; `None` for a part without a label, over which nothing iterates.
    pub parts: Vec<Option<&'s Labelled>>,
    pub span: Span,
}

impl Concat<'_> {
    fn named(&self) -> impl Iterator<Item = (usize, &Labelled)> {
        let parts = self.parts.iter().enumerate();
        parts.filter_map(|(at, part)| Some((at, (*part)?)))
    }
}

/// Finds the regions, in the order of the operands and of the parts. Operands that are alternatives have regions of
/// their own.
///
/// # Errors
/// If an operand has no region, two regions write the same cells, or a part of the result is in no region.
pub(crate) fn regions(
    spec: &Spec,
    concats: &[Concat],
    alternatives: bool,
    operands: &[Span],
    most: u64,
) -> Parsed<Vec<Region>> {
    if concats.is_empty() && !(alternatives && spec.operands.len() > 1) {
        return Ok(vec![Region::default()]);
    }
    let plan = Plan::new(spec, concats, alternatives);
    let slots = 1..=spec.operands.len();
    let together: Vec<BTreeSet<usize>> = match alternatives {
        true => slots
            .clone()
            .map(|slot| BTreeSet::from([0, slot]))
            .collect(),
        false => vec![(0..=spec.operands.len()).collect()],
    };
    let mut found: Vec<(Region, BTreeSet<usize>)> = Vec::new();
    for read in together {
        let chosen = plan.choices(&read, most)?;
        if chosen.is_empty() {
            return Err(plan.none(&read));
        }
        let unread: BTreeSet<usize> = slots.clone().filter(|slot| !read.contains(slot)).collect();
        for visited in chosen {
            let region = Region {
                visited,
                unread: unread.clone(),
                rests: BTreeSet::new(),
                completed: false,
            };
            found.push((region, read.clone()));
        }
    }
    plan.distinct(&found, operands)?;
    plan.all_filled(&found)?;
    let completed = plan.writes_each_cell_once(&found);
    let regions = found.into_iter().map(|(region, _)| Region {
        completed,
        ..region
    });
    Ok(regions.collect())
}

struct Plan<'s> {
    spec: &'s Spec,
    concats: &'s [Concat<'s>],
    alternatives: bool,
    /// The labels that are axes of their own or occur in windows and products, by slot.
    plain: Vec<HashSet<&'s str>>,
}

fn plain_labels(template: &Template) -> HashSet<&str> {
    let axes = template.rows().into_iter().flat_map(|row| row.axes());
    axes.filter(|axis| !matches!(axis, Axis::Concat(_)))
        .flat_map(Axis::labels)
        .map(|(label, _)| label.name.as_str())
        .collect()
}

impl<'s> Plan<'s> {
    fn new(spec: &'s Spec, concats: &'s [Concat<'s>], alternatives: bool) -> Plan<'s> {
        let templates = [&spec.result].into_iter().chain(&spec.operands);
        Plan {
            spec,
            concats,
            alternatives,
            plain: templates.map(plain_labels).collect(),
        }
    }

    fn is_plain(&self, read: &BTreeSet<usize>, label: &str) -> bool {
        read.iter().any(|slot| self.plain[*slot].contains(label))
    }

    /// Tells whether a label occurs in a slot at all.
    fn mentions(&self, slot: usize, label: &str) -> bool {
        let own = self.concats.iter().filter(|concat| concat.slot == slot);
        let mut parts = own.flat_map(Concat::named);
        self.plain[slot].contains(label) || parts.any(|(_, part)| part.name == label)
    }

    /// Finds the parts of a concatenation that may be picked when these slots are read.
    fn candidates(&self, concat: &Concat, read: &BTreeSet<usize>) -> Vec<usize> {
        let live = concat
            .named()
            .filter(|(_, part)| self.is_plain(read, &part.name));
        let live: Vec<usize> = live.map(|(at, _)| at).collect();
        if !live.is_empty() {
            return live;
        }
        // A label that occurs in another operand belongs to that operand.
        let others = (1..self.plain.len()).filter(|slot| !read.contains(slot));
        let others: Vec<usize> = others.collect();
        let own = |label: &str| {
            let mut own = read.iter().filter(|slot| **slot > 0);
            own.any(|slot| self.mentions(*slot, label))
        };
        let free = concat.named().filter(|(_, part)| {
            let elsewhere = others.iter().any(|slot| self.mentions(*slot, &part.name));
            concat.slot > 0 || own(&part.name) || !elsewhere
        });
        free.map(|(at, _)| at).collect()
    }

    /// Finds the choices that are regions, of which at most `most` are considered.
    fn choices(&self, read: &BTreeSet<usize>, most: u64) -> Parsed<Vec<BTreeMap<usize, usize>>> {
        let concats: Vec<&Concat> = self
            .concats
            .iter()
            .filter(|concat| read.contains(&concat.slot))
            .collect();
        let candidates: Vec<Vec<usize>> = concats
            .iter()
            .map(|concat| self.candidates(concat, read))
            .collect();
        let total = candidates.iter().map(Vec::len);
        let total = total.fold(1usize, usize::saturating_mul);
        if total as u64 > most {
            return Err(Diagnostic::new(
                self.spec.span.clone(),
                format!("the parts of this spec can be chosen in {total} ways"),
                format!("more than {most}"),
            )
            .help("give some of the concatenations to an operation of their own; --max-choices raises the limit"));
        }
        let mut found = Vec::new();
        for number in 0..total {
            let mut rest = number;
            // The choice in the last concatenation varies fastest.
            let mut picked: Vec<usize> = Vec::with_capacity(concats.len());
            for options in candidates.iter().rev() {
                picked.push(options[rest % options.len()]);
                rest /= options.len();
            }
            picked.reverse();
            let labels: HashSet<&str> = concats
                .iter()
                .zip(&picked)
                .filter_map(|(concat, at)| Some(concat.parts[*at]?.name.as_str()))
                .collect();
            let is_live = |label: &str| labels.contains(label) || self.is_plain(read, label);
            let alone = |concat: &Concat| {
                concat
                    .named()
                    .filter(|(_, part)| is_live(&part.name))
                    .count()
                    == 1
            };
            if concats.iter().all(|concat| alone(concat)) {
                let visited = concats.iter().map(|concat| concat.requirement);
                found.push(visited.zip(picked).collect());
            }
        }
        Ok(found)
    }

    /// Returns the error that these slots have no region.
    fn none(&self, read: &BTreeSet<usize>) -> Diagnostic {
        for concat in self
            .concats
            .iter()
            .filter(|concat| read.contains(&concat.slot))
        {
            let live: Vec<&Labelled> = concat
                .named()
                .map(|(_, part)| part)
                .filter(|part| self.is_plain(read, &part.name))
                .collect();
            if live.len() < 2 {
                continue;
            }
            // The label that is also an axis of its own is the one that is not read in the concatenation.
            let beside = live
                .iter()
                .find(|part| self.plain[concat.slot].contains(part.name.as_str()));
            let part = beside.unwrap_or(&live[0]);
            let shown = brief(&part.name);
            return Diagnostic::new(
                part.span.clone(),
                format!("`{shown}` is a part and an axis too, and so is another part"),
                "two parts at once",
            )
            .other(concat.span.clone(), "one part is visited at a time")
            .edit(
                "write `_` for the part that is not visited; a statement of its own visits the other one",
                part.span.clone(),
                "_".to_string(),
            );
        }
        let concat = self
            .concats
            .iter()
            .find(|concat| read.contains(&concat.slot));
        let span = concat.map_or(&self.spec.span, |concat| &concat.span);
        Diagnostic::new(
            span.clone(),
            "no part of this axis is visited",
            "no choice of parts fits",
        )
        .help("a part is visited where its label stands elsewhere in the spec, once in each axis: `a^b => a`")
    }

    /// Finds the parts of the result that a region writes.
    fn written(&self, region: &Region) -> Vec<usize> {
        let result = self.concats.iter().filter(|concat| concat.slot == 0);
        result
            .filter_map(|concat| region.visited.get(&concat.requirement).copied())
            .collect()
    }

    /// Checks that no two regions write the same cells.
    fn distinct(&self, found: &[(Region, BTreeSet<usize>)], operands: &[Span]) -> Parsed<()> {
        let mut seen: BTreeMap<Vec<usize>, &BTreeSet<usize>> = BTreeMap::new();
        for (region, read) in found {
            let Some(before) = seen.insert(self.written(region), read) else {
                continue;
            };
            let span = &self.spec.span;
            let place = |read: &BTreeSet<usize>| {
                let slot = read.iter().copied().find(|slot| *slot > 0)?;
                operands.get(slot - 1).cloned()
            };
            return Err(match (self.alternatives, place(before), place(read)) {
                (true, Some(first), Some(second)) if before != read => Diagnostic::new(
                    second,
                    "two operands write the same part of the result",
                    "this one too",
                )
                .other(first, "this one")
                .other(span.clone(), "by this spec")
                .help("give each operand a label of its own, and make the result's axis of these: `n|->a; n|->b => n|->a^b`"),
                _ => Diagnostic::new(
                    span.clone(),
                    "two parts of an operand come to the same cells of the result",
                    "several parts, one place",
                )
                .help("write `_` for the parts that are not read, or keep the parts apart in the result: `a^b => b^a`"),
            });
        }
        Ok(())
    }

    /// Tells whether several regions together write each cell of the result, and each of them its own cells once.
    fn writes_each_cell_once(&self, found: &[(Region, BTreeSet<usize>)]) -> bool {
        let result = self.concats.iter().filter(|concat| concat.slot == 0);
        let mut choices = 1usize;
        for concat in result {
            if concat.parts.iter().any(Option::is_none) {
                return false;
            }
            choices = choices.saturating_mul(concat.parts.len());
        }
        // A position leaves the other cells of its axis, and a label that occurs twice runs along a diagonal.
        let own = self
            .spec
            .result
            .rows()
            .into_iter()
            .flat_map(|row| row.axes());
        let own: Vec<&Axis> = own
            .filter(|axis| !matches!(axis, Axis::Concat(_)))
            .collect();
        let mut once = HashSet::new();
        let mut labels = own.iter().flat_map(|axis| axis.labels());
        if own.iter().any(|axis| axis.has_positions())
            || !labels.all(|(label, _)| once.insert(label.name.as_str()))
        {
            return false;
        }
        let is_window = |axis: &Axis| matches!(axis, Axis::Window(_));
        let templates = [&self.spec.result].into_iter().chain(&self.spec.operands);
        let mut axes = templates
            .flat_map(|shape| shape.rows())
            .flat_map(|row| row.axes());
        found.len() > 1
            && found.len() == choices
            && !axes.any(is_window)
            && found
                .iter()
                .all(|(region, read)| self.loses_nothing(region, read))
    }

    /// Tells whether the result has every label and every row variable of the operands that a region reads.
    fn loses_nothing(&self, region: &Region, read: &BTreeSet<usize>) -> bool {
        let picked = |slot: usize| {
            let own = self
                .concats
                .iter()
                .filter(move |concat| concat.slot == slot);
            own.filter_map(|concat| {
                let part = concat.parts[*region.visited.get(&concat.requirement)?]?;
                Some(part.name.as_str())
            })
        };
        let kept: HashSet<&str> = self.plain[0].iter().copied().chain(picked(0)).collect();
        let variables = |template: &'s Template| {
            let rows = template.rows().into_iter();
            rows.flat_map(|row| row.variables())
                .map(|variable| variable.name.as_str())
        };
        let kept_rows: HashSet<&str> = variables(&self.spec.result).collect();
        read.iter().filter(|slot| **slot > 0).all(|slot| {
            let mut labels = self.plain[*slot].iter().copied().chain(picked(*slot));
            let mut rows = variables(&self.spec.operands[slot - 1]);
            labels.all(|label| kept.contains(label)) && rows.all(|row| kept_rows.contains(row))
        })
    }

    /// Checks that each named part of the result is in a region.
    fn all_filled(&self, found: &[(Region, BTreeSet<usize>)]) -> Parsed<()> {
        for concat in self.concats.iter().filter(|concat| concat.slot == 0) {
            let visited = |at: usize| {
                let mut regions = found.iter();
                regions.any(|(region, _)| region.visited.get(&concat.requirement) == Some(&at))
            };
            if let Some((_, part)) = concat.named().find(|(at, _)| !visited(*at)) {
                let shown = brief(&part.name);
                return Err(Diagnostic::new(
                    part.span.clone(),
                    format!("no operand fills part `{shown}` of the result"),
                    "nothing is written here",
                )
                .edit(
                    "write `_` for a part that stays empty",
                    part.span.clone(),
                    "_".to_string(),
                ));
            }
        }
        Ok(())
    }
}
