//! Sets whose answers are known, and all probes on a sample of the sets of the finite scopes.

use lozenge_vocabulary::{ConstraintSet, Order};

use super::{answers, probes, scope, set};
use lozenge_oracle::{Entailment, Oracle, Satisfiability};
use lozenge_testkit::enumeration::Universe;
use lozenge_testkit::random::Random;
use lozenge_testkit::small_sets::{Size, constraint};

const ORDERS: [Order; 2] = [Order::Marked, Order::OneShot];

/// Sets with a known verdict in both readings.
#[test]
fn named_sets() {
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
            assert!(as_expected, "{answer:?} ({order:?}):\n{text}");
        }
    }
}

#[test]
fn entailments() {
    let oracle = Oracle::default();
    let ask =
        |premises: &str, goal: &str| oracle.entails(&set(premises), &set(goal).constraints[0]);
    for (premises, goal) in answers::ENTAILED {
        assert_eq!(
            ask(premises, goal),
            Entailment::Holds,
            "{premises}\nentails {goal}"
        );
    }
    for (premises, goal) in answers::NOT_ENTAILED {
        let fails = matches!(ask(premises, goal), Entailment::Fails(_));
        assert!(fails, "{premises}\ndoes not entail {goal}");
    }
}

#[test]
fn finite_scopes() -> Result<(), String> {
    let universe = Universe::of(&["1_", "3", "4", "9"], 2);
    let singles = scope::singles(&["3", "4", "1_"], &["r", "s"]);
    let pairs = scope::pairs(&["3"], &["r"]);
    let sample = singles.iter().step_by(17).chain(pairs.iter().step_by(29));
    sample
        .into_iter()
        .try_for_each(|set| every_question(set, &universe))
}

fn every_question(set: &ConstraintSet, universe: &Universe) -> Result<(), String> {
    for order in ORDERS {
        probes::verdict(set, order, universe)?;
        probes::core(set, order)?;
        probes::forced(set, order, universe)?;
        let goal = constraint(&mut Random::new(set.constraints.len() as u64), Size::SMALL);
        probes::entailed(set, &goal, order, universe)?;
    }
    Ok(())
}
