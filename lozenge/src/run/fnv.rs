//! A checksum over bytes.

/// The checksum FNV-1a, as the crate `fnv` computes it, whose few lines stand here so that the format of a file depends
/// on no other crate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Returns the sum.
    pub fn sum(self) -> u64 {
        self.0
    }

    /// Returns the sum with these numbers behind what was added.
    pub fn with(mut self, numbers: &[u64]) -> u64 {
        for number in numbers {
            self.add(&number.to_le_bytes());
        }
        self.0
    }
}
