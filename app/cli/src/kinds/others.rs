//! Files of the other subjects of the harness. Their parties decide what a command does with them.

use std::path::Path;

use lozenge_fuzz::any_subject::AnySubject;
use lozenge_fuzz::subject::party::Effort;
use lozenge_fuzz::subjects::SUBJECTS;
use lozenge_oracle::Oracle;

use super::Kind;
use crate::args;
use crate::commands::check;
use crate::files::input;
use crate::json::PartyDerivations;
use crate::report::{Problem, Report};

/// A subject.
pub(super) struct Other(&'static dyn AnySubject);

impl Other {
    /// Returns the subject of this noun.
    pub(super) fn of(noun: &str) -> Option<Other> {
        let mut subjects = SUBJECTS.iter().copied();
        subjects.find(|subject| subject.noun() == noun).map(Other)
    }

    /// Tells how the parties come to their answers, or the one that is named.
    fn told(&self, file: &Path, party: Option<&str>, effort: &Effort) -> Result<Report, Problem> {
        let told = self.0.derivations(&input::bytes(file)?, party, effort);
        let told = told.map_err(|error| wrong(file, &error))?;
        let mut text = String::new();
        let mut answers = Vec::new();
        for (party, derivation) in told {
            text += &format!("how {party} gets there\n");
            text.extend(derivation.lines().map(|line| format!("  {line}\n")));
            answers.push((party.to_string(), derivation));
        }
        Ok(Report::new(text, PartyDerivations { answers }))
    }
}

fn wrong(file: &Path, error: &str) -> Problem {
    Problem::new(format!("{}: {error}", input::name(file)))
}

impl Kind for Other {
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem> {
        if let Some(var) = &args.var {
            return Err(Problem::new(format!(
                "--var {var}: {} has no rows; leave out --var",
                self.0.noun()
            )));
        }
        self.told(&args.file, None, &Effort::default())
    }

    fn trace(&self, args: &args::Trace) -> Result<Report, Problem> {
        let effort = Effort {
            rules: args.rules.rule_work,
            ..Effort::default()
        };
        self.told(&args.file, Some("spec"), &effort)
    }

    fn oracle(&self, oracle: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
        if !args.ask.is_empty() {
            return Err(Problem::new(format!(
                "--ask is for constraint sets, and {} is {}",
                args.file.display(),
                self.0.noun()
            )));
        }
        let effort = Effort {
            oracle: oracle.limits.clone(),
            ..Effort::default()
        };
        self.told(&args.file, Some("oracle"), &effort)
    }

    fn check(&self, args: &args::Check) -> Result<Report, Problem> {
        let effort = args.limits.into();
        let checked = self.0.check(&input::bytes(&args.file)?, &effort);
        let checked = checked.map_err(|error| wrong(&args.file, &error))?;
        Ok(check::report(&checked))
    }
}
