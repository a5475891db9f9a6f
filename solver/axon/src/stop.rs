//! What ends a derivation early.

use lozenge_axon_vocabulary::TooLarge;

use crate::origin::OriginId;

/// The reason for which a derivation ends.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The equations behind an origin have no common solution.
    Clash {
        origin: OriginId,
        /// The last step, in words.
        clash: String,
    },
    /// A constant does not fit 64 bits.
    TooLarge(TooLarge),
    /// A limit is reached, which is named.
    Limit(String),
}

impl Stop {
    pub(crate) fn clash(origin: OriginId, clash: impl Into<String>) -> Stop {
        Stop::Clash {
            origin,
            clash: clash.into(),
        }
    }
}

impl From<TooLarge> for Stop {
    fn from(error: TooLarge) -> Stop {
        Stop::TooLarge(error)
    }
}
