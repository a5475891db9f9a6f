//! A subject: a kind of input, with everything that the harness needs to hold its parties against each other.
//!
//! A calculus is a value of this trait. It has a notation, in which every instance prints and reads back, parties that
//! answer questions, the table that says which answers are consistent, the check of a witness by the definition,
//! targets, and the steps by which an instance is made smaller. Campaigns, `cargo fuzz`, the corpus and the command
//! line see a subject through [`crate::any_subject::AnySubject`], and all of them in one list,
//! [`crate::subjects::SUBJECTS`].

pub mod checked;
pub mod notation;
pub mod party;
pub mod target;

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::features::Features;
use crate::known_difference::KnownDifference;
use crate::outcome::Outcome;

use self::checked::Checked;
use self::party::{Effort, Parties, Party, Said};
use self::target::Target;

/// A kind of input.
pub trait Subject: Sized + 'static {
    /// One input in words, with its article: `a constraint set`.
    const NOUN: &'static str;

    /// The extension of a file with an instance, without the dot.
    const EXTENSION: &'static str;

    /// The unit in which the size of an instance is counted: `constraints`.
    const UNIT: &'static str;

    /// True if any text is an instance, so that no line is a comment, and no file is known by its name to be one.
    const IS_ANY_TEXT: bool = false;

    /// One input. Its printed form reads back as the same instance.
    type Instance: Clone + PartialEq + Debug + Display + FromStr<Err: Display> + Send + Sync;

    /// A question about an instance.
    type Question: Copy + Debug + PartialEq + Send + Sync + 'static;

    /// The answer of a party.
    type Answer: Answer;

    /// The implementations that answer questions. No two of them share a rule.
    const PARTIES: &'static [Party<Self>];

    /// The comparisons, each with a generator of its inputs.
    const TARGETS: &'static [Target<Self>];

    /// The tolerated differences between answers.
    const DIFFERENCES: &'static [KnownDifference] = &[];

    /// Returns the names of the rules that inputs may reach, in the order of the document.
    fn rules() -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns the verdict table: how the answers about an instance are related.
    fn compare(instance: &Self::Instance, said: &[Said<Self>]) -> Outcome;

    /// Tells whether a file that begins like this holds an instance, whatever its name is.
    fn recognises(start: &[u8]) -> bool {
        let _ = start;
        false
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A message that says what is wrong with the file and where.
    fn read(bytes: &[u8]) -> Result<Self::Instance, String> {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
        notation::read::<Self>(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// Checks the witness of an answer by the definition. An answer without a witness passes.
    ///
    /// # Errors
    /// The reason why the witness is none, in words.
    fn check(instance: &Self::Instance, answer: &Self::Answer) -> Result<(), String> {
        let _ = (instance, answer);
        Ok(())
    }

    /// Returns every instance that is one step smaller, the largest steps first.
    fn smaller(instance: &Self::Instance) -> Vec<Self::Instance>;

    /// Returns the size of an instance: constraints, statements, equations, characters.
    fn size(instance: &Self::Instance) -> usize;

    /// Returns the rules and other features that an instance reaches.
    fn features(instance: &Self::Instance) -> Features {
        let _ = instance;
        Features::default()
    }

    /// Returns the instance for people, where its notation is data: the statement or the loop nest that the data stand
    /// for.
    fn shown(instance: &Self::Instance) -> String {
        instance.to_string()
    }

    /// Asks each party its question for `check`, within its limits, and compares the answers.
    fn checked(instance: &Self::Instance, effort: &Effort) -> Checked {
        Checked::of::<Self>(instance, &mut Parties::within(effort.clone()))
    }
}

/// An answer of a party.
pub trait Answer: Clone + Debug + Display {
    /// Returns the answer in a word, such as a verdict.
    fn word(&self) -> &'static str;

    /// Returns the limit that was reached, if that is why the answer is unknown.
    fn limit(&self) -> Option<&str> {
        None
    }
}

/// A value of a subject whose parties answer nothing by themselves: a target compares what it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {}

impl Display for Nothing {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

impl Answer for Nothing {
    fn word(&self) -> &'static str {
        match *self {}
    }
}
