//! A target: a generator of instances of a subject, with a comparison. `cargo fuzz`, campaigns and tests run the same
//! targets.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arbitrary::{Result, Unstructured};
use lozenge_testkit::generate::bytes;

use super::Subject;
use super::notation::{self, READABLE};
use super::party::Parties;
use crate::outcome::{Comparison, Disagreement};

/// The share of its inputs that a hunt for planted defects spends on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hunted {
    /// As often as the others.
    Always,
    /// One input while the others get ten, because it asks Z3 or infers whole programs.
    Seldom,
    /// Only where it is asked for: it is for defects of one sort, or its kernels take long to compile.
    WhenAsked,
}

/// A comparison with a generator of its inputs.
pub struct Target<S: Subject> {
    /// The name.
    pub name: &'static str,
    /// The comparison of the target, in one line.
    pub about: &'static str,
    /// The questions whose derivations explain a disagreement.
    pub questions: &'static [S::Question],
    /// The share of a hunt that the target gets.
    pub hunted: Hunted,
    /// The number of bytes from which an input is generated.
    pub bytes: usize,
    /// Draws an instance from bytes.
    pub generate: fn(&mut Unstructured<'_>) -> Result<S::Instance>,
    /// Compares the answers of parties about an instance; `None` where they are silent about it.
    pub examine: fn(&S::Instance, &mut Parties) -> Option<Comparison>,
}

impl<S: Subject> Target<S> {
    /// Returns the instance that these bytes encode: a readable form if they are marked as one, else the instance that
    /// the generator draws from them.
    pub fn instance(&self, data: &[u8]) -> Option<S::Instance> {
        match data.first() {
            Some(&READABLE) => notation::of_bytes::<S>(data),
            _ => (self.generate)(&mut Unstructured::new(data)).ok(),
        }
    }

    /// Returns the instance of a campaign with this number, which depends only on the seed and the index.
    pub fn indexed(&self, seed: u64, index: u64) -> Option<S::Instance> {
        // Each target has its own stream, so that targets with the same generator get different inputs.
        let name = self.name.bytes().fold(seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.drawn(bytes(name, index, self.bytes))
    }

    /// Returns the instance that the generator draws from random bytes, which are never read as a readable form.
    pub fn drawn(&self, mut bytes: Vec<u8>) -> Option<S::Instance> {
        if let Some(first) = bytes.first_mut().filter(|first| **first == READABLE) {
            *first = 0;
        }
        (self.generate)(&mut Unstructured::new(&bytes)).ok()
    }

    /// Asks the parties about an instance; `None` for one about which they are silent. A party that panics is a
    /// disagreement like any other.
    pub fn examine(&self, instance: &S::Instance, parties: &mut Parties) -> Option<Comparison> {
        let examined = catch_unwind(AssertUnwindSafe(|| (self.examine)(instance, parties)));
        examined.unwrap_or_else(|panic| {
            parties.renew();
            let words = panic.downcast_ref::<&str>().map(ToString::to_string);
            let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
            let disagreement = Disagreement::new("a party panics");
            Some(Comparison {
                outcome: disagreement
                    .answered("it", words.unwrap_or_default())
                    .into(),
                useful: true,
                answer: "panic",
            })
        })
    }
}
