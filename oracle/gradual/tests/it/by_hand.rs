//! Programs whose answers follow from a line of arithmetic: the listings of the paper, and the witnesses of its errata.

use lozenge_gradual_oracle::{Answer, Limits, condition, runs};
use lozenge_gradual_vocabulary::{Expression, Program, grad};

fn program(text: &str) -> Program {
    grad::read(&format!("{text}\n")).expect("a program").0
}

fn is_run(text: &str, ranks: &[usize]) -> bool {
    match runs(&program(text), ranks, Limits::default()) {
        Answer::Holds(_) => true,
        Answer::Never => false,
        Answer::Unknown(why) => panic!("{text}: {why}"),
    }
}

/// Of so many numbers Z3 would read for minutes before it looks at its clock.
#[test]
fn a_program_with_too_many_open_sizes_is_unknown() {
    let nested = |count: usize| {
        let (before, after) = ("reshape(".repeat(count), ", [?])".repeat(count));
        program(&format!("x : ?\nreturn {before}x{after}"))
    };
    let few = runs(&nested(500), &[0], Limits::default());
    assert!(matches!(few, Answer::Holds(_)), "{few:?}");
    let words = "more than 4096 reshapes leave a size open".to_owned();
    let many = runs(&nested(20_000), &[0], Limits::default());
    assert_eq!(many, Answer::Unknown(words));
}

/// Reshapes that rules of the paper admit and that no run performs, and some that run.
#[test]
fn a_reshape_needs_a_product_that_is_one() {
    for (text, rank, expected) in [
        ("x : [2]\nreturn reshape(x, [4, ?])", 1, false),
        ("x : [6, ?]\nreturn reshape(x, [3])", 2, false),
        ("x : [4]\nreturn reshape(x, [?, ?])", 1, false),
        ("x : [2, ?, ?]\nreturn reshape(x, [3])", 3, false),
        ("x : [2, ?, ?]\nreturn reshape(x, [6])", 3, true),
        ("x : [0, 5]\nreturn reshape(x, [0, 7])", 2, true),
        ("x : [0, 5]\nreturn reshape(x, [0, ?])", 2, false),
        (
            "x : [20, 20]\nreturn conv2d(3, 1, (1, 1), reshape(x, [1, ?, 10, 20]))",
            2,
            false,
        ),
        (
            "x : [20, 20]\nreturn conv2d(2, 1, (1, 1), reshape(x, [1, ?, 10, 20]))",
            2,
            true,
        ),
        ("x : [1, 1, 2, 2]\nreturn conv2d(1, 1, (3, 3), x)", 4, false),
    ] {
        assert_eq!(is_run(text, &[rank]), expected, "{text}");
    }
}

#[test]
fn uses_that_clash_never_run_and_bounds_are_met() {
    let clash = "x : ?\nreturn add(conv2d(2, 2, (2, 2), x), conv2d(4, 2, (2, 2), x))";
    for rank in 0..6 {
        assert!(!is_run(clash, &[rank]));
    }
    let bounds = "x : ?\nwhere 5 < x[0] < 20, x[1] static, 5 < x[2] < 20, 2 < x[3] < 10, x[3] % 4 = 1\n\
                  return conv2d(4, 2, (2, 2), x)";
    let Answer::Holds(inputs) = runs(&program(bounds), &[4], Limits::default()) else {
        panic!("it runs")
    };
    let sizes = &inputs["x"];
    assert!(sizes[0] > 5 && sizes[0] < 20 && sizes[1] == 4 && [5, 9].contains(&sizes[3]));
    assert!(!is_run(bounds, &[3]));
}

/// Returns the sides of the last conditional that some input takes.
fn sides(text: &str, ranks: &[usize]) -> (bool, bool) {
    let program = program(text);
    let is_if = |expression: &Expression| matches!(expression, Expression::If { .. });
    let mut all = program.body.iter().filter(|(_, one)| is_if(one));
    let (at, _) = all.next_back().expect("a conditional");
    let side = |value: bool| match condition(&program, ranks, (at, value), Limits::default()) {
        Answer::Holds(_) => true,
        Answer::Never => false,
        Answer::Unknown(why) => panic!("{text}: {why}"),
    };
    (side(true), side(false))
}

/// Listings 5 and 7 of the paper, and conditionals that observe, that refuse, and that stand behind an operation which
/// does.
#[test]
fn a_conditional_is_judged_by_what_precedes_it() {
    let conv = "x : ?\nreturn if dim(conv2d(2, 2, (2, 2), x)) = 4 then x else add(x, x)";
    assert_eq!(sides(conv, &[4]), (true, false));
    assert_eq!(sides(conv, &[3]), (false, false));
    let reshape = "x : ?\nreturn if size(reshape(x, [100]))[0] < 100 then x else add(x, x)";
    assert_eq!(sides(reshape, &[2]), (false, true));
    let open = "x : ?\nreturn if size(x)[0] > 3 then reshape(x, [2]) else reshape(x, [5])";
    assert_eq!(sides(open, &[1]), (true, true));
    assert_eq!(sides(open, &[0]), (false, false));
    let before = "x : [?]\nreturn add(reshape(x, [6]), if size(x)[0] > 6 then x else x)";
    assert_eq!(sides(before, &[1]), (false, true));
}
