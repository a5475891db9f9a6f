//! The bytes that a problem and a solver tell of are those that they hold, as the allocator counts them.

use lozenge_families::FAMILIES;
use lozenge_solver::{Problem, Solver};

/// Calls `make` and counts the bytes that it leaves allocated.
fn held<T>(make: impl FnOnce() -> T) -> (T, i64) {
    let mut made = None;
    let allocated = allocation_counter::measure(|| made = Some(make()));
    (made.expect("made"), allocated.bytes_current)
}

/// Asserts that the figure counts all bytes, except some that do not grow with the problem.
#[track_caller]
fn tells(what: &str, told: usize, held: i64) {
    let untold = held - told as i64;
    assert!((0..=100).contains(&untold), "{what}: {untold} of {held}");
}

#[test]
fn the_bytes_told_are_those_held() {
    for family in FAMILIES {
        let (problem, stated): (Problem, i64) = held(|| (family.build)(2_500));
        tells(family.name, problem.bytes(), stated);
        let told_before = problem.bytes();
        let (solver, more) = held(|| {
            let mut solver = Solver::new(problem);
            solver.close().expect("satisfiable");
            solver
        });
        let grown = solver.problem().bytes() - told_before;
        tells(family.name, grown + solver.statistics().bytes, more);
    }
}

#[test]
fn a_text_is_held_with_its_problem() {
    let text: String = (0..10_000)
        .map(|i| format!("{} <= a{i}\n", i + 2))
        .collect();
    let (problem, bytes) = held(|| Problem::parse(&text).expect("the notation"));
    tells("a text", problem.bytes(), bytes);
}

fn solved(text: &str) -> Solver {
    let mut solver = Solver::new(Problem::parse(text).expect("in the notation"));
    solver.solve().expect("satisfiable");
    solver
}

/// Compares the told size of each part of the state with the allocated bytes, where that part is the largest.
#[test]
fn every_table_is_told() {
    let declared: String = (0..5000).map(|i| format!("leaf a{i}, <r{i}>\n")).collect();
    let sizes: String = (2..5000).map(|i| format!("{i} <= a\n")).collect();
    let text = declared + &sizes;
    let (problem, bytes) = held(|| Problem::parse(&text).expect("in the notation"));
    tells("declarations", problem.bytes(), bytes);
    let deferred: String = (0..5000)
        .map(|i| format!("[2 <r{i}>] ~ [<s> 2]\n"))
        .collect();
    for (what, text) in [
        ("deferred equations", deferred.clone()),
        ("equations that are due", deferred + "<s> ~ [2]"),
    ] {
        let (solver, bytes) = held(|| solved(&text));
        let told = solver.problem().bytes() + solver.statistics().bytes;
        tells(what, told, bytes);
    }
}

/// Windows whose sizes are open: the sizes that satisfy them are kept.
#[test]
fn windows_and_their_sizes_are_told() {
    let windows: String = (0..5000)
        .map(|i| format!("i{i} = 2*o{i} + k{i}\n"))
        .collect();
    let parts: String = (0..5000)
        .map(|i| format!("t{i} = a{i} ^ b{i} ^ c{i}\n"))
        .collect();
    for (what, text) in [("windows", windows), ("concatenations", parts)] {
        let (problem, bytes) = held(|| Problem::parse(&text).expect("in the notation"));
        tells(what, problem.bytes(), bytes);
        let (solver, bytes) = held(|| solved(&text));
        let told = solver.problem().bytes() + solver.statistics().bytes;
        tells(what, told, bytes);
    }
}

#[test]
fn what_an_open_snapshot_remembers_is_told() {
    let text: String = (0..5000)
        .map(|i| format!("a{i} <= a{}\n<r{i}> <= <r{}>\n", i + 1, i + 1))
        .collect();
    let (solver, bytes) = held(|| {
        let mut solver = solved(&text);
        solver.snapshot();
        solver.add(&"3 <= a0".parse().unwrap());
        solver.add(&"<r5000> <= [5]".parse().unwrap());
        solver.solve().expect("satisfiable");
        solver
    });
    let told = solver.problem().bytes() + solver.statistics().bytes;
    // Each table has its mark, and so have the refusal and the problem.
    tells("a snapshot", told + 2748, bytes + 100);
}

/// Shows that facts about sizes are held from a snapshot on until it is given up.
#[test]
fn what_an_open_snapshot_remembers_of_sizes_is_told() {
    let text: String = (0..2000)
        .map(|i| format!("n{i} = a{i} * |<r{i}>|\nn{i} = 12\n"))
        .collect();
    let (solver, bytes) = held(|| {
        let mut solver = Solver::new(Problem::parse(&text).expect("in the notation"));
        solver.solve_so_far().expect("satisfiable");
        solver.snapshot();
        solver.add(&"a0 = 6".parse().expect("a constraint"));
        solver.solve_so_far().expect("satisfiable");
        solver
    });
    let told = solver.problem().bytes() + solver.statistics().bytes;
    let share = 100 * told as i64 / bytes;
    assert!((95..=100).contains(&share), "{told} of {bytes}");
}

/// The bound of a row that stands by itself is found without a search, and given up when the row is closed.
#[test]
fn closing_a_leaf_takes_little_beyond_what_it_keeps() {
    let family = FAMILIES.iter().find(|family| family.name == "leaf-layers");
    let size = 20_000;
    let mut solver = Solver::new((family.expect("a family").build)(size));
    solver.solve().expect("satisfiable");
    let allocated = allocation_counter::measure(|| solver.close().expect("satisfiable"));
    // About 26 bytes a row say which leaves wait for which others.
    let most = (3 * size as u64, 260 * size as u64);
    assert!(allocated.count_total < most.0, "{}", allocated.count_total);
    assert!(allocated.bytes_max < most.1, "{}", allocated.bytes_max);
}

/// A few inequalities in any order are sorted by themselves: nothing is made for each row of the problem.
#[test]
fn adding_to_a_large_problem_takes_as_much_as_is_added() {
    let rows = 50_000;
    let mut problem = Problem::new();
    for at in 0..rows {
        let [low, high] = [at, at + 1].map(|at| {
            problem
                .row(&[], Some(&format!("r{at}")), &[])
                .expect("a name")
        });
        problem.below_rows(low, high).expect("rows of this problem");
    }
    let mut solver = Solver::new(problem);
    solver.solve().expect("satisfiable");
    let mut add = |text: &str| {
        solver.problem_mut().read(text).expect("the notation");
        allocation_counter::measure(|| solver.solve().expect("satisfiable")).bytes_total
    };
    // The first ones make room for more.
    add("<r9> <= <s>\n<r5> <= <s>");
    let more = add("<r8> <= <s>\n<r4> <= <s>\n<r6> <= <s>");
    assert!(more < rows / 10, "{more}");
}
