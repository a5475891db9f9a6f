//! P7 to P10: the projection equations of windows, concatenations and products, at closed shapes.
//!
//! Each of them relates the size of its axis to the sizes of its labels. At closed shapes most labels stand on axes.
//! The others get their own identifiers; their sizes are stated in the template or follow from the other sizes.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Operation, Requirement};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar, Var};
use lozenge_vocabulary::window::{Mode, Window};

use crate::local_solve::LocalSolution;
use crate::residue::forced_alone;

/// The equations of an operation's windows, concatenations and products.
#[derive(Default)]
pub(crate) struct Read {
    /// P7, P8 or P9 for each composite axis, and P10 for each visited label that is on no axis.
    pub equations: Vec<(Rule, Equation)>,
    /// The sizes of the labels on no axis, in the order in which they are mentioned.
    pub virtual_sizes: Vec<u64>,
}

/// An identifier with its size, 0 as long as it is unknown.
type Sized = (AxisId, u64);

struct Reading<'a> {
    local: &'a LocalSolution,
    /// The slot of the labels on no axis.
    slot: usize,
    /// The numbers of the labels on no axis, by the term that represents each class.
    numbers: BTreeMap<DimTerm, usize>,
    read: Read,
}

/// A requirement whose sizes do not fit, or with a label without a size.
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
    let stated = reading.stated(op)?;
    // A size found from one constraint may be the one that another still lacks.
    while let Some((axis, size)) = stated.iter().find_map(|(_, one)| reading.left_over(one)) {
        reading.read.virtual_sizes[axis.axis] = size;
    }
    // The sizes that are still open may be forced by one constraint with several of them, or by several constraints.
    let open = stated.iter().enumerate();
    let open = open.filter_map(|(number, (_, one))| reading.open(number, one));
    let forced = forced_alone(&open.collect::<Vec<_>>());
    for axis in 0..reading.read.virtual_sizes.len() {
        let var = DimVar::new(&format!("q{axis}"));
        if let (0, Some(size)) = (reading.read.virtual_sizes[axis], forced.get(&var)) {
            reading.read.virtual_sizes[axis] = *size;
        }
    }
    let mut traversed = BTreeSet::new();
    // An axis of a tensor that is used for its shape only has a size, but no loop traverses it.
    let unread = &op.region().unread;
    for (requirement, one) in &stated {
        if let Some(var) = reading.label_without_size(&op.requirements[*requirement], one) {
            return Err(Unread {
                requirement: *requirement,
                var,
            });
        }
        let visited = op.region().visited.get(requirement).copied();
        let (labels, derived) = reading.equation(one, visited).ok_or(Unread {
            requirement: *requirement,
            var: None,
        })?;
        if !unread.contains(&one.axis().slot) {
            traversed.extend(labels);
            reading.read.equations.extend(derived);
        }
    }
    for (label, index) in &op.pins {
        reading.pin(label, index)?;
    }
    // P10  q is on no axis and is traversed          Iter(⟦q⟧)
    let slot = reading.slot;
    let virtuals = traversed.into_iter().filter(|id| id.slot == slot);
    let traversed = virtuals.map(|id| (Rule::P10, Equation::Iter(Atom::Proj(id))));
    reading.read.equations.extend(traversed);
    Ok(reading.read)
}

/// The axes that are traversed, and the equation of the whole, if there is one.
type Composed = (Vec<AxisId>, Option<(Rule, Equation)>);

/// A constraint of sizes, over identifiers.
enum OfSizes {
    Window(Window<AxisId>),
    Composite(Composite<AxisId>),
    /// A concatenation: its whole, and its parts, of which some are whatever the others leave.
    Joined(AxisId, Vec<Option<AxisId>>),
}

impl OfSizes {
    /// Returns the identifiers beside that of the axis itself.
    fn labels(&self) -> Vec<AxisId> {
        match self {
            OfSizes::Window(window) => window.terms().map(|(_, id)| *id).collect(),
            OfSizes::Composite(composite) => composite.parts.clone(),
            OfSizes::Joined(_, parts) => parts.iter().flatten().copied().collect(),
        }
    }

    fn axis(&self) -> AxisId {
        match self {
            OfSizes::Window(window) => window.axis,
            OfSizes::Composite(composite) => composite.whole,
            OfSizes::Joined(whole, _) => *whole,
        }
    }
}

impl Reading<'_> {
    /// Returns the constraints of sizes of an operation, each with the number of its requirement. Fails on a product
    /// with an open row.
    fn stated(&mut self, op: &Operation) -> Result<Vec<(usize, OfSizes)>, Unread> {
        let mut stated = Vec::new();
        for (requirement, required) in op.requirements.iter().enumerate() {
            let Requirement::Template(required) = required else {
                continue;
            };
            // The axis has the first identifier, so that the labels are numbered after it.
            let one = match required {
                Constraint::Window(window) => {
                    OfSizes::Window(window.map(|term| self.identifier(term)))
                }
                Constraint::Composite(composite) => self.composite(composite, &op.region().rests),
                Constraint::Elements(elements) => {
                    let closed = elements.map(DimTerm::clone, |row| self.local.template.row(row));
                    let product = closed.closed().ok_or_else(|| Unread {
                        requirement,
                        var: elements
                            .rows()
                            .find_map(|row| row.var.clone())
                            .map(Var::Row),
                    })?;
                    OfSizes::Composite(product.map(|term| self.identifier(term)))
                }
                _ => continue,
            };
            stated.push((requirement, one));
        }
        Ok(stated)
    }

    /// Tells whether a label of a requirement has no size, and gives the variable of a named one that has none.
    fn label_without_size(&self, required: &Requirement, one: &OfSizes) -> Option<Option<Var>> {
        let Requirement::Template(required) = required else {
            return None;
        };
        let is_unsized = one.labels().iter().any(|id| self.size(*id) == 0);
        let mut vars = required.occurrences().into_iter();
        is_unsized.then(|| vars.find(|var| self.is_unsized(var)))
    }

    /// Returns the axes that a constraint traverses, and the index of its axis. `None` where the sizes do not fit.
    fn equation(&self, one: &OfSizes, visited: Option<usize>) -> Option<Composed> {
        match one {
            OfSizes::Window(window) => {
                let derived = self.derived(window)?;
                Some((one.labels(), Some((Rule::P7, derived))))
            }
            OfSizes::Composite(composite) => self.composed(composite, visited),
            OfSizes::Joined(whole, parts) => self.joined(*whole, parts, visited),
        }
    }

    /// Returns a composite, of which some parts may be rests.
    fn composite(&mut self, composite: &Composite, rests: &BTreeSet<DimVar>) -> OfSizes {
        let is_rest = |part: &DimTerm| matches!(part, DimTerm::Var(var) if rests.contains(var));
        if !composite.parts.iter().any(is_rest) {
            return OfSizes::Composite(composite.map(|term| self.identifier(term)));
        }
        let whole = self.identifier(&composite.whole);
        let parts = composite.parts.iter();
        let parts = parts.map(|part| (!is_rest(part)).then(|| self.identifier(part)));
        OfSizes::Joined(whole, parts.collect())
    }

    /// Returns the identifier of a term of a window.
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
        // A size that is written in the window becomes a label.
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

    /// Finds the only label without a size, where all others have one, with the only size that fits. `None` where
    /// several sizes fit.
    fn left_over(&self, stated: &OfSizes) -> Option<Sized> {
        let labels = stated.labels().into_iter();
        let unknown: Vec<AxisId> = labels.filter(|id| self.size(*id) == 0).collect();
        let [id] = unknown[..] else { return None };
        let axis = self.size(stated.axis());
        let known = |other: AxisId, size: u64| if other == id { size } else { self.size(other) };
        let fits = |size: u64| match stated {
            OfSizes::Window(window) => {
                let taps = window.taps.iter().map(|(_, tap)| known(*tap, size));
                window.fits(axis, known(window.over, size), taps)
            }
            OfSizes::Composite(composite) => {
                let parts = composite.parts.iter().map(|part| known(*part, size));
                composite.fits(axis, parts)
            }
            // Each size that is not too long leaves some rest.
            OfSizes::Joined(..) => false,
        };
        // A label that fits is not longer than the axis or, in a window, than the axis with its margins and a stride.
        let most = match stated {
            OfSizes::Window(window) => axis
                .saturating_add(window.low)
                .saturating_add(window.high)
                .saturating_add(window.stride.get()),
            OfSizes::Composite(_) | OfSizes::Joined(..) => axis,
        };
        let mut fitting = (1..=most.min(TRIED)).filter(|size| axis > 0 && fits(*size));
        let first = fitting.next()?;
        fitting.next().is_none().then_some((id, first))
    }

    /// Returns a constraint with labels without a size, over these labels; `None` where all have one.
    fn open(&self, number: usize, stated: &OfSizes) -> Option<Constraint> {
        let mut open = false;
        let mut term = |id: &AxisId| match Dim::new(self.size(*id)) {
            Some(dim) => dim.into(),
            None => {
                open = true;
                DimVar::new(&format!("q{}", id.axis)).into()
            }
        };
        let over_labels = match stated {
            OfSizes::Window(window) => Constraint::Window(window.map(&mut term)),
            OfSizes::Composite(composite) => Constraint::Composite(composite.map(&mut term)),
            OfSizes::Joined(whole, parts) => {
                // The part that is left may be 0, which is no size, so both sides are taken one longer.
                let longer = self.size(*whole).checked_add(1).and_then(Dim::new)?;
                let mut parts: Vec<DimTerm> = parts.iter().flatten().map(&mut term).collect();
                parts.push(DimVar::new(&format!("left{number}")).into());
                Constraint::Composite(Composite {
                    composition: Composition::Concat,
                    whole: longer.into(),
                    parts,
                })
            }
        };
        open.then_some(over_labels)
    }

    /// Returns the traversed axes of a concatenation or a product, and the index of its whole.
    ///
    /// P8   t = a ^ b ^ …, q is the visited part     Derive(⟦t⟧, ⟦q⟧ + the sizes of the parts before q)
    /// P9   n = a * b * …                            Derive(⟦n⟧, Σ ⟦q⟧ · the sizes of the factors after q)
    fn composed(&self, composite: &Composite<AxisId>, visited: Option<usize>) -> Option<Composed> {
        let sizes: Vec<u64> = composite
            .parts
            .iter()
            .map(|part| self.size(*part))
            .collect();
        if !composite.fits(self.size(composite.whole), sizes.iter().copied()) {
            return None;
        }
        let (rule, terms, offset) = match (composite.composition, visited) {
            (Composition::Concat, None) => return Some((Vec::new(), None)),
            (Composition::Concat, Some(visited)) => {
                let part = *composite.parts.get(visited)?;
                let before: u64 = sizes[..visited].iter().sum();
                (Rule::P8, vec![(NonZeroU64::MIN, part)], before)
            }
            (Composition::Product, _) => {
                let after = |at: usize| sizes[at + 1..].iter().product();
                let terms = composite.parts.iter().enumerate();
                let terms = terms.map(|(at, part)| Some((NonZeroU64::new(after(at))?, *part)));
                (Rule::P9, terms.collect::<Option<Vec<_>>>()?, 0)
            }
        };
        let labels = terms.iter().map(|(_, part)| *part).collect();
        let sum = Sum {
            terms,
            offset: i64::try_from(offset).ok()?,
        };
        Some((labels, Some((rule, Equation::Derive(composite.whole, sum)))))
    }

    /// Returns the traversed axes of a concatenation with rests, and the index of its whole. Of several rests each is
    /// empty, or the sizes are not determined.
    ///
    /// P8   t = a ^ _ ^ …, q is the visited part     Derive(⟦t⟧, ⟦q⟧ + the sizes of the parts before q)
    fn joined(
        &self,
        whole: AxisId,
        parts: &[Option<AxisId>],
        visited: Option<usize>,
    ) -> Option<Composed> {
        let known: u64 = parts.iter().flatten().map(|part| self.size(*part)).sum();
        let left = self.size(whole).checked_sub(known)?;
        let rests = parts.iter().filter(|part| part.is_none()).count();
        if left > 0 && rests > 1 {
            return None;
        }
        let Some(visited) = visited else {
            return Some((Vec::new(), None));
        };
        let part = (*parts.get(visited)?)?;
        let size = |part: &Option<AxisId>| part.map_or(left, |part| self.size(part));
        let before: u64 = parts[..visited].iter().map(size).sum();
        let sum = Sum {
            terms: vec![(NonZeroU64::MIN, part)],
            offset: i64::try_from(before).ok()?,
        };
        Some((vec![part], Some((Rule::P8, Equation::Derive(whole, sum)))))
    }

    /// Reads a label on no axis at its supplied index, within its size: `label = Sol(idx)` by P1.
    fn pin(&mut self, label: &DimVar, index: &Index) -> Result<(), Unread> {
        let Some((shared, _)) = self.local.afloat.get(label) else {
            return Ok(());
        };
        let Some(number) = self.numbers.get(shared) else {
            return Ok(());
        };
        let size = self.read.virtual_sizes[*number];
        if matches!(index, Index::Fix(at) if *at >= size) {
            return Err(Unread {
                requirement: 0,
                var: None,
            });
        }
        let id = self.on_no_axis(*number);
        let pinned = Equation::Eq(Atom::Proj(id), Atom::Sol(index.clone()));
        self.read.equations.push((Rule::P1, pinned));
        Ok(())
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

/// The number of sizes that are tried for a label.
const TRIED: u64 = 1 << 16;
