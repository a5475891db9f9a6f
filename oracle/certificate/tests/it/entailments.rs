//! The solver's certificates of entailments are verified, and no certificate of a constraint that fails in a solution
//! ever is.

use lozenge_certificate::{Proved, verify};
use lozenge_solver::{Constraint, ConstraintSet, Entailment, Options, Order, Problem, Solver};
use serde_json::Value;

use crate::drawn::{Draw, damage, parsed, solver};

/// Returns a constraint that may follow: a drawn one, a simple one, or one of the set with its sides exchanged.
fn goal(draw: &mut Draw, set: &ConstraintSet) -> Constraint {
    let simple = [
        "a = 2",
        "a <= 3",
        "2 <= a",
        "<r> <= <s>",
        "<r> ~ <t>",
        "<s> <= [2]",
        "[3] <= <t>",
        "a = 1_",
        "<t> ~ []",
    ];
    match draw.below(4) {
        0 => draw.constraint().parse().expect("in the notation"),
        1 => match &set.constraints[draw.below(set.constraints.len())] {
            Constraint::RowLe(a, b) => Constraint::RowEq(a.clone(), b.clone()),
            Constraint::RowEq(a, b) => Constraint::RowLe(b.clone(), a.clone()),
            Constraint::DimLe(a, b) => Constraint::DimEq(a.clone(), b.clone()),
            other => other.clone(),
        },
        _ => simple[draw.below(simple.len())]
            .parse()
            .expect("in the notation"),
    }
}

#[test]
fn what_follows_is_verified_and_nothing_that_does_not_follow_is() {
    let tries = std::env::var("LOZENGE_SETS").ok();
    let tries = tries.and_then(|n| n.parse().ok()).unwrap_or(4000);
    let (mut held, mut failed, mut attacks) = (0, 0, 0);
    for number in 0..tries {
        let mut draw = Draw::of(number);
        let order = draw.order();
        let set = parsed(&draw.set());
        let solver = solver(&set, order);
        // From a set without a solution everything follows, which is not worth asking often.
        let solution = solver.decide().solution;
        if solution.is_none() && draw.below(8) > 0 {
            continue;
        }
        let goal = goal(&mut draw, &set);
        let (answer, certificate) = solver.entails(&goal);
        match answer {
            Entailment::Holds(because) => {
                held += 1;
                let text = serde_json::to_string(&certificate).expect("plain data");
                assert_eq!(
                    verify(&text, &set, order),
                    Ok(Proved::Entails(goal.clone())),
                    "{set}\n|- {goal}"
                );
                assert!(
                    because
                        .iter()
                        .all(|cited| cited.index < set.constraints.len())
                );
                if let Some(solution) = solution {
                    assert_ne!(
                        solution.satisfies(&goal, order),
                        Some(false),
                        "{set}\n|- {goal}"
                    );
                }
                attacks += attack(&mut draw, &text, &set, order);
            }
            Entailment::Fails(solution) => {
                failed += 1;
                assert!(certificate.is_none());
                assert_eq!(solution.first_violated(&set.constraints, order), None);
                assert_eq!(solution.satisfies(&goal, order), Some(false));
            }
            Entailment::Unknown(why) => panic!("{set}\n|- {goal}: {why}"),
        }
    }
    println!("{held} hold, {failed} do not; {attacks} attacks");
    assert!(
        held > tries / 10 && failed > tries / 10 && attacks > tries / 10,
        "{held} {failed} {attacks}"
    );
}

/// Gives the certificate, damaged or not, as one for constraints that do not follow. Returns how many there were.
fn attack(draw: &mut Draw, certificate: &str, set: &ConstraintSet, order: Order) -> u64 {
    let value: Value = serde_json::from_str(certificate).expect("just written");
    let mut attacks = 0;
    for number in 0..8 {
        let other = goal(draw, set);
        if !matches!(solver(set, order).entails(&other).0, Entailment::Fails(_)) {
            continue;
        }
        let mut damaged = value.clone();
        for _ in 0..number % 4 {
            damage(&mut damaged, draw);
        }
        if let Value::Object(parts) = &mut damaged {
            parts.insert("entails".into(), other.to_string().into());
        }
        let damaged = damaged.to_string();
        assert!(
            verify(&damaged, set, order).is_err(),
            "{set}\n|- {other}\n{damaged}"
        );
        attacks += 1;
    }
    attacks
}

#[test]
fn a_length_without_a_bound_follows_by_a_loop() {
    let set: ConstraintSet = "[2, 3 <r>] ~ [<r> 2, 3]\n<s> ~ <r>\n<s> <= [a, b]"
        .parse()
        .expect("in the notation");
    let solver = solver(&set, Order::Marked);
    // `<r>` is 2, 3, 2, 3, ... to its end, which the last two axes of `<s>` therefore are, whatever its length.
    for (asked, holds) in [
        ("2 <= a", true),
        ("3 <= b", true),
        ("3 <= a", false),
        ("a = 2", false),
        ("[<r> 2] ~ [<r> 2]", true),
        ("<s> <= <r>", false),
        ("<r> ~ [2, 3]", false),
    ] {
        let goal: Constraint = asked.parse().expect("in the notation");
        let (answer, certificate) = solver.entails(&goal);
        assert_eq!(
            matches!(answer, Entailment::Holds(_)),
            holds,
            "{asked}: {answer:?}"
        );
        assert_eq!(certificate.is_some(), holds);
    }
}

/// The checker says which cases there are: a certificate cannot leave one out.
#[test]
fn no_case_can_be_left_out() {
    let set: ConstraintSet = "a <= b\nb <= 2".parse().expect("in the notation");
    let nothing = |goal: &str| {
        format!(r#"{{"version": 1, "order": "marked", "entails": "{goal}", "cases": []}}"#)
    };
    // The first does not follow, the second does, and neither from nothing.
    for goal in ["a = 3", "a = 2"] {
        let why = verify(&nothing(goal), &set, Order::Marked).expect_err("there are cases");
        assert!(why.to_string().contains("and 0 refutations"), "{why}");
    }
    let goal: Constraint = "a = 2".parse().expect("in the notation");
    let certificate = solver(&set, Order::Marked).entails(&goal).1;
    let mut value: Value = serde_json::to_value(certificate).expect("plain data");
    assert!(verify(&value.to_string(), &set, Order::Marked).is_ok());
    let cases = value["cases"].as_array_mut().expect("a list");
    let last = cases.pop().expect("there is one");
    assert!(verify(&value.to_string(), &set, Order::Marked).is_err());
    let cases = value["cases"].as_array_mut().expect("a list");
    cases.extend([last.clone(), last]);
    assert!(verify(&value.to_string(), &set, Order::Marked).is_err());
}

/// A case says more than the set alone, and yet may take longer to decide.
#[test]
fn what_refutes_the_set_refutes_every_case() {
    let text = "[1_, 1_ <s>] ~ [<r> 1_, 1_]\n<r> ~ <t>\n[1_, 1_ <r>] ~ [<s> 1_, 3]";
    let set: ConstraintSet = text.parse().expect("in the notation");
    let mut options = Options::default();
    options.limits.branches = 10_000;
    let solver = Solver::with(Problem::from(&set), options);
    let goal: Constraint = "[1_ <t>] ~ <r>".parse().expect("in the notation");
    let (answer, certificate) = solver.entails(&goal);
    assert!(matches!(answer, Entailment::Holds(_)), "{answer:?}");
    let certificate = serde_json::to_string(&certificate).expect("a certificate");
    let proved = verify(&certificate, &set, Order::Marked);
    assert_eq!(proved.expect("accepted"), Proved::Entails(goal));
}
