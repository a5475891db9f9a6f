//! On the examples the transcribed rules find the same shapes and loop nests as the pipeline: with gradients, with
//! counts such as those of `mean`, with sections and with windows. `lozenge check` makes the same comparison.

use std::path::{Path, PathBuf};

use lozenge::{Options, Surroundings, infer, parse_in};
use lozenge_fuzz::subjects::programs::reference::{self, Failed};
use lozenge_vocabulary::program::{Late, Program};

/// The work of the rules is quadratic in the number of constraints, so larger programs, such as long loops, are left
/// out.
const MOST_CONSTRAINTS: usize = 1_500;
/// The work that the rules may do for one program.
const WORK: u64 = 2_000_000_000;

fn programs() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for folder in ["first", "language", "windows"] {
        for entry in std::fs::read_dir(examples.join(folder)).expect("the folder") {
            found.push(entry.expect("an entry").path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "loz"));
    found.retain(|path| !path.ends_with("first/wrong.loz"));
    found.push(examples.join("digits/mlp.loz"));
    found.sort();
    found
}

/// Compares one program with the rules.
fn compare(program: &Program, name: &str) {
    let found = infer(program, &Options::default())
        .unwrap_or_else(|refusal| panic!("{name} is refused: {refusal}"));
    let expected = match reference::infer(program, WORK) {
        Ok(expected) => expected,
        Err(Failed::Refused(refusal)) => panic!("{name}: only the rules refuse: {refusal}"),
        Err(Failed::Work) => panic!("{name}: the limit of the rules"),
        Err(Failed::NoNest { operation, message }) => {
            panic!("{name}: operation {operation} has no loop nest by the rules: {message}")
        }
    };
    for (at, tensor) in program.tensors.iter().enumerate() {
        assert_eq!(
            found.shapes[at], expected.shapes[at],
            "{name}: the shape of {}",
            tensor.name
        );
    }
    for (at, (by_solver, by_rules)) in found.nests.iter().zip(&expected.nests).enumerate() {
        assert!(
            reference::same_up_to_names(by_rules, by_solver),
            "{name}: operation {at}\n{by_solver}\n{by_rules}"
        );
    }
    assert_eq!(found.nests.len(), expected.nests.len());
}

#[test]
fn the_rules_have_the_shapes_and_loops_of_the_examples() {
    let (mut gradients, mut counts, mut sections) = (0, 0, 0);
    for path in programs() {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a program");
        let folder = path.parent().expect("a folder");
        let program = parse_in(&text, &Surroundings::folder(folder))
            .unwrap_or_else(|errors| panic!("{}", errors[0].render(&text, &name, false)));
        if program.constraints().unwrap().set.constraints.len() > MOST_CONSTRAINTS {
            continue;
        }
        compare(&program, &name);
        let steps = program.steps.iter();
        gradients += usize::from(program.steps.iter().any(|step| step.record.is_some()));
        counts += steps
            .filter(|step| matches!(step.late.as_deref(), Some(Late::Product(_))))
            .count();
        sections += program.sections.len();
    }
    assert!(
        gradients >= 3 && counts >= 5 && sections >= 1,
        "{gradients} programs with gradients, {counts} counts, {sections} sections"
    );
}
