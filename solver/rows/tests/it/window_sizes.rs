//! Windows and bounds of sizes: what follows, what is decided as a whole, what closing does.

use crate::random_sets::{Draw, enumerate_dims};
use lozenge_solver::{Problem, Refusal, Solver, Standing};
use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, Ground, Order, Rule, Var, Verdict,
};

fn lines(text: &str) -> Problem {
    Problem::parse(&text.replace("; ", "\n")).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Solves, and compares the verdicts of both modes; a solution is checked.
fn verdict(text: &str) -> Verdict {
    let mut solver = Solver::new(lines(text));
    let verdict = solver.verdict();
    let set = solver.problem().to_set();
    if verdict == Verdict::Sat {
        assert!(
            holds(&solver.solution().ground(), &set),
            "{text}: {}",
            solver.solution().ground()
        );
    }
    let decision = Solver::new(lines(text)).decide();
    assert_eq!(decision.verdict, verdict, "{text}: complete mode");
    if let Some(ground) = decision.solution {
        assert!(holds(&ground, &set), "{text}: {ground}");
    }
    verdict
}

fn holds(ground: &Ground, set: &ConstraintSet) -> bool {
    ground
        .first_violated(&set.constraints, Order::Marked)
        .is_none()
}

/// Returns the refusal of a problem that is closed.
fn refused(text: &str) -> Refusal {
    let mut solver = Solver::new(lines(text));
    *solver.close().expect_err(text)
}

fn forced(text: &str, var: &str) -> Option<String> {
    let mut solver = Solver::new(lines(text));
    solver
        .solve()
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    let var: Var = var.parse().expect("a variable");
    let is_forced = solver.solution().standing(&var) == Some(Standing::Forced);
    let Var::Dim(name) = &var else { return None };
    is_forced.then(|| {
        solver
            .solution()
            .dim(name.name())
            .map(|dim| dim.to_string())
    })?
}

/// Returns the value of a variable once the problem is closed.
fn closed(text: &str, var: &str) -> String {
    let mut solver = Solver::new(lines(text));
    solver
        .close()
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    let set = solver.problem().to_set();
    assert!(holds(&solver.solution().ground(), &set), "{text}");
    solver
        .solution()
        .dim(var)
        .map(|dim| dim.to_string())
        .unwrap_or_default()
}

#[test]
fn a_window_gives_its_size() {
    let three = Some("3".to_string());
    assert_eq!(forced("i = 2*o + k; i = 7; k = 3", "o"), three);
    assert_eq!(forced("i = floor(2*o + k); i = 8; k = 3", "o"), three);
    assert_eq!(
        forced("i = same(2*o + k); i = 7; k = 3", "o"),
        Some("4".into())
    );
    assert_eq!(forced("i = same(2*o + k); i = 7", "o"), Some("4".into()));
    assert_eq!(forced("i = 2*o + 1; i = 6", "o"), three);
    assert_eq!(
        forced("i = pad(2*o + k, 1); k = 3; i = 5_px", "o"),
        Some("3_px".into())
    );
    // The basis of a tap is its own.
    assert_eq!(forced("i = o + k; i = 5; k = 3_px", "o"), three);
    assert_eq!(
        forced("i = o + k; o = 3_px; k = 3", "i"),
        Some("5_px".into())
    );
    // An axis must be an atom, so that a bound pins it; and the size of k follows, but not its basis.
    assert_eq!(forced("3 <= o; i = o + k; i = 5", "o"), three);
    assert_eq!(forced("3 <= o; i = o + k; i = 5", "k"), None);
    assert_eq!(closed("3 <= o; i = o + k; i = 5", "k"), "3");
    assert_eq!(closed("3_px <= k; i = o + k; i = 5; o = 3", "k"), "3_px");
    // W18: i is odd, so y is neither i nor 4.
    assert_eq!(verdict("i = 2*o + k; k = 1; i <= y; 4 <= y"), Verdict::Sat);
    // W19: one cell, one window.
    assert_eq!(
        verdict("i = o + k; k = 1; i = 1; o = 1; o >= 2"),
        Verdict::Unsat
    );
}

#[test]
fn sizes_that_fit_nothing_are_refused_with_sizes_that_fit() {
    let refusal = refused("i = 2*o + k; i = 8; k = 3");
    assert_eq!(
        (refusal.verdict, refusal.rule),
        (Verdict::Unsat, Rule::WiOver)
    );
    assert!(
        refusal
            .message
            .contains("8 cells cannot be tiled by windows of 3 at stride 2: an axis of 7 or 9 can"),
        "{refusal}"
    );
    assert_eq!(refusal.chain.len(), 3);
    for (text, rule, words) in [
        (
            "i = 5*o; i = 12",
            Rule::WiOver,
            "12 is not 5 times anything (remainder 2): an axis of 10 or 15 can",
        ),
        (
            "i = o + 2*k; i = 4; k = 3",
            Rule::WiOver,
            "a window spans 5 cells, the axis has 4",
        ),
        (
            "i = floor(2*o + k, 1); i = 2; k = 5",
            Rule::WiOver,
            "a window spans 5 cells, the axis has 2 (4 with the margins): an axis of 3 can",
        ),
        ("i = 2*o + k; i = 9; o = 3; k = 3", Rule::WiOver, "4 do"),
        (
            "i = pad(o + k, 4); k = 3; o = 2",
            Rule::WiAxis,
            "shorter than their margins",
        ),
        (
            "i = 2*o + k; i = 3; o = 3",
            Rule::WiTap,
            "whatever they span",
        ),
        ("i = 2*o; i = 1_", Rule::WiAtom, "1_ is no axis"),
        ("i = 2*o; i = 6_px; o = 3", Rule::WiBasis, "one basis"),
        ("a >= 4; a = 3", Rule::GeCheck, "at least 4"),
        ("a >= 4; a = 1_", Rule::GeCheck, "1_"),
        // W4: without taps a window spans its stride.
        ("i = 2*o; i = 2*p + q; q = 1", Rule::ArResidue, "no sizes"),
        // W3, W24: i would be even and odd.
        (
            "i = 4*o + k; i = 2*p + q; k = 2; q = 1",
            Rule::ArResidue,
            "no sizes",
        ),
    ] {
        let refusal = refused(text);
        assert_eq!(
            (refusal.verdict, refusal.rule),
            (Verdict::Unsat, rule),
            "{text}: {refusal}"
        );
        assert!(refusal.message.contains(words), "{text}: {refusal}");
        assert!(refusal.minimal, "{text}");
        assert_eq!(verdict(text), Verdict::Unsat);
    }
    // W8: 5 forwards is 5, not 5_px.
    assert_eq!(
        verdict("i = o + k; i = 5; k = 3_px; o = 3_px"),
        Verdict::Unsat
    );
    assert_eq!(verdict("3 <= o; 4 <= o; i = o + k; i = 5"), Verdict::Unsat);
    // W22 of windows: an axis longer than itself.
    assert_eq!(verdict("a = b + k; b = a + l; k = 2"), Verdict::Unsat);
    assert_eq!(verdict("a = b + k; b = a + l"), Verdict::Sat);
}

#[test]
fn no_size_is_guessed() {
    let refusal = refused("i = o + k; i = 5");
    assert_eq!(
        (refusal.verdict, refusal.rule),
        (Verdict::Rejected, Rule::CloseArith)
    );
    assert!(
        refusal
            .message
            .starts_with("nothing says how long o is: `k = "),
        "{refusal}"
    );
    // Two equations force what neither forces.
    let both = "i = 2*a + b; j = a + b; i = 7; j = 5";
    assert_eq!(
        (closed(both, "a"), closed(both, "b")),
        ("3".into(), "3".into())
    );
    // A leaf that an open size stands above is not guessed either.
    let above = "i = o + k; i = 5; x <= k; leaf x";
    assert_eq!(refused(above).rule, Rule::CloseArith);
    assert_eq!(
        closed("i = o + k; i = 5; 3 <= x; x <= k; leaf x, k", "o"),
        "3"
    );
}

/// Shows that the sizes that a refusal of closing proposes close the problem.
#[test]
fn what_is_proposed_is_enough() {
    for text in [
        "i = o + k",
        "i = 2*o + k; i = 9",
        "i = 2*o + 3*k; o = p + k; p >= 3",
        "i = same(2*o + k); leaf i, o, k",
        "i = floor(3*o + k); o = ceil(2*p + l); p = 4",
        "i = o + k; x <= k; y <= x; leaf x, y",
    ] {
        let refusal = refused(text);
        assert_eq!(refusal.rule, Rule::CloseArith, "{text}: {refusal}");
        let proposed: Vec<&str> = refusal.message.split('`').skip(1).step_by(2).collect();
        assert!(!proposed.is_empty(), "{text}: {refusal}");
        let mended = format!("{text}; {}", proposed.join("; "));
        let mut solver = Solver::new(lines(&mended));
        solver
            .close()
            .unwrap_or_else(|refusal| panic!("{mended}: {refusal}"));
    }
}

#[test]
fn what_is_added_and_taken_back_leaves_no_trace() {
    let mut solver = Solver::new(lines("i = 2*o + k; k = 3"));
    solver.solve().unwrap();
    let before = solver.solution().ground();
    for (text, verdict) in [
        ("i = 7", Verdict::Sat),
        ("i = 8", Verdict::Unsat),
        ("o = 4", Verdict::Sat),
    ] {
        solver.snapshot();
        let constraint: Constraint = text.parse().unwrap();
        solver.add(&constraint);
        assert_eq!(solver.verdict(), verdict, "{text}");
        assert!(solver.rollback());
        assert_eq!(solver.solution().ground(), before);
    }
    solver.snapshot();
    solver.add(&"j = o + k".parse().unwrap());
    solver.add(&"j = 9".parse().unwrap());
    solver.solve().unwrap();
    assert_eq!(solver.solution().dim("i"), Dim::new(15));
    solver.keep();
    assert_eq!(solver.solution().dim("o"), Dim::new(7));
    // The first constraint of sizes may come after a snapshot, and go with it.
    let mut solver = Solver::new(lines("3 <= a; a <= b"));
    solver.solve().unwrap();
    for (text, verdict) in [
        ("a = 2*b", Verdict::Unsat),
        ("a >= 4", Verdict::Unsat),
        ("b = 2*c + a", Verdict::Sat),
    ] {
        solver.snapshot();
        solver.snapshot();
        solver.add(&text.parse().unwrap());
        assert_eq!(solver.verdict(), verdict, "{text}");
        solver.keep();
        assert!(solver.rollback());
        assert_eq!(solver.verdict(), Verdict::Sat);
        assert_eq!(solver.solution().dim("b"), Some(Dim::Unit));
    }
}

#[test]
fn rows_take_part() {
    let text = "<x> ~ [8, i, 3]; [8, 7, 3] ~ <x>; i = 2*o + k; k = 3; <y> ~ [8, o, 3]; <z> <= <y>; <z> ~ [8, 3, 3]";
    let mut solver = Solver::new(lines(text));
    solver.close().unwrap();
    assert_eq!(
        solver.solution().row("y").map(|row| row.to_string()),
        Some("[8, 3, 3]".into())
    );
    // An axis that windows count cannot be broadcast.
    assert_eq!(
        refused("[o] ~ <y>; [4] <= <y>; [5] <= <y>; i = 2*o").verdict,
        Verdict::Rejected
    );
    let text = "[4] <= [o]; [5] <= [o]; i = 2*o";
    assert_eq!(refused(text).verdict, Verdict::Unsat);
    assert_eq!(
        verdict("[o] ~ <y>; [4] <= <y>; i = 2*o; j = 4*i + k; k = 5"),
        Verdict::Sat
    );
}

#[test]
fn a_long_chain_is_solved_forwards_and_backwards() {
    let mut text = String::new();
    for layer in 0..1000 {
        text += &format!("x{layer} = x{} + k{layer}\nk{layer} = 3\n", layer + 1);
    }
    let forwards = format!("{text}x0 = 3000\n");
    let mut solver = Solver::new(Problem::parse(&forwards).unwrap());
    solver.close().unwrap();
    assert_eq!(solver.solution().dim("x1000"), Dim::new(1000));
    let backwards = format!("{text}x1000 = 1\n");
    let mut solver = Solver::new(Problem::parse(&backwards).unwrap());
    solver.close().unwrap();
    assert_eq!(solver.solution().dim("x0"), Dim::new(2001));
    let short = format!("{text}x0 = 1999\n");
    assert_eq!(
        Solver::new(Problem::parse(&short).unwrap()).verdict(),
        Verdict::Unsat
    );
    let mut open = Solver::new(Problem::parse(&text).unwrap());
    assert_eq!(open.verdict(), Verdict::Sat);
}

/// Returns a random set of constraints between dimensions, with windows.
fn random_set(draw: &mut Draw) -> ConstraintSet {
    let count = 2 + draw.below(4);
    (0..count).map(|_| random_constraint(draw)).collect()
}

fn random_constraint(draw: &mut Draw) -> Constraint {
    let text = match draw.below(10) {
        0..=4 => random_window(draw),
        5 => format!("{} >= {}", var(draw), 1 + draw.below(5)),
        6 | 7 => format!("{} = {}", var(draw), atom(draw)),
        8 => format!("{} <= {}", atom(draw), var(draw)),
        _ => format!("{} <= {}", var(draw), var(draw)),
    };
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn var(draw: &mut Draw) -> &'static str {
    ["a", "b", "c", "d"][draw.below(4) as usize]
}

fn atom(draw: &mut Draw) -> String {
    let basis = ["", "", "_px"][draw.below(3) as usize];
    match draw.below(7) {
        0 => "1_".to_string(),
        size => format!("{size}{basis}"),
    }
}

fn random_window(draw: &mut Draw) -> String {
    let mode = ["", "", "pad", "floor", "ceil", "same"][draw.below(6) as usize];
    let mut sum = format!("{}*{}", 1 + draw.below(3), var(draw));
    for _ in 0..draw.below(3) {
        sum += &format!(" + {}*{}", 1 + draw.below(2), var(draw));
    }
    let axis = var(draw);
    match mode {
        "" => format!("{axis} = {sum}"),
        "same" => format!("{axis} = same({sum})"),
        mode => format!(
            "{axis} = {mode}({sum}, {}, {})",
            draw.below(3),
            draw.below(3)
        ),
    }
}

/// Lists every dimension up to a size, of two bases, and the unit.
fn universe(most: u64) -> Vec<Dim> {
    let bases = [Basis::Default, Basis::named("px")];
    let based = |size| {
        bases
            .iter()
            .filter_map(move |basis| Dim::based(size, basis.clone()))
    };
    std::iter::once(Dim::Unit)
        .chain((1..=most).flat_map(based))
        .collect()
}

/// Returns at most so many solutions over some dimensions.
fn solutions(set: &ConstraintSet, dims: &[Dim], most: usize) -> Vec<Ground> {
    let mut found = Vec::new();
    enumerate_dims(set, dims, &mut |ground| {
        found.push(ground.clone());
        found.len() == most
    });
    found
}

/// Shows that decisions agree with every assignment of small sizes.
#[test]
fn random_sets_are_decided_as_enumeration_says() {
    let universe = universe(9);
    let mut seen = [0; 3];
    for seed in 0..4000 {
        let set = random_set(&mut Draw::new(seed));
        let decision = Solver::new(Problem::from(&set)).decide();
        let policy = Solver::new(Problem::from(&set)).verdict();
        let found = solutions(&set, &universe, 1).pop();
        assert_eq!(policy, decision.verdict, "policy chooses nothing in\n{set}");
        match (decision.verdict, found) {
            (Verdict::Sat, found) => {
                let ground = decision.solution.expect("a solution");
                assert!(holds(&ground, &set), "{ground} is no solution of\n{set}");
                seen[0] += 1;
                seen[1] += usize::from(found.is_none());
            }
            (Verdict::Unsat, None) => seen[2] += 1,
            (verdict, found) => panic!("seed {seed}: {verdict}, but {found:?} of\n{set}"),
        }
    }
    assert!(seen[0] > 1000 && seen[2] > 500, "{seen:?}");
}

/// Closing gives values that satisfy the set, and what it forces no other solution differs from.
#[test]
fn random_sets_are_closed_to_solutions() {
    let universe = universe(7);
    let (mut closed, mut refused) = (0, 0);
    for seed in 0..4000 {
        let set = random_set(&mut Draw::new(seed));
        let mut solver = Solver::new(Problem::from(&set));
        match solver.close() {
            Ok(()) => {
                let ground = solver.solution().ground();
                assert!(
                    holds(&ground, &set),
                    "seed {seed}: {ground} is no solution of\n{set}"
                );
                // A size that closing gives an axis of windows is the size that every solution gives it.
                let others = solutions(&set, &universe, 20);
                let windows = set
                    .constraints
                    .iter()
                    .filter(|stated| matches!(stated, Constraint::Window(_)));
                let axes: Vec<Var> = windows.flat_map(Constraint::occurrences).collect();
                for other in others {
                    for axis in &axes {
                        let Var::Dim(axis) = axis else { continue };
                        assert_eq!(
                            other.dims[axis].size(),
                            ground.dims[axis].size(),
                            "seed {seed}: {axis} of\n{set}"
                        );
                    }
                }
                closed += 1;
            }
            Err(refusal) if refusal.rule == Rule::CloseArith => {
                assert_eq!(refusal.verdict, Verdict::Rejected);
                refused += 1;
            }
            Err(refusal) => assert_eq!(
                refusal.verdict,
                Verdict::Unsat,
                "seed {seed}: {refusal}\n{set}"
            ),
        }
    }
    assert!(closed > 300 && refused > 300, "{closed} {refused}");
}

/// Numbers of windows and spans that 64 bits, or 127, do not hold are no other sizes.
#[test]
fn what_is_too_large_is_not_another_size() {
    const MOST: u64 = u64::MAX;
    let half = MOST / 2;
    for text in [
        format!("i = pad(o + k, {MOST}); i = 5; k = 2; o = 3"),
        format!("i = pad(o + k, {half}, {half}); i = 4; k = 2; o = 3"),
        format!("i = floor(2*o + k, {MOST}, {MOST}); i = 5; k = 3; o = 3"),
        format!("i = ceil(o + k, {MOST}, 0); i = 5; k = 3; o = 7"),
        format!("i = floor(o + {MOST}*k); k = {MOST}; i = 5; o = 5"),
        format!("i = ceil(o + {MOST}*k); k = {MOST}; i = 5; o = 5"),
    ] {
        assert_eq!(verdict(&text), Verdict::Unsat, "{text}");
    }
    // The span does not matter where the margins are made for it.
    let text = format!("i = same(2*o + {MOST}*k); k = {MOST}; i = 5");
    assert_eq!(forced(&text, "o").as_deref(), Some("3"));
}

/// Windows that cover an axis are no more than its cells, so that the axis is no part of them.
#[test]
fn windows_are_not_longer_than_their_axis() {
    for text in ["i = o + k; o = i ^ x", "i = o + k; o = i ^ x; k >= 2"] {
        let refusal = Solver::new(lines(text)).solve().expect_err(text);
        assert_eq!(refusal.rule, Rule::CoCycle, "{text}");
        assert_eq!(refusal.message, "o is longer than itself");
    }
}

/// Numbers beyond 63 bits are not taken for other ones.
#[test]
fn sizes_that_are_too_large_to_reckon_with_are_left_open() {
    let (all, most) = (u64::MAX, i64::MAX);
    for text in [
        format!("t = a ^ b; t = {all}; u = a ^ b; u = {most}"),
        format!("t = a ^ b ^ b; u = b ^ a ^ a; t = {all}; u = {most}"),
        format!("t = a ^ b ^ b; t = {all}; u = b ^ a ^ a; u = {all}"),
    ] {
        let refusal = Solver::new(lines(&text)).solve().expect_err(&text);
        assert_eq!(refusal.verdict, Verdict::Unknown, "{text}");
        assert!(
            refusal.message.contains("a number is too large"),
            "{refusal}"
        );
    }
}

/// Taps that are 2⁶³ cells apart: three of them span 2⁶⁴ + 1 cells, of 2 and two margins of 2⁶³.
#[test]
fn a_span_may_be_longer_than_a_number_of_64_bits() {
    let far = 1u64 << 63;
    let mut solver = Solver::new(lines(&format!("i = pad(o + {far}*k, {far}); k = 3; i = 2")));
    solver.solve().expect("two windows fit");
    let windows = solver.solution().dim("o").map(|dim| dim.size());
    assert_eq!(windows, Some(2));
}
