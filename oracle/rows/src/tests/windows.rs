//! The rank bound: an answer at one window must hold at every wider one.

use std::ops::Range;

use lozenge_vocabulary::{Constraint, ConstraintSet, Order};

use super::set;
use crate::beyond_window;
use crate::limits::Clock;
use crate::oracle::Oracle;
use crate::scope::Scope;
use crate::session::CheckResult;
use crate::smt;
use lozenge_testkit::random::Random;
use lozenge_testkit::small_sets::{Size, constraint, random_set, rotations};

const ORDERS: [Order; 2] = [Order::Marked, Order::OneShot];

/// Returns the result at one window for the set, or for the set with the goal's negation.
fn step(set: &ConstraintSet, goal: Option<&Constraint>, order: Order, window: u32) -> CheckResult {
    let oracle = Oracle::new(order);
    let clock: Clock = oracle.start();
    let smt = smt::of_this_thread();
    let mut vars = set.vars();
    vars.extend(goal.into_iter().flat_map(Constraint::vars));
    let scope = Scope::new(&set.constraints, vars);
    let mut session = oracle
        .encode(&smt, &clock, &scope, window)
        .expect("in time");
    if let Some(goal) = goal {
        session.deny_one_of(&[goal], order).expect("in time");
    }
    let sealed = session.seal();
    sealed.check(&session, &[]).expect("in time")
}

/// The number of times that two windows agreed and disagreed, by their results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Answers that were the same and definite.
    same: usize,
    /// Undecided at the bound and at twice the bound.
    open: usize,
    /// Undecided at the bound, refuted at twice the bound.
    refuted_later: usize,
    /// Open at the bound, with a solution at twice the bound.
    found_later: usize,
    /// Refuted at the first window and open at the bound. This is no contradiction, since a wider window may refute
    /// less.
    forgotten: usize,
}

impl Tally {
    fn add(&mut self, text: &str, steps: [CheckResult; 3]) -> Result<(), String> {
        let [first, bound, twice] = steps;
        let opposite = |a, b| {
            matches!(
                (a, b),
                (CheckResult::Refuted, CheckResult::Found)
                    | (CheckResult::Found, CheckResult::Refuted)
            )
        };
        let lost = first == CheckResult::Found
            && (bound != CheckResult::Found || twice != CheckResult::Found);
        if opposite(first, bound) || opposite(first, twice) || opposite(bound, twice) || lost {
            return Err(format!("{steps:?}:\n{text}"));
        }
        match (bound, twice) {
            (CheckResult::Open, CheckResult::Open) => self.open += 1,
            (CheckResult::Open, CheckResult::Refuted) => self.refuted_later += 1,
            (CheckResult::Open, CheckResult::Found) => {
                println!("found only at twice the bound:\n{text}");
                self.found_later += 1;
            }
            _ => self.same += 1,
        }
        if first == CheckResult::Refuted && bound == CheckResult::Open {
            self.forgotten += 1;
        }
        Ok(())
    }
}

fn sizes(seed: u64) -> Size {
    let wide = Size {
        constraints: 3,
        flank: 3,
        row_vars: 2,
        dim_vars: 1,
        atoms: 2,
    };
    let many = Size {
        constraints: 5,
        flank: 1,
        row_vars: 4,
        dim_vars: 2,
        atoms: 2,
    };
    [Size::SMALL, wide, many][seed as usize % 3]
}

fn compare(seeds: Range<u64>, order: Order) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in seeds {
        let set = random_set(seed, sizes(seed));
        let windows = Scope::new(&set.constraints, set.vars()).windows(64);
        let (first, bound) = (windows[0], windows[windows.len() - 1]);
        let steps = [first, bound, 2 * bound].map(|w| step(&set, None, order, w));
        tally.add(&set.to_string(), steps)?;
    }
    Ok(tally)
}

fn compare_negations(seeds: Range<u64>, order: Order) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in seeds {
        let set = random_set(seed, sizes(seed));
        let goal = constraint(&mut Random::new(!seed), sizes(seed));
        let mut scope = Scope::new(&set.constraints, set.vars());
        scope.goals.push(&goal);
        let windows = scope.windows(64);
        let (first, bound) = (windows[0], windows[windows.len() - 1]);
        let steps = [first, bound, 2 * bound].map(|w| step(&set, Some(&goal), order, w));
        tally.add(&format!("{set}denied: {goal}"), steps)?;
    }
    Ok(tally)
}

#[test]
fn the_bound_and_twice_the_bound_agree() {
    for order in ORDERS {
        let tally = compare(0..300, order).unwrap_or_else(|what| panic!("{what}"));
        println!("{order:?}: {tally:?}");
        assert_eq!(tally.found_later, 0);
    }
}

#[test]
fn denials_at_the_bound_and_at_twice_the_bound_agree() {
    for order in ORDERS {
        let tally = compare_negations(0..200, order).unwrap_or_else(|what| panic!("{what}"));
        println!("{order:?}: {tally:?}");
        assert_eq!(tally.found_later, 0);
    }
}

/// 100,000 sets and 20,000 negations; run it with `--ignored`.
#[test]
#[ignore = "takes a quarter of an hour"]
fn the_bound_and_twice_the_bound_agree_on_many_sets() {
    for order in ORDERS {
        let tally = compare(1_000_000..1_050_000, order).unwrap_or_else(|what| panic!("{what}"));
        println!("{order:?}: {tally:?}");
        assert_eq!(tally.found_later, 0);
        let tally =
            compare_negations(1_000_000..1_010_000, order).unwrap_or_else(|what| panic!("{what}"));
        println!("{order:?}, negations: {tally:?}");
        assert_eq!(tally.found_later, 0);
        let tally = compare_rotations(100..1500, order).unwrap_or_else(|what| panic!("{what}"));
        println!("{order:?}, rotations: {tally:?}");
        assert_eq!(tally.found_later, 0);
    }
}

/// Returns a random set of constraints of one kind only.
fn of_one_kind(seed: u64, equations: bool) -> ConstraintSet {
    let mut random = Random::new(seed);
    let size = sizes(seed);
    let all = std::iter::repeat_with(|| constraint(&mut random, size));
    let fits = |c: &Constraint| match c {
        Constraint::RowEq(..) => equations,
        Constraint::RowLe(..) => !equations,
        _ => true,
    };
    all.filter(fits).take(1 + seed as usize % 4).collect()
}

#[test]
fn the_bound_decides_sets_of_one_kind() {
    for seed in 0..1200 {
        for (equations, order) in [
            (true, Order::Marked),
            (true, Order::OneShot),
            (false, Order::Marked),
        ] {
            let set = of_one_kind(seed, equations);
            let bound = Scope::new(&set.constraints, set.vars()).rank_bound();
            assert_ne!(
                step(&set, None, order, bound),
                CheckResult::Open,
                "{order:?}\n{set}"
            );
        }
    }
}

fn compare_rotations(seeds: Range<u64>, order: Order) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in seeds {
        let set = rotations(seed);
        let scope = Scope::new(&set.constraints, set.vars());
        let (first, bound) = (scope.windows(64)[0], scope.rank_bound());
        // Windows narrower than the first one are included: the facts about periods must hold at any.
        let longest = set.constraints.iter().map(beyond_window::longest_row).max();
        let narrow = first.min(longest.unwrap_or(0) + 1);
        let steps = [narrow, bound, 2 * bound].map(|w| step(&set, None, order, w));
        tally.add(&set.to_string(), steps)?;
    }
    Ok(tally)
}

#[test]
fn periodic_rows_are_decided_alike_at_all_windows() {
    for order in ORDERS {
        let tally = compare_rotations(0..25, order).unwrap_or_else(|what| panic!("{what}"));
        assert_eq!(tally.same, 25, "{order:?}: {tally:?}");
    }
}

/// `<r>` has the period 3, and so the rank 9; `<a>` has one axis more, which is not part of the word that is periodic.
#[test]
fn a_period_is_a_matter_of_the_overlap_and_not_of_a_longer_value() {
    let word = "[3, 5, 4 <r>] ~ [<r> 3, 5, 4]\n<r> <= [1_, 1_, 1_, 1_, 1_, 1_, 1_]";
    for longer in ["[7 <r>]", "[<r> 7]"] {
        let set = set(&format!("<a> ~ {longer}\n{word}"));
        for order in ORDERS {
            assert_eq!(step(&set, None, order, 11), CheckResult::Found, "{set}");
        }
    }
}

/// Sets whose smallest solutions are long, with the least total rank.
const LONG: &[(&str, usize)] = &[
    // odd rank, at least 8
    (
        "[3, 5 <r>] ~ [<r> 5, 3]\n<r> <= [1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_]",
        9,
    ),
    // ranks 1 modulo 4 and 1 modulo 6, the second above the first and at least 2 long: 9 and 7
    (
        "[3, 5, 3, 7 <r>] ~ [<r> 5, 3, 7, 3]\n[3, 1_, 1_, 1_, 1_, 1_ <s>] ~ [<s> 1_, 1_, 1_, 1_, 1_, 3]\n\
         <r> <= <s>\n<s> <= [1_, 1_]",
        16,
    ),
    // a long row forced through a chain of inequalities
    (
        "<r> <= [1_, 1_ <s>]\n<s> <= [1_, 1_ <t>]\n<t> <= [1_, 1_, 1_]",
        3 + 5 + 7,
    ),
];

#[test]
fn long_rows_are_found() {
    for (text, least) in LONG {
        let oracle = Oracle::default();
        let model = oracle
            .model(&set(text))
            .unwrap_or_else(|why| panic!("{why}:\n{text}"));
        let model = model.unwrap_or_else(|| panic!("unsat:\n{text}"));
        let total: usize = model.rows.values().map(|row| row.rank()).sum();
        if *least > 0 {
            assert_eq!(total, *least, "{model}\n{text}");
        }
        println!("total rank {total}:\n{text}\n{model}");
    }
}
