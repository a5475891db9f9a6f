//! A document as data: its heading, its sections, and in each section the claims with the checks that decide them.

use super::effort::Effort;
use super::finding::Finding;
use super::subject::{Population, Subject};

/// A property of one instance: `None` when the claim does not apply to it, an error that says what is wrong when it
/// fails.
pub type Property<S> = fn(&S) -> Option<Result<(), String>>;

/// One way in which a claim is decided.
pub enum Check<S: Subject> {
    /// Theorems of Coq that together say the whole statement, each named by its file and its name.
    Theorem(&'static [&'static str]),
    /// A proof by Z3, which looks for a counterexample.
    Proof(fn(Effort) -> Finding),
    /// A search that is specific to the claim.
    Search(fn(Effort) -> Finding),
    /// The survey: every instance of the document's families, run under these rules.
    Survey(S::Rules, Property<S>),
    /// A sample: random instances larger than those of the survey, run under these rules.
    Sample(S::Rules, Property<S>),
    /// Not by anything that can be run, for this reason.
    Nothing(&'static str),
}

impl<S: Subject> Clone for Check<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Subject> Copy for Check<S> {}

/// A numbered statement of a document, as printed, with the checks that decide it and its repair.
pub struct Claim<S: Subject> {
    /// Its kind, printed number and part: `Prop. 2.10(ii)`.
    pub id: &'static str,
    /// The statement as printed, shortened, but with all its quantifiers and parentheses.
    pub statement: &'static str,
    /// The checks that decide it.
    pub checks: &'static [Check<S>],
    /// The statement that holds instead, if the printed one is false.
    pub repair: Option<Repair<S>>,
}

/// The statement that holds instead of one that is false as printed.
pub struct Repair<S: Subject> {
    /// The statement.
    pub statement: &'static str,
    /// The checks that decide it.
    pub checks: &'static [Check<S>],
}

impl<S: Subject> Claim<S> {
    /// Makes a statement, and the checks that decide it.
    pub const fn new(
        id: &'static str,
        statement: &'static str,
        checks: &'static [Check<S>],
    ) -> Claim<S> {
        Claim {
            id,
            statement,
            checks,
            repair: None,
        }
    }

    /// Returns the same claim, with the statement that holds instead.
    pub const fn repaired(self, statement: &'static str, checks: &'static [Check<S>]) -> Claim<S> {
        Claim {
            id: self.id,
            statement: self.statement,
            checks: self.checks,
            repair: Some(Repair { statement, checks }),
        }
    }
}

/// A section of a document.
pub struct Section<S: Subject> {
    /// Its number and title, as in `§2 Rows`.
    pub title: &'static str,
    /// Its claims, in the order of the document, in as many parts as the code has files for them.
    pub claims: &'static [&'static [Claim<S>]],
    /// A hash of all source text that the decisions of this section depend on.
    pub sources: &'static str,
}

/// The head of a table: the document, and what a reader needs to know about it.
#[derive(Clone, Copy, Debug)]
pub struct Heading {
    /// The name of the document in file names.
    pub key: &'static str,
    /// The title of the table.
    pub title: &'static str,
    /// The title of the document.
    pub document: &'static str,
    /// The authors, where the text names them.
    pub authors: Option<&'static str>,
    /// Its address, where the text gives one.
    pub link: Option<&'static str>,
    /// The words that a reader needs before the first entry: the nature of the entries, and the notation of the
    /// witnesses.
    pub introduction: &'static str,
}

/// A document with all its claims.
pub struct Document<S: Subject> {
    /// The head of its table.
    pub heading: Heading,
    /// Its sections.
    pub sections: &'static [Section<S>],
    /// The instances of its survey.
    pub survey: fn(Effort) -> Population<S::Instance>,
    /// The random instances.
    pub sample: fn(Effort) -> Population<S::Instance>,
    /// The text of the committed file of results.
    pub results: &'static str,
}

/// A row of the table: a printed statement, or the repair of one.
pub struct Item<S: Subject> {
    /// The id of the claim; that of a repair has `repaired` appended.
    pub id: String,
    /// The statement.
    pub statement: &'static str,
    /// The checks that decide it.
    pub checks: &'static [Check<S>],
    /// The id of its repair, if it has one.
    pub repair: Option<String>,
    /// The id of the claim that it repairs, if it is a repair.
    pub repairs: Option<&'static str>,
    /// The title of its section.
    pub section: &'static str,
    /// The hash of the sources of its section.
    pub sources: &'static str,
}

impl<S: Subject> Clone for Item<S> {
    fn clone(&self) -> Self {
        Item {
            id: self.id.clone(),
            repair: self.repair.clone(),
            ..*self
        }
    }
}

/// Returns the id of the repair of a claim.
fn repair_id(id: &str) -> String {
    format!("{id} repaired")
}

impl<S: Subject> Document<S> {
    /// Returns every row of the table in the order of the document; a repair follows what it repairs.
    pub fn items(&self) -> Vec<Item<S>> {
        let claims = self
            .sections
            .iter()
            .flat_map(|section| section.claims.iter().map(move |part| (section, *part)))
            .flat_map(|(section, part)| part.iter().map(move |claim| (section, claim)));
        claims
            .flat_map(|(section, claim)| rows(section, claim))
            .collect()
    }
}

fn rows<S: Subject>(section: &Section<S>, claim: &Claim<S>) -> Vec<Item<S>> {
    let item = |id: String, statement, checks| Item {
        id,
        statement,
        checks,
        repair: None,
        repairs: None,
        section: section.title,
        sources: section.sources,
    };
    let printed = Item {
        repair: claim.repair.as_ref().map(|_| repair_id(claim.id)),
        ..item(claim.id.to_string(), claim.statement, claim.checks)
    };
    let repaired = claim.repair.as_ref().map(|repair| Item {
        repairs: Some(claim.id),
        ..item(repair_id(claim.id), repair.statement, repair.checks)
    });
    std::iter::once(printed).chain(repaired).collect()
}
