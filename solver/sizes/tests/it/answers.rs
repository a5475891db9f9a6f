//! All that a store says of a system, as text: after each fact, of each variable, of what follows, and what that cost.
//! Each small change to the sources of this package that one of 2600 random systems noticed is noticed by one of those
//! whose numbers are in `tests/answers/numbers.txt`, which were chosen for that. The answers about them are in
//! `answers.txt`; `LOZENGE_WRITE=1` writes it anew, and the difference says what has changed. The other tests tell
//! whether answers are right.

use std::fmt::Write;
use std::path::Path;

use lozenge_sizes::{Fact, Limits, Reason, Verdict};
use lozenge_testkit::arithmetic::{System, system};
use lozenge_testkit::random::Random;

use crate::enumeration::Loaded;

/// Little, so that an answer takes milliseconds; some systems reach it, which is an answer too.
const LIMITS: Limits = Limits {
    work: 1 << 14,
    minimising: 1 << 15,
};

/// Returns the system with this number; every second one has bounds.
fn numbered(index: u64) -> System {
    let free = system(&mut Random::indexed(index));
    match index % 2 {
        0 => free.boxed(6),
        _ => free,
    }
}

/// Writes the verdict, with a solution or reasons.
fn verdict(out: &mut String, loaded: &mut Loaded) {
    match loaded.store.check() {
        Verdict::Satisfiable => {
            let model = loaded.store.model().expect("it is satisfiable");
            let values = loaded.variables.iter().map(|one| model.value(*one));
            let values: Vec<String> = values
                .map(|value| value.map_or("?".into(), |value| value.to_string()))
                .collect();
            let _ = write!(out, "at {}", values.join(" "));
        }
        Verdict::Unsatisfiable(found) => {
            let numbers: Vec<String> = found.reasons.iter().map(|one| one.0.to_string()).collect();
            let sign = if found.is_minimal { "" } else { " or fewer" };
            let _ = write!(out, "none by {}{sign}", numbers.join(" "));
        }
        Verdict::Unknown(limit) => {
            let _ = write!(out, "unknown: {limit}");
        }
    }
    let _ = writeln!(out, ", {} spent", loaded.store.spent());
}

/// Returns all answers about the system with this number.
fn answers(index: u64) -> String {
    let system = numbered(index);
    let mut out = format!("{index}:\n{system}\n");
    let mut loaded = Loaded::limited(&system, LIMITS);
    for (fact, number) in system.facts.iter().zip(0..) {
        loaded.assert(fact, number);
        verdict(&mut out, &mut loaded);
    }
    for variable in loaded.variables.clone() {
        let _ = write!(out, "{:?}; ", loaded.store.value_of(variable));
    }
    let _ = writeln!(out, "{} spent", loaded.store.spent());
    let mut backwards = Loaded::limited(&system, LIMITS);
    let numbered: Vec<_> = system.facts.iter().zip(0..).collect();
    for (fact, number) in numbered.iter().rev() {
        backwards.assert(fact, *number);
    }
    verdict(&mut out, &mut backwards);
    // The questions are whether the other facts entail a fact, and whether they entail its negation.
    for left_out in 0..system.facts.len() {
        let [relation] = &system.facts[left_out][..] else {
            continue;
        };
        let mut others = Loaded::limited(&system, LIMITS);
        for (fact, number) in &numbered {
            if *number as usize != left_out {
                others.assert(fact, *number);
            }
        }
        let fact = others.fact(relation);
        let _ = write!(out, "{left_out}: {:?}; ", others.store.entails(fact));
        let _ = write!(out, "{:?}; ", others.store.entails(fact.negation()));
        let snapshot = others.store.snapshot();
        others.store.assert(fact.negation(), Reason(1000));
        verdict(&mut out, &mut others);
        others.store.rollback(snapshot).expect("it is fresh");
        verdict(&mut out, &mut others);
        if left_out < 1
            && let Fact::Equal(a, b) = fact
        {
            let either = [Fact::Less(a, b), Fact::Less(b, a)];
            others.store.assert_any(&either, Reason(1001));
            verdict(&mut out, &mut others);
        }
    }
    out
}

#[test]
fn every_answer_is_the_one_that_was_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a text");
    let numbers = read("numbers.txt");
    let numbers = numbers.lines().map(|line| line.parse().expect("a number"));
    let found: Vec<String> = numbers.map(answers).collect();
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let all = found.join("====\n");
        std::fs::write(folder.join("answers.txt"), all).expect("the answers are written");
        return;
    }
    let kept = read("answers.txt");
    let kept: Vec<&str> = kept.split("====\n").collect();
    assert_eq!(found.len(), kept.len());
    for (found, kept) in found.iter().zip(kept) {
        let mut lines = found.lines().zip(kept.lines());
        let differ = lines.find(|(found, kept)| found != kept);
        assert!(
            found == kept,
            "the first lines that differ, of what is said and of what was kept: {differ:#?}\nall that is said:\n{found}"
        );
    }
}
