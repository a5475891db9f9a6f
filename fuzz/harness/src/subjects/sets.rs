//! Constraint sets: solved, closed and decided by the transcribed rules, the production solver in both modes, Z3, and
//! trying everything.

pub mod closing;
pub mod differences;
mod enumeration;
pub mod greatness;
mod native;
pub mod proved_checker;
mod rules;
pub mod targets;
mod verdict_table;
pub mod walking;
mod z3;

use std::fmt;

use lozenge_spec::{Options, limit_reached, solve};
use lozenge_testkit::generate::{growing, large, sets, windows};
use lozenge_testkit::minimise::smaller;
use lozenge_vocabulary::{Constraint, ConstraintSet, Ground, Order, RowTerm, Rule, Verdict};

use self::closing::closing;
use self::targets::{
    certificates, closing as closings, entailment, evidence, greatest, incremental, order,
    related_sizes, verdicts as compared, window_sizes,
};
use crate::features::Features;
use crate::known_difference::KnownDifference;
use crate::outcome::Outcome;
use crate::subject::checked::Checked;
use crate::subject::party::{Effort, Parties, Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{Answer, Subject};

pub use enumeration::ENUMERATION;
pub use native::{COMPLETE, SOLVER, answer_of};
pub use rules::RULES;
pub use verdict_table::{Verdicts, complete, oracle, solver, spec, verdicts as verdicts_of};
pub use z3::Z3;

/// Constraint sets, in the constraint notation.
pub struct Sets;

/// A question about a constraint set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// Its solved form, with deferred equations resolved by policy.
    Solve,
    /// Solved and closed by the tags of its variables.
    Close,
    /// The decision whether there is a solution at all.
    Decide,
}

/// The answer of a party about a constraint set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAnswer {
    /// The verdict.
    pub verdict: Verdict,
    /// The solution that it claims.
    pub ground: Option<Ground>,
    /// The policy steps that were taken on the way.
    pub policy_steps: usize,
    /// The policy rule upstream of a refusal.
    pub gap: Option<Rule>,
    /// The limit that was reached.
    pub limit: Option<String>,
    /// The indices of the constraints that an `unsat` cites, if the party gives them.
    pub cited: Vec<usize>,
}

impl SetAnswer {
    /// Makes an answer of a verdict and nothing else.
    pub fn only(verdict: Verdict) -> SetAnswer {
        SetAnswer {
            verdict,
            ground: None,
            policy_steps: 0,
            gap: None,
            limit: None,
            cited: Vec::new(),
        }
    }
}

impl fmt::Display for SetAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict)?;
        if let Some(limit) = &self.limit {
            writeln!(f, "{limit}")?;
        }
        self.ground.iter().try_for_each(|ground| ground.fmt(f))
    }
}

impl Answer for SetAnswer {
    fn word(&self) -> &'static str {
        self.verdict.word()
    }

    fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }
}

impl Subject for Sets {
    const NOUN: &'static str = "a constraint set";
    const EXTENSION: &'static str = "rows";
    const UNIT: &'static str = "constraints";

    type Instance = ConstraintSet;
    type Question = Question;
    type Answer = SetAnswer;

    const PARTIES: &'static [Party<Sets>] = &[RULES, SOLVER, COMPLETE, Z3, ENUMERATION];
    const TARGETS: &'static [Target<Sets>] = TARGETS;
    const DIFFERENCES: &'static [KnownDifference] = differences::DIFFERENCES;

    fn rules() -> Vec<&'static str> {
        // A set has no operations, of which the rules of Def. 7.2 are.
        let of_sets = Rule::ALL.iter().filter(|rule| rule.source() != "Def. 7.2");
        of_sets.map(|rule| rule.name()).collect()
    }

    fn compare(_: &ConstraintSet, said: &[Said<Sets>]) -> Outcome {
        verdict_table::compare(said)
    }

    fn check(set: &ConstraintSet, answer: &SetAnswer) -> Result<(), String> {
        let Some(ground) = &answer.ground else {
            return Ok(());
        };
        if !ground.has_zeros_of(set) {
            return Err("a variable is 0 that is no summand".into());
        }
        match ground.first_violated(&set.constraints, Order::Marked) {
            None => Ok(()),
            Some(violated) => Err(format!("it violates {}", set.constraints[violated])),
        }
    }

    fn smaller(set: &ConstraintSet) -> Vec<ConstraintSet> {
        let smaller = smaller(set).into_iter();
        smaller.chain(flattened(set)).collect()
    }

    fn size(set: &ConstraintSet) -> usize {
        set.constraints.len()
    }

    fn features(set: &ConstraintSet) -> Features {
        let options = Options {
            close: true,
            ..Options::default()
        };
        let run = solve(set, &options);
        let steps = run.config.trace.iter().flatten();
        Features {
            fired: steps.map(|step| step.rule.name()).collect(),
            failed: run.failure().map(|failure| failure.rule.name()),
            others: Vec::new(),
        }
    }

    /// Returns the verdicts and, where both policy solvers reach a solved form, the closing. A variable that is
    /// not declared is interior.
    fn checked(set: &ConstraintSet, effort: &Effort) -> Checked {
        let mut checked = verdicts(set, effort);
        if is_solved(&checked) {
            checked.further.push(closing(set, effort));
        }
        checked
    }
}

/// Asks each party for its verdict.
pub fn verdicts(set: &ConstraintSet, effort: &Effort) -> Checked {
    let mut checked = Checked::of::<Sets>(set, &mut Parties::within(effort.clone()));
    if checked.word(RULES.name) == Some(Verdict::Unknown.word()) {
        let reached = limit_reached(effort.rules, set);
        checked.limits.insert(RULES.name, reached);
    }
    checked
}

/// Says whether both policy solvers reach a solved form, which can then be closed.
pub fn is_solved(checked: &Checked) -> bool {
    let sat = Some(Verdict::Sat.word());
    [RULES.name, SOLVER.name].map(|party| checked.word(party)) == [sat; 2]
}

/// Moves the marker of one closed row to the front, where it need not be written.
fn flattened(set: &ConstraintSet) -> Vec<ConstraintSet> {
    let mut all = Vec::new();
    for at in 0..set.constraints.len() {
        for side in 0..2 {
            let mut other = set.clone();
            if let Constraint::RowEq(a, b) | Constraint::RowLe(a, b) = &mut other.constraints[at] {
                let row: &mut RowTerm = if side == 0 { a } else { b };
                if row.var.is_none() && !row.leading.is_empty() {
                    let trailing = std::mem::take(&mut row.trailing);
                    row.trailing = std::mem::take(&mut row.leading);
                    row.trailing.extend(trailing);
                    all.push(other);
                }
            }
        }
    }
    all
}

/// The targets.
const TARGETS: &[Target<Sets>] = &[
    Target {
        name: "spec_solver",
        about: "the transcribed rules and the production solver: verdict and solved form",
        questions: &[Question::Solve],
        hunted: Hunted::Always,
        bytes: 256,
        generate: sets::solving,
        examine: compared::spec_solver,
    },
    Target {
        name: "solver_oracle",
        about: "the production solver in policy mode and Z3",
        questions: &[Question::Solve, Question::Decide],
        hunted: Hunted::Seldom,
        bytes: 256,
        generate: sets::solving,
        examine: compared::solver_oracle,
    },
    Target {
        name: "complete_oracle",
        about: "the production solver in complete mode, Z3, and trying everything",
        questions: &[Question::Decide],
        hunted: Hunted::Seldom,
        bytes: 256,
        generate: sets::solving,
        examine: compared::complete_oracle,
    },
    Target {
        name: "entailment",
        about: "what holds in every solution: complete mode with certificates, and Z3",
        questions: &[Question::Decide],
        hunted: Hunted::Seldom,
        bytes: 256,
        generate: sets::solving,
        examine: entailment::entailment,
    },
    Target {
        name: "order",
        about: "the solver on the same set reversed, rotated, renamed, with other atoms, mirrored, with axes named, and with consequences",
        questions: &[Question::Solve],
        hunted: Hunted::Always,
        bytes: 256,
        generate: sets::solving,
        examine: order::order,
    },
    Target {
        name: "incremental",
        about: "the solver asked at once, constraint by constraint, and after a rollback",
        questions: &[Question::Solve],
        hunted: Hunted::Always,
        bytes: 256,
        generate: sets::solving,
        examine: incremental::incremental,
    },
    Target {
        name: "closing",
        about: "the transcribed rules and the production solver: closed values",
        questions: &[Question::Close],
        hunted: Hunted::Always,
        bytes: 256,
        generate: sets::closing,
        examine: closings::closing,
    },
    Target {
        name: "certificates",
        about: "complete mode with and without propagation, and the checker of its certificates",
        questions: &[],
        hunted: Hunted::Always,
        bytes: 256,
        generate: sets::solving,
        examine: certificates::certificates,
    },
    Target {
        name: "evidence",
        about: "the solver alone: its solutions by the definition of satisfaction, its refusals by their certificates",
        questions: &[],
        hunted: Hunted::Always,
        bytes: 256,
        generate: |u| match u.int_in_range(0..=7)? {
            0 => windows::arithmetic(u),
            1..=3 => sets::closing(u),
            _ => sets::solving(u),
        },
        examine: evidence::evidence,
    },
    Target {
        name: "large_rules",
        about: "sets with many variables, long flanks and gadgets: the transcribed rules and the production solver",
        questions: &[Question::Solve],
        hunted: Hunted::Always,
        bytes: 1024,
        generate: large::large,
        examine: compared::spec_solver,
    },
    Target {
        name: "large_certificates",
        about: "the same kind of sets: complete mode with and without propagation, and the checker of its certificates",
        questions: &[],
        hunted: Hunted::Always,
        bytes: 1024,
        generate: large::large,
        examine: certificates::certificates,
    },
    Target {
        name: "large_order",
        about: "the same kind of sets: the solver on rewritings of one set",
        questions: &[Question::Solve],
        hunted: Hunted::Always,
        bytes: 1024,
        generate: large::large,
        examine: order::order,
    },
    Target {
        name: "large_oracle",
        about: "the same kind of sets: the production solver in complete mode and Z3",
        questions: &[Question::Decide],
        hunted: Hunted::Seldom,
        bytes: 1024,
        generate: large::large,
        examine: compared::complete_oracle,
    },
    Target {
        name: "arith_verdicts",
        about: "sets that relate sizes: the rules, the solver in both modes, Z3, and trying everything",
        questions: &[Question::Solve, Question::Decide],
        hunted: Hunted::Seldom,
        bytes: 256,
        generate: windows::arithmetic,
        examine: related_sizes::arith_verdicts,
    },
    Target {
        name: "growing_sizes",
        about: "sets with cycles of sums, parts that may be 0, and products with bounded wholes: the same parties",
        questions: &[Question::Solve, Question::Decide],
        hunted: Hunted::WhenAsked,
        bytes: 256,
        generate: growing::growing,
        examine: related_sizes::arith_verdicts,
    },
    Target {
        name: "greatest",
        about: "what the solver calls the greatest solution, and what it does not: Z3, and trying everything",
        questions: &[Question::Solve],
        hunted: Hunted::WhenAsked,
        bytes: 256,
        generate: |u| match u.int_in_range(0..=5)? {
            0 => growing::growing(u),
            1 | 2 => sets::solving(u),
            _ => windows::arithmetic(u),
        },
        examine: greatest::greatest,
    },
    Target {
        name: "window_sizes",
        about: "one window with at most one open size: the relation, the rules and the solver, and windows that walk along a list",
        questions: &[Question::Close],
        hunted: Hunted::Always,
        bytes: 64,
        generate: windows::puzzle,
        examine: window_sizes::window_sizes,
    },
];
