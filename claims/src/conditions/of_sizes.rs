//! The conditions on constraints of sizes (§8): windows, concatenations, products and bounds.
//!
//! A size that fits is found by trying every size and asking the vocabulary whether the relation holds, and not by
//! solving for one as the rules do.

use lozenge_spec::sizes::Sizes;
use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::elements::Elements;
use lozenge_vocabulary::term::DimTerm;
use lozenge_vocabulary::window::Window;

use super::Condition;

/// A constraint of sizes. A product whose rows are all closed is a product of axes.
enum Form {
    Window(Window),
    Composite(Composite),
    Open(Elements),
}

/// A constraint of sizes, with what is known of its axes.
struct Read<'a> {
    form: Form,
    sizes: Sizes<'a>,
}

fn read<'a>(constraint: &Constraint, sizes: Sizes<'a>) -> Option<Read<'a>> {
    let form = match constraint {
        Constraint::Window(window) => Form::Window(window.clone()),
        Constraint::Composite(composite) => Form::Composite(composite.clone()),
        Constraint::Elements(elements) => match elements.closed() {
            Some(product) => Form::Composite(product),
            None => Form::Open(elements.clone()),
        },
        _ => return None,
    };
    Some(Read { form, sizes })
}

impl Read<'_> {
    /// Returns every axis, the whole first.
    fn axes(&self) -> Vec<&DimTerm> {
        match &self.form {
            Form::Window(window) => window.axes().collect(),
            Form::Composite(composite) => composite.axes().collect(),
            Form::Open(elements) => elements.written().collect(),
        }
    }

    /// Returns the axes that have to be atoms.
    fn atoms(&self) -> Vec<&DimTerm> {
        let mut axes = self.axes();
        match &self.form {
            Form::Window(_) => axes.truncate(2),
            Form::Composite(composite) if composite.composition == Composition::Concat => {}
            Form::Composite(_) | Form::Open(_) => axes.truncate(1),
        }
        axes
    }

    /// Returns the first axis that has to be an atom and is not known to be one.
    fn unsettled(&self) -> Option<&DimTerm> {
        let is_known = |axis: &&DimTerm| match axis {
            DimTerm::Const(dim) => dim.is_atom(),
            DimTerm::Var(var) => self.sizes.atom(var).is_some(),
        };
        self.atoms().into_iter().find(|axis| !is_known(axis))
    }

    /// Tells whether two of the axes that have to be atoms have bases that differ.
    fn bases_differ(&self) -> bool {
        let known = self.atoms().into_iter();
        let known = known.filter_map(|axis| Some(self.sizes.basis(axis)?.0));
        let known: Vec<_> = known.collect();
        known.windows(2).any(|two| two[0] != two[1])
    }

    /// Tells whether one of the axes that have to be atoms is a variable of known size, and the basis is known.
    fn lacks_only_its_basis(&self) -> bool {
        let atoms = self.atoms();
        let mut open = atoms.iter().filter(|axis| axis.ground().is_none());
        open.any(|axis| self.sizes.size(axis).is_some())
            && atoms.iter().any(|axis| self.sizes.basis(axis).is_some())
    }

    fn known(&self) -> Vec<Option<u64>> {
        let size = |axis| self.sizes.size(axis).map(|(size, _)| size);
        self.axes().into_iter().map(size).collect()
    }

    /// Returns the places of the axes without a size. A tap does not count where the margins are made for the taps.
    fn open(&self) -> Vec<usize> {
        let known = self.known();
        let counted = match &self.form {
            Form::Window(window) if !window.mode.has_margins() => 2,
            _ => known.len(),
        };
        (0..counted).filter(|at| known[*at].is_none()).collect()
    }

    /// Tells whether only the size at this place is open.
    fn only(&self, at: usize) -> bool {
        self.open() == [at]
    }

    /// Tells whether only the size of some tap, factor or part is open, of those from this place on.
    fn only_from(&self, first: usize) -> bool {
        matches!(self.open()[..], [at] if at >= first)
    }

    /// Counts the ways in which the sizes fit, where at most one is open.
    fn ways(&self) -> Option<usize> {
        let known = self.known();
        let open = self.open();
        let fits = |at: Option<usize>, size: u64| {
            let sizes = known.iter().enumerate();
            let sizes = sizes.map(|(place, known)| match at {
                Some(at) if at == place => size,
                _ => known.unwrap_or(1),
            });
            self.holds(&sizes.collect::<Vec<u64>>())
        };
        match open[..] {
            [] => Some(usize::from(fits(None, 1))),
            [at] => Some(
                (1..=self.most())
                    .filter(|size| fits(Some(at), *size))
                    .count(),
            ),
            _ => None,
        }
    }

    fn holds(&self, sizes: &[u64]) -> bool {
        let [whole, parts @ ..] = sizes else {
            return false;
        };
        match (&self.form, parts) {
            (Form::Window(window), [over, taps @ ..]) => {
                window.fits(*whole, *over, taps.iter().copied())
            }
            (Form::Composite(composite), parts) => composite.fits(*whole, parts.iter().copied()),
            _ => false,
        }
    }

    /// Returns a size above which no open size fits: no axis is longer than all that is laid upon it, and nothing on it
    /// is longer than the axis with its margins and a stride.
    fn most(&self) -> u64 {
        let known = self.known();
        let size = |at: usize| known.get(at).copied().flatten().unwrap_or(1);
        let rest = 1..known.len();
        match &self.form {
            Form::Window(window) => {
                let terms = window.terms().zip(1..);
                let laid: u64 = terms.map(|((times, _), at)| times.get() * size(at)).sum();
                size(0) + laid + window.low + window.high + window.stride.get()
            }
            Form::Composite(composite) => match composite.composition {
                Composition::Concat => size(0) + rest.map(size).sum::<u64>(),
                Composition::Product => size(0).max(rest.map(size).product()),
            },
            Form::Open(_) => 0,
        }
    }

    fn axis_is_constant(&self) -> bool {
        self.axes()
            .first()
            .is_some_and(|axis| axis.ground().is_some())
    }

    fn are_constants(&self) -> bool {
        self.axes().iter().all(|axis| axis.ground().is_some())
    }

    /// Tells whether it is `a = 1*a`.
    fn says_atom(&self) -> bool {
        let Form::Window(window) = &self.form else {
            return false;
        };
        let alone =
            window.taps.is_empty() && window.stride.get() == 1 && window.mode.word() == "pad";
        let exact = alone && [window.low, window.high] == [0, 0];
        exact && window.axis.ground().is_none() && window.axis == window.over
    }

    /// Returns the remainder of the whole divided by the written factors, if all of these sizes are known.
    fn remainder(&self) -> Option<u64> {
        let sizes: Option<Vec<u64>> = self.known().into_iter().collect();
        let [whole, ref factors @ ..] = sizes?[..] else {
            return None;
        };
        Some(whole % factors.iter().product::<u64>().max(1))
    }
}

/// The size of the bounded term, if it is known, and whether it is known to be an atom.
struct Bounded {
    least: u64,
    size: Option<u64>,
    is_atom: bool,
}

fn bounded(constraint: &Constraint, sizes: Sizes) -> Option<Bounded> {
    let Constraint::AtLeast { dim, size } = constraint else {
        return None;
    };
    Some(Bounded {
        least: size.get(),
        size: sizes.size(dim).map(|(size, _)| size),
        is_atom: match dim {
            DimTerm::Const(dim) => dim.is_atom(),
            DimTerm::Var(var) => sizes.atom(var).is_some(),
        },
    })
}

macro_rules! of_sizes {
    ($list:ident of $sort:ident: $($text:literal |$of:ident| $holds:expr;)*) => {
        pub(super) const $list: &[Condition] = &[$(Condition {
            text: $text,
            holds: |constraint, sizes| {
                let Some($of) = $sort(constraint, sizes) else { return false };
                $holds
            },
        }),*];
    };
}

of_sizes! { ATOMS of read:
    "of the axes that have to be atoms the first that is not known to be one is the unit" |of| of.unsettled().is_some_and(|axis| axis.ground() == Some(&Dim::Unit));
    "of the axes that have to be atoms the first that is not known to be one is a variable" |of| of.unsettled().is_some_and(|axis| axis.ground().is_none());
    "the axes that have to be atoms are known to be atoms" |of| of.unsettled().is_none();
}

of_sizes! { BASES of read:
    "the axes have different bases" |of| of.bases_differ();
    "the axes have no different bases" |of| !of.bases_differ();
    "the basis is known, and a variable of known size lacks it" |of| of.lacks_only_its_basis();
    "no variable of known size lacks a known basis" |of| !of.lacks_only_its_basis();
}

of_sizes! { WINDOWS of read:
    "it says only that a variable is an atom" |of| of.says_atom();
    "it says more than that a variable is an atom" |of| !of.says_atom();
    "only the axis has an open size" |of| of.only(0);
    "only the number of windows is open" |of| of.only(1);
    "only a tap has an open size" |of| of.only_from(2);
    "the axis is a constant" |of| of.axis_is_constant();
    "the axis is a variable" |of| !of.axis_is_constant();
    "the sizes fit in several ways" |of| of.ways().is_some_and(|ways| ways > 1);
    "every size is known" |of| of.known().iter().all(Option::is_some);
    "only taps are open, which the mode does not ask for" |of| of.open().is_empty() && of.known().iter().any(Option::is_none);
}

of_sizes! { FITS of read:
    "no size is open" |of| of.open().is_empty();
    "several sizes are open" |of| of.open().len() > 1;
    "the sizes fit in no way" |of| of.ways() == Some(0);
    "the sizes fit in exactly one way" |of| of.ways() == Some(1);
}

of_sizes! { COMPOSITES of read:
    "only the whole has an open size" |of| of.only(0);
    "only a part has an open size" |of| of.only_from(1);
    "every axis is a constant" |of| of.are_constants();
    "an axis is a variable" |of| !of.are_constants();
}

of_sizes! { COUNTED of read:
    "the whole is no multiple of the factors that are written" |of| of.remainder().is_some_and(|rest| rest > 0);
    "the whole is a multiple of the factors that are written, as far as their sizes are known" |of| of.remainder().is_none_or(|rest| rest == 0);
}

of_sizes! { BOUNDS of bounded:
    "the bound is 1" |of| of.least == 1;
    "the bound is greater than 1" |of| of.least > 1;
    "the size is known" |of| of.size.is_some();
    "the size is not known" |of| of.size.is_none();
    "the size is below the bound" |of| of.size.is_some_and(|size| size < of.least);
    "the size is not below the bound" |of| of.size.is_some_and(|size| size >= of.least);
    "the axis is known to be an atom" |of| of.is_atom;
    "the axis is not known to be an atom" |of| !of.is_atom;
}
