//! The identity of a run: digests of everything that decides the bits that it computes, so that a run is only resumed
//! as the one that it was.
//!
//! A digest sees what a run computes and not how it is written: comments, names of intermediate results, further lines
//! that only print, and the number of epochs change nothing.

/// The digests of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The digest of the operations on which parameters and states depend, with their loops.
    pub program: u64,
    /// The digest of the sections: batches, their order, and the number of steps.
    pub sections: u64,
    /// The digest of the values of the data that is read.
    pub data: u64,
    /// The digest of the order and precision in which the device computes.
    pub rounding: u64,
}

/// A part of a run that decides its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The operations.
    Program,
    /// The batches of a section, their order, or its number of steps.
    Sections,
    /// The values of data.
    Data,
    /// The order and precision of the arithmetic.
    Rounding,
}

impl Part {
    /// Returns the part in words, with the flags that decide it.
    pub fn words(self) -> &'static str {
        match self {
            Part::Program => "the program computes something else",
            Part::Sections => {
                "a section has other batches, another order of rows, or another number of steps"
            }
            Part::Data => "the data has other values",
            Part::Rounding => {
                "the device, --exact, --precision, --accumulate or --pins differ, so that numbers are rounded differently"
            }
        }
    }
}

impl Identity {
    /// Returns the parts in which two runs differ.
    pub fn differences(&self, other: &Identity) -> Vec<Part> {
        let same = [
            (Part::Program, self.program == other.program),
            (Part::Sections, self.sections == other.sections),
            (Part::Data, self.data == other.data),
            (Part::Rounding, self.rounding == other.rounding),
        ];
        let differing = same.into_iter().filter(|(_, same)| !same);
        differing.map(|(part, _)| part).collect()
    }
}
