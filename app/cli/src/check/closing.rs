//! Whether the transcribed rules and the production solver close a constraint set alike.

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::input::Input;
use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::parties::Parties as Asked;
use lozenge_fuzz::target::Target;
use lozenge_solver::Solver;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Ground, Row, Var, Verdict};
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
        let rules = solve(set, &within);
        if rules.verdict() == Verdict::Unknown {
            return Closing::unknown(limits.rules.reached(set));
        }
        let mut solver = Solver::with(set.into(), limits.solving.into());
        let refused = solver.close().err();
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
                words: match (&refused, rules.greatest()) {
                    (None, Some(rules)) => format!(
                        "after other choices of policy the rules close it otherwise ({class}): {}",
                        differing(set, &solver.solution().ground(), &rules)
                    ),
                    _ => format!(
                        "after other choices of policy one of the solver and the rules refuses it ({class})"
                    ),
                },
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

/// At most how many variables are named that have two values.
const SHOWN: usize = 8;

/// The variables that two solutions give different values, with both.
fn differing(set: &ConstraintSet, solver: &Ground, rules: &Ground) -> String {
    let value = |ground: &Ground, var: &Var| match var {
        Var::Dim(var) => match ground.dims.get(var) {
            Some(dim) => dim.to_string(),
            None => "0".into(),
        },
        Var::Row(var) => ground.rows.get(var).map(Row::to_string).unwrap_or_default(),
    };
    let vars = set.vars();
    let differ = vars.iter().filter_map(|var| {
        let [solver, rules] = [solver, rules].map(|ground| value(ground, var));
        (solver != rules).then(|| format!("{var} = {solver} by the solver, {rules} by the rules"))
    });
    let mut differ: Vec<String> = differ.take(SHOWN + 1).collect();
    if differ.len() > SHOWN {
        differ[SHOWN] = "…".into();
    }
    differ.join("; ")
}
