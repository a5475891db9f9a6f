//! The place of a slot of a loop nest in memory while the points of the nest are walked through in lexicographic order.

use crate::call::Position;
use crate::loop_nest::{Factor, LoopNest};
use crate::shape::strides;

/// The address of one slot at the current point. It moves by sums that are known before, in place of being computed
/// anew from the index of every axis.
pub(crate) struct Walk {
    /// The address in elements, in row-major order. It is meaningful where all windows are within their axes; elsewhere
    /// it may have wrapped.
    address: u64,
    /// The change of the address for each factor, where that factor goes on.
    steps: Vec<u64>,
    windows: Vec<Window>,
}

/// An affine index, which may be out of range. At every point it is far from the bounds of `i64`, as a [`LoopNest`]
/// promises.
struct Window {
    index: i64,
    size: u64,
    steps: Vec<i64>,
}

impl Walk {
    /// Begins at the first point. An index that is not affine is in range at every point, as a [`LoopNest`] promises.
    pub(crate) fn new(nest: &LoopNest, slot: usize, positions: &[Position]) -> Walk {
        let sizes = &*nest.slots()[slot].sizes;
        let mut address = 0_u64;
        let mut coefficients = vec![0_u64; nest.factors().len()];
        let mut windows = Vec::new();
        for ((position, stride), size) in positions.iter().zip(strides(sizes)).zip(sizes) {
            let (first, terms) = match position {
                Position::Iter(factor) => (0, &[(1, *factor)][..]),
                Position::At(position) => (*position, &[][..]),
                Position::Affine(affine) => {
                    windows.push(Window::new(affine.offset, &affine.terms, *size, nest));
                    (affine.offset as u64, &*affine.terms)
                }
            };
            address = address.wrapping_add(first.wrapping_mul(stride));
            for (coefficient, factor) in terms {
                let moved = coefficient.wrapping_mul(stride);
                coefficients[*factor] = coefficients[*factor].wrapping_add(moved);
            }
        }
        Walk {
            address,
            steps: steps(&coefficients, nest.factors()),
            windows,
        }
    }

    /// Returns the address at this point; `None` if an affine index is out of range.
    pub(crate) fn address(&self) -> Option<usize> {
        let within = |window: &Window| window.index >= 0 && (window.index as u64) < window.size;
        self.windows
            .iter()
            .all(within)
            .then_some(self.address as usize)
    }

    /// Goes to the next point, where this factor went on by one and those after it went back to 0.
    pub(crate) fn go_on(&mut self, factor: usize) {
        self.address = self.address.wrapping_add(self.steps[factor]);
        for window in &mut self.windows {
            window.index = window.index.wrapping_add(window.steps[factor]);
        }
    }
}

impl Window {
    fn new(offset: i64, terms: &[(u64, usize)], size: u64, nest: &LoopNest) -> Window {
        let mut coefficients = vec![0; nest.factors().len()];
        for (coefficient, factor) in terms {
            coefficients[*factor] += coefficient;
        }
        let steps = steps(&coefficients, nest.factors());
        Window {
            index: offset,
            size,
            steps: steps.into_iter().map(|step| step as i64).collect(),
        }
    }
}

/// Computes the change of a sum with these coefficients where each factor goes on by one and the factors after it go
/// back to 0. A negative change is one that wraps.
fn steps(coefficients: &[u64], factors: &[Factor]) -> Vec<u64> {
    let mut steps = vec![0; factors.len()];
    let mut back = 0_u64;
    for (number, factor) in factors.iter().enumerate().rev() {
        let coefficient = coefficients[number];
        steps[number] = coefficient.wrapping_sub(back);
        back = back.wrapping_add(coefficient.wrapping_mul(factor.size - 1));
    }
    steps
}
