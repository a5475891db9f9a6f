//! Constraints of programs put to Z3 as printed and as repaired, with answers that were found by hand.

use lozenge_gradual_oracle::{Limits, ModuloZero, Question, Text, Typed, typed};
use lozenge_gradual_vocabulary::grad;

/// Tells whether the constraints of a program have a solution.
fn has_solution(text: &str, by: Text, modulo_zero: ModuloZero) -> bool {
    let (program, _) = grad::read(text).expect(text);
    let question = Question {
        text: by,
        modulo_zero,
        least_rank: 0,
        within: None,
    };
    match typed(&program, &question, Limits::default()) {
        Typed::Annotated(types) => {
            assert_eq!(types.len(), program.declarations.len());
            true
        }
        Typed::Never => false,
        other => panic!("{text}: {other:?}"),
    }
}

/// Each program with whether there is a solution as printed, and as repaired.
const PROGRAMS: &[(&str, bool, bool)] = &[
    // The ranks of declarations are 1 to 4 as printed.
    ("x : []\nreturn x\n", false, true),
    ("x : [1, 1, 1, 1, 1]\nreturn x\n", false, false),
    ("x : ?\nreturn x\n", true, true),
    // As printed a sum has the type Dyn alone, since no type has all ranks.
    ("x : [2]\ny : [2]\nreturn add(x, y)\n", false, true),
    ("x : ?\ny : [2]\nreturn add(x, y)\n", true, true),
    ("x : [2]\ny : [3]\nreturn add(x, y)\n", false, false),
    (
        "x : [?, 1, 1, 1]\ny : [5, 1, 1, 1]\nreturn add(x, y)\n",
        false,
        true,
    ),
    // No product equality is printed for ranks from 2 on; 2 elements do not become 4 times some number, though 4 mod 2
    // = 0.
    ("x : [2, 3]\nreturn reshape(x, [6])\n", false, true),
    ("x : [2]\nreturn reshape(x, [4, ?])\n", false, false),
    ("x : [2, 1]\nreturn reshape(x, [4, ?])\n", true, false),
    ("x : [6, ?]\nreturn reshape(x, [3])\n", false, false),
    ("x : [?, ?]\nreturn reshape(x, [6])\n", true, true),
    ("x : [4]\nreturn reshape(x, [?, ?])\n", false, false),
    // Printed is (5 - 1)·(3 - 1) = 8 where 5 - (3 - 1) = 3 is meant.
    (
        "x : [1, 1, 5, 5]\nreturn conv2d(1, 1, (3, 3), x)\n",
        true,
        true,
    ),
    (
        "x : [1, 1, 2, 2]\nreturn conv2d(1, 1, (3, 3), x)\n",
        true,
        false,
    ),
    (
        "x : [1, 2, 5, 5]\nreturn conv2d(1, 1, (3, 3), x)\n",
        false,
        false,
    ),
    ("x : [1, 2]\nreturn conv2d(1, 1, (3, 3), x)\n", false, false),
];

#[test]
fn programs_have_a_solution_or_none() {
    for (text, printed, repaired) in PROGRAMS {
        let found =
            [Text::Printed, Text::Repaired].map(|by| has_solution(text, by, ModuloZero::ForZero));
        assert_eq!(found, [*printed, *repaired], "{text}");
    }
}

/// The target has a 0: 5 elements mod 0 are 0 only where a remainder by 0 always is.
#[test]
fn a_remainder_by_0_is_read_in_three_ways() {
    let text = "x : [5]\nreturn reshape(x, [0, ?])\n";
    let readings = [ModuloZero::Never, ModuloZero::ForZero, ModuloZero::Always];
    let found = readings.map(|reading| has_solution(text, Text::Printed, reading));
    assert_eq!(found, [false, false, true]);
    let text = "x : [0]\nreturn reshape(x, [0, ?])\n";
    let found = readings.map(|reading| has_solution(text, Text::Printed, reading));
    assert_eq!(found, [false, true, true]);
    assert!(!has_solution(text, Text::Repaired, ModuloZero::Always));
}

#[test]
fn the_paper_has_no_constraint_for_a_conditional() {
    let (program, _) = grad::read("x : ?\nreturn if dim(x) = 2 then x else x\n").unwrap();
    let question = Question {
        text: Text::Printed,
        modulo_zero: ModuloZero::Never,
        least_rank: 1,
        within: None,
    };
    assert_eq!(typed(&program, &question, Limits::default()), Typed::NoRule);
}
