//! §8: parts that may be 0, by all parties and by the definition.

use std::time::Duration;

use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::sets::{Sets, oracle, verdicts_of as verdicts};
use lozenge_fuzz::subjects::target;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_testkit::generate::windows;
use lozenge_testkit::random::Random;
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

/// Returns a set over a, b and c, each of which is a part of an axis of 3 cells, so that few values have to be tried.
fn bounded(random: &mut Random) -> ConstraintSet {
    const VARS: [&str; 3] = ["a", "b", "c"];
    let mut text = String::from("w = 3\nw = a ^ p\nw = b ^ q\nw = c ^ r\n");
    for _ in 0..2 + random.below(2) {
        let [x, y, z] = [(); 3].map(|()| VARS[random.below(3)]);
        text += &match random.below(7) {
            0..=2 => format!("{x} = {y} ^ {z}\n"),
            3 => format!("{x} = {y}\n"),
            4 => format!("{x} <= {y}\n"),
            5 => format!("{x} >= {}\n", 1 + random.below(2)),
            _ => format!("{x} = {}\n", 1 + random.below(3)),
        };
    }
    for var in VARS.iter().chain(&["p", "q", "r"]) {
        if random.below(3) > 0 {
            text += &format!("summand {var}\n");
        }
    }
    text.parse().expect("in the notation")
}

#[test]
fn every_party_agrees_with_the_definition() {
    let universe = Universe::of(&["1", "2", "3"], 0);
    let oracle = oracle(Duration::from_secs(10));
    let (mut sat, mut unsat, mut with_zeros) = (0, 0, 0);
    for index in 0..400 {
        let set = bounded(&mut Random::indexed(index));
        let found = Solutions::new(&set, &universe, Order::Marked).next();
        let expected = match &found {
            Some(_) => Verdict::Sat,
            None => Verdict::Unsat,
        };
        for (party, verdict) in verdicts(&set, &oracle).named() {
            assert_eq!(verdict, expected, "{party}, set {index}:\n{set}");
        }
        let mut without = set.clone();
        without.summands.clear();
        let needs = Solutions::new(&without, &universe, Order::Marked)
            .next()
            .is_none();
        with_zeros += usize::from(found.is_some() && needs);
        match found {
            Some(_) => sat += 1,
            None => unsat += 1,
        }
    }
    assert!(
        sat > 50 && unsat > 50 && with_zeros > 30,
        "{sat} {unsat} {with_zeros}"
    );
}

#[test]
fn drawn_sets_with_summands_have_one_verdict() {
    let target = target::<Sets>("arith_verdicts").expect("a target");
    let mut parties = Parties::default();
    let mut asked = 0;
    for index in 0..1600 {
        let set = windows::indexed(71, index);
        if set.summands.is_empty() {
            continue;
        }
        let outcome = target
            .examine(&set, &mut parties)
            .map(|examined| examined.outcome);
        let disagrees = matches!(outcome, Some(Outcome::Disagree(_)));
        assert!(!disagrees, "set {index}: {outcome:?}\n{set}");
        asked += 1;
    }
    assert!(asked > 200, "{asked}");
}
