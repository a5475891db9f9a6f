//! Long programs: every one of them has shapes and loop nests, and none of them overflows a stack.

use std::fmt::Write;

use lozenge::{Inference, Options, infer, parse};

fn inferred(text: &str) -> Inference {
    let program = parse(text).map_err(|errors| errors[0].to_string());
    let program = program.expect("a program");
    infer(&program, &Options::default()).expect("shapes and loop nests")
}

#[test]
fn a_sum_of_800_terms() {
    let terms = vec!["x"; 800].join(" + ");
    let found = inferred(&format!("data x : 8|->3 = range(24)\nlet y = {terms}\n"));
    assert_eq!(found.nests.len(), 799);
}

#[test]
fn lines_that_each_use_the_two_before() {
    let mut text = String::from("data t0 : 4|->3 = range(12)\ndata t1 : 4|->3 = range(12)\n");
    for line in 2..400 {
        let _ = writeln!(text, "let t{line} = t{} + t{}", line - 1, line - 2);
    }
    assert_eq!(inferred(&text).nests.len(), 398);
}

#[test]
fn two_thousand_signs() {
    let signs = "-".repeat(2000);
    let found = inferred(&format!("data x : 8|->3 = range(24)\nlet y = {signs}x\n"));
    assert_eq!(found.nests.len(), 2000);
}

#[test]
fn three_hundred_residual_layers() {
    let mut text = String::from("data x : 8|->16 = range(128)\nlet a0 = x + 1\n");
    for layer in 0..300 {
        let next = layer + 1;
        let _ = writeln!(
            text,
            "param w{layer}\nlet a{next} = relu(w{layer} * a{layer}) + a{layer}"
        );
    }
    let found = inferred(&text);
    // The tensor of the number 1 is filled once.
    assert_eq!(found.nests.len(), 300 * 3 + 2);
    let last = found.nests.last().expect("a nest").to_string();
    assert!(last.contains("for i in 0..8:"), "{last}");
}

#[test]
fn an_axis_more_in_every_line() {
    let mut text = String::from("data x : 2 = range(2)\ndata y : 2 = range(2)\nlet a0 = x + 0\n");
    for line in 0..59 {
        let next = line + 1;
        let _ = writeln!(text, "a{next} =: a{line} * x \"..., i; j => ..., i, j\"");
    }
    // 2^60 cells are no tensor that a device could hold, but they have a shape and loops.
    let found = inferred(&text);
    assert_eq!(
        found.nests.last().map(|nest| nest.factors().len()),
        Some(60)
    );
}
