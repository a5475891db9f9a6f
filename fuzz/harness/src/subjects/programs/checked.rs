//! `check` of a program: the verdicts on its constraints, and its shapes and loop nests by the pipeline, by the
//! transcribed rules and by Z3.

use lozenge::{Inference, Options, Reason, Refusal};
use lozenge_oracle::Soundness;
use lozenge_vocabulary::program::{Program, Span};
use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::reference::{self, Failed};
use crate::agreement::Agreement;
use crate::subject::checked::{Checked, Data, Further};
use crate::subject::party::Effort;
use crate::subjects::sets::closing::closing;
use crate::subjects::sets::{is_solved, verdicts};

/// Asks all parties about a program with this text.
///
/// # Panics
/// When the program has numbers that refer to nothing, which no program that was read has.
pub fn checked(program: &Program, text: &str, effort: &Effort, options: &Options) -> Checked {
    let constraints = program.constraints();
    let set = constraints.expect("the program was read from its text").set;
    let mut checked = verdicts(&set, effort);
    match lozenge::infer(program, options) {
        Ok(found) => {
            let closed = Closed::of(program, text, &set, found, effort);
            checked.further.push(closed.further());
            if closed.refused_by_rules {
                checked.further.push(closing(&set, effort));
            }
        }
        Err(refusal) if refusal.verdict == Verdict::Unknown => {
            let limit = refusal.reason.to_string();
            checked.further.push(Further {
                key: "shapes",
                data: None,
                text: format!("  shapes    unknown: {limit}\n"),
                agreement: Agreement::Agree,
            });
            checked.limits.insert("shapes", limit);
        }
        Err(refusal) if matches!(refusal.reason, Reason::Shapes(_)) => {
            // A refusal by solving appears in the verdicts; one by closing alone does not.
            if is_solved(&checked) {
                checked.further.push(closing(&set, effort));
            }
        }
        Err(refusal) => checked
            .further
            .push(without_nests(program, &refusal, effort)),
    }
    checked
}

/// Returns the answer about a text that is no program, for this reason.
pub(super) fn unread(reason: String) -> Checked {
    Checked {
        size: "no program".into(),
        lines: Vec::new(),
        limits: Default::default(),
        verdicts: Agreement::Agree,
        why: Some(reason),
        further: Vec::new(),
    }
}

/// Compares a program that has shapes and no loop nests, by the pipeline, with the transcribed rules.
fn without_nests(program: &Program, refusal: &Refusal, effort: &Effort) -> Further {
    let message = refusal.reason.to_string();
    let (by_rules, words, agreement) = match reference::infer(program, effort.rules) {
        Err(Failed::NoNest { .. }) => {
            let words = "the rules have none either";
            (Some(true), words, Agreement::Agree)
        }
        Ok(_) | Err(Failed::Refused(_)) => {
            let words = "the rules answer otherwise";
            (Some(false), words, Agreement::Disagree)
        }
        Err(Failed::Work) => {
            let words = "the rules reached their limit; --rule-work raises it";
            (None, words, Agreement::Unknown)
        }
    };
    Further {
        key: "without_loop_nests",
        text: format!("  loops     none: {message}; {words}\n"),
        data: Some(Data::WithoutNests {
            says: message,
            spec: by_rules,
        }),
        agreement,
    }
}

/// The comparison of a program's closed shapes and loop nests, as found by the pipeline, with the other parties.
struct Closed {
    /// The tensors that the transcribed rules close to different shapes; `None` if the rules do not get that far.
    shapes: Option<Vec<String>>,
    /// The operations for which the transcribed rules have other index maps or another loop nest.
    nests: Option<Vec<String>>,
    /// True if Z3 finds that the shapes satisfy every constraint; an error names the limit that it reached.
    sound: Result<bool, String>,
    /// True if the transcribed rules refuse the program.
    refused_by_rules: bool,
}

impl Closed {
    fn of(
        program: &Program,
        text: &str,
        set: &ConstraintSet,
        found: Inference,
        effort: &Effort,
    ) -> Closed {
        let ground = found.solver().solution().ground();
        let sound = match effort.oracle().sound(set, &ground) {
            Soundness::Sound(_) => Ok(true),
            Soundness::Unsound(_) => Ok(false),
            Soundness::Unknown(reason) => Err(reason.to_string()),
        };
        let reference = match reference::infer(program, effort.rules) {
            Ok(reference) => reference,
            Err(failed) => {
                return Closed {
                    shapes: None,
                    nests: None,
                    sound,
                    refused_by_rules: !matches!(failed, Failed::Work),
                };
            }
        };
        let tensors = program.tensors.iter();
        let shapes = tensors.zip(found.shapes.iter().zip(reference.shapes.iter()));
        let shapes = shapes.filter(|(_, (found, expected))| found != expected);
        let nests = found.nests.iter().zip(&reference.nests).enumerate();
        let nests =
            nests.filter(|(_, (found, expected))| !reference::same_up_to_names(expected, found));
        let operation = |operation: usize| {
            let step = &program.steps[operation];
            let written = &program[step.operation.slots[0]].name;
            format!("{written} (line {})", line(text, &step.span))
        };
        Closed {
            shapes: Some(shapes.map(|(tensor, _)| tensor.name.to_string()).collect()),
            nests: Some(nests.map(|(number, _)| operation(number)).collect()),
            sound,
            refused_by_rules: false,
        }
    }

    /// Says whether the rules got that far and found the same.
    fn rules_agree(&self) -> Option<bool> {
        Some(self.shapes.as_ref()?.is_empty() && self.nests.as_ref()?.is_empty())
    }

    /// Compares the other parties' answers with the shapes and loop nests. A refusal by the rules is compared as a
    /// closing.
    fn agreement(&self) -> Agreement {
        match (self.rules_agree(), &self.sound) {
            (Some(false), _) | (_, Ok(false)) => Agreement::Disagree,
            (_, Err(_)) => Agreement::Unknown,
            (None, _) if !self.refused_by_rules => Agreement::Unknown,
            (None | Some(true), Ok(true)) => Agreement::Agree,
        }
    }

    fn further(&self) -> Further {
        let oracle = match &self.sound {
            Ok(true) => "Z3 confirms that they satisfy every constraint".to_string(),
            Ok(false) => "Z3 finds that they violate a constraint".to_string(),
            Err(reason) => format!("Z3 says unknown: {reason}"),
        };
        let [shapes, nests] = [&self.shapes, &self.nests].map(differing);
        Further {
            key: "shapes",
            data: Some(Data::Shapes {
                spec: self.rules_agree(),
                oracle: self.sound.as_ref().ok().copied(),
                differing_shapes: self.shapes.clone(),
                differing_loop_nests: self.nests.clone(),
            }),
            text: format!(
                "  shapes    those of the solver; {shapes}; {oracle}\n  loops     those of the solver; {nests}\n"
            ),
            agreement: self.agreement(),
        }
    }
}

/// Returns the differences of the rules in shapes or loop nests, in words.
fn differing(other: &Option<Vec<String>>) -> String {
    match other {
        None => "the rules have none".into(),
        Some(other) if other.is_empty() => "the rules have the same".into(),
        Some(other) => format!("the rules have others for {}", other.join(", ")),
    }
}

/// Returns the line of a part of a text, from 1.
fn line(text: &str, span: &Span) -> usize {
    let before = text.get(..span.start).unwrap_or(text);
    before.matches('\n').count() + 1
}
