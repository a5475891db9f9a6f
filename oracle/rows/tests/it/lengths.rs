//! Sets that only an argument over all lengths settles.

use std::time::Duration;

use lozenge_oracle::{Limits, Oracle, Reason, Satisfiability};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

/// Makes an oracle with so much time that these sets are decided whatever else the machine does.
fn oracle(order: Order) -> Oracle {
    Oracle::new(order).with_limits(Limits {
        time: Duration::from_secs(120),
        ..Limits::default()
    })
}

fn set(text: &str) -> ConstraintSet {
    let text = text.replace("; ", "\n");
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn open_sets() -> Vec<ConstraintSet> {
    let lines = include_str!("../data/open_at_every_window.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(set)
        .collect()
}

#[test]
fn sets_that_are_open_at_every_window_are_refuted() {
    let sets = open_sets();
    assert_eq!(sets.len(), 23);
    for set in sets {
        let answer = oracle(Order::Marked).sat(&set);
        assert_eq!(answer, Satisfiability::Unsat, "{set}");
    }
}

/// The same sets, read one-shot, which allows more: what is found is checked, and nothing is refuted that enumeration
/// finds.
#[test]
fn the_same_sets_are_decided_in_the_one_shot_order() {
    let universe = Universe::of(&["1_", "2", "3"], 2);
    for set in open_sets() {
        match oracle(Order::OneShot).sat(&set) {
            Satisfiability::Sat(ground) => {
                let violated = ground.first_violated(&set.constraints, Order::OneShot);
                assert_eq!(violated, None, "{set}");
            }
            Satisfiability::Unsat => {
                let found = Solutions::new(&set, &universe, Order::OneShot).next();
                assert_eq!(found, None, "{set}");
            }
            Satisfiability::Unknown(reason) => panic!("{reason}: {set}"),
        }
    }
}

/// Every walk of the 3 goes around between rows of equal ranks.
#[test]
fn induction_along_a_row_refutes() {
    let text = "<r2> ~ <r3>; <r2> <= [1_, 3 <> 1_]; [<r0> 1_] <= <r0>; [<r2> 3] <= [3 <r0>]; [<r2> 1_] <= <r2>; \
                <r0> ~ <r1>; <r3> ~ <r4>; [1_ <r3> 1_] <= <r4>";
    let set = set(text);
    assert_eq!(oracle(Order::Marked).sat(&set), Satisfiability::Unsat);
    // The equations with `r1` and `r4` name lengths and nothing else.
    let core = oracle(Order::Marked)
        .core(&set)
        .expect("in time")
        .expect("no solution");
    assert_eq!(core.doubt, None);
    let part: ConstraintSet = core
        .constraints
        .iter()
        .map(|&k| set.constraints[k].clone())
        .collect();
    assert_eq!(oracle(Order::Marked).sat(&part), Satisfiability::Unsat);
    for left_out in 0..part.constraints.len() {
        let mut rest = part.clone();
        rest.constraints.remove(left_out);
        assert_eq!(oracle(Order::Marked).sat(&rest).verdict(), Verdict::Sat);
    }
}

/// Rows of one content with their markers at opposite edges double what lies below both: no window of the rank bound
/// shows the 16 axes of `x`.
#[test]
fn ranks_that_double_are_found() {
    let set = set(
        "<a> ~ [3, 3, 3, 3]; <b> ~ <a>; <r> <= <a>; <r> <= <b>; <c> ~ <r>; <d> ~ <r>; <c> <= <a>; <d> <= <b>; \
         <s> <= <c>; <s> <= <d>; <x> ~ <s>; <x> <= <c>; [5 <x>] <= <x>; [<d> 5] <= <d>",
    );
    let ground = oracle(Order::Marked)
        .model(&set)
        .expect("in time")
        .expect("a solution");
    assert_eq!(ground.first_violated(&set.constraints, Order::Marked), None);
    let ranks = |name: &str| {
        let found = ground
            .rows
            .iter()
            .find(|(var, _)| var.to_string() == format!("<{name}>"));
        found.expect("the row").1.rank()
    };
    assert_eq!(["a", "r", "s", "x"].map(ranks), [4, 8, 16, 16]);
}

/// A solution does not depend on the questions that Z3 was asked before.
#[test]
fn a_solution_is_the_same_whatever_came_before() {
    let text = "<a> ~ [3, 3]; <b> ~ <a>; <r> <= <a>; <r> <= <b>; [5 <b>] <= <b>; [<a> 5] <= <a>; <x> ~ <r>; [5 <x>] <= <x>";
    let first = oracle(Order::Marked).model(&set(text));
    for other in open_sets().iter().take(5) {
        oracle(Order::Marked).sat(other);
        assert_eq!(oracle(Order::Marked).model(&set(text)), first);
    }
}

#[test]
fn clashes_are_limited() {
    let open = set("[2 <r>] ~ <s>; [<r> 1_] <= <s>");
    let answer = |clashes| {
        let limits = Limits {
            clashes,
            ..Limits::default()
        };
        oracle(Order::Marked).with_limits(limits).sat(&open)
    };
    assert_eq!(
        answer(0),
        Satisfiability::Unknown(Reason::Clashes(0)),
        "no clash may be excluded"
    );
    assert_eq!(answer(200), Satisfiability::Unsat);
}

/// Lengths say nothing of sizes, so that a set which says something of them, or in which a variable may be 0, remains
/// open.
#[test]
fn lengths_are_not_asked_about_sets_with_sizes() {
    let open = "[2 <r>] ~ <s>; [<r> 1_] <= <s>";
    assert_eq!(oracle(Order::Marked).sat(&set(open)), Satisfiability::Unsat);
    for more in ["a >= 2", "a <= 3; summand a", "t = a ^ b; summand a"] {
        let set = set(&format!("{open}; {more}"));
        let answer = oracle(Order::Marked).sat(&set);
        let bound = oracle(Order::Marked).rank_bound(&set);
        assert_eq!(
            answer,
            Satisfiability::Unknown(Reason::Window(bound)),
            "{more}"
        );
    }
}
