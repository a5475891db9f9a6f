//! The random numbers of all tests: SplitMix64, whose outputs are specified, so that a seed gives the same inputs on
//! every machine and with every version of the crate.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// Returns the sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::from_seed(seed.to_le_bytes()))
    }

    /// Returns the sequence of an indexed input. The sequences of neighbouring indices are unrelated.
    pub fn indexed(index: u64) -> Random {
        Random::new(index.wrapping_mul(0xd129_0a71_42b8_83d5) ^ 0x5eed)
    }

    /// Returns the sequence of an indexed input of a seed.
    pub fn seeded(seed: u64, index: u64) -> Random {
        let seed = seed.wrapping_mul(0x2545_f491_4f6c_dd1d);
        Random::new(seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below the bound, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// Returns one of several values. The slice must not be empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns this number of random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let words = (0..length.div_ceil(8)).flat_map(|_| self.word().to_le_bytes());
        words.take(length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        // The reference outputs for the seed 1234567 (Vigna's splitmix64.c).
        let mut random = Random::new(1_234_567);
        let expected = [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
        ];
        assert_eq!([random.word(), random.word(), random.word()], expected);
    }

    #[test]
    fn bytes_are_the_words_in_order() {
        let word = Random::new(7).word();
        assert_eq!(Random::new(7).bytes(9)[..8], word.to_le_bytes());
    }
}
