//! Counter-based random numbers: each is a function of a key and a place only, so that they are the same on every
//! machine and in every order of evaluation.
//!
//! The generators of `rand` were considered and not tried: they have a state that each number advances, and the one
//! that can be put at a place of its sequence (`rand_chacha`) computes a block of 64 bytes for it.

/// Returns the number of SplitMix64, by G. Steele, D. Lea and C. Flood (OOPSLA 2014), at a place of its sequence.
/// Steele, D. Lea and C. Flood (OOPSLA 2014), at a place of its sequence.
pub fn bits(key: u64, at: u64) -> u64 {
    let mut z = key.wrapping_add(at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the numbers from 0 below `count` in an order that depends on the key (the shuffle of R. Fisher and F.
/// Yates).
pub fn permutation(key: u64, count: usize) -> Vec<usize> {
    let key = bits(key, 0);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        // The upper half of the 128-bit product is below `last + 1`; its bias is at most 2^-32.
        let chosen = (u128::from(bits(key, last as u64)) * (last as u128 + 1)) >> 64;
        order.swap(last, chosen as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::permutation;

    #[test]
    fn a_permutation_has_every_number_once_and_depends_on_its_key() {
        let order = permutation(3, 1000);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
        let at_home = order
            .iter()
            .enumerate()
            .filter(|(at, number)| at == *number);
        assert!(at_home.count() < 10, "few numbers stay where they were");
        assert_ne!(order, permutation(4, 1000));
        assert_eq!(permutation(3, 0), Vec::<usize>::new());
        assert_eq!(permutation(3, 1), [0]);
    }

    #[test]
    fn each_order_is_as_likely_as_the_others() {
        let mut counts = std::collections::BTreeMap::new();
        for key in 0..6000 {
            *counts.entry(permutation(key, 3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(
            counts.values().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }
}
