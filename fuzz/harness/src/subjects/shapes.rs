//! Equations of appended shapes and computed dimensions: the printed rules of Axon, the native procedure, Z3 and
//! enumeration compared.

mod differences;
mod parties;
mod targets;
mod verdict_table;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use arbitrary::Unstructured;
use lozenge_axon_solver::Solver;
use lozenge_axon_spec::{End, Options, RULES as PRINTED, Strategy, run};
use lozenge_axon_vocabulary::{Assignment, Equation, Pool, Set, ShapesError};
use lozenge_testkit::equations::{set_of, smaller};
use lozenge_testkit::generate::appended::appended;

use crate::agreement::Agreement;
use crate::features::Features;
use crate::known_difference::KnownDifference;
use crate::outcome::Outcome;
use crate::subject::checked::{Checked, Data, Further, Value};
use crate::subject::party::{Effort, Parties, Party, Said};
use crate::subject::target::{Hunted, Target};
use crate::subject::{self, Subject};

pub use parties::{ENUMERATION, NATIVE, RULES, Z3};

/// Sets of equations of shapes, in the notation of `.shapes` files.
pub struct Shapes;

/// A set in which every name stands in an equation.
#[derive(Clone, Debug)]
pub struct ShapeSet(Set);

impl ShapeSet {
    /// Returns the set of some equations. Names that stand in none are dropped, and the others are numbered anew.
    pub fn of(pool: &Pool, equations: &[Equation]) -> ShapeSet {
        ShapeSet(set_of(pool, equations))
    }

    /// Returns a copy, whose pool a party may add to.
    pub fn set(&self) -> Set {
        self.0.clone()
    }

    /// Returns the names and terms.
    pub fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// Returns the equations.
    pub fn equations(&self) -> &[Equation] {
        &self.0.equations
    }
}

impl PartialEq for ShapeSet {
    fn eq(&self, other: &ShapeSet) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for ShapeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ShapeSet {
    type Err = ShapesError;

    fn from_str(text: &str) -> Result<ShapeSet, ShapesError> {
        Ok(ShapeSet(text.parse()?))
    }
}

/// The question about a set: whether there is a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decide;

/// The answer of a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The verdict; `None` where a limit was reached, or the printed rules stop short.
    pub holds: Option<bool>,
    /// The solution that is claimed, with the names of its values.
    pub solution: Option<Assignment>,
    /// The indices of the equations that are said to have no common solution, if the party cites any.
    pub cited: Option<Vec<u32>>,
    /// The way in which the printed rules stopped short, if they did.
    pub short: Option<&'static KnownDifference>,
    /// The limit that was reached, or where the rules stopped.
    pub limit: Option<String>,
    /// The answer for people.
    pub text: String,
}

impl Verdict {
    /// Returns a verdict and nothing else.
    pub fn only(holds: Option<bool>) -> Verdict {
        Verdict {
            holds,
            solution: None,
            cited: None,
            short: None,
            limit: None,
            text: String::new(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", subject::Answer::word(self))?;
        if let Some(limit) = &self.limit {
            writeln!(f, "{limit}")?;
        }
        f.write_str(&self.text)
    }
}

impl subject::Answer for Verdict {
    fn word(&self) -> &'static str {
        match self.holds {
            Some(true) => "sat",
            Some(false) => "unsat",
            None => "unknown",
        }
    }

    fn limit(&self) -> Option<&str> {
        self.limit.as_deref()
    }
}

/// Returns the values of a solution, a line for each name.
pub fn shown(pool: &Pool, solution: &Assignment) -> String {
    let mut text = String::new();
    for (name, value) in &solution.dims {
        text += &format!("{} = {value}\n", pool.dim_name(*name));
    }
    for (name, value) in &solution.shapes {
        let sizes: Vec<String> = value.iter().map(i64::to_string).collect();
        text += &format!("{} = [{}]\n", pool.shape_name(*name), sizes.join(","));
    }
    text
}

impl Subject for Shapes {
    const NOUN: &'static str = "a set of equations of shapes";
    const EXTENSION: &'static str = "shapes";
    const UNIT: &'static str = "equations";

    type Instance = ShapeSet;
    type Question = Decide;
    type Answer = Verdict;

    const PARTIES: &'static [Party<Shapes>] = &[RULES, NATIVE, Z3, ENUMERATION];
    const TARGETS: &'static [Target<Shapes>] = TARGETS;
    const DIFFERENCES: &'static [KnownDifference] = differences::DIFFERENCES;

    fn rules() -> Vec<&'static str> {
        PRINTED.iter().map(|rule| rule.name).collect()
    }

    fn compare(set: &ShapeSet, said: &[Said<Shapes>]) -> Outcome {
        verdict_table::compare(set, said)
    }

    fn check(set: &ShapeSet, verdict: &Verdict) -> Result<(), String> {
        let Some(solution) = &verdict.solution else {
            return Ok(());
        };
        match solution.satisfies(set.pool(), set.equations()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!(
                "these values are no solution:\n{}",
                shown(set.pool(), solution)
            )),
            Err(why) => Err(why.to_string()),
        }
    }

    fn smaller(set: &ShapeSet) -> Vec<ShapeSet> {
        smaller(&set.0).into_iter().map(ShapeSet).collect()
    }

    fn size(set: &ShapeSet) -> usize {
        set.equations().len()
    }

    fn features(set: &ShapeSet) -> Features {
        let mut fired = Vec::new();
        let mut failed = None;
        for strategy in [Strategy::FailFirst, Strategy::Reversed] {
            let options = Options {
                strategy,
                ..Options::default()
            };
            let mut run = run(&mut set.set(), &options);
            if let End::Fail(rule) = run.end {
                run.rules.pop();
                failed = failed.or(Some(rule));
            }
            run.rules.truncate(100);
            fired.extend(run.rules);
        }
        Features {
            fired,
            failed,
            others: Vec::new(),
        }
    }

    /// Returns the verdicts and, where the native procedure has a solution, the names that have one value in all
    /// solutions.
    fn checked(set: &ShapeSet, effort: &Effort) -> Checked {
        let mut parties = Parties::within(effort.clone());
        let mut checked = Checked::of::<Shapes>(set, &mut parties);
        if checked.verdicts == Agreement::PolicyGap {
            checked.verdicts = Agreement::StopsShort;
        }
        let native = parties.ask(&NATIVE, Decide, set);
        if let Some(solution) = native.and_then(|verdict| verdict.solution) {
            checked.further.push(forced(set, &solution));
        }
        checked
    }
}

/// Returns the names that have one value in all solutions.
fn forced(set: &ShapeSet, solution: &Assignment) -> Further {
    let mut set = set.set();
    let forced = Solver::default().forced(&mut set.pool, &set.equations, solution);
    let mut values = BTreeMap::new();
    for (name, value) in &forced.values.dims {
        values.insert(set.pool.dim_name(*name).into(), Value::Size(*value));
    }
    for (name, value) in &forced.values.shapes {
        let value = Value::Shape(value.clone());
        values.insert(set.pool.shape_name(*name).into(), value);
    }
    let lines = shown(&set.pool, &forced.values);
    let lines: String = lines
        .lines()
        .map(|line| format!("  forced    {line}\n"))
        .collect();
    Further {
        key: "forced",
        data: Some(Data::Values(values)),
        text: lines,
        agreement: Agreement::Agree,
    }
}

/// The targets.
const TARGETS: &[Target<Shapes>] = &[
    Target {
        name: "shapes",
        about: "equations of shapes: the printed rules in both readings, the native procedure, and trying all small values",
        questions: &[Decide],
        hunted: Hunted::Always,
        bytes: 160,
        generate: drawn,
        examine: targets::shapes,
    },
    Target {
        name: "shapes_oracle",
        about: "the native procedure and Z3 on equations of shapes, and trying all small values",
        questions: &[Decide],
        hunted: Hunted::Seldom,
        bytes: 160,
        generate: drawn,
        examine: targets::shapes_oracle,
    },
    Target {
        name: "shapes_answers",
        about: "what else the native procedure says of equations of shapes, by the solutions: simplified sets, forced values, entailment, order",
        questions: &[Decide],
        hunted: Hunted::Always,
        bytes: 160,
        generate: drawn,
        examine: targets::shapes_answers,
    },
];

fn drawn(u: &mut Unstructured<'_>) -> arbitrary::Result<ShapeSet> {
    let set = appended(u)?;
    Ok(ShapeSet::of(&set.pool, &set.equations))
}
