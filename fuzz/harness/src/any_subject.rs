//! Subjects and targets with their types forgotten. An instance is its text, which reads back as the same instance.

use std::marker::PhantomData;

use crate::distil::distilled;
use crate::features::Features;
use crate::known_difference::KnownDifference;
use crate::minimise::minimise;
use crate::outcome::Comparison;
use crate::subject::Subject;
use crate::subject::checked::Checked;
use crate::subject::notation;
use crate::subject::party::{Effort, Parties};
use crate::subject::target::{Hunted, Target};

/// A subject, whatever its types.
pub trait AnySubject: Sync {
    /// Returns one input in words, with its article.
    fn noun(&self) -> &'static str;

    /// Returns the extension of a file with an instance, without the dot.
    fn extension(&self) -> &'static str;

    /// Tells whether a file that begins like this, or has a name with the extension, holds an instance.
    fn recognises(&self, extension: Option<&str>, start: &[u8]) -> bool;

    /// Returns the targets.
    fn targets(&self) -> Vec<&'static dyn AnyTarget>;

    /// Returns the tolerated differences between answers.
    fn differences(&self) -> &'static [KnownDifference];

    /// Returns the names of the rules that inputs may reach.
    fn rules(&self) -> Vec<&'static str>;

    /// Asks every party about the instance in a file, and compares the answers.
    ///
    /// # Errors
    /// A message that says what is wrong with the file and where.
    fn check(&self, bytes: &[u8], effort: &Effort) -> Result<Checked, String>;

    /// Tells how each party comes to its answer about the instance in a file, by its name; or the party that is named.
    ///
    /// # Errors
    /// A message that says what is wrong with the file and where, or that there is no party of this name.
    fn derivations(
        &self,
        bytes: &[u8],
        party: Option<&str>,
        effort: &Effort,
    ) -> Result<Vec<(&'static str, String)>, String>;
}

/// A subject as a value.
pub struct Of<S>(PhantomData<fn() -> S>);

impl<S: Subject> Of<S> {
    /// The subject.
    pub const SUBJECT: &'static Of<S> = &Of(PhantomData);
}

impl<S: Subject> AnySubject for Of<S> {
    fn noun(&self) -> &'static str {
        S::NOUN
    }

    fn extension(&self) -> &'static str {
        S::EXTENSION
    }

    fn recognises(&self, extension: Option<&str>, start: &[u8]) -> bool {
        S::recognises(start) || !S::IS_ANY_TEXT && extension == Some(S::EXTENSION)
    }

    fn targets(&self) -> Vec<&'static dyn AnyTarget> {
        let targets = S::TARGETS.iter();
        targets
            .map(|target| target as &'static dyn AnyTarget)
            .collect()
    }

    fn differences(&self) -> &'static [KnownDifference] {
        S::DIFFERENCES
    }

    fn rules(&self) -> Vec<&'static str> {
        S::rules()
    }

    fn check(&self, bytes: &[u8], effort: &Effort) -> Result<Checked, String> {
        Ok(S::checked(&S::read(bytes)?, effort))
    }

    fn derivations(
        &self,
        bytes: &[u8],
        party: Option<&str>,
        effort: &Effort,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let instance = S::read(bytes)?;
        let mut parties = Parties::within(effort.clone());
        let asked = S::PARTIES
            .iter()
            .filter(|one| party.is_none_or(|name| name == one.name));
        let mut told = Vec::new();
        for one in asked {
            let question = one.checks.or(one.questions.first().copied());
            if let (Some(question), Ok(made)) = (question, parties.party(one)) {
                told.push((one.name, made.derivation(question, &instance)));
            }
        }
        match (told.is_empty(), party) {
            (true, Some(name)) => Err(format!("no party called {name} answers about {}", S::NOUN)),
            _ => Ok(told),
        }
    }
}

/// A target, whatever its subject.
pub trait AnyTarget: Sync {
    /// Returns the name.
    fn name(&self) -> &'static str;

    /// Describes the comparison of the target in one line.
    fn about(&self) -> &'static str;

    /// Tells how often it is hunted in.
    fn hunted(&self) -> Hunted;

    /// Returns the subject of its inputs.
    fn subject(&self) -> &'static dyn AnySubject;

    /// Returns the input of a campaign with this number, which depends only on the seed and the index.
    fn text(&self, seed: u64, index: u64) -> Option<String>;

    /// Returns the same for people.
    fn shown(&self, seed: u64, index: u64) -> Option<String>;

    /// Examines the input of a campaign with this number; `None` where there is none, or the parties are silent about
    /// it. Features are looked for if `traced`.
    fn examine_indexed(
        &self,
        seed: u64,
        index: u64,
        traced: bool,
        parties: &mut Parties,
    ) -> Option<Examined>;

    /// Asks the parties about an input; `None` for one about which they are silent.
    ///
    /// # Errors
    /// A message that says what is wrong with the text and where.
    fn examine(&self, text: &str, parties: &mut Parties) -> Result<Option<Comparison>, String>;

    /// Returns a minimal input with the same outcome.
    ///
    /// # Errors
    /// A message that says what is wrong with the text and where.
    fn least(&self, text: &str, parties: &mut Parties) -> Result<Least, String>;

    /// Returns the derivations for every question of the target.
    ///
    /// # Errors
    /// A message that says what is wrong with the text and where.
    fn derivations(
        &self,
        text: &str,
        parties: &mut Parties,
    ) -> Result<Vec<(&'static str, String)>, String>;

    /// Returns the input that a fuzzer's bytes encode.
    fn of_bytes(&self, data: &[u8]) -> Option<String>;

    /// Returns an input as bytes for a fuzzer.
    fn to_bytes(&self, text: &str) -> Vec<u8>;

    /// Returns an input with a comment before it, if its notation has comments.
    fn with_comment(&self, text: &str, comment: &str) -> String;

    /// Returns the input in a text with comments, printed without them.
    ///
    /// # Errors
    /// A message that says what is wrong with the text and where.
    fn printed(&self, text: &str) -> Result<String, String>;

    /// Returns the features that distinguish an input, with its outcome.
    ///
    /// # Errors
    /// A message that says what is wrong with the text and where.
    fn features(
        &self,
        text: &str,
        examined: &Comparison,
    ) -> Result<std::collections::BTreeSet<String>, String>;

    /// Selects from many inputs those that reach something that no smaller one reaches. Texts that are no inputs are
    /// dropped.
    fn distilled(&self, texts: Vec<String>, parties: &mut Parties) -> Vec<String>;
}

/// An input of a campaign that was examined.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The comparison.
    pub comparison: Comparison,
    /// The size of the input.
    pub size: usize,
    /// The features that it reaches, if they were asked for.
    pub features: Option<Features>,
}

/// A minimal input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// Its readable form.
    pub text: String,
    /// The same for people.
    pub shown: String,
}

impl<S: Subject> AnyTarget for Target<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn hunted(&self) -> Hunted {
        self.hunted
    }

    fn subject(&self) -> &'static dyn AnySubject {
        Of::<S>::SUBJECT
    }

    fn text(&self, seed: u64, index: u64) -> Option<String> {
        Some(self.indexed(seed, index)?.to_string())
    }

    fn shown(&self, seed: u64, index: u64) -> Option<String> {
        Some(S::shown(&self.indexed(seed, index)?))
    }

    fn examine_indexed(
        &self,
        seed: u64,
        index: u64,
        traced: bool,
        parties: &mut Parties,
    ) -> Option<Examined> {
        let instance = self.indexed(seed, index)?;
        Some(Examined {
            comparison: Target::examine(self, &instance, parties)?,
            size: S::size(&instance),
            features: traced.then(|| S::features(&instance)),
        })
    }

    fn examine(&self, text: &str, parties: &mut Parties) -> Result<Option<Comparison>, String> {
        let instance = notation::read::<S>(text)?;
        Ok(Target::examine(self, &instance, parties))
    }

    fn least(&self, text: &str, parties: &mut Parties) -> Result<Least, String> {
        let least = minimise(self, &notation::read::<S>(text)?, parties);
        Ok(Least {
            text: least.to_string(),
            shown: S::shown(&least),
        })
    }

    fn derivations(
        &self,
        text: &str,
        parties: &mut Parties,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let instance = notation::read::<S>(text)?;
        let questions = self.questions.iter();
        let told = questions.flat_map(|question| parties.derivations::<S>(*question, &instance));
        Ok(told.collect())
    }

    fn of_bytes(&self, data: &[u8]) -> Option<String> {
        Some(self.instance(data)?.to_string())
    }

    fn to_bytes(&self, text: &str) -> Vec<u8> {
        notation::to_bytes::<S>(text)
    }

    fn with_comment(&self, text: &str, comment: &str) -> String {
        notation::with_comment::<S>(text, comment)
    }

    fn printed(&self, text: &str) -> Result<String, String> {
        Ok(notation::read::<S>(text)?.to_string())
    }

    fn features(
        &self,
        text: &str,
        examined: &Comparison,
    ) -> Result<std::collections::BTreeSet<String>, String> {
        let instance = notation::read::<S>(text)?;
        Ok(S::features(&instance).with(examined))
    }

    fn distilled(&self, texts: Vec<String>, parties: &mut Parties) -> Vec<String> {
        let instances = texts
            .iter()
            .filter_map(|text| notation::read::<S>(text).ok());
        let kept = distilled(self, instances, parties);
        kept.iter().map(ToString::to_string).collect()
    }
}
