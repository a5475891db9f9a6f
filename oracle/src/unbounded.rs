//! Whether the sizes in a product are bounded.
//!
//! Z3 decides products of bounded sizes and may not decide others, so that an answer it does not give is put down to them. What is
//! bounded is found by passing bounds from axis to axis. The bounds that rows impose on their axes are not followed: an axis of a row is
//! taken to be bounded.

use std::collections::BTreeSet;

use lozenge_vocabulary::{
    Composite, Composition, Constraint, Dim, DimTerm, Elements, Factor, Mode, Window,
};

/// How often bounds are passed on at most. A chain of bounds that is longer is not followed to its end.
const ROUNDS: usize = 64;

/// The axes whose sizes are bounded from above.
#[derive(Default)]
struct Bounded<'a>(BTreeSet<&'a DimTerm>);

/// Whether a product has a factor whose size nothing bounds.
pub(crate) fn has_unbounded_product(constraints: &[&Constraint]) -> bool {
    let mut bounded = Bounded::default();
    for constraint in constraints {
        if let Constraint::RowEq(..) | Constraint::RowLe(..) | Constraint::Flat(_) = constraint {
            bounded.0.extend(constraint.dims());
        }
    }
    for _ in 0..ROUNDS {
        let before = bounded.0.len();
        constraints.iter().for_each(|stated| bounded.pass(stated));
        if bounded.0.len() == before {
            break;
        }
    }
    constraints.iter().any(|constraint| match constraint {
        Constraint::Composite(of) if of.composition == Composition::Product => {
            of.axes().any(|axis| !bounded.has(axis))
        }
        Constraint::Elements(of) => of.axes().any(|axis| !bounded.has(axis)),
        _ => false,
    })
}

impl<'a> Bounded<'a> {
    fn has(&self, term: &DimTerm) -> bool {
        matches!(term, DimTerm::Const(_)) || self.0.contains(term)
    }

    /// If all of the first are bounded, all of the others are.
    fn imply(
        &mut self,
        from: impl IntoIterator<Item = &'a DimTerm>,
        to: impl IntoIterator<Item = &'a DimTerm>,
    ) {
        if from.into_iter().all(|term| self.has(term)) {
            self.0.extend(to);
        }
    }

    fn pass(&mut self, constraint: &'a Constraint) {
        match constraint {
            Constraint::DimEq(a, b) => {
                self.imply([a], [b]);
                self.imply([b], [a]);
            }
            Constraint::DimLe(low, high) => {
                // What lies above is the unit or the same; what lies below an atom is the atom.
                self.imply([low], [high]);
                if matches!(high, DimTerm::Const(Dim::Atom { .. })) {
                    self.imply([high], [low]);
                }
            }
            Constraint::Window(window) => self.pass_in_window(window),
            Constraint::Composite(composite) => self.pass_in_composite(composite),
            Constraint::Elements(elements) => self.pass_in_elements(elements),
            _ => {}
        }
    }

    fn pass_in_window(&mut self, window: &'a Window) {
        let taps: Vec<&DimTerm> = window.taps.iter().map(|(_, tap)| tap).collect();
        let (axis, over) = (&window.axis, &window.over);
        self.imply([axis], [over]);
        match window.mode {
            // The taps play no part in these sizes.
            Mode::Same | Mode::SameLower => self.imply([over], [axis]),
            Mode::Exact | Mode::Floor | Mode::Ceil => {
                self.imply([axis], taps.iter().copied());
                self.imply(taps.into_iter().chain([over]), [axis]);
            }
        }
    }

    fn pass_in_composite(&mut self, composite: &'a Composite) {
        self.imply([&composite.whole], &composite.parts);
        self.imply(&composite.parts, [&composite.whole]);
    }

    fn pass_in_elements(&mut self, elements: &'a Elements) {
        self.imply([&elements.whole], elements.axes());
        // A variable of a row may hold any number of axes.
        let is_open = |factor: &Factor| matches!(factor, Factor::Row(row) if row.var.is_some());
        if !elements.factors.iter().any(is_open) {
            let whole = &elements.whole;
            let parts: Vec<&DimTerm> = elements.axes().filter(|axis| *axis != whole).collect();
            self.imply(parts, [whole]);
        }
    }
}
