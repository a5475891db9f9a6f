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

const DATA: &str = "data x : 8|->3 = range(24)\n";

/// Whoever calls a function by the name that it has elsewhere reads a line that is accepted, and the page lists all of
/// them. `LOZENGE_WRITE=1` renews the list.
#[test]
fn a_function_of_another_library_has_a_line_that_is_accepted() {
    let mut table = String::from("| there | here |\n|---|---|\n");
    for counterpart in lozenge_lang::counterparts() {
        let program = format!("{DATA}let y = {}\n", counterpart.line);
        if let Err(errors) = read(&program, &Options::default()) {
            panic!(
                "{program}\n{}",
                errors[0].render(&program, "program.loz", false)
            );
        }
        for word in counterpart.words {
            let program = format!("{DATA}let y = {word}(x)\n");
            let errors = read(&program, &Options::default()).expect_err(word);
            let said = errors[0].render(&program, "program.loz", false);
            let expected = format!("write for example `{}`", counterpart.line);
            assert!(said.contains(&expected), "{word}: {said}");
        }
        let words: Vec<String> = counterpart
            .words
            .iter()
            .map(|word| format!("`{word}`"))
            .collect();
        let here = format!("`{}`{}", counterpart.line, counterpart.remark);
        // A bar would end the cell of the table.
        table += &format!("| {} | {} |\n", words.join(", "), here.replace('|', "\\|"));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/coming-from.md");
    let document = std::fs::read_to_string(path).expect("the document is there");
    let (before, rest) = document
        .split_once("<!-- counterparts -->\n")
        .expect("a start");
    let (_, after) = rest.split_once("<!-- end -->").expect("an end");
    let renewed = format!("{before}<!-- counterparts -->\n{table}<!-- end -->{after}");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(path, renewed).expect("the document can be written");
    } else {
        assert_eq!(document, renewed, "run this test with LOZENGE_WRITE=1");
    }
}

#[test]
fn the_name_of_a_module_is_no_tensor() {
    for line in ["np.exp(x)", "torch.relu(x)", "F.softmax(x)"] {
        let program = format!("{DATA}let y = {line}\n");
        let errors = read(&program, &Options::default()).expect_err(line);
        let said = errors[0].render(&program, "program.loz", false);
        assert!(said.contains("belong to no module"), "{said}");
    }
}
