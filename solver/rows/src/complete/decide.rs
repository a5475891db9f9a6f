//! The decision procedure of complete mode. It searches integer points, which give each row a length; at a point it
//! propagates atoms, and each clash of atoms gives a condition on the lengths under which the same clash occurs.
//!
//! 1. The constraints imply linear inequalities between the lengths of rows ([`normalised`]).
//! 2. At given lengths there is a solution iff no place is below two different atoms, and no place that is the unit or
//!    an atom is below another atom ([`atoms`]): what is below an atom equals that atom, and any other place may be the
//!    unit.
//! 3. A clash is two walks from atoms to one place. The same walks exist at all lengths that satisfy linear conditions;
//!    parts of a walk that repeat may repeat any number of times ([`scheme`]). That one of the conditions fails is a
//!    clause.
//! 4. A point of least total rank that satisfies the inequalities and all clauses is looked for by branching
//!    ([`search`]). Where a point has no clash, it is a solution of least rank; where there is no point, there is no
//!    solution, and the branches with their refutations are a certificate ([`certificate`]).
//!
//! Nothing here has a bound on lengths. The limits are on the work, and a limit that is reached is named.

mod atoms;
mod cases;
mod certificate;
mod model;
mod normalised;
mod scheme;
mod search;

pub(crate) use cases::{Alphabet, cases, most_cases};
pub use certificate::{Certificate, EntailmentCertificate};
pub(crate) use certificate::{certificate, cited};
pub(crate) use model::Length;
pub(crate) use normalised::{Normalised, NormalisedSet, Side};
pub(crate) use search::{Answer, Done, Effort, Found, Reached, Refutation, Search, decide};
