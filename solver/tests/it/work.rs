//! What solving leaves on record, counted: that the shortcuts which keep it small are taken. The counts are the same on
//! every machine, as times are not.

use lozenge_solver::bench::FAMILIES;
use lozenge_solver::{Problem, Solver, Statistics};

/// Conclusions, dimension variables, inequalities between them, and places for axes.
type Counts = [usize; 4];

fn counts(statistics: Statistics) -> Counts {
    let Statistics {
        inferences,
        dims,
        dim_inequalities,
        axes,
        ..
    } = statistics;
    [inferences, dims, dim_inequalities, axes]
}

fn closed(text: &str) -> Solver {
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    if let Err(refusal) = solver.close() {
        panic!("{text}\n{refusal}");
    }
    solver
}

/// For each family at size 100 what is on record when it is closed, and the bytes that it may take.
const AT_100: [(&str, Counts, usize); 26] = [
    ("rows-down", [200, 0, 0, 3], 15840),
    ("rows-up", [200, 0, 0, 3], 15232),
    ("rows-between", [198, 0, 0, 3], 15184),
    ("equalities", [101, 0, 0, 0], 11424),
    ("matmuls", [102, 0, 0, 25], 13752),
    ("matmuls-dims", [126, 49, 24, 49], 16520),
    ("transformer", [145, 15, 0, 143], 13520),
    ("deficits", [100, 0, 0, 43], 14144),
    ("caps", [54, 51, 0, 0], 3632),
    ("diamonds", [152, 0, 0, 3], 14516),
    ("zero-cycle", [198, 0, 0, 3], 15792),
    ("crossed-layers", [106, 52, 100, 0], 8816),
    ("leaf-chain", [199, 0, 0, 4], 15744),
    // All leaves commit in one round, before what they say goes down to the rows below them.
    ("leaf-layers", [249, 0, 0, 200], 20780),
    ("leaf-dims", [248, 100, 99, 0], 13824),
    ("leaf-deficits", [101, 0, 0, 43], 16160),
    ("leaf-cycle", [198, 0, 0, 4], 16176),
    ("rows-reversed", [200, 0, 0, 3], 15840),
    ("rows-shuffled", [200, 0, 0, 3], 15840),
    ("deficits-reversed", [100, 0, 0, 43], 14144),
    ("deficits-shuffled", [100, 0, 0, 43], 14144),
    ("matmuls-shuffled", [101, 0, 0, 25], 11732),
    ("convolutions", [393, 96, 0, 0], 26592),
    ("contractions", [85, 48, 0, 0], 5352),
    ("counted-open", [400, 100, 0, 0], 60000),
    ("counted-below", [280, 60, 0, 0], 60000),
];

#[test]
fn what_a_family_leaves_on_record() {
    for (family, (name, expected, most)) in FAMILIES.iter().zip(AT_100) {
        let mut solver = Solver::new((family.build)(100));
        solver.close().expect(name);
        let statistics = solver.statistics();
        assert_eq!((family.name, counts(statistics)), (name, expected));
        assert!(statistics.bytes <= most, "{name}: {}", statistics.bytes);
    }
    assert_eq!(FAMILIES.len(), AT_100.len());
}

#[test]
fn what_is_pinned_takes_no_more_as_there_is_more_of_it() {
    for (name, axes) in [
        ("rows-down", 3),
        ("diamonds", 3),
        ("deficits", 43),
        ("leaf-chain", 4),
    ] {
        let family = FAMILIES.iter().find(|family| family.name == name);
        for size in [100, 1000] {
            let mut solver = Solver::new((family.expect(name).build)(size));
            solver.close().expect(name);
            assert_eq!(solver.statistics().axes, axes, "{name} {size}");
        }
    }
}

/// Small sets, each for one way in which a bound, a reason or a place could be recorded without need.
const SMALL: &[(&str, Counts)] = &[
    // A row above a cycle is not processed together with it.
    (
        "<r> <= <t>\n[2] <= <r>\n<r> <= <s>\n<s> <= <r>\nleaf <r>, <s>, <t>",
        [6, 0, 0, 1],
    ),
    (
        "<r> <= <t>\n[3 <r>] <= <s>\n<s> <= <r>\n[5, 6 <>] <= <r>\nleaf <r>, <s>, <t>",
        [13, 0, 0, 10],
    ),
    // Nothing bounds a row of this cycle, so that nothing is found of its bounds.
    ("<r> <= <s>\n<t> <= <r>\n<s> <= <t>\nleaf <s>", [1, 0, 0, 0]),
    // A cap of a variable that became an alias is not one of its own.
    ("<r> <= <s>\n<r> ~ <t>\nleaf <s>", [4, 0, 0, 0]),
    // A bare variable that nothing bounds is no reason for a commitment.
    ("<r> <= <s>\n<s> <= [<r>]\nleaf <r>", [1, 0, 0, 0]),
    // An axis above a late one is written where it is.
    ("<s> <= [e, 2 <t> 1_]\n<r> <= <t>\n<r> <= <s>", [9, 7, 4, 6]),
    // Axes that come after those that were pinned are written when they are asked for.
    ("<r> <= [2, 3, 4 <s>]\n<s> ~ [b <>]", [4, 1, 0, 5]),
    (
        "<t> <= [2, 3 <r> d]\n<s> <= [<t> 3]\n<s> ~ [<u> b, 3]",
        [14, 5, 2, 5],
    ),
    // A flank to which a placement gives no axes rests on nothing more.
    (
        "[a, a, b <> b, 2] ~ <s>\n<s> <= [c, a <> c, c]",
        [14, 7, 4, 8],
    ),
];

#[test]
fn what_a_small_set_leaves_on_record() {
    for (text, expected) in SMALL {
        assert_eq!(counts(closed(text).statistics()), *expected, "{text}");
    }
}

#[test]
fn the_choices_of_policy_are_counted() {
    for (text, placements, resolutions) in [
        ("<r> ~ [2]", 0, 0),
        ("<r> ~ [2]\n<r> <= <s>\n<t> ~ [3]\n<u> <= <t>", 2, 0),
        ("[<s> a] ~ [b <t>]", 0, 1),
        ("[<s> a] ~ [b <t>]\n[<u> c] ~ [d <v>]", 0, 2),
    ] {
        let statistics = closed(text).statistics();
        let choices = (statistics.placements, statistics.resolutions);
        assert_eq!(choices, (placements, resolutions), "{text}");
    }
}

/// Of a row that lies between many and many, each inequality is looked at once: squared, they would take minutes.
#[test]
fn a_row_between_many_is_searched_once() {
    let mut problem = Problem::new();
    for at in 0..400_000 {
        let [row, one] =
            ["r", &format!("s{at}")].map(|name| problem.row(&[], Some(name), &[]).expect("a name"));
        match at % 2 {
            0 => problem.below_rows(row, one).expect("rows of this problem"),
            _ => problem.below_rows(one, row).expect("rows of this problem"),
        };
    }
    let mut solver = Solver::new(problem);
    solver.solve().expect("satisfiable");
    assert_eq!(solver.statistics().inferences, 0);
}

/// A flank of any length has the axes that its operand pins, wherever they lie.
#[test]
fn rows_of_any_length_have_what_pins_them() {
    for len in 0..=40 {
        let axes: Vec<String> = (0..len).map(|at| (at + 2).to_string()).collect();
        let axes = axes.join(", ");
        for row in [
            format!("[{axes}]"),
            format!("[{axes} <>]"),
            format!("[{axes} <> {axes}]"),
        ] {
            let mut solver = closed(&format!("<r> <= {row}\n<s> <= <r>\n<t> <= [5 <s>]"));
            let value = solver.solution().row("s").map(|row| row.to_string());
            assert_eq!(
                value.as_deref(),
                Some(&*row.replace("[ <> ]", "[]").replace("[ <>]", "[]"))
            );
            assert!(solver.close().is_ok());
        }
    }
}

#[test]
fn looking_up_a_value_writes_nothing_down() {
    let mut solver = closed("b = a\nc = b\nd = c");
    solver.snapshot();
    let before = solver.statistics();
    solver
        .problem_mut()
        .read("d <= a\nb <= c\na <= b")
        .expect("the notation");
    solver.solve().expect("satisfiable");
    assert_eq!(solver.statistics(), before);
}
