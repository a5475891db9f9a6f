//! The second half of `check`: the transcribed rules and the production solver must close a constraint set alike.

use lozenge_solver::{Options as SolverOptions, Solver};
use lozenge_spec::{Options, limit_reached, solve};
use lozenge_vocabulary::{ConstraintSet, Ground, Row, Var, Verdict};

use super::targets::closing as compared;
use crate::agreement::Agreement;
use crate::outcome::Outcome;
use crate::subject::checked::{Data, Further};
use crate::subject::party::{Effort, Parties};

/// Closes a set by both, within their limits.
pub fn closing(set: &ConstraintSet, effort: &Effort) -> Further {
    let (agreement, words) = closed(set, effort);
    Further {
        key: "closing",
        text: format!("  closing   {words}\n"),
        data: Some(Data::Compared {
            agree: agreement.consistent(),
            says: words,
        }),
        agreement,
    }
}

/// Tells how the closings are related, with the same in words.
fn closed(set: &ConstraintSet, effort: &Effort) -> (Agreement, String) {
    let within = Options {
        close: true,
        traced: false,
        work: effort.rules,
        ..Options::default()
    };
    let rules = solve(set, &within);
    let unknown = |limit: String| (Agreement::Unknown, format!("unknown: {limit}"));
    if rules.verdict() == Verdict::Unknown {
        return unknown(limit_reached(effort.rules, set));
    }
    let options = SolverOptions {
        limits: effort.native,
        ..SolverOptions::default()
    };
    let mut solver = Solver::with(set.into(), options);
    let refused = solver.close().err();
    let refused = refused.map(|refusal| refusal.message);
    let compared = compared::closing(set, &mut Parties::within(effort.clone()));
    match compared.map(|compared| compared.outcome) {
        None => unknown("nobody could be asked".into()),
        Some(Outcome::Unknown(limit)) => unknown(limit),
        Some(Outcome::Agree) => {
            let words = match refused {
                Some(message) => format!("the solver and the rules refuse it: {message}"),
                None => "the solver and the rules give the same values".into(),
            };
            (Agreement::Agree, words)
        }
        Some(Outcome::Differ(class)) => {
            let words = match (&refused, rules.greatest()) {
                (None, Some(rules)) => format!(
                    "after other choices of policy the rules close it otherwise ({class}): {}",
                    differing(set, &solver.solution().ground(), &rules)
                ),
                _ => format!(
                    "after other choices of policy one of the solver and the rules refuses it ({class})"
                ),
            };
            (Agreement::PolicyGap, words)
        }
        Some(Outcome::Disagree(disagreement)) => {
            let words = disagreement.to_string().trim_end().replace('\n', "\n    ");
            (Agreement::Disagree, words)
        }
    }
}

/// The most variables with two values that are named.
const SHOWN: usize = 8;

/// Returns the variables that two solutions give different values, with both.
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
