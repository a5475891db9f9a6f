//! Policy mode stops at a limit of work and at one of what it holds. Both are counted, so that where it stops does not
//! depend on the machine.

use std::fmt::Write;

use lozenge_solver::{Limits, Options, Problem, Refusal, Solver};
use lozenge_vocabulary::Verdict;

/// Rows each one axis longer than the last, whose axes are all written down because each row has two operands:
/// quadratically many.
fn grid(rows: usize) -> String {
    let pair = |i: usize| format!("<r{}> <= [2 <r{i}>]\n<r{}> <= <r{i}>\n", i + 1, i + 1);
    (0..rows).map(pair).collect()
}

/// Contents each one axis longer than the last, each of which is spelled out.
fn contents(rows: usize) -> String {
    let mut text: String = (0..rows)
        .map(|i| format!("<r{}> ~ [2 <r{i}>]\n", i + 1))
        .collect();
    (0..rows).for_each(|i| writeln!(text, "<r{}> <= <t{i}>", i + 1).unwrap());
    text + "<r0> ~ [3]\n"
}

/// Equations that wait for one row, which grows by an axis at a time, so that all of them are looked at again each
/// time.
fn waiting(rows: usize) -> String {
    let mut text: String = (0..rows)
        .map(|i| format!("[1 <x0>] ~ [<y{i}> 2]\n"))
        .collect();
    (0..rows).for_each(|i| writeln!(text, "<x{i}> ~ [3 <x{}>]", i + 1).unwrap());
    text
}

/// Returns a long row that is spelled out again and again, of which nothing new follows.
fn again(rows: usize) -> String {
    let long: Vec<&str> = vec!["2"; rows];
    format!(
        "<a> ~ [{}]\n{}",
        long.join(", "),
        "<a> ~ <a>\n".repeat(rows)
    )
}

/// Leaves each one axis longer than the last, closed one after the other.
fn leaves(rows: usize) -> String {
    let mut text: String = (0..rows)
        .map(|i| format!("[2 <w{i}>] <= <w{}>\n", i + 1))
        .collect();
    let long: Vec<&str> = vec!["2"; rows];
    writeln!(text, "[{}] <= <w0>", long.join(", ")).unwrap();
    let all: Vec<String> = (0..=rows).map(|i| format!("<w{i}>")).collect();
    text + &format!("leaf {}\n", all.join(", "))
}

fn closed(text: &str, limits: Limits) -> Result<Solver, Box<Refusal>> {
    let options = Options {
        limits,
        ..Options::default()
    };
    let mut solver = Solver::with(Problem::parse(text).unwrap(), options);
    solver.close().map(|()| solver)
}

fn within(policy_work: u64, policy_records: u64) -> Limits {
    Limits {
        policy_work,
        policy_records,
        ..Limits::default()
    }
}

/// Returns the least limit up to which a set is not closed, of those that `limits` makes.
fn least(text: &str, limits: impl Fn(u64) -> Limits) -> u64 {
    let is_unknown = |limit| match closed(text, limits(limit)) {
        Err(refusal) => refusal.verdict == Verdict::Unknown,
        Ok(_) => false,
    };
    let (mut low, mut high) = (0, 1 << 40);
    while low < high {
        let middle = (low + high) / 2;
        match is_unknown(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

#[test]
fn a_limit_that_is_reached_is_unknown_and_says_which_flag_raises_it() {
    for (limits, flag) in [
        (within(1000, u64::MAX), "--policy-work"),
        (within(u64::MAX, 1000), "--policy-records"),
    ] {
        let refusal = closed(&grid(200), limits).err().unwrap();
        assert_eq!(refusal.verdict, Verdict::Unknown);
        assert!(refusal.message.contains("1000"), "{refusal}");
        assert!(refusal.message.contains(flag), "{refusal}");
        assert!(!refusal.to_string().contains("rank_cycle"), "{refusal}");
    }
}

#[test]
fn work_and_records_are_counted_where_they_grow_faster_than_the_text() {
    let work = |text: &str| least(text, |work| within(work, u64::MAX));
    let records = |text: &str| least(text, |records| within(u64::MAX, records));
    // Twice the text is four times the work.
    for family in [grid, contents, waiting, again, leaves] {
        let (one, two) = (work(&family(60)), work(&family(120)));
        assert!(one >= 1500 && two >= 3 * one, "{one} {two}");
    }
    let (one, two) = (records(&grid(60)), records(&grid(120)));
    assert!(one >= 1500 && two >= 3 * one, "{one} {two}");
}

#[test]
fn a_set_that_holds_too_much_is_left_before_it_holds_much_more() {
    let limit = 100_000;
    let text = grid(3000);
    let options = Options {
        limits: within(u64::MAX, limit),
        ..Options::default()
    };
    let mut solver = Solver::with(Problem::parse(&text).unwrap(), options);
    assert_eq!(solver.verdict(), Verdict::Unknown);
    let held = solver.statistics();
    let all = held.inferences + held.dims + held.dim_inequalities + held.rows + held.axes;
    assert!((all as u64) < 3 * limit, "{all}");
}

#[test]
fn each_solve_has_the_whole_limit_of_work() {
    let set = grid(30);
    let once = least(&set, |work| within(work, u64::MAX));
    let options = Options {
        limits: within(once, u64::MAX),
        ..Options::default()
    };
    let mut solver = Solver::with(Problem::parse(&set).unwrap(), options);
    solver.close().unwrap();
    for part in 1..4 {
        let more = set.replace("<r", &format!("<s{part}_"));
        for constraint in &Problem::parse(&more).unwrap().to_set().constraints {
            solver.add(constraint);
        }
        solver.solve().unwrap();
    }
}

#[test]
fn what_is_refused_within_the_limits_is_refused_with_the_same_words() {
    let text = "<a> <= [2, 3]\n<b> <= <a>\n<c> <= <a>\n[2, 4] <= <b>\n";
    let free = closed(text, Limits::default()).err().unwrap();
    let least = least(text, |work| within(work, u64::MAX));
    let close = closed(text, within(least, u64::MAX)).err().unwrap();
    assert_eq!(free.verdict, Verdict::Unsat);
    assert_eq!(free, close);
}

#[test]
fn complete_mode_says_unknown_where_its_first_part_reaches_a_limit() {
    let options = Options {
        limits: within(1000, u64::MAX),
        ..Options::default()
    };
    let decision = Solver::with(Problem::parse(&grid(200)).unwrap(), options).decide();
    assert_eq!(decision.verdict, Verdict::Unknown);
    assert!(decision.limit.unwrap().contains("--policy-work"));
}

/// A set may hold as much as the limit says, and no more.
#[test]
fn the_limit_itself_is_allowed() {
    let records = |text: &str| least(text, |records| within(u64::MAX, records));
    assert_eq!([1, 2, 5].map(|rows| records(&grid(rows))), [11, 22, 65]);
}
