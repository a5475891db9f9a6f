//! The search for products of sizes that nothing bounds.
//!
//! Z3 decides products of bounded sizes and may not decide others, so that an answer it does not give is put down to
//! them. The bounded axes are found by passing bounds from axis to axis. The bounds that rows impose on their axes are
//! not followed: an axis of a row is taken to be bounded.

use std::collections::BTreeSet;

use lozenge_vocabulary::{
    Composite, Composition, Constraint, Dim, DimTerm, Elements, Factor, Mode, Window,
};

/// The largest number of rounds in which bounds are passed on. A chain of bounds that is longer is not followed to its
/// end.
const ROUNDS: usize = 64;

/// The axes whose sizes are bounded from above.
#[derive(Default)]
struct Bounded<'a>(BTreeSet<&'a DimTerm>);

/// Tells whether a product has a factor whose size nothing bounds.
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

    /// Takes the others to be bounded if all of the first are.
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
                // An axis above another one is the unit or the same axis; an axis below an atom is the atom.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::set;

    fn is_unbounded(text: &str) -> bool {
        let set = set(&text.replace("; ", "\n"));
        has_unbounded_product(&set.constraints.iter().collect::<Vec<_>>())
    }

    /// A product is bounded by its whole, or by all of its factors.
    #[test]
    fn a_product_is_bounded_from_above_or_from_below() {
        for text in [
            "n = a * b",
            "n = a * b; a = 3",
            "n = a * b; n >= 2",
            "n = a * b; m = a",
            // An axis below the unit may be any atom.
            "n = a * b; n <= 1_",
            "n = |<r>|",
            // A variable of a row may hold any number of axes.
            "n = a * |<r>|; a = 3",
        ] {
            assert!(is_unbounded(text), "{text}");
        }
        for text in [
            "a = b",
            "t = a ^ b",
            "n = a * b; n = 12",
            "n = a * b; 12 = n",
            "n = a * b; a = 3; b = 4",
            "n = a * b; n <= 12",
            "n = a * b; 12 <= n",
            "n = |<r>|; n = 12",
            "n = a * |[2]|; a = 3",
        ] {
            assert!(!is_unbounded(text), "{text}");
        }
    }

    /// The bounds of one constraint may bound an axis of another one, in whichever order they stand.
    #[test]
    fn bounds_are_passed_on_by_every_constraint() {
        let product = "n = a * a";
        for text in [
            "a = b; b = 3",
            "b = 3; b = a",
            "a = b; b = c; c = d; d = 3",
            "b <= a; b = 3",
            "<r> ++ <s> ~ [a]",
            "t = a ^ b; t = 7",
            "a = b ^ c; b = 3; c = 4",
            "m = a * b; m = 12",
            "m = a * |<r>|; m = 12",
            "i = 2*a + k; i = 9",
            "i = 2*o + a; i = 9",
            "a = 2*o + k; o = 4; k = 2",
            "i = floor(2*o + a); i = 9",
            "a = ceil(2*o + k); o = 4; k = 2",
            "i = same(2*a + k); i = 9",
            "a = same(2*o + k); o = 4",
        ] {
            let text = format!("{product}; {text}");
            assert!(!is_unbounded(&text), "{text}");
        }
        for text in [
            "a = b ^ c; b = 3",
            "a = 2*o + k; o = 4",
            "a = 2*o + k; k = 2",
            // The taps of such a window play no part in its sizes.
            "i = same(2*o + a); i = 9",
            "i = same_lower(2*o + a); i = 9; o = 5",
            "a <= b; b = 1_",
        ] {
            let text = format!("{product}; {text}");
            assert!(is_unbounded(&text), "{text}");
        }
    }
}
