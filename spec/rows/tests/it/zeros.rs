//! §8: variables that may be 0, by runs of the rules.

use lozenge_spec::solve::End;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Order, Rule, Verdict};

fn run(text: &str, close: bool) -> lozenge_spec::Run {
    let set: ConstraintSet = text.parse().expect("in the notation");
    let options = Options {
        close,
        ..Options::default()
    };
    let run = solve(&set, &options);
    if let Some(greatest) = run.greatest() {
        assert!(greatest.has_zeros_of(&set), "{text}\n{greatest}");
        let violated = greatest.first_violated(&set.constraints, Order::Marked);
        assert_eq!(violated, None, "{text}\n{greatest}");
    }
    run
}

#[test]
fn an_axis_is_not_longer_than_itself_where_the_rest_may_be_zero() {
    let cycle = "a = b ^ c\nb = a ^ d";
    assert_eq!(run(cycle, false).verdict(), Verdict::Unsat);
    assert_eq!(
        run(&format!("{cycle}\nsummand c"), false).verdict(),
        Verdict::Unsat
    );
    let both = run(&format!("{cycle}\nsummand c, d"), false);
    assert_eq!(both.verdict(), Verdict::Sat);
    assert_eq!(both.config.zeros.len(), 2);
}

/// W14: whether `a` or `b` is chosen first decides, if sizes are guessed.
#[test]
fn no_zero_is_guessed() {
    let text = "t = a ^ b ^ c\nt = 7\nsummand a, c";
    assert_eq!(run(text, false).verdict(), Verdict::Sat);
    let closed = run(text, true);
    assert_eq!(closed.verdict(), Verdict::Rejected);
    assert_eq!(
        closed.failure().map(|failure| failure.rule),
        Some(Rule::CloseArith)
    );
    let forced = run(&format!("{text}\nb = 7"), true);
    assert!(matches!(forced.end, End::Solved));
    let greatest = forced.greatest().expect("closed");
    assert_eq!(greatest.to_string(), "b = 7\nt = 7\na = 0\nc = 0\n");
    // Each part could be as long as the axis, and nothing says which one is.
    let either = "t = a ^ b\nt = 1\nsummand a, b";
    assert_eq!(run(either, false).verdict(), Verdict::Sat);
    assert_eq!(run(either, true).verdict(), Verdict::Rejected);
}

/// W16: a 0 is not above 3.
#[test]
fn a_variable_above_an_atom_is_not_zero() {
    let text = "t = a ^ b\nt = 5\n3 <= a\nsummand a, b";
    let closed = run(text, true);
    let greatest = closed.greatest().expect("closed");
    assert_eq!(greatest.to_string(), "a = 3\nb = 2\nt = 5\n");
}

/// A variable that stands in a row, in a window, under a bound, as a factor or as a whole is a dimension.
#[test]
fn a_part_that_is_used_otherwise_is_not_zero() {
    for use_of_b in [
        "[b] ~ <r>",
        "<r> <= [2, b]",
        "i = b + k",
        "i = k + b",
        "b >= 1",
        "n = b * k",
        "b = c ^ d",
    ] {
        let free = "t = a ^ b\nt = 3\na = 3\nsummand b\n";
        assert_eq!(run(free, false).verdict(), Verdict::Sat, "{free}");
        let used = format!("{free}{use_of_b}\n");
        assert_eq!(run(&used, false).verdict(), Verdict::Unsat, "{used}");
    }
}
