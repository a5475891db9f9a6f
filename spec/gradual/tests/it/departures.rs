//! Departures from the printed rules: a program for each place, with what the printed rules, the repaired rules and
//! PyTorch's operations make of it.

use std::collections::BTreeMap;

use lozenge_gradual_spec::constraints::{self, TypeVariable, solutions};
use lozenge_gradual_spec::migration::with_annotations;
use lozenge_gradual_spec::run::{is_allowed, run};
use lozenge_gradual_spec::typing::{ModuloZero, Occurrence, PRINTED, REPAIRED, Reading};
use lozenge_gradual_spec::universe::{Universe, choices};
use lozenge_gradual_vocabulary::grad::read;
use lozenge_gradual_vocabulary::{Program, Type};

fn program(text: &str) -> Program {
    read(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .0
}

const UNION: Reading = Reading {
    at_least_one: Occurrence::Union,
    modulo_zero: ModuloZero::ForZero,
};

const EACH: Reading = Reading {
    at_least_one: Occurrence::Each,
    ..UNION
};

/// Tells whether some input of small sizes runs, the rank being that of the annotation, or up to 2.
fn runs(program: &Program) -> bool {
    let universe = Universe::new(2, 0..=6);
    let each = choices(&program.declarations, |one| {
        universe.concretisations(&one.annotation)
    });
    let names = || program.declarations.iter().map(|one| one.name.as_str());
    each.into_iter().any(|shapes| {
        let input: BTreeMap<&str, Vec<u64>> = names().zip(shapes).collect();
        is_allowed(program, &input) && run(&input, &program.body).is_ok()
    })
}

/// The program, whether the printed rules accept it with a Dyn in one of source and target or in each, whether the
/// repaired ones do, and whether it runs.
#[test]
fn rules_are_departed_from_where_they_accept_what_never_runs() {
    for (what, text, union, each, repaired, is_run) in [
        (
            "W1",
            "x : [2] return reshape(x, [4, ?])",
            true,
            true,
            false,
            false,
        ),
        (
            "W2",
            "x : [6, ?] return reshape(x, [3])",
            true,
            true,
            false,
            false,
        ),
        (
            "W3",
            "x : [?, ?] return reshape(x, [6])",
            true,
            false,
            true,
            true,
        ),
        (
            "W3",
            "x : [2, ?] return reshape(x, [6])",
            true,
            true,
            true,
            true,
        ),
        (
            "W4",
            "x : [4] return reshape(x, [?, ?])",
            true,
            true,
            false,
            false,
        ),
        (
            "W5",
            "x : [2, ?, ?] return reshape(x, [3])",
            true,
            false,
            false,
            false,
        ),
        (
            "W11",
            "x : [1, 1, 2, 2] return conv2d(1, 1, (3, 3), x)",
            true,
            true,
            false,
            false,
        ),
        (
            "W12",
            "x : [0, 5] return reshape(x, [0, 7])",
            true,
            true,
            true,
            true,
        ),
        (
            "W12",
            "x : [0, 5] return reshape(x, [0, ?])",
            true,
            true,
            false,
            false,
        ),
        (
            "W14",
            "x : [20, 20] return conv2d(3, 1, (1, 1), reshape(x, [1, ?, 10, 20]))",
            true,
            true,
            true,
            false,
        ),
    ] {
        let program = program(text);
        let accepts = [
            PRINTED.accepts(&UNION, &program),
            PRINTED.accepts(&EACH, &program),
            REPAIRED.accepts(&UNION, &program),
        ];
        assert_eq!(accepts, [union, each, repaired], "{what}: {text}");
        assert_eq!(runs(&program), is_run, "{what}: {text}");
    }
}

/// Tells whether the printed and the repaired constraints of a program have a solution that annotates it as it is.
fn is_solution(program: &Program) -> [bool; 2] {
    let universe = Universe::new(0, [1, 2, 5]);
    let own: Vec<Type> = program
        .declarations
        .iter()
        .map(|one| one.annotation.clone())
        .collect();
    [
        (&constraints::PRINTED, ModuloZero::ForZero),
        (&constraints::REPAIRED, ModuloZero::ForZero),
    ]
    .map(|(translation, zero)| {
        let solved = solutions(translation, zero, &universe, program).expect("Gen has a rule");
        solved.iter().any(|solution| {
            (0..own.len()).all(|at| solution[&TypeVariable::Declared(at)] == own[at])
        })
    })
}

#[test]
fn constraints_are_departed_from_where_they_differ_from_the_rules() {
    for (what, text, printed, repaired) in [
        ("W2", "x : [6, ?] return reshape(x, [3])", false, false),
        ("W6", "x : [] return x", false, true),
        ("W6", "x : [1, 1, 1, 1, 1] return x", false, false),
        ("W8", "x : [2] return add(x, x)", false, true),
        (
            "W9",
            "x : [?, 1, 1, 1] y : [5, 1, 1, 1] return add(x, y)",
            false,
            true,
        ),
        ("W10", "x : [2, 3] return reshape(x, [6])", false, true),
        ("W10", "x : [2] return reshape(x, [4, ?])", false, false),
        ("W12", "x : [2, 5] return reshape(x, [?, 20])", true, false),
    ] {
        let found = is_solution(&program(text));
        assert_eq!(found, [printed, repaired], "{what}: {text}");
    }
    // W9: the rule types the sum that the constraints lose.
    let sum = program("x : [?, 1, 1, 1] y : [5, 1, 1, 1] return add(x, y)");
    assert_eq!(
        PRINTED.type_of(&UNION, &sum),
        Some(Type::of_shape(&[5, 1, 1, 1]))
    );
}

/// W6: the rules bound no rank, so that there are migrations of every one.
#[test]
fn migrations_have_any_rank() {
    let variable = program("x : ? return x");
    for rank in [0, 5, 9] {
        let more = with_annotations(&variable, vec![Type::of_shape(&vec![1; rank])]);
        assert!(PRINTED.accepts(&UNION, &more) && REPAIRED.accepts(&UNION, &more));
    }
}

/// W7: with a kernel of 3, an axis of 5 becomes 3 by Appendix B, and 8 by the formula of Appendix E.
#[test]
fn the_formula_of_appendix_e_gives_other_sizes() {
    let convolved = program("x : [1, 1, 5, 5] return conv2d(1, 1, (3, 3), x)");
    let whole = TypeVariable::Of(convolved.body.root());
    let universe = Universe::new(0, []);
    for (translation, sizes) in [
        (&constraints::PRINTED, [1, 1, 8, 8]),
        (&constraints::REPAIRED, [1, 1, 3, 3]),
    ] {
        let solved = solutions(translation, ModuloZero::Never, &universe, &convolved);
        let solved = solved.expect("Gen has a rule");
        let types: Vec<&Type> = solved.iter().map(|solution| &solution[&whole]).collect();
        assert_eq!(types, [&Type::of_shape(&sizes)]);
    }
}
