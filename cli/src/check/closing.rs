//! Whether the transcribed rules and the production solver close a constraint set alike.

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::input::Input;
use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::parties::Parties as Asked;
use lozenge_fuzz::target::Target;
use lozenge_solver::Solver;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Tag, Verdict};
use serde_json::{Value, json};

use crate::limits::Parties;

/// How two closings of one set stand to each other.
pub struct Closing {
    pub agreement: Agreement,
    /// The same in words.
    pub words: String,
}

impl Closing {
    /// Closes a set by both, within their limits.
    pub fn of(set: &ConstraintSet, limits: Parties) -> Closing {
        let within = Options {
            close: true,
            traced: false,
            work: limits.rules.rule_work,
            ..Options::default()
        };
        if solve(set, &within).verdict() == Verdict::Unknown {
            return Closing::unknown(limits.rules.reached(set));
        }
        let refused = Solver::with(set.into(), limits.solving.into())
            .close()
            .err();
        let refused = refused.map(|refusal| refusal.message);
        let input = Input::Set(set.clone());
        let compared = Target::named("closing")
            .and_then(|closing| closing.examine(&input, &mut Asked::default()));
        match compared.map(|compared| compared.outcome) {
            None => Closing::unknown("nobody could be asked".into()),
            Some(Outcome::Unknown(limit)) => Closing::unknown(limit),
            Some(Outcome::Agree) => Closing {
                agreement: Agreement::Agree,
                words: match refused {
                    Some(message) => format!("the solver and the rules refuse it: {message}"),
                    None => "the solver and the rules give the same values".into(),
                },
            },
            Some(Outcome::Differ(class)) => Closing {
                agreement: Agreement::PolicyGap,
                words: format!(
                    "after other choices of policy the rules close it otherwise ({class})"
                ),
            },
            Some(Outcome::Disagree(disagreement)) => Closing {
                agreement: Agreement::Disagree,
                words: disagreement.to_string().trim_end().replace('\n', "\n    "),
            },
        }
    }

    fn unknown(limit: String) -> Closing {
        Closing {
            agreement: Agreement::Unknown,
            words: format!("unknown: {limit}"),
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        json!({"agree": self.agreement.consistent(), "says": self.words})
    }
}

/// Whether closing a set says more than solving it: it does where a leaf or a parameter is declared.
pub fn is_declared(set: &ConstraintSet) -> bool {
    set.tags.values().any(|tag| *tag != Tag::Interior)
}
