//! The list of subjects. Whatever works on a kind of input finds it here: campaigns, `cargo fuzz`, the corpus, the
//! command line.
//!
//! A new calculus is a module with a [`Subject`] and one line of [`SUBJECTS`].

pub mod arithmetic;
pub mod axon;
pub mod gradients;
pub mod gradual;
pub mod nests;
pub mod operations;
pub mod programs;
pub mod sets;
pub mod shapes;
pub mod statements;
pub mod systems;
pub mod texts;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::any_subject::{AnySubject, AnyTarget, Of};
use crate::known_difference::KnownDifference;
use crate::subject::Subject;
use crate::subject::target::Target;

/// Every subject.
pub const SUBJECTS: &[&dyn AnySubject] = &[
    Of::<sets::Sets>::SUBJECT,
    Of::<arithmetic::Arithmetic>::SUBJECT,
    Of::<systems::Systems>::SUBJECT,
    Of::<operations::Operations>::SUBJECT,
    Of::<statements::Statements>::SUBJECT,
    Of::<gradients::Gradients>::SUBJECT,
    Of::<gradual::Gradual>::SUBJECT,
    Of::<nests::Nests>::SUBJECT,
    Of::<programs::Programs>::SUBJECT,
    Of::<shapes::Shapes>::SUBJECT,
    Of::<axon::AxonPrograms>::SUBJECT,
    Of::<texts::Texts>::SUBJECT,
];

/// Returns the subject of a file with this extension that begins with these bytes.
pub fn recognised(extension: Option<&str>, start: &[u8]) -> Option<&'static dyn AnySubject> {
    let mut subjects = SUBJECTS.iter().copied();
    subjects.find(|subject| subject.recognises(extension, start))
}

/// Returns every target, subject by subject.
pub fn targets() -> &'static [&'static dyn AnyTarget] {
    static TARGETS: LazyLock<Vec<&'static dyn AnyTarget>> = LazyLock::new(|| {
        SUBJECTS
            .iter()
            .flat_map(|subject| subject.targets())
            .collect()
    });
    &TARGETS
}

/// Returns the target of that name.
pub fn named(name: &str) -> Option<&'static dyn AnyTarget> {
    targets()
        .iter()
        .copied()
        .find(|target| target.name() == name)
}

/// Returns the target of that name among those of a subject.
pub fn target<S: Subject>(name: &str) -> Option<&'static Target<S>> {
    S::TARGETS.iter().find(|target| target.name == name)
}

/// Returns the tolerated differences of all subjects.
pub fn differences() -> impl Iterator<Item = &'static KnownDifference> {
    SUBJECTS.iter().flat_map(|subject| subject.differences())
}

/// Returns the names of the rules that inputs of these targets may reach, each once: those of their subjects. A
/// campaign in the sets of one calculus cannot reach a rule of another one.
pub fn rules(targets: impl IntoIterator<Item = &'static dyn AnyTarget>) -> Vec<&'static str> {
    let mut seen = BTreeSet::new();
    let rules = targets
        .into_iter()
        .flat_map(|target| target.subject().rules());
    rules.filter(|rule| seen.insert(*rule)).collect()
}
