//! A relation on finitely many elements, compact enough to test all pairs and triples of thousands of them.
//!
//! The crate `fixedbitset` was considered and not tried: it would replace two shifts, and the search for a triple reads
//! the words of two rows side by side, which is the whole of this file.

/// A bit matrix: for each element, the set of those above it.
pub struct Above(Vec<Vec<u64>>);

impl Above {
    /// Returns the relation `below` on these elements, which are numbered in this order.
    pub fn new<T>(all: &[T], below: impl Fn(&T, &T) -> bool) -> Above {
        let bits = |low: &T| {
            let mut bits = vec![0; all.len().div_ceil(64)];
            (0..all.len())
                .filter(|i| below(low, &all[*i]))
                .for_each(|i| bits[i / 64] |= 1 << (i % 64));
            bits
        };
        Above(all.iter().map(bits).collect())
    }

    /// Says whether the first element is below the second.
    pub fn holds(&self, low: usize, high: usize) -> bool {
        self.0[low][high / 64] >> (high % 64) & 1 == 1
    }

    /// Returns the set of the elements above one, as bits.
    pub fn row(&self, low: usize) -> &[u64] {
        &self.0[low]
    }

    /// Returns the elements above one, in ascending order.
    pub fn over(&self, low: usize) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(move |high| self.holds(low, *high))
    }

    /// Finds one, two or three elements that violate reflexivity, antisymmetry or transitivity, with the name of the
    /// law.
    pub fn broken(&self) -> Option<(Vec<usize>, &'static str)> {
        for a in 0..self.0.len() {
            if !self.holds(a, a) {
                return Some((vec![a], "not reflexive"));
            }
            for b in self.over(a) {
                if a != b && self.holds(b, a) {
                    return Some((vec![a, b], "not antisymmetric"));
                }
                let missing = self.0[b].iter().zip(&self.0[a]).any(|(b, a)| b & !a != 0);
                if missing && let Some(c) = self.over(b).find(|c| !self.holds(a, *c)) {
                    let why = "each is below the next, the first is not below the last";
                    return Some((vec![a, b, c], why));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_law_can_be_broken() {
        let numbers: Vec<u32> = (0..70).collect();
        let broken = |below: fn(&u32, &u32) -> bool| Above::new(&numbers, below).broken();
        assert_eq!(broken(|a, b| a <= b), None);
        assert_eq!(broken(|a, b| a < b), Some((vec![0], "not reflexive")));
        assert_eq!(broken(|_, _| true), Some((vec![0, 1], "not antisymmetric")));
        let near = broken(|a, b| a <= b && b - a < 67).unwrap();
        assert_eq!(
            near.0,
            [0, 1, 67],
            "transitivity at the far end of the matrix"
        );
    }
}
