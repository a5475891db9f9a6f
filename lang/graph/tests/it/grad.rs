//! Programs of the gradual tensor calculus as graphs.

use lozenge_graph::{Limits, ModelError, Where, read};

fn graph(text: &str) -> Result<String, ModelError> {
    read(text.as_bytes().to_vec(), &Limits::default()).map(|graph| graph.to_string())
}

#[test]
fn a_program_becomes_this_graph() {
    let text = "x : [?, 2]\nadd_1 : ?\nwhere x[0] > 5\nreturn add(add(reshape(x, [2, ?]), add_1), if dim(x) = 4 then conv2d(2, 4, (3, 3), x)\n else if size(add_1)[-1] < 100 then x else reshape(x, []))\n";
    insta::assert_snapshot!(graph(text).unwrap());
}

#[test]
fn what_has_no_meaning_as_a_graph_is_refused_with_its_place() {
    for (text, (line, column), what) in [
        (
            "x : ?\nreturn reshape(x, ?)\n",
            (2, 8),
            "says nothing of the wanted shape",
        ),
        (
            "x : ?\nreturn conv2d(1, 1, (3), x)\n",
            (2, 8),
            "has 1 sizes and wants 2",
        ),
        (
            "x : ?\n\nreturn add(x, y)\n",
            (3, 15),
            "`y` is not declared",
        ),
        ("x : ?\nreturn x, x\n", (2, 9), "ends with what it returns"),
    ] {
        let error = graph(text).expect_err(text);
        assert_eq!(error.place, Where::Line(line, column), "{error}");
        assert!(
            error.message.contains(what) && error.help.is_some(),
            "{error}"
        );
    }
}

#[test]
fn limits_hold_for_programs() {
    let nested = "if 1 = 1 then x else ".repeat(100_000);
    let error = graph(&format!("x : ?\nreturn {nested} x\n")).expect_err("deep");
    assert_eq!(error.limit, Some("max_levels"));
    let long = format!(
        "x : ?\nreturn {}x{}\n",
        "add(x, ".repeat(600_000),
        ")".repeat(600_000)
    );
    assert_eq!(graph(&long).expect_err("long").limit, Some("max_nodes"));
    let wide = format!("x : [{}?]\nreturn x\n", "?, ".repeat(100_000));
    assert_eq!(graph(&wide).expect_err("wide").limit, Some("max_values"));
    let deep = format!(
        "x : ?\nreturn {}x{}\n",
        "add(x, ".repeat(50_000),
        ")".repeat(50_000)
    );
    assert!(graph(&deep).is_ok());
}
