//! Sizes (§8): windows and bounds, with axes that have sizes and bases.
//!
//! Where no constraint relates sizes, only the identity of atoms matters and any atom can stand for any other. Sets
//! that relate sizes therefore have a separate encoding, in which an axis is the unit, or an atom with a size and a
//! basis, both numbers. The encoding of rows is the same. Two atoms with one size and one basis are the same, by
//! Def. 1.1.
//!
//! | definition | formula |
//! |---|---|
//! | size | the unit has size 1, an atom the size that it has, which is at least 1 |
//! | window | the axis i and the windows o are atoms of one basis, and the sizes fit as their mode says |
//! | exact | the windows, of which the last begins `c·(o - 1)` cells after the first and ends a span later, cover the axis with its margins |
//! | `floor` | they end on it, and one more would not |
//! | `ceil` | the number of windows is allowed, and one more would not be: the last one begins before the upper margin, and the one before it does not reach the end |
//! | `same` | the last window begins on the axis, and one more would not |
//! | `t = a ^ b` | t is an atom, each of the others is 0 or an atom of the basis of t, and the size of t is the sum of theirs |
//! | `n = a * b` | n is an atom, and its size is the product of the others, whatever bases there are |
//! | `n = a * \|<r>\|` | the same; a row counts the product of the sizes of all of its axes, which is that of the axes that the window shows, times the product of those beyond it, a number of at least 1 |
//! | `a >= m` | the size of a is at least m |
//! | 0 | its size is 0; it is neither an axis of a row, nor of a window, nor a factor, nor bounded |

use lozenge_vocabulary::{
    Basis, Composite, Composition, Constraint, Dim, DimTerm, Elements, Factor, Mode, Window,
};
use z3::ast::{Bool, Int};

use crate::formula::{Axis, Guard, Measure};
use crate::session::Session;
use crate::smt::Smt;

/// Returns a number of cells.
fn cells(number: u64) -> Int {
    Int::from_u64(number)
}

impl Session<'_> {
    /// Returns the meaning of a constraint of sizes; `None` for any other constraint.
    pub(crate) fn of_sizes(&mut self, constraint: &Constraint) -> Option<Bool> {
        let present = self.present(constraint);
        let says = match constraint {
            Constraint::Window(window) => Some(self.window(window)),
            Constraint::Composite(composite) => Some(self.composite(composite)),
            Constraint::Elements(elements) => Some(self.elements(elements)),
            Constraint::AtLeast { dim, size } => {
                let least = cells(size.get());
                Some(self.size(dim).ge(&least))
            }
            _ => None,
        }?;
        Some(match present {
            Some(present) => Bool::and(&[says, present]),
            None => says,
        })
    }

    /// States that the axes of a constraint which may not be 0 there are not; `None` where no axis may be 0 at all.
    pub(crate) fn present(&mut self, constraint: &Constraint) -> Option<Bool> {
        if !self.setting.smt.has_zeros() {
            return None;
        }
        let terms: Vec<DimTerm> = match constraint {
            // Either may be 0 where both are, as the relations say.
            Constraint::DimEq(..) | Constraint::DimLe(..) => Vec::new(),
            // A part may be 0, and a factor cannot be where the whole is not.
            Constraint::Composite(of) => vec![of.whole.clone()],
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
                a.axes().chain(b.axes()).cloned().collect()
            }
            other => other.dims().into_iter().cloned().collect(),
        };
        let axes: Vec<Axis> = terms.iter().map(|term| self.symbols.axis(term)).collect();
        let smt = self.setting.smt;
        let not_zero: Vec<Bool> = axes.iter().map(|axis| smt.is_zero(*axis).not()).collect();
        Some(Bool::and(&not_zero))
    }

    fn size(&mut self, term: &DimTerm) -> Int {
        let axis = self.symbols.axis(term);
        self.setting.smt.size(axis)
    }

    fn window(&mut self, window: &Window) -> Bool {
        let [axis, over] = [&window.axis, &window.over].map(|term| self.symbols.axis(term));
        let smt = self.setting.smt;
        let sizes = self.fit(window);
        Bool::and(&[
            smt.is_atom(axis),
            smt.is_atom(over),
            smt.basis(axis).eq(smt.basis(over)),
            sizes,
        ])
    }

    fn composite(&mut self, composite: &Composite) -> Bool {
        let whole = self.symbols.axis(&composite.whole);
        let sizes: Vec<Int> = composite.parts.iter().map(|part| self.size(part)).collect();
        let smt = self.setting.smt;
        let total = match composite.composition {
            Composition::Concat => Int::add(&sizes),
            Composition::Product => Int::mul(&sizes),
        };
        let mut says = vec![smt.is_atom(whole), smt.size(whole).eq(&total)];
        if composite.composition == Composition::Concat {
            for part in &composite.parts {
                let part = self.symbols.axis(part);
                let smt = self.setting.smt;
                let mut is_part = vec![smt.basis(part).eq(smt.basis(whole))];
                is_part.push(smt.is_atom(part));
                let is_part = Bool::and(&is_part);
                says.push(match smt.has_zeros() {
                    true => Bool::or(&[smt.is_zero(part), is_part]),
                    false => is_part,
                });
            }
        }
        Bool::and(&says)
    }

    /// States that the number of elements of a row is the product of the sizes of its axes, whether the window shows
    /// them or not.
    fn elements(&mut self, elements: &Elements) -> Bool {
        let whole = self.symbols.axis(&elements.whole);
        let mut sizes = vec![cells(1)];
        let mut says = Vec::new();
        for factor in &elements.factors {
            match factor {
                Factor::Axis(axis) => sizes.push(self.size(axis)),
                Factor::Row(row) => {
                    for axis in row.axes() {
                        sizes.push(self.size(axis));
                    }
                    if let Some(var) = &row.var {
                        let number = self.symbols.row_number(var);
                        let (count, meaning) = self.counted(number);
                        sizes.push(count);
                        says.push(meaning);
                    }
                }
            }
        }
        let smt = self.setting.smt;
        says.push(smt.is_atom(whole));
        says.push(smt.size(whole).eq(Int::mul(&sizes)));
        Bool::and(&says)
    }

    /// Returns the number of elements of a value, with the facts that determine it.
    fn counted(&mut self, row: u32) -> (Int, Bool) {
        let (smt, window) = (self.setting.smt, self.setting.window);
        let sides = [Measure::Leading, Measure::Trailing];
        let shown = sides.map(|side| smt.guard(Guard::Exceeds(side, row, window)).not());
        let mut total = cells(1);
        let mut says = Vec::new();
        for side in sides {
            for at in 0..window {
                let axis = match side {
                    Measure::Leading => Axis::Front(row, at),
                    _ => Axis::Back(row, at),
                };
                let exists = smt.guard(Guard::Exceeds(side, row, at));
                let next = self.fresh_int();
                let longer = &total * smt.size(axis);
                says.push(next.eq(exists.ite(&longer, &total)));
                total = next;
            }
        }
        // One number for each row, so that all products of it agree beyond the window too.
        let count = smt.count(row);
        // The axes beyond the window multiply the number by an unknown factor. The places that are shown are different
        // axes: each lies on one side of the marker.
        let beyond = self.fresh_int();
        let is_shown = Bool::and(&shown);
        says.push(count.eq(is_shown.ite(&total, &(&total * &beyond))));
        says.push(beyond.ge(cells(1)));
        (count, Bool::and(&says))
    }

    /// Tells whether the sizes of a window fit.
    fn fit(&mut self, window: &Window) -> Bool {
        let (axis, over) = (self.size(&window.axis), self.size(&window.over));
        let stride = cells(window.stride.get());
        let last_tap: Vec<Int> = window
            .taps
            .iter()
            .map(|(dilation, tap)| cells(dilation.get()) * (self.size(tap) - cells(1)))
            .collect();
        // The number of cells from the beginning of a window to its end.
        let span = match last_tap.is_empty() {
            true => stride.clone(),
            false => Int::add(&last_tap) + cells(1),
        };
        // Cells are counted from the first one of the lower margin.
        let upper_margin = &axis + cells(window.low);
        let end = &upper_margin + cells(window.high);
        let begin = |windows: &Int| &stride * (windows - cells(1));
        let reaches = |windows: &Int| begin(windows) + &span;
        let more = &over + cells(1);
        let fits_and_no_more =
            |allowed: &dyn Fn(&Int) -> Bool| Bool::and(&[allowed(&over), allowed(&more).not()]);
        match window.mode {
            Mode::Exact => reaches(&over).eq(&end),
            Mode::Floor => fits_and_no_more(&|windows| reaches(windows).le(&end)),
            Mode::Ceil => fits_and_no_more(&|windows| {
                let before = reaches(&(windows - cells(1)));
                Bool::and(&[begin(windows).lt(&upper_margin), before.lt(&end)])
            }),
            Mode::Same | Mode::SameLower => fits_and_no_more(&|windows| begin(windows).lt(&axis)),
        }
    }

    /// Returns the number of a basis.
    pub(crate) fn basis_number(&mut self, basis: &Basis) -> u64 {
        let known = self.bases.iter().position(|known| known == basis);
        let at = known.unwrap_or_else(|| {
            self.bases.push(basis.clone());
            self.bases.len() - 1
        });
        at as u64
    }

    /// Asserts the size and the basis of each new atom.
    pub(crate) fn define_atoms(&mut self, from: u32) {
        for (number, atom) in (from..).zip(self.symbols.atoms[from as usize..].to_vec()) {
            let Dim::Atom { size, basis } = atom else {
                continue;
            };
            let axis = Axis::Atom(number);
            let basis = cells(self.basis_number(&basis));
            let smt = self.setting.smt;
            smt.assert(smt.is_atom(axis));
            smt.assert(smt.size(axis).eq(cells(size.get())));
            smt.assert(smt.basis(axis).eq(basis));
        }
    }

    fn may_be_zero(&self, axis: Axis) -> bool {
        let Axis::Dim(at) = axis else { return false };
        let var = self.symbols.dims.get(at as usize);
        var.is_some_and(|var| self.summands.contains(var))
    }

    /// Asserts that every axis in use has a size of at least 1, and a basis.
    pub(crate) fn bound_sizes(&self) {
        let smt = self.setting.smt;
        let dims = (0..self.symbols.dims.len() as u32).map(Axis::Dim);
        let rows = 0..self.symbols.rows.len() as u32;
        let shown = rows.flat_map(|row| {
            let places = 0..self.setting.window;
            places.flat_map(move |at| [Axis::Front(row, at), Axis::Back(row, at)])
        });
        for axis in dims.chain(shown) {
            match self.may_be_zero(axis) {
                true => smt.assert(Bool::or(&[smt.is_zero(axis), smt.has_a_size(axis)])),
                false => smt.assert(smt.has_a_size(axis)),
            }
            if smt.has_zeros() && !self.may_be_zero(axis) {
                smt.assert(smt.is_zero(axis).not());
            }
        }
    }
}

impl Smt {
    /// Returns the formula that an axis has a size of at least 1 and a basis, which is a number from 0 on.
    fn has_a_size(&self, axis: Axis) -> Bool {
        Bool::and(&[self.size(axis).ge(cells(1)), self.basis(axis).ge(cells(0))])
    }
}
