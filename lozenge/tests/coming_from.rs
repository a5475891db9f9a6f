//! The programs of `docs/coming-from.md` are inferred exactly as printed there.

use lozenge::{Options, read, shape_text};

fn programs() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/coming-from.md");
    let document = std::fs::read_to_string(path).expect("the document is there");
    let blocks = document.split("```loz\n").skip(1);
    let ends = blocks.filter_map(|rest| rest.split_once("```"));
    ends.map(|(program, _)| program.to_string()).collect()
}

#[test]
fn every_program_has_shapes_and_loop_nests() {
    let programs = programs();
    assert!(programs.len() >= 10, "{}", programs.len());
    for program in programs {
        if let Err(errors) = read(&program, &Options::default()) {
            panic!(
                "{program}\n{}",
                errors[0].render(&program, "program.loz", false)
            );
        }
    }
}

/// The statements of the page about shapes hold.
#[test]
fn the_shapes_are_those_that_the_page_names() {
    let shape = |number: usize, name: &str| {
        let program = &programs()[number - 1];
        let reading = read(program, &Options::default()).expect("it is inferred");
        let id = reading.program.find(name).expect("the tensor is there");
        shape_text(&reading.inference.shapes[id.0])
    };
    for (number, name, expected) in [
        (1, "c", "->4, 5"),
        (2, "c", "8|5->4"),
        (3, "c", "->4, 5"),
        (4, "m", "6|->"),
        (5, "p", "6|->3"),
        (7, "d", "6, 4|->"),
        (8, "y", "6|->4, 3"),
        (9, "t", "->"),
        (9, "d", "->4"),
        (10, "y", "2, 6|->16"),
        (11, "loss", "->"),
        (12, "c", "2|->6, 8, 8"),
        (12, "p", "2|->6, 4, 4"),
        (12, "d", "2|->6, 4, 4"),
        (13, "d", "6|->4, 8"),
        (13, "f", "6|->32"),
        (13, "s", "6, 4|->8"),
        (13, "r", "6|->32"),
        (13, "c", "6|->28"),
    ] {
        assert_eq!(shape(number, name), expected, "{name} of program {number}");
    }
}
