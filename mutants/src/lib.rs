//! Tests of the tests. A *change* replaces a piece of the sources by something wrong: a planted defect, which somebody wrote
//! down in a file of defects, or a mutant, which `cargo mutants` made. A check that is any good notices a change.
//!
//! A build for each change would take most of a day. Instead, a copy of the sources gets all of them at once: a function with changes
//! has a body for each of them beside its own, and a switch that is read from the environment when a program begins chooses one. The
//! copy is built once, and each change costs no more than running the checks. The sources themselves hold none of it.
//!
//! | module | step |
//! |---|---|
//! | [`change`] | what a change is |
//! | [`defects`], [`listed`] | changes from a file of defects, and from `cargo mutants --list --json` |
//! | [`functions`] | the functions of a source text, and where their bodies are |
//! | [`instrument`] | a source text with all its changes behind the switch |
//! | [`copy`] | the copy of the sources, and its build without the changes that do not compile |
//! | [`campaign`], [`suite`] | what notices a change: a campaign of the fuzzer, or a package's tests |
//! | [`report`] | the table of `docs/planted.md` |

pub mod campaign;
pub mod change;
pub mod copy;
pub mod defects;
pub mod functions;
pub mod instrument;
pub mod listed;
pub mod process;
pub mod report;
pub mod suite;
