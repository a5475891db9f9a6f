//! The machinery of a claims table, independent of the document: claims with their checks, surveys of instances, a
//! store of results, and the renderings.
//!
//! A document is data: a [`Document`] lists its sections, each section its [`Claim`]s, and each claim the checks that
//! decide it. The [`Subject`] of a document is the kind of its instances: constraint sets, typed graphs or programs.

mod claim;
mod decide;
mod effort;
mod entry;
mod errata;
mod finding;
mod long_survey;
mod page;
mod results;
mod subject;
mod survey;
mod text;
mod theorems;

pub use claim::{Check, Claim, Document, Heading, Item, Property, Repair, Section};
pub use decide::{Options, decide, is_part_of};
pub use effort::Effort;
pub use entry::{Entry, Read};
pub use errata::errata;
pub use finding::{Evidence, Finding, Witness};
pub use long_survey::{Surveyed, survey};
pub use page::{Provenance, page};
pub use results::{Kept, KeptError, Standing};
pub use subject::{Family, Population, Subject};
pub use survey::{Asked, CHUNK, Progress, Survey, Tally};
pub use text::{in_full, row_text, summary, table_text};
pub use theorems::{Theorem, statement, theorems};
