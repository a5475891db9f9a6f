//! The limits of a question.

/// The amount of work that a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The states of the search for values of shapes.
    pub cases: usize,
    /// The parts of the equations in all states of that search together.
    pub parts: usize,
    /// The choices of ranks that are tried where that search reached its limit.
    pub ranks: usize,
    /// The axes that are compared for all these choices together.
    pub axes: usize,
    /// The work of the arithmetic for one question, in terms that are read or written.
    pub work: u64,
    /// The questions that are asked to make a refutation smaller.
    pub minimising: usize,
    /// The names for which a search asks whether they have one value in all solutions.
    pub forced: usize,
    /// The names for which that question may reach a limit; behind these it is not asked any more.
    pub unanswered: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            cases: 4_000,
            parts: 1 << 17,
            ranks: 400,
            axes: 1 << 13,
            work: 1 << 22,
            minimising: 300,
            forced: 64,
            unanswered: 8,
        }
    }
}

impl Limits {
    /// Returns the limits of a question whose answer only makes a refutation smaller: a sixteenth of the work. Fewer
    /// equations may be harder, for those that are left out may have said how long the shapes are.
    pub(crate) fn for_a_smaller_set(&self) -> Limits {
        Limits {
            cases: self.cases / 16,
            parts: self.parts / 16,
            ranks: self.ranks / 16,
            axes: self.axes / 16,
            work: self.work / 16,
            ..*self
        }
    }
}
