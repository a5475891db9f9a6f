//! The findings about Axon (W1 to W24): each that has a set of equations has a file among the regressions, whose first
//! line names it. Its second line says what is right, with the forced values, and its third how the printed rules end,
//! those that fail first.

use std::collections::BTreeSet;
use std::path::Path;

use lozenge_axon_solver::Solver;
use lozenge_axon_spec::{End, Options, explore, run};
use lozenge_axon_vocabulary::{Decide as _, Satisfiable, Set, Simplified};
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::shapes::{Decide, ShapeSet, Z3};

/// The findings with a file. W12 to W14 and W20 are about programs; W18 is a set that cannot be read.
const WITH_A_FILE: [u8; 19] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 16, 17, 19, 21, 22, 23, 24,
];

/// A file: the number of the finding, what is right, how the printed rules end, and the text.
struct Kept {
    number: u8,
    expected: String,
    printed: String,
    text: String,
    name: String,
}

fn kept() -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions/shapes");
    let files = std::fs::read_dir(folder).expect("the folder");
    let mut all = Vec::new();
    for file in files {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let said = |word: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(word));
            line.map(str::to_string)
        };
        let Some(first) = said("# W") else { continue };
        let (number, _) = first.split_once(':').expect("a colon");
        all.push(Kept {
            number: number.parse().expect("a number"),
            expected: said("# expected: ").expect("what is right"),
            printed: said("# printed: ").expect("how the rules end"),
            name: path.display().to_string(),
            text,
        });
    }
    all
}

#[test]
fn every_finding_about_sets_has_a_file() {
    let found: BTreeSet<u8> = kept().iter().map(|kept| kept.number).collect();
    assert_eq!(found.into_iter().collect::<Vec<u8>>(), WITH_A_FILE);
}

#[test]
fn the_native_procedure_says_what_is_right() {
    for kept in kept() {
        let mut set: Set = kept.text.parse().expect("a set");
        let solver = Solver::default();
        let said = match solver.simplify(&mut set.pool, &set.equations) {
            Simplified::Unsatisfiable { .. } => "unsat".to_string(),
            Simplified::Solved {
                satisfiable: Satisfiable::Yes(witness),
                ..
            } => {
                let forced = solver.forced(&mut set.pool, &set.equations, &witness);
                let mut values: Vec<String> = Vec::new();
                for (name, value) in &forced.values.dims {
                    values.push(format!("{}={value}", set.pool.dim_name(*name)));
                }
                for (name, value) in &forced.values.shapes {
                    let value = format!("{value:?}").replace(' ', "");
                    values.push(format!("{}={value}", set.pool.shape_name(*name)));
                }
                values.sort();
                format!("sat {}", values.join(" ")).trim_end().to_string()
            }
            other => format!("{other:?}"),
        };
        let mut expected: Vec<&str> = kept.expected.split(' ').collect();
        expected[1..].sort_unstable();
        assert_eq!(said, expected.join(" "), "{}", kept.name);
    }
}

#[test]
fn z3_agrees_where_it_knows() {
    let (mut parties, mut known) = (Parties::default(), 0);
    for kept in kept() {
        let set: ShapeSet = kept.text.parse().expect("a set");
        let Some(answer) = parties.ask(&Z3, Decide, &set) else {
            continue;
        };
        if let Some(holds) = answer.holds {
            known += 1;
            let expected = kept.expected.starts_with("sat");
            assert_eq!(holds, expected, "{}", kept.name);
        }
    }
    assert!(known > 25, "{known}");
}

#[test]
fn the_printed_rules_end_as_was_found() {
    let mut wrong = Vec::new();
    for kept in kept() {
        let mut set: Set = kept.text.parse().expect("a set");
        if kept.printed == "any" {
            let every = explore(&mut set, Default::default(), 20_000);
            assert!(
                every.fails && !every.fixed_points.is_empty(),
                "{}",
                kept.name
            );
            continue;
        }
        let end = match run(&mut set, &Options::default()).end {
            End::Fail(_) => "FAIL",
            End::Solved => "solved",
            End::Stuck => "stuck",
            End::NoFixedPoint => "no end",
        };
        if end != kept.printed {
            wrong.push(format!("{}: {end}", kept.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_name_of_both_sorts_is_refused() {
    let error = "n = [3]\n[n] = s".parse::<Set>().unwrap_err();
    assert_eq!(error.line, 2);
    assert!(error.message.contains("`n`"), "{error}");
}
