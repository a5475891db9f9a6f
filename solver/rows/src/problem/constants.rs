//! Interned atoms: each is a number, and the unit is number 0.

use std::num::NonZeroU64;

use hashbrown::HashMap;
use lozenge_vocabulary::{Basis, Dim};
use rustc_hash::FxBuildHasher;

use crate::ids::{ConstantId, Id, room};

/// The unit and the atoms that occur, by number.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    dims: Vec<Dim>,
    known: HashMap<Dim, ConstantId, FxBuildHasher>,
    /// The numbers of small sizes with the default basis.
    small: [Option<ConstantId>; 256],
}

impl Default for Constants {
    fn default() -> Self {
        Constants {
            dims: vec![Dim::Unit],
            known: HashMap::default(),
            small: [None; 256],
        }
    }
}

impl Constants {
    /// Counts the constants.
    pub(super) fn len(&self) -> usize {
        self.dims.len()
    }

    pub(crate) fn dim(&self, id: ConstantId) -> &Dim {
        &self.dims[id.index()]
    }

    pub(super) fn bytes(&self) -> usize {
        [room(&self.dims), self.known.allocation_size()]
            .iter()
            .sum()
    }

    pub(crate) fn intern(&mut self, dim: Dim) -> ConstantId {
        if let Some(id) = self.known.get(&dim) {
            return *id;
        }
        let id = ConstantId::at(self.dims.len());
        self.dims.push(dim.clone());
        self.known.insert(dim, id);
        id
    }

    pub(super) fn atom(&mut self, size: NonZeroU64, basis: Option<&str>) -> ConstantId {
        let basis = basis.map_or(Basis::Default, Basis::named);
        let small = usize::try_from(size.get()).ok();
        let small = small.filter(|_| basis == Basis::Default);
        if let Some(id) = small.and_then(|at| *self.small.get(at)?) {
            return id;
        }
        let id = self.intern(Dim::Atom { size, basis });
        if let Some(known) = small.and_then(|at| self.small.get_mut(at)) {
            *known = Some(id);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_one_constant_for_each_basis() {
        let mut constants = Constants::default();
        let mut number = |size, basis| {
            constants
                .atom(NonZeroU64::new(size).unwrap(), basis)
                .number()
        };
        let first = [1, 255, 256, 257, 1 << 40].map(|size| number(size, None));
        let named = [1, 255, 256].map(|size| number(size, Some("rgb")));
        assert_eq!((first, named), ([1, 2, 3, 4, 5], [6, 7, 8]));
        let other = [1, 255, 256].map(|size| number(size, Some("bgr")));
        assert_eq!(other, [9, 10, 11]);
        assert_eq!(
            [1, 255, 256, 257, 1 << 40].map(|size| number(size, None)),
            first
        );
    }
}
