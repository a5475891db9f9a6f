//! Input that is large or hostile: each ends, with an answer or with `unknown` and the limit. With work that is
//! quadratic in the size of these inputs they would take hours.

use std::fmt::Write;

use lozenge_solver::{Limits, Options, Problem, Solver};
use lozenge_vocabulary::{Rule, Verdict};

fn solver(text: &str) -> Solver {
    Solver::new(Problem::parse(text).expect("in the notation"))
}

/// Asserts that the records are linear in the number of constraints and axes. Places for axes come in powers of two.
fn is_linear(solver: &Solver, size: usize) {
    let found = solver.statistics();
    let all = [
        found.inferences,
        found.dims,
        found.dim_inequalities,
        found.axes,
    ];
    assert!(all.iter().all(|count| *count <= 5 * size), "{found:?}");
}

#[test]
fn a_row_with_a_million_axes() {
    let axes = vec!["2"; 1_000_000].join(", ");
    let text = format!("[{axes} <>] <= <r>\n<s> ~ [{axes}]\n<t> <= <s>\nleaf <r>");
    let mut solver = solver(&text);
    solver.close().expect("satisfiable");
    is_linear(&solver, 1_000_000);
    assert_eq!(solver.solution().rank("r"), Some(1_000_000));
    assert_eq!(solver.solution().rank("t"), Some(1_000_000));
    solver.add(&"<s> ~ [2]".parse().unwrap());
    assert_eq!(solver.verdict(), Verdict::Unsat);
}

#[test]
fn a_chain_of_300_000_variables() {
    let mut text = String::new();
    for i in 0..300_000 {
        let relation = if i % 2 == 0 { "=" } else { "<=" };
        writeln!(text, "a{i} {relation} a{}", i + 1).unwrap();
    }
    let mut solver = solver(&(text + "7 <= a0\nleaf a300000"));
    solver.close().expect("satisfiable");
    is_linear(&solver, 300_000);
    assert_eq!(solver.solution().dim("a300000").unwrap().to_string(), "7");
    solver.add(&"a300000 = 8".parse().unwrap());
    let refusal = solver.solve().expect_err("7 is not 8");
    assert!(refusal.chain.len() > 3);
}

#[test]
fn a_cycle_of_a_thousand_growing_rows() {
    let mut text = String::new();
    for i in 0..1000 {
        writeln!(text, "<r{i}> <= [{} <r{}>]", i + 2, (i + 1) % 1000).unwrap();
    }
    let refusal = solver(&text).solve().expect_err("a cycle");
    assert_eq!(
        (refusal.verdict, refusal.rule),
        (Verdict::Unsat, Rule::RankCycle)
    );
    assert_eq!(refusal.chain.len(), 1000);
}

#[test]
fn a_short_cycle_after_a_long_chain() {
    let mut text = String::new();
    for i in 0..200_000 {
        writeln!(text, "<r{i}> <= [3 <r{}>]", i + 1).unwrap();
    }
    text += "<p> <= [2 <q>]\n<q> <= <p>";
    let refusal = solver(&text).solve().expect_err("a cycle");
    assert_eq!(refusal.rule, Rule::RankCycle);
    assert_eq!(refusal.chain.len(), 2, "{refusal}");
}

#[test]
fn a_size_at_the_limit_of_64_bits() {
    let mut fits = solver("a = 18446744073709551615\n18446744073709551615_x <= b");
    assert_eq!(fits.verdict(), Verdict::Sat);
    assert_eq!(fits.solution().dim("a").unwrap().size(), u64::MAX);
    let error = Problem::parse("a = 18446744073709551616").expect_err("too large");
    assert_eq!((error.line, error.column), (1, 5));
}

#[test]
fn a_million_caps_on_one_variable() {
    let mut text = String::new();
    for i in 0..1_000_000 {
        writeln!(text, "{} <= a", i + 2).unwrap();
    }
    let mut solver = solver(&(text + "leaf a"));
    solver.close().expect("satisfiable");
    is_linear(&solver, 1_000_000);
    assert_eq!(solver.solution().dim("a").unwrap().to_string(), "1_");
    solver.add(&"a = 2".parse().unwrap());
    assert_eq!(solver.solve().expect_err("the unit").chain.len(), 2);
}

#[test]
fn a_tangle_of_word_equations_ends_at_its_budget() {
    let mut text = String::new();
    for i in 0..12 {
        writeln!(text, "[2, 3 <r{i}>] ~ [<r{}> 3, 2]", (i + 1) % 12).unwrap();
        writeln!(text, "[2, 2 <r{i}>] ~ [<s{i}> 3]").unwrap();
        writeln!(text, "<s{i}> <= [2 <r{}> 3]", (i * 5 + 1) % 12).unwrap();
    }
    let limits = Limits {
        branches: 2000,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let solver = Solver::with(Problem::parse(&text).unwrap(), options);
    let decision = solver.decide();
    match decision.verdict {
        Verdict::Unknown => assert!(decision.limit.is_some(), "{decision:?}"),
        verdict => assert!(decision.branches <= 2000, "{verdict}"),
    }
}

#[test]
fn periods_against_lower_bounds() {
    let text = "[3, 5 <r>] ~ [<r> 5, 3]\n<r> <= [3, 5, 3, 5, 3, 5 <>]\n<r> <= [3 <>]";
    let decision = solver(text).decide();
    assert_eq!(decision.verdict, Verdict::Sat);
    let row = decision
        .solution
        .unwrap()
        .rows
        .into_values()
        .next()
        .unwrap();
    assert_eq!((row.rank(), decision.least), (7, true));
}
