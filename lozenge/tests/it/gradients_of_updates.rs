//! Gradients of programs that change tensors between the operations of a loss: they are exact, or refused.

use crate::gradients::{largest_error, precisely};

/// Returns the program of a few lines between the first values and the loss.
fn program(lines: &[&str]) -> String {
    let lines: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| line.replace("NEW", &format!("n{at}")))
        .collect();
    let made = lines.iter().filter_map(|line| line.strip_prefix("let "));
    let made: String = made.map(|line| format!(" + sum({})", &line[..2])).collect();
    format!(
        "data d : 3 = [1.5, -2, 0.5]\nparam p : 3 = 1\nlet t = p *. d\nlet u = p + d\n{}\nlet loss = sum(square(t)) + sum(square(u)){made}\nbackward loss\n",
        lines.join("\n")
    )
}

/// Tells whether the gradient of a program is refused, because a value that it needs has changed. If it is not, it is
/// compared with differences.
#[track_caller]
fn is_refused(source: &str) -> bool {
    match lozenge::parse(source) {
        Ok(_) => {
            let (error, _) = largest_error(source, &mut precisely);
            assert!(error < 1e-6, "{error:e} in\n{source}");
            false
        }
        Err(errors) => {
            let message = &errors[0].message;
            let says = message.contains("that is not there any more")
                || message == "an update by `=max` or `=min` has no gradient";
            assert!(says, "{message} in\n{source}");
            true
        }
    }
}

/// All programs of three lines from this list.
#[test]
fn a_gradient_that_needs_a_changed_value_is_refused() {
    const LINES: [&str; 11] = [
        "let NEW = t *. u",
        "let NEW = exp(t)",
        "let NEW = p *. p",
        "t =+ d",
        "t =+ u *. t",
        "t =- t \"a:1^b => b^a\"",
        "t =+ square(u) \"a:1^b => b^a\"",
        "u =- 2 *. p",
        "u =+ square(t)",
        "u =max d",
        "p =- d",
    ];
    let (mut refused, mut exact) = (0, 0);
    for first in LINES {
        for second in LINES {
            for third in LINES {
                let lines = [first, second, third];
                let is_refused = is_refused(&program(&lines));
                let changes = lines.iter().any(|line| !line.starts_with("let"));
                assert!(changes || !is_refused, "nothing changes in {lines:?}");
                match is_refused {
                    true => refused += 1,
                    false => exact += 1,
                }
            }
        }
    }
    assert!(refused > 100 && exact > 100, "{refused} and {exact}");
}

/// A changed value may be read where the derivative does not need it, or where it was read after the change.
#[test]
fn a_change_that_no_derivative_sees_is_allowed() {
    for lines in [
        &["let NEW = t + u", "t =+ d", "u =+ t"][..],
        &["t =+ d", "let NEW = exp(t)"],
        &["t =+ square(u)", "t =- square(p)"],
        &["let NEW = 3 *. p", "p =- d"],
        &["p =- d", "let NEW = square(p)"],
    ] {
        assert!(!is_refused(&program(lines)), "{lines:?}");
    }
    for lines in [
        &["let NEW = exp(t)", "t =+ d"][..],
        &["t =+ square(t)"],
        &["let NEW = square(p)", "p =- d"],
        &["u =+ t *. p", "p =- d"],
    ] {
        assert!(is_refused(&program(lines)), "{lines:?}");
    }
}

/// The largest value is compared with the result of the maximum, which a later update changes. The regions of a
/// concatenation, which write one result one after the other, are no changes.
#[test]
fn a_result_that_has_changed_is_refused_too() {
    let of = |lines: &str| {
        format!(
            "data d : 3 = [1.5, -2, 0.5]\nparam p : 3 = 1\nlet t = p *. d\n{lines}\nlet loss = sum(m)\nbackward loss\n"
        )
    };
    assert!(!is_refused(&of("m =:max t \"i =>\"")));
    assert!(is_refused(&of("m =:max t \"i =>\"\nm =+ 1")));
    assert!(!is_refused(&of("m =:max concat(t, p) \"i; j => i^j\"")));
    assert!(is_refused(&of(
        "m =:max concat(t, p) \"i; j => i^j\"\nm =+ 1"
    )));
}

/// The derivative of a product is the product of the other factors, which no record has. `prod` of the prelude finds
/// it.
#[test]
fn a_product_that_an_assignment_accumulates_has_no_gradient() {
    let of = |lines: &str| {
        format!(
            "data d : 3 = [1.5, -2, 0.5]\nparam p : 3 = 1\nlet t = p *. d\n{lines}\nlet loss = sum(m)\nbackward loss\n"
        )
    };
    for refused in ["m =:* t \"i =>\"", "let m = d\nm =* p", "let m = p\nm =* d"] {
        let errors = lozenge::parse(&of(refused)).expect_err("it is refused");
        let said = "a product that an assignment accumulates has no gradient";
        assert_eq!(errors[0].message, said, "{refused}");
    }
    for accepted in ["let m = prod(t)", "let m = t\nlet u = d\nu =* d"] {
        assert!(lozenge::parse(&of(accepted)).is_ok(), "{accepted}");
    }
}

/// A loss that reads a gradient is refused, since the gradient would count as a number. A state that holds it does
/// count so.
#[test]
fn a_gradient_of_a_gradient_is_refused() {
    let of = |kept: &str| {
        format!(
            "data d : 3 = [1.5, -2, 0.5]\nparam p : 3 = 1\nstate s : 3 = 0\nlet one = sum(p *. p *. d)\nbackward one\ns =: p.grad\nlet loss = sum(p *. d) + sum(square({kept}))\nbackward loss\n"
        )
    };
    let errors = lozenge::parse(&of("p.grad")).expect_err("it is refused");
    assert_eq!(errors[0].message, "a gradient of a gradient is not there");
    assert!(lozenge::parse(&of("s")).is_ok());
}
