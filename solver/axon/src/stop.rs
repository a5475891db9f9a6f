//! The reasons that end a derivation early.

use lozenge_axon_vocabulary::{DimId, Equation, Pool, TooLarge, Word};

use crate::origin::OriginId;

/// The last step of a refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    /// The step in words.
    pub(crate) text: String,
    /// The two sides that are never equal, where the step has such.
    pub(crate) sides: Option<Equation>,
}

impl Clash {
    /// Makes a step that is said in words.
    pub(crate) fn said(text: impl Into<String>) -> Clash {
        Clash {
            text: text.into(),
            sides: None,
        }
    }

    /// Makes the step that two dimensions are never equal.
    pub(crate) fn dims(pool: &Pool, one: DimId, other: DimId) -> Clash {
        Clash::of(pool, Equation::Dims(one, other))
    }

    /// Makes the step that two shapes are never equal.
    pub(crate) fn shapes(pool: &Pool, left: Word, right: Word) -> Clash {
        Clash::of(pool, Equation::Shapes(left, right))
    }

    fn of(pool: &Pool, sides: Equation) -> Clash {
        let text = sides.show(pool).to_string();
        Clash {
            text,
            sides: Some(sides),
        }
    }
}

/// The reason for which a derivation ends.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The equations behind an origin have no common solution.
    Clash { origin: OriginId, clash: Box<Clash> },
    /// A constant does not fit 64 bits.
    TooLarge(TooLarge),
    /// A limit is reached, which is named.
    Limit(String),
}

impl Stop {
    pub(crate) fn clash(origin: OriginId, clash: Clash) -> Stop {
        Stop::Clash {
            origin,
            clash: Box::new(clash),
        }
    }
}

impl From<TooLarge> for Stop {
    fn from(error: TooLarge) -> Stop {
        Stop::TooLarge(error)
    }
}
