//! Records that solving leaves, counted: the shortcuts which keep them few are taken. The counts are the same on every
//! machine, as times are not.

use lozenge_families::{FAMILIES, Family};
use lozenge_solver::{Problem, Solver, Statistics};

/// Conclusions, dimension variables, inequalities between them, places for axes, and steps.
type Counts = [usize; 5];

fn counts(statistics: Statistics) -> Counts {
    let Statistics {
        inferences,
        dims,
        dim_inequalities,
        axes,
        steps,
        ..
    } = statistics;
    [inferences, dims, dim_inequalities, axes, steps as usize]
}

fn closed(text: &str) -> Solver {
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    if let Err(refusal) = solver.close() {
        panic!("{text}\n{refusal}");
    }
    solver
}

/// For each family at size 100 what is on record when it is closed, and the bytes that it takes, at most.
const AT_100: [(&str, Counts, usize); 28] = [
    ("rows-down", [200, 0, 0, 3, 601], 15840),
    ("rows-up", [200, 0, 0, 3, 601], 15232),
    ("rows-between", [198, 0, 0, 3, 601], 15184),
    ("equalities", [101, 0, 0, 0, 401], 11424),
    ("matmuls", [101, 0, 0, 25, 377], 11732),
    ("matmuls-dims", [125, 49, 24, 49, 497], 16520),
    ("transformer", [145, 15, 0, 143, 866], 13520),
    ("deficits", [100, 0, 0, 43, 278], 14144),
    ("caps", [54, 51, 0, 0, 0], 2712),
    ("diamonds", [152, 0, 0, 3, 532], 14516),
    ("zero-cycle", [198, 0, 0, 3, 598], 15792),
    ("crossed-layers", [106, 52, 100, 0, 0], 6856),
    ("leaf-chain", [199, 0, 0, 4, 817], 15744),
    // All leaves commit in one round, before what they say goes down to the rows below them.
    ("leaf-layers", [249, 0, 0, 200, 2103], 20780),
    ("leaf-dims", [248, 100, 99, 0, 150], 13824),
    ("leaf-deficits", [101, 0, 0, 43, 385], 16160),
    ("leaf-cycle", [198, 0, 0, 4, 2205], 16176),
    ("rows-reversed", [200, 0, 0, 3, 601], 15840),
    ("rows-shuffled", [200, 0, 0, 3, 601], 15840),
    ("sliced-chain", [495, 50, 0, 3, 2173], 29864),
    ("sliced-chain-reversed", [497, 50, 0, 4, 2180], 29864),
    ("deficits-reversed", [100, 0, 0, 43, 278], 14144),
    ("deficits-shuffled", [100, 0, 0, 43, 278], 14144),
    ("matmuls-shuffled", [101, 0, 0, 25, 379], 11732),
    ("convolutions", [393, 96, 0, 0, 830], 25585),
    ("contractions", [85, 48, 0, 0, 246], 5352),
    ("counted-open", [400, 100, 0, 0, 1256], 26116),
    ("counted-below", [280, 60, 0, 0, 1446], 23412),
];

#[test]
fn what_a_family_leaves_on_record() {
    let close = |family: &Family| {
        let mut solver = Solver::new((family.build)(100));
        solver.close().expect(family.name);
        solver.statistics()
    };
    let found: Vec<Statistics> = FAMILIES.iter().map(close).collect();
    for (one, (name, _, most)) in found.iter().zip(AT_100) {
        // Tables of other processors take a few bytes less.
        let expected = most - most / 100..=most;
        assert!(expected.contains(&one.bytes), "{name}: {}", one.bytes);
    }
    let names = FAMILIES.iter().map(|family| family.name);
    let found: Vec<_> = names.zip(found.into_iter().map(counts)).collect();
    assert_eq!(found, AT_100.map(|(name, expected, _)| (name, expected)));
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
        [6, 0, 0, 1, 69],
    ),
    (
        "<r> <= <t>\n[3 <r>] <= <s>\n<s> <= <r>\n[5, 6 <>] <= <r>\nleaf <r>, <s>, <t>",
        [13, 0, 0, 10, 121],
    ),
    // Nothing bounds a row of this cycle, so that nothing is found of its bounds.
    (
        "<r> <= <s>\n<t> <= <r>\n<s> <= <t>\nleaf <s>",
        [1, 0, 0, 0, 25],
    ),
    // A cap of a variable that became an alias is not one of its own.
    ("<r> <= <s>\n<r> ~ <t>\nleaf <s>", [4, 0, 0, 0, 23]),
    // A bare variable that nothing bounds is no reason for a commitment.
    ("<r> <= <s>\n<s> <= [<r>]\nleaf <r>", [1, 0, 0, 0, 19]),
    // An axis above a late one is written where it is.
    (
        "<s> <= [e, 2 <t> 1_]\n<r> <= <t>\n<r> <= <s>",
        [9, 7, 4, 6, 35],
    ),
    // Axes that come after those that were pinned are written when they are asked for.
    ("<r> <= [2, 3, 4 <s>]\n<s> ~ [b <>]", [4, 1, 0, 5, 18]),
    (
        "<t> <= [2, 3 <r> d]\n<s> <= [<t> 3]\n<s> ~ [<u> b, 3]",
        [14, 5, 2, 5, 39],
    ),
    // A flank to which a placement gives no axes rests on nothing more.
    (
        "[a, a, b <> b, 2] ~ <s>\n<s> <= [c, a <> c, c]",
        [14, 7, 4, 8, 38],
    ),
];

#[test]
fn what_a_small_set_leaves_on_record() {
    let count = |(text, _): &(&'static str, Counts)| (*text, counts(closed(text).statistics()));
    let found: Vec<_> = SMALL.iter().map(count).collect();
    assert_eq!(found, SMALL);
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
    let steps = solver.statistics().steps;
    assert_eq!(solver.statistics(), Statistics { steps, ..before });
}

/// Numbers drawn at random.
struct Draws(u64);

impl Draws {
    /// Returns a number below this one.
    fn below(&mut self, end: usize) -> usize {
        let Draws(state) = self;
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % end
    }

    fn one_of(&mut self, texts: &[&str]) -> String {
        texts[self.below(texts.len())].to_string()
    }
}

/// Returns a constraint between dimensions.
fn of_dims(draws: &mut Draws, count: usize) -> String {
    let (low, high) = (draws.below(count), draws.below(count));
    match draws.below(8) {
        0 => format!("1 <= d{low}"),
        1 | 2 => format!("d{low} <= {}", 2 + draws.below(2)),
        _ => format!("d{low} <= d{high}"),
    }
}

/// Returns an inequality between rows.
fn of_rows(draws: &mut Draws, count: usize) -> String {
    let (low, high) = (draws.below(count), draws.below(count));
    match draws.below(8) {
        0 => format!("[2] <= <r{low}>"),
        1 | 2 => format!("<r{low}> <= [{}]", draws.one_of(&["2", "3, 2", "1_, d0"])),
        3 => format!("<r{low}> <= [<r{high}> {}]", draws.one_of(&["2", "d1"])),
        _ => format!("<r{low}> <= <r{high}>"),
    }
}

/// Returns an inequality or an equation between rows.
fn mixed(draws: &mut Draws, count: usize) -> String {
    let (one, other) = (draws.below(count), draws.below(count));
    match draws.below(10) {
        0 => format!("<r{one}> ~ <r{other}>"),
        1 => format!(
            "<r{one}> ~ [{} <r{other}>]",
            draws.one_of(&["2", "d0", "3, d1"])
        ),
        2 => format!(
            "<r{one}> ~ [<r{other}> {}]",
            draws.one_of(&["2", "d0", "3, d1"])
        ),
        3 => format!(
            "<r{one}> ~ [{}]",
            draws.one_of(&["2", "3 <> 2", "d1, 2 <>"])
        ),
        _ => of_rows(draws, count),
    }
}

/// Returns a few constraints, with variables that are leaves.
fn leaves(seed: usize, constraint: fn(&mut Draws, usize) -> String) -> String {
    let mut draws = Draws(seed as u64);
    let count = 2 + draws.below(6);
    let lines = (0..count + draws.below(5)).map(|_| constraint(&mut draws, count));
    let mut lines: Vec<String> = lines.collect();
    let names = (0..count).flat_map(|at| [format!("<r{at}>"), format!("d{at}")]);
    let text = lines.join("\n");
    let leaves = names.filter(|name| text.contains(name) && draws.below(5) > 0);
    let leaves: Vec<String> = leaves.collect();
    if !leaves.is_empty() {
        lines.push(format!("leaf {}", leaves.join(", ")));
    }
    lines.join("\n")
}

/// Closing leaves one after the other looks again at nothing of which nothing has become known. The work altogether is
/// a number that changes with each of its shortcuts; so does how many sets close, and how many axes their
/// rows have then.
#[test]
fn closing_random_leaves_takes_as_many_steps_as_it_did() {
    let of = |constraint: fn(&mut Draws, usize) -> String| {
        let (mut steps, mut closed, mut axes) = (0, 0, 0);
        for seed in 0..4000 {
            let text = leaves(seed, constraint);
            let mut solver = Solver::new(Problem::parse(&text).expect("the notation"));
            if solver.close().is_ok() {
                closed += 1;
                axes += solver.solution().total_rank();
            }
            steps += solver.statistics().steps;
        }
        (closed, axes, steps)
    };
    assert_eq!(
        [of(of_dims), of(of_rows), of(mixed)],
        [
            (2322, 0, 21_997),
            (2225, 11_606, 229_504),
            (1156, 6907, 177_104)
        ]
    );
}

/// A solver that gives back the room for more holds as little as it may.
#[test]
fn what_is_shrunk_holds_less() {
    let mut held = [0; 4];
    for family in FAMILIES {
        let mut solver = Solver::new((family.build)(100));
        solver.close().expect("satisfiable");
        let bytes = |solver: &Solver| [solver.statistics().bytes, solver.problem().bytes()];
        let before = bytes(&solver);
        solver.shrink();
        for (sum, bytes) in held.iter_mut().zip([before, bytes(&solver)].concat()) {
            *sum += bytes;
        }
    }
    let [solver, problem, shrunk_solver, shrunk_problem] = held;
    assert!(shrunk_solver <= 392_589, "{shrunk_solver} of {solver}");
    assert!(shrunk_problem <= 210_335, "{shrunk_problem} of {problem}");
}
