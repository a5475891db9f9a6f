//! Satisfiability, decided: integer points over the lengths of rows, letters by reachability at a point, and from each clash
//! a condition on the lengths under which the same clash is there.
//!
//! 1. The constraints ask linear inequalities of the lengths of rows ([`statement`]).
//! 2. At given lengths the letters are satisfiable iff no place is below two different atoms, or is the unit or an atom
//!    and below another atom ([`letters`]): what is below an atom is that atom, and what reaches none may be the unit.
//! 3. A clash is two walks from atoms to one place. The same walks exist at all lengths that satisfy linear conditions; parts
//!    of a walk that repeat may repeat any number of times ([`scheme`]). That one of the conditions fails is a clause.
//! 4. A point of least total rank that satisfies the inequalities and all clauses is looked for by branching ([`search`]).
//!    Where a point has no clash, it is a solution of least rank; where there is no point, there is no solution, and the
//!    branches with their refutations are a certificate ([`certificate`]).
//!
//! Nothing here has a bound on lengths. The limits are on the work, and a limit that is reached is named.

mod cases;
mod certificate;
mod letters;
mod model;
mod scheme;
mod search;
mod statement;

pub(crate) use cases::{Alphabet, cases, most_cases};
pub use certificate::{Certificate, EntailmentCertificate};
pub(crate) use certificate::{certificate, cited};
pub(crate) use search::{Answer, Done, Effort, Found, Reached, decide};
pub(crate) use statement::{Statement, Statements};
