//! Limits on size and windows, and interrupts. Time is tested in `oracle/rows/tests/time.rs` and memory in
//! `oracle/rows/tests/memory.rs`, each in its own process, because Z3 counts the memory of a whole process.

use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use lozenge_testkit::limits::pigeons;
use lozenge_testkit::small_sets::{Size, random_set};
use lozenge_vocabulary::{ConstraintSet, Order};

use super::effort::checks;
use super::set;
use crate::encoding::{cost, meaning};
use crate::scope::Scope;
use crate::smt::{self, Smt};
use crate::symbols::Symbols;
use crate::{Interrupt, Limits, Oracle, Reason, Satisfiability};

fn oracle(limits: Limits) -> Oracle {
    Oracle::new(Order::Marked).with_limits(limits)
}

#[test]
fn an_interrupt_ends_a_question_and_all_later_ones() {
    let interrupt = Interrupt::of_this_thread();
    let mut asked = oracle(Limits {
        time: Duration::from_secs(60),
        comparisons: usize::MAX,
        ..Limits::default()
    });
    asked.interrupt = Some(interrupt.clone());
    let phi = pigeons(6);
    thread::scope(|scope| {
        scope.spawn(|| {
            // The interrupt comes only once Z3 is at work, because encoding checks for interrupts separately.
            let start = Instant::now();
            while !interrupt.is_busy() {
                let waited = start.elapsed();
                assert!(waited < Duration::from_secs(30), "Z3 was never at work");
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(50));
            interrupt.trip();
        });
        assert_eq!(
            asked.sat(&phi),
            Satisfiability::Unknown(Reason::Interrupted)
        );
    });
    assert_eq!(
        asked.sat(&set("a = 3")),
        Satisfiability::Unknown(Reason::Interrupted)
    );
    // Another oracle in the same thread is not affected, and the solver still works.
    assert!(matches!(
        Oracle::default().sat(&set("a = 3")),
        Satisfiability::Sat(_)
    ));
}

#[test]
fn large_sets_are_refused_by_size() {
    let axes = vec!["3"; 2000].join(", ");
    let text = format!("[{axes} <r>] ~ [<r> {axes}]\n[{axes} <r>] <= [<s> {axes}]");
    let phi = set(&text);
    let asked = || {
        let answer = Oracle::default().sat(&phi);
        assert_eq!(answer, Satisfiability::Unknown(Reason::Size));
    };
    assert_eq!(checks(asked), 0, "Z3 is not asked");
}

#[test]
fn narrow_windows_are_unknown_and_not_unsat() {
    // The axes around the marker contradict each other, which no window shows.
    let open = set("[1_, 1_ <r>] <= [<r> 5]");
    let one_shot = Oracle::new(Order::OneShot);
    let windows_alone = one_shot.clone().with_limits(Limits {
        clashes: 0,
        ..Limits::default()
    });
    assert_eq!(
        windows_alone.sat(&open),
        Satisfiability::Unknown(Reason::Clashes(0))
    );
    assert_eq!(one_shot.sat(&open), Satisfiability::Unsat);
}

#[test]
fn threads_answer_alike() {
    let ask = || -> Vec<String> {
        let sets = (0..60).map(|seed| random_set(seed, Size::SMALL));
        sets.map(|set| {
            let oracle = Oracle::default();
            let answers = (oracle.model(&set), oracle.core(&set), oracle.forced(&set));
            format!("{answers:?}")
        })
        .collect()
    };
    let here = ask();
    let there: Vec<Vec<String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("no panic"))
            .collect()
    });
    assert!(there.iter().all(|answers| *answers == here));
}

#[test]
fn an_oracle_answers_until_its_interrupt_is_tripped() {
    let interrupt = Interrupt::of_this_thread();
    let asked = Oracle {
        interrupt: Some(interrupt.clone()),
        ..Oracle::default()
    };
    let answer = || asked.sat(&set("a = 3"));
    assert!(matches!(answer(), Satisfiability::Sat(_)));
    assert_eq!(format!("{interrupt:?}"), "Interrupt { tripped: false }");
    interrupt.trip();
    assert_eq!(answer(), Satisfiability::Unknown(Reason::Interrupted));
    assert_eq!(format!("{interrupt:?}"), "Interrupt { tripped: true }");
}

#[test]
fn reasons_are_told_in_words() {
    let told = [
        (Reason::Time, "the time limit"),
        (Reason::Memory, "the memory limit"),
        (Reason::Interrupted, "interrupted"),
        (Reason::Window(7), "within 7 axes"),
        (Reason::Clashes(7), "after 7 clashes"),
        (Reason::Size, "too large"),
        (Reason::Form("of this form".into()), "of this form"),
        (Reason::Solver("no".into()), "Z3 gave up: no"),
    ];
    for (reason, words) in told {
        assert!(reason.to_string().contains(words), "{reason}");
    }
    // The limit that was reached is told with what raises it.
    for (reason, flag) in [
        (Reason::Time, "--time"),
        (Reason::Memory, "--memory"),
        (Reason::Window(7), "--window"),
        (Reason::Clashes(7), "--clashes"),
        (Reason::Size, "--comparisons"),
    ] {
        assert_eq!(reason.flag(), Some(flag));
        let told = reason.to_string();
        assert!(told.ends_with(&format!("; {flag} raises it")), "{told}");
    }
    assert_eq!(Reason::Interrupted.flag(), None);
    assert_eq!(Reason::Interrupted.to_string(), "interrupted");
}

#[test]
fn the_rank_bound_is_what_is_written_and_what_periods_need() {
    let bound = |text: &str| Oracle::default().rank_bound(&set(text));
    assert_eq!(bound("[3, 5 <r>] <= [<s> 4]"), 3 + 1);
    assert_eq!(bound("[3, 5 <r>] <= [<s> 4]\n[7] <= <s>"), 4 + 1);
    // Shifted by 2: the overlap may have to be as long as two shifts and a period.
    assert_eq!(bound("[3, 5 <r>] ~ [<r> 5, 3]"), 4 + 6 + 1);
}

#[test]
fn windows_double_from_the_longest_row_up_to_the_rank_bound() {
    let windows = |text: &str, widest| {
        let set = set(text);
        Scope::new(&set.constraints, set.vars()).windows(widest)
    };
    let seven = "[3 <r>] <= <s>\n".repeat(7);
    assert_eq!(windows(&seven, 64), [2, 4, 8]);
    assert_eq!(windows(&seven, 7), [2, 4, 7]);
    assert_eq!(windows(&seven, 1), [2]);
    assert_eq!(windows("a = 3", 64), [1]);
    assert_eq!(windows("[3, 5 <r>] <= [<s> 4]", 64), [3, 4]);
    // The first window is already as wide as periods need.
    assert_eq!(windows("[3, 5 <r>] ~ [<r> 5, 3]", 64), [7, 11]);
}

/// Z3's memory is freed when it has reached the memory limit, and only then.
#[test]
fn a_thread_has_a_new_solver_after_the_memory_limit() {
    let renewed_after = |reason: Reason| {
        let (oracle, before) = (Oracle::default(), smt::of_this_thread());
        let (clock, scope) = (oracle.start(), Scope::default());
        let ask = |_: &Smt, _| -> Result<Option<Option<()>>, Reason> { Err(reason.clone()) };
        let ended = oracle.deepen(&clock, &scope, |_| None, ask);
        assert_eq!(ended, Err(reason));
        !Rc::ptr_eq(&before, &smt::of_this_thread())
    };
    assert!(renewed_after(Reason::Memory));
    assert!(!renewed_after(Reason::Time));
    assert!(!renewed_after(Reason::Size));
}

/// Returns the least budget of comparisons with which the question does not end with [`Reason::Size`].
fn least_budget(ask: impl Fn(&Oracle) -> Option<Reason>) -> usize {
    let ends = |comparisons: usize| {
        let limits = Limits {
            comparisons,
            ..Limits::default()
        };
        ask(&oracle(limits)) == Some(Reason::Size)
    };
    (0..500).find(|&budget| !ends(budget)).expect("a budget")
}

/// Beside the comparisons of each constraint and of both ends of a value, derived comparisons are charged too:
#[test]
fn what_is_derived_from_an_encoding_is_charged_as_well() {
    let cost = |set: &ConstraintSet, window| cost(&set.constraints[0], Order::Marked, window);
    // … those of both ends of an overlap that is two windows long, with a period for each residue,
    let rotation = set("[3, 5 <r>] ~ [<r> 5, 3]");
    let window = 7;
    let least = least_budget(|oracle| match oracle.sat(&rotation) {
        Satisfiability::Unknown(reason) => Some(reason),
        _ => None,
    });
    let links = 7 * 7;
    assert_eq!(least, cost(&rotation, window) + links + 2 * 7 + 2 * 2);
    // … and those of a forced content with the row's axes and between its ends.
    let content = set("<r> ~ [3, 5, 7]");
    let least = least_budget(|oracle| oracle.forced(&content).err());
    assert_eq!(least, cost(&content, 4) + 4 * 4 + 2 * 3);
}

/// The first solution takes a question to Z3 for each variable, which looks at all variables.
#[test]
fn the_search_for_the_first_solution_is_charged_by_the_square_of_the_variables() {
    let variables = set("leaf a, b, c, d, e, f, g, h, i, j, <r>, <s>, <t>, <u>, <v>, <w>");
    let least = least_budget(|oracle| oracle.model(&variables).err());
    assert_eq!(least, 16 * 16 / 64);
}

/// Each window has the whole budget of comparisons: here 3 axes and then 4 are encoded.
#[test]
fn a_wider_window_has_a_budget_of_its_own() {
    let text = "[1_, 1_ <r>] <= [<r> 5]";
    let answer = |comparisons| {
        let limits = Limits {
            comparisons,
            clashes: 0,
            ..Limits::default()
        };
        Oracle::new(Order::OneShot)
            .with_limits(limits)
            .sat(&set(text))
    };
    let least = (0..200).find(|budget| answer(*budget) != Satisfiability::Unknown(Reason::Size));
    let wide = cost(&set(text).constraints[0], Order::OneShot, 4);
    let links = 4 * 4;
    assert_eq!(least, Some(wide + links));
}

/// At least as many comparisons are charged as are made, and not many more.
#[test]
fn the_cost_of_an_encoding_is_at_least_what_it_compares() {
    let charged = |text: &str, order, window| {
        let constraint = set(text).constraints[0].clone();
        let symbols = &mut Symbols::default();
        let compared = meaning(&constraint, order, symbols, window).facing.len();
        let charged = cost(&constraint, order, window);
        assert!(compared <= charged, "{text}: {compared} > {charged}");
        charged
    };
    for (text, marked, one_shot) in [
        ("a <= 3", 1, 1),
        // The axes that are written, and the window from both edges.
        ("[3, 4 <r>] ~ [5, 6, 7]", 5 + 8, 5 + 8),
        // Where both rows are open, leading flanks are compared with trailing flanks too.
        ("[3, 4, 5 <r> 6] ~ [7 <s> 8, 9]", 7 + 8 + 7, 7 + 8 + 7),
        (
            "[3, 4, 5, 6 <r>] ~ [<s> 7, 8, 9, 2]",
            8 + 8 + 16,
            8 + 8 + 16,
        ),
        // The upper row's axes, each against one of the lower row's, or against several when that is read flat.
        ("[3, 4 <r> 5, 6, 7] <= [6, 2, 3 <s> 7]", 4 + 8, 6 * (4 + 8)),
    ] {
        assert_eq!(charged(text, Order::Marked, 4), marked, "{text}");
        assert_eq!(charged(text, Order::OneShot, 4), one_shot, "{text}");
        for window in [1, 16] {
            charged(text, Order::Marked, window);
            charged(text, Order::OneShot, window);
        }
    }
}
