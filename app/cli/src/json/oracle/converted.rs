//! From the answers of the package `oracle` to their JSON.

use lozenge_oracle::{self as oracle, OracleReport};
use lozenge_vocabulary::Ground;

use super::{
    Answer, Answered, Claim, Doubt, ForcedValue, Judged, Limited, Oracle, Reason, Second, Values,
};
use crate::json::Cited;

impl Oracle {
    /// Returns the answers to questions about a set, of which at least one was asked.
    pub fn of_set(reports: Vec<OracleReport>, cited: impl Fn(usize) -> Cited) -> Oracle {
        let mut answers: Vec<Judged> = reports
            .into_iter()
            .map(|report| Judged::of(report, &cited))
            .collect();
        match answers.len() {
            1 => Oracle::Answered(Box::new(answers.remove(0).answered)),
            _ => Oracle::Several { answers },
        }
    }

    /// Returns the completions of a program, with the forced rows that its author sees.
    pub fn completed(first: Ground, forced: Values, second: oracle::Second) -> Oracle {
        let second = match second {
            oracle::Second::None => None,
            oracle::Second::Unknown(reason) => Some(Second::Unknown(Doubt {
                unknown: reason.into(),
            })),
            oracle::Second::Some(other) => Some(Second::Found(other)),
        };
        Oracle::Completed {
            first,
            forced,
            second,
        }
    }

    /// Returns the lines of a program that exclude each other.
    pub fn excluded(core: Vec<String>, doubt: Option<oracle::Reason>) -> Oracle {
        let doubt = doubt.map(Reason::from);
        Oracle::Excluded { core, doubt }
    }

    /// Returns the answer that nothing is known of a program.
    pub fn undecided(reason: oracle::Reason) -> Oracle {
        Oracle::Undecided(reason.into())
    }
}

impl Judged {
    fn of(report: OracleReport, cited: impl Fn(usize) -> Cited) -> Judged {
        let answered = Answered {
            order: report.order,
            window: report.window,
            answer: Answer::of(report.answer, cited),
        };
        Judged {
            verdict: report.verdict,
            answered,
        }
    }
}

impl Answer {
    fn of(answer: oracle::Answer, cited: impl Fn(usize) -> Cited) -> Answer {
        match answer {
            oracle::Answer::Solution => Answer::Solution,
            oracle::Answer::Model { model } => Answer::Model { model },
            oracle::Answer::NoSolution => Answer::NoSolution,
            oracle::Answer::Core {
                indices,
                minimal,
                doubt,
                ..
            } => Answer::Core {
                core: indices.into_iter().map(cited).collect(),
                minimal,
                doubt: doubt.map(Reason::from),
            },
            oracle::Answer::NoCore => Answer::NoCore,
            oracle::Answer::Forced {
                forced,
                contents,
                undetermined,
            } => Answer::Forced {
                forced: forced
                    .into_iter()
                    .map(|(var, value)| (var, value.into()))
                    .collect(),
                contents,
                undetermined: undetermined
                    .into_iter()
                    .map(|(var, reason)| (var, reason.into()))
                    .collect(),
            },
            oracle::Answer::Entails(claim) => Answer::Entails(claim.into()),
            oracle::Answer::Equivalent { forward, backward } => Answer::Equivalent {
                forward: forward.into(),
                backward: backward.into(),
            },
            oracle::Answer::Sound(claim) => Answer::Sound(claim.into()),
            oracle::Answer::MostGeneral { sound, general } => Answer::MostGeneral {
                sound: sound.into(),
                general: general.into(),
            },
            oracle::Answer::Greatest {
                solution,
                marked,
                content,
            } => Answer::Greatest {
                solution: solution.into(),
                marked: marked.into(),
                content: content.into(),
            },
            oracle::Answer::Solutions {
                found,
                all,
                solutions,
                doubt,
            } => Answer::Solutions {
                found,
                all,
                solutions,
                doubt: doubt.map(Reason::from),
            },
            oracle::Answer::Unknown { reason } => Answer::Unknown(reason.into()),
        }
    }
}

impl From<oracle::Claim> for Claim {
    fn from(claim: oracle::Claim) -> Claim {
        Claim {
            holds: claim.holds,
            counterexample: claim.counterexample,
            violated: claim.violated,
            reason: claim.reason.map(Reason::from),
        }
    }
}

impl From<oracle::ForcedValue> for ForcedValue {
    fn from(value: oracle::ForcedValue) -> ForcedValue {
        match value {
            oracle::ForcedValue::Dim(dim) => ForcedValue::Dim(dim),
            oracle::ForcedValue::Zero => ForcedValue::Zero(lozenge_vocabulary::satisfaction::ZERO),
            oracle::ForcedValue::Rank(rank) => ForcedValue::Number(rank as u64),
            oracle::ForcedValue::Size(size) => ForcedValue::Number(size),
        }
    }
}

impl From<oracle::Reason> for Limited {
    fn from(reason: oracle::Reason) -> Limited {
        Limited {
            limit: reason.to_string(),
            reason: reason.into(),
        }
    }
}

impl From<oracle::Reason> for Reason {
    fn from(reason: oracle::Reason) -> Reason {
        match reason {
            oracle::Reason::Time => Reason::Time,
            oracle::Reason::Memory => Reason::Memory,
            oracle::Reason::Interrupted => Reason::Interrupted,
            oracle::Reason::Window(axes) => Reason::Window(axes),
            oracle::Reason::Clashes(count) => Reason::Clashes(count),
            oracle::Reason::Size => Reason::Size,
            oracle::Reason::Form(form) => Reason::Form(form),
            oracle::Reason::Solver(words) => Reason::Solver(words),
        }
    }
}
