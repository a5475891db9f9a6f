//! Planted defects: each is switched on in turn, and the probes must notice it.

use std::fmt::Write;
use std::thread;

use lozenge_vocabulary::{ConstraintSet, Order};

use super::enumeration::Universe;
use super::random::{Random, Size, constraint, random_set};
use super::{answers, examples, probes, scope, set, windows};
use crate::planted::{DEFECTS, Defect, with};
use crate::{Entailment, Oracle, Satisfiability};

/// A probe, by name; it says what it found wrong.
type Probe = (&'static str, fn() -> Result<(), String>);

const PROBES: &[Probe] = &[
    ("worked examples", examples::all),
    ("named sets", named_sets),
    ("entailments", entailments),
    ("finite scopes", finite_scopes),
    ("random sets", random_sets),
    ("wider windows", wider_windows),
];

const ORDERS: [Order; 2] = [Order::Marked, Order::OneShot];

/// Sets with a known verdict in both readings.
fn named_sets() -> Result<(), String> {
    let sets = [
        ("3_rgb = 3", false),
        ("3_rgb <= a\n3 <= a\na <= b\nb <= 3", false),
        ("[<r> 3, 4] ~ [3, 4 <s>]\n<s> ~ [4]", false),
        ("[3, 4 <r>] ~ [<s> 5, 6]\n<s> ~ []\n<r> ~ []", false),
        ("[3, 4 <r>] ~ [<s> 4, 6]\n<s> ~ [3]", true),
        (
            "[3, 5 <r>] ~ [<r> 5, 3]\n<r> <= [1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_]",
            true,
        ),
        (
            "[3, 5 <r>] ~ [<r> 3, 5]\n<r> <= [1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_]",
            true,
        ),
    ];
    for (text, expected) in sets {
        for order in ORDERS {
            let answer = Oracle::new(order).sat(&set(text));
            let as_expected = match answer {
                Satisfiability::Sat(_) => expected,
                Satisfiability::Unsat => !expected,
                Satisfiability::Unknown(_) => false,
            };
            if !as_expected {
                return Err(format!("{answer:?} ({order:?}):\n{text}"));
            }
        }
    }
    Ok(())
}

fn entailments() -> Result<(), String> {
    let oracle = Oracle::default();
    let ask =
        |premises: &str, goal: &str| oracle.entails(&set(premises), &set(goal).constraints[0]);
    for (premises, goal) in answers::ENTAILED {
        if ask(premises, goal) != Entailment::Holds {
            return Err(format!("{premises}\nentails {goal}"));
        }
    }
    for (premises, goal) in answers::NOT_ENTAILED {
        if !matches!(ask(premises, goal), Entailment::Fails(_)) {
            return Err(format!("{premises}\ndoes not entail {goal}"));
        }
    }
    Ok(())
}

fn finite_scopes() -> Result<(), String> {
    let universe = Universe::new(&["1_", "3", "4", "9"], 2);
    let singles = scope::singles(&["3", "4", "1_"], &["r", "s"]);
    let pairs = scope::pairs(&["3"], &["r"]);
    let sample = singles.iter().step_by(11).chain(pairs.iter().step_by(17));
    sample
        .into_iter()
        .try_for_each(|set| every_question(set, &universe))
}

fn random_sets() -> Result<(), String> {
    let universe = Universe::new(&["1_", "3", "4", "9"], 2);
    let size = Size {
        row_vars: 2,
        dim_vars: 2,
        atoms: 2,
        ..Size::SMALL
    };
    (0..400).try_for_each(|seed| every_question(&random_set(seed, size), &universe))
}

fn wider_windows() -> Result<(), String> {
    for order in ORDERS {
        windows::compare(0..200, order)?;
        windows::compare_denials(0..600, order)?;
    }
    Ok(())
}

fn every_question(set: &ConstraintSet, universe: &Universe) -> Result<(), String> {
    for order in ORDERS {
        probes::verdict(set, order, universe)?;
        probes::core(set, order)?;
        probes::forced(set, order, universe)?;
        let goal = constraint(&mut Random(set.constraints.len() as u64), Size::SMALL);
        probes::entailed(set, &goal, order, universe)?;
    }
    Ok(())
}

/// The first probe that notices the defect, and what it said.
fn caught(defect: Defect) -> Option<(&'static str, String)> {
    // A thread of its own: no term that was made under another defect is reused.
    let run = move || {
        with(defect, || {
            PROBES
                .iter()
                .find_map(|(name, probe)| Some((*name, probe().err()?)))
        })
    };
    // A panic under a defect (a value out of its range, say) notices it as well.
    match thread::spawn(run).join() {
        Ok(found) => found,
        Err(_) => Some(("a panic", String::new())),
    }
}

#[test]
fn without_a_defect_the_probes_are_silent() {
    for (name, probe) in PROBES {
        assert_eq!(probe(), Ok(()), "{name}");
    }
}

#[test]
fn every_planted_defect_is_caught() {
    let mut table = String::new();
    let mut survivors = Vec::new();
    for &(defect, what) in DEFECTS {
        let found = caught(defect);
        let by = found.as_ref().map_or("NOBODY", |(probe, _)| *probe);
        writeln!(
            table,
            "{by:<16} {:<26} {}",
            format!("{defect:?}"),
            what.trim()
        )
        .expect("a string");
        if found.is_none() {
            survivors.push(defect);
        }
    }
    println!("{} planted defects, noticed by\n{table}", DEFECTS.len());
    assert!(DEFECTS.len() >= 20);
    assert_eq!(survivors, [], "these were not noticed");
}
