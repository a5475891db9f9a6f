//! The meaning of a constraint as plain data: facts about lengths, and comparisons of axes that hold where positions
//! exist.

/// One axis in formulas: a constant, a dimension variable, or a position of a row variable's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Axis {
    /// The claim-free unit.
    Unit,
    /// The 0 of §8, which is no dimension.
    Zero,
    /// The atom with this number.
    Atom(u32),
    /// The dimension variable with this number.
    Dim(u32),
    /// `(ρ, i)`: the axis of ρ's value that is `i` places from its front.
    Front(u32, u32),
    /// `(ρ, j)`: the axis of ρ's value that is `j` places from its back.
    Back(u32, u32),
    /// `(ρ, k)`: the axis `k` places further in than the far position, from the front.
    FarFront(u32, i32),
    /// The same from the back.
    FarBack(u32, i32),
}

/// One of the lengths of a row variable's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Measure {
    /// X: the axes before the marker.
    Leading,
    /// Y: the axes after the marker.
    Trailing,
    /// N = X + Y.
    Rank,
}

/// A length: a number of explicit axes plus, perhaps, a measure of one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length {
    pub explicit: u32,
    pub of: Option<(Measure, u32)>,
}

/// A fact about lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LengthFact {
    /// The first is at least the second.
    AtLeast(Length, Length),
    /// The two are the same.
    Same(Length, Length),
}

/// A condition under which a position exists, or lies at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// The measure of the variable is greater than the number.
    Exceeds(Measure, u32, u32),
    /// The variable's rank is the number.
    RankIs(u32, u32),
    /// The measure of the variable is greater than the far position from the front plus this number.
    ExceedsFarFront(Measure, u32, i32),
    /// The same from the back.
    ExceedsFarBack(Measure, u32, i32),
}

/// The relation by which two axes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// `=`: identity.
    Same,
    /// `⊑` of Def. 1.2: the upper is the unit or the same.
    Below,
}

/// Two axes that face each other wherever all guards hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facing {
    pub guards: [Option<Guard>; 3],
    pub low: Axis,
    pub high: Axis,
}

impl Facing {
    /// Returns the same pair, restricted to the case that the first axis, if both are axes of values, lies on the side
    /// of the marker from which it is counted. An axis on the other side is counted from there. So it is always an axis
    /// that `⊑` compares too.
    pub fn on_own_side(&self) -> Facing {
        let flank = match (self.low, self.high) {
            (Axis::Front(..), Axis::Front(..)) => Measure::Leading,
            (Axis::Back(..), Axis::Back(..)) => Measure::Trailing,
            _ => return self.clone(),
        };
        let mut own = self.clone();
        if let Some(Guard::Exceeds(measure @ Measure::Rank, ..)) = &mut own.guards[0] {
            *measure = flank;
        }
        own
    }
}

/// The meaning of one constraint inside a window.
///
/// If no `beyond` guard holds, the constraint is equivalent to all facts about lengths and all pairs of facing axes
/// together. A `beyond` guard says that some positions lie outside the window and are therefore not listed.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    pub lengths: Vec<LengthFact>,
    pub relation: Relation,
    pub facing: Vec<Facing>,
    pub beyond: Vec<Guard>,
}
