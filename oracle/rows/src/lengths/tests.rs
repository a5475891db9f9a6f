//! Conditions of clashes, at lengths that are tried one by one, and decisions over lengths against those by windows.

use lozenge_testkit::random::Random;
use lozenge_testkit::small_sets::{Size, random_set};
use lozenge_vocabulary::{ConstraintSet, Order, RowVar};

use super::form::{Form, Formula, Unknown};
use super::*;
use crate::formula::{Length, Measure};
use crate::oracle::Oracle;
use crate::session::CheckResult;
use crate::smt;
use crate::tests::set;

const ORDERS: [Order; 2] = [Order::Marked, Order::OneShot];

/// Equations and orders that walk along rows, in which clashes have loops.
const WALKS: [&str; 10] = [
    "[2 <r>] ~ <s>\n[<r> 1_] <= <s>",
    "[a <r>] ~ [<s> 3, a]\n[3 <s>] <= [1_ <r> a]",
    "[2, 1_ <s>] ~ [<r> 3]\n[3, a <r> 2, 3] <= [<r> a]\n[2, 3 <s> 2] <= <r>",
    "<r> <= [2 <s>]\n<r> ~ [<s> 1_]\n[<s> a] <= <s>",
    "[3, 5 <r>] ~ [<r> 5, 3]\n[<r> 3] <= <s>\n<s> <= [1_ <r>]",
    "[3, a <s>] ~ [<r> 2, 1_, 2]\n[1_, b <s> a] <= <r>",
    "<r> <= [<s> 5]\n[1_ <s>] <= <r>\n[3 <r>] <= <s>\n<s> <= [3 <r>]",
    "[1_, 1_ <r>] <= [<r> 5]",
    "[2, 2 <r>] <= [<r> 2, 2]\n<r> <= [3 <s>]\n[<s> 1_] ~ [1_ <r>]",
    "[a, 3 <s>] ~ [<r> a]\n[a, 2 <r>] ~ [<s> 2, 2]",
];

fn in_time<T>(result: Result<T, Reason>) -> T {
    result.unwrap_or_else(|reason| panic!("{reason}"))
}

/// Returns all lengths of so many rows, each flank up to a length.
fn points(rows: usize, longest: i64) -> Vec<Point> {
    let mut points = vec![Vec::new()];
    for _ in 0..rows {
        let longer = |point: &Vec<[i64; 2]>| {
            let point = point.clone();
            let flanks = (0..=longest).flat_map(move |x| (0..=longest).map(move |y| [x, y]));
            flanks.map(move |own| [point.clone(), vec![own]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points.into_iter().map(Point).collect()
}

/// The number of conditions that held, and the number of all.
#[derive(Debug, Default)]
struct Counted {
    conditions: usize,
    held: usize,
}

fn graph<'a>(problem: &'a Problem, point: &'a Point, clock: &Clock) -> Graph<'a> {
    clock.refill(&Limits::default());
    in_time(Graph::new(
        &problem.comparisons,
        &problem.symbols,
        point,
        clock,
    ))
}

/// Returns the requirements on the lengths alone.
fn lengths_of_solutions(problem: &Problem) -> Vec<Formula> {
    let facts = problem.facts.iter();
    let facts = facts.map(|fact| problem.ranks.formula(*fact));
    // Facts are about the ranks that equations leave open; the other ranks follow.
    let ranks = (0..problem.symbols.rows.len() as u32).map(|row| {
        let rank = problem.ranks.rank(Some(row));
        Formula::Zero(rank - &Form::of(Unknown::Rank(row)))
    });
    facts.chain(ranks).collect()
}

/// Checks that two walks meet wherever a condition holds, so that no solution is excluded.
fn excludes_clashes_alone(set: &ConstraintSet, order: Order, counted: &mut Counted) {
    let oracle = Oracle::new(order);
    let scope = Scope::new(&set.constraints, set.vars());
    let clock = oracle.start();
    let problem = in_time(Problem::new(&clock, &scope, order));
    let smt = Smt::new();
    let mut search = in_time(Search::new(&smt, &clock, &problem));
    let mut conditions = Vec::new();
    for turn in 0..6 {
        if turn == SHALLOW {
            in_time(search.dive(problem.explicit()));
        }
        let Some(point) = in_time(search.least_point()) else {
            if search.surface() {
                continue;
            }
            break;
        };
        match in_time(problem.clash(&mut graph(&problem, &point, &clock), &point)) {
            None if search.surface() => {}
            None => break,
            Some(condition) => {
                in_time(search.exclude(&condition));
                conditions.push(condition);
            }
        }
    }
    counted.conditions += conditions.len();
    if conditions.is_empty() {
        return;
    }
    let facts = lengths_of_solutions(&problem);
    let rows = problem.symbols.rows.len();
    for point in points(rows, [0, 30, 9, 3][rows]) {
        if !facts.iter().all(|fact| fact.holds(&point, &[])) {
            continue;
        }
        let holding = conditions
            .iter()
            .filter(|condition| condition.holds(&point));
        let holding = holding.count();
        counted.held += holding;
        let clash = holding > 0 && graph(&problem, &point, &clock).clash().is_none();
        assert!(!clash, "{point:?} is excluded ({order:?}):\n{set}");
    }
}

#[test]
fn nothing_is_excluded_but_clashes() {
    let mut counted = Counted::default();
    for (text, order) in WALKS
        .iter()
        .flat_map(|text| ORDERS.map(|order| (text, order)))
    {
        excludes_clashes_alone(&set(text), order, &mut counted);
    }
    let size = Size {
        constraints: 4,
        flank: 3,
        row_vars: 2,
        dim_vars: 1,
        atoms: 2,
    };
    for seed in 0..150 {
        for order in ORDERS {
            excludes_clashes_alone(&random_set(seed, size), order, &mut counted);
        }
    }
    // Each condition excludes more than the lengths at which it was found.
    assert!(counted.conditions > 100, "{counted:?}");
    assert!(counted.held > 10 * counted.conditions, "{counted:?}");
}

/// Sets with loops that can be taken in the first round and, at other lengths, not in the last one.
const LOOPS: [&str; 2] = [
    // From the front `5` moves on by one place in each round, from the back by two: whether it meets `1_` is a question
    // of parity.
    "[5 <s>] ~ [<r> 5]\n[<s> 1_] <= <r>",
    "[<s> 5] ~ [5 <r>]\n[1_ <s>] <= <r>",
];

/// Checks that the condition of the clash at each of these lengths holds at no lengths without a clash.
fn conditions_at_each_point(
    set: &ConstraintSet,
    order: Order,
    longest: i64,
    counted: &mut Counted,
) {
    let oracle = Oracle::new(order);
    let scope = Scope::new(&set.constraints, set.vars());
    let clock = oracle.start();
    let problem = in_time(Problem::new(&clock, &scope, order));
    let facts: Vec<Formula> = lengths_of_solutions(&problem);
    let mut points = points(problem.symbols.rows.len(), longest);
    points.retain(|point| facts.iter().all(|fact| fact.holds(point, &[])));
    let clashes = |point: &Point| graph(&problem, point, &clock).clash().is_some();
    let free: Vec<&Point> = points.iter().filter(|point| !clashes(point)).collect();
    for point in &points {
        let found = in_time(problem.clash(&mut graph(&problem, point, &clock), point));
        let Some(condition) = found else { continue };
        counted.conditions += 1;
        counted.held += points.iter().filter(|other| condition.holds(other)).count();
        assert!(condition.holds(point), "{point:?}:\n{set}");
        let excluded = free.iter().find(|other| condition.holds(other));
        assert!(
            excluded.is_none(),
            "the condition at {point:?} excludes {excluded:?}:\n{set}"
        );
    }
}

#[test]
fn no_condition_at_any_lengths_excludes_lengths_without_a_clash() {
    let mut counted = Counted::default();
    for text in WALKS.iter().chain(&LOOPS) {
        conditions_at_each_point(&set(text), Order::Marked, 4, &mut counted);
    }
    // Each condition excludes more than the lengths at which it was found.
    assert!(counted.conditions > 100, "{counted:?}");
    assert!(counted.held > 10 * counted.conditions, "{counted:?}");
}

/// Two walks meet at the written `a` where both of them end there, and not where both miss it by as much.
#[test]
fn walks_that_meet_at_a_written_axis_both_lead_to_it() {
    for text in [
        "[2 <s>] ~ [<r> a]\n[3 <t>] ~ [<q> a]",
        "[2 <s>] ~ [<r> a]\n[<t> 3] ~ [a <q>]",
    ] {
        let mut counted = Counted::default();
        conditions_at_each_point(&set(text), Order::Marked, 1, &mut counted);
        assert!(counted.conditions > 0, "{text}");
    }
}

/// Sets with several loops in the walks of a clash. The condition says of each how its rounds are determined, which
/// decides how many lengths are excluded with those of the clash. These numbers were counted and not derived: fewer
/// would make a search longer.
#[test]
fn a_condition_excludes_many_lengths_with_those_at_which_it_was_found() {
    for (text, order, clashes, excluded) in [
        (
            "[2, 1_ <s>] <= [1_ <s>]\n[2 <s> 2] <= <s>\n[1_, 3 <s>] <= [<s> 2]",
            Order::OneShot,
            36,
            242,
        ),
        (
            "[2, 2 <r>] ~ [2 <r> 3]\n[<r> 1_] <= <r>",
            Order::Marked,
            36,
            1025,
        ),
        ("[<s> 2] ~ [3 <s>]", Order::OneShot, 36, 982),
    ] {
        let mut counted = Counted::default();
        conditions_at_each_point(&set(text), order, 5, &mut counted);
        let counted = (counted.conditions, counted.held);
        assert_eq!(counted, (clashes, excluded), "{text}");
    }
}

/// Counts the clashes that are excluded before it is known that a set has no solution. So few suffice because
/// conditions exclude many lengths, and because long lengths are looked at from the third clash on.
#[test]
fn few_clashes_refute_sets_that_are_open_at_every_window() {
    let order = Order::Marked;
    for (text, clashes) in [
        ("[2 <r>] ~ <s>\n[<r> 1_] <= <s>", 4),
        ("[2, 3, 1_ <r>] ~ [a <s>]\n[1_ <s>] <= [1_, 1_ <r> a]", 4),
        ("[1_ <s>] ~ [<r> 2]\n<r> <= <s>", 5),
        (
            "<s> <= <r>\n[a, 1_ <r>] <= [1_, a <> 2, a]\n[a <s> 1_, 1_] ~ [1_, a <r> a]",
            4,
        ),
        ("[1_, a <r>] ~ [<s> 2]\n[1_ <s>] <= [a, 1_ <r>]", 5),
        (
            "[<r> 3] ~ [<s> 1_, 3]\n[b <r> b, 2] <= [1_, 3, 1_ <s> a]\n<r> <= <r>\n[<r> 1_] <= <s>",
            5,
        ),
    ] {
        let set = set(text);
        let scope = Scope::new(&set.constraints, set.vars());
        let oracle = Oracle::new(order);
        let limits = Limits {
            clashes,
            ..Limits::default()
        };
        let decided = decide(&oracle.start(), &limits, &scope, order);
        assert_eq!(decided, Ok(None), "{text}");
    }
}

/// Returns the first step by windows that is definite, if any.
fn by_windows(set: &ConstraintSet, order: Order) -> CheckResult {
    let oracle = Oracle::new(order);
    let clock = oracle.start();
    let smt = smt::of_this_thread();
    let scope = Scope::new(&set.constraints, set.vars());
    for window in scope.windows(64) {
        let mut session = in_time(oracle.encode(&smt, &clock, &scope, window));
        let sealed = session.seal();
        let step = in_time(sealed.check(&session, &[]));
        if step != CheckResult::Open {
            return step;
        }
    }
    CheckResult::Open
}

/// The oracle has two ways to a verdict. Where both are taken they lead to the same one, and to the same first
/// solution.
#[test]
fn lengths_and_windows_agree() {
    let mut random = Random::new(7);
    let (mut found, mut refuted, mut open) = (0, 0, 0);
    for seed in 0..600 {
        let size = Size {
            constraints: 5,
            flank: 1 + random.below(3),
            row_vars: 1 + random.below(3),
            dim_vars: 2,
            atoms: 2,
        };
        let set = random_set(seed, size);
        for order in ORDERS {
            let oracle = Oracle::new(order);
            let scope = Scope::new(&set.constraints, set.vars());
            let decided = in_time(decide(&oracle.start(), &oracle.limits, &scope, order));
            match by_windows(&set, order) {
                CheckResult::Found => {
                    found += 1;
                    assert_eq!(decided, in_time(oracle.model(&set)), "{order:?}:\n{set}");
                }
                CheckResult::Refuted => {
                    refuted += 1;
                    assert_eq!(decided, None, "{order:?}:\n{set}");
                }
                CheckResult::Open => open += 1,
            }
        }
    }
    assert!(found > 200 && refuted > 200, "{found}, {refuted}, {open}");
}

/// Lengths have a limit on comparisons of their own.
#[test]
fn a_graph_is_charged() {
    let oracle = Oracle::default();
    let set = set("<r> ~ [3, 5, 7]");
    let scope = Scope::new(&set.constraints, set.vars());
    let with = |comparisons| {
        let limits = Limits {
            comparisons,
            ..Limits::default()
        };
        decide(&oracle.start(), &limits, &scope, Order::Marked)
    };
    // The unit, three atoms and three places, and both rows of the equation.
    let cost = 1 + 3 + 3 + 2 * 3;
    assert_eq!(with(cost - 1), Err(Reason::Size));
    assert!(with(cost).is_ok_and(|found| found.is_some()));
}

/// Returns the fact that a row has at least so many axes.
fn long(row: u32, axes: u32) -> LengthFact {
    let rank = Length {
        explicit: 0,
        of: Some((Measure::Rank, row)),
    };
    LengthFact::AtLeast(rank, axes_alone(axes))
}

fn axes_alone(explicit: u32) -> Length {
    Length { explicit, of: None }
}

/// Returns two rows of which nothing is known but facts about their lengths.
fn of_lengths(facts: Vec<LengthFact>) -> Problem {
    let mut symbols = Symbols::default();
    for name in ["r", "s"] {
        symbols.row_number(&RowVar::new(name));
    }
    Problem {
        ranks: Ranks::new(2, &facts),
        symbols,
        comparisons: Vec::new(),
        facts,
    }
}

/// Returns the first lengths that satisfy the facts, and how many questions were put to Z3.
fn first_lengths(facts: Vec<LengthFact>) -> (Result<Option<Point>, Reason>, u32) {
    let clock = Oracle::default().start();
    let (problem, smt) = (of_lengths(facts), Smt::new());
    let mut search = in_time(Search::new(&smt, &clock, &problem));
    let point = search.least_point();
    (point, smt.checks())
}

/// Lengths are found by doubling and halving, so that a thousand axes take some ten questions for each length.
#[test]
fn few_questions_find_the_least_lengths() {
    let (point, questions) = first_lengths(vec![long(0, 1000), long(1, 5)]);
    assert_eq!(point, Ok(Some(Point(vec![[0, 1000], [0, 5]]))));
    assert!(questions <= 60, "{questions}");
    // The existence of lengths is asked after the smallest ones were, and not again.
    let none = vec![LengthFact::AtLeast(axes_alone(3), axes_alone(5))];
    assert_eq!(first_lengths(none), (Ok(None), 2));
}

/// Lengths whose sum is beyond all limits on comparisons are not looked for.
#[test]
fn lengths_beyond_all_limits_are_given_up() {
    let longest = 1 << 30;
    let (point, _) = first_lengths(vec![long(0, longest)]);
    assert_eq!(point, Ok(Some(Point(vec![[0, longest.into()], [0, 0]]))));
    let (point, _) = first_lengths(vec![long(0, longest + 1)]);
    assert_eq!(point, Err(Reason::Size));
}

/// A quotient of a condition is a number of its own, also beside those of other conditions.
#[test]
fn each_quotient_is_a_number_of_its_own() {
    let clock = Oracle::default().start();
    let (problem, smt) = (of_lengths(vec![long(0, 5)]), Smt::new());
    let mut search = in_time(Search::new(&smt, &clock, &problem));
    // Half of the rank, rounded down, is a third of it; and then a quarter.
    for divisor in [3, 4] {
        let mut condition = Condition::default();
        let rank = || Form::of(Unknown::Rank(0));
        let half = condition.quotient(rank(), 2);
        let part = condition.quotient(rank(), divisor);
        condition.require(Formula::Zero(half - &part));
        in_time(search.exclude(&condition));
        let point = in_time(search.least_point());
        assert_eq!(point, Some(Point(vec![[0, 5], [0, 0]])), "{divisor}");
    }
}

/// Of a condition with not too many parts, only those are kept that do not follow from the others: here the last one.
#[test]
fn a_condition_is_sifted_unless_it_is_long() {
    let excluded = |parts: i64| {
        let clock = Oracle::default().start();
        let (problem, smt) = (of_lengths(Vec::new()), Smt::new());
        let mut search = in_time(Search::new(&smt, &clock, &problem));
        let mut condition = Condition::default();
        for part in 1..=parts {
            let leading = Form::of(Unknown::Leading(1));
            condition.require(Formula::Natural(leading + -part));
        }
        in_time(search.exclude(&condition));
        let asked = smt.checks();
        let shorter = in_time(search.least_point()).expect("lengths");
        assert_eq!(shorter, Point(vec![[0, 0], [0, 0]]));
        // No leading flank of `parts` axes is left, and one that is shorter by one is.
        let mut all = Vec::new();
        for least in [parts, parts - 1] {
            let facts = vec![LengthFact::AtLeast(
                Length {
                    explicit: 0,
                    of: Some((Measure::Leading, 1)),
                },
                axes_alone(least as u32),
            )];
            let problem = of_lengths(facts);
            let smt = Smt::new();
            let mut search = in_time(Search::new(&smt, &clock, &problem));
            in_time(search.exclude(&condition));
            all.push(in_time(search.least_point()).is_some());
        }
        assert_eq!(all, [false, true]);
        asked
    };
    assert_eq!(excluded(100), 100);
    assert_eq!(excluded(101), 0);
}

#[test]
fn the_written_axes_of_all_constraints_are_counted() {
    let set = set("[3, 5 <r> 7] ~ [<s> 4]\n[a] <= <r>\na <= b");
    let scope = Scope::new(&set.constraints, set.vars());
    let oracle = Oracle::default();
    let problem = in_time(Problem::new(&oracle.start(), &scope, Order::Marked));
    assert_eq!(problem.explicit(), 3 + 1 + 1 + 2);
}

/// After two clashes long lengths are looked at. A solution found there is not the first one where a shorter one is
/// left.
#[test]
fn a_solution_at_long_lengths_is_not_taken_for_the_first_one() {
    let order = Order::OneShot;
    for (text, first) in [
        ("[3, 4 <s>] <= [<s> 3]", "<s> ~ [3 <>]\n"),
        ("[4, 1_ <t> 1_] <= [<t> 4, a]", "a = 1_\n<t> ~ [4 <>]\n"),
    ] {
        let set = set(text);
        let scope = Scope::new(&set.constraints, set.vars());
        let oracle = Oracle::new(order);
        let found = in_time(decide(&oracle.start(), &oracle.limits, &scope, order));
        let found = found.map(|ground| ground.to_string());
        assert_eq!(found.as_deref(), Some(first), "{text}");
    }
}
