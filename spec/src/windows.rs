//! P7 and P10: the projection equations of windows, at closed shapes.
//!
//! A window relates the size of its axis to those of its labels. At closed shapes most of these labels stand on axes; those that
//! do not are given identifiers of their own, with the sizes that the template states or that the window leaves.

use std::collections::BTreeMap;

use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, Var};
use lozenge_vocabulary::window::{Mode, Window};

use crate::local_solve::LocalSolution;

/// What the windows of an operation say.
#[derive(Default)]
pub(crate) struct Read {
    /// P7 for each window, P10 for each label on no axis.
    pub equations: Vec<(Rule, Equation)>,
    /// The sizes of the labels on no axis, in the order in which windows mention them.
    pub virtual_sizes: Vec<u64>,
}

/// An identifier with its size, 0 as long as it is unknown.
type Sized = (AxisId, u64);

struct Reading<'a> {
    local: &'a LocalSolution,
    /// The slot of the labels on no axis.
    slot: usize,
    /// The labels on no axis by what they share, with their numbers.
    numbers: BTreeMap<DimTerm, usize>,
    read: Read,
}

/// A requirement whose windows do not fit, or with a label without a size.
pub(crate) struct Unread {
    pub requirement: usize,
    pub var: Option<Var>,
}

pub(crate) fn read(op: &Operation, local: &LocalSolution) -> Result<Read, Unread> {
    let mut reading = Reading {
        local,
        slot: op.slots.len(),
        numbers: BTreeMap::new(),
        read: Read::default(),
    };
    let mut windows: Vec<(usize, Window<AxisId>)> = Vec::new();
    for (requirement, stated) in op.requirements.iter().enumerate() {
        if let Requirement::Template(Constraint::Window(window)) = stated {
            // The axis has the first identifier, so that the labels are numbered after it.
            windows.push((requirement, window.map(|term| reading.identifier(term))));
        }
    }
    // What a window leaves over for its one label without a size may be what another window waits for.
    while let Some((axis, size)) = windows.iter().find_map(|(_, w)| reading.left_over(w)) {
        reading.read.virtual_sizes[axis.axis] = size;
    }
    for (requirement, window) in &windows {
        let unsized_label = window.terms().find(|(_, id)| reading.size(**id) == 0);
        if unsized_label.is_some() {
            let Requirement::Template(stated) = &op.requirements[*requirement] else {
                continue;
            };
            let mut vars = stated.occurrences().into_iter();
            return Err(Unread {
                requirement: *requirement,
                var: vars.find(|var| reading.is_unsized(var)),
            });
        }
        let derived = reading.derived(window).ok_or(Unread {
            requirement: *requirement,
            var: None,
        })?;
        reading.read.equations.push((Rule::P7, derived));
    }
    let virtuals = 0..reading.read.virtual_sizes.len();
    let slot = reading.slot;
    let traversed = virtuals.map(|axis| Equation::Iter(Atom::Proj(AxisId { slot, axis })));
    let traversed = traversed.map(|equation| (Rule::P10, equation));
    reading.read.equations.extend(traversed);
    Ok(reading.read)
}

impl Reading<'_> {
    /// The identifier of a term of a window.
    fn identifier(&mut self, term: &DimTerm) -> AxisId {
        if let DimTerm::Var(var) = term {
            let on_axis = match self.local.template.dim(term) {
                DimTerm::Var(axis) => self.local.axes.get(&axis),
                DimTerm::Const(_) => None,
            };
            if let Some((id, _)) = on_axis {
                return *id;
            }
            let (shared, size) = match self.local.afloat.get(var) {
                Some((shared, size)) => (shared.clone(), size.unwrap_or(0)),
                None => (term.clone(), 0),
            };
            let next = self.read.virtual_sizes.len();
            let number = *self.numbers.entry(shared).or_insert(next);
            if number == next {
                self.read.virtual_sizes.push(size);
            }
            return self.on_no_axis(number);
        }
        // A size that is written in the window is a label of its own.
        self.read
            .virtual_sizes
            .push(term.ground().map_or(0, |dim| dim.size()));
        self.on_no_axis(self.read.virtual_sizes.len() - 1)
    }

    fn on_no_axis(&self, axis: usize) -> AxisId {
        AxisId {
            slot: self.slot,
            axis,
        }
    }

    fn size(&self, id: AxisId) -> u64 {
        if id.slot == self.slot {
            return self.read.virtual_sizes[id.axis];
        }
        let mut axes = self.local.axes.values();
        axes.find(|(other, _)| *other == id)
            .map_or(0, |(_, dim)| dim.size())
    }

    fn is_unsized(&self, var: &Var) -> bool {
        let Var::Dim(var) = var else { return false };
        let shared = self.local.afloat.get(var).map(|(shared, _)| shared.clone());
        let shared = shared.unwrap_or_else(|| var.clone().into());
        let number = self.numbers.get(&shared);
        number.is_some_and(|number| self.read.virtual_sizes[*number] == 0)
    }

    /// Where all but one of the labels of a window have a size, that one with the size that makes the windows fit. Of several
    /// sizes that would do none is chosen.
    fn left_over(&self, window: &Window<AxisId>) -> Option<Sized> {
        let unknown: Vec<AxisId> = window
            .terms()
            .map(|(_, id)| *id)
            .filter(|id| self.size(*id) == 0)
            .collect();
        let [id] = unknown[..] else { return None };
        let axis = self.size(window.axis);
        let fits = |size: u64| {
            let known = |other: AxisId| if other == id { size } else { self.size(other) };
            let taps = window.taps.iter().map(|(_, tap)| known(*tap));
            axis > 0 && window.fits(axis, known(window.over), taps)
        };
        // No label of a window that fits is longer than the axis with its margins and a stride.
        let most = axis
            .saturating_add(window.low)
            .saturating_add(window.high)
            .saturating_add(window.stride.get());
        let mut fitting = (1..=most.min(TRIED)).filter(|size| fits(*size));
        let first = fitting.next()?;
        fitting.next().is_none().then_some((id, first))
    }

    /// P7   i = Σ cⱼ·qⱼ, with L cells in front       Derive(⟦i⟧, Σ cⱼ·⟦qⱼ⟧ + phase - L)
    fn derived(&self, window: &Window<AxisId>) -> Option<Equation> {
        let (axis, over) = (self.size(window.axis), self.size(window.over));
        let taps: Vec<u64> = window.taps.iter().map(|(_, tap)| self.size(*tap)).collect();
        if axis == 0 || !window.fits(axis, over, taps.iter().copied()) {
            return None;
        }
        // T, the extent of all windows.
        let mut extent = i128::from(window.stride.get()) * i128::from(over - 1);
        extent += match window.taps.is_empty() {
            true => i128::from(window.stride.get()),
            false => 1,
        };
        for ((dilation, _), tap) in window.taps.iter().zip(&taps) {
            extent += i128::from(dilation.get()) * i128::from(tap - 1);
        }
        // P = max(0, T - N) cells are added to the axis, half of them in front.
        let added = (extent - i128::from(axis)).max(0);
        let front = match window.mode {
            Mode::Same => added.div_euclid(2),
            Mode::SameLower => added - added.div_euclid(2),
            Mode::Exact | Mode::Floor | Mode::Ceil => i128::from(window.low),
        };
        let terms = window.terms().map(|(coefficient, id)| (coefficient, *id));
        let sum = Sum {
            terms: terms.collect(),
            offset: i64::try_from(i128::from(window.phase) - front).ok()?,
        };
        Some(Equation::Derive(window.axis, sum))
    }
}

/// At most how many sizes are tried for a label.
const TRIED: u64 = 1 << 16;
