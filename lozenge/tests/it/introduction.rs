//! The programs of `docs/introduction.md` are inferred exactly as printed there, and have the shapes that the page
//! states.

use lozenge::{Options, Reading, read, shape_text};

fn programs() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/introduction.md");
    let document = std::fs::read_to_string(path).expect("the document is there");
    let blocks = document.split("```loz\n").skip(1);
    let ends = blocks.filter_map(|rest| rest.split_once("```"));
    ends.map(|(program, _)| program.to_string()).collect()
}

fn reading(program: &str) -> Reading {
    read(program, &Options::default()).unwrap_or_else(|errors| {
        let error = errors[0].render(program, "program.loz", false);
        panic!("{program}\n{error}")
    })
}

#[test]
fn every_program_has_the_shapes_that_the_page_names() {
    let readings: Vec<Reading> = programs().iter().map(|program| reading(program)).collect();
    for (number, name, expected) in [
        (1, "y", "8_image|->3_rgb"),
        (2, "y", "8|->5"),
        (3, "w1", "3->16"),
        (3, "w2", "16->2"),
        (3, "b", "->2"),
        (4, "gram", "4->4"),
        (4, "turn", "4|->6"),
        (5, "scores", "8|->10"),
        (5, "y.5.residual.linear.w", "32->16"),
        (6, "net.dense.w", "2->8"),
        (6, "net.dense2.w", "8->1"),
    ] {
        let reading = &readings[number - 1];
        let id = reading.program.find(name).expect("the tensor is there");
        let shape = shape_text(&reading.inference.shapes[id.0]);
        assert_eq!(shape, expected, "{name} of program {number}");
    }
}
