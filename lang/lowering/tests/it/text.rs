//! The text of programs, as a user reads it.

use lozenge_graph_program::{Given, lower};

use crate::computed::graph;
use crate::recorded::folder;

/// Gives the lines of the program of a small model, without the blank ones.
fn lines(name: &str) -> Vec<String> {
    let content = std::fs::read(folder().join(format!("{name}.onnx"))).expect("the model is there");
    let lowered = lower(&graph(&content), &Given::new()).expect("it becomes a program");
    let lines = lowered.text.lines().skip(1).filter(|line| !line.is_empty());
    lines.map(str::to_string).collect()
}

#[test]
fn a_convolution_is_a_sum_over_windows() {
    assert_eq!(
        lines("conv_strides_pads_dilations"),
        [
            "data x : 2, 4, 5, 6",
            "# n0: Conv",
            "data w : 3, 4, 3, 2",
            "let y : 2, 3, 3, 5 = sum(x *. w, \"n, c, floor(2*y0 + u0, 1, 2), floor(y1 + 2*u1, 0, 1); o, c, u0, u1 => n, o, y0, y1\")",
            "print y",
        ]
    );
}

#[test]
fn a_stretched_axis_is_read_at_its_only_position() {
    assert_eq!(
        lines("add_stretched"),
        [
            "data a : 2, 1, 4",
            "data b : 3, 1",
            "# n0: Add",
            "let y : 2, 3, 4 = map(a + b, \"a0, 0, a2; a1, 0 => a0, a1, a2\")",
            "print y"
        ]
    );
}

#[test]
fn axes_whose_boundaries_cross_go_through_one_axis_of_all_cells() {
    assert_eq!(
        lines("reshape_crossing"),
        [
            "data x : 4, 6",
            "# n0: Reshape",
            "let y_2 : 24 = map(x, \"a1:4, a0:6 => (a1:4, a0:6)\")",
            "let y : 3, 8 = map(y_2, \"(a1:3, a0:8) => a1:3, a0:8\")",
            "print y",
        ]
    );
}
